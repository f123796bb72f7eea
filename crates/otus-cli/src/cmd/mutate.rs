//! `otus mutate`: multi-traces with one change, written, or checked against a specification
//! ([`score`]).

mod score;

use otus_core::Pool;
use otus_trace::transform::{self, Change, Changes, Swaps};
use otus_trace::{ComponentId, MultiTrace};
use serde_json::{Value, json};

use super::derive::{Made, Originals, Output, Remark};
use crate::args::{MutantKind, MutateArgs};
use crate::shell::Shell;
use crate::exit::Exit;
use otus::words::counted;

pub(crate) fn run(args: &MutateArgs, shell: &Shell) -> anyhow::Result<Exit> {
    if args.score.score {
        return score::run(args, color);
    }
    let Some(Originals { traces, spec }) = Originals::read(&args.derive, color)? else {
        return Ok(Exit::Error);
    };
    let kinds = kinds(args, traces.len());
    let mut pool = spec.unwrap_or_else(|| {
        Pool::new(transform::implied_signature(traces.iter().map(|trace| &trace.tree)))
    });
    let observed: Vec<MultiTrace> = traces
        .iter()
        .map(|trace| otus_trace::lower(&trace.tree, &mut pool).0.without_places())
        .collect();
    let swaps = Swaps::new(&observed);
    let ids: Vec<String> = traces.into_iter().map(|trace| trace.id).collect();
    let count = args.count.unwrap_or(1);
    let mut mutator = Mutator {
        seed: args.derive.seed,
        count,
        ids: &ids,
        swaps: &swaps,
        observed: &observed,
        out: Output::open(&args.derive)?,
        pool,
    };
    let mut remarks: Vec<Remark> = kinds.iter().map(|_| Remark::default()).collect();
    let messages = mutator.pool.signature().message_count();
    for (original, id) in ids.iter().enumerate() {
        for (&kind, remark) in kinds.iter().zip(&mut remarks) {
            let made = mutator.mutate(original, kind)?;
            if made < count {
                remark.add(|| too_few(kind, made, id, messages));
            }
        }
    }
    for remark in &remarks {
        remark.say();
    }
    mutator.out.finish("mutant", ids.len())
}

/// The kinds asked for, each once; by default all that make a fault.
fn kinds(args: &MutateArgs, traces: usize) -> Vec<MutantKind> {
    use MutantKind::{Duplicate, Noise, Remove, SwapActions, SwapComponents};
    let mut kinds = Vec::new();
    for &kind in &args.kind {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        kinds = vec![Noise, SwapActions, SwapComponents, Remove, Duplicate];
        // A single multi-trace has no other to mix with, which needs no saying unless asked for.
        kinds.retain(|&kind| traces > 1 || kind != SwapComponents);
    }
    kinds
}

/// Makes mutants of multi-traces.
struct Mutator<'a, T> {
    seed: u64,
    /// How many of each multi-trace and kind.
    count: u64,
    /// By multi-trace: what it is called.
    ids: &'a [String],
    observed: &'a [MultiTrace],
    swaps: &'a Swaps<'a>,
    pool: Pool,
    /// Where mutants go.
    out: T,
}

/// Takes mutants.
trait Take {
    /// The `number`-th of its kind from 1, made of the `original`-th multi-trace.
    fn take(&mut self, made: &Made<'_>, original: usize, number: u64) -> anyhow::Result<()>;
}

impl Take for Output {
    fn take(&mut self, made: &Made<'_>, _: usize, number: u64) -> anyhow::Result<()> {
        self.write(made, number)
    }
}

impl<T: Take> Mutator<'_, T> {
    /// Writes the mutants of one kind; returns how many there are.
    fn mutate(&mut self, original: usize, kind: MutantKind) -> anyhow::Result<u64> {
        let trace = &self.observed[original];
        match kind {
            MutantKind::Noise => {
                let changes = transform::noise(trace, &self.pool);
                self.changes(original, kind, &changes)
            }
            MutantKind::SwapActions => {
                self.changes(original, kind, &transform::swap_actions(trace))
            }
            MutantKind::Remove => self.changes(original, kind, &transform::remove(trace)),
            MutantKind::Duplicate => self.changes(original, kind, &transform::duplicate(trace)),
            MutantKind::SwapComponents => self.mixtures(original),
            MutantKind::Prefix => self.prefixes(original),
        }
    }

