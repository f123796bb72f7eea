//! A smallest repair: up to three edits after which the multi-trace would pass.
//!
//! This is a beam search. Edits are tried by likelihood: near the places where an explanation gets stuck, and with
//! the events expected there first. One edit is tried before two, and two before three. A component that fails by
//! itself must be edited, so no other is edited before it; and if more components fail than edits are left, no
//! edit is tried. Edited multi-traces that still fail are kept if they got further than others, and edited again.
//!
//! "Two events were logged in the wrong order" is a more useful diagnosis than "one of them did not happen". So if
//! dropping a moment is a repair, moving that moment and swapping it with another are tried as well, and
//! preferred.
//!
//! Every published repair was certified or at least answered by the engine, as [`Repair::checked`]
//! says.

use std::cmp::Reverse;

use otus_core::Pool;
use otus_trace::{ComponentId, MultiTrace};

use super::alone::Alone;
use super::checker::{Answer, Checked, Checker, stops_early};
use super::edit::{Change, Edit};
use super::letters::{Letter, Logs};
use super::{Case, GaveUp, frontier};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

/// The result of the search for a repair.
#[derive(Debug, Clone)]
pub struct Search {
    /// The repair.
    pub found: Option<Repair>,
    /// A lower bound: no repair has fewer edits.
    pub at_least: usize,
    /// The number of multi-traces that were tried.
    pub tried: u64,
    /// The limit that ended the search before all likely edits were tried.
    pub gave_up: Option<GaveUp>,
}

/// Edits after which a multi-trace passes.
#[derive(Debug, Clone)]
pub struct Repair {
    /// The edits, to be applied in this order.
    pub edits: Vec<Edit>,
    /// For each edit: the index in the observed log of the moment at which, or before which, the
    /// edit applies. An index equal to the number of moments stands for the end of the log.
    pub places: Vec<usize>,
    /// The multi-trace after the edits.
    pub trace: MultiTrace,
    /// The question that the edited multi-trace passes: the original question, except for logs that
    /// are taken to stop early.
    pub question: Question,
    /// The verdict on the edited multi-trace.
    pub verdict: Verdict,
    /// The confirmation of the verdict.
    pub checked: Checked,
    /// Whether fewer edits are known not to suffice.
    pub is_smallest: bool,
}

/// The number of failing multi-traces that are kept and edited once more.
const BEAM: usize = 16;
/// The number of letters that are tried at one place, besides the expected ones.
const TRIED: usize = 256;
/// The maximum distance between a moment at which an explanation gets stuck and an expected letter
/// that is moved there.
const AHEAD: usize = 2000;

/// The places where an explanation gets stuck.
#[derive(Debug, Clone)]
pub(super) struct Anchors {
    /// For each component: the indexes of moments to edit first.
    pub(super) places: Vec<Vec<usize>>,
    /// For each component: the letters expected there.
    pub(super) expected: Vec<Vec<Letter>>,
    /// The components that fail by themselves.
    pub(super) failing: Vec<usize>,
}

pub(super) fn repair(checker: &mut Checker<'_>, case: &Case<'_>, anchors: Anchors) -> Search {
    let at_least = anchors.failing.len().max(1);
    let mut search = Search { found: None, at_least, tried: 0, gave_up: None };
    let most = checker.options.max_edits;
    let before = checker.gave_up.take();
    let mut level = vec![Node { changes: Vec::new(), anchors, badness: (0, 0) }];
    for depth in 0..most {
        let mut next = Vec::new();
        let mut complete = true;
        for node in level.into_iter().take(BEAM) {
            let left = most - depth;
            complete &= expand(checker, case, node, left, &mut next, &mut search);
            if search.found.is_some() || checker.is_out() {
                break;
            }
        }
        if search.found.is_some() || checker.is_out() {
            break;
        }
        if depth == 0 && complete {
            search.at_least = search.at_least.max(2);
        }
        next.sort_by_key(|node: &Node| node.badness);
        level = next;
    }
    if let Some(repair) = &mut search.found {
        repair.is_smallest = repair.edits.len() <= search.at_least;
    } else {
        search.gave_up = checker.gave_up;
    }
    checker.gave_up = before.or(checker.gave_up);
    search
}

/// A multi-trace with some edits.
struct Node {
    changes: Vec<(usize, Change<Letter>)>,
    anchors: Anchors,
    /// The sort key, best first: the number of unexplained moments, then the order of trial.
    badness: (usize, usize),
}

