//! Live analyses: groups fed event by event, and the answer so far after each.
//!
//! A group is what would be one multi-trace if it were over: the events of one request, one session, one test. Its events
//! arrive one by one. Those of one component arrive in the order of its log; those of different components in any
//! order. After each event the answer so far is the offline answer about what has arrived, [`Engine::analyze`], to the
//! *open question*: the declared question with every log allowed to stop early as well, because more may come.
//!
//! **Claim.** A Fail of the open question is final.
//!
//! *Proof.* Let µ be what has arrived, and µ′ what has arrived later. Every log of µ is a prefix of the log of µ′. What
//! explains µ′ explains µ: the logs of µ stop earlier, and if a log of µ is empty, all events may have happened before it
//! started. ∎
//!
//! So such a Fail is told at once, with the event that made it so, and it is a Fail of the declared question too, whatever
//! follows. The declared question itself is asked when the group [closes](Live::close): a Fail of `accept`, `complete` or
//! `global prefix` may become a Pass. (A message received but not yet sent is a multi-prefix but no global prefix.)
//!
//! | the interaction and the question | what a group remembers | module |
//! |---|---|---|
//! | a loop, all logs slices | a residual of each component | [`alone`] |
//! | decoupled | one residual, and held events | [`apart`], [`level`] |
//! | coupled, parallel sessions, or a global prefix | its events up to a cap, and a path | [`kept`] |
//! | with guards | its events and values up to a cap | [`values`] |
//!
//! All of them answer exactly; what exceeds a cap or a budget is [`Standing::Unknown`] from then on, never a guess.
//! [`Live::memory`] says beforehand which of them a specification needs.
//!
//! *Tables.* All groups of a specification share the tables of residuals: a step that any group has taken is a look-up for
//! all others. When the tables have grown, they are compacted to the residuals of the open groups. That is why groups
//! belong to the [`Live`] engine, and are known by numbers outside of it.
//!
//! *Budget.* It holds for each event and for each closing.

mod alone;
mod apart;
mod close;
mod group;
mod kept;
mod level;
mod limits;
mod memory;
mod plan;
mod queues;
mod standing;
mod tables;
pub mod values;

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::{ActionId, Pool, TermId};
use otus_trace::Partition;
use otus_trace::multitrace::ComponentId;
use smallvec::SmallVec;

use crate::engine::residuals::{ExprId, LeafId, Residuals, starts_late};
use crate::engine::{Engine, Options, Outcome, strongest};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use alone::Alone;
use apart::{Apart, Reach};
pub use group::GroupId;
use group::{Group, Past, Slot};
use kept::Kept;
pub use limits::Limits;
pub use memory::{Bound, KeptFor, Memory};
pub use plan::open_question;
use plan::{Plan, open_observed};
pub use standing::{Answer, Standing, Why};

/// A specification and a partition, prepared for many groups. It belongs to one thread.
///
/// ```
/// use otus_analysis::Question;
/// use otus_analysis::live::{Limits, Live, Standing};
/// use otus_analysis::Verdict;
/// use otus_core::Action;
/// use otus_trace::{ComponentId, Partition};
///
/// let source = otus_syntax::Source::new("x.hif", "loopW(sub -- subscribe -> bro)");
/// let mut tree = otus_syntax::parse_spec(&source).tree;
/// tree.implicit = true;
/// let mut lowered = otus_core::lower(&[&tree]);
/// let (pool, term) = (&mut lowered.pool, lowered.term.unwrap());
/// let [sub, bro] = ["sub", "bro"].map(|name| pool.signature().lifeline(name).unwrap());
/// let message = pool.signature().message("subscribe").unwrap();
/// let sent = pool.intern_action(Action::emission(sub, message));
/// let received = pool.intern_action(Action::reception(bro, message));
///
/// let partition = Partition::discrete(2);
/// let mut live = Live::new(pool, term, partition.clone(), Question::ACCEPT, Limits::default());
/// let group = live.open();
/// let [at_sub, at_bro] = [sub, bro].map(|lifeline| partition.component_of(lifeline));
/// // Received before it is seen that it was sent: the broker's log came first.
/// assert_eq!(live.push(group, at_bro, &[received]), Some(Standing::Explained));
/// assert_eq!(live.answer(group).unwrap().verdict, Verdict::Fail);
/// assert_eq!(live.push(group, at_sub, &[sent]), Some(Standing::Explained));
/// assert_eq!(live.close(group).unwrap().verdict, Verdict::Pass);
/// ```
#[derive(Debug)]
pub struct Live {
    residuals: Residuals,
    /// Decides about kept events; made when it is first needed.
    asker: Option<Engine>,
    source: (Pool, TermId),
    partition: Arc<Partition>,
    declared: Question,
    open: Question,
    limits: Limits,
    plan: Plan,
    /// The residual of no events for the question in which nothing is missing, if that is another than the plan's and it
    /// is asked.
    strong: Option<(ExprId, Reach)>,
    /// The path of no events, if events are kept.
    path: Option<ExprId>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// The number of expressions when the size of the tables was last looked at.
    looked: usize,
    /// The size of tables beyond which they are compacted next.
    large: usize,
    compactions: u64,
}

