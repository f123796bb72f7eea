//! Mutants: multi-traces with one change.

use otus_core::Pool;
use otus_trace::transform::{self, Change, Swaps};
use otus_trace::{ComponentId, MultiTrace};
use serde_json::{Value, json};

use super::{From, Made, Originals, Take, TooFew};
use crate::context::Context;
use crate::error::Result;
use crate::units::counted;

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MutantKind {
    /// An inserted action.
    Noise,
    /// Two actions of a log, swapped.
    SwapActions,
    /// Logs from another multi-trace.
    SwapComponents,
    /// A removed action.
    Remove,
    /// A repeated action.
    Duplicate,
    /// A prefix, which the specification may accept.
    Prefix,
}

impl MutantKind {
    /// The name on the command line and in case files.
    pub fn name(self) -> &'static str {
        match self {
            MutantKind::Noise => "noise",
            MutantKind::SwapActions => "swap-actions",
            MutantKind::SwapComponents => "swap-components",
            MutantKind::Remove => "remove",
            MutantKind::Duplicate => "duplicate",
            MutantKind::Prefix => "prefix",
        }
    }
}

/// The mutants to make.
#[derive(Debug, Clone)]
pub struct MutateRequest {
    /// The originals.
    pub from: From,
    /// The kinds; if empty, all kinds that make a fault.
    pub kinds: Vec<MutantKind>,
    /// The number of mutants of each original and kind.
    pub count: u64,
}

/// Makes mutants, and returns the number of originals.
///
/// # Errors
/// If the originals cannot be read.
pub fn mutate(context: &Context, request: &MutateRequest, take: Take<'_>) -> Result<usize> {
    let Originals { traces, spec } = request.from.read(context)?;
    let kinds = wanted(&request.kinds, traces.len());
    let mut pool = spec.unwrap_or_else(|| {
        Pool::new(transform::implied_signature(traces.iter().map(|trace| &trace.tree)))
    });
    let observed: Vec<MultiTrace> = traces
        .iter()
        .map(|trace| otus_trace::lower(&trace.tree, &mut pool).0.without_places())
        .collect();
    let swaps = Swaps::new(&observed);
    let ids: Vec<String> = traces.into_iter().map(|trace| trace.id).collect();
    let (seed, count) = (request.from.seed, request.count);
    let mut mutator = Mutator { seed, count, ids: &ids, swaps: &swaps, observed: &observed, pool };
    let mut remarks: Vec<TooFew> = kinds.iter().map(|_| TooFew::default()).collect();
    let messages = mutator.pool.signature().message_count();
    for (original, id) in ids.iter().enumerate() {
        for (&kind, remark) in kinds.iter().zip(&mut remarks) {
            let made = mutator
                .mutate(original, kind, &mut |made, _, number| take(made.derived(number)))?;
            if made < count {
                remark.add(|| too_few(kind, made, id, messages));
            }
        }
    }
    for remark in &remarks {
        remark.report(context);
    }
    Ok(ids.len())
}

/// The kinds, each once; by default all kinds that make a fault.
pub(super) fn wanted(asked: &[MutantKind], traces: usize) -> Vec<MutantKind> {
    use MutantKind::{Duplicate, Noise, Remove, SwapActions, SwapComponents};
    let mut kinds = Vec::new();
    for &kind in asked {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        kinds = vec![Noise, SwapActions, SwapComponents, Remove, Duplicate];
        // A single multi-trace cannot be mixed with another; the remark is printed only if the caller asked for this
        // kind.
        kinds.retain(|&kind| traces > 1 || kind != SwapComponents);
    }
    kinds
}

pub(super) struct Mutator<'a> {
    pub(super) seed: u64,
    /// The number of mutants of each multi-trace and kind.
    pub(super) count: u64,
    pub(super) ids: &'a [String],
    pub(super) observed: &'a [MultiTrace],
    pub(super) swaps: &'a Swaps<'a>,
    pub(super) pool: Pool,
}

