//! Witnesses of parallel sessions, in linear time.
//!
//! Greedy firing ([`sessions`]) tells which event happened in which session. So the engine need not be asked. Each
//! session is replayed by itself on the body of the loop; then the positions of its events in the whole term are
//! computed. By the rule of the language
//!
//! ```text
//! loopP(i) —a@1.p→ par(loopP(i), par(i′, loopP(i)))
//! ```
//!
//! a session has a loop on each side, in which the next sessions may begin. So the term is a tree of loops and
//! sessions ([`Tree`]). The next session begins in the loop that is nearest to the root, so that the tree is balanced
//! and a position has logarithmic length.
//!
//! Sessions with the same events are replayed once. If the parts around the loop would lose choices, there is
//! no witness of this kind, and the general replay constructs one.

use std::collections::VecDeque;
use std::rc::Rc;

use otus_core::algebra::prune;
use otus_core::semantics::PositionId;
use otus_core::{EventId, LifelineSet, Pool, RegionId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::alphabet::Alphabet;
use super::super::sessions::{self, Fired, Trail};
use super::super::store::LeafId;
use super::Replay;
use crate::witness::{Witness, WitnessEvent};

/// A step of one part of the term.
#[derive(Debug, Clone, Copy)]
struct LocalStep {
    event: EventId,
    position: PositionId,
    /// The part after the step.
    after: TermId,
}

/// The steps of a part: those that were fired, and then those that complete it, unobserved.
type Steps = Rc<[LocalStep]>;

impl Replay<'_, '_> {
    /// The witness that greedy firing describes; `None` if it describes none.
    pub(super) fn guided(&mut self, term: TermId) -> Option<Witness> {
        let net = std::mem::take(&mut self.engine.net);
        let trail = net.made().and_then(|net| {
            let (mut context, _) = self.engine.context();
            sessions::trail(&mut context, net, &mut self.logs, self.global, self.meter)
        });
        self.engine.net = net;
        self.logs.consumed.fill(0);
        let trail = trail?;
        let mut tree = Tree::new(self.pool, term)?;
        let events = self.events(term);
        let words = Words::new(&trail, &tree, self.pool, &events)?;
        let mut steps: Vec<Steps> = Vec::with_capacity(words.sessions.len());
        let mut known: FxHashMap<&[EventId], Steps> = FxHashMap::default();
        for word in &words.sessions {
            let found = match known.get(word.as_slice()) {
                Some(found) => found.clone(),
                None => self.resolve(tree.body, word)?,
            };
            known.insert(word, found.clone());
            steps.push(found);
        }
        let mut of_parts: Vec<Steps> = Vec::new();
        for (&part, word) in tree.parts.clone().iter().zip(&words.parts) {
            of_parts.push(self.resolve(part, word)?);
        }
        let mut guide = Guide { tree: &mut tree, steps, of_parts, out: Vec::new() };
        let (before, after) = trail.fired.split_at(trail.before_stock);
        for fired in before.iter().chain(&trail.stocked).chain(after) {
            let place = words.place(fired, &events)?;
            guide.take(self, place, fired.observed)?;
        }
        if !self.global {
            guide.complete(self)?;
        }
        let steps = guide.out.into_iter().map(Into::into).collect();
        Some(Witness { steps })
    }

    /// For each leaf of a term: its event.
    fn events(&mut self, term: TermId) -> FxHashMap<LeafId, EventId> {
        let mut found = FxHashMap::default();
        let (mut pending, mut met) = (vec![term], FxHashSet::default());
        while let Some(term) = pending.pop() {
            let node = self.pool.node(term);
            if let Some(event) = node.as_event() {
                let parts = self.engine.alphabet.parts(self.pool, self.partition, event);
                let leaf = self.engine.store.leaves.find(&Alphabet::joined(&parts));
                found.extend(leaf.map(|leaf| (leaf, event)));
            }
            pending.extend(node.operands().filter(|&operand| met.insert(operand)));
        }
        found
    }

    /// The steps of a part with these events, and those that complete it.
    fn resolve(&mut self, part: TermId, word: &[EventId]) -> Option<Steps> {
        let mut failed: FxHashSet<(TermId, usize)> = FxHashSet::default();
        let mut path: Vec<LocalStep> = Vec::new();
        // For each step: the ways that are still to be tried.
        let mut ways = vec![self.ways(part, word)];
        loop {
            if self.meter.count().is_some() {
                return None;
            }
            let now = path.last().map_or(part, |step| step.after);
            if path.len() == word.len() {
                let ending = if self.global { Some(Vec::new()) } else { self.ending(now) };
                if let Some(ending) = ending {
                    path.extend(ending.into_iter().map(|step| LocalStep {
                        event: step.event,
                        position: step.position,
                        after: step.follow_up,
                    }));
                    return Some(path.into());
                }
            }
            match ways.last_mut()?.pop() {
                Some(step) if failed.contains(&(step.after, path.len() + 1)) => {}
                Some(step) => {
                    path.push(step);
                    ways.push(self.ways(step.after, &word[path.len()..]));
                }
                None => {
                    failed.insert((now, path.len()));
                    ways.pop();
                    path.pop();
                }
            }
        }
    }

    /// The steps of a term with the first of these events.
    fn ways(&mut self, term: TermId, word: &[EventId]) -> Vec<LocalStep> {
        let Some(&event) = word.first() else { return Vec::new() };
        let steps = self.frontiers.steps(self.pool, term);
        let own = steps.iter().filter(|step| step.event == event);
        own.map(|step| LocalStep { event, position: step.position, after: step.follow_up })
            .collect()
    }

    /// The lifelines on which the next event is observed. Consumes its moments.
    fn observe(&mut self, event: EventId) -> RegionId {
        let mut observed = LifelineSet::EMPTY;
        for (at, symbol, lifelines) in &self.parts(event) {
            if let Some((head, after)) = self.logs.symbol(*at, &self.engine.alphabet)
                && head == Some(*symbol)
            {
                self.logs.consumed[*at] = after;
                observed = observed.union(lifelines);
            }
        }
        self.pool.intern_region(&observed)
    }
}

/// The part of the term in which an event happens.
#[derive(Debug, Clone, Copy)]
enum Place {
    Session(usize),
    /// A part beside the sessions.
    Part(usize),
}

/// The events of each part.
struct Words {
    sessions: Vec<Vec<EventId>>,
    parts: Vec<Vec<EventId>>,
    /// For each event beside the sessions: its part.
    homes: FxHashMap<EventId, usize>,
}

impl Words {
    fn new(
        trail: &Trail,
        tree: &Tree,
        pool: &Pool,
        events: &FxHashMap<LeafId, EventId>,
    ) -> Option<Words> {
        let mut homes = FxHashMap::default();
        for (number, &part) in tree.parts.iter().enumerate() {
            let (mut pending, mut met) = (vec![part], FxHashSet::default());
            while let Some(term) = pending.pop() {
                if let Some(event) = pool.node(term).as_event()
                    && homes.insert(event, number).is_some_and(|other| other != number)
                {
                    return None;
                }
                pending.extend(pool.node(term).operands().filter(|&x| met.insert(x)));
            }
        }
        let sessions = vec![Vec::new(); trail.sessions as usize];
        let mut words = Words { sessions, parts: vec![Vec::new(); tree.parts.len()], homes };
        let (before, after) = trail.fired.split_at(trail.before_stock);
        for fired in before.iter().chain(&trail.stocked).chain(after) {
            let event = *events.get(&fired.leaf)?;
            match words.place(fired, events)? {
                Place::Session(session) => words.sessions[session].push(event),
                Place::Part(part) => words.parts[part].push(event),
            }
        }
        Some(words)
    }

    fn place(&self, fired: &Fired, events: &FxHashMap<LeafId, EventId>) -> Option<Place> {
        match fired.session {
            Some(session) => Some(Place::Session(session as usize)),
            None => self.homes.get(events.get(&fired.leaf)?).copied().map(Place::Part),
        }
    }
}

/// Where the events of all parts happen in the whole term.
struct Guide<'t> {
    tree: &'t mut Tree,
    /// The steps of each session, and those of each part beside the sessions.
    steps: Vec<Steps>,
    of_parts: Vec<Steps>,
    out: Vec<WitnessEvent>,
}

