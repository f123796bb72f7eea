"""The same runs through every way into Otus: verdicts are compared run by run, processor time and memory are shown.

    target/python/env/bin/python bench/same_runs.py --otus target/release/otus --runs 200000

The runs are accepted ones of bench/models/sensor, every tenth with an event missing, twice or moved; as a case file for the command, and as
a table whose rows are shuffled for the others. Each way is a process of its own. Needs the packages that scripts/check-python installs, and with --spark
those of Sail.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = [str(Path(__file__).parent / "models" / name) for name in ("sensor.hsf", "sensor.hif")]
WAYS = ["pyarrow grouped", "pyarrow", "pyarrow texts", "pandas", "polars", "duckdb", "sail"]


def runs(otus, count):
    """Runs as logs of lifelines."""
    known = subprocess.run(
        [otus, "generate", *MODEL, "--count", str(min(count, 5000)), "--max-length", "40", "--seed", "7"],
        check=True, capture_output=True, text=True,
    ).stdout
    logs = [parsed(json.loads(line)["htf"] if line.startswith('{"') else line) for line in known.splitlines() if line]
    # A run without events has no rows; it would have to be listed as expected.
    logs = [run for run in logs if sum(map(len, run.values())) > 1]
    random.seed(11)
    for number in range(count):
        run = {lifeline: list(log) for lifeline, log in logs[number % len(logs)].items()}
        if number % 10 == 0:
            log = random.choice([log for log in run.values() if log])
            at = random.randrange(len(log))
            match random.randrange(3):
                case 0:
                    del log[at]
                case 1:
                    log.insert(at, log[at])
                case _:
                    log.append(log.pop(at))
        yield f"run-{number:07}", run


def parsed(text):
    """{[a] a!m.a?n; [b] b?m} as {"a": ["!m", "?n"], "b": ["?m"]}"""
    found = {}
    for part in text.strip().strip("{}").split(";"):
        lifeline, _, actions = part.strip().strip("[").partition("]")
        found[lifeline] = [action[len(lifeline) :] for action in actions.strip().split(".") if action]
    return found


def write(folder, otus, count):
    """The case file and the tables; returns the number of events."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"run": [], "lifeline": [], "action": [], "seq": []}
    with open(folder / "cases.jsonl", "w") as cases:
        for name, run in runs(otus, count):
            logs = "; ".join(f"[{lifeline}] " + ".".join(lifeline + action for action in log) for lifeline, log in run.items())
            cases.write(json.dumps({"id": name, "htf": f"{{{logs}}}"}) + "\n")
            for lifeline, log in run.items():
                for seq, action in enumerate(log):
                    for column, cell in zip(columns.values(), (name, lifeline, action, seq), strict=True):
                        column.append(cell)
    table = pa.table(columns)
    pq.write_table(table, folder / "grouped.parquet")
    order = list(range(len(table)))
    random.shuffle(order)
    table = table.take(pa.array(order))
    (folder / "events").mkdir()
    part = len(table) // 8 + 1
    for number in range(8):
        pq.write_table(table.slice(number * part, part), folder / "events" / f"{number}.parquet")
    return len(table)


def check(way, folder):
    """The answers of one way, as a table of pyarrow."""
    import otus
    import pyarrow as pa
    import pyarrow.parquet as pq

    spec = otus.Spec.from_file(*MODEL)
    files = str(folder / "events")
    texts = ["run", "lifeline", "action"]
    match way:
        case "pyarrow grouped":
            table = pq.read_table(folder / "grouped.parquet", read_dictionary=texts)
            return pa.table(otus.check_table(spec, table, order="seq", grouped=True))
        case "pyarrow":
            table = pq.read_table(files, read_dictionary=texts)
        case "pyarrow texts":
            table = pq.read_table(files)
        case "pandas":
            import pandas

            table = pandas.read_parquet(files)
        case "polars":
            import polars

            table = polars.read_parquet(files + "/*.parquet")
        case "duckdb":
            import duckdb

            table = duckdb.connect().sql(f"select * from '{files}/*.parquet'")
        case "sail":
            import otus.spark
            from pysail.spark import SparkConnectServer
            from pyspark.sql import SparkSession

            server = SparkConnectServer(ip="127.0.0.1", port=0)
            server.start()
            session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
            found = otus.spark.check(spec, session.read.parquet(files), order="seq", partitions=8)
            return found.toArrow()
    return pa.table(otus.check_table(spec, table, order="seq"))


def timed(command):
    """The result of a command, its wall time and its processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, time.time() - start, used


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--otus", required=True)
    options.add_argument("--runs", type=int, default=200_000)
    options.add_argument("--spark", action="store_true")
    options.add_argument("--way", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.way:
        way, folder = given.way[0], Path(given.way[1])
        import pyarrow.parquet as pq

        pq.write_table(check(way, folder), folder / "answers.parquet")
        status = Path("/proc/self/status").read_text()
        print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
        return 0
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        events = write(folder, given.otus, given.runs)
        command = [given.otus, "analyze", *MODEL, str(folder / "cases.jsonl")]
        command += ["--observed", "complete", "--format", "jsonl", "--jobs", "1"]
        done, wall, used = timed(command)
        expected = {case["id"]: case["verdict"] for case in map(json.loads, done.stdout.splitlines()) if "id" in case}
        failures = sum(verdict == "Fail" for verdict in expected.values())
        print(f"{given.runs} runs, {events} events, {failures} failures\n")
        print("| way | CPU s | wall s | MB | verdicts |\n|---|--:|--:|--:|---|")
        print(f"| otus, case file | {used:.1f} | {wall:.1f} | – | {len(expected)} |", flush=True)
        right = len(expected) == given.runs
        for way in WAYS:
            if way == "sail" and not given.spark:
                continue
            done, wall, used = timed([sys.executable, __file__, "--otus", given.otus, "--way", way, name])
            if done.returncode:
                print(f"| {way} | – | – | – | {done.stderr.strip().splitlines()[-1]} |")
                right = False
                continue
            answers = pq.read_table(folder / "answers.parquet")
            found = dict(zip(answers["run"].to_pylist(), answers["verdict"].to_pylist(), strict=True))
            same = found == expected
            right &= same
            memory = done.stdout.strip().splitlines()[-1]
            print(f"| {way} | {used:.1f} | {wall:.1f} | {memory} | {'the same' if same else 'DIFFERENT'} |", flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
