//! Raising: terms back to syntax trees, in the short forms that people write.
//!
//! Raising is the inverse of [`lower`](crate::lower()): lowering a raised term gives the same term.
//! It recovers
//!
//! ```text
//! strict(a!m, b?m)             as a -- m -> b
//! strict(a!m, seq(b?m, c?m))   as a -- m -> (b, c), if the receivers are distinct
//! {a!m, b?m}                   as <synch> a -- m -> b
//! f(i, f(j, k))                as f(i, j, k)
//! ```
//!
//! An emission that is lost on its way to a lifeline, `a!m` with this lifeline as its peer, becomes `a -- m ->|` with
//! an arrow to it in the drawing.
//!
//! Each distinct term becomes one node, so trees share parts as terms do. Flattening a chain can undo
//! sharing: each tail of a long chain could become a list of its own. A shared tail is
//! therefore flattened into its chain only while the total size stays proportional to the term.

mod valued;

pub use valued::raise_valued;

use otus_syntax::Span;
use otus_syntax::ast::{
    Declaration, Declarations, Direction, Interaction, LoopKind, Node, NodeId, NodeKind, Operator,
    Passing, Section, SpecFile, Target,
};
use otus_syntax::name::Name;

use crate::action::Action;
use crate::index::{Index as _, LifelineId, MessageId, RegionId, TermId};
use crate::passing::asynchronous_passing;
use crate::peer::Peer;
use crate::pool::Pool;
use crate::signature::Signature;
use crate::term::Term;

/// The syntax tree of a term, with the pool's signature. All its spans are zero.
///
/// ```
/// use otus_syntax::{Source, parse_spec, print};
///
/// let text = "@message{m}\n@lifeline{a; b}\nstrict(o, strict(a -- m ->|, m -> b))";
/// let lowered = otus_core::lower(&[&parse_spec(&Source::new("model.hsf", text)).tree]);
/// let raised = otus_core::raise(&lowered.pool, lowered.term.unwrap());
/// assert!(print::spec(&raised).ends_with("strict(o, a -- m -> b)\n"));
/// ```
pub fn raise(pool: &Pool, term: TermId) -> SpecFile {
    let mut file = signature(pool.signature());
    let mut raiser = Raiser {
        pool,
        users: users(pool, term),
        budget: 0,
        done: vec![None; term.index() + 1],
        nodes: Vec::new(),
        file: &mut file,
    };
    raiser.budget = 4 * raiser.users.iter().filter(|&&count| count > 0).count() + 1000;
    let root = raiser.run(term);
    let nodes = raiser.nodes;
    file.interaction = Some(Interaction { nodes, root });
    file
}

/// A file that declares a signature and nothing else.
pub fn signature(signature: &Signature) -> SpecFile {
    let mut file = SpecFile::default();
    let messages: Vec<Declaration> = signature
        .messages()
        .map(|(_, text)| Declaration { name: nowhere(&mut file, text), label: None })
        .collect();
    let lifelines: Vec<Declaration> = signature
        .lifelines()
        .map(|(lifeline, text)| Declaration {
            name: nowhere(&mut file, text),
            label: signature.label(lifeline).map(str::to_owned),
        })
        .collect();
    let section = |names| Declarations { span: Span::default(), names };
    if !messages.is_empty() {
        file.sections.push(Section::Messages(section(messages)));
    }
    if !lifelines.is_empty() {
        file.sections.push(Section::Lifelines(section(lifelines)));
    }
    file
}

struct Raiser<'a> {
    pool: &'a Pool,
    /// For each term id: the number of operators below the root that have it as an operand.
    users: Vec<u32>,
    /// The number of operands that may still be flattened out of shared tails.
    budget: usize,
    /// For each term id: its node.
    done: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    file: &'a mut SpecFile,
}

enum Task {
    Visit(TermId),
    Build(TermId, Operator, Vec<TermId>),
}

