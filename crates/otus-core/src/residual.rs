//! What is left of an interaction with values, as one tree that steps change in place.
//!
//! A witness with values is replayed one step at a time. On hash-consed terms over [letters](crate::letters) each step makes
//! new terms for all operators around its position, and new letters for all leaves of a new iteration. Nothing of it is
//! ever met again, so the tables grow with the product of the steps and their depth. Here the same relation changes the
//! operators around a position, and nothing else.
//!
//! ```text
//! residual ::= part of the interaction, in an iteration | strict(residual, residual) | coreg_r(residual, residual)
//! ```
//!
//! A *part* is a term in which nothing has happened yet. The first event in it resolves the alternatives and begins
//! the iterations on its path, so there are no other operators above parts. Positions are those of
//! [`execute`](crate::semantics::execute) on simplified terms: no operand of an operator is ∅, and ∅ has no node unless it is all
//! that is left.
//!
//! A part knows the iteration around it, and its leaves know their binders. This says which variables have an
//! instance, as the theorem of [letters](crate::letters) has it. Instances are numbered in the order of the events in which they
//! occur first.

use rustc_hash::FxHashMap;

use crate::algebra::{Memo, prune, simplify};
use crate::define_id;
use crate::index::{EventId, IndexVec, RegionId, TermId};
use crate::intern::Interner;
use crate::letters::{Instance, InstanceId, IterationId, LetterId, Letters, Rivals};
use crate::pool::Pool;
use crate::term::Term;
use crate::valued::{Valued, ValuedId, VariableId};

define_id! {
    /// A node of a residual.
    pub NodeId;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Part(TermId, IterationId),
    Strict(NodeId, NodeId),
    Coreg(RegionId, NodeId, NodeId),
    /// It is no part of the residual any more.
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    around: Option<NodeId>,
    lifelines: RegionId,
    terminates: bool,
}

/// An iteration of a loop, or the whole interaction.
#[derive(Debug, Clone, Copy)]
struct Iteration {
    around: IterationId,
    /// The number of iterations around it, itself included.
    level: u32,
}

/// A leaf in an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    letter: LetterId,
    iteration: IterationId,
}

/// A step that is possible: an event at a position.
#[derive(Debug, Clone)]
pub struct Entered {
    /// From the root: the operators around the part of the event, and whether it is their right operand.
    path: Vec<(NodeId, bool)>,
    part: NodeId,
    /// The terms around the event in its part, with the letters of their operands and the iterations around them.
    inside: Vec<(TermId, u8, IterationId)>,
    event: EventId,
    /// The event.
    pub happened: Happened,
}

/// An event that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// The leaf of the valued tree.
    pub leaf: ValuedId,
    /// The instances of its variables, in the order of [`Letters::variables`].
    pub instances: Vec<InstanceId>,
}

/// What is left of an interaction with values.
#[derive(Debug, Clone)]
pub struct Residual {
    letters: Letters,
    memo: Memo,
    nodes: IndexVec<NodeId, Node>,
    root: NodeId,
    iterations: IndexVec<IterationId, Iteration>,
    instances: Interner<InstanceId, Instance>,
    /// The parts that are new since they were asked for.
    born: Vec<NodeId>,
}

impl Residual {
    /// The whole interaction; `None` if its tree is too large to be written out.
    pub fn new(pool: &Pool, valued: &Valued) -> Option<Residual> {
        let (mut letters, term) = Letters::new(pool, valued)?;
        let term = simplify(&mut letters.pool, term);
        let mut iterations = IndexVec::default();
        let whole = iterations.push(Iteration { around: Letters::WHOLE, level: 0 });
        let mut residual = Residual {
            letters,
            memo: Memo::default(),
            nodes: IndexVec::default(),
            root: NodeId(0),
            iterations,
            instances: Interner::default(),
            born: Vec::new(),
        };
        residual.root = residual.add_part(term, whole);
        Some(residual)
    }

    /// The letters of its leaves.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The letters of its leaves, and the pool of its parts.
    pub fn letters_mut(&mut self) -> &mut Letters {
        &mut self.letters
    }

