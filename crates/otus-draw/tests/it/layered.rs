//! Layered drawings of many random graphs.

use otus_draw::geometry::{Rect, Size};
use otus_draw::layout::layered::{Direction, Edge, Layout, Options, layered};

fn random(seed: u64) -> (Vec<Size>, Vec<Edge>, Options) {
    let mut random = fastrand::Rng::with_seed(seed);
    let count = random.usize(1..30);
    let mut size = |least: f64| Size {
        width: least + random.f64() * 80.0,
        height: least + random.f64() * 30.0,
    };
    let nodes: Vec<Size> = (0..count).map(|_| size(12.0)).collect();
    let labels: Vec<Size> = (0..3 * count).map(|_| size(1.0)).collect();
    let edges = labels
        .into_iter()
        .take(random.usize(0..=2 * count))
        .map(|label| Edge {
            from: random.usize(0..count),
            to: random.usize(0..count),
            label: if random.bool() { label } else { Size::default() },
        })
        .collect();
    let direction = if random.bool() { Direction::Down } else { Direction::Right };
    let options = Options { direction, ..Options::default() };
    (nodes, edges, options)
}

fn check(seed: u64, edges: &[Edge], layout: &Layout) {
    let labels = layout.routes.iter().filter_map(|route| route.label);
    let solid: Vec<Rect> = layout.nodes.iter().copied().chain(labels).collect();
    for (index, one) in solid.iter().enumerate() {
        for other in &solid[..index] {
            assert!(!one.grow(-0.01).overlaps(other.grow(-0.01)), "{seed}: {one:?} {other:?}");
        }
    }
    for (edge, route) in edges.iter().zip(&layout.routes) {
        let ends = [route.points[0], route.points[route.points.len() - 1]];
        for (end, node) in ends.into_iter().zip([edge.from, edge.to]) {
            let at = Rect::at(end, Size::default());
            let node = layout.nodes[node];
            assert!(node.grow(0.01).contains(at) && !node.grow(-0.01).contains(at), "{seed}");
        }
        for pair in route.points.windows(2) {
            for rect in &solid {
                let steps = 50;
                for step in 1..steps {
                    let part = f64::from(step) / f64::from(steps);
                    let way = pair[1] - pair[0];
                    let x = pair[0].x + way.x * part;
                    let y = pair[0].y + way.y * part;
                    let inside =
                        rect.grow(-0.1).contains(Rect { left: x, top: y, right: x, bottom: y });
                    assert!(!inside, "{seed}: edge {edge:?} through {rect:?}");
                }
            }
        }
    }
}

#[test]
fn nothing_meets_anything() {
    for seed in 0..400 {
        let (nodes, edges, options) = random(seed);
        let layout = layered(&nodes, &edges, &options);
        check(seed, &edges, &layout);
        assert_eq!(layout, layered(&nodes, &edges, &options), "{seed}");
    }
}

#[test]
fn a_tree_keeps_the_order_of_its_children() {
    let edge = |from, to| Edge { from, to, ..Edge::default() };
    let edges = [edge(0, 3), edge(0, 1), edge(0, 2), edge(1, 4)];
    let size = Size { width: 20.0, height: 20.0 };
    let places = layered(&[size; 5], &edges, &Options::default()).nodes;
    assert!(places[3].right < places[1].left && places[1].right < places[2].left);
    assert!((places[0].center().x - places[1].center().x).abs() < 1e-6);
    assert!((places[4].center().x - places[1].center().x).abs() < 1e-6);
}

#[test]
fn an_edge_back_has_a_way_of_its_own() {
    let edge = |from, to| Edge { from, to, ..Edge::default() };
    let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 1)];
    let size = Size { width: 20.0, height: 20.0 };
    let layout = layered(&[size; 3], &edges, &Options::default());
    assert!(layout.nodes[0].bottom < layout.nodes[1].top);
    assert!(layout.nodes[1].bottom < layout.nodes[2].top);
    let back = &layout.routes[2].points;
    assert!(back[0].y > back[back.len() - 1].y);
    check(0, &edges, &layout);
}

#[test]
fn ten_thousand_nodes_and_long_edges_are_drawn() {
    let mut random = fastrand::Rng::with_seed(1);
    let label = Size { width: 60.0, height: 12.0 };
    let mut edges: Vec<Edge> =
        (1..10_000).map(|to| Edge { from: random.usize(0..to), to, label }).collect();
    edges.extend((0..1_000).map(|_| Edge {
        from: random.usize(..10_000),
        to: random.usize(..10_000),
        label,
    }));
    let size = Size { width: 80.0, height: 30.0 };
    let layout = layered(&vec![size; 10_000], &edges, &Options::default());
    assert!(layout.routes.iter().all(|route| route.points.len() >= 2));
    // A chain, with an edge from every node back to its beginning: most of them are not drawn.
    let chain = (1..5_000).flat_map(|to| {
        [Edge { from: to - 1, to, ..Edge::default() }, Edge { from: to, to: 0, ..Edge::default() }]
    });
    let chain: Vec<Edge> = chain.collect();
    let layout = layered(&vec![size; 5_000], &chain, &Options::default());
    assert!(layout.routes.iter().step_by(2).all(|route| !route.points.is_empty()));
    assert!(layout.routes.iter().any(|route| route.points.is_empty()));
}
