"""Writes the same events with every library and codec, and compares the verdicts run by run. See scripts/check-tables."""

import json
import os
import random
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import fastparquet
import pandas
import polars
import pyarrow as pa
import pyarrow.dataset as dataset
import pyarrow.parquet as pq

OTUS, FOLDER = sys.argv[1], Path(sys.argv[2])

# A reply carries the id of its request and comes within two seconds.
SPEC = """\
@lifeline{client; broker}@message{PUBLISH; PUBACK}
loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker,
broker -- PUBACK[mid = m, client within 2s of s] -> client)))
"""
START = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)


def runs(count):
    """Runs as logs of lifelines; every third with a fault."""
    random.seed(3)
    for number in range(count):
        logs = {"client": [], "broker": []}
        for key in range(1 + number % 4):
            at = START + timedelta(seconds=number * 60 + key * 10)
            mid = number * 10 + key
            pause = 3.5 if number % 3 == 0 and number % 2 == 0 and key == 0 else 0.25
            reply = mid + 1000 if number % 3 == 0 and number % 2 == 1 and key == 0 else mid
            logs["client"].append(("!PUBLISH", mid, at))
            logs["broker"].append(("?PUBLISH", mid, at + timedelta(milliseconds=20)))
            logs["broker"].append(("!PUBACK", reply, at + timedelta(milliseconds=40)))
            logs["client"].append(("?PUBACK", reply, at + timedelta(seconds=pause)))
        yield f"run {number} é", logs


def rows(all_runs):
    """The events as rows: run, lifeline, action, order, mid, time."""
    for run, logs in all_runs:
        for lifeline, log in logs.items():
            for order, (action, mid, time) in enumerate(log):
                yield {"run": run, "lifeline": lifeline, "action": action, "order": order, "mid": mid, "time": time}


def case(run, logs):
    """A run as a line of a case file."""
    texts = []
    for lifeline, log in logs.items():
        events = [f"{lifeline}{action}(mid={mid}, time={time.timestamp():.3f})" for action, mid, time in log]
        texts.append(f"[{lifeline}] {'.'.join(events)}")
    return json.dumps({"id": run, "htf": "{" + "; ".join(texts) + "}"})


