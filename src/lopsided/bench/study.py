"""A study: everything that a published table depends on, read from a TOML file."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._check import check_choice, check_share
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
        title=str(content["title"]),
        datasets=_datasets(content["datasets"]),
        settings=tuple(_settings(content["mechanisms"])),
        methods=_methods(content["methods"]),
        metrics=tuple(
            check_choice(metric, METRICS, "metric")
            for metric in content.get("metrics", Study.metrics)
        ),
        repeats=int(content.get("repeats", Study.repeats)),
        first=int(content.get("first", Study.first)),
        test_share=float(content.get("test_share", Study.test_share)),
        seed=int(content.get("seed", Study.seed)),
        prior_factors=tuple(map(float, content.get("prior_factors", Study.prior_factors))),
        timeout=float(content.get("timeout", Study.timeout)),
    )
    if study.repeats < 1 or study.timeout <= 0 or min(study.prior_factors, default=0) <= 0:
        raise ValueError(
            "repeats must be at least 1, timeout and prior_factors above 0, got "
            f"{study.repeats}, {study.timeout} and {study.prior_factors}."
        )
    check_share(study.test_share, "test_share")
    return study


def _datasets(names: Any) -> tuple[str, ...]:
    from lopsided.datasets import describe, list_datasets

    found: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        group = name in ("paper", "bundled")
        found += list_datasets(name) if group else [describe(name).name]
    return tuple(dict.fromkeys(found))


def _settings(mechanisms: Iterable[Any]) -> Iterable[Setting]:
    for given in mechanisms:
        one = {"kind": given} if isinstance(given, str) else dict(given)
        kind = check_choice(one.pop("kind", ""), MECHANISMS, "mechanism")
        for share in one.pop("hidden", _SHARES):
            yield Setting(kind, check_share(float(share), "hidden"))
        if one:
            raise ValueError(f"A mechanism has kind and hidden, got also {', '.join(one)}.")


def _methods(methods: Iterable[Any]) -> tuple[Compared, ...]:
    from lopsided.methods.registry import get_method

    found = []
    for given in methods:
        one: dict[str, Any] = {"name": given} if isinstance(given, str) else dict(given)
        if "name" not in one:
            raise ValueError(f"A method needs a name, got {one}.")
        for key in one:
            check_choice(key, ("label", "name", "params", "repeats"), "entry of a method")
        get_method(one["name"])
        found.append(
            Compared(
                one.get("label", one["name"]),
                one["name"],
                one.get("params", {}),
                one.get("repeats"),
            )
        )
    labels = [method.label for method in found]
    for label in labels:
        if "," in label:  # the command line takes several labels with commas between them
            raise ValueError(f"A label must not hold a comma, got {label!r}.")
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ValueError(f"Labels must be unique, got {', '.join(twice)} twice. Add a label.")
    return tuple(found)
