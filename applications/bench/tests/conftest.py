"""What tests share: the small study beside them, and a browser."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "tests")]  # small_study; chromium

from chromium import browser as browser  # noqa: E402
