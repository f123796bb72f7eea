//! The keywords of directives.

use crate::ast::LoopKind;
use crate::diagram::statement::Block;
use crate::suggest;

/// A keyword of a directive.
pub(super) enum Keyword {
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

pub(super) fn keyword(word: &str) -> Option<Keyword> {
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

/// Every keyword, for suggestions and help.
pub(super) const KEYWORDS: [&str; 18] = [
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

pub(super) fn is_keyword_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// The operator that a label of one word misspells, if it does.
pub fn nearly_block(label: &str) -> Option<&'static str> {
    let word = label.split('(').next().unwrap_or("").trim();
    let one_word = !word.is_empty() && word.len() < 20 && word.chars().all(is_keyword_char);
    let meant = if one_word { suggest::nearest(word, BLOCKS)? } else { return None };
    (meant != word).then_some(meant)
}

/// The operators that blocks can have.
const BLOCKS: [&str; 9] =
    ["strict", "seq", "coreg", "broadcast", "loopS", "loopW", "loopH", "loopP", "loopC"];
