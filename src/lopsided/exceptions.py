"""Errors and warnings that a caller may want to catch."""

__all__ = ["MissingExtraError", "PriorWarning"]


class PriorWarning(UserWarning):
    """The prior was guessed or moved; give `prior` to decide it yourself."""


class MissingExtraError(ImportError):
    """An optional package is not installed."""
