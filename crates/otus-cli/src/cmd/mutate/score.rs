//! `otus mutate --score`: how many mutants of accepted multi-traces a specification rejects.
//!
//! The idea is that of mutation testing (R. A. De Millo, R. J. Lipton and F. G. Sayward, "Hints on
//! Test Data Selection", 1978), turned round: there a test suite is judged by the faulty programs it tells
//! from the right one, here a specification by the faulty runs it tells from right ones. Mutants are
//! checked as `otus analyze` would check them. Two kinds of mutants say nothing about a specification
//! and are left out of its score:
//!
//! - *equal*: the mutant is an accepted original itself, such as another of the runs given;
//! - *part*: the mutant is what is left of its original when a log is cut, and the question allows that
//!   logs are cut (the verdict is WeakPass, not Pass).
//!
//! Mutants are made and checked in heaps, so that memory is that of the originals and of one heap.

use std::fmt::Write as _;

use clap::Parser as _;
use otus_analysis::Verdict;
use otus_syntax::print;
use otus_trace::MultiTrace;
use otus_trace::case::OtherFields;
use otus_trace::transform::Swaps;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::super::derive::{Made, Output};
use super::{Mutator, Take, kinds, name};
use crate::args::{AnalyzeArgs, Color, MutantKind, MutateArgs, ScoreFormat};
use crate::cmd::analyze::{self, Originals};
use crate::exit::Exit;
use crate::output;
use crate::report::model::Case;
use crate::words::counted;

/// How many mutants are made of each multi-trace and kind.
const COUNT: u64 = 10;

/// How many mutants are checked at once.
const HEAP: usize = 50_000;

/// How many survivors are shown.
const SHOWN: usize = 10;

pub(super) fn run(args: &MutateArgs, color: Color) -> anyhow::Result<Exit> {
    let mut call = call(args)?;
    let Some(Originals { mut pool, traces, strangers }) = analyze::originals(&call, color)? else {
        return Ok(Exit::Error);
    };
    // What is checked from now on are multi-traces.
    call.logs.group = None;
    let given = traces.len() + strangers;
    let lines: Vec<String> = traces
        .iter()
        .map(|(_, trace)| print::trace_line(&otus_trace::raise(trace, &pool)))
        .collect();
    let checked = analyze::gather(&call, color, Some(case_file(&lines)))?;
    let mut accepted = vec![false; traces.len()];
    for (number, case) in numbered(&checked.cases) {
        accepted[number] = is_accepted(case.verdict);
    }
    let (mut ids, mut observed, mut texts) = (Vec::new(), Vec::new(), FxHashSet::default());
    for (((id, trace), line), accepted) in traces.into_iter().zip(lines).zip(accepted) {
        if accepted {
            ids.push(id);
            observed.push(trace);
            texts.insert(line);
        }
    }
    if observed.is_empty() {
        output::complain(&format!(
            "none of {} is accepted by {}, so there is nothing to start from",
            counted(given, "multi-trace"),
            checked.spec
        ));
        return Ok(Exit::Failure);
    }
    let swaps = Swaps::new(&observed);
    let wanted = kinds(args, observed.len());
    let mut score = Score {
        spec: checked.spec,
        seed: args.derive.seed,
        given,
        accepted: observed.len(),
        kinds: wanted.iter().map(|&kind| Row::new(kind)).collect(),
        survivors: Vec::new(),
    };
    let mut out = match args.derive.write.output {
        Some(_) => Some(Output::open(&args.derive)?),
        None => None,
    };
    let mut mutator = Mutator {
        seed: args.derive.seed,
        count: args.count.unwrap_or(COUNT),
        ids: &ids,
        observed: &observed,
        swaps: &swaps,
        pool: std::mem::replace(&mut pool, otus_core::Pool::new(otus_core::Signature::default())),
        out: Heap {
            observed: &observed,
            texts: &texts,
            seen: FxHashSet::default(),
            made: Vec::new(),
            skipped: Vec::new(),
        },
    };
    let mut interrupted = false;
    for original in 0..observed.len() {
        for &kind in &wanted {
            mutator.mutate(original, kind)?;
        }
        let is_last = original + 1 == observed.len();
        if mutator.out.made.len() < HEAP && !is_last {
            continue;
        }
        let made = std::mem::take(&mut mutator.out.made);
        mutator.out.seen.clear();
        for kind in mutator.out.skipped.drain(..) {
            score.row(kind).equal += 1;
        }
        let lines: Vec<&str> = made.iter().map(|mutant| &*mutant.text).collect();
        let checked = analyze::gather(&call, color, Some(case_file(&lines)))?;
        interrupted |= checked.totals.interrupted > 0;
        for (number, case) in numbered(&checked.cases) {
            if let Some(survivor) = score.count(&made[number], case.verdict)
                && let Some(out) = &mut out
            {
                survivor.write(out, args.derive.seed)?;
            }
        }
        if interrupted {
            break;
        }
    }
    score.explain(call, color)?;
    match args.score.format {
        ScoreFormat::Text => output::print(&score.text())?,
        ScoreFormat::Json => output::print(&format!("{:#}\n", score.json()))?,
    }
    if let Some(out) = out {
        out.finish("survivor", score.accepted)?;
    }
    Ok(score.exit(args.score.min_score, interrupted))
}

