//! The opening lines of fences, and front matter.

use super::Language;

/// The opening line of a fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marker<'a> {
    sign: char,
    length: usize,
    info: &'a str,
}

impl<'a> Marker<'a> {
    /// The fence that a line opens.
    pub(super) fn of(line: &'a str) -> Option<Marker<'a>> {
        let line = line.trim();
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = line.trim_start_matches(sign);
        let length = line.len() - info.len();
        // Backticks with another backtick after them are inline code.
        let is_fence = length >= 3 && (sign == '~' || !info.contains('`'));
        is_fence.then(|| Marker { sign, length, info: info.trim() })
    }

    /// The language of the diagram in the fence, if its info string names one.
    pub(super) fn language(&self) -> Option<Language> {
        let end = self.info.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.info.len());
        match self.info[..end].to_ascii_lowercase().as_str() {
            "mermaid" => Some(Language::Mermaid),
            "plantuml" | "puml" => Some(Language::PlantUml),
            _ => None,
        }
    }

    pub(super) fn closing_line(&self) -> String {
        self.sign.to_string().repeat(self.length.min(80))
    }
}

pub(super) fn opens_diagram(line: &str) -> bool {
    Marker::of(line).is_some_and(|marker| marker.language().is_some())
}

/// The end of the front matter (`---` … `---`) of a document; 0 if it has none.
pub(super) fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return 0 };
    let mut at = first.len();
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return at;
        }
    }
    0
}
