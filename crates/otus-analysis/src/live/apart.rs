//! Decoupled components: one residual for the whole past, and events that are held back.
//!
//! In a decoupled interaction any component may move first, so x explains µ iff the residual of x after the first event
//! of any component explains the rest. The residual after all events is therefore all that a group has to remember.
//!
//! But if one component is far ahead of the others, its residual is large: each iteration that it has begun stands
//! there with what the others have still to do in it. So an event is *held* if its step would make the residual larger than
//! some iterations of the interaction need, and some component is silent; events of the silent component make it smaller
//! again. If no component is silent, the event that leaves the smallest residual is consumed.
//!
//! A held event is four bytes, and eight more for each [level](super::level) that has followed it. The residual stays
//! within a bound that depends on the interaction alone, unless components that are in step make it grow. If a residual
//! would exceed [`Reach::most`] with no component silent, the events are held all the same, and searched with
//! alternatives one by one at each event.

use super::level::{Level, Positions};
use super::limits::Limits;
use super::queues::Queues;
use super::standing::Why;
use crate::engine::Ending;
use crate::engine::residuals::{ExprId, LeafId, NEVER, Residuals};
use otus_trace::multitrace::Step;

/// How far residuals may grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// The size up to which nothing is held.
    pub(super) slack: u32,
    /// The size beyond which nothing is consumed.
    pub(super) most: u32,
    /// The number of events that may be held.
    pub(super) held: usize,
    /// The number of events that may be held because residuals would become too large.
    pub(super) kept: usize,
}

impl Reach {
    pub(super) fn new(residuals: &Residuals, start: ExprId, limits: &Limits) -> Reach {
        let size = residuals.size(start);
        Reach {
            slack: limits.slack.unwrap_or(size.saturating_mul(2)),
            most: size.saturating_mul(64).saturating_add(1024),
            held: limits.held,
            kept: limits.kept,
        }
    }
}

/// What can be done next at a level.
enum Next {
    /// All events are consumed.
    Done,
    /// This event is consumed.
    Move(usize, ExprId),
    /// Some event cannot happen.
    Never,
    /// Events wait for silent components.
    Silent,
    /// No component is silent, but every step exceeds the largest size.
    TooLarge,
}

/// What has arrived, for one question.
#[derive(Debug)]
pub(super) struct Apart {
    expr: ExprId,
    held: Option<Box<Held>>,
}

#[derive(Debug)]
struct Held {
    queues: Queues,
    levels: Vec<Level>,
    /// The component that moved last.
    current: usize,
}

impl Apart {
    pub(super) fn new(start: ExprId) -> Apart {
        Apart { expr: start, held: None }
    }

    /// Takes an event. Returns whether what has arrived is explained, if every log may stop early.
    #[inline]
    pub(super) fn push(
        &mut self,
        residuals: &mut Residuals,
        reach: Reach,
        component: usize,
        leaf: LeafId,
    ) -> Result<bool, Why> {
        if self.held.is_none() {
            let next = residuals.step(self.expr, leaf)?;
            if next == NEVER {
                return Ok(false);
            }
            let size = residuals.size(next);
            if size <= reach.slack || size <= residuals.size(self.expr) {
                self.expr = next;
                return Ok(true);
            }
        }
        self.hold(residuals, reach, component, leaf)
    }

    fn hold(
        &mut self,
        residuals: &mut Residuals,
        reach: Reach,
        component: usize,
        leaf: LeafId,
    ) -> Result<bool, Why> {
        let count = residuals.count();
        let held = self.held.get_or_insert_with(|| {
            Box::new(Held { queues: Queues::new(count), levels: Vec::new(), current: component })
        });
        held.queues.push(component, leaf);
        if held.queues.held() > reach.held {
            return Err(Why::Held);
        }
        let explained = held.settle(residuals, reach, &mut self.expr)?;
        if held.queues.held() == 0 {
            self.held = None;
        }
        Ok(explained)
    }

    /// Forgets everything: it is not explained.
    pub(super) fn fail(&mut self) {
        *self = Apart::new(NEVER);
    }

    /// The components for which held events wait.
    pub(super) fn silent(&self, residuals: &Residuals) -> Vec<usize> {
        let Some(held) = &self.held else { return Vec::new() };
        let is_silent = |&c: &usize| {
            held.queues.get(c, held.queues.first[c]).is_none() && residuals.may_act(self.expr, c)
        };
        (0..held.queues.len()).filter(is_silent).collect()
    }

