//! Certificates for a Fail by values, and their checker.
//!
//! A certificate names what is refuted: all logs, or the events of a few sessions. It is then made [without values](super::ground),
//! and refuted by a certificate about names and order ([`refute`](mod@crate::refute)). No engine takes part. The checker makes
//! it without values again and checks that certificate.
//!
//! There is none if the session or the logs are too large, or if the failure is due to what is forgotten there: values that were not
//! logged but have to be equal, unlogged times, or `fresh` in a loop that is not parallel.

use otus_core::index::Index as _;
use otus_core::valued::{Atom, Valued, VariableId};
use otus_core::{ActionId, EventId, Pool, TermId, Value};

use super::certify::ValuedCase;
use super::failure::{LogPlace, ValueCause, ValueFailure};
use super::ground::{Ground, Scope, ground};
use crate::budget::{Budget, Stop};
use crate::certify::Refuted;
use crate::question::Question;
use crate::refute::{Certificate, NotRefuted, check_refutation, refute as refute_plain};

/// Proof that nothing explains a multi-trace with its values.
#[derive(Debug)]
pub struct ValuedCertificate {
    /// What it is about.
    pub scope: Scope,
    /// This without values. The certificate refers to its pool.
    pub ground: Ground,
    /// The proof. It has no states if no execution is left that has only events of the logs.
    pub certificate: Certificate,
}

/// Finds a certificate for a multi-trace that fails, with the failure that an engine told.
///
/// # Errors
/// The limit that was reached; `None` if the values that were logged do not suffice for a proof, or it would be too large.
pub fn refute(
    pool: &Pool,
    case: ValuedCase<'_>,
    question: &Question,
    failure: Option<&ValueFailure>,
    budget: &Budget,
) -> Result<ValuedCertificate, Option<Stop>> {
    let mut stop = None;
    for scope in scopes(pool, case, failure) {
        let Some(mut ground) = ground(pool, case, question, &scope) else { continue };
        let Ground { pool, term, trace } = &mut ground;
        let Some(term) = *term else {
            let certificate = Certificate { states: Vec::new(), alone: Vec::new() };
            return Ok(ValuedCertificate { scope, ground, certificate });
        };
        match refute_plain(pool, term, trace, question, budget) {
            Ok(certificate) => return Ok(ValuedCertificate { scope, ground, certificate }),
            Err(NotRefuted::TooLarge(reason)) => stop = Some(reason),
            Err(NotRefuted::Explained { .. }) => {}
        }
    }
    Err(stop)
}

/// What may be refuted, the smallest first.
fn scopes(pool: &Pool, case: ValuedCase<'_>, failure: Option<&ValueFailure>) -> Vec<Scope> {
    let ValuedCase { valued, trace, facts, .. } = case;
    let mut places: Vec<LogPlace> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    if let Some(failure) = failure {
        places.extend(failure.at);
        values.extend(failure.key.iter().map(|(_, value)| value.clone()));
        if let ValueCause::Cycle(waiting) = &failure.cause {
            places.extend(waiting.iter().flat_map(|it| [it.at, it.before]));
        }
    }
    let mut scopes = Vec::new();
    for variable in (0..valued.variables.len()).map(VariableId::new) {
        let mut own = values.clone();
        for LogPlace { component, step } in &places {
            let action = trace.steps(*component)[*step].action();
            let action = pool.action(action).without_peer();
            for atom in keys(valued, variable) {
                let is_own = |part: &otus_core::valued::Part| {
                    part.action == action && part.guard.contains(atom)
                };
                let mut parts = valued.nodes.ids().flat_map(|leaf| valued.parts(leaf));
                let known = facts.known(atom.field, *component, *step);
                if let Some(known) = known.filter(|_| parts.any(is_own))
                    && !own.contains(&known)
                {
                    own.push(known);
                }
            }
        }
        if !own.is_empty() {
            scopes.push(Scope::Sessions(variable, own));
        }
    }
    scopes.push(Scope::Whole);
    scopes
}

/// The distinct atoms that give a variable its value.
fn keys(valued: &Valued, variable: VariableId) -> Vec<&Atom> {
    let mut found: Vec<&Atom> = Vec::new();
    for atom in valued.atoms().filter(|atom| atom.binds() == Some(variable)) {
        if atom.field != Valued::TIME && !found.contains(&atom) {
            found.push(atom);
        }
    }
    found
}

/// Checks that a certificate proves that nothing explains a multi-trace with its values.
///
/// # Errors
/// The first state whose claim does not hold; [`Refuted::NotAllowed`] if it is about something else.
pub fn check(
    pool: &Pool,
    case: ValuedCase<'_>,
    question: &Question,
    certificate: &ValuedCertificate,
) -> Result<(), Refuted> {
    let ValuedCertificate { scope, ground: claimed, certificate } = certificate;
    let again = ground(pool, case, question, scope).ok_or(Refuted::NotAllowed(0))?;
    if !extends(&claimed.pool, &again.pool) {
        return Err(Refuted::NotAllowed(0));
    }
    let Some(term) = again.term else { return Ok(()) };
    let mut pool = claimed.pool.clone();
    check_refutation(&mut pool, term, &again.trace, question, certificate)
}

/// Whether a pool has all terms of another one under the same numbers.
fn extends(pool: &Pool, other: &Pool) -> bool {
    let (terms, events) = (other.term_count(), other.event_count());
    let actions = other.action_count();
    pool.term_count() >= terms
        && pool.event_count() >= events
        && pool.action_count() >= actions
        && (0..actions).map(ActionId::new).all(|it| pool.action(it) == other.action(it))
        && (0..events).map(EventId::new).all(|it| pool.event_actions(it) == other.event_actions(it))
        && (0..terms).map(TermId::new).all(|it| has_same(pool, other, it))
}

/// Whether a term has the same node in both pools.
fn has_same(pool: &Pool, other: &Pool, term: TermId) -> bool {
    use otus_core::Term::{Coreg, LoopC};
    let is_same = pool.node(term) == other.node(term);
    match other.node(term) {
        Coreg(region, ..) | LoopC(region, _) => {
            is_same && pool.region(region) == other.region(region)
        }
        otus_core::Term::Empty
        | otus_core::Term::Event(_)
        | otus_core::Term::Strict(..)
        | otus_core::Term::Alt(..)
        | otus_core::Term::LoopS(_) => is_same,
    }
}
