//! First pass: the lifelines and events that are drawn, and the row of each.
//!
//! A diagram of a hundred events can be read, one of thousands cannot. The window is centred on the *focus*: the
//! culprit, else the first event that is not explained, else the first assumed one. Lifelines are taken by their
//! distance from it, counted in messages. Events are taken in three classes: the culprit with the expected events there,
//! then the moments around the end of the explained part of each component, then the others by distance
//! from the row of the focus. Where events are left out, the lifeline shows their number.

use std::collections::VecDeque;

use super::rows::{Above, MomentId, each, rows};
use super::{EventState, FailurePicture, Options, PictureEvent};
use crate::metrics::{counted, grouped};

/// The number of moments on either side of the end of the explained part of a component that are
/// taken first.
const AROUND: usize = 2;
/// The number of steps of the run between two points at which all components wait for each other.
const TOGETHER: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Window {
    /// The lifelines that are drawn, from left to right.
    pub(super) columns: Vec<usize>,
    /// For each event: its place, if it is drawn.
    pub(super) places: Vec<Option<Cell>>,
    pub(super) gaps: Vec<Gap>,
    pub(super) rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// Consecutive events of a component that are left out: `… 12 events before`.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) at: Cell,
    pub(super) text: String,
}

impl Window {
    /// The window of a picture; it never separates the events of one moment.
    pub(super) fn of(picture: &FailurePicture, options: Options) -> Self {
        let mut columns = columns(picture, options.max_lifelines.max(1));
        if options.is_core_only {
            let culprit = picture.culprit.and_then(|event| picture.events.get(event));
            let culprit = culprit.map(|event| event.lifeline);
            columns.retain(|&at| picture.lifelines[at].core || culprit == Some(at));
        }
        let logs = Logs::new(picture, &columns);
        let kept = logs.kept(picture, options.max_events);
        logs.place(picture, &kept, columns)
    }

    pub(super) fn drawn(&self) -> Vec<bool> {
        self.places.iter().map(Option::is_some).collect()
    }

    /// The omissions, in sentences.
    pub(super) fn note(&self, picture: &FailurePicture) -> Vec<String> {
        let all = picture.events.iter().filter(|it| it.lifeline < picture.lifelines.len()).count();
        let drawn = self.places.iter().flatten().count();
        let (columns, lifelines) = (self.columns.len(), picture.lifelines.len());
        let mut sentences = Vec::new();
        if drawn < all {
            let (drawn, all, (_, focus)) = (grouped(drawn), grouped(all), focus(picture));
            sentences.push(format!(
                "This trace is long: {drawn} of its {all} events are drawn, those around {focus}."
            ));
        }
        if columns < lifelines {
            let verb = if columns == 1 { "is" } else { "are" };
            let (columns, lifelines) = (grouped(columns), grouped(lifelines));
            sentences.push(format!("Of its {lifelines} lifelines, {columns} {verb} drawn."));
        }
        sentences
    }
}

/// The event around which the window lies, and its name; without one, the window is at the beginning.
fn focus(picture: &FailurePicture) -> (Option<usize>, &'static str) {
    let first = |states: &[EventState]| {
        picture.events.iter().position(|event| states.contains(&event.state))
    };
    let culprit = picture.culprit.filter(|&event| event < picture.events.len());
    let stuck = [EventState::Offending, EventState::Expected, EventState::NotReached];
    if culprit.is_some() {
        (culprit, "the failure")
    } else if let Some(event) = first(&stuck) {
        (Some(event), "the end of the explained part")
    } else if let Some(event) = first(&[EventState::Assumed]) {
        (Some(event), "the assumed events")
    } else {
        (None, "its beginning")
    }
}

