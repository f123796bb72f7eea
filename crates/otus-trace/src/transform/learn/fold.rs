//! Turns a set of words into one interaction.
//!
//! A set of words is cut into smaller sets recursively, and the terms of the parts are joined
//! ([`super::cut`] has the cuts along letters). If there is no such cut, words are cut at common
//! letters: those that occur equally often in all words, or else the longest common subsequence.
//! Words without common letters become a choice if they are few and short, or else a loop over all
//! their letters.
//!
//! Invariant: the term of a set of words accepts every word letter by letter. It also accepts every
//! run with such a word, because `seq`, `par` and `loopW` are the weakest operators of their kind.
//! Proof by induction: a part contains what its cut takes from each word, and the operator of a cut
//! recombines its parts to the words.
//!
//! The recursion uses explicit stacks of sets and terms.

use otus_core::algebra::simplify;
use otus_core::{Pool, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cut::{Follows, Letter, Parts, Word};
use super::note::Notes;
use super::{NoteKind, Options, anchor, repeat};

/// The term of some words whose letters are terms.
pub(super) fn fold(
    pool: &mut Pool,
    words: &[Vec<TermId>],
    loops: bool,
    options: &Options,
    notes: &mut Notes,
) -> TermId {
    let mut folder = Folder {
        pool,
        terms: Vec::new(),
        letter_of: FxHashMap::default(),
        loops,
        least: options.least_repetitions.max(2),
        notes,
    };
    let words =
        words.iter().map(|word| word.iter().map(|&term| folder.letter(term)).collect()).collect();
    folder.run(distinct(words))
}

struct Folder<'a> {
    pool: &'a mut Pool,
    /// For each letter: its term.
    terms: Vec<TermId>,
    letter_of: FxHashMap<TermId, Letter>,
    loops: bool,
    /// The minimum number of repetitions that become a loop.
    least: usize,
    notes: &'a mut Notes,
}

