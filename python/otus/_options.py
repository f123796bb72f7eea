"""The options of checks, each in one place: what all of them have, and what tables and data frames have besides."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

Observed = Literal["complete", "prefix", "suffix", "slice", "nothing", "global_prefix"]


class Checks(TypedDict, total=False):
    """What a check assumes about the logs, and its limits."""

    observed: Observed
    """What the logs have of the run: everything ("complete", the default); each log may stop early ("prefix"), start late
    ("suffix") or both ("slice"); or the run was stopped everywhere at one moment ("global_prefix")."""
    logs: Mapping[str, Observed]
    """The same for single lifelines; ``*`` in a name stands for any text."""
    together: Iterable[Iterable[str]]
    """Groups of lifelines that share a clock, so that the order between their events counts."""
    ignore: str | Iterable[str]
    """Lifelines whose events are ignored; ``*`` in a name stands for any text."""
    clock_uncertainty: float | None
    """How many seconds the clocks of two lifelines may differ at most."""
    max_states: int | None
    """The number of states after which a check ends undecided, on every machine alike."""
    timeout: float | None
    """The seconds after which a check ends undecided."""


class Rows(Checks, total=False):
    """What the columns of a table mean, and what is told about its runs."""

    run: str
    """The column of runs: texts or whole numbers; "run" by default."""
    lifeline: str
    """The column of lifelines; "lifeline" by default."""
    action: str
    """The column of actions, ``!message`` (sent) or ``?message`` (received); "action" by default."""
    order: str | None
    """The column by which the events of a lifeline are ordered: whole numbers or times. Without it, that is the order of rows."""
    peer: str | None
    """The column of the other end of each message."""
    time: str | None
    """The column of time stamps, for specifications with bounds."""
    values: Iterable[str] | Mapping[str, str]
    """The columns of values, for specifications with guards; or fields and their columns."""
    explain: int
    """How many failures are explained; none by default. An explanation takes a thousand times as long as a verdict."""
    findings: int | None
    """How many explained failures the findings keep as a sample. Without it, and without ``coverage``, there are no findings."""
    coverage: bool
    """Whether the findings count how often each part of the specification was exercised."""
    unusable: Literal["raise", "keep"]
    """What to do about a run with a null, an unknown lifeline, or two events at one place of the order: "raise", or "keep" a row
    with the verdict ``Unusable`` and the reason."""
    memory: int | None
    """The bytes that rows may take before they go to temporary files; two gigabytes by default."""
    folder: str | os.PathLike[str] | None
    """The folder of temporary files."""
    allow_empty: bool
    """Whether a table without rows is no error, though nothing is checked then."""


class Parts(Rows, total=False):
    """How the rows of a table come."""

    grouped: bool
    """Whether all rows of a run stand together. A run that comes back after another one is an error then."""
    expected: Iterable[str]
    """The runs that must have happened. Those without rows are runs without events."""


def known(options: Mapping[str, Any], kind: type) -> None:
    """Refuses options that there are not."""
    unknown = set(options) - set(kind.__annotations__)
    if unknown:
        names = ", ".join(kind.__annotations__)
        raise TypeError(f"there is no option {min(unknown)!r}; there are {names}")


def rows(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The options of a table as the core takes them: the columns, the checks, and the rest."""
    known(options, Parts)
    unusable = options.get("unusable", "raise")
    if unusable not in ("raise", "keep"):
        raise ValueError(f'unusable is {unusable!r}; it may be "raise" or "keep"')
    folder = options.get("folder")
    names = {name: options.get(name, name) for name in ("run", "lifeline", "action")}
    names |= {name: options.get(name) for name in ("order", "peer", "time")}
    names["values"] = list(fields(options).items())
    settings = {
        "grouped": options.get("grouped", False),
        "explain": options.get("explain", 0),
        "expected": [str(name) for name in options.get("expected", ())],
        "memory": options.get("memory"),
        "folder": None if folder is None else os.fspath(folder),
        "allow_empty": options.get("allow_empty", False),
        "findings": options.get("findings"),
        "coverage": options.get("coverage", False),
        "keep_unusable": unusable == "keep",
    }
    return names, checks({name: option for name, option in options.items() if name in Checks.__annotations__}), settings


def fields(options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of values and their columns."""
    values = options.get("values", ())
    if isinstance(values, Mapping):
        return dict(values)
    return {name: name for name in ([values] if isinstance(values, str) else values)}


def checks(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the core takes them."""
    known(options, Checks)
    ignore = options.get("ignore", ())
    return {
        "observed": options.get("observed", "complete"),
        "logs": list(dict(options.get("logs", {})).items()),
        "together": [list(group) for group in options.get("together", ())],
        "ignore": [ignore] if isinstance(ignore, str) else list(ignore),
        "clock_uncertainty": options.get("clock_uncertainty"),
        "max_states": options.get("max_states"),
        "timeout": options.get("timeout"),
    }
