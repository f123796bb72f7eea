"""Specifications."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _otus
from ._case import Case, Drawing
from ._options import Checks, checks
from ._run import Recorded, events

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Spec:
    """A specification: a sequence diagram or an interaction. It can be pickled, with all files it was read from.

    >>> spec = Spec.from_mermaid('''sequenceDiagram
    ...     client->>server: get
    ...     server-->>client: page
    ... ''')
    >>> spec.lifelines
    ['client', 'server']
    >>> spec.check({"client": ["!get"], "server": ["?get"]}).headline
    'the log of client ends where it should receive page'
    """

    def __init__(self, core: _otus.Spec):
        self._core = core

    @classmethod
    def from_file(cls, *paths: str | os.PathLike[str]) -> Spec:
        """Reads a specification by the ending of its name: ``flow.mmd`` (Mermaid), ``flow.puml`` (PlantUML), ``flow.hif``
        (interactions), ``docs/protocol.md#login`` (the diagram below a heading). Several files are one specification: a
        signature (``.hsf``) and an interaction (``.hif``).
        """
        return cls(_otus.Spec.read([os.fspath(path) for path in paths]))

    @classmethod
    def from_text(cls, text: str, name: str = "spec.hif") -> Spec:
        """Reads a text; the ending of the name gives its format, as in :meth:`from_file`."""
        file = name.partition("#")[0]
        return cls(_otus.Spec([name], "/", [(file, text.encode())]))

    @classmethod
    def from_mermaid(cls, text: str, name: str = "spec.mmd") -> Spec:
        """Reads a sequence diagram in Mermaid."""
        return cls.from_text(text, name)

    @property
    def name(self) -> str:
        """The name of the text."""
        return self._core.name

    @property
    def lifelines(self) -> list[str]:
        """The lifelines, in order."""
        return self._core.lifelines

    @property
    def messages(self) -> list[str]:
        """The messages, in order."""
        return self._core.messages

    @property
    def warnings(self) -> str:
        """Warnings about parts that are probably mistakes; empty if there are none."""
        return self._core.warnings

    def check(self, run: Recorded, **options: Unpack[Checks]) -> Case:
        """Checks whether the specification allows the observed run."""
        return Case._of(self._core.check(events(run), checks(options)))

    def draw(self) -> Drawing:
        """The sequence diagram, which Jupyter shows."""
        return Drawing(self._core.svg())

    def text(self, columns: int = 120) -> str | None:
        """The sequence diagram as text; ``None`` if it is wider than this number of columns."""
        return self._core.text(columns)

    def _repr_svg_(self) -> str:
        return self._core.svg()

    def __reduce__(self):
        return _restore, self._core.sources()

    def __repr__(self) -> str:
        return f"<otus.Spec {self.name}: {', '.join(self.lifelines)}>"


def _restore(names: list[str], folder: str, files: list[tuple[str, bytes]]) -> Spec:
    return Spec(_otus.Spec(names, folder, [(name, bytes(content)) for name, content in files]))
