#!/bin/sh
# Entry script of gatewright for dc-validate-scorecard.sh: holds no logic, safe to commit in a plugin's bin/.
# GATEWRIGHT_PYTHON names the interpreter that has the package; python3 otherwise.
python=${GATEWRIGHT_PYTHON:-python3}
case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac
program='
try:
    from gatewright._native import run_script
except ImportError as fault:
    sys.stderr.write("dc-validate-scorecard: ERROR: the package gatewright is missing or broken (%s); run: pip install gatewright\n" % fault)
    sys.exit(1)
sys.exit(run_script("dc-validate-scorecard", sys.argv[3:], sys.argv[2]))'
for native in "$here"/../_native.*; do
  case $native in
  *.so | *.pyd)
    # Inside the package itself: any Python will do, and without its site module it starts sooner.
    exec "$python" -I -S -c "import sys
sys.path.insert(0, sys.argv[1])$program" "$here/../.." "$0" "$@"
    ;;
  esac
done
# The working directory goes off the path first: a run folder must not be able to pose as the package.
exec "$python" -c "import sys
sys.path[:] = [entry for entry in sys.path if entry]$program" - "$0" "$@"
