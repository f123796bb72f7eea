"""The runs of a table that is larger than one machine: on Apache Spark and on Sail, with the same call.

The engine brings the rows of a run into one partition, and nothing more: this package groups and orders them inside, because engines differ in what
they keep of a sort. Each partition has one checker for all of its runs.

Lifelines and actions are shuffled as texts. As numbers, which a join with a small table gives, they cost more: 1.7 instead of 1.4 µs of processor time an event on
Apache Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import __version__
from ._errors import TableError
from ._findings import Findings
from ._options import Rows, fields, known, rows
from ._spec import Spec
from ._table import Checker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

SCHEMA = "run string, verdict string, events long, cause string, headline string, explanation string"
"""The columns of the answers, as in :class:`otus.Verdicts`."""

SCHEMA_WITH_FINDINGS = f"{SCHEMA}, findings string"
"""The columns of the answers if findings are asked for."""


def check(spec: Spec, events: DataFrame, *, order: str, partitions: int | None = None, **options: Unpack[Rows]) -> DataFrame:
    """Checks all runs of a data frame, and gives a data frame with a row for each run.

    The options are those of :class:`otus.Rows`, as for tables. The rows of a run may stand anywhere; ``order`` must be given, since rows
    have no order on a cluster. ``partitions`` is the number of tasks; without it the engine chooses. ``explain`` counts for each partition.
    ``memory`` is that of the rows of one task; beyond it they go to temporary files of the worker.

    With ``findings`` or ``coverage``, there is one more column, ``findings``, from which :func:`findings` makes tables of causes, coverage
    and a sample of explained failures; it is null except for one row of each task.

    Whether there are rows at all is looked up at once, which reads the beginning of the data frame; ``allow_empty=True`` leaves that out.

    Every worker needs this package.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    known(options, Rows)
    # A partition may be empty.
    arguments: dict[str, Any] = {**options, "order": order, "values": fields(options), "allow_empty": True}
    # Mistakes in options, columns and types are told here, before anything runs.
    names, *_ = rows(arguments)
    Checker(spec, **arguments).push(to_arrow_schema(events.schema).empty_table())
    chosen, arguments = _chosen(events, names, arguments)
    run = arguments["run"]
    if not options.get("allow_empty", False) and not chosen.take(1):
        raise TableError("the data frame has no rows, so nothing was checked; if that is meant, say allow_empty=True")
    chosen = chosen.repartition(run) if partitions is None else chosen.repartition(partitions, run)
    has_findings = arguments.get("findings") is not None or arguments.get("coverage", False)
    schema = SCHEMA_WITH_FINDINGS if has_findings else SCHEMA
    return chosen.mapInArrow(_mapper(spec._core.sources(), arguments, __version__, has_findings), schema)


def findings(verdicts: DataFrame) -> Findings:
    """What all runs have in common, of a data frame that :func:`check` made with ``findings`` or ``coverage``.

    This runs the data frame; cache or write it first if its rows are wanted as well.
    """
    if "findings" not in verdicts.columns:
        raise TableError("the data frame has no findings; say findings=100 or coverage=True to otus.spark.check")
    rows = verdicts.where("findings is not null").select("findings").collect()
    if not rows:
        raise TableError("the data frame has no rows, so there are no findings")
    return Findings.merged(Findings.from_json(row["findings"]) for row in rows)


def _chosen(events: DataFrame, names: dict[str, Any], arguments: dict[str, Any]) -> tuple[DataFrame, dict[str, Any]]:
    """The columns that count, and the arguments with their names. A dot in a name becomes a line, since ``mapInArrow`` would take it for
    a field.
    """
    from pyspark.sql import functions

    def plain(name: str | None) -> str | None:
        return name and name.replace(".", "_")

    fields = dict(names["values"])
    single = {role: names[role] for role in ("run", "lifeline", "action", "order", "peer", "time")}
    columns = {name: plain(name) for name in [*single.values(), *fields.values()] if name is not None}
    if len(set(columns.values())) < len(columns):
        raise TableError(f"some of the columns {', '.join(columns)} differ by a dot only; rename one of them")
    quoted = {name: "`" + name.replace("`", "``") + "`" for name in columns}
    chosen = events.select(*(functions.col(quoted[name]).alias(own) for name, own in columns.items()))
    return chosen, arguments | {role: plain(name) for role, name in single.items()} | {"values": {field: plain(name) for field, name in fields.items()}}


def _mapper(sources: tuple, arguments: dict[str, Any], version: str, has_findings: bool) -> Any:
    """What a worker does with its partition. It is sent as code, so that a worker without this package can say so."""

    def check_partition(batches):
        try:
            import otus
        except ImportError as error:
            raise RuntimeError(
                f"a worker cannot import the package otus: install it on every node, pip install otus=={version}"
            ) from error
        import pyarrow

        if otus.__version__ != version:
            raise RuntimeError(f"a worker has otus {otus.__version__}, the driver {version}: install the same on every node")
        checker = otus.Checker(otus._spec._restore(*sources), **arguments)
        for batch in batches:
            checker.push(batch)
        verdicts = checker.finish()
        table = verdicts.to_arrow()
        if has_findings:
            # The last row of a partition has the findings of all its rows.
            texts = [None] * (len(table) - 1) + [verdicts.findings.to_json()] if len(table) else []
            table = table.append_column("findings", pyarrow.array(texts, pyarrow.string()))
        yield from table.to_batches(max_chunksize=10_000)

    check_partition.__module__ = "__main__"
    return check_partition
