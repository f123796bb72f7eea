//! Quantifiers over processes.
//!
//! `forall p != q in n*: f` is the conjunction of f over all choices of different processes p and q whose names begin
//! with n, and `exists` the disjunction. f is lowered once for each choice, at most [`MOST_INSTANCES`] times in a file,
//! so that a quantifier never takes more time and memory than a file of formulas of that length.
//!
//! A process that lacks a variable of the formula (`p.role`) is left out, with a warning, if another one has it. If
//! none has it, the name is probably misspelt, and that is an error.

use otus_syntax::Code;
use otus_syntax::Span;
use otus_syntax::ast::formula::{
    Binder, FormulaFile, FormulaId as NodeId, FormulaKind, Quantifier,
};
use otus_syntax::name::{Name, Symbol};
use otus_trace::order::ProcessId;

use super::{Lowering, Meaning, own_variable, similar};
use crate::formula::FormulaId;

/// The maximum number of choices of processes in a file of formulas.
pub const MOST_INSTANCES: usize = 10_000;

/// The maximum number of names of quantifiers around a formula. Lowering recurses on them.
const MOST_NAMES: usize = 8;

/// The maximum number of processes that a message names.
const MOST_NAMED: usize = 4;

/// A quantifier over processes as it was expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// `forall` or `exists`.
    pub quantifier: Quantifier,
    /// The names that the quantifier binds: `p, q`.
    pub names: String,
    /// The number of choices of processes.
    pub instances: usize,
}

/// For each node: whether it is below a quantifier over processes, and therefore lowered with it.
pub(super) fn bound_nodes(file: &FormulaFile) -> Vec<bool> {
    let mut is_bound = vec![false; file.nodes.len()];
    for (index, node) in file.nodes.iter().enumerate().rev() {
        if is_bound[index] || is_binder(&node.kind) {
            for below in node.kind.operands() {
                is_bound[below.index()] = true;
            }
        }
    }
    is_bound
}

fn is_binder(kind: &FormulaKind) -> bool {
    matches!(kind, FormulaKind::ForEach(..) | FormulaKind::AtMostOne(..))
}

