//! Space-time diagrams.

use otus_draw::layout::order::{Cut, Options, lattice, run_of_cuts, space_time};
use otus_draw::scene::{Item, Role, Scene, Shape, Tone};
use otus_draw::{Theme, svg};
use otus_testkit::ctl_cases::{Size, random_order};
use otus_trace::order::{Builder, EventId, PartialOrder, Writes};

use crate::show::check;

/// Fig. 1 of the paper on CTL: two processes, five assignments.
fn two_processes() -> PartialOrder {
    let mut builder = Builder::default();
    let (first, second) = (builder.process("P1"), builder.process("P2"));
    let w1 = builder.event(first).set("w", 1).at();
    let y = builder.event(first).set("y", 3).at();
    let x0 = builder.event(first).set("x", 0).at();
    let x4 = builder.event(second).set("x", 4).at();
    let w0 = builder.event(second).set("w", 0).at();
    builder.edge(w1, w0);
    builder.edge(w0, y);
    builder.edge(x4, x0);
    builder.finish(Writes::Checked).expect("a partial order")
}

fn cut(name: &str, counts: &[usize]) -> Cut {
    Cut { counts: counts.to_vec(), name: name.to_owned(), tone: Tone::Active }
}

fn cut_lines(scene: &Scene) -> Vec<&Item> {
    let is_line = |item: &&Item| item.role == Role::Cut && matches!(item.shape, Shape::Line(_));
    scene.items.iter().filter(is_line).collect()
}

/// A linear extension, event by event.
fn linear(trace: &PartialOrder) -> Vec<EventId> {
    let runs = trace.linear_extension().iter();
    runs.flat_map(|run| run.events.clone()).map(EventId).collect()
}

#[test]
fn the_two_processes_of_the_paper_and_a_cut() {
    let trace = two_processes();
    let scene = space_time(&trace, &Options::default());
    check("order-two", &scene);
    let cuts = [cut("C", &[1, 1]), cut("D", &[2, 2])];
    let scene = space_time(&trace, &Options { cuts: &cuts, ..Options::default() });
    check("order-two-cuts", &scene);
    insta::assert_snapshot!("order_two_processes", svg(&scene, Theme::Auto));
}

#[test]
fn a_run_of_cuts() {
    let trace = two_processes();
    let cuts = run_of_cuts(&trace, &linear(&trace), usize::MAX);
    let scene = space_time(&trace, &Options { cuts: &cuts, ..Options::default() });
    check("order-run", &scene);
    insta::assert_snapshot!("order_run_of_cuts", svg(&scene, Theme::Auto));
    check_cuts(&trace, &scene, &cuts);
}

#[test]
fn the_lattice_of_cuts() {
    let trace = two_processes();
    let run = run_of_cuts(&trace, &linear(&trace), usize::MAX);
    let scene = lattice(&trace, &run, 100).unwrap();
    check("order-lattice", &scene);
    insta::assert_snapshot!("order_lattice", svg(&scene, Theme::Auto));
    let error = lattice(&trace, &[], 3).unwrap_err();
    assert_eq!(error.to_string(), "the trace has more than 3 cuts; too many to draw their lattice");
    let mut rng = fastrand::Rng::with_seed(62);
    let mut drawn = 0;
    for round in 0..200 {
        let size = Size { processes: rng.usize(1..5), events: rng.usize(1..9), leaves: 1 };
        let trace = random_order(&mut rng, size);
        if let Ok(scene) = lattice(&trace, &[], 60) {
            assert_eq!(otus_draw::check::flaws(&scene), [], "round {round}");
            drawn += 1;
        }
    }
    assert!(drawn > 50, "{drawn}");
}

#[test]
fn a_cut_that_is_none_says_so() {
    let trace = two_processes();
    let cuts = [cut("bad", &[2, 0])];
    let scene = space_time(&trace, &Options { cuts: &cuts, ..Options::default() });
    check("order-bad-cut", &scene);
    assert_eq!(cut_lines(&scene)[0].tone, Tone::Bad);
    assert!(scene.description.contains("bad is not a consistent cut"), "{}", scene.description);
}

#[test]
fn four_processes_with_long_arrows_and_many_labels() {
    let mut builder = Builder::default();
    let names = ["client", "gateway", "ledger", "storage_of_receipts"];
    let processes = names.map(|name| builder.process(name));
    let request = builder.event(processes[0]).label("send request").set("tries", 1).at();
    let got = builder.event(processes[1]).label("receive request").at();
    builder.edge(request, got);
    let direct = builder.event(processes[0]).label("notify storage").at();
    let book = builder.event(processes[1]).label("book").set("amount", 40).set("user", "ann").at();
    let booked = builder.event(processes[2]).label("booked").set("balance", 60).at();
    builder.edge(book, booked);
    builder.event(processes[2]).set("idle", true).at();
    let stored = builder.event(processes[3]).label("store").set("count", 1).at();
    builder.edge(direct, stored);
    let reply = builder.event(processes[2]).label("reply").at();
    let done = builder.event(processes[0]).label("done").at();
    builder.edge(reply, done);
    let receipt = builder.event(processes[3]).label("receipt").at();
    let last = builder.event(processes[0]).label("show receipt").set("open", false).at();
    builder.edge(receipt, last);
    let trace = builder.finish(Writes::Checked).unwrap();
    let scene = space_time(&trace, &Options::default());
    check("order-four", &scene);
    let cuts = run_of_cuts(&trace, &linear(&trace), usize::MAX);
    let cuts = [cuts[3].clone(), cuts[6].clone(), cuts[9].clone()];
    let scene = space_time(&trace, &Options { cuts: &cuts, ..Options::default() });
    check("order-four-cuts", &scene);
    check_cuts(&trace, &scene, &cuts);
}

