//! The valued tree of an interaction: guards and binders with their names resolved.
//!
//! ```text
//! a -- m[g] -> b    ↦ strict(a!m[g], b?m[g]), each end with the atoms that concern it
//! a at s            ↦ a.time = s
//! a within d of s   ↦ a.time <= s + d
//! a at least d after s  ↦ a.time >= s + d
//! a -- m[=f] -> b   ↦ new(y)(a -- m[f = y] -> b)
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_syntax::ast::guard::{self, Offset, Relation};
use otus_syntax::ast::{Interaction, LoopKind, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::name::{Name, Symbol};
use otus_syntax::{Rational, Span};

use super::actions;
use super::names::Resolved;
use super::problem::{Problem, Problems};
use crate::action::Action;
use crate::index::{IndexVec, LifelineId, RegionId};
use crate::intern::Interner;
use crate::peer::Peer;
use crate::pool::Pool;
use crate::value::Value;
use crate::valued::{Atom, Operand, Part, Test, Valued, ValuedId, ValuedNode, VariableId};

/// The interaction of a file.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) file: usize,
    pub(super) tree: &'a SpecFile,
    pub(super) interaction: &'a Interaction,
    /// By node: whether it is reachable from the root.
    pub(super) reachable: &'a [bool],
    /// The partners of a passing that does not say who is at its other end.
    pub(super) everyone: &'a Arc<BTreeSet<Peer>>,
}

/// The tree with values, if the interaction has guards or binders.
pub(super) fn build(
    text: Text<'_>,
    resolved: &Resolved,
    pool: &mut Pool,
    problems: &mut Problems,
) -> Option<Box<Valued>> {
    let nodes = text.interaction.nodes.iter().zip(text.reachable);
    let mut reached = nodes.filter(|(_, reached)| **reached).map(|(node, _)| &node.kind);
    let has_values = reached.any(|kind| match kind {
        NodeKind::Passing(passing) => !passing.guard.is_empty(),
        NodeKind::Operator(operator, _) => !operator.variables().is_empty(),
        NodeKind::Empty | NodeKind::Invalid => false,
    });
    if !has_values {
        return None;
    }
    let mut fields = Interner::default();
    fields.intern("time".into());
    let mut builder = Builder {
        text,
        resolved,
        pool,
        problems,
        valued: Valued {
            fields,
            variables: IndexVec::default(),
            nodes: IndexVec::default(),
            spans: IndexVec::default(),
            root: ValuedId(0),
        },
        scopes: vec![None; text.interaction.nodes.len()],
        bound: Vec::new(),
    };
    builder.declare();
    let root = builder.interaction();
    builder.valued.root = root;
    Some(Box::new(builder.valued))
}

/// A variable that is declared, and the scope around its binder.
#[derive(Debug, Clone, Copy)]
struct Bound {
    symbol: Symbol,
    span: Span,
    variable: VariableId,
    around: Option<usize>,
}

struct Builder<'a> {
    text: Text<'a>,
    resolved: &'a Resolved,
    pool: &'a mut Pool,
    problems: &'a mut Problems,
    valued: Valued,
    /// By syntax node: its innermost scope, an index into `bound`.
    scopes: Vec<Option<usize>>,
    bound: Vec<Bound>,
}

