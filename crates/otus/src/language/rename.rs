//! Where a name is declared and used, and its change in all files at once.
//!
//! A change is worked out, applied to copies, and read again: every place must then name what it named before, with the new name
//! in place of the old one. If one does not, because a language cannot spell the name there or something else has the name
//! already, nothing is changed and the answer says why.

use std::ops::Range;
use std::path::{Path, PathBuf};

use otus_syntax::lexer::{quote, unquote};
use otus_syntax::mentions::{Role, Use};
use otus_syntax::{Source, SourceId};

use super::place::{Edit, Location};
use super::spots::{self, Spot};
use super::{Kind, family, place, regions, settings};
use crate::context::Context;
use crate::error::{Error, Result, unfit};

/// What can be renamed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The place of the name.
    pub place: Location,
    /// The name.
    pub name: String,
}

/// The places that declare the name at an offset. In a diagram without declarations it is the first use. The name of a file in
/// `otus.toml` leads to the file.
pub fn definition(context: &Context, path: &Path, at: usize) -> Vec<Location> {
    let files = &*context.files;
    let (Some(kind), Some(source)) = (Kind::of(path), place::read(files, path)) else {
        return Vec::new();
    };
    if kind == Kind::Settings
        && let Some((name, _)) = settings::file_at(&source, at)
    {
        return file_definition(context, path, &name).into_iter().collect();
    }
    let Some(spot) = spots::at(&source, kind, at) else { return Vec::new() };
    let all = occurrences(context, path, &spot);
    let of = |wanted: &dyn Fn(&Kind, &Spot) -> bool| -> Vec<Location> {
        let mut found = Vec::new();
        for (path, _, spots) in &all {
            let Some(kind) = Kind::of(path) else { continue };
            let first = spots.iter().find(|spot| wanted(&kind, spot));
            found.extend(first.map(|spot| Location::new(path, spot.range.clone())));
        }
        found
    };
    let declared = of(&|_, spot| spot.used == Use::Declared);
    if !declared.is_empty() {
        return declared;
    }
    let is_spec = |kind: &Kind| !matches!(kind, Kind::Trace | Kind::Settings);
    let used = of(&|kind, _| is_spec(kind));
    used.into_iter().take(1).collect()
}

/// The place that `docs/protocol.md#login` names.
fn file_definition(context: &Context, settings: &Path, name: &str) -> Option<Location> {
    let files = &*context.files;
    let folder = settings.parent()?;
    let whole = files.absolute(&folder.join(name)).to_string_lossy().into_owned();
    let path = family::file_of(&whole);
    files.kind(path)?;
    let heading = whole.get(path.to_string_lossy().len() + 1..);
    let source = place::read(files, path);
    let region = source.zip(Kind::of(path)).and_then(|(source, kind)| {
        let all = regions::of(&source, kind);
        let is_named = |it: &regions::Region| it.selector.as_deref() == heading;
        all.iter().find(|it| heading.is_some() && is_named(it)).map(|it| it.span.start as usize)
    });
    let start = region.unwrap_or(0);
    Some(Location::new(path, start..start))
}

/// All places with the name at an offset, in all files that share it.
pub fn references(
    context: &Context,
    path: &Path,
    at: usize,
    with_declarations: bool,
) -> Vec<Location> {
    let Some(spot) = spot_at(context, path, at) else { return Vec::new() };
    let mut found = Vec::new();
    for (path, _, spots) in occurrences(context, path, &spot) {
        let wanted = spots.into_iter().filter(|it| with_declarations || it.used != Use::Declared);
        found.extend(wanted.map(|spot| Location::new(&path, spot.range)));
    }
    found
}

/// The name at an offset, if it can be changed.
pub fn renamed(context: &Context, path: &Path, at: usize) -> Option<Renamed> {
    let source = place::read(&*context.files, path)?;
    let spot = spots::at(&source, Kind::of(path)?, at)?;
    let range = written(&source, &spot)?;
    Some(Renamed { place: Location::new(path, range), name: spot.name })
}

