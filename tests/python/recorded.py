"""Run recorded cases: a command's arguments, files, environment, and what must come of it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "conformance"


def cases(name):
    """The cases of ``name``.jsonl; those in the words of one Python run under that one."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case.get("python", version) == version]


def content(recorded):
    if isinstance(recorded, dict):
        return base64.b64decode(recorded["base64"])
    return recorded.encode("utf-8", "surrogatepass")


def differences(case, script):
    """What differs from the recording, one text each; a crash must be a one-line refusal."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, recorded in case["files"].items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(recorded))
        before = tree(root)
        env = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80", **case.get("env", {})}
        done = subprocess.run(
            [sys.executable, script, *case["argv"]],
            cwd=root,
            env=env,
            capture_output=True,
            timeout=120,
        )
        want, found = case["expect"], []
        if want.get("crash"):
            lines = done.stderr.decode().splitlines()
            names = [*case["files"], *(word for word in case["argv"] if word)]
            if done.returncode != 2 or done.stdout or len(lines) != 1:
                found.append(f"no refusal: {done}")
            if not any(name in done.stderr.decode() for name in names):
                found.append(f"names no input: {done.stderr!r}")
            if tree(root) != before:
                found.append("files changed")
        else:
            got = (done.returncode, done.stdout.decode(), done.stderr.decode())
            said = want["stderr"].replace("{CASE}", str(root))
            wanted = (want["exit"], want["stdout"], said)
            if got != wanted:
                found.append(f"got {got}, want {wanted}")
            for name, text in want.get("files", {}).items():
                if (root / name).read_bytes().decode() != text:
                    found.append(f"{name} differs")
            found += [f"{name} exists" for name in want.get("absent", []) if (root / name).exists()]
    return [f"{case['id']}: {text}" for text in found]


def tree(root):
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def all_differences(name, script):
    """Differences of every case of ``name``, run two at a time."""
    selected = cases(name)
    assert len(selected) > 100
    with ThreadPoolExecutor(2) as pool:
        return [
            text
            for found in pool.map(lambda case: differences(case, script), selected)
            for text in found
        ]
