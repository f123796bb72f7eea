//! Compares slices, prefixes and mutants with their definitions, on all small multi-traces.

use std::collections::BTreeSet;
use std::ops::Range;

use otus_core::index::Index as _;
use otus_core::{Action, ActionId, Direction, LifelineId, MessageId, Pool, Signature};
use otus_syntax::{Source, SourceId, parse_trace, print};
use proptest::prelude::*;

use super::*;
use crate::multitrace::{Builder, MultiTrace, Partition};
use crate::{lower, raise};

/// A multi-trace by itself: components, moments, actions.
type Plain = Vec<Moments>;

/// A component by itself: moments, actions.
type Moments = Vec<Vec<ActionId>>;

fn plain(trace: &MultiTrace) -> Plain {
    let moments = |component| {
        trace
            .moments(component)
            .map(|moment| moment.iter().map(|step| step.action()).collect())
            .collect()
    };
    trace.partition().components().map(moments).collect()
}

/// Lifelines `a` and `b`, messages `m` and `n`, and all their actions in order.
fn pool() -> (Pool, Vec<ActionId>) {
    let mut signature = Signature::default();
    for name in ["a", "b"] {
        signature.add_lifeline(name);
    }
    for name in ["m", "n"] {
        signature.add_message(name);
    }
    let mut pool = Pool::new(signature);
    let mut actions = Vec::new();
    for lifeline in [0, 1].map(LifelineId) {
        for direction in [Direction::Emission, Direction::Reception] {
            for message in [0, 1].map(MessageId) {
                actions.push(pool.intern_action(Action {
                    lifeline,
                    direction,
                    message,
                    peer: None,
                }));
            }
        }
    }
    (pool, actions)
}

fn build(partition: &Partition, components: &Plain) -> MultiTrace {
    let mut builder = Builder::new(partition.clone(), 0, false);
    for moments in components {
        for moment in moments {
            for &action in moment {
                builder.push(action, 0);
            }
            builder.next_moment();
        }
        builder.next_component();
    }
    builder.finish(SourceId::default())
}

/// All multi-traces on `[a]`, `[b]` with at most `longest` moments of `a!m`, `a!n` and `{a!m, a!n}`
/// on the one and up to two of `b?m`, `b?n` on the other; and all global ones with moments of
/// `a!m`, `b?m` and both.
fn small_traces(longest: usize) -> Vec<MultiTrace> {
    let (_, actions) = pool();
    let (a, b) = (&actions[..2], &actions[6..]);
    let words = |letters: Vec<Vec<ActionId>>, longest: usize| {
        let mut words: Vec<Vec<Vec<ActionId>>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..longest {
            let to = words.len();
            for i in from..to {
                for letter in &letters {
                    let mut word = words[i].clone();
                    word.push(letter.clone());
                    words.push(word);
                }
            }
            from = to;
        }
        words
    };
    let mut traces = Vec::new();
    for first in words(vec![vec![a[0]], vec![a[1]], a.to_vec()], longest) {
        for second in words(vec![vec![b[0]], vec![b[1]]], 2) {
            traces.push(build(&Partition::discrete(2), &vec![first.clone(), second]));
        }
    }
    for word in words(vec![vec![a[0]], vec![b[0]], vec![a[0], b[0]]], longest) {
        traces.push(build(&Partition::trivial(2), &vec![word]));
    }
    traces
}

/// All factors of a word, by definition, with at least a length.
fn factors<T: Clone + Ord>(word: &[T], least: usize) -> BTreeSet<Vec<T>> {
    let ranges = (0..=word.len()).flat_map(|from| (from..=word.len()).map(move |to| from..to));
    ranges.filter(|range| range.len() >= least).map(|range| word[range].to_vec()).collect()
}

