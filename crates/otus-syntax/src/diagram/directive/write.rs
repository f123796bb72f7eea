//! The writer of directives: from a statement to the text of a comment.

use super::name::write_name;
use crate::ast::Operator;
use crate::diagram::statement::{Fragment, Mark, Options, StatementKind};
use crate::name::{Name, Names};

/// The text of a directive (from `otus:` on, without the comment sign), for statements that have one.
pub(crate) fn write(kind: &StatementKind, names: &Names) -> Option<String> {
    let mut text = String::from("otus: ");
    match kind {
        StatementKind::Open(Fragment::Block(Operator::Loop(_))) => return None,
        StatementKind::Open(Fragment::Block(operator)) => {
            write_operator(&mut text, operator, names);
        }
        StatementKind::Open(Fragment::Broadcast) => text.push_str("broadcast"),
        StatementKind::Close => text.push_str("end"),
        StatementKind::Mark(Mark::Synchronous) => text.push_str("synch"),
        StatementKind::Mark(Mark::LoopKind(kind, fresh)) => {
            write_operator(&mut text, &Operator::Loop(kind.clone()), names);
            if !fresh.is_empty() {
                // `loopC(a)` has its parentheses already.
                let open = match text.strip_suffix(')').map(|begun| begun.ends_with('(')) {
                    Some(is_empty) => {
                        text.pop();
                        if is_empty { "fresh " } else { "; fresh " }
                    }
                    None => "(fresh ",
                };
                text.push_str(open);
                write_names(&mut text, fresh, names);
                text.push(')');
            }
        }
        StatementKind::Mark(Mark::Values) => text.push_str("values"),
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
        StatementKind::Mark(Mark::Critical(Options::Instead)) => text.push_str("critical alt"),
        StatementKind::Mark(Mark::Critical(Options::After)) => text.push_str("critical opt"),
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
        | StatementKind::Message(_)
        | StatementKind::Look(_)
        | StatementKind::Open(
            Fragment::Alt
            | Fragment::Opt
            | Fragment::Par
            | Fragment::Loop(_)
            | Fragment::Break
            | Fragment::Frame
            | Fragment::Critical(_),
        )
        | StatementKind::Mark(Mark::Beside | Mark::Guard(_) | Mark::Anchor(_))
        | StatementKind::Next(_) => return None,
    }
    Some(text)
}

/// The label that [`block`](super::block) reads back as this operator.
pub(crate) fn block_label(operator: &Operator, names: &Names) -> String {
    let mut text = String::new();
    write_operator(&mut text, operator, names);
    text
}

fn write_operator(text: &mut String, operator: &Operator, names: &Names) {
    text.push_str(operator.keyword());
    if operator.has_region() {
        text.push('(');
        write_names(text, operator.region(), names);
        text.push(')');
    }
    if let Operator::New(variables) = operator {
        text.push(' ');
        write_names(text, variables, names);
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
