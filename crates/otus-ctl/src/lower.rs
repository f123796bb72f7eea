//! Lowers syntax trees of formulas to formulas over a trace: resolves names, checks kinds, expands patterns.
//!
//! `x` is the variable of that name. `p.x` is the variable `p.x`, or else the variable `x` if only process p
//! assigns it. A word that is no variable is a text, so that members of enumerations need no
//! quotes; in the place of a formula it is an error.
//!
//! Nodes of the syntax tree come operands first, so one pass in order suffices. Errors do not end it: a node that
//! cannot be lowered means `true`, and a diagnostic says why. The formula of a quantifier over processes is lowered
//! once for each choice of processes, when the quantifier is reached ([`bind`]).

mod bind;
pub mod history;
pub mod pattern;
mod sum;

use otus_syntax::ast::formula::{
    Comparison, Connective, FormulaFile, FormulaId as NodeId, FormulaKind, Item, Path,
};
use otus_syntax::name::{Name, Symbol};
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Rational, Severity, Span, print};
use otus_trace::order::{Kind, Owner, PartialOrder, ProcessId, Value, VariableId};

use crate::atom::{Atom, Reading};
use crate::formula::{FormulaId, Formulas};
pub use bind::{Expansion, MOST_INSTANCES};
pub use history::History;
use rustc_hash::{FxHashMap, FxHashSet};
use sum::Sum;

/// A formula to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The name of the formula, if it has one.
    pub name: Option<String>,
    /// The canonical text of the formula.
    pub text: String,
    /// The span of the text of the formula.
    pub span: Span,
    /// The formula over the trace.
    pub formula: FormulaId,
    /// Whether the text of the formula is `true` or `false`, which people use to count cuts.
    pub is_constant: bool,
    /// The left sides of its implications. A property is vacuous if such a condition never holds. For an implication
    /// below a quantifier over processes, the condition is the disjunction over all choices of processes.
    pub conditions: Vec<FormulaId>,
    /// The quantifiers over processes in the formula.
    pub expansions: Vec<Expansion>,
    /// The results of the formula's patterns over histories.
    pub histories: Vec<History>,
    /// The warnings about it, as indices of [`Lowered::diagnostics`].
    pub warnings: Vec<usize>,
}

/// The properties of a file over a trace.
#[derive(Debug)]
pub struct Lowered {
    /// All formulas.
    pub formulas: Formulas,
    /// The formulas to be checked, in order.
    pub properties: Vec<Property>,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Resolves the formulas of a file over a trace.
///
/// ```
/// use otus_ctl::{Checker, Options, lower};
/// use otus_syntax::{Source, parse_formulas};
/// use otus_trace::order::{Builder, Writes};
///
/// let mut builder = Builder::default();
/// let (p, q) = (builder.process("p"), builder.process("q"));
/// builder.event(p).set("x", 1);
/// builder.event(q).set("y", 1);
/// let trace = builder.finish(Writes::Checked).unwrap();
/// let parsed = parse_formulas(&Source::new("f", "EF(x = 1 & y = 0); AF(x = 1 & y = 0)"));
/// let lowered = lower(&parsed.tree, &trace);
/// let mut checker = Checker::new(&trace, lowered.formulas);
/// let answers: Vec<bool> = lowered
///     .properties
///     .iter()
///     .map(|property| checker.check(property.formula, &Options::default()).unwrap().holds)
///     .collect();
/// assert_eq!(answers, [true, false]);
/// ```
pub fn lower(file: &FormulaFile, trace: &PartialOrder) -> Lowered {
    lower_with(file, trace, Formulas::default())
}

/// Resolves the formulas of a file and adds them to existing ones, so that several files share their parts.
pub fn lower_with(file: &FormulaFile, trace: &PartialOrder, formulas: Formulas) -> Lowered {
    let mut lowering = Lowering {
        file,
        trace,
        formulas,
        meanings: vec![Meaning::Nothing; file.nodes.len()],
        bound: Vec::new(),
        member: None,
        instances: 0,
        found: Found::default(),
        diagnostics: Vec::new(),
    };
    let is_bound = bind::bound_nodes(file);
    for (index, is_bound) in is_bound.into_iter().enumerate() {
        if !is_bound {
            lowering.lower_node(NodeId(crate::number(index)));
        }
    }
    let mut properties = Vec::new();
    for item in file.properties() {
        let formula = lowering.formula(item.body);
        properties.push(lowering.property(item, formula));
    }
    let Lowering { formulas, diagnostics, .. } = lowering;
    Lowered { formulas, properties, diagnostics }
}

#[derive(Debug, Clone)]
enum Meaning {
    Formula(FormulaId),
    /// `true` or `false`, which may be a formula or a value.
    Truth(bool),
    /// A number, or a sum of readings that are numbers.
    Sum(Sum),
    /// A reading that is not a number, or whose values are of several kinds.
    Reading(Reading, Option<Kind>),
    /// A text; the flag says whether it is a bare word.
    Text(String, bool),
    /// An error, which was reported.
    Nothing,
}

struct Lowering<'a> {
    file: &'a FormulaFile,
    trace: &'a PartialOrder,
    formulas: Formulas,
    /// For each node: its meaning.
    meanings: Vec<Meaning>,
    /// The processes that names of quantifiers stand for, the innermost last.
    bound: Vec<(Symbol, ProcessId)>,
    /// The process whose own variables can be named without `p.`.
    member: Option<ProcessId>,
    /// The choices of processes so far.
    instances: usize,
    found: Found,
    diagnostics: Vec<Diagnostic>,
}

