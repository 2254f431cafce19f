"""Is the environment of the Python that runs this whole? `make` asks before it installs into it.

An installation that was cut off leaves a package without some of its files, or without the list of what was installed,
which comes last: before, there is none or the wheel's own, which knows no programs and no INSTALLER. pip doesn't mind.
"""

import csv
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path


def is_whole(package: Distribution) -> bool:
    """Are all files of an installed package there?"""
    listed = package.read_text("RECORD") or ""  # `package.files` leaves out what is missing
    names = [line[0] for line in csv.reader(listed.splitlines()) if line and not line[0].endswith(".pyc")]
    is_last_list = any(name.endswith("/INSTALLER") for name in names)
    return is_last_list and all(Path(str(package.locate_file(name))).exists() for name in names)


if __name__ == "__main__":
    folder = [sysconfig.get_path("purelib")]
    has_pip = any(True for _ in distributions(name="pip", path=folder))
    sys.exit(not (has_pip and all(map(is_whole, distributions(path=folder)))))
