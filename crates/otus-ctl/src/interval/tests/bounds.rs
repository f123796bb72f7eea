//! Budgets, cancellation, many dimensions, odd arguments.

use std::time::Instant;

use otus_core::budget::{Budget, Stop};

use crate::interval::{ACCEPT, Clocks, Diagram, Machine, REJECT, Set};

/// The vectors whose components alternate in parity classes: many nodes.
fn scattered(diagram: &mut Diagram, seed: u64, boxes: usize) -> Result<Set, Stop> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut set = Set::EMPTY;
    for _ in 0..boxes {
        let bounds = diagram.bounds.to_vec();
        let ranges: Vec<(u32, u32)> = bounds
            .iter()
            .map(|&bound| {
                let low = random.u32(0..=bound);
                (low, random.u32(low..=bound))
            })
            .collect();
        let more = diagram.cuboid(&ranges)?;
        set = diagram.union(set, more)?;
    }
    Ok(set)
}

#[test]
fn a_node_budget_stops_and_leaves_what_was() {
    let budget = Budget { max_states: Some(2000), ..Budget::default() };
    let mut diagram = Diagram::with_budget(&[50; 6], &budget);
    let mut small = diagram.cuboid(&[(3, 7); 6]).unwrap();
    assert_eq!(scattered(&mut diagram, 1, 100), Err(Stop::States));
    assert!(diagram.nodes() <= 2000);
    assert_eq!(diagram.count(small).unwrap().to_string(), (5_u64.pow(6)).to_string());
    diagram.collect([&mut small]).unwrap();
    assert_eq!(diagram.nodes(), 6);
    assert_eq!(diagram.count(small).unwrap().to_string(), (5_u64.pow(6)).to_string());
    // Once more, with other roots.
    let mut other = diagram.cuboid(&[(2, 3); 6]).unwrap();
    diagram.collect([&mut other]).unwrap();
    assert_eq!(diagram.nodes(), 6);
    diagram.collect([&mut other]).unwrap();
    assert_eq!(diagram.nodes(), 6);
    assert_eq!(diagram.cuboid(&[(2, 3); 6]), Ok(other));
    let small = diagram.cuboid(&[(3, 7); 6]).unwrap();
    // There is room again, and equal sets are shared again.
    assert_eq!(diagram.cuboid(&[(3, 7); 6]), Ok(small));
    assert!(scattered(&mut diagram, 1, 5).is_ok());
}

#[test]
fn a_memory_budget_is_kept() {
    for most in [20_000, 100_000, 1_000_000, 5_000_000] {
        let budget = Budget { max_bytes: Some(most), ..Budget::default() };
        let mut diagram = Diagram::with_budget(&[50; 6], &budget);
        assert_eq!(scattered(&mut diagram, 2, 1000), Err(Stop::Memory));
        assert!(diagram.bytes() as u64 <= most, "{} of {most}", diagram.bytes());
        assert!(diagram.bytes() as u64 > most / 4, "{} of {most}", diagram.bytes());
    }
}

#[test]
fn time_and_cancellation_stop() {
    let budget = Budget::default();
    budget.cancel.cancel();
    let mut diagram = Diagram::with_budget(&[50; 6], &budget);
    assert_eq!(scattered(&mut diagram, 3, 10), Err(Stop::Cancelled));
    diagram.pace.budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
    assert_eq!(scattered(&mut diagram, 3, 10), Err(Stop::Time));
    diagram.pace.budget = Budget::default();
    assert!(scattered(&mut diagram, 3, 10).is_ok());
}

