//! Coverage of the specification by all that is analysed: `--coverage`.
//!
//! Workers count the witness of each multi-trace that passes. They borrow counters from a shelf: there are never
//! more of them than threads, a lock is held only while one is taken and put back, and since joining counts
//! does not depend on the order, neither does what is said in the end.
//!
//! A witness costs far more than a verdict, and sessions are often alike. So what a multi-trace adds is kept, for as
//! many as fit into [`REMEMBERED`] actions, and added again when it comes again.

mod data;
mod found;
mod picture;
mod text;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::bail;
use otus_analysis::coverage::{Count, Counter, Coverage, MOST_POSITIONS, Tree, seen};
use otus_analysis::{Question, Verdict, Witness};
use otus_core::lower::{SourcePlace, source_places};
use otus_core::{Lowered, Pool, TermId};
use otus_syntax::Source;
use otus_syntax::ast::SpecFile;
use otus_trace::multitrace::Step;
use otus_trace::{MultiTrace, Partition};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::tally::Tally;
use crate::args::{AnalyzeArgs, Color, CoverageFile, CoverageOutput, FailOn, VerdictFormat};
use crate::exit::Exit;
use crate::load::Loaded;
use crate::output::{self, Stream};
use crate::picture::Look;
pub(super) use found::Found;

/// What is counted while multi-traces are analysed.
#[derive(Debug)]
pub(super) struct Covering {
    tree: Tree,
    /// By position of the tree.
    places: Vec<SourcePlace>,
    file: SpecFile,
    source: Source,
    shelf: Mutex<Vec<Counter>>,
    /// What some multi-traces add.
    memory: Mutex<Memory>,
    /// How many that pass have no witness within the limits.
    unexplained: AtomicU64,
}

/// How many actions of multi-traces are kept.
const REMEMBERED: usize = 1 << 20;

/// What multi-traces add, so that none is explained twice.
#[derive(Debug, Default)]
struct Memory {
    known: FxHashMap<Key, Box<[(u32, Count)]>>,
    /// How many actions they have.
    actions: usize,
    /// What was added again.
    again: Coverage,
}

/// A multi-trace. Actions that the specification does not have may be others in another thread, but in what
/// passes they are only where nobody looks.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    partition: Arc<Partition>,
    /// By component: how many steps.
    lengths: Box<[usize]>,
    steps: Box<[Step]>,
}

impl Key {
    fn new(trace: &MultiTrace) -> Key {
        let components = || trace.partition().components();
        Key {
            partition: trace.shared_partition().clone(),
            lengths: components().map(|component| trace.steps(component).len()).collect(),
            steps: components().flat_map(|component| trace.steps(component)).copied().collect(),
        }
    }
}

impl Covering {
    /// If it is asked for.
    pub(super) fn new(
        args: &AnalyzeArgs,
        loaded: &Loaded,
        (lowered, term): (&Lowered, TermId),
    ) -> anyhow::Result<Option<Covering>> {
        if !is_asked(args) {
            return Ok(None);
        }
        for output in &args.coverage {
            match output {
                CoverageOutput::Text => {}
                CoverageOutput::Json => match args.format {
                    VerdictFormat::Text | VerdictFormat::Json => {}
                    VerdictFormat::Jsonl
                    | VerdictFormat::Junit
                    | VerdictFormat::Sarif
                    | VerdictFormat::Github
                    | VerdictFormat::Tap
                    | VerdictFormat::Markdown
                    | VerdictFormat::Html => bail!(
                        "standard output has the verdicts; name a file, as --coverage=coverage.json"
                    ),
                },
                CoverageOutput::File(path, _) => {
                    // Said now and not after an hour of work.
                    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                        let (path, folder) = (path.display(), folder.display());
                        bail!("cannot write {path}: there is no folder {folder}");
                    }
                }
            }
        }
        let files = loaded.specs.first().map(|spec| spec.files.as_slice()).unwrap_or_default();
        let file = lowered.file.and_then(|file| files.get(file));
        let interaction = file.and_then(|file| file.interaction.as_ref());
        let (Some(file), Some(interaction)) = (file, interaction) else {
            bail!("a bug in Otus: the interaction has no text, please report it");
        };
        let most = usize::try_from(MOST_POSITIONS).unwrap_or(usize::MAX);
        let (Some(tree), Some(places)) =
            (Tree::new(&lowered.pool, term), source_places(interaction, most))
        else {
            bail!(
                "--coverage tells at most {MOST_POSITIONS} positions apart; the interaction has {}",
                lowered.pool.attributes(term).nodes
            );
        };
        if tree.len() != places.len() {
            bail!("a bug in Otus: positions without places, please report it");
        }
        Ok(Some(Covering {
            tree,
            places,
            file: file.clone(),
            source: loaded.inputs.source(file.source).clone(),
            shelf: Mutex::default(),
            memory: Mutex::default(),
            unexplained: AtomicU64::new(0),
        }))
    }

    /// Counts a multi-trace that passes if one like it was counted before.
    pub(super) fn again(&self, trace: &MultiTrace) -> bool {
        let key = Key::new(trace);
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Memory { known, again, .. } = &mut *memory;
        let Some(added) = known.get(&key) else { return false };
        again.counts.resize(self.tree.parts().len(), Count::default());
        again.add(added);
        true
    }

    /// Counts a multi-trace that passes, by its witness if there is one.
    pub(super) fn count(
        &self,
        pool: &Pool,
        trace: &MultiTrace,
        (question, verdict): (&Question, Verdict),
        witness: Option<&Witness>,
    ) {
        let Some(witness) = witness else {
            self.unexplained.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let free = self.shelf().pop();
        let mut counter = free.unwrap_or_else(|| Counter::new(pool, &self.tree));
        let seen = seen(trace.partition(), question, verdict);
        let added = counter.count(pool, &self.tree, witness, &seen);
        self.shelf().push(counter);
        let Some(added) = added else { return };
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let size = trace.len() + added.len() + 8;
        if memory.actions + size <= REMEMBERED {
            memory.actions += size;
            memory.known.insert(Key::new(trace), added);
        }
    }

    /// Whether a choice is one that nobody wrote: a diagram's loop that may end, unfolded.
    fn is_repetition(&self, node: usize) -> bool {
        let written = self.places[node].span.range();
        self.file.implicit && self.source.text()[written].trim_start().starts_with("loop")
    }

    fn shelf(&self) -> MutexGuard<'_, Vec<Counter>> {
        // A counter that somebody died with is not on the shelf.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that was counted, with where it stands.
    pub(super) fn found(&self, pool: &Pool, tally: &Tally) -> Found {
        let mut sum = Coverage::default();
        sum.counts.resize(self.tree.parts().len(), Count::default());
        for counter in self.shelf().iter() {
            sum.merge(&counter.coverage);
        }
        sum.merge(&self.memory.lock().unwrap_or_else(PoisonError::into_inner).again);
        Found::new(self, pool, &sum, tally)
    }
}

