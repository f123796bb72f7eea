//! The logs of a failing run after its repair: the edits of the explanation as changes of texts.
//!
//! An edit of a raw log is an edit of its lines: a dropped event drops its line, a moved event moves it, and an event that
//! was not logged gets a line like another line of the same log, with the other message in it. Nothing here says that the
//! changed logs pass: the caller maps and checks them again, as it would check any logs. So an edit that cannot be written as
//! lines (a span is two events in one record) is a reason and not a guess.

use std::collections::BTreeMap;

use otus_analysis::explain::{self, Change};
use otus_core::index::Index as _;
use otus_core::{ActionId, Direction};
use otus_syntax::print;
use otus_trace::run::{Group, RunPlace};
use otus_trace::{ComponentId, MultiTrace};

use super::{Held, Study};

/// The logs after a repair.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RepairedLogs {
    /// The edits in words.
    pub edits: Vec<String>,
    /// The changed files.
    pub changes: Vec<LogChange>,
    /// Why there is no change, or not all of the repair is in the changes.
    pub reason: Option<String>,
}

/// A changed file.
#[derive(Debug, Clone)]
pub struct LogChange {
    /// The file, by the name that the request or its folder gives it.
    pub file: String,
    /// Its text.
    pub before: String,
    /// Its text after the repair.
    pub after: String,
}

/// The largest file that is rewritten.
const LARGEST: u64 = 32 << 20;

impl Study {
    /// The logs after the repair of the explanation.
    pub fn repaired_logs(&self) -> RepairedLogs {
        let mut pool = self.pool.clone();
        let partners = self.plan.spec.partners.clone();
        let budget = self.budget();
        let mut options = explain::Options { partners, ..explain::Options::default() };
        options.budget.cancel = budget.cancel.clone();
        options.budget.deadline = budget.deadline;
        let found = explain::explain(&mut pool, self.term, &self.trace, &self.question, &options);
        let Some(repair) = found.repair.and_then(|search| search.found) else {
            return RepairedLogs::refused("no repair by up to three edits of the logs was found");
        };
        let edits = repair.text(&self.trace, &pool);
        let changes: Vec<(ComponentId, Change<Box<[ActionId]>>)> =
            repair.edits.iter().map(|edit| (edit.component, edit.change.clone())).collect();
        let mut repaired = match &self.held {
            Held::Raw(group) => self.repaired_lines(group, &changes),
            Held::Case { file, line, .. } => self.repaired_case(file, *line, &repair.trace, &pool),
            Held::File { path } => self.repaired_file(path, &repair.trace, &pool),
        };
        repaired.edits = edits;
        if repaired.reason.is_none()
            && changes.iter().any(|(_, change)| *change == Change::StoppedEarly)
        {
            let text = "that a log stopped early is no change of its lines: say it in otus.toml, below [observation], \
                        as may_stop_early";
            repaired.reason = Some(text.to_owned());
        }
        repaired
    }

    fn repaired_case(
        &self,
        file: &str,
        line: usize,
        trace: &MultiTrace,
        pool: &otus_core::Pool,
    ) -> RepairedLogs {
        if self.plan.spec.valued.is_some() {
            return RepairedLogs::refused(HAS_VALUES);
        }
        let Some(before) = self.text_of(file) else { return RepairedLogs::too_large(file) };
        let htf = print::trace_line(&otus_trace::raise(trace, pool));
        let case = otus_trace::Case {
            id: self.case.id.clone(),
            htf,
            rest: otus_trace::case::OtherFields::default(),
            line,
        };
        let mut after = String::with_capacity(before.len());
        for (number, text) in before.split_inclusive('\n').enumerate() {
            if number + 1 == line {
                after.push_str(&otus_trace::case::write(&case));
                after.push('\n');
            } else {
                after.push_str(text);
            }
        }
        RepairedLogs::of(vec![LogChange { file: file.to_owned(), before, after }])
    }

    fn repaired_file(
        &self,
        path: &str,
        trace: &MultiTrace,
        pool: &otus_core::Pool,
    ) -> RepairedLogs {
        if self.plan.spec.valued.is_some() {
            return RepairedLogs::refused(HAS_VALUES);
        }
        let Some(before) = self.text_of(path) else { return RepairedLogs::too_large(path) };
        let after = print::trace(&otus_trace::raise(trace, pool));
        RepairedLogs::of(vec![LogChange { file: path.to_owned(), before, after }])
    }

    /// The text of a file, unless it is too large or not a text.
    fn text_of(&self, file: &str) -> Option<String> {
        let files = &*self.plan.context.files;
        let path = std::path::Path::new(file);
        if files.size(path).is_none_or(|size| size > LARGEST) {
            return None;
        }
        String::from_utf8(files.read(path).ok()?).ok()
    }

