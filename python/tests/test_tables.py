"""Tables: the same verdicts from every library, and errors that name the column and the fix."""

import itertools
import os
import random
import signal
import subprocess
import sysconfig

import otus
import pytest

pa = pytest.importorskip("pyarrow")

FLOW = """sequenceDiagram
  client->>server: request
  server-->>client: response
"""
SPEC = otus.Spec.from_mermaid(FLOW, "flow.mmd")
RIGHT = [("client", "!request", 1), ("server", "?request", 1), ("server", "!response", 2), ("client", "?response", 2)]


def rows(runs=500):
    """Runs, every fifth without one of its events, with the verdict of each."""
    made, expected = [], {}
    for number in range(runs):
        run = f"run {number}"
        events = list(RIGHT)
        if number % 5 == 0:
            del events[number // 5 % 4]
        expected[run] = SPEC.check([event[:2] for event in events]).verdict
        made += [(run, *event) for event in events]
    return made, expected


def columns(made):
    names = ["run", "lifeline", "action", "seq"]
    return {name: [row[i] for row in made] for i, name in enumerate(names)}


def told(verdicts):
    table = pa.table(verdicts)
    return dict(zip(table["run"].to_pylist(), table["verdict"].to_pylist(), strict=True))


def grouped(table, **options):
    return told(otus.check_table(SPEC, table, order="seq", grouped=True, **options))


def scattered(table, **options):
    return told(otus.check_table(SPEC, table, order="seq", **options))


def test_every_library_gives_the_same_verdicts():
    made, expected = rows()
    assert set(expected.values()) == {"Pass", "Fail"}
    plain = pa.table(columns(made))
    assert grouped(plain) == expected
    random.Random(7).shuffle(made)
    shuffled = pa.table(columns(made))
    assert scattered(shuffled) == expected
    # Beyond a limit, rows go to temporary files.
    assert scattered(shuffled, memory=1000) == expected

    dictionaries = shuffled
    for index, name in enumerate(["run", "lifeline", "action"]):
        dictionaries = dictionaries.set_column(index, name, shuffled[name].dictionary_encode())
    assert pa.types.is_dictionary(dictionaries.schema.field("action").type)
    assert scattered(dictionaries) == expected
    # Batches are cut anywhere.
    assert scattered(pa.Table.from_batches(shuffled.to_batches(max_chunksize=7))) == expected
    assert scattered(shuffled.to_reader(max_chunksize=64)) == expected
    small = shuffled.set_column(3, "seq", shuffled["seq"].cast(pa.int8()))
    assert scattered(small) == expected


def test_pandas():
    pd = pytest.importorskip("pandas")
    made, expected = rows()
    frame = pd.DataFrame(columns(made))
    assert grouped(frame) == expected
    frame = frame.sample(frac=1, random_state=1)
    assert scattered(frame) == expected
    assert scattered(frame.astype({"lifeline": "category", "action": "category"})) == expected
    found = otus.check_table(SPEC, frame, order="seq").to_pandas()
    assert list(found.columns) == ["run", "verdict", "events", "cause", "headline", "explanation"]
    assert found["events"].sum() == len(made)


def test_polars():
    pl = pytest.importorskip("polars")
    made, expected = rows()
    frame = pl.DataFrame(columns(made))
    assert grouped(frame) == expected
    frame = frame.sample(fraction=1, shuffle=True, seed=1)
    assert scattered(frame) == expected
    assert scattered(frame.with_columns(pl.col("lifeline", "action").cast(pl.Categorical))) == expected
    assert otus.check_table(SPEC, frame, order="seq").to_polars().shape == (500, 6)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    made, expected = rows()
    connection = duckdb.connect()
    connection.register("events", pa.table(columns(made)))
    relation = connection.sql("select * from events order by hash(run || seq || lifeline)")
    assert scattered(relation) == expected


def test_batches_that_come_one_after_another():
    made, expected = rows()
    batches = pa.table(columns(made)).to_batches(max_chunksize=10)
    found = {}
    for verdicts in otus.check_stream(SPEC, batches, order="seq"):
        found.update(told(verdicts))
    assert found == expected and list(found) == list(expected)


def test_runs_may_be_numbers_and_orders_times():
    table = pa.table({
        "run": [1, 1, 1, 1],
        "lifeline": [row[0] for row in RIGHT],
        "action": [row[1] for row in RIGHT],
        "at": pa.array([5, 5, 6, 7], pa.timestamp("ms", "UTC")),
    })
    assert told(otus.check_table(SPEC, table, order="at")) == {"1": "Pass"}


def test_values_and_times():
    spec = otus.Spec.from_text(
        "loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker, "
        "broker -- PUBACK[mid = m, client within 2s of s] -> client)))"
    )
    table = pa.table({
        "run": list("aaaabbbbcccc"),
        "lifeline": ["client", "broker", "broker", "client"] * 3,
        "action": ["!PUBLISH", "?PUBLISH", "!PUBACK", "?PUBACK"] * 3,
        "mid": [7, 7, 7, 7, 7, 7, 7, 8, 7, 7, 7, 7],
        "at": pa.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 9000], pa.timestamp("ms")),
    })
    found = otus.check_table(spec, table, values=["mid"], time="at", explain=9)
    assert told(found) == {"a": "Pass", "b": "Fail", "c": "Fail"}
    found = found.to_arrow()
    assert found["headline"][2].as_py().endswith("at most 2 s are allowed")
    assert "run c, row" in found["explanation"][2].as_py()
    renamed = table.rename_columns({"mid": "message id"})
    assert told(otus.check_table(spec, renamed, values={"mid": "message id"}, time="at"))["b"] == "Fail"


