//! An arena for rows of 32-bit words. Its memory is divided into pieces; a piece is freed when all
//! of its rows are dropped.
//!
//! Ten million events of a million groups are ten million rows of a few words. A vector for each
//! group would cost more in headers and spare capacity than in rows. Here a row costs only its
//! words, and the rows of a group are linked by their first word. A reference is a piece and an
//! offset in 32 bits: 2^16 pieces of 2^16 words, 16 GiB.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ref(pub(super) u32);

impl Ref {
    pub(super) const NONE: Ref = Ref(u32::MAX);

    fn piece(self) -> usize {
        (self.0 >> BITS) as usize
    }

    fn offset(self) -> usize {
        (self.0 & (WORDS - 1)) as usize
    }
}

const BITS: u32 = 16;
const WORDS: u32 = 1 << BITS;

#[derive(Debug, Default)]
struct Piece {
    words: Vec<u32>,
    /// The number of rows of the piece that are in use.
    rows: u32,
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    pieces: Vec<Piece>,
    /// The pieces that are empty and can be filled again.
    free: Vec<usize>,
    current: Option<usize>,
}

impl Arena {
    /// Stores a row; `None` if there is no room for more.
    pub(super) fn push(&mut self, row: &[u32]) -> Option<Ref> {
        let fits = |piece: &Piece| {
            piece.words.is_empty() || piece.words.len() + row.len() <= WORDS as usize
        };
        let index = match self.current.filter(|&index| fits(&self.pieces[index])) {
            Some(index) => index,
            None => {
                let before = self.current.take();
                if let Some(before) = before {
                    self.reuse(before);
                }
                let index = match self.free.pop() {
                    Some(index) => index,
                    None => {
                        // The last piece stays unused, because the reference `Ref::NONE` would lie
                        // in it.
                        if self.pieces.len() >= WORDS as usize - 1 {
                            return None;
                        }
                        self.pieces.push(Piece::default());
                        self.pieces.len() - 1
                    }
                };
                self.pieces[index].words.reserve_exact((WORDS as usize).max(row.len()));
                self.current = Some(index);
                index
            }
        };
        let piece = &mut self.pieces[index];
        let place = u32::try_from(piece.words.len()).ok()?;
        piece.words.extend_from_slice(row);
        piece.rows += 1;
        Some(Ref(u32::try_from(index).ok()? << BITS | place))
    }

    /// The words from the start of a row on. The caller decodes the row, which determines its
    /// length.
    pub(super) fn row(&self, at: Ref) -> &[u32] {
        &self.pieces[at.piece()].words[at.offset()..]
    }

    /// The first word of a row: the row that it is linked to.
    pub(super) fn next(&self, at: Ref) -> Ref {
        Ref(self.row(at).first().copied().unwrap_or(Ref::NONE.0))
    }

    /// Changes the first word of a row.
    pub(super) fn link(&mut self, at: Ref, next: Ref) {
        self.pieces[at.piece()].words[at.offset()] = next.0;
    }

    /// Replaces a row by one of the same length. It stays linked as it is.
    pub(super) fn replace(&mut self, at: Ref, row: &[u32]) {
        let old = &mut self.pieces[at.piece()].words[at.offset()..][..row.len()];
        old[1..].copy_from_slice(&row[1..]);
    }

    pub(super) fn drop(&mut self, at: Ref) {
        let index = at.piece();
        self.pieces[index].rows -= 1;
        if self.current != Some(index) {
            self.reuse(index);
        }
    }

    fn reuse(&mut self, index: usize) {
        let piece = &mut self.pieces[index];
        if piece.rows == 0 && !piece.words.is_empty() {
            piece.words = Vec::new();
            self.free.push(index);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.words.capacity() * 4).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let mut arena = Arena::default();
        let mut peak = 0;
        let mut last = Vec::new();
        for round in 0..50_u32 {
            let rows: Vec<Ref> = (0..20_000).map(|i| arena.push(&[i, round, 7]).unwrap()).collect();
            for (i, &at) in (0..).zip(&rows) {
                assert_eq!(arena.row(at)[..3], [i, round, 7]);
            }
            for at in std::mem::replace(&mut last, rows) {
                arena.drop(at);
            }
            peak = peak.max(arena.bytes());
        }
        assert!(peak < 1 << 20, "{peak}");
        let long = vec![1; 200_000];
        let at = arena.push(&long).unwrap();
        assert_eq!(arena.row(at).len(), long.len());
        assert_eq!(arena.push(&[5]).map(|at| arena.row(at)[0]), Some(5));
    }
}
