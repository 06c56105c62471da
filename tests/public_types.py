"""Types of the public names, checked by mypy: what an editor knows of them."""

from typing import TYPE_CHECKING, assert_type

import lopsided
from lopsided.methods.base import PUClassifier
from lopsided.methods.focused import FocusedClassifier
from lopsided.risks import PURisk

assert_type(lopsided.FocusedClassifier(), FocusedClassifier)
assert_type(lopsided.build("ifpu-xgb"), PUClassifier)
assert_type(lopsided.list_methods(), list[str])
assert_type(lopsided.risks.ifpu(), PURisk)
assert_type(lopsided.__version__, str)
if TYPE_CHECKING:
    lopsided.no_such_name  # type: ignore[attr-defined]  # noqa: B018
