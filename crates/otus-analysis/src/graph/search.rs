//! The driver of the searches: explores the graph that rules span.
//!
//! A node is created and counted when it is taken from the queue. Its children come in the
//! lexicographic order of positions, reordered by priorities. The papers leave open which of two
//! children of equal priority comes first. Here those that consume something come before those that
//! simulate an unobserved event: otherwise a depth-first search simulates whatever it can before it
//! consumes the next action, and an accepted multi-trace of six actions may take a million nodes.

use std::time::Instant;

use otus_core::index::IndexVec;
use otus_core::{Direction, Pool};
use rustc_hash::FxHashMap;

use crate::budget::{Meter, Stop};
use crate::config::{Config, Priorities};
use crate::graph::queue::Queue;
use crate::graph::state::{Leaf, Occurrence, Rule, SearchState};

otus_core::define_id! {
    /// A node, numbered in order of creation.
    pub NodeId;
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Report {
    /// The number of nodes.
    pub nodes: u64,
    /// The best leaf.
    pub best: Option<(NodeId, Leaf)>,
    /// Why the search ended.
    pub stop: Stop,
    /// Whether a filter cut something off.
    pub cut: bool,
    parents: IndexVec<NodeId, Option<(NodeId, Rule)>>,
}

impl Report {
    /// The rules along the path to the best leaf.
    pub fn path(&self) -> Option<Vec<Rule>> {
        let (mut at, _) = self.best?;
        let mut path = Vec::new();
        while let Some((parent, rule)) = self.parents[at] {
            path.push(rule);
            at = parent;
        }
        path.reverse();
        Some(path)
    }
}

/// A child that has no node yet.
struct Pending {
    parent: Option<(NodeId, Rule)>,
    state: SearchState,
    depth: u64,
    loop_depth: u64,
}

/// The rules that span a graph.
pub trait Expander {
    /// The leaf, if the node is one, and the node's children in the order of positions. `rule` is
    /// the rule that led to the node.
    fn expand(&mut self, state: &SearchState, rule: Option<Rule>) -> Expansion;

    /// The pool that the states refer to.
    fn pool(&self) -> &Pool;

    /// The memory of tables beside the pool, roughly.
    fn bytes(&self) -> usize {
        0
    }
}

/// A leaf, if a node is one, and its children.
pub type Expansion = (Option<Leaf>, Vec<(Rule, SearchState)>);

/// Sees every step of a search and cannot change it.
pub trait Observer {
    /// A node is created: the root, or a child of another node by a rule.
    fn node(&mut self, _id: NodeId, _parent: Option<(NodeId, Rule)>, _state: &SearchState) {}

    /// A rule leads to a node that exists already (with memoization).
    fn again(&mut self, _known: NodeId, _parent: NodeId, _rule: Rule) {}

    /// A node is a leaf.
    fn leaf(&mut self, _id: NodeId, _leaf: Leaf) {}

    /// A filter or a limit cuts a child off.
    fn cut(&mut self, _parent: NodeId, _rule: Rule) {}
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Explores the graph from a root.
pub fn search(
    rules: &mut impl Expander,
    root: SearchState,
    config: &Config,
    observer: &mut dyn Observer,
) -> Report {
    let mut report = Report {
        nodes: 0,
        best: None,
        stop: Stop::Exhausted,
        cut: false,
        parents: IndexVec::default(),
    };
    let mut random = fastrand::Rng::with_seed(config.seed);
    let mut meter = Meter::new(&config.budget);
    let mut seen: FxHashMap<SearchState, NodeId> = FxHashMap::default();
    let mut queue = Queue::new(config.strategy);
    queue.extend(0, vec![Pending { parent: None, state: root, depth: 0, loop_depth: 0 }]);
    let mut waiting: usize = 1;
    let mut unexplored = None;
    while let Some(pending) = queue.pop() {
        waiting -= 1;
        if let (true, Some((parent, rule))) = (config.memoize, pending.parent)
            && let Some(&known) = seen.get(&pending.state)
        {
            observer.again(known, parent, rule);
            continue;
        }
        if config.filters.nodes.is_some_and(|most| report.nodes >= most) {
            report.cut = true;
            unexplored = Some(pending);
            break;
        }
        // A node of a large interaction takes long, so each node checks whether the caller asked to
        // stop.
        let states = seen.capacity() + waiting;
        let stop = meter.count().or_else(|| config.budget.cancel.reason());
        if let Some(stop) = stop.or_else(|| limit(&meter, rules, &report, states)) {
            report.stop = stop;
            unexplored = Some(pending);
            break;
        }
        report.nodes += 1;
        let id = report.parents.push(pending.parent);
        observer.node(id, pending.parent, &pending.state);
        let (leaf, mut children) =
            rules.expand(&pending.state, pending.parent.map(|(_, rule)| rule));
        if let Some(leaf) = leaf {
            observer.leaf(id, leaf);
            if report.best.is_none_or(|(_, best)| leaf.verdict > best.verdict) {
                report.best = Some((id, leaf));
            }
            if config.goal.is_some_and(|goal| leaf.verdict >= goal) {
                report.stop = Stop::Goal;
                break;
            }
        }
        if config.memoize {
            seen.insert(pending.state, id);
        }
        order(&mut children, rules, &config.priorities, &mut random);
        let depth = pending.depth + 1;
        let mut next = Vec::with_capacity(children.len());
        for (rule, state) in children {
            let instantiated = rule.occurrence().map_or(0, |occurrence| occurrence.loop_depth);
            let loop_depth = pending.loop_depth + u64::from(instantiated);
            let filters = &config.filters;
            if filters.depth.is_some_and(|most| depth > most)
                || filters.loop_depth.is_some_and(|most| loop_depth > most)
            {
                report.cut = true;
                observer.cut(id, rule);
                continue;
            }
            next.push(Pending { parent: Some((id, rule)), state, depth, loop_depth });
        }
        waiting += next.len();
        queue.extend(depth, next);
    }
    // A bound on nodes, or a limit, cuts off everything that is still in the queue.
    while let Some(pending) = unexplored {
        if let Some((parent, rule)) = pending.parent {
            match seen.get(&pending.state) {
                Some(&known) => observer.again(known, parent, rule),
                None => observer.cut(parent, rule),
            }
        }
        unexplored = queue.pop();
    }
    report
}

/// The limit of time or memory that a search has reached, if any. A node of a large term takes long, so the clock is
/// read at each node. `states`: the number of states in tables.
fn limit(meter: &Meter<'_>, rules: &impl Expander, report: &Report, states: usize) -> Option<Stop> {
    if meter.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
        return Some(Stop::Time);
    }
    let states = states * (size_of::<Pending>() + STATE);
    let nodes = report.parents.len() * size_of::<Option<(NodeId, Rule)>>();
    let terms = rules.pool().term_count() * TERM + rules.bytes();
    meter.is_too_large(states + nodes + terms).then_some(Stop::Memory)
}

/// The approximate size in bytes of a state, beyond the size of the struct itself, and of a term
/// with its memoized steps.
const STATE: usize = 64;
const TERM: usize = 256;

/// Sorts children by priority. Of equal priority, those that consume come first, then the order of
/// positions counts; or the order is random.
fn order(
    children: &mut [(Rule, SearchState)],
    rules: &impl Expander,
    priorities: &Priorities,
    random: &mut fastrand::Rng,
) {
    if priorities.randomize {
        random.shuffle(children);
    }
    let pool = rules.pool();
    children.sort_by_key(|(rule, _)| {
        let simulates = matches!(rule, Rule::Simulate(_)) && !priorities.randomize;
        (std::cmp::Reverse(level(pool, priorities, rule)), simulates)
    });
}

fn level(pool: &Pool, priorities: &Priorities, rule: &Rule) -> i64 {
    let event = |occurrence: &Occurrence| {
        let actions = pool.event_actions(occurrence.event);
        let has = |direction| actions.iter().any(|&a| pool.action(a).direction == direction);
        let (emits, receives) = (has(Direction::Emission), has(Direction::Reception));
        let several = actions.len() > 1;
        let pick = |applies: bool, level: i64| if applies { level } else { 0 };
        pick(emits, priorities.emission)
            + pick(receives, priorities.reception)
            + pick(several, priorities.rendezvous)
            + pick(occurrence.loop_depth > 0, priorities.in_loop)
    };
    match rule {
        Rule::Execute(occurrence) => event(occurrence) + priorities.step,
        Rule::Simulate(occurrence) => event(occurrence) + priorities.simulate,
        Rule::Remove(_) => priorities.eliminate,
    }
}
