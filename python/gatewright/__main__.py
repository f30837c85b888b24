"""``python -m gatewright`` and the ``gatewright`` console command."""

import sys

from gatewright._native import run_cli, run_command


def main() -> int:
    """Run the command with the process's arguments; return its exit status.

    ``gatewright run-script SCRIPT ARGS`` is for entry scripts whose own interpreter lacks the
    package: it runs the drop-in command of SCRIPT's name here, for the script where it lies.
    """
    if sys.argv[1:2] == ["run-script"] and len(sys.argv) > 2:
        script = sys.argv[2]
        # Usage texts name the script.
        del sys.argv[:2]
        name = script.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
        try:
            return run_command(name, sys.argv[1:], script)
        except ValueError as fault:
            sys.stderr.write(f"gatewright run-script: {fault}\n")
            return 2
    return run_cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
