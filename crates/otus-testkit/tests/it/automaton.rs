//! The automata of terms compared with the denotational semantics, on [`samples`].

use std::collections::{BTreeMap, BTreeSet};

use otus_core::automaton::normalize::Normalizer;
use otus_core::automaton::{
    Automaton, AutomatonLimits, StateId, build, determinize, dot, equivalent, json, minimize,
};
use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_testkit::corpus;
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Trace, Traces};
use otus_testkit::read::{Language, read};
use otus_testkit::small_scope::Scope;

use crate::samples::{Sample, samples};

const BUDGET: usize = 200_000;
/// Small enough that many terms are cut, large enough that most are not.
const LIMITS: AutomatonLimits = AutomatonLimits { states: 60, work: 10_000 };

/// The words of at most `length` letters that an automaton accepts.
fn words(automaton: &Automaton, length: usize) -> Traces {
    let mut all = Traces::new();
    let mut now: BTreeMap<Trace, BTreeSet<StateId>> =
        BTreeMap::from([(Vec::new(), BTreeSet::from([Automaton::INITIAL]))]);
    for _ in 0..=length {
        let mut next: BTreeMap<Trace, BTreeSet<StateId>> = BTreeMap::new();
        for (word, states) in now {
            for &state in &states {
                for transition in automaton.transitions_from(state) {
                    let event = automaton.alphabet()[transition.symbol];
                    let longer = [word.as_slice(), &[event]].concat();
                    next.entry(longer).or_default().insert(transition.to);
                }
            }
            if states.iter().any(|&state| automaton.states()[state].accepting) {
                all.insert(word);
            }
        }
        now = next;
    }
    all
}

/// The number of classes of states that accept the same words, by Moore's algorithm, which is independent of Hopcroft's. Each cut
/// state is a class of its own.
fn distinct_states(automaton: &Automaton) -> usize {
    let states = automaton.states();
    let mut classes: Vec<usize> = states
        .iter_with_ids()
        .map(|(id, state)| if state.cut { id.index() + 2 } else { usize::from(state.accepting) })
        .collect();
    let mut count = 0;
    loop {
        let mut numbers = BTreeMap::new();
        let next: Vec<usize> = states
            .ids()
            .map(|id| {
                let moves: BTreeSet<_> = automaton
                    .transitions_from(id)
                    .iter()
                    .map(|each| (each.symbol, classes[each.to.index()]))
                    .collect();
                let new = numbers.len();
                *numbers.entry((classes[id.index()], moves)).or_insert(new)
            })
            .collect();
        if numbers.len() == count {
            return count;
        }
        count = numbers.len();
        classes = next;
    }
}

/// Checks the invariants that the module documents for every automaton.
#[track_caller]
fn check_form(automaton: &Automaton, context: &str) {
    let transitions = automaton.transitions();
    assert!(transitions.is_sorted(), "{context}");
    assert!(transitions.windows(2).all(|pair| pair[0] != pair[1]), "{context}");
    let used: BTreeSet<_> = transitions.iter().map(|each| each.symbol).collect();
    assert_eq!(used.len(), automaton.alphabet().len(), "{context}");
    let mut seen = vec![Automaton::INITIAL];
    let mut at = 0;
    while let Some(&state) = seen.get(at) {
        for transition in automaton.transitions_from(state) {
            if !seen.contains(&transition.to) {
                seen.push(transition.to);
            }
        }
        at += 1;
    }
    assert_eq!(seen, automaton.states().ids().collect::<Vec<_>>(), "breadth first: {context}");
    let edges: usize = automaton.edges().iter().map(|edge| edge.symbols.len()).sum();
    assert_eq!(edges, transitions.len(), "{context}");
}

