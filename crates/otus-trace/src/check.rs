//! What is wrong with a multi-trace whatever the signature.
//!
//! Each lifeline is in one co-localization, each action in the component of its lifeline, and no
//! action happens twice at one moment. A fault that repeats (a component of the wrong name may
//! hold a million actions) is told once, with a count. One pass over the actions.

use otus_core::findings::{Findings, and_elsewhere};
use otus_core::unknown::{self, NameKind, Unknown};
use otus_core::Signature;
use otus_syntax::ast::{Colocalization, Occurrence, TraceFile};
use otus_syntax::name::Symbol;
use otus_syntax::{Code, Diagnostic, Span};

/// Everything that is wrong with a multi-trace and needs no signature to be seen, in the order
/// of the text. [`lower`](crate::lower()) finds all this too.
///
/// ```
/// let empty = otus_syntax::ast::TraceFile::default();
/// assert!(otus_trace::check(&empty).is_empty());
/// ```
pub fn check(trace: &TraceFile) -> Vec<Diagnostic> {
    render(trace, find(trace), &Signature::default())
}

/// A fault, with its place.
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) kind: FaultKind,
}

pub(crate) enum FaultKind {
    TwoColocalizations { lifeline: Symbol, first: Span, others: usize },
    Outside { action: usize, component: usize, others: usize },
    AllNotAlone { other: Span },
    RepeatedAction { action: usize, first: Span, others: usize },
    RepeatedLifeline { lifeline: Symbol, first: Span, others: usize },
    Undeclared { kind: NameKind, name: Symbol, others: usize },
}

/// Finds the faults, in the order of the work.
pub(crate) fn find(trace: &TraceFile) -> Vec<Fault> {
    let mut finder = Finder {
        trace,
        faults: Vec::new(),
        lifelines: vec![Lifeline::default(); trace.names.len()],
        actions: vec![ActionState::default(); trace.actions.len()],
        moment: 0,
    };
    finder.all_alone();
    for component in 0..trace.components.len() {
        finder.component(component);
    }
    finder.faults
}

/// Puts faults in the order of the text and into words.
pub(crate) fn render(
    trace: &TraceFile,
    mut faults: Vec<Fault>,
    declared: &Signature,
) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| fault.span);
    let mut findings = Findings::default();
    for Fault { span, kind } in faults {
        word(trace, span, &kind, declared, &mut findings);
    }
    findings.finish()
}

/// What is known of a lifeline on the way through the components.
#[derive(Debug, Clone, Copy, Default)]
struct Lifeline {
    /// Where it was first said to belong to a component.
    owned: Option<Span>,
    /// The last component that claims it, from 1, and where it does.
    claimed: usize,
    claimed_at: Span,
    /// The last component outside of which it was met, from 1.
    outside: usize,
    /// Where in the faults its latest ones are.
    outside_fault: usize,
    two_fault: Option<usize>,
    repeated: usize,
    repeated_fault: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct ActionState {
    /// The last moment in which it happened, from 1, and where.
    moment: u32,
    start: u32,
    fault: Option<usize>,
}

struct Finder<'a> {
    trace: &'a TraceFile,
    faults: Vec<Fault>,
    /// By symbol.
    lifelines: Vec<Lifeline>,
    /// By action.
    actions: Vec<ActionState>,
    moment: u32,
}

