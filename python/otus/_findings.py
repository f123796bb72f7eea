"""What many runs have in common, and the tables that this package gives."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from . import _otus


class Table:
    """A table with the PyCapsule interface of Arrow."""

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


def write(table: Table, folder: str | os.PathLike[str], name: str) -> str:
    """Writes a table into a folder, as a file of Parquet with this name, and returns its path."""
    import pyarrow.parquet

    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}.parquet")
    pyarrow.parquet.write_table(table.to_arrow(), path)
    return path


class Findings:
    """What many runs have in common: counts of verdicts, causes, a sample of explained failures, and coverage.

    Those of parts of the runs can be merged, in any order and on any machine; the result is that of all runs at once. The sample is
    a random one: the failures whose runs have the smallest hashes.
    """

    def __init__(self, core: _otus.Findings):
        self._core = core

    @classmethod
    def from_json(cls, text: str) -> Findings:
        """Reads what :meth:`to_json` gave."""
        return cls(_otus.Findings.read(text))

    def to_json(self) -> str:
        """One line, from which the findings can be made again elsewhere."""
        return self._core.text()

    @staticmethod
    def merged(parts: Iterable[Findings]) -> Findings:
        """The findings of all parts."""
        [first, *rest] = parts
        core = first._core
        for part in rest:
            core = core.merged(part._core)
        return Findings(core)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self._core.runs

    def totals(self) -> Table:
        """The runs by verdict: ``verdict``, ``runs``, ``events``, ``example``."""
        return Table(self._core.table("totals"))

    def causes(self) -> Table:
        """The causes of what did not pass: ``cause``, ``place``, ``runs``, ``example``, ``headline``. They are counted in the sample; the
        failures outside of it are the row ``not-explained``.
        """
        return Table(self._core.table("causes"))

    def sample(self) -> Table:
        """Failures with their explanations: ``run``, ``verdict``, ``events``, ``cause``, ``place``, ``headline``, ``explanation``."""
        return Table(self._core.table("sample"))

    def coverage(self) -> Table | None:
        """How often each part of the specification was exercised: ``kind``, ``part``, ``place``, ``runs``, ``observed``, ``assumed``. The
        first row counts the accepted runs. ``None`` if nobody asked for coverage.
        """
        table = self._core.table("coverage")
        return None if table is None else Table(table)

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes the tables into a folder as files of Parquet, of which ``otus report`` makes a page. Returns their paths."""
        tables = {name: getattr(self, name)() for name in ("totals", "causes", "sample", "coverage")}
        return [write(table, folder, name) for name, table in tables.items() if table is not None]

    def __repr__(self) -> str:
        return f"<otus.Findings of {self.runs} runs>"
