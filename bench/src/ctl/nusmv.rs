//! The checks of the paper's rows by `NuSMV`, if `OTUS_NUSMV` names its program.
//!
//! # The encoding
//!
//! A state is a cut: a variable `c_i` for each process counts its events in the cut. A step is an event:
//!
//! ```text
//! VAR    c0 : 0..n0; c1 : 0..n1; …
//! DEFINE enabled_i := c_i < n_i ∧ for each edge from event b of j to event a of i: c_i = a − 1 → c_j ≥ b
//!        end       := c_i = n_i for all i
//! INIT   c_i = 0 for all i
//! TRANS  end and nothing changes, or for some i: enabled_i, c_i grows by one and nothing else changes
//! ```
//!
//! Only cuts are reachable, because an event is enabled only after all events before it.
//!
//! An atom with one reading (a variable, a last label, or a count) changes at a chain of events, all ordered by
//! happened-before. Its value at a cut is the one after the last of these events in the cut:
//! `case c_j >= b_m : …; c_k >= b_{m-1} : …; TRUE : …; esac`, last event first. An atom with several readings is a
//! disjunction over the combinations of values that make it true.
//!
//! # Finite runs
//!
//! CTL in `NuSMV` is over infinite paths, and a state without successor is an error there; our runs end at the last
//! cut E. So E gets a self-loop, and no other state has one.
//!
//! **Claim.** With `EX f` translated as `!end & EX f` and `AX f` as `end | AX f`, and everything else unchanged, a
//! formula holds at a cut over finite runs iff its translation holds there over infinite paths.
//!
//! *Proof.* Every step but the loop adds an event, so every infinite path from a cut is a run to E followed by E
//! forever, and every run gives one such path. By induction on the formula: f U g on the path asks for a first
//! g-state with f before it. If there is one on the path, there is one on the run, since all states after E are E.
//! `EG f` and `AF f` depend on the states of the path, which are those of the run. The other operators are their duals.
//! X at a cut before E means the same in both; at E, `EX f` must be false and `AX f` true, where the self-loop would
//! make both mean f, and the translation ensures that. ∎
//!
//! `A[f U g]` and the other operators are passed to `NuSMV` unchanged, so its agreement also confirms our equations for
//! them. (It has no W and R; these are expressed by U and G.)
//!
//! The tests read the text back with a small interpreter that has no notion of cuts, and compare.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use otus_ctl::atom::{Atom, Reading};
use otus_ctl::formula::AtomId;
use otus_ctl::{Formula, FormulaId as CoreId, Formulas, lower};
use otus_papers::ctl::Method;
use otus_papers::data::{OrderRow, orders};
use otus_papers::statistics::number;
use otus_syntax::ast::formula::{
    FormulaFile, FormulaId, FormulaKind, Item, ItemKind, Modality, Quantifier, UntilKind,
};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::{EventId, PartialOrder, Value};

use super::{SEED, Size, answer_cell, check, time_cell};
use crate::measure::{Scratch, nanoseconds, show, times};
use crate::targets::Targets;

/// The most combinations of values of the readings of an atom.
const MAX_COMBINATIONS: usize = 100_000;

/// The reason that there is no translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Untranslated {
    /// The formula is wrong.
    Wrong(String),
    /// The formula has a named pattern.
    Pattern,
    /// An atom has too many combinations of values.
    Wide,
}

/// Translates a trace and formulas to a text for `NuSMV`.
pub(super) fn translate(trace: &PartialOrder, text: &str) -> Result<String, Untranslated> {
    let parsed = parse_formulas(&Source::new("formula", text));
    let complain = |found: &[otus_syntax::Diagnostic]| {
        found.first().map_or(Ok(()), |first| Err(Untranslated::Wrong(first.message.clone())))
    };
    complain(&parsed.diagnostics)?;
    let file = parsed.tree;
    let lowered = lower(&file, trace);
    complain(&lowered.diagnostics)?;
    let mut out = String::from("MODULE main\n");
    model(&mut out, trace);
    let bodies: Vec<FormulaId> = file.properties().map(|item| item.body).collect();
    let (atomic, compound): (Vec<FormulaId>, Vec<FormulaId>) = file
        .below(&bodies, |kind| !is_atomic(kind))
        .into_iter()
        .partition(|&id| is_atomic(&file.node(id).kind));
    let mut texts: Vec<String> = vec![String::new(); file.nodes.len()];
    let mut definitions = Definitions { trace, out: String::new(), known: Vec::new() };
    atoms(&file, &atomic, &mut definitions, &mut texts)?;
    out.push_str(&definitions.out);
    for id in compound {
        texts[index(id)] = node(&file, id, &texts)?;
    }
    for body in bodies {
        let _ = writeln!(out, "CTLSPEC {}", texts[index(body)]);
    }
    Ok(out)
}

