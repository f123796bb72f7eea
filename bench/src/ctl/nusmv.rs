//! The same questions to `NuSMV`, if `OTUS_NUSMV` names its program.
//!
//! # The encoding
//!
//! A state is a cut: a variable `c_i` for each process, how many of its events are in the cut. A step is an event:
//!
//! ```text
//! VAR    c0 : 0..n0; c1 : 0..n1; …
//! DEFINE enabled_i := c_i < n_i ∧ for each edge from event b of j to event a of i: c_i = a − 1 → c_j ≥ b
//!        end       := c_i = n_i for all i
//! INIT   c_i = 0 for all i
//! TRANS  end and nothing changes, or for some i: enabled_i, c_i grows by one and nothing else changes
//! ```
//!
//! Only cuts are reached, since events come one by one and each after all before it.
//!
//! An atom that reads one thing changes at a chain of events, all ordered by happened-before, and has at a cut the
//! value after the last of them that is there: `case c_j >= b_m : …; c_k >= b_{m-1} : …; TRUE : …; esac`, the last one first.
//! An atom that reads several things is a disjunction over the values that make it true.
//!
//! # Finite runs
//!
//! CTL in `NuSMV` is about infinite paths, and a state without successor is an error there; our runs end at the last
//! cut E. So E has a loop to itself, and no other state has one.
//!
//! **Claim.** With `EX f` as `!end & EX f` and `AX f` as `end | AX f`, and everything else as it is, a formula holds at
//! a cut in one reading iff it does in the other.
//!
//! *Proof.* Every step but the loop adds an event, so every infinite path from a cut is a run to E followed by E
//! forever, and every run gives one such path. By induction on the formula: f U g on the path asks for a first
//! g-state with f before it. If there is one on the path, there is one on the run, since states after E are E
//! again. `EG f` and `AF f` speak of the states of the path, which are those of the run. The others are their duals. X at a
//! cut before E means the same in both; at E, where the loop would make `EX f` and `AX f` mean f, `EX f` has to be
//! false and `AX f` true, and that is what they are made. ∎
//!
//! Since `A[f U g]` and the rest are given to `NuSMV` as they stand, agreement with it says something about our own
//! equations for them. (W and R it does not know; those are written with U and G.)
//!
//! The tests read the text back with a small interpreter, which knows nothing of cuts, and compare.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use otus_ctl::atom::{Atom, Reading};
use otus_ctl::formula::AtomId;
use otus_ctl::{Formula, FormulaId as CoreId, Formulas, lower};
use otus_syntax::ast::formula::{
    Connective, FormulaFile, FormulaId, FormulaKind, Item, ItemKind, Modality, Quantifier,
    UntilKind,
};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::{EventId, PartialOrder, Value};

use super::ask::{Way, ask};
use super::paper::tables;
use super::{SEED, Size};
use crate::engine::checks::Checks;
use crate::engine::timing::{nanoseconds, show, times};

/// More values than this of an atom's readings together are not translated.
const COMBINATIONS: usize = 100_000;

/// Why there is no translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Untranslated {
    /// The formula is wrong.
    Wrong(String),
    /// It has a pattern.
    Pattern,
    /// An atom depends on too many values.
    Wide,
}

/// A trace and the formulas of a file as a text for `NuSMV`.
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
    let needed = needed(&file, &bodies);
    let atomic: Vec<FormulaId> =
        needed.iter().copied().filter(|&id| is_atomic(&file, id)).collect();
    let mut texts: Vec<String> = vec![String::new(); file.nodes.len()];
    let mut definitions = Definitions { trace, out: String::new(), known: Vec::new() };
    atoms(&file, &atomic, &mut definitions, &mut texts)?;
    out.push_str(&definitions.out);
    for id in needed {
        if !is_atomic(&file, id) {
            texts[index(id)] = node(&file, id, &texts)?;
        }
    }
    for body in bodies {
        let _ = writeln!(out, "CTLSPEC {}", texts[index(body)]);
    }
    Ok(out)
}

/// Everything but the formulas.
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

/// The nodes below some, in their order, operands first; not those inside of atomic ones.
fn needed(file: &FormulaFile, bodies: &[FormulaId]) -> Vec<FormulaId> {
    let mut met = vec![false; file.nodes.len()];
    let mut pending = bodies.to_vec();
    let mut found = Vec::new();
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut met[index(id)], true) {
            continue;
        }
        found.push(id);
        if let FormulaKind::Named(_, body) = file.node(id).kind {
            pending.push(body);
        } else if !is_atomic(file, id) {
            pending.extend(file.node(id).kind.operands());
        }
    }
    found.sort_unstable();
    found
}

