//! A small reader of interactions for tests: no recovery, panics on anything wrong.

use otus_syntax::ast::{
    Declaration, Declarations, Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing,
    Section, SpecFile, Target,
};
use otus_syntax::name::Name;
use otus_syntax::{SourceId, Span};

/// Reads sections and at most one interaction.
#[track_caller]
pub(crate) fn spec(text: &str) -> SpecFile {
    let mut reader = Reader { text, at: 0, file: SpecFile::default(), nodes: Vec::new() };
    while reader.peek() == Some("@") {
        reader.section();
    }
    if reader.peek().is_some() {
        let root = reader.interaction();
        let nodes = std::mem::take(&mut reader.nodes);
        reader.file.interaction = Some(Interaction { nodes, root });
    }
    assert_eq!(reader.peek(), None);
    reader.file
}

/// The same as a file among others.
#[track_caller]
pub(crate) fn spec_with_id(id: u32, text: &str) -> SpecFile {
    SpecFile { source: SourceId(id), ..spec(text) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    file: SpecFile,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    fn token(&self) -> Option<(usize, &'a str)> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.find(|c: char| !c.is_whitespace())?;
        let rest = &self.text[start..];
        let symbols = ["--", "->|", "->", "<synch>"];
        let len = symbols.iter().find(|s| rest.starts_with(**s)).map(|s| s.len());
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some((start, &rest[..len.unwrap_or(word.max(1))]))
    }

    fn peek(&self) -> Option<&'a str> {
        self.token().map(|(_, token)| token)
    }

    fn take(&mut self) -> (&'a str, Span) {
        let (start, token) = self.token().unwrap();
        self.at = start + token.len();
        (token, Span::new(u32::try_from(start).unwrap(), u32::try_from(self.at).unwrap()))
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.take();
        }
        found
    }

    #[track_caller]
    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "`{token}` at {}", &self.text[self.at..]);
    }

    fn name(&mut self) -> Name {
        let (text, span) = self.take();
        Name { symbol: self.file.names.intern(text), span }
    }

    fn names(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        self.expect("(");
        while !self.eat(")") {
            names.push(self.name());
            self.eat(",");
        }
        names
    }

    fn section(&mut self) {
        self.expect("@");
        let (keyword, span) = self.take();
        self.expect("{");
        let mut names = Vec::new();
        while !self.eat("}") {
            names.push(Declaration { name: self.name(), label: None });
            self.eat(";");
        }
        let declarations = Declarations { span, names };
        self.file.sections.push(match keyword {
            "lifeline" => Section::Lifelines(declarations),
            "message" => Section::Messages(declarations),
            _ => panic!("no section {keyword}"),
        });
    }

    fn interaction(&mut self) -> NodeId {
        let (start, token) = self.token().unwrap();
        let kind = match token {
            "o" => {
                self.take();
                NodeKind::Empty
            }
            "invalid" => {
                self.take();
                NodeKind::Invalid
            }
            "strict" | "seq" | "par" | "alt" | "coreg" | "loopS" | "loopW" | "loopP" | "loopH"
            | "loopC" => {
                self.take();
                let operator = match token {
                    "strict" => Operator::Strict,
                    "seq" => Operator::Seq,
                    "par" => Operator::Par,
                    "alt" => Operator::Alt,
                    "coreg" => Operator::Coreg(self.names()),
                    "loopS" => Operator::Loop(LoopKind::Strict),
                    "loopW" => Operator::Loop(LoopKind::Weak),
                    "loopP" => Operator::Loop(LoopKind::Parallel),
                    "loopH" => Operator::Loop(LoopKind::HeadFirst),
                    _ => Operator::Loop(LoopKind::Coregion(self.names())),
                };
                self.expect("(");
                let mut operands = Vec::new();
                while !self.eat(")") {
                    operands.push(self.interaction());
                    self.eat(",");
                }
                NodeKind::Operator(operator, operands)
            }
            _ => NodeKind::Passing(self.passing()),
        };
        let start = u32::try_from(start).unwrap();
        let span = Span::new(start, u32::try_from(self.at).unwrap());
        self.nodes.push(Node { span, kind });
        NodeId(u32::try_from(self.nodes.len() - 1).unwrap())
    }

    fn passing(&mut self) -> Passing {
        let mut synchronous = self.eat("<synch>");
        let first = self.name();
        let (origin, message) = if self.eat("--") {
            synchronous |= self.eat("<synch>");
            (Some(first), self.name())
        } else {
            (None, first)
        };
        let target = if self.eat("->|") {
            Target::Environment
        } else {
            self.expect("->");
            match self.peek() {
                Some("(") => Target::Broadcast(self.names()),
                _ => Target::Lifeline(self.name()),
            }
        };
        Passing { origin, message, target, synchronous }
    }
}
