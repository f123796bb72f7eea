//! Terms as text, for the tests of this folder: `seq(a.m.b,b.n.)` is a message from a to b and
//! an emission of b.

use crate::ast::{Interaction, LoopKind, NodeId, NodeKind, Operator, SpecFile, Target};
use crate::name::{Name, Names};

/// The tree with all its operands. Recursive, hence for small trees only.
pub(in crate::diagram) fn written(tree: &SpecFile) -> String {
    text(tree, false)
}

/// The right-nested binary term. Two trees denote the same interaction if these are equal.
pub(in crate::diagram) fn normal(tree: &SpecFile) -> String {
    text(tree, true)
}

/// Checks that children come before parents.
pub(in crate::diagram) fn check_order(interaction: &Interaction) {
    for (i, node) in interaction.nodes.iter().enumerate() {
        if let NodeKind::Operator(_, operands) = &node.kind {
            assert!(operands.iter().all(|operand| operand.index() < i));
        }
    }
    assert!(interaction.root.index() < interaction.nodes.len());
}

fn text(tree: &SpecFile, normal: bool) -> String {
    let interaction = tree.interaction.as_ref().unwrap();
    let mut out = String::new();
    node(interaction, interaction.root, &tree.names, normal, &mut out);
    out
}

fn list(list: &[Name], names: &Names) -> String {
    list.iter().map(|name| names.text(name.symbol)).collect::<Vec<_>>().join(",")
}

fn node(tree: &Interaction, id: NodeId, names: &Names, normal: bool, out: &mut String) {
    match &tree.node(id).kind {
        NodeKind::Empty => out.push('o'),
        NodeKind::Invalid => out.push(if normal { 'o' } else { '?' }),
        NodeKind::Passing(passing) => {
            let origin = passing.origin.map_or("", |name| names.text(name.symbol));
            let message = names.text(passing.message.symbol);
            let targets = passing.target.lifelines();
            let synch = if passing.synchronous { "!" } else { "" };
            if normal && !passing.synchronous {
                let mut actions = Vec::new();
                if passing.origin.is_some() {
                    actions.push(format!("{origin}!{message}"));
                }
                let received: Vec<String> = targets
                    .iter()
                    .map(|name| format!("{}?{message}", names.text(name.symbol)))
                    .collect();
                let received =
                    received.into_iter().rev().reduce(|rest, first| format!("seq({first},{rest})"));
                actions.extend(received);
                match &actions[..] {
                    [] => out.push('o'),
                    [only] => out.push_str(only),
                    [first, second, ..] => *out += &["strict(", first, ",", second, ")"].concat(),
                }
                return;
            }
            let shown = match &passing.target {
                Target::Environment => String::new(),
                Target::Lifeline(name) => names.text(name.symbol).to_owned(),
                Target::Broadcast(targets) => format!("({})", list(targets, names)),
            };
            *out += &[origin, ".", synch, message, ".", &shown].concat();
        }
        NodeKind::Operator(operator, operands) => {
            let (word, is_loop) = match operator {
                Operator::Strict => ("strict".to_owned(), false),
                Operator::Seq => ("seq".to_owned(), false),
                Operator::Par => ("par".to_owned(), false),
                Operator::Alt => ("alt".to_owned(), false),
                Operator::Coreg(region) if normal && region.is_empty() => ("seq".to_owned(), false),
                Operator::Coreg(region) => (format!("coreg[{}]", list(region, names)), false),
                Operator::New(variables) => (format!("new[{}]", list(variables, names)), true),
                Operator::Fresh(variables) => (format!("fresh[{}]", list(variables, names)), true),
                Operator::Loop(LoopKind::Strict) => ("loopS".to_owned(), true),
                Operator::Loop(LoopKind::Weak) => ("loopW".to_owned(), true),
                Operator::Loop(LoopKind::HeadFirst) => ("loopH".to_owned(), true),
                Operator::Loop(LoopKind::Parallel) => ("loopP".to_owned(), true),
                Operator::Loop(LoopKind::Coregion(region)) => {
                    (format!("loopC[{}]", list(region, names)), true)
                }
            };
            if normal && !is_loop {
                if operands.is_empty() {
                    out.push('o');
                }
                for (i, &operand) in operands.iter().enumerate() {
                    if i + 1 < operands.len() {
                        out.push_str(&word);
                        out.push('(');
                    }
                    node(tree, operand, names, normal, out);
                    if i + 1 < operands.len() {
                        out.push(',');
                    }
                }
                out.push_str(&")".repeat(operands.len().saturating_sub(1)));
                return;
            }
            out.push_str(&word);
            out.push('(');
            for (i, &operand) in operands.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                node(tree, operand, names, normal, out);
            }
            out.push(')');
        }
    }
}