impl Guide<'_> {
    /// Takes the next step of a part.
    fn take(&mut self, replay: &mut Replay<'_, '_>, place: Place, observed: bool) -> Option<()> {
        let (steps, taken) = match place {
            Place::Session(at) => (&self.steps[at], self.tree.taken_by_session(at)),
            Place::Part(at) => (&self.of_parts[at], self.tree.taken_by_part(at)),
        };
        let step = *steps.get(taken)?;
        let mut position = self.tree.step(replay, place, &step)?;
        position.extend(replay.frontiers.positions.letters(step.position));
        let observed = if observed { replay.observe(step.event) } else { Pool::NONE };
        self.out.push(WitnessEvent { event: step.event, position: position.into(), observed });
        replay.meter.count().is_none().then_some(())
    }

    /// Completes all parts by unobserved events: first those before the sessions, last those after them.
    fn complete(&mut self, replay: &mut Replay<'_, '_>) -> Option<()> {
        let before = self.tree.before;
        let parts = |range: std::ops::Range<usize>| range.map(Place::Part);
        let sessions = (0..self.steps.len()).map(Place::Session);
        let all: Vec<Place> =
            parts(0..before).chain(sessions).chain(parts(before..self.of_parts.len())).collect();
        for place in all {
            let (count, taken) = match place {
                Place::Session(at) => (self.steps[at].len(), self.tree.taken_by_session(at)),
                Place::Part(at) => (self.of_parts[at].len(), self.tree.taken_by_part(at)),
            };
            for _ in taken..count {
                self.take(replay, place, false)?;
            }
        }
        Some(())
    }
}