/// Whether a formula is about a single cut and has no connective.
fn is_atomic(file: &FormulaFile, id: FormulaId) -> bool {
    match file.node(id).kind {
        FormulaKind::Constant(_)
        | FormulaKind::Number(_)
        | FormulaKind::Text(_)
        | FormulaKind::Variable(_)
        | FormulaKind::Last(_)
        | FormulaKind::Count(..)
        | FormulaKind::Negative(_)
        | FormulaKind::Arithmetic(..)
        | FormulaKind::Compare(..)
        | FormulaKind::Member(..) => true,
        FormulaKind::Named(..)
        | FormulaKind::Not(_)
        | FormulaKind::Connective(..)
        | FormulaKind::Temporal(..)
        | FormulaKind::Until(..)
        | FormulaKind::Call(..)
        | FormulaKind::Invalid => false,
    }
}

/// The texts of atomic nodes: each is resolved as a property of its own.
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

/// The text of a node with operands.
fn node(file: &FormulaFile, id: FormulaId, texts: &[String]) -> Result<String, Untranslated> {
    let of = |id: &FormulaId| texts[index(*id)].as_str();
    let text = match &file.node(id).kind {
        FormulaKind::Named(_, body) => of(body).to_owned(),
        FormulaKind::Not(f) => format!("(!{})", of(f)),
        FormulaKind::Connective(connective, f, g) => {
            let symbol = match connective {
                Connective::And => "&",
                Connective::Or => "|",
                Connective::Implies => "->",
                Connective::Iff => "<->",
            };
            format!("({} {symbol} {})", of(f), of(g))
        }
        FormulaKind::Temporal(quantifier, modality, f) => match (quantifier, modality) {
            (Quantifier::Exists, Modality::Next) => format!("((!end) & (EX {}))", of(f)),
            (Quantifier::All, Modality::Next) => format!("(end | (AX {}))", of(f)),
            (Quantifier::Exists, Modality::Finally) => format!("(EF {})", of(f)),
            (Quantifier::All, Modality::Finally) => format!("(AF {})", of(f)),
            (Quantifier::Exists, Modality::Globally) => format!("(EG {})", of(f)),
            (Quantifier::All, Modality::Globally) => format!("(AG {})", of(f)),
        },
        FormulaKind::Until(quantifier, kind, f, g) => {
            let (f, g) = (of(f), of(g));
            match (quantifier, kind) {
                (Quantifier::Exists, UntilKind::Until) => format!("(E [{f} U {g}])"),
                (Quantifier::All, UntilKind::Until) => format!("(A [{f} U {g}])"),
                (Quantifier::Exists, UntilKind::Weak) => {
                    format!("((E [{f} U {g}]) | (EG {f}))")
                }
                (Quantifier::All, UntilKind::Weak) => {
                    format!("(!(E [(!{g}) U ((!{f}) & (!{g}))]))")
                }
                (Quantifier::Exists, UntilKind::Release) => {
                    format!("(!(A [(!{f}) U (!{g})]))")
                }
                (Quantifier::All, UntilKind::Release) => format!("(!(E [(!{f}) U (!{g})]))"),
            }
        }
        FormulaKind::Call(..) => return Err(Untranslated::Pattern),
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

/// What atoms are, as definitions.
struct Definitions<'t> {
    trace: &'t PartialOrder,
    out: String,
    known: Vec<AtomId>,
}

impl Definitions<'_> {
    /// What an atomic node was resolved to: an atom, the negation of one, or a constant.
    fn literal(&mut self, formulas: &Formulas, id: CoreId) -> Result<String, Untranslated> {
        match formulas.get(id) {
            Formula::True => Ok("TRUE".into()),
            Formula::False => Ok("FALSE".into()),
            Formula::Atom(atom) => self.atom(formulas, *atom),
            Formula::Not(inner) => match *formulas.get(*inner) {
                Formula::Atom(atom) => Ok(format!("(!{})", self.atom(formulas, atom)?)),
                Formula::True
                | Formula::False
                | Formula::End
                | Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_)
                | Formula::Next(_)
                | Formula::Until(_) => Err(Untranslated::Wrong("not an atom".into())),
            },
            Formula::End
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Next(_)
            | Formula::Until(_) => Err(Untranslated::Wrong("not an atom".into())),
        }
    }

    /// The name of an atom, defined when it is first met.
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

    /// The values of a reading and when it takes them.
    fn course(&self, reading: Reading) -> Course {
        let trace = self.trace;
        let mut course = Course { values: Vec::new(), changes: Vec::new() };
        match reading {
            Reading::Variable(variable) => {
                course.start(trace.value(trace.initial(variable)));
                for write in trace.histories(&[variable]).remove(0) {
                    course.change(write.event, trace.value(write.value));
                }
            }
            Reading::Last(process) => {
                course.start("".into());
                for event in trace.events(process) {
                    course.change(event, Value::Text(trace.label(event).unwrap_or("").into()));
                }
            }
            Reading::Count(process, label) => {
                course.start(0.into());
                let mut count = 0_i64;
                for event in trace.events(process) {
                    if label.is_none() || trace.label_id(event) == label {
                        count += 1;
                        course.change(event, count.into());
                    }
                }
            }
        }
        course
    }

    /// What depends on the last change that is in the cut.
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

