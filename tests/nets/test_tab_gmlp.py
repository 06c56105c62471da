import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

from lopsided.nets.tab_gmlp import TabGMLP  # noqa: E402
from lopsided.nets.train import scores_of, seeded  # noqa: E402

SHAPES = [(4, (3, 5)), (4, ()), (0, (3, 5)), (1, ()), (0, (2,))]


def fresh(n_numbers=4, levels=(3, 5), tokenizer="columns", seed=0, **settings):
    generator = torch.Generator().manual_seed(seed)
    return TabGMLP(n_numbers, levels, -2.0, generator, tokenizer, **settings).double().eval()


def rows_for(n_numbers, levels, n_rows=6):
    rng = np.random.default_rng(0)
    ids = [rng.integers(0, n_levels + 1, n_rows) for n_levels in levels]
    return np.column_stack([*rng.normal(size=(n_numbers, n_rows)), *ids])


def stir(net):
    """Move the gates away from their start, so that tokens matter to each other."""
    for block in net.blocks:
        torch.nn.init.normal_(block.gate.weight, generator=torch.Generator().manual_seed(5))
        torch.nn.init.normal_(block.gate.bias, generator=torch.Generator().manual_seed(6))


@pytest.mark.parametrize("tokenizer", ["columns", "scalars"])
@pytest.mark.parametrize(("n_numbers", "levels"), SHAPES)
def test_every_kind_of_table_gives_one_score_per_row(n_numbers, levels, tokenizer):
    net = fresh(n_numbers, levels, tokenizer)
    X = rows_for(n_numbers, levels)
    scores = scores_of(net, X)
    assert scores.shape == (6,)
    assert np.unique(scores.round(12)).size > 1
    assert_allclose(scores_of(net, X[2:3]), scores[2:3], rtol=1e-10)


@pytest.mark.parametrize(("tokenizer", "n_tokens"), [("columns", 2 + 4), ("scalars", 64 + 4)])
def test_tokens_are_columns_or_scalars(tokenizer, n_tokens):
    net = fresh(tokenizer=tokenizer)
    assert net.tokens.n_tokens == n_tokens
    assert [block.gate.weight.shape for block in net.blocks] == [(n_tokens, n_tokens)] * 4


def test_columns_permuted_with_their_parameters_leave_the_scores_as_they_are():
    net, other = fresh(), fresh()
    stir(net)
    order = np.array([2, 0, 3, 1])
    tokens = np.array([0, 1, *(2 + order)])
    state = net.state_dict()
    for name, values in state.items():
        if name.startswith("tokens."):
            state[name] = values[order]
        if name.endswith("gate.weight"):
            state[name] = values[tokens][:, tokens]
        if name.endswith("gate.bias"):
            state[name] = values[tokens]
    other.load_state_dict(state)
    X = rows_for(4, (3, 5))
    permuted = np.column_stack([X[:, order], X[:, 4:]])
    assert_allclose(scores_of(other, permuted), scores_of(net, X), rtol=1e-10)
    assert not np.allclose(scores_of(other, X), scores_of(net, X))


def test_scalars_are_those_of_the_categories_and_the_normalized_numbers():
    net = fresh(tokenizer="scalars")
    X = torch.tensor(rows_for(4, (3, 5)))
    categories = net.categories(X[:, 4:].long())
    tokens = net.tokens(X[:, :4], categories)
    joined = torch.cat([categories[0], categories[1], net.tokens.norm(X[:, :4])], dim=1)
    assert_allclose(tokens.detach(), net.tokens.widen(joined.T[..., None]).detach())


def test_every_score_starts_at_the_bias_but_for_small_weights():
    net = fresh()
    assert net.last.bias.item() == -2.0
    torch.nn.init.zeros_(net.last.weight)
    assert (scores_of(net, rows_for(4, (3, 5))) == -2.0).all()


def test_weights_come_from_the_generator_and_nothing_else_is_drawn():
    torch.manual_seed(7)
    state = torch.get_rng_state()
    X = rows_for(4, (3, 5))
    first, second, third = (scores_of(fresh(seed=seed), X) for seed in (0, 0, 1))
    assert (first == second).all()
    assert not np.isclose(first, third).any()
    assert torch.equal(torch.get_rng_state(), state)


def test_what_is_drawn_under_a_seed_leaves_no_trace():
    state = torch.get_rng_state()
    drawn = []
    for _ in range(2):
        with seeded(3, torch.device("cpu")):
            drawn.append(torch.rand(4))
    assert torch.equal(*drawn)
    assert torch.equal(torch.get_rng_state(), state)


def test_many_rows_are_scored_in_parts(monkeypatch):
    net, X = fresh(), rows_for(4, (3, 5), n_rows=50)
    whole = scores_of(net, X)
    monkeypatch.setattr(TabGMLP, "rows_at_once", 7)
    assert_allclose(scores_of(net, X), whole, rtol=1e-10)
