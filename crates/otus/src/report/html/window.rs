//! The part of a failure that is drawn, and where.
//!
//! A diagram of some hundred events can be read; one of thousands can not, and makes the page heavy. So the
//! events around the fault are kept: the fault itself, what was expected, what each component did last, and
//! then what is nearest by rows. Where events are left out, the lifeline says how many, and the page says so
//! in a sentence.

use serde::Serialize;

use super::model::{Detail, Event, Excerpt, Lifeline, State};
use super::rows::{Moment, rows};

/// How many events are drawn.
pub(super) const EVENTS: usize = 300;
/// Up to how many lifelines those without a drawn event are drawn too.
const LIFELINES: usize = 100;
/// How many moments on both sides of where a component stops being accepted are kept first.
const AROUND: usize = 2;
/// After how many steps of the run components wait for each other.
const TOGETHER: usize = 16;

/// A diagram with places.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Diagram<'d> {
    lifelines: Vec<&'d Lifeline>,
    events: Vec<Placed<'d>>,
    gaps: Vec<Gap>,
    /// Indices of events.
    messages: Vec<[usize; 2]>,
    /// Messages with one end that is drawn, and whether they leave it.
    halves: Vec<(usize, bool)>,
    /// The steps of the run that are drawn: event, and number of the step from 1.
    run: Vec<[usize; 2]>,
    /// How many steps the run has.
    steps: usize,
    rows: usize,
    /// What is left out, in a sentence; empty if nothing is.
    note: String,
}

/// An event in its place.
#[derive(Debug, Clone, Serialize)]
struct Placed<'d> {
    lifeline: usize,
    row: usize,
    label: &'d str,
    state: State,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    culprit: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'d Excerpt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<usize>,
}

/// Events of a component that are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Gap {
    lifeline: usize,
    row: usize,
    events: usize,
}

impl Diagram<'_> {
    /// How many events are drawn.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Takes away the picture, for a reason.
    pub(super) fn without_events(note: &str) -> Self {
        Diagram { note: note.to_owned(), ..Diagram::default() }
    }
}

/// The diagram of a failure, with so many events at most; a moment is never torn.
pub(super) fn window(detail: &Detail, limit: usize) -> Diagram<'_> {
    let logs = Logs::new(detail);
    let kept = logs.kept(detail, limit);
    logs.draw(detail, &kept)
}

/// By event, whether [`window`] draws it. What events have beside their states and lifelines does not matter.
pub(super) fn drawn(detail: &Detail, limit: usize) -> Vec<bool> {
    let logs = Logs::new(detail);
    let kept = logs.kept(detail, limit);
    let is_kept = |place: &Option<Moment>| place.is_some_and(|(log, at)| kept[log][at]);
    logs.places.iter().map(is_kept).collect()
}

/// The moments of each component: the events of each.
struct Logs {
    moments: Vec<Vec<Vec<usize>>>,
    /// Where each event is; `None` if its lifeline does not exist.
    places: Vec<Option<Moment>>,
}

/// What is drawn of the log of a component.
#[derive(Debug, Clone, Copy)]
enum Piece {
    /// This moment.
    Shown(usize),
    /// A sign that so many events are left out.
    Gap(usize),
}

impl Logs {
    fn new(detail: &Detail) -> Self {
        // Components may have any numbers; they are counted anew in the order of the columns.
        let mut numbers: Vec<usize> = detail.lifelines.iter().map(|l| l.component).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut moments: Vec<Vec<Vec<usize>>> = vec![Vec::new(); numbers.len()];
        let mut places = vec![None; detail.events.len()];
        for (index, event) in detail.events.iter().enumerate() {
            let Some(lifeline) = detail.lifelines.get(event.lifeline) else { continue };
            let Ok(component) = numbers.binary_search(&lifeline.component) else { continue };
            let log = &mut moments[component];
            match log.last_mut() {
                Some(last) if event.joined => last.push(index),
                Some(_) | None => log.push(vec![index]),
            }
            places[index] = Some((component, log.len() - 1));
        }
        Logs { moments, places }
    }

    fn place(&self, event: usize) -> Option<Moment> {
        self.places.get(event).copied().flatten()
    }

