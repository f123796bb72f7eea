"""The spans of the code under test.

With the fixture ``otus_spans``, a test is three lines::

    def test_buy(otus_spans):
        shop.buy("good card")
        otus.assert_conforms(SPEC, otus_spans)

Without it, ``spans = otus.opentelemetry.Spans().attach()`` does the same. Needs ``opentelemetry-sdk``.
"""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from ._project import Checked
from ._spans import Recording
from ._spec import Spec

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span
    from typing_extensions import Unpack

    from ._options import Checks


class Spans(Recording, SpanProcessor):
    """A processor that keeps the spans of its providers in memory, each trace as a run.

    The lifelines are the services of the spans (``service.name`` of their resources). A client span is a request sent and a reply
    received, a server span a request received and a reply sent; the arguments, which say more, are those of a source in an
    ``otus.toml``::

        spans = Spans(reply="{name} {http.response.status_code}").attach()

    A server may end its span after the client has its answer. So a check waits, up to ``wait`` seconds, until all spans have
    ended, and says which have not.
    """

    def __init__(self, config: str | os.PathLike[str] | None = None, *, wait: float = 2.0, **source: str):
        super().__init__(config, **source)
        self.wait = wait
        self._changed = threading.Condition()
        self._open: dict[int, str] = {}
        self._forgotten: set[int] = set()

    def attach(self, provider: TracerProvider | None = None) -> Spans:
        """Listens to a provider; by default to the global one, which is made if there is none."""
        if provider is None:
            found = trace.get_tracer_provider()
            if isinstance(found, TracerProvider):
                provider = found
            else:
                provider = TracerProvider()
                trace.set_tracer_provider(provider)
        provider.add_span_processor(self)
        return self

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """The SDK calls it."""
        with self._changed:
            self._open[span.get_span_context().span_id] = span.name

    def on_end(self, span: ReadableSpan) -> None:
        """The SDK calls it."""
        line = json.dumps(_document(span), separators=(",", ":"), ensure_ascii=False)
        number = span.get_span_context().span_id
        with self._changed:
            self._open.pop(number, None)
            if number in self._forgotten:
                self._forgotten.remove(number)
            else:
                self._lines.append(line)
            self._changed.notify_all()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing waits to be exported."""
        return True

    def clear(self) -> None:
        """Forgets all spans, also those that have not ended."""
        with self._changed:
            super().clear()
            self._forgotten.update(self._open)
            self._open.clear()

    def check(self, spec: Spec, **options: Unpack[Checks]) -> Checked:
        """Checks every trace, once all spans have ended."""
        end = time.monotonic() + self.wait
        with self._changed:
            while self._open and time.monotonic() < end:
                self._changed.wait(end - time.monotonic())
            names = sorted(set(self._open.values()))
        checked = super().check(spec, **options)
        if names:
            text = "`, `".join(names)
            checked.warnings.append(f"warning: these spans have not ended after {self.wait} s, so their events are missing: `{text}`")
        return checked


def _document(span: ReadableSpan) -> dict[str, Any]:
    """A span as a document of OTLP JSON."""
    context = span.get_span_context()
    scope = span.instrumentation_scope
    own: dict[str, Any] = {
        "traceId": trace.format_trace_id(context.trace_id),
        "spanId": trace.format_span_id(context.span_id),
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _attributes(span.attributes),
        "status": {"code": span.status.status_code.value, "message": span.status.description or ""},
    }
    if span.parent is not None:
        own["parentSpanId"] = trace.format_span_id(span.parent.span_id)
    if span.links:
        own["links"] = [
            {"traceId": trace.format_trace_id(link.context.trace_id), "spanId": trace.format_span_id(link.context.span_id)}
            for link in span.links
        ]
    scoped = {"scope": {"name": scope.name if scope else ""}, "spans": [own]}
    return {"resourceSpans": [{"resource": {"attributes": _attributes(span.resource.attributes)}, "scopeSpans": [scoped]}]}


def _attributes(pairs: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in (pairs or {}).items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode()}
        case str():
            return {"stringValue": value}
        case Mapping():
            return {"kvlistValue": {"values": _attributes(value)}}
        case Sequence():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": str(value)}
