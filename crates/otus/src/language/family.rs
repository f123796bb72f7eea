//! Which files belong together.
//!
//! Nothing in a `.hif` says which signature it uses, and nothing in a trace says which specification it is about. The nearest
//! `otus.toml` that names a specification decides. Without one, the folder decides:
//!
//! - an interaction without declarations uses the `.hsf` with its own stem, or else the only `.hsf` of the folder that has no
//!   interaction;
//! - a trace belongs to the only specification of its folder, or else to the one whose stem its own begins with; if its
//!   folder is called `traces`, `runs`, `logs` or `tests`, the folder above counts too;
//! - a diagram is a specification by itself.
//!
//! A *family* is everything that shares names with a text: its specification, the `otus.toml` that names it, and the traces.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use otus_syntax::ast::SpecFile;
use otus_syntax::parse_spec;

use super::{Kind, place};
use crate::files::{FileKind, Files};
use crate::format::Format;
use crate::project::{self, FILE};

/// The largest number of files of a folder that are looked at.
const MOST_FILES: usize = 500;
/// The largest number of folders that are searched for traces.
const MOST_FOLDERS: usize = 100;
/// How deep below the folder of a specification its traces may be.
const DEEPEST: usize = 4;

/// The specification that an `otus.toml` names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The file.
    pub(super) settings: PathBuf,
    /// The specifications, each with all its files, as absolute paths with their headings.
    pub(super) specs: Vec<Vec<String>>,
}

impl Named {
    /// The nearest `otus.toml` of a file, and what it names.
    pub(super) fn nearest(files: &dyn Files, path: &Path) -> Option<Named> {
        let settings = project::find(files, path)?;
        let source = place::read(files, &settings)?;
        let folder = settings.parent().unwrap_or(Path::new("/")).to_owned();
        let whole =
            |name: &String| files.absolute(&folder.join(name)).to_string_lossy().into_owned();
        let specs = project::specifications(&source);
        let specs = specs.iter().map(|names| names.iter().map(whole).collect()).collect();
        Some(Named { settings, specs })
    }

    /// The specification that a file is part of.
    pub(super) fn spec_of(&self, path: &Path) -> Option<&Vec<String>> {
        self.specs.iter().find(|names| names.iter().any(|name| file_of(name) == path))
    }
}

/// The file of a name that may have a heading behind it.
pub(super) fn file_of(name: &str) -> &Path {
    match name.split_once('#') {
        Some((file, _)) if Kind::of(Path::new(file)) == Some(Kind::Markdown) => Path::new(file),
        Some(_) | None => Path::new(name),
    }
}

/// The specifications that a file is part of, each with all its files. A signature can be part of many.
pub(super) fn specifications(files: &dyn Files, path: &Path) -> Vec<Vec<String>> {
    let alone = || vec![vec![path.to_string_lossy().into_owned()]];
    let Some(Kind::Model(format)) = Kind::of(path) else { return alone() };
    if let Some(spec) = Named::nearest(files, path).as_ref().and_then(|it| it.spec_of(path)) {
        return vec![spec.clone()];
    }
    let folder = Folder::of(files, path);
    let found = if format == Format::Hif {
        folder.signature_of(files, path).map(|it| vec![vec![it, path.to_owned()]])
    } else if format == Format::Hsf && !has_interaction(files, path) {
        let is_ours =
            |model: &&PathBuf| folder.signature_of(files, model).is_some_and(|it| it == path);
        let users = folder.with(Format::Hif).filter(is_ours);
        Some(users.map(|model| vec![path.to_owned(), model.to_owned()]).collect())
    } else {
        None
    };
    let found: Vec<Vec<PathBuf>> = found.unwrap_or_default();
    if found.is_empty() {
        return alone();
    }
    let names =
        |spec: Vec<PathBuf>| spec.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    found.into_iter().map(names).collect()
}

/// The specification that a trace is about, with all its files.
pub(super) fn specification_of_trace(files: &dyn Files, trace: &Path) -> Option<Vec<String>> {
    Traces::new(files).specification(trace)
}

