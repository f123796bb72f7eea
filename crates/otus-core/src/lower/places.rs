//! The place in the source text of every position of a lowered interaction.
//!
//! Equal sub-terms share one id, so a term does not tell which of its occurrences is meant; a position
//! does. [`source_places`] walks the syntax tree in pre-order (an operator before its operands, operands
//! from left to right) and lists, for each position of the lowered term in the same order, the span and
//! the syntax node it comes from. A node that a diagram repeats (bounded loops unfold by sharing) occurs
//! at several positions.
//!
//! Time and memory are linear in the number of positions, which the caller bounds.

use otus_syntax::Span;
use otus_syntax::ast::{Interaction, NodeId, NodeKind, Operator, Passing};

/// The part of the source text that a position of a term comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace {
    /// The span of the part in the source text.
    pub span: Span,
    /// The syntax node with this span, or the one that contains it.
    pub node: NodeId,
}

/// The places of all positions of an interaction as it is lowered, in pre-order; `None` if there are
/// more than `most`.
///
/// ```
/// use otus_syntax::{Source, parse_spec};
///
/// let text = "@lifeline{a; b} @message{m} seq(a -- m -> b, o, a -- m -> b)";
/// let file = parse_spec(&Source::new("x.hsf", text)).tree;
/// let places = otus_core::lower::source_places(file.interaction.as_ref().unwrap(), 100).unwrap();
/// let term = otus_core::lower(&[&file]).term.unwrap();
/// // seq, strict, a!m, b?m, seq, ∅, strict, a!m, b?m
/// assert_eq!(places.len(), 9);
/// assert_eq!(&text[places[7].span.range()], "a -- m");
/// ```
pub fn source_places(interaction: &Interaction, most: usize) -> Option<Vec<SourcePlace>> {
    let mut places = Vec::new();
    let mut pending = vec![Task::Visit(interaction.root)];
    while let Some(task) = pending.pop() {
        if places.len() >= most {
            return None;
        }
        let id = match task {
            Task::Visit(id) => id,
            Task::Put(place) => {
                places.push(place);
                continue;
            }
        };
        let node = interaction.node(id);
        let here = SourcePlace { span: node.span, node: id };
        match &node.kind {
            NodeKind::Empty | NodeKind::Invalid => places.push(here),
            NodeKind::Passing(passing) => passed(passing, here, &mut places),
            NodeKind::Operator(operator, operands) => {
                if matches!(operator, Operator::Loop(_)) {
                    places.push(here);
                }
                // Pushed in reverse, since `pending` is a stack.
                let Some((&last, before)) = operands.split_last() else {
                    places.push(here);
                    continue;
                };
                pending.push(Task::Visit(last));
                let end = interaction.node(last).span;
                for (at, &operand) in before.iter().enumerate().rev() {
                    let rest = interaction.node(operand).span.to(end);
                    let span = if at == 0 { node.span } else { rest };
                    pending.push(Task::Visit(operand));
                    pending.push(Task::Put(SourcePlace { span, node: id }));
                }
            }
        }
    }
    (places.len() <= most).then_some(places)
}

enum Task {
    Visit(NodeId),
    Put(SourcePlace),
}

/// Adds the positions of `strict(a!m, seq(b?m, c?m))`, without those that a passing with fewer ends
/// does not have.
fn passed(passing: &Passing, here: SourcePlace, places: &mut Vec<SourcePlace>) {
    let targets = passing.target.lifelines();
    let emission = passing.origin.map(|origin| origin.span.to(passing.message.span));
    if passing.synchronous || (emission.is_none() && targets.is_empty()) {
        places.push(here);
        return;
    }
    if let Some(emission) = emission {
        if !targets.is_empty() {
            places.push(here);
        }
        places.push(SourcePlace { span: emission, ..here });
    }
    let span = |at: usize| {
        let target = targets[at].span;
        if targets.len() == 1 { passing.message.span.to(target) } else { target }
    };
    let count = targets.len();
    for at in 0..count {
        if at + 1 < count {
            let rest = span(at).to(span(count - 1));
            let whole = if at == 0 && emission.is_none() { here.span } else { rest };
            places.push(SourcePlace { span: whole, ..here });
        }
        places.push(SourcePlace { span: span(at), ..here });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::spec;
    use crate::{Pool, Term, TermId, lower};

    /// The term and the text at each position.
    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let text = format!("@lifeline{{a;b;c}} @message{{m;n}} {text}");
        let file = spec(&text);
        let lowered = lower(&[&file]);
        let places = source_places(file.interaction.as_ref().unwrap(), 1000).unwrap();
        let terms = positions(&lowered.pool, lowered.term.unwrap());
        let texts = places.iter().map(|place| &text[place.span.range()]);
        let found: Vec<(String, &str)> =
            terms.iter().map(|&term| lowered.pool.text(term)).zip(texts).collect();
        let found: Vec<(&str, &str)> =
            found.iter().map(|(term, text)| (term.as_str(), *text)).collect();
        assert_eq!(found, expected);
        assert_eq!(places.len(), terms.len());
    }

    fn positions(pool: &Pool, term: TermId) -> Vec<TermId> {
        let (mut all, mut pending) = (Vec::new(), vec![term]);
        while let Some(term) = pending.pop() {
            all.push(term);
            let node: Term = pool.node(term);
            pending.extend(node.operands().rev());
        }
        all
    }

    #[test]
    fn actions_are_where_they_are_written() {
        check("a -- m ->|", &[("a!m", "a -- m")]);
        check("m -> b", &[("b?m", "m -> b")]);
        check("a -- <synch> m -> b", &[("{a!m, b?m}", "a -- <synch> m -> b")]);
        check(
            "a -- m -> (b, c)",
            &[
                ("strict(a!m, seq(b?m, c?m))", "a -- m -> (b, c)"),
                ("a!m", "a -- m"),
                ("seq(b?m, c?m)", "b, c"),
                ("b?m", "b"),
                ("c?m", "c"),
            ],
        );
        check(
            "m -> (a, b, c)",
            &[
                ("seq(a?m, seq(b?m, c?m))", "m -> (a, b, c)"),
                ("a?m", "a"),
                ("seq(b?m, c?m)", "b, c"),
                ("b?m", "b"),
                ("c?m", "c"),
            ],
        );
    }

    #[test]
    fn equal_terms_have_the_places_of_their_positions() {
        check(
            "alt(loopS(m -> a), o, loopS(m -> a))",
            &[
                ("alt(loopS(a?m), alt(∅, loopS(a?m)))", "alt(loopS(m -> a), o, loopS(m -> a))"),
                ("loopS(a?m)", "loopS(m -> a)"),
                ("a?m", "m -> a"),
                ("alt(∅, loopS(a?m))", "o, loopS(m -> a)"),
                ("∅", "o"),
                ("loopS(a?m)", "loopS(m -> a)"),
                ("a?m", "m -> a"),
            ],
        );
    }

    #[test]
    fn too_many_are_not_listed() {
        let file = spec("@lifeline{a} @message{m} seq(m -> a, m -> a)");
        let interaction = file.interaction.as_ref().unwrap();
        assert_eq!(source_places(interaction, 3).map(|places| places.len()), Some(3));
        assert_eq!(source_places(interaction, 2), None);
    }
}
