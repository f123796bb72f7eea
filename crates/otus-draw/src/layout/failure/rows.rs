//! Second pass: the row of every moment.
//!
//! A moment stands below the moments before it of its component, and a reception below its emission: its row is the
//! length of the longest path to it from the top. Logs that contradict each other (each received before it
//! sent) have no such order; then one of the waiting moments is placed without its message, whose arrow goes upwards.
//! Linear in moments and messages.

/// A moment: its component, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MomentId {
    pub(super) component: usize,
    pub(super) number: usize,
}

/// An order between two moments: the second stands below the first.
pub(super) type Above = [MomentId; 2];

/// The row of each moment of each component, given the number of rows that each moment takes.
pub(super) fn rows(heights: &[Vec<usize>], above: &[Above]) -> Vec<Vec<usize>> {
    let mut placing = Placing::new(heights, above);
    // The components that may be able to go on.
    let mut ready: Vec<usize> = (0..heights.len()).rev().collect();
    let mut stuck = 0;
    loop {
        while let Some(component) = ready.pop() {
            placing.advance(component, &mut ready);
        }
        while stuck < heights.len() && placing.next[stuck] == heights[stuck].len() {
            stuck += 1;
        }
        if stuck == heights.len() {
            return placing.rows;
        }
        // The remaining components wait for each other in a circle.
        let at = placing.next[stuck];
        placing.waits[stuck][at] = 0;
        ready.push(stuck);
    }
}

struct Placing<'a> {
    heights: &'a [Vec<usize>],
    rows: Vec<Vec<usize>>,
    /// By moment: the number of moments above it without a row.
    waits: Vec<Vec<usize>>,
    /// By moment: the moments below it on other components.
    below: Vec<Vec<Vec<MomentId>>>,
    /// By component: its first moment without a row.
    next: Vec<usize>,
}

impl<'a> Placing<'a> {
    fn new(heights: &'a [Vec<usize>], above: &[Above]) -> Self {
        let zeros: Vec<Vec<usize>> = heights.iter().map(|own| vec![0; own.len()]).collect();
        let mut below: Vec<Vec<Vec<MomentId>>> =
            heights.iter().map(|own| vec![Vec::new(); own.len()]).collect();
        let mut waits = zeros.clone();
        for &[from, to] in above {
            // The moments of one component are in order anyway.
            if from.component != to.component {
                below[from.component][from.number].push(to);
                waits[to.component][to.number] += 1;
            }
        }
        Placing { heights, rows: zeros, waits, below, next: vec![0; heights.len()] }
    }

    /// Gives rows to the moments of a component up to the first that waits.
    fn advance(&mut self, component: usize, ready: &mut Vec<usize>) {
        while self.next[component] < self.heights[component].len() {
            let at = self.next[component];
            if self.waits[component][at] > 0 {
                return;
            }
            let end = self.rows[component][at] + self.heights[component][at];
            if let Some(following) = self.rows[component].get_mut(at + 1) {
                *following = end.max(*following);
            }
            for other in std::mem::take(&mut self.below[component][at]) {
                // A moment that was placed to break a circle keeps its row.
                if other.number < self.next[other.component] {
                    continue;
                }
                let row = &mut self.rows[other.component][other.number];
                *row = end.max(*row);
                let waits = &mut self.waits[other.component][other.number];
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push(other.component);
                }
            }
            self.next[component] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heights: &[&[usize]], above: &[[(usize, usize); 2]], expected: &[&[usize]]) {
        let heights: Vec<Vec<usize>> = heights.iter().map(|own| own.to_vec()).collect();
        let moment = |(component, number)| MomentId { component, number };
        let above: Vec<Above> = above.iter().map(|pair| pair.map(moment)).collect();
        assert_eq!(rows(&heights, &above), expected);
    }

    #[test]
    fn moments_stand_below_those_before_them() {
        check(&[], &[], &[]);
        check(&[&[1, 1], &[1]], &[], &[&[0, 1], &[0]]);
        check(&[&[2, 1, 1]], &[], &[&[0, 2, 3]]);
    }

    #[test]
    fn messages_go_down() {
        check(&[&[1], &[1]], &[[(0, 0), (1, 0)]], &[&[0], &[1]]);
        check(&[&[1], &[1]], &[[(1, 0), (0, 0)]], &[&[1], &[0]]);
        let there_and_back = [[(0, 0), (1, 0)], [(1, 1), (0, 1)]];
        check(&[&[1, 1], &[1, 1]], &there_and_back, &[&[0, 3], &[1, 2]]);
    }

    #[test]
    fn contradictions_are_drawn_all_the_same() {
        // Both received before they sent.
        let circle = [[(0, 1), (1, 0)], [(1, 1), (0, 0)]];
        check(&[&[1, 1], &[1, 1]], &circle, &[&[0, 1], &[2, 3]]);
        let itself = [[(0, 1), (0, 0)]];
        check(&[&[1, 1]], &itself, &[&[0, 1]]);
    }
}
