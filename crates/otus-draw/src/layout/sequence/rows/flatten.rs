//! Flattens a tree to rows, including the marks that its author drew besides messages and frames.

use otus_core::Signature;
use otus_syntax::ast::{Interaction, LoopKind, NodeId, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::drawing::{self, ArrowHead, Drawing, Mark, Shown};
use otus_syntax::name::Name;
use otus_syntax::print;

use super::mark::{self, colour, guard, titles};
use super::{Arrow, Frame, Row, Rows, Text};
use crate::layout::sequence::durations::Times;
use crate::layout::sequence::{Options, tone, word};
use crate::metrics::PLAIN;
use crate::scene::{End, Tone};

enum Task<'a> {
    Visit(NodeId),
    Mark(&'a Mark, NodeId),
    Split(usize, Text),
    Close(usize),
}

impl Rows {
    pub(in crate::layout::sequence) fn of(
        file: &SpecFile,
        signature: &Signature,
        options: &Options<'_>,
    ) -> Self {
        let Some(interaction) = &file.interaction else { return Rows::default() };
        let drawing = file.drawing.as_deref();
        let is_authors = drawing.is_some_and(Drawing::is_whole);
        let mut flatten = Flatten {
            file,
            interaction,
            signature,
            options,
            drawing,
            is_authors,
            rows: Rows::default(),
            tasks: vec![Task::Visit(interaction.root)],
            open: Vec::new(),
            left_out: 0,
            fresh: None,
        };
        while let Some(task) = flatten.tasks.pop() {
            flatten.task(task);
        }
        while let Some(open) = flatten.open.pop() {
            flatten.close(open.frame);
        }
        flatten.tell_left_out();
        flatten.rows
    }
}

/// A frame that is open.
struct Open {
    frame: usize,
    /// Whether a mark of the author opened the frame, so that another mark closes it.
    by_mark: bool,
}

struct Flatten<'a> {
    file: &'a SpecFile,
    interaction: &'a Interaction,
    signature: &'a Signature,
    options: &'a Options<'a>,
    drawing: Option<&'a Drawing>,
    /// Whether an author drew it.
    is_authors: bool,
    rows: Rows,
    tasks: Vec<Task<'a>>,
    /// The frames that are open, innermost last.
    open: Vec<Open>,
    /// The number of parts that are not drawn since the last row.
    left_out: usize,
    /// The fresh variables of the loop that is drawn next, as its title shows them.
    fresh: Option<String>,
}

impl<'a> Flatten<'a> {
    fn task(&mut self, task: Task<'a>) {
        match task {
            Task::Visit(_) | Task::Mark(Mark::Open(_), _)
                if self.rows.rows.len() >= self.options.max_rows =>
            {
                self.left_out += 1;
            }
            Task::Visit(node) => self.visit(node),
            Task::Mark(mark, node) => self.mark(mark, node),
            Task::Split(frame, guard) => {
                self.close_marked();
                if self.left_out == 0 {
                    self.rows.rows.push(Row::Split(frame, guard));
                }
            }
            Task::Close(frame) => {
                self.close_marked();
                self.open.pop();
                self.close(frame);
            }
        }
    }

    fn tell_left_out(&mut self) {
        if self.left_out > 0 {
            self.rows.rows.push(Row::Elided(std::mem::take(&mut self.left_out)));
        }
    }

    fn close(&mut self, frame: usize) {
        self.tell_left_out();
        self.rows.rows.push(Row::Close(frame));
    }

    /// Closes the frames of marks inside the innermost operator.
    fn close_marked(&mut self) {
        while let Some(open) = self.open.pop_if(|open| open.by_mark) {
            self.close(open.frame);
        }
    }

    fn mark(&mut self, mark: &'a Mark, node: NodeId) {
        match mark {
            Mark::Open(frame) => {
                let (title, guard) = titles(frame, "group");
                self.open(node, title, guard, colour(frame.colour.as_ref()), Vec::new(), true);
            }
            Mark::Close => {
                if let Some(open) = self.open.pop_if(|open| open.by_mark) {
                    self.close(open.frame);
                }
            }
            Mark::Note(_)
            | Mark::Divider(_)
            | Mark::Delay(_)
            | Mark::Space(_)
            | Mark::Reference { .. }
            | Mark::Activate { .. }
            | Mark::Deactivate(_)
            | Mark::Create(_)
            | Mark::Destroy(_)
            | Mark::Page(_) => {
                if self.left_out == 0 {
                    let row = mark::row(mark, |name| index(self.file, self.signature, name));
                    self.rows.rows.extend(row);
                }
            }
        }
    }