/// The lifelines that are drawn: all, or those nearest to the focus in the graph of messages.
fn columns(picture: &FailurePicture, limit: usize) -> Vec<usize> {
    let count = picture.lifelines.len();
    if count <= limit {
        return (0..count).collect();
    }
    let lifeline = |event: usize| {
        picture.events.get(event).map(|event| event.lifeline).filter(|&lifeline| lifeline < count)
    };
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for message in &picture.messages {
        if let (Some(from), Some(to)) = (lifeline(message.from), lifeline(message.to)) {
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
    }
    let mut is_taken = vec![false; count];
    let mut taken = 0;
    // The starting points of the search, in order of importance. Lifelines that are not connected
    // with the focus come last.
    let focus = focus(picture).0.and_then(lifeline).into_iter();
    let core = (0..count).filter(|&at| picture.lifelines[at].core);
    let active = picture.events.iter().map(|event| event.lifeline).filter(|&at| at < count);
    let mut queue = VecDeque::new();
    for source in focus.chain(core).chain(active).chain(0..count) {
        queue.push_back(source);
        while let Some(at) = queue.pop_front() {
            if taken == limit {
                break;
            }
            if !std::mem::replace(&mut is_taken[at], true) {
                taken += 1;
                queue.extend(neighbours[at].iter().filter(|&&other| !is_taken[other]));
            }
        }
    }
    (0..count).filter(|&at| is_taken[at]).collect()
}

/// The moments of each component: the events of each, on lifelines that are drawn.
struct Logs {
    moments: Vec<Vec<Vec<usize>>>,
    /// For each event: its moment; `None` if its lifeline is not drawn.
    places: Vec<Option<MomentId>>,
}

/// A part of the log of a component.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Moment(usize),
    /// A number of events that are left out.
    Gap(usize),
}

impl Logs {
    fn new(picture: &FailurePicture, columns: &[usize]) -> Self {
        let components = picture.components();
        let mut moments: Vec<Vec<Vec<usize>>> = vec![Vec::new(); picture.lifelines.len()];
        let mut places = vec![None; picture.events.len()];
        for (index, event) in picture.events.iter().enumerate() {
            if columns.binary_search(&event.lifeline).is_err() {
                continue;
            }
            let component = components[event.lifeline];
            let log = &mut moments[component];
            match log.last_mut() {
                Some(last) if event.joined => last.push(index),
                Some(_) | None => log.push(vec![index]),
            }
            places[index] = Some(MomentId { component, number: log.len() - 1 });
        }
        Logs { moments, places }
    }

    fn moment(&self, event: usize) -> Option<MomentId> {
        self.places.get(event).copied().flatten()
    }

    /// The order between the moments that `renumber` keeps: it follows from the messages and from the run.
    ///
    /// A component with few events that receives no message would be drawn far above the events that happened at the
    /// same time. So after every [`TOGETHER`] steps of the run, all components wait for the step.
    fn above(
        &self,
        picture: &FailurePicture,
        renumber: impl Fn(MomentId) -> Option<MomentId>,
    ) -> Vec<Above> {
        let end = |event: usize| self.moment(event).and_then(&renumber);
        let messages = picture.messages.iter();
        let mut above: Vec<Above> =
            messages.filter_map(|it| Some([end(it.from)?, end(it.to)?])).collect();
        let run: Vec<MomentId> = picture.run.iter().filter_map(|&event| end(event)).collect();
        // For each component: its next moment in the run.
        let mut next: Vec<Option<MomentId>> = vec![None; self.moments.len()];
        for (step, &moment) in run.iter().enumerate().rev() {
            if step > 0 && step.is_multiple_of(TOGETHER) {
                let others = next.iter().flatten().filter(|it| it.component != moment.component);
                above.extend(others.map(|&other| [moment, other]));
            }
            next[moment.component] = Some(moment);
        }
        above
    }

    /// For each moment, whether it is drawn.
    fn kept(&self, picture: &FailurePicture, limit: usize) -> Vec<Vec<bool>> {
        let all: usize = self.moments.iter().flatten().map(Vec::len).sum();
        if all <= limit {
            return each(&self.moments, &true);
        }
        let rows = rows(&each(&self.moments, &1), &self.above(picture, Some));
        let state = |event: &usize| picture.events[*event].state;
        let is_in_run =
            |event: &usize| matches!(state(event), EventState::Explained | EventState::Assumed);
        let culprit = picture.culprit.and_then(|event| self.moment(event));
        let focus = focus(picture).0.and_then(|event| self.moment(event));
        let focus = focus.map_or(0, |moment| rows[moment.component][moment.number]);
        let mut order: Vec<(u8, usize, usize, usize)> = Vec::with_capacity(all);
        for (component, log) in self.moments.iter().enumerate() {
            let end = log.partition_point(|moment| moment.iter().all(is_in_run));
            let has_culprit = culprit.is_some_and(|culprit| culprit.component == component);
            for (number, moment) in log.iter().enumerate() {
                let is_expected = moment.iter().any(|event| state(event) == EventState::Expected);
                let class = if culprit == Some(MomentId { component, number })
                    || has_culprit && is_expected
                {
                    0
                } else if number + AROUND >= end && number < end + AROUND {
                    1
                } else {
                    2
                };
                order.push((class, rows[component][number].abs_diff(focus), component, number));
            }
        }
        order.sort_unstable();
        let mut kept = each(&self.moments, &false);
        let mut room = limit;
        for (_, _, component, number) in order {
            let Some(left) = room.checked_sub(self.moments[component][number].len()) else { break };
            room = left;
            kept[component][number] = true;
        }
        kept
    }