    fn repaired_lines(
        &self,
        group: &Group,
        changes: &[(ComponentId, Change<Box<[ActionId]>>)],
    ) -> RepairedLogs {
        let mut lines = Lines { study: self, group, files: BTreeMap::new(), added: 0 };
        let mut logs: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
        for (component, change) in changes {
            let log = logs.entry(component.index()).or_insert_with(|| lines.entries(*component));
            if let Err(reason) = lines.apply(log, change) {
                return RepairedLogs::refused(&reason);
            }
        }
        let changed = lines.files.into_values().map(|file| {
            let mut after: String = file.lines.iter().map(|line| line.text.as_str()).collect();
            if !file.before.ends_with('\n') && after.ends_with('\n') {
                after.pop();
            }
            LogChange { file: file.name, before: file.before, after }
        });
        RepairedLogs::of(changed.filter(|it| it.before != it.after).collect())
    }
}

const HAS_VALUES: &str = "the specification has values, and the repair is about names and order only; edit the multi-trace by hand";

impl RepairedLogs {
    fn of(changes: Vec<LogChange>) -> RepairedLogs {
        RepairedLogs { changes, ..RepairedLogs::default() }
    }

    fn refused(reason: &str) -> RepairedLogs {
        RepairedLogs { reason: Some(reason.to_owned()), ..RepairedLogs::default() }
    }

    fn too_large(file: &str) -> RepairedLogs {
        RepairedLogs::refused(&format!(
            "{file} is packed, is not UTF-8, or has more than 32 MB; edit it by hand"
        ))
    }
}

/// A moment of a log: where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    file: u32,
    /// The number of a line, or that of an added line.
    line: u64,
    /// The first action.
    action: Option<ActionId>,
    /// Whether other moments are in the same line.
    is_shared: bool,
}

struct File {
    name: String,
    before: String,
    lines: Vec<Line>,
}

struct Line {
    number: u64,
    text: String,
}

struct Lines<'s> {
    study: &'s Study,
    group: &'s Group,
    files: BTreeMap<u32, File>,
    added: u64,
}

/// Numbers of added lines begin here.
const ADDED: u64 = 1 << 40;