/// The call of `otus analyze` that checks mutants.
fn call(args: &MutateArgs) -> anyhow::Result<AnalyzeArgs> {
    // Failures are what is hoped for, and nobody asks for the cause of thousands.
    let mut call: Vec<String> =
        ["otus", "--format=tap", "--explain=none", "--no-witness", "--engine=fast"]
            .map(str::to_owned)
            .to_vec();
    let observed = args.score.observed.map(|it| it.name().to_owned());
    let values =
        [("observed", &observed), ("config", &args.score.config), ("group", &args.score.group)];
    for (flag, value) in values {
        call.extend(value.iter().map(|value| format!("--{flag}={value}")));
    }
    call.extend(args.score.jobs.iter().map(|jobs| format!("--jobs={jobs}")));
    call.push("--".to_owned());
    call.extend(args.derive.spec.iter().chain(&args.derive.files).cloned());
    Ok(AnalyzeArgs::try_parse_from(call)?)
}

/// A case file in which ids are numbers.
fn case_file<T: AsRef<str>>(lines: &[T]) -> Vec<u8> {
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "{{\"id\":\"{number}\",\"htf\":{}}}", Value::from(line.as_ref()));
    }
    out.into_bytes()
}

/// Cases of such a file with their numbers.
fn numbered(cases: &[Case]) -> impl Iterator<Item = (usize, &Case)> {
    cases.iter().filter_map(|case| Some((case.id.parse().ok()?, case)))
}

fn is_accepted(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Pass | Verdict::WeakPass => true,
        Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => false,
    }
}

/// Keeps mutants, each once.
struct Heap<'a> {
    observed: &'a [MultiTrace],
    /// The accepted originals.
    texts: &'a FxHashSet<String>,
    /// The texts of those that it holds.
    seen: FxHashSet<String>,
    made: Vec<Mutant>,
    /// Those that are accepted originals.
    skipped: Vec<&'static str>,
}

/// A mutant on its way to be checked.
#[derive(Debug, Clone)]
struct Mutant {
    id: String,
    origin: String,
    kind: &'static str,
    /// What was done.
    change: String,
    details: Vec<(&'static str, Value)>,
    text: String,
    /// Whether it is what is left of its original when logs are cut.
    is_part: bool,
}

impl Take for Heap<'_> {
    fn take(&mut self, made: &Made<'_>, original: usize, number: u64) -> anyhow::Result<()> {
        let text = print::trace_line(&otus_trace::raise(made.trace, made.pool));
        if self.texts.contains(&text) {
            self.skipped.push(made.kind);
            return Ok(());
        }
        if !self.seen.insert(text.clone()) {
            return Ok(());
        }
        self.made.push(Mutant {
            id: format!("{}-{}-{number}", made.origin, made.kind),
            origin: made.origin.to_owned(),
            kind: made.kind,
            change: made.change.clone(),
            details: made.details.clone(),
            is_part: is_part(made.trace, &self.observed[original]),
            text,
        });
        Ok(())
    }
}

