//! Named patterns of frequent properties, listed in [`PATTERNS`].

use otus_syntax::Code;
use otus_syntax::ast::formula::{Comparison, FormulaId as NodeId, Quantifier, UntilKind};
use otus_syntax::name::Name;
use otus_syntax::suggest::did_you_mean;
use otus_trace::order::{Kind, Value, VariableId};

use super::sum::Sum;
use super::{Lowering, Meaning};
use crate::atom::{Atom, Reading};
use crate::formula::{FormulaId, Formulas};

/// A pattern, with its documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The word before the parenthesis.
    pub name: &'static str,
    /// The least and the greatest number of arguments.
    pub arguments: (usize, usize),
    /// A call with names for the arguments.
    pub call: &'static str,
    /// The formula that the pattern stands for.
    pub formula: &'static str,
    /// The same in words.
    pub says: &'static str,
    /// An example.
    pub example: &'static str,
}

const MANY: usize = usize::MAX;

/// All patterns.
pub const PATTERNS: [Pattern; 10] = [
    Pattern {
        name: "always",
        arguments: (1, 1),
        call: "always(f)",
        formula: "AG f",
        says: "f at every cut, in every order of events",
        example: "always(x < 3)",
    },
    Pattern {
        name: "never",
        arguments: (1, 1),
        call: "never(f)",
        formula: "AG !f",
        says: "f at no cut, in no order",
        example: "never(x = 3)",
    },
    Pattern {
        name: "possibly",
        arguments: (1, 1),
        call: "possibly(f)",
        formula: "EF f",
        says: "f at some cut, in some order",
        example: "possibly(x = 3)",
    },
    Pattern {
        name: "eventually",
        arguments: (1, 1),
        call: "eventually(f)",
        formula: "AF f",
        says: "f sooner or later, in every order",
        example: "eventually(done)",
    },
    Pattern {
        name: "response",
        arguments: (2, 2),
        call: "response(f, g)",
        formula: "AG(f -> AF g)",
        says: "whenever f, then g sooner or later",
        example: "response(asked, answered)",
    },
    Pattern {
        name: "precedence",
        arguments: (2, 2),
        call: "precedence(f, g)",
        formula: "A[!g W f]",
        says: "no g before f",
        example: "precedence(asked, answered)",
    },
    Pattern {
        name: "mutex",
        arguments: (2, MANY),
        call: "mutex(f, g, …)",
        formula: "AG !(f & g | …)",
        says: "no two of them at a time",
        example: "mutex(p.critical, q.critical)",
    },
    Pattern {
        name: "agree",
        arguments: (2, MANY),
        call: "agree(x, y, …)",
        formula: "AG(x = y & …)",
        says: "the same value at every cut",
        example: "agree(p.leader, q.leader)",
    },
    Pattern {
        name: "one_leader",
        arguments: (2, MANY),
        call: "one_leader(p, q, …)",
        formula: "AG !(p.role = leader & q.role = leader & p.term = q.term | …)",
        says: "at no moment do two of these processes lead in the same term",
        example: "one_leader(p, q, r)",
    },
    Pattern {
        name: "at_most_one",
        arguments: (2, MANY),
        call: "at_most_one(m in n*, f, per k)",
        formula: "for no two processes m of n* and no value k: once f with m.k = k, in the whole history",
        says: "at most one process ever has f with the same k, at whatever moments",
        example: "at_most_one(member, role = leader, per term)",
    },
];

