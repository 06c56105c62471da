"""Model files that are damaged or changed at random, and what becomes of them."""

import io
import json
import sys
import warnings
from functools import cache
from typing import Any, NamedTuple
from zipfile import ZIP_STORED

import numpy as np
import pandas as pd
from forging import MODEL, sign

import lopsided.store
from lopsided import build
from lopsided.store import load, save
from lopsided.store.container import read_archive, write_archive

MAX_BYTES = 2**26
DAMAGES = ("bits", "cut", "bytes", "members")  # checksums stay what they were
FORGERIES = ("manifest", "member", "schema", "array")  # checksums are made anew
_WORDS = ("os.system", "eval", "builtins", "..", "", "float64", "ObjectNode", "FunctionNode")
_VALUES: tuple[Any, ...] = (None, 0, -1, 2**63, 1e308, True, [], {}, *_WORDS)
_HARMFUL = ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class")


class Shelf:
    """An object of parts, with a frame."""

    def __init__(self, model: Any, rows: Any) -> None:
        self.model, self.rows = model, rows

    def to_parts(self) -> dict[str, Any]:
        return {"objects": {"model": self.model}, "frames": {"rows": self.rows}}

    @classmethod
    def from_parts(cls, parts: dict[str, Any]) -> "Shelf":
        return cls(parts["objects"]["model"], parts["frames"]["rows"])

    def decision_function(self, X: Any) -> Any:
        both = X if self.rows.empty else pd.concat([X, self.rows])
        return self.model.decision_function(both)


class Case(NamedTuple):
    """A file, what was done to it, and whether its checksums are right."""

    data: bytes
    model: str
    kind: str
    signed: bool


