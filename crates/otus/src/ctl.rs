//! CTL over every order in which events can have happened.
//!
//! An [`Order`] has events on processes, what they set, and which happened before which. A formula is
//! asked of all interleavings that this allows at once.
//!
//! ```
//! use otus::ctl::Order;
//!
//! let mut order = Order::new();
//! let granted = order.event("p").set("p.critical", true).id();
//! let released = order.event("p").set("p.critical", false).id();
//! order.event("q").set("q.critical", true).after(released);
//!
//! assert!(order.check("AG !(p.critical & q.critical)")?.holds());
//! let answer = order.check("AF(q.critical & EX true)")?;
//! assert!(!answer.holds());
//! # let _ = granted;
//! # Ok::<(), otus::Error>(())
//! ```

use std::fmt;
use std::fmt::Write as _;
use std::panic::Location;
use std::time::{Duration, Instant};

use otus_ctl::{Checker, Evidence, Options, certify, lower};
use otus_syntax::name::{Names, Symbol};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::{self, Builder, EventId, Happened, PartialOrder, Writes};

use crate::error::{Error, Result};

/// Events, what they set, and which happened before which.
#[derive(Debug, Default, Clone)]
pub struct Order {
    initial: Vec<(String, Value)>,
    processes: Names,
    events: Vec<Event>,
    timeout: Option<Duration>,
}

/// What a variable can hold. Only values of one kind can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// A text, or a member of an enumeration, which needs no quotes in formulas. One like `1/3` is that
    /// number.
    Text(String),
}

impl Value {
    fn inner(&self) -> order::Value {
        match self {
            Value::Boolean(truth) => order::Value::Boolean(*truth),
            Value::Integer(number) => order::Value::integer(*number),
            Value::Text(text) => order::Value::text(text),
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Boolean(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

/// An event of an [`Order`], to say what happened after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(usize);

#[derive(Debug, Clone)]
struct Event {
    process: Symbol,
    label: Option<String>,
    set: Vec<(String, Value)>,
    after: Vec<Id>,
    at: &'static Location<'static>,
}

impl Order {
    /// An order without events.
    pub fn new() -> Order {
        Order::default()
    }

    /// What a variable holds before anything happens; otherwise 0, `false` or an empty text.
    pub fn initial(&mut self, variable: impl Into<String>, value: impl Into<Value>) -> &mut Order {
        self.initial.push((variable.into(), value.into()));
        self
    }

    /// The next event of a process. Events of one process happen one after the other.
    #[track_caller]
    pub fn event(&mut self, process: &str) -> NewEvent<'_> {
        let process = self.processes.intern(process);
        let (set, after, at) = (Vec::new(), Vec::new(), Location::caller());
        self.events.push(Event { process, label: None, set, after, at });
        NewEvent { order: self }
    }

    /// After so long a check ends undecided.
    pub fn timeout(&mut self, timeout: Duration) -> &mut Order {
        self.timeout = Some(timeout);
        self
    }

    /// Whether a formula holds before anything happens, over all runs from there. The formulas are those
    /// of `otus ctl`: `AG(x < 2)`, `AF done`, `mutex(p.critical, q.critical)`.
    ///
    /// # Errors
    /// If the formula has mistakes, if there is more or less than one, or if events happened before each
    /// other or assign a variable both at once.
    pub fn check(&self, formula: &str) -> Result<Answer> {
        let trace = self.build()?;
        let source = Source::new("formula", formula);
        let parsed = parse_formulas(&source);
        let lowered = lower(&parsed.tree, &trace);
        let mut found = parsed.diagnostics;
        found.extend(lowered.diagnostics);
        crate::Diagnostics::new(vec![source], found).or_error()?;
        let [property] = lowered.properties.as_slice() else {
            let count = lowered.properties.len();
            return Err(Error::Unfit(format!(
                "one formula is checked at a time; here are {count}"
            )));
        };
        let mut options = Options::default();
        options.budget.deadline = self.timeout.and_then(|it| Instant::now().checked_add(it));
        let mut checker = Checker::new(&trace, lowered.formulas);
        let text = property.text.clone();
        let explanation = match checker.explain(property.formula, &options) {
            Ok(explanation) => explanation,
            Err(stop) => {
                let reason = Some(stop.to_string());
                return Ok(Answer { formula: text, holds: None, witness: Vec::new(), reason });
            }
        };
        certify(&trace, &checker.formulas, property.formula, &explanation)
            .map_err(|fault| Error::Bug(format!("the run for `{text}` is refused: {fault}")))?;
        let mut witness = Vec::new();
        let mut next = explanation.evidence.first();
        while let Some(Evidence { events, then, .. }) = next {
            witness.extend(events.iter().map(|&event| step(&trace, event)));
            next = then.first();
        }
        Ok(Answer { formula: text, holds: Some(explanation.holds), witness, reason: None })
    }

    fn build(&self) -> Result<PartialOrder> {
        let mut builder = Builder::default();
        let processes: Vec<_> =
            self.processes.iter().map(|(_, name)| builder.process(name)).collect();
        for (variable, value) in &self.initial {
            builder.initial(variable, value.inner());
        }
        let mut happened: Vec<Happened> = Vec::with_capacity(self.events.len());
        for event in &self.events {
            let mut new = builder.event(processes[event.process.0 as usize]);
            if let Some(label) = &event.label {
                new = new.label(label);
            }
            for (variable, value) in &event.set {
                new = new.set(variable, value.inner());
            }
            happened.push(new.file(event.at.file()).line(event.at.line()).at());
        }
        for (event, &to) in self.events.iter().zip(&happened) {
            for &Id(before) in &event.after {
                let from = happened.get(before).ok_or_else(|| {
                    Error::Unfit("an event comes after one of another order".to_owned())
                })?;
                builder.edge(*from, to);
            }
        }
        builder.finish(Writes::Checked).map_err(|error| Error::Unfit(error.to_string()))
    }
}

/// An event that is being described.
#[derive(Debug)]
pub struct NewEvent<'o> {
    order: &'o mut Order,
}

impl NewEvent<'_> {
    /// It gives a variable a value.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn set(self, variable: impl Into<String>, value: impl Into<Value>) -> Self {
        let (variable, value) = (variable.into(), value.into());
        self.change(|event| event.set.push((variable, value)))
    }