def test_peers():
    spec = otus.Spec.from_text("@lifeline{a; b; c}@message{m}alt(a -- m -> b, a -- m -> c)")
    table = pa.table({"run": [1, 1, 2, 2], "lifeline": ["a", "b"] * 2, "action": ["!m", "?m"] * 2, "to": ["b", None, "c", None]})
    assert told(otus.check_table(spec, table, peer="to")) == {"1": "Pass", "2": "Fail"}
    assert told(otus.check_table(spec, table)) == {"1": "Pass", "2": "Pass"}


def test_explanations_are_capped():
    made, _ = rows(100)
    found = otus.check_table(SPEC, pa.table(columns(made)), order="seq", explain=3).to_arrow()
    explained = [text for text in found["explanation"].to_pylist() if text]
    assert len(explained) == 3 and "repair" in explained[0]
    failures = [headline for headline in found["headline"].to_pylist() if headline]
    assert len(failures) == 20


def test_findings_are_tables_that_can_be_merged(tmp_path):
    made, expected = rows(500)
    whole = otus.check_table(SPEC, pa.table(columns(made)), order="seq", findings=1000, coverage=True)
    findings = whole.findings
    totals = {row["verdict"]: row["runs"] for row in findings.totals().to_arrow().to_pylist()}
    assert totals == {"Fail": 100, "Pass": 400} and findings.runs == 500
    causes = findings.causes().to_arrow().to_pylist()
    assert sum(row["runs"] for row in causes) == 100 and all(row["cause"] != "not-explained" for row in causes)
    assert {row["example"] for row in causes} <= {run for run, verdict in expected.items() if verdict == "Fail"}
    sample = findings.sample().to_pandas()
    assert len(sample) == 100 and sample["explanation"].str.contains("repair").all()
    coverage = findings.coverage().to_arrow().to_pylist()
    assert (coverage[0]["kind"], coverage[0]["runs"]) == ("runs", 400)
    assert {row["part"] for row in coverage} >= {"client!request", "server?request"}
    # The rows do not change.
    assert told(whole) == expected and whole.to_arrow()["explanation"].null_count == 500

    # However the runs are divided, and across processes.
    parts = []
    for rest in range(3):
        own = [row for row in made if int(row[0].split()[1]) % 3 == rest]
        part = otus.check_table(SPEC, pa.table(columns(own)), order="seq", findings=1000, coverage=True)
        parts.append(otus.Findings.from_json(part.findings.to_json()))
    assert otus.Findings.merged(parts).to_json() == otus.Findings.merged(reversed(parts)).to_json() == findings.to_json()
    files = findings.save(tmp_path / "findings")
    assert [os.path.basename(file) for file in files] == ["totals.parquet", "causes.parquet", "sample.parquet", "coverage.parquet"]

    assert otus.check_table(SPEC, pa.table(columns(made)), order="seq").findings is None
    few = otus.check_table(SPEC, pa.table(columns(made)), order="seq", findings=7).findings
    assert len(few.sample()) == 7 and few.coverage() is None
    assert few.causes().to_arrow().to_pylist()[-1]["cause"] == "not-explained"
    last = list(otus.check_stream(SPEC, pa.table(columns(made)).to_batches(max_chunksize=10), order="seq", findings=1000))[-1]
    assert last.findings.runs == 500
    with pytest.raises(otus.OtusError, match="coverage was counted for a part"):
        otus.Findings.merged([findings, few])
    with pytest.raises(otus.OtusError, match="these are no findings"):
        otus.Findings.from_json("{}")


