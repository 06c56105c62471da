"""Fit, score, rank and judge on Dask collections, with the extra `dask`.

Names are loaded on first use: `DaskPUClassifier` fits and scores, `rank_to_parquet` writes a
ranking, `summarize_scores` gives prior, metrics and calibration, `read_folder` reads parquet
files. Nothing of this brings a collection home.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
