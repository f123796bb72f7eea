//! The commands that take files.

use std::path::PathBuf;

use otus::ctl::{self as formulas, Answer, Order};
use otus::learn::{LearnRequest, learn as learn_from};
use otus::project::Settings;
use otus::{
    Cancel, Checked, Context, Format, PictureFormat, PictureStyle, Project, Request, Theme,
};
use pyo3::prelude::*;

use crate::case::CaseParts;
use crate::error::raise;
use crate::files::Kept;
use crate::interrupt::interruptible;
use crate::options::Checks;
use crate::spec::{FieldOf, Spec};

/// The result of several runs: the cases, the counts as text, warnings, and whether everything conforms.
type CheckedParts = (Vec<CaseParts>, String, Vec<String>, bool);

/// Checks the logs of a folder with an `otus.toml`.
#[pyfunction]
pub(crate) fn check_folder(
    py: Python<'_>,
    folder: String,
    checks: Checks,
) -> PyResult<CheckedParts> {
    let cancel = Cancel::default();
    let options = checks.options(py)?.draw().cancel(cancel.clone());
    let work = || Project::open(&folder)?.check_with(&options).map(|checked| parts(&checked));
    interruptible(py, &cancel, work)?.map_err(|error| raise(py, &error))
}

fn parts(checked: &Checked) -> CheckedParts {
    let cases = checked.cases.iter().map(CaseParts::new).collect();
    (cases, checked.summary.to_string(), checked.warnings.clone(), checked.conforms())
}

/// Checks spans in memory, a trace as a run. `settings` is an `otus.toml`, its path and its text. If it declares what is
/// observed, that counts, unless the caller chose.
#[pyfunction]
pub(crate) fn check_spans(
    py: Python<'_>,
    spec: &Spec,
    name: String,
    spans: Vec<u8>,
    settings: Option<(String, Vec<u8>)>,
    checks: Checks,
    is_chosen: bool,
) -> PyResult<CheckedParts> {
    let (mut names, folder, mut files) = spec.sources();
    files.push((name.clone(), spans));
    names.push(name);
    let mut request = Request::new(names);
    let config = settings.map(|(path, text)| {
        files.push((path.clone(), text));
        PathBuf::from(path)
    });
    let context = Context::default().with_files(Kept::new(&folder, &files));
    request.question = checks.asked(py)?;
    if let Some(config) = config.as_ref().filter(|_| !is_chosen) {
        let settings = Settings::read(&context, config).map_err(|error| raise(py, &error))?;
        if !settings.plan.observation.is_empty() {
            request.question.observed = None;
        }
    }
    request.config = config;
    request.limits = checks.limits(py)?;
    request.pictures = true;
    let work = || Checked::collect(&context, &request).map(|checked| parts(&checked));
    interruptible(py, &context.cancel, work)?.map_err(|error| raise(py, &error))
}

/// The answer to a formula.
#[derive(IntoPyObject)]
pub(crate) struct AnswerParts {
    formula: String,
    holds: Option<bool>,
    headline: String,
    text: String,
    json: String,
    picture: Option<String>,
}

impl AnswerParts {
    fn new(answer: &Answer) -> AnswerParts {
        let mut style = PictureStyle::default();
        style.theme = Theme::Auto;
        let picture = answer.draw(PictureFormat::Svg, &style);
        AnswerParts {
            formula: answer.formula.clone(),
            holds: answer.decided(),
            headline: answer.headline(),
            text: answer.to_string(),
            json: answer.json(),
            picture: picture.map(|it| String::from_utf8_lossy(&it.bytes).into_owned()),
        }
    }
}

/// Checks formulas over a partial-order trace or raw logs.
#[pyfunction]
pub(crate) fn ctl(py: Python<'_>, names: Vec<String>) -> PyResult<Vec<AnswerParts>> {
    let context = Context::default();
    let work = || {
        let answers = formulas::answers(&context, &formulas::Request::new(names))?;
        Ok(answers.iter().map(AnswerParts::new).collect())
    };
    interruptible(py, &context.cancel, work)?.map_err(|error| raise(py, &error))
}

/// An event of an order: process, what it sets, the events that happened before it, and its label.
type OrderEvent = (String, Vec<(String, FieldOf)>, Vec<usize>, Option<String>);

/// Checks formulas over events that a program made.
#[pyfunction]
pub(crate) fn ctl_order(
    py: Python<'_>,
    initial: Vec<(String, FieldOf)>,
    events: Vec<OrderEvent>,
    formulas: Vec<String>,
) -> PyResult<Vec<AnswerParts>> {
    let mut order = Order::new();
    for (variable, value) in initial {
        order.initial(variable, variable_value(value)?);
    }
    let mut ids = Vec::new();
    for (process, set, after, label) in events {
        let mut event = order.event(&process);
        for (variable, value) in set {
            event = event.set(variable, variable_value(value)?);
        }
        for before in after {
            if let Some(&id) = ids.get(before) {
                event = event.after(id);
            }
        }
        if let Some(label) = label {
            event = event.label(label);
        }
        ids.push(event.id());
    }
    let cancel = Cancel::default();
    let work = || {
        let answers = formulas.iter().map(|text| Ok(AnswerParts::new(&order.check(text)?)));
        answers.collect::<otus::Result<Vec<AnswerParts>>>()
    };
    interruptible(py, &cancel, work)?.map_err(|error| raise(py, &error))
}

fn variable_value(value: FieldOf) -> PyResult<formulas::Value> {
    match value {
        FieldOf::Boolean(value) => Ok(value.into()),
        FieldOf::Integer(value) => Ok(value.into()),
        FieldOf::Text(value) => Ok(value.into()),
        FieldOf::Number(_) | FieldOf::Unknown(_) => Err(pyo3::exceptions::PyTypeError::new_err(
            "a variable is a truth value, an integer or a text",
        )),
    }
}

/// Learns a diagram: its Mermaid, its language of Otus, its picture, and remarks.
#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    names: Vec<String>,
) -> PyResult<(String, String, String, Vec<String>)> {
    let context = Context::default();
    let work = || {
        let learnt = learn_from(&context, &LearnRequest::new(names))?;
        let text = |format| learnt.text(format).unwrap_or_default();
        let mut style = PictureStyle::default();
        style.theme = Theme::Auto;
        let picture = learnt.picture(PictureFormat::Svg, &style)?;
        let picture = String::from_utf8_lossy(&picture.bytes).into_owned();
        Ok((text(Format::Mermaid), text(Format::Hif), picture, learnt.remarks()))
    };
    interruptible(py, &context.cancel, work)?.map_err(|error| raise(py, &error))
}

/// The page about a code or a cause.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, code: &str) -> PyResult<String> {
    otus::explain(code).map_err(|error| raise(py, &error))
}
