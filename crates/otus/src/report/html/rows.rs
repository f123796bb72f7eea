//! In which row of the diagram each moment stands.
//!
//! A moment stands below those before it on its component, and what is received below what was sent: the
//! longest path from the top. Logs that contradict each other (each says that it heard first) have no such
//! order; there a moment is placed although what it waits for is not, and its message goes upwards.
//! Linear in moments and messages.

/// Rows of the moments of each component, from 0, given how many rows each takes and from which moment (of
/// which component) to which other messages go.
pub(super) fn rows(heights: &[Vec<usize>], messages: &[[Moment; 2]]) -> Vec<Vec<usize>> {
    let mut placing = Placing::new(heights, messages);
    // What a component waits for may come from any other; those that can go on are tried again.
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
        // The rest waits in a circle.
        let at = placing.next[stuck];
        placing.waits[stuck][at] = 0;
        ready.push(stuck);
    }
}

/// A moment: its component, and its number there.
pub(super) type Moment = (usize, usize);

struct Placing<'a> {
    heights: &'a [Vec<usize>],
    rows: Vec<Vec<usize>>,
    /// How many messages a moment waits for.
    waits: Vec<Vec<usize>>,
    /// Where the messages of a moment go.
    targets: Vec<Vec<Vec<Moment>>>,
    /// The next moment of each component that has no row yet.
    next: Vec<usize>,
}

impl<'a> Placing<'a> {
    fn new(heights: &'a [Vec<usize>], messages: &[[Moment; 2]]) -> Self {
        let of = |value: usize| -> Vec<Vec<usize>> {
            heights.iter().map(|moments| vec![value; moments.len()]).collect()
        };
        let mut targets: Vec<Vec<Vec<Moment>>> =
            heights.iter().map(|moments| vec![Vec::new(); moments.len()]).collect();
        let mut waits = of(0);
        for &[from, to] in messages {
            // What a component tells itself is in order anyway.
            if from.0 != to.0 {
                targets[from.0][from.1].push(to);
                waits[to.0][to.1] += 1;
            }
        }
        Placing { heights, rows: of(0), waits, targets, next: vec![0; heights.len()] }
    }

    /// Gives rows to the moments of a component up to the first that waits.
    fn advance(&mut self, component: usize, ready: &mut Vec<usize>) {
        while self.next[component] < self.heights[component].len() {
            let at = self.next[component];
            if self.waits[component][at] > 0 {
                return;
            }
            let row = self.rows[component][at];
            let below = row + self.heights[component][at];
            if let Some(following) = self.rows[component].get_mut(at + 1) {
                *following = below.max(*following);
            }
            for (other, moment) in std::mem::take(&mut self.targets[component][at]) {
                // What was placed before its time stays where it is.
                if moment < self.next[other] {
                    continue;
                }
                let place = &mut self.rows[other][moment];
                *place = below.max(*place);
                let waits = &mut self.waits[other][moment];
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push(other);
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
    fn check(heights: &[&[usize]], messages: &[[Moment; 2]], expected: &[&[usize]]) {
        let heights: Vec<Vec<usize>> = heights.iter().map(|moments| moments.to_vec()).collect();
        assert_eq!(rows(&heights, messages), expected);
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
