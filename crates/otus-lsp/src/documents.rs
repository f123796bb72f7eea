//! The texts of open documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::TextDocumentContentChangeEvent;

use crate::overlay::Overlay;
use crate::position::{Encoding, Lines};
use crate::uri;

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its name, as the client spells it.
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) text: Arc<String>,
}

/// All open documents, by path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    /// The paths of documents that are no files.
    without_file: BTreeMap<String, PathBuf>,
    /// The files with these documents, until the next change.
    view: Option<Overlay>,
}

impl Documents {
    /// The path of a document.
    pub(crate) fn path(&self, uri: &str) -> Option<PathBuf> {
        uri::to_path(uri).or_else(|| self.without_file.get(uri).cloned())
    }

    /// The name of a file, as the client spells it if the document is open.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| uri::of_path(path), |it| it.uri.clone())
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    pub(crate) fn open(
        &mut self,
        uri: &str,
        language: &str,
        version: i32,
        text: String,
    ) -> PathBuf {
        let path = uri::to_path(uri).unwrap_or_else(|| {
            let path = uri::path_without_file(uri, language);
            self.without_file.insert(uri.to_owned(), path.clone());
            path
        });
        let document = Document { uri: uri.to_owned(), version, text: Arc::new(text) };
        self.open.insert(path.clone(), document);
        self.view = None;
        path
    }

    /// Applies changes in order; `None` if the document is not open.
    pub(crate) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<PathBuf> {
        let path = self.path(uri)?;
        // The view shares the text, which would be copied for the change.
        self.view = None;
        let document = self.open.get_mut(&path)?;
        let text = Arc::make_mut(&mut document.text);
        for change in changes {
            match change.range {
                Some(range) => {
                    let range = Lines::new(text, encoding).offsets(range);
                    text.replace_range(range, &change.text);
                }
                None => *text = change.text,
            }
        }
        // A text that shrank gives its memory back.
        if text.capacity() > 2 * text.len() + 1024 {
            text.shrink_to_fit();
        }
        document.version = version;
        Some(path)
    }

    pub(crate) fn close(&mut self, uri: &str) -> Option<PathBuf> {
        let path = self.path(uri)?;
        self.without_file.remove(uri);
        self.view = None;
        self.open.remove(&path).map(|_| path)
    }

    /// The files with the texts of open documents.
    pub(crate) fn view(&mut self) -> Overlay {
        let open = &self.open;
        let view = self.view.get_or_insert_with(|| {
            Overlay::new(open.iter().map(|(path, it)| (path.clone(), it.text.clone())).collect())
        });
        view.clone()
    }
}
