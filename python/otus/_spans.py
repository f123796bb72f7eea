"""Spans as the record of runs: each trace is a run, and the core maps them as it maps files of OTLP."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import _otus
from ._options import Checks, checks
from ._project import Checked
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

NAME = "spans.otlp.jsonl"
"""The name of the spans in explanations: a line for each, in the order in which they ended."""


class Recording:
    """Spans as lines of OTLP JSON. :class:`otus.opentelemetry.Spans` records them; a trace is a run.

    - ``config``: an ``otus.toml``, whose source of the format ``otlp`` maps the spans, and whose ``[observation]`` counts.
    - instead of it, keywords: the keys of such a source, as ``reply="{name} {http.response.status_code}"``.
    """

    def __init__(self, config: str | os.PathLike[str] | None = None, **source: str):
        if config is not None and source:
            raise TypeError(f"{min(source)} stands in the otus.toml, if there is one: give config, or the keys of a source")
        self.config = config
        self._source = source
        self._lines: list[str] = []

    def otlp(self) -> str:
        """The spans that have ended, as lines of OTLP JSON."""
        return "".join(line + "\n" for line in list(self._lines))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the spans into a file, for ``otus learn`` and the other commands. Its name should end in ``.otlp.jsonl``."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.otlp())

    def clear(self) -> None:
        """Forgets all spans."""
        self._lines.clear()

    def __len__(self) -> int:
        return len(self._lines)

    def check(self, spec: Spec, **options: Unpack[Checks]) -> Checked:
        """Checks every trace against the specification. ``together``, ``ignore`` and ``clock_uncertainty`` are said in an
        ``otus.toml``.
        """
        if not self._lines:
            return Checked([], "no span was recorded", [], False)
        return Checked._of(_otus.check_spans(spec._core, NAME, self.otlp().encode(), self._settings(), checks(options), "observed" in options))

    def _settings(self) -> tuple[str, bytes] | None:
        """The ``otus.toml``: its path and its text."""
        if self.config is not None:
            with open(self.config, "rb") as file:
                return os.path.abspath(self.config), file.read()
        if not self._source:
            return None
        keys = {"files": NAME, "format": "otlp", **self._source}
        # A text of JSON is one of TOML, too.
        lines = [f"{name} = {json.dumps(text, ensure_ascii=False)}\n" for name, text in keys.items()]
        return os.path.abspath("otus.toml"), ("[[source]]\n" + "".join(lines)).encode()