def make_table() -> tuple[Any, Any]:
    """Return a small frame with missing values and categories, and labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = (X["a"] > 0.8).astype(int).to_numpy()
    X["d"] = pd.Categorical(rng.choice(["u", "v", "w"], 60))
    X.loc[::7, "b"] = np.nan
    return X, y


@cache
def make_models(slow: bool = True) -> dict[str, Any]:
    """Return small models that between them hold every kind of part; one has many trees."""
    X, y = make_table()
    few = np.where(np.cumsum(y) <= 4, y, 0)
    small = {"width": 3, "n_rounds": 1, "n_warmup_steps": 1, "n_steps": 1}
    models = {
        "logistic": build("naive-logistic"),
        "forest": build("naive-forest", n_estimators=3),
        "booster": build("naive-xgb", n_estimators=3),
        "knn": build("focused", estimators=("knn", "logistic")),
        "net": build("lbe", **small),
        "outliers": build("focused", estimators=("outliers",)),
    }
    if not slow:
        del models["outliers"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model in models.items():
            labels = few if name == "outliers" else y
            model.set_params(random_state=0).fit(X, labels)
        return {**models, "frame": Shelf(models["logistic"], X)}


@cache
def make_files(folder: Any, slow: bool = True) -> dict[str, tuple[bytes, Any]]:
    """Return the file of each model, and its scores; objects of parts may be loaded."""
    lopsided.store.KINDS = {"estimator": None, "shelf": f"{Shelf.__module__}:Shelf"}
    X, _ = make_table()
    files = {}
    for name, model in make_models(slow).items():
        save(model, folder / "model.lop")
        files[name] = (folder / "model.lop").read_bytes(), model.decision_function(X)
    return files


def mutate(seed: int, files: dict[str, tuple[bytes, Any]]) -> Case:
    """Return the file of a case, the same for a seed."""
    rng = np.random.default_rng([3, seed])
    kinds = (*DAMAGES, *FORGERIES)
    kind = kinds[seed % len(kinds)]
    names = list(files)
    name = names[(seed // len(kinds)) % len(names)]
    data, _ = files[name]
    changed = globals()[f"_change_{kind}"](data, rng)
    return Case(changed, name, kind, kind in FORGERIES)


def _change_bits(data: bytes, rng: Any) -> bytes:
    changed = np.frombuffer(data, np.uint8).copy()
    places = rng.integers(len(data), size=rng.integers(1, 9))
    changed[places] ^= (1 << rng.integers(8, size=len(places))).astype(np.uint8)
    return changed.tobytes()


def _change_cut(data: bytes, rng: Any) -> bytes:
    start, end = sorted(rng.integers(len(data) + 1, size=2))
    return data[:start] if rng.random() < 0.5 else data[:start] + data[end:]


def _change_bytes(data: bytes, rng: Any) -> bytes:
    start, size = rng.integers(len(data)), int(2 ** rng.integers(1, 8))
    new = [rng.bytes(size), bytes(size), b"\xff" * size, data[:size]][rng.integers(4)]
    skipped = size if rng.random() < 0.5 else 0
    return data[:start] + new + data[start + skipped :]


def _change_members(data: bytes, rng: Any) -> bytes:
    members = read_archive(data, MAX_BYTES)
    one, other = rng.choice(list(members), 2, replace=False)
    way = rng.integers(4)
    if way == 0:
        members[one], members[other] = members[other], members[one]
    elif way == 1:
        del members[one]
    elif way == 2:
        members[f"{one}.copy"] = members[one]
    else:
        members[rng.choice(["../up", "/etc/x", "a\\b", "x" * 300])] = members.pop(one)
    return write_archive(members)


def _change_manifest(data: bytes, rng: Any) -> bytes:
    members = read_archive(data, MAX_BYTES)
    manifest = _edit(json.loads(members["manifest.json"]), rng)
    members["manifest.json"] = json.dumps(manifest).encode()
    if not isinstance(manifest, dict):
        return write_archive(members)
    return sign(members)


def _change_member(data: bytes, rng: Any) -> bytes:
    members = read_archive(data, MAX_BYTES)
    name = str(rng.choice([name for name in members if name != "manifest.json"]))
    ways = (_change_bits, _change_cut, _change_bytes)
    members[name] = ways[rng.integers(3)](members[name], rng)
    return sign(members)


def _change_schema(data: bytes, rng: Any) -> bytes:
    members = read_archive(data, MAX_BYTES)
    inner = read_archive(members[MODEL], MAX_BYTES)
    schema = json.loads(inner["schema.json"])
    if rng.random() < 0.5:
        _edit_content(schema, rng)
    else:
        for _ in range(rng.integers(1, 4)):
            schema = _edit(schema, rng)
    inner["schema.json"] = json.dumps(schema).encode()
    members[MODEL] = write_archive(inner, ZIP_STORED)
    return sign(members)


def _change_array(data: bytes, rng: Any) -> bytes:
    members = read_archive(data, MAX_BYTES)
    inner = read_archive(members[MODEL], MAX_BYTES)
    name = str(rng.choice([name for name in inner if name.endswith(".npy")]))
    array = np.load(io.BytesIO(inner[name]))
    if rng.random() < 0.3:
        inner[name] = _change_bits(inner[name], rng)
    else:
        values = _change_bits(array.tobytes() or b"\0", rng)[: array.nbytes]
        buffer = io.BytesIO()
        np.save(buffer, np.frombuffer(values, array.dtype).reshape(array.shape))
        inner[name] = buffer.getvalue()
    members[MODEL] = write_archive(inner, ZIP_STORED)
    return sign(members)


def _edit(root: Any, rng: Any) -> Any:
    """Return JSON with one value, anywhere in it, replaced, removed, doubled or moved."""
    places = [(None, None)]
    for holder, _ in places:
        inside = root if holder is None else holder
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            if isinstance(inside[key], (dict, list)):
                places.append((inside[key], None))
    holders = [root, *(holder for holder, _ in places[1:])]
    holder = holders[rng.integers(len(holders))]
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys:
        return root
    key = keys[rng.integers(len(keys))]
    way = rng.integers(4)
    if way == 0:
        del holder[key]
    elif way == 1:
        other = holders[rng.integers(len(holders))]
        holder[key] = json.loads(json.dumps(other))
    elif way == 2 and isinstance(holder[key], (int, float)):
        holder[key] = holder[key] * int(rng.choice([-1, 2, 1000])) + 1
    else:
        holder[key] = _VALUES[rng.integers(len(_VALUES))]
    return root


def _edit_content(schema: Any, rng: Any) -> None:
    """Let an object or a value of a schema be another, in a form that could be right."""
    nodes = [schema]
    for node in nodes:
        inside = node.values() if isinstance(node, dict) else node
        nodes.extend(item for item in inside if isinstance(item, (dict, list)))
    typed = [node for node in nodes if isinstance(node, dict) and "__loader__" in node]
    node = typed[rng.integers(len(typed))]
    alike = [one for one in typed if one["__loader__"] == node["__loader__"]]
    if node["__loader__"] == "JsonNode" and rng.random() < 0.5:
        node["content"] = json.dumps(_VALUES[rng.integers(len(_VALUES))])
    else:
        other = json.loads(json.dumps(alike[rng.integers(len(alike))]))
        node.clear()
        node.update(other)


def judge(case: Case, path: Any, wanted: Any) -> str:
    """Return what became of a file: a verdict, and why if it is a bad one."""
    path.write_bytes(case.data)
    X, _ = make_table()
    started = len(HARM)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = load(path, max_bytes=MAX_BYTES)
        except ValueError as error:
            verdict = _judge_message(str(error))
        except BaseException as error:
            verdict = f"traceback: {type(error).__name__}: {error}"
        else:
            verdict = _judge_scores(model, X, wanted, case.signed)
    if len(HARM) > started:
        return f"executed: {HARM[started]}"
    return verdict


def _judge_scores(model: Any, X: Any, wanted: Any, signed: bool) -> str:
    """Return whether a model that was loaded is the one that was saved."""
    try:
        same = np.array_equal(model.decision_function(X), wanted)
    except ValueError as error:  # it wants other columns
        return "another model" if signed else f"wrong: {error}"
    except BaseException as error:
        return f"traceback: {type(error).__name__}: {error}"
    return "equal scores" if same else "another model" if signed else "wrong: other scores"


def _judge_message(message: str) -> str:
    sentence = message.startswith("The model file ") and message.endswith(".")
    if not sentence or "\n" in message or len(message) > 500:
        return f"traceback: {message[:200]}"
    return "refused"


HARM: list[str] = []


def watch() -> None:
    """Note from now on whatever starts a program or builds something from a pickle."""

    def note(event: str, _: Any) -> None:
        if event in _HARMFUL:
            HARM.append(event)

    sys.addaudithook(note)
