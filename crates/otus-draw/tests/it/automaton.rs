//! Automata as graphs.

use otus_core::automaton::{Automaton, AutomatonLimits, build, determinize, minimize};
use otus_core::{Pool, TermId};
use otus_draw::check::flaws;
use otus_draw::layout::automaton::{Options, automaton};
use otus_draw::layout::layered::Direction;
use otus_draw::{Scene, Theme, svg};
use otus_testkit::read::{Language, read};

use crate::common::for_random_interactions;
use crate::show::show;

fn least(pool: &mut Pool, term: TermId, states: usize) -> Automaton {
    let limits = AutomatonLimits { states, ..AutomatonLimits::default() };
    minimize(&determinize(&build(pool, term, limits), limits))
}

fn drawn(text: &str, states: usize, options: &Options) -> Scene {
    let (mut lowered, diagnostics) = read(Language::Interaction, text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let term = lowered.term.expect("an interaction");
    let machine = least(&mut lowered.pool, term, states);
    let scene = automaton(&lowered.pool, &machine, options);
    assert_eq!(flaws(&scene), []);
    scene
}

#[test]
fn a_loop_of_choices() {
    let text = "strict(loopS(alt(a -- m -> b, a -- n -> b, strict(a!x, a!x), c!z)), opt_end!stop)";
    let scene = drawn(text, 100, &Options::default());
    show("automaton-loop", &scene);
    insta::assert_snapshot!("automaton_loop", svg(&scene, Theme::Light));
}

#[test]
fn loops_at_states() {
    let text = "seq(loopS(a!m), strict(alt(b!go, c!go), alt(loopS(alt(a!x, b!y, c!z)), o)))";
    show("automaton-self", &drawn(text, 100, &Options::default()));
    let down = Options { direction: Direction::Down, ..Options::default() };
    show("automaton-self-down", &drawn(text, 100, &down));
}

#[test]
fn interleavings() {
    let text = "par(a -- m -> b, c -- n -> d)";
    show("automaton-par", &drawn(text, 100, &Options::default()));
}

#[test]
fn what_is_cut_is_shown_as_cut() {
    let text = "loopW(seq(a!m, b!m))";
    let scene = drawn(text, 8, &Options::default());
    show("automaton-cut", &scene);
    assert!(scene.texts().any(|text| text.starts_with('…')));
    assert!(scene.description.contains("It is cut"));
}

#[test]
fn large_automata_are_drawn_up_to_a_number() {
    let text = "par(a -- m -> b, c -- n -> d, e -- k -> f, g -- l -> h)";
    let options = Options { max_states: 30, ..Options::default() };
    let scene = drawn(text, 1_000, &options);
    show("automaton-large", &scene);
    assert!(scene.texts().any(|text| text == "showing 30 of 81 states, nearest to the first"));
    drawn(text, 1_000, &Options::default());
}

#[test]
fn random_automata_have_no_flaws() {
    let mut random = fastrand::Rng::with_seed(5);
    for_random_interactions(300, |pool, term| {
        let machine = if random.bool() {
            least(pool, term, 60)
        } else {
            build(pool, term, AutomatonLimits { states: 60, ..AutomatonLimits::default() })
        };
        let direction = if random.bool() { Direction::Down } else { Direction::Right };
        let options = Options { max_states: 40, direction };
        let scene = automaton(pool, &machine, &options);
        assert_eq!(flaws(&scene), [], "{}", pool.text(term));
    });
}
