//! The time that pictures take: layout and SVG, at two sizes each.

use std::fmt::Write as _;
use std::time::Duration;

use otus_analysis::Config;
use otus_analysis::explore::explore;
use otus_analysis::graph::record::{Context, Graph};
use otus_draw::layout::search::{self, search};
use otus_draw::layout::sequence::{self, sequence};
use otus_draw::{Scene, Theme, png, svg};
use otus_syntax::{Source, parse_spec};

use crate::measure::fastest;

pub(crate) fn run() {
    println!("\n## Pictures\n");
    println!("| picture | items | layout | with SVG | SVG |");
    println!("|---|---|---|---|---|");
    for actions in [500, 1000] {
        let (file, signature) = diagram(actions, 40);
        let name = format!("sequence diagram, {actions} messages, 40 lifelines");
        row(&name, || sequence(&file, &signature, &sequence::Options::default()));
    }
    for nodes in [5000, 10_000] {
        let (pool, positions, graph) = exploration(nodes);
        let context = Context { pool: &pool, positions: &positions, trace: None };
        let name = format!("search of {} nodes, window of 200", graph.nodes.len());
        row(&name, || search(&context, &graph, &search::Options::default()));
        let all = search::Options { max_nodes: usize::MAX, ..search::Options::default() };
        row(&format!("search of {} nodes, all of them", graph.nodes.len()), || {
            search(&context, &graph, &all)
        });
    }
    let (file, signature) = diagram(100, 10);
    let scene = sequence(&file, &signature, &sequence::Options::default());
    let (elapsed, bytes) = fastest(3, || png(&scene, Theme::Light, 2.0, &[]));
    let size = bytes.map_or(0, |bytes| bytes.len());
    println!("\nPNG of 100 messages on 10 lifelines, at scale 2: {elapsed:.1?}, {size} bytes");
}

fn row(name: &str, draw: impl Fn() -> Scene) {
    let (layout, scene) = fastest(3, &draw);
    let (written, text) = fastest(3, || svg(&scene, Theme::Light));
    let whole: Duration = layout + written;
    println!(
        "| {name} | {} | {layout:.1?} | {whole:.1?} | {} kB |",
        scene.items.len(),
        text.len() / 1000
    );
}

fn diagram(actions: usize, lifelines: usize) -> (otus_syntax::ast::SpecFile, otus_core::Signature) {
    let mut rng = fastrand::Rng::with_seed(1);
    let names: Vec<String> = (0..lifelines).map(|n| format!("service{n}")).collect();
    let mut text =
        format!("@lifeline{{{}}}\n@message{{request; response}}\nseq(o", names.join("; "));
    for _ in 0..actions {
        let (from, to) = (rng.usize(0..lifelines), rng.usize(0..lifelines));
        let _ = write!(text, ", {} -- request -> {}", names[from], names[to]);
    }
    text.push(')');
    let file = parse_spec(&Source::new("model.hsf", text)).tree;
    let signature = otus_core::lower(&[&file]).pool.signature().clone();
    (file, signature)
}

fn exploration(nodes: u64) -> (otus_core::Pool, otus_core::semantics::Positions, Graph) {
    let text = "@message{m1; m2; m3}\n@lifeline{a; b; c}\n\
                loopW(seq(a -- m1 -> b, alt(b -- m2 -> c, o), c -- m3 -> a))";
    let file = parse_spec(&Source::new("model.hsf", text)).tree;
    let mut lowered = otus_core::lower(&[&file]);
    let mut config = Config::default();
    config.filters.nodes = Some(nodes);
    let mut graph = Graph::default();
    let term = lowered.term.expect("the model has an interaction");
    let (_, positions) = explore(&mut lowered.pool, term, &config, &mut graph);
    (lowered.pool, positions, graph)
}
