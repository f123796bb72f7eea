//! Writes the rows of a sequence diagram in a terminal, from top to bottom.

use otus_syntax::ast::{Interaction, NodeId, NodeKind};

use super::canvas::{Canvas, width};
use super::measure::{Appearance, Arrow, Measured, UNREADABLE};
use crate::metrics::grouped;

/// Writes heads and rows, and the number of rows beyond `limit`.
pub(super) fn write(
    measured: &Measured,
    interaction: &Interaction,
    limit: usize,
    canvas: &mut Canvas,
) {
    if !measured.heads.is_empty() {
        heads(measured, canvas);
    }
    let mut writer = Writer { measured, canvas, frames: Vec::new(), left: limit };
    let root = interaction.root;
    let total = measured.parts[root.0 as usize].rows.max(1);
    writer.run(interaction, root);
    let written = (limit - writer.left) as u64;
    if written < total {
        let more = usize::try_from(total - written).unwrap_or(usize::MAX);
        canvas.say(&format!("… {} more {}", grouped(more), if more == 1 { "row" } else { "rows" }));
    }
}

fn heads(measured: &Measured, canvas: &mut Canvas) {
    for [left_end, middle, right_end] in [['┌', '─', '┐'], ['│', ' ', '│'], ['└', '─', '┘']]
    {
        for (head, &column) in measured.heads.iter().zip(&measured.columns) {
            let width = width(head) + 4;
            let left = column - (width - 1) / 2;
            let right = left + width - 1;
            canvas.fill(left + 1, right, middle);
            canvas.put(left, left_end);
            canvas.put(right, right_end);
            match left_end {
                '│' => canvas.text(left + 2, head),
                '└' => canvas.put(column, '┬'),
                _ => {}
            }
        }
        canvas.next();
    }
}

enum Task {
    Node(NodeId),
    /// An operand of a frame that has no rows.
    Nothing,
    /// The line between two operands.
    Separator,
    /// The lower side of the innermost frame.
    Close,
}

struct Writer<'w> {
    measured: &'w Measured,
    canvas: &'w mut Canvas,
    /// The left and right sides of all frames around, the innermost last.
    frames: Vec<(usize, usize)>,
    /// The number of rows that may still be written.
    left: usize,
}

