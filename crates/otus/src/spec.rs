//! Specifications: diagrams and interactions, ready for checks.

use std::path::Path;
use std::sync::Arc;

use otus_core::valued::Valued;
use otus_core::{Action, LifelineId, Pool, Signature};
use otus_syntax::SourceId;
use otus_syntax::ast::SpecFile;
use otus_syntax::source::offset;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, Facts, FieldNames, MultiTrace};

use crate::analysis::coverage::Covering;
use crate::analysis::{Method, Plan, PlannedSpec, check_recorded};
use crate::case::Case;
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::explanation::Note;
use crate::files::Texts;
use crate::format::Format;
use crate::load::Loaded;
use crate::options::{self, Options};
use crate::run::{Recorded, Run};
use crate::value::FieldValue;

/// The maximum number of events of a log that are listed below a failure.
const LISTED: usize = 24;

/// A specification of a system. Cheap to clone, and shared by threads.
#[derive(Debug, Clone)]
pub struct Spec {
    planned: Arc<PlannedSpec>,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    tree: SpecFile,
    warnings: String,
}

impl Spec {
    /// Reads a specification from a text. The ending of its name gives its format: `.mmd` (Mermaid), `.puml`
    /// (PlantUML), `.hif` or `.hsf` (interactions), or `.md` (Markdown with a diagram; `protocol.md#login` is the
    /// diagram below that heading).
    ///
    /// An interaction without declarations has the lifelines and messages that it uses.
    ///
    /// ```
    /// let spec = otus::Spec::parse("flow.puml", "@startuml\nclient -> server : get\n@enduml")?;
    /// assert_eq!(spec.lifelines().collect::<Vec<_>>(), ["client", "server"]);
    ///
    /// let spec = otus::Spec::parse("flow.hif", "loopW(client -- get -> server)")?;
    /// assert_eq!(spec.messages().collect::<Vec<_>>(), ["get"]);
    /// # Ok::<(), otus::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text has mistakes or no interaction, or the name does not give its format.
    pub fn parse(name: &str, text: impl Into<String>) -> Result<Spec> {
        let files = Texts::default().with(file_of(name), text.into());
        Spec::open(&Context::default().with_files(files), &[name.to_owned()])
    }

