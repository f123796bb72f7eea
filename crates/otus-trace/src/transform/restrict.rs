//! Removes lifelines from a multi-trace.
//!
//! Mahe et al., the paper on lifeline removal, Def. 2: `rmv_h` drops the component of h. Where lifelines share a
//! component, the component loses the actions of the removed ones and keeps the order of the others; a component that
//! loses all of its lifelines is removed.

use otus_core::index::Index as _;
use otus_core::{Action, LifelineId, LifelineSet, Pool};
use otus_syntax::SourceId;
use otus_syntax::source::offset;
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::multitrace::{Builder, MultiTrace, Partition};

/// The multi-trace on the kept lifelines. The signature of `to` has exactly these, in the same order, and all
/// messages ([`Signature::restricted`](otus_core::Signature::restricted)).
///
/// ```
/// use otus_core::{LifelineId, LifelineSet, Pool};
/// use otus_syntax::{Source, parse_trace, print};
/// use otus_trace::{lower, raise, transform};
///
/// let tree = parse_trace(&Source::new("run.htf", "{[a, b] a!m.b?m.a!n; [c] c?n}")).tree;
/// let mut pool = Pool::new(transform::implied_signature([&tree]));
/// let (run, _) = lower(&tree, &mut pool);
/// let kept: LifelineSet = [LifelineId(0), LifelineId(2)].into_iter().collect();
/// let mut left = Pool::new(pool.signature().restricted(&kept));
/// let without_b = transform::restrict(&run, &pool, &kept, &mut left);
/// assert_eq!(print::trace_line(&raise(&without_b, &left)), "{[a] a!m.a!n; [c] c?n}");
/// ```
///
/// # Panics
/// If `to` has another signature.
pub fn restrict(trace: &MultiTrace, from: &Pool, kept: &LifelineSet, to: &mut Pool) -> MultiTrace {
    restricted(trace, from, kept, to, false).0
}

/// The multi-trace on the kept lifelines, with the values of its events.
///
/// # Panics
/// As [`restrict`].
pub fn restrict_with_facts(
    (trace, facts): (&MultiTrace, &Facts),
    from: &Pool,
    kept: &LifelineSet,
    to: &mut Pool,
) -> (MultiTrace, Facts) {
    let (restricted, origins) = restricted(trace, from, kept, to, true);
    let facts = facts.rearranged(&restricted, &origins);
    (restricted, facts)
}

fn restricted(
    trace: &MultiTrace,
    from: &Pool,
    kept: &LifelineSet,
    to: &mut Pool,
    tagged: bool,
) -> (MultiTrace, Vec<u32>) {
    let new = |(number, lifeline): (usize, LifelineId)| (lifeline, LifelineId::new(number));
    let numbers: FxHashMap<LifelineId, LifelineId> = kept.iter().enumerate().map(new).collect();
    let old = trace.partition();
    let components = old.components().map(|component| {
        let lifelines = old.lifelines(component).iter();
        lifelines.filter_map(|lifeline| numbers.get(lifeline).copied()).collect()
    });
    let partition = Partition::new(components.collect(), numbers.len());
    let mut builder = Builder::new(partition, trace.len(), false);
    if tagged {
        builder = builder.with_tags();
    }
    for component in old.components() {
        let is_kept =
            old.lifelines(component).iter().any(|lifeline| numbers.contains_key(lifeline));
        if !is_kept {
            continue;
        }
        let mut number = trace.first(component);
        for moment in trace.moments(component) {
            for step in moment {
                number += 1;
                let action = from.action(step.action());
                let Some(&lifeline) = numbers.get(&action.lifeline) else { continue };
                let action = to.intern_action(Action { lifeline, peer: None, ..action });
                builder.push_tagged(action, 0, offset(number - 1));
            }
            builder.next_moment();
        }
        builder.next_component();
    }
    builder.finish_tagged(SourceId::default())
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_trace, print};

    use super::*;
    use crate::{lower, raise, transform};

    #[track_caller]
    fn check(from: &str, kept: &[&str], expected: &str) {
        let tree = parse_trace(&Source::new("x.htf", from)).tree;
        let mut pool = Pool::new(transform::implied_signature([&tree]));
        let (trace, found) = lower(&tree, &mut pool);
        assert_eq!(found, []);
        let kept = kept.iter().map(|name| pool.signature().lifeline(name).expect("a lifeline"));
        let kept: LifelineSet = kept.collect();
        let mut left = Pool::new(pool.signature().restricted(&kept));
        let restricted = restrict(&trace, &pool, &kept, &mut left);
        assert_eq!(print::trace_line(&raise(&restricted, &left)), expected);
    }

    #[test]
    fn components_go_or_lose_actions() {
        check("{[a] a!m; [b] b?m}", &["a"], "{[#all] a!m}");
        check("{[a] a!m; [b] b?m; [c] c!m}", &["c", "a"], "{[a] a!m; [c] c!m}");
        check("{[c] c!m; [a,b] b?m.a!m.b?n}", &["b", "c"], "{[c] c!m; [b] b?m.b?n}");
        check("{[a,b,c] a!m.b?m.c!n}", &["a", "c"], "{[#all] a!m.c!n}");
    }

    #[test]
    fn moments_without_actions_go() {
        check("{[a,b,c] {a!m,b?m}.b!n.{a!n,c?n}}", &["a", "c"], "{[#all] a!m.{a!n, c?n}}");
    }
}
