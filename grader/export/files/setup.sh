#!/usr/bin/env bash
# Gradescope runs this once, as root, when the image is built.
set -euo pipefail

for python in python3.13 python3.12 python3.11 python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        break
    fi
    python=
done
if [ -z "$python" ]; then
    apt-get update
    apt-get install -y python3.11 python3.11-venv
    python=python3.11
fi
"$python" -m venv /autograder/venv
/autograder/venv/bin/pip install --disable-pip-version-check -r /autograder/source/requirements.txt
