//! Every place where a text names something: a lifeline, a message, a field or a variable.
//!
//! Trees keep the names that have a meaning. An editor also needs the others, such as the lifelines of a note, because a name is
//! changed everywhere or nowhere. So diagrams are read as statements and not as trees.
//!
//! The place of a name need not spell it: in a diagram with aliases, an arrow names a lifeline by its alias. Who changes a text
//! compares the text of the place with the name.

use crate::ast::guard::Atom;
use crate::ast::{Colocalization, NodeKind, Section, SpecFile, Target, TraceFile};
use crate::diagram;
use crate::diagram::markdown::Language;
use crate::diagram::plantuml::Include;
use crate::lexer::{scan_quoted, scan_word, skip_to_comment};
use crate::name::{Name, Names, Symbol};
use crate::source::{Source, Span, offset};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A lifeline.
    Lifeline,
    /// A message.
    Message,
    /// A field of events.
    Field,
    /// A variable of guards, or an anchor.
    Variable,
}

impl Role {
    /// `lifeline`, `message`, `field` or `variable`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Lifeline => "lifeline",
            Role::Message => "message",
            Role::Field => "field",
            Role::Variable => "variable",
        }
    }
}

/// How a place uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// The place declares it.
    Declared,
    /// It is sent, or sends.
    Sent,
    /// It is received, or receives.
    Received,
    /// It is named in another way.
    Named,
}

/// A place where a text names something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// What the name stands for.
    pub role: Role,
    /// The name, and its place.
    pub name: Name,
    /// How it is used there.
    pub used: Use,
}

/// All mentions of a text, in its order.
#[derive(Debug, Clone, Default)]
pub struct Mentions {
    /// The names.
    pub names: Names,
    /// The mentions.
    pub all: Vec<Mention>,
}

impl Mentions {
    pub(crate) fn new(names: Names) -> Mentions {
        Mentions { names, all: Vec::new() }
    }

    pub(crate) fn add(&mut self, role: Role, name: Name, used: Use) {
        self.all.push(Mention { role, name, used });
    }

    /// The names of an atom; the lifeline and the field of a path are apart.
    pub(crate) fn atom(&mut self, atom: &Atom) {
        if let Some(lifeline) = atom.lifeline {
            self.add(Role::Lifeline, lifeline, Use::Named);
        }
        if let Some(field) = atom.field() {
            self.add(Role::Field, field, Use::Named);
        }
        if let Some(variable) = atom.variable() {
            self.add(Role::Variable, variable, Use::Named);
        }
    }

    /// The mentions in the order of the text, each place once for each name.
    pub(crate) fn sorted(mut self) -> Mentions {
        let key = |it: &Mention| (it.name.span.start, it.name.span.end, it.role, it.name.symbol);
        self.all.sort_by_key(|it| (key(it), it.used));
        self.all.dedup_by(|one, other| key(one) == key(other));
        self
    }

    /// The name of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }
}

/// The mentions of a `.hsf`, `.hif` or `.hcf`.
pub fn of_spec(tree: &SpecFile) -> Mentions {
    let mut found = Mentions::new(tree.names.clone());
    for section in &tree.sections {
        let (role, declared) = match section {
            Section::Messages(declared) => (Role::Message, declared),
            Section::Lifelines(declared) => (Role::Lifeline, declared),
            Section::Options(_) => continue,
        };
        for declaration in &declared.names {
            found.add(role, declaration.name, Use::Declared);
        }
    }
    for node in tree.interaction.iter().flat_map(|it| &it.nodes) {
        match &node.kind {
            NodeKind::Passing(passing) => {
                if let Some(origin) = passing.origin {
                    found.add(Role::Lifeline, origin, Use::Sent);
                }
                let used = if passing.origin.is_some() { Use::Sent } else { Use::Received };
                found.add(Role::Message, passing.message, used);
                match &passing.target {
                    Target::Environment => {}
                    Target::Lifeline(_) | Target::Broadcast(_) => {
                        for &name in passing.target.lifelines() {
                            found.add(Role::Lifeline, name, Use::Received);
                        }
                    }
                }
                passing.guard.iter().for_each(|atom| found.atom(atom));
            }
            NodeKind::Operator(operator, _) => {
                for &name in operator.region() {
                    found.add(Role::Lifeline, name, Use::Named);
                }
                for &name in operator.variables() {
                    found.add(Role::Variable, name, Use::Declared);
                }
            }
            NodeKind::Empty | NodeKind::Invalid => {}
        }
    }
    found.sorted()
}

/// The mentions of a multi-trace. `source` is its text.
pub fn of_trace(source: &Source, tree: &TraceFile) -> Mentions {
    let mut found = Mentions::new(tree.names.clone());
    for component in &tree.components {
        if let Colocalization::Listed(names) = &component.lifelines {
            for &name in names {
                found.add(Role::Lifeline, name, Use::Named);
            }
        }
    }
    for occurrence in &tree.occurrences {
        let Some(action) = tree.actions.get(occurrence.action()) else { continue };
        let Some((lifeline, message)) = action_at(source.text(), occurrence.start) else {
            continue;
        };
        let used = match action.direction {
            crate::ast::Direction::Emission => Use::Sent,
            crate::ast::Direction::Reception => Use::Received,
        };
        let place = |span, name: Name| Name { symbol: name.symbol, span };
        found.add(Role::Lifeline, place(lifeline, action.lifeline), used);
        found.add(Role::Message, place(message, action.message), used);
    }
    for value in &tree.values {
        found.add(Role::Field, value.field, Use::Named);
    }
    found.sorted()
}