#[test]
fn normal_forms_have_the_same_traces() {
    let mut compared = 0;
    for Sample { mut scope, terms, length, .. } in samples(1000, 3..9) {
        let mut normalizer = Normalizer::default();
        let normal: Vec<TermId> =
            terms.iter().map(|&term| normalizer.normal(&mut scope.pool, term)).collect();
        let mut sets = TraceSets::new(&scope.pool, BUDGET);
        for (&term, &normal) in terms.iter().zip(&normal) {
            let (Some(own), Some(other)) = (sets.traces(term, length), sets.traces(normal, length))
            else {
                continue;
            };
            let pool = &scope.pool;
            assert!(own == other, "{} became {}", pool.text(term), pool.text(normal));
            assert!(pool.attributes(normal).nodes <= pool.attributes(term).nodes);
            compared += 1;
        }
        for &normal in &normal {
            assert_eq!(normalizer.normal(&mut scope.pool, normal), normal);
        }
    }
    assert!(compared > 5_000, "{compared}");
}

/// A loop may absorb its neighbour, and an alternative an operand that the other includes. Terms of small scopes are too small for
/// two loops or alternatives over two events each, so such terms are made here.
#[test]
fn inclusion_and_absorption_keep_the_traces() {
    let mut scope = Scope::new(2, 1, false);
    let regions = scope.regions.clone();
    let leaves: Vec<TermId> =
        scope.events.iter().map(|&event| scope.pool.event(event)).take(3).collect();
    let mut terms = Vec::new();
    let pool = &mut scope.pool;
    for (&first, &second) in leaves.iter().flat_map(|x| leaves.iter().map(move |y| (x, y))) {
        // The term with the most traces has the smallest id, so it is compared first.
        for body in [pool.par(first, second), pool.seq(first, second), pool.strict(first, second)] {
            let more = pool.alt(body, leaves[0]);
            let all_loops = |pool: &mut Pool, body| {
                let mut all: Vec<TermId> =
                    regions.iter().map(|&region| pool.loop_c(region, body)).collect();
                all.push(pool.loop_s(body));
                all
            };
            // The same two events in another order, as an alternative and beside a loop of them.
            let either = pool.alt(first, second);
            let mut orders = vec![pool.strict(first, second)];
            orders.extend(regions.iter().map(|&region| pool.coreg(region, first, second)));
            for other in orders {
                terms.push(pool.alt(body, other));
                let maybe = pool.alt(Pool::EMPTY, other);
                for repeated in all_loops(pool, either) {
                    terms.push(pool.strict(maybe, repeated));
                    terms.extend(regions.iter().map(|&region| pool.coreg(region, maybe, repeated)));
                }
            }
            let few = all_loops(pool, body);
            let many = [all_loops(pool, body), all_loops(pool, more)].concat();
            for (&x, &y) in few.iter().flat_map(|x| many.iter().map(move |y| (x, y))) {
                for (x, y) in [(x, y), (y, x)] {
                    terms.push(pool.strict(x, y));
                    terms.push(pool.alt(x, y));
                    terms.extend(regions.iter().map(|&region| pool.coreg(region, x, y)));
                }
            }
        }
    }
    let mut normalizer = Normalizer::default();
    let normal: Vec<TermId> =
        terms.iter().map(|&term| normalizer.normal(&mut scope.pool, term)).collect();
    let mut sets = TraceSets::new(&scope.pool, BUDGET);
    for (&term, &normal) in terms.iter().zip(&normal) {
        let own = sets.traces(term, 4).unwrap();
        let pool = &scope.pool;
        assert!(
            own == sets.traces(normal, 4).unwrap(),
            "{} became {}",
            pool.text(term),
            pool.text(normal)
        );
    }
    let shorter = |(x, y): &(&TermId, &TermId)| {
        scope.pool.attributes(**y).loops < scope.pool.attributes(**x).loops
    };
    let absorbed = terms.iter().zip(&normal).filter(shorter).count();
    assert!(absorbed > 1_000 && absorbed < terms.len(), "{absorbed} of {}", terms.len());
}