impl Finder<'_> {
    /// `#all` leaves nothing for another component.
    fn all_alone(&mut self) {
        let components = &self.trace.components;
        let all = components.iter().enumerate().find_map(|(at, component)| {
            match component.lifelines {
                Colocalization::All(span) => Some((at, span)),
                Colocalization::Any(_) | Colocalization::Listed(_) => None,
            }
        });
        let Some((at, span)) = all else { return };
        if let Some(other) = components.get(usize::from(at == 0)) {
            let kind = FaultKind::AllNotAlone { other: other.span };
            self.faults.push(Fault { span, kind });
        }
    }

    fn component(&mut self, at: usize) {
        let trace = self.trace;
        let component = &trace.components[at];
        let stamp = at + 1;
        let (any, listed) = match &component.lifelines {
            Colocalization::All(_) => (false, false),
            Colocalization::Any(_) => (true, false),
            Colocalization::Listed(names) => {
                for name in names {
                    self.list(stamp, name.symbol, name.span);
                }
                (false, true)
            }
        };
        let occurrences = trace.occurrences.get(component.occurrences.clone()).unwrap_or(&[]);
        for (i, &occurrence) in occurrences.iter().enumerate() {
            let alone = i == 0 || !occurrence.joined();
            if alone {
                self.moment += 1;
            }
            if !alone || occurrences.get(i + 1).is_some_and(|next| next.joined()) {
                self.simultaneous(occurrence);
            }
            let symbol = trace.actions[occurrence.action()].lifeline.symbol;
            if self.lifelines[symbol.0 as usize].claimed == stamp {
                continue;
            }
            if any {
                self.claim(stamp, symbol, place(trace, occurrence));
            } else if listed {
                self.outside(stamp, symbol, occurrence);
            }
        }
    }

    /// A lifeline in the list of a component.
    fn list(&mut self, stamp: usize, symbol: Symbol, span: Span) {
        let lifeline = &mut self.lifelines[symbol.0 as usize];
        if lifeline.claimed != stamp {
            self.claim(stamp, symbol, span);
        } else if lifeline.repeated != stamp {
            lifeline.repeated = stamp;
            lifeline.repeated_fault = self.faults.len();
            let first = lifeline.claimed_at;
            let kind = FaultKind::RepeatedLifeline { lifeline: symbol, first, others: 0 };
            self.faults.push(Fault { span, kind });
        } else {
            count(&mut self.faults[lifeline.repeated_fault]);
        }
    }

    /// A component takes a lifeline for itself.
    fn claim(&mut self, stamp: usize, symbol: Symbol, span: Span) {
        let lifeline = &mut self.lifelines[symbol.0 as usize];
        lifeline.claimed = stamp;
        lifeline.claimed_at = span;
        match (lifeline.owned, lifeline.two_fault) {
            (None, _) => lifeline.owned = Some(span),
            (Some(_), Some(fault)) => count(&mut self.faults[fault]),
            (Some(first), None) => {
                lifeline.two_fault = Some(self.faults.len());
                let kind = FaultKind::TwoColocalizations { lifeline: symbol, first, others: 0 };
                self.faults.push(Fault { span, kind });
            }
        }
    }

    fn outside(&mut self, stamp: usize, symbol: Symbol, occurrence: Occurrence) {
        let lifeline = &mut self.lifelines[symbol.0 as usize];
        if lifeline.outside == stamp {
            return count(&mut self.faults[lifeline.outside_fault]);
        }
        lifeline.outside = stamp;
        lifeline.outside_fault = self.faults.len();
        let kind =
            FaultKind::Outside { action: occurrence.action(), component: stamp - 1, others: 0 };
        self.faults.push(Fault { span: place(self.trace, occurrence), kind });
    }

    fn simultaneous(&mut self, occurrence: Occurrence) {
        let state = &mut self.actions[occurrence.action()];
        if state.moment != self.moment {
            state.moment = self.moment;
            state.start = occurrence.start;
            return;
        }
        if let Some(fault) = state.fault {
            return count(&mut self.faults[fault]);
        }
        state.fault = Some(self.faults.len());
        let action = occurrence.action();
        let first = place(self.trace, Occurrence::new(0, false, state.start).of(action));
        let kind = FaultKind::RepeatedAction { action, first, others: 0 };
        self.faults.push(Fault { span: place(self.trace, occurrence), kind });
    }
}

/// One more of the same.
fn count(fault: &mut Fault) {
    match &mut fault.kind {
        FaultKind::TwoColocalizations { others, .. }
        | FaultKind::Outside { others, .. }
        | FaultKind::RepeatedAction { others, .. }
        | FaultKind::RepeatedLifeline { others, .. }
        | FaultKind::Undeclared { others, .. } => *others += 1,
        FaultKind::AllNotAlone { .. } => {}
    }
}
