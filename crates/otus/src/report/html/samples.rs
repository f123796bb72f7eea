//! Reports to test and to look at: a small one, one in other scripts, a long, a wide and a numerous one.

use otus_analysis::question::Question;

use super::fill;
use super::model::{
    About, Case, Coverage, Detail, Event, Excerpt, Lifeline, Part, Report, Run, Rung, State, Total,
    Verdict, counts,
};

/// Every sample with its name.
pub(super) fn all() -> Vec<(&'static str, Report)> {
    let empty = report(run("Nothing"), Vec::new());
    vec![
        ("small", small()),
        ("scripts", scripts()),
        ("long", long()),
        ("wide", wide()),
        ("many", many()),
        ("odd", odd()),
        ("real", real()),
        ("empty", empty),
    ]
}

/// A broker that never releases a message, beside a group that passes and one that is cut short.
pub(super) fn small() -> Report {
    let mut cases = vec![
        case("client=sub1 mid=1", Verdict::Fail, 11),
        case("client=sub2 mid=1", Verdict::Pass, 12),
        case("client=sub3 mid=7", Verdict::WeakPass, 9),
        case("client=sub4 mid=2", Verdict::Inconclusive, 40),
    ];
    cases[0].headline = "broker received PUBCOMP but never sent PUBREL".to_owned();
    cases[0].cause = "missing counterpart".to_owned();
    cases[0].detail = Some(mqtt());
    cases[2].headline = "it passes if the log of sub3 stopped early".to_owned();
    cases[2].detail = Some(cut_short());
    let text = "More states than 1,000 (--max-states) were needed.".to_owned();
    let ladder = vec![Rung { title: "Undecided".to_owned(), text }];
    cases[3].detail = Some(Detail { ladder, ..Detail::default() });
    cases[3].headline = "as many states were made as may be".to_owned();
    let mut run = run("docs/mqtt.md");
    run.summary =
        "checked 6 logs, 72 actions (31 lines unmatched), 4 groups: 1 pass, 1 fail, 1 weak, 1 \
                   undecided in 3 ms"
            .to_owned();
    let mut report = report(run, cases);
    report.about.coverage = vec![coverage()];
    report
}

fn report(run: Run, cases: Vec<Case>) -> Report {
    let about = About { run, counts: counts(&cases), coverage: Vec::new() };
    Report { about, cases }
}

fn run(title: &str) -> Run {
    Run {
        title: format!("Conformance to {title}"),
        tool: "otus 0.1.0".to_owned(),
        specifications: vec![title.to_owned()],
        question: "every log is complete, but those of sub* may stop early".to_owned(),
        summary: "checked 6 logs, 72 actions (31 lines unmatched) in 3 ms".to_owned(),
        totals: [("Logs", "6"), ("Actions", "72"), ("Unmatched lines", "31"), ("Time", "3 ms")]
            .into_iter()
            .map(|(name, value)| Total { name: name.to_owned(), value: value.to_owned() })
            .collect(),
        warnings: Vec::new(),
    }
}

fn case(id: &str, verdict: Verdict, events: u64) -> Case {
    Case {
        id: id.to_owned(),
        verdict,
        headline: String::new(),
        cause: String::new(),
        log: "logs/broker.log, logs/sub1.log".to_owned(),
        specification: String::new(),
        events,
        known: false,
        detail: None,
    }
}

fn lifelines(names: &[&str], core: &[usize]) -> Vec<Lifeline> {
    let lifeline = |(at, name): (usize, &&str)| Lifeline {
        name: (*name).to_owned(),
        component: at,
        core: core.contains(&at),
    };
    names.iter().enumerate().map(lifeline).collect()
}

fn line(file: &str, number: usize, text: &str) -> Excerpt {
    Excerpt {
        place: format!("{file}:{number}"),
        first: number as u64,
        lines: vec![text.to_owned()],
        marked: 0,
        columns: None,
    }
}

fn event(lifeline: usize, label: &str, state: State, log: Option<Excerpt>) -> Event {
    Event { lifeline, label: label.to_owned(), state, joined: false, log, specification: None }
}

const DIAGRAM: &str = "sequenceDiagram
    participant P as publisher
    participant B as broker
    participant S as sub1
    P->>B: PUBLISH
    B->>P: PUBREC
    B->>S: PUBLISH
    S->>B: PUBREC
    B->>S: PUBREL
    S->>B: PUBCOMP
