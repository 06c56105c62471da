"""Errors and warnings that a caller may want to catch."""

__all__ = ["FindingWarning", "MissingExtraError", "PriorWarning"]


class PriorWarning(UserWarning):
    """The prior was guessed or moved; give `prior` to decide it yourself."""


class FindingWarning(UserWarning):
    """Something in a table will hurt its ranking; `model.findings` has all that was found."""


class MissingExtraError(ImportError):
    """An optional package is not installed."""
