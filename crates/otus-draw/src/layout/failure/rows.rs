//! Second pass: the row of every moment.
//!
//! A moment stands below the moments before it of its component, and a reception below its emission: its row is the
//! length of the longest path to it from the top. Logs that contradict each other have no such order: for example,
//! each of two components received the other's message before it sent its own. Then one of the waiting moments is
//! placed without regard to its message, and the arrow of that message goes upwards. Linear in moments and messages.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MomentId {
    pub(super) component: usize,
    pub(super) number: usize,
}

/// An order between two moments: the second stands below the first.
pub(super) type Above = [MomentId; 2];

/// A value for each item of each list.
pub(super) fn each<I, T: Clone>(lists: &[Vec<I>], value: &T) -> Vec<Vec<T>> {
    lists.iter().map(|list| vec![value.clone(); list.len()]).collect()
}

/// The row of each moment of each component, given the number of rows that each moment takes.
pub(super) fn rows(heights: &[Vec<usize>], above: &[Above]) -> Vec<Vec<usize>> {
    let mut rows = each(heights, &0);
    // For each moment: the number of moments above it without a row, and the moments below it on other
    // components.
    let mut waits = rows.clone();
    let mut below: Vec<Vec<Vec<MomentId>>> = each(heights, &Vec::new());
    // The moments of one component are ordered anyway, so edges within a component are skipped.
    for &[from, to] in above.iter().filter(|[from, to]| from.component != to.component) {
        below[from.component][from.number].push(to);
        waits[to.component][to.number] += 1;
    }
    // For each component: its first moment without a row.
    let mut next = vec![0; heights.len()];
    // The components that may be able to continue.
    let mut ready: Vec<usize> = (0..heights.len()).rev().collect();
    let mut stuck = 0;
    loop {
        while let Some(component) = ready.pop() {
            while let Some(&height) = heights[component].get(next[component]) {
                let at = next[component];
                if waits[component][at] > 0 {
                    break;
                }
                let end = rows[component][at] + height;
                if let Some(following) = rows[component].get_mut(at + 1) {
                    *following = end.max(*following);
                }
                for MomentId { component: other, number } in
                    std::mem::take(&mut below[component][at])
                {
                    // A moment that was placed to break a circle keeps its row.
                    if number >= next[other] {
                        rows[other][number] = end.max(rows[other][number]);
                        waits[other][number] = waits[other][number].saturating_sub(1);
                        if waits[other][number] == 0 {
                            ready.push(other);
                        }
                    }
                }
                next[component] += 1;
            }
        }
        while stuck < heights.len() && next[stuck] == heights[stuck].len() {
            stuck += 1;
        }
        if stuck == heights.len() {
            return rows;
        }
        // The remaining components wait for each other in a circle.
        waits[stuck][next[stuck]] = 0;
        ready.push(stuck);
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
