//! Folds repetitions within one word.
//!
//! A block that occurs several times in a row becomes a loop. Short blocks are folded first. Then
//! the word, with its loops as letters, is folded again, so loops nest. The length of blocks is
//! bounded such that a pass takes at most ten million comparisons.

/// The maximum number of comparisons of a pass: one for each position and block length.
const WORK: usize = 10_000_000;

/// The greatest depth of nested loops.
const PASSES: usize = 12;

/// Folds blocks that occur at least `least` times in a row. `body` makes the letter of a loop from
/// the block and the number of its occurrences.
pub(super) fn fold(
    word: &[u32],
    least: usize,
    mut body: impl FnMut(&[u32], usize) -> u32,
) -> Vec<u32> {
    let mut word = word.to_vec();
    let least = least.max(2);
    for _ in 0..PASSES {
        let longest = (word.len() / least).min(WORK / word.len().max(1));
        let mut changed = false;
        for period in 1..=longest {
            let mut folded = Vec::new();
            let mut copied = 0;
            let mut at = 0;
            while at + period < word.len() {
                let same =
                    (at..word.len() - period).take_while(|&i| word[i] == word[i + period]).count();
                let times = same / period + 1;
                if times >= least {
                    folded.extend_from_slice(&word[copied..at]);
                    folded.push(body(&word[at..at + period], times));
                    at += times * period;
                    copied = at;
                } else {
                    at += same + 1;
                }
            }
            if copied > 0 {
                folded.extend_from_slice(&word[copied..]);
                word = folded;
                changed = true;
                break;
            }
        }
        if !changed {
            break;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, least: usize, expected: &str) {
        let mut texts: Vec<String> = (0..128u8).map(|c| char::from(c).to_string()).collect();
        let letters: Vec<u32> = word.bytes().map(u32::from).collect();
        let folded = fold(&letters, least, |block, _| {
            let text: String = block.iter().map(|&letter| texts[letter as usize].clone()).collect();
            let text = format!("({text})*");
            let known = texts.iter().position(|known| *known == text);
            let index = known.unwrap_or_else(|| {
                texts.push(text);
                texts.len() - 1
            });
            u32::try_from(index).unwrap()
        });
        let text: String = folded.iter().map(|&letter| texts[letter as usize].clone()).collect();
        assert_eq!(text, expected, "{word}");
    }

    #[test]
    fn blocks_in_a_row_become_loops() {
        check("", 2, "");
        check("a", 2, "a");
        check("aba", 2, "aba");
        check("aa", 2, "(a)*");
        check("aa", 3, "aa");
        check("xababy", 2, "x(ab)*y");
        check("ababa", 2, "(ab)*a");
        check("abcabcabcd", 2, "(abc)*d");
    }

    #[test]
    fn loops_nest_and_their_count_does_not_matter() {
        check("xaaxaaaxaa", 2, "(x(a)*)*");
        check("abbcabbbc", 2, "(a(b)*c)*");
    }
}
