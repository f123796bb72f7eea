//! One method for each request: parameters of the protocol in, an answer of the core out.

use std::path::PathBuf;

use lsp_server::ErrorCode;
use lsp_types::{
    CodeActionOptions, CodeActionParams, CodeActionProviderCapability, CodeLensOptions,
    CodeLensParams, CompletionOptions, CompletionParams, DocumentFormattingParams,
    DocumentSymbolParams, ExecuteCommandOptions, FoldingRangeParams,
    FoldingRangeProviderCapability, GotoDefinitionParams, HoverParams, HoverProviderCapability,
    InitializeParams, InsertTextFormat, OneOf, ReferenceParams, RenameOptions, RenameParams,
    ServerCapabilities, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgressOptions,
};
use otus::language::{self, Location};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::convert::completion_kind;
use crate::jobs::ANALYZE;
use crate::position::Encoding;
use crate::server::{Client, Refusal, Server};

type Answer = Result<Value, Refusal>;

fn params<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params)
        .map_err(|error| Refusal::new(ErrorCode::InvalidParams, error.to_string()))
}

/// An answer as JSON. Our own types always become JSON.
fn value(answer: impl serde::Serialize) -> Answer {
    serde_json::to_value(answer)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
}

impl Server {
    /// The answer to a request of a running server.
    pub(crate) fn answer(&mut self, method: &str, given: Value) -> Answer {
        match method {
            "textDocument/hover" => self.hover(&params(given)?),
            "textDocument/completion" => self.completion(&params(given)?),
            "textDocument/definition" => self.definition(&params(given)?),
            "textDocument/references" => self.references(&params(given)?),
            "textDocument/prepareRename" => self.prepare_rename(&params(given)?),
            "textDocument/rename" => self.rename(&params(given)?),
            "textDocument/formatting" => self.formatting(&params(given)?),
            "textDocument/documentSymbol" => self.symbols(&params(given)?),
            "textDocument/foldingRange" => self.folds(&params(given)?),
            "textDocument/codeAction" => self.actions(params(given)?),
            "textDocument/codeLens" => self.lenses(params(given)?),
            _ => {
                let text = format!("the server does not know `{method}`");
                Err(Refusal::new(ErrorCode::MethodNotFound, text))
            }
        }
    }

    pub(crate) fn initialize(&mut self, given: Value) -> Answer {
        let InitializeParams { capabilities, .. } = params(given)?;
        let general = capabilities.general.unwrap_or_default();
        let workspace = capabilities.workspace.unwrap_or_default();
        let document = capabilities.text_document.unwrap_or_default();
        let window = capabilities.window.unwrap_or_default();
        self.client = Client {
            encoding: Encoding::chosen(general.position_encodings.as_deref()),
            document_changes: workspace
                .workspace_edit
                .and_then(|it| it.document_changes)
                .unwrap_or_default(),
            nested_symbols: document
                .document_symbol
                .and_then(|it| it.hierarchical_document_symbol_support)
                .unwrap_or_default(),
            progress: window.work_done_progress.unwrap_or_default(),
            refreshes_lenses: workspace
                .code_lens
                .and_then(|it| it.refresh_support)
                .unwrap_or_default(),
            registers_watchers: workspace
                .did_change_watched_files
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
        };
        let capabilities = value(capabilities_with(self.client.encoding))?;
        let server = json!({ "name": "otus", "version": env!("CARGO_PKG_VERSION") });
        Ok(json!({ "capabilities": capabilities, "serverInfo": server }))
    }

