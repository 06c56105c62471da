from .classifier import DaskPUClassifier as DaskPUClassifier
from .failures import WorkerLostError as WorkerLostError
from .judging import ScoreSummary as ScoreSummary
from .judging import summarize_scores as summarize_scores
from .ranking import RankedFolder as RankedFolder
from .ranking import rank_to_parquet as rank_to_parquet
from .reading import read_folder as read_folder
