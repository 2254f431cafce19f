"""`python -m batching_lab`."""

import sys

from batching_lab.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
