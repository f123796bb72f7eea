//! The registers and conditions of a state of the search.

use otus_core::Value;
use otus_core::valued::Valued;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::bound::Bound;
use super::condition::{Condition, Open};
use super::epoch::{Epoch, Epochs, Later};

/// The value of a variable whose binder has been entered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Register {
    /// No event has told its value yet. In strict questions: whether it occurred.
    Open(Open, bool),
    Known(Value),
    /// Its only occurrence so far is a value that was not logged (in strict questions).
    Missing,
    /// The values of the iterations of a loop so far.
    Set(Vec<Member>),
}

/// A value of an iteration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Member {
    /// Not told yet. In strict questions: whether it occurred.
    Open(Open, bool),
    Known(Value),
    Missing,
}

/// The registers and conditions of a state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Memory {
    pub(crate) registers: SmallVec<[Register; 4]>,
    pub(crate) conditions: Vec<Condition>,
    /// By component: the time of its last event, where the log does not tell it. Empty if no guard compares times.
    pub(crate) last: SmallVec<[Option<Bound>; 4]>,
    /// The number of open variables so far.
    pub(crate) opens: u32,
    /// In strict questions: the loops with fresh variables that cannot begin another iteration, but have some that go on.
    pub(crate) ended: Vec<Ended>,
    /// The clocks of anchors and times, where clocks go backwards.
    pub(crate) epochs: Option<Box<Epochs>>,
}

/// The iterations of a loop with fresh variables, after its end: their values differ already, and are compared as soon as
/// they occur.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Ended {
    /// Whether a value that occurred was not logged.
    pub(super) has_missing: bool,
    /// Whether another one occurred.
    pub(super) has_others: bool,
    /// Those that have not occurred yet.
    pub(super) waiting: SmallVec<[Open; 2]>,
}

impl Memory {
    /// What is known at the start, for this number of components.
    pub(crate) fn new(valued: &Valued, components: usize) -> Self {
        let times = if valued.has_times() { components } else { 0 };
        let last = SmallVec::from_elem(None, times);
        let registers = SmallVec::new();
        let (conditions, ended) = (Vec::new(), Vec::new());
        Memory { registers, conditions, last, opens: 0, ended, epochs: None }
    }

    /// Adds a register for a variable whose value is open.
    pub(crate) fn open(&mut self) {
        self.registers.push(Register::Open(Open(self.opens), false));
        self.opens += 1;
    }

    /// The epoch of the anchor in a register, if its clock goes backwards and an event told its epoch.
    pub(crate) fn epoch(&self, register: usize) -> Option<Epoch> {
        self.epochs.as_ref()?.of_register(register)
    }

