//! The texts of a request: named files, `file.md#heading`, and `-` for standard input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use otus_syntax::source::MAX_SOURCE_BYTES;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span};
use otus_trace::read::unpack;

use crate::error::{Error, Result, unfit};
use crate::files::{self, Files};
use crate::format::Format;

/// Texts, in the order in which they were read.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The texts; a [`SourceId`] is an index.
    pub(crate) all: Vec<Source>,
    /// Findings about bytes that are not UTF-8.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The bytes of standard input, if the caller has read them already.
    pub(crate) standard_input: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) source: SourceId,
    pub(crate) format: Format,
    /// The heading in `file.md#heading`.
    pub(crate) heading: Option<String>,
    /// The file it came from; `None` for standard input.
    pub(crate) path: Option<PathBuf>,
}

impl Sources {
    /// Reads a named text. Its format is given by the ending of its name, or else by `from`, or else by its
    /// content.
    pub(crate) fn read(
        &mut self,
        files: &dyn Files,
        name: &str,
        from: Option<Format>,
    ) -> Result<Input> {
        let (path, heading) = split_heading(files, name);
        let (shown, bytes) = if name == "-" {
            let mut bytes = self.standard_input.take().unwrap_or_default();
            let rest = files.standard_input().and_then(|mut rest| rest.read_to_end(&mut bytes));
            rest.map_err(|error| Error::Unfit(format!("cannot read standard input: {error}")))?;
            ("<stdin>".to_owned(), bytes)
        } else {
            (path.to_owned(), read(files, path)?)
        };
        let bytes = unpacked(bytes)
            .map_err(|error| Error::Unfit(format!("{shown} cannot be unpacked: {error}")))?;
        let source = self.next_id();
        let text = self.text(source, bytes);
        let path = (name != "-").then(|| PathBuf::from(path));
        let ending = path.as_deref().and_then(Format::of_name);
        let format = ending.or(from).or_else(|| Format::of_content(&text));
        let Some(format) = format else {
            unfit!(
                "cannot tell what {shown} is: neither its ending nor its content says so; endings are .hsf, .hif, \
                 .hcf, .mmd, .puml, .md, .htf, .jsonl, .pot.json, .ctl and .cnf, or say --from FORMAT"
            );
        };
        self.all.push(Source::with_id(source, shown, text));
        Ok(Input { source, format, heading: heading.map(str::to_owned), path })
    }

    /// Adds a text from another source, such as the `htf` of a case.
    pub(crate) fn add(&mut self, name: String, text: String) -> SourceId {
        let source = self.next_id();
        self.all.push(Source::with_id(source, name, text));
        source
    }

    /// Adds bytes as a text. If they are not UTF-8, that is a finding, and the text is empty.
    pub(crate) fn add_bytes(&mut self, name: String, bytes: Vec<u8>) -> SourceId {
        let text = self.text(self.next_id(), bytes);
        self.add(name, text)
    }

    pub(crate) fn source(&self, id: SourceId) -> &Source {
        &self.all[id.0 as usize]
    }

    fn next_id(&self) -> SourceId {
        SourceId(u32::try_from(self.all.len()).unwrap_or(u32::MAX))
    }

    fn text(&mut self, source: SourceId, bytes: Vec<u8>) -> String {
        if bytes.len() > MAX_SOURCE_BYTES {
            let message = format!("this text has {} bytes; the limit is 4 GiB", bytes.len());
            let found = Diagnostic::new(Code::TOO_LARGE, source, Span::at(0), message);
            self.diagnostics.push(found.with_help("split it into several files or cases"));
            return String::new();
        }
        String::from_utf8(bytes).unwrap_or_else(|error| {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let line = bytes[..at].split(|&byte| byte == b'\n').count();
            let help = match bytes.as_slice() {
                [0x1f, 0x8b, ..] => "it looks like gzip: unpack it first",
                [0x28, 0xb5, 0x2f, 0xfd, ..] => "it looks like zstd: unpack it first",
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it looks like UTF-16: save it as UTF-8",
                _ => "save it as UTF-8",
            };
            let message =
                format!("this text is not UTF-8: byte {at}, on line {line}, cannot be read");
            let found = Diagnostic::new(Code::NOT_UTF8, source, Span::at(0), message);
            self.diagnostics.push(found.with_help(help));
            String::new()
        })
    }
}

/// The bytes of a named file.
pub(crate) fn read(files: &dyn Files, path: &str) -> Result<Vec<u8>> {
    let path = Path::new(path);
    files.read(path).map_err(|error| files::missing(files, path, &error))
}

/// The bytes of a text that may be compressed by gzip or zstd. Unpacking stops at the maximum size of
/// a text.
fn unpacked(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
    if !matches!(bytes.as_slice(), [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]) {
        return Ok(bytes);
    }
    let (stream, _) = unpack(Box::new(&*bytes))?;
    let mut text = Vec::new();
    stream.take(MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// `file.md#heading` as file and heading; a file whose name has a `#` keeps it.
fn split_heading<'n>(files: &dyn Files, name: &'n str) -> (&'n str, Option<&'n str>) {
    match name.split_once('#') {
        Some((path, heading)) if !path.is_empty() && files.kind(Path::new(name)).is_none() => {
            (path, Some(heading))
        }
        _ => (name, None),
    }
}

/// The files that a name stands for: itself, or all files of a folder that `wanted` selects.
///
/// # Errors
/// If a folder cannot be read, or has no such file.
pub fn expand(
    files: &dyn Files,
    name: &str,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<String>> {
    let path = Path::new(name);
    if name == "-" || files.kind(path) != Some(files::FileKind::Folder) {
        return Ok(vec![name.to_owned()]);
    }
    let mut found = files::walk(files, path)?;
    found.retain(|path| wanted(path));
    if found.is_empty() {
        unfit!("the folder {name} has no file to work on");
    }
    Ok(found.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}