#[test]
fn the_words_are_the_traces() {
    let (mut complete, mut cut, mut too_large) = (0, 0, 0);
    for Sample { mut scope, terms, length, .. } in samples(1000, 3..9) {
        let built: Vec<Automaton> =
            terms.iter().map(|&term| build(&mut scope.pool, term, LIMITS)).collect();
        let mut sets = TraceSets::new(&scope.pool, BUDGET);
        for (&term, any) in terms.iter().zip(&built) {
            let context = scope.pool.text(term);
            let one = determinize(any, LIMITS);
            let least = minimize(&one);
            let fewer = minimize(any);
            for automaton in [any, &one, &least, &fewer] {
                check_form(automaton, &context);
                assert!(automaton.len() <= LIMITS.states);
            }
            assert!(one.is_deterministic() && least.is_deterministic(), "{context}");
            assert!(least.len() <= one.len() && fewer.len() <= any.len(), "{context}");
            assert_eq!(least.is_complete(), one.is_complete(), "{context}");
            assert_eq!(distinct_states(&least), least.len(), "least: {context}");
            assert_eq!(distinct_states(&fewer), fewer.len(), "bisimulation: {context}");
            assert_eq!(minimize(&least), least, "{context}");
            if let (true, Some(expected)) = (one.is_complete(), equivalent(&one, &least)) {
                assert!(expected, "{context}");
            }
            let Some(traces) = sets.traces(term, length) else {
                too_large += 1;
                continue;
            };
            for automaton in [any, &one, &least, &fewer] {
                let words = words(automaton, length);
                if automaton.is_complete() {
                    assert!(words == *traces, "{context}");
                    complete += 1;
                } else {
                    assert!(words.is_subset(&traces), "{context}");
                    for trace in traces.iter() {
                        assert_ne!(automaton.accepts(trace), Some(false), "{context}");
                    }
                    cut += 1;
                }
            }
        }
    }
    println!("{complete} complete, {cut} cut, {too_large} too large");
    assert!(complete > 15_000 && cut > 500 && too_large < 500, "{complete} {cut} {too_large}");
}

#[test]
fn equivalent_terms_have_equivalent_minimal_automata() {
    // Sets of traces that differ up to the length differ; equal complete automata have equal sets.
    let mut scope = Scope::new(2, 1, false);
    let terms = scope.terms(4).concat();
    let terms = scope.up_to_renaming(&terms);
    let mut by_traces: BTreeMap<Traces, Vec<usize>> = BTreeMap::new();
    let least: Vec<Automaton> = terms
        .iter()
        .map(|&term| {
            let any = build(&mut scope.pool, term, LIMITS);
            minimize(&determinize(&any, LIMITS))
        })
        .collect();
    let mut sets = TraceSets::new(&scope.pool, BUDGET);
    for (i, &term) in terms.iter().enumerate() {
        if let Some(traces) = sets.traces(term, 6) {
            by_traces.entry((*traces).clone()).or_default().push(i);
        }
    }
    let mut equal = 0;
    let mut firsts: Vec<usize> = Vec::new();
    for members in by_traces.values() {
        // A term of four nodes has at most two loops, so traces of 6 events distinguish them.
        let complete: Vec<usize> =
            members.iter().copied().filter(|&i| least[i].is_complete()).collect();
        for &other in complete.iter().skip(1) {
            let first = complete[0];
            let context = || {
                format!("{} and {}", scope.pool.text(terms[first]), scope.pool.text(terms[other]))
            };
            assert_eq!(equivalent(&least[first], &least[other]), Some(true), "{}", context());
            equal += 1;
        }
        firsts.extend(complete.first());
    }
    for pair in firsts.windows(2) {
        assert_eq!(equivalent(&least[pair[0]], &least[pair[1]]), Some(false));
    }
    assert!(equal > 100 && firsts.len() > 100, "{equal} {}", firsts.len());
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let text = "loopS(alt(par(a -- m -> b, b -- n -> a), c -- <synch> m -> a, loopP(a!n)))";
    let once = || {
        let (mut lowered, _) = read(Language::Interaction, text);
        let term = lowered.term.unwrap();
        let any = build(&mut lowered.pool, term, AutomatonLimits::default());
        let least = minimize(&determinize(&any, AutomatonLimits::default()));
        [&any, &least].map(|each| dot(each, &lowered.pool) + &json(each, &lowered.pool))
    };
    assert_eq!(once(), once());
}