/// Writes everything but the formulas.
fn model(out: &mut String, trace: &PartialOrder) {
    let count = trace.process_count();
    for process in trace.processes() {
        let _ = writeln!(out, "VAR c{} : 0..{};", process.0, trace.length(process));
    }
    for process in trace.processes() {
        let i = process.0;
        let mut parts = vec![format!("(c{i} < {})", trace.length(process))];
        for event in trace.events(process) {
            for edge in trace.incoming(event) {
                let (j, b) = (trace.process_of(edge.from).0, trace.position(edge.from));
                let before = trace.position(event) - 1;
                parts.push(format!("((c{i} != {before}) | (c{j} >= {b}))"));
            }
        }
        let _ = writeln!(out, "DEFINE enabled{i} := {};", all(&parts));
    }
    let full = |process: otus_trace::order::ProcessId| {
        format!("(c{} = {})", process.0, trace.length(process))
    };
    let ends: Vec<String> = trace.processes().map(full).collect();
    let _ = writeln!(out, "DEFINE end := {};", all(&ends));
    let zero: Vec<String> = (0..count).map(|i| format!("(c{i} = 0)")).collect();
    let _ = writeln!(out, "INIT {}", all(&zero));
    let stays = |i: usize| format!("(next(c{i}) = c{i})");
    let mut steps = vec!["end".to_owned()];
    steps.extend((0..count).map(stays));
    let mut moves = vec![all(&steps)];
    for i in 0..count {
        let mut parts = vec![format!("enabled{i}"), format!("(next(c{i}) = (c{i} + 1))")];
        parts.extend((0..count).filter(|&j| j != i).map(stays));
        moves.push(all(&parts));
    }
    let _ = writeln!(out, "TRANS {}", some(&moves));
}

/// Whether a formula is about a single cut and has no connective.
fn is_atomic(kind: &FormulaKind) -> bool {
    !matches!(
        kind,
        FormulaKind::Named(..)
            | FormulaKind::Not(_)
            | FormulaKind::Connective(..)
            | FormulaKind::Temporal(..)
            | FormulaKind::Until(..)
            | FormulaKind::Call(..)
            | FormulaKind::Invalid
    )
}

/// Translates atomic nodes, each resolved as a property of its own.
fn atoms(
    file: &FormulaFile,
    atomic: &[FormulaId],
    definitions: &mut Definitions<'_>,
    texts: &mut [String],
) -> Result<(), Untranslated> {
    let item = |&body: &FormulaId| Item {
        span: file.node(body).span,
        kind: ItemKind::Property,
        name: None,
        body,
    };
    let alone = FormulaFile { items: atomic.iter().map(item).collect(), ..file.clone() };
    let lowered = lower(&alone, definitions.trace);
    for (&id, property) in atomic.iter().zip(&lowered.properties) {
        texts[index(id)] = definitions.literal(&lowered.formulas, property.formula)?;
    }
    Ok(())
}

/// Translates a node whose operands are translated.
fn node(file: &FormulaFile, id: FormulaId, texts: &[String]) -> Result<String, Untranslated> {
    let of = |id: &FormulaId| texts[index(*id)].as_str();
    let text = match &file.node(id).kind {
        FormulaKind::Named(_, body) => of(body).to_owned(),
        FormulaKind::Not(f) => format!("(!{})", of(f)),
        FormulaKind::Connective(connective, f, g) => {
            format!("({} {} {})", of(f), connective.symbol(), of(g))
        }
        FormulaKind::Temporal(quantifier, modality, f) => match (quantifier, modality) {
            (Quantifier::Exists, Modality::Next) => format!("((!end) & (EX {}))", of(f)),
            (Quantifier::All, Modality::Next) => format!("(end | (AX {}))", of(f)),
            (_, Modality::Finally | Modality::Globally) => {
                format!("({}{} {})", quantifier.symbol(), modality.symbol(), of(f))
            }
        },
        FormulaKind::Until(quantifier, kind, f, g) => {
            let (f, g) = (of(f), of(g));
            match (quantifier, kind) {
                (_, UntilKind::Until) => format!("({} [{f} U {g}])", quantifier.symbol()),
                (Quantifier::Exists, UntilKind::Weak) => format!("((E [{f} U {g}]) | (EG {f}))"),
                (Quantifier::All, UntilKind::Weak) => {
                    format!("(!(E [(!{g}) U ((!{f}) & (!{g}))]))")
                }
                (Quantifier::Exists, UntilKind::Release) => format!("(!(A [(!{f}) U (!{g})]))"),
                (Quantifier::All, UntilKind::Release) => format!("(!(E [(!{f}) U (!{g})]))"),
            }
        }
        FormulaKind::Call(..) | FormulaKind::ForEach(..) | FormulaKind::AtMostOne(..) => {
            return Err(Untranslated::Pattern);
        }
        FormulaKind::Constant(_)
        | FormulaKind::Number(_)
        | FormulaKind::Text(_)
        | FormulaKind::Variable(_)
        | FormulaKind::Last(_)
        | FormulaKind::Count(..)
        | FormulaKind::Negative(_)
        | FormulaKind::Arithmetic(..)
        | FormulaKind::Compare(..)
        | FormulaKind::Member(..)
        | FormulaKind::Invalid => return Err(Untranslated::Wrong("not a formula".into())),
    };
    Ok(text)
}

