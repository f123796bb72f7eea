//! The hash-consing pool of terms.
//!
//! Interning a term that exists already returns its id, so terms are compared by id and shared
//! parts are stored once. The attributes of a term are computed from those of its operands when it is
//! first interned.
//!
//! Invariants:
//! - structurally equal terms have equal ids; operands have smaller ids than their term;
//! - the lifelines of the signature are fixed when the pool is made: `par` means "concurrent on
//!   all lifelines", so a later lifeline would change the meaning of existing terms. Messages may
//!   still be added;
//! - the region of all lifelines has the id [`Pool::ALL`], however it was built;
//! - an event is one message passing or a part of it: its actions are sorted and distinct, have one
//!   message, and include at most one emission.

use otus_syntax::ast::Direction;

use crate::action::Action;
use crate::index::{
    ActionId, EventId, Index as _, IndexVec, LifelineId, MessageId, RegionId, TermId,
};
use crate::intern::Interner;
use crate::region::Regions;
use crate::set::LifelineSet;
use crate::signature::Signature;
use crate::term::{Attributes, Term};

/// A signature and the actions, events, regions and terms over it.
///
/// ```
/// # use otus_core::{Pool, Signature};
/// # let mut signature = Signature::default();
/// # let a = signature.add_lifeline("a");
/// # let m = signature.add_message("m");
/// let mut pool = Pool::new(signature);
/// let send = pool.emission(a, m);
/// let twice = pool.seq(send, send);
/// assert_eq!(pool.seq(send, send), twice);
/// assert_eq!(pool.attributes(twice).nodes, 3);
/// ```
#[derive(Debug, Clone)]
pub struct Pool {
    signature: Signature,
    actions: Interner<ActionId, Action>,
    events: Interner<EventId, Box<[ActionId]>>,
    event_lifelines: IndexVec<EventId, RegionId>,
    regions: Regions,
    terms: Interner<TermId, Term>,
    attributes: IndexVec<TermId, Attributes>,
}

impl Pool {
    /// ∅, the empty interaction.
    pub const EMPTY: TermId = TermId(0);
    /// The empty region: `coreg_∅` is `seq`.
    pub const NONE: RegionId = Regions::NONE;
    /// The region of all lifelines: `coreg_L` is `par`.
    pub const ALL: RegionId = Regions::ALL;

    /// A pool over a signature, whose lifelines are fixed from now on.
    pub fn new(signature: Signature) -> Self {
        let regions = Regions::new(signature.lifeline_count());
        let mut pool = Pool {
            signature,
            actions: Interner::default(),
            events: Interner::default(),
            event_lifelines: IndexVec::default(),
            regions,
            terms: Interner::default(),
            attributes: IndexVec::default(),
        };
        pool.intern(Term::Empty);
        pool
    }

    /// The signature.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The message with a name, declared if it is new.
    pub fn add_message(&mut self, name: &str) -> MessageId {
        self.signature.add_message(name)
    }

    /// The node of a term: its operator and operands.
    pub fn node(&self, term: TermId) -> Term {
        self.terms.items[term]
    }

    /// The attributes of a term.
    pub fn attributes(&self, term: TermId) -> Attributes {
        self.attributes[term]
    }

    /// The lifelines of a term's events.
    pub fn lifelines(&self, term: TermId) -> LifelineSet {
        self.region(self.attributes[term].lifelines)
    }

    /// Whether a term has any event.
    pub fn has_events(&self, term: TermId) -> bool {
        self.attributes[term].lifelines != Pool::NONE
    }

    /// The number of distinct terms.
    pub fn term_count(&self) -> usize {
        self.terms.items.len()
    }

    /// The lifelines of a region.
    pub fn region(&self, region: RegionId) -> LifelineSet {
        self.regions.set(region)
    }

    /// Whether a lifeline is in a region.
    pub fn region_contains(&self, region: RegionId, lifeline: LifelineId) -> bool {
        self.regions.contains(region, lifeline)
    }

    /// An action.
    pub fn action(&self, action: ActionId) -> Action {
        self.actions.items[action]
    }

    /// The number of distinct actions.
    pub fn action_count(&self) -> usize {
        self.actions.items.len()
    }

