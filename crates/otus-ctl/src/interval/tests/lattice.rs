//! The set that clocks allow, compared with a test of every vector; and properties of lattices.

use otus_core::budget::Budget;

use super::random::Random;
use super::universe;
use crate::interval::{ACCEPT, ClockTable, Clocks, Diagram, REJECT, Set};
use crate::pace::Pace;

fn table(bounds: &[u32], lower: impl FnMut(usize, u32, usize) -> u32) -> ClockTable {
    ClockTable::new(bounds, lower, &mut Pace::new(&Budget::default())).unwrap()
}

/// The clocks of a random execution: per process and event, the number of events of each process in its past.
fn execution(random: &mut fastrand::Rng, bounds: &[u32], sociable: f64) -> Vec<Vec<Vec<u32>>> {
    let processes = bounds.len();
    let mut clocks: Vec<Vec<Vec<u32>>> = vec![vec![vec![0; processes]]; processes];
    let mut open: Vec<usize> = (0..processes).filter(|&process| bounds[process] > 0).collect();
    while !open.is_empty() {
        let process = open[random.usize(..open.len())];
        let mut clock = clocks[process][clocks[process].len() - 1].clone();
        clock[process] += 1;
        if random.f64() < sociable {
            let known = &clocks[random.usize(..processes)];
            let heard = &known[random.usize(known.len() / 2..known.len())];
            clock = clock.iter().zip(heard).map(|(a, b)| *a.max(b)).collect();
        }
        clocks[process].push(clock);
        open.retain(|&process| clocks[process].len() <= bounds[process] as usize);
    }
    clocks
}

fn is_allowed(table: &ClockTable, point: &[u32]) -> bool {
    (0..point.len())
        .all(|i| (0..point.len()).all(|j| i == j || table.lower(i, point[i], j) <= point[j]))
}

#[track_caller]
fn check(bounds: &[u32], table: &ClockTable) -> (Diagram, Set) {
    let mut diagram = Diagram::new(bounds);
    let top = diagram.lattice(table).unwrap();
    let points: Vec<Vec<u32>> =
        universe(bounds).into_iter().filter(|point| is_allowed(table, point)).collect();
    assert_eq!(diagram.points(top), points, "{table:?}");
    assert_eq!(diagram.set_of(&points), Ok(top));
    (diagram, top)
}

#[test]
fn a_machine_reads_the_lattice_as_it_is_made() {
    let mut random = fastrand::Rng::with_seed(8);
    for round in 0..400 {
        let bounds = random_bounds(&mut random);
        let clocks = execution(&mut random, &bounds, 0.5);
        let table = table(&bounds, |i, x, j| clocks[i][x as usize][j]);
        let mut machine = Random { seed: round, bounds: bounds.clone() };
        let mut diagram = Diagram::new(&bounds);
        let direct = diagram.lattice_where(&table, &mut machine, 2).unwrap();
        let top = diagram.lattice(&table).unwrap();
        assert_eq!(diagram.build(&mut machine, 2, top), Ok(direct));
        let first = diagram.least(direct);
        assert_eq!(diagram.lattice_find(&table, &mut machine, 2), Ok(first));
        assert_eq!(diagram.lattice_find(&table, &mut machine, REJECT), Ok(None));
        let all = diagram.lattice_find(&table, &mut machine, ACCEPT);
        assert_eq!(all, Ok(Some(vec![0; bounds.len()])));
        assert_eq!(diagram.lattice_where(&table, &mut machine, ACCEPT), Ok(top));
        assert_eq!(diagram.lattice_where(&table, &mut machine, REJECT), Ok(Set::EMPTY));
    }
}

fn random_bounds(random: &mut fastrand::Rng) -> Vec<u32> {
    let processes = random.usize(1..=5);
    (0..processes).map(|_| random.u32(0..=6)).collect()
}

#[test]
fn the_lattice_of_an_execution_is_the_set_of_its_cuts() {
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..400 {
        let bounds = random_bounds(&mut random);
        let clocks = execution(&mut random, &bounds, f64::from(round % 10) / 10.0);
        let table = table(&bounds, |i, x, j| clocks[i][x as usize][j]);
        let (mut diagram, top) = check(&bounds, &table);
        assert_eq!(diagram.least(top), Some(vec![0; bounds.len()]));
        assert!(diagram.contains(top, &bounds));
        // In a lattice of cuts, every cut below a set reaches it.
        let ranges: Vec<(u32, u32)> =
            bounds.iter().map(|&bound| (random.u32(0..=bound), bound)).collect();
        let cuboid = diagram.cuboid(&ranges).unwrap();
        let goal = diagram.predecessors(cuboid).unwrap();
        let goal = diagram.intersect(goal, top).unwrap();
        let reaching = diagram.until(top, goal).unwrap();
        assert_eq!(diagram.below(goal, top), Ok(reaching));
    }
}

#[test]
fn boxes_are_tight_for_transitive_clocks() {
    // Every box becomes a node of its own: as many nodes as boxes, so that with one node less in the
    // budget the construction stops.
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..100 {
        let bounds = random_bounds(&mut random);
        let clocks = execution(&mut random, &bounds, 0.6);
        let table = table(&bounds, |i, x, j| clocks[i][x as usize][j]);
        let mut diagram = Diagram::new(&bounds);
        let top = diagram.lattice(&table).unwrap();
        assert_eq!(
            diagram.reach_from(top.0).unwrap().ids.len(),
            diagram.nodes(),
            "nothing is made in vain"
        );
    }
}

#[test]
fn clocks_that_are_not_transitive_are_obeyed_all_the_same() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..400 {
        let bounds = random_bounds(&mut random);
        let table =
            table(
                &bounds,
                |_, _, j| {
                    if random.u32(0..4) == 0 { random.u32(0..=bounds[j]) } else { 0 }
                },
            );
        let (mut diagram, _) = check(&bounds, &table);
        let mut machine = Random { seed: random.u64(..), bounds };
        let accepted = diagram.lattice_where(&table, &mut machine, 2).unwrap();
        let first = diagram.least(accepted);
        assert_eq!(diagram.lattice_find(&table, &mut machine, 2), Ok(first));
    }
}

#[test]
fn long_processes_cost_no_more_than_their_intervals() {
    // Two processes of a million events each, alternating: the lattice is a ladder.
    let length = 1_000_000;
    let mut diagram = Diagram::new(&[length, length]);
    let top = diagram.lattice(&Ladder(length)).unwrap();
    assert_eq!(diagram.count(top).unwrap().to_string(), "2000001");
    let goal = diagram.cuboid(&[(length, length), (length, length)]).unwrap();
    assert_eq!(diagram.until(top, goal), Ok(top));
}

/// Two processes that take turns.
struct Ladder(u32);
impl Clocks for Ladder {
    fn lower(&self, dimension: usize, value: u32, _: usize) -> u32 {
        if dimension == 0 { value.saturating_sub(1) } else { value }
    }
    fn upper(&self, dimension: usize, value: u32, _: usize) -> u32 {
        if dimension == 0 { value } else { value.saturating_add(1).min(self.0) }
    }
}
