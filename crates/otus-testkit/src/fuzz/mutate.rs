//! Small random changes to valid texts, because inputs that are nearly valid find more errors than random bytes.

use std::sync::LazyLock;

use fastrand::Rng;

/// Pieces of all languages, to insert into a text.
static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("pieces.json")).expect("the file is a list of texts")
});

/// One of the seeds with one or a few changes.
pub(super) fn mutation(seeds: &[&str], random: &mut Rng) -> Vec<u8> {
    let mut bytes = pick(seeds, random).as_bytes().to_vec();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(..=bytes.len());
        match random.u32(..7) {
            0 => insert(&mut bytes, at, pick(&PIECES[..], random).as_bytes()),
            1 if at < bytes.len() => bytes[at] = random.u8(..),
            2 => {
                let end = (at + random.usize(1..8)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + random.usize(1..40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.usize(..=bytes.len());
                insert(&mut bytes, to, &copy);
            }
            4 => bytes.truncate(at),
            5 => {
                let other = pick(seeds, random).as_bytes();
                let from = random.usize(..=other.len());
                insert(&mut bytes, at, &other[from..]);
            }
            _ => {
                let piece = pick(&PIECES[..], random).repeat(random.usize(1..20));
                insert(&mut bytes, at, piece.as_bytes());
            }
        }
    }
    bytes
}

/// The smallest input found for which `broken` is true, by leaving out smaller and smaller pieces, as in delta debugging
/// (Zeller and Hildebrandt, TSE 2002).
pub(super) fn shrink(data: &[u8], broken: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut small = data.to_vec();
    let mut piece = small.len().div_ceil(2);
    while piece > 0 {
        let before = small.len();
        let mut at = 0;
        while at < small.len() {
            let end = (at + piece).min(small.len());
            let without = [&small[..at], &small[end..]].concat();
            if broken(&without) {
                small = without;
            } else {
                at = end;
            }
        }
        if piece > 1 || small.len() == before {
            piece /= 2;
        }
    }
    small
}

fn pick<'t>(texts: &'t [impl AsRef<str>], random: &mut Rng) -> &'t str {
    texts[random.usize(..texts.len())].as_ref()
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}
