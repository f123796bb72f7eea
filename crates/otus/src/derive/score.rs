//! The mutation score of a specification: the share of mutants of accepted multi-traces that it rejects.
//!
//! Mutation testing (R. A. De Millo, R. J. Lipton and F. G. Sayward, "Hints on Test Data Selection", 1978) judges a
//! test suite by the faulty programs that it distinguishes from the correct one. Here, a specification is judged by
//! the faulty runs that it distinguishes from correct ones. Mutants are checked as `otus analyze` checks them. Two
//! kinds of mutants say nothing about a specification and do not count:
//!
//! - *equal*: the mutant equals an accepted original, such as another given run;
//! - *part*: the mutant is its original with a log cut at its end or beginning, or without some values, and the question
//!   allows that (the verdict is WeakPass, not Pass).
//!
//! Mutants are made and checked in batches, so that only the originals and one batch are in memory.

use std::fmt::Write as _;

use otus_analysis::Verdict;
use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_syntax::{Source, parse_trace, print};
use otus_trace::case::OtherFields;
use otus_trace::transform::Swaps;
use otus_trace::{Facts, MultiTrace};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::mutate::{Mutator, ValueScope, wanted};
use super::{Derived, Made, MutantKind, Take, stopped_or};
use crate::analysis::{Explain, Item, Originals, Request, WitnessPolicy, analyze, originals};
use crate::case::Case;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::load;
use crate::units::counted;

const BATCH: usize = 50_000;

/// The maximum number of survivors that are shown.
const SHOWN: usize = 10;

/// The mutants to check, and the specification.
#[derive(Debug, Clone)]
pub struct ScoreRequest {
    /// The specification, the originals and the question.
    pub request: Request,
    /// The kinds; if empty, all kinds that make a fault.
    pub kinds: Vec<MutantKind>,
    /// The number of mutants of each original and kind.
    pub count: u64,
    /// The seed of random choices.
    pub seed: u64,
}

/// Makes mutants of the accepted originals and checks them. Survivors are passed to `take`.
///
/// # Errors
/// If the specification or the originals cannot be read.
pub fn score(context: &Context, asked: &ScoreRequest, take: Take<'_>) -> Result<Score> {
    let mut request = asked.request.clone();
    request.explain = Explain::None;
    request.witness = WitnessPolicy::None;
    let Originals { pool, valued, traces, strangers } = originals(context, &request)?;
    let fields = valued.as_ref().map(|valued| valued.fields.clone());
    let scope = valued.as_deref().map(|valued| ValueScope::new(&valued.fields, valued));
    // The following requests are about multi-traces in memory, and the warnings about the
    // specification were reported.
    request.group = None;
    request.is_spec_known = true;
    let given = traces.len() + strangers;
    let lines: Vec<String> = traces
        .iter()
        .map(|(_, trace, facts)| {
            let values = facts.as_ref().zip(fields.as_ref());
            print::trace_line(&load::facts::raise(trace, &pool, values))
        })
        .collect();
    let checked = check(context, &request, &lines)?;
    let mut accepted = vec![false; traces.len()];
    for (number, case) in checked.cases {
        accepted[number] = case.conforms();
    }
    let (mut ids, mut observed, mut texts) = (Vec::new(), Vec::new(), FxHashSet::default());
    let mut carried = Vec::new();
    for (((id, trace, facts), line), accepted) in traces.into_iter().zip(lines).zip(accepted) {
        if accepted {
            ids.push(id);
            observed.push(trace);
            carried.extend(facts);
            texts.insert(line);
        }
    }
    let kinds = wanted(&asked.kinds, observed.len(), scope.as_ref());
    let mut score = Score {
        spec: checked.spec,
        seed: asked.seed,
        given,
        accepted: observed.len(),
        kinds: kinds.iter().map(|kind| Row { kind: kind.name(), ..Row::default() }).collect(),
        survivors: Vec::new(),
        is_interrupted: false,
    };
    let swaps = Swaps::new(&observed);
    let mut mutator = Mutator {
        seed: asked.seed,
        count: asked.count,
        ids: &ids,
        observed: &observed,
        values: fields.as_ref().map(|fields| (&carried[..], fields)),
        scope: scope.as_ref(),
        swaps: &swaps,
        pool,
    };
    // The mutants to check, each once, and their texts.
    let (mut batch, mut seen) = (Vec::new(), FxHashSet::default());
    for original in 0..observed.len() {
        for &kind in &kinds {
            let made = mutator.mutate(original, kind, &mut |made, original, number| {
                if let Some(reason) = context.cancel.reason() {
                    return Err(Error::Stopped(reason));
                }
                let text = print::trace_line(&made.tree());
                if texts.contains(&text) {
                    score.row(made.kind).equal += 1;
                } else if seen.insert(text.clone()) {
                    let mutant = (made.trace, made.values.map(|(facts, _)| facts));
                    let is_part = is_part(mutant, (&observed[original], carried.get(original)));
                    batch.push(Mutant::new(made, number, text, is_part));
                }
                Ok(())
            });
            score.is_interrupted |= matches!(made, Err(Error::Stopped(_)));
            stopped_or(made.map(drop))?;
        }
        let is_last = original + 1 == observed.len();
        if batch.len() < BATCH && !is_last {
            continue;
        }
        let made = std::mem::take(&mut batch);
        seen.clear();
        let lines: Vec<&str> = made.iter().map(|mutant| &*mutant.text).collect();
        let checked = check(context, &request, &lines)?;
        score.is_interrupted |= checked.is_interrupted;
        for (number, case) in checked.cases {
            if let Some(survivor) = score.count(&made[number], case.verdict) {
                take(survivor.derived())?;
            }
        }
        if score.is_interrupted {
            break;
        }
    }
    score.explain(context, request)?;
    Ok(score)
}

