//! Letters: an interaction with values as an ordinary term, whose leaves know their variables.
//!
//! The step relation of values.md, section 4, opens variables: `new(x)(i)` steps as `i[z/x]` with a new variable z, and an
//! iteration of `loop(fresh x)(i)` as `i[z/x]` with a z that differs from all earlier ones of this loop. Here the same is said
//! without binders. A *letter* is a leaf of the valued tree together with the variables of its guards, each of which is an
//! *instance* (a number: this z and no other) or still bound. Each letter is an event of a scratch pool, with a message of its
//! own, so `execute`, `frontier`, `prune` and `simplify` work on letters as on any event. Binders have no
//! letter in a position, so positions are those of the [skeleton](crate::valued).
//!
//! # When a variable gets its instance
//!
//! The only rules that copy a part of a term are those of loops. So inside one iteration (or outside all loops) each binder
//! occurs once, and an instance is a pair of a binder and an *iteration*:
//!
//! ```text
//! iteration ::= the whole interaction | (loop, iteration around it, number)
//! instance of x ::= (binder of x, the iteration in which the binder stands)       fresh x stands in the iteration of its loop
//! ```
//!
//! All that a step has to do is to name the iterations that it begins: [`Letters::enter`]. Let d be the number of loops around a
//! leaf in the text, and c the number of loop nodes around one of its occurrences in what is left. Steps replace a loop by a
//! composition of its body and the loop, `prune` and `simplify` make ∅ of a loop or keep it, and nothing else touches loop
//! nodes. So the occurrence is inside of iterations of its d − c outer loops, and is a template of iterations to come
//! in its c inner ones. Hence x has an instance iff the level of its binder (the number of loops around it; for
//! `fresh`, its own loop included) is at most d − c.
//!
//! A step at a position goes through the loops on its path and begins one iteration of each, nested in each other. An occurrence
//! whose d − c has grown is in these iterations and in no others, so at each level there is one new iteration for all of them.
//! Those that have not changed keep what they had; so do both copies of a loop that the rule for `coreg` makes.
//!
//! # Why this is the relation of section 4
//!
//! Section 4 names z when the binder is first stepped into, here it is named when its iteration begins. In between,
//! no rule copies the binder (it is under no loop node any more), so there is one z in both cases, and a z that no event
//! mentions has any value. `fresh` compares the z of the iterations of one loop in one iteration around it
//! ([`Letters::rivals`]): both copies of a loop share that list, and a loop inside of another iteration has its own. ∎
//!
//! A binder that stands in the text once but in the tree several times (the iterations of `loop 3 times` are
//! written out and share their nodes) is a binder at each of these places.

mod build;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::algebra::Memo;
use crate::algebra::fold::fold;
use crate::define_id;
use crate::index::{EventId, Index as _, IndexVec, MessageId, TermId};
use crate::intern::Interner;
use crate::pool::Pool;
use crate::semantics::execute;
use crate::term::Term;
use crate::valued::{Atom, Part, Valued, ValuedId, ValuedNode, VariableId};

use build::Builder;

define_id! {
    /// A letter.
    pub LetterId;
    /// A binder or a loop of the tree, at one of its places.
    pub ScopeId;
    /// An iteration of a loop, or the whole interaction.
    pub IterationId;
    /// A variable in one iteration: what has one value.
    pub InstanceId;
}

/// A leaf with its variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Letter {
    /// The leaf of the valued tree.
    pub leaf: ValuedId,
    /// What its variables are.
    pub variables: Variables,
}

/// The variables of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Variables {
    /// The instances, in the order of [`Letters::variables`].
    Instances(Box<[InstanceId]>),
    /// Some are still bound.
    Bound(Template),
}

/// A leaf inside of loops that have not begun the iteration of one of its variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Template {
    /// The innermost binder or loop around the leaf.
    scope: ScopeId,
    /// The number of loops around the leaf in the text.
    depth: u32,
    /// The innermost iteration that has begun.
    pub iteration: IterationId,
}

/// A binder or a loop.
#[derive(Debug, Clone)]
struct Scope {
    around: Option<ScopeId>,
    /// The number of loops around what it binds, itself included.
    level: u32,
    /// Its variables.
    variables: Vec<VariableId>,
    is_loop: bool,
}

