//! `otus:` directives: what the diagrams lack, said in their comments.
//!
//! Mermaid (`%% otus: strict`) and PlantUML (`' otus: strict`) share this little language, so
//! that a diagram still renders everywhere and yet says all that an interaction can say.
//!
//! ```text
//! otus: strict | seq | par | alt | coreg(l1, l2) | broadcast     opens a block
//! otus: end                                                      closes it
//! otus: loopS | loopW | loopH | loopP | loopC(l1, l2)            the kind of the next loop
//! otus: synch                                                    the next arrow is one step
//! otus: empty                                                    the empty interaction
//! otus: environment NAME                                         NAME is the outside
//! otus: name ALIAS NAME                                          ALIAS stands for NAME
//! otus: lifeline l1, l2                                          declares lifelines
//! otus: message m1, m2                                           declares messages
//! ```
//!
//! A name is plain (no space, comma, parenthesis or quote in it) or quoted, with the escapes
//! `\"`, `\\`, `\n`, `\r`, `\t` and `\u{2028}`. Invariant: `read(write(kind)) = kind` for every statement
//! that has a directive form.

use std::fmt::Write as _;

use crate::ast::LoopKind;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::statement::{Block, Fragment, Mark, Repetition, StatementKind};
use crate::name::{self, Name, Names};
use crate::source::{SourceId, Span, offset};
use crate::suggest;

/// Reads the text of a comment that begins at byte `at`. `None` if it is not a directive;
/// an unknown or malformed directive is `None` too, with a diagnostic, unless it is clear which
/// one was meant.
pub fn read(
    source: SourceId,
    text: &str,
    at: u32,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<StatementKind> {
    let body = body(text)?;
    let position = text.len() - body.len();
    let mut cursor = Cursor { text, position, at, names, fault: None };
    let (kind, fault) = match cursor.directive() {
        Ok(kind) => (Some(kind), None),
        Err(fault) => (None, Some(fault)),
    };
    // What else is wrong with a directive that is not spelt right is a guess and left out.
    if let Some(fault) = cursor.fault.or(fault) {
        diagnostics.push(
            Diagnostic::new(fault.code, source, fault.span, fault.message).with_help(fault.help),
        );
    }
    kind
}

/// The text of a directive (from `otus:` on, without the comment sign), for statements that have one.
pub fn write(kind: &StatementKind, names: &Names) -> Option<String> {
    let mut text = String::from("otus: ");
    match kind {
        StatementKind::Open(Fragment::Block(Block::Loop(_))) => return None,
        StatementKind::Open(Fragment::Block(block)) => write_block(&mut text, block, names),
        StatementKind::Close => text.push_str("end"),
        StatementKind::Mark(Mark::Synchronous) => text.push_str("synch"),
        StatementKind::Mark(Mark::LoopKind(kind)) => write_loop(&mut text, kind, names),
        StatementKind::Mark(Mark::Environment(name)) => {
            text.push_str("environment ");
            write_name(&mut text, *name, names);
        }
        StatementKind::Mark(Mark::Rename { alias, name }) => {
            text.push_str("name ");
            write_name(&mut text, *alias, names);
            text.push(' ');
            write_name(&mut text, *name, names);
        }
        StatementKind::Empty => text.push_str("empty"),
        StatementKind::Lifelines(list) => {
            text.push_str("lifeline ");
            write_names(&mut text, list, names);
        }
        StatementKind::Messages(list) => {
            text.push_str("message ");
            write_names(&mut text, list, names);
        }
        StatementKind::Participant { .. }
        | StatementKind::Message { .. }
        | StatementKind::Open(
            Fragment::Alt
            | Fragment::Opt
            | Fragment::Par
            | Fragment::Loop(_)
            | Fragment::Break
            | Fragment::Frame,
        )
        | StatementKind::Next(_) => return None,
    }
    Some(text)
}

/// The operator a block label names (`strict`, `coreg(l1, l2)`), if it names one. `at` is the
/// byte offset of the label.
///
/// Only the exact spelling of an operator counts; any other label is the author's free text.
pub fn block(label: &str, at: u32, names: &mut Names) -> Option<Block> {
    let word = label.trim_start().split(|c: char| !is_keyword_char(c)).next().unwrap_or("");
    let keyword = keyword(word)?;
    let mut cursor = Cursor { text: label, position: 0, at, names, fault: None };
    cursor.skip_spaces();
    cursor.position += word.len();
    let block = match keyword {
        Keyword::Block(block) => block,
        Keyword::Coreg => Block::Coreg(cursor.region(word).ok()?),
        Keyword::Loop(kind) => Block::Loop(kind),
        Keyword::LoopCoregion => Block::Loop(LoopKind::Coregion(cursor.region(word).ok()?)),
        Keyword::End
        | Keyword::Synch
        | Keyword::Environment
        | Keyword::Rename
        | Keyword::Empty
        | Keyword::Lifeline
        | Keyword::Message => return None,
    };
    cursor.skip_spaces();
    cursor.rest().is_empty().then_some(block)
}

/// The operator that a label of one word nearly names, if it does not name one.
pub fn nearly_block(label: &str) -> Option<&'static str> {
    let word = label.split('(').next().unwrap_or("").trim();
    let one_word = !word.is_empty() && word.len() < 20 && word.chars().all(is_keyword_char);
    let meant = if one_word { suggest::nearest(word, BLOCKS)? } else { return None };
    (meant != word).then_some(meant)
}

