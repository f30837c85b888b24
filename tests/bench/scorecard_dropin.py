"""Time ``dc-validate-scorecard.sh`` on one scorecard against ``python3 -c pass``.

    python tests/bench/scorecard_dropin.py [ROUNDS]

Runs both in turn, so that a busy machine slows both alike, and prints medians in milliseconds and
their ratio, by the clock and on the processor, and peak memory. The bar is 1.5. Needs an installed
release build. Status 1 when a run did not write the scorecard and the manifest it was made for, so
that no figure stands for work that was not done.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gatewright

SCRIPT = Path(gatewright.__file__).parent / "shims" / "dc-validate-scorecard.sh"
FINDING = (
    "- id: placeholder\n  target: '## Rollout'\n"
    "  claim: The old endpoint is removed in the release that replaces it, step {number}.\n"
    "  evidence: |\n    The old endpoint is removed in the same\n"
    "    release, step {number} of the rollout.\n"
    "  ask: Keep the old endpoint for two releases.\n  severity: blocker\n  category: operability\n"
)


def prepare(root: Path, findings: int = 10) -> None:
    """Write a persona and a run of one draft with an artifact of about 20 KB."""
    for folder in ("agents", "persona-metadata", "run"):
        (root / folder).mkdir(exist_ok=True)
    (root / "agents" / "rev.md").write_text("---\nname: rev\n---\n")
    phrases = "banned_phrases: [consider, think about, be aware of]\n"
    (root / "persona-metadata" / "rev.yml").write_text(phrases)
    lines = [
        f"The old endpoint is removed in the same\nrelease, step {number} of the rollout.\n"
        for number in range(280)
    ]
    (root / "run" / "INPUT.md").write_text("".join(lines))
    (root / "run" / "MANIFEST.json").write_text("{}\n")
    body = "".join(FINDING.format(number=number) for number in range(findings))
    draft = f"---\npersona: rev\nrun_id: r\nfindings:\n{body}---\n\n## Summary\n"
    (root / "run" / "rev-draft.md").write_text(draft)


def verify(root: Path, status: int, errors: bytes) -> None:
    """Refuse to print figures when a run did not do all it was made for."""
    run = root / "run"
    manifest = json.loads((run / "MANIFEST.json").read_text())
    written = (run / "rev.md").read_text() if (run / "rev.md").exists() else ""
    right = (
        status == 0
        and errors.endswith("rev — 10 kept, 0 dropped\n".encode())
        and manifest.get("findings_kept") == 10
        and written.count("id: rev-") == 10
        and not (run / "rev-draft.md").exists()
    )
    if not right:
        sys.exit(f"NO FIGURE: status {status}, manifest {manifest}, stderr {errors!r}")


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    environment = {**os.environ, "GATEWRIGHT_PYTHON": sys.executable}
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "bash script": ["bash", str(SCRIPT), "rev", "run"],
        "script": [str(SCRIPT), "rev", "run"],
    }
    clock: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    peak = dict.fromkeys(commands, 0)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for _ in range(rounds):
            for name, command in commands.items():
                prepare(root)
                (root / "run" / "rev.md").unlink(missing_ok=True)
                start = time.perf_counter()
                child = subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.PIPE)
                with child:
                    errors = child.stderr.read() if child.stderr else b""
                    _, status, used = os.wait4(child.pid, 0)
                    child.returncode = os.waitstatus_to_exitcode(status)
                clock[name].append(time.perf_counter() - start)
                processor[name].append(used.ru_utime + used.ru_stime)
                peak[name] = max(peak[name], used.ru_maxrss // 1024)
                if name != "python -c pass":
                    verify(root, child.returncode, errors)
                elif child.returncode != 0:
                    sys.exit(f"NO FIGURE: python -c pass ended with {child.returncode}")
    for kind, times in (("clock", clock), ("processor", processor)):
        bare = statistics.median(times["python -c pass"])
        for name, values in times.items():
            median = statistics.median(values)
            print(
                f"{kind:9} {name:16} {1000 * median:7.2f} ms  {median / bare:5.2f} x"
                f"  peak {peak[name]} MB"
            )


if __name__ == "__main__":
    main()
