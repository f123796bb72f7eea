//! `otus:` directives: what the diagrams lack, said in their comments.

use crate::ast::LoopKind;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::statement::{Block, Fragment, Mark, Repetition, StatementKind};
use crate::name::{Name, Names, is_plain};
use crate::source::{SourceId, Span, offset};

/// Reads the text of a comment that begins at byte `at`. `None` if it is not a directive;
/// an unknown or malformed directive is `None` too, with a diagnostic.
pub fn read(
    source: SourceId,
    text: &str,
    at: u32,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<StatementKind> {
    let start = text.len() - text.trim_start().len();
    let body = text[start..].strip_prefix("otus:")?;
    let body_at = at + offset(start + "otus:".len());
    let kind = parse(body, body_at, names);
    if kind.is_none() {
        diagnostics.push(Diagnostic::new(
            Code::UNKNOWN_DIRECTIVE,
            source,
            Span::new(at, at + offset(text.len())),
            format!("there is no directive `{}`", body.trim()),
        ));
    }
    kind
}

fn parse(body: &str, at: u32, names: &mut Names) -> Option<StatementKind> {
    let text = body.trim();
    let at = at + offset(body.len() - body.trim_start().len());
    if let Some(block) = block(text, at, names) {
        return Some(match block {
            Block::Loop(kind) => StatementKind::Mark(Mark::LoopKind(kind)),
            Block::Strict
            | Block::Seq
            | Block::Par
            | Block::Alt
            | Block::Coreg(_)
            | Block::Broadcast => StatementKind::Open(Fragment::Block(block)),
        });
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut listed = list(rest, at + offset(text.len() - rest.len()), names)?;
    Some(match (word, &listed[..]) {
        ("end", []) => StatementKind::Close,
        ("empty", []) => StatementKind::Empty,
        ("synch", []) => StatementKind::Mark(Mark::Synchronous),
        ("environment", &[name]) => StatementKind::Mark(Mark::Environment(name)),
        ("name", &[alias, name]) => StatementKind::Mark(Mark::Rename { alias, name }),
        ("lifeline", [_, ..]) => StatementKind::Lifelines(std::mem::take(&mut listed)),
        ("message", [_, ..]) => StatementKind::Messages(std::mem::take(&mut listed)),
        _ => return None,
    })
}

/// Names separated by commas or spaces.
fn list(text: &str, at: u32, names: &mut Names) -> Option<Vec<Name>> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c == ',' || c.is_whitespace() {
            continue;
        }
        let mut name = String::new();
        let mut end = start + c.len_utf8();
        if c == '"' {
            loop {
                let (i, c) = chars.next()?;
                match c {
                    '"' => {
                        end = i + 1;
                        break;
                    }
                    '\\' => name.push(chars.next()?.1),
                    _ => name.push(c),
                }
            }
        } else {
            name.push(c);
            while let Some((i, c)) = chars.next_if(|&(_, c)| c != ',' && !c.is_whitespace()) {
                name.push(c);
                end = i + c.len_utf8();
            }
        }
        let span = Span::new(at + offset(start), at + offset(end));
        found.push(Name { symbol: names.intern(&name), span });
    }
    Some(found)
}

/// The text of a directive (from `otus:` on, without the comment sign), for statements that have one.
pub fn write(kind: &StatementKind, names: &Names) -> Option<String> {
    let quote = |name: &Name| {
        let text = names.text(name.symbol);
        if is_plain(text) {
            text.to_owned()
        } else {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        }
    };
    let listed = |list: &[Name]| list.iter().map(quote).collect::<Vec<_>>().join(", ");
    let loop_kind = |kind: &LoopKind| match kind {
        LoopKind::Strict => "loopS".to_owned(),
        LoopKind::Weak => "loopW".to_owned(),
        LoopKind::HeadFirst => "loopH".to_owned(),
        LoopKind::Parallel => "loopP".to_owned(),
        LoopKind::Coregion(region) => format!("loopC({})", listed(region)),
    };
    let text = match kind {
        StatementKind::Open(Fragment::Block(block)) => match block {
            Block::Strict => "strict".to_owned(),
            Block::Seq => "seq".to_owned(),
            Block::Par => "par".to_owned(),
            Block::Alt => "alt".to_owned(),
            Block::Coreg(region) => format!("coreg({})", listed(region)),
            Block::Loop(kind) => loop_kind(kind),
            Block::Broadcast => "broadcast".to_owned(),
        },
        StatementKind::Close => "end".to_owned(),
        StatementKind::Empty => "empty".to_owned(),
        StatementKind::Mark(Mark::Synchronous) => "synch".to_owned(),
        StatementKind::Mark(Mark::LoopKind(kind)) => loop_kind(kind),
        StatementKind::Mark(Mark::Environment(name)) => format!("environment {}", quote(name)),
        StatementKind::Mark(Mark::Rename { alias, name }) => {
            format!("name {} {}", quote(alias), quote(name))
        }
        StatementKind::Lifelines(list) => format!("lifeline {}", listed(list)),
        StatementKind::Messages(list) => format!("message {}", listed(list)),
        StatementKind::Participant { .. }
        | StatementKind::Message { .. }
        | StatementKind::Open(_)
        | StatementKind::Next(_) => return None,
    };
    Some(format!("otus: {text}"))
}

/// The operator a block label names (`strict`, `coreg(l1, l2)`), if it names one. `at` is the
/// byte offset of the label.
pub fn block(label: &str, at: u32, names: &mut Names) -> Option<Block> {
    match label {
        "strict" => return Some(Block::Strict),
        "seq" => return Some(Block::Seq),
        "par" => return Some(Block::Par),
        "alt" => return Some(Block::Alt),
        "broadcast" => return Some(Block::Broadcast),
        "loopS" => return Some(Block::Loop(LoopKind::Strict)),
        "loopW" => return Some(Block::Loop(LoopKind::Weak)),
        "loopH" => return Some(Block::Loop(LoopKind::HeadFirst)),
        "loopP" => return Some(Block::Loop(LoopKind::Parallel)),
        _ => {}
    }
    let (word, rest) = label.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let region = list(inside, at + offset(word.len() + 1), names)?;
    match word.trim() {
        "coreg" => Some(Block::Coreg(region)),
        "loopC" => Some(Block::Loop(LoopKind::Coregion(region))),
        _ => None,
    }
}

/// How often a loop with this label repeats.
pub fn repetition(label: &str) -> Repetition {
    let label = label.trim();
    let counted = |least, most| Repetition { least, most, stated: true };
    if let Some(Ok(times)) = label.strip_suffix("times").map(|n| n.trim().parse()) {
        return counted(times, Some(times));
    }
    if let Some((least, most)) = label.split_once("..")
        && let Ok(least) = least.trim().parse()
    {
        match most.trim() {
            "*" => return counted(least, None),
            most => {
                if let Ok(most) = most.parse() {
                    return counted(least, Some(most));
                }
            }
        }
    }
    Repetition { stated: label.is_empty(), ..Repetition::ANY }
}