impl Writer<'_> {
    fn run(&mut self, interaction: &Interaction, root: NodeId) {
        let rows = |id: NodeId| self.measured.parts[id.0 as usize].rows;
        let mut tasks = vec![if rows(root) == 0 { Task::Nothing } else { Task::Node(root) }];
        while self.left > 0
            && let Some(task) = tasks.pop()
        {
            match task {
                Task::Nothing => self.nothing("∅"),
                Task::Separator => self.line(['├', '╌', '┤'], ""),
                Task::Close => {
                    self.line(['└', '─', '┘'], "");
                    self.frames.pop();
                }
                Task::Node(id) => {
                    let part = &self.measured.parts[id.0 as usize];
                    match &part.appearance {
                        Appearance::Invalid => self.nothing(UNREADABLE),
                        Appearance::Arrow(arrow) => self.arrow(arrow),
                        Appearance::Sequence => {
                            if let NodeKind::Operator(_, operands) = &interaction.node(id).kind {
                                // Only operands with rows are visited, so the time is linear in rows.
                                let some = operands
                                    .iter()
                                    .rev()
                                    .filter(|&&id| self.measured.parts[id.0 as usize].rows > 0);
                                tasks.extend(some.map(|&id| Task::Node(id)));
                            }
                        }
                        Appearance::Frame { title, operands, separated } => {
                            let (first, last) = part.span.unwrap_or((0, 0));
                            let side = |lifeline: usize| self.measured.columns[lifeline];
                            self.frames.push((side(first) - part.left, side(last) + part.right));
                            self.line(['┌', '─', '┐'], title);
                            self.operands(operands, *separated, &mut tasks);
                        }
                    }
                }
            }
        }
    }

    fn operands(&self, operands: &[NodeId], separated: bool, tasks: &mut Vec<Task>) {
        let has_rows = |id: NodeId| self.measured.parts[id.0 as usize].rows > 0;
        tasks.push(Task::Close);
        if !separated && !operands.iter().any(|&id| has_rows(id)) {
            tasks.push(Task::Nothing);
            return;
        }
        for (index, &operand) in operands.iter().enumerate().rev() {
            if has_rows(operand) {
                tasks.push(Task::Node(operand));
            } else if separated {
                tasks.push(Task::Nothing);
            }
            if separated && index > 0 {
                tasks.push(Task::Separator);
            }
        }
    }

    /// Writes the background of a row: lifelines, and the sides of all frames but the innermost `open`.
    fn background(&mut self, open: usize) {
        for &column in &self.measured.columns {
            self.canvas.put(column, '│');
        }
        for &(left, right) in &self.frames[..self.frames.len() - open] {
            self.canvas.put(left, '│');
            self.canvas.put(right, '│');
        }
    }

    /// Ends a row, or drops it if it is beyond the limit.
    fn end(&mut self) {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.canvas.next();
                self.left = left;
            }
            None => self.canvas.clear(),
        }
    }

    /// A side of the innermost frame, or a line through it.
    fn line(&mut self, [left_end, middle, right_end]: [char; 3], title: &str) {
        self.background(1);
        if let Some(&(left, right)) = self.frames.last() {
            self.canvas.fill(left + 1, right, middle);
            self.canvas.put(left, left_end);
            self.canvas.put(right, right_end);
            if !title.is_empty() {
                self.canvas.text(left + 2, &format!("[{title}]"));
            }
        }
        self.end();
    }

    /// A word in the middle of the innermost frame or, outside of frames, in the middle of all
    /// lifelines.
    fn nothing(&mut self, word: &str) {
        self.background(0);
        let all = self.measured.columns.first().zip(self.measured.columns.last());
        let (left, right) =
            self.frames.last().copied().or(all.map(|(&a, &b)| (a, b))).unwrap_or((0, 0));
        let at = (usize::midpoint(left, right) + 1).saturating_sub(width(word).div_ceil(2));
        // A word of one column is moved beside a lifeline if it would cover the lifeline and there
        // is room.
        let beside = self.canvas.at(at) == '│' && width(word) == 1 && at + 2 < right;
        self.canvas.text(if beside { at + 2 } else { at }, word);
        self.end();
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let column = |lifeline: usize| self.measured.columns[lifeline];
        let origin = arrow.origin.map(column);
        let targets: Vec<usize> = arrow.targets.iter().map(|&target| column(target)).collect();
        let reach = width(&arrow.label) + 3;
        if let (Some(at), true) = (origin, targets.is_empty()) {
            if arrow.own {
                self.background(0);
                self.canvas.text(at + 2, &arrow.label);
                self.end();
                self.own(at, arrow.synchronous);
            } else {
                // The message goes to the environment.
                let end = at + reach.max(5);
                self.label(at, end, &arrow.label);
                self.background(0);
                self.shaft(at, end, arrow.synchronous);
                self.canvas.put(end - 1, '►');
                self.canvas.put(end, '○');
                self.end();
            }
            return;
        }
        // Messages from the environment come from the left of all receivers.
        let first = targets.first().copied().unwrap_or(0);
        let start = origin.unwrap_or_else(|| first.saturating_sub(reach.max(5)));
        let low = first.min(start);
        let high = targets.last().copied().unwrap_or(0).max(start);
        self.label(low, if origin.is_some() { high } else { first }, &arrow.label);
        self.background(0);
        self.shaft(start, high, arrow.synchronous);
        self.shaft(start, low, arrow.synchronous);
        for &target in &targets {
            self.canvas.put(target, '│');
            if target > start {
                self.canvas.put(target - 1, '►');
            } else {
                self.canvas.put(target + 1, '◄');
            }
        }
        let end = match (origin, low < start, high > start) {
            (None, _, _) => '○',
            (Some(_), true, true) => crossing(arrow.synchronous),
            (Some(_), true, false) => ['┤', '╡'][usize::from(arrow.synchronous)],
            (Some(_), false, _) => ['├', '╞'][usize::from(arrow.synchronous)],
        };
        self.canvas.put(start, end);
        self.end();
        if let (Some(at), true) = (origin, arrow.own) {
            self.own(at, arrow.synchronous);
        }
    }

    /// A line from one column to another, with a crossing at every lifeline.
    fn shaft(&mut self, from: usize, to: usize, synchronous: bool) {
        let (low, high) = (from.min(to), from.max(to));
        self.canvas.fill(low + 1, high, ['─', '═'][usize::from(synchronous)]);
        for &column in self.measured.columns.iter().filter(|&&x| low < x && x < high) {
            self.canvas.put(column, crossing(synchronous));
        }
        if from < to {
            self.canvas.put(from, ['├', '╞'][usize::from(synchronous)]);
        }
    }

    /// The row above an arrow. The label is written between two lifelines if it fits, as close to
    /// the middle as possible; otherwise it is written over the lifelines.
    fn label(&mut self, low: usize, high: usize, label: &str) {
        self.background(0);
        let columns = width(label);
        let between = self.measured.columns.iter().copied().filter(|&x| low < x && x < high);
        let ends: Vec<usize> = std::iter::once(low).chain(between).chain([high]).collect();
        let at = |low: usize, high: usize| low + 1 + (high - low - 1).saturating_sub(columns) / 2;
        let middle = at(low, high);
        let fitting = ends.windows(2).filter(|pair| pair[1] - pair[0] > columns + 2);
        let nearest = fitting.min_by_key(|pair| (pair[0] + pair[1]).abs_diff(low + high));
        self.canvas.text(nearest.map_or(middle, |pair| at(pair[0], pair[1])), label);
        self.end();
    }

    /// A message of a lifeline to itself.
    fn own(&mut self, at: usize, synchronous: bool) {
        let shaft = ['─', '═'][usize::from(synchronous)];
        for (start, end) in [(['├', '╞'][usize::from(synchronous)], '┐'), ('│', '┘')] {
            self.background(0);
            self.canvas.fill(at + 1, at + 3, shaft);
            self.canvas.put(at, start);
            self.canvas.put(at + 3, end);
            if end == '┘' {
                self.canvas.put(at + 1, '◄');
            }
            self.end();
        }
    }
}

fn crossing(synchronous: bool) -> char {
    ['┼', '╪'][usize::from(synchronous)]
}
