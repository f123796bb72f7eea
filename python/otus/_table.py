"""Tables of events: many runs at once, in and out as Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _otus
from ._findings import Findings, Table, write
from ._html import verdict_table
from ._options import Parts, rows
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Verdicts(Table):
    """The answers to a table: one row for each run.

    It has the PyCapsule interface of Arrow, so ``pyarrow.table(verdicts)``, ``polars.DataFrame(verdicts)`` and
    ``duckdb.from_arrow(pyarrow.table(verdicts))`` take it without a copy. Its columns are

    - ``run``: the name of the run, as text;
    - ``verdict``: ``Pass``, ``WeakPass``, ``Fail``, ``Inconclusive``, or ``Unusable`` (see ``unusable="keep"``);
    - ``events``: the number of events;
    - ``cause``: the cause of a failure, such as ``missing-counterpart``; null for a Pass;
    - ``headline``: the problem in a line; null for a Pass;
    - ``explanation``: the whole explanation of the first failures, if asked for.
    """

    def __init__(self, table: Any, findings: Findings | None = None):
        super().__init__(table)
        self.findings = findings
        """What all runs have in common, if ``findings`` or ``coverage`` asked for it."""

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes the verdicts, and the findings if there are any, into a folder as files of Parquet, of which ``otus report`` makes a
        page. Returns their paths.
        """
        written = self.findings.save(folder) if self.findings else []
        return [write(self, folder, "verdicts"), *written]

    def __repr__(self) -> str:
        return f"<otus.Verdicts of {len(self)} runs>"

    def _repr_html_(self) -> str:
        """The counts of verdicts, and the first runs, those without a Pass before the others."""
        table = self.to_arrow()
        counts = {pair["values"]: pair["counts"] for pair in table["verdict"].value_counts().to_pylist()}
        verdicts = table["verdict"].to_pylist()
        first = sorted(range(len(verdicts)), key=lambda row: verdicts[row] == "Pass")[:SHOWN]
        return verdict_table(counts, ["run", "verdict", "events", "cause", "headline"], table.take(first).to_pylist())


SHOWN = 20
"""The most rows of a table that Jupyter shows."""


class Checker:
    """Checks the runs in tables that come in parts.

    With ``grouped=True``, all rows of a run must stand together, and :meth:`push` gives the answers for runs that are over. A run
    that comes back after another one is a :class:`TableError`, never a verdict on a part of it. With ``grouped=False``, rows stand
    anywhere, and the answers come from :meth:`finish`.

    The options are those of :class:`otus.Parts`: the columns (``run``, ``lifeline``, ``action``, ``order``, ``peer``, ``time``, ``values``);
    what is told (``explain``, ``unusable``, ``expected``, ``allow_empty``); the memory for rows (``memory``, ``folder``); and what a check
    assumes, with its limits, as in :meth:`Spec.check`.
    """

    def __init__(self, spec: Spec, **options: Unpack[Parts]):
        self._core = _otus.Checker(spec._core, *rows(options))

    def push(self, table: Any) -> Verdicts:
        """Takes a part of the table: anything with the PyCapsule interface of Arrow."""
        return Verdicts(self._core.push(table))

    def finish(self) -> Verdicts:
        """Ends the table, and gives the answers that are left."""
        verdicts, findings = self._core.finish()
        return Verdicts(verdicts, Findings(findings) if findings else None)


def check_table(spec: Spec, table: Any, **options: Unpack[Parts]) -> Verdicts:
    """Checks all runs of a table.

    The table is anything with the PyCapsule interface of Arrow: of pyarrow, pandas, Polars, a relation of DuckDB. Dictionary
    columns (categories) stay dictionaries. The options are those of :class:`otus.Parts`:

    >>> import pyarrow
    >>> spec = Spec.from_mermaid("sequenceDiagram\\n  a->>b: ping\\n")
    >>> events = pyarrow.table({
    ...     "trace": [1, 2, 1], "host": ["a", "a", "b"], "action": ["!ping", "!ping", "?ping"], "seq": [1, 1, 1],
    ... })
    >>> verdicts = check_table(spec, events, run="trace", lifeline="host", order="seq")
    >>> verdicts.to_arrow()["verdict"].to_pylist()
    ['Pass', 'Fail']
    """
    checker = Checker(spec, **options)
    if not options.get("grouped", False):
        checker._core.push(table)
        return checker.finish()
    import pyarrow

    first, last = checker.push(table), checker.finish()
    return Verdicts(pyarrow.concat_tables([pyarrow.table(first), pyarrow.table(last)]), last.findings)


def check_stream(spec: Spec, batches: Iterable[Any], **options: Unpack[Parts]) -> Iterator[Verdicts]:
    """Checks the runs in batches that come one after another, the rows of a run together. Gives answers as soon as runs are
    over; the last ones have the findings.
    """
    checker = Checker(spec, grouped=True, **options)
    for batch in batches:
        verdicts = checker.push(batch)
        if len(verdicts):
            yield verdicts
    verdicts = checker.finish()
    if len(verdicts) or verdicts.findings:
        yield verdicts
