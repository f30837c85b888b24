"""The process that reads PDF files: started by the package itself, ended with its input."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from gatewright._native import read_pdfs


def library_folder() -> Path:
    """Folder of pdfium, which the package ``pypdfium2`` brings along.

    Raises:
        ModuleNotFoundError: When that package is not installed.
    """
    # Found, not imported: its Python interface takes longer to load than a document to read.
    spec = find_spec("pypdfium2_raw")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package pypdfium2 is not installed", name="pypdfium2_raw")
    return Path(spec.origin).parent


def main() -> None:
    """Read documents from standard input until it ends."""
    read_pdfs(library_folder())