impl Lines<'_> {
    fn entries(&self, component: ComponentId) -> Vec<Entry> {
        let trace = &self.study.trace;
        let mut at = 0;
        let mut entries: Vec<Entry> = Vec::new();
        for moment in trace.moments(component) {
            let place: Option<RunPlace> = self.group.place(trace, component, at);
            at += moment.len();
            let (file, line) = place.map_or((u32::MAX, 0), |it| (it.file.0, u64::from(it.line)));
            let action = moment.first().map(|step| step.action());
            entries.push(Entry { file, line, action, is_shared: false });
        }
        for index in 0..entries.len() {
            let Entry { file, line, .. } = entries[index];
            let same = entries.iter().filter(|it| (it.file, it.line) == (file, line)).count();
            entries[index].is_shared = same > 1;
        }
        entries
    }

    fn apply(
        &mut self,
        log: &mut Vec<Entry>,
        change: &Change<Box<[ActionId]>>,
    ) -> Result<(), String> {
        match change {
            Change::Drop(at) => {
                let entry = self.alone(log, *at)?;
                let (file, index) = self.find(entry)?;
                self.lines(file)?.remove(index);
                log.remove(*at);
            }
            Change::Insert(at, actions) => {
                let &[action] = &**actions else { return Err(together()) };
                let (entry, text) = self.written(log, *at, action)?;
                let number = self.place(log, *at, entry.file, None)?;
                let line = Line { number: entry.line, text };
                self.lines(entry.file)?.insert(number, line);
                log.insert((*at).min(log.len()), entry);
            }
            Change::Swap(first, second) => {
                let (one, other) = (self.alone(log, *first)?, self.alone(log, *second)?);
                let ((file, from), (other_file, to)) = (self.find(one)?, self.find(other)?);
                if file != other_file {
                    return Err("the two events are in different files".to_owned());
                }
                self.lines(file)?.swap(from, to);
                log.swap(*first, *second);
            }
            Change::Replace(at, actions) => {
                let &[action] = &**actions else { return Err(together()) };
                let entry = self.alone(log, *at)?;
                let (file, index) = self.find(entry)?;
                let text = self.lines(file)?[index].text.clone();
                let text = self.reworded(&text, entry.action, action).ok_or_else(|| {
                    let name = self.study.action_text(action);
                    format!("no line of this log shows how {name} is written")
                })?;
                self.lines(file)?[index].text = text;
                log[*at].action = Some(action);
            }
            Change::Move(from, to) => {
                let entry = self.alone(log, *from)?;
                let (file, index) = self.find(entry)?;
                let line = self.lines(file)?.remove(index);
                log.remove(*from);
                let at = self.place(log, *to, file, Some(entry))?;
                self.lines(file)?.insert(at, line);
                log.insert((*to).min(log.len()), entry);
            }
            Change::StoppedEarly => {}
        }
        Ok(())
    }

    /// A moment that has a line of its own.
    fn alone(&self, log: &[Entry], at: usize) -> Result<Entry, String> {
        let entry = *log.get(at).ok_or("the log is shorter than the repair")?;
        if entry.is_shared {
            let action = entry.action.map(|it| self.study.action_text(it)).unwrap_or_default();
            return Err(format!(
                "the line of {action} has other events too, so it cannot be changed alone; edit the log by hand"
            ));
        }
        if entry.file == u32::MAX {
            return Err("the line of an event is not known".to_owned());
        }
        Ok(entry)
    }

    fn lines(&mut self, file: u32) -> Result<&mut Vec<Line>, String> {
        if !self.files.contains_key(&file) {
            let Some((name, path)) = self.study.plan.log(file) else {
                return Err("a log is not known".to_owned());
            };
            let path = path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
            let before = self.study.text_of(&path).ok_or_else(|| {
                format!("{name} is packed, is not UTF-8, or has more than 32 MB; edit it by hand")
            })?;
            let mut lines: Vec<Line> = before
                .split_inclusive('\n')
                .zip(1..)
                .map(|(text, number)| Line { number, text: text.to_owned() })
                .collect();
            if let Some(last) = lines.last_mut()
                && !last.text.ends_with('\n')
            {
                last.text.push('\n');
            }
            self.files.insert(file, File { name: path, before, lines });
        }
        self.files.get_mut(&file).map(|file| &mut file.lines).ok_or_else(String::new)
    }

    fn find(&mut self, entry: Entry) -> Result<(u32, usize), String> {
        let lines = self.lines(entry.file)?;
        let index = lines.iter().position(|line| line.number == entry.line);
        Ok((entry.file, index.ok_or("a line of a log is gone")?))
    }

    /// Where a line of a file goes so that it becomes the moment with an index.
    fn place(
        &mut self,
        log: &[Entry],
        at: usize,
        file: u32,
        moved: Option<Entry>,
    ) -> Result<usize, String> {
        let is_here = |entry: &&Entry| entry.file == file && Some(**entry) != moved;
        if let Some(after) = log.get(at..).and_then(|rest| rest.iter().find(is_here)) {
            return Ok(self.find(*after)?.1);
        }
        let before = log.get(..at.min(log.len())).and_then(|all| all.iter().rev().find(is_here));
        match before {
            Some(before) => Ok(self.find(*before)?.1 + 1),
            None => Ok(self.lines(file)?.len()),
        }
    }

    /// A line for an action that was not logged, like another line of the log.
    fn written(
        &mut self,
        log: &[Entry],
        at: usize,
        action: ActionId,
    ) -> Result<(Entry, String), String> {
        let mut models: Vec<(usize, Entry)> = log
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.is_shared && entry.file != u32::MAX)
            .map(|(index, entry)| (index.abs_diff(at), *entry))
            .collect();
        // A line of the same action is best, then one of the same direction, then one nearby.
        let direction = |entry: &Entry| entry.action.map(|it| self.study.pool.action(it).direction);
        let wanted = self.study.pool.action(action).direction;
        models.sort_by_key(|(distance, entry)| {
            (entry.action != Some(action), direction(entry) != Some(wanted), *distance)
        });
        for (_, model) in models {
            let (file, index) = self.find(model)?;
            let text = self.lines(file)?[index].text.clone();
            if let Some(text) = self.reworded(&text, model.action, action) {
                self.added += 1;
                let line = ADDED + self.added;
                return Ok((Entry { file, line, action: Some(action), is_shared: false }, text));
            }
        }
        let name = self.study.action_text(action);
        Err(format!("no line of this log shows how {name} is written; add it by hand"))
    }

    /// A line with another message in it.
    fn reworded(&self, text: &str, from: Option<ActionId>, to: ActionId) -> Option<String> {
        let pool = &self.study.pool;
        let from = pool.action(from?);
        let wanted = pool.action(to);
        let name = |message| pool.signature().message_name(message);
        let (old, new) = (name(from.message), name(wanted.message));
        let mut text = text.to_owned();
        if old != new {
            // The last occurrence: prefixes of lines have dates, programs and the like.
            let at = text.rfind(old)?;
            text.replace_range(at..at + old.len(), new);
        }
        if from.direction != wanted.direction {
            let words = DIRECTIONS.iter().map(|&[sent, received]| match wanted.direction {
                Direction::Emission => (received, sent),
                Direction::Reception => (sent, received),
            });
            let (at, old, new) =
                words.filter_map(|(old, new)| Some((text.find(old)?, old, new))).min()?;
            text.replace_range(at..at + old.len(), new);
        }
        Some(text)
    }
}

fn together() -> String {
    "several events at one moment cannot be written as lines".to_owned()
}

/// Words for sending, each with that for receiving.
const DIRECTIONS: [[&str; 2]; 6] = [
    ["Sending", "Received"],
    ["sending", "received"],
    ["sent", "received"],
    ["Sent", "Received"],
    ["send", "recv"],
    ["SEND", "RECV"],
];