/// An iteration of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Iteration {
    /// The loop and the iteration around it; `None` for the whole interaction.
    pub of: Option<(ScopeId, IterationId)>,
    /// The number of iterations around it, itself included.
    level: u32,
}

/// A variable in one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The variable.
    pub variable: VariableId,
    /// Its binder.
    pub binder: ScopeId,
    /// The iteration in which the binder stands.
    pub iteration: IterationId,
}

/// The list that `fresh` keeps an instance apart from: the variable, its loop, and the iteration around that.
pub type Rivals = (VariableId, ScopeId, IterationId);

/// What has to be done below a node of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// No leaf has bound variables.
    Nothing,
    /// The leaves with bound variables are as they should be below this number of loops.
    Loops(u32),
    /// They differ in that.
    Mixed,
}

/// A valued interaction over letters.
#[derive(Debug, Clone)]
pub struct Letters {
    /// The pool of the letters' terms. Its lifelines, and the regions of the valued tree, are those of the original pool.
    pub pool: Pool,
    alphabet: Interner<LetterId, Letter>,
    /// By message: its letter.
    messages: FxHashMap<MessageId, LetterId>,
    scopes: IndexVec<ScopeId, Scope>,
    iterations: IndexVec<IterationId, Iteration>,
    instances: Interner<InstanceId, Instance>,
    /// By leaf: the distinct variables of its guards.
    variables: FxHashMap<ValuedId, Box<[VariableId]>>,
    /// By leaf: its actions.
    actions: FxHashMap<ValuedId, Box<[Action]>>,
    wanted: FxHashMap<TermId, Wanted>,
}

impl Letters {
    /// The whole interaction.
    pub const WHOLE: IterationId = IterationId(0);

    /// The term of a valued tree over letters; the variables outside of all loops have their instances. `None` if the tree
    /// is too large to be written out.
    pub fn new(pool: &Pool, valued: &Valued) -> Option<(Letters, TermId)> {
        let mut letters = Letters {
            pool: pool.clone(),
            alphabet: Interner::default(),
            messages: FxHashMap::default(),
            scopes: IndexVec::default(),
            iterations: IndexVec::default(),
            instances: Interner::default(),
            variables: FxHashMap::default(),
            actions: FxHashMap::default(),
            wanted: FxHashMap::default(),
        };
        letters.iterations.push(Iteration { of: None, level: 0 });
        for (id, node) in valued.nodes.iter_with_ids() {
            if let ValuedNode::Event(parts) = node {
                letters.variables.insert(id, variables(parts));
                letters.actions.insert(id, parts.iter().map(|part| part.action).collect());
            }
        }
        let term = Builder::new(&mut letters, valued).build()?;
        Some((letters, term))
    }

    /// The letter of an event of a term of this pool.
    pub fn letter_of(&self, event: EventId) -> Option<LetterId> {
        letter_of(&self.pool, &self.messages, event)
    }

    /// The letter with a message.
    pub fn letter_with(&self, message: MessageId) -> Option<LetterId> {
        self.messages.get(&message).copied()
    }

    /// A letter.
    pub fn letter(&self, letter: LetterId) -> &Letter {
        &self.alphabet.items[letter]
    }

    /// The number of letters so far.
    pub fn letter_count(&self) -> usize {
        self.alphabet.items.len()
    }

    /// The distinct variables of the guards of a leaf, in the order of their first atoms.
    pub fn variables(&self, leaf: ValuedId) -> &[VariableId] {
        self.variables.get(&leaf).map_or(&[], |variables| variables)
    }

    /// An instance.
    pub fn instance(&self, instance: InstanceId) -> Instance {
        self.instances.items[instance]
    }

    /// The number of instances so far.
    pub fn instance_count(&self) -> usize {
        self.instances.items.len()
    }

    /// An iteration.
    pub fn iteration(&self, iteration: IterationId) -> Iteration {
        self.iterations[iteration]
    }

    /// The instance of a variable in a letter; `None` if it is still bound there, or not a variable of the letter.
    pub fn argument(&mut self, letter: LetterId, variable: VariableId) -> Option<InstanceId> {
        if let Variables::Bound(Template { scope, iteration, .. }) =
            self.alphabet.items[letter].variables
        {
            return self.resolve(scope, iteration, variable);
        }
        self.known_argument(letter, variable)
    }