    /// The actions of an event, sorted.
    pub fn event_actions(&self, event: EventId) -> &[ActionId] {
        &self.events.items[event]
    }

    /// Θ(e), the lifelines of an event.
    pub fn event_lifelines(&self, event: EventId) -> RegionId {
        self.event_lifelines[event]
    }

    /// Θ(e)∖r, the lifelines of an event on which `coreg_r` orders it.
    pub fn ordered(&mut self, region: RegionId, event: EventId) -> RegionId {
        let lifelines = self.event_lifelines(event);
        match region {
            Pool::NONE => lifelines,
            Pool::ALL => Pool::NONE,
            region => {
                let outside = self.region(lifelines).difference(&self.region(region));
                self.intern_region(&outside)
            }
        }
    }

    /// The number of distinct events.
    pub fn event_count(&self) -> usize {
        self.events.items.len()
    }

    /// The id of an action. A new action gets a new id.
    pub fn intern_action(&mut self, action: Action) -> ActionId {
        self.actions.intern(action)
    }

    /// The id of the event in which the given actions happen as one step. The order of the actions and
    /// repeated ones do not matter.
    ///
    /// # Panics
    /// If there is no action, or the actions have several messages or several emissions.
    pub fn intern_event(&mut self, actions: &[Action]) -> EventId {
        let mut sorted = actions.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let first = sorted.first().expect("an event has an action");
        assert!(
            sorted.iter().all(|action| action.message == first.message),
            "an event has one message"
        );
        let emissions = sorted.iter().filter(|action| action.direction == Direction::Emission);
        assert!(emissions.count() <= 1, "an event has at most one emission");
        let ids = sorted.iter().map(|&action| self.actions.intern(action)).collect();
        let event = self.events.intern(ids);
        if event.index() == self.event_lifelines.len() {
            let lifelines = sorted.iter().fold(Pool::NONE, |region, action| {
                let own = self.regions.singleton(action.lifeline);
                self.regions.union(region, own)
            });
            self.event_lifelines.push(lifelines);
        }
        event
    }

    /// The id of a region. A new region gets a new id.
    ///
    /// # Panics
    /// If a lifeline is not of the signature.
    pub fn intern_region(&mut self, lifelines: &LifelineSet) -> RegionId {
        self.regions.intern(lifelines)
    }

    /// The union of two regions.
    pub fn union(&mut self, left: RegionId, right: RegionId) -> RegionId {
        self.regions.union(left, right)
    }

    /// The id of a term. A new term gets a new id.
    pub fn intern(&mut self, term: Term) -> TermId {
        debug_assert!(
            term.operands().all(|operand| operand.index() < self.terms.items.len()),
            "operands are terms of this pool"
        );
        let id = self.terms.intern(term);
        if id.index() == self.attributes.len() {
            let attributes = self.compute_attributes(term);
            self.attributes.push(attributes);
        }
        id
    }

    /// The term of an event.
    pub fn event(&mut self, event: EventId) -> TermId {
        self.intern(Term::Event(event))
    }

    /// The term of the event of one action.
    pub fn single(&mut self, action: Action) -> TermId {
        let event = self.intern_event(&[action]);
        self.event(event)
    }

    /// `l!m`
    pub fn emission(&mut self, lifeline: LifelineId, message: MessageId) -> TermId {
        self.single(Action::emission(lifeline, message))
    }

    /// `l?m`
    pub fn reception(&mut self, lifeline: LifelineId, message: MessageId) -> TermId {
        self.single(Action::reception(lifeline, message))
    }

    /// `strict(left, right)`
    pub fn strict(&mut self, left: TermId, right: TermId) -> TermId {
        self.intern(Term::Strict(left, right))
    }

    /// `coreg_r(left, right)`
    pub fn coreg(&mut self, region: RegionId, left: TermId, right: TermId) -> TermId {
        self.intern(Term::Coreg(region, left, right))
    }

    /// `seq(left, right)`
    pub fn seq(&mut self, left: TermId, right: TermId) -> TermId {
        self.coreg(Pool::NONE, left, right)
    }

    /// `par(left, right)`
    pub fn par(&mut self, left: TermId, right: TermId) -> TermId {
        self.coreg(Pool::ALL, left, right)
    }

