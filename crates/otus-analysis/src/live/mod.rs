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
//! | coupled, or a global prefix | its events up to a cap, and a path | [`kept`] |
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
mod kept;
mod level;
mod memory;
mod queues;

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::{ActionId, Pool, TermId};
use otus_trace::Partition;
use otus_trace::multitrace::ComponentId;
use smallvec::SmallVec;

use crate::budget::{Budget, Stop};
use crate::engine::residuals::{ExprId, LeafId, Residuals, starts_late};
use crate::engine::{Ending, Engine, Options, strongest};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use alone::{Alone, Most};
use apart::{Apart, Reach};
use kept::Kept;
pub use memory::{Bound, Memory};

/// Limits of live analyses.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most events that a group keeps if its residual does not stand for them.
    pub kept: usize,
    /// The most events that a group holds back because a component is silent.
    pub held: usize,
    /// The size of tables, in bytes, beyond which they are compacted.
    pub tables: usize,
    /// The size of residuals up to which nothing is held; by default it follows from the interaction. For tests.
    pub slack: Option<u32>,
    /// The best verdict that is asked for when a group closes. With [`Verdict::WeakPass`] it is not asked whether
    /// nothing is missing, which takes less memory if logs may start late.
    pub goal: Verdict,
    /// The limits of the work for one event or one closing.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            kept: 10_000,
            held: 1_000_000,
            tables: 64 << 20,
            slack: None,
            goal: Verdict::Pass,
            budget: Budget::default(),
        }
    }
}

/// The number of an open group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId {
    slot: u32,
    /// How often the slot was used before.
    use_of: u32,
}

/// The answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// What has arrived is explained, if every log may stop early.
    Explained,
    /// What has arrived is not explained, whatever follows.
    Failed {
        /// The event that made it so: the number of events of the group before it.
        event: u64,
    },
    /// Undecided, and it will remain so.
    Unknown {
        /// The number of events of the group before the one that could not be decided.
        event: u64,
        /// The reason.
        why: Why,
    },
}

/// The reason for which a group is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The group has more events than are kept ([`Limits::kept`]), and no residual stands for them.
    Kept,
    /// More events are held than allowed ([`Limits::held`]), because a component is silent.
    Held,
    /// The budget of an event was used up.
    Stopped(Stop),
}

impl From<Stop> for Why {
    fn from(stop: Stop) -> Self {
        Why::Stopped(stop)
    }
}

/// The answer about a group when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The verdict on the declared question.
    pub verdict: Verdict,
    /// Whether the declared question holds; known in some cases in which it is unknown whether the verdict is a Pass or a
    /// `WeakPass`.
    pub explained: Option<bool>,
    /// The event that made a Fail final, if one did: the number of events of the group before it.
    pub event: Option<u64>,
    /// The number of events.
    pub events: u64,
    /// Why the verdict is inconclusive.
    pub why: Option<Why>,
}

/// How the open question is answered.
#[derive(Debug)]
enum Plan {
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

#[derive(Debug)]
enum Past {
    Alone(Alone),
    Apart(Apart),
    /// It is in [`Group::kept`].
    Kept,
}

#[derive(Debug)]
struct Group {
    events: u64,
    standing: Standing,
    past: Past,
    /// The past if no log starts late, or why it is unknown.
    strong: Option<Result<Apart, Why>>,
    kept: Option<Box<Kept>>,
    /// For each component, whether it has any event.
    seen: SmallVec<[u64; 1]>,
}

#[derive(Debug, Default)]
struct Slot {
    group: Option<Group>,
    use_of: u32,
}

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
        let is_decoupled = residuals.is_decoupled(&open);
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
    fn ask(
        &mut self,
        group: GroupId,
        question: &Question,
        goal: Verdict,
    ) -> Option<crate::engine::Outcome> {
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
        let slot = &mut self.slots[group.slot as usize];
        slot.group = None;
        slot.use_of = slot.use_of.wrapping_add(1);
        self.free.push(group.slot);
        Some(answer)
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

    /// The approximate memory of the tables, which all groups share.
    pub fn table_bytes(&self) -> usize {
        self.residuals.bytes() + self.asker.as_ref().map_or(0, Engine::bytes)
    }

    /// The approximate memory of all groups.
    pub fn group_bytes(&self) -> usize {
        let groups = self.slots.iter().filter_map(|slot| slot.group.as_ref());
        self.slots.capacity() * size_of::<Slot>() + groups.map(Group::bytes).sum::<usize>()
    }

    /// How often the tables were compacted.
    pub fn compactions(&self) -> u64 {
        self.compactions
    }

    /// Compacts the tables if they are large.
    #[cold]
    fn look_at_tables(&mut self) {
        self.looked = self.residuals.len();
        if self.residuals.bytes() > self.large {
            self.compact();
            // What is still in use may itself be large.
            self.large = self.limits.tables.max(2 * self.residuals.bytes());
            self.looked = self.residuals.len();
        }
    }

    /// Forgets all residuals but those of open groups.
    pub fn compact(&mut self) {
        let mut roots: Vec<&mut ExprId> = Vec::new();
        match &mut self.plan {
            Plan::Alone { starts, .. } => roots.extend(starts.iter_mut().flatten()),
            Plan::Apart { start, .. } => roots.push(start),
            Plan::Kept | Plan::Unknown(_) => {}
        }
        roots.extend(self.strong.iter_mut().map(|(start, _)| start));
        roots.extend(self.path.iter_mut());
        for of in self.slots.iter_mut().filter_map(|slot| slot.group.as_mut()) {
            match &mut of.past {
                Past::Alone(alone) => roots.extend(alone.roots()),
                Past::Apart(apart) => roots.extend(apart.roots()),
                Past::Kept => {}
            }
            roots.extend(of.strong.iter_mut().flatten().flat_map(Apart::roots));
            roots.extend(of.kept.iter_mut().flat_map(|kept| kept.roots()));
        }
        self.residuals.compact(&mut roots);
        self.compactions += 1;
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

impl Group {
    fn held(&self) -> usize {
        let past = match &self.past {
            Past::Apart(apart) => apart.held(),
            Past::Alone(_) | Past::Kept => 0,
        };
        past.max(self.kept.as_ref().map_or(0, |kept| kept.held()))
    }

    fn bytes(&self) -> usize {
        let past = match &self.past {
            Past::Apart(apart) => apart.bytes(),
            Past::Alone(alone) => alone.bytes(),
            Past::Kept => 0,
        };
        let strong = self.strong.iter().flatten().map(Apart::bytes).sum::<usize>();
        past + strong + self.kept.as_ref().map_or(0, |kept| kept.bytes())
    }
}

impl Plan {
    fn new(
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
            if !residuals.is_decoupled(open) {
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
fn open_observed(open: &Question, components: usize) -> Question {
    let all = (0..components).map(|c| match open.of(ComponentId::new(c)) {
        Observed::Unobserved => Observed::Complete,
        observed => observed,
    });
    Question::Each(all.collect())
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