/// The operators that a block can be.
const BLOCKS: [&str; 9] =
    ["strict", "seq", "coreg", "broadcast", "loopS", "loopW", "loopH", "loopP", "loopC"];

/// The label that [`block`] reads back as this block.
pub fn block_label(block: &Block, names: &Names) -> String {
    let mut text = String::new();
    write_block(&mut text, block, names);
    text
}

/// How often a loop with this label repeats.
///
/// Understood are an empty label and `*`; `3`, `(3)`, `3 times`, `once`, `twice`; `2..5`, `(2,5)`,
/// `2 to 5 times`, `between 2 and 5 times`; `1..*`, `(1,*)`, `2..`, `2 or more times`,
/// `at least 2 times`; `at most 5 times`, `up to 5 times`; `any number of times`. Anything else,
/// and numbers that do not fit, is free text.
pub fn repetition(label: &str) -> Repetition {
    const FREE: Repetition = Repetition { least: 0, most: None, stated: false };
    // Longer labels are prose; not looking at them keeps this constant in the label's length.
    if label.trim().len() > 64 {
        return FREE;
    }
    let label = label.trim().to_ascii_lowercase();
    match times(unbracketed(label.strip_prefix("loop").unwrap_or(&label))) {
        Some((least, most)) if most.is_none_or(|most| least <= most) => {
            Repetition { least, most, stated: true }
        }
        Some(_) | None => FREE,
    }
}

/// The label that [`repetition`] reads back as this repetition.
pub fn repetition_label(repetition: Repetition) -> String {
    match repetition {
        Repetition { stated: false, .. } => String::from("repeatedly"),
        Repetition { least: 0, most: None, .. } => String::new(),
        Repetition { least, most: None, .. } => format!("{least}..*"),
        Repetition { least: 1, most: Some(1), .. } => String::from("once"),
        Repetition { least, most: Some(most), .. } if least == most => format!("{least} times"),
        Repetition { least, most: Some(most), .. } => format!("{least}..{most}"),
    }
}

/// What follows `otus:`, if the text begins so.
fn body(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (word, rest) = text.split_once(':')?;
    word.eq_ignore_ascii_case("otus").then_some(rest)
}

/// The words of the language.
enum Keyword {
    /// A block without a region.
    Block(Block),
    Coreg,
    /// A loop without a region.
    Loop(LoopKind),
    LoopCoregion,
    End,
    Synch,
    Environment,
    Rename,
    Empty,
    Lifeline,
    Message,
}

/// Every keyword, for suggestions and help.
const KEYWORDS: [&str; 18] = [
    "strict",
    "seq",
    "par",
    "alt",
    "coreg",
    "broadcast",
    "end",
    "loopS",
    "loopW",
    "loopH",
    "loopP",
    "loopC",
    "synch",
    "environment",
    "name",
    "empty",
    "lifeline",
    "message",
];

