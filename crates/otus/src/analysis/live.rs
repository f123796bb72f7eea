//! Groups of logs that grow, judged by the same worker and in the same words as [`analyze`](crate::analyze) judges them.
//!
//! A program that follows a running system maps its logs by a [`Stream`](otus_trace::run::Stream) and asks about groups whenever
//! it wants: about a group that has ended, the declared question; about one that is open, the *open question*, in which every
//! log may stop early as well. A Fail of the latter is final (`otus_analysis::live`).
//!
//! Here are the parts that belong to the core: the specification, the mapping, and the judge. Inputs that never end,
//! the order in which things are kept on disk, and outputs are for the shell. Unlike the rest of this crate, this module speaks in
//! types of the crates below, so its interface may change in every version.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use otus_analysis::live::open_question;
use otus_analysis::{Observed, Question};
use otus_core::{Pool, TermId};
use otus_trace::mapping;
use otus_trace::read::Format as LogFormat;
use otus_trace::run::{self, Group, RunPlace, Stream};
use otus_trace::{ComponentId, Partition};

use super::declared::Declared;
use super::fingerprint::fingerprint;
use super::inputs::{self, Job};
use super::judge::only_case;
use super::open::by_specification;
use super::pipeline::Slot;
use super::plan::{Method, Plan};
use super::request::Request;
use super::worker::{MapCase, Piece, Worker};
use super::{Context, values};
use crate::case::Case;
use crate::error::{Error, Result, unfit};
use crate::load::Loaded;
use crate::logs::Finder;
use crate::report::Run;

/// A specification, the mapping of logs, and a judge of groups. It belongs to one thread.
pub struct Watched {
    declared: Judge,
    open: Judge,
    question: Declared,
    logs: mapping::Plan,
    folder: PathBuf,
    properties: Vec<(String, String)>,
    fingerprint: String,
}

/// What a group is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// The declared question: the group has ended.
    Declared,
    /// The open question: more events may come to every log.
    Open,
}

struct Judge {
    plan: Arc<Plan>,
    worker: Worker<Case>,
}

impl Judge {
    fn new(plan: Plan) -> Judge {
        let plan = Arc::new(plan);
        let map: MapCase<Case> = Arc::new(|case, _| Some(case.clone()));
        Judge { worker: Worker::new(plan.clone(), map), plan }
    }

