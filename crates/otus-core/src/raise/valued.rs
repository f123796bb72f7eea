//! Raising of interactions with values: guards and binders come back in the short forms that people write.
//!
//! ```text
//! strict(a!m[k = 1], b?m[k = 1, l = 2])   as a -- m[k = 1, b.l = 2] -> b
//! a!m[time <= s + 2000000000]             as a -- m[a within 2s of s] ->|
//! new(k)(a -- m[k = k] -> b)              as a -- m[=k] -> b
//! new(x)(new(y)(i))                       as new(x, y)(i)
//! ```
//!
//! Lowering a raised tree gives the same valued tree, except that an atom that a guard had twice is there once.

use otus_syntax::Rational;
use otus_syntax::ast::guard::{self, Duration, Literal, Offset, Relation};
use otus_syntax::ast::{
    Direction, Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing, SpecFile, Target,
};
use otus_syntax::name::Name;

use super::nowhere;
use crate::index::{Index as _, LifelineId, RegionId};
use crate::peer::Peer;
use crate::pool::Pool;
use crate::value::Value;
use crate::valued::{Atom, FieldId, Operand, Part, Test, Valued, ValuedId, ValuedNode, VariableId};

/// The syntax tree of an interaction with values, with the pool's signature. All its spans are zero.
pub fn raise_valued(pool: &Pool, valued: &Valued) -> SpecFile {
    let mut file = super::signature(pool.signature());
    let done = vec![None; valued.nodes.len()];
    let mut raiser = Raiser { pool, valued, done, nodes: Vec::new(), file: &mut file };
    let root = raiser.run();
    let nodes = raiser.nodes;
    file.interaction = Some(Interaction { nodes, root });
    file
}

struct Raiser<'a> {
    pool: &'a Pool,
    valued: &'a Valued,
    /// By valued node: its node.
    done: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    file: &'a mut SpecFile,
}

/// What is to be done next; the last one first.
enum Task {
    Visit(ValuedId),
    /// Builds the node of a valued node from those of its operands, with operators around it.
    Build(ValuedId, Vec<Operator>, Vec<ValuedId>),
}

/// A message passing among valued nodes.
struct Found<'v> {
    parts: Vec<&'v Part>,
    is_synchronous: bool,
}

