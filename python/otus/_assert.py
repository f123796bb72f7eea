"""The assertion for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._case import Case
from ._options import Checks
from ._run import Recorded
from ._spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Nonconformance(AssertionError):
    """A run does not conform. Its text is the explanation, ``case`` has everything."""

    def __init__(self, message: str, case: Case):
        super().__init__(message)
        self.case = case


def assert_conforms(spec: Spec, run: Recorded, **options: Unpack[Checks]) -> Case:
    """Fails a test, with the explanation, unless a run conforms to a specification.

    It also fails if a limit left the verdict undecided, and if nothing was recorded, since then nothing was checked.
    """
    __tracebackhide__ = True
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