/// The facts that the nodes of a file contribute to the properties that contain them.
#[derive(Debug, Default)]
struct Found {
    conditions: FxHashMap<NodeId, Vec<FormulaId>>,
    expansions: FxHashMap<NodeId, Expansion>,
    histories: FxHashMap<NodeId, Vec<History>>,
}

impl Lowering<'_> {
    fn lower_node(&mut self, id: NodeId) {
        self.meanings[id.index()] = self.node(id);
    }

    /// A property with all facts that were collected about its nodes.
    fn property(&mut self, item: &Item, formula: FormulaId) -> Property {
        let file = self.file;
        let mut met: FxHashSet<NodeId> = FxHashSet::default();
        let mut pending = vec![item.body];
        while let Some(id) = pending.pop() {
            if met.insert(id) {
                let kind = &file.node(id).kind;
                pending.extend(kind.operands());
                if let FormulaKind::Named(_, body) = kind {
                    pending.push(*body);
                }
            }
        }
        let mut nodes: Vec<NodeId> = met.into_iter().collect();
        nodes.sort_unstable();
        let found = &self.found;
        let conditions = nodes.iter().filter_map(|id| found.conditions.get(id));
        let conditions = conditions.map(|all| self.formulas.or(all.iter().copied())).collect();
        let spans: Vec<Span> = nodes.iter().map(|&id| file.node(id).span).collect();
        let is_own = |found: &Diagnostic| {
            let place = found.primary.span;
            spans.iter().any(|span| span.start <= place.start && place.end <= span.end)
        };
        let of_warning = |(index, found): (usize, &Diagnostic)| {
            (found.severity == Severity::Warning && is_own(found)).then_some(index)
        };
        let mut body = item.body;
        while let FormulaKind::Named(_, inner) = &file.node(body).kind {
            body = *inner;
        }
        let expansions = nodes.iter().filter_map(|id| found.expansions.get(id));
        let histories = nodes.iter().filter_map(|id| found.histories.get(id));
        Property {
            name: item.name.map(|name| file.names.text(name.symbol).to_owned()),
            text: print::formula(file, item.body),
            span: file.node(item.body).span,
            formula,
            is_constant: matches!(file.node(body).kind, FormulaKind::Constant(_)),
            conditions,
            expansions: expansions.cloned().collect(),
            histories: histories.flatten().cloned().collect(),
            warnings: self.diagnostics.iter().enumerate().filter_map(of_warning).collect(),
        }
    }

    /// The text of a name. For a name of a quantifier, it is the name of the process that it stands
    /// for.
    fn text(&self, name: Name) -> &str {
        match self.bound_process(name) {
            Some(process) => self.trace.process_name(process),
            None => self.file.names.text(name.symbol),
        }
    }

    /// The process that a name of a quantifier stands for.
    fn bound_process(&self, name: Name) -> Option<ProcessId> {
        let found = self.bound.iter().rev().find(|(symbol, _)| *symbol == name.symbol);
        found.map(|&(_, process)| process)
    }

    fn node(&mut self, id: NodeId) -> Meaning {
        let file = self.file;
        match &file.node(id).kind {
            FormulaKind::Constant(truth) => Meaning::Truth(*truth),
            FormulaKind::Number(number) => Meaning::Sum(Sum::constant(*number)),
            FormulaKind::Text(text) => Meaning::Text(file.names.text(*text).to_owned(), false),
            FormulaKind::Variable(path) => self.variable(*path),
            FormulaKind::Named(_, body) => self.meaning(*body).clone(),
            FormulaKind::Last(process) => match self.process(*process) {
                Some(process) => Meaning::Reading(Reading::Last(process), Some(Kind::Text)),
                None => Meaning::Nothing,
            },
            FormulaKind::Count(process, label) => self.count(*process, *label),
            FormulaKind::Negative(inner) => self.scaled(*inner, Rational::from(-1)),
            FormulaKind::Arithmetic(operator, left, right) => {
                self.arithmetic(id, *operator, *left, *right)
            }
            FormulaKind::Compare(comparison, left, right) => {
                self.compare(id, *comparison, *left, *right)
            }
            FormulaKind::Member(term, members) => self.member(id, *term, members),
            FormulaKind::Not(inner) => {
                let inner = self.formula(*inner);
                Meaning::Formula(self.formulas.not(inner))
            }
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (self.formula(*left), self.formula(*right));
                if *connective == Connective::Implies {
                    self.found.conditions.entry(id).or_default().push(left);
                }
                Meaning::Formula(self.formulas.connective(*connective, left, right))
            }
            FormulaKind::Temporal(quantifier, modality, inner) => {
                let f = self.formula(*inner);
                Meaning::Formula(self.formulas.temporal(*quantifier, *modality, f))
            }
            FormulaKind::Until(quantifier, kind, left, right) => {
                let (f, g) = (self.formula(*left), self.formula(*right));
                Meaning::Formula(self.formulas.until(*quantifier, *kind, f, g))
            }
            FormulaKind::Call(name, arguments) => self.call(id, *name, arguments),
            FormulaKind::ForEach(quantifier, binder, body) => {
                self.for_each(id, *quantifier, binder, *body)
            }
            FormulaKind::AtMostOne(binder, parts) => self.at_most_one(id, binder, parts),
            FormulaKind::Invalid => Meaning::Nothing,
        }
    }

    fn meaning(&self, id: NodeId) -> &Meaning {
        &self.meanings[id.0 as usize]
    }

    fn span(&self, id: NodeId) -> Span {
        self.file.node(id).span
    }

    fn complain(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let is_same = |known: &Diagnostic| known.code == code && known.primary.span == span;
        if !self.bound.is_empty() && self.diagnostics.iter().any(is_same) {
            return; // The fault was already reported for another choice of processes.
        }
        let diagnostic = Diagnostic::new(code, self.file.source, span, message);
        self.diagnostics.push(diagnostic.with_help(help));
    }

    /// The meaning of a node where a formula is expected.
    fn formula(&mut self, id: NodeId) -> FormulaId {
        let span = self.span(id);
        match self.meaning(id).clone() {
            Meaning::Formula(formula) => formula,
            Meaning::Truth(true) | Meaning::Nothing => Formulas::TRUE,
            Meaning::Truth(false) => Formulas::FALSE,
            Meaning::Reading(reading, Some(Kind::Boolean)) => {
                self.formulas.atom(Atom::Compare(reading, Comparison::Equal, Value::Boolean(true)))
            }
            Meaning::Text(word, true) => {
                self.unknown_variable(&word, span);
                Formulas::TRUE
            }
            Meaning::Text(_, false) | Meaning::Sum(_) | Meaning::Reading(..) => {
                let message = "this is a value, and a formula is needed";
                self.complain(Code::WRONG_SORT, span, message, "compare it with something");
                Formulas::TRUE
            }
        }
    }

    fn unknown_variable(&mut self, word: &str, span: Span) {
        let trace = self.trace;
        let names = || trace.variables().map(|variable| trace.variable_name(variable));
        let message = format!("the trace has no variable `{word}`");
        let help = similar(word, "variables", names);
        self.complain(Code::UNKNOWN_VARIABLE, span, message, help);
    }

    fn variable(&mut self, path: Path) -> Meaning {
        let trace = self.trace;
        let name = self.file.names.text(path.name.symbol);
        if path.process.is_none() && self.bound_process(path.name).is_some() {
            return Meaning::Text(self.text(path.name).to_owned(), true);
        }
        let process = path.process.map(|process| (process.span, self.text(process).to_owned()));
        let found = match &process {
            None => {
                let own = self.member.and_then(|member| own_variable(trace, member, name));
                own.or_else(|| trace.variable(name))
            }
            Some((_, process)) => trace.resolve(Some(process), name),
        };
        match (found, process) {
            (Some(variable), _) => {
                let reading = Reading::Variable(variable);
                match Some(trace.kind(variable)) {
                    Some(Kind::Number) => Meaning::Sum(Sum::reading(reading)),
                    kind => Meaning::Reading(reading, kind),
                }
            }
            (None, None) => Meaning::Text(name.to_owned(), true),
            (None, Some((span, process))) => {
                let word = format!("{process}.{name}");
                let span = span.to(path.name.span);
                if trace.process(&process).is_some()
                    && let Some(variable) = trace.variable(name)
                {
                    let whose = match trace.owner(variable) {
                        Owner::Process(owner) => {
                            format!("only `{}` assigns `{name}`", trace.process_name(owner))
                        }
                        Owner::Shared => {
                            format!("several processes assign `{name}`: leave out `{process}.`")
                        }
                        Owner::None => {
                            format!("no process assigns `{name}`: leave out `{process}.`")
                        }
                    };
                    let message = format!("the trace has no variable `{word}`");
                    self.complain(Code::UNKNOWN_VARIABLE, span, message, whose);
                } else {
                    self.unknown_variable(&word, span);
                }
                Meaning::Nothing
            }
        }
    }

    fn process(&mut self, name: Name) -> Option<ProcessId> {
        if let Some(process) = self.bound_process(name) {
            return Some(process);
        }
        let text = self.file.names.text(name.symbol);
        let found = self.trace.process(text);
        if found.is_none() {
            let message = format!("the trace has no process `{text}`");
            let help = similar(text, "processes", || self.trace.process_names());
            self.complain(Code::NO_SUCH_PROCESS, name.span, message, help);
        }
        found
    }

    fn count(&mut self, process: Name, label: Option<Name>) -> Meaning {
        let Some(process) = self.process(process) else { return Meaning::Nothing };
        let Some(label) = label else {
            return Meaning::Sum(Sum::reading(Reading::Count(process, None)));
        };
        let text = self.file.names.text(label.symbol);
        match self.trace.find_label(text) {
            Some(label) => Meaning::Sum(Sum::reading(Reading::Count(process, Some(label)))),
            None => {
                let message = format!("no event of the trace has the label `{text}`, so this is 0");
                let help = similar(text, "labels", || self.trace.labels());
                self.complain(Code::UNKNOWN_LABEL, label.span, message, help);
                Meaning::Sum(Sum::constant(Rational::from(0)))
            }
        }
    }

    fn compare(
        &mut self,
        id: NodeId,
        comparison: Comparison,
        left: NodeId,
        right: NodeId,
    ) -> Meaning {
        let (a, b) = (self.meaning(left).clone(), self.meaning(right).clone());
        let formula = match (a, b) {
            (Meaning::Nothing, _) | (_, Meaning::Nothing) => return Meaning::Nothing,
            (Meaning::Formula(_), _) | (_, Meaning::Formula(_)) => {
                let (message, help) =
                    ("formulas are compared by `<->`", "write `f <-> g`, or compare values");
                self.complain(Code::WRONG_SORT, self.span(id), message, help);
                return Meaning::Nothing;
            }
            (Meaning::Sum(a), Meaning::Sum(b)) => return self.compare_sums(id, comparison, &a, &b),
            (Meaning::Reading(a, a_kind), Meaning::Reading(b, b_kind)) => {
                if let (Some(a_kind), Some(b_kind)) = (a_kind, b_kind)
                    && a_kind != b_kind
                {
                    return self.wrong_kinds(id, (left, a_kind), (right, b_kind));
                }
                self.formulas.atom(Atom::Pair(a, comparison, b))
            }
            (Meaning::Reading(..), _) => return self.compare_with(id, left, comparison, right),
            (_, Meaning::Reading(..)) => {
                return self.compare_with(id, right, mirror(comparison), left);
            }
            // Two constants, or a number and a word.
            (a, b) => match (constant(&a), constant(&b)) {
                (Some(a), Some(b)) if a.compare(&b).is_some() => {
                    truth(a.compare(&b).is_some_and(|order| comparison.holds(order)))
                }
                (a, b) => {
                    // A side without a constant value is a sum with readings, hence a number.
                    let kind = |value: Option<Value>| value.map_or(Kind::Number, |v| v.kind());
                    return self.wrong_kinds(id, (left, kind(a)), (right, kind(b)));
                }
            },
        };
        Meaning::Formula(formula)
    }

    /// A reading that is not a number compared with a constant.
    fn compare_with(
        &mut self,
        id: NodeId,
        left: NodeId,
        comparison: Comparison,
        right: NodeId,
    ) -> Meaning {
        let &Meaning::Reading(reading, kind) = self.meaning(left) else { return Meaning::Nothing };
        let value = constant(self.meaning(right));
        let own = kind.unwrap_or_else(|| value.as_ref().map_or(Kind::Text, Value::kind));
        match value {
            Some(value) if value.kind() == own => {
                Meaning::Formula(self.formulas.atom(Atom::Compare(reading, comparison, value)))
            }
            // If the other side has no constant value, it is a sum with readings, hence a number.
            other => {
                let kind = other.map_or(Kind::Number, |value| value.kind());
                self.wrong_kinds(id, (left, own), (right, kind))
            }
        }
    }

    fn wrong_kinds(&mut self, id: NodeId, left: Operand, right: Operand) -> Meaning {
        // A word that is no variable is probably a misspelt variable.
        for side in [left.0, right.0] {
            if let Meaning::Text(word, true) = self.meaning(side).clone() {
                self.unknown_variable(&word, self.span(side));
                return Meaning::Nothing;
            }
        }
        let message =
            format!("{} cannot be compared with {}", left.1.describe(), right.1.describe());
        let help = "compare values of one kind; texts may be in quotes";
        self.complain(Code::WRONG_KIND, self.span(id), message, help);
        Meaning::Nothing
    }

    fn member(&mut self, id: NodeId, term: NodeId, members: &[NodeId]) -> Meaning {
        let values: Option<Vec<Value>> =
            members.iter().map(|&member| constant(self.meaning(member))).collect();
        let Some(mut values) = values else { return Meaning::Nothing };
        let (reading, kind) = match self.meaning(term).clone() {
            Meaning::Sum(sum) => match sum.single() {
                Some(reading) => (reading, Some(Kind::Number)),
                None => return self.sum_member(id, &sum, &values),
            },
            Meaning::Reading(reading, kind) => (reading, kind),
            Meaning::Text(word, true) => {
                self.unknown_variable(&word, self.span(term));
                return Meaning::Nothing;
            }
            Meaning::Truth(_) | Meaning::Text(..) => {
                let own = constant(self.meaning(term));
                return Meaning::Formula(truth(own.is_some_and(|own| values.contains(&own))));
            }
            Meaning::Formula(_) | Meaning::Nothing => return Meaning::Nothing,
        };
        for (&member, value) in members.iter().zip(&values) {
            if let Some(kind) = kind
                && kind != value.kind()
            {
                return self.wrong_kinds(member, (term, kind), (member, value.kind()));
            }
        }
        values.sort_by_key(ToString::to_string);
        values.dedup();
        Meaning::Formula(self.formulas.atom(Atom::Member(reading, values.into())))
    }
}

