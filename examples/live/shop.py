"""A shop, a bank and a store. Each has a provider of its own, as if it were a process of its own."""

import argparse

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, set_span_in_context

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--endpoint", default="127.0.0.1:4317", help="where Otus listens for gRPC")
arguments.add_argument("--orders", type=int, default=10)
arguments.add_argument("--hasty", action="store_true", help="ship every third order before it is paid")
options = arguments.parse_args()

providers = {}
for name in ("shop", "bank", "store"):
    providers[name] = TracerProvider(resource=Resource.create({"service.name": name}))
    exporter = OTLPSpanExporter(endpoint=options.endpoint, insecure=True)
    providers[name].add_span_processor(BatchSpanProcessor(exporter))
tracers = {name: provider.get_tracer("shop") for name, provider in providers.items()}


def call(order, service, name):
    """The shop calls another service and waits for its reply."""
    with tracers["shop"].start_as_current_span(name, order, kind=SpanKind.CLIENT) as span:
        with tracers[service].start_as_current_span(name, set_span_in_context(span), kind=SpanKind.SERVER):
            pass


for number in range(options.orders):
    with tracers["shop"].start_as_current_span("order", kind=SpanKind.INTERNAL) as root:
        order = set_span_in_context(root)
        calls = [("bank", "charge"), ("store", "ship")]
        if options.hasty and number % 3 == 2:
            calls.reverse()
        for service, name in calls:
            call(order, service, name)

for provider in providers.values():
    provider.shutdown()
print(f"{options.orders} orders")
