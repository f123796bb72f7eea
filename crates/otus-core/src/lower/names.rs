//! Name resolution: the lifeline or message that each name denotes.

use otus_syntax::Span;
use otus_syntax::ast::{Declarations, NodeKind, Section, SpecFile};
use otus_syntax::name::{Name, Symbol};
use otus_syntax::options::{Logger, OptionSection, OptionValue, PartitionOption, TracegenOption};

use crate::index::{LifelineId, MessageId};
use crate::lower::problem::{Problem, Problems};
use crate::signature::Signature;
use crate::unknown::NameKind;

pub(super) struct Resolved {
    pub(super) declared: Signature,
    /// The declared names and those that are used without a declaration.
    pub(super) signature: Signature,
    /// For each symbol of the interaction's file: the lifeline that it denotes.
    lifelines: Vec<Option<LifelineId>>,
    messages: Vec<Option<MessageId>>,
}

impl Resolved {
    pub(super) fn lifeline(&self, name: Name) -> LifelineId {
        self.lifelines[name.symbol.index()].expect("every lifeline in use was resolved")
    }

    pub(super) fn message(&self, name: Name) -> MessageId {
        self.messages[name.symbol.index()].expect("every message in use was resolved")
    }
}

/// Merges all declarations, then looks up every used name. `interaction` is the index of the file with
/// the interaction, `reachable` tells which of its nodes are reachable.
pub(super) fn resolve(
    files: &[&SpecFile],
    interaction: Option<usize>,
    reachable: &[bool],
    problems: &mut Problems,
) -> Resolved {
    let declared = declare(files, problems);
    let mut signature = declared.clone();
    let mut lifelines = Vec::new();
    let mut messages = Vec::new();
    let mut sections = files.iter().flat_map(|file| &file.sections);
    let has_signature = sections.any(|section| !matches!(section, Section::Options(_)));
    for (at, file) in files.iter().enumerate() {
        let here = interaction == Some(at);
        let uses = Uses::of(file, if here { reachable } else { &[] });
        let unknown = uses.unknown(file, &declared);
        if has_signature {
            // In a diagram, an arrow declares the names it uses. A list in a directive does not, so
            // that a typing error there does not become a lifeline.
            for &(kind, Use { name, count, in_arrow }) in &unknown {
                if !(file.implicit && in_arrow) {
                    let problem = Problem::Undeclared { kind, name, others: count - 1 };
                    problems.add(at, name.span, problem);
                }
            }
        } else if file.implicit {
            // In an implicit file, every use of a name declares it.
        } else if let (true, Some(&(_, Use { name, .. }))) = (here, unknown.first()) {
            // If the whole signature is missing, this is reported once, not for every name.
            problems.add(at, name.span, Problem::NoSignature { names: unknown.len() });
        }
        for (kind, Use { name, .. }) in unknown {
            let text = file.names.text(name.symbol);
            match kind {
                NameKind::Lifeline => _ = signature.add_lifeline(text),
                NameKind::Message => _ = signature.add_message(text),
            }
        }
        if here {
            lifelines = file.names.iter().map(|(_, text)| signature.lifeline(text)).collect();
            messages = file.names.iter().map(|(_, text)| signature.message(text)).collect();
        }
    }
    Resolved { declared, signature, lifelines, messages }
}

/// The declarations of all files. Repeated declarations are reported, except in diagrams, which may
/// declare a participant several times.
fn declare(files: &[&SpecFile], problems: &mut Problems) -> Signature {
    let mut signature = Signature::default();
    // For each id: the file and the span of the first declaration.
    let mut lifelines: Vec<(usize, Span)> = Vec::new();
    let mut messages: Vec<(usize, Span)> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        for section in &file.sections {
            let (kind, places, Declarations { names, .. }) = match section {
                Section::Lifelines(names) => (NameKind::Lifeline, &mut lifelines, names),
                Section::Messages(names) => (NameKind::Message, &mut messages, names),
                Section::Options(_) => continue,
            };
            for declaration in names {
                let name = declaration.name;
                let text = file.names.text(name.symbol);
                let number = match kind {
                    NameKind::Lifeline => {
                        let lifeline = signature.add_lifeline(text);
                        if let Some(label) = &declaration.label {
                            signature.set_label(lifeline, label);
                        }
                        lifeline.0
                    }
                    NameKind::Message => signature.add_message(text).0,
                };
                match places.get(number as usize) {
                    None => places.push((at, name.span)),
                    Some(&(first_file, first)) if !file.implicit => {
                        let problem = Problem::Duplicate { kind, name, first_file, first };
                        problems.add(at, name.span, problem);
                    }
                    Some(_) => {}
                }
            }
        }
    }
    signature
}

