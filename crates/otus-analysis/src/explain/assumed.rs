//! The events that a `WeakPass` assumes to be missing.

use otus_core::ActionId;
use otus_core::index::Index as _;
use otus_trace::ComponentId;

use super::Case;
use super::checker::{Checked, Checker};
use crate::certify::certify;
use crate::question::Observed;
use crate::verdict::Verdict;

/// The events that one explanation assumes to have happened unobserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// The components with missing moments.
    pub components: Vec<Missing>,
    /// Whether the independent checker accepted the explanation.
    pub checked: Checked,
}

/// The missing moments of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The component.
    pub component: ComponentId,
    /// The moments before its first observed one, in order.
    pub before: Vec<Box<[ActionId]>>,
    /// The moments after its last observed one, in order.
    pub after: Vec<Box<[ActionId]>>,
}

/// The assumptions of an explanation of a `WeakPass`; `None` if no explanation was found in time.
pub(super) fn assumed(checker: &mut Checker<'_>, case: &Case<'_>) -> Option<Assumed> {
    let Case { letters, logs, question, ref declared } = *case;
    let trace = letters.trace(logs);
    if !checker.affords_steps(trace.len()) {
        return None;
    }
    let budget = checker.budget(trace.len())?;
    checker.questions += 1;
    checker.work += trace.len() as u64;
    let verdict = Verdict::WeakPass;
    let witness =
        checker.engine.witness(checker.pool, checker.term, &trace, question, verdict, &budget)?;
    certify(checker.pool, checker.term, &trace, (question, verdict), &witness).ok()?;
    let mut consumed = vec![0; logs.len()];
    let missing = |component| Missing { component, before: Vec::new(), after: Vec::new() };
    let mut components: Vec<Missing> = letters.partition.components().map(missing).collect();
    for step in &witness.steps {
        let Some(place) = step.event() else { continue };
        for (at, letter) in letters.parts(checker.pool, place.event) {
            let mut own = letters.partition.lifelines(ComponentId::new(at)).iter();
            if own.any(|&lifeline| checker.pool.region_contains(place.observed, lifeline)) {
                consumed[at] += 1;
                continue;
            }
            let Some(letter) = letter else { continue };
            let moment = letters.actions(letter).into();
            if declared[at] == Observed::Unobserved {
                // A declared gap is not an assumption.
            } else if consumed[at] < logs[at].len() {
                components[at].before.push(moment);
            } else {
                components[at].after.push(moment);
            }
        }
    }
    components.retain(|own| !own.before.is_empty() || !own.after.is_empty());
    Some(Assumed { components, checked: Checked::Certified })
}
