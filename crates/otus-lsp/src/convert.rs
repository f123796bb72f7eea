//! Answers of the core in the words of the protocol.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    CompletionItemKind, DiagnosticSeverity, FoldingRange, FoldingRangeKind, Position,
    SymbolKind as Kind,
};
use otus::Files as _;
use otus::language::{CompletionKind, Edit, Level, Location, Problem, Symbol, SymbolKind};
use serde_json::{Value, json};

use crate::documents::Documents;
use crate::overlay::Overlay;
use crate::position::{Encoding, Lines};

/// Converts places of one answer. Each text is read once.
pub(crate) struct Converter<'d> {
    documents: &'d Documents,
    files: Overlay,
    encoding: Encoding,
    texts: BTreeMap<PathBuf, Arc<String>>,
}

impl<'d> Converter<'d> {
    pub(crate) fn new(
        documents: &'d Documents,
        files: Overlay,
        encoding: Encoding,
    ) -> Converter<'d> {
        Converter { documents, files, encoding, texts: BTreeMap::new() }
    }

    /// The text of a file; empty if it is gone, or too large to be looked at.
    pub(crate) fn text(&mut self, path: &Path) -> Arc<String> {
        if let Some(text) = self.texts.get(path) {
            return text.clone();
        }
        let text = self.files.text(path).unwrap_or_else(|| {
            let is_small =
                self.files.size(path).is_some_and(|size| size <= otus::language::LARGEST);
            let bytes =
                if is_small { self.files.read(path).unwrap_or_default() } else { Vec::new() };
            Arc::new(String::from_utf8(bytes).unwrap_or_default())
        });
        self.texts.insert(path.to_owned(), text.clone());
        text
    }

    pub(crate) fn offset(&mut self, path: &Path, position: Position) -> usize {
        let text = self.text(path);
        Lines::new(&text, self.encoding).offset(position)
    }

    /// The ranges of places, which may be in several files.
    pub(crate) fn ranges(&mut self, places: &[&Location]) -> Vec<lsp_types::Range> {
        let mut found = Vec::with_capacity(places.len());
        let mut at = 0;
        while let Some(first) = places.get(at) {
            let text = self.text(&first.path);
            let lines = Lines::new(&text, self.encoding);
            let same = places[at..].iter().take_while(|it| it.path == first.path);
            let before = found.len();
            found.extend(same.map(|it| lines.range(it.range())));
            at += found.len() - before;
        }
        found
    }

    pub(crate) fn locations(&mut self, places: &[Location]) -> Value {
        let all: Vec<&Location> = places.iter().collect();
        let ranges = self.ranges(&all);
        let location = |(place, range): (&Location, lsp_types::Range)| json!({ "uri": self.documents.uri(&place.path), "range": range });
        Value::Array(places.iter().zip(ranges).map(location).collect())
    }

    /// The problems of one document.
    pub(crate) fn problems(&mut self, problems: &[Problem]) -> Vec<Value> {
        let places: Vec<&Location> = problems.iter().map(|it| &it.place).collect();
        let ranges = self.ranges(&places);
        problems.iter().zip(ranges).map(|(problem, range)| self.problem(problem, range)).collect()
    }

    pub(crate) fn problem(&mut self, problem: &Problem, range: lsp_types::Range) -> Value {
        let severity = match problem.level {
            Level::Note => DiagnosticSeverity::INFORMATION,
            Level::Warning => DiagnosticSeverity::WARNING,
            Level::Error => DiagnosticSeverity::ERROR,
        };
        let message = match &problem.help {
            Some(help) => format!("{}\nhelp: {help}", problem.message),
            None => problem.message.clone(),
        };
        let mut value = json!({
            "range": range,
            "severity": severity,
            "source": "otus",
            "message": message,
        });
        if !problem.code.is_empty() {
            value["code"] = json!(problem.code);
        }
        if !problem.related.is_empty() {
            let places: Vec<&Location> = problem.related.iter().map(|(place, _)| place).collect();
            let ranges = self.ranges(&places);
            let related = problem.related.iter().zip(ranges).map(|((place, text), range)| {
                let message = if text.is_empty() { "related" } else { text };
                let location = json!({ "uri": self.documents.uri(&place.path), "range": range });
                json!({ "location": location, "message": message })
            });
            value["relatedInformation"] = related.collect();
        }
        value
    }

    /// Edits of files. Clients that know versions are told those of open documents, so that they refuse edits of other texts.
    pub(crate) fn edits(&mut self, edits: &[Edit], with_versions: bool) -> Value {
        let places: Vec<&Location> = edits.iter().map(|edit| &edit.place).collect();
        let ranges = self.ranges(&places);
        let mut by_path: BTreeMap<&Path, Vec<Value>> = BTreeMap::new();
        for (edit, range) in edits.iter().zip(ranges) {
            let value = json!({ "range": range, "newText": edit.text });
            by_path.entry(&edit.place.path).or_default().push(value);
        }
        if !with_versions {
            let changes = by_path
                .into_iter()
                .map(|(path, edits)| (self.documents.uri(path), Value::Array(edits)));
            return json!({ "changes": changes.collect::<serde_json::Map<_, _>>() });
        }
        let changes = by_path.into_iter().map(|(path, edits)| {
            let version = self.documents.get(path).map(|it| it.version);
            let document = json!({ "uri": self.documents.uri(path), "version": version });
            json!({ "textDocument": document, "edits": edits })
        });
        json!({ "documentChanges": changes.collect::<Vec<_>>() })
    }

    /// The outline of a file: nested, or as a list for clients that know no other.
    pub(crate) fn symbols(&mut self, path: &Path, symbols: &[Symbol], is_nested: bool) -> Value {
        let text = self.text(path);
        let lines = Lines::new(&text, self.encoding);
        let mut found = Vec::new();
        if is_nested {
            found.extend(symbols.iter().map(|it| nested(it, &lines)));
        } else {
            let uri = self.documents.uri(path);
            flat(symbols, &lines, &uri, &mut found);
        }
        Value::Array(found)
    }

    /// The parts of a file that can be folded: those with more than a line.
    pub(crate) fn folds(&mut self, path: &Path, symbols: &[Symbol]) -> Vec<FoldingRange> {
        let text = self.text(path);
        let lines = Lines::new(&text, self.encoding);
        let mut found = Vec::new();
        let mut pending: Vec<&Symbol> = symbols.iter().collect();
        while let Some(symbol) = pending.pop() {
            pending.extend(&symbol.children);
            let written = text.get(symbol.range.clone()).unwrap_or_default().trim_end();
            let end = symbol.range.start + written.len();
            let range = lines.range(symbol.range.start..end);
            if range.start.line < range.end.line {
                found.push(FoldingRange {
                    start_line: range.start.line,
                    end_line: range.end.line,
                    kind: Some(FoldingRangeKind::Region),
                    ..FoldingRange::default()
                });
            }
        }
        found.sort_by_key(|fold| (fold.start_line, fold.end_line));
        found.dedup();
        found
    }
}

