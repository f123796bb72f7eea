//! Two runs compared event by event, in the partial order of their events.
//!
//! Logs of two runs of a system differ in thousands of lines, most of them because an earlier one did. What matters is the first
//! difference *in the order of causes*, and not in the order of lines.
//!
//! *Definition.* A run has a log for each lifeline (or several lifelines that share one), and messages from an event to another
//! one. The causes of an event are the events before it in its log, the emission if it is a reception, and their causes. A
//! *cut* has, with each event, its causes; it is given by how many events of each log it has. A cut is *common* if it is a cut of both
//! runs with the same events and the same messages. The union of common cuts is a common cut, so there is a
//! greatest one. An event in it is [`Same`](RowState::Same). An event outside all of whose causes are inside is a
//! [`First`](RowState::First) difference, and any other event comes [`After`](RowState::After) one.
//!
//! *Cost.* Linear in the events and messages, apart from the alignment of what follows a difference, which is bounded.

use std::collections::BTreeMap;

/// The events of a run.
#[derive(Debug, Clone, Default)]
pub struct RunEvents {
    /// The logs: the name of each, and its events as text.
    pub logs: Vec<(String, Vec<String>)>,
    /// From an emission to its reception: the numbers of a log and of an event in it.
    pub messages: Vec<(EventRef, EventRef)>,
}

/// The numbers of a log and of an event in it.
pub type EventRef = (usize, usize);

/// What two runs have in common, and where they begin to differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// For each log that either run has.
    pub logs: Vec<ComparedLog>,
    /// The first differences: indices of a log and a row.
    pub first: Vec<(usize, usize)>,
    /// A sentence about each of these.
    pub words: Vec<String>,
}

/// A log in two runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComparedLog {
    /// The name of the log.
    pub name: String,
    /// Its numbers in both runs.
    pub number: (Option<usize>, Option<usize>),
    /// Its events, side by side.
    pub rows: Vec<Row>,
}

/// Events side by side: their numbers in the log of each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The event of the left run.
    pub left: Option<usize>,
    /// The event of the right run.
    pub right: Option<usize>,
    /// Whether they agree.
    pub state: RowState,
}

/// Whether events of two runs agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowState {
    /// They are the same, and so are all their causes.
    Same,
    /// They differ, and all their causes are the same.
    First,
    /// Something among their causes differs.
    After,
}

impl RowState {
    /// The state in a word.
    pub fn name(self) -> &'static str {
        match self {
            RowState::Same => "same",
            RowState::First => "first",
            RowState::After => "after",
        }
    }
}

/// The most events of a log after a difference that are aligned by what they say.
const ALIGNED: usize = 1000;

/// Compares two runs.
///
/// ```
/// use otus::compare::{RunEvents, compare};
///
/// let run = |answer: &str| RunEvents {
///     logs: vec![
///         ("a".into(), vec!["a!ask".into(), format!("a?{answer}")]),
///         ("b".into(), vec!["b?ask".into(), format!("b!{answer}")]),
///     ],
///     messages: vec![((0, 0), (1, 0)), ((1, 1), (0, 1))],
/// };
/// let found = compare(&run("yes"), &run("no"));
/// // b said something else; that a heard something else follows from it, although its line comes first.
/// assert_eq!(found.words, ["b!yes in the left run is b!no in the right one"]);
/// assert_eq!(found.first, [(1, 1)]);
/// ```
pub fn compare(left: &RunEvents, right: &RunEvents) -> Compared {
    let names = names(left, right);
    let sides = [Side::new(left, &names), Side::new(right, &names)];
    let cut = greatest_common_cut(&sides);
    let mut compared = Compared::default();
    for (log, name) in names.iter().enumerate() {
        let events = |side: &Side<'_>| side.logs[log].map_or(0, |(_, events)| events.len());
        let counts = [events(&sides[0]), events(&sides[1])];
        let mut rows: Vec<Row> = (0..cut[log])
            .map(|at| Row { left: Some(at), right: Some(at), state: RowState::Same })
            .collect();
        let is_first = |side: &Side<'_>| {
            cut[log] < events(side) && side.causes(log, cut[log]).all(|cause| is_in(cause, &cut))
        };
        let at = (cut[log] < counts[0], cut[log] < counts[1]);
        if at != (false, false) {
            let is_first = sides.iter().any(is_first);
            let state = if is_first { RowState::First } else { RowState::After };
            let is_pair = at == (true, true)
                && sides.iter().all(|side| {
                    state == RowState::After
                        || cut[log] >= events(side)
                        || side.causes(log, cut[log]).all(|it| is_in(it, &cut))
                });
            let (one, other) = (at.0.then_some(cut[log]), at.1.then_some(cut[log]));
            if state == RowState::First {
                compared.first.push((log, rows.len()));
                compared.words.push(words(&sides, log, cut[log], is_pair));
            }
            rows.push(Row { left: one, right: other, state });
            let from = [(cut[log] + 1).min(counts[0]), (cut[log] + 1).min(counts[1])];
            rest(&sides, log, from, counts, &mut rows);
        }
        let number = |side: &Side<'_>| side.logs[log].map(|(number, _)| number);
        let number = (number(&sides[0]), number(&sides[1]));
        compared.logs.push(ComparedLog { name: name.clone(), number, rows });
    }
    compared
}