def otus(*arguments, status=(0, 1)):
    """Runs the command in the folder, and returns what it prints."""
    done = subprocess.run([OTUS, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    if done.returncode not in status:
        sys.exit(f"otus {' '.join(map(str, arguments))} exits with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def verdicts(*inputs):
    """The verdict of each run."""
    lines = otus("analyze", "spec.hsf", *inputs, "--format", "jsonl").splitlines()
    found = [(answer["id"], answer["verdict"]) for answer in map(json.loads, lines)]
    assert len(found) == len(dict(found)), f"{inputs}: a run has several verdicts"
    return dict(found)


def written(shuffled):
    """Writes the table in all ways, and gives the name of each and its files."""
    table = pa.Table.from_pylist(shuffled)
    for codec in ("none", "snappy", "gzip", "zstd", "lz4"):
        name = f"pyarrow-{codec}.parquet"
        pq.write_table(table, FOLDER / name, compression=codec, row_group_size=97)
        yield f"pyarrow, {codec}", [name]
    for version in ("1.0", "2.4", "2.6"):
        for page in ("1.0", "2.0"):
            name = f"pyarrow-{version}-{page}.parquet"
            pq.write_table(table, FOLDER / name, version=version, data_page_version=page)
            yield f"pyarrow, format {version}, pages {page}", [name]
    pq.write_table(table, FOLDER / "plain.parquet", use_dictionary=False, data_page_size=200)
    yield "pyarrow, without dictionaries", ["plain.parquet"]
    delta = {"run": "DELTA_BYTE_ARRAY", "action": "DELTA_LENGTH_BYTE_ARRAY", "order": "DELTA_BINARY_PACKED"}
    pq.write_table(table, FOLDER / "delta.parquet", use_dictionary=False, column_encoding=delta)
    yield "pyarrow, delta encodings", ["delta.parquet"]
    pq.write_table(table, FOLDER / "int96.parquet", use_deprecated_int96_timestamps=True)
    yield "pyarrow, times as INT96 as of old Spark", ["int96.parquet"]
    for unit in ("ms", "us", "ns"):
        index = table.schema.get_field_index("time")
        for zone in (None, "Europe/Paris"):
            times = table["time"].cast(pa.timestamp(unit, "UTC"))
            times = times.cast(pa.timestamp(unit, zone)) if zone else times.cast(pa.timestamp(unit))
            name = f"times-{unit}-{'zone' if zone else 'naive'}.parquet"
            pq.write_table(table.set_column(index, "time", times), FOLDER / name, version="2.6")
            yield f"pyarrow, times in {unit}, {zone}", [name]
    dictionaries = table
    for column in ("run", "lifeline", "action"):
        index = dictionaries.schema.get_field_index(column)
        dictionaries = dictionaries.set_column(index, column, dictionaries[column].dictionary_encode())
    pq.write_table(dictionaries, FOLDER / "dictionaries.parquet")
    yield "pyarrow, dictionary columns", ["dictionaries.parquet"]
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        index = table.schema.get_field_index("order")
        name = f"order-{kind}.parquet"
        pq.write_table(table.set_column(index, "order", table["order"].cast(kind)), FOLDER / name)
        yield f"pyarrow, order as {kind}", [name]
    large = table.set_column(0, "run", table["run"].cast(pa.large_string()))
    pq.write_table(large, FOLDER / "large.parquet")
    yield "pyarrow, large strings", ["large.parquet"]
    # Runs in several files.
    parts = [f"part-{number}.parquet" for number in range(5)]
    cuts = [number * len(table) // 5 for number in range(6)]
    for name, start, end in zip(parts, cuts, cuts[1:]):
        pq.write_table(table.slice(start, end - start), FOLDER / name)
    yield "pyarrow, five files", parts
    lake = FOLDER / "lake"
    dataset.write_dataset(table, lake, format="parquet", max_rows_per_file=150, max_rows_per_group=50)
    yield "pyarrow, a folder", ["lake"]

    frame = pandas.DataFrame(shuffled)
    frame.to_parquet(FOLDER / "pandas.parquet")
    yield "pandas", ["pandas.parquet"]
    frame.astype({"lifeline": "category", "action": "category"}).to_parquet(FOLDER / "category.parquet", index=False)
    yield "pandas, categories", ["category.parquet"]
    for codec in ("SNAPPY", "GZIP", "ZSTD", "UNCOMPRESSED"):
        name = f"fastparquet-{codec}.parquet"
        fastparquet.write(FOLDER / name, frame, compression=codec, write_index=False)
        yield f"fastparquet, {codec}", [name]

    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4"):
        name = f"polars-{codec}.parquet"
        polars.DataFrame(shuffled).write_parquet(FOLDER / name, compression=codec, row_group_size=200)
        yield f"polars, {codec}", [name]

    connection = duckdb.connect()
    connection.register("events", table)
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw"):
        name = f"duckdb-{codec}.parquet"
        connection.sql(f"COPY events TO '{FOLDER / name}' (FORMAT parquet, COMPRESSION {codec})")
        yield f"duckdb, {codec}", [name]
    if "--spark" in sys.argv:
        yield from of_spark(frame)


def of_spark(frame):
    """Files of a local Spark, which listens on the loopback only."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    try:
        events = spark.createDataFrame(frame).repartition(3)
        for codec in ("none", "snappy", "gzip", "zstd", "lz4", "lz4_raw"):
            events.write.option("compression", codec).parquet(str(FOLDER / f"spark-{codec}"))
            yield f"spark, {codec}", [f"spark-{codec}"]
        spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
        events.write.parquet(str(FOLDER / "spark-int96"))
        yield "spark, times as INT96", ["spark-int96"]
    finally:
        spark.stop()


def read_again():
    """The tables that otus writes, as each library reads them."""
    otus("analyze", "spec.hsf", "cases.jsonl", "--results", "out.parquet", "--explain", "full")
    by_pyarrow = pq.read_table(FOLDER / "out.parquet").to_pylist()
    assert pandas.read_parquet(FOLDER / "out.parquet")["run"].tolist() == [row["run"] for row in by_pyarrow]
    assert polars.read_parquet(FOLDER / "out.parquet").to_dicts() == by_pyarrow
    assert duckdb.read_parquet(str(FOLDER / "out.parquet")).to_arrow_table().to_pylist() == by_pyarrow
    fails = [row for row in by_pyarrow if row["verdict"] == "Fail"]
    assert fails and all(row["cause"] and row["headline"] and row["explanation"] for row in fails)
    assert all(row["headline"] is None for row in by_pyarrow if row["verdict"] == "Pass")
    (FOLDER / "results").mkdir()
    otus("analyze", "spec.hsf", "cases.jsonl", "--results", "results", "--explain", "full", "--coverage=c.json")
    tables = {name: polars.read_parquet(FOLDER / "results" / f"{name}.parquet") for name in
              ("verdicts", "totals", "causes", "sample", "coverage")}
    assert tables["verdicts"].to_dicts() == by_pyarrow
    totals = dict(tables["totals"].select("verdict", "runs").iter_rows())
    assert totals["Fail"] == len(fails) == tables["causes"]["runs"].sum() == len(tables["sample"])
    assert tables["coverage"].row(0)[:2] == ("runs", "accepted") and tables["coverage"].row(0)[3] == totals["Pass"]
    print(f"tables of results: {', '.join(f'{name} {table.shape}' for name, table in tables.items())}")
    return by_pyarrow


def example():
    """The table of docs/reference/files: the events of its runs.jsonl, under the names that a lake may have."""
    folder = Path(__file__).parent.parent / "docs/reference/files"
    events = []
    for line in (folder / "runs.jsonl").read_text().splitlines():
        found = json.loads(line)
        for log in found["htf"].split(";"):
            host, _, actions = log.strip().strip("[").partition("]")
            for seq, action in enumerate(actions.strip().split(".")):
                events.append({"trace_id": found["id"], "host": host, "action": action[len(host) :], "seq": seq})
    table, path = pa.Table.from_pylist(events), folder / "events.parquet"
    if "--write-example" in sys.argv:
        pq.write_table(table, path)
    assert pq.read_table(path).equals(table), f"{path} is old; write it with --write-example"


def main():
    example()
    (FOLDER / "spec.hsf").write_text(SPEC)
    all_runs = list(runs(120))
    (FOLDER / "cases.jsonl").write_text("\n".join(case(*run) for run in all_runs) + "\n")
    expected = verdicts("cases.jsonl")
    counts = {verdict: list(expected.values()).count(verdict) for verdict in set(expected.values())}
    assert set(counts) == {"Pass", "Fail"}, counts
    shuffled = list(rows(all_runs))
    random.shuffle(shuffled)
    checked = 0
    for name, files in written(shuffled):
        found = verdicts(*files)
        wrong = [run for run in expected if found.get(run) != expected[run]]
        if wrong or len(found) != len(expected):
            sys.exit(f"{name}: {len(wrong)} of {len(expected)} runs have another verdict, the first is {wrong[:1]}")
        checked += 1
    told = {row["run"]: row["verdict"] for row in read_again()}
    assert told == expected
    print(f"{checked} ways to write a table of {len(shuffled)} events: {len(expected)} equal verdicts each, {counts}")


main()
