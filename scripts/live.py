"""Drives `otus watch` with real clients; see check-live. All sockets are on the loopback, and all processes are stopped by their id."""

import atexit
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

from grpc import ssl_channel_credentials
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, set_span_in_context

OTUS, WORK, SPANS = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])

FLOW = """sequenceDiagram
  shop->>bank: charge
  bank-->>shop: charge reply
"""
# Exporters are behind by some seconds for each hundred thousand spans, and a root may arrive that long before its last child.
GRACE = 1 + SPANS // 10_000
PATIENCE = 60 + SPANS // 2_000


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


class Watch:
    """A process of `otus watch` in a folder."""

    def __init__(self, folder, *args, ports=None, trusts=None):
        # What vouches for the certificate, if the process has one.
        self.trusts = trusts
        self.folder = WORK / folder
        self.folder.mkdir(exist_ok=True)
        (self.folder / "flow.mmd").write_text(FLOW)
        self.grpc, self.http, self.metrics = ports or [free_port() for _ in range(3)]
        addresses = [
            f"--otlp-grpc=127.0.0.1:{self.grpc}",
            f"--otlp-http=127.0.0.1:{self.http}",
            f"--metrics=127.0.0.1:{self.metrics}",
        ]
        self.log = open(self.folder / "stderr", "a")
        self.process = subprocess.Popen(
            [OTUS, "watch", "flow.mmd", *addresses, "--format=jsonl", *args],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=self.log,
        )
        # A check that fails leaves no process behind.
        atexit.register(self.process.kill)
        self.wait(lambda: self.get("/healthz") == "ok\n")

    def get(self, path):
        try:
            scheme = "https" if self.trusts else "http"
            url = f"{scheme}://127.0.0.1:{self.metrics}{path}"
            with urllib.request.urlopen(url, timeout=5, context=self.trusts) as it:
                return it.read().decode()
        except OSError:
            return ""

    def count(self, name):
        found = re.search(rf"^{name} (\d+)$", self.get("/metrics"), re.M)
        return int(found[1]) if found else 0

    def wait(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            assert self.process.poll() is None, (self.folder / "stderr").read_text()
            assert time.monotonic() < end, (self.folder / "stderr").read_text() + self.get("/metrics")
            time.sleep(0.02)

    def verdicts(self):
        """By trace: the verdict. Each id is there once."""
        told, ids = {}, set()
        for line in (self.folder / "verdicts.jsonl").read_text().splitlines():
            it = json.loads(line)
            assert it["id"] not in ids, f"{it['id']} is told twice"
            ids.add(it["id"])
            told[it["group"]] = (it["verdict"], it["events"])
        return told

    def stop(self, status):
        self.process.terminate()
        assert self.process.wait(PATIENCE) == status, (self.folder / "stderr").read_text()


def tracer(service, processor):
    provider = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider, provider.get_tracer("check")


def traces(processors, count, every):
    """Calls of a bank by a shop; every so many, the bank is not asked and calls by itself."""
    providers = {}
    for service in ("shop", "bank"):
        providers[service] = tracer(service, processors(service))
    shop, bank = providers["shop"][1], providers["bank"][1]
    for number in range(count):
        if number % every == every - 1:
            with bank.start_as_current_span("charge", kind=SpanKind.CLIENT):
                pass
            continue
        call = shop.start_span("charge", kind=SpanKind.CLIENT)
        served = bank.start_span("charge", set_span_in_context(call), kind=SpanKind.SERVER)
        served.set_attributes({f"key.{n}": f"value {n} of {number}" for n in range(8)})
        served.end()
        call.end()
    for provider, _ in providers.values():
        assert provider.force_flush(60_000)
        provider.shutdown()


def sdk():
    """The exporters of the SDK, over gRPC and HTTP, with and without gzip."""
    watch = Watch("sdk", "--wal=state", "--verdicts=verdicts.jsonl", f"--idle={2 * GRACE}", f"--grace={GRACE}",
                  f"--max-open={max(SPANS, 1000)}")
    url = f"http://127.0.0.1:{watch.http}/v1/traces"
    kinds = [
        lambda: Grpc(endpoint=f"127.0.0.1:{watch.grpc}", insecure=True),
        lambda: Http(endpoint=url, compression=Compression.Gzip),
        lambda: Http(endpoint=url),
    ]
    expected = 0
    for kind in kinds:
        count = SPANS // 2 // len(kinds)
        batch = lambda _: BatchSpanProcessor(kind(), max_queue_size=1 << 20, max_export_batch_size=512)
        traces(batch, count, 10)
        expected += count
    watch.wait(lambda: sum(watch.count(f"otus_verdicts_{it}_total") for it in ("pass", "weak", "fail", "undecided")) >= expected)
    told = watch.verdicts()
    assert len(told) == expected, (len(told), expected)
    fails = sum(verdict == "Fail" for verdict, _ in told.values())
    assert fails == sum(SPANS // 2 // len(kinds) // 10 for _ in kinds), fails
    assert all(verdict in ("Pass", "Fail") for verdict, _ in told.values()), set(told.values())
    assert watch.count("otus_requests_refused_total") == 0
    metrics = watch.get("/metrics")
    watch.stop(1)
    print(f"sdk: {expected} traces arrived and were judged, {fails} of them fail")
    return metrics


def encrypted():
    """The exporters of the SDK over TLS; who speaks none is not served, and harms nobody."""
    folder = WORK / "encrypted"
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder, check=True, capture_output=True, timeout=60,
    )
    cert = folder / "cert.pem"
    # What the machine trusts otherwise would take the place of the exporter's argument.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        os.environ.pop(name, None)
    trusts = ssl.create_default_context(cafile=str(cert))
    watch = Watch("encrypted", "--tls-cert=cert.pem", "--tls-key=key.pem", "--verdicts=verdicts.jsonl", "--idle=1", trusts=trusts)
    credentials = ssl_channel_credentials(cert.read_bytes())
    kinds = [
        lambda: Grpc(endpoint=f"127.0.0.1:{watch.grpc}", credentials=credentials),
        lambda: Http(endpoint=f"https://127.0.0.1:{watch.http}/v1/traces", certificate_file=str(cert)),
    ]
    for kind in kinds:
        traces(lambda _: BatchSpanProcessor(kind()), 70, 7)
    with socket.create_connection(("127.0.0.1", watch.http), timeout=10) as it:
        it.sendall(b"POST /v1/traces HTTP/1.1\r\n\r\n")
        assert b"HTTP" not in it.recv(100)
    watch.wait(lambda: len(watch.verdicts()) >= 140)
    assert sum(verdict == "Fail" for verdict, _ in watch.verdicts().values()) == 20
    watch.stop(1)
    for name, args, told in [
        ("no certificate", ["--tls-cert=key.pem", "--tls-key=key.pem"], "key.pem has no PEM block of a certificate"),
        ("no key", ["--tls-cert=cert.pem", "--tls-key=cert.pem"], "cert.pem has no PEM block of a private key"),
        ("no file", ["--tls-cert=none.pem", "--tls-key=key.pem"], "cannot read none.pem"),
    ]:
        done = subprocess.run(
            [OTUS, "watch", "flow.mmd", "--otlp-http=127.0.0.1:0", "--for=1s", *args],
            cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
        )
        assert done.returncode == 2 and told in done.stderr, (name, done)
    print("encrypted: 140 traces over TLS, by gRPC and by HTTP")


def requests(count):
    """Export requests with all spans of some traces, as bytes."""
    memory = InMemorySpanExporter()
    traces(lambda _: Keep(memory), count, 7)
    spans = list(memory.get_finished_spans())
    return [encode_spans(spans[at : at + 20]).SerializeToString() for at in range(0, len(spans), 20)]


class Keep(SimpleSpanProcessor):
    """Keeps spans; the other provider goes on when one is shut down."""

    def __init__(self, memory):
        super().__init__(memory)

    def shutdown(self):
        pass


def post(port, body, headers=None, path="/v1/traces"):
    kind = {"Content-Type": "application/x-protobuf"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, {**kind, **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def killed():
    """A process that is killed ten times at random moments tells the same verdicts, each once."""
    all_requests = requests(3000)
    args = ["--wal=state", "--verdicts=verdicts.jsonl", "--idle=1", "--grace=0.2"]

    def run(folder, kills):
        watch = Watch(folder, *args)
        ports = (watch.grpc, watch.http, watch.metrics)
        moments = sorted(random.Random(kills).sample(range(len(all_requests)), kills))
        for number, body in enumerate(all_requests):
            if moments and moments[0] == number:
                moments.pop(0)
                watch.process.kill()
                watch.process.wait()
                watch = Watch(folder, *args, ports=ports)
            # A client sends again what was not acknowledged.
            for _ in range(100):
                try:
                    if post(ports[1], body) == 200:
                        break
                except OSError:
                    pass
                time.sleep(0.01)
            else:
                raise AssertionError("never taken")
        watch.wait(lambda: len(watch.verdicts()) >= 3000)
        watch.stop(1 if any(it[0] == "Fail" for it in watch.verdicts().values()) and not kills else watch_status(watch))
        return watch.verdicts()

    calm, rough = run("calm", 0), run("rough", 10)
    assert len(calm) == 3000 and calm == rough, "the verdicts differ"
    print(f"killed: 10 times, and the same {len(calm)} verdicts, each once")


def watch_status(watch):
    """A process that went on counts the verdicts that it told itself."""
    return 1 if watch.count("otus_verdicts_fail_total") else 0


def memory_of(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def hostile():
    """Requests that no client should send cost bounded memory, and get the status that says so."""
    watch = Watch("hostile", "--max-message=4")
    json_kind = {"Content-Type": "application/json"}
    packed = {"Content-Encoding": "gzip"}
    bomb = gzip.compress(b"\0" * (512 << 20), 1)
    attribute = b"\x4a\x06\x0a\x01k\x12\x01\x0a"
    span = attribute * 1_100_000

    def field(number, content):
        length, size = b"", len(content)
        while size >= 128:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + content

    many = field(1, field(2, field(2, span)))
    utf8 = field(1, field(2, field(2, field(5, b"\xff\xfe"))))
    cases = [
        ("deep JSON", b"[" * 1_000_000, json_kind, 400),
        ("deep JSON in a key", b'{"resourceSpans":' + b"[" * 100_000 + b"]" * 100_000 + b"}", json_kind, 400),
        ("a length of 2 GB", b"\x0a\xff\xff\xff\xff\x07xx", {}, 400),
        ("a gzip bomb", bomb, packed, 413),
        ("no gzip", b"no gzip", packed, 400),
        ("too many attributes", many, {}, 413),
        ("no UTF-8", utf8, {}, 400),
        ("too long", b"\0" * (5 << 20), {}, 413),
        ("noise", random.Random(1).randbytes(100_000), {}, 400),
        ("another type", b"x", {"Content-Type": "text/plain"}, 415),
        ("another encoding", b"x", {"Content-Encoding": "br"}, 415),
        ("nothing", b"", {}, 200),
    ]
    for name, body, headers, status in cases:
        try:
            found = post(watch.http, body, headers)
        except OSError as error:
            # The server may answer and close before all of a long body is sent.
            found = 413 if status == 413 else error
        assert found == status, (name, found, status)
    assert post(watch.http, b"", path="/v1/logs") == 404
    # Connections that say nothing, or too much.
    silent = [socket.create_connection(("127.0.0.1", watch.http)) for _ in range(50)]
    with socket.create_connection(("127.0.0.1", watch.http)) as it:
        it.settimeout(10)
        try:
            it.sendall(b"POST /v1/traces HTTP/1.1\r\n" + b"A: " + b"x" * 1_000_000)
            assert it.recv(100).startswith(b"HTTP/1.1 4")
        except OSError:
            pass
    assert watch.get("/healthz") == "ok\n"
    peak = memory_of(watch.process)
    assert peak < 200, f"{peak} MiB"
    for it in silent:
        it.close()
    watch.process.terminate()
    watch.process.wait(PATIENCE)
    print(f"hostile: {len(cases)} requests were refused rightly, peak memory {peak} MiB")


def prometheus(metrics):
    """promtool accepts the metrics."""
    tool = shutil.which("promtool") or shutil.which("prometheus-promtool")
    done = subprocess.run([tool, "check", "metrics"], input=metrics.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr.decode() + metrics
    print("prometheus: promtool accepts the metrics")


def alertmanager():
    """An Alertmanager has the alert of a failure."""
    tool = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
    port = free_port()
    folder = WORK / "alertmanager"
    folder.mkdir()
    (folder / "alertmanager.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
    log = open(folder / "log", "w")
    manager = subprocess.Popen(
        [tool, "--config.file=alertmanager.yml", f"--web.listen-address=127.0.0.1:{port}",
         "--cluster.listen-address=", "--storage.path=data"],
        cwd=folder, stdout=log, stderr=log,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"{url}/-/ready", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end, (folder / "log").read_text()
                time.sleep(0.1)
        watch = Watch("alerts", f"--alerts={url}", "--grace=0.1", "--idle=0.5")
        for body in requests(7):
            assert post(watch.http, body) == 200
        watch.wait(lambda: watch.count("otus_alerts_total") >= 1)
        with urllib.request.urlopen(f"{url}/api/v2/alerts", timeout=5) as answer:
            [alert] = json.load(answer)
        assert alert["labels"]["alertname"] == "OtusFail" and alert["labels"]["cause"], alert
        assert alert["annotations"]["summary"], alert
        watch.stop(1)
        print("alertmanager: it has the alert:", alert["annotations"]["summary"])
    finally:
        manager.terminate()
        manager.wait(PATIENCE)


METRICS = sdk()
prometheus(METRICS)
encrypted()
killed()
hostile()
alertmanager()
