//! The declared question, which is asked when a group closes.
//!
//! What a group remembers answers it: a residual explains what is held with the declared endings of the logs. The verdict is a
//! Pass if the same holds with nothing missing. If logs may start late, that is another residual, of the interaction
//! from its beginning.

use otus_core::index::Index as _;
use otus_trace::multitrace::ComponentId;

use super::Live;
use super::group::{GroupId, Past};
use super::standing::{Answer, Standing, Why};
use crate::engine::{Ending, strongest};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

impl Live {
    /// The answer that [`Live::close`] would give now; `None` if the group is not open.
    pub fn answer(&mut self, group: GroupId) -> Option<Answer> {
        let of = self.group(group)?;
        let (events, standing) = (of.events, of.standing);
        let answer =
            |verdict, explained, why| Answer { verdict, explained, event: None, events, why };
        Some(match standing {
            Standing::Failed { event } => {
                Answer { event: Some(event), ..answer(Verdict::Fail, Some(false), None) }
            }
            Standing::Unknown { why, .. } => answer(Verdict::Inconclusive, None, Some(why)),
            Standing::Explained => match self.conclude(group) {
                Conclusion { explained: Some(false), .. } => {
                    answer(Verdict::Fail, Some(false), None)
                }
                Conclusion { complete: Some(true), .. } => answer(Verdict::Pass, Some(true), None),
                Conclusion { explained: Some(true), complete: Some(false), .. } => {
                    answer(Verdict::WeakPass, Some(true), None)
                }
                Conclusion { explained, why, .. } => {
                    answer(Verdict::Inconclusive, explained, why.or(Some(Why::Kept)))
                }
            },
        })
    }

    /// Ends a group, and answers the declared question about it; `None` if the group is not open.
    pub fn close(&mut self, group: GroupId) -> Option<Answer> {
        let answer = self.answer(group)?;
        self.free_slot(group);
        Some(answer)
    }

    /// Ends a group without an answer.
    pub fn forget(&mut self, group: GroupId) {
        if self.group(group).is_some() {
            self.free_slot(group);
        }
    }

    fn free_slot(&mut self, group: GroupId) {
        let slot = &mut self.slots[group.slot as usize];
        slot.group = None;
        slot.use_of = slot.use_of.wrapping_add(1);
        self.free.push(group.slot);
    }

    /// What is known of a group that is explained so far, if it ends now.
    fn conclude(&mut self, group: GroupId) -> Conclusion {
        self.residuals.begin();
        let components = self.partition.len();
        let (declared, open) = (self.declared.clone(), self.open.clone());
        let Some(of) = self.slots[group.slot as usize].group.as_ref() else {
            return Conclusion::default();
        };
        let residuals = &mut self.residuals;
        let mut known = Conclusion::default();
        if declared == open || matches!(of.past, Past::Alone(_)) {
            // It is answered at every event.
            known.explained = Some(true);
        } else if let Past::Apart(apart) = &of.past
            && declared != Question::GlobalPrefix
        {
            let endings = endings(&declared, components, |c| of.seen[c / 64] >> (c % 64) & 1 == 1);
            known.note_explained(apart.explains(residuals, &endings));
        }
        if let Some(kept) = &of.kept {
            if declared == Question::GlobalPrefix && kept.follows() {
                known.explained = Some(true);
            }
            if kept.is_complete(residuals) {
                known.complete = Some(true);
            }
        }
        if self.limits.goal < Verdict::Pass && known.explained == Some(true) {
            known.complete = Some(known.complete == Some(true));
            return known;
        }
        let all = strongest(&declared, components);
        let strong = match (&of.strong, &of.past) {
            (Some(strong), _) => Some(strong.as_ref()),
            (None, Past::Apart(apart)) => Some(Ok(apart)),
            (None, Past::Alone(_) | Past::Kept) => None,
        };
        if known.complete.is_some() || known.explained == Some(false) {
            return known;
        } else if declared == all && known.explained.is_some() {
            known.complete = known.explained;
        } else if let Some(strong) = strong {
            let endings = endings(&all, components, |_| true);
            let complete = strong.map_err(|&why| why);
            known.note_complete(complete.and_then(|strong| strong.explains(residuals, &endings)));
        }
        if (known.explained.is_none() && known.complete != Some(true))
            || (known.explained == Some(true) && known.complete.is_none())
        {
            let goal = self.limits.goal;
            if let Some(outcome) = self.ask(group, &declared, goal) {
                match outcome.verdict {
                    Verdict::Pass => known.complete = Some(true),
                    Verdict::WeakPass => {
                        (known.explained, known.complete) = (Some(true), Some(false));
                    }
                    Verdict::Fail => known.explained = Some(false),
                    Verdict::WeakFail | Verdict::Inconclusive => {
                        known.why = Some(Why::Stopped(outcome.stop));
                    }
                }
            }
        }
        known
    }
}

/// What is known of a group that ends.
#[derive(Debug, Clone, Copy, Default)]
struct Conclusion {
    /// Whether the declared question holds.
    explained: Option<bool>,
    /// Whether nothing is missing.
    complete: Option<bool>,
    why: Option<Why>,
}

impl Conclusion {
    fn note_explained(&mut self, found: Result<bool, Why>) {
        match found {
            Ok(explained) => self.explained = Some(explained),
            Err(why) => self.why = Some(why),
        }
    }

    fn note_complete(&mut self, found: Result<bool, Why>) {
        match found {
            Ok(complete) => self.complete = Some(complete),
            Err(why) => self.why = Some(why),
        }
    }
}

/// The meaning of the end of each log that is over now.
fn endings(declared: &Question, components: usize, seen: impl Fn(usize) -> bool) -> Vec<Ending> {
    let ending = |c: usize| match declared.of(ComponentId::new(c)) {
        Observed::Complete => Ending::Final,
        // If the log is empty, everything may have happened before it started.
        Observed::StartsLate if seen(c) => Ending::Final,
        Observed::StartsLate | Observed::StopsEarly | Observed::Slice | Observed::Unobserved => {
            Ending::Early
        }
    };
    (0..components).map(ending).collect()
}