#[test]
fn thousands_of_dimensions_do_not_overflow_the_stack() {
    let dimensions = 20_000;
    let run = move || {
        let mut diagram = Diagram::new(&vec![3; dimensions]);
        let a = diagram.cuboid(&vec![(0, 1); dimensions]).unwrap();
        let b = diagram.cuboid(&vec![(1, 2); dimensions]).unwrap();
        let union = diagram.union(a, b).unwrap();
        let meet = diagram.intersect(a, b).unwrap();
        let rest = diagram.difference(a, meet).unwrap();
        assert_eq!(diagram.count(meet).unwrap().to_string(), "1");
        let reaching = diagram.until(union, meet).unwrap();
        assert_eq!(diagram.difference(reaching, meet), Ok(rest));
        assert_eq!(diagram.below(meet, a), Ok(a));
        assert!(!diagram.predecessors(meet).unwrap().is_empty());
        assert_eq!(diagram.least(meet), Some(vec![1; dimensions]));
        assert_eq!(diagram.boxes(meet).count(), 1);
        let mut machine = Ones { dimensions };
        assert_eq!(diagram.build(&mut machine, 2, union), Ok(meet));
        diagram.collect([]).unwrap();
        assert_eq!(diagram.nodes(), 0);
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}

/// Accepts the vector of ones.
struct Ones {
    dimensions: usize,
}

impl Machine for Ones {
    fn split(
        &mut self,
        layer: usize,
        state: u32,
        _: u32,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        let next = if layer + 1 == self.dimensions { ACCEPT } else { state };
        intervals.extend([(0, REJECT), (1, next)]);
        Ok(())
    }
}

/// No constraint.
struct Free(u32);

impl Clocks for Free {
    fn lower(&self, _: usize, _: u32, _: usize) -> u32 {
        0
    }

    fn upper(&self, _: usize, _: u32, _: usize) -> u32 {
        self.0
    }
}

#[test]
fn a_lattice_may_have_many_dimensions() {
    let dimensions = 1500;
    let mut diagram = Diagram::new(&vec![3; dimensions]);
    assert_eq!(diagram.lattice(&Free(3)), Ok(Set::FULL));
    let mut machine = Ones { dimensions };
    let ones = diagram.lattice_where(&Free(3), &mut machine, 2).unwrap();
    assert_eq!(diagram.least(ones), Some(vec![1; dimensions]));
    assert_eq!(diagram.lattice_find(&Free(3), &mut machine, 2), Ok(Some(vec![1; dimensions])));
    assert_eq!(diagram.count(Set::FULL).unwrap().to_string().len(), 904);
}

#[test]
fn a_lattice_keeps_to_its_budget() {
    // A value of one component demands half of it from all later ones.
    struct Chain;
    impl Clocks for Chain {
        fn lower(&self, dimension: usize, value: u32, other: usize) -> u32 {
            if other > dimension { value / 2 } else { 0 }
        }

        fn upper(&self, dimension: usize, value: u32, other: usize) -> u32 {
            if other < dimension { (2 * value + 1).min(1000) } else { 1000 }
        }
    }
    for (max_states, max_bytes, stop) in
        [(Some(100), None, Stop::States), (None, Some(40_000), Stop::Memory)]
    {
        let budget = Budget { max_states, max_bytes, ..Budget::default() };
        let mut diagram = Diagram::with_budget(&[1000; 4], &budget);
        assert_eq!(diagram.lattice(&Chain), Err(stop));
        assert_eq!(diagram.lattice_find(&Chain, &mut Nothing, 2), Err(stop));
        assert!(diagram.bytes() < 40_000);
    }
}

/// Rejects everything, but only at the end.
struct Nothing;

impl Machine for Nothing {
    fn split(
        &mut self,
        _: usize,
        state: u32,
        _: u32,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        intervals.push((u32::MAX, state));
        Ok(())
    }
}

#[test]
fn odd_arguments_are_harmless() {
    let mut diagram = Diagram::new(&[4, u32::MAX]);
    assert_eq!(*diagram.bounds, [4, u32::MAX - 1]);
    assert_eq!(diagram.cuboid(&[(0, u32::MAX), (0, u32::MAX)]), Ok(Set::FULL));
    assert_eq!(diagram.cuboid(&[(5, 9)]), Ok(Set::EMPTY));
    assert_eq!(diagram.cuboid(&[]), Ok(Set::FULL));
    let slab = diagram.cuboid(&[(0, 4), (3, 9)]).unwrap();
    let rest = diagram.cuboid(&[(0, 9), (20, u32::MAX)]).unwrap();
    let slab = diagram.union(slab, rest).unwrap();
    assert!(diagram.contains(slab, &[0, 9]) && !diagram.contains(slab, &[0, 10]));
    assert!(diagram.contains(slab, &[4, u32::MAX - 1]) && !diagram.contains(slab, &[4, u32::MAX]));
    assert!(!diagram.contains(slab, &[4]) && !diagram.contains(Set::FULL, &[5, 0]));
    assert_eq!(diagram.below(slab, Set::FULL), Ok(Set::FULL));
    let predecessors = diagram.predecessors(Set::FULL).unwrap();
    assert!(!diagram.contains(predecessors, &[4, u32::MAX - 1]));
    assert!(diagram.contains(predecessors, &[3, u32::MAX - 1]));
}