impl Live {
    /// Prepares an interaction for groups over a partition.
    pub fn new(
        pool: &Pool,
        term: TermId,
        partition: impl Into<Arc<Partition>>,
        declared: Question,
        limits: Limits,
    ) -> Live {
        let partition = partition.into();
        let components = partition.len();
        let mut residuals = Residuals::new(pool, term, &partition, limits.budget.clone());
        let open = open_question(&declared, components);
        let plan = Plan::new(&mut residuals, &open, &declared, &limits);
        let strong = strongest(&declared, components);
        let asks_strong = limits.goal == Verdict::Pass && declared != strong;
        let late = starts_late(&open_observed(&open, components), components);
        let is_decoupled = residuals.is_decoupled(&open) && !residuals.has_sessions();
        let mut strong_start = None;
        if asks_strong && is_decoupled && (late || matches!(plan, Plan::Alone { .. })) {
            strong_start = residuals.start(&strong).ok();
        }
        let strong_start =
            strong_start.map(|start| (start, Reach::new(&residuals, start, &limits)));
        // Events are kept if no residual answers the question at the end.
        let answers = match &plan {
            Plan::Apart { .. } => declared != Question::GlobalPrefix,
            Plan::Alone { .. } => !asks_strong || strong_start.is_some(),
            Plan::Kept => false,
            Plan::Unknown(_) => true,
        };
        let path = if answers { None } else { residuals.rigid_start(&strong).ok() };
        let large = limits.tables;
        Live {
            residuals,
            asker: None,
            source: (pool.clone(), term),
            partition,
            declared,
            open,
            limits,
            plan,
            strong: strong_start,
            path,
            slots: Vec::new(),
            free: Vec::new(),
            looked: 0,
            large,
            compactions: 0,
        }
    }

    /// The question while groups are open.
    pub fn open_question(&self) -> &Question {
        &self.open
    }

    /// Opens a group.
    pub fn open(&mut self) -> GroupId {
        let past = match &self.plan {
            Plan::Alone { starts, .. } => Past::Alone(Alone::new(starts)),
            Plan::Apart { start, .. } => Past::Apart(Apart::new(*start)),
            Plan::Kept | Plan::Unknown(_) => Past::Kept,
        };
        let standing = match self.plan {
            Plan::Unknown(stop) => Standing::Unknown { event: 0, why: Why::Stopped(stop) },
            Plan::Alone { .. } | Plan::Apart { .. } | Plan::Kept => Standing::Explained,
        };
        let group = Group {
            events: 0,
            standing,
            past,
            strong: self.strong.as_ref().map(|&(start, _)| Ok(Apart::new(start))),
            kept: self.path.map(|path| Box::new(Kept::new(&self.residuals, path))),
            seen: SmallVec::from_elem(0, self.partition.len().div_ceil(64)),
        };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        let place = &mut self.slots[slot as usize];
        place.group = Some(group);
        GroupId { slot, use_of: place.use_of }
    }

    /// Takes the next moment of a component of a group: the actions that it observed at the same time, mostly one, sorted
    /// and on its lifelines. Returns the answer so far; `None` if the group is not open.
    pub fn push(
        &mut self,
        group: GroupId,
        component: ComponentId,
        moment: &[ActionId],
    ) -> Option<Standing> {
        let slot = self.slots.get_mut(group.slot as usize)?;
        let of = slot.group.as_mut().filter(|_| slot.use_of == group.use_of)?;
        let event = of.events;
        of.events += 1;
        if of.standing != Standing::Explained || moment.is_empty() {
            return Some(of.standing);
        }
        if self.open.of(component) == Observed::Unobserved {
            return Some(Standing::Explained);
        }
        let at = component.0 as usize;
        of.seen[at / 64] |= 1 << (at % 64);
        self.residuals.begin();
        let explained = match self.residuals.leaf(moment) {
            None => Ok(false),
            Some(leaf) => self.take(group, at, moment, leaf),
        };
        let standing = match explained {
            Ok(true) => Standing::Explained,
            Ok(false) => Standing::Failed { event },
            Err(why) => Standing::Unknown { event, why },
        };
        if standing != Standing::Explained {
            let of = self.slots[group.slot as usize].group.as_mut()?;
            of.standing = standing;
            // The answer is final: nothing more need be remembered.
            of.past = Past::Kept;
            of.strong = None;
            of.kept = None;
        }
        if self.residuals.len() != self.looked {
            self.look_at_tables();
        }
        Some(standing)
    }