/// Receives the `number`-th mutant of its kind, from 1, and the index of its original.
pub(super) type TakeMutant<'t> = &'t mut dyn FnMut(&Made<'_>, usize, u64) -> Result<()>;

impl Mutator<'_> {
    /// Makes the mutants of one kind, and returns their number.
    pub(super) fn mutate(
        &mut self,
        original: usize,
        kind: MutantKind,
        take: TakeMutant<'_>,
    ) -> Result<u64> {
        let trace = &self.observed[original];
        let changes = match kind {
            MutantKind::Noise => transform::noise(trace, &self.pool),
            MutantKind::SwapActions => transform::swap_actions(trace),
            MutantKind::Remove => transform::remove(trace),
            MutantKind::Duplicate => transform::duplicate(trace),
            MutantKind::SwapComponents => return self.mixtures(original, take),
            MutantKind::Prefix => return self.prefixes(original, take),
        };
        let mut made = 0;
        for change in changes.sample(self.seed(original, kind)).take(self.most()) {
            let mutant = change.apply(trace, &mut self.pool);
            let mut details = vec![
                ("components", self.names(original, &[change.component()])),
                ("place", (change.index() + 1).into()),
            ];
            if let Change::SwapActions { second, .. } = change {
                details.push(("other_place", (second + 1).into()));
            }
            let text = change.describe(trace, &self.pool);
            made += 1;
            take(&self.made(original, kind, &mutant, text, details), original, made)?;
        }
        Ok(made)
    }

    fn mixtures(&self, original: usize, take: TakeMutant<'_>) -> Result<u64> {
        let kind = MutantKind::SwapComponents;
        let mut made = 0;
        for swap in self.swaps.sample(original, self.seed(original, kind)).take(self.most()) {
            let mutant = swap.apply(&self.observed[original], &self.observed[swap.donor]);
            let donor = self.ids[swap.donor].as_str();
            let text = swap.describe(&self.observed[original], donor, &self.pool);
            let details = vec![
                ("components", self.names(original, &swap.components)),
                ("donor", donor.into()),
            ];
            made += 1;
            take(&self.made(original, kind, &mutant, text, details), original, made)?;
        }
        Ok(made)
    }

    fn prefixes(&self, original: usize, take: TakeMutant<'_>) -> Result<u64> {
        let kind = MutantKind::Prefix;
        let trace = &self.observed[original];
        let prefixes = transform::prefixes(trace);
        let proper = prefixes.sample(self.seed(original, kind)).filter(|cut| cut.trace != *trace);
        let mut made = 0;
        for cut in proper.take(self.most()) {
            let kept = cut.kept.iter().map(|range| Value::from(range.end)).collect();
            let (text, details) = (cut.describe(&self.pool), vec![("kept", kept)]);
            made += 1;
            take(&self.made(original, kind, &cut.trace, text, details), original, made)?;
        }
        Ok(made)
    }

    fn made<'m>(
        &'m self,
        original: usize,
        kind: MutantKind,
        trace: &'m MultiTrace,
        change: String,
        details: Vec<(&'static str, Value)>,
    ) -> Made<'m> {
        Made {
            trace,
            pool: &self.pool,
            origin: &self.ids[original],
            kind: kind.name(),
            change,
            details,
            seed: Some(self.seed),
        }
    }

    fn most(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX)
    }

    fn seed(&self, original: usize, kind: MutantKind) -> u64 {
        transform::derive_seed(self.seed, &[&self.ids[original], kind.name()])
    }

    /// The lifelines of components, by name.
    fn names(&self, original: usize, components: &[ComponentId]) -> Value {
        let partition = self.observed[original].partition();
        let signature = self.pool.signature();
        let lifelines = |&component: &ComponentId| {
            let name = |&lifeline| signature.lifeline_name(lifeline);
            json!(partition.lifelines(component).iter().map(name).collect::<Vec<_>>())
        };
        components.iter().map(lifelines).collect()
    }
}

/// The reason why there are fewer mutants than requested.
fn too_few(kind: MutantKind, made: u64, id: &str, messages: usize) -> String {
    let name = kind.name();
    if made > 0 {
        let made = counted(made, &format!("different {name} mutant"));
        return format!("{id} has only {made}");
    }
    let cause = match kind {
        MutantKind::Noise if messages == 0 => {
            "no message is known, so there is no action to insert; give a signature with --spec"
        }
        MutantKind::Noise => "there is no lifeline to insert an action on",
        MutantKind::SwapActions => "no log has two different actions",
        MutantKind::SwapComponents => {
            "no other multi-trace given has logs of the same lifelines and differs in two of them"
        }
        MutantKind::Remove | MutantKind::Duplicate | MutantKind::Prefix => "nothing was observed",
    };
    format!("{id} has no {name} mutant: {cause}")
}
