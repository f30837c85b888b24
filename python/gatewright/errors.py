"""Exceptions of the Python API."""

from __future__ import annotations


class GatewrightError(Exception):
    """A gate could not run: unusable input, unwritable output.

    Attributes:
        message: what is wrong, one line.
        source: display name of the input or output, empty when there is none.
        path: place inside the input, e.g. ``$.findings[3]``, empty for the whole.
    """

    def __init__(self, message: str, source: str = "", path: str = "") -> None:
        """Keep the parts; ``str()`` joins them to one line."""
        super().__init__(message, source, path)
        self.message = message
        self.source = source
        self.path = path

    def __str__(self) -> str:
        """One line: source, path, message."""
        return ": ".join(part for part in (self.source, self.path, self.message) if part)
