//! The formula that an interaction and a multi-trace encode.
//!
//! The interaction is read from its syntax tree, so that a fault has a span in the text. The names and the nesting
//! of `seq` do not matter; clauses come in the order of the lifelines, and the literals of a clause in the order
//! of the variables.

use otus_core::index::Index as _;
use otus_core::{Direction, LifelineId, Pool, Signature};
use otus_syntax::ast::{Interaction, NodeId, NodeKind, Operator, Passing, SpecFile, Target};
use otus_syntax::dimacs::Formula;
use otus_syntax::{Code, Diagnostic, SourceId, Span, Symbol};

use crate::multitrace::MultiTrace;

/// An interaction and a multi-trace over the same names.
#[derive(Debug, Clone, Copy)]
pub struct Reduced<'a> {
    /// The text of the interaction.
    pub file: &'a SpecFile,
    /// The names of the multi-trace, and those of the interaction.
    pub pool: &'a Pool,
    /// The multi-trace.
    pub trace: &'a MultiTrace,
    /// The text of the multi-trace.
    pub trace_source: SourceId,
}

/// The formula that an interaction and a multi-trace encode; the inverse of [`reduce`](super::reduce), if clauses
/// have no literal twice and have their literals in order.
///
/// # Errors
/// If they encode no formula.
pub fn restore(reduced: &Reduced<'_>) -> Result<Formula, Box<Diagnostic>> {
    let signature = reduced.pool.signature();
    let mut reader = Reader {
        file: reduced.file,
        signature,
        message: None,
        clauses: vec![Vec::new(); signature.lifeline_count()],
    };
    let variables = match &reduced.file.interaction {
        Some(interaction) => reader.variables(interaction)?,
        None => return Err(reader.fault(Span::at(0), "there is no interaction".to_owned(), FORM)),
    };
    let message = reader.message.map(|message| reduced.file.names.text(message));
    check_trace(reduced, message)?;
    Ok(Formula { variables, clauses: reader.clauses })
}

const FORM: &str =
    "a formula is a seq of choices alt(…, …), one for each variable, of receptions `m -> l1`";

struct Reader<'a> {
    file: &'a SpecFile,
    signature: &'a Signature,
    message: Option<Symbol>,
    /// For each lifeline: its literals.
    clauses: Vec<Vec<i32>>,
}

impl Reader<'_> {
    /// Reads the choices, and returns their number.
    fn variables(&mut self, interaction: &Interaction) -> Result<usize, Box<Diagnostic>> {
        let mut number = 0_i32;
        for choice in sequence(interaction, interaction.root) {
            let node = interaction.node(choice);
            let sides = match &node.kind {
                NodeKind::Operator(Operator::Alt, sides) => sides.as_slice(),
                NodeKind::Empty | NodeKind::Passing(_) | NodeKind::Invalid => &[],
                NodeKind::Operator(..) => &[],
            };
            let &[left, right] = sides else {
                let message = "this is not the choice of a value for a variable".to_owned();
                return Err(self.fault(node.span, message, FORM));
            };
            number = number.checked_add(1).expect("a text has fewer than 2³¹ operands");
            self.literal(interaction, left, number)?;
            self.literal(interaction, right, -number)?;
        }
        Ok(usize::try_from(number).expect("it counts from 0"))
    }

    /// Adds a literal to the clauses whose lifelines receive something on one side of a choice.
    fn literal(
        &mut self,
        interaction: &Interaction,
        side: NodeId,
        literal: i32,
    ) -> Result<(), Box<Diagnostic>> {
        for reception in sequence(interaction, side) {
            let node = interaction.node(reception);
            let NodeKind::Passing(Passing {
                origin: None,
                message,
                target: Target::Lifeline(lifeline),
                ..
            }) = &node.kind
            else {
                let message = "this is not a reception from the environment".to_owned();
                return Err(self.fault(node.span, message, FORM));
            };
            let first = *self.message.get_or_insert(message.symbol);
            if first != message.symbol {
                let text =
                    format!("this is another message than `{}`", self.file.names.text(first));
                return Err(self.fault(
                    message.span,
                    text,
                    "a formula is encoded with one message",
                ));
            }
            let name = self.file.names.text(lifeline.symbol);
            let Some(clause) = self.signature.lifeline(name) else {
                let text = format!("there is no lifeline `{name}`");
                return Err(self.fault(lifeline.span, text, "declare it"));
            };
            let literals = &mut self.clauses[clause.index()];
            if literals.last() == Some(&literal) {
                let text = format!("`{name}` receives twice on one side of a choice");
                let help = "a clause has a literal or has it not; leave out one of the receptions";
                return Err(self.fault(node.span, text, help));
            }
            literals.push(literal);
        }
        Ok(())
    }

    fn fault(&self, span: Span, message: String, help: &str) -> Box<Diagnostic> {
        let found = Diagnostic::new(Code::NOT_A_REDUCTION, self.file.source, span, message);
        Box::new(found.with_help(help))
    }
}

/// The operands of nested `seq`s from left to right, without ∅.
fn sequence(interaction: &Interaction, root: NodeId) -> Vec<NodeId> {
    let mut operands = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match &interaction.node(id).kind {
            NodeKind::Empty => {}
            NodeKind::Operator(Operator::Seq, inner) => stack.extend(inner.iter().rev()),
            NodeKind::Operator(..) | NodeKind::Passing(_) | NodeKind::Invalid => operands.push(id),
        }
    }
    operands
}