    fn open(
        &mut self,
        node: NodeId,
        title: String,
        guard: Text,
        colour: Option<crate::colour::Colour>,
        concurrent: Vec<usize>,
        by_mark: bool,
    ) {
        let frame = self.rows.frames.len();
        let tone = tone(self.options, node);
        let title = title + &self.fresh.take().unwrap_or_default();
        self.rows.frames.push(Frame { node, title, guard, colour, concurrent, span: None, tone });
        self.rows.rows.push(Row::Open(frame));
        self.open.push(Open { frame, by_mark });
    }

    fn visit(&mut self, id: NodeId) {
        let shown = self.drawing.and_then(|drawing| drawing.of(id));
        if let Some(shown) = shown {
            self.tasks.extend(shown.after.iter().rev().map(|mark| Task::Mark(mark, id)));
            if !shown.before.is_empty() {
                // Marks may open frames around the node, so they come before it.
                for mark in &shown.before {
                    self.task(Task::Mark(mark, id));
                }
            }
        }
        self.node(id, shown);
    }

    fn node(&mut self, id: NodeId, shown: Option<&'a Shown>) {
        let interaction = self.interaction;
        match &interaction.node(id).kind {
            NodeKind::Empty | NodeKind::Invalid if self.is_authors => {}
            NodeKind::Empty | NodeKind::Invalid => self.rows.rows.push(Row::Empty),
            NodeKind::Passing(passing) => {
                let look = shown.and_then(|shown| shown.arrow.as_ref());
                let arrow = self.arrow(id, passing, look);
                self.rows.rows.push(Row::Arrow(arrow));
            }
            NodeKind::Operator(Operator::Fresh(variables), operands) => {
                self.fresh = Some(format!(" (fresh {})", list(self.file, variables)));
                for &operand in operands {
                    self.visit(operand);
                }
            }
            NodeKind::Operator(operator, operands) => {
                if let Some(look) = shown.and_then(|shown| shown.arrow.as_ref())
                    && let Some(NodeKind::Passing(passing)) =
                        operands.first().map(|first| &interaction.node(*first).kind)
                {
                    // The arrow has heads in both directions.
                    let arrow = self.arrow(id, passing, Some(look));
                    self.rows.rows.push(Row::Arrow(arrow));
                    return;
                }
                match shown.and_then(|shown| shown.frame.as_ref()) {
                    Some(frame) => self.written(id, operator, operands, frame),
                    None => self.operator(id, operator, operands),
                }
            }
        }
    }

    /// A frame as its author wrote it.
    fn written(
        &mut self,
        id: NodeId,
        operator: &Operator,
        operands: &[NodeId],
        frame: &'a drawing::Frame,
    ) {
        let own = title(self.file, operator);
        let (drawn, first) = titles(frame, &own);
        // A directive above the frame gave it a meaning that differs from its word.
        let is_special = match operator {
            Operator::Loop(kind) => !matches!(kind, LoopKind::Weak | LoopKind::HeadFirst),
            Operator::Coreg(_) | Operator::Strict | Operator::New(_) | Operator::Fresh(_) => true,
            Operator::Seq | Operator::Par | Operator::Alt => false,
        };
        let title = if is_special { own } else { drawn };
        let concurrent = self.concurrent(operator);
        self.open(id, title, first, colour(frame.colour.as_ref()), concurrent, false);
        let number = self.rows.frames.len() - 1;
        self.tasks.push(Task::Close(number));
        if frame.operands.is_empty() {
            // The operands of a block are its statements.
            self.tasks.extend(operands.iter().rev().map(|&operand| Task::Visit(operand)));
        }
        for (place, operand) in frame.operands.iter().enumerate().rev() {
            self.tasks.push(Task::Visit(operand.node));
            if place > 0 {
                self.tasks.push(Task::Split(number, guard(&operand.guard)));
            }
        }
    }

    /// An operator that no author drew.
    fn operator(&mut self, id: NodeId, operator: &Operator, operands: &[NodeId]) {
        let interaction = self.interaction;
        let is_empty = |id: &NodeId| interaction.node(*id).kind == NodeKind::Empty;
        let is_drawn = |id: &NodeId| {
            !is_empty(id) || self.drawing.is_some_and(|drawing| drawing.of(*id).is_some())
        };
        // In the author's own drawing, an `Alt` here comes from `break` and a `Par` from lines that begin with `&`;
        // neither has a frame.
        let has_no_frame = self.is_authors && matches!(operator, Operator::Par | Operator::Alt);
        if *operator == Operator::Seq || has_no_frame {
            // ∅ is neutral in a sequence, and is only drawn if there is nothing else.
            let mut drawn: Vec<NodeId> = operands.iter().copied().filter(is_drawn).collect();
            if drawn.is_empty() {
                drawn.extend(operands.first());
            }
            self.tasks.extend(drawn.into_iter().rev().map(Task::Visit));
            return;
        }
        let optional = *operator == Operator::Alt
            && operands.len() == 2
            && operands.iter().filter(|id| is_empty(id)).count() == 1;
        let title = if optional { "opt".to_owned() } else { title(self.file, operator) };
        let concurrent = self.concurrent(operator);
        let drawn: Vec<NodeId> =
            operands.iter().copied().filter(|id| !(optional && is_empty(id))).collect();
        self.open(id, title, Text::default(), None, concurrent, false);
        let frame = self.rows.frames.len() - 1;
        self.tasks.push(Task::Close(frame));
        for (place, operand) in drawn.into_iter().rev().enumerate() {
            if place > 0 {
                self.tasks.push(Task::Split(frame, Text::default()));
            }
            self.tasks.push(Task::Visit(operand));
        }
    }

