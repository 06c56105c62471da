import numba

from lopsided._kernel import njit_cached, njit_helper, njit_inline


def test_functions_that_python_calls_are_kept_and_helpers_are_not():
    before = numba.config.CACHE_DIR

    def double(x):
        return 2 * x

    kept, inner, inlined = njit_cached(double), njit_helper(double), njit_inline(double)

    @numba.njit
    def call(x):  # Python itself cannot call a helper
        return inner(x)

    assert kept(3) == call(3) == inlined(3) == 6
    assert "lopsided-kernels-" in kept.stats.cache_path
    assert inner.stats.cache_path is None
    assert kept.targetoptions["nogil"]
    assert before == numba.config.CACHE_DIR
