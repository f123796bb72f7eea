"""The observed events of a run."""

from __future__ import annotations

import datetime
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from typing import Any

Value = bool | int | float | str | None
Event = tuple[str, str, list[tuple[str, Value]], int | None, tuple[str, int] | None]


def _nanoseconds(time: float | datetime.datetime | datetime.timedelta | None) -> int | None:
    """A time as nanoseconds since 1970, or since the moment from which the caller counts."""
    if time is None:
        return None
    if isinstance(time, datetime.datetime):
        zone = time.tzinfo or datetime.timezone.utc
        time = time.replace(tzinfo=zone) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    if isinstance(time, datetime.timedelta):
        return (time // datetime.timedelta(microseconds=1)) * 1000
    return round(time * 1_000_000_000)


class Log:
    """The log of a lifeline, while a run is recorded."""

    def __init__(self, run: Run, lifeline: str):
        self._run, self._lifeline = run, lifeline

    def sent(self, message: str, *, at: float | datetime.datetime | None = None, **values: Value) -> Log:
        """Records that the lifeline sent a message, before it is really sent. Keywords are the values that it carries."""
        return self._record("!" + message, at, values)

    def received(self, message: str, *, at: float | datetime.datetime | None = None, **values: Value) -> Log:
        """Records that the lifeline received a message, after it was really received."""
        return self._record("?" + message, at, values)

    def _record(self, action: str, at: Any, values: dict[str, Value]) -> Log:
        caller = sys._getframe(2)
        place = (caller.f_code.co_filename, caller.f_lineno)
        event = (self._lifeline, action, list(values.items()), _nanoseconds(at), place)
        with self._run._lock:
            self._run._events.append(event)
        return self


class Run:
    """The observed events of one run of a system. Threads may record at the same time, each in its own log.

    >>> run = Run()
    >>> _ = run.log("client").sent("get").received("page")
    >>> _ = run.log("server").received("get").sent("page")
    >>> len(run)
    4
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []

    def log(self, lifeline: str) -> Log:
        """The log of a lifeline. Only the order of events of the same lifeline counts."""
        return Log(self, lifeline)

    def clear(self) -> None:
        """Forgets all events."""
        with self._lock:
            self._events.clear()

    def __len__(self) -> int:
        return len(self._events)

    def __getstate__(self) -> list[Event]:
        return self._events_now()

    def __setstate__(self, events: list[Event]) -> None:
        self.__init__()
        self._events = events

    def _events_now(self) -> list[Event]:
        with self._lock:
            return list(self._events)


def _shown(event: Event) -> Event:
    """The event with the name of its file as people write it: relative to the working folder, if it is below that."""
    *rest, place = event
    if place is None:
        return event
    file, line = place
    if os.path.basename(os.path.dirname(file)).startswith("ipykernel_"):
        # Jupyter gives every cell a file of its own, which nobody sees.
        return (*rest, ("cell", line))
    below = os.path.join(os.getcwd(), "")
    return (*rest, (file.removeprefix(below), line))


Recorded = Run | Mapping[str, Iterable[str]] | Iterable[tuple[str, str]]
"""A run: a :class:`Run`; for each lifeline its actions, ``{"a": ["!m", "?n"]}``; or pairs ``("a", "!m")``."""


def events(run: Recorded) -> list[Event]:
    """The events of a run in any of its forms."""
    if isinstance(run, Run):
        return [_shown(event) for event in run._events_now()]
    if hasattr(run, "otlp"):
        raise TypeError("spans have a run for each trace: say spans.check(spec)")
    if isinstance(run, Mapping):
        pairs = [(lifeline, action) for lifeline, log in run.items() for action in log]
    else:
        pairs = [(lifeline, action) for lifeline, action in run]
    return [(lifeline, action, [], None, None) for lifeline, action in pairs]