impl Raiser<'_> {
    fn run(&mut self, root: TermId) -> NodeId {
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(term) if self.done[term.index()].is_some() => {}
                Task::Visit(term) => match self.visit(term) {
                    Shape::Leaf(kind) => self.push(term, kind),
                    Shape::Operator(operator, operands) => {
                        let visits: Vec<Task> =
                            operands.iter().rev().map(|&operand| Task::Visit(operand)).collect();
                        tasks.push(Task::Build(term, operator, operands));
                        tasks.extend(visits);
                    }
                },
                Task::Build(term, operator, operands) => {
                    let operands = operands.iter().map(|&operand| self.node(operand)).collect();
                    self.push(term, NodeKind::Operator(operator, operands));
                }
            }
        }
        self.node(root)
    }

    fn node(&self, term: TermId) -> NodeId {
        self.done[term.index()].expect("operands are done before their operator")
    }

    fn push(&mut self, term: TermId, kind: NodeKind) {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("terms have 32-bit ids"));
        self.nodes.push(Node { span: Span::default(), kind });
        self.done[term.index()] = Some(id);
        self.point(term, id);
    }

    /// Draws an arrow for an emission whose peer is a lifeline.
    fn point(&mut self, term: TermId, node: NodeId) {
        let Some(event) = self.pool.node(term).as_event() else { return };
        let [action] = *self.pool.event_actions(event) else { return };
        let Action { lifeline, direction, message, peer } = self.pool.action(action);
        let (Direction::Emission, Some(Peer::Lifeline(peer))) = (direction, peer) else { return };
        let signature = self.pool.signature();
        let towards = nowhere(self.file, signature.lifeline_name(peer));
        let drawing = self.file.drawing.get_or_insert_default();
        drawing.point(node, signature.message_name(message), towards, peer != lifeline);
    }

    fn visit(&mut self, term: TermId) -> Shape {
        match self.pool.node(term) {
            Term::Empty => Shape::Leaf(NodeKind::Empty),
            Term::Event(event) => {
                let actions: Vec<Action> = self
                    .pool
                    .event_actions(event)
                    .iter()
                    .map(|&action| self.pool.action(action))
                    .collect();
                let is_emission = |action: &&Action| action.direction == Direction::Emission;
                let emission = actions.iter().find(is_emission).map(|action| action.lifeline);
                let receivers: Vec<LifelineId> = actions
                    .iter()
                    .filter(|action| !is_emission(action))
                    .map(|action| action.lifeline)
                    .collect();
                let message = actions.first().expect("an event has an action").message;
                Shape::Leaf(self.passing(emission, message, &receivers, actions.len() > 1))
            }
            Term::Strict(..) => match asynchronous_passing(self.pool, term) {
                Some(found) => Shape::Leaf(self.passing(
                    Some(found.sender),
                    found.message,
                    &found.receivers,
                    false,
                )),
                None => Shape::Operator(Operator::Strict, self.chain(term)),
            },
            Term::Coreg(region, ..) => {
                let operator = match region {
                    Pool::NONE => Operator::Seq,
                    Pool::ALL => Operator::Par,
                    _ => Operator::Coreg(self.region(region)),
                };
                Shape::Operator(operator, self.chain(term))
            }
            Term::Alt(..) => Shape::Operator(Operator::Alt, self.chain(term)),
            Term::LoopS(body) => Shape::Operator(Operator::Loop(LoopKind::Strict), vec![body]),
            Term::LoopC(region, body) => {
                let kind = match region {
                    Pool::NONE => LoopKind::Weak,
                    Pool::ALL => LoopKind::Parallel,
                    _ => LoopKind::Coregion(self.region(region)),
                };
                Shape::Operator(Operator::Loop(kind), vec![body])
            }
        }
    }

    /// The operands of a right-nested chain of one operator.
    fn chain(&mut self, term: TermId) -> Vec<TermId> {
        let mut operands = Vec::new();
        let mut rest = term;
        while let Some((left, right)) = self.same_operator(term, rest) {
            operands.push(left);
            rest = right;
            // Flattening a shared tail copies it. If the budget is used up, the tail stays an
            // operand of its own.
            if self.users[rest.index()] > 1 && self.budget == 0 {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            if asynchronous_passing(self.pool, rest).is_some() {
                break;
            }
        }
        operands.push(rest);
        operands
    }

    /// The operands of `term`, if its operator is that of `like`.
    fn same_operator(&self, like: TermId, term: TermId) -> Option<(TermId, TermId)> {
        match (self.pool.node(like), self.pool.node(term)) {
            (Term::Strict(..), Term::Strict(left, right)) => Some((left, right)),
            (Term::Alt(..), Term::Alt(left, right)) => Some((left, right)),
            (Term::Coreg(r, ..), Term::Coreg(s, left, right)) if r == s => Some((left, right)),
            _ => None,
        }
    }

    fn passing(
        &mut self,
        origin: Option<LifelineId>,
        message: MessageId,
        receivers: &[LifelineId],
        synchronous: bool,
    ) -> NodeKind {
        let signature = self.pool.signature();
        let origin = origin.map(|origin| nowhere(self.file, signature.lifeline_name(origin)));
        let message = nowhere(self.file, signature.message_name(message));
        let mut names: Vec<Name> = receivers
            .iter()
            .map(|&receiver| nowhere(self.file, signature.lifeline_name(receiver)))
            .collect();
        let target = match names.len() {
            0 => Target::Environment,
            1 => Target::Lifeline(names.remove(0)),
            _ => Target::Broadcast(names),
        };
        NodeKind::Passing(Passing { origin, message, guard: Vec::new(), target, synchronous })
    }

    fn region(&mut self, region: RegionId) -> Vec<Name> {
        let signature = self.pool.signature();
        let lifelines = self.pool.region(region);
        let name = |lifeline| nowhere(self.file, signature.lifeline_name(lifeline));
        lifelines.iter().map(name).collect()
    }
}