#[derive(Debug, Clone, Copy)]
struct Use {
    /// The first use.
    name: Name,
    count: usize,
    /// Whether a message passing uses the name. Otherwise only lists of lifelines do.
    in_arrow: bool,
}

/// The names a file uses, by symbol.
struct Uses {
    lifelines: Vec<Option<Use>>,
    messages: Vec<Option<Use>>,
}

impl Uses {
    fn of(file: &SpecFile, reachable: &[bool]) -> Uses {
        let none = vec![None; file.names.len()];
        let mut uses = Uses { lifelines: none.clone(), messages: none };
        let nodes = file.interaction.iter().flat_map(|interaction| &interaction.nodes);
        for (node, _) in nodes.zip(reachable).filter(|(_, reached)| **reached) {
            match &node.kind {
                NodeKind::Empty | NodeKind::Invalid => {}
                NodeKind::Passing(passing) => {
                    note(&mut uses.messages, passing.message, true);
                    for &name in passing.origin.iter().chain(passing.target.lifelines()) {
                        note(&mut uses.lifelines, name, true);
                    }
                }
                NodeKind::Operator(operator, _) => {
                    for &name in operator.region() {
                        note(&mut uses.lifelines, name, false);
                    }
                }
            }
        }
        for section in &file.sections {
            if let Section::Options(options) = section {
                for &name in partitions(options).flatten().flatten() {
                    note(&mut uses.lifelines, name, false);
                }
            }
        }
        uses
    }

    /// The used names that are not declared, in the order of their first use.
    fn unknown(&self, file: &SpecFile, declared: &Signature) -> Vec<(NameKind, Use)> {
        let text = |symbol: Symbol| file.names.text(symbol);
        let lifelines = self.lifelines.iter().flatten();
        let messages = self.messages.iter().flatten();
        let mut unknown: Vec<(NameKind, Use)> = lifelines
            .filter(|used| declared.lifeline(text(used.name.symbol)).is_none())
            .map(|&used| (NameKind::Lifeline, used))
            .chain(
                messages
                    .filter(|used| declared.message(text(used.name.symbol)).is_none())
                    .map(|&used| (NameKind::Message, used)),
            )
            .collect();
        unknown.sort_by_key(|&(kind, used)| (used.name.span.start, kind));
        unknown
    }
}

fn note(uses: &mut [Option<Use>], name: Name, in_arrow: bool) {
    let used = uses[name.symbol.index()].get_or_insert(Use { name, count: 0, in_arrow });
    used.count += 1;
    used.in_arrow |= in_arrow;
    // An operator is visited after its operands but precedes them in the text.
    if name.span.start < used.name.span.start {
        used.name = name;
    }
}

/// The partitions that the options of a section list.
fn partitions(section: &OptionSection) -> impl Iterator<Item = &Vec<Vec<Name>>> {
    let loggers = section.items.iter().flat_map(|item| {
        if let OptionValue::Loggers(loggers) = &item.value { loggers.as_slice() } else { &[] }
    });
    let options = loggers.flat_map(|logger| match logger {
        Logger::Tracegen(options) => options.as_slice(),
        Logger::Graphic(_) | Logger::Automaton => &[],
    });
    options.filter_map(|option| {
        if let TracegenOption::Partition(PartitionOption::Listed(groups)) = option {
            Some(groups)
        } else {
            None
        }
    })
}
