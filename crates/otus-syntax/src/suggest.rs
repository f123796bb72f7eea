//! "Did you mean …?": the nearest known word.
//!
//! Distance is Damerau–Levenshtein in its optimal-string-alignment form (insert, delete,
//! replace, swap neighbours), on lower-case letters. A word is offered only when it is close
//! for its length: one edit up to four characters, two up to eight, three beyond.

/// The candidate nearest to `word`, if one is near enough. Ties go to the earlier candidate.
///
/// ```
/// let known = ["subscribe", "publish"];
/// assert_eq!(otus_syntax::suggest::nearest("subscirbe", known), Some("subscribe"));
/// assert_eq!(otus_syntax::suggest::nearest("connect", known), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    if word.len() > MAX_WORD {
        return None;
    }
    let limit = match word.len() {
        0..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        if other.len() > MAX_WORD || other.len().abs_diff(word.len()) > limit {
            continue;
        }
        let distance = distance(&word, &other);
        // A one-letter word is one edit from every other: only a change of case counts.
        let close = distance <= limit && (distance == 0 || word.len().max(other.len()) > 1);
        if close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The same as a ready help sentence: ``did you mean `x`?``.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|found| format!("did you mean `{found}`?"))
}

/// Longer words are not misspelt names; comparing them would only cost time.
const MAX_WORD: usize = 64;

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(word, candidates.iter().copied()), expected);
    }

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        check("mesage", &["message", "lifeline"], Some("message"));
        check("sqe", &["seq", "par"], Some("seq"));
        check("Broker", &["broker"], Some("broker"));
        check("x", &["y"], None);
        check("A", &["a"], Some("a"));
        check("publish", &["subscribe"], None);
        check("l2", &["l1", "l3"], Some("l1"));
        check("", &["a"], None);
    }
}
