from . import datasets as datasets
from . import exceptions as exceptions
from . import labeling as labeling
from . import losses as losses
from . import methods as methods
from . import metrics as metrics
from . import model_selection as model_selection
from . import ranking as ranking
from . import risks as risks
from . import testing as testing
from . import trees as trees
from .methods.boosting import BoostedRiskClassifier as BoostedRiskClassifier
from .methods.elkan_noto import ElkanNotoClassifier as ElkanNotoClassifier
from .methods.focused import FocusedClassifier as FocusedClassifier
from .methods.forest import PUForestClassifier as PUForestClassifier
from .methods.lbe import LBEClassifier as LBEClassifier
from .methods.logistic import NaiveLogisticClassifier as NaiveLogisticClassifier
from .methods.mlp import NeuralRiskClassifier as NeuralRiskClassifier
from .methods.nnif import NNIFClassifier as NNIFClassifier
from .methods.registry import build as build
from .methods.registry import list_methods as list_methods
from .methods.sar_em import SAREMClassifier as SAREMClassifier
from .methods.spy import SpyClassifier as SpyClassifier
from .methods.tab_gmlp import TabGMLPClassifier as TabGMLPClassifier
from .ranking import rank_unlabeled as rank_unlabeled

__version__: str
