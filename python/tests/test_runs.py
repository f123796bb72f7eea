"""One run: specifications, checks, explanations, pictures."""

import copy
import pickle
import threading

import otus
import pytest

FLOW = """sequenceDiagram
  client->>server: request
  server-->>client: response
"""


@pytest.fixture
def spec():
    return otus.Spec.from_mermaid(FLOW, "flow.mmd")


def right():
    run = otus.Run()
    run.log("client").sent("request").received("response")
    run.log("server").received("request").sent("response")
    return run


def test_a_run_conforms_in_any_form(spec):
    assert otus.assert_conforms(spec, right()).verdict == "Pass"
    logs = {"client": ["!request", "?response"], "server": ["?request", "!response"]}
    assert spec.check(logs)
    pairs = [("server", "?request"), ("client", "!request"), ("server", "!response"), ("client", "?response")]
    assert spec.check(pairs) and otus.check(spec, pairs)


def test_a_failure_says_why_and_where(spec):
    run = otus.Run()
    run.log("client").sent("request").received("response")
    run.log("server").received("request")
    case = spec.check(run)
    assert not case
    assert (case.verdict, case.cause) == ("Fail", "missing-counterpart")
    assert case.headline == "client received response but server never sent it"
    assert "flow.mmd:3:3" in str(case) and "test_runs.py:" in str(case)
    assert case.repair == ["insert server!response at the end"]
    assert case.details["verdict"] == "Fail"
    assert case.picture.svg.startswith("<svg")
    assert "<svg" in case._repr_html_() and "never sent it" in case._repr_html_()
    assert pickle.loads(pickle.dumps(case)) == case
    assert otus.explain(case.cause).startswith("# missing-counterpart")
    with pytest.raises(otus.Nonconformance, match="does not conform to flow.mmd") as failure:
        otus.assert_conforms(spec, run)
    assert failure.value.case.headline == case.headline


def test_options_say_what_may_be_missing(spec):
    started = {"client": ["!request"], "server": ["?request"]}
    assert spec.check(started, observed="prefix").verdict == "WeakPass"
    assert spec.check({"client": ["!request"]}, logs={"server": "nothing", "client": "prefix"})
    run = {**started, "metrics7": ["!x"]}
    assert spec.check(run, observed="prefix", ignore="metrics*")
    with pytest.raises(otus.OtusError, match="has no lifeline `metrics7`"):
        spec.check(run)
    with pytest.raises(TypeError, match="no option 'observd'"):
        spec.check(run, observd="prefix")
    with pytest.raises(otus.OtusError, match='observed is "some"; it may be "complete"'):
        spec.check(run, observed="some")
    with pytest.raises(otus.Nonconformance, match="nothing was recorded"):
        otus.assert_conforms(spec, {}, observed="prefix")
    with pytest.raises(ValueError, match="is neither"):
        spec.check([("client", "request")])


def test_values_and_times():
    spec = otus.Spec.from_text(
        "loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker, "
        "broker -- PUBACK[mid = m, client within 2s of s] -> client)))",
        "qos1.hif",
    )

    def run(mid, at):
        run = otus.Run()
        run.log("client").sent("PUBLISH", mid=7, at=0.01).received("PUBACK", mid=mid, at=at)
        run.log("broker").received("PUBLISH", mid=7).sent("PUBACK", mid=7)
        return run

    assert spec.check(run(7, 0.04)).verdict == "Pass"
    assert spec.check(run(8, 0.04)).verdict == "Fail"
    assert spec.check(run(7, 3.04)).headline.endswith("at most 2 s are allowed")
    assert spec.check(run(None, 0.04)).verdict == "WeakPass"


def test_mistakes_are_exceptions_with_a_place():
    with pytest.raises(otus.SpecError) as failure:
        otus.Spec.from_mermaid("sequenceDiagram\n  A->>B: hello\n  lop\n", "flow.mmd")
    error = failure.value
    assert error.place == "flow.mmd:3:3" and error.code.startswith("O") and error.findings
    assert otus.explain(error.code).startswith("#")
    assert pickle.loads(pickle.dumps(error)).place == error.place
    with pytest.raises(otus.OtusError, match="cannot read"):
        otus.Spec.from_file("no/such/file.mmd")
    with pytest.raises(otus.OtusError, match="there is no code `nonsense`"):
        otus.explain("nonsense")


