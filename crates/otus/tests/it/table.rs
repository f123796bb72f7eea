//! Tables give the answers of files, however their rows are ordered and batched.

use std::fmt::Write as _;

use otus::generate::{GenerateRequest, generate};
use otus::table::{Batch, Checker, CheckerOptions, ColumnNames, Texts, Values};
use otus::{
    Cancel, Case, Context, Error, Explain, Item, Observed, Options, Request, Spec,
    UniformObservation, Verdict, WitnessPolicy, analyze,
};

pub(crate) const PLAIN: &str = "@lifeline{c; s; d}@message{get; page; query; rows; log; ack}\
    loopW(seq(c -- get -> s, alt(s -- page -> c, seq(s -- query -> d, par(d -- rows -> s, d -- log ->|), \
    s -- page -> c)), loopS(strict(c -- ack -> s))))";

pub(crate) const VALUED: &str = "@lifeline{client; broker}@message{PUBLISH; PUBACK}\
    loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker, \
    broker -- PUBACK[mid = m, client within 2s of s, broker within 1s of s] -> client)))";

/// A seeded source of choices.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// An event: its lifeline, its action, and what it carries, as in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) lifeline: String,
    pub(crate) action: String,
    pub(crate) values: Vec<(String, String)>,
}

/// A run: for each lifeline, its events.
pub(crate) type Logs = Vec<(String, Vec<Event>)>;

/// `{[a] a!m.a?n(x=1, time=0.5); [b]}`
fn logs(text: &str) -> Logs {
    let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
    let log = |part: &str| {
        let (head, events) = part.trim().split_once(']').unwrap();
        let lifeline = head.trim_start_matches('[').to_owned();
        let mut all = Vec::new();
        let (mut depth, mut current) = (0, String::new());
        for letter in events.trim().chars().chain(['.']) {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                '.' if depth == 0 => {
                    let text = std::mem::take(&mut current);
                    if !text.trim().is_empty() {
                        all.push(event(&lifeline, text.trim()));
                    }
                    continue;
                }
                _ => {}
            }
            current.push(letter);
        }
        (lifeline, all)
    };
    inner.split(';').map(log).collect()
}

fn event(lifeline: &str, text: &str) -> Event {
    let (name, values) = text.trim_end_matches(')').split_once('(').unwrap_or((text, ""));
    let pair = |pair: &str| {
        let (field, value) = pair.split_once('=').unwrap();
        (field.trim().to_owned(), value.trim().to_owned())
    };
    let values = values.split(',').filter(|it| !it.trim().is_empty()).map(pair).collect();
    Event { lifeline: lifeline.to_owned(), action: name[lifeline.len()..].to_owned(), values }
}

pub(crate) fn text(logs: &Logs) -> String {
    let log = |(lifeline, events): &(String, Vec<Event>)| {
        let event = |event: &Event| {
            let values: Vec<String> =
                event.values.iter().map(|(field, value)| format!("{field}={value}")).collect();
            let values =
                if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
            format!("{lifeline}{}{values}", event.action)
        };
        let events: Vec<String> = events.iter().map(event).collect();
        format!("[{lifeline}] {}", events.join("."))
    };
    format!("{{{}}}", logs.iter().map(log).collect::<Vec<_>>().join("; "))
}