/// Whether each log is the beginning or the end of that of the original.
fn is_part(mutant: &MultiTrace, original: &MultiTrace) -> bool {
    mutant.partition().components().all(|component| {
        let (part, whole) = (mutant.steps(component), original.steps(component));
        let actions = |steps: &[otus_trace::Step]| -> Vec<_> {
            steps.iter().map(|step| step.action()).collect()
        };
        let (part, whole) = (actions(part), actions(whole));
        whole.starts_with(&part) || whole.ends_with(&part)
    })
}

/// What came of the mutants of a kind.
#[derive(Debug)]
struct Row {
    kind: &'static str,
    made: usize,
    caught: usize,
    survived: usize,
    undecided: usize,
    equal: usize,
    part: usize,
}

impl Row {
    fn new(kind: MutantKind) -> Row {
        let kind = name(kind);
        Row { kind, made: 0, caught: 0, survived: 0, undecided: 0, equal: 0, part: 0 }
    }

    /// How many say something about the specification.
    fn counted(&self) -> usize {
        self.caught + self.survived + self.undecided
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody makes so many mutants")]
    fn percent(&self) -> Option<f64> {
        (self.counted() > 0).then(|| self.caught as f64 * 100.0 / self.counted() as f64)
    }

    /// All that was made, whether it counts or not.
    fn total(&self) -> usize {
        self.made + self.equal
    }

    fn json(&self) -> Value {
        json!({
            "kind": self.kind,
            "made": self.total(),
            "caught": self.caught,
            "survived": self.survived,
            "undecided": self.undecided,
            "equal": self.equal,
            "part": self.part,
            "score": self.percent().map(rounded),
        })
    }
}

/// With one decimal place.
fn rounded(percent: f64) -> f64 {
    // 99.96 is not everything.
    (percent * 10.0).floor() / 10.0
}

/// What came of all mutants.
#[derive(Debug)]
struct Score {
    spec: String,
    seed: u64,
    given: usize,
    accepted: usize,
    kinds: Vec<Row>,
    /// The first of them.
    survivors: Vec<Survivor>,
}

#[derive(Debug, Clone)]
struct Survivor {
    mutant: Mutant,
    verdict: Verdict,
    /// What explains it.
    why: String,
}

impl Survivor {
    fn write(&self, out: &mut Output, seed: u64) -> anyhow::Result<()> {
        let Mutant { id, origin, kind, change, details, text, .. } = &self.mutant;
        let mut rest = OtherFields::default();
        rest.insert("origin".to_owned(), json!(origin));
        rest.insert("kind".to_owned(), json!(kind));
        rest.insert("change".to_owned(), json!(change));
        rest.extend(details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        rest.insert("seed".to_owned(), json!(seed));
        rest.insert("verdict".to_owned(), json!(self.verdict.name()));
        out.write_text(id.clone(), rest, text)
    }
}

impl Score {
    fn row(&mut self, kind: &str) -> &mut Row {
        let at = self.kinds.iter().position(|row| row.kind == kind);
        &mut self.kinds[at.expect("mutants are of the kinds that are wanted")]
    }

    /// Counts a mutant; returns it if it survives.
    fn count(&mut self, mutant: &Mutant, verdict: Verdict) -> Option<Survivor> {
        let row = self.row(mutant.kind);
        row.made += 1;
        match verdict {
            Verdict::Fail => row.caught += 1,
            Verdict::WeakFail | Verdict::Inconclusive => row.undecided += 1,
            Verdict::WeakPass if mutant.is_part => row.part += 1,
            Verdict::Pass | Verdict::WeakPass => {
                row.survived += 1;
                let survivor = Survivor { mutant: mutant.clone(), verdict, why: String::new() };
                if self.survivors.len() < SHOWN {
                    self.survivors.push(survivor.clone());
                }
                return Some(survivor);
            }
        }
        None
    }

