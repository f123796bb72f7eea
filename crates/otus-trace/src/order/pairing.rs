//! Traces from multi-traces and from global executions.
//!
//! Actions say who sends or receives which message, not to whom or from whom. So which emission
//! a reception belongs to is known only by counting. What is assumed: every reception of a
//! message m has an emission of m for itself among those that were observed (a broadcast is one
//! emission for one reception on each component).
//!
//! **Claim.** Let e be the k-th reception of m on its component r, let s be another component, and
//! let n be the number of emissions of m on all other components, on r only those that are not
//! after e. If k > n, the (k − n)-th emission of m on s happened before e. *Proof.* The first k
//! receptions on r have k different emissions before them. At most n of these are not on s, so at
//! least k − n are; and the emissions on s are in order. ∎
//!
//! With a single sender this is the k-th emission before the k-th reception, as in first-in
//! first-out channels, though channels need not be. With several it claims no more than is
//! certain, and concurrent senders of one message leave its receptions concurrent with them. A
//! reception with k larger than the number of all emissions is *unpaired*: it came from the
//! environment, or from a log that is missing.
//!
//! In a global execution ([`from_steps`]) only the emissions before e count.
//!
//! # Simultaneous actions
//!
//! The actions of one moment are one event, labelled `{a!m, a?n}`. A step of a global execution
//! that involves several components (a synchronous passing) is also *one* event, on the component
//! of its first emission; edges from the last and to the next event of the other components make
//! it happen for them at the same time. So no cut has one half of it. What this costs:
//! `last(b)` and `count(b.…)` do not see the half of a component that is not the host.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::{ActionId, Direction, MessageId, Pool};
use otus_syntax::Source;

use super::{Builder, Happened, OrderError, PartialOrder, ProcessId, Writes};
use crate::multitrace::{ComponentId, MultiTrace, Partition};

/// A trace, and what has no counterpart in it.
#[derive(Debug, Clone)]
pub struct Paired {
    /// The trace.
    pub order: PartialOrder,
    /// The receptions for which no emission is left, in the order in which they were met.
    pub unpaired: Vec<Happened>,
}

/// The order of a multi-trace by its messages: a process per component, named after its lifelines
/// (`a`, or `a,b`), an event per moment, labelled with its actions (`a!m`). With the text that the
/// multi-trace was read from, events know their lines.
///
/// ```
/// use otus_core::{Pool, Signature};
/// use otus_syntax::{Source, parse_trace};
/// use otus_trace::order::from_multi_trace;
///
/// let mut signature = Signature::default();
/// signature.add_lifeline("a");
/// signature.add_lifeline("b");
/// let mut pool = Pool::new(signature);
/// let source = Source::new("run.htf", "[a] a!m.a!n; [b] b?m");
/// let trace = otus_trace::lower(&parse_trace(&source).tree, &mut pool).0;
/// let paired = from_multi_trace(&trace, &pool, Some(&source)).unwrap();
/// assert_eq!(paired.order.edges().len(), 1);
/// assert!(paired.unpaired.is_empty());
/// ```
///
/// # Errors
/// If messages happened before each other: then no execution has this multi-trace, or a
/// reception has its emission elsewhere.
pub fn from_multi_trace(
    trace: &MultiTrace,
    pool: &Pool,
    source: Option<&Source>,
) -> Result<Paired, OrderError> {
    let mut builder = Builder::default();
    let processes = processes(&mut builder, trace.partition(), pool);
    let mut traffic: BTreeMap<MessageId, Traffic> = BTreeMap::new();
    let mut lines = source.map(Lines::new);
    for component in trace.partition().components() {
        let process = processes[component.index()];
        let mut index = 0;
        for moment in trace.moments(component) {
            let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
            let mut event = builder.event(process).label(&label(pool, &actions));
            let place = trace.place(component, index);
            if let (Some((id, start)), Some(lines)) = (place, &mut lines)
                && id == lines.source.id()
            {
                event = event.file(lines.source.name()).line(lines.at(start));
            }
            let at = event.at();
            index += moment.len();
            // Emissions first: what is simultaneous is not after.
            for direction in [Direction::Emission, Direction::Reception] {
                for action in actions.iter().map(|&action| pool.action(action)) {
                    if action.direction == direction {
                        let traffic = traffic.entry(action.message).or_default();
                        traffic.note(direction, at);
                    }
                }
            }
        }
    }
    let mut unpaired = Vec::new();
    for traffic in traffic.values() {
        traffic.pair(&mut builder, &mut unpaired);
    }
    unpaired.sort_unstable();
    Ok(Paired { order: builder.finish(Writes::Checked)?, unpaired })
}

