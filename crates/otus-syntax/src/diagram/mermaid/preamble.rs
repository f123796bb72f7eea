//! The preamble of a Mermaid diagram: front matter, settings, comments, and the kind of diagram.

/// The first words of the other kinds of Mermaid diagrams.
const OTHERS: &str = "graph flowchart flowchart-elk classDiagram classDiagram-v2 stateDiagram \
    stateDiagram-v2 erDiagram journey gantt pie quadrantChart requirement requirementDiagram \
    gitGraph C4Context C4Container C4Component C4Dynamic C4Deployment mindmap timeline zenuml \
    sankey sankey-beta xychart xychart-beta block block-beta packet packet-beta kanban \
    architecture architecture-beta radar-beta treemap treemap-beta treeView-beta venn-beta \
    ishikawa ishikawa-beta info eventmodeling swimlane-beta usecase-beta";

/// The kind of a Mermaid diagram that is not a sequence diagram; `None` for a sequence diagram and for a
/// text without a kind.
///
/// ```
/// use otus_syntax::diagram::mermaid::other_diagram;
///
/// assert_eq!(other_diagram("flowchart LR\n  a --> b"), Some("flowchart"));
/// assert_eq!(other_diagram("sequenceDiagram\n  a->>b: m"), None);
/// ```
pub fn other_diagram(text: &str) -> Option<&'static str> {
    other_kind(body(text))
}

/// Whether a text is a Mermaid sequence diagram, by the first word after its preamble.
pub(in crate::diagram) fn is_diagram(text: &str) -> bool {
    super::lexis::word(body(text)) == "sequenceDiagram"
}

/// The text after front matter, settings and comments.
fn body(text: &str) -> &str {
    let mut rest = &text[front_matter(text).map_or(0, |(_, end)| end)..];
    loop {
        rest = rest.trim_start();
        if rest.starts_with("%%{") {
            rest = rest.find("}%%").map_or("", |at| &rest[at + 3..]);
        } else if rest.starts_with("%%") {
            rest = rest.find('\n').map_or("", |at| &rest[at..]);
        } else {
            return rest;
        }
    }
}

/// The kind of diagram that a line begins, if it is not a sequence diagram.
pub(super) fn other_kind(line: &str) -> Option<&'static str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let end = line.find(|c: char| !is_word(c)).unwrap_or(line.len());
    // An arrow may follow a participant that is called like a diagram (`info->>B: m`).
    if line[end..].starts_with('>') {
        return None;
    }
    OTHERS.split(' ').find(|&kind| kind == &line[..end])
}

/// The front matter between two `---` lines at the start of a text: its beginning and its end. An
/// unclosed one ends after its first line.
pub(super) fn front_matter(text: &str) -> Option<(usize, usize)> {
    let start = text.len() - text.trim_start().len();
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next()?;
    if first.trim() != "---" {
        return None;
    }
    let mut at = start + first.len();
    for line in lines {
        at += line.len();
        if line.trim() == "---" {
            return Some((start, at));
        }
    }
    Some((start, start + first.len()))
}