";

fn mqtt() -> Detail {
    let log =
        |file: &str, number, text: &str| Some(line(&format!("logs/{file}.log"), number, text));
    let diagram: Vec<String> = DIAGRAM.lines().map(str::to_owned).collect();
    let place = |line: usize| Excerpt {
        place: format!("docs/mqtt.md:{}:5", line + 14),
        first: line as u64 + 12,
        lines: diagram[line - 2..(line + 3).min(diagram.len())].to_vec(),
        marked: 2,
        columns: Some([4, diagram[line].chars().count()]),
    };
    let specification: Vec<Excerpt> = (4..10).map(place).collect();
    let accepted = [
        (0, "publisher!PUBLISH", log("publisher", 3, "Sending PUBLISH (d0, q2, r0, m1, 'a/b')"), 0),
        (
            1,
            "broker?PUBLISH",
            log("broker", 30, "Received PUBLISH from publisher (d0, q2, r0, m1)"),
            0,
        ),
        (1, "broker!PUBREC", log("broker", 31, "Sending PUBREC to publisher (m1, rc0)"), 1),
        (0, "publisher?PUBREC", log("publisher", 4, "Received PUBREC (Mid: 1, RC:0)"), 1),
        (1, "broker!PUBLISH", log("broker", 33, "Sending PUBLISH to sub1 (d0, q2, r0, m1)"), 2),
        (2, "sub1?PUBLISH", log("sub1", 8, "Received PUBLISH (d0, q2, r0, m1)"), 2),
        (2, "sub1!PUBREC", log("sub1", 9, "Sending PUBREC (m1, rc0)"), 3),
        (1, "broker?PUBREC", log("broker", 35, "Received PUBREC from sub1 (Mid: 1)"), 3),
    ];
    let mut events: Vec<Event> = accepted
        .into_iter()
        .map(|(lifeline, label, log, place)| Event {
            specification: Some(place),
            ..event(lifeline, label, State::Accepted, log)
        })
        .collect();
    let expected = event(1, "broker!PUBREL", State::Expected, None);
    events.push(Event { specification: Some(4), ..expected });
    let text = "Received PUBCOMP from sub1 (Mid: 1, RC:0)";
    let culprit = event(1, "broker?PUBCOMP", State::Refused, log("broker", 36, text));
    events.push(Event { specification: Some(5), ..culprit });
    let expected = event(2, "sub1?PUBREL", State::Expected, None);
    events.push(Event { specification: Some(4), ..expected });
    let refused = event(2, "sub1!PUBCOMP", State::Refused, log("sub1", 10, "Sending PUBCOMP (m1)"));
    events.push(Event { specification: Some(5), ..refused });
    Detail {
        ladder: ladder(),
        lifelines: lifelines(&["publisher", "broker", "sub1"], &[1]),
        events,
        messages: vec![[0, 1], [2, 3], [4, 5], [6, 7], [8, 10], [11, 9]],
        run: (0..8).collect(),
        culprit: Some(9),
        specification,
        mermaid: DIAGRAM.to_owned(),
    }
}

fn ladder() -> Vec<Rung> {
    let rungs = [
        (
            "Headline",
            "broker received PUBCOMP (logs/broker.log:36) but never sent PUBREL (docs/mqtt.md:22)\n\
             Cause: missing counterpart. The log of broker fails whatever the others saw.",
        ),
        (
            "Frontier",
            "publisher  2 of 2\n\
             broker     5 of 6, next observed broker?PUBCOMP, expected instead: broker!PUBREL\n\
             sub1       2 of 3, next observed sub1!PUBCOMP, expected instead: sub1?PUBREL",
        ),
        (
            "Repair",
            "insert broker!PUBREL before logs/broker.log:36\ninsert sub1?PUBREL before logs/sub1.log:10\nNo single edit suffices. Checked.",
        ),
        ("Core", "broker by itself, its first 6 moments. Checked."),
    ];
    let rung =
        |(title, text): (&str, &str)| Rung { title: title.to_owned(), text: text.to_owned() };
    rungs.into_iter().map(rung).collect()
}

