//! The changes of readings and atoms along a trace.
//!
//! All assignments to a variable are ordered by happened-before, so at any cut the variable has the value of
//! the last of them in the cut. The same is true of labels and counts, which belong to one process. A
//! [`Track`] is this chain of changes.
//!
//! The [`Course`] of an atom with one reading, or with several of one process, is a single chain: the
//! events at which its truth value changes. The course of an atom over several processes has a track for each
//! reading.

use std::hash::Hash;

use otus_core::budget::{Budget, Stop};
use otus_trace::order::{
    EventId, LabelId, Owner, PartialOrder, ProcessId, Value, VariableId, Write,
};
use rustc_hash::FxHashMap;

use crate::atom::{Atom, Reading};
use crate::number;
use crate::pace::Pace;

/// The values of a reading, from the first cut on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Track {
    /// The distinct values, indexed by their numbers.
    pub(crate) values: Vec<Value>,
    /// The number of the value at the first cut.
    pub(crate) initial: u32,
    /// The events at which the reading changes, in order, each with the number of the new value.
    pub(crate) changes: Vec<(EventId, u32)>,
}

impl Track {
    /// The value after a number of changes.
    pub(crate) fn value_after(&self, changes: u32) -> &Value {
        let last = changes.checked_sub(1).map(|last| self.changes[last as usize].1);
        &self.values[last.unwrap_or(self.initial) as usize]
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Course {
    /// The truth value at the first cut, and the events after which it flips, in order.
    Flips(bool, Vec<EventId>),
    /// The track of each reading.
    Tracks(Vec<Track>),
}

impl Course {
    /// The events that can change the atom, in no order.
    pub(crate) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        let (flips, tracks): (&[EventId], &[Track]) = match self {
            Course::Flips(_, flips) => (flips, &[]),
            Course::Tracks(tracks) => (&[], tracks),
        };
        let changes = tracks.iter().flat_map(|track| track.changes.iter().map(|&(event, _)| event));
        flips.iter().copied().chain(changes)
    }

    /// The number of bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Course::Flips(_, flips) => flips.capacity() * size_of::<EventId>(),
            Course::Tracks(tracks) => tracks
                .iter()
                .map(|track| {
                    track.values.capacity() * size_of::<Value>()
                        + track.changes.capacity() * size_of::<(EventId, u32)>()
                })
                .sum(),
        }
    }

    /// Whether the atom holds after this number of flips, or after these numbers of changes of its
    /// readings.
    pub(crate) fn holds(&self, atom: &Atom, reached: &[u32]) -> bool {
        match self {
            Course::Flips(initial, _) => *initial == reached[0].is_multiple_of(2),
            Course::Tracks(tracks) => {
                let readings = tracks.iter().zip(reached);
                atom.holds(&readings.map(|(track, &n)| track.value_after(n)).collect::<Vec<_>>())
            }
        }
    }
}

/// The courses of some atoms. If several atoms read a variable, its assignments are collected once.
pub(crate) fn courses(
    trace: &PartialOrder,
    atoms: &[&Atom],
    pace: &mut Pace,
) -> Result<Vec<Course>, Stop> {
    pace.check()?;
    let mut readings: Vec<Reading> = atoms.iter().flat_map(|atom| atom.readings()).collect();
    readings.sort_unstable();
    readings.dedup();
    let recorder = Recorder::new(trace, &readings);
    let mut bytes = recorder.bytes();
    pace.budget.check_bytes(bytes)?;
    let mut courses = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let readings = atom.readings();
        let home = home(trace, &readings);
        let tracks: Vec<Track> = readings
            .into_iter()
            .map(|reading| recorder.track(reading, pace))
            .collect::<Result<_, Stop>>()?;
        let course = if tracks.len() == 1 || home {
            flips(atom, &tracks, pace)?
        } else {
            Course::Tracks(tracks)
        };
        bytes += course.bytes();
        pace.budget.check_bytes(bytes)?;
        courses.push(course);
    }
    Ok(courses)
}

/// The tracks of some readings, in linear time.
pub(crate) fn tracks(trace: &PartialOrder, readings: &[Reading]) -> Vec<Track> {
    let recorder = Recorder::new(trace, readings);
    let mut pace = Pace::new(&Budget::default());
    let track = |&reading| recorder.track(reading, &mut pace).unwrap_or_default();
    readings.iter().map(track).collect()
}

/// The assignments to the variables of some readings.
struct Recorder<'t> {
    trace: &'t PartialOrder,
    /// Sorted.
    variables: Vec<VariableId>,
    histories: Vec<Vec<Write>>,
}

impl<'t> Recorder<'t> {
    fn new(trace: &'t PartialOrder, readings: &[Reading]) -> Self {
        let variable = |&reading: &Reading| match reading {
            Reading::Variable(variable) => Some(variable),
            Reading::Last(_) | Reading::Count(..) => None,
        };
        let mut variables: Vec<VariableId> = readings.iter().filter_map(variable).collect();
        variables.sort_unstable();
        variables.dedup();
        let histories = trace.histories(&variables);
        Recorder { trace, variables, histories }
    }