impl<'a> Raiser<'a> {
    fn run(&mut self) -> NodeId {
        let root = self.valued.root;
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) if self.done[id.index()].is_some() => {}
                Task::Visit(id) => {
                    if let Some((operators, operands)) = self.visit(id) {
                        let visits: Vec<Task> =
                            operands.iter().rev().map(|&operand| Task::Visit(operand)).collect();
                        tasks.push(Task::Build(id, operators, operands));
                        tasks.extend(visits);
                    }
                }
                Task::Build(id, operators, operands) => {
                    let mut operands: Vec<NodeId> =
                        operands.iter().map(|&operand| self.operand(operand)).collect();
                    for operator in operators {
                        operands = vec![self.push(NodeKind::Operator(operator, operands))];
                    }
                    self.done[id.index()] = operands.first().copied();
                }
            }
        }
        match self.done[root.index()] {
            Some(root) => root,
            None => self.push(NodeKind::Empty),
        }
    }

    /// The node of an operand. Each ∅ has a node of its own: lowering finds the variables of a binder by the node inside it,
    /// which therefore belongs to one binder only.
    fn operand(&mut self, id: ValuedId) -> NodeId {
        match self.done[id.index()] {
            Some(done) if self.valued.nodes[id] != ValuedNode::Empty => done,
            Some(_) | None => self.push(NodeKind::Empty),
        }
    }

    fn push(&mut self, kind: NodeKind) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("valued nodes have 32-bit ids"));
        self.nodes.push(Node { span: otus_syntax::Span::default(), kind });
        id
    }

    /// Builds a leaf, or returns the operators of a node, innermost first, and the operands of the innermost.
    fn visit(&mut self, id: ValuedId) -> Option<(Vec<Operator>, Vec<ValuedId>)> {
        if let Some(found) = self.passing_at(id) {
            let leaf = self.leaf(&found, &[]);
            self.done[id.index()] = Some(leaf);
            return None;
        }
        let one = |operator| Some(vec![operator]);
        let (operators, operands) = match &self.valued.nodes[id] {
            ValuedNode::Empty | ValuedNode::Event(_) => {
                self.done[id.index()] = Some(self.push(NodeKind::Empty));
                return None;
            }
            ValuedNode::Strict(..) => (one(Operator::Strict), self.chain(id)),
            ValuedNode::Coreg(region, ..) => {
                let operator = match *region {
                    Pool::NONE => Operator::Seq,
                    Pool::ALL => Operator::Par,
                    region => Operator::Coreg(self.region(region)),
                };
                (one(operator), self.chain(id))
            }
            ValuedNode::Alt(..) => (one(Operator::Alt), self.chain(id)),
            ValuedNode::LoopS(body) => (one(Operator::Loop(LoopKind::Strict)), vec![*body]),
            ValuedNode::LoopC(region, body) => {
                let kind = match *region {
                    Pool::NONE => LoopKind::Weak,
                    Pool::ALL => LoopKind::Parallel,
                    region => LoopKind::Coregion(self.region(region)),
                };
                (one(Operator::Loop(kind)), vec![*body])
            }
            ValuedNode::New(..) => return self.new_block(id),
            ValuedNode::Fresh(..) => {
                let (variables, body) = self.binders(id, false);
                let names = variables.iter().map(|&it| self.variable(it)).collect();
                (one(Operator::Fresh(names)), vec![body])
            }
        };
        operators.map(|operators| (operators, operands))
    }

    /// `new`, or a passing with `=f` in its guard.
    fn new_block(&mut self, id: ValuedId) -> Option<(Vec<Operator>, Vec<ValuedId>)> {
        let (mut variables, body) = self.binders(id, true);
        let mut same = Vec::new();
        let found = self.passing_at(body);
        if let Some(found) = &found {
            while let Some(&last) = variables.last()
                && self.same_field(found, last).is_some()
            {
                variables.pop();
                same.push(last);
            }
        }
        let names: Vec<Name> = variables.iter().map(|&it| self.variable(it)).collect();
        match found {
            Some(found) if !same.is_empty() => {
                let mut leaf = self.leaf(&found, &same);
                if !names.is_empty() {
                    leaf = self.push(NodeKind::Operator(Operator::New(names), vec![leaf]));
                }
                self.done[id.index()] = Some(leaf);
                None
            }
            Some(_) | None => Some((vec![Operator::New(names)], vec![body])),
        }
    }

    /// The variables of nested binders of one kind, from the outermost, and what they are around.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter here")]
    fn binders(&self, id: ValuedId, is_new: bool) -> (Vec<VariableId>, ValuedId) {
        let (mut variables, mut at) = (Vec::new(), id);
        loop {
            match self.valued.nodes[at] {
                ValuedNode::New(variable, body) if is_new => (variables.push(variable), at = body),
                ValuedNode::Fresh(variable, body) if !is_new => {
                    (variables.push(variable), at = body)
                }
                _ => return (variables, at),
            };
        }
    }

    /// The operands of a right-nested chain of one operator.
    fn chain(&self, id: ValuedId) -> Vec<ValuedId> {
        let mut operands = Vec::new();
        let mut rest = id;
        while let Some((left, right)) = self.same_operator(id, rest) {
            operands.push(left);
            rest = right;
            if self.passing_at(rest).is_some() {
                break;
            }
        }
        operands.push(rest);
        operands
    }

    fn same_operator(&self, like: ValuedId, id: ValuedId) -> Option<(ValuedId, ValuedId)> {
        match (&self.valued.nodes[like], &self.valued.nodes[id]) {
            (ValuedNode::Strict(..), &ValuedNode::Strict(left, right))
            | (ValuedNode::Alt(..), &ValuedNode::Alt(left, right)) => Some((left, right)),
            (ValuedNode::Coreg(r, ..), &ValuedNode::Coreg(s, left, right)) if *r == s => {
                Some((left, right))
            }
            _ => None,
        }
    }

    fn region(&mut self, region: RegionId) -> Vec<Name> {
        let lifelines: Vec<LifelineId> = self.pool.region(region).iter().collect();
        lifelines.into_iter().map(|lifeline| self.lifeline(lifeline)).collect()
    }

    fn lifeline(&mut self, lifeline: LifelineId) -> Name {
        nowhere(self.file, self.pool.signature().lifeline_name(lifeline))
    }

    fn variable(&mut self, variable: VariableId) -> Name {
        nowhere(self.file, &self.valued.variables[variable])
    }

    /// The passing that a node is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter here")]
    fn passing_at(&self, id: ValuedId) -> Option<Found<'a>> {
        let single = |id: ValuedId, direction: Direction| match &self.valued.nodes[id] {
            ValuedNode::Event(parts) => match &**parts {
                [part] if part.action.direction == direction => Some(part),
                _ => None,
            },
            _ => None,
        };
        match &self.valued.nodes[id] {
            ValuedNode::Event(parts) => {
                Some(Found { parts: parts.iter().collect(), is_synchronous: parts.len() > 1 })
            }
            ValuedNode::Strict(emission, rest) => {
                let emission = single(*emission, Direction::Emission)?;
                let mut parts = vec![emission];
                let mut rest = *rest;
                loop {
                    let (head, tail) = match self.valued.nodes[rest] {
                        ValuedNode::Coreg(Pool::NONE, head, tail) => (head, Some(tail)),
                        _ => (rest, None),
                    };
                    let part = single(head, Direction::Reception)?;
                    if part.action.message != emission.action.message {
                        return None;
                    }
                    if parts.iter().any(|other: &&Part| other.action == part.action) {
                        return None;
                    }
                    // Both actions of a message to oneself have the same guard.
                    let is_own = part.action.lifeline == emission.action.lifeline;
                    if is_own && part.guard != emission.guard {
                        return None;
                    }
                    parts.push(part);
                    match tail {
                        Some(tail) => rest = tail,
                        None => break,
                    }
                }
                Some(Found { parts, is_synchronous: false })
            }
            _ => None,
        }
    }

    /// The field f if all that is said of a variable is `f = x` at every end, and x is called as the field.
    fn same_field(&self, found: &Found<'_>, variable: VariableId) -> Option<FieldId> {
        let mut field = None;
        for part in &found.parts {
            let mut about = part.guard.iter().filter(|atom| atom.variable() == Some(variable));
            let (Some(atom), None) = (about.next(), about.next()) else { return None };
            if atom.binds() != Some(variable) || field.is_some_and(|field| field != atom.field) {
                return None;
            }
            field = Some(atom.field);
        }
        field.filter(|&field| *self.valued.field_name(field) == *self.valued.variables[variable])
    }

    /// The node of a passing, with `=f` for the atoms of some variables.
    fn leaf(&mut self, found: &Found<'_>, same: &[VariableId]) -> NodeId {
        let Some(first) = found.parts.first() else { return self.push(NodeKind::Empty) };
        let is_emission = |part: &&&Part| part.action.direction == Direction::Emission;
        let origin = found.parts.iter().find(is_emission).map(|part| part.action.lifeline);
        let receivers = found.parts.iter().filter(|part| !is_emission(part));
        let receivers: Vec<LifelineId> = receivers.map(|part| part.action.lifeline).collect();
        let message = nowhere(self.file, self.pool.signature().message_name(first.action.message));
        let origin = origin.map(|origin| self.lifeline(origin));
        let mut names: Vec<Name> = receivers.into_iter().map(|it| self.lifeline(it)).collect();
        let target = match names.len() {
            0 => Target::Environment,
            1 => Target::Lifeline(names.remove(0)),
            _ => Target::Broadcast(names),
        };
        let guard = self.guard(found, same);
        let synchronous = found.is_synchronous;
        let node =
            self.push(NodeKind::Passing(Passing { origin, message, guard, target, synchronous }));
        self.point(found, node);
        node
    }

    /// Draws an arrow for an emission that is lost on its way to a lifeline.
    fn point(&mut self, found: &Found<'_>, node: NodeId) {
        let [part] = found.parts[..] else { return };
        let mut peers = part.peers.iter();
        let (Direction::Emission, Some(&Peer::Lifeline(peer)), None) =
            (part.action.direction, peers.next(), peers.next())
        else {
            return;
        };
        let towards = self.lifeline(peer);
        let text = self.pool.signature().message_name(part.action.message);
        let drawing = self.file.drawing.get_or_insert_default();
        drawing.point(node, text, towards, peer != part.action.lifeline);
    }

    /// The guard of a passing: an atom of every end is written once, one of some ends at these.
    fn guard(&mut self, found: &Found<'_>, same: &[VariableId]) -> Vec<guard::Atom> {
        let mut all: Vec<(Option<LifelineId>, &Atom)> = Vec::new();
        for part in &found.parts {
            let mut at = all.len();
            for atom in part.guard.iter().rev() {
                let everywhere = found.parts.iter().all(|other| other.guard.contains(atom));
                let lifeline = (!everywhere).then_some(part.action.lifeline);
                match all.iter().position(|known| *known == (lifeline, atom)) {
                    Some(known) => at = at.min(known),
                    None => all.insert(at, (lifeline, atom)),
                }
            }
        }
        let mut ends = found.parts.iter().map(|part| part.action.lifeline);
        let first = ends.next();
        let only = first.filter(|&first| ends.all(|end| end == first));
        let atoms = all.into_iter().map(|(lifeline, atom)| self.atom(lifeline, only, atom, same));
        atoms.collect()
    }

    /// An atom at a lifeline, or at both ends, which may be `only` one.
    fn atom(
        &mut self,
        lifeline: Option<LifelineId>,
        only: Option<LifelineId>,
        atom: &Atom,
        same: &[VariableId],
    ) -> guard::Atom {
        let place =
            |lifeline, test| guard::Atom { span: otus_syntax::Span::default(), lifeline, test };
        let is_time = atom.field == Valued::TIME;
        let named = lifeline.map(|lifeline| self.lifeline(lifeline));
        if let (true, Some(lifeline)) = (is_time, lifeline.or(only))
            && let Some(test) = self.timing(&atom.test)
        {
            return place(Some(self.lifeline(lifeline)), test);
        }
        let field = nowhere(self.file, self.valued.field_name(atom.field));
        let test = match &atom.test {
            Test::Compare(_, Operand::Variable(variable, _)) if same.contains(variable) => {
                guard::Test::Same(field)
            }
            Test::Compare(relation, operand) => {
                let operand = match operand {
                    Operand::Constant(value) => guard::Operand::Literal(literal(value)),
                    Operand::Variable(variable, offset) => guard::Operand::Variable {
                        name: self.variable(*variable),
                        offset: offset_of(*offset, is_time),
                    },
                };
                guard::Test::Compare { field, relation: *relation, operand }
            }
            Test::In(values) => {
                guard::Test::In { field, values: values.iter().map(literal).collect() }
            }
            Test::Matches(pattern) => guard::Test::Matches { field, pattern: pattern.clone() },
        };
        place(named, test)
    }

    /// `at`, `within` or `at least`, if a test of a time is one of them.
    fn timing(&mut self, test: &Test) -> Option<guard::Test> {
        let Test::Compare(relation, Operand::Variable(variable, offset)) = test else {
            return None;
        };
        let duration = Duration(offset.integer()?);
        let anchor = self.variable(*variable);
        match relation {
            Relation::Equal if duration.0 == 0 => Some(guard::Test::At(anchor)),
            Relation::LessEqual => Some(guard::Test::Within { duration, anchor }),
            Relation::GreaterEqual => Some(guard::Test::After { duration, anchor }),
            Relation::Equal | Relation::NotEqual | Relation::Less | Relation::Greater => None,
        }
    }
}

