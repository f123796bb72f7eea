//! Splits a text into lines for the preprocessor, and finds the lines that belong to one block,
//! such as `!if` and `!endif`.

use crate::diagram::plantuml::line::Line;

/// Lines, with the structure of their blocks.
pub(super) struct Script<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// For each line that opens or divides a block: the line that divides or closes it next; the number of
    /// lines if there is none.
    pub(super) next: Vec<usize>,
    /// For each line that closes a block: the line that opens it; the number of lines if there is
    /// none.
    pub(super) open: Vec<usize>,
}

impl<'a> Script<'a> {
    pub(super) fn new(lines: Vec<Line<'a>>) -> Script<'a> {
        let count = lines.len();
        let (mut next, mut open) = (vec![count; count], vec![count; count]);
        // The open blocks: the word that closes each, its first line, and the line that divided it last.
        let mut blocks: Vec<Block> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(text) = line.text().strip_prefix('!') else { continue };
            let (word, _) = word(text);
            match word.as_str() {
                "elseif" | "else" => {
                    if let Some(block) = blocks.last_mut().filter(|block| block.close == "endif") {
                        next[block.last] = at;
                        block.last = at;
                    }
                }
                "endif" | "endwhile" | "endfor" | "endprocedure" | "endfunction"
                | "enddefinelong" => {
                    // An end word also closes the blocks that are still open inside its block.
                    if let Some(found) = blocks.iter().rposition(|block| block.close == word) {
                        let block = &blocks[found];
                        next[block.last] = at;
                        open[at] = block.first;
                        blocks.truncate(found);
                    }
                }
                _ => {
                    if let Some(close) = closer(line.text()) {
                        blocks.push(Block { close, first: at, last: at });
                    }
                }
            }
        }
        Script { lines, next, open }
    }

    /// The line after the block that the line at `at` divides.
    pub(super) fn close(&self, at: usize) -> usize {
        let mut at = at;
        while let Some(&next) = self.next.get(at)
            && next < self.lines.len()
        {
            at = next;
        }
        at + 1
    }
}

struct Block {
    close: &'static str,
    first: usize,
    last: usize,
}

/// The word that closes the block which a line opens.
fn closer(text: &str) -> Option<&'static str> {
    let (word, rest) = word(text.strip_prefix('!')?);
    match word.as_str() {
        "if" | "ifdef" | "ifndef" => Some("endif"),
        "while" => Some("endwhile"),
        "foreach" => Some("endfor"),
        "definelong" => Some("enddefinelong"),
        "unquoted" | "final" => closer(&format!("!{}", rest.trim_start())),
        // A declaration that contains `!return`, such as `!function $f($x) !return $x`, is complete
        // on one line.
        "procedure" | "function" if rest.contains("!return") => None,
        "procedure" => Some("endprocedure"),
        "function" => Some("endfunction"),
        _ => None,
    }
}

/// Whether a line opens a block.
pub(super) fn opens(text: &str) -> bool {
    closer(text).is_some()
}

/// The first word after a `!`, in lower case, and the rest. Blanks may stand between them, as in `! include`.
pub(super) fn word(text: &str) -> (String, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let word = text[..end].to_ascii_lowercase();
    // PlantUML accepts `!endprocedure`, but not `!end procedure`.
    (word, text[end..].trim_start())
}

/// The name of a variable, procedure or macro at the start of a text, with its `$` or `%`.
pub(super) fn name(text: &str) -> &str {
    let sign = usize::from(text.starts_with(['$', '%']));
    let length = text[sign..].find(|c: char| c != '_' && !c.is_alphanumeric());
    let end = sign + length.unwrap_or(text.len() - sign);
    if end == sign || text[sign..].starts_with(|c: char| c.is_numeric()) {
        ""
    } else {
        &text[..end]
    }
}
