"""What a model file cannot do: execute anything, take endless memory, fail in many words."""

import io
import json
import pickle
from zipfile import ZIP_BZIP2, ZipFile

import numpy as np
import pandas as pd
import pytest
import skops.io
from forging import forge, items, mapping, node, read, sign, text
from sklearn.preprocessing import FunctionTransformer

from lopsided import build
from lopsided.store import load, save
from lopsided.store.container import write_archive

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] > 1).astype(int)
LOGISTIC = build("naive-logistic").fit(X, Y)
FOREST = build("naive-forest", n_estimators=3, random_state=0).fit(X, Y)
BOOSTER = build("naive-xgb", n_estimators=3, random_state=0).fit(X, Y)


@pytest.fixture
def path(tmp_path):
    save(LOGISTIC, tmp_path / "model.lop")
    return tmp_path / "model.lop"


def refuse(path, match=None, **options):
    """Check that a file is refused with one sentence, or two, and return it."""
    with pytest.raises(ValueError, match=match) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    assert message.startswith("The model file ")
    assert message.endswith(".")
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


def estimator_of(schema):
    """Return the attributes of the estimator in a schema."""
    return schema["content"]["estimator"]["content"]["content"]


# --- damage ---


def test_every_cut_of_a_file_is_refused(path):
    whole = path.read_bytes()
    for size in [*range(0, 60), *range(60, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:size])
        refuse(path)


def test_bytes_before_and_after_a_file_are_refused(path):
    whole = path.read_bytes()
    for data in (b"x" + whole, whole + b"x", whole + whole):
        path.write_bytes(data)
        refuse(path)


def test_an_altered_member_is_refused_by_its_checksum(path):
    members = read(path)
    members["facts.json"] = b"[]"
    path.write_bytes(write_archive(members))
    refuse(path, "altered facts.json")


def test_members_must_be_those_of_the_manifest(path):
    members = read(path)
    path.write_bytes(write_archive({**members, "more.bin": b""}))
    refuse(path, "'more.bin' that is not in the manifest")
    path.write_bytes(write_archive({k: v for k, v in members.items() if k != "facts.json"}))
    refuse(path, "'facts.json' that is missing")


@pytest.mark.parametrize("name", ["../up", "/root", "a/../b", "a\\b", "C:x", ".hidden", "a//b"])
def test_names_that_lead_elsewhere_are_refused(name, path):
    path.write_bytes(sign({**read(path), name: b""}))
    refuse(path, "plain names")


def test_a_member_twice_is_refused(path):
    members = read(path)
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("facts.json", b"{}")
    path.write_bytes(buffer.getvalue())
    refuse(path, "'facts.json' twice")


def test_other_ways_to_pack_are_refused(path):
    path.write_bytes(write_archive(read(path), ZIP_BZIP2))
    refuse(path, "stored or deflated")


def test_other_files_are_named(path, tmp_path):
    path.write_bytes(b"")
    refuse(path, "empty file")
    path.write_bytes(pickle.dumps(LOGISTIC))
    refuse(path, "a pickle, which could execute code")
    path.write_bytes(b"a,b\n1,2\n")
    refuse(path, "another kind of file")
    path.write_bytes(skops.io.dumps(LOGISTIC))
    refuse(path, "another kind of archive")
    with ZipFile(path, "w") as workbook:
        workbook.writestr("xl/theme/theme1.xml", "")
    refuse(path, "must be written by lopsided fit or lopsided.save, got another kind of arch")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match="no model file"):
        load(tmp_path / "none.lop")


def test_another_format_names_the_lopsided_to_use(path):
    members = read(path)
    manifest = json.loads(members["manifest.json"])
    manifest |= {"format_version": 7, "versions": {"lopsided": "9.1"}}
    path.write_bytes(sign({**members, "manifest.json": json.dumps(manifest).encode()}))
    refuse(path, "got format '7'. Read it with lopsided '9.1'")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "os:system"},
        {"kind": None},
        {"kind": ["estimator"]},
        {"format": "zip"},
        {"frames": {"frames/0": "a"}},
        {"frames": 3},
        {"probe": 3},
        {"probe": {"estimator": ["x"] * 16}},
        {"members": None},
    ],
    ids=str,
)
def test_odd_manifests_are_refused(change, path):
    members = read(path)
    manifest = json.loads(members["manifest.json"]) | change
    data = json.dumps(manifest).encode()
    if "members" in change:
        path.write_bytes(write_archive({**members, "manifest.json": data}))
    else:
        path.write_bytes(sign({**members, "manifest.json": data}))
    refuse(path)


