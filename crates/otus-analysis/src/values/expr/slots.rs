//! The slots of expressions: which variables are open, in which order, and with other names.

use otus_core::LifelineId;
use otus_core::valued::{Operand, Test, Valued, VariableId};
use otus_syntax::ast::guard::Relation;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Expr, ExprId, Exprs, Var};

impl Exprs {
    /// The expression with its variables replaced. Only slots, opened variables and those bound variables that `change`
    /// replaces are touched, so bound variables under their own binder must not be among them.
    pub(in super::super) fn replace(
        &mut self,
        id: ExprId,
        change: &mut dyn FnMut(Var) -> Var,
    ) -> ExprId {
        let mut done = FxHashMap::default();
        self.replace_in(id, change, &mut done)
    }

    fn replace_in(
        &mut self,
        id: ExprId,
        change: &mut dyn FnMut(Var) -> Var,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        if let Some(&known) = done.get(&id) {
            return known;
        }
        let replaced =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.expr(id).clone() {
                Expr::Never | Expr::Empty => id,
                Expr::Leaf(leaf, arguments) => {
                    let arguments = arguments.into_iter().map(&mut *change).collect();
                    self.intern(Expr::Leaf(leaf, arguments))
                }
                Expr::Alt(left, right) => {
                    let left = self.replace_in(left, change, done);
                    let right = self.replace_in(right, change, done);
                    self.alt(left, right)
                }
                Expr::Par(operands) => {
                    let replaced: Vec<ExprId> = operands
                        .iter()
                        .map(|&operand| self.replace_in(operand, change, done))
                        .collect();
                    self.par_of(&replaced)
                }
                Expr::Sched(order, left, right) => {
                    let left = self.replace_in(left, change, done);
                    let right = self.replace_in(right, change, done);
                    self.sched(order, left, right)
                }
                Expr::Loop(order, body) => {
                    let body = self.replace_in(body, change, done);
                    self.repeat(order, body)
                }
                Expr::New(variable, body) => {
                    let body = self.replace_in(body, change, done);
                    self.new_variable(variable, body)
                }
                Expr::Fresh(variable, set, body) => {
                    let set = change(set);
                    let body = self.replace_in(body, change, done);
                    self.fresh(variable, set, body)
                }
                Expr::Hole(hole, table, without) => {
                    let table = change(table);
                    self.intern(Expr::Hole(hole, table, without))
                }
            });
        done.insert(id, replaced);
        replaced
    }

    /// The expression with its slots and opened variables numbered by first occurrence, and which variable each slot was.
    pub(in super::super) fn canonical(&mut self, id: ExprId) -> (ExprId, SmallVec<[Var; 4]>) {
        let mut numbers = Numbers::default();
        if !self.attributes[id].has_slots {
            return (id, numbers.order);
        }
        self.collect(id, &mut numbers);
        let is_canonical = numbers.order.iter().all(|&var| numbers.slot(var) == var);
        let renamed =
            if is_canonical { id } else { self.replace(id, &mut |var| numbers.slot(var)) };
        (renamed, numbers.order)
    }

    /// The number of slots of a canonical expression.
    pub(in super::super) fn slot_count(&self, id: ExprId) -> usize {
        let mut numbers = Numbers::default();
        self.collect(id, &mut numbers);
        numbers.order.len()
    }

    /// By slot of a canonical expression: the variable that it stands for.
    pub(in super::super) fn slot_variables(
        &self,
        id: ExprId,
        slots: usize,
    ) -> Vec<Option<VariableId>> {
        let mut found = vec![None; slots];
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !self.attributes[id].has_slots {
                continue;
            }
            match self.expr(id) {
                Expr::Never | Expr::Empty => {}
                Expr::Leaf(leaf, arguments) => {
                    for (var, &variable) in arguments.iter().zip(&self.leaves[*leaf].variables) {
                        if let Var::Slot(at) = var
                            && let Some(slot) = found.get_mut(usize::from(*at))
                        {
                            *slot = Some(variable);
                        }
                    }
                }
                Expr::Alt(left, right) | Expr::Sched(_, left, right) => {
                    pending.extend([*right, *left]);
                }
                Expr::Par(operands) => pending.extend(operands.iter().rev()),
                Expr::Loop(_, body) | Expr::New(_, body) | Expr::Fresh(_, _, body) => {
                    pending.push(*body);
                }
                Expr::Hole(..) => {}
            }
        }
        found
    }

    /// The bounds on times from above by slots: the slot, its variable, the lifeline of the event, and the nanoseconds
    /// after the anchor.
    pub(in super::super) fn bounds_from_above(
        &self,
        id: ExprId,
        slots: usize,
    ) -> Vec<(usize, VariableId, LifelineId, i64)> {
        let mut found = Vec::new();
        let variables = self.slot_variables(id, slots);
        for leaf in &self.leaves {
            for (slot, _) in variables.iter().enumerate() {
                for part in &leaf.parts {
                    for atom in part.guard.iter().filter(|atom| atom.field == Valued::TIME) {
                        if let Test::Compare(
                            Relation::Less | Relation::LessEqual,
                            Operand::Variable(variable, offset),
                        ) = &atom.test
                            && variables[slot] == Some(*variable)
                            && let Some(allowed) = offset.integer()
                        {
                            found.push((slot, *variable, part.action.lifeline, allowed));
                        }
                    }
                }
            }
        }
        found
    }

    /// The slots and opened variables in the order of their first occurrence.
    fn collect(&self, id: ExprId, numbers: &mut Numbers) {
        let mut pending = vec![id];
        let mut add = |var: Var| numbers.add(var);
        while let Some(id) = pending.pop() {
            if !self.attributes[id].has_slots {
                continue;
            }
            match self.expr(id) {
                Expr::Never | Expr::Empty => {}
                Expr::Leaf(_, arguments) => arguments.iter().copied().for_each(&mut add),
                Expr::Alt(left, right) | Expr::Sched(_, left, right) => {
                    pending.extend([*right, *left]);
                }
                Expr::Par(operands) => pending.extend(operands.iter().rev()),
                Expr::Loop(_, body) | Expr::New(_, body) => pending.push(*body),
                Expr::Fresh(_, set, body) => {
                    add(*set);
                    pending.push(*body);
                }
                Expr::Hole(_, table, _) => add(*table),
            }
        }
    }
}

/// Slots and opened variables in the order of their first occurrence, and the number of each in it.
#[derive(Default)]
struct Numbers {
    order: SmallVec<[Var; 4]>,
    /// By slot, and by opened variable.
    of_slots: SmallVec<[u16; 8]>,
    of_opened: SmallVec<[u16; 8]>,
}

impl Numbers {
    const NONE: u16 = u16::MAX;

    fn add(&mut self, var: Var) {
        let (numbers, at) = match var {
            Var::Bound(_) => return,
            Var::Slot(at) => (&mut self.of_slots, usize::from(at)),
            Var::Opened(at) => (&mut self.of_opened, usize::from(at)),
        };
        if numbers.len() <= at {
            numbers.resize(at + 1, Numbers::NONE);
        }
        if numbers[at] == Numbers::NONE {
            numbers[at] = u16::try_from(self.order.len()).unwrap_or(Numbers::NONE);
            self.order.push(var);
        }
    }

    /// The slot of a variable.
    fn slot(&self, var: Var) -> Var {
        let number = match var {
            Var::Bound(_) => return var,
            Var::Slot(at) => self.of_slots.get(usize::from(at)),
            Var::Opened(at) => self.of_opened.get(usize::from(at)),
        };
        Var::Slot(number.copied().unwrap_or(0))
    }
}