/// Tries every likely edit of a node. Returns whether these are all possible edits.
fn expand(
    checker: &mut Checker<'_>,
    case: &Case<'_>,
    mut node: Node,
    left: usize,
    next: &mut Vec<Node>,
    search: &mut Search,
) -> bool {
    let Case { letters, question, .. } = *case;
    let mut logs = case.logs.clone();
    let mut own = case.declared.clone();
    for &(component, change) in &node.changes {
        logs = change.applied(&logs, component);
        if change == Change::StoppedEarly {
            own[component] = stops_early(own[component]);
        }
    }
    if let Some(&(component, _)) = node.changes.last() {
        node.anchors.failing.retain(|&other| other != component);
        match (Alone { checker, declared: &own, component }).ask(&logs[component]).fails() {
            Some(true) => node.anchors.failing.push(component),
            Some(false) => {}
            None => return false,
        }
    }
    let failing = node.anchors.failing.clone();
    if failing.len() > left {
        // The remaining failing components would still fail after the edits that are left.
        return true;
    }
    let (changes, mut complete) = candidates(checker, case, &logs, &own, &node.anchors);
    let mut dropped = None;
    for (number, (component, change)) in changes.into_iter().enumerate() {
        if dropped.is_some_and(|(log, at)| log != component || !change.moves(at)) {
            continue;
        }
        let mut own = own.clone();
        if change == Change::StoppedEarly {
            own[component] = stops_early(own[component]);
        }
        let changed = change.applied(&logs, component);
        search.tried += 1;
        let mut answer = None;
        let mut still: Vec<usize> = failing.clone();
        if !failing.is_empty() {
            let alone = Alone { checker, declared: &own, component }.ask(&changed[component]);
            match &alone {
                Answer::Passes => still.retain(|&other| other != component),
                Answer::Fails(_) => answer = Some(alone),
                Answer::Unknown if checker.is_out() => return false,
                Answer::Unknown => {
                    complete = false;
                    continue;
                }
            }
        }
        let mut all = node.changes.clone();
        all.push((component, change));
        if answer.is_none() && still.is_empty() {
            // The edits may declare that some logs stop early.
            let stopped = all.iter().any(|(_, change)| *change == Change::StoppedEarly);
            let asked = if stopped { Question::Each(own.into()) } else { question.clone() };
            let trace = letters.trace(&changed);
            let found = checker.ask(&trace, &asked);
            if let Answer::Passes = found
                && let Some((verdict, checked)) = checker.certify(&trace, &asked)
            {
                search.found = Some(Repair {
                    edits: all.iter().map(|(at, change)| change.publish(*at, letters)).collect(),
                    places: places(&all),
                    trace,
                    question: asked,
                    verdict,
                    checked,
                    is_smallest: false,
                });
                if let Change::Drop(at) = change
                    && dropped.is_none()
                {
                    dropped = Some((component, at));
                    continue;
                }
                return true;
            }
            answer = Some(found);
        }
        if dropped.is_some() {
            if checker.is_out() {
                return true;
            }
            continue;
        }
        let unexplained = |furthest: Option<&Box<[u32]>>| -> usize {
            let total: usize = changed.iter().map(|log| log.len()).sum();
            let reached = furthest.map_or(0, |furthest| furthest.iter().map(|&n| n as usize).sum());
            total.saturating_sub(reached)
        };
        let furthest = match &answer {
            Some(Answer::Fails(furthest)) => furthest.as_ref(),
            Some(Answer::Passes) | None => None,
            Some(Answer::Unknown) if checker.is_out() => return false,
            Some(Answer::Unknown) => {
                complete = false;
                continue;
            }
        };
        if left > 1 && still.len() < left {
            let mut anchors = node.anchors.clone();
            anchors.failing = still;
            for list in &mut anchors.expected {
                list.clear();
            }
            if let Some(furthest) = furthest {
                let reached = |at: usize| frontier::moments(letters, &changed[at], furthest[at]);
                anchors.places = (0..logs.len()).map(|at| vec![reached(at)]).collect();
            }
            // A multi-trace whose component now passes by itself is better than any in which it
            // does not.
            let remains = if answer.is_none() { 0 } else { unexplained(furthest) };
            let badness = (remains + 1000 * anchors.failing.len(), number);
            next.push(Node { changes: all, anchors, badness });
            if next.len() > 4 * BEAM {
                next.sort_by_key(|node: &Node| node.badness);
                next.truncate(BEAM);
            }
        }
    }
    complete
}

