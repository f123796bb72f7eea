//! Slices: partial observations of multi-traces.

use otus_core::Pool;
use otus_trace::transform::{self, Cut, Cuts, Share};
use otus_trace::{Facts, FieldNames, MultiTrace};
use serde_json::{Value, json};

use super::{From, Made, Place, Take, TooFew, stopped_or, until_cancelled};
use crate::context::Context;
use crate::error::{Result, unfit};
use crate::load::facts::fields_of;
use crate::load::{self, Trace};
use crate::units::counted;

/// The maximum number of slices that are written to a file, and to a folder, if the request gives
/// no count.
const MAX_IN_FILE: u128 = 100_000_000;
const MAX_IN_FOLDER: u128 = 100_000;

/// The slices to make.
#[derive(Debug, Clone)]
pub struct SliceRequest {
    /// The originals.
    pub from: From,
    /// The number of slices of each original.
    pub count: u64,
    /// Whether to make all slices instead.
    pub all: bool,
    /// If set, only slices are made that keep at least this share of each log.
    pub wide: Option<Share>,
    /// The destination.
    pub place: Place,
}

/// The numbers of slices that were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sliced {
    /// The number of originals.
    pub originals: usize,
    /// If all slices are made: their number when equal slices at different places of the original count
    /// separately, as in paper 003; at most `u128::MAX`.
    pub by_place: Option<u128>,
}

/// Makes slices.
///
/// # Errors
/// If the originals cannot be read, or there are too many slices for the destination.
pub fn slice(context: &Context, request: &SliceRequest, take: Take<'_>) -> Result<Sliced> {
    let (traces, spec) = request.from.read(context)?;
    let mut spec = spec.map(|lowered| lowered.pool);
    if request.all {
        refuse_flood(request, &traces, &mut spec)?;
    }
    let mut take = until_cancelled(context, take);
    let mut by_place = request.all.then_some(0_u128);
    let mut too_few = TooFew::default();
    for trace in &traces {
        let origin = trace.id.as_str();
        let fields = fields_of(std::iter::once(&trace.tree));
        let made = with_lowered(trace, &mut spec, fields.as_ref(), |observed, facts, pool| {
            let cuts = cuts(observed, request);
            if let Some(by_place) = &mut by_place {
                *by_place = by_place.saturating_add(cuts.count_by_place());
            }
            let mut make = |cut: &Cut, number: u64| {
                let facts = facts.map(|facts| cuts.facts(cut, facts));
                let made = Made {
                    trace: &cut.trace,
                    values: facts.as_ref().zip(fields.as_ref()),
                    pool,
                    origin,
                    kind: "slice",
                    change: cut.describe(pool),
                    details: vec![("kept", kept(cut))],
                    seed: (!request.all).then_some(request.from.seed),
                };
                take(made.derived(number))
            };
            if request.all {
                return cuts.iter().zip(1..).try_for_each(|(cut, number)| make(&cut, number));
            }
            let count = cuts.count();
            if count < u128::from(request.count) {
                too_few.add(|| {
                    let width = if request.wide.is_some() { "wide " } else { "" };
                    let count = counted(count, &format!("different {width}slice"));
                    format!("{origin} has only {count}")
                });
            }
            let seed = transform::derive_seed(request.from.seed, &[origin, "slice"]);
            cuts.sample(seed).zip(1..=request.count).try_for_each(|(cut, n)| make(&cut, n))
        });
        stopped_or(made)?;
    }
    too_few.report(context);
    Ok(Sliced { originals: traces.len(), by_place })
}

fn cuts<'a>(observed: &'a MultiTrace, request: &SliceRequest) -> Cuts<'a> {
    match request.wide {
        Some(share) => transform::wide_slices(observed, share),
        None => transform::slices(observed),
    }
}

/// Calls a function with the multi-trace of a tree. Without a specification, each multi-trace has its own signature, so
/// that it does not get empty logs for the lifelines of other multi-traces.
fn with_lowered<T>(
    trace: &Trace,
    spec: &mut Option<Pool>,
    fields: Option<&FieldNames>,
    done: impl FnOnce(&MultiTrace, Option<&Facts>, &Pool) -> T,
) -> T {
    let mut own;
    let pool = match spec {
        Some(pool) => pool,
        None => {
            own = Pool::new(transform::implied_signature([&trace.tree]));
            &mut own
        }
    };
    let (observed, facts) = load::facts::lower(&trace.tree, pool, fields);
    done(&observed, facts.as_ref(), pool)
}

/// Refuses to write an excessive number of slices.
fn refuse_flood(request: &SliceRequest, traces: &[Trace], spec: &mut Option<Pool>) -> Result<()> {
    let (limit, place) = match &request.place {
        Place::Stdout => return Ok(()),
        Place::File(_) => (MAX_IN_FILE, "a case file"),
        Place::Folder(_) => (MAX_IN_FOLDER, "a folder"),
    };
    let mut total: u128 = 0;
    for trace in traces {
        let count =
            with_lowered(trace, spec, None, |observed, _, _| cuts(observed, request).count());
        total = total.saturating_add(count);
    }
    if total > limit {
        let shown =
            if total == u128::MAX { "more than 10^38".to_owned() } else { total.to_string() };
        unfit!(
            "there are {shown} slices, too many for {place} (the limit is {limit}); choose some \
             with --count N, or fewer with --wide; standard output takes any number"
        );
    }
    Ok(())
}

/// For each log: the numbers of the first and the last kept moment, from 1, or nothing.
fn kept(cut: &Cut) -> Value {
    let ranges = cut.kept.iter().map(|range| {
        if range.is_empty() { json!([]) } else { json!([range.start + 1, range.end]) }
    });
    ranges.collect()
}
