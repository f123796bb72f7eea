//! Records the graph of a search, to draw or export it.

use std::fmt::Write as _;

use otus_core::semantics::Positions;
use otus_core::{EventId, Pool};
use otus_trace::MultiTrace;

use crate::graph::search::{NodeId, Observer};
use crate::graph::state::{Leaf, Rule, SearchState};
use crate::verdict::Verdict;
use crate::witness::{event_text, lifeline_names, together};

/// The graph of a search, in the order of its creation.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Nodes by number.
    pub nodes: Vec<Recorded>,
    /// Edges to nodes that existed already: from, rule, to.
    pub again: Vec<(NodeId, Rule, NodeId)>,
}

/// A recorded node.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The state of the search at the node.
    pub state: SearchState,
    /// The parent, and the rule that led here.
    pub parent: Option<(NodeId, Rule)>,
    /// The local verdict of the node, if it is a leaf.
    pub leaf: Option<Leaf>,
    /// The number of children that a filter or a limit cut off.
    pub cut: usize,
    /// With values: conditions on those that are not known.
    pub conditions: Option<Vec<String>>,
}

impl Observer for Graph {
    fn node(&mut self, _: NodeId, parent: Option<(NodeId, Rule)>, state: &SearchState) {
        self.nodes.push(Recorded {
            state: state.clone(),
            parent,
            leaf: None,
            cut: 0,
            conditions: None,
        });
    }

    fn again(&mut self, known: NodeId, parent: NodeId, rule: Rule) {
        self.again.push((parent, rule, known));
    }

    fn leaf(&mut self, id: NodeId, leaf: Leaf) {
        self.nodes[id.0 as usize].leaf = Some(leaf);
    }

    fn cut(&mut self, parent: NodeId, _: Rule) {
        self.nodes[parent.0 as usize].cut += 1;
    }
}

/// The tables that the ids of a graph refer to.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Terms and events.
    pub pool: &'a Pool,
    /// Positions.
    pub positions: &'a Positions,
    /// The analysed multi-trace; `None` for an exploration.
    pub trace: Option<&'a MultiTrace>,
}

impl Context<'_> {
    /// A rule as the papers label edges: `Re a!m@1211`.
    pub fn rule(&self, rule: &Rule) -> String {
        match rule {
            Rule::Execute(now) => {
                let name = if self.trace.is_some() { "Re " } else { "" };
                let position = self.positions.text(now.position);
                let event = event_text(self.pool, now.event, now.observed);
                format!("{name}{event}@{position}")
            }
            Rule::Simulate(now) => {
                format!("Rs {}@{}", self.event(now.event), self.positions.text(now.position))
            }
            Rule::Remove(region) => {
                format!("Rr {}", lifeline_names(self.pool, self.pool.region(*region).iter()))
            }
        }
    }

    /// An event: `a!m`, or `{a!m, b?m}`.
    pub fn event(&self, event: EventId) -> String {
        self.pool.event_text(event)
    }

    /// The unconsumed rest of the multi-trace, a line per component.
    pub fn remaining(&self, state: &SearchState) -> Vec<String> {
        let Some(trace) = self.trace else { return Vec::new() };
        let signature = self.pool.signature();
        trace
            .partition()
            .components()
            .map(|component| {
                let lifelines = trace.partition().lifelines(component).iter();
                let names: Vec<&str> = lifelines.map(|&l| signature.lifeline_name(l)).collect();
                let consumed = state.consumed[component.0 as usize] as usize;
                let moments = trace.moments(component).skip(consumed).map(|moment| {
                    let actions = moment.iter().map(|step| self.pool.action(step.action()));
                    together(actions.map(|action| action.text(signature)), ",")
                });
                let moments: Vec<String> = moments.collect();
                let rest = if moments.is_empty() { "ε".to_owned() } else { moments.join(".") };
                format!("[{}] {rest}", names.join(","))
            })
            .collect()
    }

    /// The measure as the papers write it, if simulation is bounded.
    pub fn measure(&self, state: &SearchState) -> Option<String> {
        let bound = |bound: Option<u64>| bound.map_or("∞".to_owned(), |n| n.to_string());
        let measure = state.measure;
        (measure.loops.is_some() || measure.actions.is_some())
            .then(|| format!("(λ,α) = ({}, {})", bound(measure.loops), bound(measure.actions)))
    }

    /// The graph in the DOT language. Edges are labelled with their rules, dashed if they lead to a
    /// node that existed already, and grey if the step is not observed. Verdicts and cut-off
    /// children hang below their nodes. In an exploration, nodes that may terminate have a double
    /// frame. The lines of the legend stand above the graph.
    pub fn dot(&self, graph: &Graph, legend: &[String]) -> String {
        let mut out = String::from("digraph search {\n");
        if !legend.is_empty() {
            let text = escape(&format!("{}\n", legend.join("\n")));
            let _ = writeln!(out, "  label=\"{text}\"; labelloc=t; labeljust=l;");
            out.push_str("  fontname=monospace;\n");
        }
        out.push_str("  node [shape=box, style=rounded, fontname=monospace];\n");
        out.push_str("  edge [fontname=monospace];\n");
        for (id, node) in graph.nodes.iter().enumerate() {
            let mut lines = vec![self.pool.text(node.state.term)];
            lines.extend(node.conditions.iter().flatten().cloned());
            lines.extend(self.remaining(&node.state));
            lines.extend(self.measure(&node.state));
            let ends = self.trace.is_none() && node.leaf.is_some();
            let frames = if ends { ", peripheries=2" } else { "" };
            // `\l` ends a left-aligned line, so the last line needs one too.
            let text = escape(&format!("{}\n", lines.join("\n")));
            let _ = writeln!(out, "  n{id} [label=\"{text}\"{frames}];");
            if let Some((parent, rule)) = &node.parent {
                let style = match rule {
                    Rule::Execute(_) => "",
                    Rule::Simulate(_) | Rule::Remove(_) => ", color=gray40, fontcolor=gray40",
                };
                let label = escape(&self.rule(rule));
                let _ = writeln!(out, "  n{} -> n{id} [label=\"{label}\"{style}];", parent.0);
            }
            if let (Some(leaf), Some(_)) = (node.leaf, self.trace) {
                let (sign, color) = match leaf.verdict {
                    Verdict::Pass | Verdict::WeakPass => ('✓', "darkgreen"),
                    Verdict::Inconclusive => ('?', "gray40"),
                    Verdict::Fail | Verdict::WeakFail => ('✗', "firebrick"),
                };
                let name = leaf.kind.name();
                let _ = writeln!(
                    out,
                    "  v{id} [label=\"{sign} {name}\", shape=plaintext, fontcolor={color}];"
                );
                let _ = writeln!(out, "  n{id} -> v{id} [color={color}];");
            }
            if node.cut > 0 {
                let _ = writeln!(out, "  c{id} [label=\"… {} cut\", shape=plaintext];", node.cut);
                let _ = writeln!(out, "  n{id} -> c{id} [style=dotted];");
            }
        }
        for (from, rule, to) in &graph.again {
            let label = escape(&self.rule(rule));
            let _ = writeln!(out, "  n{} -> n{} [label=\"{label}\", style=dashed];", from.0, to.0);
        }
        out.push_str("}\n");
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l")
}
