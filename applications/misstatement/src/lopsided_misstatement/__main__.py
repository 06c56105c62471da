"""`python -m lopsided_misstatement` is the command."""

import sys

from lopsided_misstatement.cli import main

if __name__ == "__main__":
    sys.exit(main())