/// The places of the two names of the action that begins at an offset. The tree has the place of the first occurrence only.
fn action_at(text: &str, start: u32) -> Option<(Span, Span)> {
    let name = |at: usize| -> Option<(usize, usize)> {
        let at = skip_trivia(text, at);
        let end = if text.as_bytes().get(at) == Some(&b'"') {
            scan_quoted(text, at).end
        } else {
            dashed(text, at)
        };
        (end > at).then_some((at, end))
    };
    let lifeline = name(start as usize)?;
    let sign = skip_trivia(text, lifeline.1);
    matches!(text.as_bytes().get(sign), Some(b'!' | b'?')).then_some(())?;
    let message = name(sign + 1)?;
    let span = |(start, end)| Span::new(offset(start), offset(end));
    Some((span(lifeline), span(message)))
}

/// The first offset that is neither white space nor part of a comment.
fn skip_trivia(text: &str, mut at: usize) -> usize {
    loop {
        let (next, comment) = skip_to_comment(text, at);
        match comment {
            Some(comment) => at = (comment.span.end as usize).max(next),
            None => return next,
        }
    }
}

/// The end of a plain name, which may have `-` in it: that is a fault, but it is still one name.
fn dashed(text: &str, start: usize) -> usize {
    let mut end = scan_word(text, start);
    while end > start && text.as_bytes().get(end) == Some(&b'-') {
        let next = scan_word(text, end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

/// The mentions of the diagram at `range` of a text.
pub fn of_diagram(
    source: &Source,
    range: Span,
    language: Language,
    include: Option<&mut Include<'_>>,
) -> Mentions {
    diagram::mentions(source, range, language, include)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_spec, parse_trace};

    /// The mentions as `text:role:use`, and `name=text` if the place does not spell the name.
    fn shown(source: &Source, found: &Mentions) -> String {
        let one = |it: &Mention| {
            let (name, text) = (found.text(it.name.symbol), source.slice(it.name.span));
            let letter = match it.role {
                Role::Lifeline => 'L',
                Role::Message => 'M',
                Role::Field => 'F',
                Role::Variable => 'V',
            };
            let used = match it.used {
                Use::Declared => "+",
                Use::Sent => "!",
                Use::Received => "?",
                Use::Named => "",
            };
            if name == text {
                format!("{letter}{text}{used}")
            } else {
                format!("{letter}{name}={text}{used}")
            }
        };
        found.all.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(text: &str, found: impl Fn(&Source) -> Mentions, expected: &str) {
        let source = Source::new("text", text);
        assert_eq!(shown(&source, &found(&source)), expected);
    }

    fn diagram(language: Language) -> impl Fn(&Source) -> Mentions {
        move |source| of_diagram(source, source.whole(), language, None)
    }

    #[test]
    fn models_name_lifelines_messages_and_values() {
        let of = |source: &Source| of_spec(&parse_spec(source).tree);
        check(
            "@message{m} @lifeline{a; \"b c\"} a -- m -> \"b c\"",
            of,
            "Mm+ La+ Lb c=\"b c\"+ La! Mm! Lb c=\"b c\"?",
        );
        check(
            "coreg(a)(b?m, new(x)(a -- m[f = x, a.g = 1] -> b))",
            of,
            "La Lb? Mm? Vx+ La! Mm! Ff Vx La Fg Lb?",
        );
    }

    #[test]
    fn traces_name_every_occurrence() {
        let of = |source: &Source| of_trace(source, &parse_trace(source).tree);
        check(
            "[a] a!m.a ! m(f=1); [b] // c\n \"b\"?m",
            of,
            "La La! Mm! La! Mm! Ff Lb Lb=\"b\"? Mm?",
        );
    }

    #[test]
    fn diagrams_name_more_than_their_trees() {
        let text = "sequenceDiagram\n  participant A as Alice\n  A->>+B: hi there\n  Note over A,B: x\n  deactivate B\n";
        check(text, diagram(Language::Mermaid), "LA+ LA! LB? Mhi there! LA LB LB");
        let text = "sequenceDiagram\n%% otus: name A \"a b\"\n%% otus: environment E\nA->>E: m\nE->>A: n\n";
        check(text, diagram(Language::Mermaid), "La b=\"a b\"+ La b=A! Mm! La b=A? Mn?");
        let text = "@startuml\nparticipant \"Long\" as L\nL -> \"X Y\" : m\nactivate L\n@enduml\n";
        check(text, diagram(Language::PlantUml), "LL+ LL! LX Y=\"X Y\"? Mm! LL");
    }
}
