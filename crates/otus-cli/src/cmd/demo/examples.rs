//! The texts and commands of each demo. The files are those of `examples/`.

use crate::args::Demo;

pub(super) struct Example {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The files that the example needs, with their texts.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) steps: &'static [Step],
    /// The pictures and reports that the example writes: a description and the file name of each.
    pub(super) made: &'static [(&'static str, &'static str)],
    /// Suggestions and their commands; `DIR` stands for the folder.
    pub(super) next: [(&'static str, &'static str); 2],
}

pub(super) enum Step {
    Say(&'static str),
    /// Some lines of a file, from the first to the last, counted from 1.
    Show {
        file: &'static str,
        lines: (usize, usize),
    },
    /// A command of Otus, and its expected exit status.
    Run {
        command: &'static str,
        exit: u8,
    },
    /// A watch that follows the small system, until the wrong order fails.
    Follow {
        command: &'static str,
    },
}

/// The files of an example, by their names in its folder.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../examples/", $folder, "/", $name)))),+]
    };
}

pub(super) fn of(demo: Demo) -> &'static Example {
    match demo {
        Demo::Mqtt => &MQTT,
        Demo::Otel => &OTEL,
        Demo::Raft => &RAFT,
        Demo::Ctl => &CTL,
        Demo::Papers => &PAPERS,
        Demo::Live => &LIVE,
    }
}

const MQTT: Example = Example {
    name: "mqtt",
    title: "MQTT: the raw logs of a broker and its clients, against a diagram in a document.",
    files: files!("mqtt":
        "protocol.md", "otus.toml",
        "logs/pass/broker.log", "logs/pass/door-pub.log", "logs/pass/door-sub.log",
        "logs/pass/light-pub.log", "logs/pass/light-sub.log",
        "logs/pass/thermo-pub.log", "logs/pass/thermo-sub.log",
        "logs/cut/broker.log", "logs/cut/thermo-pub.log", "logs/cut/thermo-sub.log",
        "logs/broken/broker.log", "logs/broken/thermo-pub.log", "logs/broken/thermo-sub.log",
    ),
    steps: &[
        Step::Say("What should happen is a Mermaid diagram; this is its strictest part:"),
        Step::Show { file: "protocol.md", lines: (33, 46) },
        Step::Say(
            "What did happen is in the logs of three kinds of programs; those of clients have no \
             time stamps:",
        ),
        Step::Show { file: "logs/pass/thermo-sub.log", lines: (5, 9) },
        Step::Say(
            "otus.toml has six patterns that turn such lines into actions. Did every device do \
             what it should?",
        ),
        Step::Run { command: "analyze logs/pass --no-witness", exit: 0 },
        Step::Say(
            "It did. Now the same run without two of its lines: the broker never released \
             (PUBREL) a message that the subscriber completed (PUBCOMP).",
        ),
        Step::Run {
            command: "analyze logs/broken --no-witness --report html=report.html",
            exit: 1,
        },
    ],
    made: &[("The report, for your browser", "report.html")],
    next: [
        ("What must be missing of a log that lost its end", "analyze DIR/protocol.md DIR/logs/cut"),
        ("The diagram of what happened", "learn DIR/logs/pass"),
    ],
};

const OTEL: Example = Example {
    name: "otel",
    title: "OpenTelemetry: the spans of four services, against a Mermaid diagram.",
    files: files!("otel-shop":
        "checkout.mmd", "otus.toml",
        "logs/pass/checkout.otlp.jsonl", "logs/pass/payment.otlp.jsonl",
        "logs/pass/shipping.otlp.jsonl", "logs/pass/storefront.otlp.jsonl",
        "logs/broken/checkout.otlp.jsonl", "logs/broken/payment.otlp.jsonl",
        "logs/broken/shipping.otlp.jsonl", "logs/broken/storefront.otlp.jsonl",
        "logs/context/checkout.otlp.jsonl", "logs/context/payment.otlp.jsonl",
        "logs/context/shipping.otlp.jsonl", "logs/context/storefront.otlp.jsonl",
    ),
    steps: &[
        Step::Say("How a shop sells, as a diagram:"),
        Step::Run { command: "draw checkout.mmd", exit: 0 },
        Step::Say("Two customers bought something; each trace id is a group."),
        Step::Run { command: "analyze logs/pass --no-witness", exit: 0 },
        Step::Say("Another customer was charged twice. Nothing crashed, and every reply was 200."),
        Step::Run {
            command: "analyze logs/broken --no-witness --report html=report.html",
            exit: 1,
        },
        Step::Say("And if a service loses the trace context, the cause is told:"),
        Step::Run { command: "analyze logs/context --explain none --no-witness", exit: 1 },
    ],
    made: &[("The report, for your browser", "report.html")],
    next: [
        ("How spans became actions", "map DIR/logs/pass --explain"),
        ("The diagram of what happened", "learn DIR/logs/pass"),
    ],
};

