//! Cuts a set of words along its letters.
//!
//! The cuts are those of the inductive miner (Leemans, Fahland and van der Aalst, Petri Nets 2013),
//! which finds process trees in event logs: a choice, a sequence, concurrent parts, or a loop body
//! and the way back to its beginning. They are computed from the directly-follows graph of the
//! letters. Combining the parts of a cut yields all words again, so no observation is lost.
//!
//! The cost of each cut is linear in the number of edges of the graph.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Sets, component_of, components};

pub(super) type Letter = u32;
pub(super) type Word = Vec<Letter>;

/// The directly-follows graph of some words.
#[derive(Debug, Default)]
pub(super) struct Follows {
    /// For each letter: its vertex. Vertices are numbered in the order of first occurrence.
    pub(super) vertex: FxHashMap<Letter, usize>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// For each vertex: whether a word begins with it.
    pub(super) first: Vec<bool>,
    /// For each vertex: whether a word ends with it.
    pub(super) last: Vec<bool>,
}

/// A part for each vertex, and how many parts there are.
pub(super) type Parts = (Vec<usize>, usize);

impl Follows {
    pub(super) fn new(words: &[Word]) -> Self {
        let mut follows = Follows::default();
        let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
        for word in words {
            let mut before = None;
            for &letter in word {
                let next = follows.successors.len();
                let vertex = *follows.vertex.entry(letter).or_insert(next);
                if vertex == next {
                    follows.successors.push(Vec::new());
                    follows.predecessors.push(Vec::new());
                    follows.first.push(false);
                    follows.last.push(false);
                }
                match before {
                    Some(before) => {
                        if seen.insert((before, vertex)) {
                            follows.successors[before].push(vertex);
                            follows.predecessors[vertex].push(before);
                        }
                    }
                    None => follows.first[vertex] = true,
                }
                before = Some(vertex);
            }
            if let Some(vertex) = before {
                follows.last[vertex] = true;
            }
        }
        follows
    }

    pub(super) fn len(&self) -> usize {
        self.successors.len()
    }

    /// The choice cut: each word has letters of one part only.
    pub(super) fn choice(&self) -> Option<Parts> {
        let mut sets = Sets::new(self.len());
        for (from, successors) in self.successors.iter().enumerate() {
            for &to in successors {
                sets.join(from, to);
            }
        }
        several(sets.numbered())
    }

    /// The sequence cut: letters of a later part never come before those of an earlier part.
    ///
    /// Take the strongly connected components in topological order. A cut after the first i
    /// components is allowed if each of them leads to each of the others. It suffices that each
    /// maximal component (without a successor among the first i) leads to each minimal one (without
    /// a predecessor among the others). No component lies in between, so this must be by an edge.
    /// Each edge counts for an interval of values of i.
    pub(super) fn sequence(&self) -> Option<Parts> {
        let groups = components(&self.successors);
        let count = groups.len();
        let group_of = component_of(&groups, self.len());
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (from, successors) in self.successors.iter().enumerate() {
            let edge = |&to: &usize| (group_of[from], group_of[to]);
            edges.extend(successors.iter().map(edge).filter(|(from, to)| from != to));
        }
        edges.sort_unstable();
        edges.dedup();
        let (mut next, mut before) = (vec![count; count], vec![0; count]);
        for &(from, to) in &edges {
            next[from] = next[from].min(to);
            before[to] = before[to].max(from + 1);
        }
        // For each i: the changes in the number of edges that count, of maximal components, and of
        // minimal components.
        let mut changes = vec![[0i64; 3]; count + 2];
        let mut add = |which: usize, from: usize, to: usize| {
            if from <= to {
                changes[from][which] += 1;
                changes[to + 1][which] -= 1;
            }
        };
        for &(from, to) in &edges {
            add(0, before[to].max(from + 1), next[from].min(to));
        }
        for id in 0..count {
            add(1, id + 1, next[id]);
            add(2, before[id], id);
        }
        let mut part_of_group = vec![0; count];
        let (mut part, mut now) = (0, changes[0]);
        for id in 1..count {
            for (total, change) in now.iter_mut().zip(changes[id]) {
                *total += change;
            }
            if now[0] == now[1] * now[2] {
                part += 1;
            }
            part_of_group[id] = part;
        }
        let parts = group_of.iter().map(|&group| part_of_group[group]).collect();
        several((parts, part + 1))
    }

