//! Searches as graphs.

use otus_analysis::explore::explore;
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{self, Outcome};
use otus_analysis::{Config, Verdict};
use otus_core::Lowered;
use otus_draw::check::flaws;
use otus_draw::layout::search::{Options, search};
use otus_draw::layout::sequence;
use otus_draw::{Scene, Theme, svg};
use otus_syntax::ast::Section;
use otus_syntax::{Source, parse_spec, parse_trace};
use otus_testkit::read::{Language, read};
use otus_testkit::small_scope::{Scope, random_trace};
use otus_trace::MultiTrace;

use crate::common::for_random_interactions;
use crate::show::show;
use crate::term::FIGURE_2;

/// 003, section 5.1: the criterion that the paper proposes.
const PROPOSED: &str = "analysis_kind = simulate[before = true, loop max depth, act max num, reset = true, multiply = false]";

fn config(options: &str) -> Config {
    let tree = parse_spec(&Source::new("x.hcf", format!("@analyze_option{{{options}}}"))).tree;
    let mut config = Config::default();
    for section in &tree.sections {
        let Section::Options(section) = section else { panic!("only options") };
        config.apply(section);
    }
    config
}

struct Analysis {
    lowered: Lowered,
    trace: MultiTrace,
    graph: Graph,
    outcome: Outcome,
}

impl Analysis {
    fn context(&self) -> Context<'_> {
        let positions = &self.outcome.positions;
        Context { pool: &self.lowered.pool, positions, trace: Some(&self.trace) }
    }

    fn draw(&self, max_nodes: usize) -> Scene {
        let verdict = Some(self.outcome.verdict);
        let options = Options { max_nodes, verdict, ..Options::default() };
        search(&self.context(), &self.graph, &options)
    }
}