/// Checks that every lifeline has a log of its own with one reception.
fn check_trace(reduced: &Reduced<'_>, message: Option<&str>) -> Result<(), Box<Diagnostic>> {
    let Reduced { pool, trace, trace_source, .. } = *reduced;
    let partition = trace.partition();
    let mut message = message.map(str::to_owned);
    for component in partition.components() {
        let name = |lifeline: &LifelineId| pool.signature().lifeline_name(*lifeline);
        let names: Vec<&str> = partition.lifelines(component).iter().map(name).collect();
        let names = names.join(", ");
        let start = trace.place(component, 0).map_or(0, |(_, start)| start);
        let fault = |text: String| {
            let found = Diagnostic::new(Code::NOT_A_REDUCTION, trace_source, Span::at(start), text);
            let help = "every lifeline is a clause, and has a log of its own with one reception";
            Err(Box::new(found.with_help(help)))
        };
        if partition.lifelines(component).len() > 1 {
            return fault(format!("the lifelines {names} share a log"));
        }
        let &[step] = trace.steps(component) else {
            let count = trace.steps(component).len();
            return fault(format!("the log of `{names}` has {count} actions, not one"));
        };
        let action = pool.action(step.action());
        let received = pool.signature().message_name(action.message);
        let expected = message.get_or_insert_with(|| received.to_owned());
        if action.direction != Direction::Reception || received != expected {
            return fault(format!("`{names}` should receive `{expected}`, and nothing else"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use otus_core::lower;
    use otus_syntax::{Source, parse_spec, parse_trace, print};

    use super::*;
    use crate::reduction::reduce;
    use crate::{lower as lower_trace, raise};

    fn restored(model: &str, trace: &str) -> Result<Formula, String> {
        let model = Source::with_id(SourceId(0), "model.hsf", model);
        let trace = Source::with_id(SourceId(1), "run.htf", trace);
        let file = parse_spec(&model).tree;
        let mut lowered = lower(&[&file]);
        assert_eq!(lowered.diagnostics, []);
        let (observed, found) = lower_trace(&parse_trace(&trace).tree, &mut lowered.pool);
        assert_eq!(found, []);
        let reduced = Reduced {
            file: &file,
            pool: &lowered.pool,
            trace: &observed,
            trace_source: SourceId(1),
        };
        restore(&reduced).map_err(|found| {
            let source = [&model, &trace][found.primary.source.0 as usize];
            let (line, column) = source.line_column(found.primary.span.start);
            format!("{}:{line}:{column} {}", source.name(), found.message)
        })
    }

    #[test]
    fn formulas_go_there_and_back() {
        let formulas = [
            (1, vec![vec![1]]),
            (2, vec![vec![1, -2], vec![2]]),
            (3, vec![vec![1, -1, 3], vec![], vec![-1, -2, -3]]),
            (4, vec![vec![2]]),
            (0, vec![vec![]]),
        ];
        for (variables, clauses) in formulas {
            let formula = Formula { variables, clauses };
            let made = reduce(&formula);
            let model = print::spec(&otus_core::raise(&made.pool, made.term));
            let trace = print::trace(&raise(&made.trace, &made.pool));
            assert_eq!(restored(&model, &trace), Ok(formula), "{model}{trace}");
        }
    }

    #[test]
    fn other_names_and_nestings_are_fine() {
        let model = "@message{ go } @lifeline{ a; b }\nseq(seq(alt(seq(go -> b, o, go -> a), o), o), alt(o, go -> b))";
        let formula = Formula { variables: 2, clauses: vec![vec![1], vec![1, -2]] };
        assert_eq!(restored(model, "{ [b] b?go; [a] a?go }"), Ok(formula));
    }

    #[test]
    fn faults_have_their_places() {
        let signature = "@message{ m; n } @lifeline{ a; b }\n";
        let good = "{ [a] a?m; [b] b?m }";
        for (model, trace, expected) in [
            (
                "loopS(m -> a)",
                good,
                "model.hsf:2:1 this is not the choice of a value for a variable",
            ),
            (
                "seq(alt(m -> a, m -> b), alt(o, o, m -> b))",
                good,
                "model.hsf:2:26 this is not the choice of a value for a variable",
            ),
            (
                "alt(a -- m -> b, o)",
                good,
                "model.hsf:2:5 this is not a reception from the environment",
            ),
            (
                "alt(m -> a, par(m -> a, m -> b))",
                good,
                "model.hsf:2:13 this is not a reception from the environment",
            ),
            ("alt(m -> a, n -> b)", good, "model.hsf:2:13 this is another message than `m`"),
            (
                "alt(seq(m -> a, m -> a), o)",
                good,
                "model.hsf:2:17 `a` receives twice on one side of a choice",
            ),
            ("alt(m -> a, o)", "{ [a,b] a?m.b?m }", "run.htf:1:9 the lifelines a, b share a log"),
            ("alt(m -> a, o)", "{ [a] a?m }", "run.htf:1:1 the log of `b` has 0 actions, not one"),
            (
                "alt(m -> a, o)",
                "{ [a] a?m; [b] b?n }",
                "run.htf:1:16 `b` should receive `m`, and nothing else",
            ),
            (
                "alt(m -> a, o)",
                "{ [a] a!m; [b] b?m }",
                "run.htf:1:7 `a` should receive `m`, and nothing else",
            ),
        ] {
            let found = restored(&format!("{signature}{model}"), trace);
            assert_eq!(found, Err(expected.to_owned()), "{model}");
        }
    }
}
