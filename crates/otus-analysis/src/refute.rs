//! Why nothing explains a multi-trace: certificates for Fail, and a checker of them.
//!
//! Neither uses the engines. A certificate can be asked for whatever engine said Fail; and since
//! [`refute`] either finds one or an explanation, it is an exact analysis by itself, slow and plain,
//! that the engines are compared with.
//!
//! # What is claimed
//!
//! A *situation* is what is left of the interaction with how many moments of each component are
//! explained. An event that is next in the interaction leads to another: each component that it
//! touches observes it, if it is the next moment there, or does not, if it is outside the period
//! of observation. A situation is *explained* if no moment is left and the interaction can end
//! without an event on a component that may have none any more. Let d(s) be the least number of
//! events from s to an explained situation, ∞ if there is none. The multi-trace is explained iff
//! d(start) is finite.
//!
//! A certificate is a set of pairs (s, n), each of which claims d(s) > n, and of which one is
//! (start, n) with n at least the bound below, so that d(start) = ∞. Situations that differ only in
//! terms with the same traces have the same d and are one (see [`tidy`]).
//!
//! # The bound
//!
//! **Claim.** If d(s) is finite, it is at most a + b·k, where k is the number of moments left in s,
//! and a, b are those of its term:
//!
//! ```text
//! ∅: 0, 0        event: 1, 0        alt: max a, max b
//! strict, coreg: a1 + a2, max b     loop: 0, a + b
//! ```
//!
//! *Proof.* Take an explanation from s, with the events added that bring the interaction to its
//! end: a trace of the term, of which at most k events are observed by some component. If some
//! iteration of a loop has no observed event, its events can be deleted. What is left is a trace of
//! the term: the operators ask only for conditions on pairs of events that are present, and a loop
//! with an iteration less is a trace of the loop. It still explains the rest of the multi-trace: no
//! observed event was deleted and the order of the others is the same, so on each component what
//! is observed is still contiguous, and is still at the beginning, at the end, or all of it, where
//! that was so; in a global prefix only events after it were deleted. So there is one in which
//! every iteration of every loop has an observed event. How many events can it have? By induction
//! on a part of the term of which j events are observed, at most a + b·j. For ∅, events and
//! alternatives that is plain. Two operands share out the observed events: a1 + b1·j1 + a2 + b2·j2
//! ≤ a1 + a2 + max(b1,b2)·j. The iterations of a loop, each with jx ≥ 1, have Σ (a + b·jx)
//! ≤ (a + b)·j. ∎
//!
//! (The bound B of the slow semantics in the test kit is at most this one.)
//!
//! # What is checked
//!
//! For each pair (s, n), that s is not explained, and one of these ([`Blocked`]):
//!
//! - *Moves*: n = 0, or every event that is next leads to some t with a pair (t, m) in the set and
//!   m ≥ min(n − 1, bound of t); or min(n − 1, bound of t) is less than the number of events that
//!   the moments left in t need at least: as many as are left of a component.
//! - *Scarce*: some moment is left more often than the events in the term can supply it, of which
//!   none is in a loop.
//! - *Alone*: (t, m) is in the set for a component by itself, where t is s with all other lifelines
//!   removed and m ≥ min(n, bound of t). That set is checked in the same way.
//!
//! **Claim.** Then d(s) > n for all of them. *Proof* by induction on d(s): assume d(s) ≤ n. It is
//! not 0, as s is not explained. Scarce: an explanation would observe the moment more often than
//! any trace of the term has it. Moves: an explanation of length d(s) begins with an event that
//! leads to some t with d(t) = d(s) − 1 ≤ n − 1, so d(t) is at most its bound too, hence at most m;
//! which contradicts the claim for (t, m), or the number of events needed. Alone: removing the
//! other lifelines from a trace of the term gives a trace of what is left of the term, as the
//! conditions on pairs of events stay or go; it explains the component, by no more events. ∎
//!
//! # What it costs
//!
//! As many states as there are situations within the bound, which can be exponential. Certificates
//! are for terms and multi-traces of moderate size; beyond the budget there is none.

mod check;
mod explain;
mod rules;
mod search;
pub mod tidy;

use std::fmt::Write as _;

use otus_core::{Pool, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

pub use check::check_refutation;
pub use explain::{Hindrance, Obstacle, obstacles};
pub use rules::Situation;

use crate::budget::{Budget, Stop};
use crate::question::Question;
use crate::verdict::Verdict;
use crate::witness::Witness;

/// Shows that nothing explains a multi-trace. Its terms are of the pool in which it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The situations of the multi-trace.
    pub states: Vec<State>,
    /// Those of single components, of which only the one number counts.
    pub alone: Vec<(ComponentId, Vec<State>)>,
}

/// A claim of a certificate: more than `events` events are needed from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Where we are.
    pub situation: Situation,
    /// How many events do not suffice.
    pub events: u64,
    /// Why.
    pub blocked: Blocked,
}

/// Why no explanation goes on from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// Whatever happens next leads to another state, or nothing can happen.
    Moves,
    /// What a component observed at one moment, counted from 0, can no longer happen so often:
    /// from here on at most `supply` times.
    Scarce {
        /// The component.
        component: ComponentId,
        /// The moment that is one too many.
        moment: u32,
        /// How often it can happen.
        supply: u64,
    },
    /// A component by itself cannot be explained.
    Alone(ComponentId),
}

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRefuted {
    /// There is an explanation.
    Explained {
        /// The execution.
        witness: Witness,
        /// What it shows: Pass if nothing is missing on the components that are observed at
        /// all, else `WeakPass`. There may be others that show more.
        verdict: Verdict,
    },
    /// The budget was not enough.
    TooLarge(Stop),
}

/// A certificate that nothing explains a multi-trace, or an explanation.
///
/// # Errors
/// Gives the explanation if there is one; otherwise says that the budget is used up.
pub fn refute(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    budget: &Budget,
) -> Result<Certificate, NotRefuted> {
    if pool.attributes(term).nodes > search::LARGEST_TERM {
        return Err(NotRefuted::TooLarge(Stop::States));
    }
    search::Search::new(pool, term, trace, question, budget).run(term)
}

impl Certificate {
    /// How many states there are in all.
    pub fn len(&self) -> usize {
        self.states.len() + self.alone.iter().map(|(_, states)| states.len()).sum::<usize>()
    }

    /// Whether there is none, in which case it shows nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// In words: a line for each state.
    pub fn text(&self, pool: &Pool, trace: &MultiTrace) -> String {
        let mut out = String::new();
        write_states(&mut out, pool, trace, &self.states);
        for (component, states) in &self.alone {
            let _ = writeln!(out, "[{}] alone:", explain::names(pool, trace, *component));
            write_states(&mut out, pool, trace, states);
        }
        out
    }
}

fn write_states(out: &mut String, pool: &Pool, trace: &MultiTrace, states: &[State]) {
    for State { situation, events, blocked } in states {
        let consumed: Vec<String> = situation.consumed.iter().map(u32::to_string).collect();
        let term = pool.text(situation.term);
        let _ = write!(out, "after {}, {events} more: {term}: ", consumed.join("/"));
        let _ = match *blocked {
            Blocked::Moves => writeln!(out, "all moves"),
            Blocked::Scarce { component, moment, supply } => {
                let names = explain::names(pool, trace, component);
                let times = if supply == 1 { "once".to_owned() } else { format!("{supply} times") };
                writeln!(out, "[{names}] moment {moment} at most {times}")
            }
            Blocked::Alone(component) => {
                writeln!(out, "[{}] alone", explain::names(pool, trace, component))
            }
        };
    }
}