/// The edits that give the name at an offset another name, in all files that share it.
///
/// # Errors
/// If there is no name, or not all places can have the new one.
pub fn rename(context: &Context, path: &Path, at: usize, new: &str) -> Result<Vec<Edit>> {
    let Some(old) = spot_at(context, path, at) else {
        unfit!("there is no name of a lifeline, message, field or variable here");
    };
    let new = new.trim();
    if new.is_empty() || new.contains(['\n', '\r']) {
        unfit!("a name has at least one character, and no line break");
    }
    if old.name == new {
        return Ok(Vec::new());
    }
    let mut edits = Vec::new();
    for (path, source, spots) in occurrences(context, path, &old) {
        let Some(kind) = Kind::of(&path) else { continue };
        let is_taken = |role: Role, name: &str, _: &Range<usize>| role == old.role && name == new;
        if !spots::of_text(&source, kind, is_taken).is_empty() {
            unfit!("{} has a {} `{new}` already", path.display(), old.role.name());
        }
        edits.extend(changes(&path, kind, &source, &spots, (&old, new))?);
    }
    Ok(edits)
}

fn spot_at(context: &Context, path: &Path, at: usize) -> Option<Spot> {
    let source = place::read(&*context.files, path)?;
    spots::at(&source, Kind::of(path)?, at)
}

/// The files with a name, with its places in each. A variable is one of its own file.
pub(super) fn occurrences(
    context: &Context,
    path: &Path,
    spot: &Spot,
) -> Vec<(PathBuf, Source, Vec<Spot>)> {
    let files = &*context.files;
    let all = match spot.role {
        Role::Variable => vec![path.to_owned()],
        Role::Lifeline | Role::Message | Role::Field => family::family(files, path),
    };
    let wanted = |role: Role, name: &str, _: &Range<usize>| role == spot.role && name == spot.name;
    let mut found = Vec::new();
    for path in all {
        if let Some((source, spots)) = spots::of_file(files, &path, wanted)
            && !spots.is_empty()
        {
            found.push((path, source, spots));
        }
    }
    found
}

/// The place of a name within its spot; `None` if the spot does not spell it, as one with an alias does not.
fn written(source: &Source, spot: &Spot) -> Option<Range<usize>> {
    let text = source.text().get(spot.range.clone())?;
    let is_quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    let spelt = text == spot.name || (is_quoted && unquote(text) == spot.name);
    spelt.then(|| spot.range.clone())
}

/// The edits of one file. The spellings of the name are tried in turn: as it is, and in quotes.
fn changes(
    path: &Path,
    kind: Kind,
    source: &Source,
    spots: &[Spot],
    (old, new): (&Spot, &str),
) -> Result<Vec<Edit>> {
    let spellings: Vec<String> = match kind {
        Kind::Model(_) | Kind::Trace => vec![quote(new).into_owned()],
        Kind::Diagram(_) | Kind::Markdown => vec![new.to_owned(), format!("\"{new}\"")],
        Kind::Settings if new.contains(['"', '\'', '\\', '{', '}', '*']) => Vec::new(),
        Kind::Settings | Kind::Formulas => vec![new.to_owned()],
    };
    let before = spots::of_text(source, kind, |_, _, _| true);
    for spelling in spellings {
        let edit = |range| Edit { place: Location::new(path, range), text: spelling.clone() };
        let edits: Vec<Edit> =
            spots.iter().filter_map(|spot| written(source, spot)).map(edit).collect();
        let changed = Source::with_id(SourceId(0), source.name(), applied(source.text(), &edits));
        let after = spots::of_text(&changed, kind, |_, _, _| true);
        let is_same = |(was, is): (&Spot, &Spot)| {
            let is_changed = was.role == old.role && was.name == old.name;
            let expected = if is_changed { new } else { &was.name };
            is.role == was.role && is.used == was.used && is.name == expected
        };
        if before.len() == after.len() && before.iter().zip(&after).all(is_same) {
            return Ok(edits);
        }
    }
    let name = path.display();
    Err(Error::Unfit(format!(
        "`{new}` cannot be written in {name} in place of `{}`, so nothing was changed",
        old.name
    )))
}

/// A text with edits, which are in its order and do not overlap.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        changed.push_str(text.get(at..edit.place.start).unwrap_or_default());
        changed.push_str(&edit.text);
        at = edit.place.end;
    }
    changed.push_str(text.get(at..).unwrap_or_default());
    changed
}
