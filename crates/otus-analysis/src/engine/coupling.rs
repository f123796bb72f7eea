//! Coupling: where causality between components can be forgotten without changing what can be
//! observed.
//!
//! **Relaxation.** Let C be the partition. The *relaxed* `strict(i,j)` and `loopS(i)` order two
//! events only if they are on a common component; the relaxed synchronous passing is one event for
//! each component that it touches, without any order between them. Relaxing gives more global
//! traces, and may give more multi-traces: `par(a -- m -> b, b -- n -> a)`, relaxed, can be
//! observed as `a?n.a!m` and `b?m.b!n`, where each message is received before the other is sent.
//! This module determines where it does not.
//!
//! **Definition.** comps(i) are the components of the events of i. G(i) is the digraph on comps(i)
//! with the edges comps(u)×comps(v) for every `strict(u,v)` in i, comps(b)² for every `loopS(b)`,
//! and comps(e)² for every synchronous passing e; G(i)⁺ is its transitive closure. A component c is
//! *loose* in `coreg_r(x,y)` if an event of y may come before one of x there: both have events on
//! c, and not both on one and the same lifeline outside r only. `coreg_r(x,y)` is **coupling** if
//! there is a closed walk
//!
//! ```text
//! c₁ → d₁ → c₂ → d₂ → … → cₙ → dₙ → c₁     cᵢ ≠ dᵢ ≠ cᵢ₊₁, all in comps(x) ∩ comps(y),
//!    cᵢ → dᵢ in G(x)⁺,   dᵢ → cᵢ₊₁ in G(y)⁺,   every cᵢ loose
//! ```
//!
//! and `loopC_r(b)` is coupling if there is one with x = y = b.
//!
//! **Theorem.** Relaxing every `strict`, `loopS` and synchronous passing that has no coupling
//! ancestor leaves `σ_C` unchanged.
//!
//! *Proof.* Choose the branches of the alternatives and the numbers of iterations. This leaves a
//! set E of leaves, and a set R of pairs that the operators order: all pairs across `strict` and
//! across iterations of `loopS`, and the pairs across `coreg_r`, and across iterations of
//! `loopC_r`, that share a lifeline outside r. The global traces of this choice are the orders of E
//! that respect R (the oracle in otus-testkit proves this: conditional sequencing is a condition on
//! pairs). So a multi-trace, which is a linear order <c of the events on each component c, is
//! observable by this choice iff R and all <c together have no cycle. The same holds for the
//! relaxed term with its relation R′ and the parts of events. Of the pairs of R, the relaxed term
//! lacks only those without a common component, and the identity of the parts of a synchronous
//! passing; so it observes everything that the term does. For the converse let R′ and the <c have
//! no cycle, and suppose that R and the <c have one, when parts of an event are identified again.
//!
//! Of all such cycles take one whose events lie in the smallest subterm n (with all its
//! iterations, if n is a loop; "below n" then means in one iteration), and among these one that
//! changes least often between the operands, or iterations, of n.
//! No pair of R goes from a later operand or iteration to an earlier one, so where the cycle goes
//! back it goes along some <c: from f to e with f <c e, where e is in the earlier one.
//!
//! - *n is a leaf, or an alternative.* Then there is no such pair at all.
//! - *n is a `strict` or a `loopS`.* Relaxed or not, it orders e before f, since they have the
//!   component c in common. This contradicts f <c e: R′ and <c have a cycle of two.
//! - *n is `coreg_r(x,y)`.* Cut the cycle where it changes between x and y. Each change is along
//!   some <c, or along a pair of R that shares a lifeline and so a component c; both operands have
//!   events on c. Where it goes from y to x, c is loose: if x and y had events of one lifeline l ∉
//!   r only on c, then R′ would order e before f. Now look at a piece of the cycle inside an
//!   operand, say x. It is entered on a component c, at an event e, and left on a component d, at
//!   an event e′. A step in it stays on a component (along a <c or a pair of a `coreg` or `loopC`),
//!   or is an edge of G(x) (`strict`, `loopS`, or from one part of a synchronous passing to
//!   another). So c = d, or c → d is in G(x)⁺. If c = d then e = e′, or e <c e′, or e′ <c e. The
//!   last closes a cycle inside x, a smaller sub-term. In the other cases let f, f′ be the
//!   neighbours of the piece in y: there is a step from f to e on c, and one from e′ to f′ on c, so
//!   f <c f′ or f = f′, because all of these steps agree with <c (a step along a pair of R between
//!   operands of n is in R′ as well, which <c respects). The piece can be left out: either a cycle
//!   with fewer changes remains, or it was the only piece in x, and a cycle inside y remains (or f
//!   = f′ are one event and the rest of the cycle, if there is any, is one inside y; if there is
//!   none then f <c e <c f). Each case contradicts the choice of the cycle. So c ≠ d for all
//!   pieces, and the components of the changes are a closed walk as in the definition: n is
//!   coupling.
//! - *n is `loopC_r(b)`.* The same with iterations for operands. All pieces are edges of G(b)⁺
//!   between different components, and somewhere the cycle goes back to an earlier iteration, on a
//!   loose component c. Let d be the next one: then c → d and d → c are in G(b)⁺, and n is
//!   coupling.
//!
//! So n is coupling. But then nothing below n is relaxed. All events of the cycle are in n, and the
//! operator that orders a pair of R is below n or n itself, so all pairs of the cycle are in R′,
//! and so are the identities of synchronous passings: R′ and the <c have a cycle. ∎
//!
//! **A single log.** Let only one component c be observed. Then there is only <c, and a cycle goes
//! back on c alone; where it goes on to a later operand it does so on c or along a pair of R, on a
//! component that has a lifeline outside r on both sides: call these *tight*. `coreg_r(x,y)` is
//! **coupling for c** if c is loose there and, for some tight d ≠ c, c → d is in G(x)⁺ and d → c in
//! G(y)⁺; the same for `loopC_r(b)` with x = y = b. If no node is coupling for c, the whole term
//! can be relaxed and c observes the same.
//!
//! *Proof.* As before. A piece that is entered and left on the same component is left out with the
//! help of <c, so it must be on c for that: in `coreg_r(x,y)` each piece is entered or left by
//! going back, which is on c. In a loop, a piece may go on from d to d ≠ c; it then adds nothing to
//! the walk from c to d and on to c, so c → d and d → c are in G(b)⁺ for the component d on which
//! the first piece after going back is left. ∎
//!
//! All questions about declarations of single components (accept, multi-prefix, slice …) are
//! questions about `σ_C`, so relaxation changes no answer. It does change global prefixes.
//!
//! **Alternative.** One could ask instead for a strongly connected set with an edge of each operand
//! and a loose component. A closed walk has to change operands at every component, which
//! recognises a few more decoupled terms and needs no search for strong components.
//!
//! **Cost.** Nothing for terms without a `coreg` whose operands share two components, one of them
//! loose, such as all `seq` on a discrete partition. Otherwise one closed relation per distinct
//! G(i)⁺, and a union per distinct pair of them. Beyond [`WORK`], G of the remaining terms is taken
//! to be complete: more nodes count as coupling, which is slower, never wrong.

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::{Pool, RegionId, Term, TermId};
use otus_trace::{ComponentId, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use super::normal::bits;

/// The number of words of relations that are computed before the rest is over-approximated. A word
/// takes about a nanosecond.
const WORK: usize = 4_000_000;

/// The coupling nodes of a term.
#[derive(Debug, Clone, Default)]
pub struct Coupling {
    nodes: FxHashSet<TermId>,
    /// The components for which some node is coupling.
    entangled: FxHashSet<usize>,
}

impl Coupling {
    /// Examines every subterm of a term.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition) -> Self {
        let mut search = Search::new(pool, partition);
        let parts = parts(pool, term);
        let candidates = search.candidates(&parts);
        let mut coupling = Coupling::default();
        if candidates.is_empty() {
            return coupling;
        }
        let mut graphs: FxHashMap<TermId, Graph> = FxHashMap::default();
        let mut next = candidates.iter().peekable();
        for &part in &parts {
            if next.next_if(|&&candidate| candidate == part).is_some() {
                let node = pool.node(part);
                let graphs = sides(node).map(|term| graphs[&term]);
                if search.is_coupling(node, graphs) {
                    coupling.nodes.insert(part);
                    search.entangle(node, graphs, &mut coupling.entangled);
                }
            }
            // After the last candidate, no graph is needed any more.
            if next.peek().is_none() {
                break;
            }
            let graph = search.graph(part, &graphs);
            graphs.insert(part, graph);
        }
        coupling
    }

    /// Whether a `coreg` or `loopC` of the term is coupling. Other terms never are.
    pub fn is_coupling(&self, term: TermId) -> bool {
        self.nodes.contains(&term)
    }

    /// Whether the whole term can be relaxed if only this component is observed.
    pub fn is_free(&self, component: ComponentId) -> bool {
        !self.entangled.contains(&component.index())
    }

    /// Whether no node is coupling. Then the whole term can be relaxed, and components depend on
    /// each other only by choices. (Below a coupling node there is always something that relaxing
    /// would change, because its closed walk has an edge between two components.)
    pub fn decoupled(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// x and y of `coreg_r(x,y)`; b and b of `loopC_r(b)`.
fn sides(node: Term) -> [TermId; 2] {
    let mut operands = node.operands();
    let left = operands.next().unwrap_or(Pool::EMPTY);
    [left, operands.next().unwrap_or(left)]
}

/// r of `coreg_r(x,y)` and `loopC_r(b)`.
fn region(node: Term) -> Option<RegionId> {
    if let Term::Coreg(region, ..) | Term::LoopC(region, _) = node { Some(region) } else { None }
}

/// The distinct subterms of a term, operands first, since they have smaller numbers.
pub(crate) fn parts(pool: &Pool, term: TermId) -> Vec<TermId> {
    let mut is_part = vec![false; term.index() + 1];
    is_part[term.index()] = true;
    let mut parts = Vec::new();
    for number in (0..=term.index()).rev() {
        if is_part[number] {
            let part = TermId::new(number);
            for operand in pool.node(part).operands() {
                is_part[operand.index()] = true;
            }
            parts.push(part);
        }
    }
    parts.reverse();
    parts
}

/// A set of components.
type Set = Box<[u64]>;

otus_core::define_id! {
    /// A closed relation on components.
    RelationId;
}

/// G(i)⁺
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Graph {
    /// No edge between different components.
    Empty,
    /// The graph is this relation.
    Known(RelationId),
    /// Taken to have all edges, because the work limit was reached.
    Complete,
}

/// A closed relation on components: a row for each.
type Relation = Box<[u64]>;

struct Search<'a> {
    pool: &'a Pool,
    partition: &'a Partition,
    /// The number of words of a set of components.
    width: usize,
    components: FxHashMap<RegionId, Set>,
    relations: Interner<RelationId, Relation>,
    unions: FxHashMap<(RelationId, RelationId), Graph>,
    work: usize,
}

impl<'a> Search<'a> {
    fn new(pool: &'a Pool, partition: &'a Partition) -> Self {
        Search {
            pool,
            partition,
            width: partition.len().div_ceil(64).max(1),
            components: FxHashMap::default(),
            relations: Interner::default(),
            unions: FxHashMap::default(),
            work: 0,
        }
    }

    /// The nodes that may be coupling: both operands have something to relax, and they share two
    /// components, one of them loose.
    fn candidates(&mut self, parts: &[TermId]) -> Vec<TermId> {
        let mut has_edges = vec![false; parts.last().map_or(0, |last| last.index() + 1)];
        let tight = self.partition.is_discrete();
        let mut candidates = Vec::new();
        for &part in parts {
            let node = self.pool.node(part);
            has_edges[part.index()] = is_relaxed(self.pool, node)
                || node.operands().any(|operand| has_edges[operand.index()]);
            let Some(region) = region(node) else { continue };
            // On a discrete partition, weak sequencing leaves no component loose.
            if (tight && region == Pool::NONE)
                || !node.operands().all(|operand| has_edges[operand.index()])
            {
                continue;
            }
            let shared = self.shared(node);
            if count(&shared) > 1 && members(&shared).any(|c| self.is_loose(node, c)) {
                candidates.push(part);
            }
        }
        candidates
    }

    /// Searches the closed walk of the definition: a cycle among loose components, each two steps
    /// from the one before.
    fn is_coupling(&mut self, node: Term, [x, y]: [Graph; 2]) -> bool {
        if x == Graph::Empty || y == Graph::Empty {
            return false;
        }
        let shared = self.shared(node);
        let loose: Vec<usize> = members(&shared).filter(|&c| self.is_loose(node, c)).collect();
        let mut loose_set = self.none();
        for &c in &loose {
            insert(&mut loose_set, c);
        }
        // For each loose component: the loose components that can follow.
        let mut successors: Vec<Set> = Vec::with_capacity(loose.len());
        for &c in &loose {
            let mut after = self.none();
            let middle = intersection(&self.row(x, c, &shared), &shared);
            for d in members(&middle).filter(|&d| d != c) {
                let ends = intersection(&self.row(y, d, &shared), &loose_set);
                members(&ends).filter(|&end| end != d).for_each(|end| insert(&mut after, end));
                self.work += self.width;
            }
            successors.push(after);
        }
        // A component without a remaining successor is on no cycle.
        loop {
            let before = count(&loose_set);
            for (&c, after) in loose.iter().zip(&successors) {
                if is_disjoint(after, &loose_set) {
                    remove(&mut loose_set, c);
                }
            }
            match count(&loose_set) {
                0 => return false,
                left if left == before => return true,
                _ => {}
            }
        }
    }

    /// Adds the components for which a coupling node is coupling when only that component is
    /// observed.
    fn entangle(&mut self, node: Term, [x, y]: [Graph; 2], entangled: &mut FxHashSet<usize>) {
        let shared = self.shared(node);
        let mut tight = self.none();
        let [left, right] = sides(node).map(|side| self.pool.attributes(side).lifelines);
        for lifeline in self.pool.region(left).iter() {
            let outside = !region(node).is_some_and(|r| self.pool.region_contains(r, lifeline));
            if outside && self.pool.region_contains(right, lifeline) {
                insert(&mut tight, self.partition.component_of(lifeline).index());
            }
        }
        for c in members(&shared) {
            let middle = intersection(&self.row(x, c, &shared), &tight);
            let mut middle = members(&middle).filter(|&d| d != c);
            if self.is_loose(node, c) && middle.any(|d| contains(&self.row(y, d, &shared), c)) {
                entangled.insert(c);
            }
        }
    }

    /// G(i)⁺ from those of its operands.
    fn graph(&mut self, part: TermId, graphs: &FxHashMap<TermId, Graph>) -> Graph {
        let pool = self.pool;
        match pool.node(part) {
            Term::Empty => Graph::Empty,
            Term::Event(event) if pool.event_actions(event).len() == 1 => Graph::Empty,
            Term::Event(_) => self.with_product(Graph::Empty, part, part),
            Term::Coreg(_, left, right) | Term::Alt(left, right) => {
                self.union(graphs[&left], graphs[&right])
            }
            Term::Strict(left, right) => {
                let below = self.union(graphs[&left], graphs[&right]);
                self.with_product(below, left, right)
            }
            Term::LoopS(body) => self.with_product(graphs[&body], body, body),
            Term::LoopC(_, body) => graphs[&body],
        }
    }

    fn union(&mut self, left: Graph, right: Graph) -> Graph {
        let (a, b) = match (left, right) {
            (Graph::Complete, _) | (_, Graph::Complete) => return Graph::Complete,
            (Graph::Empty, other) | (other, Graph::Empty) => return other,
            (Graph::Known(a), Graph::Known(b)) if a == b => return left,
            (Graph::Known(a), Graph::Known(b)) => (a.min(b), a.max(b)),
        };
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        if self.work > WORK {
            return Graph::Complete;
        }
        let (mut all, other) = (self.relations.items[a].clone(), &self.relations.items[b]);
        let mut work = other.len();
        for (from, row) in other.chunks_exact(self.width).enumerate() {
            let known = &all[from * self.width..(from + 1) * self.width];
            if !is_subset(row, known) {
                let mut sources = vec![0; self.width];
                insert(&mut sources, from);
                add_product(&mut all, &sources, row, self.width);
                work += all.len();
            }
        }
        self.work += work;
        let found = Graph::Known(self.relations.intern(all));
        self.unions.insert((a, b), found);
        found
    }

    /// The closure of a graph and comps(left) × comps(right).
    fn with_product(&mut self, graph: Graph, left: TermId, right: TermId) -> Graph {
        if graph == Graph::Complete || self.work > WORK {
            return Graph::Complete;
        }
        let (sources, targets) = (self.components_of(left), self.components_of(right));
        let mut both = sources.clone();
        both.iter_mut().zip(&targets).for_each(|(word, more)| *word |= more);
        if count(&sources) == 0 || count(&targets) == 0 || count(&both) < 2 {
            return graph;
        }
        let mut relation = match graph {
            Graph::Known(relation) => self.relations.items[relation].clone(),
            Graph::Empty | Graph::Complete => {
                vec![0; self.width * self.partition.len()].into_boxed_slice()
            }
        };
        add_product(&mut relation, &sources, &targets, self.width);
        self.work += relation.len();
        Graph::Known(self.relations.intern(relation))
    }

    /// The successors of a component in a graph, among the given components.
    fn row(&self, graph: Graph, from: usize, all: &Set) -> Set {
        match graph {
            Graph::Empty => self.none(),
            Graph::Known(relation) => {
                let rows = &self.relations.items[relation];
                rows[from * self.width..(from + 1) * self.width].into()
            }
            Graph::Complete => all.clone(),
        }
    }

    /// The components of both sides of a node.
    fn shared(&mut self, node: Term) -> Set {
        let [x, y] = sides(node).map(|side| self.components_of(side));
        intersection(&x, &y)
    }

    fn is_loose(&self, node: Term, component: usize) -> bool {
        is_loose(self.pool, self.partition, node, ComponentId::new(component))
    }

    fn components_of(&mut self, term: TermId) -> Set {
        let region = self.pool.attributes(term).lifelines;
        if let Some(known) = self.components.get(&region) {
            return known.clone();
        }
        let mut set = self.none();
        for lifeline in self.pool.region(region).iter() {
            insert(&mut set, self.partition.component_of(lifeline).index());
        }
        self.components.insert(region, set.clone());
        set
    }

    fn none(&self) -> Set {
        vec![0; self.width].into()
    }
}

/// Whether relaxation may change this operator or event.
pub(super) fn is_relaxed(pool: &Pool, node: Term) -> bool {
    match node {
        Term::Strict(..) | Term::LoopS(_) => true,
        Term::Event(event) => pool.event_actions(event).len() > 1,
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => false,
    }
}

/// Whether an event of y may come before one of x in `coreg_r(x,y)`, on a component of both.
pub(crate) fn is_loose(
    pool: &Pool,
    partition: &Partition,
    node: Term,
    component: ComponentId,
) -> bool {
    let Some(region) = region(node) else { return false };
    let [x, y] = sides(node);
    let lifelines = partition.lifelines(component);
    if let &[only] = lifelines {
        return pool.region_contains(region, only);
    }
    let of = |term: TermId| {
        let all = pool.attributes(term).lifelines;
        lifelines.iter().copied().filter(move |&l| pool.region_contains(all, l))
    };
    of(x).any(|l| of(y).any(|other| l != other || pool.region_contains(region, l)))
}

/// Adds U×V to a closed relation and closes it again. A new path leads from a member or predecessor
/// of U to a member or successor of V; passing through U×V more than once reaches nothing new.
fn add_product(relation: &mut [u64], sources: &[u64], targets: &[u64], width: usize) {
    let mut reached: Vec<u64> = targets.to_vec();
    for target in members(targets) {
        let row = &relation[target * width..(target + 1) * width];
        reached.iter_mut().zip(row).for_each(|(word, more)| *word |= more);
    }
    for (from, row) in relation.chunks_exact_mut(width).enumerate() {
        if contains(sources, from) || !is_disjoint(row, sources) {
            row.iter_mut().zip(&reached).for_each(|(word, more)| *word |= more);
        }
    }
}

fn insert(set: &mut [u64], member: usize) {
    set[member / 64] |= 1 << (member % 64);
}

fn remove(set: &mut [u64], member: usize) {
    set[member / 64] &= !(1 << (member % 64));
}

fn contains(set: &[u64], member: usize) -> bool {
    set[member / 64] >> (member % 64) & 1 == 1
}

fn count(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

fn is_disjoint(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & b == 0)
}

fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

fn intersection(a: &[u64], b: &[u64]) -> Set {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, &word)| bits(word).map(move |bit| 64 * i + bit))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use otus_syntax::{Source, parse_spec};

    use super::*;

    fn read(text: &str) -> (Pool, TermId) {
        let mut tree = parse_spec(&Source::new("x.hif", text)).tree;
        tree.implicit = true;
        let lowered = otus_core::lower(&[&tree]);
        assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
        (lowered.pool, lowered.term.expect("an interaction"))
    }

    /// Counts the coupling nodes. Components are given by names of lifelines; the others are
    /// discrete.
    #[track_caller]
    fn check_with(components: &[&str], text: &str, expected: usize) {
        let (pool, term) = read(text);
        let named = |letter: char| {
            let found = pool.signature().lifeline(&letter.to_string());
            found.unwrap_or_else(|| panic!("no {letter} in {text}"))
        };
        let components = components.iter().map(|names| names.chars().map(named).collect());
        let partition = Partition::new(components.collect(), pool.signature().lifeline_count());
        let coupling = Coupling::new(&pool, term, &partition);
        let found =
            parts(&pool, term).into_iter().filter(|&part| coupling.is_coupling(part)).count();
        assert_eq!(found, expected, "{text}");
        assert_eq!(coupling.decoupled(), expected == 0);
    }

    #[track_caller]
    fn check(text: &str, expected: usize) {
        check_with(&[], text, expected);
    }

    #[test]
    fn messages_that_cross_inside_concurrent_parts_are_harmful() {
        check("par(a -- m -> b, b -- n -> a)", 1);
        check("coreg(a)(a -- m -> b, b -- n -> a)", 1);
        check("coreg(b)(a -- m -> b, b -- n -> a)", 0);
        check("seq(a -- m -> b, b -- n -> a)", 0);
        check("par(a -- m -> b, a -- n -> b)", 0);
        check("par(a -- m -> b, c -- n -> a)", 0);
        check("par(a -- m -> b, par(b -- n -> c, c -- n -> a))", 1);
        check("par(a -- m -> b, seq(b -- n -> c, c -- n -> a))", 1);
        check("seq(c!x, alt(o, par(a -- m -> b, seq(c!y, b -- n -> a))))", 1);
    }

    #[test]
    fn loops_meet_themselves() {
        check("loopP(a -- m -> b)", 0);
        check("loopP(seq(a -- m -> b, b -- n -> a))", 1);
        check("loopW(seq(a -- m -> b, b -- n -> a))", 0);
        check("loopC(a)(seq(a -- m -> b, b -- n -> a))", 1);
        check("loopC(c)(seq(c!x, a -- m -> b, b -- n -> a))", 0);
        check("loopS(seq(a -- m -> b, b -- n -> a))", 0);
        check("par(loopS(seq(a!m, b!m)), loopS(seq(a!n, b!n)))", 1);
        check("loopP(loopS(seq(a!m, b!m)))", 1);
        check("loopP(loopP(seq(a -- m -> b, b -- n -> a)))", 2);
    }

    #[test]
    fn a_rendezvous_goes_both_ways() {
        check("par(a -- <synch> m -> b, b -- <synch> n -> a)", 1);
        check("coreg(b)(a -- <synch> m -> b, a -- <synch> n -> b)", 1);
        check("seq(a -- <synch> m -> b, b -- <synch> n -> a)", 0);
        check("par(a -- <synch> m -> b, a -- n -> b)", 1);
        check("par(a -- <synch> m -> b, b -- <synch> n -> c)", 0);
        check("loopP(a -- <synch> m -> b)", 1);
    }

    #[test]
    fn what_is_observed_together_is_no_different_component() {
        check_with(&["ab"], "par(a -- m -> b, b -- n -> a)", 0);
        // Two lifelines of one component are not ordered by seq.
        check_with(&["ab", "cd"], "seq(a -- m -> c, d -- n -> b)", 1);
        check_with(&["ab"], "seq(a -- m -> c, c -- n -> b)", 1);
        check_with(&["ab"], "seq(seq(b!x, a -- m -> c), c -- n -> a)", 1);
        check_with(&["ab"], "seq(b!x, seq(a -- m -> c, c -- n -> a))", 0);
        check_with(&["ab"], "strict(a -- m -> c, c -- n -> b)", 0);
        check_with(&["ab", "cd"], "par(strict(a!m, b!m), strict(c!m, a!n, d!m))", 0);
    }

    #[test]
    fn the_walk_must_change_at_every_component() {
        // Both have edges in the strongly connected {a, b, c}, but x only ever leaves c, where the
        // order is preserved.
        check("coreg(b)(c -- m -> a, seq(a -- n -> b, b -- o -> c))", 0);
        check("coreg(c)(c -- m -> a, seq(a -- n -> b, b -- o -> c))", 1);
    }

    #[test]
    fn large_terms_take_little_time() {
        let sizes = [(600, 2_000, "seq"), (600, 2_000, "par"), (12, 10_000, "par")];
        for (lifelines, messages, operator) in sizes {
            let mut rng = fastrand::Rng::with_seed(1);
            let mut text = String::new();
            for _ in 0..messages {
                let (from, to) = (rng.usize(..lifelines), rng.usize(..lifelines));
                let _ = write!(text, "{operator}(l{from} -- m -> l{to}, ");
            }
            text += "o";
            text += &")".repeat(messages);
            let (pool, term) = read(&text);
            let partition = Partition::discrete(pool.signature().lifeline_count());
            let start = std::time::Instant::now();
            let coupling = Coupling::new(&pool, term, &partition);
            println!("{lifelines} {messages} {operator}: {:?}", start.elapsed());
            assert_eq!(coupling.decoupled(), operator == "seq");
        }
    }

    #[test]
    fn giving_up_only_adds_harm() {
        let (pool, term) = read("par(a -- m -> b, a -- n -> b)");
        let partition = Partition::discrete(2);
        let mut search = Search::new(&pool, &partition);
        search.work = WORK + 1;
        let all = parts(&pool, term);
        let mut graphs = FxHashMap::default();
        for &part in &all {
            let graph = search.graph(part, &graphs);
            graphs.insert(part, graph);
        }
        let node = pool.node(term);
        assert!(search.is_coupling(node, sides(node).map(|side| graphs[&side])));
    }
}
