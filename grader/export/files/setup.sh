#!/usr/bin/env bash
# Gradescope runs this once, as root, when the image is built.
set -euo pipefail

# The version that students are told, or else the image's own, or another.
find_python() {
    for python in python3.12 python3 python3.11 python3.13 python3.14; do
        if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            return
        fi
    done
    return 1
}

if ! find_python; then
    apt-get update
    apt-get install -y python3-venv # Debian and Ubuntu leave it out
fi
if ! find_python; then
    apt-get install -y python3.11 python3.11-venv
    find_python
fi
"$python" -m venv --clear /autograder/venv
/autograder/venv/bin/pip install --disable-pip-version-check -r /autograder/source/requirements.txt
