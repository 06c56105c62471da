"""An entry point that misbehaves on purpose, for the self-test."""

import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import SEEDS, expect
from lopsided import build
from lopsided._validation import check_count
from lopsided._warnings import warn
from lopsided.metrics import roc_auc

__all__ = ["ENTRIES"]


@arguments
def _arguments(d: Draw) -> dict[str, Any]:
    d(SEEDS)
    return {"how": d.one("behaves", "behaves", "hangs", "dies", "is wrong")}


def _attack(how: str) -> None:  # noqa: C901
    if how == "refuses":
        build("no such method")
    if how == "refuses without a sentence":
        check_count(0, "x" * 500)
    if how == "fails in NumPy":
        roc_auc([1, 0], Shapeless())
    if how == "meets a KeyError":
        {}["a"]
    if how == "lets a warning through":
        warnings.warn("invalid value encountered", RuntimeWarning, stacklevel=1)
    if how == "warns without a sentence":
        warn("no end")
    if how == "warns":
        warn("This is a warning. Do something.")
    if how == "is wrong":
        expect(False, "it is wrong")
    if how == "leaves a file":
        Path("left.txt").write_text("half")
    if how == "hangs":
        time.sleep(600)
    if how == "dies":
        os.abort()


@arguments
def _no_arguments(d: Draw) -> dict[str, Any]:
    if d.chance(0.2):
        raise KeyError("arguments")
    return {"how": "behaves"}


class Shapeless:
    """Numbers that NumPy trips over."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros(2) + np.zeros(3)


ENTRIES = (
    Entry(("fakes.fake",), _arguments, _attack),
    Entry(("fakes.undrawn",), _no_arguments, _attack),
)