    /// The files are those of the run. Their lines are not read again, because files that rotate may have others by now.
    fn judge(&mut self, group: Group, files: &[String]) -> Result<Case, String> {
        let mut known = self.plan.logs.write().unwrap_or_else(PoisonError::into_inner);
        let from = known.len().min(files.len());
        known.extend(files[from..].iter().map(|name| (name.clone(), None)));
        drop(known);
        let slot = Slot::<Piece<Case>>::default();
        self.worker.work(Job::Groups(vec![group]), &slot);
        only_case(&self.plan, slot.into_piece())
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

impl Watched {
    /// Reads the specification that a request names, or else that of the nearest `otus.toml`, and the mapping.
    ///
    /// # Errors
    /// If a text has errors, there is not exactly one specification, the request names logs, or it asks for a search of the
    /// papers.
    pub fn open(context: &Context, request: &Request) -> Result<Watched> {
        let mut finder = Finder::new(context, request.config.as_deref())?;
        let mut sorted = inputs::sort(context, &request.names, request.from, &mut finder)?;
        if let Some(log) = finder.take().and_then(|logs| logs.files.into_iter().next()) {
            unfit!(
                "{} is a log; name only the specification here: `files` in otus.toml says which logs are \
                 followed",
                log.name
            );
        }
        if !sorted.traces.is_empty() {
            unfit!("a multi-trace does not grow; `otus analyze` checks it");
        }
        if finder.project().is_none()
            && finder.project_here()?.is_none()
            && let Some(name) = sorted.others.first()
        {
            finder.project_of(Path::new(name))?;
        }
        let project = finder.project();
        if sorted.others.is_empty()
            && let Some(project) = project
        {
            let names = project.specs.iter().flat_map(|rule| &rule.files).chain(&project.spec);
            sorted.others.extend(names.cloned());
        }
        let specs = by_specification(&sorted.others, &[], project);
        let names = match &specs[..] {
            [(names, _)] if !names.is_empty() => names,
            [] | [_] => {
                unfit!("no specification is named, and no otus.toml here or above names one")
            }
            several => {
                unfit!("one specification is watched at a time, and {} are given", several.len())
            }
        };
        let mut loaded = Loaded::default().read_more(context, names, request.from)?;
        let mut logs = project.map(|project| project.plan.clone()).unwrap_or_default();
        if project.is_some() {
            loaded.require_same(&logs.same);
        }
        let folder = match project {
            Some(project) => project.folder.clone(),
            None => context.files.working_folder(),
        };
        let properties = project.map(|project| project.properties.clone()).unwrap_or_default();
        let mut request = request.clone();
        let said = &logs.observation;
        request.allow_empty = request.allow_empty.or(said.allow_empty);
        request.ignore_unknown_messages =
            request.ignore_unknown_messages.or(said.ignore_unknown_messages);
        request.ignore_order = request.ignore_order.or(said.ignore_order);
        request.ignore_peers = request.ignore_peers.or(said.ignore_peers);
        let request = Arc::new(request);
        let (lowered, term) = loaded.lower_only()?;
        context.warn(loaded.take_diagnostics().or_error()?);
        let Some(term) = term else {
            return Err(Error::Bug("an interaction without errors has no term".to_owned()));
        };
        values::keep(&mut logs, lowered.valued.as_deref());
        let plan = |lowered| {
            let said = project.map(|_| &logs);
            Plan::new(context, &request, &loaded, (lowered, term), None, said)
        };
        let (declared, mut open) = (plan(lowered)?, plan(loaded.specs[0].lower())?);
        let Method::Fast(question) = &declared.method else {
            unfit!(
                "the searches of the papers do not follow running systems; leave their options out"
            );
        };
        let question = question.clone();
        open.method = Method::Fast(opened(&question));
        let spec = &declared.spec;
        let valued = spec.valued.as_deref().map(|valued| (valued, declared.clocks));
        let asked = (declared.kind, declared.observed.is_some());
        let fingerprint = fingerprint(&spec.pool, (spec.term, valued), asked, &declared.method);
        let (declared, open) = (Judge::new(declared), Judge::new(open));
        Ok(Watched { declared, open, question, logs, folder, properties, fingerprint })
    }

    /// The head of a report.
    pub fn run(&self) -> Run {
        self.declared.plan.run()
    }

    /// The mapping of logs.
    pub fn logs(&self) -> &mapping::Plan {
        &self.logs
    }

    /// The properties of `otus.toml`: names and formulas.
    pub fn properties(&self) -> &[(String, String)] {
        &self.properties
    }

    /// The folder to which the files of the mapping are relative.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The source for logs of a format: the first one of the mapping, or else one that is added if the format needs no rules.
    pub fn source_for(&mut self, format: LogFormat) -> Option<usize> {
        let known = self.logs.sources.iter().position(|source| source.format == format);
        known.or_else(|| {
            let added = mapping::Plan::for_format(format)?.sources.into_iter().next()?;
            self.logs.sources.push(added);
            Some(self.logs.sources.len() - 1)
        })
    }

    /// A run over logs that grow, by the mapping.
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::new(self.logs.clone()))
    }

    /// Identifies the specification and the question, in every process.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The interaction without its values, over its pool.
    pub fn interaction(&self) -> (&Pool, TermId) {
        (&self.declared.plan.spec.pool, self.declared.plan.spec.term)
    }

    /// Whether the interaction has guards or binders, which only a judge regards.
    pub fn has_values(&self) -> bool {
        self.declared.plan.spec.valued.is_some()
    }

    /// Whether events of messages that the specification lacks are left out.
    pub fn ignores_unknown(&self) -> bool {
        self.declared.plan.request.ignore_unknown_messages == Some(true)
    }

    /// The declared question for a partition.
    ///
    /// # Errors
    /// The reason why the declarations do not fit the partition.
    pub fn question(&self, partition: &Partition) -> Result<Question, String> {
        self.question.question(partition, self.interaction().0.signature())
    }

    /// The case of a group as it is now, without what its last file has behind a line, if one is given. The error is the
    /// reason why it cannot be judged.
    ///
    /// # Errors
    /// If the declarations do not fit the logs of the group, or the work was cancelled.
    pub fn judge(
        &mut self,
        observed: &run::Observed<'_>,
        asks: Asks,
        last: Option<RunPlace>,
    ) -> Result<Case, String> {
        let mut group = Group::new(observed, self.interaction().0.signature());
        if let Some(last) = last {
            group.drop_after(last);
        }
        let files = observed.vocabulary().files();
        match asks {
            Asks::Declared => self.declared.judge(group, files),
            Asks::Open => self.open.judge(group, files),
        }
    }
}

/// The same declarations, if every log may stop early as well.
fn opened(declared: &Declared) -> Declared {
    let one =
        |observed: Observed| open_question(&Question::Uniform(observed), 1).of(ComponentId(0));
    Declared {
        base: open_question(&declared.base, 0),
        is_chosen: declared.is_chosen,
        lifelines: declared.lifelines.iter().map(|it| it.map(one)).collect(),
    }
}
