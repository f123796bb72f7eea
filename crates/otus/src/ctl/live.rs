//! Formulas about groups of logs that grow.
//!
//! While a group is open, a formula is asked about the events whose causes are all here, and only an answer that is final whatever
//! still comes is given ([`otus_ctl::prefix`]). When the group has ended, every formula gets the answer that
//! [`open`](super::open()) gives for the same events.
//!
//! A word of a formula that is no variable yet denotes itself. If a rule of the mapping can set a variable of that name, it may become
//! one, so no answer is final before.

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_ctl::prefix::is_final;
use otus_syntax::ast::formula::{FormulaFile, FormulaId, FormulaKind};
use otus_syntax::parse_formulas;
use otus_trace::order::{PartialOrder, Writes};
use otus_trace::run::Observed;

use super::answer::Answer;
use super::check::Check;
use super::open::is_plain;
use super::request::Request;
use crate::analysis::Limits;
use crate::analysis::live::Watched;
use crate::case::{Case, Verdict};
use crate::cause::VIOLATED;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::explanation::Explanation;
use crate::format::Format;
use crate::load::Sources;

/// Formulas that are asked about every group.
#[derive(Debug)]
pub struct Properties {
    files: Vec<File>,
    all: Vec<Property>,
    request: Request,
    /// The variables that the mapping can set; `None` if it can set any.
    variables: Option<BTreeSet<String>>,
    context: Context,
}

/// A text with formulas. What is wrong with one of them over some group is not wrong with those of other texts.
#[derive(Debug)]
struct File {
    name: String,
    text: String,
    tree: FormulaFile,
}

#[derive(Debug)]
struct Property {
    /// Its name, or else its text.
    title: String,
    text: String,
    /// The number of its file.
    file: usize,
    body: FormulaId,
}

impl Properties {
    /// The given formulas and files of formulas; without any, the properties of `otus.toml`.
    ///
    /// # Errors
    /// If a file cannot be read, or a formula has mistakes.
    pub fn open(
        context: &Context,
        watched: &Watched,
        formulas: &[String],
        files: &[String],
        limits: Limits,
    ) -> Result<Properties> {
        let mut sources = Sources::default();
        for file in files {
            sources.read(&*context.files, file, Some(Format::Ctl))?;
        }
        for (index, formula) in formulas.iter().enumerate() {
            sources.add(format!("<formula {}>", index + 1), formula.clone());
        }
        if sources.all.is_empty() {
            for (name, formula) in watched.properties() {
                let text =
                    if is_plain(name) { format!("{name}: {formula}") } else { formula.clone() };
                sources.add(format!("[properties] {name}"), text);
            }
        }
        let mut diagnostics = std::mem::take(&mut sources.diagnostics);
        let (mut read, mut properties) = (Vec::new(), Vec::new());
        for source in &sources.all {
            let parsed = parse_formulas(source);
            diagnostics.extend(parsed.diagnostics);
            for item in parsed.tree.properties() {
                let name = item.name.map(|name| parsed.tree.names.text(name.symbol));
                let text = source.slice(item.span).to_owned();
                let title = name.map_or_else(|| text.clone(), str::to_owned);
                properties.push(Property { title, text, file: read.len(), body: item.body });
            }
            let (name, text) = (source.name().to_owned(), source.text().to_owned());
            read.push(File { name, text, tree: parsed.tree });
        }
        context.warn(Diagnostics::new(sources.all, diagnostics).or_error()?);
        let mut request = Request::new([]);
        (request.limits, request.warnings) = (limits, false);
        let variables = watched.logs().variables();
        let variables = variables.map(|all| all.into_iter().map(str::to_owned).collect());
        // What is odd about a formula is told once, and not for every group.
        let context = Context {
            files: context.files.clone(),
            cancel: context.cancel.clone(),
            ..Context::default()
        };
        Ok(Properties { files: read, all: properties, request, variables, context })
    }

    /// The number of formulas.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The name of a formula, or else its text.
    pub fn title(&self, number: usize) -> &str {
        &self.all[number].title
    }

