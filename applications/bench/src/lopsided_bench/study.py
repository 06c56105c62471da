"""A study: everything that a published table depends on, read from a TOML file."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._check import check_choice
from lopsided.exceptions import MissingExtraError
from lopsided.labeling import SAR, SCAR, Mechanism
from lopsided.methods.registry import build, get_method
from lopsided_bench.adbench import ADBenchProtocol, LabeledShare
from lopsided_bench.datasets import describe, list_datasets, list_entries
from lopsided_bench.protocols import Protocol, StratifiedProtocol
from lopsided_bench.study_file import find_study, name_of_study, read_toml, shorten
from lopsided_bench.study_values import (
    read_count,
    read_entry,
    read_list,
    read_number,
    read_share,
    read_text,
)

__all__ = ["MethodSpec", "Setting", "Study", "read_study"]

OURS = StratifiedProtocol()
PROTOCOLS: dict[str, Protocol] = {one.name: one for one in (OURS, ADBenchProtocol())}
MECHANISMS = OURS.mechanisms
METRICS = ("average_precision", "roc_auc", "r_precision")
MAX_PRIOR = 0.95  # that a method is given, whatever the factor
_MAX_TIMEOUT, _MIN_TIMEOUT = 1e7, 1e-3  # seconds that an alarm can be set to


class Setting(NamedTuple):
    """How labels are hidden: the name of a mechanism and the share of positives it hides.

    Attributes
    ----------
    mechanism : {"scar", "sar-near", "sar-far", "adbench"}
        How labels are hidden.
    hidden : float
        The share of the positives that it hides.

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
    """A method of a study: an entry of the registry with settings, under a label of its own.

    Parameters
    ----------
    label : str
        What the tables call it.
    name : str
        Its name in the registry.
    params : mapping
        Settings other than the registry's.
    repeats : int or None, default=None
        How many of the study's repeats it is run on; None is all.
    seed_from : str or None, default=None
        The label whose seeds it shares, and so parts of its fits.

    Examples
    --------
    >>> spec = MethodSpec("nnPU, deeper", "nnpu-xgb", {"max_depth": 8})
    >>> spec.label, spec.params["max_depth"]
    ('nnPU, deeper', 8)
    """

    label: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    repeats: int | None = None  # of the study's, if fewer
    seed_from: str | None = None  # the label whose seeds it shares, and so parts of its fits


@dataclass(frozen=True)
class Study:
    """The protocol of an experiment.

    Parameters
    ----------
    name : str
        Its short name, that of the file.
    title : str
        What it shows, in one line.
    datasets : tuple of str
        The tables, or ("paper",) and the like for a group of the catalog.
    settings : tuple of Setting
        How labels are hidden.
    methods : tuple of MethodSpec
        What is compared.
    metrics : tuple of str
        What is measured on the test rows: average_precision, roc_auc or r_precision.
    repeats, first : int
        How many splits, and the number of the first.
    test_share : float
        Share of the rows that are tested on, stratified by the truth.
    seed : int
        Where every split, draw and fit gets its seed from.
    prior_factors : tuple of float
        What the true training prior is multiplied by before it is given to a method.
    timeout : float
        Seconds after which a fit is given up.
    protocol : Protocol
        How rows are split and labeled: ours, or ADBench's, whose repeats are its seeds. In a
        study file: its name, stratified or adbench.
    published : Path, optional
        A csv file of published numbers to lay the results beside, with the columns dataset,
        mechanism, hidden, method, metric and value. In a study file: its path from there.

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


def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file, or say what is wrong with it.

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
    if not name_of_study(file).strip("."):
        raise ValueError(f"A study needs a name, got {file}. Rename the file.")
    try:
        content = read_toml(file)
        for key in content:
            check_choice(key, _READERS, "entry")
        for key in ("title", "datasets", "mechanisms", "methods"):
            if key not in content:
                raise ValueError(f"A study needs {key}. Write it at the top of the file.")
        values = {
            name: read(content[name], name)
            for name, read in _READERS.items()
            if name in content
        }
        if "published" in values:
            values["published"] = _find_beside(file, values["published"])
        study = Study(name=name_of_study(file), settings=values.pop("mechanisms"), **values)
        _check_numbers(study)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file}: {error}") from error
    return study


def _find_beside(file: Path, name: str) -> Path:
    """Return a file by its path from the study's; it is copied to the results with that."""
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(
            f"published must be a path from the folder of the study, got {shorten(name)}."
        )
    if not (file.parent / path).is_file():
        raise ValueError(f"published must be a csv file, and none is at {file.parent / path}.")
    return file.parent / path


