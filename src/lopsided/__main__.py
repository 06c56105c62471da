"""The command `lopsided`, also as `python -m lopsided`; it imports next to nothing itself."""

import os
import sys


def main() -> int:
    """Run the command line; Ctrl-C while that is imported ends in one sentence too."""
    if sys.stderr is None:  # closed, and NumPy's f2py wants it to be there
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        from lopsided.workflow.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("lopsided: stopped; nothing was left half written.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
