"""Small tables as folders of parquet files."""

import numpy as np
import pandas as pd


def make_table(n_rows=1500, digits=0, seed=0):
    """Return columns of whole numbers, by default, some of them missing, labels and names."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < 0.1
    X = (8 * (rng.normal(size=(n_rows, 4)) + 1.3 * truth[:, None] * [1, 1, 0, 0])).round(digits)
    X[rng.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["fraud"] = (truth & (rng.random(n_rows) < 0.5)).astype(int)
    frame["row"] = [f"R{place}" for place in range(n_rows)]
    return frame


def write_parts(frame, folder, n_parts=3):
    """Write a frame as files, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, part in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        frame.iloc[part].to_parquet(folder / f"part-{place}.parquet", index=False)
    return folder