    fn bytes(&self) -> usize {
        self.histories.iter().map(|writes| size_of_val(writes.as_slice())).sum()
    }

    /// The track of one of the readings.
    fn track(&self, reading: Reading, pace: &mut Pace) -> Result<Track, Stop> {
        let trace = self.trace;
        match reading {
            Reading::Variable(variable) => {
                let at = self.variables.binary_search(&variable);
                let at = at.expect("all variables were asked for");
                let writes = self.histories[at].iter().map(|write| (write.event, write.value));
                values(trace.initial(variable), writes, |value| trace.value(value), pace)
            }
            Reading::Last(process) => {
                let labels = trace.events(process).map(|event| (event, trace.label_id(event)));
                let name = |label: Option<LabelId>| label.map(|label| trace.label_name(label));
                let text = |label| Value::Text(name(label).unwrap_or_default().into());
                values(None, labels, text, pace)
            }
            Reading::Count(process, label) => {
                let counted = trace
                    .events(process)
                    .filter(|&event| label.is_none() || trace.label_id(event) == label);
                counts(counted, pace)
            }
        }
    }
}

/// Whether all readings belong to one process.
fn home(trace: &PartialOrder, readings: &[Reading]) -> bool {
    let mut home: Option<ProcessId> = None;
    readings.iter().all(|&reading| {
        let process = match reading {
            Reading::Last(process) | Reading::Count(process, _) => process,
            Reading::Variable(variable) => match trace.owner(variable) {
                Owner::None => return true,
                Owner::Process(process) => process,
                Owner::Shared => return false,
            },
        };
        *home.get_or_insert(process) == process
    })
}

/// The truth values of an atom whose readings change one after the other.
fn flips(atom: &Atom, tracks: &[Track], pace: &mut Pace) -> Result<Course, Stop> {
    let mut numbers: Vec<u32> = tracks.iter().map(|track| track.initial).collect();
    let mut known: FxHashMap<Box<[u32]>, bool> = FxHashMap::default();
    let mut holds = |numbers: &[u32]| {
        if let Some(&known) = known.get(numbers) {
            return known;
        }
        let values: Vec<&Value> = tracks
            .iter()
            .zip(numbers)
            .map(|(track, &number)| &track.values[number as usize])
            .collect();
        let found = atom.holds(&values);
        known.insert(numbers.into(), found);
        found
    };
    let initial = holds(&numbers);
    let (mut now, mut flips) = (initial, Vec::new());
    let mut note = |event: EventId, holds: bool| {
        if holds != now {
            now = holds;
            flips.push(event);
        }
    };
    if let [track] = tracks {
        let truth: Vec<bool> =
            (0..track.values.len()).map(|value| holds(&[number(value)])).collect();
        for &(event, number) in &track.changes {
            pace.step(1)?;
            note(event, truth[number as usize]);
        }
        return Ok(Course::Flips(initial, flips));
    }
    // On one process, event ids are in the order of events.
    let mut changes: Vec<(EventId, usize, u32)> = Vec::new();
    for (at, track) in tracks.iter().enumerate() {
        changes.extend(track.changes.iter().map(|&(event, number)| (event, at, number)));
    }
    changes.sort_unstable();
    let mut next = 0;
    while let Some(&(event, ..)) = changes.get(next) {
        while let Some(&(_, at, number)) = changes.get(next).filter(|change| change.0 == event) {
            numbers[at] = number;
            next += 1;
        }
        pace.step(tracks.len())?;
        note(event, holds(&numbers));
    }
    Ok(Course::Flips(initial, flips))
}

/// The track of some assignments; `value` gives the value of a value id.
fn values<I: Copy + Eq + Hash>(
    initial: I,
    writes: impl Iterator<Item = (EventId, I)>,
    value: impl Fn(I) -> Value,
    pace: &mut Pace,
) -> Result<Track, Stop> {
    let mut track = Track { values: vec![value(initial)], ..Track::default() };
    let mut numbers: FxHashMap<I, u32> = FxHashMap::from_iter([(initial, 0)]);
    let mut last = initial;
    for (event, id) in writes {
        pace.step(1)?;
        if id == last {
            continue;
        }
        last = id;
        let number = *numbers.entry(id).or_insert_with(|| {
            track.values.push(value(id));
            number(track.values.len() - 1)
        });
        track.changes.push((event, number));
    }
    Ok(track)
}

fn counts(counted: impl Iterator<Item = EventId>, pace: &mut Pace) -> Result<Track, Stop> {
    let mut track = Track { values: vec![Value::integer(0)], ..Track::default() };
    for (event, count) in counted.zip(1_u32..) {
        pace.step(1)?;
        track.values.push(Value::integer(i64::from(count)));
        track.changes.push((event, count));
    }
    Ok(track)
}