# --- size ---


def test_files_larger_than_allowed_are_refused(path):
    refuse(path, "at most 100 bytes, got more", max_bytes=100)
    refuse(path, "Raise max_bytes", max_bytes=len(path.read_bytes()))
    with pytest.raises(ValueError, match="max_bytes"):
        load(path, max_bytes=0)


def test_a_bomb_is_refused_by_what_it_declares(path):
    path.write_bytes(sign({**read(path), "bomb.bin": bytes(2**24)}))
    assert path.stat().st_size < 2**18
    refuse(path, "at most 1000000 bytes", max_bytes=10**6)


def test_a_bomb_that_lies_about_its_size_is_refused(path):
    whole = bytearray(write_archive({**read(path), "bomb.bin": bytes(2**24)}))
    while (place := whole.find((2**24).to_bytes(4, "little"))) >= 0:
        whole[place : place + 4] = (10).to_bytes(4, "little")
    path.write_bytes(whole)
    refuse(path)


def test_one_array_in_many_places_counts_each_time(path):
    def change(schema, members):
        own = estimator_of(schema)
        members["big.npy"] = npy(np.zeros(10_000))
        big = node("numpy.ndarray", "NdArrayNode", type="numpy", file="big.npy")
        own["encoder_"] = items("list", *([big] * 200))

    forge(path, change)
    refuse(path, "at most 1000000 bytes, got arrays of more", max_bytes=10**6)


def test_objects_that_hold_the_same_object_twice_take_no_endless_time(path):
    def change(schema, _):
        inner = items("list")
        for number in range(60):
            inner = items(
                "list", {**inner, "__id__": number + 1}, {**inner, "__id__": number + 1}
            )
            inner["content"][1] = {**items("list"), "__id__": number + 1}
        estimator_of(schema)["encoder_"] = inner

    forge(path, change)
    refuse(path, "shared objects")


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def header(shape, descr="<f8", rest=b""):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + rest


@pytest.mark.parametrize(
    "data",
    [
        npy(np.array([print], object)),
        header((2**40,)),
        header((2**62, 2**62)),
        header((-1,)),
        header((2,), rest=bytes(24)),
        header((10**12,), descr="<U0"),
        header("(" * 3000),
        header((1,), descr="|O", rest=pickle.dumps(1)),
        b"",
        b"PK\x03\x04",
        pickle.dumps(np.zeros(3)),
    ],
    ids=lambda data: repr(data[:40]),
)
def test_odd_arrays_are_refused(data, path):
    def change(_, members):
        members["0.npy"] = data

    forge(path, change)
    refuse(path)


# --- code ---


