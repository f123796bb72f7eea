//! The options of a check: the parts of the logs that may be missing, and limits.

use std::time::Duration;

use otus_analysis::Question;
use otus_analysis::values::Clocks;
use otus_core::Signature;
use otus_core::budget::Budget;
use otus_syntax::suggest::did_you_mean;
use otus_trace::Partition;
use otus_trace::mapping::Glob;

use crate::analysis::Declared;
use crate::context::Cancel;
use crate::error::{Result, unfit};
use crate::spec::Spec;

/// The part of a lifeline's events that is in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Observed {
    /// All events are in the log.
    #[default]
    Complete,
    /// The log may stop early: a prefix.
    Prefix,
    /// The log may start late: a suffix.
    Suffix,
    /// The log may start late and stop early.
    Slice,
    /// The lifeline is not observed: its recorded events are ignored.
    Nothing,
    /// The run was stopped everywhere at one moment. This applies to all logs together and cannot
    /// be set for a single log.
    GlobalPrefix,
}

impl Observed {
    fn question(self) -> Question {
        match self.of_one() {
            Some(observed) => Question::Uniform(observed),
            None => Question::GlobalPrefix,
        }
    }

    fn of_one(self) -> Option<otus_analysis::Observed> {
        match self {
            Observed::Complete => Some(otus_analysis::Observed::Complete),
            Observed::Prefix => Some(otus_analysis::Observed::StopsEarly),
            Observed::Suffix => Some(otus_analysis::Observed::StartsLate),
            Observed::Slice => Some(otus_analysis::Observed::Slice),
            Observed::Nothing => Some(otus_analysis::Observed::Unobserved),
            Observed::GlobalPrefix => None,
        }
    }
}

/// The assumptions about a run, and the limits of a check.
///
/// By default, every log is complete, every lifeline has its own clock, and a check has no limits.
///
/// ```
/// use otus::{Observed, Options, Run, Spec, Verdict};
///
/// let spec = Spec::parse(
///     "flow.mmd",
///     "sequenceDiagram\n  client->>server: get\n  server->>db: query\n  db-->>server: rows\n",
/// )?;
/// let mut run = Run::new();
/// run.log("client").sent("get");
/// run.log("server").received("get").sent("query");
///
/// let options = Options::new().log("server", Observed::Prefix).log("db", Observed::Nothing);
/// assert_eq!(spec.check_with(&run, &options)?.verdict, Verdict::WeakPass);
/// assert_eq!(spec.check(&run)?.verdict, Verdict::Fail);
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options are given to `Spec::check_with`"]
pub struct Options {
    observed: Observed,
    logs: Vec<(String, Observed)>,
    together: Vec<Vec<String>>,
    ignored: Vec<String>,
    uncertainty: Option<Duration>,
    pub(crate) is_drawn: bool,
    pub(crate) budget: Budget,
}

impl Options {
    /// Options in which nothing is missing and there are no limits.
    pub fn new() -> Options {
        Options::default()
    }

    /// Sets the observed part of all logs without a setting of their own.
    pub fn observed(mut self, observed: Observed) -> Options {
        self.observed = observed;
        self
    }

    /// Sets the observed part of a lifeline's log. In the name, `*` matches any text. The last setting counts.
    pub fn log(mut self, lifeline: impl Into<String>, observed: Observed) -> Options {
        self.logs.push((lifeline.into(), observed));
        self
    }

    /// Declares that these lifelines share a clock: their events happened in the order in which they
    /// were recorded.
    pub fn together<S: Into<String>>(mut self, lifelines: impl IntoIterator<Item = S>) -> Options {
        self.together.push(lifelines.into_iter().map(Into::into).collect());
        self
    }

    /// Ignores the events of this lifeline, which need not be in the specification. In the name, `*` matches any text.
    pub fn ignore(mut self, lifeline: impl Into<String>) -> Options {
        self.ignored.push(lifeline.into());
        self
    }

