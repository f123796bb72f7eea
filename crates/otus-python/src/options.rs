//! The keyword arguments of checks.

use std::time::Duration;

use otus::{Observed, Options};
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
