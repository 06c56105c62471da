"""`python -m lopsided_bench` is the command."""

import sys

from lopsided_bench.cli import main

if __name__ == "__main__":
    sys.exit(main())
