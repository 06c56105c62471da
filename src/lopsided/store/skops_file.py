"""Objects by skops: written so that the same object gives the same bytes, checked, read."""

import io
import json
import math
import sys
from typing import Any
from zipfile import ZIP_STORED

import numpy as np

from lopsided._validation import require
from lopsided.store.container import Refused, read_archive, write_archive
from lopsided.store.trusted import TRUSTED, check_schema

_SCHEMA = "schema.json"
_KINDS = "biufUV"  # of arrays: numbers, text, and records of numbers
_PROTOCOLS = (2,)  # of skops, whose schemas `check_schema` knows


def _require_skops() -> Any:
    """Return skops.io, imported without torch.

    It walks through all packages of scikit-learn to list their estimators. One of them is for
    arrays of torch, holds no estimator and is passed over where torch is missing; where it is
    not, its import would take longer than most models take to load.
    """
    if "skops.io" in sys.modules or "torch" in sys.modules:
        return require("skops.io")
    finder = _NoTorch()
    sys.meta_path.insert(0, finder)  # None in sys.modules is a module to those who look there
    try:
        return require("skops.io")
    finally:
        sys.meta_path.remove(finder)


class _NoTorch:
    """Lets an import of torch fail as if it were missing."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name=name)


def dump_objects(value: Any) -> bytes:
    """Return a value as a skops file, or refuse one that holds what is not on our list."""
    try:
        members = read_archive(_require_skops().dumps(value), 2**32)
    except RecursionError:
        raise Refused("takes models that do not hold themselves, got one that does") from None
    except Exception as error:  # of objects that have no state to be kept
        raise Refused(f"takes no other types than those it lists, got one of {error}") from None
    schema = json.loads(members[_SCHEMA])
    _check_protocol(schema)
    ids: dict[int, int] = {}
    files: dict[str, str] = {}
    _renumber(schema, ids, files)
    check_schema(schema)
    arrays = {files[name]: data for name, data in members.items() if name in files}
    ordered = {name: arrays[name] for name in files.values()}
    text = json.dumps(schema, separators=(",", ":")).encode()
    return write_archive({_SCHEMA: text, **ordered}, ZIP_STORED)


def _renumber(node: Any, ids: dict[int, int], files: dict[str, str]) -> None:
    """Count objects and arrays in the order of the schema, not by where they lie in memory."""
    if isinstance(node, list):
        for item in node:
            _renumber(item, ids, files)
    elif isinstance(node, dict):
        own = node.pop("__id__", None)
        if node.get("__loader__") == "NdArrayNode" and node.get("type") == "numpy":
            node["__id__"] = ids.setdefault(own, len(ids) + 1)
            node["file"] = files.setdefault(node["file"], f"{len(files)}.npy")
        for item in node.values():
            _renumber(item, ids, files)


def load_objects(data: bytes, max_bytes: int) -> Any:
    """Return the value of a skops file, once nothing in it can do harm."""
    members = read_archive(data, max_bytes)
    if _SCHEMA not in members:
        raise Refused(f"must hold {_SCHEMA}, got a model without")
    schema = json.loads(members[_SCHEMA])
    _check_protocol(schema)
    total, seen = 0, set()
    for node in check_schema(schema):
        if node["__loader__"] != "NdArrayNode" or node["type"] != "numpy":
            continue
        if node["file"] not in members:
            raise Refused("must have the arrays of its schema, got one without a member")
        seen.add(node["file"])
        total += len(members[node["file"]])
        if total > max_bytes:
            raise Refused(f"must hold at most {max_bytes} bytes, got arrays of more")
    for name in sorted(members.keys() - {_SCHEMA}):
        if name not in seen:
            raise Refused(f"must have the members of its schema, got {name!r} besides")
        _check_array(members[name])
    return _require_skops().loads(data, trusted=[*TRUSTED, "numpy.dtype"])


def _check_protocol(schema: Any) -> None:
    found = schema.get("protocol") if isinstance(schema, dict) else None
    if found not in _PROTOCOLS:
        raise Refused(
            f"must be of skops protocol {_PROTOCOLS[-1]}, got {found!r}. Install a skops that "
            "writes it"
        )


def _check_array(data: bytes) -> None:
    """Refuse an array of objects, or of another size than its bytes."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise Refused("must have arrays as NumPy writes them")
    read = np.lib.format.read_array_header_1_0
    if version == (2, 0):
        read = np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    if dtype.hasobject or dtype.kind not in _KINDS:
        raise Refused("must have arrays of numbers and text, got objects")
    size = dtype.itemsize * math.prod(shape)
    if dtype.itemsize == 0 or min(shape, default=0) < 0 or size != len(data) - file.tell():
        raise Refused("must have arrays as they were saved, got one of another size")