    /// The concurrency cut: letters of different parts follow each other in both orders, and each
    /// part has a first and a last letter of some word.
    pub(super) fn concurrency(&self) -> Option<Parts> {
        let count = self.len();
        let mut sets = Sets::new(count);
        // Two letters that do not follow each other in both orders belong to one part. This is a
        // search of the complement graph with a list of the vertices that are not reached yet.
        let mut unmet: Vec<usize> = (0..count).rev().collect();
        let mut mark = vec![usize::MAX; count];
        while let Some(root) = unmet.pop() {
            let mut open = vec![root];
            while let Some(vertex) = open.pop() {
                let follows: FxHashSet<usize> = self.successors[vertex].iter().copied().collect();
                for other in &self.predecessors[vertex] {
                    if follows.contains(other) {
                        mark[*other] = vertex;
                    }
                }
                unmet.retain(|&other| {
                    let apart = mark[other] == vertex;
                    if !apart {
                        sets.join(vertex, other);
                        open.push(other);
                    }
                    apart
                });
            }
        }
        let (parts, count) = several(sets.numbered())?;
        let mut can = vec![(false, false); count];
        for (vertex, &part) in parts.iter().enumerate() {
            can[part].0 |= self.first[vertex];
            can[part].1 |= self.last[vertex];
        }
        // A part without a beginning or an end joins the first part that has both.
        let mut renamed = vec![0; count];
        let mut next = 0;
        for part in (0..count).filter(|&part| can[part] == (true, true)) {
            renamed[part] = next;
            next += 1;
        }
        several((parts.iter().map(|&part| renamed[part]).collect(), next))
    }

    /// The loop cut: for each vertex, whether it is on the way back from an end to a beginning,
    /// outside of the body.
    pub(super) fn back(&self) -> Option<Vec<bool>> {
        let edge = |vertex: usize| self.first[vertex] || self.last[vertex];
        let mut sets = Sets::new(self.len());
        for (from, successors) in self.successors.iter().enumerate() {
            for &to in successors {
                if !edge(from) && !edge(to) {
                    sets.join(from, to);
                }
            }
        }
        let (parts, count) = sets.numbered();
        let mut back = vec![true; count];
        for vertex in 0..self.len() {
            let own = parts[vertex];
            let enters = |&from: &usize| parts[from] == own || self.last[from];
            let leaves = |&to: &usize| parts[to] == own || self.first[to];
            if edge(vertex)
                || !self.predecessors[vertex].iter().all(enters)
                || !self.successors[vertex].iter().all(leaves)
            {
                back[own] = false;
            }
        }
        let back: Vec<bool> = parts.iter().map(|&part| back[part]).collect();
        back.contains(&true).then_some(back)
    }

    /// For each vertex, whether it begins and whether it ends an iteration, if the words are
    /// sequences of iterations: a letter after an end begins an iteration, and a letter before a
    /// beginning ends one. A long word has only one first and one last letter; this rule finds the
    /// other beginnings and ends.
    pub(super) fn rounds(&self) -> Option<(Vec<bool>, Vec<bool>)> {
        let (mut first, mut last) = (self.first.clone(), self.last.clone());
        let mut added: Vec<(usize, bool)> = Vec::new();
        added.extend((0..self.len()).filter(|&vertex| first[vertex]).map(|vertex| (vertex, true)));
        added.extend((0..self.len()).filter(|&vertex| last[vertex]).map(|vertex| (vertex, false)));
        while let Some((vertex, begins)) = added.pop() {
            let (neighbours, other) = if begins {
                (&self.predecessors[vertex], &mut last)
            } else {
                (&self.successors[vertex], &mut first)
            };
            for &neighbour in neighbours {
                if !std::mem::replace(&mut other[neighbour], true) {
                    added.push((neighbour, !begins));
                }
            }
        }
        let apart = first.iter().zip(&last).all(|(first, last)| !(first & last));
        apart.then_some((first, last))
    }
}

