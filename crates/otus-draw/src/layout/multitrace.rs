//! Multi-traces: a lane per component, with its observed actions in order.
//!
//! A lane begins with a box with the lifelines of the component, followed by the actions, those of one moment in a
//! common frame. The progress of an analysis is shown by the signs of paper 003 (Fig. 5 and 7): a white flag where
//! observation began, with the number of actions consumed, a black flag where it ended, and clovers with the
//! number of actions that were simulated before and after. The paper has a white and a black clover, but fonts
//! have only one. At the beginning of a lane it means "before", and after the black flag it means "after". A thick
//! bar separates consumed actions from the rest, a removed component is struck out, and dashed boxes stand for
//! possible unobserved actions.
//!
//! Long lanes continue in further rows, and very long ones show a window around the bar with the number of actions
//! left out; so the time is linear in the actions shown.

use std::ops::Range;

use otus_analysis::question::Observed;
use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{Pool, Signature};
use otus_syntax::print;
use otus_trace::multitrace::ComponentId;
use otus_trace::{Facts, FieldNames, MultiTrace, Step, facts};

use crate::geometry::{Point, Rect, Size, point};
use crate::metrics::{Font, PLAIN, SMALL, grouped};
use crate::scene::{Anchor, Item, Role, Scene, Tone};

/// The state of an analysis on one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lane {
    /// The number of moments of the log that are consumed.
    pub consumed: usize,
    /// The number of actions simulated before observation began.
    pub simulated_before: usize,
    /// The number of actions simulated after observation ended.
    pub simulated_after: usize,
    /// Whether the lifelines of the log were removed.
    pub removed: bool,
    /// The part of the behaviour that was observed, if it is declared.
    pub observed: Option<Observed>,
}

impl Lane {
    /// The state of the log in words; `consumed` says how much of the log is consumed.
    pub(crate) fn remarks(self, consumed: Option<String>) -> Vec<String> {
        let simulated = |count: usize, when: &str| {
            (count > 0).then(|| format!("{} simulated {when}", grouped(count)))
        };
        let remarks = [
            self.removed.then(|| "removed".to_owned()),
            simulated(self.simulated_before, "before"),
            consumed,
            simulated(self.simulated_after, "after"),
            self.observed.map(|observed| observed.name().to_owned()),
        ];
        remarks.into_iter().flatten().collect()
    }
}

/// The lifelines of a component, separated by commas.
pub(crate) fn names(trace: &MultiTrace, signature: &Signature, component: ComponentId) -> String {
    let lifelines = trace.partition().lifelines(component).iter();
    let names: Vec<&str> = lifelines.map(|&l| signature.lifeline_name(l)).collect();
    names.join(", ")
}

/// The options of the picture of a multi-trace.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The lane of each component; components beyond the end have the default lane.
    pub lanes: &'o [Lane],
    /// The width of the part with the actions. A lane that is wider continues in another row.
    pub room: f64,
    /// The maximum number of actions of a component that are shown.
    pub limit: usize,
    /// Whether the picture is small, as a part of another one: no sentences, little space.
    pub compact: bool,
    /// The tone of an action, given its component and its index there. `None` means that the tone
    /// follows from the lane.
    pub tone: &'o dyn Fn(ComponentId, usize) -> Option<Tone>,
    /// The values of the events, which are shown behind their actions, and the names of their fields. Times stand above
    /// the events.
    pub values: Option<Values<'o>>,
}

/// The values of events, and the names of their fields.
pub type Values<'o> = (&'o Facts, &'o FieldNames);

/// What an event carries besides its time: `mid=7, topic="a/b"`. Empty if that is nothing.
pub(crate) fn carried((facts, fields): Values<'_>, component: ComponentId, step: usize) -> String {
    let known = fields.items.iter_with_ids().filter_map(|(field, name)| {
        let value = facts.known(field, component, step).filter(|_| field != Valued::TIME)?;
        Some(format!("{name}={}", print::trace_value(&facts::literal_of(field, &value))))
    });
    known.collect::<Vec<_>>().join(", ")
}

