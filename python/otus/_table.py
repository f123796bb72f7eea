"""Tables of events: many runs at once, in and out as Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TYPE_CHECKING

from . import _otus
from ._options import Checks, checks
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Verdicts:
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

    def __init__(self, table: Any):
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._table.__arrow_c_schema__()

    def __len__(self) -> int:
        return self._table.num_rows

    def to_arrow(self) -> Any:
        """The same as a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """The same as a frame of pandas."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The same as a frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<otus.Verdicts of {len(self)} runs>"


class Checker:
    """Checks the runs in tables that come in parts.

    With ``grouped=True``, all rows of a run must stand together, and :meth:`push` gives the answers for runs that are over. A run
    that comes back after another one is a :class:`TableError`, never a verdict on a part of it. With ``grouped=False``, rows stand
    anywhere, and the answers come from :meth:`finish`.

    The columns:

    - ``run``, ``lifeline``, ``action``: the names of their columns. An action is ``!message`` (sent) or ``?message`` (received).
    - ``order``: the column by which the events of a lifeline are ordered. Without it, that is the order of rows.
    - ``peer``: the column of the other end of each message.
    - ``time``: the column of time stamps, for specifications with bounds.
    - ``values``: the columns of values, for specifications with guards; or fields and their columns.

    The rest:

    - ``explain``: how many failures are explained. An explanation takes a thousand times as long as a verdict.
    - ``expected``: the runs that must have happened. Those without rows are runs without events.
    - ``unusable``: what to do about a run with a null, an unknown lifeline, or two events at one place of the order: "raise", or
      "keep" a row with the verdict ``Unusable`` and the reason.
    - ``memory``: the bytes that rows may take before they go to temporary files, in ``folder``; two gigabytes by default.
    - ``allow_empty``: whether a table without rows is no error.
    - what a check assumes, and its limits, as in :meth:`Spec.check`.
    """

    def __init__(
        self,
        spec: Spec,
        *,
        run: str = "run",
        lifeline: str = "lifeline",
        action: str = "action",
        order: str | None = None,
        peer: str | None = None,
        time: str | None = None,
        values: Iterable[str] | Mapping[str, str] = (),
        grouped: bool = False,
        explain: int = 0,
        expected: Iterable[str] = (),
        unusable: Literal["raise", "keep"] = "raise",
        memory: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        allow_empty: bool = False,
        **options: Unpack[Checks],
    ):
        if unusable not in ("raise", "keep"):
            raise ValueError(f'unusable is {unusable!r}; it may be "raise" or "keep"')
        if isinstance(values, str):
            values = [values]
        names = {
            "run": run,
            "lifeline": lifeline,
            "action": action,
            "order": order,
            "peer": peer,
            "time": time,
            "values": list(values.items() if isinstance(values, Mapping) else zip(values, values)),
        }
        settings = {
            "grouped": grouped,
            "explain": explain,
            "expected": [str(name) for name in expected],
            "memory": memory,
            "folder": None if folder is None else os.fspath(folder),
            "allow_empty": allow_empty,
            "keep_unusable": unusable == "keep",
        }
        self._core = _otus.Checker(spec._core, names, checks(options), settings)

    def push(self, table: Any) -> Verdicts:
        """Takes a part of the table: anything with the PyCapsule interface of Arrow."""
        return Verdicts(self._core.push(table))

    def finish(self) -> Verdicts:
        """Ends the table, and gives the answers that are left."""
        return Verdicts(self._core.finish())


def check_table(spec: Spec, table: Any, **options: Any) -> Verdicts:
    """Checks all runs of a table.

    The table is anything with the PyCapsule interface of Arrow: of pyarrow, pandas, Polars, a relation of DuckDB. Dictionary
    columns (categories) stay dictionaries. The options are those of :class:`Checker`:

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

    parts = [pyarrow.table(checker.push(table)), pyarrow.table(checker.finish())]
    return Verdicts(pyarrow.concat_tables(parts))


def check_stream(spec: Spec, batches: Iterable[Any], **options: Any) -> Iterator[Verdicts]:
    """Checks the runs in batches that come one after another, the rows of a run together. Gives answers as soon as runs are
    over.
    """
    checker = Checker(spec, grouped=True, **options)
    for batch in batches:
        verdicts = checker.push(batch)
        if len(verdicts):
            yield verdicts
    verdicts = checker.finish()
    if len(verdicts):
        yield verdicts
