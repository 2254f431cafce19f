"""A dist-info folder with an entry point that makes a file of the submission's a pytest plugin."""

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
        "helper.py": "import os\nos._exit(0)\n",
        "helper-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: helper\nVersion: 1\n",
        "helper-1.dist-info/entry_points.txt": "[pytest11]\nhelper = helper\n",
    },
)