    /// Gives every kept event and every gap its cell.
    fn place(&self, picture: &FailurePicture, kept: &[Vec<bool>], columns: Vec<usize>) -> Window {
        let mut window = Window { places: vec![None; picture.events.len()], ..Window::default() };
        let logs: Vec<Vec<Piece>> =
            self.moments.iter().zip(kept).map(|(log, kept)| pieces(log, kept)).collect();
        let mut numbers: Vec<Vec<Option<usize>>> = each(&self.moments, &None);
        let mut heights = each(&logs, &1);
        let mut offsets = vec![0; picture.events.len()];
        for (component, log) in logs.iter().enumerate() {
            for (at, piece) in log.iter().enumerate() {
                if let Piece::Moment(number) = *piece {
                    numbers[component][number] = Some(at);
                    let events = &self.moments[component][number];
                    heights[component][at] = stack(events, &picture.events, &mut offsets);
                }
            }
        }
        let renumber = |MomentId { component, number }: MomentId| {
            numbers[component][number].map(|number| MomentId { component, number })
        };
        let rows = rows(&heights, &self.above(picture, renumber));
        let column =
            |event: usize| columns.partition_point(|&at| at < picture.events[event].lifeline);
        for (component, log) in logs.iter().enumerate() {
            for (at, piece) in log.iter().enumerate() {
                let row = rows[component][at];
                window.rows = window.rows.max(row + heights[component][at]);
                match *piece {
                    Piece::Moment(number) => {
                        for &event in &self.moments[component][number] {
                            let row = row + offsets[event];
                            window.places[event] = Some(Cell { row, column: column(event) });
                        }
                    }
                    Piece::Gap(events) => {
                        // The number of omitted events is shown on the lifeline of a drawn event next
                        // to the gap, or on that of the first event of the log.
                        let beside = log[at.saturating_sub(1)..].iter().find_map(|piece| {
                            if let Piece::Moment(number) = *piece { Some(number) } else { None }
                        });
                        let event = self.moments[component][beside.unwrap_or(0)][0];
                        let side = match (at, at + 1 == log.len()) {
                            (0, _) => " before",
                            (_, true) => " after",
                            (_, false) => "",
                        };
                        let at = Cell { row, column: column(event) };
                        let text = format!("… {}{side}", counted(events, "event", "events"));
                        window.gaps.push(Gap { at, text });
                    }
                }
            }
        }
        window.columns = columns;
        window
    }
}

/// A log as its drawn moments and its gaps.
fn pieces(log: &[Vec<usize>], kept: &[bool]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (number, moment) in log.iter().enumerate() {
        match pieces.last_mut() {
            _ if kept[number] => pieces.push(Piece::Moment(number)),
            Some(Piece::Gap(events)) => *events += moment.len(),
            Some(Piece::Moment(_)) | None => pieces.push(Piece::Gap(moment.len())),
        }
    }
    pieces
}

/// Places events of a moment that share a lifeline one below the other; returns the number of rows that the
/// moment takes.
fn stack(moment: &[usize], events: &[PictureEvent], offsets: &mut [usize]) -> usize {
    let mut order: Vec<usize> = moment.to_vec();
    order.sort_by_key(|&event| (events[event].lifeline, event));
    let mut height = 1;
    for pair in order.windows(2) {
        if events[pair[0]].lifeline == events[pair[1]].lifeline {
            offsets[pair[1]] = offsets[pair[0]] + 1;
            height = height.max(offsets[pair[1]] + 1);
        }
    }
    height
}
