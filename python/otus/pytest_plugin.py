"""What pytest loads: the fixture ``otus_run``, and failures without the frames of this package."""

from __future__ import annotations

import os

import pytest

from ._assert import Nonconformance
from ._run import Run


@pytest.fixture
def otus_run() -> Run:
    """A :class:`otus.Run` for the events of a test."""
    return Run()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows a failed conformance as the command line does: the explanation, and the line of the test."""
    outcome = yield
    report = outcome.get_result()
    error = call.excinfo
    if error is not None and error.errisinstance(Nonconformance):
        outside = [entry for entry in error.traceback if not str(entry.path).startswith(_FOLDER)]
        last = outside[-1] if outside else error.traceback[-1]
        file = str(last.path).removeprefix(os.path.join(os.getcwd(), ""))
        report.longrepr = f"{error.value}\n\n{file}:{last.lineno + 1}: in {last.name}"


_FOLDER = os.path.join(os.path.dirname(__file__), "")