    /// Works out what explains the survivors that are shown.
    fn explain(&mut self, mut call: AnalyzeArgs, color: Color) -> anyhow::Result<()> {
        if self.survivors.is_empty() {
            return Ok(());
        }
        let lines: Vec<&str> = self.survivors.iter().map(|it| &*it.mutant.text).collect();
        call.no_witness = false;
        let found = analyze::gather(&call, color, Some(case_file(&lines)))?;
        for (number, case) in numbered(&found.cases) {
            self.survivors[number].why = match &case.witness {
                Some(witness) => witness.clone(),
                None => case.headline(),
            };
        }
        Ok(())
    }

    fn all(&self) -> Row {
        let sum = |of: fn(&Row) -> usize| self.kinds.iter().map(of).sum();
        Row {
            kind: "all",
            made: sum(|row| row.made),
            caught: sum(|row| row.caught),
            survived: sum(|row| row.survived),
            undecided: sum(|row| row.undecided),
            equal: sum(|row| row.equal),
            part: sum(|row| row.part),
        }
    }

    fn text(&self) -> String {
        let of = match self.given {
            given if given == self.accepted => String::new(),
            given => format!(" of {given}"),
        };
        let originals = counted(self.accepted, "accepted multi-trace");
        let mut out = format!("mutants of {originals}{of}, checked against {}\n\n", self.spec);
        let _ = writeln!(
            out,
            "{:<16}{:>9}{:>9}{:>10}{:>11}{:>8}{:>7}{:>9}",
            "kind", "made", "caught", "survived", "undecided", "equal", "part", "score"
        );
        for row in self.kinds.iter().chain([&self.all()]) {
            let percent = match row.percent() {
                Some(percent) => format!("{:.1}%", rounded(percent)),
                None => "-".to_owned(),
            };
            let Row { kind, caught, survived, undecided, equal, part, .. } = row;
            let _ = writeln!(
                out,
                "{kind:<16}{:>9}{caught:>9}{survived:>10}{undecided:>11}{equal:>8}{part:>7}{percent:>9}",
                row.total()
            );
        }
        if self.survivors.is_empty() {
            return out;
        }
        let _ = writeln!(out, "\nsurvivors:");
        for Survivor { mutant, verdict, why } in &self.survivors {
            let _ = writeln!(out, "  {}: {}", mutant.id, mutant.change);
            let _ = writeln!(out, "    {verdict}, explained by: {why}");
        }
        let more = self.all().survived - self.survivors.len();
        if more > 0 {
            let _ = writeln!(out, "  and {more} more (-o writes all)");
        }
        out
    }

    fn json(&self) -> Value {
        let survivors = self.survivors.iter().map(|Survivor { mutant, verdict, why }| {
            json!({
                "id": mutant.id,
                "origin": mutant.origin,
                "kind": mutant.kind,
                "change": mutant.change,
                "htf": mutant.text,
                "verdict": verdict.name(),
                "witness": why,
            })
        });
        json!({
            "version": 1,
            "spec": self.spec,
            "seed": self.seed,
            "originals": self.given,
            "accepted": self.accepted,
            "kinds": self.kinds.iter().map(Row::json).collect::<Vec<_>>(),
            "summary": self.all().json(),
            "survivors": survivors.collect::<Vec<_>>(),
        })
    }

    fn exit(&self, least: Option<f64>, interrupted: bool) -> Exit {
        let all = self.all();
        let Some(percent) = all.percent() else {
            output::complain("no mutant says anything about the specification");
            return Exit::Failure;
        };
        output::complain(&format!(
            "caught {} of {} ({:.1}%)",
            all.caught,
            counted(all.counted(), "mutant"),
            rounded(percent)
        ));
        match least {
            _ if interrupted => Exit::Undecided,
            Some(least) if percent < least => {
                output::complain(&format!("that is less than {least}% (--min-score)"));
                Exit::Failure
            }
            Some(_) | None => Exit::Success,
        }
    }
}
