//! The four questions in a second way, on traces with marked events.
//!
//! [`member`](super::member()) makes all traces and then compares each with µ. Here, each component on which an event occurs
//! guesses whether the event is *before* its window, *in* it, or *after* it, and marks it accordingly. The operators are the
//! same, but a trace whose marks cannot belong to a witness is dropped at once, and the loops end without a bound on lengths.
//!
//! In a witness, the marks of each component have the form before\* in\* after\*, and the moments marked `in` are exactly
//! those of µ. Every part of a term contributes a subsequence of the witness. So in its traces the marks have the same form, and
//! the moments marked `in` are a *subsequence* of µ; all other traces can be dropped. Loop iterations without any `in` can be
//! dropped too (by the claim proved in [`member`](mod@super::member)), so each iteration consumes a moment of µ.
//!
//! Only the lifelines of an event, on which conflicts depend, and its marks matter: events with the same lifelines and marks
//! are one letter here. A component without observed events marks all its events as after, because its empty window can be at
//! the very beginning.
//!
//! A global prefix is one more component, on which every event occurs, with its own window: it marks the events of the prefix
//! as `before`, which all other components must mark `in`, and the others as `after`, which all other components must mark so.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::index::Index as _;
use otus_core::{EventId, LifelineSet, Pool, Term, TermId};

use super::member::{Question, Window};
use super::observe::{Moment, Observation, moments};
use super::{Counted, closure, fold};

/// The answer to a question; `None` if some operator takes more than `budget` steps, one for each
/// event of a trace that it tries.
pub fn member(
    pool: &Pool,
    term: TermId,
    observation: &Observation,
    question: Question,
    budget: usize,
) -> Option<bool> {
    let windows = question.window().map(|window| vec![window; observation.components.len()]);
    declared(pool, term, observation, windows.as_deref(), budget)
}

/// The answer for windows declared component by component; `None` for a global prefix.
pub fn declared(
    pool: &Pool,
    term: TermId,
    observation: &Observation,
    windows: Option<&[Window]>,
    budget: usize,
) -> Option<bool> {
    let prefixes = vec![Window::Prefix; observation.components.len()];
    let mut marking = Marking {
        pool,
        observation,
        windows: windows.unwrap_or(&prefixes),
        global: windows.is_none(),
        budget,
        letters: Vec::new(),
        numbers: BTreeMap::new(),
    };
    let found = fold(pool, term, |part, operands| marking.combine(part, operands))??;
    let observed = observation.len();
    Some(found.iter().any(|trace| marking.observed(trace) == observed))
}

/// Where an event is, relative to the window of a component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// Before the window.
    Before,
    /// In the window, as this moment.
    In(Moment),
    /// After the window.
    After,
}

impl Mark {
    fn phase(&self) -> u8 {
        match self {
            Mark::Before => 0,
            Mark::In(_) => 1,
            Mark::After => 2,
        }
    }
}

/// The relevant part of an event: its lifelines, and the mark of each component on which it occurs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Letter {
    lifelines: LifelineSet,
    marks: Vec<(usize, Mark)>,
}

/// A trace of letters, by number.
type Marked = Vec<usize>;
type Set = BTreeSet<Marked>;

/// The progress of a component in a trace: the phase of its last mark, and the number of its moments of µ that are consumed.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    phase: u8,
    used: usize,
}

struct Marking<'a> {
    pool: &'a Pool,
    observation: &'a Observation,
    windows: &'a [Window],
    global: bool,
    budget: usize,
    letters: Vec<Letter>,
    numbers: BTreeMap<Letter, usize>,
}