fn offset_of(offset: Rational, is_time: bool) -> Option<Offset> {
    match offset.integer() {
        Some(0) => None,
        Some(nanoseconds) if is_time => Some(Offset::Duration(Duration(nanoseconds))),
        Some(_) | None => Some(Offset::Number(offset)),
    }
}

fn literal(value: &Value) -> Literal {
    match value {
        Value::Boolean(truth) => Literal::Boolean(*truth),
        Value::Number(number) => Literal::Number(*number),
        Value::Text(text) => Literal::Text((&**text).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::spec;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let declared = "@lifeline{a;b;c} @message{m;n}";
        let lowered = crate::lower(&[&spec(&format!("{declared} {text}"))]);
        assert_eq!(lowered.diagnostics, []);
        let valued = lowered.valued.unwrap();
        let raised = raise_valued(&lowered.pool, &valued);
        let printed = otus_syntax::print::interaction(&raised);
        let lines: Vec<&str> = printed.lines().map(str::trim_start).collect();
        assert_eq!(lines.concat().replace(",a", ", a").replace(",n", ", n"), expected);
        let again = crate::lower(&[&raised]);
        assert_eq!(again.diagnostics, []);
        assert_eq!(again.valued.unwrap().text(&again.pool), valued.text(&lowered.pool));
    }

    #[test]
    fn what_people_write_comes_back() {
        for text in [
            "a -- m[k = 1, b.l < x.y] -> b".replace("x.y", "2"),
            "a -- m[k = 1, c.l in {1, \"x\"}, n ~ \"p*\"] -> (b, c)".to_owned(),
            "a -- <synch> m[a.k = 0.5] -> b".to_owned(),
            "a -- m[=k, =http.id] -> b".to_owned(),
            "new(x, s)(seq(a -- m[k = x, a at s] -> b, n[k = x + 1, b within 2s of s] -> b))"
                .to_owned(),
            "loopP(fresh x, y)(strict(a -- m[k = x, l != y] ->|, o))".to_owned(),
            "loopC(a, b; fresh x)(new(s)(alt(a -- m[k = x, time < s - 1ms] -> b, o)))".to_owned(),
            "new(s)(a -- m[a at least 1s after s] -> b)".to_owned(),
            "new(x)(a -- m[=k, l = x] -> b)".to_owned(),
            "a -- m[k = 1] -> a".to_owned(),
        ] {
            check(&text, &text);
        }
        check("new(x)(new(y)(a!m[k = x, l = y]))", "new(x, y)(a -- m[k = x, l = y] ->|)");
        check("strict(a!m[k = 1], b?m[k = 1, l = 2])", "a -- m[k = 1, b.l = 2] -> b");
        check("strict(a!m[k = 1], a?m)", "strict(a -- m[k = 1] ->|, m -> a)");
        check("a!m[time = 3]".replace("time = 3", "k = -1/3").as_str(), "a -- m[k = -1/3] ->|");
    }
}
