"""Faults at system calls and kills at random moments: no torn file, no report cut short that passes.

    python3 tests/faults.py GATEWRIGHT [--faults N] [--kills N] [--seed N]

GATEWRIGHT is the native command. Needs a C compiler (short and interrupted reads and writes, a full
disk, an I/O error, through LD_PRELOAD). Not a part of CI: it takes some minutes. Each command first runs
undisturbed, which gives the new content of its files. Then it runs again and again over the old
content with one kind of fault; afterwards every file must be the old or the new one whole, exit 0 must
mean the new one and a whole report, and after a last undisturbed run no temporary file may be left.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/types.h>
#include <sys/stat.h>

static const char *kind(void) { return getenv("FAULT_KIND"); }

/* The chosen call, counted over all threads, or a share of them. */
static int strikes(void) {
    static int count = 0;
    const char *at = getenv("FAULT_AT");
    return at && __sync_add_and_fetch(&count, 1) == atoi(at);
}
static int often(void) {
    static unsigned state = 0;
    if (!state) state = (unsigned)atoi(getenv("FAULT_AT") ? getenv("FAULT_AT") : "1") * 2654435761u + 1;
    unsigned mine = __sync_add_and_fetch(&state, 2654435761u);
    return (mine >> 16) % 3 == 0;
}
static int is(const char *name) { const char *k = kind(); return k && !strcmp(k, name); }

ssize_t write(int fd, const void *buf, size_t n) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (is("short") && n > 1 && often()) n = 1 + n / 3;
    if (is("eintr") && often()) { errno = EINTR; return -1; }
    if (is("enospc") && strikes()) { errno = ENOSPC; return -1; }
    if (is("eio") && strikes()) { errno = EIO; return -1; }
    return real(fd, buf, n);
}
ssize_t read(int fd, void *buf, size_t n) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    if (is("short") && n > 1 && often()) n = 1 + n / 3;
    if (is("eintr") && often()) { errno = EINTR; return -1; }
    return real(fd, buf, n);
}
#define FAIL(name, args, call, code) \
    int name args { \
        static int (*real) args; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        if (is(#name) && strikes()) { errno = code; return -1; } \
        return real call; \
    }
FAIL(rename, (const char *a, const char *b), (a, b), ENOSPC)
FAIL(fsync, (int fd), (fd), EIO)
FAIL(fchmod, (int fd, mode_t m), (fd, m), EIO)
FAIL(mkdir, (const char *p, mode_t m), (p, m), ENOSPC)
FAIL(link, (const char *a, const char *b), (a, b), EIO)
FAIL(unlink, (const char *p), (p), EIO)
"""

KINDS = ["short", "eintr", "enospc", "eio", "rename", "fsync", "fchmod", "mkdir", "link", "unlink"]
DOCUMENT = "The tenant shall not assign this Agreement without consent.\n"


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def material(folder, package):
    """Inputs of every command below."""
    for name in ("assessment.json", "framework.json", "blueprint.json"):
        shutil.copy(package / "examples" / name, folder / name)
    write(folder / "room/a.txt", DOCUMENT)
    identity = "sha256:" + hashlib.sha256(DOCUMENT.encode()).hexdigest()[:12]
    documents = [{"id": identity, "path": "a.txt", "readability": "native"}]
    write(folder / "manifest.json", {"documents": documents, "counts": {"files": 1, "native": 1}})
    findings = [
        {
            "finding_id": f"i{number}/{identity}",
            "issue_id": f"i{number}",
            "lens_id": "l",
            "unit_id": identity,
            "doc_id": identity,
            "status": "present",
            "quote": "shall not assign",
            "section": "1",
        }
        for number in range(2000)
    ]
    write(folder / "findings.json", {"framework_version": 1, "findings": findings, "parked": []})
    write(
        folder / "gatewright.toml",
        '[[gate]]\ngate = "blueprint recount"\ninputs = ["blueprint.json"]\n',
    )


HASH = "ab" * 32
COMMANDS = {
    "verdict": f"blueprint verdict assessment.json --draft-hash {HASH} --verdict-dir out "
    "--evaluated-at 2026-01-01T00:00:00+09:00",
    "quotes": "ledger quotes --findings findings.json --manifest manifest.json --room-root room "
    "--out out/quoted.json",
    "freeze": "framework freeze framework.json --into out",
    "report": "blueprint recount blueprint.json --format html --output out/report.html",
    "run": "run --cache-dir out/cache --report sarif=out/run.sarif",
    "explain": "explain --format json",
}


