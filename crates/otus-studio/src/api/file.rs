//! Files: whole, or an excerpt of a long one; and saving, which never overwrites what somebody else wrote.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::PoisonError;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Asked;
use crate::failure::Failure;
use crate::folder::Folder;

/// The largest file that is sent as a whole, the beginning of a larger one, and the largest excerpt.
const WHOLE: u64 = 2 << 20;
const BEGINNING: u64 = 64 << 10;
const EXCERPT: u64 = 1 << 20;
/// The most bytes that an excerpt is moved so that it begins at a line.
const LINE: u64 = 64 << 10;

#[derive(Debug, Deserialize)]
pub(crate) struct Read {
    path: String,
    from: Option<String>,
    size: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Save {
    path: String,
    text: String,
    version: Option<String>,
}

/// Identifies a content. Two contents with the same version differ with probability 2⁻⁶⁴, and nobody gains by it: who can
/// write the file can write it without a collision.
pub(crate) fn version(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:x}-{:016x}", bytes.len(), hasher.finish())
}

fn number(text: Option<&String>, name: &str) -> Result<Option<u64>, Failure> {
    let parse = |text: &String| text.parse::<u64>();
    text.map(parse)
        .transpose()
        .map_err(|_| Failure::malformed(format!("`{name}` is a number of bytes")))
}

fn unreadable(path: &str, error: &std::io::Error) -> Failure {
    let kind = error.kind();
    if kind == std::io::ErrorKind::NotFound {
        return Failure::missing(format!("there is no file {path}"));
    }
    if kind == std::io::ErrorKind::PermissionDenied {
        return Failure::forbidden(format!("{path} cannot be read"));
    }
    Failure::input(format!("cannot read {path}: {error}"))
}

pub(crate) fn read(asked: &Asked<'_>, request: &Read) -> Result<Value, Failure> {
    let folder = asked.studio.view.folder();
    let path = &request.path;
    let whole = folder.inside(path)?;
    let (mut file, metadata) = folder.file(&whole).map_err(|error| unreadable(path, &error))?;
    let size = metadata.len();
    let (from, most) =
        (number(request.from.as_ref(), "from")?, number(request.size.as_ref(), "size")?);
    let is_whole = from.is_none() && most.is_none() && size <= WHOLE;
    let from = from.unwrap_or(0).min(size);
    let most = if is_whole { WHOLE } else { most.unwrap_or(BEGINNING).clamp(1, EXCERPT) };
    let failed = |error| unreadable(path, &error);
    let start = if from == 0 { 0 } else { line_start(&mut file, from).map_err(failed)? };
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    let is_end = start + bytes.len() as u64 >= size;
    if !is_end && let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') {
        bytes.truncate(end + 1);
    }
    let end = start + bytes.len() as u64;
    let text = std::str::from_utf8(&bytes);
    let lossy = text.is_err();
    let version = (is_whole && !lossy).then(|| version(&bytes));
    let text = String::from_utf8_lossy(&bytes);
    let mut answer = json!({
        "path": path,
        "text": text,
        "version": version,
        "size": size,
        "start": start,
        "end": end,
        "whole": is_whole,
        "lossy": lossy,
    });
    if start == 0 {
        answer["first_line"] = json!(1);
    }
    Ok(answer)
}

/// Where the line begins that a byte is in, if that is not too far.
fn line_start(file: &mut std::fs::File, at: u64) -> std::io::Result<u64> {
    let from = at.saturating_sub(LINE);
    file.seek(SeekFrom::Start(from))?;
    let mut before = Vec::new();
    std::io::Read::by_ref(file).take(at - from).read_to_end(&mut before)?;
    let newline = before.iter().rposition(|&byte| byte == b'\n');
    Ok(newline.map_or(if from == 0 { 0 } else { at }, |index| from + index as u64 + 1))
}

pub(crate) fn save(asked: &Asked<'_>, request: &Save) -> Result<Value, Failure> {
    let folder = asked.studio.view.folder();
    let path = folder.inside(&request.path)?;
    let _saving = asked.studio.saving.lock().unwrap_or_else(PoisonError::into_inner);
    let now = match folder.file(&path) {
        Ok((file, metadata)) if metadata.len() <= WHOLE.max(32 << 20) => {
            let mut bytes = Vec::new();
            let mut file = file;
            file.read_to_end(&mut bytes).map_err(|error| unreadable(&request.path, &error))?;
            Some(bytes)
        }
        Ok(_) => {
            return Err(Failure::too_large(format!(
                "{} is too large to be edited here",
                request.path
            )));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(unreadable(&request.path, &error)),
    };
    let current = now.as_deref().map(version);
    if current != request.version {
        let text = now.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let message = match (&current, &request.version) {
            (None, _) => format!("{} is gone; nothing was written", request.path),
            (Some(_), None) => format!("{} exists already; nothing was written", request.path),
            (Some(_), Some(_)) => {
                format!(
                    "{} was changed on disk since it was read; nothing was written",
                    request.path
                )
            }
        };
        return Err(Failure::conflict(message, json!({ "version": current, "text": text })));
    }
    write(folder, &path, request.text.as_bytes(), now.is_some())
        .map_err(|error| Failure::input(format!("cannot write {}: {error}", request.path)))?;
    Ok(json!({ "path": request.path, "version": version(request.text.as_bytes()) }))
}

/// Replaces a file at once, so that nobody reads half of it.
fn write(folder: &Folder, path: &Path, bytes: &[u8], is_there: bool) -> std::io::Result<()> {
    // A link inside of the folder stays a link.
    let target = if is_there { folder.real(path)? } else { path.to_owned() };
    let parent = target.parent().unwrap_or(folder.root());
    if !parent.is_dir() {
        return Err(std::io::Error::other("its folder does not exist"));
    }
    let mut draft = tempfile::Builder::new().prefix(".otus-studio-").tempfile_in(parent)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    if is_there {
        std::fs::set_permissions(draft.path(), std::fs::metadata(&target)?.permissions())?;
        draft.persist(&target).map_err(|error| error.error)?;
    } else {
        // What was created in the meantime is not overwritten.
        drop(draft);
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&target)?;
        file.write_all(bytes)?;
    }
    Ok(())
}