#[test]
fn json_is_json() {
    let (mut lowered, _) =
        read(Language::Interaction, r#"strict("a\"\\b"!m, c -- <synch> n -> d)"#);
    let term = lowered.term.unwrap();
    let any = build(&mut lowered.pool, term, AutomatonLimits::default());
    let value: serde_json::Value = serde_json::from_str(&json(&any, &lowered.pool)).unwrap();
    assert_eq!(value["complete"], true);
    assert_eq!(value["alphabet"], serde_json::json!([r#"a"\b!m"#, "{c!n, d?n}"]));
    assert_eq!(value["transitions"], serde_json::json!([[0, 0, 1], [1, 1, 2]]));
    assert_eq!(value["states"][2]["accepting"], true);
}

#[test]
fn models_of_the_corpus_have_automata_within_the_limits() {
    let Some(models) = corpus::models() else {
        println!("{}", corpus::MISSING);
        return;
    };
    let limits = AutomatonLimits { states: 300, work: 100_000 };
    let mut complete = 0;
    for corpus::Model { name, mut pool, term, .. } in models {
        let automaton = build(&mut pool, term, limits);
        check_form(&automaton, &name);
        let least = minimize(&determinize(&automaton, limits));
        check_form(&least, &name);
        complete += usize::from(least.is_complete());
        println!("{name}: {}, {}, {}", automaton.len(), least.len(), least.is_complete());
    }
    println!("{complete} complete");
}

#[test]
fn large_terms_meet_the_limits_and_nothing_else() {
    let (wide, deep) = (200, 20_000);
    let texts = [
        format!("par({})", (0..wide).map(|i| format!("a{i}!m")).collect::<Vec<_>>().join(",")),
        format!("alt({})", (0..wide).map(|i| format!("a{i}!m")).collect::<Vec<_>>().join(",")),
        format!("{}a!m{}", "strict(b!m, ".repeat(deep), ")".repeat(deep)),
        format!("{}a!m{}", "loopS(".repeat(deep), ")".repeat(deep)),
        format!("{}a!m{}", "loopW(seq(b!m, ".repeat(deep), "))".repeat(deep)),
        format!("{}a!m{}", "alt(b!m, seq(c!m, ".repeat(deep), "))".repeat(deep)),
        format!("{}a!m{}", "seq(".repeat(deep), ", b!m)".repeat(deep)),
    ];
    let limits = AutomatonLimits { states: 50, work: 100_000 };
    for text in texts {
        let (mut lowered, _) = read(Language::Interaction, &text);
        let term = lowered.term.unwrap();
        let any = build(&mut lowered.pool, term, limits);
        assert!(any.len() <= limits.states && any.transitions().len() <= limits.work);
        let least = minimize(&determinize(&any, limits));
        assert!(least.len() <= limits.states, "{}", &text[..20]);
        let _ = dot(&least, &lowered.pool);
    }
}

#[test]
fn a_limit_of_nothing_leaves_the_initial_state() {
    let (mut lowered, _) = read(Language::Interaction, "alt(o, a!m)");
    let term = lowered.term.unwrap();
    let none = AutomatonLimits { states: 0, work: 0 };
    let any = build(&mut lowered.pool, term, none);
    let least = minimize(&determinize(&any, none));
    for automaton in [&any, &least] {
        assert_eq!((automaton.len(), automaton.is_complete()), (1, false));
        assert_eq!(automaton.accepts(&[]), Some(true));
    }
    let full = build(&mut lowered.pool, term, AutomatonLimits::default());
    let event = full.alphabet().as_slice()[0];
    assert_eq!((any.accepts(&[event]), full.accepts(&[event])), (None, Some(true)));
    assert_eq!(full.accepts(&[event, event]), Some(false));
}