/// A log that ends before its time: the rest is assumed.
fn cut_short() -> Detail {
    let mut detail = mqtt();
    for event in &mut detail.events[8..] {
        event.state = State::Assumed;
        event.log = None;
    }
    detail.messages[5] = [11, 9];
    detail.run = vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 9];
    detail.culprit = None;
    for lifeline in &mut detail.lifelines {
        lifeline.core = false;
    }
    let text = "Assumed missing: 2 events of broker, 2 events of sub3";
    detail.ladder = vec![Rung { title: "Assumed".to_owned(), text: text.to_owned() }];
    detail
}

fn coverage() -> Coverage {
    let parts = [
        ("action", "publisher!PUBLISH", 18, 4),
        ("action", "broker!PUBREL", 22, 3),
        ("action", "broker!DISCONNECT", 27, 0),
        ("branch", "alt: retained", 25, 0),
        ("branch", "alt: live", 23, 4),
        ("loop", "loop: every message", 17, 4),
    ];
    let part = |(kind, label, line, times): (&str, &str, u32, u64)| Part {
        kind: kind.to_owned(),
        label: label.to_owned(),
        place: format!("docs/mqtt.md:{line}"),
        times,
    };
    let parts = parts.into_iter().map(part).collect();
    Coverage { specification: "docs/mqtt.md".to_owned(), parts }
}

/// Names and lines in many scripts, and what would be markup elsewhere.
fn scripts() -> Report {
    let names = ["発行者", "брокер-σ", "مشترك", "naïve café 👩‍🚀", "<b>&\"'"];
    let mut detail = Detail {
        lifelines: lifelines(&names, &[1, 2]),
        mermaid: "sequenceDiagram\n    participant 発行者\n    発行者->>брокер-σ: こんにちは 世界\n".to_owned(),
        ladder: vec![Rung {
            title: "Überschrift".to_owned(),
            text: "брокер-σ received こんにちは but مشترك never sent شكرا\n</script><script>alert(1)</script>"
                .to_owned(),
        }],
        ..Detail::default()
    };
    let messages =
        ["こんにちは 世界", "добро пожаловать", "شكرا جزيلا", "ça va ? 👍🏽", "</script>&lt;"];
    for (at, message) in messages.into_iter().enumerate() {
        let (from, to) = (at, (at + 1) % names.len());
        let log = |who: usize, verb: &str| {
            let text = format!("\u{1b}[1m2026-01-0{} {verb} „{message}“\t\u{202e}ok", at + 1);
            Some(line(&format!("журнал/{}.log", names[who]), at + 1, &text))
        };
        let state = if at < 3 { State::Accepted } else { State::Refused };
        let count = detail.events.len();
        let sent = format!("{}!{message}", names[from]);
        detail.events.push(event(from, &sent, state, log(from, "sends")));
        detail.events.push(event(to, &format!("{}?{message}", names[to]), state, log(to, "hears")));
        detail.messages.push([count, count + 1]);
    }
    let expected = event(0, "発行者?shukran شكرا", State::Expected, None);
    detail.events.push(expected);
    detail.run = (0..6).collect();
    detail.culprit = Some(6);
    let mut failing = case("グループ=一 & <i>二</i>", Verdict::Fail, 10);
    failing.headline = "naïve café 👩‍🚀 sent ça va ? 👍🏽, but مشترك should شكرا".to_owned();
    failing.cause = "unexpected message".to_owned();
    failing.log = "журнал/発行者.log".to_owned();
    failing.detail = Some(detail);
    let cases = vec![failing, case("ελληνικά", Verdict::Pass, 3)];
    let mut run = run("プロトコル.md");
    run.warnings = vec!["31 lines were understood by no rule: ∅ ≠ 空".to_owned()];
    report(run, cases)
}

