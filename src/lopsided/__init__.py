"""Learn from positive and unlabeled tables in which positives are rare.

Names are loaded on first use, so that `import lopsided` costs next to nothing; `__init__.pyi`
lists them. All else is reached by its module, as in `lopsided.risks.ifpu`. scikit-learn knows
the PU metrics by name from here on, as in `scoring="pu_average_precision"`.
"""

import lazy_loader as lazy

from lopsided._scorer_hook import register_late

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
register_late()
del register_late
