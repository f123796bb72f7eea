//! The laws of the design page, and the split by key, by the oracle.
//!
//! A law is a rewriting of some part of an interaction. Both interactions explain the same multi-traces, and all laws but
//! `sessions sort themselves` keep Pass, too.

use otus_analysis::{Observed, Question, Verdict};
use otus_core::Value;
use otus_testkit::oracle::values::{Domain, LIMIT, Strength};
use otus_testkit::valued_cases::shape::{Flavor, Shape};
use otus_testkit::valued_cases::{Generated, Prepared};
use otus_trace::Partition;

use super::compare::Asked;

/// The interactions that a law makes of one, by rewriting one part of it.
fn rewritten(shape: &Shape) -> Vec<(&'static str, Shape)> {
    let mut found = here(shape);
    match shape {
        Shape::Empty | Shape::Leaf(_) => {}
        Shape::Operator(name, operands) => {
            for (at, operand) in operands.iter().enumerate() {
                for (law, operand) in rewritten(operand) {
                    let mut operands = operands.clone();
                    operands[at] = operand;
                    found.push((law, Shape::Operator(name.clone(), operands)));
                }
            }
        }
        Shape::Loop(name, region, fresh, body) => {
            for (law, body) in rewritten(body) {
                found.push((law, Shape::Loop(name, *region, fresh.clone(), Box::new(body))));
            }
        }
        Shape::New(names, body) => {
            for (law, body) in rewritten(body) {
                found.push((law, Shape::New(names.clone(), Box::new(body))));
            }
        }
    }
    found
}

fn here(shape: &Shape) -> Vec<(&'static str, Shape)> {
    let unused = || "unused".to_owned();
    let new = |names: &[String], body: &Shape| Shape::New(names.to_vec(), Box::new(body.clone()));
    let mut found = vec![("new(x)(i) = i", new(&[unused()], shape))];
    match shape {
        Shape::Empty | Shape::Leaf(_) | Shape::Operator(..) => {}
        Shape::Loop(name, region, fresh, body) => {
            let mut more = fresh.clone();
            more.push(unused());
            let with = Shape::Loop(name, *region, more, body.clone());
            found.push(("loop(fresh x)(i) = loop(i)", with));
            if let ("loopP", [], Shape::New(names, inner)) = (*name, &**fresh, &**body)
                && names.len() == 1
            {
                let inner = Shape::Loop("loopP", None, Vec::new(), inner.clone());
                let outer = Shape::Loop("loopP", None, names.clone(), Box::new(inner));
                found.push((SORTED, outer));
            }
        }
        Shape::New(names, body) => {
            if let [x, y] = &**names {
                let swapped = new(&[y.clone(), x.clone()], body);
                found.push(("new(x)new(y) = new(y)new(x)", swapped));
            }
            if let Shape::Operator(operator, operands) = &**body
                && let [i, j] = &**operands
            {
                let made = |i: Shape, j: Shape| Shape::Operator(operator.clone(), vec![i, j]);
                if operator == "alt" {
                    found.push(("new over alt", made(new(names, i), new(names, j))));
                }
                if names.iter().all(|name| mentions(j, name) == 0) {
                    found.push(("new(x)(f(i,j)) = f(new(x)(i),j)", made(new(names, i), j.clone())));
                }
                if names.iter().all(|name| mentions(i, name) == 0) {
                    found.push(("new(x)(f(i,j)) = f(i,new(x)(j))", made(i.clone(), new(names, j))));
                }
            }
            if let [name] = &**names
                && mentions(body, name) == 1
                && let Some(without) = without_single(body, name)
            {
                found.push(("the only atom of x can go", without));
            }
        }
    }
    found
}

/// How often a variable occurs.
fn mentions(shape: &Shape, name: &str) -> usize {
    let text = shape.text();
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| *word == name).count()
}

/// The law that adds comparisons.
const SORTED: &str = "sessions sort themselves by value";

