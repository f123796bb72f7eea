//! Smaller cases: a failing case is replaced by a smaller failing one as long as there is one.

use otus_analysis::Question;

use super::Generated;
use super::shape::{Leaf, Shape};

/// The smallest case that is found, by greedy steps, of which `fails` holds, from one of which it holds.
pub fn shrink(case: Generated, mut fails: impl FnMut(&Generated) -> bool) -> Generated {
    let mut best = case;
    'again: loop {
        for smaller in candidates(&best) {
            if fails(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

fn candidates(case: &Generated) -> Vec<Generated> {
    let mut found = Vec::new();
    for shape in shapes(&case.shape) {
        found.push(Generated { shape, ..case.clone() });
    }
    for component in 0..case.recorded.components.len() {
        for moment in 0..case.recorded.components[component].len() {
            let mut smaller = case.clone();
            smaller.recorded.components[component].remove(moment);
            smaller.edges.retain(|edge| !edge.contains(&(component, moment)));
            for end in smaller.edges.iter_mut().flatten() {
                end.1 -= usize::from(end.0 == component && end.1 > moment);
            }
            found.push(smaller);
            for record in 0..case.recorded.components[component][moment].len() {
                if case.recorded.components[component][moment][record].action.peer.is_some() {
                    let mut smaller = case.clone();
                    smaller.recorded.components[component][moment][record].action.peer = None;
                    found.push(smaller);
                }
                let values = &case.recorded.components[component][moment][record].values;
                for name in values.keys() {
                    let mut smaller = case.clone();
                    smaller.recorded.components[component][moment][record].values.remove(name);
                    found.push(smaller);
                }
            }
        }
    }
    for at in 0..case.edges.len() {
        let mut smaller = case.clone();
        smaller.edges.remove(at);
        found.push(smaller);
    }
    if case.uncertainty.is_some_and(|u| u > 0) {
        found.push(Generated { uncertainty: None, ..case.clone() });
        found.push(Generated { uncertainty: Some(0), ..case.clone() });
    }
    if let Question::Each(each) = &case.question {
        for question in [
            Question::ACCEPT,
            Question::MULTI_PREFIX,
            Question::SLICE,
            Question::Uniform(otus_analysis::Observed::StartsLate),
        ] {
            found.push(Generated { question, ..case.clone() });
        }
        for at in 0..each.len() {
            if each[at] != otus_analysis::Observed::Complete {
                let mut each = each.clone();
                each[at] = otus_analysis::Observed::Complete;
                found.push(Generated { question: Question::Each(each), ..case.clone() });
            }
        }
    }
    found
}

/// The shapes with one part less.
fn shapes(shape: &Shape) -> Vec<Shape> {
    let inside = |body: &Shape, around: &dyn Fn(Box<Shape>) -> Shape| -> Vec<Shape> {
        let smaller = shapes(body).into_iter().map(|body| around(Box::new(body)));
        std::iter::once(body.clone()).chain(smaller).collect()
    };
    match shape {
        Shape::Empty => Vec::new(),
        Shape::Leaf(leaf) => leaves(leaf).into_iter().map(Shape::Leaf).collect(),
        Shape::Operator(name, operands) => {
            let mut found = operands.clone();
            for at in 0..operands.len() {
                for smaller in shapes(&operands[at]) {
                    let mut operands = operands.clone();
                    operands[at] = smaller;
                    found.push(Shape::Operator(name.clone(), operands));
                }
            }
            found
        }
        Shape::Loop(name, region, fresh, body) => {
            let around = |body| Shape::Loop(name, *region, fresh.clone(), body);
            let mut found = inside(body, &around);
            for at in 0..fresh.len() {
                let mut fewer = fresh.clone();
                fewer.remove(at);
                found.push(Shape::Loop(name, *region, fewer, body.clone()));
            }
            found
        }
        Shape::New(names, body) => {
            let around = |body| Shape::New(names.clone(), body);
            let mut found = inside(body, &around);
            if names.len() > 1 {
                for at in 0..names.len() {
                    let mut fewer = names.clone();
                    fewer.remove(at);
                    found.push(Shape::New(fewer, body.clone()));
                }
            }
            found
        }
    }
}

fn leaves(leaf: &Leaf) -> Vec<Leaf> {
    let mut found = Vec::new();
    for at in 0..leaf.atoms.len() {
        let mut smaller = leaf.clone();
        smaller.atoms.remove(at);
        found.push(smaller);
    }
    if leaf.from.is_some() && !leaf.to.is_empty() {
        found.push(Leaf { to: Vec::new(), synchronous: false, ..leaf.clone() });
        if let [first, _, ..] = &*leaf.to {
            found.push(Leaf { to: vec![*first], ..leaf.clone() });
        }
        found.push(Leaf { from: None, synchronous: false, ..leaf.clone() });
    }
    if leaf.synchronous {
        found.push(Leaf { synchronous: false, ..leaf.clone() });
    }
    found
}