    /// Asks to be told of changes on disk.
    pub(crate) fn watch_files(&mut self) {
        if !self.client.registers_watchers {
            return;
        }
        let endings = "hsf,hif,hcf,htf,ctl,mmd,mermaid,puml,plantuml,pu,iuml,wsd,md,markdown";
        let watchers = [format!("**/*.{{{endings}}}"), "**/otus.toml".to_owned()];
        let watchers: Vec<Value> =
            watchers.iter().map(|glob| json!({ "globPattern": glob })).collect();
        let registration = json!({
            "id": "otus/files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        self.ask("client/registerCapability", json!({ "registrations": [registration] }));
    }

    /// The file of a document.
    fn path(&self, uri: &Uri) -> Result<PathBuf, Refusal> {
        self.documents.path(uri.as_str()).ok_or_else(|| {
            let text = format!("`{}` is neither a file nor an open document", uri.as_str());
            Refusal::new(ErrorCode::InvalidParams, text)
        })
    }

    /// The file and the offset of a position.
    fn place(&mut self, at: &TextDocumentPositionParams) -> Result<(PathBuf, usize), Refusal> {
        let path = self.path(&at.text_document.uri)?;
        let offset = self.converter().offset(&path, at.position);
        Ok((path, offset))
    }

    fn hover(&mut self, given: &HoverParams) -> Answer {
        let (path, at) = self.place(&given.text_document_position_params)?;
        let Some(hover) = language::hover(&self.context(), &path, at) else {
            return Ok(Value::Null);
        };
        let place = Location { path, start: hover.range.start, end: hover.range.end };
        let range = self.converter().ranges(&[&place]);
        let contents = json!({ "kind": "markdown", "value": hover.text });
        Ok(json!({ "contents": contents, "range": range.first() }))
    }

    fn completion(&mut self, given: &CompletionParams) -> Answer {
        let (path, at) = self.place(&given.text_document_position)?;
        let found = language::complete(&self.context(), &path, at);
        let place = |it: &language::Completion| Location {
            path: path.clone(),
            start: it.range.start,
            end: it.range.end,
        };
        // All replace the same word.
        let place = found.first().map(place);
        let range = place.map(|place| self.converter().ranges(&[&place]));
        let range = range.and_then(|ranges| ranges.first().copied()).unwrap_or_default();
        let item = |(number, it): (usize, &language::Completion)| {
            json!({
                "label": it.label,
                "kind": completion_kind(it.kind),
                "detail": it.detail,
                "sortText": format!("{number:05}"),
                "insertTextFormat": InsertTextFormat::PLAIN_TEXT,
                "textEdit": { "range": range, "newText": it.text },
            })
        };
        Ok(Value::Array(found.iter().enumerate().map(item).collect()))
    }

    fn definition(&mut self, given: &GotoDefinitionParams) -> Answer {
        let (path, at) = self.place(&given.text_document_position_params)?;
        let found = language::definition(&self.context(), &path, at);
        Ok(self.converter().locations(&found))
    }

    fn references(&mut self, given: &ReferenceParams) -> Answer {
        let (path, at) = self.place(&given.text_document_position)?;
        let with_declarations = given.context.include_declaration;
        let found = language::references(&self.context(), &path, at, with_declarations);
        Ok(self.converter().locations(&found))
    }

    fn prepare_rename(&mut self, given: &TextDocumentPositionParams) -> Answer {
        let (path, at) = self.place(given)?;
        let Some(found) = language::renamed(&self.context(), &path, at) else {
            return Ok(Value::Null);
        };
        let range = self.converter().ranges(&[&found.place]);
        Ok(json!({ "range": range.first(), "placeholder": found.name }))
    }

    fn rename(&mut self, given: &RenameParams) -> Answer {
        let (path, at) = self.place(&given.text_document_position)?;
        let edits = language::rename(&self.context(), &path, at, &given.new_name)
            .map_err(|error| Refusal::new(ErrorCode::RequestFailed, error.to_string()))?;
        let with_versions = self.client.document_changes;
        Ok(self.converter().edits(&edits, with_versions))
    }

    /// The smallest edit that gives the text its canonical form, so that cursors and marks elsewhere stay where they are.
    fn formatting(&mut self, given: &DocumentFormattingParams) -> Answer {
        let path = self.path(&given.text_document.uri)?;
        // A text with errors is left as it is; its problems are shown anyway.
        let Ok(Some(canonical)) = language::formatted(&self.context(), &path) else {
            return Ok(json!([]));
        };
        let mut converter = self.converter();
        let text = converter.text(&path);
        let same = |(old, new): &(char, char)| old == new;
        let before: usize =
            text.chars().zip(canonical.chars()).take_while(same).map(|(it, _)| it.len_utf8()).sum();
        let (old, new) = (&text[before..], &canonical[before..]);
        let after: usize = old
            .chars()
            .rev()
            .zip(new.chars().rev())
            .take_while(same)
            .map(|(it, _)| it.len_utf8())
            .sum();
        // A line end of two characters is not cut in half.
        let before = if text[..before].ends_with('\r') { before - 1 } else { before };
        let end = text.len() - after;
        let end = if text[end..].starts_with('\n') && text[..end].ends_with('\r') {
            end + 1
        } else {
            end
        };
        let after = text.len() - end;
        let place = Location { path, start: before, end };
        let range = converter.ranges(&[&place]);
        let new = &canonical[before..canonical.len() - after];
        Ok(json!([{ "range": range.first(), "newText": new }]))
    }

    fn symbols(&mut self, given: &DocumentSymbolParams) -> Answer {
        let path = self.path(&given.text_document.uri)?;
        let found = language::symbols(&self.context(), &path);
        let is_nested = self.client.nested_symbols;
        Ok(self.converter().symbols(&path, &found, is_nested))
    }

    fn folds(&mut self, given: &FoldingRangeParams) -> Answer {
        let path = self.path(&given.text_document.uri)?;
        let found = language::symbols(&self.context(), &path);
        value(self.converter().folds(&path, &found))
    }

    /// The corrections of the problems in a range.
    fn actions(&mut self, given: CodeActionParams) -> Answer {
        let path = self.path(&given.text_document.uri)?;
        let wanted = given.context.only.unwrap_or_default();
        let is_wanted = |kind: &lsp_types::CodeActionKind| "quickfix".starts_with(kind.as_str());
        if !wanted.is_empty() && !wanted.iter().any(is_wanted) {
            return Ok(json!([]));
        }
        let problems = language::diagnose(&self.context(), &path);
        let with_versions = self.client.document_changes;
        let mut converter = self.converter();
        let start = converter.offset(&path, given.range.start);
        let end = converter.offset(&path, given.range.end);
        let mut actions = Vec::new();
        for problem in problems {
            if problem.place.end < start || end < problem.place.start {
                continue;
            }
            for (number, fix) in problem.fixes.iter().enumerate() {
                let edit = converter.edits(std::slice::from_ref(&fix.edit), with_versions);
                let diagnostics = converter.problems(std::slice::from_ref(&problem));
                actions.push(json!({
                    "title": fix.title,
                    "kind": "quickfix",
                    "diagnostics": diagnostics,
                    "isPreferred": number == 0,
                    "edit": edit,
                }));
            }
        }
        Ok(Value::Array(actions))
    }

    fn lenses(&mut self, given: CodeLensParams) -> Answer {
        let uri = given.text_document.uri;
        let path = self.path(&uri)?;
        let found = language::lenses(&self.context(), &path);
        let place = |it: &language::Lens| Location {
            path: path.clone(),
            start: it.range.start,
            end: it.range.end,
        };
        let places: Vec<Location> = found.iter().map(place).collect();
        let ranges = self.converter().ranges(&places.iter().collect::<Vec<_>>());
        let lens = |(lens, range): (&language::Lens, lsp_types::Range)| {
            let latest = self.jobs.latest.get(&(path.clone(), lens.selector.clone()));
            let title = match latest {
                Some(summary) => format!("analyze (last: {summary})"),
                None => "analyze".to_owned(),
            };
            let argument = json!({ "uri": uri.as_str(), "selector": lens.selector });
            let command = json!({ "title": title, "command": ANALYZE, "arguments": [argument] });
            json!({ "range": range, "command": command })
        };
        Ok(Value::Array(found.iter().zip(ranges).map(lens).collect()))
    }
}

/// What the server can do.
fn capabilities_with(encoding: Encoding) -> ServerCapabilities {
    let no_progress = WorkDoneProgressOptions::default();
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(lsp_types::TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                [">", "-", ":", "!", "?", "@", "[", ".", "\"", "="].map(str::to_owned).to_vec(),
            ),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: no_progress,
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![lsp_types::CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![ANALYZE.to_owned()],
            work_done_progress_options: no_progress,
        }),
        ..ServerCapabilities::default()
    }
}
