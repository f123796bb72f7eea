//! Verdicts of groups that looked the same.
//!
//! The groups of a running system mostly look alike: the same actions in the same logs, with the same order between them. The
//! engine gives equal multi-traces equal answers, so that of a short group is kept and given again. Long groups are
//! rarely equal, and their keys would take memory.
//!
//! Only groups that are explained are kept, since a failure has more to tell than its verdict. Groups with messages that the
//! specification lacks are left out: such messages have numbers of their own in each group.

use otus_analysis::Verdict;
use otus_analysis::budget::Stop;
use otus_analysis::engine::Outcome;
use otus_core::index::Index as _;
use otus_trace::{MultiTrace, ObservedOrder, Step};
use rustc_hash::FxHashMap;

/// The most actions of a group whose answer is kept.
const MOST_ACTIONS: usize = 64;

/// The most answers that are kept; beyond that, all are forgotten.
const MOST_GROUPS: usize = 4096;

/// The answers about groups, for one engine and one question.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// The verdict, the number of states that it took, and why the search ended.
    known: FxHashMap<Key, (Verdict, u64, Stop)>,
    /// The key of the group that is asked about.
    key: Key,
}

/// A multi-trace over the partition of the engine, with the order between its logs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Key {
    steps: Vec<Step>,
    /// For each component the number of its steps; then each edge of the order.
    shape: Vec<u32>,
}

impl Alike {
    /// The answer about an equal group, if there was one.
    pub(super) fn find(
        &mut self,
        trace: &MultiTrace,
        order: Option<&ObservedOrder>,
    ) -> Option<Outcome> {
        let Key { steps, shape } = &mut self.key;
        steps.clear();
        shape.clear();
        if trace.len() > MOST_ACTIONS {
            return None;
        }
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        for component in trace.partition().components() {
            let log = trace.steps(component);
            shape.push(number(log.len()));
            steps.extend_from_slice(log);
        }
        for edge in order.iter().flat_map(|order| order.edges()) {
            let (from, to) = (edge.from, edge.to);
            shape.extend([from.0.index(), from.1, to.0.index(), to.1].map(number));
        }
        let &(verdict, states, stop) = self.known.get(&self.key)?;
        Some(Outcome { verdict, states, stop, furthest: None })
    }

    /// Keeps the answer about the group that was looked for last.
    pub(super) fn keep(&mut self, outcome: &Outcome) {
        let Outcome { verdict, states, stop, .. } = *outcome;
        if self.key.steps.is_empty() || verdict < Verdict::WeakPass || stop.is_early() {
            return;
        }
        if self.known.len() >= MOST_GROUPS {
            self.known.clear();
        }
        self.known.insert(self.key.clone(), (verdict, states, stop));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otus_core::Pool;
    use otus_syntax::Source;
    use otus_trace::ComponentId;
    use otus_trace::transform::learn::Pair;

    fn trace(pool: &mut Pool, text: &str) -> MultiTrace {
        let parsed = otus_syntax::parse_trace(&Source::new("a trace", text));
        otus_trace::lower(&parsed.tree, pool).0
    }

    #[test]
    fn only_equal_groups_are_alike() {
        let spec =
            crate::Spec::parse("flow.mmd", "sequenceDiagram\n  a->>b: m\n  b->>a: n\n").unwrap();
        let mut pool = spec.planned().pool.clone();
        let one = trace(&mut pool, "{[a] a!m.a?n; [b] b?m.b!n}");
        let other = trace(&mut pool, "{[a] a!m; [b] a?n.b?m.b!n}");
        let longer = trace(&mut pool, "{[a] a!m.a?n; [b] b?m.b!n.b!n}");
        let edge = Pair { from: (ComponentId(0), 0), to: (ComponentId(1), 0) };
        let order = ObservedOrder::new(&one, &[edge]);
        let found = |verdict| Outcome { verdict, states: 3, stop: Stop::Goal, furthest: None };
        let mut alike = Alike::default();
        assert!(alike.find(&one, None).is_none());
        alike.keep(&found(Verdict::Pass));
        let known = alike.find(&one, None).map(|it| (it.verdict, it.states));
        assert_eq!(known, Some((Verdict::Pass, 3)));
        for unlike in [(&other, None), (&longer, None), (&one, Some(&order))] {
            assert!(alike.find(unlike.0, unlike.1).is_none());
        }
        // A failure has more to tell.
        alike.keep(&found(Verdict::Fail));
        assert!(alike.find(&one, Some(&order)).is_none());
        assert!(alike.find(&one, None).is_some());
    }
}