/// Whether somebody wants to know it.
pub(super) fn is_asked(args: &AnalyzeArgs) -> bool {
    !args.coverage.is_empty() || args.min_coverage.is_some()
}

/// Whether somebody wants to see it.
pub(super) fn is_drawn(args: &AnalyzeArgs) -> bool {
    args.coverage.iter().any(|output| match output {
        CoverageOutput::File(_, kind) => *kind == CoverageFile::Picture,
        CoverageOutput::Text | CoverageOutput::Json => false,
    })
}

/// What a JSON document of verdicts has besides.
pub(super) fn member(found: &Found) -> Value {
    data::json(found)
}

/// Prints and writes coverage as it is asked for.
pub(super) fn say(
    args: &AnalyzeArgs,
    color: Color,
    (covering, pool): (&Covering, &Pool),
    found: &Found,
) -> anyhow::Result<()> {
    // Who only sets a limit wants to know what is missing, too.
    let is_implied = args.coverage.is_empty().then_some(CoverageOutput::Text);
    for output in args.coverage.iter().chain(is_implied.as_ref()) {
        match (output, args.format) {
            (CoverageOutput::Text, VerdictFormat::Text) => {
                let colored = output::colored(color, Stream::Output);
                output::print(&text::text(found, colored, text::SHORT))?;
            }
            (CoverageOutput::Text, _) => {
                let colored = output::colored(color, Stream::Error);
                output::complain(text::text(found, colored, text::SHORT).trim_end());
            }
            // It is in the document.
            (CoverageOutput::Json, VerdictFormat::Json) => {}
            (CoverageOutput::Json, _) => output::print(&format!("{:#}\n", data::json(found)))?,
            (CoverageOutput::File(path, kind), _) => {
                write(args, (covering, pool), found, path, *kind)?;
            }
        }
    }
    Ok(())
}

fn write(
    args: &AnalyzeArgs,
    (covering, pool): (&Covering, &Pool),
    found: &Found,
    path: &Path,
    kind: CoverageFile,
) -> anyhow::Result<()> {
    let text = match kind {
        CoverageFile::Json => format!("{:#}\n", data::json(found)),
        CoverageFile::Text => text::text(found, false, usize::MAX),
        CoverageFile::Markdown => data::markdown(found),
        CoverageFile::Picture => {
            let scene = picture::scene(covering, pool, found);
            return Look::new(&args.search.picture)?.write(&scene, &path.to_string_lossy());
        }
    };
    output::write_file(path, &text)?;
    output::complain(&format!("wrote {}", path.display()));
    Ok(())
}

/// What coverage makes of an exit status: too little of it is a failure, if that is asked for.
pub(super) fn exit(args: &AnalyzeArgs, found: &Found, exit: Exit) -> Exit {
    let is_worse = match exit {
        Exit::Error | Exit::Failure => return exit,
        Exit::Success | Exit::Undecided => args.fail_on != Some(FailOn::Never),
    };
    if let Some(least) = args.min_coverage
        && !found.reaches(least)
    {
        output::complain(&format!(
            "otus: coverage is {}, and --min-coverage asks for {least} %",
            found.percent_text()
        ));
        return if is_worse { Exit::Failure } else { exit };
    }
    if args.strict && found.is_nothing() {
        output::complain("otus: nothing was exercised, and that is a failure by --strict");
        return if is_worse { Exit::Failure } else { exit };
    }
    exit
}
