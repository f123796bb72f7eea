//! The models of the experiments. Their texts are compiled into the program.

use std::collections::BTreeSet;

use otus_analysis::Engine;
use otus_analysis::engine::Options;
use otus_core::{EventId, Pool, TermId};
use otus_syntax::{Source, parse_spec, parse_trace};
use otus_trace::{MultiTrace, Partition, raise};

/// An interaction with its pool.
#[derive(Debug, Clone)]
pub struct Model {
    /// The pool of the interaction.
    pub pool: Pool,
    /// The interaction.
    pub term: TermId,
}

/// The texts of a model.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'t> {
    /// The signature, an `.hsf` text.
    pub signature: &'t str,
    /// The interaction, an `.hif` text.
    pub interaction: &'t str,
}

/// The texts of a model of `bench/models`.
macro_rules! texts {
    ($name:literal) => {
        Texts {
            signature: include_str!(concat!("../../../../bench/models/", $name, ".hsf")),
            interaction: include_str!(concat!("../../../../bench/models/", $name, ".hif")),
        }
    };
}

/// The alternating bit protocol.
pub const ABP: Texts<'static> = texts!("abp");
/// Ordering a book; several orders may run at the same time.
pub const BOOK: Texts<'static> = texts!("book");
/// Uploading to a server.
pub const NETWORK: Texts<'static> = texts!("network");
/// Querying sensors, a system of our own.
pub const SENSOR: Texts<'static> = texts!("sensor");
/// Querying two sensors whose logs cannot be told apart: a harder variant of [`SENSOR`].
pub const TWINS: Texts<'static> = texts!("twins");
/// Figure 12a of 003.
pub const I1: Texts<'static> = texts!("i1");
/// Figure 12b of 003.
pub const I2: Texts<'static> = texts!("i2");

impl Model {
    /// Parses the texts of a model.
    ///
    /// # Panics
    /// If they are wrong.
    pub fn new(texts: Texts<'_>) -> Model {
        let [signature, interaction] = [texts.signature, texts.interaction].map(|text| {
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

    /// Parses an interaction, whose names make up its signature.
    ///
    /// # Panics
    /// If it is wrong.
    pub fn of_interaction(text: &str) -> Model {
        let mut parsed = parse_spec(&Source::new("model", text));
        parsed.tree.implicit = true;
        let lowered = otus_core::lower(&[&parsed.tree]);
        Model { term: lowered.term.expect("a model has an interaction"), pool: lowered.pool }
    }

    /// Parses a multi-trace.
    ///
    /// # Panics
    /// If it is wrong.
    pub fn trace(&mut self, text: &str) -> MultiTrace {
        let parsed = parse_trace(&Source::new("trace", text));
        assert!(parsed.diagnostics.is_empty(), "a trace is well-formed: {:?}", parsed.diagnostics);
        otus_trace::lower(&parsed.tree, &mut self.pool).0
    }

    /// The partition in which every lifeline is a component of its own.
    pub fn discrete(&self) -> Partition {
        Partition::discrete(self.pool.signature().lifeline_count())
    }

    /// A new engine with the default options.
    pub fn engine(&self, partition: &Partition) -> Engine {
        Engine::new(&self.pool, self.term, partition, Options::default())
    }

    /// The different projections of global traces onto a partition.
    pub fn observed(&self, partition: &Partition, traces: &[Vec<EventId>]) -> Vec<MultiTrace> {
        let project =
            |trace: &Vec<EventId>| otus_analysis::generate::project(&self.pool, partition, trace);
        self.distinct(traces.iter().map(project))
    }

    /// The multi-traces without repetitions.
    pub fn distinct(&self, traces: impl Iterator<Item = MultiTrace>) -> Vec<MultiTrace> {
        let mut seen = BTreeSet::new();
        traces.filter(|trace| seen.insert(self.text(trace))).collect()
    }

    /// A multi-trace as one line of text.
    pub fn text(&self, trace: &MultiTrace) -> String {
        otus_syntax::print::trace_line(&raise(trace, &self.pool))
    }
}
