"""Run the command line with `python -m lopsided`."""

import sys

from lopsided.cli import main

sys.exit(main())