/// The term that is left, down to its loops, sessions and other parts.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    /// The parallel loop, and its body.
    repeated: TermId,
    body: TermId,
    /// The parts beside the loop, in the order of the term, and how many of them stand before the loop.
    parts: Vec<TermId>,
    before: usize,
    /// The node of each part and of each session, if it has begun and not ended, and the number of
    /// steps taken.
    part_nodes: Vec<Option<usize>>,
    part_steps: Vec<usize>,
    session_nodes: Vec<Option<usize>>,
    session_steps: Vec<usize>,
    /// The loops in which sessions may begin, those near the root first.
    loops: VecDeque<usize>,
}

#[derive(Debug)]
struct Node {
    parent: Option<usize>,
    content: Content,
}

#[derive(Debug, Clone, Copy)]
enum Content {
    /// A sequence; without a region it is strict.
    Pair {
        left: usize,
        right: usize,
        region: Option<RegionId>,
    },
    Loop,
    /// What is left of a part or session.
    Rest(TermId),
    /// A part or session that has been removed.
    Gone,
}

impl Tree {
    /// The tree of a term with one parallel loop, and otherwise parts without loops in sequence with it.
    fn new(pool: &Pool, term: TermId) -> Option<Tree> {
        let mut tree = Tree {
            nodes: Vec::new(),
            repeated: term,
            body: term,
            parts: Vec::new(),
            before: 0,
            part_nodes: Vec::new(),
            part_steps: Vec::new(),
            session_nodes: Vec::new(),
            session_steps: Vec::new(),
            loops: VecDeque::new(),
        };
        let has_loops = |term| pool.attributes(term).loops > 0;
        let mut at = tree.add(None, Content::Gone);
        let mut term = term;
        let mut after = Vec::new();
        loop {
            let (region, left, right) = match pool.node(term) {
                Term::LoopC(region, body) if region == Pool::ALL => {
                    (tree.repeated, tree.body) = (term, body);
                    tree.nodes[at].content = Content::Loop;
                    tree.loops.push_back(at);
                    break;
                }
                Term::Strict(left, right) => (None, left, right),
                Term::Coreg(region, left, right) => (Some(region), left, right),
                Term::Empty | Term::Event(_) | Term::Alt(..) | Term::LoopS(_) | Term::LoopC(..) => {
                    return None;
                }
            };
            let (part, inner, is_before) = match [left, right].map(has_loops) {
                [false, true] => (left, right, true),
                [true, false] => (right, left, false),
                [true, true] | [false, false] => return None,
            };
            let own = tree.add(Some(at), Content::Rest(part));
            let rest = tree.add(Some(at), Content::Gone);
            let (left, right) = if is_before { (own, rest) } else { (rest, own) };
            tree.nodes[at].content = Content::Pair { left, right, region };
            if is_before {
                tree.parts.push(part);
                tree.part_nodes.push(Some(own));
            } else {
                after.push((part, own));
            }
            (term, at) = (inner, rest);
        }
        tree.before = tree.parts.len();
        // The innermost part after the loop comes first.
        for (part, node) in after.into_iter().rev() {
            tree.parts.push(part);
            tree.part_nodes.push(Some(node));
        }
        tree.part_steps = vec![0; tree.parts.len()];
        Some(tree)
    }

    fn add(&mut self, parent: Option<usize>, content: Content) -> usize {
        self.nodes.push(Node { parent, content });
        self.nodes.len() - 1
    }

    fn taken_by_part(&self, part: usize) -> usize {
        self.part_steps[part]
    }

    fn taken_by_session(&self, session: usize) -> usize {
        self.session_steps.get(session).copied().unwrap_or(0)
    }

