"""mkdocs hook: the rule pages, made from the installed gatewright when the site is built.

In: the rule registry, through ``gatewright explain``. Out: ``rules/CODE.md`` and
``rules/index.md``. Nothing is kept in the repository, so no page can drift from its rule.
"""

from __future__ import annotations

import json

from gatewright import _native
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

INTRODUCTION = "# Rules\n\n`gatewright explain CODE` prints the same pages.\n\n"


def explained(*arguments: str) -> str:
    """Standard output of ``gatewright explain``."""
    status, stdout, stderr = _native.cli_output(["explain", *arguments])
    if status != 0:
        raise RuntimeError(stderr.decode("utf-8"))
    return stdout.decode("utf-8")


def pages() -> dict[str, str]:
    """Path under the documentation to text of every rule page."""
    rules = json.loads(explained("--format", "json"))["rules"]
    found = {f"rules/{rule['code']}.md": explained(rule["code"]) for rule in rules}
    lines = [f"- [{rule['code']} {rule['name']}]({rule['code']}.md)\n" for rule in rules]
    return {**found, "rules/index.md": INTRODUCTION + "".join(lines)}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the rule pages to the site."""
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files
