"""Lets the tests of model files share how files are forged."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