/// The order of a global execution by its messages: a process per component of the partition, an
/// event per step. The steps are events of the pool, such as those of an analysis' witness.
///
/// # Errors
/// Never but for more than 2^32 events: the execution itself is a linear extension of the order.
pub fn from_steps(
    steps: impl IntoIterator<Item = otus_core::EventId>,
    pool: &Pool,
    partition: &Partition,
) -> Result<Paired, OrderError> {
    let mut builder = Builder::default();
    let processes = processes(&mut builder, partition, pool);
    let component_of = |action: ActionId| partition.component_of(pool.action(action).lifeline);
    // By component: the last event it took part in, and which emissions and how many receptions
    // of each message there were.
    let mut last: Vec<Option<Happened>> = vec![None; partition.len()];
    let mut traffic: BTreeMap<MessageId, Traffic> = BTreeMap::new();
    let mut unpaired = Vec::new();
    for step in steps {
        let actions = pool.event_actions(step);
        let is_emission =
            |&&action: &&ActionId| pool.action(action).direction == Direction::Emission;
        let Some(&host) = actions.iter().find(is_emission).or(actions.first()) else { continue };
        let host = processes[component_of(host).index()];
        let at = builder.event(host).label(&label(pool, actions)).at();
        for &action in actions {
            let before = &mut last[component_of(action).index()];
            if let Some(before) = before.replace(at).filter(|before| before.process != host) {
                builder.edge(before, at);
            }
        }
        // Whatever is sent and received in one step has its counterpart there.
        let has = |direction: Direction, message: MessageId| {
            let both = actions.iter().map(|&action| pool.action(action));
            both.into_iter().any(|a| a.direction == direction && a.message == message)
        };
        for &id in actions {
            let action = pool.action(id);
            let component = processes[component_of(id).index()];
            let traffic = traffic.entry(action.message).or_default();
            match action.direction {
                Direction::Emission if has(Direction::Reception, action.message) => {}
                Direction::Reception if has(Direction::Emission, action.message) => {}
                Direction::Emission => traffic.emit(component, at),
                Direction::Reception => {
                    let count = traffic.receive(component);
                    let sent = traffic.emissions.iter();
                    let sent: Vec<(ProcessId, &[Happened])> =
                        sent.map(|(&process, events)| (process, &events[..])).collect();
                    if !claim(&mut builder, &sent, component, count, at) {
                        unpaired.push(at);
                    }
                }
            }
        }
    }
    Ok(Paired { order: builder.finish(Writes::Checked)?, unpaired })
}

/// The emissions and receptions of one message, by component.
#[derive(Debug, Default)]
struct Traffic {
    emissions: BTreeMap<ProcessId, Vec<Happened>>,
    receptions: BTreeMap<ProcessId, Vec<Happened>>,
    received: BTreeMap<ProcessId, usize>,
}

impl Traffic {
    fn note(&mut self, direction: Direction, at: Happened) {
        let events = match direction {
            Direction::Emission => &mut self.emissions,
            Direction::Reception => &mut self.receptions,
        };
        events.entry(at.process).or_default().push(at);
    }

    /// An emission on a component; its event may be on another.
    fn emit(&mut self, component: ProcessId, at: Happened) {
        self.emissions.entry(component).or_default().push(at);
    }

    /// The number of a reception on its component.
    fn receive(&mut self, component: ProcessId) -> usize {
        let count = self.received.entry(component).or_default();
        *count += 1;
        *count
    }

