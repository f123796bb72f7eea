//! "Did you mean …?": the known word nearest to a misspelt one.
//!
//! The distance is Damerau–Levenshtein with optimal string alignment (insert, delete, replace, swap
//! neighbours) on lower-case letters. A word is suggested only if it is near for its length: one edit up
//! to four characters, two up to eight, three beyond.

/// The candidate nearest to `word`, if it is near enough. If several are equally near, it is the
/// first of them.
///
/// ```
/// let known = ["subscribe", "publish"];
/// assert_eq!(otus_syntax::suggest::nearest("subscirbe", known), Some("subscribe"));
/// assert_eq!(otus_syntax::suggest::nearest("connect", known), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (word, length) = lowercase(word);
    let limit = match length {
        0..=4 => 1,
        5..=8 => 2,
        9..=MAX_WORD => 3,
        _ => return None,
    };
    let distances = candidates.into_iter().filter_map(|candidate| {
        let (other, other_length) = lowercase(candidate);
        if other_length > MAX_WORD || other_length.abs_diff(length) > limit {
            return None;
        }
        let distance = strsim::osa_distance(&word, &other);
        // A one-letter word is one edit away from every other one-letter word, so only a change of
        // case counts.
        let is_near = distance <= limit && (distance == 0 || length.max(other_length) > 1);
        is_near.then_some((distance, candidate))
    });
    distances.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// The nearest candidate as a help sentence: ``did you mean `x`?``.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|found| format!("did you mean `{found}`?"))
}

/// The maximum length of words that are compared. Longer words are unlikely to be misspelt names.
const MAX_WORD: usize = 64;

/// The word in lower case, and its number of characters.
fn lowercase(word: &str) -> (String, usize) {
    let lower: String = word.chars().flat_map(char::to_lowercase).collect();
    let length = lower.chars().count();
    (lower, length)
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
