"""Print the macro average precision of the forests beside the naive baselines.

The same loop as `boosting_quality.py`: 14 data sets, SCAR and SAR near, 25/50/75 % of the
positives labeled; the true training prior is given to every method that takes one.

    python benchmarks/forest_quality.py [--repeats 5] [--first 0] [--jobs 2]
"""

from boosting_quality import report

METHODS = [
    "naive-forest",
    "pu-bagging",
    "hellinger-forest",
    "puet",
    "puhrf",
    "puhdt",
    "naive-xgb",
    "focused-xgb",
]

if __name__ == "__main__":
    report(__doc__, METHODS)
