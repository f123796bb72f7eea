//! The least deterministic automaton, by splitting classes of states.
//!
//! Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971: begin with
//! accepting and other states apart, and split a class when some of its states go by a letter into
//! a class, the *splitter*, and others do not. Of the two halves of a class only the smaller has to
//! be a splitter again, unless the whole was still waiting to be one: a letter leads a state to
//! one place, so what does not go to one half and went to the whole goes to the other half. Where a
//! letter may lead to several places this fails, and both halves become splitters.
//!
//! Automata here are partial. States from which nothing is accepted are taken away first and
//! none is added: a state without a transition is in no preimage of any splitter, which tells it
//! from states that have one. The argument about halves then needs every class to have been a
//! splitter once, so all of them wait at the beginning (Valmari and Lehtinen, "Efficient
//! minimization of DFAs with partial transition functions", STACS 2008, make the same point).
//! Time is O(m log n) for m transitions and n states, since a transition is looked at again only
//! when the class it leads to has halved.
//!
//! A cut state is kept, and merged with no other: nothing is known of what may follow it. Without
//! cut states the result is *the* minimal automaton (Myhill and Nerode), and as its states are
//! numbered breadth first along sorted letters, two automata with the same words become equal.

use super::{Automaton, State, StateId, Transition};
use crate::index::Index as _;

/// The least deterministic automaton with the same words and no dead state.
///
/// If the automaton is not deterministic, bisimilar states are merged: the result has the same
/// words, but need not be the least, and takes O(m n) time.
///
/// A state keeps the term of the first of the states it was merged from that has one.
pub fn minimize(automaton: &Automaton) -> Automaton {
    let live = trim(automaton);
    let classes = Classes::refine(&live);
    let mut states: Vec<Option<State>> = vec![None; classes.blocks.len()];
    let class = |state: StateId| StateId::new(classes.class_of[state.index()]);
    for (id, &state) in live.states.iter_with_ids() {
        let kept = states[class(id).index()].get_or_insert(state);
        kept.term = kept.term.or(state.term);
    }
    let mut states: Vec<State> = states.into_iter().flatten().collect();
    // The class of the initial state takes the number 0, and gives its own in exchange.
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

/// The automaton without the states from which nothing is accepted, as far as is known. The initial
/// state stays in any case.
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
        let mut begins = vec![0; automaton.len() + 1];
        for transition in &automaton.transitions {
            begins[transition.to.index() + 1] += 1;
        }
        for state in 0..automaton.len() {
            begins[state + 1] += begins[state];
        }
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

/// A partition of the states that can be refined: each class is a range of `members`, the marked
/// ones of it first.
struct Classes {
    members: Vec<StateId>,
    /// By state: its index in `members`.
    place: Vec<usize>,
    /// By state.
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
    /// The coarsest partition in which the states of a class accept the same words.
    fn refine(automaton: &Automaton) -> Classes {
        let into = Incoming::new(automaton);
        let deterministic = automaton.is_deterministic();
        let mut classes = Classes::initial(automaton);
        let mut waiting: Vec<usize> = (0..classes.blocks.len()).collect();
        // By letter: the states that go into the splitter by it.
        let mut preimages: Vec<Vec<StateId>> = vec![Vec::new(); automaton.alphabet.len()];
        let mut letters = Vec::new();
        let mut touched = Vec::new();
        while let Some(splitter) = waiting.pop() {
            let Block { begin, end, .. } = classes.blocks[splitter];
            classes.blocks[splitter].waits = false;
            // All letters are looked at before any split, which may split the splitter itself.
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

    /// Accepting states, the others, and each cut state by itself; all wait to be splitters.
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

    /// Marks a state of its class; the class is touched by its first mark.
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

    /// Makes the smaller of the marked and the other states of a class a class of its own.
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
        // If the large part waits already, both do now.
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

    /// Whether a state accepts, whether it is cut, and its transitions as letter and end.
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
        let flags = states.iter().map(|&(accepting, cut, _)| State { accepting, cut, term: None });
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

    /// The least number of states, by the theorem of Myhill and Nerode: how many different sets of
    /// words can be left after a word, the empty set apart. Two states of n are told apart by fewer
    /// than n letters, and each is reached by fewer than n.
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

    /// Of several transitions by one letter only the first stays.
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