    /// The same, for an instance that has been asked for before.
    pub fn known_argument(&self, letter: LetterId, variable: VariableId) -> Option<InstanceId> {
        let Letter { leaf, variables } = &self.alphabet.items[letter];
        match variables {
            Variables::Instances(instances) => {
                let at = self.variables(*leaf).iter().position(|&own| own == variable)?;
                instances.get(at).copied()
            }
            Variables::Bound(Template { scope, iteration, .. }) => {
                self.instances.find(&self.find(*scope, *iteration, variable)?)
            }
        }
    }

    /// The list that `fresh` keeps an instance apart from: instances with equal lists must have different values. `None` for
    /// `new`.
    pub fn rivals(&self, instance: InstanceId) -> Option<Rivals> {
        let Instance { variable, binder, iteration } = self.instances.items[instance];
        let (_, around) = self.iterations[iteration].of.filter(|(own, _)| *own == binder)?;
        Some((variable, binder, around))
    }

    /// The lists of `fresh` that iterations to come of a letter will be in: those of the loops that stand in an iteration that
    /// has begun.
    pub fn lists(&self, letter: LetterId) -> Vec<Rivals> {
        let Letter { leaf, variables: Variables::Bound(template) } = self.alphabet.items[letter]
        else {
            return Vec::new();
        };
        let Template { scope, iteration, .. } = template;
        let begun = self.iterations[iteration].level;
        let list = |&variable: &VariableId| {
            let binder = self.binder(scope, variable)?;
            let Scope { level, is_loop, .. } = self.scopes[binder];
            (is_loop && level == begun + 1).then_some((variable, binder, iteration))
        };
        self.variables(leaf).iter().filter_map(list).collect()
    }

    /// Ends a step: given its event and what is left after it, both by the plain step relation, names the iterations that the
    /// step begins. Returns the letter of the event and the term that is left, with all instances that are known now.
    ///
    /// `None` if the event is not a letter.
    pub fn enter(&mut self, event: EventId, left: TermId) -> Option<(LetterId, TermId)> {
        let letter = self.letter_of(event)?;
        let mut begun = Begun::default();
        // The event is inside of iterations of all loops around it.
        let letter = self.relabelled(letter, 0, &mut begun);
        let left = self.relabel(left, &mut begun);
        Some((letter, left))
    }

    /// The step at a position of a simplified term: the letter that happens and the term after it; `None` if there is no step.
    pub fn step(
        &mut self,
        memo: &mut Memo,
        term: TermId,
        position: impl IntoIterator<Item = u8>,
    ) -> Option<(LetterId, TermId)> {
        let (event, left) = execute(&mut self.pool, memo, term, position)?;
        self.enter(event, left)
    }

    /// The letter as it should be below a number of loops.
    fn relabelled(&mut self, letter: LetterId, loops: u32, begun: &mut Begun) -> LetterId {
        let Letter { leaf, variables: Variables::Bound(template) } = self.alphabet.items[letter]
        else {
            return letter;
        };
        let known = self.iterations[template.iteration].level;
        let entered = template.depth.saturating_sub(loops);
        let needed = self.needed(leaf, template.scope);
        let mut iteration = template.iteration;
        for level in known + 1..=entered.min(needed) {
            iteration = match begun.by_level.get(&level) {
                Some(&known) => {
                    debug_assert_eq!(self.iterations[known].of.map(|of| of.1), Some(iteration));
                    known
                }
                None => {
                    let Some(scope) = self.loop_at(template.scope, level) else { break };
                    let new = Iteration { of: Some((scope, iteration)), level };
                    let new = self.iterations.push(new);
                    begun.by_level.insert(level, new);
                    new
                }
            };
        }
        let letter = if entered >= needed {
            self.ground(leaf, template.scope, iteration)
        } else {
            Letter { leaf, variables: Variables::Bound(Template { iteration, ..template }) }
        };
        self.intern(letter)
    }

    /// The letter of a leaf all of whose variables have instances.
    fn ground(&mut self, leaf: ValuedId, scope: ScopeId, iteration: IterationId) -> Letter {
        let variables = self.variables.get(&leaf).cloned().unwrap_or_default();
        let instances =
            variables.iter().filter_map(|&x| self.resolve(scope, iteration, x)).collect();
        Letter { leaf, variables: Variables::Instances(instances) }
    }

