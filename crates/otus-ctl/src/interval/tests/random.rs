//! Random sets in more and longer dimensions, against ordered sets of vectors.

use std::collections::BTreeSet;

use otus_core::budget::Stop;
use proptest::prelude::*;

use super::{inside, universe};
use crate::interval::{ACCEPT, Diagram, Machine, REJECT, Set};

type Plain = BTreeSet<Vec<u32>>;

/// Bounds, and boxes as pairs of corners.
#[derive(Debug, Clone)]
struct Scene {
    bounds: Vec<u32>,
    sets: Vec<Vec<Vec<(u32, u32)>>>,
}

fn scenes(sets: usize) -> impl Strategy<Value = Scene> {
    let bounds = prop_oneof![
        prop::collection::vec(0_u32..4, 0..6),
        prop::collection::vec(0_u32..9, 0..4),
        prop::collection::vec(0_u32..40, 1..3),
    ];
    bounds.prop_flat_map(move |bounds| {
        let ranges: Vec<_> = bounds
            .iter()
            .map(|&bound| (0..=bound, 0..=bound).prop_map(|(a, b)| (a.min(b), a.max(b))))
            .collect();
        let boxes = prop::collection::vec(ranges, 0..12);
        let sets = prop::collection::vec(boxes, sets);
        (Just(bounds), sets).prop_map(|(bounds, sets)| Scene { bounds, sets })
    })
}

impl Scene {
    /// The diagram, all vectors, and each set both ways.
    fn make(&self) -> (Diagram, Vec<Vec<u32>>, Vec<(Set, Plain)>) {
        let mut diagram = Diagram::new(&self.bounds);
        let all = universe(&self.bounds);
        let mut sets = Vec::new();
        for boxes in &self.sets {
            let mut set = Set::EMPTY;
            for ranges in boxes {
                let more = diagram.cuboid(ranges).unwrap();
                set = diagram.union(set, more).unwrap();
            }
            let is_member = |point: &&Vec<u32>| boxes.iter().any(|ranges| inside(ranges, point));
            let plain: Plain = all.iter().filter(is_member).cloned().collect();
            assert_set(&mut diagram, set, &plain);
            sets.push((set, plain));
        }
        (diagram, all, sets)
    }
}

/// Both ways round: the set made from these points is this one, and its points are these.
#[track_caller]
fn assert_set(diagram: &mut Diagram, set: Set, plain: &Plain) {
    let points: Vec<&Vec<u32>> = plain.iter().collect();
    assert_eq!(diagram.set_of(&points), Ok(set), "canonical");
    assert!(diagram.points(set).iter().eq(plain), "has these points");
    assert_eq!(diagram.count(set).unwrap().to_string(), plain.len().to_string());
}

