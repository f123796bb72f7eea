//! `otus slice`: partial observations of multi-traces.

use anyhow::bail;
use otus_core::Pool;
use otus_trace::MultiTrace;
use otus_trace::transform::{self, Cut, Cuts};
use serde_json::{Value, json};

use super::derive::{Made, Originals, Output, Remark};
use crate::args::{SliceArgs};
use crate::shell::Shell;
use crate::cases::Place;
use crate::exit::Exit;
use crate::load::Trace;
use otus::words::counted;

/// More slices than this are not written to a file, and not to a folder, without a count.
const MAX_IN_FILE: u128 = 100_000_000;
const MAX_IN_FOLDER: u128 = 100_000;

pub(crate) fn run(args: &SliceArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let Some(Originals { traces, mut spec }) = Originals::read(&args.derive, color)? else {
        return Ok(Exit::Error);
    };
    if args.all {
        refuse_flood(args, &traces, &mut spec)?;
    }
    let mut out = Output::open(&args.derive)?;
    let mut too_few = Remark::default();
    for trace in &traces {
        let origin = trace.id.as_str();
        with_lowered(trace, &mut spec, |observed, pool| {
            let cuts = cuts(observed, args);
            let mut write = |cut: &Cut, number: u64| {
                let made = Made {
                    trace: &cut.trace,
                    pool,
                    origin,
                    kind: "slice",
                    change: cut.describe(pool),
                    details: vec![("kept", kept(cut))],
                    seed: (!args.all).then_some(args.derive.seed),
                };
                out.write(&made, number)
            };
            if args.all {
                return cuts.iter().zip(1..).try_for_each(|(cut, number)| write(&cut, number));
            }
            let count = cuts.count();
            if count < u128::from(args.count) {
                too_few.add(|| {
                    let width = if args.wide.is_some() { "wide " } else { "" };
                    let count = counted(count, &format!("different {width}slice"));
                    format!("{origin} has only {count}")
                });
            }
            let seed = transform::derive_seed(args.derive.seed, &[origin, "slice"]);
            cuts.sample(seed).zip(1..=args.count).try_for_each(|(cut, n)| write(&cut, n))
        })?;
    }
    too_few.say();
    out.finish("slice", traces.len())
}

fn cuts<'a>(observed: &'a MultiTrace, args: &SliceArgs) -> Cuts<'a> {
    match args.wide {
        Some(share) => transform::wide_slices(observed, share),
        None => transform::slices(observed),
    }
}

/// Does something with the multi-trace of a tree. Without a specification each has a signature
/// of its own, so that it gets no logs of others.
fn with_lowered<T>(
    trace: &Trace,
    spec: &mut Option<Pool>,
    done: impl FnOnce(&MultiTrace, &Pool) -> T,
) -> T {
    let mut own;
    let pool = match spec {
        Some(pool) => pool,
        None => {
            own = Pool::new(transform::implied_signature([&trace.tree]));
            &mut own
        }
    };
    let (observed, _) = otus_trace::lower(&trace.tree, pool);
    done(&observed, pool)
}

/// Stops before a disk is filled with slices.
fn refuse_flood(args: &SliceArgs, traces: &[Trace], spec: &mut Option<Pool>) -> anyhow::Result<()> {
    let (limit, place) = match Place::named(args.derive.write.output.as_deref()) {
        Place::Stdout => return Ok(()),
        Place::File(_) => (MAX_IN_FILE, "a case file"),
        Place::Folder(_) => (MAX_IN_FOLDER, "a folder"),
    };
    let mut total: u128 = 0;
    for trace in traces {
        let count = with_lowered(trace, spec, |observed, _| cuts(observed, args).count());
        total = total.saturating_add(count);
    }
    if total > limit {
        let shown =
            if total == u128::MAX { "more than 10^38".to_owned() } else { total.to_string() };
        bail!(
            "there are {shown} slices, too many for {place} (the limit is {limit}); choose some \
             with --count N, or fewer with --wide; standard output takes any number"
        );
    }
    Ok(())
}

/// By log: the first and last place that is kept, from 1, or nothing.
fn kept(cut: &Cut) -> Value {
    let ranges = cut.kept.iter().map(|range| {
        if range.is_empty() { json!([]) } else { json!([range.start + 1, range.end]) }
    });
    ranges.collect()
}