fn analysis(model: &str, trace: &str, options: &str) -> Analysis {
    let (mut lowered, diagnostics) = read(Language::Interaction, model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let tree = parse_trace(&Source::new("trace", trace)).tree;
    let (trace, found) = otus_trace::lower(&tree, &mut lowered.pool);
    assert!(found.is_empty(), "{found:?}");
    let mut graph = Graph::default();
    let term = lowered.term.expect("an interaction");
    let outcome = graph::analyze(&mut lowered.pool, term, &trace, &config(options), &mut graph)
        .expect("the kind fits");
    Analysis { lowered, trace, graph, outcome }
}

fn exploration(model: &str, options: &str, max_nodes: usize) -> Scene {
    let (mut lowered, diagnostics) = read(Language::Interaction, model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let term = lowered.term.expect("an interaction");
    let mut graph = Graph::default();
    let (_, positions) = explore(&mut lowered.pool, term, &config(options), &mut graph);
    let context = Context { pool: &lowered.pool, positions: &positions, trace: None };
    search(&context, &graph, &Options { max_nodes, ..Options::default() })
}

#[test]
fn an_exploration_of_2020() {
    let model = "seq(loop_seq(seq(a -- m1 -> b, alt(b -- m2 -> c, o), b -- m3 ->|)), par(a -- m1 ->|, c -- m4 -> a))";
    let options =
        "strategy = DFS; pre_filters = [max_depth = 3, max_loop_depth = 1, max_node_number = 12]";
    let scene = exploration(model, options, 200);
    assert_eq!(flaws(&scene), []);
    show("explore", &scene);
    insta::assert_snapshot!("search_explore_2020", svg(&scene, Theme::Light));
}

#[test]
fn an_exploration_that_meets_nodes_again() {
    let scene = exploration("par(a -- m -> b, c -- n -> d, loopS(e!k))", "memoize = true", 200);
    assert_eq!(flaws(&scene), []);
    show("explore-again", &scene);
}

/// The four steps of the running example, as diagrams.
#[test]
fn figure_4() {
    let (mut lowered, _) = read(Language::Interaction, FIGURE_2);
    let term = lowered.term.expect("an interaction");
    let mut graph = Graph::default();
    let options = config("filters = [max_depth = 1]");
    let (_, positions) = explore(&mut lowered.pool, term, &options, &mut graph);
    let pool = &lowered.pool;
    let diagram = |term| {
        let options = sequence::Options { compact: true, ..sequence::Options::default() };
        sequence::sequence(&otus_core::raise(pool, term), pool.signature(), &options)
    };
    let context = Context { pool, positions: &positions, trace: None };
    let options = Options { term: Some(&diagram), ..Options::default() };
    let scene = search(&context, &graph, &options);
    assert_eq!(flaws(&scene), []);
    for edge in ["l1!m1@1111", "l1!m2@12111", "l2!m3@12121", "l3!m4@2111"] {
        assert!(scene.texts().any(|text| text == edge), "{edge}");
    }
    show("explore-4", &scene);
}

#[test]
fn figure_7() {
    let analysis = analysis(FIGURE_2, "[l1,l2] l2?m4; [l3] l3?m1", PROPOSED);
    assert_eq!(analysis.outcome.verdict, Verdict::WeakPass);
    let scene = analysis.draw(14);
    assert_eq!(flaws(&scene), []);
    show("analyze-7", &scene);
    insta::assert_snapshot!("search_figure_7", svg(&scene, Theme::Light));
}

/// Nodes that show interactions as diagrams.
#[test]
fn figure_8_with_diagrams() {
    let model = "seq(loopW(l1 -- m1 -> l2), l1 -- m2 -> l2)";
    let analysis = analysis(model, "[l1] l1!m1; [l2] l2?m2", PROPOSED);
    let pool = &analysis.lowered.pool;
    let diagram = |term| {
        let options = sequence::Options { compact: true, ..sequence::Options::default() };
        sequence::sequence(&otus_core::raise(pool, term), pool.signature(), &options)
    };
    let options = Options {
        max_nodes: 12,
        verdict: Some(analysis.outcome.verdict),
        term: Some(&diagram),
        ..Options::default()
    };
    let scene = search(&analysis.context(), &analysis.graph, &options);
    assert_eq!(flaws(&scene), []);
    show("analyze-8-diagrams", &scene);
}

#[test]
fn figure_8() {
    let model = "seq(loopW(l1 -- m1 -> l2), l1 -- m2 -> l2)";
    let analysis = analysis(model, "[l1] l1!m1; [l2] l2?m2", PROPOSED);
    let scene = analysis.draw(200);
    assert_eq!(flaws(&scene), []);
    show("analyze-8", &scene);
}

#[test]
fn the_figures_of_slices_have_no_flaws() {
    for (model, trace) in [
        ("seq(loopW(l1 -- m1 -> l2), l2 -- m2 -> l1)", "[l1] l1!m1.l1?m2; [l2] l2?m1.l2?m1.l2!m2"),
        ("loopW(l1 -- m1 -> l2)", "[l2] l2?m1.l2?m1"),
        (
            "seq(loopW(alt(l1 -- m1 -> l2, loopW(l3 -- m2 ->|))), l3 -- m3 ->|)",
            "[l3] l3!m3; [l2] l2?m1",
        ),
        ("loopP(seq(l!m1, l?m2))", "[l] l?m2.l?m2.l?m2"),
        ("loopW(l1 -- m -> l2)", "[l1,l2] l2?m.l2?m"),
        (FIGURE_2, "[l1,l2] l1!m1.l2?m1.l2?m4; [l3] l3?m1.l3!m4"),
    ] {
        for options in
            [PROPOSED, "analysis_kind = prefix", "analysis_kind = accept; memoize = true"]
        {
            for max_nodes in [4, 30, 200] {
                let scene = analysis(model, trace, options).draw(max_nodes);
                assert_eq!(flaws(&scene), [], "{model} {trace} {options} {max_nodes}");
            }
        }
    }
}

#[test]
fn a_failure_shows_how_far_it_came() {
    let analysis =
        analysis(FIGURE_2, "[l1,l2] l1!m1.l2?m4.l2?m4; [l3] l3?m1.l3!m4", "analysis_kind = prefix");
    assert_eq!(analysis.outcome.verdict, Verdict::Fail);
    let scene = analysis.draw(200);
    assert_eq!(flaws(&scene), []);
    show("analyze-fail", &scene);
    let text = svg(&scene, Theme::Light);
    assert!(text.contains("✗ Fail") && text.contains("✗ LackObs"), "{text}");
}

#[test]
fn random_explorations_have_no_flaws() {
    let mut random = fastrand::Rng::with_seed(3);
    for_random_interactions(200, |pool, term| {
        let memoize = random.bool();
        let options =
            format!("filters = [max_depth = 4, max_node_number = 60]; memoize = {memoize}");
        let mut graph = Graph::default();
        let (_, positions) = explore(pool, term, &config(&options), &mut graph);
        let context = Context { pool, positions: &positions, trace: None };
        let max_nodes = random.usize(1..40);
        let scene = search(&context, &graph, &Options { max_nodes, ..Options::default() });
        assert_eq!(flaws(&scene), [], "{}", pool.text(term));
    });
}

/// Traces of random terms with some of their actions missing, analysed in every way.
#[test]
fn random_analyses_have_no_flaws() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut verdicts = std::collections::BTreeSet::new();
    for round in 0..250 {
        let mut scope = Scope::new(3, 2, true);
        let term = scope.random_term(&mut random, 5);
        let events = random_trace(&mut random, &scope.pool, term, 2);
        let mut components = ["[a] ", "[b] ", "[c] "].map(str::to_owned);
        for event in events {
            for &action in scope.pool.event_actions(event) {
                if random.u8(..8) > 0 {
                    let action = scope.pool.action(action);
                    let component = &mut components[action.lifeline.0 as usize];
                    let dot = if component.ends_with(' ') { "" } else { "." };
                    component.push_str(dot);
                    component.push_str(&action.text(scope.pool.signature()));
                }
            }
        }
        let tree = parse_trace(&Source::new("trace", components.join(";"))).tree;
        let (trace, found) = otus_trace::lower(&tree, &mut scope.pool);
        assert!(found.is_empty(), "{found:?}");
        let kind = ["accept", "prefix", "eliminate", "simulate"][round % 4];
        let (memoize, max_nodes) = (random.bool(), random.usize(1..60));
        let options = format!(
            "analysis_kind = {kind}; memoize = {memoize}; filters = [max_node_number = 80]"
        );
        let mut graph = Graph::default();
        let outcome = graph::analyze(&mut scope.pool, term, &trace, &config(&options), &mut graph)
            .expect("every lifeline has its component");
        verdicts.insert(outcome.verdict);
        let context =
            Context { pool: &scope.pool, positions: &outcome.positions, trace: Some(&trace) };
        let options = Options { max_nodes, verdict: Some(outcome.verdict), ..Options::default() };
        let scene = search(&context, &graph, &options);
        assert_eq!(flaws(&scene), [], "{} {components:?}", scope.pool.text(term));
    }
    assert!(verdicts.len() >= 4, "{verdicts:?}");
}

#[test]
fn a_large_search_is_drawn_around_its_verdict() {
    let model = "par(loop_seq(a -- m -> b), loop_seq(a -- m -> c), loop_seq(a -- m -> d))";
    let sends = ["a!m"; 9].join(".");
    let trace = format!("[a] {sends}; [b]; [c] c?m.c?m.c?m.c?m; [d] d?m.d?m.d?m.d?m");
    let options =
        "analysis_kind = accept; strategy = BFS; goal = none; filters = [max_node_number = 10000]";
    let analysis = analysis(model, &trace, options);
    assert_eq!(analysis.graph.nodes.len(), 10_000);
    let scene = analysis.draw(200);
    assert_eq!(flaws(&scene), []);
    let text = svg(&scene, Theme::Light);
    assert!(text.contains("showing 200 of 10,000 nodes, around the verdict"));
    assert!(text.contains("? Inconclusive"));
    show("analyze-large", &analysis.draw(40));
    // The whole search is too large to read, but it can be drawn.
    let scene = analysis.draw(10_000);
    assert!(scene.items.len() > 50_000, "{}", scene.items.len());
}

#[test]
fn of_a_long_path_the_ends_are_drawn() {
    let trace = format!("[a] {}", vec!["a!m"; 3_000].join("."));
    let analysis = analysis("loopS(a!m)", &trace, "analysis_kind = accept");
    assert_eq!(analysis.outcome.verdict, Verdict::Pass);
    let scene = analysis.draw(12);
    assert_eq!(flaws(&scene), []);
    let text = svg(&scene, Theme::Light);
    assert!(text.contains("… 2,989 steps, 2,989 nodes") && text.contains("✓ Pass"), "{text}");
    show("analyze-long", &scene);
}
