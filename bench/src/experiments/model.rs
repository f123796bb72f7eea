//! The models of the experiments, which are part of the program.

use otus_core::{EventId, Pool, TermId};
use otus_syntax::{Source, parse_spec};
use otus_trace::{MultiTrace, Partition, raise};
use std::collections::BTreeSet;

/// An interaction with its pool.
pub(crate) struct Model {
    pub(crate) pool: Pool,
    pub(crate) term: TermId,
}

/// The texts of a model of `bench/models`: signature and interaction.
macro_rules! texts {
    ($name:literal) => {
        (
            include_str!(concat!("../../models/", $name, ".hsf")),
            include_str!(concat!("../../models/", $name, ".hif")),
        )
    };
}
pub(crate) use texts;

impl Model {
    /// The model of two texts that are part of this program.
    pub(crate) fn new((signature, interaction): (&str, &str)) -> Model {
        let [signature, interaction] = [signature, interaction].map(|text| {
            let parsed = parse_spec(&Source::new("model", text));
            assert!(
                parsed.diagnostics.is_empty(),
                "a model is well-formed: {:?}",
                parsed.diagnostics
            );
            parsed.tree
        });
        let lowered = otus_core::lower(&[&signature, &interaction]);
        assert!(lowered.diagnostics.is_empty(), "a model is meaningful: {:?}", lowered.diagnostics);
        Model { term: lowered.term.expect("a model has an interaction"), pool: lowered.pool }
    }

    /// What global traces look like on a partition; equal ones once.
    pub(super) fn observed(
        &self,
        partition: &Partition,
        traces: &[Vec<EventId>],
    ) -> Vec<MultiTrace> {
        let project =
            |trace: &Vec<EventId>| otus_analysis::generate::project(&self.pool, partition, trace);
        self.distinct(traces.iter().map(project))
    }

    /// Each multi-trace once, at its first place.
    pub(super) fn distinct(&self, traces: impl Iterator<Item = MultiTrace>) -> Vec<MultiTrace> {
        let mut seen = BTreeSet::new();
        traces
            .filter(|trace| seen.insert(otus_syntax::print::trace_line(&raise(trace, &self.pool))))
            .collect()
    }
}
