"""The runs of a table that is larger than one machine: on Apache Spark and on Sail, with the same call.

The engine brings the rows of a run into one partition, and nothing more: this package groups and orders them inside, because engines differ in what
they keep of a sort. Each partition has one checker for all of its runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import __version__
from ._spec import Spec
from ._table import Checker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from ._options import Checks

SCHEMA = "run string, verdict string, events long, cause string, headline string, explanation string"
"""The columns of the answers, as in :class:`otus.Verdicts`."""


def check(
    spec: Spec,
    events: DataFrame,
    *,
    order: str,
    run: str = "run",
    lifeline: str = "lifeline",
    action: str = "action",
    peer: str | None = None,
    time: str | None = None,
    values: Iterable[str] | Mapping[str, str] = (),
    partitions: int | None = None,
    explain: int = 0,
    unusable: Literal["raise", "keep"] = "raise",
    memory: int | None = None,
    folder: str | None = None,
    **options: Unpack[Checks],
) -> DataFrame:
    """Checks all runs of a data frame, and gives a data frame with a row for each run.

    The columns and options are those of :class:`otus.Checker`. The rows of a run may stand anywhere; ``order`` must be given, since rows
    have no order on a cluster. ``partitions`` is the number of tasks; without it the engine chooses. ``explain`` counts for each partition.
    ``memory`` is that of the rows of one task; beyond it they go to temporary files of the worker.

    Every worker needs this package.
    """
    if isinstance(values, str):
        values = [values]
    fields = dict(values) if isinstance(values, Mapping) else {name: name for name in values}
    wanted = [run, lifeline, action, order, peer, time, *fields.values()]
    columns = list(dict.fromkeys(name for name in wanted if name is not None))
    missing = [name for name in columns if name not in events.columns]
    arguments: dict[str, Any] = {
        "run": run,
        "lifeline": lifeline,
        "action": action,
        "order": order,
        "peer": peer,
        "time": time,
        "values": fields,
        "explain": explain,
        "unusable": unusable,
        "memory": memory,
        "folder": folder,
        "allow_empty": True,
        **options,
    }
    # Mistakes are told here rather than by every worker.
    Checker(spec, **arguments)
    if missing:
        from ._errors import TableError

        have = ", ".join(f"`{name}`" for name in events.columns)
        raise TableError(f"there is no column `{missing[0]}`; the data frame has {have}")
    rows = events.select(*columns)
    rows = rows.repartition(run) if partitions is None else rows.repartition(partitions, run)
    return rows.mapInArrow(_mapper(spec._core.sources(), arguments, __version__), SCHEMA)


def _mapper(sources: tuple, arguments: dict[str, Any], version: str) -> Any:
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
        yield from pyarrow.table(checker.finish()).to_batches(max_chunksize=10_000)

    check_partition.__module__ = "__main__"
    return check_partition