impl Builder<'_> {
    /// Declares the variables of all binders, parents first. A shared node has the scope of one of its parents; they
    /// are the iterations of one unfolded loop, so that all of them have the same scope.
    fn declare(&mut self) {
        let interaction = self.text.interaction;
        for at in (0..interaction.nodes.len()).rev().filter(|&at| self.text.reachable[at]) {
            let NodeKind::Operator(operator, operands) = &interaction.nodes[at].kind else {
                continue;
            };
            let mut scope = self.scopes[at];
            for &name in operator.variables() {
                if let Some(first) = self.find(scope, name.symbol) {
                    let first = self.bound[first].span;
                    let problem = Problem::VariableTwice { name, first };
                    self.problems.add(self.text.file, name.span, problem);
                }
                let text = self.text.tree.names.text(name.symbol);
                let variable = self.valued.variables.push(text.into());
                let (symbol, span) = (name.symbol, name.span);
                self.bound.push(Bound { symbol, span, variable, around: scope });
                scope = Some(self.bound.len() - 1);
            }
            for operand in operands {
                self.scopes[operand.index()] = scope;
            }
        }
    }

    /// The declaration of a name in a scope.
    fn find(&self, scope: Option<usize>, symbol: Symbol) -> Option<usize> {
        let mut at = scope;
        while let Some(found) = at {
            if self.bound[found].symbol == symbol {
                return Some(found);
            }
            at = self.bound[found].around;
        }
        None
    }

    fn interaction(&mut self) -> ValuedId {
        let interaction = self.text.interaction;
        let empty = self.node(ValuedNode::Empty, Span::default());
        let mut done = vec![empty; interaction.nodes.len()];
        for (at, node) in interaction.nodes.iter().enumerate() {
            if !self.text.reachable[at] {
                continue;
            }
            done[at] = match &node.kind {
                NodeKind::Empty | NodeKind::Invalid => empty,
                NodeKind::Passing(passing) => self.passing(passing, self.scopes[at], node.span),
                NodeKind::Operator(operator, operands) => {
                    // The scope inside a binder is that of its operand.
                    let inner = operands.first().and_then(|operand| self.scopes[operand.index()]);
                    let operands: Vec<ValuedId> =
                        operands.iter().map(|operand| done[operand.index()]).collect();
                    self.operator(operator, &operands, inner, node.span)
                }
            };
        }
        done[interaction.root.index()]
    }

    fn node(&mut self, node: ValuedNode, span: Span) -> ValuedId {
        self.valued.spans.push(span);
        self.valued.nodes.push(node)
    }

    fn operator(
        &mut self,
        operator: &Operator,
        operands: &[ValuedId],
        scope: Option<usize>,
        span: Span,
    ) -> ValuedId {
        match operator {
            Operator::Strict => self.nest(operands, span, ValuedNode::Strict),
            Operator::Seq => self.nest(operands, span, |i, j| ValuedNode::Coreg(Pool::NONE, i, j)),
            Operator::Par => self.nest(operands, span, |i, j| ValuedNode::Coreg(Pool::ALL, i, j)),
            Operator::Alt => self.nest(operands, span, ValuedNode::Alt),
            Operator::Coreg(names) => {
                let region = self.region(names);
                self.nest(operands, span, |i, j| ValuedNode::Coreg(region, i, j))
            }
            Operator::Loop(kind) => {
                let body = self.nest(operands, span, |i, j| ValuedNode::Coreg(Pool::NONE, i, j));
                let node = match kind {
                    LoopKind::Strict => ValuedNode::LoopS(body),
                    LoopKind::Weak | LoopKind::HeadFirst => ValuedNode::LoopC(Pool::NONE, body),
                    LoopKind::Parallel => ValuedNode::LoopC(Pool::ALL, body),
                    LoopKind::Coregion(names) => ValuedNode::LoopC(self.region(names), body),
                };
                self.node(node, span)
            }
            Operator::New(names) | Operator::Fresh(names) => {
                let is_new = matches!(operator, Operator::New(_));
                let mut body =
                    self.nest(operands, span, |i, j| ValuedNode::Coreg(Pool::NONE, i, j));
                // The scopes of the names, innermost first.
                let mut at = scope;
                for _ in names {
                    let Some(found) = at else { break };
                    let Bound { variable, around, .. } = self.bound[found];
                    let node = if is_new {
                        ValuedNode::New(variable, body)
                    } else {
                        ValuedNode::Fresh(variable, body)
                    };
                    body = self.node(node, span);
                    at = around;
                }
                body
            }
        }
    }

    /// `f(i, j, k) = f(i, f(j, k))`, `f(i) = i` and `f() = ∅`.
    fn nest(
        &mut self,
        operands: &[ValuedId],
        span: Span,
        join: impl Fn(ValuedId, ValuedId) -> ValuedNode,
    ) -> ValuedId {
        let Some((&last, before)) = operands.split_last() else {
            return self.node(ValuedNode::Empty, span);
        };
        before.iter().rev().fold(last, |right, &left| self.node(join(left, right), span))
    }

    fn region(&mut self, names: &[Name]) -> RegionId {
        let lifelines = names.iter().map(|&name| self.resolved.lifeline(name)).collect();
        self.pool.intern_region(&lifelines)
    }

    fn passing(&mut self, passing: &Passing, scope: Option<usize>, span: Span) -> ValuedId {
        let mut same = Vec::new();
        let atoms: Vec<(Option<LifelineId>, Atom)> = passing
            .guard
            .iter()
            .filter_map(|atom| self.atom(passing, atom, scope, &mut same))
            .collect();
        let part = |action: Action, peers| {
            let own = atoms.iter().filter(|(at, _)| at.is_none_or(|at| at == action.lifeline));
            Part { action, peers, guard: own.map(|(_, atom)| atom.clone()).collect() }
        };
        let mut parts: Vec<Part> = actions(passing, self.resolved, self.text.everyone)
            .into_iter()
            .map(|(action, peers)| part(action, peers))
            .collect();
        let mut node = if passing.synchronous {
            parts.sort_by_key(|part| part.action);
            self.node(ValuedNode::Event(parts.into()), span)
        } else {
            let has_emission = passing.origin.is_some();
            let mut leaves: Vec<ValuedId> = parts
                .into_iter()
                .map(|part| self.node(ValuedNode::Event(Box::new([part])), span))
                .collect();
            let emission = has_emission.then(|| leaves.remove(0));
            let seq = |i, j| ValuedNode::Coreg(Pool::NONE, i, j);
            match (emission, leaves.is_empty()) {
                (Some(emission), true) => emission,
                (None, _) => self.nest(&leaves, span, seq),
                (Some(emission), false) => {
                    let received = self.nest(&leaves, span, seq);
                    self.node(ValuedNode::Strict(emission, received), span)
                }
            }
        };
        for variable in same {
            node = self.node(ValuedNode::New(variable, node), span);
        }
        node
    }

    /// An atom with the lifeline that it concerns, if it concerns one only. `same` gets the variable of `=f`.
    fn atom(
        &mut self,
        passing: &Passing,
        atom: &guard::Atom,
        scope: Option<usize>,
        same: &mut Vec<VariableId>,
    ) -> Option<(Option<LifelineId>, Atom)> {
        let file = self.text.file;
        let lifeline = match atom.lifeline {
            None => None,
            Some(name) => {
                let mut ends = passing.origin.iter().chain(passing.target.lifelines());
                if !ends.any(|end| end.symbol == name.symbol) {
                    self.problems.add(file, name.span, Problem::NotAnEnd { name });
                    return None;
                }
                Some(self.resolved.lifeline(name))
            }
        };
        self.no_end(atom);
        let zero = Rational::from(0);
        let (field, test) = match &atom.test {
            guard::Test::Compare { field, relation, operand } => {
                let field = self.field(*field);
                let operand = match operand {
                    guard::Operand::Literal(guard::Literal::Number(_)) if field == Valued::TIME => {
                        self.problems.add(file, atom.span, Problem::TimeWithoutUnit);
                        return None;
                    }
                    guard::Operand::Literal(_) if field == Valued::TIME => {
                        self.problems.add(file, atom.span, Problem::TimeWithConstant);
                        return None;
                    }
                    guard::Operand::Literal(literal) => Operand::Constant(value(literal)),
                    guard::Operand::Variable { name, offset } => {
                        let offset = match offset {
                            None => zero,
                            Some(Offset::Number(number)) => *number,
                            Some(Offset::Duration(duration)) => Rational::from(duration.0),
                        };
                        Operand::Variable(self.variable(*name, scope)?, offset)
                    }
                };
                (field, Test::Compare(*relation, operand))
            }
            guard::Test::In { field, .. } | guard::Test::Matches { field, .. }
                if self.field(*field) == Valued::TIME =>
            {
                self.problems.add(file, atom.span, Problem::TimeWithConstant);
                return None;
            }
            guard::Test::In { field, values } => {
                (self.field(*field), Test::In(values.iter().map(value).collect()))
            }
            guard::Test::Matches { field, pattern } => {
                (self.field(*field), Test::Matches(pattern.clone()))
            }
            guard::Test::Same(field) => {
                let text = self.text.tree.names.text(field.symbol);
                let variable = self.valued.variables.push(text.into());
                same.push(variable);
                let operand = Operand::Variable(variable, zero);
                (self.field(*field), Test::Compare(Relation::Equal, operand))
            }
            guard::Test::At(anchor) => {
                let anchor = self.variable(*anchor, scope)?;
                let operand = Operand::Variable(anchor, zero);
                (Valued::TIME, Test::Compare(Relation::Equal, operand))
            }
            guard::Test::Within { duration, anchor } => {
                let anchor = self.variable(*anchor, scope)?;
                let operand = Operand::Variable(anchor, Rational::from(duration.0));
                (Valued::TIME, Test::Compare(Relation::LessEqual, operand))
            }
            guard::Test::After { duration, anchor } => {
                let anchor = self.variable(*anchor, scope)?;
                let operand = Operand::Variable(anchor, Rational::from(duration.0));
                (Valued::TIME, Test::Compare(Relation::GreaterEqual, operand))
            }
        };
        Some((lifeline, Atom { field, test }))
    }

    /// Reports a path that begins with a lifeline at neither end of the passing: its author hardly meant a field of this
    /// name. In quotes it is one.
    fn no_end(&mut self, atom: &guard::Atom) {
        let names = &self.text.tree.names;
        let (None, Some(field)) = (atom.lifeline, atom.field()) else { return };
        let text = names.text(field.symbol);
        let Some((first, _)) = text.split_once('.') else { return };
        let is_bare = field.span.len() as usize == text.len();
        if let (true, Some(_), Some(symbol)) =
            (is_bare, self.resolved.signature.lifeline(first), names.find(first))
        {
            let end = field.span.start + u32::try_from(first.len()).unwrap_or(0);
            let name = Name { symbol, span: Span::new(field.span.start, end) };
            self.problems.add(self.text.file, name.span, Problem::NotAnEnd { name });
        }
    }

    fn field(&mut self, name: Name) -> crate::valued::FieldId {
        self.valued.fields.intern(self.text.tree.names.text(name.symbol).into())
    }

    fn variable(&mut self, name: Name, scope: Option<usize>) -> Option<VariableId> {
        let found = self.find(scope, name.symbol);
        if found.is_none() {
            self.problems.add(self.text.file, name.span, Problem::UnboundVariable { name });
        }
        found.map(|found| self.bound[found].variable)
    }
}