class Canary:
    """What a pickle would execute."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (open, (str(self.file), "w"))


def attacks(canary):
    """Yield schemas that make skops, or a pickle, write a file if they are followed."""
    command = f"open({str(canary)!r}, 'w')"
    shell = items("tuple", text(f"touch {canary}"))
    system = node("posix.system", "FunctionNode")
    yield node("os.system", "FunctionNode")
    yield node("os.system", "TypeNode")
    yield node("os.system", "ConstructorFromReduceNode", shell)
    yield node("builtins.eval", "ConstructorFromReduceNode", items("tuple", text(command)))
    yield node(
        "builtins.open",
        "ConstructorFromReduceNode",
        items("tuple", text(str(canary)), text("w")),
    )
    yield node(
        "subprocess.Popen",
        "ConstructorFromReduceNode",
        items("tuple", items("list", text("touch"), text(str(canary)))),
    )
    yield node("subprocess.Popen", "ObjectNode", mapping(args=text("x")))
    yield node(
        "functools.partial",
        "PartialNode",
        {"func": system, "args": shell, "kwds": mapping(), "namespace": text(None)},
    )
    yield node(
        "operator.methodcaller", "OperatorFuncNode", attrs=items("tuple", text("system"))
    )
    yield node(
        "sklearn.preprocessing._function_transformer.FunctionTransformer",
        "ObjectNode",
        mapping(func=system),
    )
    yield node(
        "builtins.dict",
        "DictNode",
        {command: text(1)},
        key_types=items("list", node("builtins.eval", "TypeNode")),
    )
    yield node("builtins.eval", "ListNode", [text(command)])
    yield node("builtins.eval", "TupleNode", [text(command)])
    yield node("builtins.eval", "SetNode", [text(command)])
    yield node("builtins.eval", "NdArrayNode", type="numpy", file="0.npy")
    yield node("sklearn.linear_model._logistic.eval", "ObjectNode", mapping())
    yield node("sklearn.neighbors._kd_tree.KDTree", "ObjectNode", items("tuple"))
    yield node(
        "sklearn.tree._tree.Tree", "TreeNode", mapping(), __reduce__={"args": items("tuple")}
    )
    yield node("xgboost.core.Booster", "ObjectNode", mapping())
    yield node(
        "numpy.random._generator.Generator",
        "RandomGeneratorNode",
        {
            "bit_generator": mapping(bit_generator=text("seed")),
            "seed_seq": mapping(entropy=text(1)),
        },
    )
    yield node(
        "lopsided.methods.logistic.NaiveLogisticClassifier",
        "MethodNode",
        {"func": "fit", "obj": text(1)},
    )
    yield {**node("builtins.str", "CachedNode"), "__id__": 1}
    yield node("joblib.memory.Memory", "ObjectNode", mapping(location=text(str(canary))))
    yield {"__class__": ["x"], "__module__": {}, "__loader__": None}
    yield text("a") | {"content": "not JSON"}
    yield text("a") | {"content": "[" * 100_000}
    yield node("builtins.str", "NoSuchNode")
    yield None


N_ATTACKS = len(list(attacks("x")))


@pytest.mark.parametrize("number", range(N_ATTACKS))
@pytest.mark.parametrize("place", ["estimator", "attribute", "key type"])
def test_nothing_that_a_schema_names_is_executed(number, place, path, tmp_path):
    canary = tmp_path / "canary"

    def change(schema, _):
        attack = list(attacks(canary))[number]
        if place == "estimator":
            schema["content"]["estimator"] = attack
        elif place == "attribute":
            estimator_of(schema)["encoder_"] = attack
        else:
            estimator = schema["content"]["estimator"]["content"]
            estimator["key_types"]["content"][0] = attack

    forge(path, change)
    message = refuse(path)
    assert not canary.exists()
    if number == 0:
        assert "os.system" in message


def test_a_pickle_in_place_of_any_member_is_not_read(path, tmp_path):
    canary = tmp_path / "canary"
    save(BOOSTER, path)
    members = read(path)
    for name in members:
        poisoned = {**members, name: pickle.dumps(Canary(canary))}
        path.write_bytes(write_archive(poisoned) if name == "manifest.json" else sign(poisoned))
        refuse(path)
    assert not canary.exists()


def test_a_schema_too_deep_is_refused(path):
    def change(schema, _):
        deep = text(1)
        for _ in range(400):
            deep = items("list", deep)
        estimator_of(schema)["encoder_"] = deep

    forge(path, change)
    refuse(path, "too deep or too long")


def test_a_function_in_a_pipeline_is_refused_when_it_is_saved(tmp_path):
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(FunctionTransformer(np.log1p), build("naive-logistic"))
    model.fit(abs(X), Y)
    with pytest.raises(ValueError, match=r"got numpy\..*log1p: this Pipeline cannot be saved"):
        save(model, tmp_path / "model.lop")


def test_a_file_cannot_ask_for_a_cache_or_endless_threads(path):
    save(build("focused", estimators=("logistic",)).fit(X, Y), path)
    whole = path.read_bytes()
    for name, value in {"memory": "/tmp/x", "n_jobs": 10**6}.items():
        path.write_bytes(whole)

        def change(schema, _, name=name, value=value):
            estimator_of(schema)[name] = text(value)

        forge(path, change)
        refuse(path, "cache" if name == "memory" else "n_jobs")


# --- indices that compiled code would follow ---


@pytest.mark.parametrize(
    ("field", "value"), [("left", 10**6), ("left", 0), ("left", -7), ("feature", 9)]
)
def test_a_forest_whose_nodes_lead_nowhere_is_refused(field, value, path):
    save(FOREST, path)

    def change(schema, members):
        forest = estimator_of(schema)["forest_"]["content"]["content"]
        name = forest["nodes"]["file"]
        nodes = np.load(io.BytesIO(members[name]))
        nodes[field][0] = value
        members[name] = npy(nodes)

    forge(path, change)
    refuse(path)


def test_a_forest_of_fewer_columns_than_its_rows_is_refused(path):
    save(FOREST, path)

    def change(schema, _):
        estimator_of(schema)["n_features_in_"] = text(2)

    forge(path, change)
    refuse(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("left_children", 10**6),
        ("left_children", 0),
        ("split_indices", 3),
        ("split_indices", -1),
        ("parents", 1),
    ],
)
def test_a_booster_whose_nodes_lead_nowhere_is_refused(field, value, path):
    from lopsided.store.ubjson import decode, encode

    save(BOOSTER, path)
    members = read(path)
    (name,) = (name for name in members if name.endswith(".ubj"))
    model = decode(members[name])
    tree = model["learner"]["gradient_booster"]["model"]["trees"][0]
    tree[field] = tree[field].copy()
    tree[field][0] = value
    members[name] = encode(model)
    path.write_bytes(sign(members))
    refuse(path, "trees as XGBoost writes them")


@pytest.mark.parametrize("n_features", [10**12, 0, -1, "x", 2])
def test_rows_are_made_up_for_no_more_columns_than_there_can_be(n_features, path):
    forge(path, lambda schema, _: estimator_of(schema).update(n_features_in_=text(n_features)))
    refuse(path, "must hold a model that scores, got one that cannot")


def test_a_category_of_more_codes_than_levels_is_refused(path):
    table = pd.DataFrame(X, columns=list("abc")).assign(d=pd.Categorical(["u", "v"] * 40))
    save(build("naive-logistic").fit(table, Y), path)

    def change(schema, _):
        levels = estimator_of(schema)["encoder_"]["content"]["content"]["levels"]
        levels["content"]["3"]["content"]["content"]["n_codes"] = text(10**12)

    forge(path, change)
    refuse(path, "no more codes than levels")


def test_a_net_of_other_shapes_is_refused(path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load as load_tensors
    from safetensors.torch import save as save_tensors

    save(build("lbe", width=4, n_rounds=1, n_warmup_steps=1, n_steps=1).fit(X, Y), path)
    members = read(path)
    name = next(name for name in members if name.endswith(".safetensors"))
    tensors = load_tensors(members[name])
    for key in tensors:
        for odd in (torch.zeros(7), torch.zeros(0, 2**40), tensors[key].int()):
            members[name] = save_tensors({**tensors, key: odd})
            path.write_bytes(sign(members))
            refuse(path)
    members[name] = b"\xff" * 64
    path.write_bytes(sign(members))
    refuse(path)


def test_a_model_that_cannot_score_is_refused(path):
    def change(schema, _):
        own = estimator_of(schema)
        own["other_"] = own.pop("encoder_")

    forge(path, change)
    refuse(path, "must hold a model that scores")


def test_a_model_that_scores_differently_is_refused(path):
    members = read(path)
    manifest = json.loads(members["manifest.json"])
    manifest["probe"]["estimator"][3] += 0.01
    path.write_bytes(sign({**members, "manifest.json": json.dumps(manifest).encode()}))
    refuse(path, "must score as it did when it was saved")


@pytest.mark.parametrize("model", [LOGISTIC, BOOSTER], ids=["logistic", "booster"])
def test_no_pickle_is_written_or_read(model, path, monkeypatch):
    def never(*_, **__):
        raise AssertionError("a pickle")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, never)
    save(model, path)
    np.testing.assert_array_equal(load(path).decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("model", [None, False, "logistic", np.float32(0.5), {"a": 1}])
def test_what_is_no_model_is_not_saved(model, tmp_path):
    with pytest.raises(ValueError, match="model must be an estimator or have parts"):
        save(model, tmp_path / "model.lop")
    assert not list(tmp_path.iterdir())
