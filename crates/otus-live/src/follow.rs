//! Records of one group into the live engine, event by event.
//!
//! The live engine answers after every event, as long as events of one log arrive in the order of that log. That is so for
//! lines without a time that orders them. It is not so for spans, which arrive when they end, nor for lines that a rule
//! orders by a field; a group with such an event is only judged when it ends.
//!
//! **Claim.** A Fail that is found here is one of the group. The engine knows less than the judge: it regards neither values nor peers
//! nor the order that ids show between logs, and it takes logs for separate whose common clock is not known yet. All of these only
//! allow fewer executions, so what is not explained without them is not explained with them.
//!
//! Partitions follow the clocks of the run. A new lifeline may change them; then groups that are opened from now on have another
//! engine, and each open group keeps its own.

use std::fmt::Write as _;
use std::sync::Arc;

use otus::live::Watched;
use otus_analysis::live::{Bound, GroupId, KeptFor, Limits, Live, Memory, Standing};
use otus_core::budget::{Budget, Cancel};
use otus_core::index::Index as _;
use otus_core::{Action, ActionId, LifelineId, Pool, TermId};
use otus_trace::run::{Event, Observed, RunLifelineId, Vocabulary};
use otus_trace::{ComponentId, Partition};

/// The most partitions that have an engine at the same time.
const MOST: usize = 16;

/// The limit on the work for one event.
const STATES: u64 = 1_000_000;

/// The engines, and what the names of the run mean for them.
pub(crate) struct Follow {
    pool: Pool,
    term: TermId,
    lives: Vec<Option<(Arc<Partition>, Live)>>,
    /// The engine of groups that are opened now; `None` if the declarations do not fit the logs.
    current: Option<usize>,
    /// The number of lifelines of the run when the partition was made.
    known: usize,
    /// By action of the run: what it is for the specification.
    actions: Vec<Option<Meaning>>,
    ignores_unknown: bool,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// It is on a lifeline that the specification lacks, or its message is left out.
    Nothing,
    Action(LifelineId, ActionId),
}

/// A group that is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Followed {
    live: usize,
    group: GroupId,
}

/// What a record did to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing can be said yet.
    Open,
    /// It made a Fail final, after so many events of the group.
    Failed(u64),
    /// The group cannot be followed any longer; it is judged when it ends.
    Lost,
}

impl Follow {
    pub(crate) fn new(watched: &Watched, kept: usize, cancel: Cancel) -> Follow {
        let (pool, term) = watched.interaction();
        let budget = Budget { max_states: Some(STATES), cancel, ..Budget::default() };
        Follow {
            pool: pool.clone(),
            term,
            lives: Vec::new(),
            current: None,
            known: usize::MAX,
            actions: Vec::new(),
            ignores_unknown: watched.ignores_unknown(),
            limits: Limits { kept, budget, ..Limits::default() },
        }
    }

    /// Begins to follow a group.
    pub(crate) fn open(&mut self, watched: &Watched, names: &Vocabulary) -> Option<Followed> {
        let known = names.acting_count();
        if known != self.known {
            self.known = known;
            self.prepare(watched, names);
        }
        let live = self.current?;
        let (_, engine) = self.lives[live].as_mut()?;
        Some(Followed { live, group: engine.open() })
    }

