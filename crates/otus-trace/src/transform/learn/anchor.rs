//! Cuts words at common letters.
//!
//! A cut is a sequence of sets of words: the parts of the words before the first common letter,
//! that letter, the parts between it and the next one, and so on. Sets in which all words are empty
//! are left out.

use rustc_hash::FxHashMap;

use super::cut::{Letter, Word};

/// Cuts at a common prefix and suffix of all words, or else at a long common subsequence, if one
/// can be found within [`WORK`].
pub(super) fn at_common_letters(words: &[Word]) -> Option<Vec<Vec<Word>>> {
    let (first, others) = words.split_first()?;
    let shared = |same: &dyn Fn(&Word) -> usize| others.iter().map(same).min().unwrap_or(0);
    let prefix =
        shared(&|word| word.iter().zip(first).take_while(|(one, other)| one == other).count());
    let suffix = shared(&|word| {
        let least = word.len().min(first.len()) - prefix;
        let ends = word.iter().rev().zip(first.iter().rev());
        ends.take(least).take_while(|(one, other)| one == other).count()
    });
    if prefix + suffix > 0 {
        let middle = words.iter().map(|word| word[prefix..word.len() - suffix].to_vec()).collect();
        let begin = vec![first[..prefix].to_vec()];
        let end = vec![first[first.len() - suffix..].to_vec()];
        return Some(without_empty(vec![begin, middle, end]));
    }
    let common = common_subsequence(words)?;
    let positions = words.iter().map(|word| {
        let mut wanted = common.iter().peekable();
        let mut places = Vec::with_capacity(common.len());
        for (place, letter) in word.iter().enumerate() {
            if wanted.next_if_eq(&letter).is_some() {
                places.push(place);
            }
        }
        places
    });
    Some(cut(words, &positions.collect::<Vec<_>>()))
}

/// An occurrence of a letter: the letter, and the number of its earlier occurrences.
type Occurrence = (Letter, usize);

/// Cuts at the occurrences of letters that every word has equally often, as far as all words have
/// them in the same order. Only letters with a wanted number of occurrences count.
pub(super) fn at_occurrences(
    words: &[Word],
    wanted: impl Fn(usize) -> bool,
) -> Option<Vec<Vec<Word>>> {
    let mut counts: FxHashMap<Letter, usize> = count(&words[0]);
    counts.retain(|_, count| wanted(*count));
    for word in &words[1..] {
        let own = count(word);
        counts.retain(|letter, count| own.get(letter) == Some(count));
        if counts.is_empty() {
            return None;
        }
    }
    let mut anchors: Vec<Occurrence> = Vec::new();
    occurrences(&words[0], |occurrence, _| {
        if counts.contains_key(&occurrence.0) {
            anchors.push(occurrence);
        }
    });
    for word in &words[1..] {
        let places = places(word, &anchors);
        let kept = increasing(&places);
        anchors = kept.into_iter().map(|index| anchors[index]).collect();
    }
    if anchors.is_empty() {
        return None;
    }
    let positions: Vec<Vec<usize>> = words.iter().map(|word| places(word, &anchors)).collect();
    Some(cut(words, &positions))
}

fn count(word: &[Letter]) -> FxHashMap<Letter, usize> {
    let mut counts = FxHashMap::default();
    for &letter in word {
        *counts.entry(letter).or_default() += 1;
    }
    counts
}

fn occurrences(word: &[Letter], mut each: impl FnMut(Occurrence, usize)) {
    let mut seen: FxHashMap<Letter, usize> = FxHashMap::default();
    for (place, &letter) in word.iter().enumerate() {
        let before = seen.entry(letter).or_default();
        each((letter, *before), place);
        *before += 1;
    }
}

/// The positions of the anchors in a word that contains all of them.
fn places(word: &[Letter], anchors: &[Occurrence]) -> Vec<usize> {
    let index: FxHashMap<Occurrence, usize> =
        anchors.iter().enumerate().map(|(index, &anchor)| (anchor, index)).collect();
    let mut places = vec![0; anchors.len()];
    occurrences(word, |occurrence, place| {
        if let Some(&at) = index.get(&occurrence) {
            places[at] = place;
        }
    });
    places
}