def test_the_command_makes_a_report_of_saved_tables(tmp_path):
    made, _ = rows(200)
    verdicts = otus.check_table(SPEC, pa.table(columns(made)), order="seq", findings=1000, coverage=True)
    files = verdicts.save(tmp_path / "night")
    assert os.path.basename(files[0]) == "verdicts.parquet" and len(files) == 5
    verdicts.findings.save(tmp_path / "common")
    command = os.path.join(sysconfig.get_path("scripts"), "otus")
    for folder in ("night", "common"):
        page = tmp_path / f"{folder}.html"
        done = subprocess.run([command, "report", tmp_path / folder, "-o", page], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = page.read_text()
        assert "missing-counterpart" in text and "160" in text and "never sent it" in text


def test_jupyter_shows_the_verdicts():
    made, _ = rows(50)
    page = otus.check_table(SPEC, pa.table(columns(made)), order="seq")._repr_html_()
    assert "40 Pass" in page and "10 Fail" in page and "run 5<" in page and "and 30 more" in page


def test_there_is_no_such_option():
    with pytest.raises(TypeError, match="no option 'orders'; there are observed, .*order"):
        otus.check_table(SPEC, changed(), orders="seq")
    with pytest.raises(ValueError, match='unusable is \'drop\'; it may be "raise" or "keep"'):
        otus.check_table(SPEC, changed(), unusable="drop")


def test_a_run_without_events_is_a_run():
    table = pa.table(columns([("r", *event) for event in RIGHT]))
    assert grouped(table, expected=["silent"]) == {"r": "Pass", "silent": "Fail"}


GOOD = columns([("r", *event) for event in RIGHT])


def changed(**values):
    return pa.table({**GOOD, **values})


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (changed(), {"run": "trace"}, r"there is no column `trace`; the table has `run`, `lifeline`, .*: say run="),
        (changed(), {"order": "at"}, r"there is no column `at`; .*: say order="),
        (changed(run=[0.5] * 4), {}, r"column `run` has type Float64; it must have texts, .* cast it"),
        (changed(lifeline=[1, 2, 3, 4]), {}, r"column `lifeline` has type Int64; it must have texts"),
        (changed(action=[b"x"] * 4), {}, r"column `action` has type Binary"),
        (changed(seq=[0.5] * 4), {"order": "seq"}, r"column `seq` has type Float64; an order is whole numbers"),
        (changed(), {"time": "seq"}, r"column `seq` has type Int64; it must have time stamps"),
        (changed(run=["r", None, "r", "r"]), {}, r"row 2: column `run` is null"),
        (changed(action=["!request", None, "?x", "?x"]), {}, r"run `r` cannot be checked: row 2: column `action` is null"),
        (changed(action=["request"] * 4), {}, r"row 1: column `action`: `request` is neither `!message`"),
        (changed(lifeline=["client", "sever", "server", "client"]), {}, r"has no lifeline `sever`; did you mean `server`"),
        (changed(seq=[1, 1, 2, None]), {"order": "seq"}, r"row 4: column `seq` is null"),
        (changed(seq=[1, 1, 1, 2]), {"order": "seq"}, r"both have 1 in column `seq`, so their order is not known"),
        (changed(run=list("rsrr")), {"grouped": True}, r"row 3: run `r` comes back after another run"),
        (changed().slice(0, 0), {}, r"the table has no rows"),
        (changed().slice(0, 0).drop_columns("run"), {}, r"there is no column `run`"),
        ({"run": 1}, {}, r"a dict is no table of Arrow; pass a table of pyarrow"),
    ],
)
def test_mistakes_name_the_column_and_the_fix(table, options, message):
    with pytest.raises(otus.TableError, match=message):
        otus.check_table(SPEC, table, **options)


def test_unusable_runs_can_be_kept():
    made = [("bad", "client", None, 1), *[("r", *event) for event in RIGHT]]
    found = otus.check_table(SPEC, pa.table(columns(made)), order="seq", unusable="keep").to_arrow()
    assert found["verdict"].to_pylist() == ["Unusable", "Pass"]
    assert found["headline"][0].as_py().startswith("row 1: column `action` is null")


def test_an_empty_part_of_a_table_is_no_error_if_allowed():
    assert len(otus.check_table(SPEC, changed().slice(0, 0), allow_empty=True)) == 0


def test_ctrl_c_ends_a_table_that_never_ends():
    batch = changed().to_batches()[0]
    endless = pa.RecordBatchReader.from_batches(batch.schema, itertools.repeat(batch))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            otus.check_table(SPEC, endless, memory=1 << 20)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_checker_ends_once():
    checker = otus.Checker(SPEC)
    checker.push(changed())
    assert told(checker.finish()) == {"r": "Pass"}
    with pytest.raises(otus.TableError, match="has ended its table"):
        checker.push(changed())