    fn changes(
        &mut self,
        original: usize,
        kind: MutantKind,
        changes: &Changes<'_>,
    ) -> anyhow::Result<u64> {
        let trace = &self.observed[original];
        let chosen = changes.sample(self.seed(original, kind)).zip(1..=self.count);
        let mut made = 0;
        for (change, number) in chosen {
            let mutant = change.apply(trace, &mut self.pool);
            let text = change.describe(trace, &self.pool);
            let mut details = vec![
                ("components", self.names(original, &[change.component()])),
                ("place", (change.index() + 1).into()),
            ];
            if let Change::SwapActions { second, .. } = change {
                details.push(("other_place", (second + 1).into()));
            }
            self.write(original, kind, &mutant, (text, details), number)?;
            made = number;
        }
        Ok(made)
    }

    fn mixtures(&mut self, original: usize) -> anyhow::Result<u64> {
        let kind = MutantKind::SwapComponents;
        let seed = self.seed(original, kind);
        let swaps = self.swaps;
        let mut made = 0;
        for (swap, number) in swaps.sample(original, seed).zip(1..=self.count) {
            let mutant = swap.apply(&self.observed[original], &self.observed[swap.donor]);
            let donor = self.ids[swap.donor].as_str();
            let text = swap.describe(&self.observed[original], donor, &self.pool);
            let details = vec![
                ("components", self.names(original, &swap.components)),
                ("donor", donor.into()),
            ];
            self.write(original, kind, &mutant, (text, details), number)?;
            made = number;
        }
        Ok(made)
    }

    fn prefixes(&mut self, original: usize) -> anyhow::Result<u64> {
        let kind = MutantKind::Prefix;
        let trace = &self.observed[original];
        let prefixes = transform::prefixes(trace);
        let proper = prefixes.sample(self.seed(original, kind)).filter(|cut| cut.trace != *trace);
        let mut made = 0;
        for (cut, number) in proper.zip(1..=self.count) {
            let kept = cut.kept.iter().map(|range| Value::from(range.end)).collect();
            let details = vec![("kept", kept)];
            let text = cut.describe(&self.pool);
            self.write(original, kind, &cut.trace, (text, details), number)?;
            made = number;
        }
        Ok(made)
    }

    fn write(
        &mut self,
        original: usize,
        kind: MutantKind,
        trace: &MultiTrace,
        (change, details): (String, Vec<(&'static str, Value)>),
        number: u64,
    ) -> anyhow::Result<()> {
        let made = Made {
            trace,
            pool: &self.pool,
            origin: &self.ids[original],
            kind: name(kind),
            change,
            details,
            seed: Some(self.seed),
        };
        self.out.take(&made, original, number)
    }

    fn seed(&self, original: usize, kind: MutantKind) -> u64 {
        transform::derive_seed(self.seed, &[&self.ids[original], name(kind)])
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

fn name(kind: MutantKind) -> &'static str {
    match kind {
        MutantKind::Noise => "noise",
        MutantKind::SwapActions => "swap-actions",
        MutantKind::SwapComponents => "swap-components",
        MutantKind::Remove => "remove",
        MutantKind::Duplicate => "duplicate",
        MutantKind::Prefix => "prefix",
    }
}

/// Why there are not as many mutants as asked for.
fn too_few(kind: MutantKind, made: u64, id: &str, messages: usize) -> String {
    let name = name(kind);
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