/// The definitions of atoms.
struct Definitions<'t> {
    trace: &'t PartialOrder,
    out: String,
    known: Vec<AtomId>,
}

impl Definitions<'_> {
    /// Translates a resolved atomic node: an atom, the negation of one, or a constant.
    fn literal(&mut self, formulas: &Formulas, id: CoreId) -> Result<String, Untranslated> {
        match formulas.get(id) {
            Formula::True => Ok("TRUE".into()),
            Formula::False => Ok("FALSE".into()),
            Formula::Atom(atom) => self.atom(formulas, *atom),
            Formula::Not(inner) => Ok(format!("(!{})", self.literal(formulas, *inner)?)),
            Formula::End
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Next(_)
            | Formula::Until(_) => Err(Untranslated::Wrong("not an atom".into())),
        }
    }

    /// The name of an atom, which is defined at its first occurrence.
    fn atom(&mut self, formulas: &Formulas, id: AtomId) -> Result<String, Untranslated> {
        let name = format!("atom{}", id.0);
        if self.known.contains(&id) {
            return Ok(name);
        }
        self.known.push(id);
        let atom = formulas.atom_of(id);
        let courses: Vec<Course> =
            atom.readings().into_iter().map(|reading| self.course(reading)).collect();
        let body = match courses.as_slice() {
            [course] => {
                let truth: Vec<bool> =
                    course.values.iter().map(|value| atom.holds(&[value])).collect();
                let word = |at: usize| if truth[at] { "TRUE" } else { "FALSE" }.to_owned();
                self.case(course, word, |a, b| truth[a] == truth[b])
            }
            several => {
                for (at, course) in several.iter().enumerate() {
                    let body = self.case(course, |at| at.to_string(), |a, b| a == b);
                    let _ = writeln!(self.out, "DEFINE {name}_{at} := {body};");
                }
                combinations(&name, atom, several)?
            }
        };
        let _ = writeln!(self.out, "DEFINE {name} := {body};");
        Ok(name)
    }

    /// The course of a reading.
    fn course(&self, reading: Reading) -> Course {
        let trace = self.trace;
        let from = |initial: Value| Course { values: vec![initial], changes: Vec::new() };
        match reading {
            Reading::Variable(variable) => {
                let mut course = from(trace.value(trace.initial(variable)));
                for write in trace.histories(&[variable]).remove(0) {
                    course.change(write.event, trace.value(write.value));
                }
                course
            }
            Reading::Last(process) => {
                let mut course = from("".into());
                for event in trace.events(process) {
                    course.change(event, Value::Text(trace.label(event).unwrap_or("").into()));
                }
                course
            }
            Reading::Count(process, label) => {
                let mut course = from(0.into());
                let events = trace.events(process);
                let counted =
                    events.filter(|&event| label.is_none() || trace.label_id(event) == label);
                for (count, event) in (1_i64..).zip(counted) {
                    course.change(event, count.into());
                }
                course
            }
        }
    }

    /// A `case` expression by the last change in the cut. Changes to a value that is the `same` are left out.
    fn case(
        &self,
        course: &Course,
        word: impl Fn(usize) -> String,
        same: impl Fn(usize, usize) -> bool,
    ) -> String {
        let mut kept: Vec<(EventId, usize)> = Vec::new();
        for &(event, value) in &course.changes {
            if !same(kept.last().map_or(0, |&(_, before)| before), value) {
                kept.push((event, value));
            }
        }
        let mut text = String::from("case ");
        for &(event, value) in kept.iter().rev() {
            let (j, b) = (self.trace.process_of(event).0, self.trace.position(event));
            let _ = write!(text, "(c{j} >= {b}) : {}; ", word(value));
        }
        let _ = write!(text, "TRUE : {}; esac", word(0));
        text
    }
}

/// The course of a reading: its distinct values, the initial one first, and the events at which it takes them.
struct Course {
    values: Vec<Value>,
    changes: Vec<(EventId, usize)>,
}

impl Course {
    fn change(&mut self, event: EventId, value: Value) {
        let at = self.values.iter().position(|known| *known == value);
        let at = at.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        self.changes.push((event, at));
    }
}

