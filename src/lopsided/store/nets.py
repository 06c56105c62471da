"""Nets as safetensors: weights alone, from whose shapes the net is built again."""

import re
from typing import Any

from lopsided._validation import require
from lopsided.store.container import Refused

KINDS = ("mlp", "lbe", "one-layer", "tab-gmlp")
_WIDTH = 32  # of a token


def dump_net(net: Any) -> tuple[str, bytes]:
    """Return what kind of net it is, and its weights."""
    require("torch")
    save = require("safetensors.torch").save

    tensors = {name: value.contiguous() for name, value in net.state_dict().items()}
    return _kind_of(net), save(tensors)


def is_net(value: Any) -> bool:
    """Say whether a value is a net of torch; torch is not imported for it."""
    import sys

    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def load_net(kind: str, data: bytes) -> Any:
    """Return a net of a kind, built anew to the shapes of its weights."""
    require("torch")
    tensors = require("safetensors.torch").load(data)
    net = _BUILD[kind](tensors).double().eval()
    net.load_state_dict(tensors, strict=True)
    return net


def _kind_of(net: Any) -> str:
    from torch import nn

    from lopsided.nets.mlp import MLP
    from lopsided.nets.one_layer import OneLayerNet
    from lopsided.nets.tab_gmlp import TabGMLP

    kinds: dict[type, str] = {
        MLP: "mlp",
        TabGMLP: "tab-gmlp",
        OneLayerNet: "one-layer",
        nn.Sequential: "lbe",
    }
    if type(net) not in kinds:
        raise Refused(f"takes nets of lopsided, got {type(net).__name__}")
    return kinds[type(net)]


def _generator() -> Any:
    """Return a source of weights, all of which are replaced."""
    import torch

    return torch.Generator().manual_seed(0)


def _layer_sizes(tensors: dict[str, Any], prefix: str) -> list[int]:
    """Return the number of inputs, then that of outputs of each matrix, which must fit."""
    found = {
        int(name.split(".")[-2]): tuple(value.shape)
        for name, value in tensors.items()
        if re.fullmatch(rf"{prefix}[0-9]+\.weight", name) and value.ndim == 2
    }
    shapes = [found[place] for place in sorted(found)]
    sizes = [shapes[0][1], *(n_outputs for n_outputs, _ in shapes)] if shapes else []
    if not shapes or [n_inputs for _, n_inputs in shapes] != sizes[:-1] or sizes[-1] != 1:
        raise Refused("must have nets whose layers fit each other")
    return sizes


def _build_mlp(tensors: dict[str, Any]) -> Any:
    from lopsided.nets.mlp import MLP

    n_inputs, *hidden, _ = _layer_sizes(tensors, r"layers\.")
    return MLP(n_inputs, hidden, 0.0, _generator())


def _build_lbe(tensors: dict[str, Any]) -> Any:
    from lopsided.nets.lbe import make_net

    sizes = _layer_sizes(tensors, "")
    if len(sizes) > 3:
        raise Refused("must have nets whose layers fit each other")
    return make_net(sizes[0], sizes[1] if len(sizes) == 3 else 0, _generator())


def _build_one_layer(tensors: dict[str, Any]) -> Any:
    from lopsided.nets.one_layer import OneLayerNet

    shapes = [tuple(tensors[f"{layer}.weight"].shape) for layer in ("hidden", "output")]
    (width, n_inputs), output = shapes
    if output != (1, width):
        raise Refused("must have nets whose layers fit each other")
    return OneLayerNet(n_inputs, width, _generator())


def _build_tab_gmlp(tensors: dict[str, Any]) -> Any:
    from lopsided.nets.tab_gmlp import TabGMLP

    levels: list[int] = []
    if "categories.embed.starts" in tensors:
        starts = tensors["categories.embed.starts"].tolist()
        ends = [*starts[1:], len(tensors["categories.embed.values"])]
        levels = [end - start - 1 for start, end in zip(starts, ends, strict=True)]
        if starts[0] != 0 or min(levels) < 0:
            raise Refused("must have nets whose layers fit each other")
    n_tokens = len(tensors["blocks.0.gate.bias"])
    by_column = "tokens.slopes" in tensors
    n_numbers = n_tokens - len(levels) * (1 if by_column else _WIDTH)
    square = tuple(tensors["blocks.0.gate.weight"].shape) == (n_tokens, n_tokens)
    if n_numbers < 0 or not square:
        raise Refused("must have nets whose layers fit each other")
    return TabGMLP(
        n_numbers,
        levels,
        0.0,
        _generator(),
        "columns" if by_column else "scalars",
        depth=_count(tensors, "categories.layers.") // 2,
        n_blocks=_count(tensors, "blocks."),
    )


def _count(tensors: dict[str, Any], prefix: str) -> int:
    """Return how many layers of a list have weights."""
    found = {
        name.removeprefix(prefix).partition(".")[0]
        for name in tensors
        if name.startswith(prefix)
    }
    return len(found)


_BUILD = {
    "mlp": _build_mlp,
    "lbe": _build_lbe,
    "one-layer": _build_one_layer,
    "tab-gmlp": _build_tab_gmlp,
}