enum Task {
    /// Compute the term of distinct words.
    Fold(Vec<Word>),
    /// Join the last terms; the number says how many.
    Join(Operator, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Seq,
    Alt,
    Par,
    /// An optional part, with one operand.
    Optional,
    /// A loop, with one operand, which occurred this many times in a row.
    Loop(usize),
    /// A loop with two operands: a body, and the way back to its beginning, which occurred this
    /// many times.
    Back(usize),
}

enum Decision {
    Term(TermId),
    Cut(Operator, Vec<Vec<Word>>),
}

/// The greatest total length of words that become a plain choice.
const FEW: usize = 40;

/// The greatest number of nodes of a loop body that is written twice (three messages).
const SHORT: u64 = 11;

impl Folder<'_> {
    fn run(&mut self, words: Vec<Word>) -> TermId {
        let mut tasks = vec![Task::Fold(words)];
        let mut terms: Vec<TermId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Fold(words) => match self.decide(words) {
                    Decision::Term(term) => terms.push(term),
                    Decision::Cut(operator, parts) => {
                        tasks.push(Task::Join(operator, parts.len()));
                        tasks
                            .extend(parts.into_iter().rev().map(|part| Task::Fold(distinct(part))));
                    }
                },
                Task::Join(operator, count) => {
                    let operands = terms.split_off(terms.len() - count);
                    terms.push(self.join(operator, &operands));
                }
            }
        }
        terms.pop().unwrap_or(Pool::EMPTY)
    }

    /// Decides how to fold some distinct words.
    fn decide(&mut self, mut words: Vec<Word>) -> Decision {
        let count = words.len();
        words.retain(|word| !word.is_empty());
        if words.is_empty() {
            return Decision::Term(Pool::EMPTY);
        }
        if words.len() < count {
            return Decision::Cut(Operator::Optional, vec![words]);
        }
        let mut plain = None;
        if let [word] = words.as_slice() {
            let (folded, loops) = self.repetitions(word);
            let kinds: FxHashSet<Letter> = word.iter().copied().collect();
            let is_short = folded.len() < kinds.len() * 3;
            let term = self.sequence(&folded);
            if is_short || !self.loops {
                return self.plain(term, loops);
            }
            plain = Some((term, loops));
        }
        let follows = Follows::new(&words);
        if let [letter] = words[0].as_slice()
            && follows.len() == 1
            && words.len() == 1
        {
            return Decision::Term(self.terms[*letter as usize]);
        }
        if let Some(parts) = follows.choice() {
            let part = |word: &Word| parts.0[follows.vertex[&word[0]]];
            return Decision::Cut(Operator::Alt, split_by(words, part));
        }
        if let Some(parts) = follows.sequence() {
            return Decision::Cut(Operator::Seq, projected(&words, &follows, &parts));
        }
        if let Some(parts) = follows.concurrency() {
            return Decision::Cut(Operator::Par, projected(&words, &follows, &parts));
        }
        if let Some(parts) = anchor::at_occurrences(&words, |count| count == 1) {
            return Decision::Cut(Operator::Seq, parts);
        }
        if self.loops
            && let Some(decision) = self.loop_of(&words, &follows)
        {
            return decision;
        }
        if let Some((term, loops)) = plain {
            return self.plain(term, loops);
        }
        if let Some(parts) =
            anchor::at_occurrences(&words, |_| true).or_else(|| anchor::at_common_letters(&words))
        {
            return Decision::Cut(Operator::Seq, parts);
        }
        let length: usize = words.iter().map(Vec::len).sum();
        if length <= FEW.max(follows.len() * 2) || !self.loops {
            let mut parts = split_by(words, |word| word[0] as usize);
            if parts.len() == 1 {
                parts = parts.into_iter().flatten().map(|word| vec![word]).collect();
            }
            return Decision::Cut(Operator::Alt, parts);
        }
        self.flower(&words)
    }

    /// Folds the words as repetitions, if they look like repetitions.
    fn loop_of(&mut self, words: &[Word], follows: &Follows) -> Option<Decision> {
        if follows.len() == 1 {
            let most = words.iter().map(Vec::len).max().unwrap_or(0);
            if most < self.least {
                return None;
            }
            let body = vec![words[0][..1].to_vec()];
            return Some(Decision::Cut(Operator::Loop(most), vec![body]));
        }
        if let Some(back) = follows.back() {
            let is_back = |letter: &Letter| back[follows.vertex[letter]];
            let (mut bodies, mut backs, mut counts) =
                (Vec::new(), Vec::new(), FxHashSet::default());
            let mut most = 0;
            for word in words {
                let before = backs.len();
                for segment in word.chunk_by(|one, next| is_back(one) == is_back(next)) {
                    let of = if is_back(&segment[0]) { &mut backs } else { &mut bodies };
                    of.push(segment.to_vec());
                }
                counts.insert(backs.len() - before);
                most = most.max(backs.len() - before);
            }
            if counts.len() > 1 || most >= self.least {
                return Some(Decision::Cut(Operator::Back(most), vec![bodies, backs]));
            }
        }
        // The words are cut where an end is followed by a beginning, or before the only beginning.
        if let Some((first, last)) = follows.rounds()
            && let Some(found) = self.segments(words, |one, next| {
                last[follows.vertex[one]] && first[follows.vertex[next]]
            })
        {
            return Some(found);
        }
        let starts = |letter: &Letter| follows.first[follows.vertex[letter]];
        let ends = |letter: &Letter| follows.last[follows.vertex[letter]];
        if let Some(found) = self.segments(words, |one, next| ends(one) && starts(next)) {
            return Some(found);
        }
        let only = follows.first.iter().filter(|first| **first).count() == 1;
        let begun = |word: &Word| word.iter().filter(|&letter| starts(letter)).count();
        let counts: FxHashSet<usize> = words.iter().map(begun).collect();
        let varied = counts.len() > 1 || counts.iter().all(|&count| count > 2);
        if !only || !varied {
            return None;
        }
        self.segments(words, |_, next| starts(next))
    }

    /// Cuts the words between some letters into the iterations of a loop, if a word has at least
    /// `self.least` of them.
    fn segments(&self, words: &[Word], cut: impl Fn(&Letter, &Letter) -> bool) -> Option<Decision> {
        let (mut parts, mut most) = (Vec::new(), 0);
        for word in words {
            let before = parts.len();
            parts.extend(word.chunk_by(|one, next| !cut(one, next)).map(<[Letter]>::to_vec));
            most = most.max(parts.len() - before);
        }
        (most >= self.least).then(|| Decision::Cut(Operator::Loop(most), vec![parts]))
    }

    /// `loopW(alt(…))` of all letters.
    fn flower(&mut self, words: &[Word]) -> Decision {
        let mut letters: Vec<Letter> = words.iter().flatten().copied().collect();
        letters.sort_unstable();
        letters.dedup();
        let each: Vec<TermId> = letters.iter().map(|&letter| self.terms[letter as usize]).collect();
        let choice = self.join(Operator::Alt, &each);
        let term = repeated(self.pool, choice);
        self.notes.add_most(NoteKind::Loose(term), letters.len());
        Decision::Term(term)
    }

    /// Replaces the repetitions in a word by letters; returns the repeated terms and how often they
    /// occur, too.
    fn repetitions(&mut self, word: &[Letter]) -> (Word, Vec<(TermId, usize)>) {
        let mut loops = Vec::new();
        if !self.loops {
            return (word.to_vec(), loops);
        }
        let folded = repeat::fold(word, self.least, |block, times| {
            let body = self.sequence(block);
            loops.push((body, times));
            let term = repeated(self.pool, body);
            self.letter(term)
        });
        (folded, loops)
    }

    fn plain(&mut self, term: TermId, loops: Vec<(TermId, usize)>) -> Decision {
        for (body, times) in loops {
            self.notes.add_most(NoteKind::Loop(body), times);
        }
        Decision::Term(term)
    }

    fn letter(&mut self, term: TermId) -> Letter {
        let next = u32::try_from(self.terms.len()).expect("a pool has fewer than 2³² terms");
        let letter = *self.letter_of.entry(term).or_insert(next);
        if letter == next {
            self.terms.push(term);
        }
        letter
    }

    fn sequence(&mut self, word: &[Letter]) -> TermId {
        let terms: Vec<TermId> = word.iter().map(|&letter| self.terms[letter as usize]).collect();
        self.join(Operator::Seq, &terms)
    }

    fn join(&mut self, operator: Operator, operands: &[TermId]) -> TermId {
        let pool = &mut *self.pool;
        match operator {
            Operator::Seq => sequence(pool, operands),
            Operator::Par => parallel(pool, operands),
            Operator::Alt => alternatives(pool, operands),
            Operator::Optional => optional(pool, operands[0]),
            Operator::Loop(most) => {
                self.notes.add_most(NoteKind::Loop(operands[0]), most);
                repeated(pool, operands[0])
            }
            Operator::Back(most) => {
                let [body, back] = [operands[0], operands[1]];
                if pool.attributes(body).nodes > SHORT {
                    // If the body is long, it is written only once. The term then also accepts a
                    // way back at the end.
                    let back = optional(pool, back);
                    let again = sequence(pool, &[body, back]);
                    self.notes.add_most(NoteKind::Loop(again), most);
                    return repeated(pool, again);
                }
                let again = sequence(pool, &[back, body]);
                self.notes.add_most(NoteKind::Loop(again), most);
                let again = repeated(pool, again);
                sequence(pool, &[body, again])
            }
        }
    }
}

