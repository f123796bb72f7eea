//! Multi-traces as pictures.

use otus_analysis::Observed;
use otus_core::Pool;
use otus_draw::geometry::point;
use otus_draw::layout::multitrace::{Lane, Options, multi_trace};
use otus_draw::scene::{Item, Role, Shape, Tone};
use otus_draw::{Scene, Theme, svg};
use otus_syntax::{Source, parse_trace};
use otus_testkit::read::{Language, read};
use otus_trace::MultiTrace;

use crate::show::check;

fn observed(lifelines: &str, text: &str) -> (MultiTrace, Pool) {
    let (lowered, _) = read(Language::Interaction, lifelines);
    let mut pool = lowered.pool;
    let parsed = parse_trace(&Source::new("test", text));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut pool);
    (trace, pool)
}

/// The publish/subscribe example of the paper on lifeline removal.
fn publish_subscribe() -> (MultiTrace, Pool) {
    observed(
        "@lifeline{pub; bro; sub} @message{publish; subscribe} o",
        "[pub] pub!publish; [bro] bro?subscribe.bro?publish.bro!publish; \
         [sub] sub!subscribe.sub?publish",
    )
}

/// Fig. 1d of the paper on slices: two components, observed in part.
fn three_lifelines() -> (MultiTrace, Pool) {
    observed("@lifeline{l1; l2; l3} @message{m1; m2; m3; m4} o", "[l1, l2] l2?m4; [l3] l3?m1")
}

fn texts(scene: &Scene) -> Vec<&str> {
    let labels = scene.items.iter().filter_map(|item| match &item.shape {
        Shape::Label(label) => Some(label.text.as_str()),
        Shape::Box { .. } | Shape::Polygon(_) | Shape::Disc { .. } | Shape::Line(_) => None,
    });
    labels.collect()
}

fn subject<'s>(scene: &'s Scene, subject: &str) -> Option<&'s Item> {
    scene.items.iter().find(|item| item.subject.as_deref() == Some(subject))
}

#[test]
fn the_multi_trace_of_publish_subscribe() {
    let (trace, pool) = publish_subscribe();
    let scene = multi_trace(&trace, &pool, &Options::default());
    check("trace-publish", &scene);
    insta::assert_snapshot!("trace_publish_subscribe", svg(&scene, Theme::Auto));
}

/// The vertices 0 to 5 of Fig. 7 of the paper on slices, from the first to the last.
fn vertices() -> [[Lane; 2]; 6] {
    let lane = |before, consumed, after| Lane {
        consumed,
        simulated_before: before,
        simulated_after: after,
        removed: false,
        observed: Some(Observed::Slice),
    };
    [
        [lane(0, 0, 0), lane(0, 0, 0)],
        [lane(1, 0, 0), lane(0, 0, 0)],
        [lane(1, 0, 0), lane(0, 1, 0)],
        [lane(1, 0, 0), lane(0, 1, 1)],
        [lane(2, 0, 0), lane(0, 1, 1)],
        [lane(2, 1, 0), lane(0, 1, 1)],
    ]
}

#[test]
fn states_of_an_analysis_with_flags_and_clovers() {
    let (trace, pool) = three_lifelines();
    let mut all = Scene::new("The states of an analysis");
    let mut top = 0.0;
    for lanes in vertices() {
        let [large, small] = [false, true].map(|compact| {
            let options = Options { lanes: &lanes, compact, ..Options::default() };
            let scene = multi_trace(&trace, &pool, &options);
            assert_eq!(otus_draw::check::flaws(&scene), []);
            scene
        });
        all.place(&large, point(0.0, top));
        all.place(&small, point(500.0, top + 20.0));
        top += large.size.height;
    }
    all.fit(10.0);
    check("trace-states", &all);
    insta::assert_snapshot!("trace_states", svg(&all, Theme::Auto));
}

#[test]
fn the_bar_parts_what_is_consumed() {
    let (trace, pool) =
        observed("@lifeline{l1; l2} @message{m1; m4} o", "[l1, l2] l1!m1.l2?m1.l2?m4");
    let lanes = [Lane { consumed: 2, ..Lane::default() }];
    let scene = multi_trace(&trace, &pool, &Options { lanes: &lanes, ..Options::default() });
    check("trace-bar", &scene);
    let bars = scene.items.iter().filter(|item| item.role == Role::Cut).count();
    let shown = ["l1, l2", "⚐ 2", "l1!m1", "l2?m1", "l2?m4", "2 of 3 consumed"];
    assert_eq!((bars, texts(&scene)), (1, shown.to_vec()));
}

#[test]
fn every_kind_of_lane_side_by_side() {
    let (trace, pool) = observed(
        "@lifeline{a; b; c; d; e; f} @message{m; n} o",
        "[a, b] {a!m, b?n}.a?n.b!m; [c] c!m.c?n; [d] d!m.d?n; [e] ; [f] f!m.f!n",
    );
    let of = |observed| Lane { observed: Some(observed), ..Lane::default() };
    let lanes = [
        Lane { consumed: 1, ..of(Observed::Complete) },
        of(Observed::Unobserved),
        Lane { removed: true, consumed: 1, ..of(Observed::StopsEarly) },
        of(Observed::Slice),
        Lane { consumed: 2, ..of(Observed::StartsLate) },
    ];
    let bad = |component: otus_trace::ComponentId, index| {
        (component.0 == 0 && index == 2).then_some(Tone::Bad)
    };
    let options = Options { lanes: &lanes, tone: &bad, ..Options::default() };
    let scene = multi_trace(&trace, &pool, &options);
    check("trace-kinds", &scene);
    insta::assert_snapshot!("trace_kinds", svg(&scene, Theme::Auto));
    assert_eq!(subject(&scene, "event-0-0").unwrap().tone, Tone::Good);
    assert_eq!(subject(&scene, "event-0-2").unwrap().tone, Tone::Bad);
    assert_eq!(subject(&scene, "event-1-0").unwrap().tone, Tone::Faded);
    assert_eq!(subject(&scene, "event-2-1").unwrap().tone, Tone::Assumed);
    assert_eq!(subject(&scene, "event-4-1").unwrap().tone, Tone::Good);
}

