//! Warnings that a formula is vacuous on this trace, or probably does not mean what its author
//! intended.

use std::fmt;

use otus_ctl::lower::MAKE_VARIABLES;
use otus_ctl::vacuity::Vacuity;
use otus_ctl::{Checker, Property};
use otus_syntax::suggest::nearest;
use otus_syntax::{Code, Diagnostic};
use otus_trace::order::{PartialOrder, Value};
use serde::Serialize;

use super::formula;

/// A reason to doubt that an answer means what its reader expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// The kind of warning, for programs.
    pub kind: WarningKind,
    /// The problem.
    pub message: String,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The kinds of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// A value that no event ever assigns, or a label that no event has.
    UnknownValue,
    /// A condition that never holds.
    NeverHolds,
    /// No event changes what the formula reads.
    NoEvent,
    /// A comparison that never changes.
    Constant,
    /// The formula holds before any event.
    AtOnce,
    /// A process is left out, because it does not have the variables of the formula.
    LeftOut,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The maximum number of values and variables that a warning names.
const MOST_NAMED: usize = 8;

impl Warning {
    /// A warning of the resolver.
    pub(super) fn from_diagnostic(diagnostic: &Diagnostic) -> Warning {
        let kind = match diagnostic.code {
            Code::LEFT_OUT => WarningKind::LeftOut,
            _ => WarningKind::UnknownValue,
        };
        Warning { kind, message: diagnostic.message.clone(), help: diagnostic.help.clone() }
    }

    /// Words a sign that a property is vacuous.
    pub(super) fn of(sign: &Vacuity, property: &Property, checker: &Checker<'_>) -> Warning {
        let (trace, formulas) = (checker.trace(), &checker.formulas);
        let (kind, message, help) = match sign {
            Vacuity::UnknownValue { reading, value, values } => {
                let reading = formula::reading(trace, *reading);
                let message = format!("`{reading}` is never {}", shown(value));
                (WarningKind::UnknownValue, message, Some(suggestion(value, values)))
            }
            Vacuity::NeverHolds(condition) => {
                let condition = formula::short(formulas, trace, *condition);
                let message =
                    format!("`{condition}` holds at no cut, so nothing is required at any cut");
                let help = "check the condition, or a trace in which it holds";
                (WarningKind::NeverHolds, message, Some(help.to_owned()))
            }
            Vacuity::NeverHeld(index) => {
                let condition = &property.histories[*index].condition;
                let message = format!("no member ever has `{condition}`, so none is counted");
                let help = "check the condition, or a trace in which a member has it";
                (WarningKind::NeverHolds, message, Some(help.to_owned()))
            }
            Vacuity::NoEvent => {
                let message = "no event of the trace changes what this formula reads".to_owned();
                (WarningKind::NoEvent, message, Some(assigned(trace)))
            }
            Vacuity::Constant { atom, holds, is_read } => {
                let atom = formula::atom(trace, formulas.atom_of(*atom));
                let message = format!("`{atom}` is {holds} at every cut");
                let help = if *is_read {
                    "the answer does not depend on it: check its variable and its value"
                } else {
                    "no event changes it: check its variable"
                };
                (WarningKind::Constant, message, Some(help.to_owned()))
            }
            Vacuity::AtOnce => {
                let message = "it holds at the first cut already, before any event".to_owned();
                let help = "say what must have happened first, or ask for all cuts by AG";
                (WarningKind::AtOnce, message, Some(help.to_owned()))
            }
        };
        Warning { kind, message, help }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        Value::Number(_) | Value::Boolean(_) => value.to_string(),
    }
}

/// The value that was probably meant or, if there is none, the values that the variable has.
fn suggestion(value: &Value, values: &[Value]) -> String {
    let texts = values.iter().filter_map(|value| match value {
        Value::Text(text) if !text.is_empty() => Some(&**text),
        Value::Text(_) | Value::Number(_) | Value::Boolean(_) => None,
    });
    if let Value::Text(text) = value
        && let Some(near) = nearest(text, texts)
    {
        return format!("did you mean \"{near}\"?");
    }
    let mut names: Vec<String> = values.iter().take(MOST_NAMED).map(shown).collect();
    if values.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    format!("its values are {}", names.join(", "))
}

/// The variables that events assign.
fn assigned(trace: &PartialOrder) -> String {
    let is_assigned = |&variable: &_| trace.owner(variable) != otus_trace::order::Owner::None;
    let mut names = trace.variables().filter(is_assigned).map(|it| trace.variable_name(it));
    let mut shown: Vec<&str> = names.by_ref().take(MOST_NAMED).collect();
    if shown.is_empty() {
        return format!("the events set no variables at all; {MAKE_VARIABLES}");
    }
    if names.next().is_some() {
        shown.push("…");
    }
    format!("events set {}", shown.join(", "))
}