/// The `seq` of terms, without nested sequences.
pub(super) fn sequence(pool: &mut Pool, operands: &[TermId]) -> TermId {
    let mut rest = Pool::EMPTY;
    for &operand in operands.iter().rev() {
        // Flatten nested sequences.
        let mut parts = vec![operand];
        while let Some(&last) = parts.last()
            && let Term::Coreg(Pool::NONE, left, right) = pool.node(last)
        {
            parts.pop();
            parts.extend([left, right]);
        }
        for part in parts.into_iter().rev() {
            rest = simplify::coreg(pool, Pool::NONE, part, rest);
        }
    }
    rest
}

pub(super) fn parallel(pool: &mut Pool, operands: &[TermId]) -> TermId {
    let join = |rest, &own: &TermId| simplify::coreg(pool, Pool::ALL, own, rest);
    operands.iter().rev().fold(Pool::EMPTY, join)
}

/// The `alt` of distinct terms, and of ∅ if one of them is ∅.
pub(super) fn alternatives(pool: &mut Pool, operands: &[TermId]) -> TermId {
    let mut seen = FxHashSet::default();
    let mut kept: Vec<TermId> =
        operands.iter().copied().filter(|&term| seen.insert(term)).collect();
    kept.retain(|&term| term != Pool::EMPTY);
    let Some(last) = kept.pop() else { return Pool::EMPTY };
    let choice = kept.into_iter().rev().fold(last, |rest, own| pool.alt(own, rest));
    if seen.contains(&Pool::EMPTY) { optional(pool, choice) } else { choice }
}

/// `alt(i, ∅)`, or i if it accepts the empty trace.
fn optional(pool: &mut Pool, term: TermId) -> TermId {
    if pool.attributes(term).terminates { term } else { pool.alt(term, Pool::EMPTY) }
}

/// `loopW(i)`. A loop of a loop or of an optional term is simplified.
fn repeated(pool: &mut Pool, term: TermId) -> TermId {
    let node = pool.node(term);
    if let Term::LoopC(Pool::NONE, _) = node {
        return term;
    }
    let body = if let Term::Alt(body, Pool::EMPTY) = node { body } else { term };
    simplify::loop_c(pool, Pool::NONE, body)
}

fn distinct(mut words: Vec<Word>) -> Vec<Word> {
    let mut seen: FxHashSet<Word> = FxHashSet::default();
    words.retain(|word| !seen.contains(word) && seen.insert(word.clone()));
    words
}

/// Splits the words by a key, in the order in which the keys first occur.
fn split_by(words: Vec<Word>, key: impl Fn(&Word) -> usize) -> Vec<Vec<Word>> {
    let mut split: Vec<Vec<Word>> = Vec::new();
    let mut index: FxHashMap<usize, usize> = FxHashMap::default();
    for word in words {
        let next = split.len();
        let at = *index.entry(key(&word)).or_insert(next);
        if at == next {
            split.push(Vec::new());
        }
        split[at].push(word);
    }
    split
}

/// For each part: the projections of the words.
fn projected(words: &[Word], follows: &Follows, (parts, count): &Parts) -> Vec<Vec<Word>> {
    let mut split = vec![vec![Word::new(); words.len()]; *count];
    for (index, word) in words.iter().enumerate() {
        for letter in word {
            split[parts[follows.vertex[letter]]][index].push(*letter);
        }
    }
    split
}
