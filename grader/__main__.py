"""`python -m grader`."""

import sys

# `-m` puts the current folder first on the path: were it a submission's, its files would be imported here.
del sys.path[0]

from grader.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