/// The shape without the atom `f = x` or `f != x`, if it is not inside a loop.
fn without_single(shape: &Shape, name: &str) -> Option<Shape> {
    match shape {
        Shape::Leaf(leaf) => {
            // An atom of a passing stands for one at each end.
            if leaf.from.is_some() && !leaf.to.is_empty() {
                return None;
            }
            let mut leaf = leaf.clone();
            let single = [format!("f = {name}"), format!("f != {name}"), format!("g = {name}")];
            let at = leaf.atoms.iter().position(|atom| single.contains(atom))?;
            leaf.atoms.remove(at);
            Some(Shape::Leaf(leaf))
        }
        Shape::Operator(operator, operands) => {
            let mut operands = operands.clone();
            let operand = operands.iter_mut().find(|operand| mentions(operand, name) > 0)?;
            *operand = without_single(operand, name)?;
            Some(Shape::Operator(operator.clone(), operands))
        }
        Shape::Empty | Shape::Loop(..) => None,
        Shape::New(names, body) => {
            Some(Shape::New(names.clone(), Box::new(without_single(body, name)?)))
        }
    }
}

fn verdict(generated: &Generated) -> Option<Verdict> {
    let prepared: Prepared = generated.prepare()?;
    let asked = Asked::new(generated, &prepared)?;
    asked.case().verdict(asked.question, LIMIT / 10)
}

fn explained(generated: &Generated) -> Option<bool> {
    let prepared: Prepared = generated.prepare()?;
    let asked = Asked::new(generated, &prepared)?;
    asked.case().explained(asked.question, Strength::Possible, Domain::All, LIMIT / 10)
}

#[test]
fn laws_keep_the_meaning() {
    let flavor = Flavor { doubled: true, ..Flavor::small() };
    let mut counts = std::collections::BTreeMap::new();
    for case in 0..super::cases(1_500) {
        let mut rng = super::rng(21, case);
        // Some shapes to which laws apply are rare.
        let template = rng.u8(..3);
        let mut random = || {
            let body = |rng: &mut fastrand::Rng| {
                let body = Shape::random_with(rng, &flavor, "x");
                Shape::New(vec!["x".to_owned()], Box::new(body))
            };
            let shape = match template {
                0 => Shape::random(&mut rng, &flavor),
                1 => body(&mut rng),
                _ => Shape::Loop("loopP", None, Vec::new(), Box::new(body(&mut rng))),
            };
            Generated::about(&mut rng, &flavor, shape)
        };
        let Some(generated) = (0..50).find_map(|_| random()) else { continue };
        // One more binder, so that an interaction without atoms is one with values, too.
        let valued = |shape: Shape| Shape::New(vec!["outer".to_owned()], Box::new(shape));
        let laws = rewritten(&generated.shape);
        for (law, shape) in laws {
            let other = Generated { shape: valued(shape), ..generated.clone() };
            let (Some(own), Some(found)) = (verdict(&generated), verdict(&other)) else { continue };
            let same =
                own == found || law == SORTED && own > Verdict::Fail && found > Verdict::Fail;
            assert!(same, "{law}: {own}, {found}\n{}\n{}", generated.text(), other.text());
            *counts.entry((law, own)).or_insert(0) += 1;
        }
    }
    println!("{counts:?}");
}

/// The law of single atoms needs an atom that some value satisfies: nothing is a number less than a text plus one, nor a
/// truth value above the larger one.
#[test]
fn a_single_atom_may_say_something() {
    let answer = |atom: &str, value: Value| {
        let action = otus_core::Action::emission(otus_core::LifelineId(0), otus_core::MessageId(0));
        let leaf = otus_testkit::valued_cases::shape::Leaf {
            from: Some(0),
            to: Vec::new(),
            synchronous: false,
            message: 0,
            atoms: vec![atom.to_owned()],
        };
        let values = [("f".to_owned(), value)].into();
        let event = vec![otus_testkit::valued_cases::recorded::Record { action, values }];
        let recorded =
            otus_testkit::valued_cases::recorded::Recorded::new(&Partition::discrete(3), &[event]);
        verdict(&Generated {
            shape: Shape::New(vec!["x".to_owned()], Box::new(Shape::Leaf(leaf))),
            recorded,
            uncertainty: None,
            question: Question::ACCEPT,
            edges: Vec::new(),
        })
    };
    assert_eq!(answer("f = x", Value::Text("p".into())), Some(Verdict::Pass));
    assert_eq!(answer("f = x + 1", Value::integer(1)), Some(Verdict::Pass));
    assert_eq!(answer("f = x + 1", Value::Text("p".into())), Some(Verdict::Fail));
    assert_eq!(answer("f < x", Value::Boolean(false)), Some(Verdict::Pass));
    assert_eq!(answer("f < x", Value::Boolean(true)), Some(Verdict::Fail));
}