/// All ways to take one of each.
fn product<T: Clone + Ord>(sets: &[BTreeSet<T>]) -> BTreeSet<Vec<T>> {
    let mut all = BTreeSet::from([Vec::new()]);
    for set in sets {
        let longer = |begin: &Vec<T>| {
            let begin = begin.clone();
            set.iter().map(move |item| [begin.clone(), vec![item.clone()]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Checks a set of cuts against all multi-traces it should have.
#[track_caller]
fn check_cuts(trace: &MultiTrace, cuts: &Cuts<'_>, expected: &BTreeSet<Plain>) {
    let all: Vec<Cut> = cuts.iter().collect();
    assert_eq!(all.len() as u128, cuts.count());
    let found: BTreeSet<Plain> = all.iter().map(|cut| plain(&cut.trace)).collect();
    assert_eq!(found.len(), all.len(), "duplicates");
    assert_eq!(&found, expected);
    let original = plain(trace);
    for (number, cut) in all.iter().enumerate() {
        assert_eq!(cuts.get(number as u128).as_ref(), Some(cut));
        let at = |(moments, range): (&Moments, &Range<usize>)| moments[range.clone()].to_vec();
        let kept: Plain = original.iter().zip(&cut.kept).map(at).collect();
        assert_eq!(plain(&cut.trace), kept);
        assert_eq!(cut.trace.partition(), trace.partition());
    }
    assert_eq!(cuts.get(all.len() as u128), None);
    let random: Vec<Cut> = cuts.sample(5).collect();
    assert_eq!(random.len(), all.len());
    let drawn: BTreeSet<Plain> = random.iter().map(|cut| plain(&cut.trace)).collect();
    assert_eq!(drawn, found);
    assert!(cuts.sample(5).take(3).eq(random.into_iter().take(3)));
}

#[test]
fn slices_are_the_factors_of_every_component() {
    for trace in small_traces(4) {
        let words = plain(&trace);
        let all: Vec<_> = words.iter().map(|word| factors(word, 0)).collect();
        check_cuts(&trace, &slices(&trace), &product(&all));
        for share in [Share::THIRD, Share::new(1, 2).unwrap(), Share::new(1, 1).unwrap()] {
            let wide: Vec<_> =
                words.iter().map(|word| factors(word, share.least(word.len()))).collect();
            check_cuts(&trace, &wide_slices(&trace, share), &product(&wide));
        }
        let none = wide_slices(&trace, Share::new(0, 1).unwrap());
        assert!(none.iter().eq(slices(&trace).iter()));
    }
}

#[test]
fn prefixes_are_the_beginnings_of_every_component() {
    for trace in small_traces(3) {
        let begins = |word: &Moments| {
            (0..=word.len()).map(|to| word[..to].to_vec()).collect::<BTreeSet<_>>()
        };
        let all: Vec<_> = plain(&trace).iter().map(begins).collect();
        check_cuts(&trace, &prefixes(&trace), &product(&all));
        let global = global_prefixes(&trace);
        assert_eq!(global.is_some(), trace.partition().len() == 1);
        assert!(global.is_none_or(|global| global.iter().eq(prefixes(&trace).iter())));
    }
}

#[test]
fn counts_saturate_and_choices_stay_distinct() {
    let lifelines = 40;
    let mut signature = Signature::default();
    let m = signature.add_message("m");
    for i in 0..lifelines {
        signature.add_lifeline(&format!("l{i}"));
    }
    let mut pool = Pool::new(signature);
    let components: Plain = (0..lifelines)
        .map(|i| {
            let lifeline = LifelineId::new(i);
            let actions = [Action::emission(lifeline, m), Action::reception(lifeline, m)];
            let [x, y] = actions.map(|action| pool.intern_action(action));
            [x, y, y, x, x, x, y].map(|action| vec![action]).to_vec()
        })
        .collect();
    let trace = build(&Partition::discrete(lifelines), &components);
    let cuts = slices(&trace);
    assert_eq!(cuts.count(), u128::MAX);
    let some: Vec<Plain> = cuts.sample(1).take(100).map(|cut| plain(&cut.trace)).collect();
    assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), 100);
    assert_eq!(cuts.iter().take(3).count(), 3);
    assert_eq!(cuts.get(2), cuts.iter().nth(2));
    assert_eq!(wide_slices(&trace, Share::new(1, 1).unwrap()).count(), 1);
}

/// The results of changes, none twice and none the original, and the changes by number.
#[track_caller]
fn check_changes(
    trace: &MultiTrace,
    changes: &Changes<'_>,
    pool: &mut Pool,
    expected: &BTreeSet<Plain>,
) {
    let all: Vec<Change> = changes.iter().collect();
    assert_eq!(all.len() as u128, changes.count());
    let results: BTreeSet<Plain> =
        all.iter().map(|change| plain(&change.apply(trace, pool))).collect();
    assert_eq!(results.len(), all.len(), "duplicates");
    assert_eq!(&results, expected, "{:?}", plain(trace));
    assert!(!results.contains(&plain(trace)));
    assert!(all.is_sorted());
    let mut random: Vec<Change> = changes.sample(9).collect();
    assert!(changes.sample(9).take(2).eq(random.iter().copied().take(2)));
    random.sort_unstable();
    assert_eq!(random, all);
    let chosen = changes.choose(2, 9, pool);
    assert_eq!(chosen.len(), all.len().min(2));
    for mutant in chosen {
        assert_eq!(mutant.change.apply(trace, pool), mutant.trace);
        assert!(!mutant.change.describe(trace, pool).is_empty());
    }
}

#[test]
fn changes_have_all_results_once_and_never_the_original() {
    let (mut pool, actions) = pool();
    for trace in small_traces(4) {
        let original = plain(&trace);
        // Every edit of every component, tried without regard to what it gives.
        let edit = |edit: &dyn Fn(usize, &mut Moments, usize, usize)| {
            let mut results = BTreeSet::new();
            for (component, word) in original.iter().enumerate() {
                for i in 0..=word.len() {
                    for j in 0..=word.len().max(actions.len()) {
                        let mut changed = original.clone();
                        edit(component, &mut changed[component], i, j);
                        results.insert(changed);
                    }
                }
            }
            results.remove(&original);
            results
        };
        let inserted = edit(&|component, word, i, j| {
            let Some(&action) = actions.get(j) else { return };
            let own = trace.partition().lifelines(crate::ComponentId::new(component));
            if own.contains(&LifelineId::new(j / 4)) {
                word.insert(i, vec![action]);
            }
        });
        check_changes(&trace, &noise(&trace, &pool), &mut pool, &inserted);
        let swapped = edit(&|_, word, i, j| {
            if i < word.len() && j < word.len() {
                word.swap(i, j);
            }
        });
        check_changes(&trace, &swap_actions(&trace), &mut pool, &swapped);
        let removed = edit(&|_, word, i, _| {
            if i < word.len() {
                word.remove(i);
            }
        });
        check_changes(&trace, &remove(&trace), &mut pool, &removed);
        let repeated = edit(&|_, word, i, _| {
            if i < word.len() {
                word.insert(i, word[i].clone());
            }
        });
        check_changes(&trace, &duplicate(&trace), &mut pool, &repeated);
    }
}

#[test]
fn there_may_be_no_mutant() {
    let (pool, actions) = pool();
    let word = |moments: &[usize]| moments.iter().map(|&i| vec![actions[i]]).collect();
    let same = build(&Partition::discrete(2), &vec![word(&[0, 0, 0]), word(&[6])]);
    assert_eq!(swap_actions(&same).count(), 0);
    assert_eq!(swap_actions(&same).get(0), None);
    assert_eq!(remove(&same).count(), 2);
    let nothing = build(&Partition::discrete(2), &vec![word(&[]), word(&[])]);
    assert_eq!((remove(&nothing).count(), duplicate(&nothing).count()), (0, 0));
    assert_eq!(noise(&nothing, &pool).count(), 8);
    let mut signature = Signature::default();
    signature.add_lifeline("a");
    let nobody = MultiTrace::empty(Partition::discrete(1));
    assert_eq!(noise(&nobody, &Pool::new(signature)).count(), 0);
    let alone = [same.clone(), same.clone()];
    assert_eq!(Swaps::new(&alone).sample(0, 0).count(), 0);
    let one_differs = [same, build(&Partition::discrete(2), &vec![word(&[0, 0, 0]), word(&[7])])];
    assert_eq!(Swaps::new(&one_differs).sample(0, 0).count(), 0);
    let no_lifeline = MultiTrace::empty(Partition::discrete(0));
    assert_eq!(slices(&no_lifeline).count(), 1);
    assert_eq!(remove(&no_lifeline).count(), 0);
}

#[test]
fn mixtures_take_some_components_from_each() {
    let traces: Vec<MultiTrace> =
        small_traces(2).into_iter().filter(|trace| trace.len() % 3 != 1).collect();
    let swaps = Swaps::new(&traces);
    let plains: Vec<Plain> = traces.iter().map(plain).collect();
    for (original, own) in plains.iter().enumerate() {
        // With two components a mixture takes exactly one, from a donor that differs in both.
        let mut expected = BTreeSet::new();
        for other in plains.iter().filter(|other| other.len() == 2 && own.len() == 2) {
            if own[0] != other[0] && own[1] != other[1] {
                expected.insert(vec![own[0].clone(), other[1].clone()]);
                expected.insert(vec![other[0].clone(), own[1].clone()]);
            }
        }
        let all: Vec<Swap> = swaps.sample(original, 4).collect();
        let results: Vec<Plain> = all
            .iter()
            .map(|swap| plain(&swap.apply(&traces[original], &traces[swap.donor])))
            .collect();
        assert_eq!(results.iter().cloned().collect::<BTreeSet<_>>(), expected);
        assert_eq!(results.len(), expected.len(), "duplicates");
        assert!(swaps.sample(original, 4).take(3).eq(all.into_iter().take(3)));
    }
}

#[test]
fn components_are_matched_by_their_lifelines() {
    let texts = [
        "{[a] a!m; [b] b?m; [c,d] c!x.d?x}",
        "{[d,c] d!y; [b] b?n; [a] a!n}",
        "{[a,b] a!n.b?n; [c,d]}",
    ];
    let trees = texts.map(|text| parse_trace(&Source::new("x.htf", text)).tree);
    let mut pool = Pool::new(implied_signature(&trees));
    let traces = trees.each_ref().map(|tree| lower(tree, &mut pool).0);
    let swaps = Swaps::new(&traces);
    let show = |original: usize| -> BTreeSet<String> {
        swaps
            .sample(original, 0)
            .map(|swap| {
                let mutant = swap.apply(&traces[original], &traces[swap.donor]);
                let text = print::trace_line(&raise(&mutant, &pool));
                format!("{} => {text}", swap.describe(&traces[original], "other", &pool))
            })
            .collect()
    };
    let first = show(0);
    assert_eq!(first.len(), 6);
    assert!(first.contains("took [a] and [c, d] from other => {[a] a!n; [b] b?m; [c, d] d!y}"));
    let second = show(1);
    assert!(second.contains("took [b] from other => {[c, d] d!y; [b] b?m; [a] a!n}"));
    assert!(show(2).is_empty(), "no other has its partition");
}

#[test]
fn many_multi_traces_that_cannot_be_mixed_are_told_at_once() {
    let (_, actions) = pool();
    let (x, y) = (actions[0], actions[1]);
    let word = |i: usize| (0..15).map(|bit| vec![if i >> bit & 1 == 1 { x } else { y }]).collect();
    let traces: Vec<MultiTrace> =
        (0..20_000).map(|i| build(&Partition::discrete(2), &vec![word(i), Vec::new()])).collect();
    let swaps = Swaps::new(&traces);
    assert!((0..traces.len()).all(|original| swaps.sample(original, 0).next().is_none()));
}

#[test]
fn many_differing_components_have_mixtures_too() {
    let count = 100;
    let mut signature = Signature::default();
    let m = signature.add_message("m");
    for i in 0..count {
        signature.add_lifeline(&format!("l{i}"));
    }
    let mut pool = Pool::new(signature);
    let mut with = |direction| {
        let moment = |i| Action { lifeline: LifelineId::new(i), direction, message: m, peer: None };
        let components: Plain =
            (0..count).map(|i| vec![vec![pool.intern_action(moment(i))]]).collect();
        build(&Partition::discrete(count), &components)
    };
    let traces = [with(Direction::Emission), with(Direction::Reception)];
    let some: BTreeSet<Swap> = Swaps::new(&traces).sample(0, 1).take(50).collect();
    assert_eq!(some.len(), 50);
}

#[track_caller]
fn check_text(
    text: &str,
    done: impl Fn(&MultiTrace, &mut Pool) -> Vec<(MultiTrace, String)>,
    expected: &[(&str, &str)],
) {
    let tree = parse_trace(&Source::new("x.htf", text)).tree;
    let mut pool = Pool::new(implied_signature([&tree]));
    let (trace, found) = lower(&tree, &mut pool);
    assert_eq!(found, []);
    let made = done(&trace, &mut pool);
    let shown: Vec<(String, String)> = made
        .into_iter()
        .map(|(trace, what)| (print::trace_line(&raise(&trace, &pool)), what))
        .collect();
    let shown: Vec<(&str, &str)> =
        shown.iter().map(|(trace, what)| (trace.as_str(), what.as_str())).collect();
    assert_eq!(shown, expected);
}

fn all_mutants(
    changes: for<'a> fn(&'a MultiTrace) -> Changes<'a>,
) -> impl Fn(&MultiTrace, &mut Pool) -> Vec<(MultiTrace, String)> {
    move |trace, pool| {
        changes(trace)
            .iter()
            .map(|change| (change.apply(trace, pool), change.describe(trace, pool)))
            .collect()
    }
}

#[test]
fn mutants_say_what_was_done() {
    check_text(
        "{[a] a!m.a!m.a!n; [b] b?m}",
        all_mutants(swap_actions),
        &[
            ("{[a] a!n.a!m.a!m; [b] b?m}", "swapped a!m (place 1) and a!n (place 3) in [a]"),
            ("{[a] a!m.a!n.a!m; [b] b?m}", "swapped a!m (place 2) and a!n (place 3) in [a]"),
        ],
    );
    check_text(
        "[#all] a!m.{a!n, b?m}.{a!n, b?m}",
        all_mutants(remove),
        &[
            ("{[#all] {a!n, b?m}.{a!n, b?m}}", "removed a!m (place 1) from [#all]"),
            ("{[#all] a!m.{a!n, b?m}}", "removed {a!n, b?m} (place 2) from [#all]"),
        ],
    );
    check_text(
        "{[a] a!m.a!m; [b] b?m}",
        all_mutants(duplicate),
        &[
            ("{[a] a!m.a!m.a!m; [b] b?m}", "repeated a!m (place 2) in [a]"),
            ("{[a] a!m.a!m; [b] b?m.b?m}", "repeated b?m (place 1) in [b]"),
        ],
    );
    check_text(
        "[a] a!m",
        |trace, pool| {
            let changes: Vec<Change> = noise(trace, pool).iter().collect();
            let done = |change: Change| (change.apply(trace, pool), change.describe(trace, pool));
            changes.into_iter().map(done).collect()
        },
        &[
            ("{[#all] a!m.a!m}", "inserted a!m (place 1) in [#all]"),
            ("{[#all] a?m.a!m}", "inserted a?m (place 1) in [#all]"),
            ("{[#all] a!m.a?m}", "inserted a?m (place 2) in [#all]"),
        ],
    );
}

/// The slice of Fig. 1 and the three mutants of §5.5 in the paper on slices.
#[test]
fn the_examples_of_the_paper_are_among_the_results() {
    let read = |texts: &[&str]| {
        let parse = |text: &&str| parse_trace(&Source::new("x.htf", *text)).tree;
        let trees: Vec<_> = texts.iter().map(parse).collect();
        let mut pool = Pool::new(implied_signature(&trees));
        pool.add_message("m3");
        let traces: Vec<MultiTrace> =
            trees.iter().map(|tree| lower(tree, &mut pool).0.without_places()).collect();
        (traces, pool)
    };
    let (traces, _) =
        read(&["{[l1,l2] l1!m1.l2?m1.l2?m4; [l3] l3?m1.l3!m4}", "{[l1,l2] l2?m4; [l3] l3?m1}"]);
    assert!(slices(&traces[0]).iter().any(|slice| slice.trace == traces[1]));
    assert!(!prefixes(&traces[0]).iter().any(|prefix| prefix.trace == traces[1]));

    let (traces, mut pool) =
        read(&["{[l1] l1!m1.l1!m2; [l2] l2?m1.l2?m2}", "{[l1] l1!m2.l1!m1; [l2] l2?m1.l2?m2}"]);
    let made = |change: Change| change.apply(&traces[0], &mut pool);
    assert!(swap_actions(&traces[0]).iter().map(made).any(|mutant| mutant == traces[1]));

    let (traces, mut pool) = read(&["{[l1] l1!m1; [l2] l2?m1}", "{[l1] l1!m1.l1!m3; [l2] l2?m1}"]);
    let changes = noise(&traces[0], &pool);
    let made = |change: Change| change.apply(&traces[0], &mut pool);
    assert!(changes.iter().map(made).any(|mutant| mutant == traces[1]));

    let (traces, _) =
        read(&["{[l1] l1!m1; [l2] l2?m1}", "{[l1] l1!m2; [l2] l2?m2}", "{[l1] l1!m1; [l2] l2?m2}"]);
    let parents = &traces[..2];
    let mut mixed = Swaps::new(parents)
        .sample(0, 0)
        .map(|swap| swap.apply(&parents[0], &parents[swap.donor]))
        .collect::<Vec<_>>()
        .into_iter();
    assert!(mixed.any(|mutant| mutant == traces[2]));
}

#[test]
fn slices_say_what_is_kept() {
    check_text(
        "{[a] a!m.a!n.a!m.a!m; [b] b?m; [c]}",
        |trace, pool| {
            let wide = wide_slices(trace, Share::new(3, 4).unwrap());
            wide.iter().map(|cut| (cut.trace.clone(), cut.describe(pool))).collect()
        },
        &[
            (
                "{[a] a!m.a!n.a!m; [b] b?m; [c]}",
                "kept places 1-3 of 4 of [a], all of [b], all of [c]",
            ),
            (
                "{[a] a!n.a!m.a!m; [b] b?m; [c]}",
                "kept places 2-4 of 4 of [a], all of [b], all of [c]",
            ),
            ("{[a] a!m.a!n.a!m.a!m; [b] b?m; [c]}", "kept all of [a], all of [b], all of [c]"),
        ],
    );
    check_text(
        "{[a] a!m.a!n; [b] b?m}",
        |trace, pool| {
            let some = [0, 2].map(|number| slices(trace).get(number).unwrap());
            some.into_iter().map(|cut| (cut.trace.clone(), cut.describe(pool))).collect()
        },
        &[
            ("{[a]; [b]}", "kept nothing of [a], nothing of [b]"),
            ("{[a] a!m; [b]}", "kept place 1 of 2 of [a], nothing of [b]"),
        ],
    );
}

/// A multi-trace on `[a]`, `[b]` or on both together, with sets of simultaneous actions.
fn traces() -> impl Strategy<Value = MultiTrace> {
    let moment = || prop::collection::btree_set(0usize..4, 1..3);
    let word = || prop::collection::vec(moment(), 0..25);
    (word(), word(), any::<bool>()).prop_map(|(first, second, together)| {
        let (_, actions) = pool();
        let on = |word: Vec<BTreeSet<usize>>, lifeline: usize| -> Moments {
            let action = |i: &usize| actions[lifeline * 4 + i];
            word.into_iter().map(|moment| moment.iter().map(action).collect()).collect()
        };
        let (first, second) = (on(first, 0), on(second, 1));
        if together {
            build(&Partition::trivial(2), &vec![[first, second].concat()])
        } else {
            build(&Partition::discrete(2), &vec![first, second])
        }
    })
}

proptest! {
    #[test]
    fn random_slices_are_distinct_factors(trace in traces(), seed: u64) {
        let cuts = slices(&trace);
        let words = plain(&trace);
        let expected: u128 =
            words.iter().map(|word| factors(word, 0).len() as u128).product();
        prop_assert_eq!(cuts.count(), expected);
        let some: Vec<Plain> = cuts.sample(seed).take(40).map(|cut| plain(&cut.trace)).collect();
        prop_assert_eq!(some.len() as u128, expected.min(40));
        prop_assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), some.len());
        for slice in &some {
            for (part, word) in slice.iter().zip(&words) {
                prop_assert!(part.is_empty() || word.windows(part.len()).any(|at| at == part));
            }
        }
        let wide = wide_slices(&trace, Share::THIRD);
        for cut in wide.sample(seed).take(20) {
            for (part, word) in plain(&cut.trace).iter().zip(&words) {
                prop_assert!(3 * part.len() >= word.len());
                prop_assert!(part.is_empty() || word.windows(part.len()).any(|at| at == part));
            }
        }
    }

    #[test]
    fn random_mutants_differ_from_their_original_and_each_other(trace in traces(), seed: u64) {
        let (mut pool, _) = pool();
        let sets = [noise(&trace, &pool), swap_actions(&trace), remove(&trace), duplicate(&trace)];
        for (changes, grown) in sets.iter().zip([1, 0, -1, 1]) {
            let mutants = changes.choose(30, seed, &mut pool);
            prop_assert_eq!(mutants.len() as u128, changes.count().min(30));
            let results: BTreeSet<Plain> =
                mutants.iter().map(|mutant| plain(&mutant.trace)).collect();
            prop_assert_eq!(results.len(), mutants.len());
            prop_assert!(!results.contains(&plain(&trace)));
            for result in &results {
                let moments = |plain: &Plain| plain.iter().map(Vec::len).sum::<usize>();
                let difference = moments(result).wrapping_sub(moments(&plain(&trace)));
                prop_assert_eq!(difference.cast_signed(), grown);
            }
            prop_assert_eq!(&changes.choose(30, seed, &mut pool), &mutants);
        }
    }

    #[test]
    fn prefixes_of_a_global_trace_project_to_multi_prefixes(trace in traces()) {
        let (pool, _) = pool();
        let discrete = Partition::discrete(2);
        let Some(global) = global_prefixes(&trace) else {
            prop_assert_eq!(&project(&trace, &discrete, &pool).unwrap(), &trace);
            return Ok(());
        };
        let whole = project(&trace, &discrete, &pool).unwrap();
        let all: BTreeSet<Plain> =
            prefixes(&whole).iter().map(|cut| plain(&cut.trace)).collect();
        for cut in global.iter() {
            // A set of simultaneous actions falls apart into one moment in each component.
            let local = project(&cut.trace, &discrete, &pool).unwrap();
            prop_assert!(all.contains(&plain(&local)));
            prop_assert_eq!(local.len(), cut.trace.len());
        }
    }
}
