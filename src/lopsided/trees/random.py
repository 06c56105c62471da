"""Random numbers for compiled code: small, fast, the same everywhere (splitmix64)."""

import numpy as np

from lopsided._kernel import njit_helper


@njit_helper
def _next(state):
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit_helper
def uniform(state):
    """Return a number from 0 to below 1 and move the state, an array of one uint64."""
    return (_next(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit_helper
def randint(state, n):
    """Return a whole number from 0 to below n."""
    return np.int64(uniform(state) * n)