    /// Whether it has the empty trace.
    pub fn terminates(&self) -> bool {
        self.nodes[self.root].terminates
    }

    /// The step at a position; `None` if there is none.
    pub fn step(&mut self, position: impl IntoIterator<Item = u8>) -> Option<Happened> {
        let entered = self.enter(position)?;
        let happened = entered.happened.clone();
        self.take(entered);
        Some(happened)
    }

    /// The step at a position, which is not taken yet; `None` if there is none. Variables of iterations that it begins
    /// have their instances already. If another step is taken instead, their numbers are left out.
    pub fn enter(&mut self, position: impl IntoIterator<Item = u8>) -> Option<Entered> {
        let mut letters = position.into_iter();
        let mut path = Vec::new();
        let mut at = self.root;
        let (mut term, mut iteration) = loop {
            let (left, right) = match self.nodes[at].kind {
                Kind::Part(term, iteration) => break (term, iteration),
                Kind::Strict(left, right) | Kind::Coreg(_, left, right) => (left, right),
                Kind::Gone => return None,
            };
            let is_right = match letters.next()? {
                1 => false,
                2 => true,
                _ => return None,
            };
            path.push((at, is_right));
            at = if is_right { right } else { left };
        };
        let part = at;
        let mut inside = Vec::new();
        for letter in letters {
            let pool = &self.letters.pool;
            let around = iteration;
            let below = match (pool.node(term), letter) {
                (Term::Alt(left, _) | Term::Strict(left, _) | Term::Coreg(_, left, _), 1) => left,
                (Term::Alt(_, right) | Term::Coreg(_, _, right), 2) => right,
                (Term::Strict(left, right), 2) if pool.attributes(left).terminates => right,
                (Term::LoopS(body) | Term::LoopC(_, body), 1) => {
                    let level = self.iterations[around].level + 1;
                    iteration = self.iterations.push(Iteration { around, level });
                    body
                }
                _ => return None,
            };
            inside.push((term, letter, around));
            term = below;
        }
        let event = self.letters.pool.node(term).as_event()?;
        let letter = self.letters.letter_of(event)?;
        if !self.is_allowed(&path, &inside, event) {
            return None;
        }
        let leaf = self.letters.letter(letter).leaf;
        let place = Place { letter, iteration };
        let count = self.letters.variables(leaf).len();
        let mut instances = Vec::with_capacity(count);
        for number in 0..count {
            let variable = self.letters.variables(leaf)[number];
            let instance = self.instance_at(place, variable)?;
            instances.push(self.instances.intern(instance));
        }
        let happened = Happened { leaf, instances };
        Some(Entered { path, part, inside, event, happened })
    }