fn value(literal: &guard::Literal) -> Value {
    match literal {
        guard::Literal::Number(number) => Value::Number(*number),
        guard::Literal::Text(text) => Value::Text((&**text).into()),
        guard::Literal::Boolean(truth) => Value::Boolean(*truth),
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::spec;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let text = format!("@lifeline{{a;b;c;fresh}} @message{{m;n}} {text}");
        let lowered = crate::lower(&[&spec(&text)]);
        assert_eq!(lowered.diagnostics, []);
        let found = lowered.valued.map(|valued| valued.text(&lowered.pool));
        assert_eq!(found.as_deref().unwrap_or("none"), expected);
    }

    #[track_caller]
    fn fault(text: &str, expected: &str) {
        let lowered = crate::lower(&[&spec(&format!("@lifeline{{a;b;c}} @message{{m;n}} {text}"))]);
        let found: Vec<&str> = lowered.diagnostics.iter().map(|d| &*d.message).collect();
        assert_eq!(found, [expected]);
    }

    #[test]
    fn guards_are_split_between_the_ends() {
        check("a -- m -> b", "none");
        check("a -- m[k = 1] -> b", "strict(a!m[k = 1], b?m[k = 1])");
        check("a -- m[a.k = 1, b.k < -0.5] -> b", "strict(a!m[k = 1], b?m[k < -1/2])");
        check("a!m[t in {1, \"x\", true}, k ~ \"p/*\"]", "a!m[t in {1, \"x\", true}, k ~ \"p/*\"]");
        check("a -- <synch> m[k != 3] -> b", "{a!m[k != 3], b?m[k != 3]}");
        check("a -- m[=k] -> b", "new(k)(strict(a!m[k = k], b?m[k = k]))");
    }

    #[test]
    fn binders_reach_as_far_as_they_say() {
        check("loopP(fresh x)(a!m[k = x])", "fresh(x)(loopP(a!m[k = x]))");
        check("loopC(a, b; fresh x)(a!m[k = x])", "fresh(x)(loopC(a, b)(a!m[k = x]))");
        check(
            "new(x, s)(seq(a!m[k = x, a at s], a!n[k = x + 1, a within 2s of s]))",
            "new(x)(new(s)(seq(a!m[k = x, time = s], a!n[k = x + 1, time <= s + 2000000000])))",
        );
        check(
            "new(s)(seq(a!m[a at s], a!n[a at least 1.5ms after s]))",
            "new(s)(seq(a!m[time = s], a!n[time >= s + 1500000]))",
        );
        // Words of binders stay names elsewhere.
        check("loopP(fresh -- m[k = 1] -> b)", "loopP(strict(fresh!m[k = 1], b?m[k = 1]))");
    }

    #[test]
    fn faults_are_told() {
        fault("a!m[k = x]", "no binder declares the variable `x`");
        fault("new(x)(new(x)(a!m[k = x]))", "the variable `x` is declared again inside its scope");
        check("a!m[\"c.k\" = 1, d.k = 1]", "a!m[c.k = 1, d.k = 1]");
        fault("a!m[c.k = 1]", "`c` neither sends nor receives this message");
        fault("a!m[time < 3]", "a time is compared with a number that has no unit");
    }
}
