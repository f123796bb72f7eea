//! The keyword arguments of checks.

use std::time::Duration;

use otus::{Asked, Limits, Observed, Options, UniformObservation};
use pyo3::prelude::*;

use crate::error::unfit;

/// What a check assumes, and its limits.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub(crate) struct Checks {
    observed: String,
    logs: Vec<(String, String)>,
    together: Vec<Vec<String>>,
    ignore: Vec<String>,
    clock_uncertainty: Option<f64>,
    max_states: Option<u64>,
    timeout: Option<f64>,
}

impl Checks {
    pub(crate) fn options(self, py: Python<'_>) -> PyResult<Options> {
        let mut options = Options::new().observed(observed(py, &self.observed)?);
        for (lifeline, text) in self.logs {
            options = options.log(lifeline, observed(py, &text)?);
        }
        for group in self.together {
            options = options.together(group);
        }
        for lifeline in self.ignore {
            options = options.ignore(lifeline);
        }
        if let Some(seconds) = self.clock_uncertainty {
            options = options.clock_uncertainty(duration(py, "clock_uncertainty", seconds)?);
        }
        if let Some(states) = self.max_states {
            options = options.max_states(states);
        }
        if let Some(seconds) = self.timeout {
            options = options.timeout(duration(py, "timeout", seconds)?);
        }
        Ok(options)
    }
}

impl Checks {
    /// The limits of a check of logs, whose other assumptions stand in `otus.toml` or in [`Checks::asked`].
    pub(crate) fn limits(&self, py: Python<'_>) -> PyResult<Limits> {
        let timeout = self.timeout.map(|seconds| duration(py, "timeout", seconds)).transpose()?;
        Ok(Limits { timeout, max_states: self.max_states, ..Limits::default() })
    }

    /// What may be missing in logs.
    pub(crate) fn asked(&self, py: Python<'_>) -> PyResult<Asked> {
        let others = [
            ("together", !self.together.is_empty(), "`clock` of its source"),
            ("ignore", !self.ignore.is_empty(), "a rule with `ignore = true`"),
            ("clock_uncertainty", self.clock_uncertainty.is_some(), "[clocks] uncertainty"),
        ];
        if let Some((name, _, place)) = others.into_iter().find(|(_, is_given, _)| *is_given) {
            return Err(unfit(py, format!("{name} is said in otus.toml for spans, as {place}")));
        }
        let mut asked = Asked::default();
        let all = ("*".to_owned(), self.observed.clone());
        let uniform = match observed(py, &self.observed)? {
            Observed::Complete => Some(UniformObservation::Complete),
            Observed::Prefix => Some(UniformObservation::Prefix),
            Observed::Slice => Some(UniformObservation::Slice),
            Observed::GlobalPrefix => Some(UniformObservation::GlobalPrefix),
            _ => None,
        };
        asked.observed = uniform;
        let all = std::iter::once(&all).filter(|_| uniform.is_none());
        for (lifeline, text) in self.logs.iter().chain(all) {
            let lists = match observed(py, text)? {
                Observed::Complete => [Some(&mut asked.complete), None],
                Observed::Prefix => [Some(&mut asked.may_stop_early), None],
                Observed::Suffix => [Some(&mut asked.may_start_late), None],
                Observed::Slice => {
                    [Some(&mut asked.may_stop_early), Some(&mut asked.may_start_late)]
                }
                Observed::Nothing => [Some(&mut asked.unobserved), None],
                _ => return Err(unfit(py, format!("logs: {text:?} is about all logs together"))),
            };
            lists.into_iter().flatten().for_each(|list| list.push(lifeline.clone()));
        }
        Ok(asked)
    }
}

const OBSERVED: [(&str, Observed); 6] = [
    ("complete", Observed::Complete),
    ("prefix", Observed::Prefix),
    ("suffix", Observed::Suffix),
    ("slice", Observed::Slice),
    ("nothing", Observed::Nothing),
    ("global_prefix", Observed::GlobalPrefix),
];

fn observed(py: Python<'_>, text: &str) -> PyResult<Observed> {
    let found = OBSERVED.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, observed)| observed).ok_or_else(|| {
        let names = OBSERVED.map(|(name, _)| format!("{name:?}")).join(", ");
        unfit(py, format!("observed is {text:?}; it may be {names}"))
    })
}

fn duration(py: Python<'_>, name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| unfit(py, format!("{name} is a number of seconds, not {seconds}")))
}
