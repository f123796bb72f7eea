//! A request: a trace or raw logs, formulas, and how to check them.

use std::path::PathBuf;

use otus_ctl::{Arrangement, Closure, Engine};

use crate::analysis::Limits;

/// A trace, formulas, and the options of a check.
///
/// ```
/// use otus::ctl::{self, Request};
/// use otus::{Context, Texts};
///
/// let trace = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]}]}"#;
/// let context = Context::default().with_files(Texts::default().with("run.pot.json", trace));
/// let request = Request::new(["run.pot.json".to_owned(), "AF x = 1".to_owned()]);
/// assert!(ctl::answers(&context, &request)?[0].holds());
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Request {
    /// The inputs, then formulas. The inputs are a partial-order trace (`.pot.json`), or raw logs and folders of
    /// logs, or `-` for standard input. Without a trace or log, the logs of the nearest `otus.toml` are checked;
    /// without a formula, its properties.
    pub names: Vec<String>,
    /// Files of formulas (`.ctl`), or `-`.
    pub files: Vec<String>,
    /// The `otus.toml` with the mapping of the logs.
    pub config: Option<PathBuf>,
    /// The only group of raw logs to check.
    pub group: Option<String>,
    /// Whether concurrent assignments to one variable are ordered by Lamport time instead of refused.
    pub order_writes: bool,
    /// The engine that computes sets of cuts.
    pub engine: Engine,
    /// The algorithm of [`Engine::Ist`] for EF and AG; by default downward.
    pub closure: Option<Closure>,
    /// Whether events that cannot affect the answer are removed.
    pub slice: bool,
    /// The order of processes, which affects the size of sets of cuts.
    pub process_order: Arrangement,
    /// Which facts to compute about the cuts at which a formula holds.
    pub cuts: CutQuery,
    /// Whether to compute a run that proves the answer.
    pub witness: bool,
    /// Whether to measure the set of cuts of each formula.
    pub stats: bool,
    /// Whether to look for signs that a formula is vacuous.
    pub warnings: bool,
    /// The limits for each formula. If one is reached, the formula is undecided. Nodes of a set of cuts count as
    /// states.
    pub limits: Limits,
}

/// The facts to compute about the cuts at which a formula holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CutQuery {
    /// Nothing.
    None,
    /// Only the number of cuts.
    Count,
    /// The number of cuts, and the first of the cuts as boxes.
    List {
        /// The maximum number of boxes.
        limit: usize,
    },
}

impl Request {
    /// A request that names a trace and formulas (see [`Request::names`]), with the default engine and a witness.
    pub fn new(names: impl IntoIterator<Item = String>) -> Request {
        Request {
            names: names.into_iter().collect(),
            files: Vec::new(),
            config: None,
            group: None,
            order_writes: false,
            engine: Engine::Auto,
            closure: None,
            slice: true,
            process_order: Arrangement::Greedy,
            cuts: CutQuery::None,
            witness: true,
            stats: false,
            warnings: true,
            limits: Limits::default(),
        }
    }
}
