"""Sparse tables for learners that read dense ones."""

from typing import Any

_N_COMPONENTS = 20


def reduce_sparse(X: Any, seed: int) -> Any:
    """Return a table as it is, or the leading components of a sparse one."""
    if not hasattr(X, "tocsr"):
        return X
    n_components = min(_N_COMPONENTS, X.shape[1] - 1)
    if n_components < 1:
        return X.toarray()
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(n_components, random_state=seed).fit_transform(X.tocsr())