/// The time of an event as the text of a multi-trace has it.
fn time((facts, _): Values<'_>, component: ComponentId, step: usize) -> Option<String> {
    let time = facts.known(Valued::TIME, component, step)?;
    Some(format!("{} s", print::trace_value(&facts::literal_of(Valued::TIME, &time))))
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            lanes: &[],
            room: 720.0,
            limit: 200,
            compact: false,
            tone: &|_, _| None,
            values: None,
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("lanes", &self.lanes)
            .field("room", &self.room)
            .field("limit", &self.limit)
            .field("compact", &self.compact)
            .finish_non_exhaustive()
    }
}

/// A multi-trace as a picture. Every action has the subject `event-<component>-<index>`, both
/// counted from 0, every head `component-<component>`.
///
/// ```
/// use otus_core::{Pool, Signature};
/// use otus_draw::layout::multitrace::{Options, multi_trace};
/// use otus_syntax::{Source, parse_trace};
///
/// let mut signature = Signature::default();
/// signature.add_lifeline("a");
/// let mut pool = Pool::new(signature);
/// let parsed = parse_trace(&Source::new("run.htf", "[a] a!m.a?n"));
/// let (trace, _) = otus_trace::lower(&parsed.tree, &mut pool);
/// let scene = multi_trace(&trace, &pool, &Options::default());
/// assert_eq!(scene.description, "a: a!m, a?n.");
/// ```
pub fn multi_trace(trace: &MultiTrace, pool: &Pool, options: &Options<'_>) -> Scene {
    let mut scene = Scene::new("A multi-trace");
    let signature = pool.signature();
    let style = Style::of(options);
    let heads: Vec<Vec<String>> = trace
        .partition()
        .components()
        .map(|component| head(trace, signature, component, &style))
        .collect();
    let widths = heads.iter().flatten().map(|line| style.strong.width(line));
    let width = widths.fold(style.least_head, f64::max) + 2.0 * style.inside;
    let mut top = 0.0;
    let mut sentences = Vec::new();
    for (component, head) in trace.partition().components().zip(&heads) {
        let lane = options.lanes.get(component.index()).copied().unwrap_or_default();
        let moments = trace.moments(component).take(lane.consumed);
        let consumed = moments.map(<[Step]>::len).sum();
        let scene = &mut scene;
        let mut painter = Painter { scene, trace, pool, options, style, lane, component, consumed };
        top = painter.lane(head, width, top) + style.between;
        sentences.push(painter.sentence());
    }
    if heads.is_empty() {
        scene.nothing_but("no lifelines", style.plain);
        sentences.push("It has no lifelines.".to_owned());
    }
    scene.description = sentences.join(" ");
    scene.fit(if options.compact { 2.0 } else { 12.0 });
    scene
}

#[derive(Debug, Clone, Copy)]
struct Style {
    plain: Font,
    strong: Font,
    /// The distance between a text and the box around it.
    inside: f64,
    /// The distance between two moments, and between two lanes.
    step: f64,
    between: f64,
    /// The distance between the boxes of one moment and its frame.
    frame: f64,
    least_head: f64,
    /// The maximum width of the text of a head, and of an action.
    head_room: f64,
    action_room: f64,
    /// The height above the boxes for times.
    above: f64,
}

impl Style {
    fn of(options: &Options<'_>) -> Self {
        let plain = if options.compact { SMALL } else { PLAIN };
        let length = |small: f64, large: f64| if options.compact { small } else { large };
        Style {
            plain,
            strong: Font { bold: true, ..plain },
            inside: length(4.0, 7.0),
            step: length(7.0, 14.0),
            between: length(5.0, 16.0),
            frame: length(2.5, 4.0),
            least_head: length(8.0, 24.0),
            head_room: length(90.0, 140.0),
            action_room: length(110.0, 240.0),
            above: match options.values {
                Some((facts, _)) if facts.has_times() => SMALL.line_height() + 2.0,
                Some(_) | None => 0.0,
            },
        }
    }

