//! A recorded search as a file: Graphviz (`.dot`) or JSON.

use std::path::Path;

use anyhow::bail;
use otus_analysis::graph::record::{Context, Graph};
use serde_json::{Value, json};

use crate::output;

/// Writes a graph in the format that the ending names; `-` is DOT on standard output.
pub(crate) fn write(path: &str, context: &Context<'_>, graph: &Graph) -> anyhow::Result<()> {
    if path == "-" {
        return output::print(&context.dot(graph));
    }
    let text = match Path::new(path).extension().and_then(|ending| ending.to_str()) {
        Some("dot" | "gv") => context.dot(graph),
        Some("json") => format!("{:#}\n", to_json(context, graph)),
        _ => bail!("--graph writes .dot and .json files, not {path}"),
    };
    output::write_file(Path::new(path), &text)?;
    output::complain(&format!("wrote {path}"));
    Ok(())
}

/// `{"version":1,"nodes":[{"id","term","remaining","measure"?,"leaf"?,"cut"?}],"edges":[{"from","to","rule"}]}`
fn to_json(context: &Context<'_>, graph: &Graph) -> Value {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let mut value = json!({ "id": id, "term": context.pool.text(node.state.term) });
            let remaining = context.remaining(&node.state);
            if !remaining.is_empty() {
                value["remaining"] = json!(remaining);
            }
            if let Some(measure) = context.measure(&node.state) {
                value["measure"] = json!(measure);
            }
            if let Some(leaf) = node.leaf {
                value["leaf"] = json!(leaf.kind.name());
            }
            if node.cut > 0 {
                value["cut"] = json!(node.cut);
            }
            value
        })
        .collect();
    let made = graph.nodes.iter().enumerate().filter_map(|(id, node)| {
        let (parent, rule) = node.parent.as_ref()?;
        Some(json!({ "from": parent.0, "to": id, "rule": context.rule(rule) }))
    });
    let again = graph.again.iter().map(|(from, rule, to)| {
        json!({ "from": from.0, "to": to.0, "rule": context.rule(rule), "again": true })
    });
    let edges: Vec<Value> = made.chain(again).collect();
    json!({ "version": 1, "nodes": nodes, "edges": edges })
}
