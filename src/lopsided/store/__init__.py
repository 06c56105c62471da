"""Model files: one file for a fitted model, which cannot execute code when it is loaded."""

import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lopsided._files import atomic_write, check_readable
from lopsided._terminal import abbreviate, quote
from lopsided._validation import check_count
from lopsided.exceptions import MissingExtraError
from lopsided.store.container import Refused, pack, unpack, written_by
from lopsided.store.trusted import TRUSTED

__all__ = ["KINDS", "TRUSTED", "load", "save"]

KINDS: Mapping[str, str | None] = MappingProxyType(
    {"estimator": None, "table-model": "lopsided.workflow.model:TableModel"}
)
"""The kinds of models, each with the class that puts it together, imported when asked for."""

_MAX_BYTES = 2**31
_MODEL = "model.skops"
_FACTS = "facts.json"
_PACKAGES = ("lopsided", "numpy", "pandas", "scikit-learn", "skops", "xgboost")


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to one file, whole or not at all.

    The file is a zip archive: a manifest with versions and checksums, the estimators by skops,
    the trees of boosters in XGBoost's own format, the weights of nets as safetensors, data
    frames as parquet. Nothing in it is pickled. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator or object of parts
        A fitted method, `PUCalibratedClassifier`, `MultiPositiveClassifier`, or a scikit-learn
        `Pipeline` of common steps with one of them at its end; `TRUSTED` lists the types that a
        file may hold. Or an object that gives its parts: one of a class in `KINDS`, which has
        `to_parts()`, that returns a dict of "objects" (estimators and plain values by name),
        "frames" (data frames by name) and "facts" (a dict that JSON can hold), and a
        class method `from_parts(parts)`.
    path : str or path
        The file to write; `.lop` is the usual suffix.

    See Also
    --------
    load : reads the file.

    Notes
    -----
    A folder of caches (`memory`) is left out: it belongs to a machine.

    Examples
    --------
    >>> import lopsided, numpy as np, tempfile
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-logistic").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.lop")
    ...     loaded = load(f"{folder}/model.lop")
    >>> bool((loaded.decision_function(X) == model.decision_function(X)).all())
    True
    """
    if not hasattr(model, "to_parts") and not hasattr(model, "get_params"):
        raise ValueError(
            f"model must be an estimator or have parts (to_parts), got {quote(model)}. Pass a "
            "fitted model."
        )
    try:
        data = _dump(model)
    except Refused as error:
        raise ValueError(
            f"A model file {error}: this {type(model).__name__} cannot be saved."
        ) from None
    except RecursionError:
        raise ValueError(
            "A model file takes models that do not hold themselves, got one that does: this "
            f"{type(model).__name__} cannot be saved."
        ) from None
    with atomic_write(path) as draft:
        draft.write_bytes(data)


def load(path: str | os.PathLike[str], *, max_bytes: int = _MAX_BYTES) -> Any:
    """Return the model of a file that `save` wrote.

    Nothing in the file is executed, whoever wrote it: it can only name types of a fixed list,
    `TRUSTED`, and trees and nets are checked before compiled code reads them. A file that is
    damaged, altered, too large or of another format is refused with one sentence.

    A file can still hold a bad model: who it comes from says how far to trust its scores.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int, default=2**31
        The most that the file may hold, unpacked.

    Returns
    -------
    object
        The model, as it was saved.

    See Also
    --------
    save : writes the file.

    Examples
    --------
    >>> import lopsided, numpy as np, tempfile
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lopsided.save(lopsided.build("naive-logistic").fit(X, y), f"{folder}/model.lop")
    ...     model = load(f"{folder}/model.lop")
    >>> model.decision_function(X).argmax() in np.flatnonzero(y)
    True
    """
    check_count(max_bytes, "max_bytes")
    data = _read(Path(path), max_bytes)
    manifest: dict[str, Any] = {}
    try:
        manifest, members = unpack(data, max_bytes)
        return _build(manifest, members, max_bytes)
    except Refused as error:
        raise ValueError(f"The model file {abbreviate(path)} {error}.") from None
    except MissingExtraError:
        raise
    except Exception as error:  # whatever a library makes of bytes that it does not expect
        wrote = ", ".join(f"{name} {written_by(manifest, name)}" for name in _PACKAGES)
        what = "" if not manifest else f" It was written by {wrote}."
        raise ValueError(
            f"The model file {abbreviate(path)} must be as it was saved, got one that cannot "
            f"be read ({type(error).__name__}). Save the model again.{what}"
        ) from None


def _read(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file, if there are not too many."""
    check_readable(path, "model file", "Give the name of one that lopsided fit or save wrote.")
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(
            f"The model file {abbreviate(path)} must hold at most {max_bytes} bytes, got more. "
            "Raise max_bytes if you trust where it comes from."
        )
    return data


