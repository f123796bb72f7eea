//! The problems of open documents.

use std::panic::{AssertUnwindSafe, catch_unwind};

use otus::language;
use serde_json::json;

use crate::server::Server;

impl Server {
    /// Works out the problems of one document that needs it, and publishes them. Documents that the user edits come first.
    pub(crate) fn publish_one(&mut self) {
        let next =
            self.touched.iter().find(|path| self.dirty.contains(*path)).or(self.dirty.first());
        let Some(path) = next.cloned() else { return };
        self.dirty.remove(&path);
        let is_touched = self.touched.remove(&path);
        let context = self.context();
        // A bug in a check must not end the server.
        let checked = AssertUnwindSafe(|| language::diagnose(&context, &path));
        let problems = catch_unwind(checked).unwrap_or_default();
        let diagnostics = self.converter().problems(&problems);
        if !is_touched && self.published.get(&path) == Some(&diagnostics) {
            return;
        }
        let Some(document) = self.documents.get(&path) else { return };
        let params = json!({
            "uri": document.uri,
            "version": document.version,
            "diagnostics": diagnostics,
        });
        self.published.insert(path, diagnostics);
        self.notify("textDocument/publishDiagnostics", params);
    }
}
