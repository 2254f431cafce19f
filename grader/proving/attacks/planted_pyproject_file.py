"""A pyproject.toml that loads a plugin of the submission's into pytest."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted settings",
    where="files",
    part="1",
    deserved=(),
    control="forged",
    files={
        **wrong_scheduler(),
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p helper'\n",
        "helper.py": "import os\nos._exit(0)\n",
    },
)