#[test]
fn long_lanes_go_on_in_further_rows_and_longer_ones_are_cut() {
    let many = vec!["a!message"; 5000].join(".");
    let (trace, pool) = observed("@lifeline{a} @message{message} o", &format!("[a] {many}"));
    let lanes = [Lane { consumed: 2500, ..Lane::default() }];
    let options = Options { lanes: &lanes, room: 500.0, limit: 30, ..Options::default() };
    let scene = multi_trace(&trace, &pool, &options);
    check("trace-long", &scene);
    let texts = texts(&scene);
    assert_eq!(texts.iter().filter(|text| **text == "a!message").count(), 30);
    assert!(texts.contains(&"… 2,485 more …"), "{texts:?}");
    assert!(texts.contains(&"2,500 of 5,000 consumed · 30 of 5,000 actions shown"), "{texts:?}");
    assert!(subject(&scene, "event-0-2499").is_some() && subject(&scene, "event-0-2500").is_some());
    assert!(scene.size.width < 620.0, "{}", scene.size.width);
}

#[test]
fn a_component_of_many_lifelines_has_a_short_head() {
    let names: Vec<String> = (0..40).map(|i| format!("lifeline_{i}")).collect();
    let spec = format!("@lifeline{{{}}} @message{{m}} o", names.join("; "));
    let (trace, pool) = observed(&spec, "[#all] lifeline_0!m");
    let scene = multi_trace(&trace, &pool, &Options::default());
    check("trace-many", &scene);
    assert!(texts(&scene).iter().any(|text| text.starts_with("… ")), "{:?}", texts(&scene));
}

#[test]
fn random_multi_traces_have_no_flaws() {
    let mut rng = fastrand::Rng::with_seed(6);
    for round in 0..300 {
        let count = rng.usize(1..8);
        let name = |i: usize| ["a", "bo", "client", "the_server_of_all", "e", "f", "g7", "日本"][i];
        let names: Vec<&str> = (0..count).map(name).collect();
        let spec =
            format!("@lifeline{{{}}} @message{{m; a_long_message; ack}} o", names.join("; "));
        let mut components: Vec<Vec<usize>> = vec![Vec::new(); rng.usize(1..=count)];
        for lifeline in 0..count {
            let at = rng.usize(..components.len());
            components[at].push(lifeline);
        }
        let mut text = String::new();
        for component in components.iter().filter(|component| !component.is_empty()) {
            let members: Vec<&str> = component.iter().map(|&i| name(i)).collect();
            let action = |rng: &mut fastrand::Rng| {
                let lifeline = members[rng.usize(..members.len())];
                let direction = ["!", "?"][rng.usize(..2)];
                format!("{lifeline}{direction}{}", ["m", "a_long_message", "ack"][rng.usize(..3)])
            };
            let moments: Vec<String> = (0..rng.usize(..20))
                .map(|_| {
                    let first = action(&mut rng);
                    let second = action(&mut rng);
                    if first != second && rng.u8(..5) == 0 {
                        format!("{{{first}, {second}}}")
                    } else {
                        first
                    }
                })
                .collect();
            text.extend(["[", &members.join(", "), "] ", &moments.join("."), ";"]);
        }
        let (trace, pool) = observed(&spec, text.trim_end_matches(';'));
        let lanes: Vec<Lane> = (0..count)
            .map(|_| Lane {
                consumed: rng.usize(..12),
                simulated_before: rng.usize(..3),
                simulated_after: rng.usize(..3),
                removed: rng.u8(..6) == 0,
                observed: rng.choice(Observed::ALL),
            })
            .collect();
        let options = Options {
            lanes: &lanes,
            room: [200.0, 400.0, 900.0][rng.usize(..3)],
            limit: rng.usize(1..25),
            compact: rng.bool(),
            ..Options::default()
        };
        let scene = multi_trace(&trace, &pool, &options);
        assert_eq!(otus_draw::check::flaws(&scene), [], "round {round}: {text}");
    }
}

#[test]
fn values_stand_behind_actions_and_times_above() {
    let text = "{[a] a!m(mid=7, topic=\"plant/some/very/long/topic/name/that/is/cut\", time=12.5).\
                a?n(time=14).a?n; [b, c] b?m(mid=7, time=12.75).c!n(time=13)}";
    let parsed = parse_trace(&Source::new("test", text));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let mut pool = Pool::new(otus_trace::transform::implied_signature([&parsed.tree]));
    let fields = otus_trace::facts::all_fields([&parsed.tree]);
    let (trace, facts, _) = otus_trace::lower_with_facts(&parsed.tree, &mut pool, &fields);
    let values = Some((&facts, &fields));
    let scene = multi_trace(&trace, &pool, &Options { values, ..Options::default() });
    check("trace-values", &scene);
    let texts = texts(&scene);
    assert!(texts.contains(&"b?m (mid=7)") && texts.contains(&"12.75 s"), "{texts:?}");
    // A lane that continues in another row keeps its times apart.
    let narrow = Options { values, room: 120.0, ..Options::default() };
    check("trace-values-narrow", &multi_trace(&trace, &pool, &narrow));
}