/// A failure after some thousand events.
pub(super) fn long() -> Report {
    const EVENTS: usize = 5000;
    let names = ["leader", "follower 1", "follower 2", "follower 3", "client"];
    let mut detail = Detail { lifelines: lifelines(&names, &[0, 4]), ..Detail::default() };
    let fault = EVENTS * 7 / 10;
    for at in 0..EVENTS / 2 {
        let count = detail.events.len();
        let (from, to) = if at % 3 == 0 { (0, 1 + at / 3 % 4) } else { (1 + at / 3 % 4, 0) };
        let message = ["AppendEntries", "AppendResponse", "Heartbeat"][at % 3];
        for (who, sign) in [(from, '!'), (to, '?')] {
            let number = detail.events.len();
            let state = if number < fault { State::Accepted } else { State::Refused };
            if number == fault {
                detail.culprit = Some(number + 1);
                detail.events.push(event(
                    who,
                    &format!("{}?Heartbeat", names[who]),
                    State::Expected,
                    None,
                ));
            }
            let name = names[who];
            let text = format!("term=4 index={at} {name}{sign}{message}");
            let log = line(&format!("logs/{name}.log"), at + 1, &text);
            detail.events.push(event(who, &format!("{name}{sign}{message}"), state, Some(log)));
        }
        let last = detail.events.len() - 1;
        detail.messages.push([if last - count == 1 { count } else { count + 1 }, last]);
    }
    detail.run = (0..fault).collect();
    detail.ladder = ladder();
    detail.mermaid = DIAGRAM.to_owned();
    let mut failing = case("term=4", Verdict::Fail, EVENTS as u64);
    failing.headline = "client sent AppendResponse, but should receive Heartbeat".to_owned();
    failing.cause = "unexpected message".to_owned();
    failing.detail = Some(detail);
    let cases = vec![failing];
    report(run("raft.puml"), cases)
}