/// Accepted runs and faulty ones: events that are missing, twice, in another order, or carry other values.
pub(crate) fn runs(spec: &str, count: u64, random: &mut Random) -> Vec<(String, Logs)> {
    let files = otus::Texts::default().with("spec.hif", spec.to_owned());
    let context = Context::default().with_files(files);
    let names = vec!["spec.hif".to_owned()];
    let request =
        GenerateRequest { names, from: None, partition: None, max_length: 24, count, seed: 5 };
    let mut all = Vec::new();
    generate(&context, &request, &mut |made| {
        all.push((format!("r{}", all.len()), logs(&made.line())));
        Ok(())
    })
    .unwrap();
    let right = all.clone();
    for (id, logs) in right {
        let mut logs = logs.clone();
        let log = random.below(logs.len());
        let events = &mut logs[log].1;
        let at = random.below(events.len());
        match random.below(4) {
            _ if events.is_empty() => {}
            0 => drop(events.remove(at)),
            1 => events.insert(at, events[at].clone()),
            2 => events.swap(at, 0),
            _ => {
                if let Some((_, value)) = events[at].values.first_mut() {
                    "3".clone_into(value);
                }
            }
        }
        all.push((format!("{id} wrong"), logs));
    }
    // A run without events.
    let silent = all[0].1.iter().map(|(lifeline, _)| (lifeline.clone(), Vec::new())).collect();
    all.push(("silent".to_owned(), silent));
    all
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) run: String,
    pub(crate) order: i64,
    pub(crate) event: Event,
}

