//! The cuts of a partial order, one by one.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_trace::order::{EventId, PartialOrder, ProcessId, Value};

/// All cuts of a trace, smaller ones first: ∅ is the first and E the last.
#[derive(Debug)]
pub struct Lattice<'t> {
    pub(super) trace: &'t PartialOrder,
    /// By cut: how many events of each process are in it.
    pub cuts: Vec<Vec<u32>>,
    /// By cut: its successors.
    pub successors: Vec<Vec<usize>>,
    /// By cut and variable: `v_C`, the valuation it induces.
    pub(super) valuations: Vec<Vec<Value>>,
}

impl<'t> Lattice<'t> {
    /// The cuts of a trace; `None` if there are more than `most`.
    ///
    /// # Panics
    /// If the value of a variable at a cut depends on the order of events, which Definition 1 rules out.
    pub fn new(trace: &'t PartialOrder, most: usize) -> Option<Self> {
        let first = vec![0; trace.process_count()];
        let initial: Vec<Value> =
            trace.variables().map(|variable| trace.value(trace.initial(variable))).collect();
        let mut places = BTreeMap::from([(first.clone(), 0)]);
        let mut lattice =
            Lattice { trace, cuts: vec![first], successors: Vec::new(), valuations: vec![initial] };
        let mut at = 0;
        while at < lattice.cuts.len() {
            let cut = lattice.cuts[at].clone();
            let mut successors = Vec::new();
            for event in enabled(trace, &cut) {
                let mut next = cut.clone();
                next[trace.process_of(event).index()] += 1;
                let mut valuation = lattice.valuations[at].clone();
                for assignment in trace.assignments(event) {
                    valuation[assignment.variable.index()] = trace.value(assignment.value);
                }
                let place = *places.entry(next.clone()).or_insert_with(|| {
                    lattice.cuts.push(next);
                    lattice.valuations.push(valuation.clone());
                    lattice.cuts.len() - 1
                });
                assert_eq!(lattice.valuations[place], valuation, "assignments are ordered");
                successors.push(place);
            }
            lattice.successors.push(successors);
            if lattice.cuts.len() > most {
                return None;
            }
            at += 1;
        }
        Some(lattice)
    }

    /// Whether a cut is E, the last one.
    pub fn is_end(&self, cut: usize) -> bool {
        cut + 1 == self.cuts.len()
    }

    /// The events of a process that are in a cut, in order.
    pub(super) fn past(
        &self,
        cut: usize,
        process: ProcessId,
    ) -> impl DoubleEndedIterator<Item = EventId> + use<'t> {
        self.trace.events(process).take(self.cuts[cut][process.index()] as usize)
    }
}

/// The events that can happen next: the cut contains every event that happened before them.
fn enabled(trace: &PartialOrder, cut: &[u32]) -> Vec<EventId> {
    let is_in = |event: EventId| trace.position(event) <= cut[trace.process_of(event).index()];
    trace
        .processes()
        .filter_map(|process| trace.event(process, cut[process.index()] + 1))
        .filter(|&event| {
            trace.edges().iter().filter(|edge| edge.to == event).all(|edge| is_in(edge.from))
        })
        .collect()
}
