//! Traces from multi-traces and from global executions.
//!
//! An action names the lifeline that sends or receives a message, but not its peer. So only
//! counting relates receptions to emissions. The assumption is that every reception of a message m
//! has its own emission of m among the observed ones (a broadcast is one emission for one reception
//! on each component).
//!
//! **Claim.** Let e be the k-th reception of m on its component r, let s be another component, and
//! let n be the number of emissions of m on all other components, on r only those that are not
//! after e. If k > n, the (k − n)-th emission of m on s happened before e. *Proof.* The first k
//! receptions on r have k different emissions before them. At most n of these are not on s, so at
//! least k − n are; and the emissions on s are in order. ∎
//!
//! [`certain_emissions`] implements the claim. With a single sender it puts the k-th emission
//! before the k-th reception, as for first-in first-out channels, although channels need not be
//! such. With several senders it claims only what is certain, and receptions may stay concurrent
//! with all of them. A reception whose k exceeds the number of all emissions is *unpaired*: its
//! message came from the environment, or from a missing log.
//!
//! In a global execution ([`from_steps`]) only the emissions before e count.
//!
//! # Simultaneous actions
//!
//! The actions of one moment are one event, labelled `{a!m, a?n}`. A step of a global execution
//! that involves several components (a synchronous passing) is also *one* event, on the component
//! of its first emission, the host. Edges from the last and to the next event of the other
//! components order it there. So no cut contains only a part of it. The price is that `last(b)` and
//! `count(b.…)` do not see the part of a component b that is not the host.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::{Action, ActionId, Direction, MessageId, Pool};
use otus_syntax::Source;

use super::{Builder, Happened, OrderError, PartialOrder, ProcessId, Writes};
use crate::multitrace::{ComponentId, MultiTrace, Partition, moment_text};
use crate::read::LineCounter;

/// A trace, with the receptions that have no counterpart in it.
#[derive(Debug, Clone)]
pub struct Paired {
    /// The trace.
    pub order: PartialOrder,
    /// The receptions for which there is no emission, in the order in which they were found.
    pub unpaired: Vec<Happened>,
}