def _dump(model: Any) -> bytes:
    """Return a model as the bytes of a file."""
    from lopsided.store.frames import dump_frame
    from lopsided.store.probe import score_probe
    from lopsided.store.skops_file import dump_objects
    from lopsided.store.stand_ins import Parts

    kind, given = _take_apart(model)
    parts = Parts()
    objects = {name: parts.take_apart(value) for name, value in given["objects"].items()}
    members = {_MODEL: dump_objects(objects), _FACTS: _dump_facts(given["facts"])}
    members |= parts.members
    names = {}
    for place, (name, frame) in enumerate(given["frames"].items()):
        names[f"frames/{place}"] = name
        table, columns = dump_frame(frame, name)
        members |= {f"frames/{place}.parquet": table, f"frames/{place}.json": columns}
    uses_nets = any(name.startswith("nets/") for name in members)
    manifest = {
        "kind": kind,
        "versions": _list_versions(uses_nets),
        "frames": names,
        "probe": {name: score_probe(value) for name, value in given["objects"].items()},
    }
    return pack(manifest, members)


def _take_apart(model: Any) -> tuple[str, dict[str, Any]]:
    """Return the kind of a model, and its parts."""
    target = f"{type(model).__module__}:{type(model).__qualname__}"
    for kind, known in KINDS.items():
        if known == target:
            parts = model.to_parts()
            return kind, {"objects": {}, "frames": {}, "facts": {}, **parts}
    if hasattr(model, "to_parts"):
        raise Refused(f"takes the kinds {', '.join(KINDS)}, got {target}")
    return "estimator", {"objects": {"estimator": model}, "frames": {}, "facts": {}}


def _build(manifest: dict[str, Any], members: dict[str, bytes], max_bytes: int) -> Any:
    """Return the model of checked members."""
    from lopsided.store.frames import load_frame
    from lopsided.store.probe import check_probe
    from lopsided.store.skops_file import load_objects
    from lopsided.store.stand_ins import Parts

    kind = check_kind(manifest.get("kind"))
    folders = ("boosters/", "nets/")
    parts = Parts({name: own for name, own in members.items() if name.startswith(folders)})
    objects = parts.put_together(load_objects(members[_MODEL], max_bytes))
    if not isinstance(objects, dict):
        raise Refused("must hold its objects by name, got others")
    for name, scores in manifest["probe"].items():
        check_probe(objects[name], scores)
    frames = {
        name: load_frame(members[f"{place}.parquet"], members[f"{place}.json"], max_bytes)
        for place, name in manifest["frames"].items()
    }
    given = {"objects": objects, "frames": frames, "facts": json.loads(members[_FACTS])}
    target = KINDS[kind]
    if target is None:
        return objects["estimator"]
    module, _, name = target.partition(":")
    return getattr(import_module(module), name).from_parts(given)


def check_kind(kind: Any) -> str:
    """Return a kind that can be loaded, or refuse another."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused(f"must be of a kind in {', '.join(KINDS)}, got {abbreviate(kind)!r}")
    return kind


def _dump_facts(facts: Any) -> bytes:
    try:
        data = json.dumps(facts).encode()
    except (TypeError, ValueError) as error:
        raise Refused(f"takes facts that JSON can hold, got others ({error})") from None
    if json.loads(data) != facts:
        raise Refused("takes facts that JSON gives back as they are, got others")
    return data


def _list_versions(uses_nets: bool) -> dict[str, str]:
    names = (*_PACKAGES, "safetensors", "torch") if uses_nets else _PACKAGES
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a folder, not installed
            found[name] = str(getattr(import_module(name), "__version__", "?"))
    return found