/// The specifications of traces. Traces are often many in a folder, so what is found out about a folder is kept.
struct Traces<'f> {
    files: &'f dyn Files,
    /// For each folder: what the nearest `otus.toml` names, if it is one specification.
    named: BTreeMap<PathBuf, Option<Vec<String>>>,
    /// For each folder: its specifications.
    folders: BTreeMap<PathBuf, Vec<Vec<String>>>,
}

impl<'f> Traces<'f> {
    fn new(files: &'f dyn Files) -> Traces<'f> {
        Traces { files, named: BTreeMap::new(), folders: BTreeMap::new() }
    }

    fn specification(&mut self, trace: &Path) -> Option<Vec<String>> {
        let files = self.files;
        let home = trace.parent()?;
        let named = self.named.entry(home.to_owned()).or_insert_with(|| {
            let specs = Named::nearest(files, trace)?.specs;
            <[Vec<String>; 1]>::try_from(specs).ok().map(|[only]| only)
        });
        if let Some(only) = named {
            return Some(only.clone());
        }
        let stem = trace.file_stem()?.to_string_lossy().into_owned();
        let mut folder = home;
        loop {
            let all = self
                .folders
                .entry(folder.to_owned())
                .or_insert_with(|| Folder::new(files, folder).specifications(files));
            if let [only] = all.as_slice() {
                return Some(only.clone());
            }
            if !all.is_empty() {
                let stem_of = |spec: &&Vec<String>| {
                    let last = spec.last().and_then(|name| file_of(name).file_stem());
                    last.unwrap_or_default().to_string_lossy().into_owned()
                };
                let fitting = all.iter().filter(|spec| stem.starts_with(&stem_of(spec)));
                return fitting.max_by_key(|spec| stem_of(spec).len()).cloned();
            }
            let name = folder.file_name()?.to_string_lossy().into_owned();
            if !["traces", "runs", "logs", "tests"].contains(&&*name) {
                return None;
            }
            folder = folder.parent()?;
        }
    }
}

/// All files that share names with a file: itself first, then the others in order.
pub(super) fn family(files: &dyn Files, path: &Path) -> Vec<PathBuf> {
    let (mut found, homes) = without_traces(files, path);
    let mut traces = Traces::new(files);
    for home in homes {
        for trace in traces_below(files, &home) {
            let spec = traces.specification(&trace).unwrap_or_default();
            let is_ours = spec.iter().any(|name| found.iter().any(|it| it == file_of(name)));
            if is_ours && !found.contains(&trace) {
                found.push(trace);
            }
        }
    }
    found[1..].sort();
    found
}

/// The members of a family that are no traces, with the file itself first, and the folders in which its traces are.
pub(super) fn without_traces(files: &dyn Files, path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut found = vec![path.to_owned()];
    let mut add = |path: PathBuf| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    let members = match Kind::of(path) {
        Some(Kind::Trace) => match specification_of_trace(files, path) {
            Some(spec) => spec.iter().map(|name| file_of(name).to_owned()).collect(),
            None => return (found, Vec::new()),
        },
        Some(Kind::Settings | Kind::Model(_) | Kind::Diagram(_) | Kind::Markdown) => {
            vec![path.to_owned()]
        }
        Some(Kind::Formulas) | None => return (found, Vec::new()),
    };
    let mut homes = Vec::new();
    for member in &members {
        let named = Named::nearest(files, member);
        let is_named = |it: &Named| it.settings == *member || it.spec_of(member).is_some();
        if let Some(named) = named.filter(is_named) {
            for name in named.specs.iter().flatten() {
                add(file_of(name).to_owned());
            }
            homes.extend(named.settings.parent().map(Path::to_owned));
            add(named.settings);
        } else if *member != path || Kind::of(member) != Some(Kind::Settings) {
            // The signature of an interaction has further interactions.
            let mut near = specifications(files, member);
            let signatures: Vec<String> =
                near.iter().filter_map(|spec| spec.first().cloned()).collect();
            for signature in signatures {
                near.extend(specifications(files, Path::new(&signature)));
            }
            for name in near.iter().flatten() {
                add(file_of(name).to_owned());
            }
            homes.extend(member.parent().map(Path::to_owned));
        }
    }
    homes.dedup();
    (found, homes)
}

/// The traces of a specification.
pub(super) fn traces_of(files: &dyn Files, path: &Path) -> Vec<PathBuf> {
    let mut found = family(files, path);
    found.retain(|path| Kind::of(path) == Some(Kind::Trace));
    found
}

fn traces_below(files: &dyn Files, home: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(home.to_owned(), 0)];
    let mut searched = 0;
    while let Some((folder, depth)) = folders.pop() {
        searched += 1;
        if searched > MOST_FOLDERS || found.len() >= MOST_FILES {
            break;
        }
        // Another project has other names.
        if depth > 0 && files.kind(&folder.join(FILE)) == Some(FileKind::File) {
            continue;
        }
        let (inside, below) = entries(files, &folder);
        found.extend(inside.into_iter().filter(|path| Kind::of(path) == Some(Kind::Trace)));
        if depth < DEEPEST {
            folders.extend(below.into_iter().map(|folder| (folder, depth + 1)));
        }
    }
    found.truncate(MOST_FILES);
    found.sort();
    found
}