    fn box_height(&self) -> f64 {
        self.plain.line_height() + self.inside
    }

    /// The height of a row of boxes, without the times above them.
    fn row_height(&self) -> f64 {
        self.box_height() + 2.0 * self.frame
    }
}

/// The label of a lifeline with its name, if they differ.
fn shown(signature: &Signature, lifeline: otus_core::LifelineId) -> String {
    let name = signature.lifeline_name(lifeline);
    match signature.label(lifeline) {
        Some(label) if label != name => format!("{label} ({name})"),
        Some(_) | None => name.to_owned(),
    }
}

const HEAD_LINES: usize = 4;

fn head(
    trace: &MultiTrace,
    signature: &Signature,
    component: ComponentId,
    style: &Style,
) -> Vec<String> {
    let all = trace.partition().lifelines(component);
    let room = style.head_room;
    let mut lines: Vec<String> = Vec::new();
    for (index, &lifeline) in all.iter().enumerate() {
        let comma = if index + 1 < all.len() { "," } else { "" };
        let name = style.strong.shorten(&shown(signature, lifeline), room - 10.0) + comma;
        let joined = lines.last().map(|line| format!("{line} {name}"));
        if let Some(joined) = joined.filter(|joined| style.strong.width(joined) <= room) {
            lines.pop();
            lines.push(joined);
        } else if lines.len() + 1 == HEAD_LINES && all.len() - index > 1 {
            lines.push(format!("… {} more", grouped(all.len() - index)));
            break;
        } else {
            lines.push(name);
        }
    }
    lines
}

struct Painter<'p, 'o> {
    scene: &'p mut Scene,
    trace: &'p MultiTrace,
    pool: &'p Pool,
    options: &'p Options<'o>,
    style: Style,
    lane: Lane,
    component: ComponentId,
    consumed: usize,
}

impl Painter<'_, '_> {
    /// Draws a lane below `top`; returns its bottom.
    fn lane(&mut self, head: &[String], width: f64, top: f64) -> f64 {
        let style = self.style;
        let tone = self.lane_tone();
        let height = (style.strong.height(head.len()) + style.inside).max(style.row_height());
        let top = top + style.above;
        let rect = Rect::at(point(0.0, top), Size { width, height });
        let items = self.scene.head(rect, head, style.strong, tone);
        items[0].subject = Some(format!("component-{}", self.component.0));

        // If the head has several lines, the first row is aligned with the middle of the head.
        let start = point(rect.right, top + (height - style.row_height()) / 2.0);
        let (right, mut bottom) = self.rows(start);
        if self.lane.removed {
            let y = rect.center().y;
            let line = Item::line(Role::Cut, point(-4.0, y), point(right + 4.0, y));
            self.scene.push(line.tone(Tone::Assumed));
        }
        bottom = bottom.max(rect.bottom);
        let remarks = self.remarks();
        if !self.options.compact && !remarks.is_empty() {
            let room = self.options.room.max(120.0);
            let lines = SMALL.wrap(&remarks.join(" · "), room);
            bottom = self.scene.asides(&lines, point(rect.right + style.step, bottom + 2.0));
        }
        bottom
    }

