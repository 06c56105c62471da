"""Write `adbench.csv` beside this file: what ADBench prints for the tables of our catalog.

    LOPSIDED_DATA=FOLDER python studies/published/make_adbench.py

`FOLDER/adbench/published.csv` has the columns metric (AUCPR or AUCROC), ratio (percent of the
anomalies that are labeled), data, algo and value. Algorithms that see no labels (ratio 0) are
left out, and so is what is not printed; those that are methods here get their names.
"""

import csv
import os
from pathlib import Path

from lopsided._files import atomic_write
from lopsided_bench.datasets import list_entries

METRICS = {"AUCPR": "average_precision", "AUCROC": "roc_auc"}
NAMES = {
    **{"CatB": "catboost", "LGB": "lightgbm", "XGB": "xgboost", "RF": "random-forest"},
    **{"NB": "naive-bayes", "FTTransformer": "ft-transformer"},
}
NOTE = (
    "# ADBench's printed AUCPR (average precision) and AUCROC, means of its seeds 1 to 3: "
    "Han et al., NeurIPS 2022, tables of the label-informed algorithms. "
    "hidden is one minus the share of the positives that is labeled."
)


def read_printed(file: Path) -> list[tuple[str, ...]]:
    """Return the rows of the csv file of a study, in the order of the catalog."""
    names = {one.title: one.name for one in list_entries() if one.group == "adbench"}
    places = list(names)
    with open(file, encoding="utf-8", newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if row["ratio"] != "0" and row["value"]]
    rows.sort(key=lambda row: (row["metric"], places.index(row["data"]), int(row["ratio"])))
    return [
        (
            names[row["data"]],
            "adbench",
            f"{1 - int(row['ratio']) / 100:g}",
            NAMES.get(row["algo"], row["algo"].lower()),
            METRICS[row["metric"]],
            f"{float(row['value']):.4f}",  # percents of two digits, as printed
        )
        for row in rows
    ]


def main() -> None:
    """Write the file."""
    rows = read_printed(Path(os.environ["LOPSIDED_DATA"]) / "adbench" / "published.csv")
    head = ("dataset", "mechanism", "hidden", "method", "metric", "value")
    lines = [NOTE, *(",".join(row) for row in (head, *rows))]
    with atomic_write(Path(__file__).with_name("adbench.csv")) as draft:
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