    /// The instance of a variable that is bound around a scope, if its iteration has begun.
    fn resolve(
        &mut self,
        scope: ScopeId,
        iteration: IterationId,
        variable: VariableId,
    ) -> Option<InstanceId> {
        let found = self.find(scope, iteration, variable)?;
        Some(self.instances.intern(found))
    }

    fn find(
        &self,
        scope: ScopeId,
        iteration: IterationId,
        variable: VariableId,
    ) -> Option<Instance> {
        let binder = self.binder(scope, variable)?;
        let level = self.scopes[binder].level;
        let mut iteration = iteration;
        while self.iterations[iteration].level > level {
            iteration = self.iterations[iteration].of?.1;
        }
        let has_begun = self.iterations[iteration].level == level;
        has_begun.then_some(Instance { variable, binder, iteration })
    }

    /// The binder of a variable around a scope.
    fn binder(&self, scope: ScopeId, variable: VariableId) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if self.scopes[scope].variables.contains(&variable) {
                return Some(scope);
            }
            at = self.scopes[scope].around;
        }
        None
    }

    /// The binder of a variable of a letter, and the number of loops around what it binds.
    pub(crate) fn binder_of(
        &self,
        letter: LetterId,
        variable: VariableId,
    ) -> Option<(ScopeId, u32)> {
        let Letter { leaf, variables } = &self.alphabet.items[letter];
        let binder = match variables {
            Variables::Instances(own) => {
                let at = self.variables(*leaf).iter().position(|&own| own == variable)?;
                self.instances.items[*own.get(at)?].binder
            }
            Variables::Bound(Template { scope, .. }) => self.binder(*scope, variable)?,
        };
        Some((binder, self.scopes[binder].level))
    }

    /// Whether a scope is that of a loop.
    pub(crate) fn is_loop(&self, scope: ScopeId) -> bool {
        self.scopes[scope].is_loop
    }

    /// The loop of a level around a scope.
    fn loop_at(&self, scope: ScopeId, level: u32) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let Scope { around, level: own, is_loop, .. } = self.scopes[scope];
            if is_loop && own == level {
                return Some(scope);
            }
            at = around;
        }
        None
    }

    /// The greatest level of a binder of the variables of a leaf.
    fn needed(&self, leaf: ValuedId, scope: ScopeId) -> u32 {
        let variables = self.variables(leaf).iter();
        let levels = variables.filter_map(|&x| Some(self.scopes[self.binder(scope, x)?].level));
        levels.max().unwrap_or(0)
    }

    fn intern(&mut self, letter: Letter) -> LetterId {
        let before = self.alphabet.items.len();
        let leaf = letter.leaf;
        let id = self.alphabet.intern(letter);
        if self.alphabet.items.len() > before {
            let event = self.make_event(leaf, id);
            let message = self.pool.action(self.pool.event_actions(event)[0]).message;
            self.messages.insert(message, id);
        }
        id
    }

    /// The event of a letter: the actions of its leaf, with a message of their own.
    fn make_event(&mut self, leaf: ValuedId, letter: LetterId) -> EventId {
        let message = self.pool.add_message(&format!("\u{1}{}", letter.index()));
        let actions = self.actions.get(&leaf).map_or(&[][..], |actions| actions);
        let actions: Vec<Action> =
            actions.iter().map(|&action| Action { message, ..action }).collect();
        self.pool.intern_event(&actions)
    }

    /// The event of a letter.
    pub fn event(&mut self, letter: LetterId) -> EventId {
        let leaf = self.alphabet.items[letter].leaf;
        self.make_event(leaf, letter)
    }

    /// Whether, and below how many loops, the leaves of a term are as they should be.
    fn wanted(&mut self, term: TermId) -> Wanted {
        let Letters { pool, alphabet, messages, iterations, wanted, .. } = self;
        fold(
            pool,
            term,
            wanted,
            |_, _| None,
            |pool, term, operands: &[Wanted]| match (pool.node(term), operands) {
                (Term::Event(event), _) => {
                    let letter = letter_of(pool, messages, event)
                        .map(|letter| &alphabet.items[letter].variables);
                    match letter {
                        Some(Variables::Bound(template)) => {
                            let known = iterations[template.iteration].level;
                            Wanted::Loops(template.depth.saturating_sub(known))
                        }
                        Some(Variables::Instances(_)) | None => Wanted::Nothing,
                    }
                }
                (Term::LoopS(_) | Term::LoopC(..), &[Wanted::Loops(loops)]) => {
                    Wanted::Loops(loops.saturating_sub(1))
                }
                (Term::LoopS(_) | Term::LoopC(..), &[body]) => body,
                (_, &[Wanted::Nothing, other] | &[other, Wanted::Nothing]) => other,
                (_, &[left, right]) if left == right => left,
                (_, &[_, _]) => Wanted::Mixed,
                _ => Wanted::Nothing,
            },
        )
    }

    /// The term with all instances that are known now. Only parts that change are visited.
    fn relabel(&mut self, term: TermId, begun: &mut Begun) -> TermId {
        let mut done: FxHashMap<(TermId, u32), TermId> = FxHashMap::default();
        let mut stack = vec![(term, 0)];
        while let Some(&(term, loops)) = stack.last() {
            if done.contains_key(&(term, loops)) {
                stack.pop();
                continue;
            }
            let wanted = self.wanted(term);
            let node = self.pool.node(term);
            if wanted == Wanted::Nothing || wanted == Wanted::Loops(loops) {
                done.insert((term, loops), term);
                stack.pop();
                continue;
            }
            if let Term::Event(event) = node {
                let changed = self.letter_of(event).map_or(term, |letter| {
                    let letter = self.relabelled(letter, loops, begun);
                    let event = self.event(letter);
                    self.pool.event(event)
                });
                done.insert((term, loops), changed);
                stack.pop();
                continue;
            }
            let inside = loops + u32::from(node.is_loop());
            let height = stack.len();
            let missing = node.operands().rev().filter(|&i| !done.contains_key(&(i, inside)));
            stack.extend(missing.map(|operand| (operand, inside)));
            if stack.len() > height {
                continue;
            }
            let of = |operand: TermId| done.get(&(operand, inside)).copied().unwrap_or(operand);
            let changed = match node {
                Term::Empty | Term::Event(_) => node,
                Term::Strict(i, j) => Term::Strict(of(i), of(j)),
                Term::Coreg(region, i, j) => Term::Coreg(region, of(i), of(j)),
                Term::Alt(i, j) => Term::Alt(of(i), of(j)),
                Term::LoopS(i) => Term::LoopS(of(i)),
                Term::LoopC(region, i) => Term::LoopC(region, of(i)),
            };
            let changed = self.pool.intern(changed);
            done.insert((term, loops), changed);
            stack.pop();
        }
        done.get(&(term, 0)).copied().unwrap_or(term)
    }

    /// A letter as text: `a!m[k = x]` with the instances of its variables, `x=3`, or `x` if it is bound.
    pub fn text(&mut self, valued: &Valued, letter: LetterId) -> String {
        let leaf = self.alphabet.items[letter].leaf;
        let ValuedNode::Event(parts) = &valued.nodes[leaf] else { return String::new() };
        let actions = parts.iter().map(|part| part.action.text(self.pool.signature()));
        let mut text = actions.collect::<Vec<_>>().join("+");
        let variables = self.variables.get(&leaf).cloned().unwrap_or_default();
        let variables: Vec<String> = variables
            .iter()
            .map(|&x| match self.argument(letter, x) {
                Some(instance) => format!("{}{}", valued.variables[x], instance.index()),
                None => valued.variables[x].to_string(),
            })
            .collect();
        if !variables.is_empty() {
            text = format!("{text}({})", variables.join(","));
        }
        text
    }
}

/// The letter of an event, or of a part of a synchronous one.
fn letter_of(
    pool: &Pool,
    messages: &FxHashMap<MessageId, LetterId>,
    event: EventId,
) -> Option<LetterId> {
    let action = *pool.event_actions(event).first()?;
    messages.get(&pool.action(action).message).copied()
}

/// By level: the iterations that a step begins.
#[derive(Debug, Default)]
struct Begun {
    by_level: FxHashMap<u32, IterationId>,
}

/// The distinct variables of guards, in the order of their first atoms.
fn variables(parts: &[Part]) -> Box<[VariableId]> {
    let mut found: Vec<VariableId> = Vec::new();
    for variable in parts.iter().flat_map(|part| part.guard.iter()).filter_map(Atom::variable) {
        if !found.contains(&variable) {
            found.push(variable);
        }
    }
    found.into()
}
