"""In which order the gallery shows its examples: what a reader needs first stands first."""

from pathlib import Path

ORDER = (
    "plot_fraud",
    "plot_blind_metrics",
    "plot_prior_interval",
    "plot_probabilities",
    "plot_review_loop",
    "plot_scar_sar",
    "plot_time_aware",
    "plot_marketing",
    "plot_sensor_faults",
    "plot_genes",
)


class ReadingOrder:
    """A sort key of sphinx-gallery: an example that the order does not name comes last."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, name: str) -> tuple[int, str]:
        """Return the key of a file by its name."""
        stem = Path(name).stem
        return (ORDER.index(stem) if stem in ORDER else len(ORDER), stem)

    def __repr__(self) -> str:
        return "ReadingOrder"  # without an address: the same in every build
