//! Builds orders of events in tests, and checks formulas over them.

use std::panic::Location;
use std::time::Duration;

use otus_syntax::name::{Names, Symbol};
use otus_trace::order::{self, Builder, Happened, PartialOrder, Writes};

use super::answer::Answer;
use super::check::Check;
use super::request::Request;
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::load::Sources;

/// Events, the variables that they set, and their happened-before relation.
#[derive(Debug, Default, Clone)]
pub struct Order {
    initial: Vec<(String, Value)>,
    processes: Names,
    events: Vec<Event>,
    timeout: Option<Duration>,
}

/// A value of a variable. Only values of one type can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// A text, or a member of an enumeration, which needs no quotes in formulas. A text like `1/3` is that number.
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

/// The id of an event of an [`Order`], for events that happen after it.
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

    /// Sets the value of a variable before all events; the default is 0, `false` or an empty text.
    pub fn initial(&mut self, variable: impl Into<String>, value: impl Into<Value>) -> &mut Order {
        self.initial.push((variable.into(), value.into()));
        self
    }

    /// Adds the next event of a process. Events of one process are ordered.
    #[track_caller]
    pub fn event(&mut self, process: &str) -> NewEvent<'_> {
        let process = self.processes.intern(process);
        let (set, after, at) = (Vec::new(), Vec::new(), Location::caller());
        self.events.push(Event { process, label: None, set, after, at });
        NewEvent { order: self }
    }

    /// Sets the time after which a check ends undecided.
    pub fn timeout(&mut self, timeout: Duration) -> &mut Order {
        self.timeout = Some(timeout);
        self
    }

    /// Checks a formula at the first cut, over all runs. Formulas are those of `otus ctl`: `AG(x < 2)`, `AF done`,
    /// `mutex(p.critical, q.critical)`.
    ///
    /// # Errors
    /// If the formula has mistakes, if there is not exactly one formula, if the order is cyclic, or if concurrent
    /// events assign one variable.
    pub fn check(&self, formula: &str) -> Result<Answer> {
        let mut request = Request::new([]);
        request.limits.timeout = self.timeout;
        let mut sources = Sources::default();
        sources.add("formula".to_owned(), formula.to_owned());
        let context = Context::default();
        let check = Check::new(&context, self.build()?.into(), sources, &request)?;
        let count = check.formula_count();
        if count != 1 {
            unfit!("one formula is checked at a time; here are {count}");
        }
        let bug = || Err(Error::Bug("a formula has no answer".to_owned()));
        check.run(&context).next().unwrap_or_else(bug)
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

/// An event while it is built.
#[derive(Debug)]
pub struct NewEvent<'o> {
    order: &'o mut Order,
}

impl NewEvent<'_> {
    /// Sets the value of a variable.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn set(self, variable: impl Into<String>, value: impl Into<Value>) -> Self {
        let (variable, value) = (variable.into(), value.into());
        self.change(|event| event.set.push((variable, value)))
    }

    /// Sets the name of the event.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn label(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.change(|event| event.label = Some(text))
    }

    /// Orders it after another event, as a reception is after its emission.
    #[expect(clippy::return_self_not_must_use, reason = "an event may end anywhere")]
    pub fn after(self, other: Id) -> Self {
        self.change(|event| event.after.push(other))
    }

    /// The id of the event.
    pub fn id(self) -> Id {
        Id(self.order.events.len() - 1)
    }

    fn change(self, change: impl FnOnce(&mut Event)) -> Self {
        self.order.events.last_mut().map(change);
        self
    }
}

/// Panics with a run that proves it, unless a formula holds.
#[doc(hidden)]
#[track_caller]
pub fn assert_holds(order: &Order, formula: &str) {
    match order.check(formula) {
        Ok(answer) if answer.holds() => {}
        Ok(answer) => panic!("{answer}"),
        Err(error) => panic!("{error}"),
    }
}
