//! Stubborn sets for the exact search: which components must move.
//!
//! The claim and its proof are those of [`engine::stubborn`](crate::engine): a set S of components is *stubborn* if some
//! component of S has moments left, and for each c of S and each leaf e that can be the next on c, either some component of
//! e that cannot take part now is in S, or all components of e are in S, and so are those of all lifelines that stand to the
//! left of e in conflict with it. If the rest is explained, it is explained by a trace whose first event touches S.
//!
//! The proof stays good with values. A valuation is one more choice that is made beforehand. The event that is moved to
//! the front passes only events of other components, so the order of times on each component stays as it is, and `fresh`
//! asks only that values differ. An observed order adds that a moment waits for its causes: an event with a cause on a
//! component of S that is still ahead is not the first one that touches S.
//!
//! *When all moments are consumed*, only unobserved events are left, and no component has moments. Then any component without
//! which the rest cannot end serves instead.
//!
//! *Global prefixes.* Nothing is unobserved before all moments are consumed, so the first event that touches S is observed.

use otus_core::LifelineSet;
use otus_core::index::Index as _;
use otus_trace::ComponentId;
use smallvec::SmallVec;

use super::expr::{Expr, ExprId, Exprs, LeafId, SetId};
use super::search::{Search, State};

/// By component: whether it is in the set.
pub(super) type Members = SmallVec<[bool; 8]>;

impl Search<'_, '_> {
    /// The stubborn sets that a state offers, each closed from one component. Empty if no event can help.
    pub(super) fn stubborn(&mut self, state: &State) -> Vec<Members> {
        let count = self.observation.logs.len();
        let is_over = self.observation.all_consumed(&state.consumed);
        let mut found: Vec<Members> = Vec::new();
        for seed in 0..count {
            let is_seed = if is_over {
                self.needs(state.expr, seed)
            } else {
                self.observation.next_moment(&state.consumed, seed).is_some()
            };
            if is_seed {
                let set = self.close(state, seed);
                if !found.contains(&set) {
                    found.push(set);
                }
            }
        }
        if found.is_empty() {
            found.push(SmallVec::from_elem(true, count));
        }
        found.sort_by_key(|set| set.iter().filter(|is_in| **is_in).count());
        found
    }

    /// Whether an expression cannot end without an event on a component.
    fn needs(&mut self, expr: ExprId, component: usize) -> bool {
        let partition = self.observation.problem.trace.partition();
        let own = self.tables.exprs.set(&partition.set(ComponentId::new(component)));
        self.tables.exprs.prune(expr, own) == Exprs::NEVER
    }

    /// The least stubborn set with a component, of those that the closure finds.
    fn close(&mut self, state: &State, seed: usize) -> Members {
        let mut set: Members = SmallVec::from_elem(false, self.observation.logs.len());
        let mut pending = vec![seed];
        set[seed] = true;
        let add = |component: usize, set: &mut Members, pending: &mut Vec<usize>| {
            if !std::mem::replace(&mut set[component], true) {
                pending.push(component);
            }
        };
        while let Some(component) = pending.pop() {
            let is_outside = self.observation.is_outside(&state.consumed, component);
            let next = self.observation.next_moment(&state.consumed, component);
            let kinds = next.map(|(from, to)| self.kinds_of(component, from, to));
            for at in 0..self.leaves_on[component].len() {
                let leaf = self.leaves_on[component][at];
                let kind = self.tables.exprs.leaves[leaf].kind;
                let is_next = kinds.as_ref().is_some_and(|kinds| kinds.contains(&kind));
                if !is_next && !is_outside {
                    continue;
                }
                let all = self.components_of(kind);
                if is_next && let Some(cause) = self.pending_cause(state, component, &all) {
                    add(cause, &mut set, &mut pending);
                    // Unobserved, it has no cause.
                    if !is_outside {
                        continue;
                    }
                }
                let blocked: SmallVec<[usize; 2]> = all
                    .iter()
                    .copied()
                    .filter(|&other| !self.can_take_part(state, other, kind))
                    .collect();
                if let Some(&first) = blocked.first() {
                    if !blocked.iter().any(|&other| set[other]) {
                        add(first, &mut set, &mut pending);
                    }
                    continue;
                }
                let Some(left) = self.tables.exprs.waits_for(state.expr, leaf, &self.homes) else {
                    // It does not occur, or cannot be first once all of its components are in the set.
                    if self.tables.exprs.occurs(state.expr, leaf) {
                        all.iter().for_each(|&other| add(other, &mut set, &mut pending));
                    }
                    continue;
                };
                all.iter().for_each(|&other| add(other, &mut set, &mut pending));
                let partition = self.observation.problem.trace.partition();
                let left: SmallVec<[usize; 8]> = self
                    .tables
                    .exprs
                    .set_of(left)
                    .iter()
                    .map(|lifeline| partition.component_of(lifeline).index())
                    .collect();
                left.iter().for_each(|&other| add(other, &mut set, &mut pending));
            }
        }
        set
    }

