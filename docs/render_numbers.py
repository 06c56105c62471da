"""The numbers inside the sentences of docs/reproduction.in.md, each from the results."""

import numpy as np

from lopsided_bench.aggregate import blocks, macro
from lopsided_bench.datasets import describe, list_datasets, list_entries
from lopsided_bench.stats import bootstrap_difference, friedman, wilcoxon_holm
from lopsided_bench.study import MECHANISMS, Setting

_METRIC = "average_precision"
_NETS = ("upu-mlp", "nnpu-mlp", "imbnnpu-mlp", "ifpu-mlp")
_FEW = 0.75  # of the positives are hidden: 25 % stay labeled


def render_numbers(paper, prior, published) -> dict[str, str]:
    """Return every number by the name that the template knows it by."""
    return {
        **_render_size(paper),
        **_render_tests(paper),
        **_render_mechanisms(paper, published),
        **_render_baselines(paper),
        **_render_flagship(paper),
        **_render_nets(paper, published),
        **_render_data(),
        **_render_priors(prior),
    }


def _render_size(table) -> dict[str, str]:
    """Return how much was run, and with what."""
    fits = table.drop_duplicates("key")
    return {
        "n_trials": f"{len(fits)}",
        "n_failed": f"{int((fits['status'] != 'ok').sum())}",
        "hours": f"{fits['seconds'].sum() / 3600:.1f}",
        "versions": "; ".join(sorted(fits["versions"].unique())),
    }


def _render_tests(table) -> dict[str, str]:
    """Return Friedman's test over data sets."""
    found = friedman(blocks(table, _METRIC))
    return {
        "n_methods": f"{found.n_methods}",
        "chi_square": f"{found.chi_square:.1f}",
        "iman_davenport": f"{found.iman_davenport:.1f}",
        "iman_davenport_p": _p(found.iman_davenport_p),
    }


def _render_mechanisms(table, published) -> dict[str, str]:
    """Return how far scores fall from SCAR to each SAR, here and in print, 25 % labeled."""
    means = macro(table, _METRIC)
    # Oracles see no hidden labels, and the paper's nets rank at random.
    labels = [
        name for name in published.methods if name not in _NETS and not name.startswith("xgb")
    ]
    few = {kind: means.loc[labels, (kind, _FEW)].mean() for kind in MECHANISMS}
    there = [
        _find(published, label, "sar-near", _FEW) - _find(published, label, "scar", _FEW)
        for label in labels
    ]
    return {
        "fall_near": f"{few['sar-near'] - few['scar']:+.3f}",
        "fall_far": f"{few['sar-far'] - few['scar']:+.3f}",
        "fall_printed": f"{np.mean(there):+.3f}",
        "fall_methods": ", ".join(f"`{name}`" for name in labels),
    }


def _render_baselines(table) -> dict[str, str]:
    """Return how the paper's best rows stand beside the baselines that it leaves out."""
    means, values = macro(table, _METRIC), blocks(table, _METRIC)
    found = {}
    for ours in ("ifpu-xgb", "puhrf", "focused-xgb"):
        for base in ("naive-xgb", "naive-forest"):
            gap = bootstrap_difference(values[ours], values[base])
            test = wilcoxon_holm(values[[ours, base]], ours).iloc[0]
            ahead = int((means.loc[ours] > means.loc[base]).sum())
            found[f"{ours}_over_{base}".replace("-", "_")] = (
                f"{gap.mean:+.3f} (95 % interval {gap.low:+.3f} to {gap.high:+.3f}, p "
                f"{_p(test['p_value'])}, ahead in {ahead} of {means.shape[1]} columns)"
            )
    for label in ("naive-xgb", "naive-forest"):
        cells = " / ".join(f"{means.loc[label, ('scar', h)]:.2f}" for h in (0.75, 0.5, 0.25))
        found[f"{label}_scar".replace("-", "_")] = cells
    return found


def _render_flagship(table) -> dict[str, str]:
    """Return where the flagship stands, and on which data sets a rival is ahead of it."""
    means, values = macro(table, _METRIC), blocks(table, _METRIC)
    rivals = ["ifpu-xgb", "naive-xgb", "nnif", "lbe", "sarem", "puhrf", "naive-forest"]
    learned = list(means.index.drop([n for n in means.index if n.startswith("xgb")]))
    compared = wilcoxon_holm(values[["focused", *rivals]], "focused")
    tests = compared.set_index("second")["p_holm"]
    lost = {name: values.index[values[name] > values["focused"]] for name in rivals}
    behind = [
        f"`{name}` on {', '.join(sets)}" for name in rivals if len(sets := lost[name]) > 0
    ]
    first = int((means.loc[learned].idxmax() == "focused").sum())
    return {
        "focused_first": f"{first} of {means.shape[1]}",
        "focused_tests": ", ".join(f"`{name}` {_p(tests[name])}" for name in rivals),
        "focused_lost": "; ".join(behind) or "none",
        "focused_many": f"{means.loc['focused', ('scar', 0.25)]:.3f}",
        "truth": f"{means.loc['xgb', ('scar', 0.25)]:.3f}",
    }


def _render_nets(table, published) -> dict[str, str]:
    """Return the range of the nets here and in print, and what chance gives."""
    means = macro(table, _METRIC)
    ours = means.loc[list(_NETS)].to_numpy()
    there = [_find(published, name, *setting) for name in _NETS for setting in means.columns]
    shares = [entry.prior for entry in list_entries() if entry.group == "paper"]
    return {
        "nets_low": f"{ours.min():.2f}",
        "nets_high": f"{ours.max():.2f}",
        "nets_printed_low": f"{min(there):.2f}",
        "nets_printed_high": f"{max(there):.2f}",
        "chance": f"{np.mean(shares):.2f}",
    }


def _render_data() -> dict[str, str]:
    """Return what the files hold where the paper's table says something else."""
    one, two = describe("mammography"), describe("segment")
    return {
        "mammography_rows": f"{one.rows}",
        "mammography_repeated": f"{one.repeated}",
        "mammography_share": f"{100 * one.prior:.2f}",
        "segment_features": f"{two.features}",
        "segment_share": f"{100 * two.prior:.2f}",
        "thyroid_features": f"{describe('thyroid').features}",
    }


def _render_priors(table) -> dict[str, str]:
    """Return by how much a wrong prior moves the macro mean of each method."""
    found = {}
    for label in ("ifpu-xgb", "focused-xgb"):
        means = {
            factor: macro(table, _METRIC, prior_factor=factor).loc[label].mean()
            for factor in table["prior_factor"].unique()
        }
        name = label.replace("-", "_")
        found[f"{name}_prior_range"] = f"{max(means.values()) - min(means.values()):.3f}"
        found[f"{name}_prior_best"] = f"{max(means, key=means.get):g}"
        found[f"{name}_prior_worst"] = f"{min(means, key=means.get):g}"
    return found


def _find(published, method: str, mechanism: str, hidden: float) -> float:
    return published.find(
        method, _METRIC, Setting(mechanism, hidden), list_datasets("paper")
    ).mean


def _p(value: float) -> str:
    return "below .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