    /// Its size, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let sets = self.registers.iter().map(|register| match register {
            Register::Set(members) => size_of_val(members.as_slice()),
            Register::Open(..) | Register::Known(_) | Register::Missing => 0,
        });
        let later = self.epochs.as_ref().map_or(0, |epochs| epochs.later.len());
        size_of::<Memory>()
            + later * size_of::<Later>()
            + self.conditions.len() * size_of::<Condition>()
            + self.registers.len() * size_of::<Register>()
            + sets.sum::<usize>()
    }

    /// Drops conditions that concern no live variable, and numbers the open variables by first occurrence. Returns
    /// `Some(false)` if the conditions cannot be satisfied, `None` if that is unknown.
    pub(crate) fn settle(&mut self) -> Option<bool> {
        self.settle_counted(&mut 0)
    }

    /// The same. Adds the work that it took, in conditions that were looked at.
    pub(crate) fn settle_counted(&mut self, work: &mut u64) -> Option<bool> {
        let found = super::condition::satisfiable_counted(&self.conditions, work);
        if found != Some(true) && found.is_some() {
            return found;
        }
        let mut order: SmallVec<[Open; 4]> = SmallVec::new();
        let mut add = |open: Open| {
            if !order.contains(&open) {
                order.push(open);
            }
        };
        for register in &self.registers {
            match register {
                Register::Open(open, _) => add(*open),
                Register::Set(members) => {
                    for member in members {
                        if let Member::Open(open, _) = member {
                            add(*open);
                        }
                    }
                }
                Register::Known(_) | Register::Missing => {}
            }
        }
        // A variable that no register has cannot occur any more.
        for ended in &mut self.ended {
            ended.waiting.retain(|open| {
                self.registers
                    .iter()
                    .any(|register| matches!(register, Register::Open(own, _) if own == open))
            });
        }
        self.ended.retain(|ended| !ended.waiting.is_empty());
        for last in self.last.iter().flatten() {
            if let Bound::Open(open) = last {
                add(*open);
            }
        }
        if let Some(epochs) = &mut self.epochs {
            // An anchor that no register has is never set.
            epochs.later.retain(|later| {
                self.registers.iter().any(
                    |register| matches!(register, Register::Open(own, _) if *own == later.anchor),
                )
            });
            epochs.later.iter().flat_map(|later| later.condition.variables()).for_each(&mut add);
        }
        if found.is_some() {
            let times = self.last.iter().flatten().filter_map(|last| match last {
                Bound::Open(open) => Some(*open),
                Bound::Known(_) => None,
            });
            let times: SmallVec<[Open; 4]> = times.collect();
            super::project::project(&mut self.conditions, &order, &times);
        }
        if found.is_some() {
            // Conditions that are connected to no live variable hold for some values of their own.
            let mut live = order.clone();
            let mut kept = vec![false; self.conditions.len()];
            loop {
                let mut changed = false;
                for (at, condition) in self.conditions.iter().enumerate() {
                    if !kept[at] && condition.variables().any(|open| live.contains(&open)) {
                        kept[at] = true;
                        changed = true;
                        for open in condition.variables() {
                            if !live.contains(&open) {
                                live.push(open);
                            }
                        }
                    }
                }
                if !changed {
                    break;
                }
            }
            let mut at = 0;
            self.conditions.retain(|_| {
                at += 1;
                kept[at - 1]
            });
            order = live;
        } else {
            for open in self.conditions.iter().flat_map(Condition::variables) {
                if !order.contains(&open) {
                    order.push(open);
                }
            }
        }
        let name = |open: Open| {
            let at = order.iter().position(|&other| other == open).unwrap_or(0);
            Open(u32::try_from(at).unwrap_or(u32::MAX))
        };
        for register in &mut self.registers {
            match register {
                Register::Open(open, _) => *open = name(*open),
                Register::Set(members) => {
                    for member in members {
                        if let Member::Open(open, _) = member {
                            *open = name(*open);
                        }
                    }
                }
                Register::Known(_) | Register::Missing => {}
            }
        }
        for open in self.ended.iter_mut().flat_map(|ended| &mut ended.waiting) {
            *open = name(*open);
        }
        for last in self.last.iter_mut().flatten() {
            if let Bound::Open(open) = last {
                *open = name(*open);
            }
        }
        if let Some(epochs) = &mut self.epochs {
            let mut known: FxHashSet<Later> = FxHashSet::default();
            for later in &mut epochs.later {
                later.anchor = name(later.anchor);
                later.condition = later.condition.renamed(name);
            }
            epochs.later.retain(|later| known.insert(later.clone()));
        }
        self.epochs.take_if(|epochs| epochs.is_empty());
        let mut known: FxHashSet<Condition> = FxHashSet::default();
        let mut conditions: Vec<Condition> = Vec::with_capacity(self.conditions.len());
        for condition in &self.conditions {
            let renamed = condition.renamed(name);
            if known.insert(renamed.clone()) {
                conditions.push(renamed);
            }
        }
        self.conditions = conditions;
        self.opens = u32::try_from(order.len()).unwrap_or(u32::MAX);
        found
    }
}
