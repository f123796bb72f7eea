"""Folders of logs, formulas, and what is learnt from logs."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TYPE_CHECKING

from . import _otus
from ._case import Case, Drawing, decoded
from ._html import report, verdict_table
from ._options import Checks, checks
from ._run import Value
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Checked:
    """The cases of a folder. True if all of them conform and at least one event was checked."""

    cases: list[Case]
    """A case for each group of logs."""
    summary: str
    """The counts, in a line."""
    warnings: list[str]
    """What is odd about the logs."""
    conforms: bool
    """Whether all groups conform, and at least one event was checked."""

    @classmethod
    def _of(cls, parts: tuple[list[dict[str, Any]], str, list[str], bool]) -> Checked:
        cases, summary, warnings, conforms = parts
        return cls([Case._of(case) for case in cases], summary, warnings, conforms)

    def __bool__(self) -> bool:
        return self.conforms

    def __str__(self) -> str:
        failures = [f"{case.id}:\n{case}\n" for case in self.cases if not case]
        return "\n".join([*failures, *self.warnings, self.summary])

    def _repr_html_(self) -> str:
        """The verdicts, the picture of the first failure, and the warnings."""
        names = [case.verdict for case in self.cases]
        rows = [{"case": case.id, "verdict": case.verdict, "events": case.events, "headline": case.headline} for case in self.cases]
        rows.sort(key=lambda row: row["verdict"] == "Pass")
        counts = {name: names.count(name) for name in names}
        table = verdict_table(counts, ["case", "verdict", "events", "headline"], rows[:SHOWN])
        failures = [case for case in self.cases if not case]
        first = f"<p>{html.escape(failures[0].id)}:</p>{failures[0]._repr_html_()}" if failures else ""
        warnings = "".join(report(warning) for warning in self.warnings)
        return f"{table}{first}{warnings}<p>{html.escape(self.summary)}</p>"


SHOWN = 20
"""The most cases that Jupyter shows."""


class Project:
    """A folder with an ``otus.toml``, which maps logs to events and names the specification."""

    def __init__(self, folder: str | os.PathLike[str] = "."):
        self.folder = os.fspath(folder)

    def check(self, **limits: Unpack[Checks]) -> Checked:
        """Checks all logs, group by group, as ``otus analyze`` does in that folder. ``max_states`` and ``timeout`` are limits for
        each group; what may be missing is said in ``otus.toml``.
        """
        return Checked._of(_otus.check_folder(self.folder, checks(limits)))


def check_logs(folder: str | os.PathLike[str] = ".", **limits: Unpack[Checks]) -> Checked:
    """Checks the logs of a folder with an ``otus.toml``."""
    return Project(folder).check(**limits)


@dataclass(frozen=True)
class Answer:
    """Whether a formula holds, and a run that proves it."""

    formula: str
    """The formula in its canonical form."""
    holds: bool | None
    """Whether it holds; ``None`` if a limit was reached."""
    headline: str
    """The answer in a line."""
    text: str = field(repr=False)
    """The answer with the run that proves it."""
    details: dict[str, Any] = field(repr=False)
    """Everything as data, in the form of ``otus ctl --format json``."""
    picture: Drawing | None = field(repr=False)
    """The run that proves it."""

    @classmethod
    def _of(cls, parts: dict[str, Any]) -> Answer:
        return cls(**decoded(parts))

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        return self.picture and self.picture.svg


class Order:
    """Events of processes, what they set, and what happened before what.

    >>> order = Order()
    >>> released = order.event("p", {"p.critical": False})
    >>> _ = order.event("q", {"q.critical": True}, after=[released])
    >>> bool(ctl(order, "mutex(p.critical, q.critical)"))
    True
    """

    def __init__(self, initial: Mapping[str, Value] | None = None) -> None:
        self._initial = list((initial or {}).items())
        self._events: list[tuple[str, list[tuple[str, Value]], list[int], str | None]] = []

    def event(
        self,
        process: str,
        set: Mapping[str, Value] | None = None,
        *,
        after: Iterable[int] = (),
        label: str | None = None,
    ) -> int:
        """Adds the next event of a process, with the variables that it sets and events that happened before it. Returns its
        number.
        """
        self._events.append((process, list((set or {}).items()), list(after), label))
        return len(self._events) - 1


def ctl(trace: Order | str | os.PathLike[str], formula: str) -> Answer:
    """Checks a formula over every order that the observed causality allows: of an :class:`Order`, of a partial-order trace
    (``run.pot.json``), or of raw logs.
    """
    if isinstance(trace, Order):
        [parts] = _otus.ctl_order(trace._initial, trace._events, [formula])
    else:
        answers = _otus.ctl([os.fspath(trace), formula])
        if len(answers) != 1:
            raise ValueError(f"one formula is checked at a time; here are {len(answers)}")
        [parts] = answers
    return Answer._of(parts)


@dataclass(frozen=True)
class Learnt:
    """A diagram that accepts the runs it was learnt from."""

    mermaid: str
    """The diagram in Mermaid."""
    interaction: str = field(repr=False)
    """The same in the language of Otus."""
    picture: Drawing = field(repr=False)
    """The diagram as a picture."""
    remarks: list[str]
    """Where the diagram is more general or less exact than the runs."""

    def spec(self) -> Spec:
        """The diagram as a specification."""
        return Spec.from_mermaid(self.mermaid, "learnt.mmd")

    def _repr_svg_(self) -> str:
        return self.picture.svg


def learn(*paths: str | os.PathLike[str]) -> Learnt:
    """Learns a diagram from multi-traces, logs, or a folder of logs with an ``otus.toml``."""
    mermaid, interaction, picture, remarks = _otus.learn([os.fspath(path) for path in paths])
    return Learnt(mermaid, interaction, Drawing(picture), remarks)


def explain(code: str) -> str:
    """The page about the code of a diagnostic or the cause of a failure, as Markdown."""
    return _otus.explain(code)


def draw(spec: Spec | str | os.PathLike[str]) -> Drawing:
    """The sequence diagram of a specification, or of its file; Jupyter shows it."""
    return (spec if isinstance(spec, Spec) else Spec.from_file(spec)).draw()


def check(spec: Spec | str | os.PathLike[str], run: Any, **options: Unpack[Checks]) -> Case:
    """Checks whether a specification, or the one in a file, allows the observed run."""
    return (spec if isinstance(spec, Spec) else Spec.from_file(spec)).check(run, **options)