fn keyword(word: &str) -> Option<Keyword> {
    Some(match word {
        "strict" => Keyword::Block(Block::Strict),
        "seq" => Keyword::Block(Block::Seq),
        "par" => Keyword::Block(Block::Par),
        "alt" => Keyword::Block(Block::Alt),
        "broadcast" => Keyword::Block(Block::Broadcast),
        "coreg" => Keyword::Coreg,
        "loopS" | "loop_strict" => Keyword::Loop(LoopKind::Strict),
        "loopW" | "loop_seq" => Keyword::Loop(LoopKind::Weak),
        "loopH" => Keyword::Loop(LoopKind::HeadFirst),
        "loopP" | "loop_par" => Keyword::Loop(LoopKind::Parallel),
        "loopC" => Keyword::LoopCoregion,
        "end" => Keyword::End,
        "synch" => Keyword::Synch,
        "environment" => Keyword::Environment,
        "name" => Keyword::Rename,
        "empty" => Keyword::Empty,
        "lifeline" => Keyword::Lifeline,
        "message" => Keyword::Message,
        _ => return None,
    })
}

fn is_keyword_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// What is wrong with a directive.
struct Fault {
    code: Code,
    span: Span,
    message: String,
    help: String,
}

/// A place in the text of a directive.
struct Cursor<'a> {
    text: &'a str,
    position: usize,
    /// The offset of `text` in the source.
    at: u32,
    names: &'a mut Names,
    /// What is wrong with a directive that is nevertheless read as what was meant; or else its
    /// `otus: end` would be one too many.
    fault: Option<Fault>,
}