/// The names of all logs: those of the left run in its order, then the others.
fn names(left: &RunEvents, right: &RunEvents) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in left.logs.iter().chain(&right.logs) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// A run, over the logs of both.
struct Side<'r> {
    /// By log: its number in the run, and its events.
    logs: Vec<Option<(usize, &'r [String])>>,
    /// By reception: the emissions.
    emissions: BTreeMap<EventRef, Vec<EventRef>>,
}

impl<'r> Side<'r> {
    fn new(run: &'r RunEvents, names: &[String]) -> Side<'r> {
        let find = |name: &String| run.logs.iter().position(|(known, _)| known == name);
        let logs: Vec<_> =
            names.iter().map(|name| find(name).map(|at| (at, &*run.logs[at].1))).collect();
        let mut position = vec![None; run.logs.len()];
        for (log, found) in logs.iter().enumerate() {
            if let Some((at, _)) = found {
                position[*at] = Some(log);
            }
        }
        let shared = |(log, event): EventRef| Some((*position.get(log)?.as_ref()?, event));
        let mut emissions: BTreeMap<EventRef, Vec<EventRef>> = BTreeMap::new();
        for &(from, to) in &run.messages {
            if let (Some(from), Some(to)) = (shared(from), shared(to)) {
                emissions.entry(to).or_default().push(from);
            }
        }
        for all in emissions.values_mut() {
            all.sort_unstable();
            all.dedup();
        }
        Side { logs, emissions }
    }

    fn event(&self, log: usize, at: usize) -> Option<&'r String> {
        self.logs[log]?.1.get(at)
    }

    /// The emissions that an event receives.
    fn emissions(&self, log: usize, at: usize) -> &[EventRef] {
        self.emissions.get(&(log, at)).map_or(&[], Vec::as_slice)
    }

    /// The direct causes of an event.
    fn causes(&self, log: usize, at: usize) -> impl Iterator<Item = EventRef> {
        let before = at.checked_sub(1).map(|before| (log, before));
        before.into_iter().chain(self.emissions(log, at).iter().copied())
    }
}

fn is_in((log, at): EventRef, cut: &[usize]) -> bool {
    at < cut[log]
}

