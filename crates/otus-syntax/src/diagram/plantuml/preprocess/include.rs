//! Files that a text includes.
//!
//! Paths are relative to the file that includes, and stay within the folder of the diagram, so that a diagram
//! of a stranger cannot read other files. The standard library of PlantUML (`<C4/C4_Context>`) and addresses are
//! not read: there is no network here.

use std::rc::Rc;

use super::block::Script;
use super::{Line, MAX_LINES, Preprocessor};
use crate::diagnostic::Severity;
use crate::diagram::plantuml::line::{self, Lines};
use crate::source::{Span, offset};

/// Gives the text of a file, by its path relative to the folder of the diagram; `None` if there is none. The path
/// has `/` between its parts, and no `..`.
pub type Include<'a> = dyn FnMut(&str) -> Option<String> + 'a;

impl Preprocessor<'_, '_, '_> {
    pub(super) fn include_file(&mut self, word: &str, rest: &str, line: &Line<'_>, folder: &str) {
        let span = line.whole();
        let written = rest.trim().trim_matches('"');
        let (file, part) = match written.rsplit_once('!') {
            Some((file, part)) => (file.trim_end(), Some(part.trim())),
            None => (written, None),
        };
        let is_address =
            ["http://", "https://", "ftp://"].iter().any(|start| file.starts_with(start));
        if is_address || file.starts_with('<') || word == "includeurl" || word == "import" {
            let message = format!("`{file}` is not read, so what it defines is missing");
            let help = "only files beside the diagram are included; nothing is fetched";
            self.remark(Severity::Note, span, message, help);
            return;
        }
        let Some(path) = within(folder, file) else {
            let message =
                format!("`{file}` is not read: it is outside of the folder of the diagram");
            let help = "copy it beside the diagram; other files are not read";
            self.remark(Severity::Warning, span, message, help);
            return;
        };
        // `!include_once` includes a file, or a named part of a file, only once.
        let key = format!("{path}!{}", part.unwrap_or(""));
        if word == "include_once" && self.included.contains(&key) {
            return;
        }
        let Some(include) = &mut self.include else {
            let message = format!("`{path}` is not read, so what it defines is missing");
            self.remark(Severity::Warning, span, message, "give Otus the file, not only its text");
            return;
        };
        let Some(text) = include(&path) else {
            let message = format!("there is no file `{path}` to include");
            let help = "check the path; it is relative to the file that includes it";
            self.remark(Severity::Error, span, message, help);
            return;
        };
        self.included.push(key);
        if self.lines.len() + text.len() / 2 > MAX_LINES * 64 {
            self.give_up(span, "the included files are too large");
            return;
        }
        let lines = if word == "includesub" {
            part_of(&text, part.unwrap_or(""), span)
        } else {
            content_of(&text, part, span)
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let script = Rc::new(Script::new(lines));
        let whole = 0..script.lines.len();
        self.run(&script, whole, folder);
    }
}

/// The path of a file relative to the folder of the diagram; `None` if it is not inside.
fn within(folder: &str, file: &str) -> Option<String> {
    let file = file.replace('\\', "/");
    if file.is_empty() || file.starts_with('/') || file.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn whole(text: &str) -> Span {
    Span::new(0, offset(text.len().min(u32::MAX as usize)))
}

fn expanded(text: &str, range: Span, origin: Span) -> Vec<Line<'static>> {
    Lines::new(text, range)
        .map(|line| Line::expanded(line.text(), origin).indented(line.indent()))
        .collect()
}

/// The lines of a file; if it has diagrams, those of the first, or of the one with this number or name.
fn content_of(text: &str, part: Option<&str>, origin: Span) -> Vec<Line<'static>> {
    let diagrams = line::diagrams(text, whole(text));
    let wanted = match part {
        None => diagrams.first(),
        Some(part) => match part.parse::<usize>() {
            Ok(number) => diagrams.get(number),
            Err(_) => diagrams.iter().find(|diagram| {
                let start = &text[diagram.start.range()];
                start.contains(&format!("id={part})"))
                    || start.split_whitespace().nth(1) == Some(part)
            }),
        },
    };
    expanded(text, wanted.map_or(whole(text), |diagram| diagram.content), origin)
}

/// The lines between `!startsub NAME` and `!endsub`.
fn part_of(text: &str, name: &str, origin: Span) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in expanded(text, whole(text), origin) {
        let words: Vec<&str> = line.text().split_whitespace().collect();
        match words[..] {
            ["!startsub", part] => inside = part == name,
            ["!endsub"] => inside = false,
            _ if inside => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn paths_stay_within_the_folder() {
        assert_eq!(within("", "a.iuml").as_deref(), Some("a.iuml"));
        assert_eq!(within("x/y", "../a.iuml").as_deref(), Some("x/a.iuml"));
        assert_eq!(within("", "./x\\a.iuml").as_deref(), Some("x/a.iuml"));
        for outside in ["../a", "/etc/passwd", "x/../../a", "C:\\a", "", "."] {
            assert_eq!(within("", outside), None, "{outside}");
        }
    }
}
