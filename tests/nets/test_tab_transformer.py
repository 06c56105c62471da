import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

from lopsided.nets.tab_gmlp import (  # noqa: E402
    Attention,
    ColumnEmbedding,
    FeedForward,
    TabTransformer,
)

IDS = torch.tensor([[0, 2], [1, 0], [3, 2]])  # three levels and one id more, two and one more


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_token_is_a_vector_of_the_value_beside_one_of_the_column():
    embed = ColumnEmbedding([3, 2], 32, generator())
    tokens = embed(IDS)
    assert tokens.shape == (2, 3, 32)
    assert embed.values.shape == (3 + 1 + 2 + 1, 28)
    assert torch.equal(tokens[1, 1, :28], embed.values[4])  # the first level of the second
    assert torch.equal(tokens[0, :, 28:], embed.columns[:1].expand(3, 4))


def test_the_id_for_all_else_starts_at_zero_and_no_other_does():
    embed = ColumnEmbedding([3, 2], 32, generator())
    assert (embed.values == 0).all(dim=1).tolist() == [False] * 3 + [True, False, False, True]
    assert (embed(IDS)[0, 2, :28] == 0).all()


@pytest.mark.parametrize("n_tokens", [1, 3, 7])
def test_attention_by_hand(n_tokens):
    attention = Attention(6, 2, 4, 0.0, generator()).double()
    X = torch.randn(n_tokens, 1, 6, generator=generator(1), dtype=torch.float64)
    parts = attention.qkv(X[:, 0]).detach().view(n_tokens, 3, 2, 4)
    queries, keys, values = parts.permute(1, 2, 0, 3)
    heads = [
        torch.softmax(queries[h] @ keys[h].T / 4**0.5, dim=1) @ values[h] for h in range(2)
    ]
    expected = attention.out_proj(torch.cat(heads, dim=1))
    assert_allclose(attention(X)[:, 0].detach(), expected.detach(), rtol=1e-10)


def test_a_feed_forward_layer_by_hand():
    layer = FeedForward(4, 3, 0.0, generator()).double()
    X = torch.randn(2, 5, 4, generator=generator(1), dtype=torch.float64)
    values, gates = layer.widen(X)[..., :3], layer.widen(X)[..., 3:]
    normal = torch.distributions.Normal(0.0, 1.0)
    expected = layer.narrow(values * gates * normal.cdf(gates))
    assert_allclose(layer(X).detach(), expected.detach(), rtol=1e-10)


def test_categories_see_each_other_and_rows_do_not():
    net = TabTransformer([3, 2], 2, generator()).double().eval()
    out = net(IDS).detach()
    assert_allclose(net(IDS[1:2]).detach(), out[:, 1:2], rtol=1e-10)
    assert (out[1, 0] != out[1, 2]).all()  # the same value beside another


def test_without_layers_the_embeddings_are_left_as_they_are():
    net = TabTransformer([3, 2], 0, generator())
    assert torch.equal(net(IDS), net.embed(IDS))


def test_dropout_acts_in_training_alone():
    for levels, ids in (([3, 2], IDS), ([3, 2] * 3, IDS.repeat(1, 3))):
        net = TabTransformer(levels, 2, generator())
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            assert not torch.equal(net(ids), net(ids))
        net.eval()
        assert torch.equal(net(ids), net(ids))
