//! Exhaustive tests in small scope: a set of vectors of a small grid is a bit mask, and every operation on
//! diagrams is compared with the same operation on masks, written down from its definition.
//!
//! "All subsets" is taken literally where that is possible: every operation for every pair of the 2^9
//! subsets of a 3×3 grid (and of grids with a dimension of one value), every unary operation for all 2^18
//! subsets of a 3×3×2 grid, with a partner each for the binary ones. Of the 2^27 subsets
//! of a 3×3×3 grid, every 997th is tested here in the same way, and all of them in a test that is ignored
//! by default since it takes minutes (`cargo test --release -p otus-ctl -- --ignored all_subsets`).

use super::{inside, universe};
use crate::interval::{Diagram, Set};

/// The vectors of a grid in lexicographic order: bit `i` of a mask says that vector `i` is a member.
struct Grid {
    bounds: Vec<u32>,
    points: Vec<Vec<u32>>,
    /// Per dimension and vector, the vector one step further.
    next: Vec<Vec<Option<usize>>>,
    /// For each vector: the vectors that are at most this one.
    under: Vec<u32>,
}

impl Grid {
    fn new(bounds: &[u32]) -> Grid {
        let points = universe(bounds);
        assert!(points.len() <= 27);
        let step = |dimension: usize, point: &Vec<u32>| {
            let mut further = point.clone();
            further[dimension] += 1;
            points.iter().position(|other| *other == further)
        };
        let next = (0..bounds.len())
            .map(|dimension| points.iter().map(|point| step(dimension, point)).collect())
            .collect();
        let at_most = |a: &Vec<u32>, b: &Vec<u32>| a.iter().zip(b).all(|(a, b)| a <= b);
        let mask = |member: &dyn Fn(&Vec<u32>) -> bool| {
            (0..points.len()).filter(|&at| member(&points[at])).fold(0, |mask, at| mask | 1 << at)
        };
        let under = points.iter().map(|point| mask(&|other| at_most(other, point))).collect();
        Grid { bounds: bounds.to_vec(), next, under, points }
    }

    fn all(&self) -> u32 {
        u32::try_from((1_u64 << self.points.len()) - 1).unwrap()
    }

    fn members(&self, mask: u32) -> impl Iterator<Item = usize> {
        (0..self.points.len()).filter(move |at| mask >> at & 1 == 1)
    }

    fn pre(&self, mask: u32) -> u32 {
        let leads = |at: &usize| {
            self.next.iter().any(|next| next[*at].is_some_and(|next| mask >> next & 1 == 1))
        };
        (0..self.points.len()).filter(leads).fold(0, |result, at| result | 1 << at)
    }

    fn until(&self, through: u32, goal: u32) -> u32 {
        let mut reached = goal;
        loop {
            let more = reached | through & self.pre(reached);
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    fn below(&self, mask: u32, within: u32) -> u32 {
        self.members(mask).fold(0, |result, at| result | self.under[at]) & within
    }

    /// The diagram of a mask, from its points.
    fn set(&self, diagram: &mut Diagram, mask: u32) -> Set {
        let points: Vec<&[u32]> = self.members(mask).map(|at| self.points[at].as_slice()).collect();
        diagram.set_of(&points).unwrap()
    }
}

/// Every unary operation and question.
#[track_caller]
fn check_one(grid: &Grid, diagram: &mut Diagram, mask: u32) {
    let set = grid.set(diagram, mask);
    let complement = diagram.difference(Set::FULL, set).unwrap();
    assert_eq!(complement, grid.set(diagram, grid.all() & !mask), "complement of {mask:b}");
    let pre = diagram.predecessors(set).unwrap();
    assert_eq!(pre, grid.set(diagram, grid.pre(mask)), "predecessors of {mask:b}");
    let below = diagram.below(set, Set::FULL).unwrap();
    assert_eq!(below, grid.set(diagram, grid.below(mask, grid.all())), "below {mask:b}");
    check_members(grid, diagram, mask, set);
}

/// Membership, counts and iterators.
#[track_caller]
fn check_members(grid: &Grid, diagram: &mut Diagram, mask: u32, set: Set) {
    assert_eq!(diagram.count(set), Ok(mask.count_ones().into()));
    let points = || grid.members(mask).map(|at| grid.points[at].clone());
    assert!(diagram.points(set).into_iter().eq(points()), "points of {mask:b}");
    assert_eq!(diagram.least(set), points().next());
    for (at, point) in grid.points.iter().enumerate() {
        assert_eq!(diagram.contains(set, point), mask >> at & 1 == 1);
    }
    let boxes: Vec<_> = diagram.boxes(set).collect();
    for (at, point) in grid.points.iter().enumerate() {
        let times = boxes.iter().filter(|ranges| inside(ranges, point)).count();
        assert_eq!(times, usize::from(mask >> at & 1 == 1), "boxes of {mask:b}");
    }
}

/// Every binary operation, and the ternary one with a third operand made from the two.
#[track_caller]
fn check_two(
    diagram: &mut Diagram,
    grid: &Grid,
    sets: impl Fn(&mut Diagram, u32) -> Set,
    a: u32,
    b: u32,
) {
    let third = (a.wrapping_mul(0x9e37_79b9) ^ b.rotate_left(7)) & grid.all();
    let (first, second) = (sets(diagram, a), sets(diagram, b));
    let last = sets(diagram, third);
    let union = diagram.union(first, second).unwrap();
    assert_eq!(union, sets(diagram, a | b), "{a:b} union {b:b}");
    let meet = diagram.intersect(first, second).unwrap();
    assert_eq!(meet, sets(diagram, a & b), "{a:b} intersect {b:b}");
    let difference = diagram.difference(first, second).unwrap();
    assert_eq!(difference, sets(diagram, a & !b), "{a:b} difference {b:b}");
    let until = diagram.until(first, second).unwrap();
    assert_eq!(until, sets(diagram, grid.until(a, b)), "{a:b} until {b:b}");
    let below = diagram.below(first, second).unwrap();
    assert_eq!(below, sets(diagram, grid.below(a, b)), "below {a:b} within {b:b}");
    let mixed = diagram.union_intersect(first, second, last).unwrap();
    assert_eq!(mixed, sets(diagram, a | b & third), "{a:b} union ({b:b} intersect {third:b})");
}

#[track_caller]
fn check_all_pairs(bounds: &[u32]) {
    let grid = Grid::new(bounds);
    let mut diagram = Diagram::new(bounds);
    let sets: Vec<Set> = (0..=grid.all()).map(|mask| grid.set(&mut diagram, mask)).collect();
    let mut sorted = sets.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), sets.len(), "different subsets are different sets");
    for a in 0..=grid.all() {
        check_one(&grid, &mut diagram, a);
        for b in 0..=grid.all() {
            check_two(&mut diagram, &grid, |_, mask| sets[mask as usize], a, b);
        }
    }
}