    /// The part of a position that leads to a leaf. What follows is inside a term that stands for the leaf elsewhere.
    pub fn leaf_at<'p>(&self, position: &'p [u8]) -> Option<&'p [u8]> {
        let mut at = self.root;
        let mut term = None;
        let pool = &self.letters.pool;
        for (number, &letter) in position.iter().enumerate() {
            if let Kind::Part(own, _) = self.nodes[at].kind {
                let own = *term.get_or_insert(own);
                if pool.node(own).as_event().is_some() {
                    return Some(&position[..number]);
                }
                let operand = usize::from(letter.checked_sub(1)?);
                term = Some(pool.node(own).operands().nth(operand)?);
                continue;
            }
            at = match (self.nodes[at].kind, letter) {
                (Kind::Strict(left, _) | Kind::Coreg(_, left, _), 1) => left,
                (Kind::Strict(_, right) | Kind::Coreg(_, _, right), 2) => right,
                _ => return None,
            };
        }
        Some(position)
    }

    /// Whether what comes before an event can do without its lifelines.
    fn is_allowed(
        &mut self,
        path: &[(NodeId, bool)],
        inside: &[(TermId, u8, IterationId)],
        event: EventId,
    ) -> bool {
        for &(node, _) in path.iter().filter(|(_, is_right)| *is_right) {
            match self.nodes[node].kind {
                Kind::Strict(left, _) if !self.nodes[left].terminates => return false,
                Kind::Coreg(region, left, _) => {
                    let ordered = self.letters.pool.ordered(region, event);
                    if !self.can_prune(left, ordered) {
                        return false;
                    }
                }
                Kind::Part(..) | Kind::Strict(..) | Kind::Gone => {}
            }
        }
        for &(term, letter, _) in inside {
            if let (Term::Coreg(region, left, _), 2) = (self.letters.pool.node(term), letter)
                && self.pruned(region, left, event).is_none()
            {
                return false;
            }
        }
        true
    }

    /// What is left of a term before an event in the right operand of a `coreg`.
    fn pruned(&mut self, region: RegionId, left: TermId, event: EventId) -> Option<TermId> {
        let ordered = self.letters.pool.ordered(region, event);
        prune(&mut self.letters.pool, &mut self.memo, left, ordered)
    }

    /// Takes a step that was [entered](Self::enter) last.
    pub fn take(&mut self, entered: Entered) {
        let Entered { path, part, inside, event, .. } = entered;
        let mut after: Option<NodeId> = None;
        for &(term, letter, iteration) in inside.iter().rev() {
            after = match (self.letters.pool.node(term), letter) {
                (Term::Strict(_, right), 1) => {
                    let right = self.part_unless_empty(right, iteration);
                    self.join(None, Kind::Strict, after, right)
                }
                (Term::Coreg(region, _, right), 1) => {
                    let right = self.part_unless_empty(right, iteration);
                    self.join(None, |l, r| Kind::Coreg(region, l, r), after, right)
                }
                (Term::Coreg(region, left, _), _) => {
                    let left = self.pruned(region, left, event).unwrap_or(Pool::EMPTY);
                    let left = self.part_unless_empty(left, iteration);
                    self.join(None, |l, r| Kind::Coreg(region, l, r), left, after)
                }
                (Term::LoopS(_), _) => {
                    let again = self.part_unless_empty(term, iteration);
                    self.join(None, Kind::Strict, after, again)
                }
                (Term::LoopC(region, _), _) => {
                    let before = self.pruned(region, term, event).unwrap_or(Pool::EMPTY);
                    let before = self.part_unless_empty(before, iteration);
                    let again = self.part_unless_empty(term, iteration);
                    let rest = self.join(None, |l, r| Kind::Coreg(region, l, r), after, again);
                    self.join(None, |l, r| Kind::Coreg(region, l, r), before, rest)
                }
                (Term::Alt(..) | Term::Strict(..) | Term::Empty | Term::Event(_), _) => after,
            };
        }
        self.nodes[part].kind = Kind::Gone;
        for &(node, is_right) in path.iter().rev() {
            after = match (self.nodes[node].kind, is_right) {
                (Kind::Strict(_, right), false) => {
                    self.join(Some(node), Kind::Strict, after, Some(right))
                }
                (Kind::Coreg(region, _, right), false) => {
                    self.join(Some(node), |l, r| Kind::Coreg(region, l, r), after, Some(right))
                }
                (Kind::Coreg(region, left, _), true) => {
                    let ordered = self.letters.pool.ordered(region, event);
                    let left = self.prune(left, ordered);
                    self.join(Some(node), |l, r| Kind::Coreg(region, l, r), left, after)
                }
                (Kind::Strict(left, _), true) => {
                    self.forget(left);
                    after
                }
                (Kind::Part(..) | Kind::Gone, _) => after,
            };
        }
        self.root = match after {
            Some(root) => root,
            None => self.add_part(Pool::EMPTY, Letters::WHOLE),
        };
        self.nodes[self.root].around = None;
    }

    /// An operator over operands that are not ∅, or the operand that is left; at a node that is there, if one is given.
    fn join(
        &mut self,
        at: Option<NodeId>,
        operator: impl Fn(NodeId, NodeId) -> Kind,
        left: Option<NodeId>,
        right: Option<NodeId>,
    ) -> Option<NodeId> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (only, None) | (None, only) => {
                if let Some(at) = at {
                    self.nodes[at].kind = Kind::Gone;
                }
                return only;
            }
        };
        let (one, other) = (self.nodes[left], self.nodes[right]);
        let lifelines = self.letters.pool.union(one.lifelines, other.lifelines);
        let terminates = one.terminates && other.terminates;
        let kind = operator(left, right);
        let around = at.and_then(|at| self.nodes[at].around);
        let node = Node { kind, around, lifelines, terminates };
        let at = match at {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => self.nodes.push(node),
        };
        self.nodes[left].around = Some(at);
        self.nodes[right].around = Some(at);
        Some(at)
    }

    fn part_unless_empty(&mut self, term: TermId, iteration: IterationId) -> Option<NodeId> {
        (term != Pool::EMPTY).then(|| self.add_part(term, iteration))
    }

    fn add_part(&mut self, term: TermId, iteration: IterationId) -> NodeId {
        let attributes = self.letters.pool.attributes(term);
        let (lifelines, terminates) = (attributes.lifelines, attributes.terminates);
        let kind = Kind::Part(term, iteration);
        let part = self.nodes.push(Node { kind, around: None, lifelines, terminates });
        self.born.push(part);
        part
    }

    /// The nodes from one on that have lifelines of a region, each after the one around it.
    fn nodes_on(&self, top: NodeId, region: RegionId) -> Vec<NodeId> {
        if region == Pool::NONE {
            return Vec::new();
        }
        let pool = &self.letters.pool;
        let avoided = pool.region(region);
        let mut found = Vec::new();
        let mut pending = vec![top];
        while let Some(at) = pending.pop() {
            if pool.region(self.nodes[at].lifelines).is_disjoint(&avoided) {
                continue;
            }
            found.push(at);
            match self.nodes[at].kind {
                Kind::Strict(left, right) | Kind::Coreg(_, left, right) => {
                    pending.extend([left, right]);
                }
                Kind::Part(..) | Kind::Gone => {}
            }
        }
        found
    }

    fn can_prune(&mut self, top: NodeId, region: RegionId) -> bool {
        self.nodes_on(top, region).into_iter().all(|at| match self.nodes[at].kind {
            Kind::Part(term, _) => {
                prune(&mut self.letters.pool, &mut self.memo, term, region).is_some()
            }
            Kind::Strict(..) | Kind::Coreg(..) | Kind::Gone => true,
        })
    }

    /// Removes what has events on some lifelines; `None` if nothing is left.
    fn prune(&mut self, top: NodeId, region: RegionId) -> Option<NodeId> {
        // By node that was met: what is left of it.
        let mut left_of: FxHashMap<NodeId, Option<NodeId>> = FxHashMap::default();
        for at in self.nodes_on(top, region).into_iter().rev() {
            let of = |node: NodeId| left_of.get(&node).copied().unwrap_or(Some(node));
            let left = match self.nodes[at].kind {
                Kind::Part(term, iteration) => {
                    let pruned = prune(&mut self.letters.pool, &mut self.memo, term, region);
                    match pruned.filter(|&pruned| pruned != Pool::EMPTY) {
                        Some(pruned) => {
                            let attributes = self.letters.pool.attributes(pruned);
                            let node = &mut self.nodes[at];
                            node.kind = Kind::Part(pruned, iteration);
                            node.lifelines = attributes.lifelines;
                            node.terminates = attributes.terminates;
                            self.born.push(at);
                            Some(at)
                        }
                        None => {
                            self.nodes[at].kind = Kind::Gone;
                            None
                        }
                    }
                }
                Kind::Strict(one, other) => {
                    let (one, other) = (of(one), of(other));
                    self.join(Some(at), Kind::Strict, one, other)
                }
                Kind::Coreg(region, one, other) => {
                    let (one, other) = (of(one), of(other));
                    self.join(Some(at), |l, r| Kind::Coreg(region, l, r), one, other)
                }
                Kind::Gone => None,
            };
            left_of.insert(at, left);
        }
        left_of.get(&top).copied().unwrap_or(Some(top))
    }

    /// Marks all nodes from one on as gone.
    fn forget(&mut self, top: NodeId) {
        let mut pending = vec![top];
        while let Some(at) = pending.pop() {
            let kind = std::mem::replace(&mut self.nodes[at].kind, Kind::Gone);
            if let Kind::Strict(left, right) | Kind::Coreg(_, left, right) = kind {
                pending.extend([left, right]);
            }
        }
    }

    /// The term and the iteration of a part, as long as it is there.
    pub fn part(&self, node: NodeId) -> Option<(TermId, IterationId)> {
        match self.nodes[node].kind {
            Kind::Part(term, iteration) => Some((term, iteration)),
            Kind::Strict(..) | Kind::Coreg(..) | Kind::Gone => None,
        }
    }

    /// The parts that are new, or have changed, since they were asked for. Some may be gone.
    pub fn born(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.born)
    }

    /// The position of a node.
    pub fn position_of(&self, node: NodeId) -> Vec<u8> {
        let mut position = Vec::new();
        let mut at = node;
        while let Some(around) = self.nodes[at].around {
            match self.nodes[around].kind {
                Kind::Strict(left, _) | Kind::Coreg(_, left, _) => {
                    position.push(if left == at { 1 } else { 2 });
                }
                Kind::Part(..) | Kind::Gone => {}
            }
            at = around;
        }
        position.reverse();
        position
    }

    /// The iteration around one; `None` for the whole interaction.
    pub fn around(&self, iteration: IterationId) -> Option<IterationId> {
        let Iteration { around, level } = self.iterations[iteration];
        (level > 0).then_some(around)
    }

    /// The outermost iteration around one, which may be itself.
    pub fn outermost(&self, iteration: IterationId) -> IterationId {
        let mut outermost = iteration;
        while let Some(around) = self.around(outermost).filter(|&it| it != Letters::WHOLE) {
            outermost = around;
        }
        outermost
    }

    /// A leaf of a part, by its letter.
    pub fn place(&self, letter: LetterId, iteration: IterationId) -> Place {
        Place { letter, iteration }
    }

    /// The instance of a variable at a place, if its iteration has begun.
    fn instance_at(
        &self,
        Place { letter, iteration }: Place,
        variable: VariableId,
    ) -> Option<Instance> {
        let (binder, level) = self.letters.binder_of(letter, variable)?;
        let mut iteration = iteration;
        while self.iterations[iteration].level > level {
            iteration = self.iterations[iteration].around;
        }
        let has_begun = self.iterations[iteration].level == level;
        has_begun.then_some(Instance { variable, binder, iteration })
    }

    /// The instance of a variable at a place; `None` if its iteration has not begun, or if no event has had it.
    pub fn argument(&self, place: Place, variable: VariableId) -> Option<InstanceId> {
        self.instances.find(&self.instance_at(place, variable)?)
    }

    /// The instance of a variable in an event.
    pub fn argument_of(&self, happened: &Happened, variable: VariableId) -> Option<InstanceId> {
        let variables = self.letters.variables(happened.leaf);
        let at = variables.iter().position(|&own| own == variable)?;
        happened.instances.get(at).copied()
    }

    /// An instance.
    pub fn instance(&self, instance: InstanceId) -> Instance {
        self.instances.items[instance]
    }

    /// The number of instances so far.
    pub fn instance_count(&self) -> usize {
        self.instances.items.len()
    }

    /// The list that `fresh` keeps an instance apart from; `None` for `new` ([`Letters::rivals`]).
    pub fn rivals(&self, instance: InstanceId) -> Option<Rivals> {
        let Instance { variable, binder, iteration } = self.instances.items[instance];
        self.letters.is_loop(binder).then_some(())?;
        Some((variable, binder, self.around(iteration)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::spec;
    use crate::semantics::Frontiers;

    /// Takes all steps of a term over letters in place, too: the same are possible, with the same variables.
    #[track_caller]
    fn check(text: &str, depth: usize) {
        let text = format!("@lifeline{{a;b;c}} @message{{m;n;o}} {text}");
        let lowered = crate::lower(&[&spec(&text)]);
        assert_eq!(lowered.diagnostics, []);
        let valued = *lowered.valued.unwrap();
        let (mut letters, term) = Letters::new(&lowered.pool, &valued).unwrap();
        let term = simplify(&mut letters.pool, term);
        let residual = Residual::new(&lowered.pool, &valued).unwrap();
        let mut pending = vec![(letters, term, residual, Vec::new(), depth)];
        while let Some((mut letters, term, residual, same, depth)) = pending.pop() {
            assert_eq!(residual.terminates(), letters.pool.attributes(term).terminates);
            let mut frontiers = Frontiers::default();
            let steps = frontiers.steps(&mut letters.pool, term);
            for position in positions(depth) {
                let is_step = steps.iter().any(|step| {
                    frontiers.positions.letters(step.position).eq(position.iter().copied())
                });
                assert_eq!(residual.clone().enter(position).is_some(), is_step);
            }
            for step in steps.iter().filter(|_| depth > 0) {
                let position: Vec<u8> = frontiers.positions.letters(step.position).collect();
                let (mut letters, mut residual) = (letters.clone(), residual.clone());
                let place = format!("{text} at {position:?}");
                let left = letters.step(&mut Memo::default(), term, position.iter().copied());
                let (letter, left) = left.expect("it is a step");
                let found = residual.step(position).expect(&place);
                assert_eq!(found.leaf, letters.letter(letter).leaf, "{place}");
                // Instances are equal in pairs: none is two of the other.
                let mut same: Vec<(InstanceId, InstanceId)> = same.clone();
                for variable in letters.variables(found.leaf).to_vec() {
                    let one = letters.argument(letter, variable).expect(&place);
                    let other = residual.argument_of(&found, variable).expect(&place);
                    for &(known, with) in &same {
                        assert_eq!(known == one, with == other, "{place}");
                        let rivals = letters.rivals(known) == letters.rivals(one);
                        assert_eq!(rivals, residual.rivals(with) == residual.rivals(other));
                    }
                    assert_eq!(letters.rivals(one).is_some(), residual.rivals(other).is_some());
                    same.push((one, other));
                }
                pending.push((letters, left, residual, same, depth - 1));
            }
        }
    }

    /// Some short positions.
    fn positions(depth: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for length in 0..depth.min(3) {
            let longer = all.iter().filter(|it| it.len() == length);
            let longer = longer.flat_map(|it| [1, 2, 3].map(|next| [&it[..], &[next]].concat()));
            all.extend(longer.collect::<Vec<_>>());
        }
        all
    }

    #[test]
    fn steps_are_those_of_terms() {
        for text in [
            "a!m[k = 1]",
            "strict(alt(a!m[k = 1], o), seq(b!m, a!n))",
            "seq(alt(a!n[k = 1], b!n), a -- <synch> m -> b)",
            "coreg(b)(alt(a!m[k = 1], seq(b!m, c!m)), seq(a!m, b!n))",
            "new(x)(seq(a!m[k = x], loopW(b!n[k = x]), a!o))",
            "loopP(new(x)(seq(a!m[k = x], a!n[k = x])))",
            "loopS(new(x)(strict(a!m, b!n[k = x])))",
            "loopW(new(x)(alt(seq(a!m[k = x], b!n[k = x]), c!o[k = x])))",
            "seq(loopP(fresh x)(loopW(new(y)(seq(a!m[k = x], b!n[k = y])))), a!o)",
            "loopC(a; fresh x)(seq(a!m[k = x], loopS(b!m[k = x])))",
            "loopS(fresh x)(strict(loopS(fresh y)(strict(a!m[k = y], b!n[k = x, j = y])), c!o[k = x]))",
            "strict(loopP(fresh x)(a!m[k = x]), loopP(fresh x)(b!m[k = x]), a!o)",
        ] {
            check(text, 4);
        }
    }

    #[test]
    fn depth_is_not_ours() {
        let depth = 20_000;
        let text = format!(
            "@lifeline{{a}} @message{{m}} new(x)({}a!m[k = x]{})",
            "par(a!m, ".repeat(depth),
            ")".repeat(depth)
        );
        let lowered = crate::lower(&[&spec(&text)]);
        let mut residual = Residual::new(&lowered.pool, &lowered.valued.unwrap()).unwrap();
        assert!(residual.step(std::iter::repeat_n(2, depth)).is_some());
        assert!(residual.step(std::iter::repeat_n(2, depth)).is_none());
    }
}