impl Lowering<'_> {
    pub(super) fn call(&mut self, id: NodeId, name: Name, arguments: &[NodeId]) -> Meaning {
        let word = self.file.names.text(name.symbol).to_owned();
        let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.name == word) else {
            let names = || PATTERNS.iter().map(|pattern| pattern.name);
            let message = format!("there is no pattern `{word}`");
            let listed = || format!("there are: {}", names().collect::<Vec<_>>().join(", "));
            let help = did_you_mean(&word, names()).unwrap_or_else(listed);
            self.complain(Code::UNKNOWN_PATTERN, name.span, message, help);
            return Meaning::Nothing;
        };
        let (least, most) = pattern.arguments;
        if arguments.len() < least || arguments.len() > most {
            let bound = if least == most { "" } else { "at least " };
            let plural = if least == 1 { "" } else { "s" };
            let given = arguments.len();
            let message = format!("`{word}` takes {bound}{least} argument{plural}, not {given}");
            let help = format!("an example: {}", pattern.example);
            self.complain(Code::UNKNOWN_PATTERN, name.span, message, help);
            return Meaning::Nothing;
        }
        match word.as_str() {
            // The arguments of this pattern have their own grammar, which the parser recognizes
            // only after the plain word.
            "at_most_one" => {
                let message =
                    "the arguments of `at_most_one` are read only without quotes around it";
                let help = format!("an example: {}", pattern.example);
                self.complain(Code::UNKNOWN_PATTERN, name.span, message, help);
                Meaning::Nothing
            }
            "agree" => self.agree(arguments),
            "one_leader" => self.one_leader(arguments),
            _ => {
                let all: Vec<FormulaId> = arguments.iter().map(|&f| self.formula(f)).collect();
                // The condition of the pattern: if it never holds, the pattern requires nothing.
                let condition = match (word.as_str(), &*all) {
                    ("response", &[f, _]) => Some(f),
                    ("precedence", &[_, g]) => Some(g),
                    _ => None,
                };
                if let Some(condition) = condition {
                    self.found.conditions.entry(id).or_default().push(condition);
                }
                Meaning::Formula(self.expand(&word, &all))
            }
        }
    }

    fn expand(&mut self, word: &str, all: &[FormulaId]) -> FormulaId {
        let formulas = &mut self.formulas;
        match (word, all) {
            ("always", &[f]) => formulas.ag(f),
            ("never", &[f]) => never(formulas, [f]),
            ("possibly", &[f]) => formulas.ef(f),
            ("eventually", &[f]) => formulas.af(f),
            ("response", &[f, g]) => {
                let later = formulas.af(g);
                let answered = formulas.implies(f, later);
                formulas.ag(answered)
            }
            ("precedence", &[f, g]) => {
                let not = formulas.not(g);
                formulas.until(Quantifier::All, UntilKind::Weak, not, f)
            }
            // mutex
            (_, all) => {
                let pairs = all
                    .iter()
                    .enumerate()
                    .flat_map(|(at, f)| all[at + 1..].iter().map(move |g| [*f, *g]));
                let both: Vec<FormulaId> = pairs.map(|pair| formulas.and(pair)).collect();
                never(formulas, both)
            }
        }
    }

    fn agree(&mut self, arguments: &[NodeId]) -> Meaning {
        let mut equal = Vec::new();
        for pair in arguments.windows(2) {
            let same = self.compare(pair[1], Comparison::Equal, pair[0], pair[1]);
            let Meaning::Formula(same) = same else { return Meaning::Nothing };
            equal.push(same);
        }
        let all = self.formulas.and(equal);
        Meaning::Formula(self.formulas.ag(all))
    }

    fn one_leader(&mut self, arguments: &[NodeId]) -> Meaning {
        let mut processes = Vec::new();
        // The arguments that lack a variable of their own, each with the name of the variable.
        let mut missing: Vec<(NodeId, String)> = Vec::new();
        for &argument in arguments {
            let Meaning::Text(process, true) = self.meaning(argument).clone() else {
                let message = "the name of a process is needed";
                let help = super::known("processes", self.trace.process_names());
                self.complain(Code::NO_SUCH_PROCESS, self.span(argument), message, help);
                return Meaning::Nothing;
            };
            let own = |name: &str| self.trace.variable(&format!("{process}.{name}"));
            let (role, term) = (own("role"), own("term"));
            let (Some(role), Some(term)) = (role, term) else {
                let word = if role.is_none() { "role" } else { "term" };
                missing.push((argument, format!("{process}.{word}")));
                continue;
            };
            let leads = Value::Text("leader".into());
            let leads = Atom::Compare(Reading::Variable(role), Comparison::Equal, leads);
            processes.push((self.formulas.atom(leads), term));
        }
        for (argument, variable) in missing {
            let span = self.span(argument);
            let process = variable.rsplit_once('.').map_or("", |(process, _)| process);
            if processes.len() < 2 || self.trace.process(process).is_none() {
                self.unknown_variable(&variable, span);
                return Meaning::Nothing;
            }
            self.left_out(span, process, &variable);
        }
        let mut broken = Vec::new();
        for (at, &(leads, term)) in processes.iter().enumerate() {
            for &(other_leads, other_term) in &processes[at + 1..] {
                let Some(same) = self.same(term, other_term) else { return Meaning::Nothing };
                broken.push(self.formulas.and([leads, other_leads, same]));
            }
        }
        Meaning::Formula(never(&mut self.formulas, broken))
    }

    fn same(&mut self, left: VariableId, right: VariableId) -> Option<FormulaId> {
        let (a, b) = (Reading::Variable(left), Reading::Variable(right));
        let number = |variable| self.trace.kind(variable) == Kind::Number;
        if number(left) && number(right) {
            let (a, b) = (Sum::reading(a), Sum::reading(b));
            let same = self.compare_sums(NodeId(0), Comparison::Equal, &a, &b);
            let Meaning::Formula(same) = same else { return None };
            return Some(same);
        }
        Some(self.formulas.atom(Atom::Pair(a, Comparison::Equal, b)))
    }
}

/// The formula that none of some formulas holds at any cut.
fn never(formulas: &mut Formulas, broken: impl IntoIterator<Item = FormulaId>) -> FormulaId {
    let broken = formulas.or(broken);
    formulas.ag(formulas.not(broken))
}