    /// Sets how far the clocks of any two lifelines may differ. Without it, times of different lifelines are never
    /// compared with certainty.
    pub fn clock_uncertainty(mut self, uncertainty: Duration) -> Options {
        self.uncertainty = Some(uncertainty);
        self
    }

    /// Draws the run of a case, for [`Case::picture`](crate::Case::picture).
    pub fn draw(mut self) -> Options {
        self.is_drawn = true;
        self
    }

    /// Sets the token that stops a check.
    pub fn cancel(mut self, cancel: Cancel) -> Options {
        self.budget.cancel = cancel;
        self
    }

    pub(crate) fn clocks(&self) -> Clocks {
        let nanoseconds = |it: Duration| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX);
        Clocks { uncertainty: self.uncertainty.map(nanoseconds) }
    }

    /// Sets the number of states after which a check ends undecided. Unlike a time limit, it gives the same
    /// result on every machine.
    pub fn max_states(mut self, states: u64) -> Options {
        self.budget.max_states = Some(states);
        self
    }

    /// Sets the time after which a check ends undecided.
    pub fn timeout(mut self, timeout: Duration) -> Options {
        self.budget.timeout = Some(timeout);
        self
    }

    pub(crate) fn ignores(&self, lifeline: &str) -> bool {
        self.ignored.iter().any(|pattern| Glob::name(pattern).matches(lifeline))
    }

    pub(crate) fn partition(&self, spec: &Spec) -> Result<Partition> {
        let mut components = Vec::new();
        for group in &self.together {
            let mut component = Vec::new();
            for name in group {
                let Some(lifeline) = spec.lifeline(name) else {
                    unfit!("Options::together: {}", unknown(spec.name(), spec.signature(), name));
                };
                component.push(lifeline);
            }
            components.push(component);
        }
        let count = spec.signature().lifeline_count();
        let mut taken = vec![None; count];
        for (number, component) in components.iter().enumerate() {
            for lifeline in component {
                let before = taken[lifeline.0 as usize].replace(number);
                if before.is_some_and(|before| before != number) {
                    let name = spec.signature().lifeline_name(*lifeline);
                    unfit!("Options::together: `{name}` is in two groups; make them one");
                }
            }
        }
        Ok(Partition::new(components, count))
    }

    pub(crate) fn declared(&self, spec: &Spec) -> Result<Declared> {
        let base = self.observed.question();
        if self.logs.is_empty() {
            return Ok(Declared { base, is_chosen: true, lifelines: Vec::new() });
        }
        if self.observed == Observed::GlobalPrefix {
            unfit!(
                "a global prefix ends on all lifelines at once, so nothing can be said of single logs; \
                 use Observed::Complete, Prefix or Slice with Options::log"
            );
        }
        let mut lifelines = vec![None; spec.signature().lifeline_count()];
        for (pattern, observed) in &self.logs {
            let Some(observed) = observed.of_one() else {
                unfit!(
                    "Options::log: a global prefix is one of all logs, not of `{pattern}` alone"
                );
            };
            let (glob, labelled) = (Glob::name(pattern), spec.lifeline(pattern));
            let mut is_used = false;
            for (lifeline, name) in spec.signature().lifelines() {
                if labelled == Some(lifeline) || glob.matches(name) {
                    lifelines[lifeline.0 as usize] = Some(observed);
                    is_used = true;
                }
            }
            if !is_used {
                unfit!("Options::log: {}", unknown(spec.name(), spec.signature(), pattern));
            }
        }
        Ok(Declared { base, is_chosen: true, lifelines })
    }
}

/// The error that there is no such lifeline, with a suggestion.
pub(crate) fn unknown(spec: &str, signature: &Signature, name: &str) -> String {
    let known: Vec<&str> = signature.lifelines().map(|(_, name)| name).collect();
    let help = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
        let listed: Vec<String> = known.iter().take(8).map(|name| format!("`{name}`")).collect();
        let more = if known.len() > listed.len() { ", …" } else { "" };
        format!("there are {}{more}", listed.join(", "))
    });
    format!("{spec} has no lifeline `{name}`; {help}")
}
