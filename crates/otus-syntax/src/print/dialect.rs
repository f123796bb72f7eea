//! The two dialects of the language: the current one, and that of HIBOU of September 2020.
//!
//! HIBOU 2020 reads one `.hsf` file with all parts, and spells loops and some options differently. Later
//! constructs cannot be written in its dialect and are reported.

use crate::ast::{LoopKind, NodeKind, Operator, Section, SpecFile};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::is_plain;
use crate::options::{
    AnalysisKind, Goal, GraphicOption, Logger, OptionValue, Priority, PriorityKind, Process,
    Strategy,
};
use crate::parser::report;
use crate::source::Span;

/// A dialect of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The current `.hsf`, `.hif` and `.hcf`.
    Current,
    /// The single `.hsf` of 2020.
    Of2020,
}

impl Dialect {
    pub(super) fn choose<'t>(self, current: &'t str, of_2020: &'t str) -> &'t str {
        match self {
            Dialect::Current => current,
            Dialect::Of2020 => of_2020,
        }
    }
}

/// Reports the parts of a specification that HIBOU 2020 cannot read.
pub fn not_in_2020(tree: &SpecFile) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut add = |span: Span, what: &str, help: &str| {
        let message = format!("{what} cannot be written in the language of 2020");
        report(
            &mut found,
            Diagnostic::new(Code::NOT_IN_2020, tree.source, span, message).with_help(help),
        );
    };
    let two_files = "write a .hif and its .hsf instead";
    for section in &tree.sections {
        match section {
            Section::Messages(declared) | Section::Lifelines(declared) => {
                for declaration in &declared.names {
                    if !is_plain(tree.names.text(declaration.name.symbol)) {
                        add(declaration.name.span, "a quoted name", "rename it");
                    }
                }
            }
            Section::Options(section) => {
                if section.process == Process::Canonize {
                    add(section.span, "`@canonize_option`", "leave it out");
                }
                for item in &section.items {
                    if !option_of_2020(&item.value) {
                        add(item.span, "this option", "leave it out");
                    }
                }
            }
        }
    }
    for node in tree.interaction.iter().flat_map(|interaction| &interaction.nodes) {
        match &node.kind {
            NodeKind::Operator(Operator::Coreg(_), _) => add(node.span, "`coreg`", two_files),
            NodeKind::Operator(Operator::Loop(LoopKind::Coregion(_)), _) => {
                add(node.span, "`loopC`", two_files);
            }
            NodeKind::Operator(Operator::New(_), _) => add(node.span, "`new`", two_files),
            NodeKind::Operator(Operator::Fresh(_), _) => add(node.span, "`fresh`", two_files),
            NodeKind::Passing(passing) if !passing.guard.is_empty() => {
                add(node.span, "a guard", two_files);
            }
            NodeKind::Passing(passing) if passing.synchronous => {
                add(node.span, "`<synch>`", two_files);
            }
            NodeKind::Passing(passing)
                if passing.origin.is_none() && passing.target.lifelines().len() > 1 =>
            {
                add(node.span, "a reception by several lifelines", "write one reception for each");
            }
            NodeKind::Empty | NodeKind::Invalid | NodeKind::Passing(_) | NodeKind::Operator(..) => {
            }
        }
    }
    // An operator is visited after its operands but precedes them in the text.
    found.sort_by_key(|finding| finding.primary.span.start);
    found
}

fn option_of_2020(value: &OptionValue) -> bool {
    match value {
        OptionValue::Loggers(loggers) => loggers.iter().all(|logger| match logger {
            Logger::Graphic(options) => match options.as_slice() {
                [] | [GraphicOption::Format(_)] => true,
                [_, ..] => false,
            },
            Logger::Tracegen(_) | Logger::Automaton => false,
        }),
        OptionValue::Strategy(strategy) => *strategy != Strategy::HighCoverage,
        OptionValue::Filters(_) => true,
        OptionValue::Priorities(priorities) => priorities.iter().all(|priority| {
            matches!(
                priority,
                Priority::Level(
                    PriorityKind::Emission | PriorityKind::Reception | PriorityKind::InLoop,
                    _
                )
            )
        }),
        OptionValue::Kind(kind) => matches!(kind, AnalysisKind::Accept | AnalysisKind::Prefix),
        OptionValue::Goal(goal) => *goal != Goal::None,
        OptionValue::LocalAnalysis(_)
        | OptionValue::Memoize(_)
        | OptionValue::PartialOrderReduction(_)
        | OptionValue::SearchAll(_) => false,
    }
}
