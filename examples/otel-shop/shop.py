"""A shop of four services, traced by the OpenTelemetry SDK.

    python shop.py SERVICE FILE      serves SERVICE and writes its spans to FILE as OTLP JSON lines

A customer buys at the storefront, which asks checkout, which asks payment and then shipping. What is posted is the number of
the order and the card, and every span has the number as the attribute `order.id`. The variable BUG of the environment puts
a mistake in: `charge-twice`, `no-traceparent`, `charge-again` (only the third order is charged twice) or `slow` (payment takes
its time for the fourth). `test_shop.py` serves all four in one process.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry import trace
from opentelemetry.propagate import extract, inject
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind

SERVICES = ["storefront", "checkout", "payment", "shipping"]
# The port of each service.
PORTS = {service: int(os.environ.get("PORT", "18080")) + number for number, service in enumerate(SERVICES)}
BUG = os.environ.get("BUG", "")


class FileExporter(SpanExporter):
    """Writes each span as a line of OTLP JSON, as the file exporter of the Collector does."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")

    def export(self, spans):
        for span in spans:
            document = {"resourceSpans": [{
                "resource": {"attributes": attributes(span.resource.attributes)},
                "scopeSpans": [{"scope": {"name": "shop"}, "spans": [otlp(span)]}],
            }]}
            self.file.write(json.dumps(document, separators=(",", ":")) + "\n")
        self.file.flush()
        return SpanExportResult.SUCCESS


def otlp(span):
    """A span as OTLP JSON has it."""
    result = {
        "traceId": trace.format_trace_id(span.context.trace_id),
        "spanId": trace.format_span_id(span.context.span_id),
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": attributes(span.attributes),
    }
    if span.parent is not None:
        result["parentSpanId"] = trace.format_span_id(span.parent.span_id)
    return result


def attributes(pairs):
    """Attributes as OTLP JSON has them."""
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in pairs.items()
    ]


def call(tracer, service, path, body):
    """Posts to another service and returns the status of its answer."""
    with tracer.start_as_current_span(f"POST {path}", kind=SpanKind.CLIENT) as span:
        span.set_attribute("server.address", service)
        span.set_attribute("url.path", path)
        span.set_attribute("order.id", order(body))
        headers = {}
        inject(headers)
        if BUG == "no-traceparent" and service == "payment":
            # The new HTTP client of checkout knows nothing of tracing.
            headers = {}
        url = f"http://127.0.0.1:{PORTS[service]}{path}"
        request = urllib.request.Request(url, data=body.encode(), headers=headers, method="POST")
        try:
            status = urllib.request.urlopen(request, timeout=10).status
        except urllib.error.HTTPError as error:
            status = error.code
        span.set_attribute("http.response.status_code", status)
        return status


def order(body):
    """The number of an order: the first word of what is posted."""
    return body.split(" ")[0]


def answer(tracer, path, body):
    """What a service does when it is asked, and the status it answers with."""
    if path == "/buy":
        return call(tracer, "checkout", "/checkout", body)
    if path == "/checkout":
        status = call(tracer, "payment", "/charge", body)
        if status == 200 and (BUG == "charge-twice" or BUG == "charge-again" and order(body) == "o-3"):
            # A retry that does not look at what the first attempt gave.
            status = call(tracer, "payment", "/charge", body)
        return call(tracer, "shipping", "/ship", body) if status == 200 else status
    if path == "/charge":
        time.sleep(2.5 if BUG == "slow" and order(body) == "o-4" else 0.05)
        return 402 if body.endswith("expired card") else 200
    return 200


class Handler(BaseHTTPRequestHandler):
    """Traces what comes in."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        tracer = self.server.tracer
        name = f"POST {self.path}"
        with tracer.start_as_current_span(name, extract(self.headers), SpanKind.SERVER) as span:
            span.set_attribute("url.path", self.path)
            span.set_attribute("order.id", order(body))
            status = answer(tracer, self.path, body)
            span.set_attribute("http.response.status_code", status)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def server(service, provider, port):
    """A server of the service, whose spans go to the provider."""
    made = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    made.tracer = provider.get_tracer("shop")
    return made


def main():
    service, path = sys.argv[1:]
    provider = TracerProvider(resource=Resource({"service.name": service}))
    provider.add_span_processor(SimpleSpanProcessor(FileExporter(path)))
    server(service, provider, PORTS[service]).serve_forever()


if __name__ == "__main__":
    main()