    /// The edges of all receptions.
    fn pair(&self, builder: &mut Builder, unpaired: &mut Vec<Happened>) {
        for (&receiver, receptions) in &self.receptions {
            let mut own = 0;
            for (count, &at) in (1..).zip(receptions) {
                let sent: Vec<(ProcessId, &[Happened])> = self
                    .emissions
                    .iter()
                    .map(|(&process, events)| {
                        if process != receiver {
                            return (process, &events[..]);
                        }
                        while events.get(own).is_some_and(|event| *event <= at) {
                            own += 1;
                        }
                        (process, &events[..own])
                    })
                    .collect();
                if !claim(builder, &sent, receiver, count, at) {
                    unpaired.push(at);
                }
            }
        }
    }
}

/// Adds the edges that the claim gives for reception number `count` of a component; whether there
/// are emissions enough.
fn claim(
    builder: &mut Builder,
    sent: &[(ProcessId, &[Happened])],
    receiver: ProcessId,
    count: usize,
    at: Happened,
) -> bool {
    let total: usize = sent.iter().map(|(_, events)| events.len()).sum();
    if count > total {
        return false;
    }
    for (_, events) in sent.iter().filter(|(sender, _)| *sender != receiver) {
        let elsewhere = total - events.len();
        if let Some(index) = (count - 1).checked_sub(elsewhere) {
            builder.edge(events[index], at);
        }
    }
    true
}

/// A process for each component, named after its lifelines.
fn processes(builder: &mut Builder, partition: &Partition, pool: &Pool) -> Vec<ProcessId> {
    let signature = pool.signature();
    let mut processes: Vec<ProcessId> = Vec::new();
    let name_of = |component: ComponentId| {
        let lifelines = partition.lifelines(component).iter();
        let names = lifelines.map(|&lifeline| signature.lifeline_name(lifeline));
        names.collect::<Vec<_>>().join(",")
    };
    for component in partition.components() {
        let mut name = name_of(component);
        // A lifeline may be called what two others are together.
        while processes.len() != builder.process(&name).index() {
            name.push('\'');
        }
        processes.push(ProcessId::new(processes.len()));
    }
    processes
}

fn label(pool: &Pool, actions: &[ActionId]) -> String {
    let texts: Vec<String> =
        actions.iter().map(|&action| pool.action(action).text(pool.signature())).collect();
    match texts.as_slice() {
        [only] => only.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}

/// The lines of offsets, which mostly grow.
struct Lines<'s> {
    source: &'s Source,
    at: usize,
    line: u32,
}

impl<'s> Lines<'s> {
    fn new(source: &'s Source) -> Self {
        Lines { source, at: 0, line: 1 }
    }