const RAFT: Example = Example {
    name: "raft",
    title: "Raft: the logs of an etcd cluster, and never two leaders in one term.",
    files: files!("raft":
        "election.hsf", "otus.toml",
        "logs/pass/n1.log", "logs/pass/n2.log", "logs/pass/n3.log",
        "logs/broken/n1.log", "logs/broken/n2.log", "logs/broken/n3.log",
    ),
    steps: &[
        Step::Say("Three members elect a leader; it is killed, and the others elect another one:"),
        Step::Run { command: "analyze logs/pass --no-witness", exit: 0 },
        Step::Say(
            "Is there ever a moment with two leaders in one term, in any order of events that the \
             messages leave open? The property is in otus.toml:",
        ),
        Step::Run { command: "ctl logs/pass", exit: 0 },
        Step::Say("With a line in which n2 claims the term that n3 leads, there is:"),
        Step::Run { command: "ctl logs/broken --draw why.svg", exit: 1 },
    ],
    made: &[("The cut at which two lead", "why.svg")],
    next: [
        (
            "Two leaders at one moment, in different terms",
            "ctl DIR/logs/pass 'possibly(n1.role = leader & n3.role = leader)'",
        ),
        ("What the diagram says about the broken run", "analyze DIR/election.hsf DIR/logs/broken"),
    ],
};

const CTL: Example = Example {
    name: "ctl",
    title: "CTL: two writers and a lock, over every order of events that is possible.",
    files: files!("lock": "handover.pot.json", "race.pot.json", "lock.ctl"),
    steps: &[
        Step::Say("Two properties,"),
        Step::Show { file: "lock.ctl", lines: (1, 3) },
        Step::Say("of six events, of which one order between processes is known, the handover:"),
        Step::Show { file: "handover.pot.json", lines: (1, 8) },
        Step::Run { command: "ctl handover.pot.json --file lock.ctl", exit: 0 },
        Step::Say(
            "Without the handover the same two logs still look harmless, one after the other. But \
             there is an order in which both write:",
        ),
        Step::Run { command: "ctl race.pot.json --file lock.ctl --draw why.svg", exit: 1 },
    ],
    made: &[("The cut at which both write", "why.svg")],
    next: [
        (
            "In how many cuts something is possible",
            "ctl DIR/handover.pot.json 'EF(page = 1 & bob.waits)' --count",
        ),
        ("A picture of all cuts", "draw DIR/race.pot.json --what lattice -o lattice.svg"),
    ],
};

const PAPERS: Example = Example {
    name: "papers",
    title: "The papers: their examples, by their searches and by our engine.",
    files: files!("figures":
        "pubsub.hsf", "pubsub.htf", "early.htf", "running.hsf", "running.htf", "slice.htf",
    ),
    steps: &[
        Step::Say("The publish/subscribe example, searched as the papers do, with its graph:"),
        Step::Run {
            command: "analyze pubsub.hsf pubsub.htf --kind eliminate --engine graph --graph search.svg",
            exit: 0,
        },
        Step::Say("The same question to the fast engine; then a broker that forwards too early:"),
        Step::Run { command: "analyze pubsub.hsf pubsub.htf --kind eliminate", exit: 0 },
        Step::Run { command: "analyze pubsub.hsf early.htf --kind eliminate", exit: 1 },
        Step::Say("A slice: one clock started late, the other stopped early."),
        Step::Run { command: "analyze running.hsf slice.htf --observed slice", exit: 0 },
    ],
    made: &[("The graph of the search", "search.svg")],
    next: [
        (
            "What an interaction can do, step by step",
            "explore DIR/running.hsf --filters '[max_depth = 2]'",
        ),
        ("A picture of it", "draw DIR/running.hsf -o running.svg"),
    ],
};

const LIVE: Example = Example {
    name: "live",
    title: "Live: a shop, a bank and a store run, and Otus tells on the event that one of them is wrong.",
    files: files!("live/files": "flow.mmd", "otus.toml"),
    steps: &[
        Step::Say("What should happen:"),
        Step::Show { file: "flow.mmd", lines: (1, 8) },
        Step::Say(
            "Three processes now talk over the loopback, and each writes its own log. A fourth one \
             follows the logs while they grow. Three orders are right; the last one is shipped before \
             it is paid.",
        ),
        Step::Follow { command: "watch --from-start --all --exit-on-fail --grace 1s --for 30s" },
    ],
    made: &[],
    next: [
        ("What the logs say afterwards", "analyze DIR/flow.mmd DIR/logs"),
        (
            "What an open group remembers",
            "watch DIR/flow.mmd --config DIR/otus.toml --explain-memory",
        ),
    ],
};