/// Builds the order of a multi-trace by its messages: a process per component, named after its
/// lifelines (`a`, or `a,b`), and an event per moment, labelled with its actions (`a!m`). With the
/// text from which the multi-trace was read, events have lines.
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
/// If the order is cyclic. Then no execution has this multi-trace, or a message came from the
/// environment.
pub fn from_multi_trace(
    trace: &MultiTrace,
    pool: &Pool,
    source: Option<&Source>,
) -> Result<Paired, OrderError> {
    let mut builder = Builder::default();
    let processes = processes(&mut builder, trace.partition(), pool);
    let mut traffic: BTreeMap<MessageId, MessageTraffic> = BTreeMap::new();
    let mut lines = LineCounter::default();
    for component in trace.partition().components() {
        let process = processes[component.index()];
        let mut index = 0;
        for moment in trace.moments(component) {
            let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
            let mut event = builder.event(process).label(&label(pool, &actions));
            let place = trace.place(component, index);
            if let (Some((id, start)), Some(source)) = (place, source)
                && id == source.id()
            {
                let line = lines.before(source.text().as_bytes(), start as usize) + 1;
                event = event.file(source.name()).line(line);
            }
            let at = event.at();
            index += moment.len();
            // Emissions first, so that an emission at the same moment counts as before a reception.
            for direction in [Direction::Emission, Direction::Reception] {
                for action in actions.iter().map(|&action| pool.action(action)) {
                    if action.direction == direction {
                        let traffic = traffic.entry(action.message).or_default();
                        traffic.note(direction, at.process, at);
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

/// Builds the order of a global execution by its messages: a process per component of the
/// partition, and an event per step. The steps are events of the pool, such as those of a witness
/// of an analysis.
///
/// # Errors
/// Only if there are more than 2^32 events, since the execution itself is a linear extension of the
/// order.
pub fn from_steps(
    steps: impl IntoIterator<Item = otus_core::EventId>,
    pool: &Pool,
    partition: &Partition,
) -> Result<Paired, OrderError> {
    let mut builder = Builder::default();
    let processes = processes(&mut builder, partition, pool);
    let component_of = |action: ActionId| partition.component_of(pool.action(action).lifeline);
    // For each component: the last event in which it took part.
    let mut last: Vec<Option<Happened>> = vec![None; partition.len()];
    let mut traffic: BTreeMap<MessageId, MessageTraffic> = BTreeMap::new();
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
        // A message that is sent and received in one step has its counterpart in that step.
        let has = |direction: Direction, message: MessageId| {
            let mut all = actions.iter().map(|&action| pool.action(action));
            all.any(|action| action.direction == direction && action.message == message)
        };
        for &id in actions {
            let Action { direction, message, .. } = pool.action(id);
            if has(Direction::Emission, message) && has(Direction::Reception, message) {
                continue;
            }
            let component = processes[component_of(id).index()];
            let traffic = traffic.entry(message).or_default();
            let count = traffic.note(direction, component, at);
            if direction == Direction::Reception
                && !traffic.add_edges(&mut builder, component, count, at, usize::MAX)
            {
                unpaired.push(at);
            }
        }
    }
    Ok(Paired { order: builder.finish(Writes::Checked)?, unpaired })
}

/// The emissions and receptions of one message, by component.
#[derive(Debug, Default)]
struct MessageTraffic {
    emissions: BTreeMap<ProcessId, Vec<Happened>>,
    receptions: BTreeMap<ProcessId, Vec<Happened>>,
}

impl MessageTraffic {
    /// Records an action on a component. The event of the action may be on another component.
    /// Returns the number of the action, from 1, among the actions with its direction on that
    /// component.
    fn note(&mut self, direction: Direction, component: ProcessId, at: Happened) -> usize {
        let events = match direction {
            Direction::Emission => &mut self.emissions,
            Direction::Reception => &mut self.receptions,
        };
        let events = events.entry(component).or_default();
        events.push(at);
        events.len()
    }

    /// Adds the edges of all receptions.
    fn pair(&self, builder: &mut Builder, unpaired: &mut Vec<Happened>) {
        for (&receiver, receptions) in &self.receptions {
            let sent = self.emissions.get(&receiver).map_or(&[][..], Vec::as_slice);
            for (k, &at) in (1..).zip(receptions) {
                let own = sent.partition_point(|event| *event <= at);
                if !self.add_edges(builder, receiver, k, at, own) {
                    unpaired.push(at);
                }
            }
        }
    }

    /// Adds the edges to the k-th reception on a component, at most `own` of whose emissions were
    /// before it; returns whether there are enough emissions.
    fn add_edges(
        &self,
        builder: &mut Builder,
        receiver: ProcessId,
        k: usize,
        at: Happened,
        own: usize,
    ) -> bool {
        let counts = self.emissions.iter().map(|(&sender, sent)| {
            if sender == receiver { sent.len().min(own) } else { sent.len() }
        });
        let counts: Vec<usize> = counts.collect();
        let Some(certain) = certain_emissions(&counts, k) else { return false };
        let mut certain = certain.peekable();
        for (index, (&sender, sent)) in self.emissions.iter().enumerate() {
            if let Some((_, emission)) = certain.next_if(|&(sender, _)| sender == index)
                && sender != receiver
            {
                builder.edge(sent[emission], at);
            }
        }
        true
    }
}

/// The emissions that certainly happened before the k-th reception of a message on its component,
/// by the claim of this module. `counts` has the number of emissions of each sender. For each
/// sender with such an emission, yields the index of the sender and the index of its last one.
/// `None` if there are fewer than k emissions.
pub(crate) fn certain_emissions(
    counts: &[usize],
    k: usize,
) -> Option<impl Iterator<Item = (usize, usize)>> {
    let total: usize = counts.iter().sum();
    (k <= total).then(|| {
        let last = move |count: &usize| (k - 1).checked_sub(total - count);
        let senders = counts.iter().enumerate();
        senders.filter_map(move |(sender, count)| Some((sender, last(count)?)))
    })
}

/// Adds a process for each component, named after its lifelines.
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
        // The name of a lifeline may equal the joined names of two others, so the name is changed
        // until it is new.
        while processes.len() != builder.process(&name).index() {
            name.push('\'');
        }
        processes.push(ProcessId::new(processes.len()));
    }
    processes
}

fn label(pool: &Pool, actions: &[ActionId]) -> String {
    let texts = actions.iter().map(|&action| pool.action(action).text(pool.signature()));
    moment_text(&texts.collect::<Vec<_>>())
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

    /// Checks a global execution whose steps are texts: `a!m`, or several actions at once.
    #[track_caller]
    fn steps(steps: &[&[&str]], expected: &str) {
        let mut pool = pool();
        let events: Vec<otus_core::EventId> = steps
            .iter()
            .map(|step| {
                let actions: Vec<Action> = step
                    .iter()
                    .map(|text| {
                        let lifeline = pool.signature().lifeline(&text[..1]).unwrap();
                        let message = pool.add_message(&text[2..]);
                        let emission = &text[1..2] == "!";
                        if emission {
                            Action::emission(lifeline, message)
                        } else {
                            Action::reception(lifeline, message)
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