/// A failure of sixty lifelines.
fn wide() -> Report {
    const WIDTH: usize = 60;
    let names: Vec<String> = (0..WIDTH).map(|at| format!("service-{at:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut detail = Detail { lifelines: lifelines(&names, &[40, 41]), ..Detail::default() };
    for at in 0..2 * WIDTH {
        // A token that goes around; the second time it gets lost.
        let (from, to) = (at % WIDTH, (at + 1) % WIDTH);
        let count = detail.events.len();
        let state = if at <= WIDTH + 40 { State::Accepted } else { State::Refused };
        let log = |who: usize, verb: &str| {
            let text = format!("round {} {verb} token", at / WIDTH);
            Some(line(&format!("logs/{}.log", names[who]), at / WIDTH + 1, &text))
        };
        detail.events.push(event(
            from,
            &format!("{}!token", names[from]),
            state,
            log(from, "sends"),
        ));
        detail.events.push(event(to, &format!("{}?token", names[to]), state, log(to, "takes")));
        if at == WIDTH + 41 {
            detail.culprit = Some(count);
        }
        detail.messages.push([count, count + 1]);
    }
    detail.run = (0..2 * (WIDTH + 41)).collect();
    detail.ladder = ladder();
    let mut failing = case("ring", Verdict::Fail, detail.events.len() as u64);
    failing.headline = "service-41 sent token too early".to_owned();
    failing.cause = "too early".to_owned();
    failing.detail = Some(detail);
    let cases = vec![failing];
    report(run("ring.mmd"), cases)
}

/// What seldom happens: lifelines with one log, several actions in one moment, messages to oneself, logs that
/// contradict each other, long names, and two groups of one name.
fn odd() -> Report {
    let long = "a lifeline whose name is much longer than any column has room for, and goes on";
    let mut detail = Detail {
        lifelines: lifelines(&["gateway", "cache", "store", long], &[]),
        ladder: vec![Rung { title: "Frontier".to_owned(), text: "x".repeat(300) }],
        ..Detail::default()
    };
    detail.lifelines[1].component = 0;
    let message = "a-message-that-is-as-long-as-a-sentence-but-has-no-spaces-in-it";
    let table = [
        (0, "gateway!ask", false, State::Accepted),
        (1, "cache?ask", true, State::Accepted),
        (1, "cache!self", false, State::Accepted),
        (1, "cache?self", false, State::Accepted),
        (2, "store?first", false, State::Refused),
        (2, "store!second", false, State::Refused),
        (3, "?second", false, State::Refused),
        (3, "!first", false, State::Refused),
        (3, message, false, State::Refused),
        (0, "gateway!one", false, State::Accepted),
        (0, "gateway!two", true, State::Accepted),
        (0, "gateway!three", true, State::Accepted),
        (2, "store?one", false, State::Expected),
        (2, "store?two", false, State::Expected),
        (3, "?three", false, State::Assumed),
    ];
    for (lifeline, label, joined, state) in table {
        let text = format!("{label} {}", "and more ".repeat(400));
        let log = (state == State::Refused)
            .then(|| line("logs/a very/long path/of a.log", 1_234_567, &text));
        detail.events.push(Event { joined, ..event(lifeline, label, state, log) });
    }
    detail.messages =
        vec![[0, 1], [2, 3], [7, 4], [5, 6], [9, 12], [10, 13], [11, 14], [8, 8], [99, 1]];
    detail.run = vec![0, 1, 2, 3, 9, 10, 11, 14];
    let mut failing = case("the same name", Verdict::WeakFail, 15);
    failing.headline = "store received first before it was sent; ".repeat(8);
    failing.specification = "one.mmd".to_owned();
    failing.detail = Some(detail);
    let mut other = failing.clone();
    other.specification = "two.mmd".to_owned();
    other.detail = Some(mqtt());
    let cases = vec![failing, other];
    let mut run = run("one.mmd");
    run.specifications.push("two.mmd".to_owned());
    report(run, cases)
}

/// What the analysis itself says of a broker that forgets to release a message, in the third of its rounds.
fn real() -> Report {
    let model = "loopS(seq(\n  publisher -- PUBLISH -> broker,\n  broker -- PUBREC -> publisher,\n  \
                 broker -- FORWARD -> (sub1, sub2),\n  sub1 -- ACK -> broker,\n  broker -- PUBREL -> sub1,\n  \
                 sub1 -- PUBCOMP -> broker\n))\n";
    let logs = [
        ("publisher", "publisher!PUBLISH.publisher?PUBREC.", ""),
        (
            "broker",
            "broker?PUBLISH.broker!PUBREC.broker!FORWARD.broker?ACK.",
            "broker!PUBREL.broker?PUBCOMP.",
        ),
        ("sub1", "sub1?FORWARD.sub1!ACK.", "sub1?PUBREL.sub1!PUBCOMP."),
        ("sub2", "sub2?FORWARD.", ""),
    ];
    let logs = logs.map(|(name, body, end)| {
        let whole = format!("{body}{end}");
        let last = end.split_once('.').map_or("", |(_, rest)| rest);
        let log = format!("{whole}{whole}{body}{last}");
        (name, log.trim_end_matches('.').to_owned())
    });
    let text = logs.each_ref().map(|(name, log)| format!("[{name}] {log}")).join("; ");
    let model_lines: Vec<&str> = model.lines().collect();
    let place = |offset: usize| {
        let at = model[..offset].matches('\n').count();
        Excerpt {
            place: format!("mqtt.hif:{}", at + 1),
            first: at as u64,
            lines: model_lines[at - 1..(at + 2).min(model_lines.len())]
                .iter()
                .map(|&line| line.to_owned())
                .collect(),
            marked: 1,
            columns: Some([2, model_lines[at].trim_end_matches(',').len()]),
        }
    };
    let log = |component: usize, at: usize| {
        let (name, log) = &logs[component];
        line(&format!("logs/{name}.log"), at + 1, log.split('.').nth(at).unwrap_or_default())
    };
    let question = Question::ACCEPT;
    let (detail, headline) =
        fill::tests::fill_with(model, &format!("{{{text}}}"), &question, &log, &place);
    let mut failing = case("the third round", Verdict::Fail, 31);
    failing.headline = headline;
    failing.detail = Some(detail);
    report(run("mqtt.hif"), vec![failing])
}

/// Two thousand groups, a tenth of which fail, and a run that had more.
fn many() -> Report {
    let causes = ["too early", "missing counterpart", "stopped early", "unexpected message"];
    let each = (0..2000).map(|at| {
        let verdict = match at % 20 {
            7 | 13 => Verdict::Fail,
            9 => Verdict::WeakPass,
            11 if at % 100 == 11 => Verdict::Inconclusive,
            _ => Verdict::Pass,
        };
        let mut case = case(
            &format!("trace_id={:08x}", at * 2_654_435_761_u64 % 4_294_967_296),
            verdict,
            at % 37 + 4,
        );
        case.log = format!("out/run-{}.jsonl:{}", at / 100, at + 1);
        if verdict == Verdict::Fail {
            let at = usize::try_from(at).unwrap();
            case.cause = causes[at / 20 % 4].to_owned();
            case.headline = format!("checkout sent order {at}, but should receive payment");
            case.known = at % 60 == 7;
            case.detail = Some(mqtt());
        }
        case
    });
    let cases: Vec<Case> = each.collect();
    let mut run = run("docs/checkout.md");
    run.warnings = vec!["100,000 groups that pass are counted, not listed".to_owned()];
    let mut report = report(run, cases);
    report.about.counts.last_mut().unwrap().cases += 100_000;
    report
}
