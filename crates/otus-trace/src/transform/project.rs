//! Projects a multi-trace onto a finer partition.
//!
//! The new partition must be finer, because components of different clocks cannot be merged: their
//! relative order is unknown. A set of simultaneous actions on several new components becomes one
//! moment in each.

use std::fmt;

use otus_core::index::Index as _;
use otus_core::{LifelineId, Pool};
use otus_syntax::SourceId;
use otus_syntax::source::offset;

use crate::facts::Facts;
use crate::multitrace::{Builder, MultiTrace, Partition};

/// Projects a multi-trace onto a finer partition of the same lifelines. Actions keep their offsets.
///
/// ```
/// use otus_core::Pool;
/// use otus_syntax::{Source, parse_trace, print};
/// use otus_trace::{Partition, lower, raise, transform};
///
/// let tree = parse_trace(&Source::new("run.htf", "a!m.b?m.a!n")).tree;
/// let mut pool = Pool::new(transform::implied_signature([&tree]));
/// let (global, _) = lower(&tree, &mut pool);
/// let local = transform::project(&global, &Partition::discrete(2), &pool).unwrap();
/// assert_eq!(print::trace_line(&raise(&local, &pool)), "{[a] a!m.a!n; [b] b?m}");
/// ```
///
/// # Errors
/// If two lifelines of a new component are in different components of the multi-trace, or the
/// numbers of lifelines differ.
pub fn project(
    trace: &MultiTrace,
    partition: &Partition,
    pool: &Pool,
) -> Result<MultiTrace, NotFiner> {
    projected(trace, partition, pool, false).map(|(projected, _)| projected)
}

/// Projects a multi-trace and the values of its events onto a finer partition of the same lifelines.
///
/// # Errors
/// As [`project`].
pub fn project_with_facts(
    trace: &MultiTrace,
    facts: &Facts,
    partition: &Partition,
    pool: &Pool,
) -> Result<(MultiTrace, Facts), NotFiner> {
    let (projected, origins) = projected(trace, partition, pool, true)?;
    let facts = facts.rearranged(&projected, &origins);
    Ok((projected, facts))
}

fn projected(
    trace: &MultiTrace,
    partition: &Partition,
    pool: &Pool,
    tagged: bool,
) -> Result<(MultiTrace, Vec<u32>), NotFiner> {
    let old = trace.partition();
    if old.lifeline_count() != partition.lifeline_count() {
        return Err(NotFiner::OtherLifelines);
    }
    for component in partition.components() {
        let lifelines = partition.lifelines(component);
        let apart =
            lifelines.iter().find(|&&l| old.component_of(l) != old.component_of(lifelines[0]));
        if let Some(&apart) = apart {
            return Err(NotFiner::Apart(lifelines[0], apart));
        }
    }
    // For each new component: the moment and the index of each step.
    let mut parts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); partition.len()];
    for component in old.components() {
        let mut moment = 0;
        for (i, step) in trace.steps(component).iter().enumerate() {
            moment += usize::from(!step.joined());
            let lifeline = pool.action(step.action()).lifeline;
            parts[partition.component_of(lifeline).index()].push((moment, i));
        }
    }
    let first = old.components().find_map(|component| trace.place(component, 0));
    let mut builder = Builder::new(partition.clone(), trace.len(), first.is_some());
    if tagged {
        builder = builder.with_tags();
    }
    for (component, part) in partition.components().zip(parts) {
        let from = old.component_of(partition.lifelines(component)[0]);
        let mut current = 0;
        for (moment, i) in part {
            if moment != current {
                builder.next_moment();
                current = moment;
            }
            let start = trace.place(from, i).map_or(0, |(_, start)| start);
            let number = offset(trace.first(from) + i);
            builder.push_tagged(trace.steps(from)[i].action(), start, number);
        }
        builder.next_component();
    }
    Ok(builder.finish_tagged(first.map_or(SourceId::default(), |(source, _)| source)))
}

/// The reason why a multi-trace cannot be projected onto a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFiner {
    /// These lifelines share a component of the partition, but not of the multi-trace.
    Apart(LifelineId, LifelineId),
    /// The partition has another number of lifelines than the multi-trace.
    OtherLifelines,
}

impl fmt::Display for NotFiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotFiner::Apart(..) => {
                "two lifelines that are to share a component were observed on different ones, and \
                 nothing says in which order"
            }
            NotFiner::OtherLifelines => "the partition is about other lifelines",
        })
    }
}

impl std::error::Error for NotFiner {}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_trace, print};

    use super::*;
    use crate::{lower, raise, transform};

    #[track_caller]
    fn check(from: &str, to: &[&[u32]], expected: Result<&str, NotFiner>) {
        let tree = parse_trace(&Source::new("x.htf", from)).tree;
        let mut signature = otus_core::Signature::default();
        for name in ["a", "b", "c"] {
            signature.add_lifeline(name);
        }
        for (_, name) in transform::implied_signature([&tree]).messages() {
            signature.add_message(name);
        }
        let mut pool = Pool::new(signature);
        let (trace, found) = lower(&tree, &mut pool);
        assert_eq!(found, []);
        let ids = |part: &&[u32]| part.iter().map(|&lifeline| LifelineId(lifeline)).collect();
        let partition = Partition::new(to.iter().map(ids).collect(), 3);
        let projected = project(&trace, &partition, &pool);
        let shown = projected.clone().map(|trace| print::trace_line(&raise(&trace, &pool)));
        assert_eq!(shown.as_deref(), expected.as_ref().map(|text| *text));
        let Ok(projected) = projected else { return };
        for component in partition.components() {
            for (i, step) in projected.steps(component).iter().enumerate() {
                let (_, start) = projected.place(component, i).unwrap();
                let action = pool.action(step.action()).text(pool.signature());
                assert!(from[start as usize..].starts_with(&action));
            }
        }
    }

    #[test]
    fn components_are_split() {
        check("a!m.b?m.c?m.a!n", &[&[0, 2], &[1]], Ok("{[a, c] a!m.c?m.a!n; [b] b?m}"));
        check("a!m.b?m.c?m.a!n", &[&[2], &[1]], Ok("{[c] c?m; [b] b?m; [a] a!m.a!n}"));
        check("{[c] c!m; [a,b] a!m.b?m}", &[], Ok("{[a] a!m; [b] b?m; [c] c!m}"));
        check("{[c] c!m; [a,b] a!m.b?m}", &[&[0, 1]], Ok("{[a, b] a!m.b?m; [c] c!m}"));
        check("", &[], Ok("{[a]; [b]; [c]}"));
    }

    #[test]
    fn simultaneous_actions_stay_so_within_a_component() {
        check("{b?m,a!m,b!n}.{a!m,b?m}.c!m", &[], Ok("{[a] a!m.a!m; [b] {b?m, b!n}.b?m; [c] c!m}"));
    }

    #[test]
    fn nothing_is_merged() {
        let apart = NotFiner::Apart(LifelineId(0), LifelineId(1));
        check("{[a] a!m; [b] b?m}", &[&[0, 1]], Err(apart));
        check("{[a,c] a!m; [b] b?m}", &[&[0, 1, 2]], Err(apart));
    }
}
