"""The types that a model file may hold: one list, and the check of a file against it.

skops builds any estimator of scikit-learn, any ufunc of NumPy and SciPy and some types of
Python by itself, without asking. What a model of ours is made of is much less, so a file's
schema is read here first, and skops never sees one that names anything else.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lopsided._terminal import abbreviate
from lopsided.store.container import Refused

TRUSTED: tuple[str, ...] = (
    "lopsided.calibration.maps.AffineMap",
    "lopsided.calibration.maps.BetaMap",
    "lopsided.calibration.maps.IsotonicMap",
    "lopsided.calibration.classifier.PUCalibratedClassifier",
    "lopsided.losses.CalibratedFocalLoss",
    "lopsided.losses.FocalLoss",
    "lopsided.losses.LogisticLoss",
    "lopsided.losses.SigmoidLoss",
    "lopsided.methods._categories.LevelMap",
    "lopsided.methods._encoders.NumericEncoder",
    "lopsided.methods._encoders.OrdinalEncoder",
    "lopsided.methods._encoders.QuantileNormalizer",
    "lopsided.methods._encoders.Winsorizer",
    "lopsided.methods._kinds.KindModel",
    "lopsided.methods._local_outliers.LocalOutliers",
    "lopsided.methods._members.FittedMember",
    "lopsided.methods._neighbors.NeighborRatioClassifier",
    "lopsided.methods._normal_scores.NormalScores",
    "lopsided.methods._outliers.OutlierClassifier",
    "lopsided.methods.boosting.BoostedRiskClassifier",
    "lopsided.methods.elkan_noto.ElkanNotoClassifier",
    "lopsided.methods.focused.FocusedClassifier",
    "lopsided.methods.forest.PUForestClassifier",
    "lopsided.methods.lbe.LBEClassifier",
    "lopsided.methods.logistic.NaiveLogisticClassifier",
    "lopsided.methods.mlp.NeuralRiskClassifier",
    "lopsided.methods.multi_positive.MultiPositiveClassifier",
    "lopsided.methods.nnif.NNIFClassifier",
    "lopsided.methods.sar_em.SAREMClassifier",
    "lopsided.methods.spy.SpyClassifier",
    "lopsided.methods.tab_gmlp.TabGMLPClassifier",
    "lopsided.methods.weak_anomaly.DevNetClassifier",
    "lopsided.methods.weak_anomaly.PReNetClassifier",
    "lopsided.model_selection.splitters.PUGroupKFold",
    "lopsided.model_selection.splitters.PUStratifiedKFold",
    "lopsided.model_selection.splitters.PUTimeSplit",
    "lopsided.priors.auto.AutoPrior",
    "lopsided.priors.bbe.BBEPrior",
    "lopsided.priors.belief.Beta",
    "lopsided.priors.dedpul.DEDPULPrior",
    "lopsided.priors.elkan_noto.ElkanNotoPrior",
    "lopsided.priors.estimation.PriorEstimate",
    "lopsided.priors.km2.KM2Prior",
    "lopsided.priors.pulscar.PULSCARPrior",
    "lopsided.priors.tail_ratio.TailRatioPrior",
    "lopsided.priors.tice.TIcEPrior",
    "lopsided.priors.twice_labeled.TwiceLabeledPrior",
    "lopsided.risks.clamps.ClipAtZero",
    "lopsided.risks.clamps.GradientAscent",
    "lopsided.risks.pu.PURisk",
    "lopsided.risks.pu.SupervisedRisk",
    "lopsided.store.sklearn_trees.TreePart",
    "lopsided.store.sklearn_trees.TreesPart",
    "lopsided.store.stand_ins.ArraysPart",
    "lopsided.store.stand_ins.BoosterPart",
    "lopsided.store.stand_ins.DatePart",
    "lopsided.store.stand_ins.IntervalPart",
    "lopsided.store.stand_ins.NeighborsPart",
    "lopsided.store.stand_ins.NetPart",
    "lopsided.workflow.tables._booleans.BooleanReader",
    "lopsided.workflow.tables._categories.CategoryReader",
    "lopsided.workflow.tables._date_reader.DateReader",
    "lopsided.workflow.tables._date_reader.TimeReader",
    "lopsided.workflow.tables._numbers.NumberReader",
    "lopsided.workflow.tables._texts.TextReader",
    "lopsided.workflow.tables.cleaner.CleanedColumn",
    "lopsided.workflow.tables.cleaner.TableCleaner",
    "lopsided.trees.forest.Forest",
    "lopsided.trees.sampling.Bagging",
    "lopsided.trees.sampling.Bootstrap",
    "lopsided.trees.sampling.StratifiedBootstrap",
    "lopsided.trees.sampling.WholeTable",
    "sklearn.compose._column_transformer.ColumnTransformer",
    "sklearn.decomposition._truncated_svd.TruncatedSVD",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
    "sklearn.ensemble._iforest.IsolationForest",
    "sklearn.feature_extraction.text.TfidfTransformer",
    "sklearn.feature_extraction.text.TfidfVectorizer",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.QuantileTransformer",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder",
    "sklearn.preprocessing._encoders.OrdinalEncoder",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.tree._classes.ExtraTreeClassifier",
    "sklearn.tree._classes.ExtraTreeRegressor",
    "skrub._string_encoder.StringEncoder",
    "skrub._to_str.ToStr",
    "xgboost.sklearn.XGBClassifier",
)
"""Objects and named tuples. Each is there because a model of ours holds it."""

_NUMBERS = ("bool", "float32", "float64", "int32", "int64", "str_")
_SCALARS = {f"numpy.{name}" for name in _NUMBERS}
_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
# What each of skops's loaders may make. No loader of functions, methods or partials is here.
_LOADERS: Mapping[str, frozenset[str]] = {
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DictNode": frozenset({"builtins.dict"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "NdArrayNode": frozenset({"numpy.ndarray", *_SCALARS}),
    "ObjectNode": frozenset(TRUSTED),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "TupleNode": frozenset({"builtins.tuple", *TRUSTED}),
    "TypeNode": frozenset({"builtins.float", "builtins.int", "builtins.str", *_SCALARS}),
}
_MAX_DEPTH = 100
_MAX_NODES = 2_000_000


def find_untrusted(schema: Any) -> list[str]:
    """Return what a schema of skops names and no model file may hold."""
    found = set()
    for node in _nodes(schema):
        kind, loader = f"{node['__module__']}.{node['__class__']}", node["__loader__"]
        if kind not in _LOADERS.get(loader, ()):
            found.add(kind)
    return sorted(found)


def check_schema(schema: Any) -> list[dict[str, Any]]:
    """Return the nodes of a schema, or refuse one that a model of ours cannot have.

    The types are the whole of the defence: nothing that is on the list does more, when it is
    built, than to keep what it is given.
    """
    untrusted = find_untrusted(schema)
    if untrusted:
        more = f" and {len(untrusted) - 5} more" if len(untrusted) > 5 else ""
        shown = ", ".join(map(abbreviate, untrusted[:5]))
        raise Refused(f"takes no other types than those it lists, got {shown}{more}")
    nodes = list(_nodes(schema))
    for node in nodes:
        if node["__loader__"] == "RandomGeneratorNode":
            _check_generator(node)
        # Shared arrays are read once. Of anything else, one small file could make endless
        # work: nodes that hold the same node twice, which holds the same node twice.
        is_array = node["__loader__"] == "NdArrayNode" and node.get("type") == "numpy"
        if "__id__" in node and not is_array:
            raise Refused("must have a schema as it was saved, got shared objects")
    return nodes


def _check_generator(node: dict[str, Any]) -> None:
    """Refuse a generator that would be made by anything but a bit generator."""
    name = node["content"]["bit_generator"]["content"]["bit_generator"]["content"]
    if json.loads(name) not in _GENERATORS:
        raise Refused(f"takes random generators of NumPy, got {abbreviate(name)}")


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a schema, each once skops could reach it."""
    waiting, n_nodes = [(schema, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        n_nodes += 1
        if depth > _MAX_DEPTH or n_nodes > _MAX_NODES:
            raise Refused("must have a schema as it was saved, got one too deep or too long")
        names = ("__module__", "__class__", "__loader__")
        if not (isinstance(node, dict) and all(isinstance(node.get(n), str) for n in names)):
            raise Refused("must have a schema as it was saved, got parts without a type")
        yield node
        waiting.extend((child, depth + 1) for child in _children(node))


def _children(node: dict[str, Any]) -> Iterator[Any]:
    """Yield the nodes that skops makes of a node's content."""
    loader: str = node["__loader__"]
    content: Any = node.get("content")
    if loader == "DictNode":
        yield node["key_types"]
        yield from content.values()
    elif loader in ("ListNode", "TupleNode"):
        yield from content
    elif loader == "NdArrayNode" and node["type"] == "json":
        yield node["shape"]
        yield from content
    elif loader == "RandomGeneratorNode":
        yield content["bit_generator"]
        yield content["seed_seq"]
    elif loader in ("ObjectNode", "RandomStateNode", "DTypeNode") and content is not None:
        yield content