    /// Whether an event of a kind could be on a component now.
    fn can_take_part(
        &mut self,
        state: &State,
        component: usize,
        kind: super::expr::KindId,
    ) -> bool {
        if self.observation.is_outside(&state.consumed, component) {
            return true;
        }
        let next = self.observation.next_moment(&state.consumed, component);
        next.is_some_and(|(from, to)| self.kinds_of(component, from, to).contains(&kind))
    }

    /// A component with an observed cause of the next moment of another one that is still ahead, unless the event is on both.
    fn pending_cause(&self, state: &State, component: usize, of: &[usize]) -> Option<usize> {
        let order = self.observation.problem.order?;
        let (from, to) = self.observation.next_moment(&state.consumed, component)?;
        let step = |step: usize| u32::try_from(step).unwrap_or(u32::MAX);
        let causes = order.causes(ComponentId::new(component), step(from)..step(to));
        let is_ahead = |at: usize, cause: u32| {
            state.consumed[at] <= cause && (cause as usize) < self.observation.logs[at].len
        };
        causes.iter().find_map(|cause| {
            let at = cause.component.index();
            (is_ahead(at, cause.cause) && !of.contains(&at)).then_some(at)
        })
    }
}

impl Exprs {
    /// A set of lifelines by its number.
    pub(super) fn set_of(&self, set: SetId) -> &LifelineSet {
        &self.sets.items[set]
    }

    /// Whether a leaf occurs in an expression.
    fn occurs(&self, id: ExprId, leaf: LeafId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) || !self.leaves[leaf].lifelines.is_subset(self.lifelines(id)) {
                continue;
            }
            match self.expr(id) {
                Expr::Never | Expr::Empty | Expr::Hole(..) => {}
                Expr::Leaf(own, _) if *own == leaf => return true,
                Expr::Leaf(..) => {}
                Expr::Alt(left, right) | Expr::Sched(_, left, right) => {
                    pending.extend([*left, *right]);
                }
                Expr::Par(operands) => pending.extend(operands.iter()),
                Expr::Loop(_, body) | Expr::New(_, body) | Expr::Fresh(_, _, body) => {
                    pending.push(*body);
                }
            }
        }
        false
    }

    /// The lifelines that stand to the left of some occurrence of a leaf in conflict with it, if all of its components are in
    /// the stubborn set; `None` if the leaf does not occur, or cannot be first. `homes` has, by lifeline, the lifelines of its
    /// component.
    fn waits_for(&mut self, id: ExprId, leaf: LeafId, homes: &[LifelineSet]) -> Option<SetId> {
        if !self.leaves[leaf].lifelines.is_subset(self.lifelines(id)) {
            return None;
        }
        if let Some(&known) = self.waiting.get(&(id, leaf)) {
            return known;
        }
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.waits(id, leaf, homes));
        let found = found.map(|set| self.set(&set));
        self.waiting.insert((id, leaf), found);
        found
    }

    fn waits(&mut self, id: ExprId, leaf: LeafId, homes: &[LifelineSet]) -> Option<LifelineSet> {
        let of = |exprs: &mut Self, id: ExprId| {
            let found = exprs.waits_for(id, leaf, homes)?;
            Some(exprs.set_of(found).clone())
        };
        let both = |one: Option<LifelineSet>, other: Option<LifelineSet>| match (one, other) {
            (Some(one), Some(other)) => Some(one.union(&other)),
            (one, other) => one.or(other),
        };
        match self.expr(id).clone() {
            Expr::Never | Expr::Empty => None,
            Expr::Leaf(own, _) => (own == leaf).then_some(LifelineSet::EMPTY),
            Expr::Alt(left, right) => {
                let (left, right) = (of(self, left), of(self, right));
                both(left, right)
            }
            Expr::Par(operands) => operands.iter().fold(None, |all, &operand| {
                let own = of(self, operand);
                both(all, own)
            }),
            Expr::New(_, body) | Expr::Fresh(_, _, body) => of(self, body),
            // The search has no holes.
            Expr::Hole(..) => None,
            Expr::Sched(order, left, right) => {
                let first = of(self, left);
                let (conflicts, own) = self.in_conflict(order, leaf, homes);
                let quiet = self.prune(left, own);
                if quiet == Exprs::NEVER {
                    return first;
                }
                let before = self.lifelines(quiet).intersection(self.set_of(conflicts));
                let second = of(self, right).map(|inner| inner.union(&before));
                both(first, second)
            }
            Expr::Loop(order, body) => {
                let inner = of(self, body)?;
                let (conflicts, own) = self.in_conflict(order, leaf, homes);
                let quiet = self.prune(body, own);
                let before = self.lifelines(quiet).intersection(self.set_of(conflicts));
                Some(inner.union(&before))
            }
        }
    }

    /// The lifelines in conflict with a leaf, and those of them that are on its components.
    fn in_conflict(
        &mut self,
        order: super::expr::Order,
        leaf: LeafId,
        homes: &[LifelineSet],
    ) -> (SetId, SetId) {
        let conflicts = self.conflicts(order, leaf);
        let lifelines = self.leaves[leaf].lifelines.iter();
        let own = lifelines.fold(LifelineSet::EMPTY, |all, l| all.union(&homes[l.index()]));
        let own = own.intersection(self.set_of(conflicts));
        let own = self.set(&own);
        (conflicts, own)
    }
}