    /// What stands above what: messages between moments, of those that have a new number, and the run.
    ///
    /// Where nothing else ties components together, one that does little would stand far above what was
    /// going on elsewhere when it did it. So every now and then all wait for a step of the run.
    fn above(
        &self,
        detail: &Detail,
        number: impl Fn(Moment) -> Option<Moment>,
    ) -> Vec<[Moment; 2]> {
        let end = |event| self.place(event).and_then(&number);
        let both = |&[from, to]: &[usize; 2]| Some([end(from)?, end(to)?]);
        let mut above: Vec<[Moment; 2]> = detail.messages.iter().filter_map(both).collect();
        let run: Vec<Moment> = detail.run.iter().filter_map(|&event| end(event)).collect();
        // By component: the next moment of it in the run.
        let mut next: Vec<Option<Moment>> = vec![None; self.moments.len()];
        for (step, &moment) in run.iter().enumerate().rev() {
            let (component, _) = moment;
            if step > 0 && step.is_multiple_of(TOGETHER) {
                let others = next.iter().enumerate().filter(|(other, _)| *other != component);
                above.extend(others.filter_map(|(_, &other)| Some([moment, other?])));
            }
            next[component] = Some(moment);
        }
        above
    }

    /// By moment, whether it is drawn.
    fn kept(&self, detail: &Detail, limit: usize) -> Vec<Vec<bool>> {
        let all: usize = self.moments.iter().flatten().map(Vec::len).sum();
        let every = |value| -> Vec<Vec<bool>> {
            self.moments.iter().map(|log| vec![value; log.len()]).collect()
        };
        if all <= limit {
            return every(true);
        }
        let heights: Vec<Vec<usize>> = self.moments.iter().map(|log| vec![1; log.len()]).collect();
        let rows = rows(&heights, &self.above(detail, Some));
        let culprit = detail.culprit.and_then(|event| self.place(event));
        let is_accepted = |&event: &usize| match detail.events[event].state {
            State::Accepted | State::Assumed => true,
            State::Refused | State::Expected => false,
        };
        let ends: Vec<usize> = self
            .moments
            .iter()
            .map(|log| log.partition_point(|moment| moment.iter().all(is_accepted)))
            .collect();
        let focus = focus(detail).0.and_then(|event| self.place(event));
        let focus = focus.map_or(0, |(component, moment)| rows[component][moment]);
        let mut order: Vec<(u8, usize, usize, usize)> = Vec::with_capacity(all);
        for (component, log) in self.moments.iter().enumerate() {
            for moment in 0..log.len() {
                let is_culprits = culprit.is_some_and(|(other, _)| other == component);
                let is_expected =
                    log[moment].iter().any(|&event| detail.events[event].state == State::Expected);
                let class = if culprit == Some((component, moment)) || is_culprits && is_expected {
                    0
                } else if moment + AROUND >= ends[component] && moment < ends[component] + AROUND {
                    1
                } else {
                    2
                };
                order.push((class, rows[component][moment].abs_diff(focus), component, moment));
            }
        }
        order.sort_unstable();
        let mut kept = every(false);
        let mut room = limit;
        for (_, _, component, moment) in order {
            let size = self.moments[component][moment].len();
            let Some(left) = room.checked_sub(size) else { break };
            room = left;
            kept[component][moment] = true;
        }
        kept
    }

