#!/bin/sh
# Entry script of gatewright for dc-validate-scorecard.sh: holds no logic, safe to commit in a plugin's bin/.
# GATEWRIGHT_PYTHON names the interpreter that has the package; python3 otherwise.
python=${GATEWRIGHT_PYTHON:-python3}
# Where this script lies: bash alone knows when it was found through PATH, or sourced.
script=$0
if [ -n "${BASH_VERSION:-}" ]; then
  script=${BASH_SOURCE:-$0}
fi
case $script in
*/*) here=${script%/*} ;;
*) here=. ;;
esac
if ! command -v "$python" >/dev/null 2>&1; then
  echo "dc-validate-scorecard: ERROR: no interpreter $python; install Python 3, or set GATEWRIGHT_PYTHON to the one that has gatewright" >&2
  exit 1
fi
program='
try:
    from gatewright._native import run_script
except ImportError as fault:
    # An installed command may have the package.
    import os
    found = [os.path.join(folder, "gatewright") for folder in os.get_exec_path()]
    found = [path for path in found if os.path.isabs(path) and os.access(path, os.X_OK)]
    why = "no gatewright in %s (%s)" % (sys.executable, fault)
    if found:
        try:
            os.execv(found[0], [found[0], "run-script", *sys.argv[2:]])
        except OSError as error:
            why = "cannot run %s (%s)" % (found[0], error.strerror)
    line = "dc-validate-scorecard: ERROR: %s; run: %s -m pip install gatewright" % (why, sys.executable)
    sys.stderr.write(line.replace("\n", " ") + "\n")
    sys.exit(1)
sys.exit(run_script("dc-validate-scorecard", sys.argv[3:], sys.argv[2]))'
for native in "$here"/../_native.*; do
  case $native in
  *.so | *.pyd)
    # Inside the package itself: any Python will do, and without its site module it starts sooner.
    exec "$python" -I -S -c "import sys
sys.path.insert(0, sys.argv[1])$program" "$here/../.." "$script" "$@"
    ;;
  esac
done
# The working directory goes off the path first: a run folder must not be able to pose as the package.
exec "$python" -c "import sys
sys.path[:] = [entry for entry in sys.path if entry]$program" - "$script" "$@"
