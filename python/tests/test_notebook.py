"""The notebook of the examples, run without a browser: it stores no outputs, and what it shows are pictures and tables."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "otus.ipynb"


@pytest.fixture(scope="module")
def ran():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in code(notebook)), "outputs are stored"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(notebook, beginning, kind):
    """What the cells with this in their text show."""
    cells = [cell for cell in code(notebook) if beginning in cell.source]
    return "".join(output.data[kind] for cell in cells for output in cell.outputs if kind in output.get("data", {}))


def test_a_specification_is_a_diagram(ran):
    picture = shown(ran, "otus.Spec.from_file", "image/svg+xml")
    assert picture.startswith("<svg") and "POST /charge 402" in picture


def test_a_failing_run_has_a_picture_and_a_reason(ran):
    page = shown(ran, "checkout.check(run", "text/html")
    assert "Fail" in page and "<svg" in page and "POST /ship" in page and "error[" in page and "cell:3" in page


def test_logs_are_a_table_with_the_first_failure(ran):
    page = shown(ran, "otus.check_logs", "text/html")
    assert "3 Pass" in page and "2 Fail" in page and "<svg" in page and "7 groups" in page


def test_verdicts_are_a_table(ran):
    page = shown(ran, "otus.check_table", "text/html")
    assert "975 Pass" in page and "25 Fail" in page and "<table>" in page and "<td " in page and "order " in page and "and 980 more" in page


def test_diagrams_and_orders_are_pictures(ran):
    assert shown(ran, "otus.learn", "image/svg+xml").startswith("<svg")
    assert shown(ran, "otus.ctl", "image/svg+xml").startswith("<svg")