/// The cases of some multi-traces, with their numbers.
struct Checked {
    spec: String,
    cases: Vec<(usize, Case)>,
    is_interrupted: bool,
}

fn check<T: AsRef<str>>(context: &Context, request: &Request, lines: &[T]) -> Result<Checked> {
    let lines = lines.iter().enumerate().map(|(number, line)| {
        format!("{{\"id\":\"{number}\",\"htf\":{}}}\n", Value::from(line.as_ref()))
    });
    let cases = lines.collect::<String>().into_bytes();
    let request = Request { cases: Some(cases), ..request.clone() };
    let analysis = analyze(context, &request)?;
    let spec = analysis.run().name();
    let mut running = analysis.start(Case::clone);
    let mut cases = Vec::new();
    for item in running.by_ref() {
        if let Item::Case(case) = item?
            && let Ok(number) = case.id.parse()
        {
            cases.push((number, case));
        }
    }
    let finished = running.finish()?;
    Ok(Checked { spec, cases, is_interrupted: finished.summary.interrupted > 0 })
}

#[derive(Debug, Clone)]
struct Mutant {
    id: String,
    origin: String,
    kind: &'static str,
    change: String,
    /// The fields of a line of a case file.
    fields: OtherFields,
    text: String,
    /// Whether the mutant is its original with less observed.
    is_part: bool,
}

impl Mutant {
    fn new(made: &Made<'_>, number: u64, text: String, is_part: bool) -> Mutant {
        let (id, origin, kind) = (made.id(number), made.origin.to_owned(), made.kind);
        let (change, fields) = (made.change.clone(), made.fields());
        Mutant { id, origin, kind, change, fields, text, is_part }
    }
}

/// Whether each log is a prefix or a suffix of the log of the original, with the same values or without some of them.
fn is_part(mutant: (&MultiTrace, Option<&Facts>), original: (&MultiTrace, Option<&Facts>)) -> bool {
    mutant.0.partition().components().all(|component| {
        let (part, whole) = (mutant.0.steps(component), original.0.steps(component));
        let knows_less = |from: usize| {
            let (Some(part_facts), Some(whole_facts)) = (mutant.1, original.1) else { return true };
            let fields = || (0..part_facts.field_count()).map(FieldId::new);
            (0..part.len()).all(|step| {
                fields().all(|field| {
                    let known = part_facts.known(field, component, step);
                    known.is_none() || known == whole_facts.known(field, component, from + step)
                })
            })
        };
        let Some(rest) = whole.len().checked_sub(part.len()) else { return false };
        let is_at = |from: usize| {
            let whole = whole[from..].iter().map(|step| step.action());
            part.iter().map(|step| step.action()).eq(whole.take(part.len())) && knows_less(from)
        };
        is_at(0) || is_at(rest)
    })
}

#[derive(Debug, Default)]
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
    /// The number of mutants that count towards the score.
    fn counted(&self) -> usize {
        self.caught + self.survived + self.undecided
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer mutants than a double has digits"
    )]
    fn percent(&self) -> Option<f64> {
        (self.counted() > 0).then(|| self.caught as f64 * 100.0 / self.counted() as f64)
    }

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

/// A percentage with one decimal place.
fn rounded(percent: f64) -> f64 {
    // 99.96 must not be rounded to 100.
    (percent * 10.0).floor() / 10.0
}

/// The score of a specification.
#[derive(Debug)]
#[non_exhaustive]
pub struct Score {
    /// The name of the specification.
    pub spec: String,
    seed: u64,
    /// The number of given multi-traces.
    pub given: usize,
    /// The number of multi-traces that the specification accepts; mutants were made of these.
    pub accepted: usize,
    kinds: Vec<Row>,
    /// The first survivors.
    survivors: Vec<Survivor>,
    /// Whether the work was cancelled.
    pub is_interrupted: bool,
}

#[derive(Debug, Clone)]
struct Survivor {
    mutant: Mutant,
    verdict: Verdict,
    /// An execution that explains why the mutant is accepted.
    why: String,
}

impl Survivor {
    fn derived(&self) -> Derived {
        let Mutant { id, mut fields, text, .. } = self.mutant.clone();
        fields.insert("verdict", self.verdict.name());
        Derived { id, fields, tree: parse_trace(&Source::new("mutant", text)).tree }
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

    /// Computes executions that explain the survivors that are shown.
    fn explain(&mut self, context: &Context, mut request: Request) -> Result<()> {
        if self.survivors.is_empty() {
            return Ok(());
        }
        let lines: Vec<&str> = self.survivors.iter().map(|it| &*it.mutant.text).collect();
        request.witness = WitnessPolicy::Cheap;
        let checked = check(context, &request, &lines)?;
        for (number, case) in checked.cases {
            self.survivors[number].why =
                case.witness.as_ref().map_or_else(|| case.headline(), ToString::to_string);
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

    /// The score as a table for people.
    pub fn text(&self) -> String {
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
            let percent = row.percent().map(|percent| format!("{:.1}%", rounded(percent)));
            let percent = percent.as_deref().unwrap_or("-");
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

    /// The score as one JSON document with a version.
    pub fn json(&self) -> Value {
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

    /// The number of mutants that count, and the percentage that is rejected. `None` if no mutant counts.
    pub fn percent(&self) -> Option<f64> {
        self.all().percent()
    }

    /// `caught 9 of 10 mutants (90.0%)`; `None` if no mutant counts.
    pub fn headline(&self) -> Option<String> {
        let all = self.all();
        let percent = rounded(all.percent()?);
        let counted = counted(all.counted(), "mutant");
        Some(format!("caught {} of {counted} ({percent:.1}%)", all.caught))
    }
}
