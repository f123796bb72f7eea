"""Data frames on Sail: the verdicts of the same table without it."""

import random
import sys

import otus
import pytest

pytest.importorskip("pyspark")
pysail = pytest.importorskip("pysail.spark")

import otus.spark  # noqa: E402
import pyarrow as pa  # noqa: E402

FLOW = """sequenceDiagram
  client->>server: request
  server-->>client: response
"""
SPEC = otus.Spec.from_mermaid(FLOW, "flow.mmd")
RIGHT = [("client", "!request", 1), ("server", "?request", 1), ("server", "!response", 2), ("client", "?response", 2)]


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    server = pysail.SparkConnectServer(ip="127.0.0.1", port=0)
    server.start()
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def events(runs):
    rows = []
    for number in range(runs):
        own = list(RIGHT)
        if number % 5 == 0:
            del own[number // 5 % 4]
        rows += [(f"run {number}", *event) for event in own]
    random.Random(3).shuffle(rows)
    names = ["run", "lifeline", "action", "seq"]
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def told(rows):
    return {row["run"]: (row["verdict"], row["events"], row["cause"]) for row in rows}


def test_verdicts_are_those_of_the_table(session, tmp_path):
    table = events(2000)
    import pyarrow.parquet

    for part in range(4):
        pyarrow.parquet.write_table(table.slice(part * 2000, 2000), tmp_path / f"{part}.parquet")
    frame = session.read.parquet(str(tmp_path))
    found = otus.spark.check(SPEC, frame, order="seq", partitions=3).collect()
    expected = told(otus.check_table(SPEC, table, order="seq").to_arrow().to_pylist())
    assert len(found) == len(expected) == 2000
    assert told(row.asDict() for row in found) == expected


def test_mistakes_are_told_before_anything_runs(session):
    frame = session.createDataFrame([("r", "client", "!request")], "run string, lifeline string, action string")
    with pytest.raises(otus.TableError, match="there is no column `seq`; the table has `run`, .*: say order="):
        otus.spark.check(SPEC, frame, order="seq")
    with pytest.raises(otus.OtusError, match='observed is "some"'):
        otus.spark.check(SPEC, frame, order="run", observed="some")


def test_findings_come_back_from_every_task(session):
    table = events(1000)
    expected = otus.check_table(SPEC, table, order="seq", findings=30, coverage=True).findings
    frame = session.createDataFrame(table.to_pandas())
    verdicts = otus.spark.check(SPEC, frame, order="seq", partitions=4, findings=30, coverage=True)
    assert otus.spark.findings(verdicts).to_json() == expected.to_json()
    assert verdicts.count() == 1000
    with pytest.raises(otus.TableError, match="the data frame has no findings; say findings=100"):
        otus.spark.findings(otus.spark.check(SPEC, frame, order="seq"))


def test_an_empty_frame_and_wrong_types_are_told(session):
    schema = "run string, lifeline string, action string, seq long"
    empty = session.createDataFrame([], schema)
    with pytest.raises(otus.TableError, match="the data frame has no rows, so nothing was checked"):
        otus.spark.check(SPEC, empty, order="seq")
    assert otus.spark.check(SPEC, empty, order="seq", allow_empty=True).collect() == []
    frame = session.createDataFrame([("r", "client", "!request", 1)], schema)
    with pytest.raises(otus.TableError, match="column `action` has type Utf8; an order is whole numbers"):
        otus.spark.check(SPEC, frame, order="action")
    with pytest.raises(otus.TableError, match="column `seq` has type Int64; it must have texts"):
        otus.spark.check(SPEC, frame, order="seq", lifeline="seq")
    with pytest.raises(TypeError, match="no option 'grouped'"):
        otus.spark.check(SPEC, frame, order="seq", grouped=True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((None, "client", "!request", 1), "column `run` is null"),
        (("r", "sever", "!request", 1), "has no lifeline `sever`; did you mean `server`"),
        (("r", "client", "request", 1), "`request` is neither `!message`"),
        (("r", "client", "!request", None), "column `seq` is null"),
    ],
)
def test_faulty_rows(session, row, message):
    frame = session.createDataFrame([row], "run string, lifeline string, action string, seq long")
    with pytest.raises(Exception, match=message):
        otus.spark.check(SPEC, frame, order="seq").collect()


def test_columns_may_have_any_name(session):
    frame = session.createDataFrame([("r", "client", "!request", 1)], "`trace.id` string, `the host` string, action string, seq long")
    found = otus.spark.check(SPEC, frame, run="trace.id", lifeline="the host", order="seq", observed="prefix", logs={"server": "nothing"})
    assert [row["run"] for row in found.collect()] == ["r"]


def test_a_worker_without_the_package_says_so(monkeypatch):
    mapper = otus.spark._mapper(SPEC._core.sources(), {}, otus.__version__, False)
    monkeypatch.setitem(sys.modules, "otus", None)
    with pytest.raises(RuntimeError, match=f"install it on every node, pip install otus=={otus.__version__}"):
        next(mapper([]))


def test_a_worker_with_another_version_says_so():
    mapper = otus.spark._mapper(SPEC._core.sources(), {}, "9.9.9", False)
    with pytest.raises(RuntimeError, match="the driver 9.9.9: install the same on every node"):
        next(mapper([]))


def test_a_faulty_row_names_its_column(session):
    frame = session.createDataFrame([("r", "client", None, 1)], "run string, lifeline string, action string, seq long")
    with pytest.raises(Exception, match="column `action` is null"):
        otus.spark.check(SPEC, frame, order="seq").collect()
    kept = otus.spark.check(SPEC, frame, order="seq", unusable="keep").collect()
    assert kept[0]["verdict"] == "Unusable"
