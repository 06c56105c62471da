"""Tables larger than memory on one machine: parquet files are read in batches.

`fit_parquet` fits a method, `rank_parquet` ranks rows by it into a file; a `Checkpoint` lets a
fit that was stopped go on.
"""

from lopsided.methods.checkpoint import Checkpoint
from lopsided.out_of_core.fitting import fit_parquet
from lopsided.out_of_core.ranking import StreamedRanking, rank_parquet

__all__ = ["Checkpoint", "StreamedRanking", "fit_parquet", "rank_parquet"]
