//! Orders against the definition: reachability in the graph of all events.

use otus_syntax::Source;
use proptest::prelude::*;

use super::*;

/// A trace as data: per process, the variables its events assign; and edges by process and
/// position.
#[derive(Debug, Clone)]
struct Sketch {
    processes: Vec<Vec<Option<u8>>>,
    edges: Vec<(At, At)>,
}

/// A process and a position.
type At = (usize, u32);

impl Sketch {
    fn build(&self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let mut builder = Builder::default();
        for (index, events) in self.processes.iter().enumerate() {
            let process = builder.process(&format!("p{index}"));
            for (value, variable) in (1..).zip(events) {
                let event = builder.event(process);
                match variable {
                    Some(variable) => event.set(&format!("x{variable}"), value).at(),
                    None => event.at(),
                };
            }
        }
        for &(from, to) in &self.edges {
            let at = |(process, position)| Happened { process: ProcessId::new(process), position };
            builder.edge(at(from), at(to));
        }
        builder.finish(writes)
    }

    /// Events in the order of their ids, by process and position.
    fn events(&self) -> Vec<(usize, u32)> {
        let of = |(process, events): (usize, &Vec<Option<u8>>)| {
            (1..=u32::try_from(events.len()).unwrap()).map(move |position| (process, position))
        };
        self.processes.iter().enumerate().flat_map(of).collect()
    }

    /// ≺ as a matrix; an event on a cycle is before itself.
    fn before(&self) -> Vec<Vec<bool>> {
        let events = self.events();
        let index = |event| events.iter().position(|&other| other == event).unwrap();
        let mut before = vec![vec![false; events.len()]; events.len()];
        for pair in events.windows(2) {
            if pair[0].0 == pair[1].0 {
                before[index(pair[0])][index(pair[1])] = true;
            }
        }
        for &(from, to) in &self.edges {
            before[index(from)][index(to)] = true;
        }
        for middle in 0..events.len() {
            for from in 0..events.len() {
                if before[from][middle] {
                    let after = before[middle].clone();
                    before[from].iter_mut().zip(after).for_each(|(known, new)| *known |= new);
                }
            }
        }
        before
    }

    /// The least number of edges between processes in a cycle that has one.
    fn girth(&self) -> usize {
        let events = self.events();
        let index = |event| events.iter().position(|&other| other == event).unwrap();
        let far = 1000;
        let mut steps = vec![vec![far; events.len()]; events.len()];
        for e in 0..events.len() {
            for f in e..events.len() {
                if events[e].0 == events[f].0 {
                    steps[e][f] = 0;
                }
            }
        }
        for &(from, to) in self.edges.iter().filter(|(from, to)| from.0 != to.0) {
            let step = &mut steps[index(from)][index(to)];
            *step = 1.min(*step);
        }
        for middle in 0..events.len() {
            for from in 0..events.len() {
                for to in 0..events.len() {
                    steps[from][to] = steps[from][to].min(steps[from][middle] + steps[middle][to]);
                }
            }
        }
        let edges = self.edges.iter().filter(|(from, to)| from.0 != to.0);
        edges.map(|&(from, to)| steps[index(to)][index(from)] + 1).min().unwrap_or(far)
    }

    fn writers(&self, variable: u8) -> Vec<usize> {
        let all = self.processes.iter().flatten().enumerate();
        all.filter(|(_, assigned)| **assigned == Some(variable)).map(|(event, _)| event).collect()
    }
}