impl Marking<'_> {
    fn combine(&mut self, part: TermId, operands: &BTreeMap<TermId, Option<Set>>) -> Option<Set> {
        let of = |operand: TermId| operands.get(&operand)?.as_ref();
        match self.pool.node(part) {
            Term::Empty => Some(BTreeSet::from([Vec::new()])),
            Term::Event(event) => Some(self.event(event)),
            Term::Alt(left, right) => Some(of(left)?.union(of(right)?).cloned().collect()),
            Term::Strict(left, right) => self.compose(None, of(left)?, of(right)?),
            Term::Coreg(region, left, right) => {
                self.compose(Some(&self.pool.region(region)), of(left)?, of(right)?)
            }
            Term::LoopS(body) => self.repeat(None, of(body)?),
            Term::LoopC(region, body) => self.repeat(Some(&self.pool.region(region)), of(body)?),
        }
    }

    /// The event with all marks that it can have.
    fn event(&mut self, event: EventId) -> Set {
        let lifelines = self.pool.region(self.pool.event_lifelines(event));
        let seen = moments(self.pool, &self.observation.partition, event);
        let mut markings: Vec<Vec<(usize, Mark)>> = vec![Vec::new()];
        for (component, moment) in &seen {
            let component = component.index();
            let choices = self.marks(component, moment);
            markings = markings
                .into_iter()
                .flat_map(|marking| {
                    let extended = choices.iter().map(move |mark| {
                        let mut marking = marking.clone();
                        marking.push((component, mark.clone()));
                        marking
                    });
                    extended.collect::<Vec<_>>()
                })
                .collect();
        }
        if self.global {
            markings.retain_mut(|marking| {
                let prefix = marking.iter().all(|(_, mark)| matches!(mark, Mark::In(_)));
                let rest = marking.iter().all(|(_, mark)| *mark == Mark::After);
                let whole = if prefix { Mark::Before } else { Mark::After };
                marking.push((self.windows.len(), whole));
                prefix || rest
            });
        }
        markings
            .into_iter()
            .map(|marks| vec![self.number(Letter { lifelines: lifelines.clone(), marks })])
            .collect()
    }

    /// The marks that a component can give to an event of which it observes this moment.
    fn marks(&self, component: usize, moment: &Moment) -> Vec<Mark> {
        let window = self.windows[component];
        let trace = &self.observation.components[component];
        let start_late = matches!(window, Window::Suffix | Window::Slice);
        let stop_early = matches!(window, Window::Prefix | Window::Slice);
        let mut marks = Vec::new();
        // An empty window at the beginning has nothing before it.
        if start_late && !(stop_early && trace.is_empty()) {
            marks.push(Mark::Before);
        }
        if trace.contains(moment) {
            marks.push(Mark::In(moment.clone()));
        }
        if stop_early {
            marks.push(Mark::After);
        }
        marks
    }

    fn number(&mut self, letter: Letter) -> usize {
        let letters = &mut self.letters;
        *self.numbers.entry(letter).or_insert_with_key(|letter| {
            letters.push(letter.clone());
            letters.len() - 1
        })
    }

    /// The compositions of two sets: conditional sequencing with a region, concatenation without.
    fn compose(&self, region: Option<&LifelineSet>, left: &Set, right: &Set) -> Option<Set> {
        let mut out = Counted::new(self.budget);
        for t1 in left {
            for t2 in right {
                self.compositions(region, &mut Vec::new(), &self.start(), t1, t2, &mut out)?;
            }
        }
        Some(out.items)
    }

    fn repeat(&self, region: Option<&LifelineSet>, body: &Set) -> Option<Set> {
        let body = body.iter().filter(|trace| self.observed(trace) > 0).cloned().collect();
        closure(Vec::new(), self.budget, |rest| self.compose(region, &body, rest))
    }

    /// The equations of [`traces`](mod@super::traces), without the traces that cannot be part of a witness.
    fn compositions(
        &self,
        region: Option<&LifelineSet>,
        before: &mut Marked,
        progress: &[Progress],
        left: &[usize],
        right: &[usize],
        out: &mut Counted<Marked>,
    ) -> Option<()> {
        // Dropped traces count too, because there may be many for each trace that is kept.
        out.spend()?;
        let ([first, t1 @ ..], [second, t2 @ ..]) = (left, right) else {
            let mut progress = progress.to_vec();
            if self.advances(&mut progress, left) && self.advances(&mut progress, right) {
                out.items.insert([before, left, right].concat());
            }
            return Some(());
        };
        let mut next = progress.to_vec();
        if self.advances(&mut next, &[*first]) {
            before.push(*first);
            self.compositions(region, before, &next, t1, right, out)?;
            before.pop();
        }
        if region.is_some_and(|region| !self.conflict(left, region, *second)) {
            let mut next = progress.to_vec();
            if self.advances(&mut next, &[*second]) {
                before.push(*second);
                self.compositions(region, before, &next, left, t2, out)?;
                before.pop();
            }
        }
        Some(())
    }

    /// Whether a trace has an event on a lifeline of a letter that is not in the region.
    fn conflict(&self, trace: &[usize], region: &LifelineSet, letter: usize) -> bool {
        let others = &self.letters[letter].lifelines;
        trace.iter().any(|&own| !self.letters[own].lifelines.intersection(others).is_subset(region))
    }

    /// The progress of all components at the beginning of a trace.
    fn start(&self) -> Vec<Progress> {
        vec![Progress::default(); self.windows.len() + 1]
    }

    /// Advances by some letters; false if they cannot belong to a witness. Matching each moment with its next occurrence in µ
    /// finds a subsequence if there is one.
    fn advances(&self, progress: &mut [Progress], trace: &[usize]) -> bool {
        trace.iter().flat_map(|&letter| &self.letters[letter].marks).all(|(component, mark)| {
            let at = &mut progress[*component];
            if mark.phase() < at.phase {
                return false;
            }
            at.phase = mark.phase();
            let Mark::In(moment) = mark else { return true };
            let rest = &self.observation.components[*component][at.used..];
            let Some(next) = rest.iter().position(|other| other == moment) else { return false };
            at.used += next + 1;
            true
        })
    }

    /// The number of moments of a trace that are in windows.
    fn observed(&self, trace: &[usize]) -> usize {
        let marks = trace.iter().flat_map(|&letter| &self.letters[letter].marks);
        marks.filter(|(_, mark)| matches!(mark, Mark::In(_))).count()
    }
}