/// The form in which a term is written.
enum Shape {
    Leaf(NodeKind),
    Operator(Operator, Vec<TermId>),
}

fn nowhere(file: &mut SpecFile, text: &str) -> Name {
    Name { symbol: file.names.intern(text), span: Span::default() }
}

/// For each term id up to `root`: the number of terms in `root` that have it as an operand; 0 if it
/// does not occur in `root`.
fn users(pool: &Pool, root: TermId) -> Vec<u32> {
    let mut users = vec![0u32; root.index() + 1];
    users[root.index()] = 1;
    for at in (0..=root.index()).rev() {
        if users[at] == 0 {
            continue;
        }
        for operand in pool.node(TermId::new(at)).operands() {
            users[operand.index()] = users[operand.index()].saturating_add(1);
        }
    }
    users
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::EventId;
    use crate::lower;
    use crate::sample::spec;
    use crate::set::LifelineSet;

    /// Checks the tree that is raised from the term of a text, shown in a form close to the text.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let lowered = lower(&[&spec(&format!("@lifeline{{a;b;c}} @message{{m;n}} {text}"))]);
        let raised = raise(&lowered.pool, lowered.term.unwrap());
        let interaction = raised.interaction.as_ref().unwrap();
        assert_eq!(show(&raised, interaction, interaction.root), expected);
        let again = lower(&[&raised]);
        assert_eq!(again.diagnostics, []);
        assert_eq!(again.pool.text(again.term.unwrap()), lowered.pool.text(lowered.term.unwrap()));
    }

    fn show(file: &SpecFile, interaction: &Interaction, id: NodeId) -> String {
        let names = |names: &[Name]| {
            names.iter().map(|name| file.names.text(name.symbol)).collect::<Vec<_>>().join(",")
        };
        match &interaction.node(id).kind {
            NodeKind::Empty => "o".into(),
            NodeKind::Invalid => "invalid".into(),
            NodeKind::Passing(passing) => {
                let origin = passing.origin.map(|name| format!("{} -- ", names(&[name])));
                let synchronous = if passing.synchronous { "<synch> " } else { "" };
                let target = match &passing.target {
                    Target::Environment => "->|".into(),
                    Target::Lifeline(name) => format!("-> {}", names(&[*name])),
                    Target::Broadcast(targets) => format!("-> ({})", names(targets)),
                };
                let message = names(&[passing.message]);
                format!("{}{synchronous}{message} {target}", origin.unwrap_or_default())
            }
            NodeKind::Operator(operator, operands) => {
                let operator = match operator {
                    Operator::Strict => "strict".into(),
                    Operator::Seq => "seq".into(),
                    Operator::Par => "par".into(),
                    Operator::Alt => "alt".into(),
                    Operator::Coreg(region) => format!("coreg({})", names(region)),
                    Operator::Loop(LoopKind::Strict) => "loopS".into(),
                    Operator::Loop(LoopKind::Weak | LoopKind::HeadFirst) => "loopW".into(),
                    Operator::Loop(LoopKind::Parallel) => "loopP".into(),
                    Operator::Loop(LoopKind::Coregion(region)) => {
                        format!("loopC({})", names(region))
                    }
                    Operator::New(variables) | Operator::Fresh(variables) => {
                        format!("{}({})", operator.keyword(), names(variables))
                    }
                };
                let operands: Vec<String> =
                    operands.iter().map(|&operand| show(file, interaction, operand)).collect();
                format!("{operator}({})", operands.join(", "))
            }
        }
    }

    #[test]
    fn short_forms_come_back() {
        for text in [
            "o",
            "a -- m -> b",
            "a -- m -> a",
            "a -- m -> (b,c,a)",
            "a -- m ->|",
            "m -> b",
            "a -- <synch> m -> b",
            "a -- <synch> m -> (b,c)",
            "<synch> m -> (b,c)",
            "seq(a -- m -> b, b -- n -> c, o)",
            "seq(seq(a -- m -> b, o), o)",
            "strict(o, a -- m -> b)",
            "coreg(a,b)(o, o, coreg(a)(o, o))",
            "alt(loopS(o), loopW(o), loopP(o), loopC(a,c)(o))",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn long_forms_become_short() {
        check("strict(a -- m ->|, m -> b)", "a -- m -> b");
        check("strict(a -- m ->|, seq(m -> b, m -> c))", "a -- m -> (b,c)");
        check("strict(a -- m ->|, m -> (c, b))", "a -- m -> (c,b)");
        check("seq(o, seq(o, o))", "seq(o, o, o)");
        check("coreg(a,c,b)(o, par(o, o))", "par(o, o, o)");
        check("strict(o, strict(a -- m ->|, m -> b))", "strict(o, a -- m -> b)");
        check("m -> (b, c)", "seq(m -> b, m -> c)");
    }

    #[test]
    fn what_only_looks_like_a_passing_stays_long() {
        check("strict(a -- m ->|, n -> b)", "strict(a -- m ->|, n -> b)");
        check("strict(a -- m ->|, m -> b, m -> c)", "strict(a -- m ->|, m -> b, m -> c)");
        check("strict(a -- m ->|, par(m -> b, m -> c))", "strict(a -- m ->|, par(m -> b, m -> c))");
        check("strict(a -- m ->|, seq(m -> b, m -> b))", "strict(a -- m ->|, seq(m -> b, m -> b))");
        check(
            "strict(a -- m ->|, seq(seq(m -> a, m -> b), m -> c))",
            "strict(a -- m ->|, seq(seq(m -> a, m -> b), m -> c))",
        );
        check("strict(a -- m ->|, <synch> m -> (b,c))", "strict(a -- m ->|, <synch> m -> (b,c))");
    }

    #[test]
    fn tails_of_one_long_chain_are_not_all_written_out() {
        let mut signature = Signature::default();
        let (a, m) = (signature.add_lifeline("a"), signature.add_message("m"));
        let mut pool = Pool::new(signature);
        let send = pool.emission(a, m);
        let (mut tail, mut all) = (send, Pool::EMPTY);
        for _ in 0..20_000 {
            tail = pool.seq(send, tail);
            all = pool.alt(tail, all);
        }
        let raised = raise(&pool, all).interaction.unwrap();
        let written: usize = raised
            .nodes
            .iter()
            .map(|node| if let NodeKind::Operator(_, o) = &node.kind { o.len() } else { 0 })
            .sum();
        assert!(written < 400_000, "{written}");
    }

    /// A recipe for one more term from the previous ones.
    #[derive(Debug, Clone, Copy)]
    struct Step {
        operator: u8,
        region: u8,
        left: prop::sample::Index,
        right: prop::sample::Index,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (0u8..12, 0u8..8, any::<prop::sample::Index>(), any::<prop::sample::Index>());
        let step =
            step.prop_map(|(operator, region, left, right)| Step { operator, region, left, right });
        prop::collection::vec(step, 1..25)
    }

    fn build(steps: &[Step]) -> (Pool, TermId) {
        let mut signature = Signature::default();
        let lifelines = ["a", "b", "c"].map(|name| signature.add_lifeline(name));
        let messages = ["m", "n"].map(|name| signature.add_message(name));
        let mut pool = Pool::new(signature);
        let mut terms = vec![Pool::EMPTY];
        for step in steps {
            let pick = |index: &prop::sample::Index| terms[index.index(terms.len())];
            let (left, right) = (pick(&step.left), pick(&step.right));
            let bits = |bit: usize| step.region & (1 << bit) != 0;
            let chosen = || (0..3).filter(|&bit| bits(bit)).map(|bit| lifelines[bit]);
            let message = messages[step.left.index(2)];
            let one = lifelines[step.right.index(3)];
            let term = match step.operator {
                0 | 1 => pool.emission(one, message),
                2 | 3 => pool.reception(one, message),
                4 => synchronous(&mut pool, one, message, &chosen().collect()),
                5 => pool.strict(left, right),
                6 => pool.alt(left, right),
                7 => pool.loop_s(left),
                8 | 9 => {
                    let region = pool.intern_region(&chosen().collect());
                    pool.coreg(region, left, right)
                }
                10 => pool.seq(left, right),
                _ => {
                    let region = pool.intern_region(&chosen().collect());
                    pool.loop_c(region, left)
                }
            };
            terms.push(term);
        }
        (pool, *terms.last().unwrap())
    }

    /// One event: `origin` emits to all of `others` but itself, or they only receive.
    fn synchronous(
        pool: &mut Pool,
        origin: LifelineId,
        message: MessageId,
        others: &LifelineSet,
    ) -> TermId {
        let mut actions: Vec<Action> =
            others.iter().map(|lifeline| Action::reception(lifeline, message)).collect();
        if !others.contains(origin) {
            actions.push(Action::emission(origin, message));
        }
        let event: EventId = pool.intern_event(&actions);
        pool.event(event)
    }

    proptest! {
        #[test]
        fn lowering_what_is_raised_gives_the_same_term(steps in steps()) {
            let (pool, term) = build(&steps);
            prop_assume!(pool.attributes(term).nodes < 20_000);
            let again = lower(&[&raise(&pool, term)]);
            prop_assert_eq!(&again.diagnostics, &[]);
            prop_assert_eq!(again.pool.text(again.term.unwrap()), pool.text(term));
        }

        #[test]
        fn so_does_parsing_what_is_raised_and_printed(steps in steps()) {
            let (pool, term) = build(&steps);
            prop_assume!(pool.attributes(term).nodes < 5_000);
            let text = otus_syntax::print::spec(&raise(&pool, term));
            let parsed = otus_syntax::parse_spec(&otus_syntax::Source::new("x.hsf", text));
            prop_assert_eq!(&parsed.diagnostics, &[]);
            let again = lower(&[&parsed.tree]);
            prop_assert_eq!(&again.diagnostics, &[]);
            prop_assert_eq!(again.pool.text(again.term.unwrap()), pool.text(term));
        }

        #[test]
        fn raising_what_was_lowered_from_a_raised_tree_changes_nothing(steps in steps()) {
            let (pool, term) = build(&steps);
            prop_assume!(pool.attributes(term).nodes < 20_000);
            let once = raise(&pool, term);
            let lowered = lower(&[&once]);
            let twice = raise(&lowered.pool, lowered.term.unwrap());
            let text = |file: &SpecFile| {
                let interaction = file.interaction.as_ref().unwrap();
                show(file, interaction, interaction.root)
            };
            prop_assert_eq!(text(&once), text(&twice));
        }
    }
}