    fn at(&mut self, start: u32) -> u32 {
        let start = (start as usize).min(self.source.text().len());
        if start < self.at {
            *self = Lines::new(self.source);
        }
        let passed = &self.source.text().as_bytes()[self.at..start];
        self.line += u32::try_from(memchr::memchr_iter(b'\n', passed).count()).unwrap_or(0);
        self.at = start;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otus_core::Signature;
    use otus_syntax::parse_trace;

    fn pool() -> Pool {
        let mut signature = Signature::default();
        for lifeline in ["a", "b", "c", "d"] {
            signature.add_lifeline(lifeline);
        }
        Pool::new(signature)
    }

    /// The edges as `a1>b2`, and the unpaired receptions.
    fn show(paired: &Paired) -> String {
        let order = &paired.order;
        let name = |process, position| format!("{}{position}", order.process_name(process));
        let event = |event| name(order.process_of(event), order.position(event));
        let edges = order.edges().iter().map(|e| format!("{}>{}", event(e.from), event(e.to)));
        let unpaired =
            paired.unpaired.iter().map(|at| format!("?{}", name(at.process, at.position)));
        edges.chain(unpaired).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let source = Source::new("x.htf", text);
        let mut pool = pool();
        let (trace, found) = crate::lower(&parse_trace(&source).tree, &mut pool);
        let errors: Vec<_> = found.iter().filter(|found| found.is_error()).collect();
        assert!(errors.iter().all(|found| found.code == otus_syntax::Code::UNDECLARED_MESSAGE));
        let shown = match from_multi_trace(&trace, &pool, Some(&source)) {
            Ok(paired) => show(&paired),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn one_sender_is_paired_in_order() {
        check("[a] a!m; [b] b?m", "a1>b1");
        check("[a] a!m.a!m; [b] b?m.b?m", "a1>b1 a2>b2");
        check("[a] a!m.a!n; [b] b?n.b?m", "a2>b1 a1>b2");
        check("[a] a!m; [b] b?m; [c] c?m", "a1>b1 a1>c1");
        check("[a] a!m; [b] b?m.b?m", "a1>b1 ?b2");
        check("[b] b?m", "?b1");
        check("[a] a!m", "");
    }

    #[test]
    fn several_senders_are_ordered_as_far_as_it_is_certain() {
        check("[a] a!m; [b] b!m; [c] c?m.c?m", "a1>c2 b1>c2");
        check("[a] a!m; [b] b!m; [c] c?m", "");
        check("[a] a!m.a!m; [b] b!m; [c] c?m.c?m.c?m", "a1>c2 a2>c3 b1>c3");
        check("[a] a!m; [b] b!m.b?m.b?m", "a1>b3");
    }

    #[test]
    fn components_of_several_lifelines_are_one_process() {
        check("[a,b] a!m.b?m", "");
        check("[a,b] b?m.a!m", "?a,b1");
        check("[a,b] a!m.b!n; [c,d] {c?m,d?n}", "a,b1>c,d1 a,b2>c,d1");
        check("[a] {a!m,a?m}; [b] b?n", "?b1");
    }

    #[test]
    fn messages_that_wait_for_each_other_are_a_cycle() {
        check(
            "[a] a?n.a!m; [b] b?m.b!n",
            "events happened before each other: event 2 of a (a!m, x.htf:1) before event 1 of b (b?m, x.htf:1) \
             before event 2 of b (b!n, x.htf:1) before event 1 of a (a?n, x.htf:1) before event 2 of a (a!m, x.htf:1)",
        );
    }

    #[test]
    fn events_have_labels_and_lines() {
        let source = Source::new("x.htf", "[a] a!m.\n a!n;\n[b]\n b?m");
        let mut pool = pool();
        let (trace, _) = crate::lower(&parse_trace(&source).tree, &mut pool);
        let order = from_multi_trace(&trace, &pool, Some(&source)).unwrap().order;
        let shown: Vec<String> = order
            .processes()
            .flat_map(|process| order.events(process))
            .map(|event| order.describe(event))
            .collect();
        assert_eq!(
            shown,
            [
                "event 1 of a (a!m, x.htf:1)",
                "event 2 of a (a!n, x.htf:2)",
                "event 1 of b (b?m, x.htf:4)"
            ]
        );
    }

    /// Steps as texts: `a!m`, or several actions at once.
    #[track_caller]
    fn steps(steps: &[&[&str]], expected: &str) {
        let mut pool = pool();
        let events: Vec<otus_core::EventId> = steps
            .iter()
            .map(|step| {
                let actions: Vec<otus_core::Action> = step
                    .iter()
                    .map(|text| {
                        let lifeline = pool.signature().lifeline(&text[..1]).unwrap();
                        let message = pool.add_message(&text[2..]);
                        let emission = &text[1..2] == "!";
                        if emission {
                            otus_core::Action::emission(lifeline, message)
                        } else {
                            otus_core::Action::reception(lifeline, message)
                        }
                    })
                    .collect();
                pool.intern_event(&actions)
            })
            .collect();
        let partition = Partition::discrete(pool.signature().lifeline_count());
        let paired = from_steps(events, &pool, &partition).unwrap();
        assert_eq!(show(&paired), expected);
    }

    #[test]
    fn a_global_execution_is_ordered_by_its_messages() {
        steps(&[&["a!m"], &["b?m"], &["c!n"], &["b?n"]], "a1>b1 c1>b2");
        steps(&[&["b?m"], &["a!m"]], "?b1");
        steps(&[&["a!m"], &["c?m"], &["b!m"], &["c?m"]], "a1>c1 a1>c2 b1>c2");
    }

    #[test]
    fn a_synchronous_step_is_one_event_for_all_who_take_part() {
        // The event is on a; what b did before is before it, what b does next is after it.
        steps(&[&["b!x"], &["a!m", "b?m"], &["b!y"]], "b1>a1 a1>b2");
        steps(&[&["a!m", "b?m"], &["c!n", "b?n"], &["a!k"]], "a1>c1");
        steps(&[&["a!m", "b?m"], &["a!m"], &["c?m"]], "a2>c1");
    }
}
