"""A study: everything that a published table depends on, read from a TOML file."""

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._check import check_choice, check_count, check_share
from lopsided.labeling import SAR, SCAR, Mechanism

__all__ = ["MECHANISMS", "METRICS", "Compared", "Setting", "Study", "read_study"]

MECHANISMS = ("scar", "sar-near", "sar-far")
METRICS = ("average_precision", "roc_auc", "r_precision")
_SHARES = (0.75, 0.5, 0.25)


class Setting(NamedTuple):
    """How labels are hidden: the name of a mechanism and the share of positives it hides."""

    mechanism: str
    hidden: float

    def build(self) -> Mechanism:
        """Return the mechanism."""
        if self.mechanism == "scar":
            return SCAR(self.hidden)
        toward = self.mechanism.removeprefix("sar-")
        return SAR(self.hidden, toward="far" if toward == "far" else "near")


@dataclass(frozen=True)
class Compared:
    """A method of a study: an entry of the registry with settings, under a label of its own."""

    label: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    repeats: int | None = None  # of the study's, if fewer
    like: str | None = None  # the label whose seeds it shares, so that parts can be shared too

    def __hash__(self) -> int:
        return hash((self.label, self.name, repr(sorted(self.params.items()))))


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
    methods : tuple of Compared
        What is compared.
    metrics : tuple of str
        What is measured on the test rows, of `METRICS`.
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
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    settings: tuple[Setting, ...]
    methods: tuple[Compared, ...]
    metrics: tuple[str, ...] = ("average_precision", "roc_auc")
    repeats: int = 20
    first: int = 0
    test_share: float = 0.3
    seed: int = 0
    prior_factors: tuple[float, ...] = (1.0,)
    timeout: float = 600.0


def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file, or say what is wrong with it.

    Parameters
    ----------
    path : path
        The file; see `studies/` for examples.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"No study is at {file}. Name a .toml file, as in studies/.")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} must be TOML, and is not: {error}.") from error
    try:
        return _study(file.stem, content)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{file}: {error.args[0] if error.args else error}") from error


def _study(name: str, content: dict[str, Any]) -> Study:
    known = (*Study.__dataclass_fields__, "mechanisms")
    for key in content:
        check_choice(key, [word for word in known if word not in ("name", "settings")], "entry")
    for key in ("title", "datasets", "mechanisms", "methods"):
        if key not in content:
            raise ValueError(f"A study needs {key}. Write it at the top of the file.")
    study = Study(
        name=name,
        title=_text(content["title"], "title"),
        datasets=_datasets(_several(content["datasets"], "datasets")),
        settings=_settings(_several(content["mechanisms"], "mechanisms")),
        methods=_methods(_several(content["methods"], "methods")),
        metrics=tuple(
            check_choice(metric, METRICS, "metric")
            for metric in dict.fromkeys(
                _several(content.get("metrics", list(Study.metrics)), "metrics")
            )
        ),
        repeats=check_count(content.get("repeats", Study.repeats), "repeats"),
        first=check_count(content.get("first", Study.first), "first", least=0),
        test_share=_number(content.get("test_share", Study.test_share), "test_share"),
        seed=check_count(content.get("seed", Study.seed), "seed", least=0),
        prior_factors=tuple(
            _number(factor, "prior_factors")
            for factor in _several(
                content.get("prior_factors", list(Study.prior_factors)), "prior_factors"
            )
        ),
        timeout=_number(content.get("timeout", Study.timeout), "timeout"),
    )
    if 1.0 not in study.prior_factors:
        raise ValueError(
            f"prior_factors must hold 1, which tables and tests use, got {study.prior_factors}."
        )
    if not 0 < study.test_share < 1:
        raise ValueError(f"test_share must lie between 0 and 1, got {study.test_share}.")
    return study


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text, got {value!r}.")
    return value


def _number(value: Any, name: str) -> float:
    """Return a number above 0."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not known or not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a number above 0, got {value!r}.")
    return float(value)


def _several(value: Any, name: str) -> list[Any]:
    """Return a list that is not empty; one word alone is a list of it."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} must be a list that is not empty, got {value!r}.")
    return value


def _datasets(names: Iterable[Any]) -> tuple[str, ...]:
    from lopsided.datasets import describe, list_datasets

    found: list[str] = []
    for name in names:
        group = _text(name, "A data set") in ("paper", "bundled")
        found += list_datasets(name) if group else [describe(name).name]
    return tuple(dict.fromkeys(found))


def _settings(mechanisms: Iterable[Any]) -> tuple[Setting, ...]:
    found: list[Setting] = []
    for given in mechanisms:
        one = _entry(given, "kind", "A mechanism", ("kind", "hidden"))
        kind = check_choice(one["kind"], MECHANISMS, "mechanism")
        shares = _several(one.get("hidden", list(_SHARES)), "hidden")
        found += [Setting(kind, check_share(_number(s, "hidden"), "hidden")) for s in shares]
    return tuple(dict.fromkeys(found))


def _methods(methods: Iterable[Any]) -> tuple[Compared, ...]:
    found: list[Compared] = []
    for given in methods:
        one = _entry(given, "name", "A method", ("label", "name", "params", "repeats", "like"))
        name, repeats = _text(one["name"], "name"), one.get("repeats")
        label = _text(one.get("label", name), "label")
        if "," in label:  # the command line takes several labels with commas between them
            raise ValueError(f"A label must not hold a comma, got {label!r}.")
        if repeats is not None:
            check_count(repeats, f"repeats of {label}")
        params, like = _params(name, one.get("params", {})), one.get("like")
        if like is not None:
            check_choice(like, [method.label for method in found], "method before it")
        found.append(Compared(label, name, params, repeats, like))
    labels = [method.label for method in found]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ValueError(f"Labels must be unique, got {', '.join(twice)} twice. Add a label.")
    return tuple(found)


def _params(name: str, params: Any) -> dict[str, Any]:
    """Return settings that a method takes and that the study does not decide itself."""
    from lopsided._check import MissingExtraError
    from lopsided.methods.registry import build, get_method

    get_method(name)
    if not isinstance(params, dict):
        raise ValueError(f"params of {name} must be a table of settings, got {params!r}.")
    for word in ("prior", "random_state", "n_jobs"):
        if word in params:
            hint = " Use prior_factors." if word == "prior" else ""
            raise ValueError(f"{word} of {name} is set by the study itself.{hint}")
    if params:
        with suppress(MissingExtraError):  # what is missing is said when it is fitted
            build(name, **params)
    return params


def _entry(given: Any, first: str, what: str, known: Iterable[str]) -> dict[str, Any]:
    """Return an entry as a table, of which a lone word is the `first`."""
    one: dict[str, Any] = {first: given} if isinstance(given, str) else given
    if not isinstance(one, dict):
        raise ValueError(f"{what} must be a word or a table, got {given!r}.")
    for key in one:
        check_choice(key, known, f"entry of {what.lower()}")
    if first not in one:
        raise ValueError(f"{what} needs {first}, got {given}.")
    return dict(one)