/// The greatest cut of both runs with the same events and messages. It begins with the longest common beginning of each log, and
/// shrinks until the emission of every reception is inside.
fn greatest_common_cut(sides: &[Side<'_>; 2]) -> Vec<usize> {
    let [left, right] = sides;
    let common = |log: usize| {
        let agree = |at: &usize| {
            left.event(log, *at).is_some()
                && left.event(log, *at) == right.event(log, *at)
                && left.emissions(log, *at) == right.emissions(log, *at)
        };
        let count = left.logs[log].map_or(0, |(_, events)| events.len());
        (0..count).take_while(agree).count()
    };
    let mut cut: Vec<usize> = (0..left.logs.len()).map(common).collect();
    loop {
        let mut has_changed = false;
        for (&(log, at), emissions) in &left.emissions {
            if at < cut[log] && !emissions.iter().all(|&from| is_in(from, &cut)) {
                cut[log] = at;
                has_changed = true;
            }
        }
        if !has_changed {
            return cut;
        }
    }
}

/// A sentence about a first difference. `is_pair`: the events of both runs are first differences.
fn words(sides: &[Side<'_>; 2], log: usize, at: usize, is_pair: bool) -> String {
    let [left, right] = [&sides[0], &sides[1]].map(|side| side.event(log, at));
    match (left, right) {
        (Some(left), Some(right)) if left == right => {
            format!("{left} answers another event in the left run than in the right one")
        }
        (Some(left), Some(right)) if is_pair => {
            format!("{left} in the left run is {right} in the right one")
        }
        (Some(left), Some(right)) => {
            format!("{left} is next in the left run, and {right} in the right one")
        }
        (Some(left), None) => format!("{left} is in the left run only"),
        (None, Some(right)) => format!("{right} is in the right run only"),
        (None, None) => String::new(),
    }
}

/// The rows after a difference: equal texts side by side, as far as that is cheap.
fn rest(
    sides: &[Side<'_>; 2],
    log: usize,
    from: [usize; 2],
    counts: [usize; 2],
    rows: &mut Vec<Row>,
) {
    let state = RowState::After;
    let [mut left, mut right] = from;
    let lengths = [counts[0] - left, counts[1] - right];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    if lengths.iter().all(|&length| length <= ALIGNED) {
        pairs = common_subsequence(lengths, |one, other| {
            sides[0].event(log, from[0] + one) == sides[1].event(log, from[1] + other)
        });
    }
    pairs.push((lengths[0], lengths[1]));
    for (one, other) in pairs {
        let (one, other) = (from[0] + one, from[1] + other);
        while left < one || right < other {
            let row = Row {
                left: (left < one).then_some(left),
                right: (right < other).then_some(right),
                state,
            };
            left += usize::from(row.left.is_some());
            right += usize::from(row.right.is_some());
            rows.push(row);
        }
        if one < counts[0] && other < counts[1] {
            rows.push(Row { left: Some(one), right: Some(other), state });
            (left, right) = (one + 1, other + 1);
        }
    }
}

/// The longest sequence of pairs that are equal and increase in both members.
fn common_subsequence(
    [rows, columns]: [usize; 2],
    is_equal: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    // By suffixes: the length of the longest sequence of each pair of suffixes.
    let width = columns + 1;
    let mut longest = vec![0_u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row * width + column] = if is_equal(row, column) {
                longest[(row + 1) * width + column + 1] + 1
            } else {
                longest[(row + 1) * width + column].max(longest[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < rows && column < columns {
        if is_equal(row, column) {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if longest[(row + 1) * width + column] >= longest[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers, which need not be good.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % most
        }
    }

    /// A random run: events in a global order, each a local event, an emission, or the reception of an earlier emission.
    fn run(numbers: &mut Numbers) -> RunEvents {
        const NAMES: [&str; 3] = ["a", "b", "c"];
        let mut logs: Vec<(String, Vec<String>)> =
            NAMES.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
        let mut flying: Vec<(EventRef, usize)> = Vec::new();
        let mut messages = Vec::new();
        for _ in 0..numbers.below(6) {
            let log = numbers.below(3);
            let at = logs[log].1.len();
            let message = numbers.below(2);
            if !flying.is_empty() && numbers.below(2) == 0 {
                let (from, message) = flying.remove(numbers.below(flying.len()));
                messages.push((from, (log, at)));
                logs[log].1.push(format!("?{message}"));
            } else {
                flying.push(((log, at), message));
                logs[log].1.push(format!("!{message}"));
            }
        }
        RunEvents { logs, messages }
    }

    /// All causes of an event, the event included.
    fn past(run: &RunEvents, event: EventRef, into: &mut Vec<EventRef>) {
        if into.contains(&event) {
            return;
        }
        into.push(event);
        if event.1 > 0 {
            past(run, (event.0, event.1 - 1), into);
        }
        for (from, to) in &run.messages {
            if *to == event {
                past(run, *from, into);
            }
        }
    }

    fn is_cut(run: &RunEvents, cut: &[usize]) -> bool {
        (0..3).all(|log| {
            cut[log] <= run.logs[log].1.len()
                && (0..cut[log]).all(|at| {
                    let mut causes = Vec::new();
                    past(run, (log, at), &mut causes);
                    causes.iter().all(|&(log, at)| at < cut[log])
                })
        })
    }

    /// Whether two runs have the same events and messages in a cut.
    fn are_equal(left: &RunEvents, right: &RunEvents, cut: &[usize]) -> bool {
        let inside = |run: &RunEvents| {
            let mut messages: Vec<_> = run.messages.clone();
            messages.retain(|(_, to)| to.1 < cut[to.0]);
            messages.sort_unstable();
            messages
        };
        (0..3).all(|log| left.logs[log].1[..cut[log]] == right.logs[log].1[..cut[log]])
            && inside(left) == inside(right)
    }

    /// The greatest common cut, from the definition: of all vectors.
    fn defined_cut(left: &RunEvents, right: &RunEvents) -> [usize; 3] {
        let mut common = Vec::new();
        for a in 0..8 {
            for b in 0..8 {
                for c in 0..8 {
                    let cut = [a, b, c];
                    if is_cut(left, &cut) && is_cut(right, &cut) && are_equal(left, right, &cut) {
                        common.push(cut);
                    }
                }
            }
        }
        let join = |one: [usize; 3], other: &[usize; 3]| {
            [one[0].max(other[0]), one[1].max(other[1]), one[2].max(other[2])]
        };
        let greatest = common.iter().fold([0; 3], join);
        assert!(common.contains(&greatest), "common cuts are closed under union");
        greatest
    }

    #[test]
    fn differences_are_those_of_the_definition() {
        let mut numbers = Numbers(7);
        let mut differing = 0;
        for _ in 0..4000 {
            let left = run(&mut numbers);
            // Half of the runs differ from another one in a few events only.
            let right = if numbers.below(2) == 0 {
                run(&mut numbers)
            } else {
                changed(&left, &mut numbers)
            };
            let cut = defined_cut(&left, &right);
            let found = compare(&left, &right);
            for log in 0..3 {
                let of =
                    |state| found.logs[log].rows.iter().filter(|row| row.state == state).count();
                assert_eq!(of(RowState::Same), cut[log], "{left:?}\n{right:?}\n{found:?}");
                let is_first = |run: &RunEvents| {
                    cut[log] < run.logs[log].1.len() && {
                        let mut causes = Vec::new();
                        past(run, (log, cut[log]), &mut causes);
                        causes.iter().all(|&it| it == (log, cut[log]) || it.1 < cut[it.0])
                    }
                };
                let expected = is_first(&left) || is_first(&right);
                assert_eq!(found.first.contains(&(log, cut[log])), expected, "{left:?}\n{right:?}");
                assert_eq!(of(RowState::First), usize::from(expected));
                // Every event is in one row.
                let rows = &found.logs[log].rows;
                let left_rows: Vec<usize> = rows.iter().filter_map(|row| row.left).collect();
                let right_rows: Vec<usize> = rows.iter().filter_map(|row| row.right).collect();
                assert_eq!(left_rows, (0..left.logs[log].1.len()).collect::<Vec<_>>());
                assert_eq!(right_rows, (0..right.logs[log].1.len()).collect::<Vec<_>>());
            }
            let is_equal = are_equal(&left, &right, &[9; 3].map(|_: usize| 0))
                && left.logs == right.logs
                && are_equal_whole(&left, &right);
            assert_eq!(found.first.is_empty(), is_equal, "{left:?}\n{right:?}");
            differing += usize::from(!found.first.is_empty());
            assert_eq!(found.first.len(), found.words.len());
        }
        assert!(differing > 1000);
    }

    fn are_equal_whole(left: &RunEvents, right: &RunEvents) -> bool {
        let sorted = |run: &RunEvents| {
            let mut messages = run.messages.clone();
            messages.sort_unstable();
            messages
        };
        left.logs == right.logs && sorted(left) == sorted(right)
    }

    /// A run with another text of one event, or without the last event of a log.
    fn changed(run: &RunEvents, numbers: &mut Numbers) -> RunEvents {
        let mut run = run.clone();
        let log = numbers.below(3);
        let count = run.logs[log].1.len();
        if count == 0 {
            return run;
        }
        if numbers.below(2) == 0 {
            let at = numbers.below(count);
            run.logs[log].1[at].push('x');
        } else {
            run.logs[log].1.pop();
            run.messages.retain(|(from, to)| *from != (log, count - 1) && *to != (log, count - 1));
        }
        run
    }

    #[test]
    fn what_follows_a_difference_is_aligned() {
        let run = |events: &[&str]| RunEvents {
            logs: vec![("a".to_owned(), events.iter().map(|it| (*it).to_owned()).collect())],
            messages: Vec::new(),
        };
        let found = compare(&run(&["1", "2", "3", "4"]), &run(&["1", "x", "2", "3", "4"]));
        let rows: Vec<_> = found.logs[0].rows.iter().map(|row| (row.left, row.right)).collect();
        // The second event of each run is where they part; then 3 and 4 are side by side.
        let expected = [
            (Some(0), Some(0)),
            (Some(1), Some(1)),
            (None, Some(2)),
            (Some(2), Some(3)),
            (Some(3), Some(4)),
        ];
        assert_eq!(rows, expected);
        assert_eq!(found.words, ["2 in the left run is x in the right one"]);
    }

    #[test]
    fn a_log_of_one_run_only_is_a_difference() {
        let left = RunEvents { logs: vec![("a".into(), vec!["1".into()])], messages: Vec::new() };
        let right = RunEvents { logs: vec![("b".into(), vec!["2".into()])], messages: Vec::new() };
        let found = compare(&left, &right);
        assert_eq!(found.words, ["1 is in the left run only", "2 is in the right run only"]);
    }
}
