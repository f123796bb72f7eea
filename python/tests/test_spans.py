"""Spans of the code under test: the SDK of OpenTelemetry, and the fixture of pytest."""

import threading
import time

import otus
import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.propagate import extract, inject  # noqa: E402
from opentelemetry.sdk.resources import Resource  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.trace import Link, SpanKind, StatusCode  # noqa: E402
from otus.opentelemetry import Spans  # noqa: E402

SPEC = otus.Spec.from_mermaid("sequenceDiagram\n  shop->>bank: charge\n  bank-->>shop: charge paid\n", "shop.mmd")
REPLY = "{name} {outcome}"


def tracers(spans, *services):
    for service in services:
        provider = TracerProvider(resource=Resource({"service.name": service}))
        spans.attach(provider)
        yield provider.get_tracer("test")


def charge(shop, bank, outcome="paid", times=1):
    """The shop charges a card, so many times in one trace."""
    with shop.start_as_current_span("buy"):
        for _ in range(times):
            headers = {}
            with shop.start_as_current_span("charge", kind=SpanKind.CLIENT) as call:
                inject(headers)
                with bank.start_as_current_span("charge", extract(headers), SpanKind.SERVER) as answer:
                    answer.set_attribute("outcome", outcome)
                call.set_attribute("outcome", outcome)


def test_every_trace_is_a_run():
    spans = Spans(reply=REPLY)
    shop, bank = tracers(spans, "shop", "bank")
    charge(shop, bank)
    charge(shop, bank)
    checked = otus.assert_conforms(SPEC, spans)
    assert [case.verdict for case in checked.cases] == ["Pass", "Pass"]
    assert [case.events for case in checked.cases] == [4, 4]
    # Internal spans are no messages.
    assert len(spans) == 6
    charge(shop, bank, "refused")
    with pytest.raises(otus.Nonconformance, match="the spans do not conform to shop.mmd") as failure:
        otus.assert_conforms(SPEC, spans)
    assert failure.value.case.picture.svg.startswith("<svg")
    assert "spans.otlp.jsonl:" in str(failure.value)
    spans.clear()
    charge(shop, bank, times=2)
    assert not spans.check(SPEC)


def test_what_may_be_missing():
    spans = Spans(reply=REPLY)
    (shop,) = tracers(spans, "shop")
    with shop.start_as_current_span("charge", kind=SpanKind.CLIENT) as call:
        call.set_attribute("outcome", "paid")
    assert otus.assert_conforms(SPEC, spans, logs={"bank": "nothing"})
    assert not spans.check(SPEC)
    assert spans.check(SPEC, observed="prefix") and spans.check(SPEC, observed="suffix", logs={"shop": "complete", "bank": "prefix"})
    with pytest.raises(otus.OtusError, match="clock_uncertainty is said in otus.toml for spans"):
        spans.check(SPEC, clock_uncertainty=0.1)
    with pytest.raises(TypeError, match="no option 'observd'"):
        spans.check(SPEC, observd="prefix")


def test_settings_are_those_of_otus_toml(tmp_path):
    config = tmp_path / "otus.toml"
    config.write_text(
        '[[source]]\nfiles = "*.log"\nformat = "json"\nlifeline = "{a}"\nmessage = "{m}"\ndir = "!"\n'
        '[[source]]\nfiles = "spans/*.json"\nformat = "otlp"\nreply = "{name} {outcome}"\n[observation]\nunobserved = "bank"\n'
    )
    spans = Spans(config)
    (shop,) = tracers(spans, "shop")
    with shop.start_as_current_span("charge", kind=SpanKind.CLIENT) as call:
        call.set_attribute("outcome", "paid")
    assert otus.assert_conforms(SPEC, spans)
    # What the caller says counts more.
    assert not spans.check(SPEC, observed="complete", logs={"bank": "complete"})
    with pytest.raises(TypeError, match="reply stands in the otus.toml"):
        Spans(config, reply="{name}")
    with pytest.raises(otus.SpecError) as failure:
        wrong = Spans(replies="{name}")
        charge(*tracers(wrong, "shop", "bank"))
        wrong.check(SPEC)
    assert "otus.toml" in failure.value.place and "reply" in failure.value.help


def test_nothing_recorded_is_no_success():
    with pytest.raises(otus.Nonconformance, match="no span was recorded"):
        otus.assert_conforms(SPEC, Spans())
    with pytest.raises(TypeError, match="spans.check"):
        SPEC.check(Spans())


def test_a_check_waits_for_spans_that_have_begun():
    spans = Spans(reply=REPLY, wait=30)
    shop, bank = tracers(spans, "shop", "bank")
    late = bank.start_span("charge", kind=SpanKind.SERVER, attributes={"outcome": "paid"})
    threading.Thread(target=lambda: (time.sleep(0.2), late.end())).start()
    assert len(spans.check(SPEC, observed="slice").cases) == 1
    spans.wait = 0.01
    never = bank.start_span("refund", kind=SpanKind.SERVER)
    checked = spans.check(SPEC, observed="slice")
    assert "`refund`" in checked.warnings[-1] and "have not ended" in checked.warnings[-1]
    # What was forgotten stays so.
    spans.clear()
    never.end()
    assert len(spans) == 0


def test_all_attributes_can_be_read(tmp_path):
    spans = Spans()
    shop, bank = tracers(spans, "shop", "bank")
    with shop.start_as_current_span("charge", kind=SpanKind.CLIENT) as call:
        call.set_attributes({"t": "ü \"", "n": 1, "f": 0.5, "b": True, "l": [1, 2], "s": ["x"]})
        call.set_status(StatusCode.ERROR, "refused")
    with bank.start_as_current_span("later", kind=SpanKind.CONSUMER, links=[Link(call.get_span_context())]):
        pass
    file = tmp_path / "run.otlp.jsonl"
    spans.save(file)
    (tmp_path / "otus.toml").write_text(
        '[[source]]\nfiles = "*.jsonl"\nformat = "otlp"\nmessage = "{name} {t} {n} {f} {b} {status.message}"\n'
    )
    assert 'charge ü \\" 1 0.5 true refused' in otus.learn(tmp_path).interaction.replace('\\\\"', '\\"') or otus.learn(tmp_path).mermaid


def test_the_fixture(pytester, monkeypatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    pytester.makepyfile(
        '''
        import otus
        from opentelemetry import trace
        from opentelemetry.trace import SpanKind

        SPEC = otus.Spec.from_mermaid("sequenceDiagram\\n  shop->>bank: charge\\n", "shop.mmd")

        def test_one(otus_spans):
            with trace.get_tracer("x").start_as_current_span("charge", kind=SpanKind.CLIENT):
                pass
            otus.assert_conforms(SPEC, otus_spans, logs={"bank": "nothing"})

        def test_two(otus_spans):
            assert len(otus_spans) == 0
            otus.assert_conforms(SPEC, otus_spans)
        '''
    )
    pytester.makeini("[pytest]\notus_config = otus.toml\n")
    pytester.path.joinpath("otus.toml").write_text('[[source]]\nfiles = "*"\nformat = "otlp"\nreply = false\n')
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*no span was recorded, so nothing was checked*"])
