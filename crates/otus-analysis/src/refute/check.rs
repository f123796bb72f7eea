//! The checker of certificates. It checks every claim by the rules in [`refute`](mod@super).

use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;

use super::rules::{Rules, Situation, Tables};
use super::{Blocked, Certificate, CertificateState};
use crate::certify::Refuted;
use crate::question::Question;

/// Checks that a certificate proves that nothing explains a multi-trace.
///
/// # Errors
/// The first state, counted through the whole certificate, whose claim does not hold.
pub fn check_refutation(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    certificate: &Certificate,
) -> Result<(), Refuted> {
    let term = simplify(pool, term);
    let mut tables = Tables::new(pool);
    let mut alone = FxHashMap::default();
    let mut first = certificate.states.len();
    for (component, states) in &certificate.alone {
        let component = component.0 as usize;
        if component >= trace.partition().len() {
            return Err(Refuted::NotBlocked(first));
        }
        let only = Some(ComponentId::new(component));
        let mut rules = Rules::new(tables.pool, term, trace, question, only);
        let claims = Claims::new(&mut tables, &rules, states, first)?;
        claims.check(&mut tables, &mut rules, states, &mut FxHashMap::default())?;
        first += states.len();
        // There is one set of states for each component, because two sets would each have to be
        // closed by themselves.
        alone.insert(component, (claims, rules));
    }
    let mut rules = Rules::new(tables.pool, term, trace, question, None);
    let claims = Claims::new(&mut tables, &rules, &certificate.states, 0)?;
    claims.check(&mut tables, &mut rules, &certificate.states, &mut alone)?;
    let start = rules.start(term);
    let bound = rules.bound(tables.pool, &start);
    if claims.holds(&mut tables, &start, bound) { Ok(()) } else { Err(Refuted::NotClosed(0)) }
}

struct Claims {
    /// For each situation in canonical form: a number of events that is too small to explain the rest of the logs.
    events: FxHashMap<Situation, u64>,
    /// The index of the first state in the certificate.
    first: usize,
}

impl Claims {
    fn new(
        tables: &mut Tables<'_>,
        rules: &Rules,
        states: &[CertificateState],
        first: usize,
    ) -> Result<Self, Refuted> {
        let mut events = FxHashMap::default();
        for (at, state) in states.iter().enumerate() {
            let known = state.situation.term.index() < tables.pool.term_count();
            if !known || !rules.is_possible(&state.situation) {
                return Err(Refuted::NotBlocked(first + at));
            }
            let canonical = tables.canonical(&state.situation);
            let known = events.entry(canonical).or_insert(0);
            *known = state.events.max(*known);
        }
        Ok(Claims { events, first })
    }

    /// Whether the set claims that this number of events does not suffice.
    fn holds(&self, tables: &mut Tables<'_>, now: &Situation, events: u64) -> bool {
        let canonical = tables.canonical(now);
        self.events.get(&canonical).is_some_and(|&claimed| claimed >= events)
    }

    /// Checks that each claim follows from the others.
    fn check(
        &self,
        tables: &mut Tables<'_>,
        rules: &mut Rules,
        states: &[CertificateState],
        alone: &mut FxHashMap<usize, (Claims, Rules)>,
    ) -> Result<(), Refuted> {
        for (at, CertificateState { situation, events, blocked }) in states.iter().enumerate() {
            let at = self.first + at;
            let ok = match *blocked {
                Blocked::Moves => {
                    if rules.is_explained(tables, situation) {
                        return Err(Refuted::NotClosed(at));
                    }
                    self.is_closed(tables, rules, situation, *events)
                }
                Blocked::Scarce { component, moment, supply } => {
                    let component = component.0 as usize;
                    is_scarce(tables.pool, rules, situation, component, moment, supply)
                }
                Blocked::Alone(component) => {
                    let component = component.0 as usize;
                    alone.get_mut(&component).is_some_and(|(claims, own)| {
                        let here = rules.alone(tables, situation, component);
                        let events = own.bound(tables.pool, &here).min(*events);
                        claims.holds(tables, &here, events)
                    })
                }
            };
            if !ok {
                return Err(match blocked {
                    Blocked::Moves => Refuted::NotClosed(at),
                    Blocked::Scarce { .. } | Blocked::Alone(_) => Refuted::NotBlocked(at),
                });
            }
        }
        Ok(())
    }

    /// Whether every step leads to a claim that is strong enough, or is too far from an
    /// explanation.
    fn is_closed(
        &self,
        tables: &mut Tables<'_>,
        rules: &mut Rules,
        now: &Situation,
        events: u64,
    ) -> bool {
        let Some(after) = events.checked_sub(1) else { return true };
        rules.moves(tables, now).iter().all(|step| {
            let events = rules.bound(tables.pool, &step.next).min(after);
            events < rules.need(&step.next) || self.holds(tables, &step.next, events)
        })
    }
}

/// Whether a component observed this moment, up to this index, more often than it can happen.
fn is_scarce(
    pool: &mut Pool,
    rules: &mut Rules,
    now: &Situation,
    component: usize,
    moment: u32,
    supply: u64,
) -> bool {
    let Some(own) = rules.moments.get(component) else { return false };
    let Some(wanted) = own.get(moment as usize).cloned() else { return false };
    let seen = own.iter().take(moment as usize + 1).skip(now.consumed[component] as usize);
    let wanted_times = seen.filter(|seen| **seen == wanted).count() as u64;
    rules.supply(pool, now.term, component, &wanted) == Some(supply) && wanted_times > supply
}