    /// The number of held events.
    pub(super) fn held(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.queues.held())
    }

    /// The approximate memory beside the tables.
    pub(super) fn bytes(&self) -> usize {
        self.held.as_ref().map_or(0, |held| {
            let moves: usize = held.levels.iter().map(Level::len).sum();
            size_of::<Held>() + 4 * held.queues.held() + 8 * moves
        })
    }

    /// Whether everything that has arrived is explained if the logs end now, with these endings.
    pub(super) fn explains(
        &self,
        residuals: &mut Residuals,
        endings: &[Ending],
    ) -> Result<bool, Why> {
        let rest = match &self.held {
            Some(held) => held.queues.rest(residuals, &held.queues.first),
            None => vec![Vec::new(); residuals.count()],
        };
        Ok(residuals.explains(self.expr, &rest, endings)?)
    }

    /// All residuals, for compaction.
    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let levels = self.held.iter_mut().flat_map(|held| held.levels.iter_mut());
        std::iter::once(&mut self.expr).chain(levels.flat_map(Level::roots))
    }
}

impl Held {
    /// Consumes what can be consumed, and looks ahead in the rest. Returns whether all of it is explained.
    fn settle(
        &mut self,
        residuals: &mut Residuals,
        reach: Reach,
        expr: &mut ExprId,
    ) -> Result<bool, Why> {
        let mut stuck = loop {
            match self.next(residuals, reach, *expr, &self.queues.first)? {
                Next::Move(component, next) => {
                    self.queues.pop(component);
                    self.current = component;
                    *expr = next;
                }
                other @ (Next::Done | Next::Never | Next::Silent | Next::TooLarge) => break other,
            }
        };
        self.queues.shrink();
        // Cloning takes the positions one by one; this copies them.
        let (mut from, mut at) = (*expr, Positions::from_slice(&self.queues.first));
        for number in 0.. {
            match stuck {
                Next::Done => {
                    self.levels.truncate(number);
                    return Ok(true);
                }
                Next::Never => return Ok(false),
                Next::TooLarge => {
                    self.levels.truncate(number);
                    if self.queues.held() > reach.kept {
                        return Err(Why::Kept);
                    }
                    let rest = self.queues.rest(residuals, &at);
                    let endings = vec![Ending::Early; rest.len()];
                    return Ok(residuals.explains(from, &rest, &endings)?);
                }
                Next::Silent | Next::Move(..) => {}
            }
            for component in 0..self.queues.len() {
                if self.queues.get(component, at[component]).is_none() {
                    from = residuals.without(from, component)?;
                }
            }
            match self.levels.get_mut(number) {
                Some(level) => {
                    if !level.rebase(residuals, &self.queues, reach, from, &at)? {
                        return Ok(false);
                    }
                }
                None => self.levels.push(Level::new(from, &at)),
            }
            stuck = loop {
                let level = &self.levels[number];
                match self.next(residuals, reach, level.expr, &level.at)? {
                    Next::Move(component, next) => self.levels[number].take(component, next),
                    other @ (Next::Done | Next::Never | Next::Silent | Next::TooLarge) => {
                        break other;
                    }
                }
            };
            let level = &self.levels[number];
            (from, at) = (level.expr, Positions::from_slice(&level.at));
        }
        Ok(true)
    }

    /// What can be done next at an expression and positions.
    fn next(
        &self,
        residuals: &mut Residuals,
        reach: Reach,
        expr: ExprId,
        at: &Positions,
    ) -> Result<Next, Why> {
        let allowed = residuals.size(expr).max(reach.slack);
        let mut best: Option<(u32, usize, ExprId)> = None;
        let mut is_silent = false;
        let count = self.queues.len();
        for offset in 0..count {
            let rotated = self.current + offset;
            let component = if rotated < count { rotated } else { rotated - count };
            let Some(leaf) = self.queues.get(component, at[component]) else {
                is_silent = is_silent || residuals.may_act(expr, component);
                continue;
            };
            let next = residuals.step(expr, leaf)?;
            if next == NEVER {
                return Ok(Next::Never);
            }
            let size = residuals.size(next);
            if size <= allowed {
                return Ok(Next::Move(component, next));
            }
            if best.is_none_or(|(least, ..)| size < least) {
                best = Some((size, component, next));
            }
        }
        Ok(match best {
            None => Next::Done,
            Some(_) if is_silent => Next::Silent,
            Some((size, ..)) if size > reach.most => Next::TooLarge,
            Some((_, component, next)) => Next::Move(component, next),
        })
    }
}

impl Queues {
    /// The logs of what is held from these positions on.
    fn rest(&self, residuals: &Residuals, from: &Positions) -> Vec<Vec<Step>> {
        let log = |component: usize| {
            let leaves = self.after(component, from[component]);
            leaves.flat_map(|leaf| residuals.moment(leaf).iter().copied()).collect()
        };
        (0..self.len()).map(log).collect()
    }
}
