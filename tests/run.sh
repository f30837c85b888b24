#!/usr/bin/env bash
# Install gatewright with its test tools into a virtual environment of its own and run every test.
#
#     bash tests/run.sh [PYTEST ARGUMENTS...]
#
# Needs Rust (cargo) and Python 3.9 or newer with venv; the rest is installed here. The environment
# is .venv-test beside Cargo.toml (GATEWRIGHT_TEST_VENV names another), kept for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${GATEWRIGHT_TEST_VENV:-$PWD/.venv-test}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"

# A byte-compiled package is what users get; an inherited setting must not change what is tested.
unset PYTHONDONTWRITEBYTECODE
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check ".[test]"

cargo test --quiet --locked
"$venv/bin/python" -m pytest "$@"