def _check_numbers(study: Study) -> None:
    """Refuse numbers that no trial could be run with."""
    if 1.0 not in study.prior_factors:
        raise ValueError(
            "prior_factors must hold 1, which tables and tests use, got "
            f"{shorten(list(study.prior_factors))}."
        )
    for setting in study.settings:
        check_choice(
            setting.mechanism,
            study.protocol.mechanisms,
            f"mechanism of the protocol {study.protocol.name}",
        )
    study.protocol.check(study)
    if not _MIN_TIMEOUT <= study.timeout <= _MAX_TIMEOUT:
        raise ValueError(
            f"timeout must be a number from {_MIN_TIMEOUT:g} to {_MAX_TIMEOUT:g} seconds, got "
            f"{study.timeout:g}."
        )


def _metrics(value: Any, name: str) -> tuple[str, ...]:
    given = [read_text(metric, "A metric") for metric in read_list(value, name)]
    return tuple(dict.fromkeys(check_choice(metric, METRICS, "metric") for metric in given))


def _numbers(value: Any, name: str) -> tuple[float, ...]:
    return tuple(dict.fromkeys(read_number(one, name) for one in read_list(value, name)))


def _datasets(value: Any, name: str) -> tuple[str, ...]:
    groups = {entry.group for entry in list_entries()}
    found: list[str] = []
    for word in read_list(value, name):
        group = read_text(word, "A data set") in groups
        found += list_datasets(word) if group else [describe(word).name]
    return tuple(dict.fromkeys(found))


def _settings(value: Any, name: str) -> tuple[Setting, ...]:
    shares = {kind: list(one.hidden) for one in PROTOCOLS.values() for kind in one.mechanisms}
    found: list[Setting] = []
    for given in read_list(value, name):
        one = read_entry(given, "kind", "A mechanism", ("kind", "hidden"))
        kind = check_choice(read_text(one["kind"], "A mechanism"), shares, "mechanism")
        hidden = read_list(one.get("hidden", shares[kind]), "hidden")
        found += [Setting(kind, read_share(share, "hidden")) for share in hidden]
    return tuple(dict.fromkeys(found))


def _protocol(value: Any, name: str) -> Protocol:
    return PROTOCOLS[check_choice(read_text(value, name), PROTOCOLS, name)]


def _methods(value: Any, name: str) -> tuple[MethodSpec, ...]:
    found: dict[str, MethodSpec] = {}
    for given in read_list(value, name):
        one = read_entry(given, "name", "A method", MethodSpec.__dataclass_fields__)
        method = read_text(one["name"], "name")
        label = read_text(one.get("label", method), "label")
        if "," in label:  # the command line takes several labels with commas between them
            raise ValueError(f"A label must not hold a comma, got {label!r}.")
        if label in found:
            raise ValueError(f"Labels must be unique, got {label} twice. Add a label.")
        if "repeats" in one:
            read_count(one["repeats"], f"repeats of {label}")
        if "seed_from" in one:
            check_choice(read_text(one["seed_from"], "seed_from"), found, "method before it")
        _check_params(method, one.get("params", {}))
        found[label] = MethodSpec(**{**one, "label": label})
    return tuple(found.values())


def _check_params(name: str, params: Any) -> None:
    """Refuse settings that a method does not take or that the study decides itself."""
    get_method(name)
    if not isinstance(params, dict):
        raise ValueError(
            f"params of {name} must be a table of settings, got {shorten(params)}."
        )
    for word, value in params.items():
        if word in ("prior", "random_state", "n_jobs"):
            hint = " Use prior_factors." if word == "prior" else ""
            raise ValueError(f"{word} of {name} is set by the study itself.{hint}")
        if word in ("risk", "loss", "clamp", "sampling") or isinstance(value, dict):
            raise ValueError(
                f"{word} of {name} must be a number, a text, true, false or a list of these, "
                f"got {shorten(value)}. Set parts of a risk by their names, as in gamma = 1."
            )
    if params:
        with suppress(MissingExtraError):  # what is missing is said when it is fitted
            build(name, **params)


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "title": read_text,
    "datasets": _datasets,
    "mechanisms": _settings,
    "methods": _methods,
    "metrics": _metrics,
    "repeats": read_count,
    "first": partial(read_count, least=0),
    "test_share": read_number,
    "seed": partial(read_count, least=0, most=2**63 - 1),
    "prior_factors": _numbers,
    "timeout": read_number,
    "protocol": _protocol,
    "published": read_text,
}
