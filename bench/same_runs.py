"""The same runs through every way into Otus: verdicts are compared run by run, processor time and memory are shown.

    target/python/env/bin/python bench/same_runs.py --runs 200000 --ways all

The runs are accepted ones of bench/models/sensor, every tenth with an event missing, twice or moved; as a case file for the command, and as
a table whose rows are shuffled for the others. Each way is a process of its own, which checks the runs twice: the second time has neither the
start of an engine nor cold code in it, so it is the price of more events. `spark` is a master and two workers on this machine,
`spark killed` the same while a worker dies in the middle of the job.

    target/python/env/bin/python bench/same_runs.py --one 100000000

checks one run of so many events in one task. Needs what `scripts/check-python --spark` installs; a cluster needs Java.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "python" / "tests"))
MODEL = [str(HERE / "models" / name) for name in ("sensor.hsf", "sensor.hif")]
TABLES = ["pyarrow grouped", "pyarrow", "pyarrow texts", "pandas", "polars", "duckdb"]
ENGINES = ["sail", "spark", "spark killed"]
TEXTS = ["run", "lifeline", "action"]


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


def from_table(way, spec, folder):
    """The verdicts of a table in this process."""
    import otus
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = str(folder / "events")
    match way:
        case "pyarrow grouped":
            table = pq.read_table(folder / "grouped.parquet", read_dictionary=TEXTS)
            return pa.table(otus.check_table(spec, table, order="seq", grouped=True))
        case "pyarrow":
            table = pq.read_table(files, read_dictionary=TEXTS)
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
    return pa.table(otus.check_table(spec, table, order="seq"))


def from_engine(session, spec, folder, **options):
    import otus.spark

    events = session.read.parquet(str(folder / "events"))
    return otus.spark.check(spec, events, order="seq", partitions=8, **options).toArrow()


def check(way, folder):
    """The answers of one way, and the processor seconds of the first and of the second time."""
    import otus
    from cluster import Cluster, processor_seconds

    spec = otus.Spec.from_file(*MODEL)
    own = os.getpid()

    def twice(once):
        answers = once()
        middle = processor_seconds(own)
        once()
        return answers, middle, processor_seconds(own) - middle

    if way in TABLES:
        return twice(lambda: from_table(way, spec, folder))
    if way == "sail":
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession

        server = SparkConnectServer(ip="127.0.0.1", port=0)
        server.start()
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
        try:
            return twice(lambda: from_engine(session, spec, folder))
        finally:
            # A client says goodbye in the background. If the server is gone by then, it tries again for ten minutes.
            session.stop()
            server.stop()
    with Cluster(folder) as cluster:
        session = cluster.session(task_maxFailures="20")
        if way == "spark":
            return twice(lambda: from_engine(session, spec, folder))
        # The first time warms up, so that the second has tasks to lose.
        from_engine(session, spec, folder)
        found = []
        job = threading.Thread(target=lambda: found.append(from_engine(session, spec, folder)))
        job.start()
        tracker = session.sparkContext.statusTracker()
        while job.is_alive():
            stages = filter(None, (tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()))
            if any(stage.numTasks == 8 and 0 < stage.numCompletedTasks < 7 for stage in stages):
                cluster.kill_worker(0)
                break
            time.sleep(0.01)
        else:
            raise RuntimeError("the job ended before a worker could be killed")
        job.join()
        return found[0], processor_seconds(own), 0.0


def one_run(events):
    """One run of many events, in one task, without a table in memory."""
    import otus
    import pyarrow as pa

    # The first log of the model that repeats itself would do; a loop of a ping and its answer says what it is.
    spec = otus.Spec.from_text("loopS(strict(a -- ping -> b, b -- pong -> a))", "ping.hif")
    rows = 1 << 17
    lifelines = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 0] * (rows // 4), pa.int8()), ["a", "b"])
    actions = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3] * (rows // 4), pa.int8()), ["!ping", "?ping", "!pong", "?pong"])
    runs = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["one"])
    batch = pa.record_batch({"run": runs, "lifeline": lifelines, "action": actions})
    before = time.process_time()
    # A verdict is undecided after a hundred million states, unless somebody says otherwise.
    checker = otus.Checker(spec, grouped=True, max_states=10 * events)
    for _ in range(-(-events // rows)):
        checker.push(batch)
    answer = checker.finish().to_arrow().to_pylist()
    print(answer[0]['headline'] or '', file=sys.stderr)
    print(f"{answer[0]['events']} events: {answer[0]['verdict']}, {time.process_time() - before:.1f} CPU s, {peak()} MB")
    return 0 if answer[0]["verdict"] == "Pass" else 1


def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def timed(command):
    """The result of a command, its wall time and its processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, time.time() - start, used


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--otus", default=str(Path(sysconfig.get_path("scripts")) / "otus"), help="the command; that of this environment")
    options.add_argument("--runs", type=int, default=200_000)
    options.add_argument("--ways", default="tables", help="tables, engines, all, or names with commas")
    options.add_argument("--one", type=int, metavar="EVENTS", help="check one run of so many events instead")
    options.add_argument("--way", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        return one_run(given.one)
    import pyarrow.parquet as pq

    if given.way:
        way, folder = given.way[0], Path(given.way[1])
        answers, first, second = check(way, folder)
        pq.write_table(answers, folder / "answers.parquet")
        print(first, second, peak())
        return 0
    ways = {"tables": TABLES, "engines": ENGINES, "all": TABLES + ENGINES}.get(given.ways) or given.ways.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        events = write(folder, given.otus, given.runs)
        command = [given.otus, "analyze", *MODEL, str(folder / "cases.jsonl")]
        command += ["--observed", "complete", "--format", "jsonl", "--jobs", "1"]
        done, wall, used = timed(command)
        expected = {case["id"]: case["verdict"] for case in map(json.loads, done.stdout.splitlines()) if "id" in case}
        failures = sum(verdict == "Fail" for verdict in expected.values())
        print(f"{given.runs} runs, {events} events, {failures} failures\n")
        print("| way | CPU s | again | µs an event | beside the command | wall s | MB | verdicts |\n|---|--:|--:|--:|--:|--:|--:|---|")
        each = used / events * 1e6
        print(f"| otus, case file | {used:.1f} | – | {each:.2f} | 1 | {wall:.1f} | – | {len(expected)} |", flush=True)
        right = len(expected) == given.runs
        for way in ways:
            done, wall, _ = timed([sys.executable, __file__, "--way", way, name])
            if done.returncode:
                print(f"| {way} | – | – | – | – | – | – | {done.stderr.strip().splitlines()[-1]} |", flush=True)
                right = False
                continue
            first, second, memory = map(float, done.stdout.strip().splitlines()[-1].split())
            answers = pq.read_table(folder / "answers.parquet")
            found = dict(zip(answers["run"].to_pylist(), answers["verdict"].to_pylist(), strict=True))
            same = found == expected
            right &= same
            costs = f"{second:.1f} | {second / events * 1e6:.2f} | {second / used:.1f}" if second else "– | – | –"
            print(f"| {way} | {first:.1f} | {costs} | {wall:.1f} | {memory:.0f} | {'the same' if same else 'DIFFERENT'} |", flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
