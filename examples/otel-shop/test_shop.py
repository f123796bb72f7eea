"""The shop in one process, whose spans a test checks against the diagram.

    python -m pytest test_shop.py        needs otus, pytest and opentelemetry-sdk
"""

import threading
import urllib.error
import urllib.request
from pathlib import Path

import otus
import pytest
import shop
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from otus.opentelemetry import Spans

HERE = Path(__file__).parent
CHECKOUT = otus.Spec.from_file(HERE / "checkout.mmd")


@pytest.fixture
def spans():
    """The four services, each with a provider of its own, as long as a test lasts."""
    recorded = Spans(config=HERE / "otus.toml")
    servers = []
    for service in shop.SERVICES:
        provider = TracerProvider(resource=Resource({"service.name": service}))
        recorded.attach(provider)
        server = shop.server(service, provider, 0)
        shop.PORTS[service] = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    yield recorded
    for server in servers:
        server.shutdown()
        server.server_close()


def buy(card):
    url = f"http://127.0.0.1:{shop.PORTS['storefront']}/buy"
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data=f"o-1 {card}".encode(), method="POST"), timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_good_card_is_charged_once(spans):
    assert buy("good card") == 200
    otus.assert_conforms(CHECKOUT, spans)


def test_nothing_is_shipped_for_an_expired_card(spans):
    assert buy("expired card") == 402
    otus.assert_conforms(CHECKOUT, spans)


def test_each_trace_is_a_run(spans):
    buy("good card")
    buy("expired card")
    assert len(otus.assert_conforms(CHECKOUT, spans).cases) == 2


def test_a_second_charge_is_found(spans, monkeypatch):
    monkeypatch.setattr(shop, "BUG", "charge-twice")
    # The customer notices nothing.
    assert buy("good card") == 200
    with pytest.raises(otus.Nonconformance, match="checkout sent POST /charge where checkout should send POST /ship"):
        otus.assert_conforms(CHECKOUT, spans)


def test_a_lost_context_is_named(spans, monkeypatch):
    monkeypatch.setattr(shop, "BUG", "no-traceparent")
    buy("good card")
    with pytest.raises(otus.Nonconformance, match="the header `traceparent` does not arrive"):
        otus.assert_conforms(CHECKOUT, spans)