    /// Takes a step; returns the position of the part in which it happens.
    fn step(
        &mut self,
        replay: &mut Replay<'_, '_>,
        place: Place,
        step: &LocalStep,
    ) -> Option<Vec<u8>> {
        let (node, begins) = match place {
            Place::Part(part) => {
                self.part_steps[part] += 1;
                (self.part_nodes[part]?, false)
            }
            Place::Session(session) => {
                if self.session_steps.len() <= session {
                    self.session_steps.resize(session + 1, 0);
                    self.session_nodes.resize(session + 1, None);
                }
                self.session_steps[session] += 1;
                match self.session_nodes[session] {
                    Some(node) => (node, false),
                    None if self.session_steps[session] == 1 => (self.loops.pop_front()?, true),
                    None => return None,
                }
            }
        };
        let mut letters = self.path(node);
        self.pass(replay, node, step.event)?;
        if begins {
            letters.push(1);
            // The new session gets a loop on each side, and stands before the right one.
            let before = self.add(Some(node), Content::Loop);
            let mut after = self.add(Some(node), Content::Loop);
            self.loops.push_back(before);
            self.loops.push_back(after);
            if step.after != Pool::EMPTY {
                let pair = self.add(Some(node), Content::Gone);
                let own = self.add(Some(pair), Content::Rest(step.after));
                let region = Some(Pool::ALL);
                self.nodes[pair].content = Content::Pair { left: own, right: after, region };
                self.nodes[after].parent = Some(pair);
                after = pair;
                if let Place::Session(session) = place {
                    self.session_nodes[session] = Some(own);
                }
            }
            let region = Some(Pool::ALL);
            self.nodes[node].content = Content::Pair { left: before, right: after, region };
        } else if step.after == Pool::EMPTY {
            self.remove(node);
        } else {
            self.nodes[node].content = Content::Rest(step.after);
        }
        Some(letters)
    }

    /// The path from the root to a node.
    fn path(&self, node: usize) -> Vec<u8> {
        let mut letters = Vec::new();
        let mut at = node;
        while let Some(parent) = self.nodes[at].parent {
            let Content::Pair { left, .. } = self.nodes[parent].content else { break };
            letters.push(if left == at { 1 } else { 2 });
            at = parent;
        }
        letters.reverse();
        letters
    }

    /// Applies the effect of an event to the parts before it.
    fn pass(&mut self, replay: &mut Replay<'_, '_>, node: usize, event: EventId) -> Option<()> {
        let mut at = node;
        while let Some(parent) = self.nodes[at].parent {
            let Content::Pair { left, right, region } = self.nodes[parent].content else { break };
            let mut next = parent;
            if right == at && region != Some(Pool::ALL) {
                match region {
                    // The left operand of a strict sequence must have ended.
                    None => {
                        next = at;
                        self.discard(left);
                    }
                    Some(region) => {
                        let ordered = replay.pool.ordered(region, event);
                        self.prune(replay, left, ordered)?;
                        // If the left operand is gone, this node has taken the place of its parent.
                        if self.nodes[at].parent != Some(parent) {
                            next = at;
                        }
                    }
                }
            }
            at = next;
        }
        Some(())
    }

    /// Removes all that is below a node, and the node.
    fn discard(&mut self, node: usize) {
        self.remove(node);
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            if let Content::Pair { left, right, .. } = self.nodes[at].content {
                pending.extend([left, right]);
            }
            self.nodes[at].content = Content::Gone;
        }
        let Tree { nodes, loops, .. } = self;
        loops.retain(|&at| matches!(nodes[at].content, Content::Loop));
    }

    /// Prunes everything below a node. Each session or other part must stay unchanged or disappear;
    /// `None` if pruning would change it.
    fn prune(&mut self, replay: &mut Replay<'_, '_>, node: usize, region: RegionId) -> Option<()> {
        let mut pending = vec![node];
        let mut gone = Vec::new();
        while let Some(at) = pending.pop() {
            if replay.meter.count().is_some() {
                return None;
            }
            let term = match self.nodes[at].content {
                Content::Pair { left, right, .. } => {
                    pending.extend([left, right]);
                    continue;
                }
                Content::Loop => self.repeated,
                Content::Rest(term) => term,
                Content::Gone => continue,
            };
            let pruned = prune(replay.pool, &mut replay.frontiers.memo, term, region)?;
            if pruned == Pool::EMPTY {
                gone.push(at);
            } else if pruned != term {
                return None;
            }
        }
        for at in gone {
            self.remove(at);
            self.nodes[at].content = Content::Gone;
        }
        let Tree { nodes, loops, .. } = self;
        loops.retain(|&at| matches!(nodes[at].content, Content::Loop));
        Some(())
    }

    /// Removes a node; its sibling takes the place of its parent.
    fn remove(&mut self, node: usize) {
        for own in self.part_nodes.iter_mut().filter(|own| **own == Some(node)) {
            *own = None;
        }
        let Some(parent) = self.nodes[node].parent.take() else { return };
        let Content::Pair { left, right, .. } = self.nodes[parent].content else { return };
        let sibling = if left == node { right } else { left };
        let above = self.nodes[parent].parent;
        self.nodes[sibling].parent = above;
        if let Some(above) = above
            && let Content::Pair { left, right, .. } = &mut self.nodes[above].content
        {
            *(if *left == parent { left } else { right }) = sibling;
        }
        self.nodes[parent].content = Content::Gone;
        self.nodes[parent].parent = None;
    }
}
