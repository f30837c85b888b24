"""Time ``dc-validate-scorecard.sh`` on one scorecard against ``python3 -c pass``.

    python tests/bench/scorecard_dropin.py [ROUNDS]

Runs both in turn, so that a busy machine slows both alike, and prints medians in milliseconds and
their ratio. The bar is 1.5. Needs an installed release build.
"""

from __future__ import annotations

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


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    environment = {**os.environ, "GATEWRIGHT_PYTHON": sys.executable}
    times: dict[str, list[float]] = {"python -c pass": [], "bash script": [], "script": []}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for _ in range(rounds):
            for name, command in (
                ("python -c pass", [sys.executable, "-c", "pass"]),
                ("bash script", ["bash", str(SCRIPT), "rev", "run"]),
                ("script", [str(SCRIPT), "rev", "run"]),
            ):
                prepare(root)
                start = time.perf_counter()
                done = subprocess.run(
                    command, cwd=root, env=environment, capture_output=True, check=True
                )
                times[name].append(time.perf_counter() - start)
                assert name == "python -c pass" or b"10 kept, 0 dropped" in done.stderr
    bare = statistics.median(times["python -c pass"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:16} {1000 * median:7.2f} ms  {median / bare:5.2f} x")


if __name__ == "__main__":
    main()