    /// Reads a file, by its ending as in [`Spec::parse`]: `docs/flow.mmd`, `docs/protocol.md#login`.
    ///
    /// # Errors
    /// If the file cannot be read, and the errors of [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Spec> {
        Spec::read_all([path])
    }

    /// Reads several files that are one specification: a signature (`.hsf`) and an interaction (`.hif`).
    ///
    /// # Errors
    /// The errors of [`Spec::read`].
    pub fn read_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Spec> {
        let names: Vec<String> =
            paths.into_iter().map(|path| path.as_ref().to_string_lossy().into_owned()).collect();
        Spec::open(&Context::default(), &names)
    }

    /// Reads files that are one specification from the files of a context.
    ///
    /// # Errors
    /// The errors of [`Spec::read`].
    pub fn open(context: &Context, names: &[String]) -> Result<Spec> {
        let mut loaded = Loaded::read(context, names, None)?;
        for files in &mut loaded.specs {
            // An interaction without declarations declares the lifelines and messages that it uses.
            if files.files.iter().all(|file| file.sections.is_empty()) {
                files.files.iter_mut().for_each(|file| file.implicit = true);
            }
        }
        let (mut lowered, term, warnings) = loaded.interaction_with_warnings()?;
        let tree = loaded.specs[0].files[lowered.file.unwrap_or_default()].clone();
        let is_interaction = |name: &&String| Some(file_of(name)) == loaded.interaction_name();
        let name = names.iter().find(is_interaction).or(names.last()).cloned();
        let pool = std::mem::replace(&mut lowered.pool, Pool::new(Signature::default()));
        let planned = PlannedSpec::new(pool, term, &loaded, lowered);
        let warnings = warnings.render(false);
        let inner = Inner { name: name.unwrap_or_default(), tree, warnings };
        Ok(Spec { planned: Arc::new(planned), inner: Arc::new(inner) })
    }

    /// The name of the specification: the name of its text.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The lifelines of the specification, in order.
    pub fn lifelines(&self) -> impl Iterator<Item = &str> {
        self.signature().lifelines().map(|(_, name)| name)
    }

    /// The messages of the specification, in order.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.signature().messages().map(|(_, name)| name)
    }

    /// Warnings about parts that are probably mistakes, as text; empty if there are none.
    pub fn warnings(&self) -> &str {
        &self.inner.warnings
    }

    /// Checks whether the specification allows the observed run.
    ///
    /// Lifelines are identified by their names in the specification, or by their labels in diagrams (`participant c
    /// as client` may be recorded as either).
    ///
    /// # Errors
    /// If a lifeline is recorded that the specification does not have.
    pub fn check(&self, run: &impl Recorded) -> Result<Case> {
        self.check_with(run, &Options::new())
    }

    /// Like [`Spec::check`], but with options.
    ///
    /// # Errors
    /// If a lifeline is recorded that the specification does not have and that is not ignored, or if
    /// options do not fit.
    pub fn check_with(&self, run: &impl Recorded, options: &Options) -> Result<Case> {
        let run = run.recorded();
        let mut pool = self.planned.pool.clone();
        let trace = self.multi_trace(&mut pool, &run, options)?;
        let method = Method::Fast(options.declared(self)?);
        let mut plan = Plan::of(self.planned.clone(), method, options.budget.clone());
        plan.clocks = options.clocks();
        if options.is_drawn {
            plan.draw();
        }
        let facts = self.planned.valued.as_ref().map(|valued| facts(&run, &trace, &valued.fields));
        let mut case = check_recorded(plan, &run, (&trace, facts.as_ref()), &pool)?;
        if let Some(explanation) = &mut case.explanation {
            let lines = run.lines(LISTED).into_iter();
            explanation.notes.extend(lines.map(|text| Note { topic: "recorded", text }));
        }
        Ok(case)
    }

    /// The sequence diagram as SVG.
    pub fn svg(&self) -> String {
        use otus_draw::layout::sequence;
        let options = sequence::Options { title: self.name().to_owned(), ..Default::default() };
        let scene = sequence::sequence(&self.inner.tree, self.signature(), &options);
        otus_draw::svg(&scene, otus_draw::Theme::Auto)
    }

    /// The sequence diagram as text; `None` if it is wider than this number of columns.
    pub fn text(&self, columns: usize) -> Option<String> {
        use otus_draw::terminal;
        let options = terminal::Options { width: columns, ..Default::default() };
        terminal::sequence(&self.inner.tree, self.signature(), &options).ok()
    }

    /// The multi-trace of a run. The place of a step is the index of its event.
    fn multi_trace(&self, pool: &mut Pool, run: &Run, options: &Options) -> Result<MultiTrace> {
        let partition = options.partition(self)?;
        let ignored: Vec<bool> = run.lifelines().map(|name| options.ignores(name)).collect();
        let known: Vec<Option<LifelineId>> =
            run.lifelines().map(|name| self.lifeline(name)).collect();
        let mut acts = vec![false; known.len()];
        let mut logs: Vec<Vec<(usize, Action)>> = vec![Vec::new(); partition.len()];
        for (index, event) in run.events.iter().enumerate() {
            let number = event.lifeline.0 as usize;
            acts[number] = true;
            let Some(lifeline) = known[number].filter(|_| !ignored[number]) else { continue };
            let message = pool.add_message(&event.message);
            let direction = event.direction;
            let action = Action { lifeline, direction, message, peer: None };
            let ComponentId(component) = partition.component_of(lifeline);
            logs[component as usize].push((index, action));
        }
        let strangers = run.lifelines().enumerate();
        let strangers =
            strangers.filter(|&(it, _)| acts[it] && !ignored[it] && known[it].is_none());
        let strangers: Vec<&str> = strangers.map(|(_, name)| name).collect();
        if let [first, others @ ..] = strangers.as_slice() {
            let others = match others {
                [] => String::new(),
                others => format!(" (nor `{}`)", others.join("`, `")),
            };
            let unknown = options::unknown(self.name(), self.signature(), first);
            unfit!("{unknown}{others}; Options::ignore leaves out what it records");
        }
        let mut builder = Builder::new(partition, run.len(), true);
        for log in logs {
            for (index, action) in log {
                builder.next_moment();
                let action = pool.intern_action(action);
                builder.push(action, offset(index));
            }
            builder.next_component();
        }
        Ok(builder.finish(SourceId(0)))
    }

    pub(crate) fn planned(&self) -> &Arc<PlannedSpec> {
        &self.planned
    }

    /// Counts which parts of the interaction were exercised.
    pub(crate) fn covering(&self) -> Result<Covering> {
        let PlannedSpec { pool, term, text, .. } = &*self.planned;
        let Some(source) = text.interaction() else {
            return Err(Error::Bug("the interaction has no text".to_owned()));
        };
        Covering::of((pool, *term), &self.inner.tree, source)
    }

    pub(crate) fn signature(&self) -> &Signature {
        self.planned.pool.signature()
    }

    /// The lifeline with a name, or the only lifeline with a label.
    pub(crate) fn lifeline(&self, name: &str) -> Option<LifelineId> {
        self.signature().lifeline_called(name)
    }
}

/// What the steps of a multi-trace carry, whose places are the indices of their events.
fn facts(run: &Run, trace: &MultiTrace, fields: &FieldNames) -> Facts {
    let mut facts = Facts::unknown(trace, fields.items.len());
    for component in trace.partition().components() {
        for step in 0..trace.steps(component).len() {
            let place = trace.place(component, step);
            let Some(event) = place.and_then(|(_, index)| run.events.get(index as usize)) else {
                continue;
            };
            if let Some(time) = event.time {
                facts.set_time(component, step, time);
            }
            for (name, value) in &event.values {
                let field = otus_trace::facts::field(fields, name);
                // Times are set by `at`.
                let field = field.filter(|&field| field != Valued::TIME);
                if let (Some(field), FieldValue(Some(value))) = (field, value) {
                    facts.set(field, component, step, value.clone());
                }
            }
        }
    }
    facts.find_breaks(trace);
    facts
}

/// The file of `file.md#heading`.
fn file_of(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((file, _)) if Format::of_name(Path::new(file)) == Some(Format::Markdown) => file,
        _ => name,
    }
}