    /// Makes the engine for the clocks that are known now.
    fn prepare(&mut self, watched: &Watched, names: &Vocabulary) {
        let signature = self.pool.signature();
        let mut logs: Vec<Vec<LifelineId>> = Vec::new();
        let mut seen = Vec::new();
        let of = |id| names.lifeline_in(signature, names.lifeline(id));
        for id in (0..self.known).map(RunLifelineId::new) {
            let Some(clock) = names.clock_of(id) else { continue };
            let mut log: Vec<LifelineId> =
                names.lifelines_of(clock).iter().filter_map(|&it| of(it)).collect();
            log.retain(|it| !seen.contains(it));
            log.sort_unstable();
            log.dedup();
            seen.extend(&log);
            logs.push(log);
        }
        logs.retain(|log| log.len() > 1);
        let partition = Partition::new(logs, signature.lifeline_count());
        let same = |slot: &Option<(Arc<Partition>, Live)>| {
            slot.as_ref().is_some_and(|(known, _)| **known == partition)
        };
        self.current = self.lives.iter().position(same);
        if self.current.is_some() {
            return;
        }
        let Ok(question) = watched.question(&partition) else { return };
        // Engines without groups make room.
        for slot in &mut self.lives {
            if slot.as_ref().is_some_and(|(_, live)| live.open_groups() == 0) {
                *slot = None;
            }
        }
        let free = self.lives.iter().position(Option::is_none);
        let at = free.unwrap_or(self.lives.len());
        if at >= MOST {
            return;
        }
        let partition = Arc::new(partition);
        let limits = self.limits.clone();
        let live = Live::new(&self.pool, self.term, Arc::clone(&partition), question, limits);
        if at == self.lives.len() {
            self.lives.push(None);
        }
        self.lives[at] = Some((partition, live));
        self.current = Some(at);
    }

    /// Takes the events of a record.
    pub(crate) fn take(&mut self, followed: Followed, record: &Observed<'_>) -> Step {
        // The moment of the events before; most records have one event.
        let mut moment: Vec<ActionId> = Vec::new();
        let mut component = None;
        let mut is_first = true;
        for event in record.events() {
            let is_lost = !event.is_in_line() || event.is_of_span() || (is_first && event.joined());
            if is_lost {
                return Step::Lost;
            }
            is_first = false;
            let meaning = self.meaning(event, record.vocabulary());
            let Meaning::Action(lifeline, action) = meaning else { continue };
            let Some((partition, _)) = self.lives[followed.live].as_ref() else {
                return Step::Lost;
            };
            let own = partition.component_of(lifeline);
            if !event.joined() || component != Some(own) {
                let step = self.push(followed, component, &mut moment);
                if step != Step::Open {
                    return step;
                }
            }
            component = Some(own);
            moment.push(action);
        }
        self.push(followed, component, &mut moment)
    }

    fn push(
        &mut self,
        followed: Followed,
        component: Option<ComponentId>,
        moment: &mut Vec<ActionId>,
    ) -> Step {
        let (Some(component), false) = (component, moment.is_empty()) else { return Step::Open };
        moment.sort_unstable();
        let Some((_, live)) = self.lives[followed.live].as_mut() else { return Step::Lost };
        let standing = live.push(followed.group, component, moment);
        moment.clear();
        match standing {
            Some(Standing::Explained) => Step::Open,
            Some(Standing::Failed { event }) => Step::Failed(event),
            Some(Standing::Unknown { .. }) | None => Step::Lost,
        }
    }

    fn meaning(&mut self, event: Event<'_>, names: &Vocabulary) -> Meaning {
        let (Some(id), Some((direction, message))) = (event.action_id(), event.action()) else {
            return Meaning::Nothing;
        };
        let at = id.index();
        if let Some(Some(known)) = self.actions.get(at) {
            return *known;
        }
        let signature = self.pool.signature();
        let lifeline = names.lifeline_in(signature, event.lifeline());
        let meaning = match (lifeline, signature.message(message)) {
            (None, _) => Meaning::Nothing,
            (Some(_), None) if self.ignores_unknown => Meaning::Nothing,
            (Some(lifeline), known) => {
                let message = known.unwrap_or_else(|| self.pool.add_message(message));
                let action = Action { lifeline, direction, message, peer: None };
                Meaning::Action(lifeline, self.pool.intern_action(action))
            }
        };
        if self.actions.len() <= at {
            self.actions.resize(at + 1, None);
        }
        self.actions[at] = Some(meaning);
        meaning
    }

