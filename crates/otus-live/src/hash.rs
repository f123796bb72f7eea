//! A hash that is the same in every process and version, because ids of verdicts, marks of files and the log on disk have it: FNV-1a
//! of 64 bits, by Glenn Fowler, Landon Curt Noll and Kiem-Phong Vo.

/// Where a hash begins.
pub(crate) const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of what was hashed before and of more bytes.
pub(crate) fn fnv(seed: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(seed, step)
}

/// A hash whose last bytes reach all of its bits, and not only the higher ones.
pub(crate) fn mixed(hash: u64) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