fn steps(bounds: &[u32], point: &[u32]) -> Vec<Vec<u32>> {
    let open = (0..bounds.len()).filter(|&dimension| point[dimension] < bounds[dimension]);
    open.map(|dimension| {
        let mut next = point.to_vec();
        next[dimension] += 1;
        next
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn set_operations_are_those_of_plain_sets(scene in scenes(3)) {
        let (mut diagram, all, sets) = scene.make();
        let [(a, plain_a), (b, plain_b), (c, plain_c)] = &sets[..] else { unreachable!() };
        let pick = |member: &dyn Fn(&Vec<u32>) -> bool| -> Plain {
            all.iter().filter(|point| member(point)).cloned().collect()
        };
        let union = diagram.union(*a, *b).unwrap();
        assert_set(&mut diagram, union, &(plain_a | plain_b));
        let meet = diagram.intersect(*a, *b).unwrap();
        assert_set(&mut diagram, meet, &(plain_a & plain_b));
        let difference = diagram.difference(*a, *b).unwrap();
        assert_set(&mut diagram, difference, &(plain_a - plain_b));
        let complement = diagram.difference(Set::FULL, *a).unwrap();
        assert_set(&mut diagram, complement, &pick(&|point| !plain_a.contains(point)));
        let mixed = diagram.union_intersect(*a, *b, *c).unwrap();
        assert_set(&mut diagram, mixed, &(plain_a | &(plain_b & plain_c)));
        // A set that is kept through a collection has another id and the same members.
        let mut kept = [union, difference];
        diagram.collect(&mut kept).unwrap();
        assert_set(&mut diagram, kept[0], &(plain_a | plain_b));
        assert_set(&mut diagram, kept[1], &(plain_a - plain_b));
    }

    #[test]
    fn steps_and_reachability_are_those_of_plain_sets(scene in scenes(2)) {
        let (mut diagram, all, sets) = scene.make();
        let [(f, plain_f), (g, plain_g)] = &sets[..] else { unreachable!() };
        let bounds = &scene.bounds;
        let mut pre = Plain::new();
        let mut until = plain_g.clone();
        // Later vectors come first: one pass suffices.
        for point in all.iter().rev() {
            let next = steps(bounds, point);
            if next.iter().any(|next| plain_g.contains(next)) {
                pre.insert(point.clone());
            }
            if plain_f.contains(point) && next.iter().any(|next| until.contains(next)) {
                until.insert(point.clone());
            }
        }
        let found = diagram.predecessors(*g).unwrap();
        assert_set(&mut diagram, found, &pre);
        let found = diagram.until(*f, *g).unwrap();
        assert_set(&mut diagram, found, &until);
    }

    #[test]
    fn closures_are_those_of_plain_sets(scene in scenes(2)) {
        let (mut diagram, _, sets) = scene.make();
        let [(s, plain_s), (t, plain_t)] = &sets[..] else { unreachable!() };
        let at_most = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a <= b);
        let is_below = |point: &&Vec<u32>| plain_s.iter().any(|other| at_most(point, other));
        let found = diagram.below(*s, *t).unwrap();
        assert_set(&mut diagram, found, &plain_t.iter().filter(is_below).cloned().collect());
    }

    #[test]
    fn what_a_machine_accepts_is_built(scene in scenes(1), seed: u64) {
        let (mut diagram, _, sets) = scene.make();
        let (within, plain) = &sets[0];
        let mut machine = Random { seed, bounds: scene.bounds };
        let found = diagram.build(&mut machine, 2, *within).unwrap();
        let accepted = plain.iter().filter(|point| machine.accepts(point)).cloned().collect();
        assert_set(&mut diagram, found, &accepted);
        // Alone and then intersected it is the same.
        let alone = diagram.build(&mut machine, 2, Set::FULL).unwrap();
        prop_assert_eq!(diagram.intersect(alone, *within), Ok(found));
    }
}

/// A machine with seven states whose splits are drawn from a seed.
pub(super) struct Random {
    pub(super) seed: u64,
    pub(super) bounds: Vec<u32>,
}

impl Machine for Random {
    fn split(
        &mut self,
        layer: usize,
        state: u32,
        _: u32,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        intervals.extend(self.intervals(layer, state));
        Ok(())
    }
}

impl Random {
    fn intervals(&self, layer: usize, state: u32) -> Vec<(u32, u32)> {
        let seed = self.seed ^ (layer as u64) << 32 ^ u64::from(state) << 48;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut intervals = Vec::new();
        let mut high = random.u32(0..3);
        while high < self.bounds[layer] + 2 {
            intervals.push((high, random.u32(0..7)));
            high += random.u32(1..4);
        }
        intervals
    }

    fn accepts(&self, point: &[u32]) -> bool {
        let mut state = 2;
        for (layer, &value) in point.iter().enumerate() {
            if state == REJECT || state == ACCEPT {
                break;
            }
            let intervals = self.intervals(layer, state);
            let interval = intervals.iter().find(|interval| interval.0 >= value);
            state = interval.map_or(REJECT, |interval| interval.1);
        }
        state == ACCEPT
    }
}
