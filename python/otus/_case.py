"""The answers: a case for each run."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import Any

from ._html import report, verdict


@dataclass(frozen=True)
class Drawing:
    """A picture, which Jupyter shows."""

    svg: str
    """The picture as SVG."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        """Writes the picture into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def decoded(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts of an answer of the extension module, with its data and its picture as objects."""
    rest = {name: part for name, part in parts.items() if name not in ("picture", "json")}
    svg = parts["picture"]
    return {**rest, "details": json.loads(parts["json"]), "picture": Drawing(svg) if svg else None}


@dataclass(frozen=True)
class Case:
    """A run and its verdict. True if the specification allows the run; its text is the explanation."""

    id: str
    """The name of the run."""
    verdict: str
    """``Pass``; ``WeakPass``, if something was not observed; ``Fail``; ``Inconclusive``, if a limit was reached."""
    conforms: bool
    """Whether the specification allows the run: a Pass or a WeakPass."""
    headline: str
    """The problem in one line; if there is none, the verdict in words."""
    cause: str | None
    """The cause of a failure, such as ``missing-counterpart``; :func:`otus.explain` has its page."""
    text: str = field(repr=False)
    """The explanation, as the command line shows it."""
    events: int
    """The number of events of the run."""
    repair: list[str] = field(repr=False)
    """The edits that would make a failing run conform, if some were found."""
    details: dict[str, Any] = field(repr=False)
    """Everything as data, in the form of ``otus analyze --format json``."""
    picture: Drawing | None = field(repr=False)
    """The events of the run, with the failure marked."""

    @classmethod
    def _of(cls, parts: dict[str, Any]) -> Case:
        return cls(**decoded(parts))

    def __bool__(self) -> bool:
        return self.conforms

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        picture = self.picture.svg if self.picture else ""
        return f"<p>{verdict(self.verdict)} {html.escape(self.headline)}</p>{picture}{report(self.text)}"