/// All leaves with `f = key`, or with `f = v`.
fn keyed(shape: &Shape, atom: &str) -> Shape {
    match shape {
        Shape::Empty => Shape::Empty,
        Shape::Leaf(leaf) => {
            let mut leaf = leaf.clone();
            leaf.atoms.retain(|atom| !atom.contains('f'));
            leaf.atoms.push(atom.to_owned());
            Shape::Leaf(leaf)
        }
        Shape::Operator(name, operands) => {
            let operands = operands.iter().map(|operand| keyed(operand, atom)).collect();
            Shape::Operator(name.clone(), operands)
        }
        Shape::Loop(name, region, fresh, body) => {
            Shape::Loop(name, *region, fresh.clone(), Box::new(keyed(body, atom)))
        }
        Shape::New(names, body) => Shape::New(names.clone(), Box::new(keyed(body, atom))),
    }
}

/// Theorem 3 without times: what a loop keyed by f explains, its body explains value by value; and on one component, where
/// there are no cycles, conversely.
#[test]
fn keyed_loops_split_by_their_key() {
    let flavor = Flavor { times: false, leaves: 3, ..Flavor::small() };
    let mut counts = std::collections::BTreeMap::new();
    for case in 0..super::cases(2_000) {
        let mut rng = super::rng(22, case);
        let body = Shape::random(&mut rng, &flavor);
        let whole =
            Shape::Loop("loopP", None, vec!["key".to_owned()], Box::new(keyed(&body, "f = key")));
        let about = |rng: &mut fastrand::Rng| Generated::about(rng, &flavor, whole.clone());
        let Some(generated) = (0..20).find_map(|_| about(&mut rng)) else { continue };
        let uniform = |question: &Question| match question {
            Question::GlobalPrefix => false,
            Question::Uniform(_) => true,
            Question::Each(each) => each.iter().all(|&own| own != Observed::Unobserved),
        };
        let moments = generated.recorded.components.iter().flatten();
        let key = |moment: &[otus_testkit::valued_cases::recorded::Record]| {
            let first = moment.first()?.values.get("f")?.clone();
            moment.iter().all(|record| record.values.get("f") == Some(&first)).then_some(first)
        };
        let keys: Option<Vec<Value>> = moments.map(|moment| key(moment)).collect();
        let Some(mut keys) = keys.filter(|_| uniform(&generated.question)) else { continue };
        keys.sort_by_key(ToString::to_string);
        keys.dedup();
        let Some(by_whole) = explained(&generated) else { continue };
        let mut by_parts = Some(true);
        for own in &keys {
            let mut part = generated.clone();
            for moments in &mut part.recorded.components {
                moments.retain(|moment| key(moment).as_ref() == Some(own));
            }
            let mut optional = keyed(&body, &format!("f = {own}"));
            optional = Shape::Operator("alt".to_owned(), vec![optional, Shape::Empty]);
            part.shape = optional;
            by_parts = by_parts.zip(explained(&part)).map(|(all, part)| all && part);
        }
        let Some(by_parts) = by_parts else { continue };
        let is_one = generated.recorded.partition.is_trivial();
        assert!(!by_whole || by_parts, "a part is not explained:\n{}", generated.text());
        assert!(!is_one || by_whole || !by_parts, "only the parts are:\n{}", generated.text());
        *counts.entry((is_one, by_whole, by_parts)).or_insert(0) += 1;
    }
    println!("(one component, whole, parts): {counts:?}");
}
