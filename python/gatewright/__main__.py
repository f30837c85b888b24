"""``python -m gatewright`` and the ``gatewright`` console command."""

import sys

from gatewright._native import run_cli


def main() -> int:
    """Run the command with the process's arguments; return its exit status."""
    return run_cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