#[test]
fn a_witness_is_a_run_of_cuts() {
    let trace = two_processes();
    let evidence = otus_ctl::witness::Evidence {
        shows: otus_ctl::formula::Formulas::TRUE,
        events: vec![EventId(0)],
        then: vec![otus_ctl::witness::Evidence {
            shows: otus_ctl::formula::Formulas::TRUE,
            events: vec![EventId(3)],
            then: Vec::new(),
        }],
    };
    let cuts = otus_draw::layout::order::cuts_of(&trace, &evidence, 12);
    let counts: Vec<&[usize]> = cuts.iter().map(|cut| cut.counts.as_slice()).collect();
    assert_eq!(counts, [&[0, 0], &[1, 0], &[1, 1]]);
    let few = run_of_cuts(&trace, &linear(&trace), 3);
    let names: Vec<&str> = few.iter().map(|cut| cut.name.as_str()).collect();
    assert_eq!(names, ["0", "2", "5"]);
    assert_eq!(few[2].counts, [3, 2]);
}

#[test]
fn large_traces_are_shown_in_part() {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    for step in 0..3000 {
        let from = builder.event(p).set("x", step).at();
        let to = builder.event(q).label("got").at();
        builder.edge(from, to);
    }
    let trace = builder.finish(Writes::Checked).unwrap();
    let scene = space_time(&trace, &Options { limit: 20, ..Options::default() });
    check("order-window-start", &scene);
    assert!(
        scene.description.contains("5,981 later events are not shown"),
        "{}",
        scene.description
    );
    let cuts = [cut("C", &[1500, 1499])];
    let options = Options { limit: 20, cuts: &cuts };
    let scene = space_time(&trace, &options);
    check("order-window-cut", &scene);
    assert!(scene.description.contains("earlier events"), "{}", scene.description);
    check_cuts(&trace, &scene, &cuts);
    // The default window has two thousand events.
    let scene = space_time(&trace, &Options::default());
    assert_eq!(otus_draw::check::flaws(&scene), []);
}

#[test]
fn random_orders_have_no_flaws() {
    let mut rng = fastrand::Rng::with_seed(61);
    for round in 0..400 {
        let size = Size { processes: rng.usize(1..7), events: rng.usize(1..40), leaves: 1 };
        let trace = random_order(&mut rng, size);
        let all = run_of_cuts(&trace, &linear(&trace), usize::MAX);
        let cuts: Vec<Cut> = all.into_iter().filter(|_| rng.u8(..4) == 0).collect();
        let limit = if rng.bool() { 2000 } else { rng.usize(1..20) };
        let options = Options { cuts: &cuts, limit };
        let scene = space_time(&trace, &options);
        assert_eq!(otus_draw::check::flaws(&scene), [], "round {round}");
        if round % 20 == 7 {
            check(&format!("order-random-{round}"), &space_time(&trace, &Options::default()));
        }
        check_arrows(&scene, round);
        if cuts.len() <= 12 {
            check_cuts(&trace, &scene, &cuts);
        }
    }
}

/// Every arrow leads strictly downwards from its first to its last point, and never up.
#[track_caller]
fn check_arrows(scene: &Scene, round: usize) {
    for item in scene.items.iter().filter(|item| item.role == Role::Message) {
        let Shape::Line(line) = &item.shape else { continue };
        assert!(
            line.points.windows(2).all(|pair| pair[0].y <= pair[1].y),
            "round {round}: {line:?}"
        );
        let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
        assert!(first.y < last.y, "round {round}: {line:?}");
    }
}

/// Every cut passes below the events it has and above the others, as far as they are shown.
#[track_caller]
fn check_cuts(trace: &PartialOrder, scene: &Scene, cuts: &[Cut]) {
    let lines = cut_lines(scene);
    assert_eq!(lines.len(), cuts.len());
    for item in &scene.items {
        let Shape::Disc { center, .. } = item.shape else { continue };
        let name = item.subject.as_deref().unwrap_or_default();
        let event = EventId(name.trim_start_matches("event-").parse().expect("a number"));
        let process = trace.process_of(event).0 as usize;
        for (line, cut) in lines.iter().zip(cuts) {
            let Shape::Line(line) = &line.shape else { continue };
            let pair = line.points.windows(2).find(|p| p[0].x <= center.x && center.x < p[1].x);
            let pair = pair.expect("a cut passes every process");
            assert!((pair[0].y - pair[1].y).abs() < 0.01, "level where it passes a process");
            let inside = trace.position(event) as usize <= cut.counts[process];
            assert_eq!(center.y < pair[0].y, inside, "{} and {}", cut.name, trace.describe(event));
        }
    }
}

#[test]
fn many_processes_and_events_are_no_matter() {
    let mut rng = fastrand::Rng::with_seed(63);
    let mut builder = Builder::default();
    let processes: Vec<_> = (0..30).map(|i| builder.process(&format!("process {i}"))).collect();
    let mut last = builder.event(processes[0]).at();
    for step in 0..1900 {
        let process = processes[rng.usize(..30)];
        let event = builder.event(process).label("step").set("x", step).at();
        if event.process != last.process {
            builder.edge(last, event);
        }
        if rng.bool() {
            last = event;
        }
    }
    let trace = builder.finish(Writes::Ordered).unwrap();
    let cuts = run_of_cuts(&trace, &linear(&trace), usize::MAX);
    let scene = space_time(&trace, &Options { cuts: &cuts, ..Options::default() });
    assert_eq!(otus_draw::check::flaws(&scene), []);
}