    fn draw<'d>(&self, detail: &'d Detail, kept: &[Vec<bool>]) -> Diagram<'d> {
        let pieces: Vec<Vec<Piece>> =
            self.moments.iter().zip(kept).map(|(log, kept)| pieces(log, kept)).collect();
        let mut numbers: Vec<Vec<Option<usize>>> =
            self.moments.iter().map(|log| vec![None; log.len()]).collect();
        for (component, pieces) in pieces.iter().enumerate() {
            for (number, piece) in pieces.iter().enumerate() {
                if let Piece::Shown(moment) = *piece {
                    numbers[component][moment] = Some(number);
                }
            }
        }
        let number = |(component, moment): Moment| {
            numbers[component][moment].map(|number| (component, number))
        };
        let mut heights: Vec<Vec<usize>> =
            pieces.iter().map(|pieces| vec![1; pieces.len()]).collect();
        let mut offsets = vec![0; detail.events.len()];
        for (component, pieces) in pieces.iter().enumerate() {
            for (piece, height) in pieces.iter().zip(&mut heights[component]) {
                if let Piece::Shown(moment) = *piece {
                    let events = &self.moments[component][moment];
                    *height = stack(events, &detail.events, &mut offsets);
                }
            }
        }
        let rows = rows(&heights, &self.above(detail, number));
        let columns = columns(detail, |event| self.place(event).and_then(number).is_some());
        let mut diagram = Diagram { steps: detail.run.len(), ..Diagram::default() };
        diagram.lifelines = detail.lifelines.iter().zip(&columns).filter_map(shown).collect();
        let mut drawn = vec![None; detail.events.len()];
        for (index, event) in detail.events.iter().enumerate() {
            let place = self.place(index).and_then(number);
            let (Some((component, at)), Some(lifeline)) =
                (place, columns.get(event.lifeline).copied().flatten())
            else {
                continue;
            };
            drawn[index] = Some(diagram.events.len());
            let row = rows[component][at] + offsets[index];
            diagram.rows = diagram.rows.max(row + 1);
            diagram.events.push(Placed {
                lifeline,
                row,
                label: &event.label,
                state: event.state,
                culprit: detail.culprit == Some(index),
                log: event.log.as_ref(),
                specification: event.specification.filter(|&at| at < detail.specification.len()),
            });
        }
        for (component, pieces) in pieces.iter().enumerate() {
            for (at, piece) in pieces.iter().enumerate() {
                let Piece::Gap(events) = *piece else { continue };
                // It stands on the lifeline of an event beside it, or where the log begins.
                let beside = pieces[at.saturating_sub(1)..].iter().find_map(|piece| match *piece {
                    Piece::Shown(moment) => Some(moment),
                    Piece::Gap(_) => None,
                });
                let event = self.moments[component][beside.unwrap_or(0)][0];
                let Some(lifeline) = columns[detail.events[event].lifeline] else { continue };
                let row = rows[component][at];
                diagram.rows = diagram.rows.max(row + 1);
                diagram.gaps.push(Gap { lifeline, row, events });
            }
        }
        let find = |event: usize| drawn.get(event).copied().flatten();
        for &[from, to] in &detail.messages {
            match (find(from), find(to)) {
                // What goes nowhere is no message.
                (Some(from), Some(to)) if from == to => {}
                (Some(from), Some(to)) => diagram.messages.push([from, to]),
                (Some(from), None) if to < drawn.len() => diagram.halves.push((from, true)),
                (None, Some(to)) if from < drawn.len() => diagram.halves.push((to, false)),
                (Some(_) | None, None) | (None, Some(_)) => {}
            }
        }
        let run = detail.run.iter().zip(1..);
        diagram.run =
            run.filter_map(|(&event, step)| find(event).map(|event| [event, step])).collect();
        let events = self.places.iter().flatten().count();
        diagram.note = note(detail, events, &diagram);
        diagram
    }
}

fn shown<'d>((lifeline, column): (&'d Lifeline, &Option<usize>)) -> Option<&'d Lifeline> {
    column.map(|_| lifeline)
}

/// A log with its gaps.
fn pieces(log: &[Vec<usize>], kept: &[bool]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut missing = 0;
    for (moment, &kept) in kept.iter().enumerate() {
        if !kept {
            missing += log[moment].len();
            continue;
        }
        if missing > 0 {
            pieces.push(Piece::Gap(std::mem::take(&mut missing)));
        }
        pieces.push(Piece::Shown(moment));
    }
    if missing > 0 {
        pieces.push(Piece::Gap(missing));
    }
    pieces
}

/// Places the events of a moment below its first row where they share a lifeline, and says how many rows it
/// takes.
fn stack(moment: &[usize], events: &[Event], offsets: &mut [usize]) -> usize {
    let mut order: Vec<(usize, usize)> =
        moment.iter().map(|&event| (events[event].lifeline, event)).collect();
    order.sort_unstable();
    let mut height = 1;
    for pair in 1..order.len() {
        let ((before, above), (lifeline, event)) = (order[pair - 1], order[pair]);
        if before == lifeline {
            offsets[event] = offsets[above] + 1;
            height = height.max(offsets[event] + 1);
        }
    }
    height
}

/// The column of each lifeline that is drawn.
fn columns(detail: &Detail, is_drawn: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut used = vec![detail.lifelines.len() <= LIFELINES; detail.lifelines.len()];
    for (index, event) in detail.events.iter().enumerate() {
        if let Some(used) = used.get_mut(event.lifeline) {
            *used |= is_drawn(index);
        }
    }
    let mut count = 0;
    let number = |used: bool| {
        used.then(|| {
            count += 1;
            count - 1
        })
    };
    used.into_iter().map(number).collect()
}

/// The event around which others are kept, and what it is; without one, the first are.
fn focus(detail: &Detail) -> (Option<usize>, &'static str) {
    let first =
        |states: [State; 2]| detail.events.iter().position(|event| states.contains(&event.state));
    let refused = || Some((first([State::Refused, State::Expected])?, "where it is stuck"));
    let assumed = || Some((first([State::Assumed, State::Assumed])?, "what is assumed"));
    let culprit = detail.culprit.filter(|&event| event < detail.events.len());
    match culprit.map(|event| (event, "the failure")).or_else(refused).or_else(assumed) {
        Some((event, name)) => (Some(event), name),
        None => (None, "its beginning"),
    }
}