/// The variable `p.x`, or else `x` if only process p assigns it.
fn own_variable(trace: &PartialOrder, process: ProcessId, name: &str) -> Option<VariableId> {
    trace.resolve(Some(trace.process_name(process)), name)
}

/// A side of a comparison.
type Operand = (NodeId, Kind);

fn constant(meaning: &Meaning) -> Option<Value> {
    match meaning {
        Meaning::Truth(truth) => Some(Value::Boolean(*truth)),
        Meaning::Sum(sum) => sum.value().map(Value::Number),
        Meaning::Text(text, _) => Some(Value::text(text)),
        Meaning::Formula(_) | Meaning::Reading(..) | Meaning::Nothing => None,
    }
}

fn truth(holds: bool) -> FormulaId {
    if holds { Formulas::TRUE } else { Formulas::FALSE }
}

/// The help for an unknown name: a similar existing name, or else all existing names.
fn similar<'n, N: Iterator<Item = &'n str>>(
    word: &str,
    what: &str,
    names: impl Fn() -> N,
) -> String {
    did_you_mean(word, names()).unwrap_or_else(|| known(what, names()))
}

/// A help text: how a trace gets variables.
pub const MAKE_VARIABLES: &str = "an event of a .pot.json sets one by \"set\": {\"x\": 1}, and a line of a log by \
    a rule of otus.toml with set = { x = \"{field}\" }; `otus init` proposes such rules";

/// A list of the existing names.
fn known<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> String {
    const MOST: usize = 8;
    let mut names: Vec<String> = names.take(MOST + 1).map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        let advice = if what == "variables" { MAKE_VARIABLES } else { "" };
        return format!(
            "the trace has no {what}{}{advice}",
            if advice.is_empty() { "" } else { "; " }
        );
    }
    if names.len() > MOST {
        "…".clone_into(&mut names[MOST]);
    }
    format!("its {what}: {}", names.join(", "))
}

/// The comparison with its sides exchanged.
fn mirror(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal | Comparison::Unequal => comparison,
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
    }
}