/// The indices of a longest increasing subsequence of distinct numbers.
fn increasing(numbers: &[usize]) -> Vec<usize> {
    // For each length: the index of the smallest last number of an increasing sequence of that
    // length.
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![None; numbers.len()];
    for (index, &number) in numbers.iter().enumerate() {
        let length = tails.partition_point(|&tail| numbers[tail] < number);
        before[index] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut found = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        found.push(index);
        next = before[index];
    }
    found.reverse();
    found
}

/// The maximum number of comparisons in the search for a common subsequence.
const WORK: usize = 20_000_000;

/// A common subsequence of all words: the longest one of the first two words, then the longest one
/// of that and the third word, and so on.
fn common_subsequence(words: &[Word]) -> Option<Word> {
    let (first, others) = words.split_first()?;
    let cost: usize = others.iter().map(|word| word.len().saturating_mul(first.len())).sum();
    if cost > WORK {
        return None;
    }
    let mut common = first.clone();
    for word in others {
        common = longest_common(&common, word);
        if common.is_empty() {
            return None;
        }
    }
    Some(common)
}

fn longest_common(one: &[Letter], other: &[Letter]) -> Word {
    let width = other.len() + 1;
    // For each pair of positions in both words: the length of the longest common subsequence of the
    // rests.
    let mut length = vec![0u32; (one.len() + 1) * width];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            length[i * width + j] = if one[i] == other[j] {
                length[(i + 1) * width + j + 1] + 1
            } else {
                length[(i + 1) * width + j].max(length[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut common = Word::new();
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            common.push(one[i]);
            i += 1;
            j += 1;
        } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

/// Cuts words at positions, of which there are equally many in each word. The letters at these
/// positions are the same in all words.
fn cut(words: &[Word], positions: &[Vec<usize>]) -> Vec<Vec<Word>> {
    let count = positions[0].len();
    let mut parts: Vec<Vec<Word>> = Vec::with_capacity(2 * count + 1);
    for index in 0..=count {
        let gap = words.iter().zip(positions).map(|(word, places)| {
            let start = index.checked_sub(1).map_or(0, |before| places[before] + 1);
            let end = places.get(index).copied().unwrap_or(word.len());
            word[start..end].to_vec()
        });
        parts.push(gap.collect());
        if let Some(&place) = positions[0].get(index) {
            parts.push(vec![vec![words[0][place]]]);
        }
    }
    without_empty(parts)
}

fn without_empty(mut parts: Vec<Vec<Word>>) -> Vec<Vec<Word>> {
    parts.retain(|words| words.iter().any(|word| !word.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(|word| word.chars().map(u32::from).collect()).collect()
    }

    fn show(parts: Option<Vec<Vec<Word>>>) -> String {
        let Some(parts) = parts else { return "none".to_owned() };
        let text = |word: &Word| -> String {
            word.iter().map(|&letter| char::from_u32(letter).unwrap()).collect()
        };
        let parts = parts.iter().map(|words| {
            let words: Vec<String> = words.iter().map(text).collect();
            words.join(",")
        });
        parts.collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn words_are_cut_at_what_each_has_once() {
        assert_eq!(show(at_occurrences(&words("ppsx sx"), |count| count == 1)), "pp, | s | x");
        assert_eq!(
            show(at_occurrences(&words("paas aps"), |count| count == 1)),
            ",a | p | aa, | s"
        );
        assert_eq!(show(at_occurrences(&words("aa a"), |count| count == 1)), "none");
    }

    #[test]
    fn words_are_cut_at_what_each_has_equally_often() {
        assert_eq!(show(at_occurrences(&words("axayb aab"), |_| true)), "a | x, | a | y, | b");
    }

    #[test]
    fn words_are_cut_at_common_ends_and_then_at_a_common_subsequence() {
        assert_eq!(show(at_common_letters(&words("abxd abyyd"))), "ab | x,yy | d");
        assert_eq!(show(at_common_letters(&words("aab ab"))), "a | a, | b");
        assert_eq!(show(at_common_letters(&words("xab1cy zabc2"))), "x,z | a | b | 1, | c | y,2");
        assert_eq!(show(at_common_letters(&words("ab cd"))), "none");
    }
}
