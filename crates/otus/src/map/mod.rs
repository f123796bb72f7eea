//! Maps lines of logs to actions, with an account of every line.
//!
//! [`open`] finds the logs of a request, their `otus.toml` and the specification to compare with. [`Mapping::run`]
//! reads the logs once: it hands out each group as it ends, so that a caller can write it, and returns the account, a
//! [`LogMap`], as plain data, text or JSON.

mod account;
pub mod example;
mod group;
pub mod lines;
mod text;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use otus_core::Signature;
use otus_trace::run::Observed;

pub use crate::logs::findings::LogFinding;
pub use crate::logs::unknown_names::UnknownName;
pub use account::{
    Comparison, FirstGroup, LineCounts, LineShape, LogMap, MappedField, MappedGroups,
    MappedLifeline, MappedLog, MappedMessage, MappedPairs, MappedRule, Names, UnmatchedLines,
    UnpairedAction,
};
pub use group::{GroupFormat, ObservedGroup};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::load::Loaded;
use crate::logs::{self, Finder, Logs};
use crate::threads::threads;

/// The logs to map.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MapRequest {
    /// Logs, folders of logs, or `-` for standard input; if empty, the sources of the nearest `otus.toml`. If
    /// [`spec`](MapRequest::spec) is not empty, files of specifications among them belong to it.
    pub names: Vec<String>,
    /// The files of the specification to compare with; if empty, those that `otus.toml` names.
    pub spec: Vec<String>,
    /// The `otus.toml`; if `None`, the nearest one above the logs.
    pub config: Option<PathBuf>,
    /// The only group to read.
    pub group: Option<String>,
    /// The number of threads; by default that of the processors.
    pub threads: Option<usize>,
}

/// Logs that are ready to be read.
#[derive(Debug)]
pub struct Mapping {
    finder: Finder,
    logs: Logs,
    specification: Option<Specification>,
}

#[derive(Debug)]
struct Specification {
    name: String,
    signature: Signature,
}

/// Finds the logs of a request, and reads `otus.toml` and the specification.
///
/// # Errors
/// If there are no logs, or a text has mistakes.
pub fn open(context: &Context, request: &MapRequest) -> Result<Mapping> {
    let mut finder = Finder::new(context, request.config.as_deref())?;
    let is_spec = |name: &&String| {
        let path = Path::new(name.split('#').next().unwrap_or(name));
        !request.spec.is_empty() && Format::of_name(path).is_some_and(Format::is_specification)
    };
    let (more, names): (Vec<&String>, Vec<&String>) = request.names.iter().partition(is_spec);
    let mut logs = finder.gather(names)?;
    logs.only.clone_from(&request.group);
    logs.threads = Some(threads(request.threads));
    let mut spec: Vec<String> = request.spec.iter().chain(more).cloned().collect();
    if let Some(project) = finder.project().filter(|_| spec.is_empty()) {
        spec.clone_from(&project.spec);
    }
    let mut has_values = false;
    let specification = match spec.as_slice() {
        [] => None,
        names => {
            let (signature, valued) = Loaded::signature(context, names)?;
            has_values = valued.is_some();
            if let Some(valued) = &valued {
                let fields = valued.atoms().map(|atom| valued.field_name(atom.field));
                logs.plan.keep(fields);
            }
            Some(Specification { name: names.join(" "), signature })
        }
    };
    if !has_values {
        // Without guards, the values that rules list are kept, if they list any.
        let mut plan = logs.plan.clone();
        plan.keep_listed();
        if !plan.kept().is_empty() {
            logs.plan = plan;
        }
    }
    Ok(Mapping { finder, logs, specification })
}

impl Mapping {
    /// Reads the logs. Each group is passed to `sink` when it ends; an error of `sink` stops the reading.
    ///
    /// # Errors
    /// Those of `sink`, or if the requested group does not exist.
    pub fn run<E: From<Error>>(
        self,
        sink: &mut dyn FnMut(&ObservedGroup<'_>) -> Result<(), E>,
    ) -> Result<LogMap, E> {
        let mut groups = Groups::default();
        let mut failed = None;
        let accounting = self.logs.run(&mut |observed| {
            groups.add(observed);
            match sink(&ObservedGroup(observed)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(group) = self.logs.only.as_deref().filter(|_| groups.total == 0) {
            return Err(Error::Unfit(logs::no_group(group)).into());
        }
        Ok(LogMap::new(&self, &accounting, groups))
    }
}

/// The number of groups whose names are kept.
const NAMED_GROUPS: usize = 20;

/// Counts of the groups that were handed out.
#[derive(Debug, Default)]
struct Groups {
    first: Vec<FirstGroup>,
    total: usize,
    actions: usize,
}

impl Groups {
    fn add(&mut self, observed: &Observed<'_>) {
        self.total += 1;
        self.actions += observed.events().filter(|event| event.action().is_some()).count();
        if self.first.len() < NAMED_GROUPS {
            self.first.push(FirstGroup {
                group: observed.name().into_owned(),
                events: observed.len(),
                closed: observed.closed(),
            });
        }
    }
}