impl Cursor<'_> {
    fn directive(&mut self) -> Result<StatementKind, Fault> {
        self.skip_spaces();
        let start = self.position;
        let length = self.rest().find(|c| !is_keyword_char(c)).unwrap_or(self.rest().len());
        self.position += length;
        let mut word = &self.text[start..self.position];
        if keyword(word).is_none() {
            let fault = self.unknown(start);
            let Some(meant) = suggest::nearest(word, KEYWORDS) else { return Err(fault) };
            self.fault = Some(fault);
            word = meant;
        }
        let keyword = keyword(word).expect("suggestions are keywords");
        let kind = match keyword {
            Keyword::Block(block) => StatementKind::Open(Fragment::Block(block)),
            Keyword::Coreg => {
                let region = self.region("coreg").unwrap_or_else(|fault| {
                    self.fault.get_or_insert(fault);
                    self.position = self.text.len();
                    Vec::new()
                });
                StatementKind::Open(Fragment::Block(Block::Coreg(region)))
            }
            Keyword::Loop(kind) => StatementKind::Mark(Mark::LoopKind(kind)),
            Keyword::LoopCoregion => {
                StatementKind::Mark(Mark::LoopKind(LoopKind::Coregion(self.region("loopC")?)))
            }
            Keyword::End => StatementKind::Close,
            Keyword::Synch => StatementKind::Mark(Mark::Synchronous),
            Keyword::Environment => {
                StatementKind::Mark(Mark::Environment(self.name("`otus: environment NAME`")?))
            }
            Keyword::Rename => {
                let alias = self.name("`otus: name ALIAS NAME`")?;
                let name = self.name("`otus: name ALIAS NAME`")?;
                StatementKind::Mark(Mark::Rename { alias, name })
            }
            Keyword::Empty => StatementKind::Empty,
            Keyword::Lifeline => {
                StatementKind::Lifelines(self.list("`otus: lifeline l1, l2`", None)?)
            }
            Keyword::Message => StatementKind::Messages(self.list("`otus: message m1, m2`", None)?),
        };
        self.skip_spaces();
        if !self.rest().is_empty() {
            let end = self.text.trim_end().len().max(self.position);
            let span = self.span(self.position, end);
            self.fault.get_or_insert_with(|| Fault {
                code: Code::UNEXPECTED_TOKEN,
                span,
                message: format!("`otus: {word}` is complete before this"),
                help: String::from("one directive stands on a line; remove the rest"),
            });
        }
        Ok(kind)
    }

    fn unknown(&self, start: usize) -> Fault {
        let rest = self.text[start..].trim_end();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..length];
        let span = self.span(start, start + length);
        if word.is_empty() {
            return Fault {
                code: Code::UNEXPECTED_TOKEN,
                span,
                message: String::from("`otus:` is not followed by a directive"),
                help: known(),
            };
        }
        let help = match suggest::did_you_mean(word, KEYWORDS) {
            Some(suggestion) => suggestion,
            None => known(),
        };
        let message = format!("there is no directive `{}`", shortened(word));
        Fault { code: Code::UNKNOWN_DIRECTIVE, span, message, help }
    }

    /// `(l1, l2)`
    fn region(&mut self, word: &str) -> Result<Vec<Name>, Fault> {
        self.skip_spaces();
        if !self.rest().starts_with('(') {
            return Err(Fault {
                code: Code::MISSING_REGION,
                span: self.span(self.position, self.position),
                message: format!("`{word}` needs the lifelines it is concurrent on"),
                help: format!("write `{word}(l1, l2)`"),
            });
        }
        self.position += 1;
        self.skip_spaces();
        if self.rest().starts_with(')') {
            self.position += 1;
            return Ok(Vec::new());
        }
        self.list("`(l1, l2)`", Some(')'))
    }

    /// Names separated by commas, up to `close` if there is one.
    fn list(&mut self, shape: &str, close: Option<char>) -> Result<Vec<Name>, Fault> {
        let open = self.position;
        let mut list = Vec::new();
        loop {
            list.push(self.name(shape)?);
            self.skip_spaces();
            if self.rest().starts_with(',') {
                self.position += 1;
                continue;
            }
            let Some(close) = close else { return Ok(list) };
            if self.rest().starts_with(close) {
                self.position += close.len_utf8();
                return Ok(list);
            }
            return Err(Fault {
                code: Code::UNCLOSED_DELIMITER,
                span: self.span(open.saturating_sub(1), self.position),
                message: format!("the list of lifelines does not end with `{close}`"),
                help: format!("write {shape}"),
            });
        }
    }

    fn name(&mut self, shape: &str) -> Result<Name, Fault> {
        self.skip_spaces();
        let start = self.position;
        if self.rest().starts_with('"') {
            return self.quoted_name();
        }
        let length = self.rest().find(is_delimiter).unwrap_or(self.rest().len());
        if length == 0 {
            let found = self.rest().chars().next().map_or(0, char::len_utf8);
            return Err(Fault {
                code: Code::UNEXPECTED_TOKEN,
                span: self.span(start, start + found),
                message: String::from("a name was expected here"),
                help: format!("the directive reads {shape}; quote a name that has spaces in it"),
            });
        }
        self.position += length;
        let symbol = self.names.intern(&self.text[start..self.position]);
        Ok(Name { symbol, span: self.span(start, self.position) })
    }

    fn quoted_name(&mut self) -> Result<Name, Fault> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((index, c)) = characters.next() {
            match c {
                '"' => {
                    self.position = start + index + 1;
                    let span = self.span(start, self.position);
                    if text.is_empty() {
                        return Err(Fault {
                            code: Code::EMPTY_NAME,
                            span,
                            message: String::from("a name has at least one character"),
                            help: String::from("put the name between the quotes"),
                        });
                    }
                    return Ok(Name { symbol: self.names.intern(&text), span });
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((at, 'u')) => {
                        let Some((character, length)) = numbered(&self.rest()[at..]) else {
                            text.push('u');
                            continue;
                        };
                        text.push(character);
                        for _ in 1..length {
                            characters.next();
                        }
                    }
                    Some((_, escaped)) => text.push(escaped),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(Fault {
            code: Code::UNTERMINATED_QUOTE,
            span: self.span(start, self.text.trim_end().len()),
            message: String::from("the quoted name does not end on this line"),
            help: String::from("close it with `\"`; a quote inside is written `\\\"`"),
        })
    }

    fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.at + offset(start), self.at + offset(end))
    }
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"')
}

fn known() -> String {
    format!("the directives are {}", KEYWORDS.join(", "))
}

/// At most as much of a word as a message should repeat.
fn shortened(word: &str) -> String {
    if word.chars().count() <= 40 {
        return word.to_owned();
    }
    word.chars().take(40).chain(['…']).collect()
}

fn write_block(text: &mut String, block: &Block, names: &Names) {
    match block {
        Block::Strict => text.push_str("strict"),
        Block::Seq => text.push_str("seq"),
        Block::Par => text.push_str("par"),
        Block::Alt => text.push_str("alt"),
        Block::Broadcast => text.push_str("broadcast"),
        Block::Coreg(region) => {
            text.push_str("coreg(");
            write_names(text, region, names);
            text.push(')');
        }
        Block::Loop(kind) => write_loop(text, kind, names),
    }
}

fn write_loop(text: &mut String, kind: &LoopKind, names: &Names) {
    match kind {
        LoopKind::Strict => text.push_str("loopS"),
        LoopKind::Weak => text.push_str("loopW"),
        LoopKind::HeadFirst => text.push_str("loopH"),
        LoopKind::Parallel => text.push_str("loopP"),
        LoopKind::Coregion(region) => {
            text.push_str("loopC(");
            write_names(text, region, names);
            text.push(')');
        }
    }
}

