//! Minimization of deterministic automata by partition refinement.
//!
//! Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971: start with
//! the classes of accepting and of other states, and split a class when some of its states have a
//! transition by a letter into a given class, the *splitter*, and others do not. Of the two halves of a
//! class only the smaller one becomes a splitter, unless the whole class is still waiting to be one:
//! in a deterministic automaton, a state that enters the class by a letter but not its one half enters
//! the other half. In a nondeterministic automaton this argument fails, and both halves become
//! splitters.
//!
//! Transition functions are partial here. States that accept nothing are removed first and no sink
//! state is added: a state without a transition by a letter is in no preimage under it, which
//! distinguishes it from states that have one. The argument about halves then requires that every class
//! has been a splitter once, so all classes wait at the start (as in Valmari and Lehtinen,
//! "Efficient minimization of DFAs with partial transition functions", STACS 2008). Time is
//! O(m log n) for m transitions and n states, since a transition is examined again only when the
//! class it leads to has halved.
//!
//! A cut state is kept and never merged, since its missing transitions are unknown. Without cut states
//! the result is *the* minimal automaton (Myhill and Nerode). Its states are numbered breadth first
//! along sorted letters, so automata with the same words become equal.

use super::{Automaton, AutomatonState, StateId, Transition, begins};
use crate::index::Index as _;

/// The minimal deterministic automaton with the same words, without dead states.
///
/// If the automaton is not deterministic, bisimilar states are merged: the result has the same
/// words but need not be minimal, and takes O(m n) time.
///
/// A merged state has the term of the first of its states that has one.
pub fn minimize(automaton: &Automaton) -> Automaton {
    let live = trim(automaton);
    let classes = Classes::refine(&live);
    let mut states: Vec<Option<AutomatonState>> = vec![None; classes.blocks.len()];
    let class = |state: StateId| StateId::new(classes.class_of[state.index()]);
    for (id, &state) in live.states.iter_with_ids() {
        let kept = states[class(id).index()].get_or_insert(state);
        kept.term = kept.term.or(state.term);
    }
    let mut states: Vec<AutomatonState> = states.into_iter().flatten().collect();
    // The class of the initial state swaps its number with class 0.
    let initial = class(Automaton::INITIAL);
    states.swap(0, initial.index());
    let number = |state: StateId| match class(state) {
        class if class == initial => Automaton::INITIAL,
        Automaton::INITIAL => initial,
        class => class,
    };
    let transitions = live.transitions.iter().map(|transition| Transition {
        from: number(transition.from),
        symbol: transition.symbol,
        to: number(transition.to),
    });
    Automaton::from_parts(&states, &live.alphabet, transitions.collect())
}

/// Whether two deterministic automata of one pool accept the same words. `None` if one is cut or
/// not deterministic.
pub fn equivalent(left: &Automaton, right: &Automaton) -> Option<bool> {
    let known = |automaton: &Automaton| automaton.is_complete() && automaton.is_deterministic();
    if !known(left) || !known(right) {
        return None;
    }
    let (left, right) = (minimize(left), minimize(right));
    let accepting =
        |automaton: &Automaton| automaton.states.iter().map(|s| s.accepting).collect::<Vec<_>>();
    Some(
        left.alphabet == right.alphabet
            && left.transitions == right.transitions
            && accepting(&left) == accepting(&right),
    )
}

/// The automaton without dead states: those from which no accepting or cut state is reachable. The initial
/// state always stays.
fn trim(automaton: &Automaton) -> Automaton {
    let into = Incoming::new(automaton);
    let mut pending: Vec<StateId> = automaton
        .states
        .iter_with_ids()
        .filter(|(_, state)| state.accepting || state.cut)
        .map(|(id, _)| id)
        .collect();
    let mut live = vec![false; automaton.len()];
    for state in &pending {
        live[state.index()] = true;
    }
    while let Some(state) = pending.pop() {
        for &transition in into.of(state) {
            let from = automaton.transitions[transition].from;
            if !live[from.index()] {
                live[from.index()] = true;
                pending.push(from);
            }
        }
    }
    let alive = |transition: &&Transition| live[transition.to.index()];
    let transitions = automaton.transitions.iter().filter(alive).copied().collect();
    Automaton::from_parts(automaton.states.as_slice(), &automaton.alphabet, transitions)
}

/// The transitions into each state, as indices.
struct Incoming {
    begins: Vec<usize>,
    transitions: Vec<usize>,
}