fn several((parts, count): Parts) -> Option<Parts> {
    (count > 1).then_some((parts, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(text: &str) -> (Follows, Vec<char>) {
        let words: Vec<Word> =
            text.split(' ').map(|word| word.chars().map(u32::from).collect()).collect();
        let follows = Follows::new(&words);
        let mut letters = vec![' '; follows.len()];
        for letter in words.iter().flatten() {
            letters[follows.vertex[letter]] = char::from_u32(*letter).unwrap();
        }
        (follows, letters)
    }

    /// The parts as sorted strings.
    fn show(parts: Option<Parts>, letters: &[char]) -> String {
        let Some((parts, count)) = parts else { return "none".to_owned() };
        let mut shown = vec![String::new(); count];
        for (vertex, part) in parts.into_iter().enumerate() {
            shown[part].push(letters[vertex]);
        }
        let sorted = shown.into_iter().map(|part| {
            let mut part: Vec<char> = part.chars().collect();
            part.sort_unstable();
            part.into_iter().collect::<String>()
        });
        sorted.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(words: &str, choice: &str, sequence: &str, concurrency: &str) {
        let (follows, letters) = follows(words);
        assert_eq!(show(follows.choice(), &letters), choice, "{words}: choice");
        assert_eq!(show(follows.sequence(), &letters), sequence, "{words}: sequence");
        assert_eq!(show(follows.concurrency(), &letters), concurrency, "{words}: concurrency");
    }

    #[test]
    fn cuts_of_small_sets() {
        check("ab cd", "ab cd", "none", "none");
        check("abc", "none", "a b c", "none");
        check("abd acd", "none", "a bc d", "none");
        check("ab1c ab2c", "none", "a b 12 c", "none");
        check("ad abd abcd acd", "none", "a b c d", "none");
        check("ab ba", "none", "none", "a b");
        check("abc acb bac bca cab cba", "none", "none", "a b c");
        check("xabcy xbacy", "none", "x ab c y", "none");
        check("abab", "none", "none", "none");
        check("a", "none", "none", "none");
    }

    #[test]
    fn a_sequence_needs_every_letter_of_a_part_to_lead_to_every_letter_of_the_next() {
        // b never leads to d, so the words do not fall into three.
        check("ab cd", "ab cd", "none", "none");
        check("xaby xcdy", "none", "x abcd y", "none");
        check("acx bdx", "none", "abcd x", "none");
    }

    #[test]
    fn the_way_back_is_what_leads_from_the_end_to_the_beginning() {
        let (follows, letters) = follows("ab abrab");
        let back = follows.back().unwrap();
        let back: String =
            letters.iter().zip(back).filter(|(_, back)| *back).map(|(c, _)| c).collect();
        assert_eq!(back, "r");
        assert!(Follows::new(&[vec![1, 2, 1, 2]]).back().is_none());
    }

    #[test]
    fn rounds_of_a_long_word_begin_and_end_with_several_letters() {
        let (follows, letters) = follows("axpaxqbxpbxq");
        let (first, last) = follows.rounds().unwrap();
        let pick = |chosen: &[bool]| -> String {
            letters.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(c, _)| c).collect()
        };
        assert_eq!((pick(&first).as_str(), pick(&last).as_str()), ("ab", "pq"));
        assert!(Follows::new(&[vec![1, 1, 2]]).rounds().is_none());
    }
}
