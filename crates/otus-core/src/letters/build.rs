//! The term of a valued tree over letters.

use rustc_hash::FxHashMap;

use super::{Letter, Letters, Scope, ScopeId, Template, Variables, variables};
use crate::index::{IndexVec, TermId};
use crate::pool::Pool;
use crate::valued::{Valued, ValuedId, ValuedNode, VariableId};

/// The most nodes of a tree that is written out.
const MANY: u64 = 4_000_000;

/// Makes the term of a valued tree. Nodes without a variable below them are made once; others at each of their places.
pub(super) struct Builder<'a> {
    letters: &'a mut Letters,
    valued: &'a Valued,
    /// By node: whether a guard below it compares with a variable.
    has_variables: IndexVec<ValuedId, bool>,
    /// By node without variables: its term.
    plain: FxHashMap<ValuedId, TermId>,
    made: u64,
}

/// What the builder does next.
enum Task {
    /// Makes the term of a node below a scope and a number of loops.
    Visit(ValuedId, Option<ScopeId>, u32),
    /// Joins the terms of the operands of a node.
    Join(ValuedId),
}

impl<'a> Builder<'a> {
    pub(super) fn new(letters: &'a mut Letters, valued: &'a Valued) -> Self {
        let mut has_variables: IndexVec<ValuedId, bool> = IndexVec::default();
        for node in &valued.nodes {
            let of = |id: &ValuedId| has_variables[*id];
            let has = match node {
                ValuedNode::Empty => false,
                ValuedNode::Event(parts) => !variables(parts).is_empty(),
                ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) | ValuedNode::Alt(i, j) => {
                    of(i) || of(j)
                }
                ValuedNode::LoopS(i)
                | ValuedNode::LoopC(_, i)
                | ValuedNode::New(_, i)
                | ValuedNode::Fresh(_, i) => of(i),
            };
            has_variables.push(has);
        }
        Builder { letters, valued, has_variables, plain: FxHashMap::default(), made: 0 }
    }

    pub(super) fn build(mut self) -> Option<TermId> {
        let mut tasks = vec![Task::Visit(self.valued.root, None, 0)];
        let mut terms: Vec<TermId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(node, scope, loops) => {
                    self.made += 1;
                    if self.made > MANY {
                        return None;
                    }
                    match self.plain.get(&node) {
                        Some(&known) => terms.push(known),
                        None => self.visit(node, scope, loops, &mut tasks, &mut terms),
                    }
                }
                Task::Join(node) => {
                    let right = terms.pop()?;
                    let term = self.join(node, right, &mut terms)?;
                    if !self.has_variables[node] {
                        self.plain.insert(node, term);
                    }
                    terms.push(term);
                }
            }
        }
        terms.pop()
    }

    fn visit(
        &mut self,
        node: ValuedId,
        scope: Option<ScopeId>,
        loops: u32,
        tasks: &mut Vec<Task>,
        terms: &mut Vec<TermId>,
    ) {
        let mut inner = node;
        let mut fresh = Vec::new();
        while let ValuedNode::Fresh(variable, body) = self.valued.nodes[inner] {
            fresh.push(variable);
            inner = body;
        }
        match self.valued.nodes[inner] {
            ValuedNode::Empty => terms.push(Pool::EMPTY),
            ValuedNode::Event(ref parts) if parts.is_empty() => terms.push(Pool::EMPTY),
            ValuedNode::Event(_) => terms.push(self.leaf(inner, scope, loops)),
            ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) | ValuedNode::Alt(i, j) => {
                tasks.push(Task::Join(inner));
                tasks.push(Task::Visit(j, scope, loops));
                tasks.push(Task::Visit(i, scope, loops));
            }
            ValuedNode::LoopS(i) | ValuedNode::LoopC(_, i) => {
                let level = loops + 1;
                let scope = self.scope(inner, scope, level, fresh, true);
                tasks.push(Task::Join(inner));
                tasks.push(Task::Visit(i, scope, level));
            }
            ValuedNode::New(variable, i) => {
                let scope = self.scope(inner, scope, loops, vec![variable], false);
                tasks.push(Task::Visit(i, scope, loops));
            }
            // All of them are collected above.
            ValuedNode::Fresh(_, i) => tasks.push(Task::Visit(i, scope, loops)),
        }
    }

    /// The scope inside of a binder or loop, if anything is bound there or above.
    fn scope(
        &mut self,
        node: ValuedId,
        around: Option<ScopeId>,
        level: u32,
        variables: Vec<VariableId>,
        is_loop: bool,
    ) -> Option<ScopeId> {
        if !self.has_variables[node] {
            return around;
        }
        Some(self.letters.scopes.push(Scope { around, level, variables, is_loop }))
    }

    fn leaf(&mut self, leaf: ValuedId, scope: Option<ScopeId>, loops: u32) -> TermId {
        let letters = &mut *self.letters;
        let letter = match scope {
            Some(scope) if self.has_variables[leaf] => {
                let iteration = Letters::WHOLE;
                if letters.needed(leaf, scope) == 0 {
                    letters.ground(leaf, scope, iteration)
                } else {
                    let template = Template { scope, depth: loops, iteration };
                    Letter { leaf, variables: Variables::Bound(template) }
                }
            }
            Some(_) | None => Letter { leaf, variables: Variables::Instances(Box::default()) },
        };
        let letter = letters.intern(letter);
        let event = letters.event(letter);
        let term = letters.pool.event(event);
        if !self.has_variables[leaf] {
            self.plain.insert(leaf, term);
        }
        term
    }

    /// The term of a node whose last operand is given and whose others are on the stack.
    fn join(&mut self, node: ValuedId, last: TermId, terms: &mut Vec<TermId>) -> Option<TermId> {
        let pool = &mut self.letters.pool;
        Some(match self.valued.nodes[node] {
            ValuedNode::Strict(..) => pool.strict(terms.pop()?, last),
            ValuedNode::Coreg(region, ..) => pool.coreg(region, terms.pop()?, last),
            ValuedNode::Alt(..) => pool.alt(terms.pop()?, last),
            ValuedNode::LoopS(_) => pool.loop_s(last),
            ValuedNode::LoopC(region, _) => pool.loop_c(region, last),
            ValuedNode::Empty
            | ValuedNode::Event(_)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..) => last,
        })
    }
}
