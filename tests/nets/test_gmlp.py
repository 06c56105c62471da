import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

from lopsided.nets.tab_gmlp import GMLPBlock, SpatialGate  # noqa: E402


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape):
    return torch.randn(*shape, generator=generator(1), dtype=torch.float64)


def test_a_gate_with_weight_zero_and_bias_one_gives_the_first_half():
    gate = SpatialGate(5, 8, generator()).double()
    torch.nn.init.zeros_(gate.weight)
    kept, told = draw(5, 3, 8), draw(5, 3, 8) + 1
    assert torch.equal(gate(kept, told), kept)


def test_a_gate_starts_near_that():
    gate = SpatialGate(5, 8, generator()).double()
    assert gate.weight.abs().max() <= 1e-3 / 5
    assert (gate.weight != 0).all()
    assert (gate.bias == 1).all()
    kept, told = draw(5, 3, 8), draw(5, 3, 8) + 1
    assert_allclose(gate(kept, told).detach(), kept, rtol=0.01)


def test_a_gate_is_the_formula_of_the_paper():
    gate = SpatialGate(4, 6, generator()).double()
    torch.nn.init.normal_(gate.weight, generator=generator())
    torch.nn.init.normal_(gate.bias, generator=generator(1))
    kept, told = draw(4, 3, 6), draw(4, 3, 6) + 1
    spread = told.var(-1, correction=0, keepdim=True) + gate.norm.eps
    normal = (told - told.mean(-1, keepdim=True)) / spread.sqrt()
    weight, bias = gate.weight.detach().numpy(), gate.bias.detach().numpy()
    found = gate(kept, told).detach().numpy()
    for row in range(3):
        told_here = weight @ normal[:, row].numpy() + bias[:, None]
        assert_allclose(found[:, row], kept[:, row].numpy() * told_here, rtol=1e-9)


def test_a_block_adds_to_what_comes_in_and_keeps_rows_apart():
    block = GMLPBlock(4, 6, 5, generator()).double()
    X = draw(4, 7, 6)
    out = block(X).detach()
    assert out.shape == X.shape
    assert_allclose(block(X[:, 2:3]).detach(), out[:, 2:3], rtol=1e-12)
    torch.nn.init.zeros_(block.narrow.weight)
    assert torch.equal(block(X), X)


def test_tokens_see_each_other_through_the_gate():
    block = GMLPBlock(4, 6, 5, generator()).double()
    torch.nn.init.normal_(block.gate.weight, generator=generator())
    X = draw(4, 1, 6)
    other = X.clone()
    other[3] += torch.arange(6)
    change = (block(other) - block(X)).detach().abs().amax(dim=(1, 2))
    assert (np.asarray(change) > 1e-3).all()
