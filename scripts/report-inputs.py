"""Writes inputs for reports that are hard to draw; scripts/check-report calls it with a folder.

scripts/  logs, lifelines and messages in several writing systems, with characters that are markup in HTML
long/     a failure after some thousand of 5,000 events
wide/     a failure among sixty lifelines
many/     two thousand multi-traces, a tenth of which fail
"""

import json
import pathlib
import sys

root = pathlib.Path(sys.argv[1])


def write(path, text):
    path = root / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def case(name, logs):
    text = "; ".join(f"[{lifeline}] {'.'.join(actions)}" for lifeline, actions in logs.items())
    return json.dumps({"id": name, "htf": "{" + text + "}"}, ensure_ascii=False) + "\n"


def diagram(lifelines, steps):
    lines = ["sequenceDiagram", *(f"  participant {lifeline}" for lifeline in lifelines), *steps]
    return "\n".join(lines) + "\n"


# Raw logs in several writing systems; in the first run, two messages are swapped.
names = ["発行者", "брокер", "مشترك", "café"]
flow = [
    (names[0], names[1], "こんにちは"),
    (names[1], names[2], "привет"),
    (names[2], names[1], "شكرا"),
    (names[1], names[3], "ça-va-👍🏽"),
    (names[3], names[0], "größe"),
]
write("scripts/プロトコル.mmd", diagram(names, [f"  {a}->>{b}: {m}" for a, b, m in flow]))
write(
    "scripts/otus.toml",
    """spec = "プロトコル.mmd"
[[source]]
name = "журнал"
files = ["журнал/*.log"]
format = "regex"
lifeline = "{file.stem}"
group = "{run}"
[[source.rule]]
match = '^(?<run>\\S+) (?<d>sends|hears) „(?<message>[^“]+)“'
dir = { from = "d", map = { sends = "!", hears = "?" } }
message = "{message}"
""",
)
logs = {name: [] for name in names}
for run in ["一&<i>二</i>", "ελληνικά"]:
    for number, (sender, receiver, message) in enumerate(flow):
        # Two messages are swapped on one side of the first run.
        sent = flow[3][2] if run.startswith("一") and number == 1 else message
        sent = flow[1][2] if run.startswith("一") and number == 3 else sent
        tail = "\x1b[1m </script><script>alert(1)</script> \u202eok"
        logs[sender].append(f"{run} sends „{sent if sender == names[1] else message}“{tail}\n")
        logs[receiver].append(f"{run} hears „{message}“{tail}\n")
for name, lines in logs.items():
    write(f"scripts/журнал/{name}.log", "".join(lines))

# A leader and its followers; in round 437 a follower answers before it is asked.
members = ["leader", "follower1", "follower2", "client"]
steps = ["  loop"]
round_trip = [
    ("client", "leader", "Put"),
    ("leader", "follower1", "AppendEntries"),
    ("leader", "follower2", "AppendEntries"),
    ("follower1", "leader", "AppendResponse"),
    ("leader", "client", "Done"),
]
steps += [f"    {a}->>{b}: {m}" for a, b, m in round_trip] + ["  end"]
write("long/raft.mmd", diagram(members, steps))
logs = {member: [] for member in members}
for number in range(500):
    for sender, receiver, message in round_trip:
        logs[sender].append(f"{sender}!{message}")
        logs[receiver].append(f"{receiver}?{message}")
    if number == 436:
        own = logs["follower1"]
        own[-1], own[-2] = own[-2], own[-1]
assert sum(map(len, logs.values())) == 5000
write("long/run.jsonl", case("term 4", logs))

# A token that goes round a ring; in the second round a service sends it twice.
services = [f"service_{number:02}" for number in range(60)]
ring = [(service, services[(number + 1) % 60], "token") for number, service in enumerate(services)]
write("wide/ring.mmd", diagram(services, ["  loop"] + [f"    {a}->>{b}: {m}" for a, b, m in ring] + ["  end"]))
logs = {service: [] for service in services}
for number, (sender, receiver, message) in enumerate(ring + ring):
    times = 2 if number == 101 else 1
    logs[sender] += [f"{sender}!{message}"] * times
    logs[receiver].append(f"{receiver}?{message}")
write("wide/run.jsonl", case("ring", logs))

# Many multi-traces of a small flow.
write("many/flow.mmd", "sequenceDiagram\n  a->>b: ask\n  alt yes\n    b->>a: grant\n  else no\n    b->>a: deny\n  end\n")
lines = []
for number in range(2000):
    answer = "grant" if number % 3 else "deny"
    logs = {"a": ["a!ask", f"a?{answer}"], "b": ["b?ask", f"b!{answer}"]}
    if number % 20 == 7:
        logs["a"].reverse()
    if number % 20 == 13:
        logs["b"].append("b!grant")
    if number % 20 == 9:
        logs["a"].pop()
    lines.append(case(f"order-{number:04}", logs))
write("many/orders.jsonl", "".join(lines))