    /// Draws the rows of a lane, beginning beside its head; returns the right end of the first
    /// and the bottom of the last.
    fn rows(&mut self, start: Point) -> (f64, f64) {
        let style = self.style;
        let pieces = self.pieces();
        let most = start.x + self.options.room.max(80.0);
        let tone = if self.lane_tone() == Tone::Normal { Tone::Normal } else { Tone::Faded };
        let (mut x, mut top, mut first_right) = (start.x, start.y, None);
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && x + style.step + piece.size.width > most {
                first_right.get_or_insert(x);
                x = start.x;
                top += style.row_height() + style.above + 4.0;
            }
            let middle = top + style.row_height() / 2.0;
            let line = Item::line(Role::Lifeline, point(x, middle), point(x + style.step, middle));
            self.scene.push(line.tone(tone));
            x += style.step;
            self.scene.place(piece, point(x, middle));
            x += piece.size.width;
        }
        (first_right.unwrap_or(x), top + style.row_height())
    }

    /// The pieces of a lane, from left to right. Each piece has its own width, and its vertical
    /// middle is at 0.
    fn pieces(&self) -> Vec<Scene> {
        let lane = self.lane;
        let (steps, consumed) = (self.steps(), self.consumed);
        let mut pieces = Vec::new();
        // Small pictures and removed components do not show unobserved actions.
        let watched = lane.observed.filter(|_| !lane.removed && !self.options.compact);
        let late = watched.is_some_and(Observed::may_start_late);
        let early = watched.is_some_and(Observed::may_stop_early);
        let clover = |count: usize| self.stub(&format!("☘ {}", grouped(count)), Tone::Assumed);
        let unseen = || self.stub("…", Tone::Faded);
        let more = |count: usize| self.stub(&format!("… {} more …", grouped(count)), Tone::Faded);
        if lane.simulated_before > 0 {
            pieces.push(clover(lane.simulated_before));
        } else if late {
            pieces.push(unseen());
        }
        if consumed > 0 {
            pieces.push(self.mark(&format!("⚐ {}", grouped(consumed)), Tone::Good));
        }
        // The moments, or a window of them around the bar if there are too many.
        let shown = self.shown();
        if shown.start > 0 {
            pieces.push(more(shown.start));
        }
        let mut at = shown.start;
        for moment in steps[shown].chunk_by(|_, next| next.joined()) {
            if at == consumed && consumed > 0 {
                pieces.push(self.bar());
            }
            pieces.push(self.moment(at..at + moment.len()));
            at += moment.len();
        }
        if at < steps.len() {
            pieces.push(more(steps.len() - at));
        }
        if lane.simulated_after > 0 || (consumed > 0 && consumed == steps.len()) {
            pieces.push(self.mark("⚑", Tone::Good));
        }
        if lane.simulated_after > 0 {
            pieces.push(clover(lane.simulated_after));
        } else if early && (!late || !steps.is_empty()) {
            pieces.push(unseen());
        }
        if pieces.is_empty() {
            pieces.push(self.mark("ε", Tone::Faded));
        }
        pieces
    }

    /// Adds a box with a text to a piece; returns its right side.
    fn add_box(
        &self,
        piece: &mut Scene,
        left: f64,
        text: &str,
        tone: Tone,
        subject: Option<String>,
        time: Option<&str>,
    ) -> f64 {
        let (font, height) = (self.style.plain, self.style.box_height());
        let least = time.map_or(0.0, |time| SMALL.width(time));
        let width = (font.width(text) + 2.0 * self.style.inside).max(least);
        let rect = Rect::at(point(left, -height / 2.0), Size { width, height });
        piece.push(Item { subject, ..Item::rect(Role::Event, rect).tone(tone) });
        piece.push(Item::centered(Role::Event, text, rect.center(), font).tone(tone));
        if let Some(time) = time {
            let at = point(rect.center().x, rect.top - self.style.frame - 3.0);
            piece.push(Item::label(Role::Aside, time, at, Anchor::Middle, SMALL));
        }
        rect.right
    }

    /// A box for actions that are unobserved, simulated or left out.
    fn stub(&self, text: &str, tone: Tone) -> Scene {
        let mut piece = Scene::default();
        piece.size.width = self.add_box(&mut piece, 0.0, text, tone, None, None);
        piece
    }

    /// The actions of a moment, given by their indices; several have a common frame.
    fn moment(&self, indices: Range<usize>) -> Scene {
        let (style, mut boxes) = (self.style, Scene::default());
        let mut right = 0.0;
        for index in indices.clone() {
            let action = self.pool.action(self.steps()[index].action());
            let mut text = action.text(self.pool.signature());
            let values = self.options.values;
            if let Some(values) = values {
                let carried = carried(values, self.component, index);
                if !carried.is_empty() {
                    text = format!("{text} ({carried})");
                }
            }
            let text = style.plain.shorten(&text, style.action_room);
            let time = values.and_then(|values| time(values, self.component, index));
            let time = time.map(|time| SMALL.shorten(&time, style.action_room));
            let tone = (self.options.tone)(self.component, index);
            let tone = tone.unwrap_or_else(|| {
                let tone = self.lane_tone();
                if tone == Tone::Normal && index < self.consumed { Tone::Good } else { tone }
            });
            let subject = format!("event-{}-{index}", self.component.0);
            let left = if index > indices.start { right + style.frame } else { right };
            let subject = Some(subject);
            right = self.add_box(&mut boxes, left, &text, tone, subject, time.as_deref());
        }
        boxes.size.width = right;
        if indices.len() == 1 {
            return boxes;
        }
        let mut piece = Scene::default();
        piece.size = Size { width: right + 2.0 * style.frame, height: style.row_height() };
        let rect = Rect::at(point(0.0, -piece.size.height / 2.0), piece.size);
        piece.push(Item::rect(Role::Frame, rect).tone(self.lane_tone()));
        piece.place(&boxes, point(style.frame, 0.0));
        piece
    }

    /// A sign on the lane.
    fn mark(&self, text: &str, tone: Tone) -> Scene {
        let mut piece = Scene::default();
        piece.size.width = self.style.plain.width(text) + 4.0;
        let center = point(piece.size.width / 2.0, 0.0);
        piece.push(Item::centered(Role::Text, text, center, self.style.plain).tone(tone));
        piece
    }

    fn bar(&self) -> Scene {
        let mut piece = Scene::default();
        piece.size.width = 2.0;
        let (center, rise) = (point(1.0, 0.0), point(0.0, self.style.row_height() / 2.0 + 1.0));
        piece.push(Item::line(Role::Cut, center - rise, center + rise).tone(Tone::Active));
        piece
    }

    fn steps(&self) -> &[Step] {
        self.trace.steps(self.component)
    }

    /// The range of steps that are shown. It never separates the steps of one moment.
    fn shown(&self) -> Range<usize> {
        let steps = self.steps();
        let limit = self.options.limit.max(1);
        if steps.len() <= limit {
            return 0..steps.len();
        }
        let mut from = self.consumed.saturating_sub(limit / 2).min(steps.len() - limit);
        let mut to = from + limit;
        while from > 0 && steps[from].joined() {
            from -= 1;
        }
        while to < steps.len() && steps[to].joined() {
            to += 1;
        }
        from..to
    }

    fn lane_tone(&self) -> Tone {
        if self.lane.removed {
            Tone::Assumed
        } else if self.lane.observed == Some(Observed::Unobserved) {
            Tone::Faded
        } else {
            Tone::Normal
        }
    }

    fn remarks(&self) -> Vec<String> {
        let (all, consumed) = (self.steps().len(), self.consumed);
        let mut remarks = self.lane.remarks(
            (consumed > 0).then(|| format!("{} of {} consumed", grouped(consumed), grouped(all))),
        );
        let shown = self.shown().len();
        if all > shown {
            remarks.push(format!("{} of {} actions shown", grouped(shown), grouped(all)));
        }
        remarks
    }

    fn sentence(&self) -> String {
        let signature = self.pool.signature();
        let names = names(self.trace, signature, self.component);
        let steps = self.steps();
        let actions = steps.iter().take(20).map(|step| self.pool.action(step.action()));
        let mut texts: Vec<String> = actions.map(|action| action.text(signature)).collect();
        if steps.is_empty() {
            texts.push("nothing".to_owned());
        } else if steps.len() > 20 {
            texts.push(format!("{} more", grouped(steps.len() - 20)));
        }
        let remarks = self.remarks();
        let aside =
            if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        format!("{names}: {}{aside}.", texts.join(", "))
    }
}