fn nested(symbol: &Symbol, lines: &Lines<'_>) -> Value {
    // The outline has two levels below its roots, so this does not recurse deeply.
    json!({
        "name": name(symbol),
        "detail": symbol.detail,
        "kind": kind(symbol.kind),
        "range": lines.range(symbol.range.clone()),
        "selectionRange": lines.range(symbol.selection.clone()),
        "children": symbol.children.iter().map(|it| nested(it, lines)).collect::<Vec<_>>(),
    })
}

fn flat(symbols: &[Symbol], lines: &Lines<'_>, uri: &str, found: &mut Vec<Value>) {
    for symbol in symbols {
        let location = json!({ "uri": uri, "range": lines.range(symbol.range.clone()) });
        found
            .push(json!({ "name": name(symbol), "kind": kind(symbol.kind), "location": location }));
        flat(&symbol.children, lines, uri, found);
    }
}

/// Editors refuse symbols without a name.
fn name(symbol: &Symbol) -> &str {
    if symbol.name.trim().is_empty() { "\u{2205}" } else { &symbol.name }
}

fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Lifeline => Kind::CLASS,
        SymbolKind::Message => Kind::EVENT,
        SymbolKind::Field => Kind::FIELD,
        SymbolKind::Variable => Kind::VARIABLE,
        SymbolKind::Interaction => Kind::NAMESPACE,
        SymbolKind::Component => Kind::OBJECT,
        SymbolKind::Section => Kind::PROPERTY,
        SymbolKind::Formula => Kind::FUNCTION,
    }
}

pub(crate) fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Operator => CompletionItemKind::FUNCTION,
        CompletionKind::Lifeline => CompletionItemKind::CLASS,
        CompletionKind::Message => CompletionItemKind::EVENT,
        CompletionKind::Key => CompletionItemKind::PROPERTY,
        CompletionKind::Value => CompletionItemKind::VALUE,
    }
}
