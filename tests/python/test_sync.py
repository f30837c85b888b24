"""``GATEWRIGHT_SYNC``: which files are synced to the disk before they take their place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from assessments import passing

# Stands before the C library's own and notes each call.
WATCHER = r"""
#include <stdio.h>
#include <stdlib.h>
int fsync(int fd) {
    FILE *log = fopen(getenv("WATCHED_SYNCS"), "a");
    fprintf(log, "%d\n", fd);
    fclose(log);
    return 0;
}
"""


@pytest.fixture(scope="module")
def watcher(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and a linker that can preload")
    folder = tmp_path_factory.mktemp("watcher")
    (folder / "watcher.c").write_text(WATCHER)
    words = ["-shared", "-fPIC", "-o", folder / "watcher.so", folder / "watcher.c"]
    subprocess.run([compiler, *words], check=True)
    return folder / "watcher.so"


def sync_count(watcher, tmp_path, command, **variables):
    """Syncs of one run that writes a receipt."""
    (tmp_path / "a.json").write_text(json.dumps(passing()))
    log = tmp_path / "syncs"
    log.write_text("")
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, "LD_PRELOAD": str(watcher), "WATCHED_SYNCS": str(log), **variables},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "v").iterdir())) == 1
    return len(log.read_text().splitlines())


def test_scripts_sync_when_asked_and_the_umbrella_always(shims, watcher, tmp_path):
    draft_hash = "ab" * 32
    script = [
        shims / "emit-verdict.py",
        "--assessment=a.json",
        f"--draft-hash={draft_hash}",
        "--out-dir=v",
    ]
    umbrella = ["-m", "gatewright", "blueprint", "verdict", "a.json", "--draft-hash", draft_hash]
    umbrella += ["--verdict-dir", "v"]
    assert sync_count(watcher, tmp_path, script) == 0
    assert sync_count(watcher, tmp_path, script, GATEWRIGHT_SYNC="") == 0
    # The file and the folder that names it.
    assert sync_count(watcher, tmp_path, script, GATEWRIGHT_SYNC="1") == 2
    assert sync_count(watcher, tmp_path, umbrella) == 2
