//! Formulas about groups that grow: what is told early is what is told at the end, whatever the order of arrival.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use otus::ctl::Properties;
use otus::live::Watched;
use otus::{Case, Context, Limits, Request, Texts, Verdict};
use otus_trace::read::At;
use otus_trace::run::{Ends, Observed, Sink};

const TOML: &str = r"
[[source]]
files = ['*.log']
format = 'regex'
lifeline = '{file.stem}'

[[source.rule]]
match = '^(?<d>sent|got) (?<m>\w+)( (?<peer>p|q|r))?( #(?<id>\d+))?( x=(?<x>\d+))?$'
dir = { from = 'd', map = { sent = '!', got = '?' } }
message = '{m}'
peer = '{peer}'
id = '{id}'
set = { x = '{x}' }
[[source.rule]]
match = '^x=(?<x>\d+)$'
set = { x = '{x}' }
";

const FORMULAS: [&str; 12] = [
    "EF(p.x = 1 & q.x = 2)",
    "AG !(p.x = 2 & q.x = 2 & r.x = 0)",
    "AG(p.x = 1 -> AX q.x < 2)",
    "E[p.x = 0 U q.x = 1]",
    "A[p.x < 2 W q.x = 2]",
    "AF(p.x = 2)",
    "EG(q.x < 2)",
    "AG(p.x = 2 -> EF r.x = 1)",
    "precedence(p.x = 1, r.x = 1)",
    "forall m in *: AG m.x < 2",
    "exists m in *: EF m.x = 2",
    "at_most_one(m in *, x = 2)",
];

#[derive(Default)]
struct Nothing;

impl Sink for Nothing {
    fn group(&mut self, _: &Observed<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn record(&mut self, _: &Observed<'_>, _: Ends) {}
}

/// A small generator, so that the test needs no crate and every seed is a case.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Runs of three processes that exchange messages, as the lines of their logs in an order of happening. Some receptions have no
/// emission, some emissions no reception.
fn lines(random: &mut Random, style: u64) -> Vec<(usize, String)> {
    const NAMES: [&str; 3] = ["p", "q", "r"];
    let mut sent: Vec<(usize, usize, String)> = Vec::new();
    let mut lines = Vec::new();
    for number in 0..3 + random.below(8) {
        let at = usize::try_from(random.below(3)).unwrap();
        let x = match random.below(3) {
            0 => String::new(),
            _ => format!(" x={}", random.below(3)),
        };
        let own: Vec<usize> = (0..sent.len()).filter(|&it| sent[it].1 == at).collect();
        match random.below(4) {
            0 | 1 if !own.is_empty() => {
                let (from, _, rest) = sent.remove(own[0]);
                let peer = if style == 1 { format!(" {}", NAMES[from]) } else { String::new() };
                let (message, id) = rest.split_once('|').unwrap();
                lines.push((at, format!("got {message}{peer}{id}{x}")));
            }
            0 if random.below(6) == 0 => lines.push((at, format!("got lost{x}"))),
            0..=2 => {
                let to = (at + 1 + usize::try_from(random.below(2)).unwrap()) % 3;
                let message = ["a", "b"][usize::try_from(random.below(2)).unwrap()];
                let peer = if style == 1 { format!(" {}", NAMES[to]) } else { String::new() };
                let id = if style == 2 { format!(" #{number}") } else { String::new() };
                sent.push((at, to, format!("{message}|{id}")));
                lines.push((at, format!("sent {message}{peer}{id}{x}")));
            }
            _ => lines.push((at, format!("x={}", random.below(3)))),
        }
    }
    lines
}

#[test]
fn what_is_told_early_is_what_is_told_at_the_end() {
    let texts = Texts::default()
        .with("flow.hsf", "@lifeline{p; q; r}@message{a; b}o")
        .with("otus.toml", TOML);
    let context = Context::default().with_files(texts);
    let watched = Watched::open(&context, &Request::new(["flow.hsf".to_owned()])).unwrap();
    let formulas = FORMULAS.map(str::to_owned);
    let properties =
        Properties::open(&context, &watched, &formulas, &[], Limits::default()).unwrap();
    assert_eq!(properties.count(), FORMULAS.len());
    let (mut early, mut prefixes, mut fails) = (0, 0, 0);
    for seed in 1..=1500 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let style = random.below(3);
        let all = lines(&mut random, style);
        let mut logs: Vec<VecDeque<String>> = vec![VecDeque::new(); 3];
        for (at, line) in all {
            logs[at].push_back(line);
        }
        let mut stream = watched.stream();
        let grown = ["p.log", "q.log", "r.log"].map(|name| stream.add(name, 0).unwrap());
        let mut told: Vec<Option<Verdict>> = vec![None; FORMULAS.len()];
        let mut number = 0;
        while logs.iter().any(|log| !log.is_empty()) {
            let at = usize::try_from(random.below(3)).unwrap();
            let Some(line) = logs[at].pop_front() else { continue };
            number += 1;
            let place = At { line: number, offset: 0 };
            stream.feed(grown[at], place, format!("{line}\n").into_bytes(), &mut Nothing);
            prefixes += 1;
            stream.look(b"", &mut |observed| {
                for (formula, case) in properties.early(observed) {
                    let before = told[formula].replace(case.verdict);
                    assert!(before.is_none_or(|before| before == case.verdict), "seed {seed}");
                }
            });
        }
        let mut last: Vec<Case> = Vec::new();
        stream.end(b"", &mut |observed| last = properties.judge(observed));
        for ((told, case), formula) in told.iter().zip(&last).zip(FORMULAS) {
            if let Some(told) = told {
                early += 1;
                fails += usize::from(*told == Verdict::Fail);
                let htf = format!("seed {seed}, {formula}: {told} early, {}", case.verdict);
                assert_eq!(*told, case.verdict, "{htf}");
            }
        }
    }
    assert!(early > 2_000 && fails > 300, "{early} of {prefixes} prefixes told, {fails} fails");
}
