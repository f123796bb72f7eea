"""Data frames on a cluster of Apache Spark: a master and two workers on this machine, one of which is killed.

Needs Java and PySpark. `scripts/check-spark` runs it.
"""

import os
import random
import shutil
import sys
import threading
import time

import otus
import pytest

pytest.importorskip("pyspark")
if not os.environ.get("OTUS_CLUSTER"):
    pytest.skip("set OTUS_CLUSTER=1 to start a cluster of Apache Spark", allow_module_level=True)
assert shutil.which("java"), "a cluster of Spark needs Java: apt-get install default-jre-headless"

import otus.spark  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402
from cluster import Cluster  # noqa: E402

SPEC = otus.Spec.from_text("sequenceDiagram\n  client->>server: request\n  server-->>client: response\n", "flow.mmd")
RIGHT = [("client", "!request", 1), ("server", "?request", 1), ("server", "!response", 2), ("client", "?response", 2)]
RUNS = int(os.environ.get("OTUS_RUNS", "10000"))


@pytest.fixture(scope="module")
def table():
    rows = []
    for number in range(RUNS):
        own = list(RIGHT)
        if number % 5 == 0:
            del own[number // 5 % 4]
        rows += [(f"run {number}", *event) for event in own]
    random.Random(3).shuffle(rows)
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(["run", "lifeline", "action", "seq"])})


@pytest.fixture(scope="module")
def events(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    part = len(table) // 8 + 1
    for number in range(8):
        pyarrow.parquet.write_table(table.slice(number * part, part), folder / f"{number}.parquet")
    return str(folder)


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path) as running:
        yield running


@pytest.fixture
def session(cluster):
    made = cluster.session(task_maxFailures="20", sql_execution_arrow_maxRecordsPerBatch="1000")
    yield made
    made.stop()


def told(rows):
    return {row["run"]: (row["verdict"], row["events"], row["cause"]) for row in rows}


def test_a_killed_worker_changes_nothing(cluster, session, table, events):
    expected = told(otus.check_table(SPEC, table, order="seq").to_arrow().to_pylist())
    frame = otus.spark.check(SPEC, session.read.parquet(events), order="seq", partitions=8)
    assert told(row.asDict() for row in frame.collect()) == expected

    # The same, slowed down, so that the job is in the middle of its tasks when a worker dies.
    def slowly(batches):
        import time

        for batch in batches:
            time.sleep(1)
            yield batch

    slow = otus.spark.check(SPEC, session.read.parquet(events), order="seq", partitions=8).mapInArrow(slowly, otus.spark.SCHEMA)
    found = []
    job = threading.Thread(target=lambda: found.extend(slow.collect()))
    job.start()
    tracker = session.sparkContext.statusTracker()
    killed = False
    for _ in range(1200):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(stage and stage.numTasks == 8 and 0 < stage.numCompletedTasks < 6 for stage in stages):
            cluster.kill_worker(0)
            killed = True
            break
        if not job.is_alive():
            break
        time.sleep(0.05)
    job.join(timeout=240)
    assert killed, "the job ended before a worker could be killed"
    assert not job.is_alive()
    assert told(row.asDict() for row in found) == expected


def test_a_worker_without_the_package_says_so(cluster, tmp_path, events):
    hidden = tmp_path / "hidden" / "otus"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'otus'\")\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{hidden.parent}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    session = cluster.session(python=str(python))
    try:
        frame = otus.spark.check(SPEC, session.read.parquet(events), order="seq", partitions=2)
        with pytest.raises(Exception, match=f"install it on every node, pip install otus=={otus.__version__}"):
            frame.collect()
    finally:
        session.stop()


def test_faults_name_the_column(session):
    schema = "run string, lifeline string, action string, seq long"

    def check(row, **options):
        frame = session.createDataFrame([row], schema)
        return otus.spark.check(SPEC, frame, **{"order": "seq", **options}).collect()

    for row, message in [
        ((None, "client", "!request", 1), "column `run` is null"),
        (("r", "client", None, 1), "column `action` is null"),
        (("r", "sever", "!request", 1), "has no lifeline `sever`; did you mean `server`"),
        (("r", "client", "request", 1), "`request` is neither `!message`"),
        (("r", "client", "!request", None), "column `seq` is null"),
    ]:
        with pytest.raises(Exception, match=message):
            check(row)
    with pytest.raises(otus.TableError, match="column `action` has type Utf8; an order is whole numbers"):
        check(("r", "client", "!request", 1), order="action")
    kept = check(("r", "client", None, 1), unusable="keep")
    assert kept[0]["verdict"] == "Unusable"


def test_a_frame_without_rows_is_an_error(session):
    frame = session.createDataFrame([], "run string, lifeline string, action string, seq long")
    with pytest.raises(otus.TableError, match="the data frame has no rows, so nothing was checked"):
        otus.spark.check(SPEC, frame, order="seq")
    assert otus.spark.check(SPEC, frame, order="seq", allow_empty=True).collect() == []