impl Incoming {
    fn new(automaton: &Automaton) -> Self {
        let targets = automaton.transitions.iter().map(|transition| transition.to);
        let begins = begins(automaton.len(), targets);
        let mut next = begins.clone();
        let mut transitions = vec![0; automaton.transitions.len()];
        for (index, transition) in automaton.transitions.iter().enumerate() {
            let place = &mut next[transition.to.index()];
            transitions[*place] = index;
            *place += 1;
        }
        Incoming { begins, transitions }
    }

    fn of(&self, state: StateId) -> &[usize] {
        &self.transitions[self.begins[state.index()]..self.begins[state.index() + 1]]
    }
}

/// A refinable partition of the states: each class is a range of `members`, its marked states first.
struct Classes {
    members: Vec<StateId>,
    /// For each state: its index in `members`.
    place: Vec<usize>,
    /// For each state: its class.
    class_of: Vec<usize>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy)]
struct Block {
    begin: usize,
    end: usize,
    marked: usize,
    waits: bool,
}

impl Classes {
    /// The coarsest partition in which all states of a class accept the same words.
    fn refine(automaton: &Automaton) -> Classes {
        let into = Incoming::new(automaton);
        let deterministic = automaton.is_deterministic();
        let mut classes = Classes::initial(automaton);
        let mut waiting: Vec<usize> = (0..classes.blocks.len()).collect();
        // For each letter: the preimage of the splitter.
        let mut preimages: Vec<Vec<StateId>> = vec![Vec::new(); automaton.alphabet.len()];
        let mut letters = Vec::new();
        let mut touched = Vec::new();
        while let Some(splitter) = waiting.pop() {
            let Block { begin, end, .. } = classes.blocks[splitter];
            classes.blocks[splitter].waits = false;
            // All preimages are collected before any split, which may split the splitter itself.
            for &state in &classes.members[begin..end] {
                for &transition in into.of(state) {
                    let transition = automaton.transitions[transition];
                    let preimage = &mut preimages[transition.symbol.index()];
                    if preimage.is_empty() {
                        letters.push(transition.symbol);
                    }
                    preimage.push(transition.from);
                }
            }
            for letter in letters.drain(..) {
                for state in preimages[letter.index()].drain(..) {
                    classes.mark(state, &mut touched);
                }
                for class in touched.drain(..) {
                    classes.split(class, deterministic, &mut waiting);
                }
            }
        }
        classes
    }

    /// The initial partition: accepting states, the others, and each cut state alone; all classes wait to
    /// be splitters.
    fn initial(automaton: &Automaton) -> Classes {
        let kind = |id: StateId| {
            let state = automaton.states[id];
            (state.cut.then_some(id), state.accepting)
        };
        let mut members: Vec<StateId> = automaton.states.ids().collect();
        members.sort_by_key(|&state| kind(state));
        let mut classes = Classes {
            place: vec![0; members.len()],
            class_of: vec![0; members.len()],
            blocks: Vec::new(),
            members,
        };
        for (place, &state) in classes.members.iter().enumerate() {
            if place == 0 || kind(classes.members[place - 1]) != kind(state) {
                classes.blocks.push(Block { begin: place, end: place, marked: 0, waits: true });
            }
            classes.place[state.index()] = place;
            classes.class_of[state.index()] = classes.blocks.len() - 1;
            if let Some(block) = classes.blocks.last_mut() {
                block.end = place + 1;
            }
        }
        classes
    }

    /// Marks a state in its class. The first mark adds the class to `touched`.
    fn mark(&mut self, state: StateId, touched: &mut Vec<usize>) {
        let class = self.class_of[state.index()];
        let block = &mut self.blocks[class];
        let (from, to) = (self.place[state.index()], block.begin + block.marked);
        if from < to {
            return;
        }
        if block.marked == 0 {
            touched.push(class);
        }
        block.marked += 1;
        self.members.swap(from, to);
        self.place[self.members[from].index()] = from;
        self.place[self.members[to].index()] = to;
    }

