//! Certificates for Fail, which prove that nothing explains a multi-trace, and their checker.
//!
//! Neither uses the engines, so a certificate can be produced whichever engine answered Fail. Since
//! [`refute`] finds either a certificate or an explanation, it is also a slow, simple and exact
//! reference analysis against which the engines are tested.
//!
//! # Definitions
//!
//! A [`Situation`] is the interaction that is left, with the number of consumed moments of each
//! component. A step of the interaction leads to another situation: each component that the event
//! touches either observes it, if it is the next moment there, or does not, if the event is outside
//! the period of observation. A situation is *explained* if no moment is left and the interaction
//! can terminate without an event on a component on which nothing more may happen. Let d(s) be the
//! least number of events from s to an explained situation, ∞ if there is none. The multi-trace is
//! explained iff d(start) is finite.
//!
//! A certificate is a set of pairs (s, n), each of which claims d(s) > n. One of them is (start, n)
//! with n at least the bound below, so that d(start) = ∞. Situations whose terms have the same
//! traces have the same d, and are identified by a canonical term (see [`canonical`]).
//!
//! # The bound
//!
//! **Claim.** If d(s) is finite, it is at most a + b·k, where k is the number of moments left in s,
//! and a, b are computed from its term:
//!
//! ```text
//! ∅: 0, 0        event: 1, 0        alt: max a, max b
//! strict, coreg: a1 + a2, max b     loop: 0, a + b
//! ```
//!
//! *Proof.* Take an explanation from s and append the events that complete the interaction. This
//! is a trace of the term, of which at most k events are observed by some component. If an
//! iteration of a loop has no observed event, delete its events. The rest is still a trace of
//! the term: the operators only constrain pairs of events that are present, and a loop
//! with one iteration less is a trace of the loop. The rest also still explains the multi-trace: no
//! observed event was deleted and the order of the others is unchanged, so on each component the
//! observed events are still contiguous, and are still a prefix, a suffix or the whole where they
//! were before; in a global prefix only events after it were deleted. So there is an explanation in
//! which every iteration of every loop has an observed event. By induction over the term, a
//! subterm with j observed events contributes at most a + b·j events. For ∅, events and
//! alternatives this is immediate. Two operands share the observed events: a1 + b1·j1 + a2 + b2·j2
//! ≤ a1 + a2 + max(b1,b2)·j. The iterations of a loop, each with jx ≥ 1, have Σ (a + b·jx)
//! ≤ (a + b)·j. ∎
//!
//! (The bound B of the reference semantics in the test kit is at most this one.)
//!
//! # The checks
//!
//! The checker verifies for each pair (s, n) that s is not explained, and one of these
//! ([`Blocked`]):
//!
//! - *Moves*: n = 0, or every step leads to some t with a pair (t, m) in the set and
//!   m ≥ min(n − 1, bound of t), or with min(n − 1, bound of t) less than the number of events that
//!   the moments left in t need at least: as many as are left on one component.
//! - *Scarce*: some moment occurs in the rest more often than the events of the term can supply it,
//!   none of which is in a loop.
//! - *Alone*: (t, m) is in the set of a single component, where t is s with all other lifelines
//!   removed and m ≥ min(n, bound of t). That set is checked in the same way.
//!
//! **Claim.** Then d(s) > n for all pairs. *Proof* by induction on d(s): assume d(s) ≤ n. It is not
//! 0, as s is not explained. Scarce: an explanation would observe the moment more often than any
//! trace of the term has it. Moves: an explanation of length d(s) begins with an event that leads
//! to some t with d(t) = d(s) − 1 ≤ n − 1, so d(t) is at most its bound too, hence at most m. This
//! contradicts the claim for (t, m), or the number of events needed. Alone: removing the other
//! lifelines from a trace of the term gives a trace of the reduced term, since the constraints on
//! pairs of events stay or disappear; it explains the component with no more events. ∎
//!
//! # Cost
//!
//! One state for each situation within the bound, which can be exponentially many. Certificates
//! are for terms and multi-traces of moderate size; beyond the budget there is none.

pub mod canonical;
mod check;
mod rules;
mod search;

use std::fmt::Write as _;

use otus_core::{Pool, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

pub use check::check_refutation;
pub(crate) use rules::Move;
pub use rules::Situation;

use crate::budget::{Budget, Stop};
use crate::question::Question;
use crate::verdict::Verdict;
use crate::witness::{Witness, lifeline_names};

/// Proof that nothing explains a multi-trace. Its terms are those of the pool in which it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The states of the whole multi-trace.
    pub states: Vec<CertificateState>,
    /// The states of single components. In their situations only that component's count is used.
    pub alone: Vec<(ComponentId, Vec<CertificateState>)>,
}

/// A claim of a certificate: more than `events` events are needed from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateState {
    /// The situation.
    pub situation: Situation,
    /// A number of events that does not suffice to explain the rest.
    pub events: u64,
    /// The reason.
    pub blocked: Blocked,
}

/// The reason why no explanation continues from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// Every step leads to another state of the certificate, or there is no step.
    Moves,
    /// The interaction can produce this moment of a component at most `supply` times from here on,
    /// which is fewer than it was observed.
    Scarce {
        /// The component.
        component: ComponentId,
        /// The index of the first moment in excess.
        moment: u32,
        /// The maximum number of times it can still happen.
        supply: u64,
    },
    /// A component by itself cannot be explained.
    Alone(ComponentId),
}

/// The reason why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRefuted {
    /// There is an explanation.
    Explained {
        /// The execution.
        witness: Witness,
        /// Pass if no observation is missing on the components that are observed at all,
        /// otherwise `WeakPass`. Another explanation may prove more.
        verdict: Verdict,
    },
    /// The budget was not enough.
    TooLarge(Stop),
}

/// Finds a certificate that nothing explains a multi-trace, or an explanation.
///
/// # Errors
/// The explanation if there is one; otherwise the reason why the search ended early.
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
    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len() + self.alone.iter().map(|(_, states)| states.len()).sum::<usize>()
    }

    /// Whether there is no state. Then it proves nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The certificate as text, a line for each state.
    pub fn text(&self, pool: &Pool, trace: &MultiTrace) -> String {
        let mut out = String::new();
        write_states(&mut out, pool, trace, &self.states);
        for (component, states) in &self.alone {
            let _ = writeln!(out, "[{}] alone:", names(pool, trace, *component));
            write_states(&mut out, pool, trace, states);
        }
        out
    }
}

fn write_states(out: &mut String, pool: &Pool, trace: &MultiTrace, states: &[CertificateState]) {
    for CertificateState { situation, events, blocked } in states {
        let consumed: Vec<String> = situation.consumed.iter().map(u32::to_string).collect();
        let term = pool.text(situation.term);
        let _ = write!(out, "after {}, {events} more: {term}: ", consumed.join("/"));
        let _ = match *blocked {
            Blocked::Moves => writeln!(out, "all moves"),
            Blocked::Scarce { component, moment, supply } => {
                let names = names(pool, trace, component);
                let times = if supply == 1 { "once".to_owned() } else { format!("{supply} times") };
                writeln!(out, "[{names}] moment {moment} at most {times}")
            }
            Blocked::Alone(component) => {
                writeln!(out, "[{}] alone", names(pool, trace, component))
            }
        };
    }
}

/// The names of the lifelines of a component: `a, b`.
fn names(pool: &Pool, trace: &MultiTrace, component: ComponentId) -> String {
    lifeline_names(pool, trace.partition().lifelines(component).iter().copied())
}
