//! Interval sharing trees as in Figure 2 of paper 001: a layer of nodes for each process, each node an interval of
//! numbers of events, between the root and the end. A path from the root to the end is a box of cuts.

use otus_ctl::SharingTree;

use crate::geometry::{Point, Rect, Size, point};
use crate::layout::layered::{Edge, Options, layered};
use crate::metrics::{Font, PLAIN, STRONG, counted};
use crate::scene::{End, Item, Key, Role, Scene};

const LABEL: Font = PLAIN;
/// The distance from the names of the layers to the tree.
const GAP: f64 = 26.0;

/// Draws a sharing tree; `names` are the names of its layers. A node has the subject
/// `node-<number>`.
pub fn sharing_tree(tree: &SharingTree, names: &[&str]) -> Scene {
    let mut scene = Scene::new("An interval sharing tree");
    if tree.nodes.is_empty() {
        let text = if tree.processes.is_empty() { "no events" } else { "no cuts" };
        scene.nothing_but(text, PLAIN);
        return scene;
    }
    // The root, the nodes, and the end.
    let end = tree.nodes.len() + 1;
    let mut labels = vec!["⊤".to_owned()];
    labels.extend(tree.nodes.iter().map(|node| match node.range {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("[{low}, {high}]"),
    }));
    labels.push("⊥".to_owned());
    let height = LABEL.line_height() + 8.0;
    let size = |label: &String| Size { width: (LABEL.width(label) + 14.0).max(26.0), height };
    let mut sizes: Vec<Size> = labels.iter().map(size).collect();
    // The root and the end are wide, because many arrows may leave the root and enter the end.
    for at in [0, end] {
        sizes[at].width = 46.0;
    }
    let edge = |from: usize, to: usize| Edge { from, to, ..Edge::default() };
    let mut edges: Vec<Edge> = tree.roots.iter().map(|&to| edge(0, to + 1)).collect();
    for (number, node) in tree.nodes.iter().enumerate() {
        match &*node.below {
            [] => edges.push(edge(number + 1, end)),
            below => edges.extend(below.iter().map(|&to| edge(number + 1, to + 1))),
        }
    }
    let layout = layered(&sizes, &edges, &Options::default());
    let mut keys: Vec<Key> = Vec::new();
    for (number, (rect, label)) in layout.nodes.iter().zip(&labels).enumerate() {
        let key = scene.fresh_key();
        keys.push(key);
        let mut frame = Item::rect(Role::Node, *rect).key(key);
        if number > 0 && number < end {
            frame = frame.subject(format!("node-{}", number - 1));
        }
        scene.push(frame);
        scene.push(Item::centered(Role::Node, label.clone(), rect.center(), LABEL));
    }
    for (edge, route) in edges.iter().zip(layout.routes) {
        if !route.points.is_empty() {
            let on = [Some(keys[edge.from]), Some(keys[edge.to])];
            let arrow = Item::arrow(Role::Edge, route.points, [End::Plain, End::Open], on);
            scene.push(arrow.smooth());
        }
    }
    name_layers(&mut scene, tree, names, &layout.nodes);
    let boxes = counted(tree.nodes.len(), "node", "nodes");
    scene.description = format!(
        "{boxes} in a layer for each of {}. A path from ⊤ to ⊥ gives each process a range of numbers of events.",
        names.join(", ")
    );
    scene.fit(12.0);
    scene
}

/// Writes the name of each process beside its layer.
fn name_layers(scene: &mut Scene, tree: &SharingTree, names: &[&str], places: &[Rect]) {
    let left = places.iter().map(|rect| rect.left).fold(f64::INFINITY, f64::min);
    let widest = names.iter().map(|name| STRONG.width(name)).fold(0.0, f64::max);
    for (layer, name) in names.iter().enumerate() {
        let Some(number) = tree.nodes.iter().position(|node| node.layer == layer) else { continue };
        let middle = places[number + 1].center();
        let at: Point = point(left - GAP - widest / 2.0, middle.y);
        scene.push(Item::centered(Role::Text, (*name).to_owned(), at, STRONG));
    }
}
