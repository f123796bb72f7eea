//! The writer of directives: from a statement to the text of a comment.

use super::name::write_name;
use crate::ast::LoopKind;
use crate::diagram::statement::{Block, Fragment, Mark, StatementKind};
use crate::name::{Name, Names};

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

/// The label that [`block`](super::block) reads back as this block.
pub fn block_label(block: &Block, names: &Names) -> String {
    let mut text = String::new();
    write_block(&mut text, block, names);
    text
}

fn write_block(text: &mut String, block: &Block, names: &Names) {
    match block {
        Block::Strict => text.push_str("strict"),
        Block::Seq => text.push_str("seq"),
        Block::Par => text.push_str("par"),
        Block::Alt => text.push_str("alt"),
        Block::Broadcast => text.push_str("broadcast"),
        Block::Coreg(region) => {
            text.push_str("coreg");
            write_region(text, region, names);
        }
        Block::Loop(kind) => write_loop(text, kind, names),
    }
}

fn write_loop(text: &mut String, kind: &LoopKind, names: &Names) {
    text.push_str(kind.keyword());
    if let LoopKind::Coregion(region) = kind {
        write_region(text, region, names);
    }
}

fn write_region(text: &mut String, region: &[Name], names: &Names) {
    text.push('(');
    write_names(text, region, names);
    text.push(')');
}

fn write_names(text: &mut String, list: &[Name], names: &Names) {
    for (index, name) in list.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write_name(text, *name, names);
    }
}