def test_specifications_travel(tmp_path, spec):
    again = pickle.loads(pickle.dumps(spec))
    assert again.lifelines == spec.lifelines == ["client", "server"] and again.messages == spec.messages
    assert copy.deepcopy(spec).check(right())
    page = tmp_path / "page.md"
    page.write_text(f"# Login\n\n```mermaid\n{FLOW}```\n\n# Logout\n\n```mermaid\nsequenceDiagram\n  a->>b: bye\n```\n")
    read = otus.Spec.from_file(f"{page}#login")
    sent = pickle.dumps(read)
    page.unlink()
    again = pickle.loads(sent)
    assert again.name == read.name and again.check(right())


def test_pictures(spec, tmp_path):
    assert spec.draw()._repr_svg_().startswith("<svg") and spec._repr_svg_() == otus.draw(spec).svg
    assert "request" in spec.text()
    spec.draw().save(tmp_path / "flow.svg")
    assert (tmp_path / "flow.svg").read_text().startswith("<svg")


def test_threads_record(spec):
    run = otus.Run()
    server = threading.Thread(target=lambda: run.log("server").received("request").sent("response"))
    run.log("client").sent("request")
    server.start()
    server.join()
    run.log("client").received("response")
    assert spec.check(run) and len(run) == 4
    assert spec.check(pickle.loads(pickle.dumps(run)))


def test_formulas(tmp_path):
    order = otus.Order()
    order.event("p", {"x": 1})
    order.event("q", {"y": 1})
    answer = otus.ctl(order, "EF(x = 1 & y = 0)")
    assert answer and answer._repr_svg_().startswith("<svg")
    answer = otus.ctl(order, "AG(x = y)")
    assert answer.holds is False and str(answer)
    trace = tmp_path / "run.pot.json"
    trace.write_text('{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]}]}')
    assert otus.ctl(trace, "AF x = 1")
    with pytest.raises(otus.SpecError):
        otus.ctl(trace, "AF (x =")


def test_a_diagram_is_learnt(tmp_path):
    run = tmp_path / "run.htf"
    run.write_text("{[a] a!m.a?n; [b] b?m.b!n}")
    learnt = otus.learn(run)
    assert "a->>b: m" in learnt.mermaid and learnt._repr_svg_().startswith("<svg")
    assert learnt.spec().check({"a": ["!m", "?n"], "b": ["?m", "!n"]})


def test_a_folder_is_checked(tmp_path):
    (tmp_path / "flow.mmd").write_text(FLOW)
    (tmp_path / "otus.toml").write_text(
        'spec = "flow.mmd"\n[[source]]\nname = "all"\nfiles = ["*.log"]\nformat = "regex"\nlifeline = "{who}"\n'
        "[[source.rule]]\nmatch = '(?<who>\\w+) (?<d>sent|got) (?<what>\\w+)'\n"
        'dir = { from = "d", map = { sent = "!", got = "?" } }\nmessage = "{what}"\n'
    )
    (tmp_path / "run.log").write_text(
        "client sent request\nserver got request\nserver sent response\nclient got response\n"
    )
    checked = otus.check_logs(tmp_path)
    assert checked, str(checked)
    assert [case.verdict for case in checked.cases] == ["Pass"] and "1 pass" in checked.summary
    (tmp_path / "run.log").write_text("client got response\n")
    checked = otus.Project(tmp_path).check()
    assert not checked and checked.cases[0].verdict == "Fail"
    with pytest.raises(otus.OtusError, match="no otus.toml"):
        otus.check_logs("/")


def test_the_fixture_records(otus_run, spec):
    otus_run.log("client").sent("request")
    assert spec.check(otus_run, observed="slice")


def test_pytest_shows_what_the_command_line_shows(pytester):
    pytester.makepyfile(
        '''
        import otus

        def test_flow(otus_run):
            spec = otus.Spec.from_mermaid("sequenceDiagram\\n  a->>b: ping\\n", "ping.mmd")
            otus_run.log("b").received("ping")
            otus.assert_conforms(spec, otus_run)
        '''
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*does not conform to ping.mmd*", "error[[]*: *", "*ping.mmd:2:3*", "*in test_flow*"])
    assert "__tracebackhide__" not in result.stdout.str()
