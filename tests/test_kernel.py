import numba

from lopsided._kernel import njit_cached, njit_helper, njit_inline


def test_kernels_are_kept_and_parts_are_not():
    before = numba.config.CACHE_DIR

    def double(x):
        return 2 * x

    kept, inner, written_out = njit_cached(double), njit_helper(double), njit_inline(double)

    @numba.njit
    def call(x):  # Python itself cannot call a part
        return inner(x)

    assert kept(3) == call(3) == written_out(3) == 6
    assert "lopsided-kernels-" in kept.stats.cache_path
    assert inner.stats.cache_path is None
    assert kept.targetoptions["nogil"]
    assert before == numba.config.CACHE_DIR