    /// The texts of all formulas, which identify them.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|it| &*it.text)
    }

    /// The answers about a group that is open, as far as they are final: the number of the formula, and a case with a
    /// Pass or a Fail.
    pub fn early(&self, observed: &Observed<'_>) -> Vec<(usize, Case)> {
        let Some(variables) = &self.variables else { return Vec::new() };
        let Ok(Some(order)) = observed.closed_order(Writes::Checked) else { return Vec::new() };
        let order = Arc::new(order);
        let id = observed.name();
        let answers = self.answers(&order);
        let answers = answers.into_iter().zip(&self.all).enumerate();
        let told = answers.filter_map(|(number, (answer, property))| {
            // A name that is unknown yet may become known.
            let answer = answer.ok()?;
            let holds = answer.decided()?;
            let is_told = is_final(self.tree(property), property.body, holds)
                && self.is_settled(property, &order, variables);
            is_told.then(|| (number, case(&id, &property.title, &answer)))
        });
        told.collect()
    }

    /// The cases of all formulas about a group that has ended.
    pub fn judge(&self, observed: &Observed<'_>) -> Vec<Case> {
        let id = observed.name();
        let undecided = |reason: String| {
            let mut case = Case::new(&id, Verdict::Inconclusive);
            case.reason = Some(reason.into());
            case
        };
        let order = match observed.order(Writes::Checked) {
            Ok(order) => Arc::new(order),
            Err(error) => {
                let case = undecided(format!("the events have no order: {error}"));
                return vec![case; self.all.len()];
            }
        };
        let answers = self.answers(&order).into_iter().zip(&self.all);
        let cases = answers.map(|(answer, property)| match answer {
            Ok(answer) => case(&id, &property.title, &answer),
            Err(reason) => undecided(reason),
        });
        cases.collect()
    }

    fn tree(&self, property: &Property) -> &FormulaFile {
        &self.files[property.file].tree
    }

    /// For each formula: its answer, or why it has none.
    fn answers(&self, order: &Arc<PartialOrder>) -> Vec<Result<Answer, String>> {
        let mut all = Vec::with_capacity(self.all.len());
        for (number, file) in self.files.iter().enumerate() {
            let mut sources = Sources::default();
            sources.add(file.name.clone(), file.text.clone());
            match Check::new(&self.context, order.clone(), sources, &self.request) {
                Ok(check) => {
                    let answers = check.run(&self.context);
                    all.extend(answers.map(|it| it.map_err(|error| error.to_string())));
                }
                Err(error) => {
                    let reason = if let Error::Text(found) = &error {
                        found.lines().lines().next().map(str::to_owned)
                    } else {
                        Some(error.to_string())
                    };
                    let own = self.all.iter().filter(|it| it.file == number);
                    all.extend(own.map(|_| Err(reason.clone().unwrap_or_default())));
                }
            }
        }
        all
    }

    /// Whether every name of a formula means what it will mean when all events are here.
    fn is_settled(
        &self,
        property: &Property,
        order: &PartialOrder,
        variables: &BTreeSet<String>,
    ) -> bool {
        let tree = self.tree(property);
        let parts = tree.below(&[property.body], |_| true);
        parts.into_iter().all(|part| {
            let FormulaKind::Variable(path) = &tree.node(part).kind else { return true };
            let name = tree.names.text(path.name.symbol);
            if !variables.contains(name) {
                return true;
            }
            let process = path.process.map(|process| tree.names.text(process.symbol));
            match process.filter(|process| order.process(process).is_some()) {
                Some(process) => order.resolve(Some(process), name).is_some(),
                // The name of a process that a quantifier binds, or none.
                None => order.variables().any(|variable| {
                    let known = order.variable_name(variable);
                    known
                        .strip_suffix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                }),
            }
        })
    }
}

/// The case of an answer. A failure has the run that shows it.
fn case(id: &str, title: &str, answer: &Answer) -> Case {
    let verdict = match answer.decided() {
        Some(true) => Verdict::Pass,
        Some(false) => Verdict::Fail,
        None => Verdict::Inconclusive,
    };
    let mut case = Case::new(id, verdict);
    case.reason = answer.reason().filter(|_| verdict == Verdict::Inconclusive).map(Into::into);
    if verdict == Verdict::Fail {
        let headline = format!("{title} {}", answer.full_headline());
        let mut text = format!("error[{}]: {headline}", VIOLATED.id);
        // After the formula and the verdict, which the headline has.
        for line in answer.to_string().lines().skip(2) {
            text.push('\n');
            text.push_str(line);
        }
        case.explanation =
            Some(Box::new(Explanation::told((VIOLATED.id, VIOLATED.name), headline, text)));
    }
    case
}
