//! Terms as trees.

use otus_core::semantics::Frontiers;
use otus_core::{Lowered, Pool, TermId};
use otus_draw::check::flaws;
use otus_draw::layout::term::{Marks, Options, step, term};
use otus_draw::{Scene, Theme, svg};
use otus_testkit::read::{Language, read};

use crate::common::for_random_interactions;
use crate::show::show;

/// 003, Fig. 2.
pub(crate) const FIGURE_2: &str = "seq(
    coreg(l2)(alt(l1 -- m1 -> (l2,l3), o), loopW(alt(l1 -- m2 -> l2, l2 -- m3 -> l3))),
    loopP(seq(l3 -- m4 -> l2, l2 -- m5 -> l3)))";

fn lowered(text: &str) -> (Lowered, TermId) {
    let (lowered, diagnostics) = read(Language::Interaction, text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let term = lowered.term.expect("an interaction");
    (lowered, term)
}

/// The step of an action, by its name.
fn marks(lowered: &mut Lowered, root: TermId, action: &str) -> Marks {
    let mut frontiers = Frontiers::default();
    for now in frontiers.steps(&mut lowered.pool, root).iter() {
        let event = lowered.pool.event(now.event);
        if lowered.pool.text(event) == action {
            let position: Vec<u8> = frontiers.positions.letters(now.position).collect();
            return step(&lowered.pool, root, &position).expect("a step");
        }
    }
    panic!("{action} cannot happen");
}

#[test]
fn figure_2b_with_positions() {
    let (lowered, root) = lowered(FIGURE_2);
    let scene = term(&lowered.pool, root, &Options { positions: true, ..Options::default() });
    assert_eq!(flaws(&scene), []);
    show("term-2b", &scene);
    insta::assert_snapshot!("term_figure_2b", svg(&scene, Theme::Light));
}

#[test]
fn figure_3_what_a_step_prunes() {
    let (mut lowered, root) = lowered(FIGURE_2);
    let marks = marks(&mut lowered, root, "l3!m4");
    let options = Options { positions: true, marks: Some(&marks), ..Options::default() };
    let scene = term(&lowered.pool, root, &options);
    assert_eq!(flaws(&scene), []);
    show("term-3", &scene);
    insta::assert_snapshot!("term_figure_3", svg(&scene, Theme::Light));
}

#[test]
fn passings_are_one_node_if_wished() {
    let (lowered, root) = lowered(FIGURE_2);
    let options = Options { fold_passings: true, ..Options::default() };
    let scene = term(&lowered.pool, root, &options);
    assert_eq!(flaws(&scene), []);
    show("term-folded", &scene);
    let text = svg(&scene, Theme::Light);
    assert!(text.contains("l1 -- m1 -&gt; (l2, l3)") && !text.contains(">l1!m1<"), "{text}");
}

/// The tones of all nodes as `text:tone`, in the order in which they are drawn.
#[track_caller]
fn check(text: &str, action: &str, expected: &str) {
    let (mut lowered, root) = lowered(text);
    let marks = marks(&mut lowered, root, action);
    let options = Options { marks: Some(&marks), ..Options::default() };
    assert_eq!(tones(&term(&lowered.pool, root, &options)), expected);
}

fn tones(scene: &Scene) -> String {
    use otus_draw::scene::{Role, Shape, Tone};
    let said = scene.items.iter().filter_map(|item| {
        let Shape::Label(label) = &item.shape else { return None };
        let marked = item.role == Role::Node && item.tone != Tone::Normal;
        marked.then(|| format!("{}:{}", label.text, item.tone.name()))
    });
    said.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_step_marks_what_it_takes_away() {
    check("a!m", "a!m", "a!m:active");
    check("seq(a!m, b!m)", "a!m", "seq:assumed a!m:active");
    check("seq(a!m, b!m)", "b!m", "seq:assumed b!m:active");
    check("alt(a!m, b!m)", "b!m", "alt:assumed a!m:faded b!m:active");
    check("strict(loopS(a!m), b!m)", "b!m", "strict:assumed loopS:faded b!m:active a!m:faded");
    check("seq(loopW(a!m), a!n)", "a!n", "seq:assumed loopW:faded a!n:active a!m:faded");
    check(
        "seq(alt(a!m, b!m), a -- n -> c)",
        "a!n",
        "alt:assumed strict:assumed a!m:faded a!n:active",
    );
    // A loop is still there after an iteration of it began.
    check("loopS(alt(a!m, b!m))", "a!m", "a!m:active");
    check("coreg(a)(alt(a!m, b!m), a!n)", "a!n", "coreg{a}:assumed a!n:active");
}

/// Outside loops, the unmarked parts of a step are the term after it.
#[test]
fn marks_agree_with_the_semantics() {
    use otus_core::Term;
    use otus_draw::scene::{Role, Shape, Tone};
    let actions = |pool: &Pool, root: TermId| {
        let (mut count, mut pending) = (0, vec![root]);
        while let Some(term) = pending.pop() {
            count += usize::from(matches!(pool.node(term), Term::Event(_)));
            pending.extend(pool.node(term).operands());
        }
        count
    };
    let mut looked_at = 0;
    for_random_interactions(400, |pool, root| {
        let mut frontiers = Frontiers::default();
        for now in frontiers.steps(pool, root).iter().filter(|now| now.loop_depth == 0) {
            let position: Vec<u8> = frontiers.positions.letters(now.position).collect();
            let marks = step(pool, root, &position).expect("the step is there");
            let scene = term(pool, root, &Options { marks: Some(&marks), ..Options::default() });
            let left = scene.items.iter().filter(|item| {
                let Shape::Label(label) = &item.shape else { return false };
                let is_action = item.role == Role::Node && label.text.contains(['!', '?']);
                is_action && !matches!(item.tone, Tone::Faded | Tone::Active)
            });
            let expected = actions(pool, now.follow_up);
            assert_eq!(left.count(), expected, "{} at {position:?}", pool.text(root));
            looked_at += 1;
        }
    });
    assert!(looked_at > 300, "{looked_at}");
}

#[test]
fn nothing_happens_where_nothing_can() {
    let (lowered, root) = lowered("strict(a!m, b!m)");
    assert!(step(&lowered.pool, root, &[2]).is_none());
    assert!(step(&lowered.pool, root, &[]).is_none());
    assert!(step(&lowered.pool, root, &[1, 1]).is_none());
    assert!(step(&lowered.pool, root, &[1]).is_some());
}

#[test]
fn random_terms_have_no_flaws() {
    for_random_interactions(300, |pool, root| {
        for (positions, fold_passings) in [(false, true), (true, false)] {
            let mut frontiers = Frontiers::default();
            let steps = frontiers.steps(pool, root);
            let marks: Vec<Option<Marks>> = steps
                .iter()
                .map(|now| {
                    let position: Vec<u8> = frontiers.positions.letters(now.position).collect();
                    Some(step(pool, root, &position).expect("the step is there"))
                })
                .chain([None])
                .collect();
            for marks in &marks {
                let options = Options {
                    positions,
                    fold_passings,
                    marks: marks.as_ref(),
                    ..Options::default()
                };
                let scene = term(pool, root, &options);
                assert_eq!(flaws(&scene), [], "{}", pool.text(root));
            }
        }
    });
}

#[test]
fn large_terms_are_cut_and_say_so() {
    let depth = 20_000;
    let text = format!("{}a!m{}", "seq(b!m, ".repeat(depth), ")".repeat(depth));
    let (mut lowered, root) = lowered(&text);
    let mut shared = root;
    for _ in 0..70 {
        shared = lowered.pool.par(shared, shared);
    }
    for root in [root, shared] {
        let scene = term(&lowered.pool, root, &Options { max_nodes: 60, ..Options::default() });
        assert_eq!(flaws(&scene), []);
        assert!(svg(&scene, Theme::Light).contains("… "));
        let nodes = scene.items.iter().filter(|item| item.key.is_some()).count();
        assert!((30..=60).contains(&nodes), "{nodes}");
    }
}