/// What is left out, in a sentence.
fn note(detail: &Detail, all: usize, diagram: &Diagram<'_>) -> String {
    let shown = diagram.events.len();
    let (columns, lifelines) = (diagram.lifelines.len(), detail.lifelines.len());
    let mut sentences = Vec::new();
    if shown < all {
        let (_, focus) = focus(detail);
        sentences.push(format!(
            "This trace is long: {} of its {} events are drawn, those around {focus}.",
            thousands(shown as u64),
            thousands(all as u64)
        ));
    }
    if columns < lifelines {
        let (columns, lifelines) = (thousands(columns as u64), thousands(lifelines as u64));
        sentences.push(format!("Of its {lifelines} lifelines, {columns} are drawn."));
    }
    sentences.join(" ")
}

/// A number as people write it: `12,345`.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn event(lifeline: usize, label: &str, state: State) -> Event {
        Event {
            lifeline,
            label: label.to_owned(),
            state,
            joined: false,
            log: None,
            specification: None,
        }
    }

    fn lifelines(count: usize) -> Vec<Lifeline> {
        let lifeline = |at| Lifeline { name: format!("l{at}"), component: at, core: false };
        (0..count).map(lifeline).collect()
    }

    fn long(events: usize) -> Detail {
        let state = |at| if at < events / 2 { State::Accepted } else { State::Refused };
        Detail {
            lifelines: lifelines(2),
            events: (0..events).map(|at| event(at % 2, "x", state(at))).collect(),
            culprit: Some(events / 2),
            messages: (0..events / 2).map(|at| [2 * at, 2 * at + 1]).collect(),
            run: (0..events / 2).collect(),
            ..Detail::default()
        }
    }

    #[test]
    fn short_traces_are_drawn_whole() {
        let detail = long(10);
        let diagram = window(&detail, 10);
        assert_eq!((diagram.len(), diagram.note.as_str()), (10, ""));
        assert_eq!((diagram.gaps.len(), diagram.halves.len()), (0, 0));
        assert_eq!(diagram.run.first(), Some(&[0, 1]));
        for &[from, to] in &diagram.messages {
            assert!(diagram.events[from].row < diagram.events[to].row);
        }
    }

    #[test]
    fn long_traces_show_what_surrounds_the_fault() {
        let detail = long(10_000);
        let diagram = window(&detail, 30);
        assert_eq!(diagram.len(), 30);
        assert!(diagram.events.iter().any(|event| event.culprit));
        assert!(diagram.note.starts_with("This trace is long: 30 of its 10,000 events"));
        let gaps: usize = diagram.gaps.iter().map(|gap| gap.events).sum();
        assert_eq!((diagram.gaps.len(), gaps + diagram.len()), (4, 10_000));
        assert_eq!(diagram.steps, 5000);
        assert!(diagram.run.iter().all(|&[event, step]| event < 30 && step > 4900));
        assert!(diagram.rows < 40);
    }

    #[test]
    fn without_a_fault_others_are_looked_at() {
        let check = |state: Option<(usize, State)>, expected: &str, row: usize| {
            let mut detail = long(10_000);
            detail.culprit = None;
            for (at, event) in detail.events.iter_mut().enumerate() {
                event.state = match state {
                    Some((from, state)) if at >= from => state,
                    Some(_) | None => State::Accepted,
                };
            }
            let diagram = window(&detail, 30);
            assert!(
                diagram.note.ends_with(&format!("those around {expected}.")),
                "{}",
                diagram.note
            );
            let before: usize =
                diagram.gaps.iter().filter(|gap| gap.row == 0).map(|gap| gap.events).sum();
            assert!(before.abs_diff(row) <= 30, "{before}");
        };
        check(Some((6000, State::Refused)), "where it is stuck", 6000);
        check(Some((6000, State::Assumed)), "what is assumed", 6000);
        check(None, "its beginning", 0);
    }

    #[test]
    fn no_two_events_share_a_place() {
        for (name, report) in samples::all() {
            for case in &report.cases {
                let Some(detail) = &case.detail else { continue };
                let diagram = window(detail, EVENTS);
                let mut places: Vec<(usize, usize)> =
                    diagram.events.iter().map(|event| (event.lifeline, event.row)).collect();
                places.extend(diagram.gaps.iter().map(|gap| (gap.lifeline, gap.row)));
                let all = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), all, "{name}, {}", case.id);
            }
        }
    }

    #[test]
    fn whatever_is_filled_in_is_laid_out() {
        let mut seed = 1_u64;
        let mut below = |end: usize| {
            // The constants of Knuth's MMIX; the upper bits are the good ones.
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % end
        };
        let states = [State::Accepted, State::Refused, State::Expected, State::Assumed];
        for _ in 0..2000 {
            let count = 1 + below(5);
            let mut detail = Detail { lifelines: lifelines(count), ..Detail::default() };
            for lifeline in &mut detail.lifelines {
                lifeline.component = below(4) * 7;
            }
            let events = below(30);
            for _ in 0..events {
                let state = states[below(4)];
                let joined = below(3) == 0;
                detail.events.push(Event { joined, ..event(below(count + 1), "x", state) });
            }
            for _ in 0..below(20) {
                detail.messages.push([below(events + 2), below(events + 2)]);
            }
            detail.run = (0..below(10)).map(|_| below(events + 2)).collect();
            detail.culprit = (below(2) == 0).then(|| below(events + 2));
            let limit = below(35);
            let diagram = window(&detail, limit);
            assert!(diagram.len() <= limit);
            assert_eq!(drawn(&detail, limit).into_iter().filter(|&is| is).count(), diagram.len());
            let mut places: Vec<(usize, usize)> =
                diagram.events.iter().map(|event| (event.lifeline, event.row)).collect();
            places.extend(diagram.gaps.iter().map(|gap| (gap.lifeline, gap.row)));
            let all = places.len();
            assert!(places.iter().all(|&(lifeline, row)| lifeline < count && row < diagram.rows));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), all, "{detail:?}");
            for lifeline in 0..count {
                let own = diagram.events.iter().filter(|event| event.lifeline == lifeline);
                let rows: Vec<usize> = own.map(|event| event.row).collect();
                assert!(rows.is_sorted(), "{detail:?}");
            }
        }
    }

    #[test]
    fn events_of_one_moment_share_a_row_or_are_stacked() {
        let mut detail = Detail { lifelines: lifelines(2), ..Detail::default() };
        detail.lifelines[1].component = 0;
        for (lifeline, joined) in [(0, false), (1, true), (0, true), (1, false)] {
            detail.events.push(Event { joined, ..event(lifeline, "x", State::Accepted) });
        }
        let diagram = window(&detail, EVENTS);
        let rows: Vec<usize> = diagram.events.iter().map(|event| event.row).collect();
        assert_eq!(rows, [0, 0, 1, 2]);
    }

    #[test]
    fn what_points_nowhere_is_left_out() {
        let detail = Detail {
            lifelines: lifelines(1),
            events: vec![
                event(0, "x", State::Accepted),
                event(7, "y", State::Accepted),
                Event { specification: Some(3), ..event(0, "z", State::Expected) },
            ],
            messages: vec![[0, 9], [9, 0], [0, 1], [9, 9]],
            run: vec![0, 1, 9],
            culprit: Some(44),
            ..Detail::default()
        };
        assert_eq!(window(&detail, 1).len(), 1);
        let whole = window(&detail, 10);
        assert_eq!((whole.len(), whole.events[1].specification), (2, None));
        assert_eq!((whole.run.as_slice(), whole.messages.len()), (&[[0, 1]][..], 0));
        assert_eq!(window(&Detail::default(), 10).len(), 0);
    }

    #[test]
    fn of_very_many_lifelines_those_without_events_are_not_drawn() {
        let mut detail = Detail { lifelines: lifelines(1000), ..Detail::default() };
        detail.events = vec![event(3, "x", State::Accepted), event(900, "y", State::Accepted)];
        let diagram = window(&detail, EVENTS);
        let lifelines: Vec<usize> = diagram.events.iter().map(|event| event.lifeline).collect();
        assert_eq!(lifelines, [0, 1]);
        assert_eq!(diagram.note, "Of its 1,000 lifelines, 2 are drawn.");
    }

    #[test]
    fn components_keep_step_with_the_run() {
        // One does a tenth of what the other does.
        let mut detail = Detail { lifelines: lifelines(2), ..Detail::default() };
        for at in 0..200 {
            detail.events.push(event(usize::from(at % 10 == 9), "x", State::Accepted));
        }
        detail.run = (0..200).collect();
        let diagram = window(&detail, 1000);
        let row = |lifeline| {
            let own = diagram.events.iter().filter(|event| event.lifeline == lifeline);
            own.map(|event| event.row).max().unwrap()
        };
        assert!(row(0).abs_diff(row(1)) <= 2 * TOGETHER, "{} {}", row(0), row(1));
    }

    #[test]
    fn numbers_have_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
