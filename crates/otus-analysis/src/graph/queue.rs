//! The queue of a search: the order in which nodes are explored.
//!
//! - *Breadth first*: the oldest node comes first.
//! - *Depth first*: the first child of the newest node comes first.
//! - *High coverage*: depth first, but when a path ends, the next one branches off as close to the
//!   root as possible, so that paths share short prefixes. The papers describe only this aim;
//!   among branches at the same depth the oldest is taken.

use std::collections::{BTreeMap, VecDeque};

use otus_syntax::options::Strategy;

/// Items (nodes to explore) in the order of a strategy.
#[derive(Debug)]
pub enum Queue<T> {
    /// First in, first out.
    Breadth(VecDeque<T>),
    /// Last in, first out.
    Depth(Vec<T>),
    /// The child to continue with, and the other branches by depth.
    HighCoverage {
        /// The child to continue with. It is taken next, if there is one.
        next: Option<T>,
        /// Branches by depth, oldest first.
        branches: BTreeMap<u64, VecDeque<T>>,
    },
}

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Breadth => Queue::Breadth(VecDeque::new()),
            Strategy::Depth => Queue::Depth(Vec::new()),
            Strategy::HighCoverage => Queue::HighCoverage { next: None, branches: BTreeMap::new() },
        }
    }

    /// Adds the children of a node, best first.
    pub fn extend(&mut self, depth: u64, children: Vec<T>) {
        match self {
            Queue::Breadth(queue) => queue.extend(children),
            Queue::Depth(stack) => stack.extend(children.into_iter().rev()),
            Queue::HighCoverage { next, branches } => {
                let mut children = children.into_iter();
                *next = children.next();
                let rest: VecDeque<T> = children.collect();
                if !rest.is_empty() {
                    branches.entry(depth).or_default().extend(rest);
                }
            }
        }
    }

    /// Takes the next item.
    pub fn pop(&mut self) -> Option<T> {
        match self {
            Queue::Breadth(queue) => queue.pop_front(),
            Queue::Depth(stack) => stack.pop(),
            Queue::HighCoverage { next, branches } => {
                if let Some(item) = next.take() {
                    return Some(item);
                }
                let mut shallowest = branches.first_entry()?;
                let item = shallowest.get_mut().pop_front();
                if shallowest.get().is_empty() {
                    shallowest.remove();
                }
                item
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full binary tree of depth 2 in the order of a strategy.
    fn order(strategy: Strategy) -> Vec<&'static str> {
        let children = |name: &str| match name {
            "" => vec!["l", "r"],
            "l" => vec!["ll", "lr"],
            "r" => vec!["rl", "rr"],
            _ => Vec::new(),
        };
        let mut queue = Queue::new(strategy);
        queue.extend(0, vec![""]);
        let mut order = Vec::new();
        while let Some(name) = queue.pop() {
            order.push(name);
            queue.extend(name.len() as u64 + 1, children(name));
        }
        order
    }

    #[test]
    fn strategies() {
        assert_eq!(order(Strategy::Breadth), ["", "l", "r", "ll", "lr", "rl", "rr"]);
        assert_eq!(order(Strategy::Depth), ["", "l", "ll", "lr", "r", "rl", "rr"]);
        assert_eq!(order(Strategy::HighCoverage), ["", "l", "ll", "r", "rl", "lr", "rr"]);
    }
}