    /// Splits a class into its marked and its other states; the smaller part becomes a new class.
    fn split(&mut self, class: usize, deterministic: bool, waiting: &mut Vec<usize>) {
        let Block { begin, end, marked, waits } = self.blocks[class];
        self.blocks[class].marked = 0;
        let middle = begin + marked;
        if middle == end {
            return;
        }
        let (small, large) = if marked <= end - middle {
            (begin..middle, middle..end)
        } else {
            (middle..end, begin..middle)
        };
        let new = self.blocks.len();
        for &state in &self.members[small.clone()] {
            self.class_of[state.index()] = new;
        }
        // If the class waits to be a splitter already, both parts wait from now on.
        if !waits && !deterministic {
            waiting.push(class);
        }
        let waits = waits || !deterministic;
        self.blocks[class] = Block { begin: large.start, end: large.end, marked: 0, waits };
        self.blocks.push(Block { begin: small.start, end: small.end, marked: 0, waits: true });
        waiting.push(new);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::automaton::SymbolId;
    use crate::index::{EventId, IndexVec};

    /// Whether a state accepts, whether it is cut, and its transitions as pairs of letter and target.
    type Description = (bool, bool, Vec<(u32, u32)>);

    /// An automaton with two letters.
    fn automaton(states: &[Description]) -> Automaton {
        let alphabet: IndexVec<SymbolId, EventId> = [EventId(0), EventId(1)].into_iter().collect();
        let transitions = states.iter().zip(0..).flat_map(|((_, _, moves), from)| {
            moves.iter().map(move |&(symbol, to)| Transition {
                from: StateId(from),
                symbol: SymbolId(symbol),
                to: StateId(to),
            })
        });
        let flags =
            states.iter().map(|&(accepting, cut, _)| AutomatonState { accepting, cut, term: None });
        Automaton::from_parts(&flags.collect::<Vec<_>>(), &alphabet, transitions.collect())
    }

    /// All words of at most `length` letters.
    fn words(length: usize) -> Vec<Vec<EventId>> {
        let mut all = vec![Vec::new()];
        let mut at = 0;
        while all[at].len() < length {
            for event in [EventId(0), EventId(1)] {
                let longer = [all[at].as_slice(), &[event]].concat();
                all.push(longer);
            }
            at += 1;
        }
        all
    }

    /// The size of the minimal automaton by the theorem of Myhill and Nerode: the number of non-empty
    /// residual languages. In an automaton of n states, two states are distinguished by fewer than n
    /// letters, and each is reached by fewer than n.
    fn residuals(automaton: &Automaton) -> usize {
        let all = words(automaton.len());
        let left = all.iter().map(|word| {
            let accepted =
                |rest: &&Vec<EventId>| automaton.accepts(&[&word[..], &rest[..]].concat());
            all.iter().filter(|rest| accepted(rest) == Some(true)).collect::<BTreeSet<_>>()
        });
        left.filter(|rest| !rest.is_empty()).collect::<BTreeSet<_>>().len().max(1)
    }

    #[test]
    fn dead_states_go() {
        let (yes, no) = (true, false);
        let some =
            automaton(&[(no, no, vec![(0, 1), (1, 2)]), (yes, no, vec![]), (no, no, vec![])]);
        let least = minimize(&some);
        assert_eq!((least.len(), least.transitions.len(), least.alphabet.len()), (2, 1, 1));
        let none = automaton(&[(no, no, vec![(0, 1)]), (no, no, vec![(0, 0)])]);
        let least = minimize(&none);
        assert_eq!((least.len(), least.transitions.len()), (1, 0));
        assert_eq!(least.accepts(&[]), Some(false));
    }

    #[test]
    fn cut_states_stay_apart() {
        let (yes, no) = (true, false);
        let cut = [(no, no, vec![(0, 1), (1, 2)]), (no, yes, vec![]), (no, yes, vec![])];
        assert_eq!(minimize(&automaton(&cut)).len(), 3);
        let whole = [(no, no, vec![(0, 1), (1, 2)]), (yes, no, vec![]), (yes, no, vec![])];
        assert_eq!(minimize(&automaton(&whole)).len(), 2);
    }

    fn random(most: u32, cuts: bool) -> impl Strategy<Value = Automaton> {
        (1..=most).prop_flat_map(move |count| {
            let moves = prop::collection::vec((0..2u32, 0..count), 0..5);
            let state = (any::<bool>(), prop::bool::weighted(if cuts { 0.2 } else { 0.0 }), moves);
            prop::collection::vec(state, count as usize).prop_map(|states| automaton(&states))
        })
    }

    /// The automaton with only the first of several transitions by one letter.
    fn first_moves(automaton: &Automaton) -> Automaton {
        let mut transitions = automaton.transitions.clone();
        transitions.dedup_by_key(|transition| (transition.from, transition.symbol));
        Automaton::from_parts(automaton.states.as_slice(), &automaton.alphabet, transitions)
    }

    proptest! {
        #[test]
        fn the_least_automaton_has_a_state_for_each_residual(any in random(5, false)) {
            let one = first_moves(&any);
            let least = minimize(&one);
            prop_assert_eq!(least.len(), residuals(&one));
            prop_assert_eq!(equivalent(&one, &least), Some(true));
        }

        #[test]
        fn words_and_doubts_stay(any in random(7, true)) {
            for automaton in [first_moves(&any), any] {
                let least = minimize(&automaton);
                for word in words(7) {
                    prop_assert_eq!(least.accepts(&word), automaton.accepts(&word), "{:?}", word);
                }
            }
        }
    }
}