/// Sketches of up to four processes; `acyclic` ones have edges only between processes at
/// positions that a fixed global time orders.
fn sketch(acyclic: bool) -> impl Strategy<Value = Sketch> {
    let variable = prop_oneof![Just(None), (0..3_u8).prop_map(Some)];
    let processes = prop::collection::vec(prop::collection::vec(variable, 0..6), 1..5);
    let edges = prop::collection::vec((any::<u16>(), any::<u16>()), 0..10);
    (processes, edges).prop_map(move |(processes, picks)| {
        let mut sketch = Sketch { processes, edges: Vec::new() };
        let mut events = sketch.events();
        if events.is_empty() {
            return sketch;
        }
        events.sort_by_key(|&(process, position)| (position, process));
        for (a, b) in picks {
            let (mut a, mut b) = (a as usize % events.len(), b as usize % events.len());
            if acyclic && a == b {
                continue;
            }
            if acyclic && a > b {
                (a, b) = (b, a);
            }
            sketch.edges.push((events[a], events[b]));
        }
        sketch
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn clocks_say_what_happened_before(sketch in sketch(true)) {
        let order = sketch.build(Writes::Ordered).unwrap();
        // Ordering the writes adds edges, so compare with the edges that there are.
        let at = |event| (order.process_of(event).index(), order.position(event));
        let edges = order.edges().iter().map(|edge| (at(edge.from), at(edge.to))).collect();
        let before = Sketch { edges, ..sketch.clone() }.before();
        let given = sketch.before();
        let clocks = order.clocks();
        let count = order.event_count();
        for e in 0..count {
            let e_id = EventId::new(e);
            for f in 0..count {
                let expected = e == f || before[e][f];
                prop_assert_eq!(clocks.precedes(e_id, EventId::new(f)), Some(expected));
                prop_assert!(!given[e][f] || before[e][f], "no edge is lost");
            }
            let mut row = vec![0; order.process_count()];
            clocks.read(e_id, &mut row);
            for process in order.processes() {
                let past = order.events(process).filter(|f| f.index() == e || before[f.index()][e]);
                prop_assert_eq!(row[process.index()], offset(past.count()));
                prop_assert_eq!(row[process.index()], clocks.at(e_id, process.index()));
            }
        }
        // Some columns are the same as in the whole.
        let some: Vec<ProcessId> = order.processes().filter(|p| p.0 % 2 == 0).collect();
        let part = order.clocks_on(&some);
        for event in (0..count).map(EventId::new) {
            for (column, process) in some.iter().enumerate() {
                prop_assert_eq!(part.at(event, column), clocks.at(event, process.index()));
            }
        }
    }

    #[test]
    fn cycles_are_found_and_are_shortest(sketch in sketch(false)) {
        let before = sketch.before();
        let cyclic = (0..before.len()).any(|event| before[event][event]);
        match sketch.build(Writes::Ordered) {
            Ok(_) => prop_assert!(!cyclic),
            Err(OrderError::Cycle(events)) => {
                prop_assert!(cyclic);
                let all = sketch.events();
                let index = |event: &EventName| {
                    let process = event.process[1..].parse().unwrap();
                    all.iter().position(|&other| other == (process, event.position)).unwrap()
                };
                for (e, f) in events.iter().zip(events.iter().cycle().skip(1)) {
                    prop_assert!(before[index(e)][index(f)], "{} before {}", e, f);
                }
                let crossing = events.iter().zip(events.iter().cycle().skip(1));
                let crossing = crossing.filter(|(e, f)| e.process != f.process).count();
                // An edge from a process to itself is told at once.
                prop_assert!(crossing == 0 || crossing == sketch.girth());
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn unordered_writes_are_found_and_can_be_ordered(sketch in sketch(true)) {
        let before = sketch.before();
        let apart = |variable: u8| {
            let writers = sketch.writers(variable);
            writers.iter().any(|&e| writers.iter().any(|&f| e != f && !before[e][f] && !before[f][e]))
        };
        let expected = (0..3).any(apart);
        match sketch.build(Writes::Checked) {
            Ok(order) => {
                prop_assert!(!expected);
                check_histories(&order);
            }
            Err(OrderError::UnorderedWrites { variable, .. }) => {
                prop_assert!(apart(variable[1..].parse().unwrap()));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
        let ordered = sketch.build(Writes::Ordered).unwrap();
        check_histories(&ordered);
        if !expected {
            let checked = sketch.build(Writes::Checked).unwrap();
            prop_assert_eq!(ordered.edges(), checked.edges());
        }
    }

    #[test]
    fn the_hasse_diagram_is_the_least_that_generates_the_order(sketch in sketch(true)) {
        let order = sketch.build(Writes::Ordered).unwrap();
        let clocks = order.clocks();
        let reduced = order.clone().reduced();
        let again = reduced.clocks();
        let all = || (0..order.event_count()).map(EventId::new);
        for (e, f) in all().flat_map(|e| all().map(move |f| (e, f))) {
            prop_assert_eq!(clocks.precedes(e, f), again.precedes(e, f));
        }
        for &edge in reduced.edges() {
            let between = |g: &EventId| {
                *g != edge.from && *g != edge.to
                    && clocks.precedes(edge.from, *g) == Some(true)
                    && clocks.precedes(*g, edge.to) == Some(true)
            };
            prop_assert!(all().find(between).is_none());
        }
    }

    #[test]
    fn a_linear_extension_has_every_event_after_its_past(sketch in sketch(true)) {
        let order = sketch.build(Writes::Ordered).unwrap();
        let runs = order.linear_extension();
        let listed: Vec<u32> = runs.iter().flat_map(|run| run.events.clone()).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..offset(order.event_count())).collect::<Vec<_>>());
        let place = |event: EventId| listed.iter().position(|&other| other == event.0).unwrap();
        for edge in order.edges() {
            prop_assert!(place(edge.from) < place(edge.to));
        }
        let edges: usize = runs.iter().map(|run| run.edges.len()).sum();
        prop_assert_eq!(edges, order.edges().len());
        for run in runs {
            let own = order.edges()[run.edges.clone()].iter();
            prop_assert!(own.clone().all(|edge| run.events.contains(&edge.to.0)));
        }
    }

    #[test]
    fn what_is_written_is_read_back(sketch in sketch(true)) {
        let order = sketch.build(Writes::Ordered).unwrap();
        let text = pot::write(&order);
        let again = pot::read(&Source::new("x", text.clone()), Writes::Checked);
        prop_assert_eq!(pot::write(&again.unwrap()), text);
    }
}

/// The histories of all variables hold all assignments, and each is before the next.
fn check_histories(order: &PartialOrder) {
    let variables: Vec<VariableId> = order.variables().collect();
    let histories = order.histories(&variables);
    let clocks = order.clocks();
    let mut total = 0;
    for (variable, history) in variables.iter().zip(&histories) {
        total += history.len();
        for pair in history.windows(2) {
            assert_eq!(clocks.precedes(pair[0].event, pair[1].event), Some(true));
        }
        for write in history {
            let expected = Assignment { variable: *variable, value: write.value };
            assert!(order.assignments(write.event).contains(&expected));
        }
    }
    assert_eq!(total, order.assignments.len());
}

/// The trace of figure 1 of the paper. Its text says that w:=0 is before y:=3, and condition 2 of
/// Definition 1 leaves one place for the order of w:=1 and w:=0.
fn figure_1() -> PartialOrder {
    let mut builder = Builder::default();
    let (p1, p2) = (builder.process("P1"), builder.process("P2"));
    let w1 = builder.event(p1).set("w", 1).at();
    let y3 = builder.event(p1).set("y", 3).at();
    builder.event(p1).set("x", 0).at();
    builder.event(p2).set("x", 4).at();
    let w0 = builder.event(p2).set("w", 0).at();
    builder.edge(w1, w0);
    builder.edge(w0, y3);
    builder.finish(Writes::Checked).unwrap()
}

#[test]
fn figure_1_is_a_trace() {
    let trace = figure_1();
    let [w, y, x] = ["w", "y", "x"].map(|name| trace.variable(name).unwrap());
    assert_eq!(trace.owner(y), Owner::Process(ProcessId(0)));
    assert_eq!((trace.owner(w), trace.owner(x)), (Owner::Shared, Owner::Shared));
    let values = |variable| -> Vec<String> {
        let histories = trace.histories(&[variable]);
        histories[0].iter().map(|write| trace.value(write.value).to_string()).collect()
    };
    assert_eq!(values(w), ["1", "0"]);
    assert_eq!(values(x), ["4", "0"]);
    assert_eq!(trace.histories(&[x, w, x])[0], trace.histories(&[x])[0]);
    assert_eq!(trace.hasse(), trace.edges());
    // (x1, x2) is a cut iff the clocks of its last events are below it: seven are.
    let clocks = trace.clocks();
    let is_cut = |cut: [u32; 2]| {
        trace.processes().zip(cut).all(|(process, count)| {
            trace
                .event(process, count)
                .is_none_or(|last| (0..2).all(|other| clocks.at(last, other) <= cut[other]))
        })
    };
    let cuts = (0..=3).flat_map(|a| (0..=2).map(move |b| [a, b])).filter(|&cut| is_cut(cut));
    let expected = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 2], [3, 2]];
    assert_eq!(cuts.collect::<Vec<_>>(), expected);
}

#[track_caller]
fn check_error(sketch: &Sketch, expected: &str) {
    assert_eq!(sketch.build(Writes::Checked).unwrap_err().to_string(), expected);
}

#[test]
fn errors_name_the_events() {
    let two = |edges: &[(At, At)]| Sketch {
        processes: vec![vec![Some(0), None], vec![None, Some(0)]],
        edges: edges.to_vec(),
    };
    check_error(
        &two(&[]),
        "`x0` is assigned by event 1 of p0 (x0 := 1) and by event 2 of p1 (x0 := 2), \
         and neither happened before the other",
    );
    check_error(
        &two(&[((0, 2), (1, 1)), ((1, 2), (0, 1))]),
        "events happened before each other: event 2 of p0 before event 1 of p1 before \
         event 2 of p1 (x0 := 2) before event 1 of p0 (x0 := 1) before event 2 of p0",
    );
    check_error(
        &two(&[((0, 1), (0, 1))]),
        "events happened before each other: event 1 of p0 (x0 := 1) before event 1 of p0 (x0 := 1)",
    );
    check_error(&two(&[((0, 3), (1, 1))]), "`p0` has no event 3: its events are 1 to 2");
    check_error(&two(&[((0, 0), (1, 1))]), "`p0` has no event 0: its events are 1 to 2");
    let mut builder = Builder::default();
    let p = builder.process("p");
    builder.event(p).set("x", 1).set("y", 1).set("x", 2).label("go").file("a.log").line(3).at();
    let error = builder.finish(Writes::Checked).unwrap_err().to_string();
    assert_eq!(error, "event 1 of p (go, x := 1, y := 1, x := 2, a.log:3) assigns `x` twice");
}

/// A ring of many processes has one long cycle, and a short one is added later on.
#[test]
fn a_shorter_cycle_elsewhere_is_preferred() {
    let processes = vec![vec![None; 10]; 50];
    let mut edges: Vec<_> = (0..50).map(|p| ((p, 1), ((p + 1) % 50, 1))).collect();
    let long = Sketch { processes: processes.clone(), edges: edges.clone() };
    let OrderError::Cycle(events) = long.build(Writes::Checked).unwrap_err() else { panic!() };
    assert_eq!(events.len(), 50);
    edges.extend([((7, 5), (9, 4)), ((9, 6), (7, 4))]);
    let short = Sketch { processes, edges };
    let OrderError::Cycle(events) = short.build(Writes::Checked).unwrap_err() else { panic!() };
    assert_eq!(events.len(), 4);
}

#[test]
fn variables_start_with_the_zero_of_their_kind() {
    let mut builder = Builder::default();
    builder.initial("said", "no");
    let p = builder.process("p");
    builder.process("idle");
    builder.event(p).set("n", 1).set("b", true).set("t", "up").at();
    builder.event(p).set("mixed", 1).at();
    builder.event(p).set("mixed", "one").at();
    let order = builder.finish(Writes::Checked).unwrap();
    let about = |name: &str| {
        let variable = order.variable(name).unwrap();
        (order.value(order.initial(variable)).to_string(), order.kind(variable))
    };
    assert_eq!(about("n"), ("0".to_owned(), Kind::Number));
    assert_eq!(about("b"), ("false".to_owned(), Kind::Boolean));
    assert_eq!(about("t"), ("\"\"".to_owned(), Kind::Text));
    assert_eq!(about("said"), ("\"no\"".to_owned(), Kind::Text));
    assert_eq!(about("mixed"), ("\"\"".to_owned(), Kind::Text));
    assert_eq!(order.owner(order.variable("said").unwrap()), Owner::None);
    assert_eq!(order.length(order.process("idle").unwrap()), 0);
    assert_eq!(order.event(order.process("idle").unwrap(), 1), None);
}

#[test]
fn a_variable_of_several_kinds_has_texts_everywhere() {
    let mut builder = Builder::default();
    builder.initial("x", true);
    let p = builder.process("p");
    builder.event(p).set("x", 3).set("y", 3).at();
    builder.event(p).set("x", "1/3").set("y", "1/3").at();
    builder.event(p).set("x", "idle").at();
    let order = builder.finish(Writes::Checked).unwrap();
    let [x, y] = ["x", "y"].map(|name| order.variable(name).unwrap());
    let values = |variable: VariableId| -> Vec<String> {
        let writes = order.histories(&[variable]).remove(0);
        let written = writes.iter().map(|write| write.value);
        let all = [order.initial(variable)].into_iter().chain(written);
        all.map(|value| order.value(value).to_string()).collect()
    };
    assert_eq!(values(x), ["\"true\"", "\"3\"", "\"1/3\"", "\"idle\""]);
    assert_eq!(values(y), ["0", "3", "1/3"]);
    // A file says the same: the fraction is a text again, because of the other texts.
    let text = pot::write(&order);
    let again = pot::read(&Source::new("again", text.clone()), Writes::Checked).unwrap();
    assert_eq!(pot::write(&again), text);
    assert_eq!(again.kind(again.variable("x").unwrap()), Kind::Text);
}

/// Every second process of a long chain writes, so that no single edge orders two writers: their
/// order is looked up in clocks, a few columns at a time.
#[test]
fn many_processes_and_long_chains_are_no_trouble() {
    let count: usize = 5_000;
    let variable = |process: usize| process.is_multiple_of(2).then_some(0);
    let processes: Vec<Vec<Option<u8>>> = (0..count).map(|p| vec![variable(p), None]).collect();
    let edges: Vec<(At, At)> = (1..count).map(|p| ((p - 1, 2), (p, 1))).collect();
    let chain = Sketch { processes, edges };
    let order = chain.build(Writes::Checked).unwrap();
    let history = order.histories(&[VariableId(0)]).remove(0);
    assert_eq!(history.len(), count / 2);
    assert!(history.is_sorted_by_key(|write| write.event));
    assert_eq!(order.hasse().len(), count - 1);
    // One link less, and two halves write at once.
    let mut broken = chain.clone();
    broken.edges.remove(count / 2);
    assert!(matches!(broken.build(Writes::Checked), Err(OrderError::UnorderedWrites { .. })));
    let ordered = broken.build(Writes::Ordered).unwrap();
    assert_eq!(ordered.histories(&[VariableId(0)])[0].len(), count / 2);
    // One link more, and the whole chain is a cycle.
    let mut closed = chain;
    closed.edges.push(((count - 1, 2), (0, 1)));
    let Err(OrderError::Cycle(events)) = closed.build(Writes::Checked) else { panic!() };
    assert_eq!(events.len(), 2 * count);
}

#[test]
fn an_event_with_many_edges_is_read_once() {
    let count = 300_000;
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let sources: Vec<Happened> = (0..count).map(|_| builder.event(p).at()).collect();
    let target = builder.event(q).at();
    for &source in sources.iter().rev() {
        builder.edge(source, target);
        builder.edge(source, target);
    }
    let order = builder.finish(Writes::Checked).unwrap();
    assert_eq!(order.edges().len(), count);
    assert_eq!(order.hasse().len(), 1);
    assert_eq!(order.clocks().at(EventId::new(count), 0), offset(count));
}

#[test]
fn a_variable_is_named_with_or_without_its_process() {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let first = builder.event(p).set("x", 1).set("q.y", 1).set("shared", 1).at();
    let second = builder.event(q).set("y", 1).set("shared", 2).at();
    builder.edge(first, second);
    let order = builder.finish(Writes::Checked).unwrap();
    let name = |process, name| order.resolve(process, name).map(|found| order.variable_name(found));
    assert_eq!(name(None, "x"), Some("x"));
    assert_eq!(name(Some("p"), "x"), Some("x"));
    assert_eq!(name(Some("q"), "x"), None);
    assert_eq!(name(Some("q"), "y"), Some("q.y"));
    assert_eq!(name(None, "q.y"), Some("q.y"));
    assert_eq!(name(Some("p"), "shared"), None);
    assert_eq!(name(Some("nobody"), "x"), None);
}
