//! Graph algorithms of the learner: strongly connected components, and disjoint sets.

/// The strongly connected components of a graph, given by the successors of each vertex, in
/// topological order. Tarjan's algorithm (1972), with its own stack.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let count = successors.len();
    let (mut number, mut lowest) = (vec![NEW; count], vec![0; count]);
    let mut open = vec![false; count];
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..count {
        if number[root] != NEW {
            continue;
        }
        // A vertex, and the index of its next successor.
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((vertex, at)) = path.last_mut() {
            let vertex = *vertex;
            if *at == 0 {
                number[vertex] = next;
                lowest[vertex] = next;
                next += 1;
                stack.push(vertex);
                open[vertex] = true;
            }
            if let Some(&to) = successors[vertex].get(*at) {
                *at += 1;
                if number[to] == NEW {
                    path.push((to, 0));
                } else if open[to] {
                    lowest[vertex] = lowest[vertex].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                lowest[parent] = lowest[parent].min(lowest[vertex]);
            }
            if lowest[vertex] == number[vertex] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    open[member] = false;
                    component.push(member);
                    if member == vertex {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found.reverse();
    found
}

/// For each vertex: the number of its component.
pub(super) fn component_of(components: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut numbers = vec![0; count];
    for (number, component) in components.iter().enumerate() {
        for &vertex in component {
            numbers[vertex] = number;
        }
    }
    numbers
}

/// Disjoint sets that can be merged (union-find).
#[derive(Debug)]
pub(super) struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    /// `count` sets with one member each.
    pub(super) fn new(count: usize) -> Self {
        Sets { parent: (0..count).collect() }
    }

    /// The smallest member of the set of a member.
    pub(super) fn find(&mut self, mut member: usize) -> usize {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parent[one.max(other)] = one.min(other);
    }

    /// For each member: the number of its set, where sets are ordered by their smallest members;
    /// and the number of sets.
    pub(super) fn numbered(&mut self) -> (Vec<usize>, usize) {
        let mut number = vec![0; self.parent.len()];
        let mut count = 0;
        for member in 0..self.parent.len() {
            let smallest = self.find(member);
            if smallest == member {
                number[member] = count;
                count += 1;
            } else {
                number[member] = number[smallest];
            }
        }
        (number, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_in_topological_order() {
        let graph = vec![vec![1], vec![2, 3], vec![1], vec![3, 4], vec![], vec![0]];
        assert_eq!(components(&graph), [vec![5], vec![0], vec![1, 2], vec![3], vec![4]]);
        assert!(components(&[]).is_empty());
    }

    #[test]
    fn a_long_path_does_not_overflow() {
        let graph: Vec<Vec<usize>> =
            (0..300_000).map(|i| if i + 1 < 300_000 { vec![i + 1] } else { vec![0] }).collect();
        assert_eq!(components(&graph).len(), 1);
    }

    #[test]
    fn sets_are_numbered_by_their_smallest_members() {
        let mut sets = Sets::new(5);
        sets.join(4, 1);
        sets.join(3, 0);
        assert_eq!(sets.numbered(), (vec![0, 1, 2, 0, 1], 3));
    }
}