/// For each edit: its place in the observed log.
fn places(changes: &[(usize, Change<Letter>)]) -> Vec<usize> {
    let place = |number: usize| {
        let (component, change) = changes[number];
        let mut at = match change {
            Change::Drop(at) | Change::Insert(at, _) | Change::Replace(at, _) => at,
            Change::Swap(first, _) => first,
            Change::Move(from, _) => from,
            Change::StoppedEarly => usize::MAX,
        };
        for &(other, earlier) in changes[..number].iter().rev() {
            if other == component && at != usize::MAX {
                // An inserted moment has no place in the observed log; the one after it has.
                at = earlier.before(at).unwrap_or(at);
            }
        }
        at
    };
    (0..changes.len()).map(place).collect()
}

/// The likely edits, most likely first, and whether these are all possible edits.
fn candidates(
    checker: &Checker<'_>,
    case: &Case<'_>,
    logs: &Logs,
    declared: &[Observed],
    anchors: &Anchors,
) -> (Vec<(usize, Change<Letter>)>, bool) {
    let window = checker.options.window;
    let mut ranked: Vec<(usize, Reverse<bool>, usize, Change<Letter>)> = Vec::new();
    let mut complete = true;
    for (component, log) in logs.iter().enumerate() {
        let observed = declared[component];
        let forced = !anchors.failing.is_empty() && !anchors.failing.contains(&component);
        if observed == Observed::Unobserved || forced {
            continue;
        }
        let expected = anchors.expected.get(component).map_or(&[][..], Vec::as_slice);
        let end = log.len();
        let places = anchors.places.get(component).map_or(&[][..], Vec::as_slice);
        let vocabulary = case.letters.vocabulary(component);
        complete &= vocabulary.len() <= TRIED;
        let mut add = |rank: usize, wanted: bool, change: Change<Letter>| {
            ranked.push((rank, Reverse(wanted), component, change));
        };
        for &place in places {
            let place = place.min(end);
            let (from, to) = (place.saturating_sub(window), end.min(place + window));
            complete &= from == 0 && to == end && end <= window;
            for at in from..=to {
                let far = 4 * at.abs_diff(place);
                for (number, &(letter, _)) in vocabulary.iter().enumerate() {
                    let wanted = expected.contains(&letter);
                    if number >= TRIED && !wanted {
                        continue;
                    }
                    let extra = if wanted && at == place { 0 } else { 2 };
                    // Next to equal moments, a letter is inserted only after the last of them.
                    if at == to || log[at] != letter {
                        add(far + extra, wanted, Change::Insert(at, letter));
                    }
                    if at < end && log[at] != letter {
                        add(far + 8, wanted, Change::Replace(at, letter));
                    }
                }
                if at == end {
                    continue;
                }
                // Of equal neighbours only the last is dropped.
                if at == to || at + 1 == end || log[at + 1] != log[at] {
                    add(far, false, Change::Drop(at));
                }
                for other in at + 1..end.min(at + 1 + window) {
                    let near = far.min(4 * other.abs_diff(place));
                    let gap = other - at;
                    if log[at] != log[other] {
                        let extra = if gap == 1 { 1 } else { 2 + gap };
                        add(near + extra, false, Change::Swap(at, other));
                    }
                    if gap > 1 {
                        add(near + 4 + gap, false, Change::Move(at, other));
                        add(near + 4 + gap, false, Change::Move(other, at));
                    }
                }
            }
            // Expected letters that come much later in the log.
            for &letter in expected {
                let later = log[to..end.min(to + AHEAD)].iter().position(|&other| other == letter);
                if let Some(later) = later.filter(|_| place < end) {
                    add(6, true, Change::Swap(place, to + later));
                    add(6, true, Change::Move(to + later, place));
                }
            }
        }
        if *case.question != Question::GlobalPrefix && stops_early(observed) != observed {
            add(12, false, Change::StoppedEarly);
        }
    }
    ranked.sort_unstable();
    let mut met = rustc_hash::FxHashSet::default();
    ranked.retain(|&(_, _, component, change)| met.insert((component, change)));
    let changes = ranked.into_iter().map(|(_, _, component, change)| (component, change));
    (changes.collect(), complete)
}

impl Repair {
    /// The repair in words, a phrase for each edit.
    pub fn text(&self, observed: &MultiTrace, pool: &Pool) -> Vec<String> {
        let mut trace = observed.clone();
        let said = self.edits.iter().map(|edit| {
            let text = edit.text(&trace, pool);
            // The next phrase refers to the log after this edit.
            trace = edit.apply(&trace);
            text
        });
        said.collect()
    }

    /// The edited components, without repetition.
    pub fn components(&self) -> Vec<ComponentId> {
        let mut all: Vec<ComponentId> = self.edits.iter().map(|edit| edit.component).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