/// The files and the folders of a folder, sorted. Hidden ones and links out of the folder are left out.
fn entries(files: &dyn Files, folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut inside, mut below) = (Vec::new(), Vec::new());
    let home = files.resolved(folder);
    for (path, kind) in files.list(folder).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || matches!(&*name, "target" | "node_modules") {
            continue;
        }
        match kind {
            FileKind::Folder => below.push(path),
            FileKind::File if Kind::of(&path).is_none() => {}
            FileKind::File => {
                if files.resolved(&path).starts_with(&home) {
                    inside.push(path);
                }
            }
        }
    }
    inside.sort();
    below.sort();
    inside.truncate(MOST_FILES);
    (inside, below)
}

/// The texts of one folder.
struct Folder {
    files: Vec<PathBuf>,
    /// The only signature without an interaction. To find it, all signatures are parsed.
    shared: OnceCell<Option<PathBuf>>,
}

impl Folder {
    fn new(files: &dyn Files, folder: &Path) -> Folder {
        Folder { files: entries(files, folder).0, shared: OnceCell::new() }
    }

    fn of(files: &dyn Files, path: &Path) -> Folder {
        Folder::new(files, path.parent().unwrap_or(Path::new("/")))
    }

    fn with(&self, format: Format) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().filter(move |path| Kind::of(path) == Some(Kind::Model(format)))
    }

    /// The signature of an interaction; `None` if it declares its names itself, or the folder has none for it.
    fn signature_of(&self, files: &dyn Files, model: &Path) -> Option<PathBuf> {
        if parsed(files, model).is_some_and(|tree| !tree.sections.is_empty()) {
            return None;
        }
        let own = self.with(Format::Hsf).find(|path| path.file_stem() == model.file_stem());
        if let Some(own) = own {
            return Some(own.clone());
        }
        let shared = self.shared.get_or_init(|| {
            let mut all = self.with(Format::Hsf).filter(|path| !has_interaction(files, path));
            all.next().filter(|_| all.next().is_none()).cloned()
        });
        shared.clone()
    }

    /// The specifications of the folder, except for those in Markdown.
    fn specifications(&self, files: &dyn Files) -> Vec<Vec<String>> {
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let mut found = Vec::new();
        for path in &self.files {
            match Kind::of(path) {
                Some(Kind::Model(Format::Hif)) => {
                    let signature = self.signature_of(files, path);
                    found.push(signature.iter().chain([path]).map(|it| name(it)).collect());
                }
                Some(Kind::Model(Format::Hsf)) if has_interaction(files, path) => {
                    found.push(vec![name(path)]);
                }
                Some(Kind::Diagram(_)) => found.push(vec![name(path)]),
                Some(
                    Kind::Model(_) | Kind::Trace | Kind::Formulas | Kind::Markdown | Kind::Settings,
                )
                | None => {}
            }
        }
        found
    }
}

fn has_interaction(files: &dyn Files, path: &Path) -> bool {
    parsed(files, path).is_some_and(|tree| tree.interaction.is_some())
}

fn parsed(files: &dyn Files, path: &Path) -> Option<SpecFile> {
    place::read(files, path).map(|source| parse_spec(&source).tree)
}