/// The distinct values of a reading, the initial one first, and when it takes them.
struct Course {
    values: Vec<Value>,
    changes: Vec<(EventId, usize)>,
}

impl Course {
    fn start(&mut self, value: Value) {
        self.values.push(value);
    }

    fn change(&mut self, event: EventId, value: Value) {
        let at = self.values.iter().position(|known| *known == value);
        let at = at.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        self.changes.push((event, at));
    }
}

/// An atom of several readings, by the values that make it true.
fn combinations(name: &str, atom: &Atom, courses: &[Course]) -> Result<String, Untranslated> {
    let sizes = courses.iter().map(|course| course.values.len());
    let all_of_them = sizes.clone().try_fold(1_usize, usize::checked_mul);
    let total = all_of_them.filter(|&total| total <= COMBINATIONS).ok_or(Untranslated::Wide)?;
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

/// Every row of the paper's tables, as long as patience lasts.
pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## NuSMV");
    println!();
    let Some(program) = std::env::var_os("OTUS_NUSMV") else {
        println!("Left out: `OTUS_NUSMV` names no program.");
        return;
    };
    let folder = std::env::temp_dir().join(format!("otus-nusmv-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        println!("Left out: {} cannot be made.", folder.display());
        return;
    }
    println!("| load | processes | events | holds | NuSMV | auto | ratio |");
    println!("|---|--:|--:|---|--:|--:|--:|");
    let patience = Duration::from_secs(size.pick(20, 600));
    let (mut least, mut logarithms) = (f64::INFINITY, Vec::new());
    for (_, protocol, table) in tables() {
        // A larger row of as many processes is not tried after one that took too long.
        let mut lost: Option<usize> = None;
        for otus_papers::data::OrderRow { processes, events, .. } in table {
            if lost == Some(processes) {
                continue;
            }
            let trace = protocol.trace(processes, events, SEED);
            let auto = ask(&trace, protocol.formula(), Way::AUTO);
            let name = protocol.name();
            let Ok(text) = translate(&trace, protocol.formula()) else { continue };
            let Some(theirs) = call(Path::new(&program), &folder, &text, patience) else {
                println!(
                    "| {name} | {processes} | {events} | {} | > | {} | |",
                    auto.holds(),
                    auto.cell()
                );
                lost = Some(processes);
                continue;
            };
            let ratio = nanoseconds(theirs.elapsed) / nanoseconds(auto.time);
            let agrees = match theirs.holds {
                Some(holds) if (if holds { "yes" } else { "no" }) == auto.holds() => auto.holds(),
                Some(_) => "**they differ**",
                None => "**it says nothing**",
            };
            println!(
                "| {name} | {processes} | {events} | {agrees} | {} | {} | {} |",
                show(nanoseconds(theirs.elapsed)),
                auto.cell(),
                times(ratio)
            );
            logarithms.push(ratio.ln());
            if events >= 1000 {
                least = least.min(ratio);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let count = crate::engine::timing::number(logarithms.len().max(1));
    let mean = (logarithms.iter().sum::<f64>() / count).exp();
    checks.add("NuSMV, rows of 1000 events or more", "≥ 50×", times(least), least >= 50.0);
    checks.add("NuSMV, all rows, geometric mean", "≥ 500×", times(mean), mean >= 500.0);
}

/// What it said, and how long it took.
struct Theirs {
    holds: Option<bool>,
    elapsed: Duration,
}

/// Calls the program; `None` if it does not end in time or cannot be called.
fn call(program: &Path, folder: &Path, text: &str, patience: Duration) -> Option<Theirs> {
    let file = folder.join("trace.smv");
    std::fs::write(&file, text).ok()?;
    let output = std::fs::File::create(folder.join("out.txt")).ok()?;
    let mut command = Command::new(program);
    command.arg("-dcx").arg(&file).stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().ok()?;
    loop {
        if child.try_wait().ok()?.is_some() {
            break;
        }
        if start.elapsed() > patience {
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
    Some(Theirs { holds, elapsed })
}
