"""Learn from positive and unlabeled tables in which positives are rare.

Names are loaded on first use, so that `import lopsided` costs next to nothing; `__init__.pyi`
lists them. All else is reached by its module, as in `lopsided.risks.ifpu`.
"""

import lazy_loader as lazy

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