    /// Ends a group that is not judged by the engine.
    pub(crate) fn drop_group(&mut self, followed: Followed) {
        if let Some((_, live)) = self.lives[followed.live].as_mut() {
            live.forget(followed.group);
        }
    }

    /// Ends a group, and answers the declared question.
    pub(crate) fn close(&mut self, followed: Followed) -> Option<otus_analysis::live::Answer> {
        self.lives[followed.live].as_mut()?.1.close(followed.group)
    }

    /// The names of the lifelines for which events of a group wait.
    pub(crate) fn silent(&self, followed: Followed) -> Vec<String> {
        let Some((partition, live)) = self.lives[followed.live].as_ref() else { return Vec::new() };
        let lifelines = live.silent(followed.group).into_iter();
        let lifelines = lifelines.flat_map(|component| partition.lifelines(component));
        lifelines.map(|&it| self.pool.signature().lifeline_name(it).to_owned()).collect()
    }

    /// The number of events of a group that wait.
    pub(crate) fn held(&self, followed: Followed) -> usize {
        self.lives[followed.live].as_ref().map_or(0, |(_, live)| live.held(followed.group))
    }

    /// The bytes of all tables.
    pub(crate) fn table_bytes(&self) -> usize {
        self.lives.iter().flatten().map(|(_, live)| live.table_bytes()).sum()
    }
}

/// What a group of a specification remembers, and what bounds it, in words.
///
/// # Errors
/// If the declarations do not fit logs that are all separate.
pub fn memory(watched: &Watched, kept: usize) -> Result<String, String> {
    let (pool, term) = watched.interaction();
    let partition = Partition::discrete(pool.signature().lifeline_count());
    let question = watched.question(&partition)?;
    let budget = Budget { max_states: Some(STATES), ..Budget::default() };
    let limits = Limits { kept, budget, ..Limits::default() };
    let live = Live::new(pool, term, partition.clone(), question, limits);
    let Memory { bounds } = live.memory();
    let mut text = String::from("An open group remembers:\n");
    for bound in bounds {
        let line = match bound {
            Bound::EachAlone { components } => {
                format!(
                    "one residual for each of {components} logs; the length of logs does not matter"
                )
            }
            Bound::Residual { size } => format!(
                "one residual of all logs, of up to {size} parts while logs are in step; the length of logs does \
                 not matter"
            ),
            Bound::Second => {
                "a second residual, because logs may start late: it tells a Pass from a WeakPass"
                    .to_owned()
            }
            Bound::Ahead { components, most } => {
                let names = components.iter().flat_map(|&it| partition.lifelines(it));
                let names: Vec<&str> =
                    names.map(|&it| pool.signature().lifeline_name(it)).collect();
                format!(
                    "12 bytes for each event of a log that is ahead of others, up to {most} events; declare a log \
                     that never comes as unobserved ({})",
                    names.join(", ")
                )
            }
            Bound::Sessions => "the parallel sessions that are in flight".to_owned(),
            Bound::Kept { most, why } => format!(
                "up to {most} events, 4 bytes for each action ({})",
                match why {
                    KeptFor::Coupled => "the order in which its lifelines move matters",
                    KeptFor::Sessions => "iterations of a loop overlap",
                    KeptFor::GlobalPrefix => "a global prefix depends on the order between logs",
                    KeptFor::Pass => "only all events together tell a Pass from a WeakPass",
                }
            ),
            Bound::Unprepared => {
                "nothing: the specification is too large to be followed".to_owned()
            }
        };
        let _ = writeln!(text, "- {line}");
    }
    if watched.has_values() {
        text.push_str("Guards are regarded when a group ends, and not before.\n");
    }
    let _ = writeln!(
        text,
        "Until it ends or fails, a group also keeps up to {kept} mapped events, about 30 bytes each, to judge and to \
         explain them (--kept)."
    );
    Ok(text)
}