    /// What happened, in a word.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn label(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.change(|event| event.label = Some(text))
    }

    /// It happened after another, as a message is received after it was sent.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn after(self, other: Id) -> Self {
        self.change(|event| event.after.push(other))
    }

    /// Which event it is.
    pub fn id(self) -> Id {
        Id(self.order.events.len() - 1)
    }

    fn change(self, change: impl FnOnce(&mut Event)) -> Self {
        self.order.events.last_mut().map(change);
        self
    }
}

/// Whether a formula holds, and a run that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    formula: String,
    holds: Option<bool>,
    witness: Vec<Step>,
    reason: Option<String>,
}

impl Answer {
    /// Whether it holds. What was not decided in time does not.
    pub fn holds(&self) -> bool {
        self.holds == Some(true)
    }

    /// Whether it holds; `None` if that was not decided in time.
    pub fn decided(&self) -> Option<bool> {
        self.holds
    }

    /// A run, event by event, that shows why it holds or why it does not. It has been replayed by a
    /// checker that knows nothing of how it was found. Empty if it takes all runs to show that.
    pub fn witness(&self) -> &[Step] {
        &self.witness
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "is undecided",
        };
        write!(f, "{} {word}", self.formula)?;
        if let Some(reason) = &self.reason {
            write!(f, ": {reason}")?;
        }
        for (number, step) in self.witness.iter().enumerate() {
            write!(f, "\n  {}. {step}", number + 1)?;
        }
        Ok(())
    }
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its process.
    pub process: String,
    /// Its number among those of its process, from 1.
    pub position: u32,
    /// The event in words.
    pub text: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn step(trace: &PartialOrder, event: EventId) -> Step {
    let process = trace.process_name(trace.process_of(event)).to_owned();
    Step { process, position: trace.position(event), text: trace.describe(event) }
}

/// Panics with the run that shows why, unless a formula holds.
#[doc(hidden)]
#[track_caller]
pub fn assert_holds(order: &Order, formula: &str) {
    let mut text = String::new();
    match order.check(formula) {
        Ok(answer) if answer.holds() => return,
        Ok(answer) => {
            let _ = write!(text, "{answer}");
        }
        Err(error) => {
            let _ = write!(text, "{error}");
        }
    }
    panic!("{text}");
}
