"""What Jupyter shows of verdicts, in colours that suit light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

COLOURS = {"Pass": "#1a7f37", "WeakPass": "#2f6f9f", "Fail": "#c62828"}
"""The colours of verdicts. The others are undecided."""

CELL = 'style="text-align: left; vertical-align: top"'


def report(text: str) -> str:
    """A text in which columns count."""
    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto; line-height: 1.3">{escape(text)}</pre>'


def verdict(name: str, text: str | None = None) -> str:
    """A verdict in its colour, perhaps with another text."""
    colour = COLOURS.get(name, "#8a6d00")
    style = f"background: {colour}; color: white; padding: 0 0.5em; border-radius: 0.6em; white-space: nowrap"
    return f'<span style="{style}">{escape(text or name)}</span>'


def verdict_table(counts: Mapping[str, int], columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """The number of each verdict as a bar and as a text, and a table of some runs."""
    total = sum(counts.values())
    order = [name for name in ("Pass", "WeakPass", "Fail", "Inconclusive", "Unusable") if name in counts]
    order += sorted(set(counts) - set(order))
    bar = "".join(
        f'<div style="flex: {counts[name]}; min-width: 2px; background: {COLOURS.get(name, "#8a6d00")}"></div>' for name in order
    )
    told = " ".join(verdict(name, f"{counts[name]} {name}") for name in order)
    columns, rows = list(columns), list(rows)
    head = "".join(f"<th {CELL}>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td {CELL}>{_cell(column, row[column])}</td>" for column in columns) + "</tr>" for row in rows)
    rest = total - len(rows)
    more = f"<p>and {rest} more</p>" if rest > 0 else ""
    return (
        f'<div style="display: flex; height: 0.6em; max-width: 40em; margin: 0.5em 0">{bar}</div><p>{told}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _cell(column: str, value: Any) -> str:
    if value is None:
        return ""
    return verdict(value) if column == "verdict" else escape(str(value))