pub(crate) fn rows(runs: &[(String, Logs)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (run, logs) in runs {
        // Orders with gaps, some of them far apart.
        for (number, (_, events)) in logs.iter().enumerate() {
            for (index, event) in events.iter().enumerate() {
                let index = i64::try_from(index).unwrap();
                let gap = if number == 1 { 5_000_000_000 } else { 7 };
                rows.push(Row { run: run.clone(), order: index * gap - 20, event: event.clone() });
            }
        }
    }
    rows
}

/// What an answer says.
fn told(case: &Case) -> String {
    let mut text = format!("{} {} {} {:?}", case.id, case.verdict, case.actions, case.how_far());
    if let Some(explanation) = &case.explanation {
        let _ = write!(text, " {} {}", explanation.cause, explanation.headline);
        let repair = explanation.repair.as_ref().map(|it| (it.edits.len(), it.at_least));
        let _ = write!(text, " {repair:?} {:?}", explanation.alone);
    }
    text
}

/// The answers of `otus analyze` on the runs as a case file.
fn from_files(spec: &str, runs: &[(String, Logs)], observed: UniformObservation) -> Vec<String> {
    let mut cases = String::new();
    for (id, logs) in runs {
        let line = serde_json::json!({ "id": id, "htf": text(logs) });
        writeln!(cases, "{line}").unwrap();
    }
    let files = otus::Texts::default().with("spec.hif", spec.to_owned()).with("c.jsonl", cases);
    let context = Context::default().with_files(files);
    let mut request = Request::new(["spec.hif", "c.jsonl"]);
    request.question.observed = Some(observed);
    request.explain = Explain::First(usize::MAX);
    request.witness = WitnessPolicy::Weak;
    request.threads = Some(1);
    let cases = analyze(&context, &request).unwrap().cases();
    cases.map(|case| told(&case.unwrap())).collect()
}

fn the_case(item: Item<Case>) -> Case {
    let Item::Case(case) = item else { panic!("{item:?}") };
    case
}

/// How a table is given.
struct Layout {
    is_grouped: bool,
    /// Batches have at most this many rows.
    batch: usize,
    memory: usize,
    dictionaries: bool,
}

pub(crate) fn time(event: &Event) -> Option<i64> {
    let (_, value) = event.values.iter().find(|(field, _)| field == "time")?;
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    let part = format!("{part:0<9}");
    Some(whole.parse::<i64>().unwrap() * 1_000_000_000 + part.parse::<i64>().unwrap())
}

fn from_table(
    spec: &str,
    (rows, expected): (&[Row], &[String]),
    options: Options,
    layout: &Layout,
) -> Vec<String> {
    let Layout { is_grouped, batch, memory, dictionaries } = *layout;
    let new = if is_grouped { CheckerOptions::grouped() } else { CheckerOptions::scattered() };
    let options =
        new.checks(options).explain(usize::MAX).memory(memory).expected(expected.to_vec());
    let mut checker = Checker::new(&Spec::parse("spec.hif", spec).unwrap(), options).unwrap();
    let mut answers: Vec<String> = Vec::new();
    let mut add = |item: Item<Case>| answers.push(told(&the_case(item)));
    for rows in rows.chunks(batch) {
        let texts = |text: &dyn Fn(&Row) -> String| rows.iter().map(text).collect::<Vec<String>>();
        let own = [
            texts(&|row| row.run.clone()),
            texts(&|row| row.event.lifeline.clone()),
            texts(&|row| row.event.action.clone()),
        ];
        let each: [Vec<Option<&str>>; 3] =
            [0, 1, 2].map(|i| own[i].iter().map(|text| Some(text.as_str())).collect());
        let dictionary = each.clone().map(|mut texts| {
            texts.sort_unstable();
            texts.dedup();
            texts
        });
        let keys: [Vec<Option<u32>>; 3] = [0, 1, 2].map(|i| {
            let key =
                |text| dictionary[i].binary_search(text).ok().map(|it| u32::try_from(it).unwrap());
            each[i].iter().map(key).collect()
        });
        let [run, lifeline, action] = [0, 1, 2].map(|i| {
            if dictionaries {
                Texts::Keys { keys: &keys[i], texts: &dictionary[i] }
            } else {
                Texts::Each(&each[i])
            }
        });
        let orders: Vec<Option<i64>> = rows.iter().map(|row| Some(row.order)).collect();
        let times: Vec<Option<i64>> = rows.iter().map(|row| time(&row.event)).collect();
        let mid = |row: &Row| {
            let found = row.event.values.iter().find(|(field, _)| field == "mid");
            found.and_then(|(_, value)| value.parse::<i64>().ok())
        };
        let mids: Vec<Option<i64>> = rows.iter().map(mid).collect();
        let values = [("mid", Values::Integers(&mids)), ("unused", Values::Integers(&mids))];
        let mut batch = Batch::new(run, lifeline, action);
        batch.order = Some(&orders);
        batch.time = Some(&times);
        batch.values = &values;
        checker.push(&batch).unwrap().into_iter().for_each(&mut add);
    }
    checker.finish().unwrap().for_each(|item| add(item.unwrap()));
    answers
}

#[track_caller]
fn compare(spec: &str, observed: (Observed, UniformObservation), seed: u64, count: u64) {
    let mut random = Random(seed);
    let runs = runs(spec, count, &mut random);
    let expected = from_files(spec, &runs, observed.1);
    let verdicts = |verdict: &str| expected.iter().filter(|it| it.contains(verdict)).count();
    assert!(verdicts("Pass") > 5 && verdicts("Fail") > 5, "{expected:#?}");
    let ids: Vec<String> = runs.iter().map(|(id, _)| id.clone()).collect();
    let options = Options::new().observed(observed.0);
    let together = rows(&runs);
    let mut scattered = together.clone();
    random.shuffle(&mut scattered);
    for (batch, memory, dictionaries) in
        [(1, 1 << 30, false), (3, 1 << 30, true), (10_000, 1 << 30, false), (64, 300, true)]
    {
        let table = (&scattered[..], &ids[..]);
        let layout = Layout { is_grouped: false, batch, memory, dictionaries };
        assert_eq!(
            from_table(spec, table, options.clone(), &layout),
            expected,
            "scattered, {batch}"
        );

        // Runs one after the other, their rows in any order; the silent one comes last.
        let mut grouped = Vec::new();
        for (id, _) in &runs {
            let mut own: Vec<Row> = together.iter().filter(|row| row.run == *id).cloned().collect();
            if batch > 1 {
                random.shuffle(&mut own);
            }
            grouped.append(&mut own);
        }
        let table = (&grouped[..], &ids[..]);
        let layout = Layout { is_grouped: true, batch, memory, dictionaries };
        let mut found = from_table(spec, table, options.clone(), &layout);
        // Runs whose only event was removed have no rows and come at the end, too.
        let rank = |told: &String| expected.iter().position(|it| it == told);
        found.sort_by_key(rank);
        assert_eq!(found, expected, "grouped, {batch}");
    }
}

#[test]
fn tables_and_files_have_the_same_answers() {
    compare(PLAIN, (Observed::Complete, UniformObservation::Complete), 1, 30);
    compare(PLAIN, (Observed::Prefix, UniformObservation::Prefix), 2, 15);
    compare(PLAIN, (Observed::Slice, UniformObservation::Slice), 3, 15);
    compare(PLAIN, (Observed::GlobalPrefix, UniformObservation::GlobalPrefix), 4, 15);
}

#[test]
fn tables_and_files_have_the_same_answers_about_values() {
    compare(VALUED, (Observed::Complete, UniformObservation::Complete), 5, 20);
    compare(VALUED, (Observed::Prefix, UniformObservation::Prefix), 6, 12);
}

const PING: &str = "@lifeline{a; b}@message{ping; pong}seq(a -- ping -> b, b -- pong -> a)";

type Cells = [Option<&'static str>; 3];

/// The answers to rows of runs, lifelines and actions, with orders.
fn ask(options: CheckerOptions, rows: &[(Cells, Option<i64>)]) -> Result<Vec<String>, Error> {
    let mut checker = Checker::new(&Spec::parse("ping.hif", PING)?, options)?;
    let column = |i: usize| rows.iter().map(|(cells, _)| cells[i]).collect::<Vec<_>>();
    let (run, lifeline, action) = (column(0), column(1), column(2));
    let orders: Vec<Option<i64>> = rows.iter().map(|(_, order)| *order).collect();
    let mut batch = Batch::new(Texts::Each(&run), Texts::Each(&lifeline), Texts::Each(&action));
    batch.order = Some(&orders);
    let mut answers = checker.push(&batch)?;
    for item in checker.finish()? {
        answers.push(item?);
    }
    let text = |item: Item<Case>| {
        if let Item::Unusable(unusable) = item {
            return format!("{} {}", unusable.id.unwrap(), unusable.message);
        }
        let case = the_case(item);
        format!("{} {}", case.id, case.verdict)
    };
    Ok(answers.into_iter().map(text).collect())
}

fn row(
    run: &'static str,
    lifeline: &'static str,
    action: &'static str,
    order: i64,
) -> (Cells, Option<i64>) {
    ([Some(run), Some(lifeline), Some(action)], Some(order))
}

fn right(run: &'static str) -> [(Cells, Option<i64>); 4] {
    [
        row(run, "a", "!ping", 1),
        row(run, "b", "?ping", 1),
        row(run, "b", "!pong", 2),
        row(run, "a", "?pong", 2),
    ]
}

#[track_caller]
fn unusable(faulty: (Cells, Option<i64>), message: &str) {
    for options in [CheckerOptions::grouped(), CheckerOptions::scattered()] {
        let names = ColumnNames { action: "what".to_owned(), ..ColumnNames::default() };
        // The fault is about its run only, and may stand anywhere in it.
        let rows = [&[faulty][..], &right("r"), &right("s")].concat();
        let found = ask(options.clone().names(names.clone()), &rows).unwrap();
        assert_eq!(found, [format!("r row 1: {message}"), "s Pass".to_owned()]);
        let rows = [&right("s")[..], &right("r"), &[faulty]].concat();
        let found = ask(options.names(names), &rows).unwrap();
        assert_eq!(found, ["s Pass".to_owned(), format!("r row 9: {message}")]);
    }
}

#[test]
fn a_faulty_row_makes_its_run_unusable() {
    unusable(
        row("r", "c", "!ping", 3),
        "column `lifeline`: ping.hif has no lifeline `c`; there are `a`, `b`; or ignore this lifeline",
    );
    unusable(
        row("r", "a", "ping", 3),
        "column `what`: `ping` is neither `!message` (sent) nor `?message` (received)",
    );
    unusable(
        row("r", "a", "?", 3),
        "column `what`: `?` is neither `!message` (sent) nor `?message` (received)",
    );
    unusable(
        ([Some("r"), None, Some("!ping")], Some(3)),
        "column `lifeline` is null; leave out such rows, or fill it",
    );
    unusable(
        ([Some("r"), Some("a"), None], Some(3)),
        "column `what` is null; leave out such rows, or fill it",
    );
    unusable(
        ([Some("r"), Some("a"), Some("!ping")], None),
        "column `order` is null, so the place of the event in its log is not known; fill it, or leave out such rows",
    );
}

#[test]
fn two_events_at_the_same_place_are_no_log() {
    let rows = [&right("r")[..], &[row("r", "a", "?ping", 1)]].concat();
    let message = "r `a!ping` and `a?ping` both have 1 in column `order`, so their order is not known; number the \
                   events of a lifeline (of lifelines with a common clock) differently";
    for memory in [1, 1 << 20] {
        let options = CheckerOptions::scattered().memory(memory);
        assert_eq!(ask(options, &rows).unwrap(), [message]);
    }
    // With a common clock, orders of a and b are compared.
    let together = Options::new().together(["a", "b"]);
    let found = ask(CheckerOptions::grouped().checks(together), &right("r")).unwrap();
    assert!(found[0].starts_with("r `a!ping` and `b?ping` both have 1"), "{found:?}");
}

#[test]
fn a_run_in_pieces_is_an_error_and_no_verdict() {
    let rows = [&right("r")[..2], &right("s"), &right("r")[2..]].concat();
    let error = ask(CheckerOptions::grouped(), &rows).unwrap_err().to_string();
    assert_eq!(
        error,
        "row 7: run `r` comes back after another run, so it would be checked in parts; bring the rows of a run together \
         by column `run`, or have them grouped here (scattered)"
    );
    assert_eq!(ask(CheckerOptions::scattered(), &rows).unwrap(), ["r Pass", "s Pass"]);

    let rows = [([None, Some("a"), Some("!ping")], Some(1))];
    let error = ask(CheckerOptions::scattered(), &rows).unwrap_err().to_string();
    assert_eq!(
        error,
        "row 1: column `run` is null, so the event belongs to no run; leave out such rows"
    );
}

#[test]
fn a_run_without_events_is_a_run() {
    for options in [CheckerOptions::grouped(), CheckerOptions::scattered()] {
        let expected = options.clone().expected(["t", "r"]);
        let mut found = ask(expected.clone(), &right("r")).unwrap();
        found.sort();
        assert_eq!(found, ["r Pass", "t Fail"]);
        assert_eq!(ask(expected, &[]).unwrap(), ["t Fail", "r Fail"]);
        let error = ask(options.clone(), &[]).unwrap_err().to_string();
        assert!(error.starts_with("the table has no rows, so nothing was checked"), "{error}");
        assert!(ask(options.allow_empty(true), &[]).unwrap().is_empty());
    }
    // Events of other lifelines do not count, but their run does.
    let options = CheckerOptions::grouped().checks(Options::new().ignore("metrics*"));
    assert_eq!(ask(options, &[row("r", "metrics1", "!x", 1)]).unwrap(), ["r Fail"]);
}

/// As in raw logs, a message that the specification lacks is a failure. It does not become known to the next run.
#[test]
fn unknown_messages_are_failures() {
    let spec = Spec::parse("ping.hif", PING).unwrap();
    let mut run = otus::Run::new();
    run.log("a").sent("ping").received("pong").sent("x");
    run.log("b").received("ping").sent("pong");
    let expected = spec.check(&run).unwrap();
    let mut rows = right("r").to_vec();
    rows.push(row("r", "a", "!x", 3));
    rows.extend(right("s"));
    rows.push(row("t", "b", "?x", 3));
    let mut checker = Checker::new(&spec, CheckerOptions::grouped().explain(2)).unwrap();
    let column = |i: usize| rows.iter().map(|(cells, _)| cells[i]).collect::<Vec<_>>();
    let (run, lifeline, action) = (column(0), column(1), column(2));
    let batch = Batch::new(Texts::Each(&run), Texts::Each(&lifeline), Texts::Each(&action));
    let mut answers = checker.push(&batch).unwrap();
    answers.extend(checker.finish().unwrap().map(Result::unwrap));
    let cases = answers.into_iter().map(the_case).map(|case| (case.verdict, case.headline()));
    let cases: Vec<(Verdict, String)> = cases.collect();
    assert_eq!(cases[0], (expected.verdict, expected.headline()));
    assert_eq!(cases[1].0, Verdict::Pass);
    assert_eq!((cases[2].0, cases.len()), (Verdict::Fail, 3));
    assert!(cases[0].1.contains("no such message"), "{cases:?}");
}

#[test]
fn failures_are_explained_up_to_a_number() {
    let spec = Spec::parse("ping.hif", PING).unwrap();
    let run = [Some(1), Some(1), Some(2), Some(2)];
    let (lifeline, action) =
        ([Some("a"); 4], [Some("?pong"), Some("!ping"), Some("!ping"), Some("!x")]);
    let seq = [Some(40), Some(41), Some(7), Some(8)];
    let mut batch = Batch::new(Texts::Numbers(&run), Texts::Each(&lifeline), Texts::Each(&action));
    batch.order = Some(&seq);
    let names = ColumnNames { order: "seq".to_owned(), ..ColumnNames::default() };
    let cases = |most| {
        let options = CheckerOptions::grouped().explain(most).names(names.clone());
        let mut checker = Checker::new(&spec, options).unwrap();
        let mut all = checker.push(&batch).unwrap();
        all.extend(checker.finish().unwrap().map(Result::unwrap));
        all.into_iter().map(the_case).collect::<Vec<Case>>()
    };
    let explained = |most| {
        let cases = cases(most);
        assert!(cases.iter().all(|case| case.verdict == Verdict::Fail));
        cases.iter().map(|case| case.explanation.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(explained(0), [false, false]);
    assert_eq!(explained(1), [true, false]);
    assert_eq!(explained(5), [true, true]);
    let text = cases(2)[1].to_string();
    assert!(text.contains("observed instead: a!x at run 2, seq 8"), "{text}");
}

#[test]
fn a_checker_can_be_stopped() {
    let cancel = Cancel::default();
    cancel.cancel();
    let error = ask(CheckerOptions::scattered().cancel(cancel), &right("r")).unwrap_err();
    assert!(matches!(error, Error::Stopped(_)), "{error}");
}

#[test]
fn columns_must_have_the_same_length() {
    let spec = Spec::parse("ping.hif", PING).unwrap();
    let mut checker = Checker::new(&spec, CheckerOptions::grouped()).unwrap();
    let (one, two) = ([Some("a")], [Some("a"); 2]);
    let batch = Batch::new(Texts::Each(&two), Texts::Each(&two), Texts::Each(&one));
    let error = checker.push(&batch).unwrap_err().to_string();
    assert_eq!(error, "column `action` has 1 rows, column `run` has 2");
    let error = checker.push(&batch).unwrap_err().to_string();
    assert_eq!(error, "an error ended this checker; make a new one");
}

#[test]
fn peers_tell_lifelines_apart() {
    let text = "@lifeline{a; b; c}@message{m}alt(a -- m -> b, a -- m -> c)";
    let spec = Spec::parse("peers.hif", text).unwrap();
    let verdict = |peer: Option<&'static str>| {
        let mut checker = Checker::new(&spec, CheckerOptions::grouped()).unwrap();
        let (run, peer) = ([Some(1); 2], [peer, None]);
        let (lifeline, action) = ([Some("a"), Some("b")], [Some("!m"), Some("?m")]);
        let mut batch =
            Batch::new(Texts::Numbers(&run), Texts::Each(&lifeline), Texts::Each(&action));
        batch.peer = Some(Texts::Each(&peer));
        checker.push(&batch).unwrap();
        the_case(checker.finish().unwrap().next().unwrap().unwrap()).verdict
    };
    assert_eq!(verdict(None), Verdict::Pass);
    assert_eq!(verdict(Some("b")), Verdict::Pass);
    assert_eq!(verdict(Some("c")), Verdict::Fail);
    assert_eq!(verdict(Some("elsewhere")), Verdict::Fail);
}

#[test]
fn a_checker_can_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Checker>();
}
