"""The exceptions of this package."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A mistake in a text: a diagram, an ``otus.toml``, a formula."""

    code: str
    """The code, such as ``O0301``; :func:`otus.explain` has its page."""
    is_error: bool
    """Whether it makes the text unusable."""
    message: str
    """What is wrong."""
    file: str
    """The name of the text."""
    line: int
    """The line, from 1."""
    column: int
    """The column, from 1, in characters."""
    help: str | None
    """What would be right."""


class OtusError(Exception):
    """Something cannot be checked. A run that does not conform is no error but a :class:`otus.Case`."""

    def __init__(self, message: str, findings: list[tuple] | None = None):
        super().__init__(message, findings or [])
        self.findings = [Finding(*found) for found in findings or []]
        """The mistakes, if it is about a text."""

    def __str__(self) -> str:
        return self.args[0]

    def _first(self) -> Finding | None:
        errors = [found for found in self.findings if found.is_error]
        return (errors or self.findings or [None])[0]

    @property
    def code(self) -> str | None:
        """The code of the first mistake."""
        first = self._first()
        return first and first.code

    @property
    def place(self) -> str | None:
        """The place of the first mistake, as ``flow.mmd:3:5``."""
        first = self._first()
        return first and f"{first.file}:{first.line}:{first.column}"

    @property
    def help(self) -> str | None:
        """What would be right instead of the first mistake."""
        first = self._first()
        return first and first.help


class SpecError(OtusError):
    """A text has mistakes."""


class TableError(OtusError, ValueError):
    """A table cannot be checked: a column is missing or has the wrong type, or a row has no meaning."""


class Stopped(OtusError):
    """A limit or the caller ended the work before there was a result."""
