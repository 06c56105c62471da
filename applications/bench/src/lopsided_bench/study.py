"""A study: everything that a published table depends on, read from a TOML file."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lopsided import build
from lopsided.exceptions import MissingExtraError
from lopsided.labeling import SAR, SCAR, Mechanism
from lopsided.methods.registry import get_method
from lopsided_bench.adbench import ADBenchProtocol, LabeledShare
from lopsided_bench.datasets import describe, list_datasets, list_entries
from lopsided_bench.names import check_choice
from lopsided_bench.protocols import Protocol, StratifiedProtocol

__all__ = ["MethodSpec", "Setting", "Study", "find_study", "list_studies", "read_study"]

OURS = StratifiedProtocol()
PROTOCOLS: dict[str, Protocol] = {one.name: one for one in (OURS, ADBenchProtocol())}
MECHANISMS = OURS.mechanisms
METRICS = ("average_precision", "roc_auc", "r_precision")
MAX_PRIOR = 0.95  # the largest prior that a method is given, whatever the factor
_NAMED = Path(__file__).with_name("studies")  # these come with the package


class Setting(NamedTuple):
    """How labels are hidden: a mechanism and the share of positives that it hides.

    Attributes
    ----------
    mechanism : {"scar", "sar-near", "sar-far", "adbench"}
        How labels are hidden.
    hidden : float
        The share of the positives that are hidden.

    Examples
    --------
    >>> Setting("scar", 0.75).build()
    SCAR(hidden=0.75)
    """

    mechanism: str
    hidden: float

    def build(self) -> Mechanism:
        """Return the mechanism."""
        if self.mechanism == "scar":
            return SCAR(self.hidden)
        if self.mechanism == "adbench":
            return LabeledShare(self.hidden)
        return SAR(self.hidden, toward="far" if self.mechanism == "sar-far" else "near")


ORACLE = Setting("none", 0.0)  # of methods that are fitted on the truth, once for each split


@dataclass(frozen=True)
class MethodSpec:
    """A method of a study: an entry of the registry with settings and a label.

    Parameters
    ----------
    label : str
        Name in the tables.
    name : str
        Name in the registry.
    params : mapping
        Settings that differ from the registry's.
    repeats : int or None, default=None
        Number of the study's repeats that it is run on; None is all.
    seed_from : str or None, default=None
        The label of the method whose seeds it shares, and so parts of its fits.

    Examples
    --------
    >>> spec = MethodSpec("nnPU, deeper", "nnpu-xgb", {"max_depth": 8})
    >>> spec.label, spec.params["max_depth"]
    ('nnPU, deeper', 8)
    """

    label: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    seed_from: str | None = None


@dataclass(frozen=True)
class Study:
    """The protocol of an experiment.

    Parameters
    ----------
    name : str
        Short name; the file's name without its ending.
    title : str
        What the study shows, in one line.
    datasets : tuple of str
        Names of data sets.
    settings : tuple of Setting
        How labels are hidden.
    methods : tuple of MethodSpec
        The methods to compare.
    metrics : tuple of str
        Metrics of the test rows: average_precision, roc_auc or r_precision.
    repeats, first : int
        Number of splits, and the number of the first one.
    test_share : float
        Share of the rows in the test set, stratified by the truth.
    seed : int
        Seed from which the seeds of all splits, draws and fits are derived.
    prior_factors : tuple of float
        Factors of the true training prior; each method that takes a prior gets each product.
    timeout : float
        Seconds after which a fit is given up.
    protocol : Protocol
        How rows are split and labeled: ours, or ADBench's, whose repeats are its seeds. In a
        study file: its name, stratified or adbench.
    published : Path, optional
        A csv file of published numbers to compare with, see `read_published`. In a study file:
        its path relative to that file.

    Examples
    --------
    >>> study = Study(
    ...     name="mine",
    ...     title="Two methods on a bundled table",
    ...     datasets=("wine-rare",),
    ...     settings=(Setting("scar", 0.5),),
    ...     methods=(MethodSpec("naive-logistic", "naive-logistic"),),
    ...     repeats=2,
    ... )
    >>> study.settings[0].hidden
    0.5
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    settings: tuple[Setting, ...]
    methods: tuple[MethodSpec, ...]
    metrics: tuple[str, ...] = ("average_precision", "roc_auc")
    repeats: int = 20
    first: int = 0
    test_share: float = 0.3
    seed: int = 0
    prior_factors: tuple[float, ...] = (1.0,)
    timeout: float = 600.0
    protocol: Protocol = OURS
    published: Path | None = None


def list_studies() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(file.stem for file in _NAMED.glob("*.toml"))


def find_study(study: str | Path) -> Path:
    """Return the file of a study, given its path or the name of one in the package."""
    for file in (Path(study), _NAMED / f"{study}.toml"):
        if file.is_file():
            return file
    raise FileNotFoundError(
        f"No study is at {study}. Name a .toml file, or {' or '.join(list_studies())}."
    )


