//! The account of mapped logs for people: tables, differences from the specification, and findings.

use std::fmt::Write as _;

use super::{Comparison, LineCounts, LogMap};
use crate::logs::findings;
use crate::units::counted;

/// The number of logs that are listed in a short account.
const MOST_FILES: usize = 30;

/// The minimum number of rows that the table of messages may have, even if the limit is smaller.
const LEAST_MESSAGES: usize = 20;

impl LogMap {
    /// The account as text: short, or with all details. At most `limit` shapes of unmatched lines and kinds of
    /// unpaired messages are listed.
    pub fn text(&self, is_explained: bool, limit: usize) -> String {
        let mut out = String::new();
        self.write_logs(&mut out, if is_explained { usize::MAX } else { MOST_FILES });
        self.write_rules(&mut out);
        if is_explained {
            self.write_shapes(&mut out, limit);
            self.write_lifelines(&mut out);
            self.write_messages(&mut out, limit.max(LEAST_MESSAGES));
            self.write_groups(&mut out);
            self.write_values(&mut out);
            self.write_pairs(&mut out, limit);
        }
        if let Some(comparison) = &self.specification {
            comparison.write(&mut out);
        }
        out.push_str(&findings::text(&self.findings, is_explained));
        if !is_explained && self.records.left_over() > 0 {
            out.push_str("`otus map --explain` shows the lines that no rule takes, and more\n");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    fn heading(&self, title: &str) -> String {
        if self.is_group_chosen { format!("{title} (of all groups)") } else { title.to_owned() }
    }

    fn write_logs(&self, out: &mut String, most: usize) {
        let numbers = ["lines", "matched", "ignored", "blank", "unmatched", "events"];
        let mut table = Table::new(&[&self.heading("log"), "read as"], &numbers, &[]);
        let row = |name: &str, format: &str, records: LineCounts, events: u64| {
            let LineCounts { all, matched, ignored, blank, .. } = records;
            let numbers = [all, matched, ignored, blank, records.left_over(), events];
            let texts = [name.to_owned(), format.to_owned()];
            texts.into_iter().chain(numbers.iter().map(u64::to_string)).collect()
        };
        for log in self.logs.iter().take(most) {
            table.push(row(&log.file, log.format, log.records, log.events));
        }
        table.push_rest(self.logs.len().saturating_sub(most));
        if self.logs.len() > 1 {
            let events = self.logs.iter().map(|log| log.events).sum();
            table.push(row("all", "", self.records, events));
        }
        table.write(out);
    }

    fn write_rules(&self, out: &mut String) {
        let mut table = Table::new(&[&self.heading("rule"), ""], &["lines"], &["first"]);
        for rule in &self.rules {
            let place = rule.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            let ignored = if rule.ignore { ", ignored" } else { "" };
            let first = rule.first.as_ref().map_or("never".to_owned(), ToString::to_string);
            let name = format!("{}{place}{ignored}", rule.rule);
            table.push(vec![rule.source.clone(), name, rule.hits.to_string(), first]);
        }
        table.write(out);
    }

    fn write_shapes(&self, out: &mut String, limit: usize) {
        let shapes = &self.unmatched.shapes;
        if shapes.is_empty() {
            return;
        }
        let others = self.unmatched.others;
        let count: u64 = shapes.iter().map(|shape| shape.count).sum::<u64>() + others;
        let kinds = counted(shapes.len(), "shape");
        let _ = writeln!(out, "{} that no rule takes, of {kinds}", counted(count, "line"));
        let (shown, rest) = shapes.split_at(shapes.len().min(limit));
        for shape in shown {
            let _ = writeln!(out, "  {:>6} × {}", shape.count, shape.shape.trim());
            let _ = writeln!(out, "           {}: {}", shape.first, shape.example.trim());
        }
        let more: u64 = rest.iter().map(|shape| shape.count).sum::<u64>() + others;
        if more > 0 {
            let _ = writeln!(out, "  {more:>6} × other shapes (--limit shows more)");
        }
        out.push('\n');
    }

    fn write_lifelines(&self, out: &mut String) {
        let numbers = ["sends", "receives", "others"];
        let mut table = Table::new(&[&self.heading("lifeline")], &numbers, &["first"]);
        for it in self.lifelines.iter().filter(|it| it.acts()) {
            let numbers = [it.sends, it.receives, it.others];
            let mut row = vec![it.lifeline.clone()];
            row.extend(numbers.iter().map(u64::to_string));
            row.extend(it.first.as_ref().map(ToString::to_string));
            table.push(row);
        }
        table.write(out);
        let silent = self.lifelines.iter().filter(|it| !it.acts() && it.named > 0);
        let silent: Vec<String> = silent
            .map(|it| format!("{} (named {} as the other side)", it.lifeline, times(it.named)))
            .collect();
        if !silent.is_empty() {
            let _ = writeln!(out, "without a log: {}\n", silent.join(", "));
        }
    }

    /// The fields that are kept. What is unknown can only be assumed by an analysis.
    fn write_values(&self, out: &mut String) {
        if self.values.is_empty() {
            return;
        }
        let numbers = ["known", "unknown", "unusable"];
        let mut table = Table::new(&[&self.heading("value")], &numbers, &[]);
        for it in &self.values {
            let numbers = [it.known, it.unknown, it.unusable];
            let numbers = numbers.iter().map(u64::to_string);
            table.push(std::iter::once(it.field.clone()).chain(numbers).collect());
        }
        table.write(out);
    }

    fn write_messages(&self, out: &mut String, most: usize) {
        let mut table = Table::new(&[&self.heading("message")], &["sent", "received"], &[]);
        let all: Vec<_> = self.messages.iter().filter(|it| it.occurs()).collect();
        for it in all.iter().take(most) {
            table.push(vec![it.message.clone(), it.sent.to_string(), it.received.to_string()]);
        }
        table.push_rest(all.len().saturating_sub(most));
        table.write(out);
    }

    fn write_groups(&self, out: &mut String) {
        let groups = &self.groups;
        if groups.total == 0 {
            return;
        }
        let total = counted(groups.total, "group");
        let _ = write!(out, "{total}, the largest with {}", counted(groups.largest, "event"));
        if groups.closable {
            let _ = write!(out, "; {} of {} complete", groups.closed, groups.all);
        }
        if groups.ungrouped > 0 {
            let _ = write!(out, "; {} without a group", counted(groups.ungrouped, "event"));
        }
        out.push('\n');
        for group in &groups.first {
            let state = match (groups.closable, group.closed) {
                (true, true) => ", complete",
                (true, false) => ", never completed",
                (false, _) => "",
            };
            let _ = writeln!(out, "  {}: {}{state}", group.group, counted(group.events, "event"));
        }
        if groups.total > groups.first.len() {
            let _ = writeln!(out, "  … {} more", groups.total - groups.first.len());
        }
        out.push('\n');
    }

    fn write_pairs(&self, out: &mut String, limit: usize) {
        let pairs = &self.pairs;
        if pairs.paired == 0 && pairs.unpaired.is_empty() {
            return;
        }
        let their = if pairs.paired == 1 { "its" } else { "their" };
        let receptions = self.heading(&counted(pairs.paired, "reception"));
        let _ = writeln!(out, "{receptions} with {their} emission");
        for (is_emission, fate, toward) in
            [(true, "sent, and never received", "to"), (false, "received, and never sent", "from")]
        {
            let those = pairs.unpaired.iter().filter(|it| it.is_emission == is_emission);
            let mut those: Vec<_> = those.collect();
            if those.is_empty() {
                continue;
            }
            let count: u64 = those.iter().map(|it| it.count).sum();
            let _ = writeln!(out, "{} {fate}", counted(count, "message"));
            those.sort_by(|a, b| b.count.cmp(&a.count).then(a.order.cmp(&b.order)));
            for it in those.iter().take(limit) {
                let peer = it.peer.as_ref().map(|peer| format!(" {toward} {peer}"));
                let peer = peer.unwrap_or_default();
                let (count, action, first) = (it.count, &it.action, &it.first);
                let _ = writeln!(out, "  {count:>6} × {action}{peer}, first at {first}");
            }
            if those.len() > limit {
                let _ = writeln!(out, "  … {} more kinds", those.len() - limit);
            }
        }
        out.push('\n');
    }
}

impl Comparison {
    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "beside {}", self.name);
        let before = out.len();
        let logs = &self.only_in_logs;
        for (kind, names) in [("lifeline", &logs.lifelines), ("message", &logs.messages)] {
            for unknown in names {
                let first = unknown.first.as_ref().map(|place| format!(", first at {place}"));
                let help = unknown.help.as_ref().map(|help| format!("; {help}"));
                let _ = writeln!(
                    out,
                    "  only the logs have the {kind} {} ({}{}){}",
                    unknown.name,
                    counted(unknown.actions, "action"),
                    first.unwrap_or_default(),
                    help.unwrap_or_default(),
                );
            }
        }
        let specification = &self.only_in_specification;
        let lifelines = specification.lifelines.iter().map(|name| {
            let is_unobserved = self.unobserved.contains(name);
            if is_unobserved { format!("{name} (unobserved)") } else { name.clone() }
        });
        let lifelines: Vec<String> = lifelines.collect();
        for (kind, names) in [("lifeline", &lifelines), ("message", &specification.messages)] {
            if !names.is_empty() {
                let plural = if names.len() == 1 { "" } else { "s" };
                let names = names.join(", ");
                let _ = writeln!(out, "  only the specification has the {kind}{plural} {names}");
            }
        }
        if out.len() == before {
            let _ = writeln!(out, "  all lifelines and messages of one are in the other");
        }
        out.push('\n');
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// Rows with aligned columns. Numbers are right-aligned.
struct Table {
    rows: Vec<Vec<String>>,
    is_number: Vec<bool>,
}

impl Table {
    /// A table with columns of texts, of numbers, and of texts again.
    fn new(before: &[&str], numbers: &[&str], after: &[&str]) -> Table {
        let titles = [before, numbers, after].concat();
        let is_number = |column| (before.len()..before.len() + numbers.len()).contains(&column);
        Table {
            is_number: (0..titles.len()).map(is_number).collect(),
            rows: vec![titles.into_iter().map(str::to_owned).collect()],
        }
    }

    fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Adds the number of rows that are left out, if any.
    fn push_rest(&mut self, count: usize) {
        if count > 0 {
            self.push(vec![format!("… {count} more")]);
        }
    }

    /// Writes the table, unless it has no row below its titles.
    fn write(&self, out: &mut String) {
        if self.rows.len() == 1 {
            return;
        }
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.is_number.len()).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                // The rows of a table are indented below its title.
                let indent = if column == 0 && index > 0 { "  " } else { "" };
                let room = if column == 0 && index == 0 { 2 } else { 0 };
                let width = widths[column] + room;
                let _ = if self.is_number[column] {
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