    /// Whether what has arrived is explained, with this event as the last.
    #[inline]
    fn take(
        &mut self,
        group: GroupId,
        component: usize,
        moment: &[ActionId],
        leaf: LeafId,
    ) -> Result<bool, Why> {
        let Some(of) = self.slots[group.slot as usize].group.as_mut() else { return Ok(true) };
        let residuals = &mut self.residuals;
        let mut explained = match (&mut of.past, &self.plan) {
            (Past::Alone(alone), Plan::Alone { most, .. }) => {
                Some(alone.push(residuals, *most, component, moment, leaf)?)
            }
            (Past::Apart(apart), Plan::Apart { reach, .. }) => {
                Some(apart.push(residuals, *reach, component, leaf)?)
            }
            _ => None,
        };
        if let (Some(Ok(strong)), Some((_, reach))) = (&mut of.strong, &self.strong) {
            // That something is missing, or that this is unknown, is no answer about the group.
            match strong.push(residuals, *reach, component, leaf) {
                Ok(true) => {}
                Ok(false) => strong.fail(),
                Err(why) => of.strong = Some(Err(why)),
            }
        }
        if let Some(kept) = &mut of.kept {
            kept.keep(component, moment, self.limits.kept);
            match kept.advance(residuals, component, leaf) {
                Ok(()) if explained.is_some() => {}
                // Only the verdict at the end needs the events.
                Err(_) if explained.is_some() => of.kept = None,
                Ok(()) if kept.held() > self.limits.held => return Err(Why::Held),
                Ok(()) => {
                    if kept.follows() || kept.is_explained_from_path(residuals) {
                        explained = Some(true);
                    }
                }
                Err(why) => return Err(why),
            }
        }
        match explained {
            Some(explained) => Ok(explained),
            None => self.decide(group),
        }
    }

    /// Whether all kept events are explained.
    fn decide(&mut self, group: GroupId) -> Result<bool, Why> {
        let open = self.open.clone();
        let outcome = self.ask(group, &open, Verdict::WeakPass).ok_or(Why::Kept)?;
        match outcome.verdict {
            Verdict::Pass | Verdict::WeakPass => Ok(true),
            Verdict::Fail => Ok(false),
            Verdict::WeakFail | Verdict::Inconclusive => Err(Why::Stopped(outcome.stop)),
        }
    }

    /// The verdict on all kept events; `None` if they were too many.
    fn ask(&mut self, group: GroupId, question: &Question, goal: Verdict) -> Option<Outcome> {
        let (pool, term) = (&self.source.0, self.source.1);
        let kept = self.slots[group.slot as usize].group.as_ref()?.kept.as_ref()?;
        let asker = self
            .asker
            .get_or_insert_with(|| Engine::new(pool, term, &self.partition, Options::default()));
        kept.decide(asker, &self.partition, question, goal, &self.limits.budget)
    }

    fn group(&self, group: GroupId) -> Option<&Group> {
        let slot = self.slots.get(group.slot as usize)?;
        slot.group.as_ref().filter(|_| slot.use_of == group.use_of)
    }

    /// The answer so far; `None` if the group is not open.
    pub fn standing(&self, group: GroupId) -> Option<Standing> {
        self.group(group).map(|of| of.standing)
    }

    /// The components for which held events of a group wait: those that are silent, although the interaction has events
    /// for them.
    pub fn silent(&self, group: GroupId) -> Vec<ComponentId> {
        let silent = self.group(group).map(|of| match &of.past {
            Past::Apart(apart) => apart.silent(&self.residuals),
            Past::Alone(_) | Past::Kept => Vec::new(),
        });
        silent.unwrap_or_default().into_iter().map(ComponentId::new).collect()
    }

    /// The number of events of a group that are held.
    pub fn held(&self, group: GroupId) -> usize {
        self.group(group).map_or(0, Group::held)
    }

    /// The number of open groups.
    pub fn open_groups(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
