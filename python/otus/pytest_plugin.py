"""What pytest loads: the fixtures ``otus_run`` and ``otus_spans``, and failures without the frames of this package."""

from __future__ import annotations

import os

import pytest

from ._assert import Nonconformance
from ._run import Run


@pytest.fixture
def otus_run() -> Run:
    """A :class:`otus.Run` for the events of a test."""
    return Run()


def pytest_addoption(parser):
    """``otus_config`` in the settings of pytest names the ``otus.toml`` that maps the spans of tests."""
    parser.addini("otus_config", "the otus.toml that maps the spans of the fixture otus_spans", default="")


@pytest.fixture(scope="session")
def _otus_attached(pytestconfig):
    """The spans of the global provider, which keeps its processors for ever."""
    from .opentelemetry import Spans

    config = pytestconfig.getini("otus_config")
    return Spans(pytestconfig.rootpath / config if config else None).attach()


@pytest.fixture
def otus_spans(_otus_attached):
    """The :class:`otus.opentelemetry.Spans` of a test."""
    _otus_attached.clear()
    yield _otus_attached
    _otus_attached.clear()


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