/// An atom with several readings, as a disjunction over the values that make it true.
fn combinations(name: &str, atom: &Atom, courses: &[Course]) -> Result<String, Untranslated> {
    let sizes = courses.iter().map(|course| course.values.len());
    let all_of_them = sizes.clone().try_fold(1_usize, usize::checked_mul);
    let total = all_of_them.filter(|&total| total <= MAX_COMBINATIONS).ok_or(Untranslated::Wide)?;
    let mut parts = Vec::new();
    for number in 0..total {
        let mut rest = number;
        let chosen: Vec<usize> = sizes
            .clone()
            .map(|size| {
                let digit = rest % size;
                rest /= size;
                digit
            })
            .collect();
        let values: Vec<&Value> =
            courses.iter().zip(&chosen).map(|(course, &at)| &course.values[at]).collect();
        if atom.holds(&values) {
            let part: Vec<String> =
                chosen.iter().enumerate().map(|(i, at)| format!("({name}_{i} = {at})")).collect();
            parts.push(all(&part));
        }
    }
    Ok(some(&parts))
}

fn all(parts: &[String]) -> String {
    if parts.is_empty() { "TRUE".into() } else { format!("({})", parts.join(" & ")) }
}

fn some(parts: &[String]) -> String {
    if parts.is_empty() { "FALSE".into() } else { format!("({})", parts.join(" | ")) }
}

fn index(id: FormulaId) -> usize {
    id.0 as usize
}

/// Checks every row of the paper's tables, each within a time limit.
pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## NuSMV\n");
    let Some(program) = std::env::var_os("OTUS_NUSMV") else {
        println!("Skipped: `OTUS_NUSMV` names no program.");
        return;
    };
    let Some(Scratch(folder)) = &Scratch::new("nusmv") else { return };
    println!("| load | processes | events | holds | NuSMV | auto | ratio |");
    println!("|---|--:|--:|---|--:|--:|--:|");
    let limit = Duration::from_secs(size.pick(20, 600));
    let (mut least, mut logarithms) = (f64::INFINITY, Vec::new());
    for table in orders().chunk_by(OrderRow::is_same_table) {
        let protocol = table[0].protocol();
        // After a row that exceeds the time limit, larger rows of as many processes are skipped.
        let mut lost: Option<usize> = None;
        for &OrderRow { processes, events, .. } in table {
            if lost == Some(processes) {
                continue;
            }
            let trace = protocol.trace(processes, events, SEED);
            let auto = check(&trace, protocol.formula(), Method::AUTO);
            let name = protocol.name();
            let Ok(text) = translate(&trace, protocol.formula()) else { continue };
            let Some((theirs, elapsed)) = call(Path::new(&program), folder, &text, limit) else {
                println!(
                    "| {name} | {processes} | {events} | {} | > | {} | |",
                    answer_cell(&auto),
                    time_cell(&auto)
                );
                lost = Some(processes);
                continue;
            };
            let ratio = elapsed.as_secs_f64() / auto.seconds;
            let agrees = match theirs {
                Some(holds) if auto.holds() == Some(holds) => answer_cell(&auto),
                Some(_) => "**they differ**",
                None => "**no answer of NuSMV**",
            };
            println!(
                "| {name} | {processes} | {events} | {agrees} | {} | {} | {} |",
                show(nanoseconds(elapsed)),
                time_cell(&auto),
                times(ratio)
            );
            logarithms.push(ratio.ln());
            if events >= 1000 {
                least = least.min(ratio);
            }
        }
    }
    let count = number(logarithms.len().max(1));
    let mean = (logarithms.iter().sum::<f64>() / count).exp();
    targets.add("NuSMV, rows of 1000 events or more", "≥ 50×", times(least), least >= 50.0);
    targets.add("NuSMV, all rows, geometric mean", "≥ 500×", times(mean), mean >= 500.0);
}

/// The answer of `NuSMV` and its time; `None` if it exceeds the time limit or cannot be called.
fn call(
    program: &Path,
    folder: &Path,
    text: &str,
    limit: Duration,
) -> Option<(Option<bool>, Duration)> {
    let file = folder.join("trace.smv");
    std::fs::write(&file, text).ok()?;
    let output = std::fs::File::create(folder.join("out.txt")).ok()?;
    let mut command = Command::new(program);
    command.arg("-dcx").arg(&file).stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().ok()?;
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let elapsed = start.elapsed();
    let said = std::fs::read_to_string(folder.join("out.txt")).ok()?;
    let line = said.lines().find(|line| line.starts_with("-- specification"))?;
    let holds = match () {
        () if line.ends_with("is true") => Some(true),
        () if line.ends_with("is false") => Some(false),
        () => None,
    };
    Some((holds, elapsed))
}
