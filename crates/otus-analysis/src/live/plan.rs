//! How the open question is answered, which follows from the interaction, the partition and the question.

use otus_core::index::Index as _;
use otus_trace::multitrace::ComponentId;

use super::alone::Most;
use super::apart::Reach;
use super::limits::Limits;
use crate::budget::Stop;
use crate::engine::residuals::{ExprId, Residuals};
use crate::question::{Observed, Question};

/// How the open question is answered.
#[derive(Debug)]
pub(super) enum Plan {
    Alone {
        starts: Vec<Option<ExprId>>,
        most: Most,
    },
    Apart {
        start: ExprId,
        reach: Reach,
    },
    Kept,
    /// The interaction is too large for the budget.
    Unknown(Stop),
}

/// The question while more events may come: every log may stop early as well.
pub fn open_question(declared: &Question, components: usize) -> Question {
    let open = |observed: Observed| match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    };
    match declared {
        Question::GlobalPrefix => Question::MULTI_PREFIX,
        Question::Uniform(observed) => Question::Uniform(open(*observed)),
        Question::Each(_) => {
            let all = (0..components).map(|c| open(declared.of(ComponentId::new(c))));
            Question::Each(all.collect())
        }
    }
}

impl Plan {
    pub(super) fn new(
        residuals: &mut Residuals,
        open: &Question,
        declared: &Question,
        limits: &Limits,
    ) -> Plan {
        let made = || -> Result<Plan, Stop> {
            // If a log must not stop early, the logs together decide when the group closes.
            if open == declared
                && let Some(starts) = residuals.starts_alone(open)?
            {
                let largest = starts.iter().flatten().map(|&start| residuals.size(start)).max();
                let size = largest.unwrap_or(0).saturating_mul(64).saturating_add(1024);
                let most = Most { size, kept: limits.kept };
                return Ok(Plan::Alone { starts, most });
            }
            // With sessions in flight, the relaxed residual grows with every event, since each reception may belong to a
            // session that has not been seen to begin. A path in the order of arrival does not.
            if !residuals.is_decoupled(open) || residuals.has_sessions() {
                return Ok(Plan::Kept);
            }
            let start = residuals.start(open)?;
            Ok(Plan::Apart { start, reach: Reach::new(residuals, start, limits) })
        };
        let mut made = made;
        made().unwrap_or_else(Plan::Unknown)
    }
}

/// The question about observed components only, for which the others count as complete.
pub(super) fn open_observed(open: &Question, components: usize) -> Question {
    let all = (0..components).map(|c| {
        let observed = open.of(ComponentId::new(c));
        if observed == Observed::Unobserved { Observed::Complete } else { observed }
    });
    Question::Each(all.collect())
}
