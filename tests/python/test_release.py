"""Releases: workflows are valid and pinned, licences complete, versions and addresses in one place."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import gatewright
import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TOOLS = Path(sys.executable).parent


def ci(script, *arguments, root=ROOT):
    return subprocess.run(
        [sys.executable, root / ".ci" / script, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def tool(name, *arguments):
    path = shutil.which(name, path=str(TOOLS))
    assert path, f"{name} is not installed; it is in the extra `test`"
    done = subprocess.run([path, *arguments], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_workflows_to_check():
    assert [path.stem for path in WORKFLOWS] == ["docs", "release", "test"]


def test_workflows_have_the_shape_that_github_asks_for():
    tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)
    tool("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")


def test_workflows_are_free_of_known_mistakes():
    tool("zizmor", "--offline", "--quiet", ".github/workflows", "action.yml")


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.stem)
def test_every_action_is_pinned_by_digest(path):
    uses = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert uses
    for one in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_one_action_has_one_digest():
    digests = {}
    for path in WORKFLOWS:
        for action, rest in re.findall(r"uses: ([\w./-]+)@(.*)", path.read_text("utf-8")):
            assert digests.setdefault(action, rest) == rest


def test_every_script_of_a_workflow_is_there():
    for path in WORKFLOWS:
        for script in re.findall(r"\.ci/[\w-]+", path.read_text("utf-8")):
            assert (ROOT / script).is_file(), script


@pytest.fixture(scope="module")
def metadata():
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.usefixtures("metadata")
def test_every_linked_crate_has_its_licence_in_the_wheel(tmp_path):
    done = ci("third-party", "--check")
    assert (done.returncode, done.stderr) == (0, "")
    # The check tells what is missing and what is listed in vain.
    root = tmp_path / "tree"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("target", ".git", ".venv*"))
    listed = root / "THIRD-PARTY-LICENSES.txt"
    text = listed.read_text("utf-8")
    listed.write_text(re.sub(r"^serde (\S+):", r"serdo \1:", text, flags=re.MULTILINE), "utf-8")
    done = ci("third-party", "--check", root=root)
    assert done.returncode == 1
    assert re.search(r"lacks serde \S+ and lists in vain serdo \S+; run", done.stderr)


def test_the_texts_name_their_holders():
    text = (ROOT / "THIRD-PARTY-LICENSES.txt").read_text("utf-8")
    head, *texts = text.split("\n" + "-" * 79 + "\n")
    crates = re.findall(r"^(\S+) (\d\S*): ", head, re.MULTILINE)
    assert len(crates) > 100
    held = {name for one in texts for name in one.splitlines()[0].removeprefix("For ").split(", ")}
    assert held == {f"{name} {version}" for name, version in crates}


def allowed(expression, licences):
    """Whether some choice of an SPDX expression asks for nothing beyond ``licences``."""
    expression = expression.replace("/", " OR ")
    terms = re.findall(r"\(|\)|AND|OR|(?:(?!AND\b|OR\b)[\w.+-]+(?: WITH [\w.-]+)?)", expression)
    words = ["and" if t == "AND" else "or" if t == "OR" else t for t in terms]
    code = " ".join(w if w in ("and", "or", "(", ")") else str(w in licences) for w in words)
    return eval(code)


def test_dependencies_keep_to_the_licences_of_deny_toml(metadata):
    deny = (ROOT / "deny.toml").read_text("utf-8")
    licences = set(re.findall(r'^  "([^"]+)",$', deny.split("[licenses]")[1], re.MULTILINE))
    assert allowed("GPL-3.0-only OR MIT", licences)
    assert not allowed("MIT AND GPL-3.0-only", licences)
    assert not allowed("GPL-3.0-only", licences)
    packages = [package for package in metadata["packages"] if package["source"]]
    assert len(packages) > 100
    for package in packages:
        assert package["source"].startswith("registry+"), package["name"]
        assert package["license"], package["name"]
        assert allowed(package["license"], licences), (package["name"], package["license"])


def test_the_version_stands_in_one_place():
    version = ci("version").stdout.strip()
    assert version == gatewright.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert "version.workspace = true" in (ROOT / "bindings/Cargo.toml").read_text("utf-8")
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert ci("version", "--check", f"v{version}").returncode == 0
    assert ci("version", "--notes").stdout.strip()
    done = ci("version", "--check", "v0.0.9")
    assert (done.returncode, done.stderr) == (
        1,
        f"version: the tag is v0.0.9, Cargo.toml says {version}\n",
    )


def test_the_citation_has_its_shape():
    tool("check-jsonschema", "--builtin-schema", "vendor.citation-file-format", "CITATION.cff")


def test_an_address_reaches_everything_that_an_index_shows(tmp_path):
    for file in ("Cargo.toml", "pyproject.toml", "README.md", "CITATION.cff"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs/hooks.md", tmp_path / "docs")
    done = ci("name-repository", "https://git.example/o/gatewright.git", "v9.9.9", tmp_path)
    assert done.returncode == 0, done.stderr
    readme = (tmp_path / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 8
    for link in links:
        assert link.startswith("https://git.example/o/gatewright/"), link
        _, _, file = link.removeprefix("https://git.example/o/gatewright/").partition("/v9.9.9/")
        assert (ROOT / file.split("#")[0]).exists(), link
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    assert shown
    assert all("/raw/v9.9.9/" in picture for picture in shown)
    cargo = (tmp_path / "Cargo.toml").read_text("utf-8")
    assert cargo.count('repository = "https://git.example/o/gatewright"') == 1
    assert cargo.count("repository.workspace = true") == 1
    pyproject = (tmp_path / "pyproject.toml").read_text("utf-8")
    urls = pyproject.split("[project.urls]\n")[1].split("\n\n")[0]
    assert urls.splitlines()[0] == 'Repository = "https://git.example/o/gatewright"'
    hooks = (tmp_path / "docs/hooks.md").read_text("utf-8")
    assert "  - repo: https://git.example/o/gatewright\n    rev: v9.9.9\n" in hooks
    assert "example.org" not in hooks
    citation = (tmp_path / "CITATION.cff").read_text("utf-8")
    assert 'repository-code: "https://git.example/o/gatewright"' in citation
    for file in ("CHANGELOG.md", "SECURITY.md", "docs"):
        assert (ROOT / file).exists()
    if sys.version_info >= (3, 11):
        import tomllib

        assert tomllib.loads(pyproject)["project"]["urls"]["Issues"].endswith("/issues")
        package = tomllib.loads(cargo)["package"]
        assert package["repository"] == {"workspace": True}