impl Lowering<'_> {
    pub(super) fn for_each(
        &mut self,
        id: NodeId,
        quantifier: Quantifier,
        binder: &Binder,
        body: NodeId,
    ) -> Meaning {
        let Some(choices) = self.choices(binder, &[body], false) else { return Meaning::Nothing };
        let nodes = self.nodes_below(&[body]);
        let mut all: Vec<FormulaId> = Vec::new();
        // Counts through all choices, like the digits of a number.
        let mut chosen = vec![0; choices.len()];
        let outside = self.bound.len();
        loop {
            let processes: Vec<ProcessId> =
                chosen.iter().zip(&choices).map(|(&at, processes)| processes[at]).collect();
            let is_distinct = |at: usize| !processes[..at].contains(&processes[at]);
            if !binder.distinct || (0..processes.len()).all(is_distinct) {
                if self.instances == MOST_INSTANCES {
                    self.too_many(id, binder, &choices);
                    return Meaning::Nothing;
                }
                self.instances += 1;
                let names = binder.names.iter().map(|name| name.symbol);
                self.bound.extend(names.zip(processes));
                self.lower_again(&nodes);
                all.push(self.formula(body));
                self.bound.truncate(outside);
            }
            let Some(digit) =
                (0..chosen.len()).rev().find(|&at| chosen[at] + 1 < choices[at].len())
            else {
                break;
            };
            chosen[digit] += 1;
            chosen[digit + 1..].fill(0);
        }
        let names = binder.names.iter().map(|name| self.file.names.text(name.symbol));
        let names = names.collect::<Vec<_>>().join(", ");
        let new = Expansion { quantifier, names, instances: 0 };
        self.found.expansions.entry(id).or_insert(new).instances += all.len();
        Meaning::Formula(match quantifier {
            Quantifier::All => self.formulas.and(all),
            Quantifier::Exists => self.formulas.or(all),
        })
    }

    /// For each name of a quantifier: the processes that it can stand for, at least one; `None` if there is an
    /// error. With `implicit`, a name without a process may be a variable of the bound process.
    pub(super) fn choices(
        &mut self,
        binder: &Binder,
        parts: &[NodeId],
        implicit: bool,
    ) -> Option<Vec<Vec<ProcessId>>> {
        if self.bound.len() + binder.names.len() > MOST_NAMES {
            let message = format!("more than {MOST_NAMES} names of quantifiers are nested here");
            let help = "name fewer processes at a time";
            self.complain(Code::TOO_MANY_INSTANCES, binder.names[0].span, message, help);
            return None;
        }
        let range = self.range(binder)?;
        let mut choices = Vec::new();
        for &name in &binder.names {
            let variables = self.variables_of(name.symbol, parts, implicit, &range);
            let lacks = |&process: &ProcessId| {
                variables.iter().find(|name| own_variable(self.trace, process, name).is_none())
            };
            let (mut fit, mut unfit) = (Vec::new(), Vec::new());
            for &process in &range {
                match lacks(&process) {
                    None => fit.push(process),
                    Some(variable) => unfit.push((process, variable.clone())),
                }
            }
            if fit.is_empty() {
                // The variables are unknown. This is reported where they are used.
                fit.clone_from(&range);
            } else if let Some((_, variable)) = unfit.first() {
                let process = |&(process, _): &(ProcessId, _)| self.trace.process_name(process);
                let mut names: Vec<&str> = unfit.iter().map(process).take(MOST_NAMED).collect();
                if unfit.len() > MOST_NAMED {
                    names.push("…");
                }
                let names = names.join("`, `");
                let variable = format!("{}.{variable}", names.split('`').next().unwrap_or(""));
                self.left_out(name.span, &names, &variable);
            }
            choices.push(fit);
        }
        Some(choices)
    }

    /// Warns that processes are left out, because there is no such variable.
    pub(super) fn left_out(&mut self, span: Span, processes: &str, variable: &str) {
        let is = if processes.contains('`') { "are" } else { "is" };
        let message =
            format!("`{processes}` {is} left out: the trace has no variable `{variable}`");
        let help =
            "if it should be there, an event must set it: `set` in otus.toml or in the trace";
        self.complain(Code::LEFT_OUT, span, message, help);
    }

    /// The processes of a range, in the order of the trace.
    fn range(&mut self, binder: &Binder) -> Option<Vec<ProcessId>> {
        let trace = self.trace;
        if binder.range.is_empty() {
            let all: Vec<ProcessId> = trace.processes().collect();
            return (!all.is_empty()).then_some(all);
        }
        let mut found = vec![false; trace.process_count()];
        for &name in &binder.range {
            let pattern = self.text(name).to_owned();
            let mut any = false;
            for (process, text) in trace.process_names().enumerate() {
                if matches(&pattern, text) {
                    found[process] = true;
                    any = true;
                }
            }
            if !any {
                self.no_process(name, &pattern);
                return None;
            }
        }
        Some(trace.processes().zip(found).filter(|(_, found)| *found).map(|(p, _)| p).collect())
    }

    fn no_process(&mut self, name: Name, pattern: &str) {
        let message = if pattern.contains('*') {
            format!("no process of the trace has a name like `{pattern}`")
        } else {
            format!("the trace has no process `{pattern}`")
        };
        let help = similar(pattern, "processes", || self.trace.process_names());
        self.complain(Code::NO_SUCH_PROCESS, name.span, message, help);
    }

    /// The names of the variables that a formula reads of a bound process.
    fn variables_of(
        &self,
        name: Symbol,
        parts: &[NodeId],
        implicit: bool,
        range: &[ProcessId],
    ) -> Vec<String> {
        let mut variables = Vec::new();
        let mut pending = parts.to_vec();
        while let Some(id) = pending.pop() {
            let kind = &self.file.node(id).kind;
            pending.extend(kind.operands());
            let FormulaKind::Variable(path) = kind else { continue };
            let text = self.file.names.text(path.name.symbol);
            let is_own = match path.process {
                Some(process) => process.symbol == name,
                None => {
                    let has = |&p: &ProcessId| own_variable(self.trace, p, text).is_some();
                    implicit && range.iter().any(has)
                }
            };
            if is_own {
                variables.push(text.to_owned());
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The nodes of some formulas, operands first. The nodes below a quantifier are left out.
    pub(super) fn nodes_below(&self, parts: &[NodeId]) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let mut pending = parts.to_vec();
        while let Some(id) = pending.pop() {
            nodes.push(id);
            let kind = &self.file.node(id).kind;
            if !is_binder(kind) {
                pending.extend(kind.operands());
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// Lowers some nodes for another choice of processes.
    pub(super) fn lower_again(&mut self, nodes: &[NodeId]) {
        for &id in nodes {
            self.lower_node(id);
        }
    }

    fn too_many(&mut self, id: NodeId, binder: &Binder, choices: &[Vec<ProcessId>]) {
        let counts: Vec<String> = choices.iter().map(|all| all.len().to_string()).collect();
        let product = counts.join(" × ");
        let message = format!(
            "this stands for too many formulas ({product} choices of processes): at most \
             {MOST_INSTANCES} are made"
        );
        let help =
            "name fewer processes, as in `p in {a, b}`, or use `mutex`, `agree` or `at_most_one`";
        let span = binder.names.first().map_or(self.span(id), |name| name.span);
        self.complain(Code::TOO_MANY_INSTANCES, span, message, help);
    }
}

/// Whether a name fits a pattern, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(between) = last.replace(part) {
            // The first occurrence is the best choice, because it leaves the longest rest.
            let Some(at) = rest.find(between) else { return false };
            rest = &rest[at + between.len()..];
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, fits) in [
            ("n*", "n1", true),
            ("n*", "n", true),
            ("n*", "m1", false),
            ("*", "", true),
            ("a*b*c", "axbybzc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("n1", "n1", true),
            ("n1", "n12", false),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