def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file.

    Parameters
    ----------
    path : path
        The file, or the name of a study that comes with the package; see `studies/` for more.

    Returns
    -------
    Study

    Examples
    --------
    >>> study = read_study("smoke")
    >>> study.datasets
    ('digits-8', 'breast-cancer-rare', 'diabetes-top', 'wine-rare')
    >>> [method.label for method in study.methods][:2]
    ['naive-xgb', 'naive-forest']
    """
    file = find_study(path)
    try:
        return _make_study(file, tomllib.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file}: {error}") from error


# The entries of a file with the types that TOML may give for each.
_TYPES: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "datasets": (str, list),
    "mechanisms": (str, list),
    "methods": (str, list),
    "metrics": (str, list),
    "repeats": (int,),
    "first": (int,),
    "test_share": (int, float),
    "seed": (int,),
    "prior_factors": (list,),
    "timeout": (int, float),
    "protocol": (str,),
    "published": (str,),
}


def _check_types(content: dict[str, Any]) -> None:
    for key, value in content.items():
        if not isinstance(value, _TYPES[check_choice(key, _TYPES, "entry")]):
            kinds = " or ".join(kind.__name__ for kind in _TYPES[key])
            raise ValueError(f"{key} must be {kinds}, got {value!r}.")
    for key in ("title", "datasets", "mechanisms", "methods"):
        if not content.get(key):
            raise ValueError(f"A study needs {key}. Write it at the top of the file.")


def _make_study(file: Path, content: dict[str, Any]) -> Study:
    _check_types(content)
    values = dict(content)
    values["datasets"] = _read_datasets(content["datasets"])
    values["settings"] = _read_settings(values.pop("mechanisms"))
    values["methods"] = _read_methods(content["methods"])
    if "metrics" in content:
        words = _as_list(content["metrics"])
        values["metrics"] = _unique(check_choice(word, METRICS, "metric") for word in words)
    if "prior_factors" in content:
        values["prior_factors"] = _unique(map(float, content["prior_factors"]))
    for key in ("test_share", "timeout"):
        if key in content:
            values[key] = float(content[key])  # a whole number would give trials another key
    if "protocol" in content:
        values["protocol"] = PROTOCOLS[check_choice(content["protocol"], PROTOCOLS, "protocol")]
    if "published" in content:
        values["published"] = file.parent / content["published"]
        if not values["published"].is_file():
            raise ValueError(f"published must be a csv file, got {values['published']}.")
    study = Study(name=file.stem, **values)
    _check_numbers(study)
    return study


def _check_numbers(study: Study) -> None:
    """Refuse numbers that no trial could be run with."""
    least = {"repeats": 1, "first": 0, "seed": 0, "timeout": 0.001}
    for name, bound in least.items():
        if not getattr(study, name) >= bound:
            raise ValueError(f"{name} must be at least {bound}, got {getattr(study, name)}.")
    if 1.0 not in study.prior_factors or not all(f > 0 for f in study.prior_factors):
        raise ValueError(
            "prior_factors must be above 0 and contain 1, which tables and tests use, got "
            f"{list(study.prior_factors)}."
        )
    kinds, protocol = study.protocol.mechanisms, study.protocol.name
    for setting in study.settings:
        check_choice(setting.mechanism, kinds, f"mechanism of the protocol {protocol}")
    study.protocol.check(study)


def _read_datasets(given: Any) -> tuple[str, ...]:
    groups = {entry.group for entry in list_entries()}
    found: list[str] = []
    for word in _as_list(given):
        found += list_datasets(word) if word in groups else [describe(word).name]
    return _unique(found)


def _read_settings(given: Any) -> tuple[Setting, ...]:
    shares = {kind: one.hidden for one in PROTOCOLS.values() for kind in one.mechanisms}
    found: list[Setting] = []
    for one in _as_tables(given, "kind", "mechanism", ("kind", "hidden")):
        kind = check_choice(one["kind"], shares, "mechanism")
        for hidden in one.get("hidden", shares[kind]):
            if not 0 <= hidden < 1:
                raise ValueError(f"hidden must be from 0 to below 1, got {hidden}.")
            found.append(Setting(kind, float(hidden)))
    return _unique(found)


def _read_methods(given: Any) -> tuple[MethodSpec, ...]:
    found: dict[str, MethodSpec] = {}
    for one in _as_tables(given, "name", "method", MethodSpec.__dataclass_fields__):
        method = MethodSpec(**{"label": one["name"], **one})
        if "," in method.label:  # the command line takes several labels with commas between
            raise ValueError(f"A label must not contain a comma, got {method.label!r}.")
        if method.label in found:
            raise ValueError(f"Labels must be unique, got {method.label} twice. Add a label.")
        if method.seed_from is not None:
            check_choice(method.seed_from, found, "method before it")
        _check_params(method)
        found[method.label] = method
    return tuple(found.values())


def _check_params(method: MethodSpec) -> None:
    """Refuse settings that a method does not take or that the study decides itself."""
    get_method(method.name)
    for word in ("prior", "random_state", "n_jobs"):
        if word in method.params:
            hint = " Use prior_factors." if word == "prior" else ""
            raise ValueError(f"{word} of {method.name} is set by the study itself.{hint}")
    if method.params:
        with suppress(MissingExtraError):  # reported when the method is fitted
            build(method.name, **method.params)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _as_tables(given: Any, first: str, what: str, known: Any) -> list[dict[str, Any]]:
    """Return entries as tables with the key `first`; a word alone is the value of that key."""
    found = [{first: one} if isinstance(one, str) else one for one in _as_list(given)]
    for one in found:
        for key in one:
            check_choice(key, known, f"entry of a {what}")
        if first not in one:
            raise ValueError(f"A {what} needs {first}, got {one}.")
    return found


def _unique(values: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))
