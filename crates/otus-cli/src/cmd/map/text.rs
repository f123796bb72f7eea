//! The account for people: tables, and what is odd.

use std::fmt::Write as _;

use otus_core::Direction;
use otus_syntax::Severity;
use otus_trace::run::Tally;

use super::{Map, Specification};
use crate::findings;
use otus::words::counted;

pub(super) fn text(map: &Map<'_>) -> String {
    let mut out = String::new();
    logs(map, &mut out);
    rules(map, &mut out);
    if map.args.explain {
        shapes(map, &mut out);
        lifelines(map, &mut out);
        messages(map, &mut out);
        groups(map, &mut out);
        pairs(map, &mut out);
    }
    if let Some(specification) = &map.specification {
        beside(map, specification, &mut out);
    }
    let least = if map.args.explain { Severity::Note } else { Severity::Warning };
    out.push_str(&findings::text(&map.accounting, least));
    if !map.args.explain {
        let total = map.accounting.total;
        if total.unmatched + total.incomplete + total.unreadable > 0 {
            out.push_str("`otus map --explain` shows the lines that no rule takes, and more\n");
        }
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

/// Rows with columns of one width; numbers are at the right.
struct Table {
    rows: Vec<Vec<String>>,
    /// Which columns are numbers.
    numbers: &'static [bool],
}

impl Table {
    fn new(title: &[&str], numbers: &'static [bool]) -> Table {
        let title = title.iter().map(|&text| text.to_owned()).collect();
        Table { rows: vec![title], numbers }
    }

    fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn write(&self, out: &mut String) {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.numbers.len()).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                // The rows of a table are indented below its title.
                let indent = if column == 0 && index > 0 { "  " } else { "" };
                let room = if column == 0 && index == 0 { 2 } else { 0 };
                let width = widths[column] + room;
                let _ = if self.numbers[column] {
                    write!(line, "{indent}{cell:>width$}  ")
                } else {
                    write!(line, "{indent}{cell:<width$}  ")
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
}

/// What a table is of. A group is chosen only after all lines have been read and counted.
fn heading(map: &Map<'_>, what: &str) -> String {
    match map.args.logs.group {
        Some(_) => format!("{what} (of all groups)"),
        None => what.to_owned(),
    }
}

fn logs(map: &Map<'_>, out: &mut String) {
    let heading = heading(map, "log");
    let title =
        [&*heading, "read as", "lines", "matched", "ignored", "blank", "unmatched", "events"];
    let mut table = Table::new(&title, &[false, false, true, true, true, true, true, true]);
    let row = |name: &str, format: &str, tally: Tally, events: u64| {
        let open = tally.unmatched + tally.incomplete + tally.unreadable;
        let numbers = [tally.records, tally.matched, tally.ignored, tally.blank, open, events];
        let numbers = numbers.iter().map(u64::to_string);
        [name.to_owned(), format.to_owned()].into_iter().chain(numbers).collect()
    };
    let files = &map.accounting.files;
    let shown = if map.args.explain { usize::MAX } else { MOST_FILES };
    for file in files.iter().take(shown) {
        table.push(row(&file.name, file.format.name(), file.tally, file.events));
    }
    if files.len() > shown {
        table.push(vec![format!("… {} more", files.len() - shown)]);
    }
    if files.len() > 1 {
        let events = files.iter().map(|file| file.events).sum();
        table.push(row("all", "", map.accounting.total, events));
    }
    table.write(out);
}

/// How many logs are listed unless everything is to be explained.
const MOST_FILES: usize = 30;

fn rules(map: &Map<'_>, out: &mut String) {
    let heading = heading(map, "rule");
    let title = [&*heading, "", "lines", "first"];
    let mut table = Table::new(&title, &[false, false, true, false]);
    for (index, rule) in map.accounting.rules.iter().enumerate() {
        let (source, name) = map.rule(index);
        let name = if rule.ignore { format!("{name}, ignored") } else { name };
        let first = match rule.first {
            Some(place) => findings::place(&map.accounting, place),
            None => "never".to_owned(),
        };
        table.push(vec![source, name, rule.hits.to_string(), first]);
    }
    if table.rows.len() > 1 {
        table.write(out);
    }
}

fn shapes(map: &Map<'_>, out: &mut String) {
    let accounting = &map.accounting;
    if accounting.shapes.is_empty() {
        return;
    }
    let count: u64 = accounting.shapes.iter().map(|shape| shape.count).sum();
    let count = count + accounting.other_shapes;
    let shapes = counted(accounting.shapes.len(), "shape");
    let _ = writeln!(out, "{} that no rule takes, of {shapes}", counted(count, "line"));
    let shown = accounting.shapes.len().min(map.args.limit);
    for shape in &accounting.shapes[..shown] {
        let _ = writeln!(out, "  {:>6} × {}", shape.count, shape.text.trim());
        let place = findings::place(accounting, shape.first);
        let _ = writeln!(out, "           {place}: {}", shape.example.trim());
    }
    let rest = &accounting.shapes[shown..];
    let more: u64 = rest.iter().map(|shape| shape.count).sum::<u64>() + accounting.other_shapes;
    if more > 0 {
        let _ = writeln!(out, "  {more:>6} × other shapes (--limit shows more)");
    }
    out.push('\n');
}

fn lifelines(map: &Map<'_>, out: &mut String) {
    let heading = heading(map, "lifeline");
    let title = [&*heading, "sends", "receives", "others", "first"];
    let mut table = Table::new(&title, &[false, true, true, true, false]);
    let mut silent = Vec::new();
    let names = map.accounting.vocabulary.lifeline_names();
    for (name, account) in names.zip(&map.accounting.lifelines) {
        if account.sends + account.receives + account.others == 0 {
            if account.named > 0 {
                silent.push(format!("{name} (named {} as the other side)", times(account.named)));
            }
            continue;
        }
        let first = account.first.map(|place| findings::place(&map.accounting, place));
        let numbers = [account.sends, account.receives, account.others];
        let mut row = vec![name.to_owned()];
        row.extend(numbers.iter().map(u64::to_string));
        row.extend(first);
        table.push(row);
    }
    if table.rows.len() > 1 {
        table.write(out);
    }
    if !silent.is_empty() {
        let _ = writeln!(out, "without a log: {}\n", silent.join(", "));
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn messages(map: &Map<'_>, out: &mut String) {
    let heading = heading(map, "message");
    let title = [&*heading, "sent", "received"];
    let mut table = Table::new(&title, &[false, true, true]);
    let names = map.accounting.vocabulary.message_names();
    let mut all: Vec<_> = names
        .zip(&map.accounting.messages)
        .filter(|(_, account)| account.sends + account.receives > 0)
        .collect();
    let most = map.args.limit.max(20);
    let hidden = all.len().saturating_sub(most);
    all.truncate(most);
    for (name, account) in all {
        let (sent, received) = (account.sends.to_string(), account.receives.to_string());
        table.push(vec![name.to_owned(), sent, received]);
    }
    if hidden > 0 {
        table.push(vec![format!("… {hidden} more")]);
    }
    if table.rows.len() > 1 {
        table.write(out);
    }
}

fn groups(map: &Map<'_>, out: &mut String) {
    let account = &map.accounting.groups;
    let seen = &map.seen;
    if seen.groups == 0 {
        return;
    }
    let mut title = counted(seen.groups, "group");
    let _ = write!(title, ", the largest with {}", counted(account.largest, "event"));
    if account.closable {
        let _ = write!(title, "; {} of {} complete", account.closed, account.total);
    }
    if account.ungrouped > 0 {
        let _ = write!(title, "; {} without a group", counted(account.ungrouped, "event"));
    }
    let _ = writeln!(out, "{title}");
    for (key, events, closed) in &seen.first {
        let state = match (account.closable, closed) {
            (true, true) => ", complete",
            (true, false) => ", never completed",
            (false, _) => "",
        };
        let _ = writeln!(out, "  {key}: {}{state}", counted(*events, "event"));
    }
    if seen.groups > seen.first.len() {
        let _ = writeln!(out, "  … {} more", seen.groups - seen.first.len());
    }
    out.push('\n');
}

fn pairs(map: &Map<'_>, out: &mut String) {
    let account = &map.accounting.pairs;
    let vocabulary = &map.accounting.vocabulary;
    if account.paired == 0 && account.unpaired.is_empty() {
        return;
    }
    let whose = if account.paired == 1 { "its" } else { "their" };
    let receptions = heading(map, &counted(account.paired, "reception"));
    let _ = writeln!(out, "{receptions} with {whose} emission");
    for (direction, sign, what) in [
        (Direction::Emission, "!", "sent, and never received"),
        (Direction::Reception, "?", "received, and never sent"),
    ] {
        let count = account.unpaired(direction);
        if count == 0 {
            continue;
        }
        let _ = writeln!(out, "{} {what}", counted(count, "message"));
        let those = account.unpaired.iter().filter(|(key, _)| key.direction == direction);
        let mut those: Vec<_> = those.collect();
        those.sort_by(|(_, a), (_, b)| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        for (key, (count, first)) in those.iter().take(map.args.limit) {
            let action = format!(
                "{}{sign}{}",
                vocabulary.lifeline(key.lifeline),
                vocabulary.message(key.message)
            );
            let peer = match (direction, key.peer) {
                (_, None) => String::new(),
                (Direction::Emission, Some(peer)) => format!(" to {}", vocabulary.lifeline(peer)),
                (Direction::Reception, Some(peer)) => {
                    format!(" from {}", vocabulary.lifeline(peer))
                }
            };
            let first = findings::place(&map.accounting, *first);
            let _ = writeln!(out, "  {count:>6} × {action}{peer}, first at {first}");
        }
        if those.len() > map.args.limit {
            let _ = writeln!(out, "  … {} more kinds", those.len() - map.args.limit);
        }
    }
    out.push('\n');
}

fn beside(map: &Map<'_>, specification: &Specification, out: &mut String) {
    let (lifelines, messages) = map.strangers(specification);
    let (unseen, unsent) = map.missing(specification);
    let _ = writeln!(out, "beside {}", specification.name);
    let mut nothing = true;
    for (what, strangers) in [("lifelines", lifelines), ("messages", messages)] {
        for stranger in &strangers {
            let first = stranger.first.as_ref().map(|at| format!(", first at {at}"));
            let help = stranger.help.as_ref().map(|help| format!("; {help}"));
            let _ = writeln!(
                out,
                "  only the logs have the {} {} ({}{}){}",
                what.trim_end_matches('s'),
                stranger.name,
                counted(stranger.actions, "action"),
                first.unwrap_or_default(),
                help.unwrap_or_default(),
            );
            nothing = false;
        }
    }
    for (what, names) in [("lifeline", unseen), ("message", unsent)] {
        if names.is_empty() {
            continue;
        }
        nothing = false;
        let plural = if names.len() == 1 { "" } else { "s" };
        let names: Vec<String> = names.into_iter().map(|name| noted(map, what, name)).collect();
        let _ =
            writeln!(out, "  only the specification has the {what}{plural} {}", names.join(", "));
    }
    if nothing {
        let _ = writeln!(out, "  all lifelines and messages of one are in the other");
    }
    out.push('\n');
}

/// A lifeline with what `otus.toml` says of its log.
fn noted(map: &Map<'_>, what: &str, name: &str) -> String {
    let unobserved = map.logs.plan.observation.of(name).unobserved;
    if what == "lifeline" && unobserved { format!("{name} (unobserved)") } else { name.to_owned() }
}