    /// `alt(left, right)`
    pub fn alt(&mut self, left: TermId, right: TermId) -> TermId {
        self.intern(Term::Alt(left, right))
    }

    /// `loopS(body)`
    pub fn loop_s(&mut self, body: TermId) -> TermId {
        self.intern(Term::LoopS(body))
    }

    /// `loopC_r(body)`
    pub fn loop_c(&mut self, region: RegionId, body: TermId) -> TermId {
        self.intern(Term::LoopC(region, body))
    }

    /// `loopW(body)`
    pub fn loop_w(&mut self, body: TermId) -> TermId {
        self.loop_c(Pool::NONE, body)
    }

    /// `loopP(body)`
    pub fn loop_p(&mut self, body: TermId) -> TermId {
        self.loop_c(Pool::ALL, body)
    }

    /// The term in the notation of the papers: binary operators, actions as `a!m`, an event of several
    /// actions as `{a!m, b?m}`. Shared parts are written at every occurrence.
    pub fn text(&self, term: TermId) -> String {
        enum Piece {
            Term(TermId),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut pending = vec![Piece::Term(term)];
        while let Some(piece) = pending.pop() {
            let term = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Term(term) => self.node(term),
            };
            match term {
                Term::Empty => out.push('∅'),
                Term::Event(event) => out.push_str(&self.event_text(event)),
                Term::Strict(..) => out.push_str("strict("),
                Term::Coreg(region, ..) => {
                    out.push_str(&self.operator_text(["seq", "par", "coreg"], region));
                }
                Term::Alt(..) => out.push_str("alt("),
                Term::LoopS(_) => out.push_str("loopS("),
                Term::LoopC(region, _) => {
                    out.push_str(&self.operator_text(["loopW", "loopP", "loopC"], region));
                }
            }
            for (i, operand) in term.operands().enumerate().rev() {
                let last = i + 1 == term.operands().len();
                pending.push(Piece::Text(if last { ")" } else { ", " }));
                pending.push(Piece::Term(operand));
            }
        }
        out
    }

    /// An event as text: `a!m`, or `{a!m, b?m}` for a synchronous passing.
    pub fn event_text(&self, event: EventId) -> String {
        let actions = self.event_actions(event);
        let texts: Vec<String> =
            actions.iter().map(|&action| self.action(action).text(&self.signature)).collect();
        match texts.as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }

