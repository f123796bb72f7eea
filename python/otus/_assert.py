"""The assertion for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ._case import Case
from ._options import Checks
from ._project import Checked
from ._run import Recorded
from ._spans import Recording
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Nonconformance(AssertionError):
    """A run does not conform. Its text is the explanation, ``case`` has everything; of several runs, it is the first such."""

    def __init__(self, message: str, case: Case | None):
        super().__init__(message)
        self.case = case


@overload
def assert_conforms(spec: Spec, run: Recording, **options: Unpack[Checks]) -> Checked: ...
@overload
def assert_conforms(spec: Spec, run: Recorded, **options: Unpack[Checks]) -> Case: ...
def assert_conforms(spec: Spec, run: Recorded | Recording, **options: Unpack[Checks]) -> Case | Checked:
    """Fails a test, with the explanation, unless a run, or every trace of recorded spans, conforms to a specification.

    It also fails if a limit left the verdict undecided, and if nothing was recorded, since then nothing was checked.
    """
    __tracebackhide__ = True
    if isinstance(run, Recording):
        return _spans_conform(spec, run.check(spec, **options))
    case = spec.check(run, **options)
    if case.verdict == "Fail":
        message = f"the run does not conform to {spec.name}\n\n{case}"
    elif not case.conforms:
        message = f"whether the run conforms to {spec.name} is not decided\n\n{case}"
    elif case.events == 0:
        message = f"nothing was recorded, so nothing was checked against {spec.name}; if that is meant, use spec.check"
    else:
        return case
    raise Nonconformance(message, case)


def _spans_conform(spec: Spec, checked: Checked) -> Checked:
    __tracebackhide__ = True
    if checked.conforms:
        return checked
    failing = [case for case in checked.cases if not case]
    if any(case.verdict == "Fail" for case in failing):
        message = f"the spans do not conform to {spec.name}\n\n{checked}"
    elif failing:
        message = f"whether the spans conform to {spec.name} is not decided\n\n{checked}"
    else:
        message = f"no span was recorded, so nothing was checked against {spec.name}"
    raise Nonconformance(message, failing[0] if failing else None)
