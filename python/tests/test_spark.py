"""Data frames on Sail: the verdicts of the same table without it."""

import random

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
    with pytest.raises(otus.TableError, match="there is no column `seq`; the data frame has `run`"):
        otus.spark.check(SPEC, frame, order="seq")
    with pytest.raises(otus.OtusError, match='observed is "some"'):
        otus.spark.check(SPEC, frame, order="run", observed="some")


def test_a_faulty_row_names_its_column(session):
    frame = session.createDataFrame([("r", "client", None, 1)], "run string, lifeline string, action string, seq long")
    with pytest.raises(Exception, match="column `action` is null"):
        otus.spark.check(SPEC, frame, order="seq").collect()
    kept = otus.spark.check(SPEC, frame, order="seq", unusable="keep").collect()
    assert kept[0]["verdict"] == "Unusable"
