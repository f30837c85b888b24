"""The build backend: maturin's wheel, with the native ``gatewright`` command in it.

maturin builds an extension module or a program, not both. So the wheel that it built gets the
program as a script of its data folder, and the console entry point of the same name, which would
be installed over it, goes. Editable installs (and ``maturin develop``) keep that entry point:
there the command is ``python -m gatewright``, which answers the same.

In: maturin's build arguments (``--config-settings build-args=...`` or ``MATURIN_PEP517_ARGS``).
Out: the wheel. Source distributions and the metadata of editable installs are maturin's own.
``GATEWRIGHT_NO_NATIVE=1`` leaves the program away.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, Any]

#: Console entry point, cargo target and script: all have the one name.
COMMAND = "gatewright"


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    """What maturin needs, and zig's cargo command when maturin is told to link with zig."""
    needed = list(maturin.get_requires_for_build_wheel(config_settings))
    if "--zig" in maturin.get_maturin_pep517_args(config_settings):
        needed += ["cargo-zigbuild>=0.20", "ziglang>=0.12"]
    return needed


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings | None = None
) -> str:
    """Metadata by maturin, without the console entry point that the program replaces."""
    name = maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
    entry_points = Path(metadata_directory, name, "entry_points.txt")
    if _has_program():
        entry_points.write_bytes(_without_command(entry_points.read_bytes()))
    return name


def build_wheel(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build maturin's wheel and put the program into it."""
    name = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    if _has_program():
        program = _build_program(maturin.get_maturin_pep517_args(config_settings))
        _add_script(Path(wheel_directory, name), program)
    return name


def _has_program() -> bool:
    return not os.environ.get("GATEWRIGHT_NO_NATIVE")


def _build_program(arguments: list[str]) -> Path:
    """The program, compiled as maturin was asked to compile the extension module.

    Same profile, target and linker: so cargo compiles what both are made of once.
    """
    target = _option(arguments, "--target")
    words = ["build"]
    if "--zig" in arguments:
        words = ["zigbuild"]
        policy = _option(arguments, "--compatibility") or _option(arguments, "--manylinux")
        target = _with_glibc(target, policy)
    # Both packages, as cargo takes the features of all that it builds together.
    words += ["--package", COMMAND, "--package", f"{COMMAND}-python", "--bin", COMMAND]
    words += ["--profile", _option(arguments, "--profile") or "release"]
    words += ["--message-format", "json-render-diagnostics"]
    if target:
        words += ["--target", target]
    if Path("Cargo.lock").exists():
        words.append("--locked")
    words += [flag for flag in ("--offline", "--frozen") if flag in arguments]
    sys.stdout.write(f"Running `cargo {' '.join(words)}`\n")
    sys.stdout.flush()
    # maturin fetches Rust when there is none; the same one is used here.
    environment = maturin._get_env()
    done = subprocess.run(["cargo", *words], stdout=subprocess.PIPE, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"cargo could not build the program (status {done.returncode})")
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == COMMAND:
            return Path(message["executable"])
    raise SystemExit("cargo built no program")


def _option(arguments: list[str], flag: str) -> str | None:
    for at, word in enumerate(arguments):
        if word == flag and at + 1 < len(arguments):
            return arguments[at + 1]
        if word.startswith(flag + "="):
            return word[len(flag) + 1 :]
    return None


def _with_glibc(target: str | None, compatibility: str | None) -> str | None:
    """The target in zig's notation: ``…-gnu.2.17`` for ``manylinux2014``."""
    if target is None or not target.endswith("-gnu") or compatibility is None:
        return target
    old = {"manylinux2014": "2.17", "manylinux2010": "2.12"}
    if compatibility in old:
        return f"{target}.{old[compatibility]}"
    if compatibility.startswith(("manylinux_", "2_")):
        major, minor = compatibility.removeprefix("manylinux_").split("_")[:2]
        return f"{target}.{major}.{minor}"
    return target


def _add_script(wheel: Path, program: Path) -> None:
    """Write ``wheel`` anew: with the script, without the entry point, with a record of both."""
    changed = wheel.with_suffix(".part")
    rows = []
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(changed, "w") as new:

        def put(about: zipfile.ZipInfo, content: bytes) -> None:
            about.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(about, content, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append(f"{about.filename},sha256={digest.decode()},{len(content)}")

        (record,) = [name for name in old.namelist() if name.endswith(".dist-info/RECORD")]
        folder = record.removesuffix("/RECORD")
        for about in old.infolist():
            if about.filename == record or about.is_dir():
                continue
            content = old.read(about)
            if about.filename == f"{folder}/entry_points.txt":
                content = _without_command(content)
            put(about, content)
        data = folder.removesuffix(".dist-info") + ".data"
        script = zipfile.ZipInfo(f"{data}/scripts/{program.name}", old.getinfo(record).date_time)
        script.external_attr = (stat.S_IFREG | 0o755) << 16
        put(script, program.read_bytes())
        rows.append(f"{record},,")
        about = zipfile.ZipInfo(record, old.getinfo(record).date_time)
        about.external_attr = (stat.S_IFREG | 0o644) << 16
        about.compress_type = zipfile.ZIP_DEFLATED
        new.writestr(about, "\n".join(rows) + "\n")
    shutil.move(changed, wheel)


def _without_command(entry_points: bytes) -> bytes:
    lines = entry_points.splitlines(keepends=True)
    # The pytest plugin has an entry point of the same name in a group of its own.
    group, kept = b"", []
    for line in lines:
        if line.startswith(b"["):
            group = line.strip()
        is_command = line.split(b"=")[0].strip() == COMMAND.encode()
        if not (is_command and group == b"[console_scripts]"):
            kept.append(line)
    return b"".join(kept)