    fn concurrent(&self, operator: &Operator) -> Vec<usize> {
        let lifelines = operator.region().iter();
        lifelines.filter_map(|name| index(self.file, self.signature, name)).collect()
    }

    fn arrow(&self, node: NodeId, passing: &Passing, look: Option<&drawing::Arrow>) -> Arrow {
        let lifeline = |name: &Name| index(self.file, self.signature, name);
        let mut targets: Vec<usize> =
            passing.target.lifelines().iter().filter_map(lifeline).collect();
        targets.sort_unstable();
        targets.dedup();
        let origin = passing.origin.as_ref().and_then(lifeline);
        let message = self.file.names.text(passing.message.symbol).to_owned();
        let guard = print::guard(self.file, passing);
        let text = format!("{message} {guard}");
        let head = if passing.synchronous { End::Filled } else { End::Open };
        let mut arrow = Arrow {
            node,
            origin,
            targets,
            towards: None,
            label: Text::name(PLAIN, text.trim_end(), self.options.label_width),
            message,
            synchronous: passing.synchronous,
            ends: [End::Plain, head],
            dotted: false,
            colour: None,
            creates: None,
            destroys: Vec::new(),
            times: Times::of(passing, lifeline),
            tone: tone(self.options, node),
        };
        if let Some(look) = look {
            arrow.wear(look, if look.guard.is_empty() { &guard } else { &look.guard }, lifeline);
        }
        arrow
    }
}

/// The width at which the texts of messages are broken, in addition to the lines of their author.
const LABEL: f64 = 250.0;

impl Arrow {
    /// Takes the look that its author gave it.
    fn wear(
        &mut self,
        look: &drawing::Arrow,
        guard: &str,
        lifeline: impl Fn(&Name) -> Option<usize>,
    ) {
        let mut text = match &look.number {
            Some(number) if look.text.is_empty() => number.clone(),
            // A number with a form of its own needs no colon.
            Some(number) if !number.ends_with(|c: char| c.is_ascii_digit()) => {
                format!("{number} {}", look.text)
            }
            Some(number) => format!("{number}: {}", look.text),
            None => look.text.clone(),
        };
        if !guard.is_empty() {
            let separator = if text.is_empty() { "" } else { " " };
            text.push_str(separator);
            text.push_str(guard);
        }
        self.label = Text::of(PLAIN, &text, LABEL);
        if self.synchronous {
            // Its head does not tell, since it is that of the author.
            self.label.put_first("«synch»");
        }
        let head = match look.head {
            ArrowHead::Filled => End::Filled,
            ArrowHead::Open => End::Open,
            ArrowHead::Half => End::Half,
            ArrowHead::None => End::Plain,
        };
        let tail = if look.both { head } else { End::Plain };
        self.ends = [tail, if look.lost { End::Cross } else { head }];
        // Other tones have their own dashes.
        self.dotted = look.dotted && self.tone == Tone::Normal;
        self.colour = colour(look.colour.as_ref());
        let towards = look.towards.as_ref().and_then(lifeline);
        if towards.is_some() && towards == self.origin {
            // The lifeline calls itself; this is not a message for the engine.
            self.targets = towards.into_iter().collect();
        } else {
            self.towards = towards;
        }
    }
}

fn index(file: &SpecFile, signature: &Signature, name: &Name) -> Option<usize> {
    signature.lifeline(file.names.text(name.symbol)).map(otus_core::index::Index::index)
}

fn title(file: &SpecFile, operator: &Operator) -> String {
    let (word, has_region) = word(operator);
    if let Operator::New(variables) = operator {
        return format!("{word} {}", list(file, variables));
    }
    if !has_region {
        return word.to_owned();
    }
    format!("{word} ({})", list(file, operator.region()))
}

/// Names, separated by commas.
fn list(file: &SpecFile, names: &[Name]) -> String {
    let names = names.iter().map(|name| file.names.text(name.symbol));
    names.collect::<Vec<_>>().join(", ")
}