class Scene:
    """A folder with the command's inputs and the old content of its outputs."""

    def __init__(self, program, shim, package, words):
        self.program, self.shim, self.words = program, shim, words.split()
        self.folder = Path(tempfile.mkdtemp(prefix="gatewright-faults-"))
        material(self.folder, package)
        (self.folder / "out").mkdir()
        started = time.monotonic()
        done = self.run()
        self.seconds = time.monotonic() - started
        self.status, self.stdout = done.returncode, done.stdout
        self.new = self.content()
        # What was there before: other content in the same places, where the command overwrites.
        self.old = {
            name: b"{}\n"
            for name in self.new
            if not name.startswith(("out/cache", "out/framework"))
        }

    def environment(self, **more):
        home = str(self.folder / "home")
        own = {f"XDG_{name}_HOME": home for name in ("CACHE", "STATE", "CONFIG")}
        return {**os.environ, **own, "NO_COLOR": "1", **more}

    def run(self, **faults):
        if faults:
            faults["LD_PRELOAD"] = str(self.shim)
        return subprocess.run(
            [self.program, *self.words],
            cwd=self.folder,
            env=self.environment(**faults),
            capture_output=True,
            timeout=120,
        )

    def content(self):
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in (self.folder / "out").rglob("*")
            if path.is_file()
        }

    def reset(self):
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").mkdir()
        for name, content in self.old.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(content)

    def faults_of(self, status, stdout, is_killed=False):
        """What is wrong after a disturbed run, one line each."""
        wrong = []
        found = self.content()
        for name, content in found.items():
            if "/.gatewright-" in name and name.endswith(".tmp"):
                if not is_killed:
                    wrong.append(f"{name} is left")
            elif name.endswith(".gatewright-pack") or "/cache/" in name:
                continue
            elif content not in (self.old.get(name), self.new.get(name)):
                wrong.append(f"{name} is torn ({len(content)} bytes)")
        if not is_killed and status == self.status:
            if timeless(stdout) != timeless(self.stdout):
                wrong.append(f"status {status} with another report")
            wrong += [
                f"status {status} and {name} is not the new one"
                for name, content in self.new.items()
                if "/cache/" not in name and found.get(name) != content
            ]
        return wrong

    def settles(self):
        """What is wrong after a last undisturbed run."""
        done = self.run()
        wrong = [] if done.returncode == self.status else [f"afterwards status {done.returncode}"]
        left = [name for name in self.content() if name.endswith(".tmp")]
        return wrong + [f"afterwards {name} is left" for name in left]


def timeless(report):
    """A report without the times that it tells."""
    return b"".join(
        line for line in report.splitlines() if b" ms" not in line and b" s)" not in line
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--faults", type=int, default=800)
    parser.add_argument("--kills", type=int, default=900)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    package = Path(__file__).parents[1] / "python/gatewright"
    work = Path(tempfile.mkdtemp(prefix="gatewright-shim-"))
    write(work / "shim.c", SHIM)
    shim = work / "shim.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", shim, work / "shim.c", "-ldl"], check=True
    )
    program = arguments.program.resolve()
    scenes = {name: Scene(program, shim, package, words) for name, words in COMMANDS.items()}
    wrong, statuses = [], collections.Counter()
    for number in range(arguments.faults):
        name, scene = list(scenes.items())[number % len(scenes)]
        kind = KINDS[number // len(scenes) % len(KINDS)]
        scene.reset()
        at = str(chance.randint(1, 12))
        done = scene.run(FAULT_KIND=kind, FAULT_AT=at)
        statuses[kind, done.returncode] += 1
        found = scene.faults_of(done.returncode, done.stdout)
        if done.returncode not in (0, 1, 2):
            found.append(f"status {done.returncode}")
        wrong += [f"{name}, {kind} at {at}: {line}" for line in found + scene.settles()]
    for number in range(arguments.kills):
        name, scene = list(scenes.items())[number % len(scenes)]
        scene.reset()
        child = subprocess.Popen(
            [program, *scene.words],
            cwd=scene.folder,
            env=scene.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.random() * scene.seconds * 1.2)
        child.send_signal(chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        status = child.wait()
        statuses["kill", status] += 1
        found = scene.faults_of(status, b"", is_killed=True)
        if number % 10 == 0:
            found += scene.settles()
        wrong += [f"{name}, killed: {line}" for line in found]
    for (kind, status), count in sorted(statuses.items()):
        print(f"{kind}: status {status}: {count}")
    print("\n".join(wrong) or "nothing torn, nothing left, nothing cut short")
    for scene in scenes.values():
        shutil.rmtree(scene.folder)
    shutil.rmtree(work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
