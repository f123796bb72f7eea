//! Names of documents, and paths of files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use otus::without_parents;

/// The path of a `file:` URI; `None` for other schemes, and for other hosts.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file:")?;
    let rest = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    if !rest.starts_with('/') {
        return None;
    }
    let text = String::from_utf8(decoded(rest)?).ok()?;
    let is_drive = text.as_bytes().get(2) == Some(&b':');
    let text = if cfg!(windows) && is_drive { &text[1..] } else { text.as_str() };
    // No file has this character in its name, and the system refuses it in odd ways.
    (!text.contains('\0')).then(|| without_parents(Path::new(text)))
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(bytes)
}

/// The URI of a path.
pub(crate) fn of_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// A path for a document that is no file, with the ending of its language, so that its kind is known.
pub(crate) fn path_without_file(uri: &str, language: &str) -> PathBuf {
    let mut name = String::new();
    for byte in uri.bytes() {
        if byte.is_ascii_alphanumeric() {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "_{byte:02x}");
        }
    }
    let ending = match language {
        "mermaid" => "mmd",
        "plantuml" => "puml",
        "markdown" => "md",
        other => other.strip_prefix("otus-").unwrap_or(other),
    };
    // No folder has this name, so no files are found beside it.
    PathBuf::from(format!("/\u{1}without-file/{name}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris_and_back() {
        for path in ["/a/b.hif", "/a b/ü#%?.md", "/x:y/\u{1f989}.mmd"] {
            let uri = of_path(Path::new(path));
            assert!(uri.is_ascii());
            assert_eq!(to_path(&uri), Some(PathBuf::from(path)), "{uri}");
        }
        assert_eq!(of_path(Path::new("/a b")), "file:///a%20b");
    }

    #[test]
    fn other_uris_are_no_files() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(to_path(uri), expected.map(PathBuf::from), "{uri}");
        };
        check("file:///a/../b/./c.hif", Some("/b/c.hif"));
        check("file://localhost/a", Some("/a"));
        check("file:/a", Some("/a"));
        check("file://host/a", None);
        check("untitled:Untitled-1", None);
        check("file:///a%2", None);
        check("file:///a%zz", None);
        check("file:///a%00", None);
        check("file:///a%ff", None);
        check("", None);
    }
}
