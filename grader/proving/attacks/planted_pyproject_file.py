"""A pyproject.toml that loads a plugin of the submission's into pytest."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted settings"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler() | {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p helper'\n",
    "helper.py": "import os\nos._exit(0)\n",
}