fn write_names(text: &mut String, list: &[Name], names: &Names) {
    for (index, name) in list.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write_name(text, *name, names);
    }
}

fn write_name(text: &mut String, name: Name, names: &Names) {
    let name = names.text(name.symbol);
    if name::is_plain(name) && !name.is_empty() {
        text.push_str(name);
        return;
    }
    text.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\{c}");
            }
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // PlantUML ends lines at some of these.
            _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

/// The character of `u{2028}` and the length of that.
fn numbered(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("u{")?;
    let length = digits.bytes().take(7).position(|byte| byte == b'}')?;
    let digits = &digits[..length];
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| all)?)?;
    Some((character, length + 3))
}

/// Without one pair of brackets around the whole.
fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    [('[', ']'), ('(', ')')]
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close))
        .map_or(text, |inside| {
            let inside = inside.trim();
            // `[(2,5)]`: a guard around the bounds.
            inside.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(inside).trim()
        })
}

/// The bounds a label states, if it states any.
fn times(text: &str) -> Option<(u32, Option<u32>)> {
    match text {
        "" | "*" | "any number of times" => return Some((0, None)),
        "once" => return Some((1, Some(1))),
        "twice" => return Some((2, Some(2))),
        _ => {}
    }
    let text = match text.strip_suffix("times").or_else(|| text.strip_suffix("time")) {
        Some(shorter) => unbracketed(shorter),
        None => text,
    };
    let open = |text: &str| Some((number(text)?, None));
    let closed = |least: &str, most: &str| Some((number(least)?, Some(number(most)?)));
    if let Some(least) = text.strip_suffix("or more").or_else(|| text.strip_prefix("at least")) {
        return open(least);
    }
    if let Some(most) = text.strip_prefix("at most").or_else(|| text.strip_prefix("up to")) {
        return closed("0", most);
    }
    if let Some((least, most)) = text.strip_prefix("between").and_then(|t| t.split_once("and")) {
        return closed(least, most);
    }
    if let Some((least, most)) = ["..", ",", "to", "-"].iter().find_map(|by| text.split_once(by)) {
        return match most.trim() {
            "*" | "" => open(least),
            most => closed(least, most),
        };
    }
    closed(text, text)
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    // `parse` would take a sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The statement a comment says and what is reported about it.
    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let source = SourceId(0);
        let (mut names, mut diagnostics) = (Names::default(), Vec::new());
        let kind = read(source, text, 0, &mut names, &mut diagnostics);
        let mut shown = String::new();
        if let Some(kind) = &kind {
            let _ = write!(shown, "{}", write_back(kind, &names));
        }
        for diagnostic in &diagnostics {
            let span = diagnostic.primary.span;
            shown.push_str(if shown.is_empty() { "" } else { "\n" });
            let _ = write!(shown, "{} `{}` ", diagnostic.code, &text[span.range()]);
            let _ = write!(shown, "{}", diagnostic.message);
            let _ = write!(shown, "; {}", diagnostic.help.as_deref().unwrap_or("no help"));
        }
        expected.assert_eq(&shown);
    }

    fn write_back(kind: &StatementKind, names: &Names) -> String {
        write(kind, names).unwrap_or_else(|| format!("{kind:?}"))
    }

    #[test]
    fn comments_that_are_no_directives_are_silent() {
        for text in ["", " a comment", "otus is great", "todo: otus: strict", "fotus: strict"] {
            check(text, &expect![""]);
        }
    }

    #[test]
    fn every_directive_is_read_and_written() {
        check("otus: strict", &expect!["otus: strict"]);
        check("  OTUS:seq  ", &expect!["otus: seq"]);
        check("otus: par", &expect!["otus: par"]);
        check("otus: alt", &expect!["otus: alt"]);
        check("otus: broadcast", &expect!["otus: broadcast"]);
        check("otus: coreg(a,b)", &expect!["otus: coreg(a, b)"]);
        check("otus: coreg ( a , \"b c\" )", &expect![[r#"otus: coreg(a, "b c")"#]]);
        check("otus: coreg()", &expect!["otus: coreg()"]);
        check("otus: end", &expect!["otus: end"]);
        check("otus: loopS", &expect!["otus: loopS"]);
        check("otus: loop_seq", &expect!["otus: loopW"]);
        check("otus: loopH", &expect!["otus: loopH"]);
        check("otus: loop_par", &expect!["otus: loopP"]);
        check("otus: loopC(l1, l2)", &expect!["otus: loopC(l1, l2)"]);
        check("otus: synch", &expect!["otus: synch"]);
        check("otus: empty", &expect!["otus: empty"]);
        check("otus: environment my-db", &expect![[r#"otus: environment "my-db""#]]);
        check("otus: name p1 \"a b\"", &expect![[r#"otus: name p1 "a b""#]]);
        check("otus: lifeline a, b", &expect!["otus: lifeline a, b"]);
        check(
            r#"otus: message "\u{41}\u{}\u{110000}\u""#,
            &expect![[r#"otus: message "Au{}u{110000}u""#]],
        );
        check(r#"otus: message "\"\\\n", é"#, &expect![[r#"otus: message "\"\\\n", é"#]]);
    }

    #[test]
    fn faults_name_the_place_and_the_remedy() {
        check(
            "otus: stritc",
            &expect![[r#"
                otus: strict
                O0609 `stritc` there is no directive `stritc`; did you mean `strict`?"#]],
        );
        check(
            "otus: corge",
            &expect![[r#"
                otus: coreg()
                O0609 `corge` there is no directive `corge`; did you mean `coreg`?"#]],
        );
        check(
            "otus: critical",
            &expect![
                "O0609 `critical` there is no directive `critical`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, synch, environment, name, empty, lifeline, message"
            ],
        );
        check(
            "otus:",
            &expect![
                "O0204 `` `otus:` is not followed by a directive; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, synch, environment, name, empty, lifeline, message"
            ],
        );
        check(
            "otus: (",
            &expect![
                "O0609 `(` there is no directive `(`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, synch, environment, name, empty, lifeline, message"
            ],
        );
        check(
            "otus: strict please",
            &expect![[r#"
                otus: strict
                O0204 `please` `otus: strict` is complete before this; one directive stands on a line; remove the rest"#]],
        );
        check(
            "otus: coreg",
            &expect![[r#"
                otus: coreg()
                O0212 `` `coreg` needs the lifelines it is concurrent on; write `coreg(l1, l2)`"#]],
        );
        check(
            "otus: coreg(a b)",
            &expect![[r#"
                otus: coreg()
                O0205 `(a ` the list of lifelines does not end with `)`; write `(l1, l2)`"#]],
        );
        check(
            "otus: coreg(a,",
            &expect![[r#"
                otus: coreg()
                O0204 `` a name was expected here; the directive reads `(l1, l2)`; quote a name that has spaces in it"#]],
        );
        check(
            "otus: coreg(,)",
            &expect![[r#"
                otus: coreg()
                O0204 `,` a name was expected here; the directive reads `(l1, l2)`; quote a name that has spaces in it"#]],
        );
        check(
            "otus: environment",
            &expect![
                "O0204 `` a name was expected here; the directive reads `otus: environment NAME`; quote a name that has spaces in it"
            ],
        );
        check(
            "otus: environment \"a",
            &expect![[
                r#"O0203 `"a` the quoted name does not end on this line; close it with `"`; a quote inside is written `\"`"#
            ]],
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut names = Names::default();
        let awkward = [
            "a",
            "1",
            "",
            " ",
            "a b",
            "\"",
            "\\",
            "\\n",
            "\n\r\t",
            "\u{2028}\u{7f}",
            "\\u{41}",
            "u{",
            "é∅",
            "(x)",
            "a,b",
        ];
        let list: Vec<Name> = awkward
            .iter()
            .filter(|text| !text.is_empty())
            .map(|text| Name { symbol: names.intern(text), span: Span::default() })
            .collect();
        let mut kinds = vec![StatementKind::Close, StatementKind::Empty];
        for region in [Vec::new(), vec![list[0]], list.clone()] {
            kinds.push(StatementKind::Open(Fragment::Block(Block::Coreg(region.clone()))));
            kinds.push(StatementKind::Mark(Mark::LoopKind(LoopKind::Coregion(region.clone()))));
            if !region.is_empty() {
                kinds.push(StatementKind::Lifelines(region.clone()));
                kinds.push(StatementKind::Messages(region));
            }
        }
        for block in [Block::Strict, Block::Seq, Block::Par, Block::Alt, Block::Broadcast] {
            kinds.push(StatementKind::Open(Fragment::Block(block)));
        }
        for kind in [LoopKind::Strict, LoopKind::Weak, LoopKind::HeadFirst, LoopKind::Parallel] {
            kinds.push(StatementKind::Mark(Mark::LoopKind(kind)));
        }
        kinds.push(StatementKind::Mark(Mark::Synchronous));
        for &name in &list {
            kinds.push(StatementKind::Mark(Mark::Environment(name)));
            kinds.push(StatementKind::Mark(Mark::Rename { alias: list[0], name }));
        }
        for kind in &kinds {
            let text = write(kind, &names).expect("these kinds have a directive form");
            assert!(!text.contains(['\n', '\r']), "{text:?} stays on its line");
            let mut diagnostics = Vec::new();
            let read = read(SourceId(0), &text, 0, &mut names, &mut diagnostics);
            assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
            // Spans differ; the texts compare everything else.
            let again = read.map(|read| write_back(&read, &names));
            assert_eq!(again.as_deref(), Some(text.as_str()));
        }
    }

    #[test]
    fn spans_are_those_of_the_source() {
        let (mut names, mut diagnostics) = (Names::default(), Vec::new());
        let kind = read(SourceId(0), " otus: lifeline ab", 100, &mut names, &mut diagnostics);
        let Some(StatementKind::Lifelines(list)) = kind else { panic!("a list of lifelines") };
        assert_eq!(list[0].span, Span::new(116, 118));
    }

    #[test]
    fn labels_of_groups_are_operators_only_when_spelt_exactly() {
        let mut names = Names::default();
        for label in ["strict", " coreg(a, b) ", "loopS", "loop_par", "loopC(a)", "broadcast"] {
            let block = block(label, 0, &mut names).expect("an operator");
            let again = block_label(&block, &names);
            assert_eq!(
                super::block(&again, 0, &mut names).map(|b| block_label(&b, &names)),
                Some(again)
            );
        }
        for label in
            ["", "strictly", "Strict", "strict order", "coreg", "coreg(a", "end", "loop", "synch"]
        {
            assert_eq!(block(label, 0, &mut names), None, "{label}");
        }
    }

    #[test]
    fn labels_of_loops_state_bounds_or_are_free_text() {
        #[track_caller]
        fn check(label: &str, least: u32, most: Option<u32>) {
            let repetition = Repetition { least, most, stated: true };
            assert_eq!(super::repetition(label), repetition, "{label}");
            assert_eq!(super::repetition(&repetition_label(repetition)), repetition);
        }
        for any in ["", " ", "*", "0..*", "0,*", "(0,*)", "[0..*]", "any number of times", "0.."] {
            check(any, 0, None);
        }
        for three in
            ["3", "(3)", "[3]", "3 times", "(3) times", "3..3", "loop(3)", "(3,3)", "3 Times"]
        {
            check(three, 3, Some(3));
        }
        for range in [
            "2..5",
            "(2,5)",
            "[(2,5)]",
            "2 to 5 times",
            "loop(2,5)",
            "2-5",
            "between 2 and 5 times",
            "[2 .. 5]",
        ] {
            check(range, 2, Some(5));
        }
        for open in ["2..*", "(2,*)", "2..", "2 or more times", "2 or more", "at least 2 times"] {
            check(open, 2, None);
        }
        for most in ["at most 5 times", "up to 5 times", "0..5", "(0,5)"] {
            check(most, 0, Some(5));
        }
        check("once", 1, Some(1));
        check("1 time", 1, Some(1));
        check("1000 times", 1000, Some(1000));
        check("4294967295", u32::MAX, Some(u32::MAX));
    }

    #[test]
    fn other_labels_of_loops_are_free_text() {
        let free = Repetition { least: 0, most: None, stated: false };
        for label in [
            "Every minute",
            "for each item",
            "until ok",
            "forever",
            "5..2",
            "4294967296",
            "+3",
            "-3",
            "n times",
            "1..n",
            "times",
            "to",
            "..",
            "(",
            "()x",
            "3 items",
            "a,b",
            "[ok]",
        ] {
            assert_eq!(repetition(label), free, "{label}");
        }
        assert_eq!(repetition(&"9".repeat(1000)), free);
        assert_eq!(repetition(&repetition_label(free)), free);
    }
}
