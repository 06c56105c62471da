"""Run the command line with `python -m lopsided`."""

import sys

from lopsided.cli import main

if __name__ == "__main__":
    sys.exit(main())
