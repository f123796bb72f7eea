"""The options that all checks have."""

from __future__ import annotations

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


def checks(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the core takes them."""
    unknown = set(options) - set(Checks.__annotations__)
    if unknown:
        known = ", ".join(Checks.__annotations__)
        raise TypeError(f"there is no option {min(unknown)!r}; there are {known}")
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