#[test]
fn all_operations_on_all_pairs_of_subsets_of_small_grids() {
    check_all_pairs(&[]);
    check_all_pairs(&[0]);
    check_all_pairs(&[5]);
    check_all_pairs(&[2, 2]);
    check_all_pairs(&[0, 3, 0]);
    check_all_pairs(&[1, 1, 1]);
}

/// Unary operations on every `stride`-th subset, binary ones with one partner each.
fn check_strided(bounds: &[u32], stride: u32) {
    let grid = Grid::new(bounds);
    let mut diagram = Diagram::new(bounds);
    for mask in (0..=grid.all()).step_by(stride as usize) {
        check_one(&grid, &mut diagram, mask);
        let partner = mask.wrapping_mul(0x85eb_ca6b).rotate_left(11) & grid.all();
        check_two(&mut diagram, &grid, |diagram, mask| grid.set(diagram, mask), mask, partner);
        if diagram.nodes() > 1 << 20 {
            diagram.collect([]).unwrap();
        }
    }
}

#[test]
fn different_subsets_of_a_larger_grid_are_different_sets() {
    let grid = Grid::new(&[2, 2, 1]);
    let mut diagram = Diagram::new(&grid.bounds);
    let mut sets: Vec<Set> = (0..=grid.all()).map(|mask| grid.set(&mut diagram, mask)).collect();
    sets.sort_unstable();
    sets.dedup();
    assert_eq!(sets.len(), 1 << 18);
}

#[test]
fn operations_on_subsets_of_larger_grids() {
    check_strided(&[2, 2, 1], 7);
    check_strided(&[1, 2, 2], 11);
    check_strided(&[2, 2, 2], 9973);
}

#[test]
#[ignore = "takes minutes: run it with --release"]
fn all_subsets() {
    check_strided(&[2, 2, 1], 1);
    check_strided(&[2, 2, 2], 997);
    // All 2^27: the union of three slices made apart is the set made from its points.
    let grid = Grid::new(&[2, 2, 2]);
    let mut diagram = Diagram::new(&grid.bounds);
    let mut slices: Vec<Set> = Vec::new();
    for at in 0..3 {
        slices.extend((0..512).map(|mask: u32| grid.set(&mut diagram, mask << (9 * at))));
    }
    for mask in 0..=grid.all() {
        let slice = |at: u32| slices[(at * 512 + (mask >> (9 * at) & 511)) as usize];
        let (first, second, third) = (slice(0), slice(1), slice(2));
        let pair = diagram.union(third, first).unwrap();
        let union = diagram.union(pair, second).unwrap();
        assert_eq!(union, grid.set(&mut diagram, mask));
        assert_eq!(diagram.count(union), Ok(mask.count_ones().into()));
        if diagram.nodes() > 1 << 12 {
            diagram.collect(&mut slices).unwrap();
        }
    }
}