    fn operator_text(&self, [none, all, some]: [&str; 3], region: RegionId) -> String {
        match region {
            Pool::NONE => format!("{none}("),
            Pool::ALL => format!("{all}("),
            _ => {
                let lifelines = self.region(region);
                let names = lifelines.iter().map(|lifeline| self.signature.lifeline_name(lifeline));
                format!("{some}({})(", names.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// ```text
    /// terminates(∅)   terminates(loop(i))   terminates(alt(i,j)) iff i or j terminates
    /// terminates(f(i,j)) iff i and j terminate, f ∈ {strict, coreg_r}   an event never terminates
    /// η(∅) = η(loop(i)) = 0   η(e) = 1   η(alt(i,j)) = max(η(i), η(j))   η(f(i,j)) = η(i) + η(j)
    /// ```
    fn compute_attributes(&mut self, term: Term) -> Attributes {
        let leaf = |lifelines, terminates| Attributes {
            lifelines,
            terminates,
            nodes: 1,
            depth: 0,
            loop_depth: 0,
            loops: 0,
            outside_loops: u32::from(!terminates),
        };
        match term {
            Term::Empty => leaf(Pool::NONE, true),
            Term::Event(event) => leaf(self.event_lifelines[event], false),
            Term::Strict(left, right) | Term::Coreg(_, left, right) => {
                self.join_attributes(left, right, |left, right| left && right, u32::saturating_add)
            }
            Term::Alt(left, right) => {
                self.join_attributes(left, right, |left, right| left || right, u32::max)
            }
            Term::LoopS(body) | Term::LoopC(_, body) => {
                let body = self.attributes[body];
                Attributes {
                    lifelines: body.lifelines,
                    terminates: true,
                    nodes: body.nodes.saturating_add(1),
                    depth: body.depth.saturating_add(1),
                    loop_depth: body.loop_depth.saturating_add(1),
                    loops: body.loops.saturating_add(1),
                    outside_loops: 0,
                }
            }
        }
    }

    fn join_attributes(
        &mut self,
        left: TermId,
        right: TermId,
        terminates: impl Fn(bool, bool) -> bool,
        outside_loops: impl Fn(u32, u32) -> u32,
    ) -> Attributes {
        let (left, right) = (self.attributes[left], self.attributes[right]);
        Attributes {
            lifelines: self.regions.union(left.lifelines, right.lifelines),
            terminates: terminates(left.terminates, right.terminates),
            nodes: left.nodes.saturating_add(right.nodes).saturating_add(1),
            depth: left.depth.max(right.depth).saturating_add(1),
            loop_depth: left.loop_depth.max(right.loop_depth),
            loops: left.loops.saturating_add(right.loops),
            outside_loops: outside_loops(left.outside_loops, right.outside_loops),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::spec;

    /// Lifelines, terminates, nodes, depth and loop depth.
    #[track_caller]
    fn check(text: &str, expected: (&str, bool, u64, u32, u32)) {
        let lowered = crate::lower(&[&spec(&format!("@lifeline{{a;b;c}} @message{{m}} {text}"))]);
        let term = lowered.term.unwrap();
        let names: Vec<&str> = lowered
            .pool
            .lifelines(term)
            .iter()
            .map(|lifeline| lowered.pool.signature().lifeline_name(lifeline))
            .collect();
        let found = lowered.pool.attributes(term);
        let found = (found.terminates, found.nodes, found.depth, found.loop_depth);
        let (lifelines, terminates, nodes, depth, loop_depth) = expected;
        assert_eq!(names.join(""), lifelines);
        assert_eq!(found, (terminates, nodes, depth, loop_depth));
    }

    #[test]
    fn attributes_are_those_of_the_definitions() {
        check("o", ("", true, 1, 0, 0));
        check("a -- m ->|", ("a", false, 1, 0, 0));
        check("a -- m -> b", ("ab", false, 3, 1, 0));
        check("a -- <synch> m -> (b,c)", ("abc", false, 1, 0, 0));
        check("alt(a -- m ->|, o)", ("a", true, 3, 1, 0));
        check("alt(a -- m ->|, m -> c)", ("ac", false, 3, 1, 0));
        check("strict(alt(a -- m ->|, o), m -> c)", ("ac", false, 5, 2, 0));
        check("par(loopW(a -- m ->|), loopS(m -> b))", ("ab", true, 5, 2, 1));
        check("loopP(seq(loopC(a)(m -> c), m -> c))", ("c", true, 5, 3, 2));
    }

    #[test]
    fn equal_terms_have_equal_numbers() {
        let mut signature = Signature::default();
        let (a, m) = (signature.add_lifeline("a"), signature.add_message("m"));
        signature.add_lifeline("b");
        let mut pool = Pool::new(signature);
        let send = pool.emission(a, m);
        assert_eq!(pool.emission(a, m), send);
        let region = pool.intern_region(&LifelineSet::singleton(a));
        let terms = [
            Pool::EMPTY,
            send,
            pool.strict(send, send),
            pool.seq(send, send),
            pool.par(send, send),
            pool.coreg(region, send, send),
            pool.alt(send, send),
            pool.loop_s(send),
            pool.loop_w(send),
            pool.loop_p(send),
            pool.loop_c(region, send),
        ];
        for (i, x) in terms.iter().enumerate() {
            assert!(terms[..i].iter().all(|y| x != y), "{}", pool.text(*x));
        }
        let count = pool.term_count();
        assert_eq!(pool.loop_c(region, send), terms[10]);
        let full = LifelineSet::full(2);
        assert_eq!(pool.intern_region(&full), Pool::ALL);
        assert_eq!(pool.term_count(), count);
    }

    #[test]
    fn a_pool_without_lifelines_still_tells_seq_from_par() {
        let mut pool = Pool::new(Signature::default());
        let empty = Pool::EMPTY;
        let (seq, par) = (pool.seq(empty, empty), pool.par(empty, empty));
        assert_eq!((pool.text(seq), pool.text(par)), ("seq(∅, ∅)".into(), "par(∅, ∅)".into()));
    }

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Term>(), 16);
        assert_eq!(size_of::<Attributes>(), 32);
    }
}
