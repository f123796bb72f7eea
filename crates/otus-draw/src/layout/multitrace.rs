//! Multi-traces: a lane per component, with its observed actions in order.
//!
//! A lane begins with a box with the lifelines of the component, followed by the actions,
//! those of one moment in a common frame. The progress of an analysis is shown by the signs of
//! paper 003 (Fig. 5 and 7): a white flag where observation began, with the number of
//! actions consumed, a black flag where it ended, and clovers with the number of actions that
//! were simulated before and after. The paper has a white and a black clover, but fonts have only
//! one: at the beginning of a lane it means before, after the black flag it means after. A thick bar
//! separates consumed actions from the rest, a removed component is struck out, and dashed boxes
//! stand for possible unobserved actions.
//!
//! Long lanes continue in further rows, and very long ones show a window around the bar with the number of actions
//! left out; so the time is linear in the actions shown.

use std::ops::Range;

use otus_analysis::question::Observed;
use otus_core::index::Index as _;
use otus_core::{Pool, Signature};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Step};

use crate::geometry::{Point, Rect, Size, point};
use crate::metrics::{Font, PLAIN, SMALL, grouped};
use crate::scene::{Item, Role, Scene, Tone};

/// The state of an analysis on one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lane {
    /// The number of its moments that are consumed.
    pub consumed: usize,
    /// The number of actions simulated before observation began.
    pub simulated_before: usize,
    /// The number of actions simulated after it ended.
    pub simulated_after: usize,
    /// Whether its lifelines were removed.
    pub removed: bool,
    /// The part of the behaviour that was observed, if it is declared.
    pub observed: Option<Observed>,
}

impl Lane {
    /// Its state in words; `consumed` says how much of it is consumed.
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
    /// The width of the part with the actions at which a lane continues in a further row.
    pub room: f64,
    /// The most actions of a component that are shown.
    pub limit: usize,
    /// Whether the picture is small, as a part of another one: no sentences, little space.
    pub compact: bool,
    /// The tone of an action, by component and index there; `None` means that it follows from the lane.
    pub tone: &'o dyn Fn(ComponentId, usize) -> Option<Tone>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { lanes: &[], room: 720.0, limit: 200, compact: false, tone: &|_, _| None }
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

/// Measures of one picture.
#[derive(Debug, Clone, Copy)]
struct Style {
    plain: Font,
    strong: Font,
    /// Between text and the box around it.
    inside: f64,
    /// Between two moments, and between two lanes.
    step: f64,
    between: f64,
    /// Between the boxes of one moment and its frame.
    frame: f64,
    least_head: f64,
    /// The greatest width of the text of a head or of an action.
    head_room: f64,
    action_room: f64,
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
        }
    }

    /// The height of a box with a line of text.
    fn box_height(&self) -> f64 {
        self.plain.line_height() + self.inside
    }

    /// The height of a row of a lane.
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

/// The most lines of a head.
const HEAD_LINES: usize = 4;

/// The lifelines of a component in lines.
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

/// A part of a lane.
#[derive(Debug)]
enum Piece {
    /// A dashed box for actions that are unobserved, simulated or left out.
    Stub(String, Tone),
    /// A sign on the lane.
    Mark(String, Tone),
    /// The actions of a moment: index and text of each.
    Moment(Vec<(usize, String)>),
    /// The bar between the consumed actions and the rest.
    Bar,
}

struct Painter<'p, 'o> {
    scene: &'p mut Scene,
    trace: &'p MultiTrace,
    pool: &'p Pool,
    options: &'p Options<'o>,
    style: Style,
    lane: Lane,
    component: ComponentId,
    /// The number of actions of the consumed moments.
    consumed: usize,
}

impl Painter<'_, '_> {
    /// Draws a lane below `top`; returns its bottom.
    fn lane(&mut self, head: &[String], width: f64, top: f64) -> f64 {
        let style = self.style;
        let tone = self.lane_tone();
        let height = (style.strong.height(head.len()) + style.inside).max(style.row_height());
        let rect = Rect::at(point(0.0, top), Size { width, height });
        let items = self.scene.head(rect, head, style.strong, tone);
        items[0].subject = Some(format!("component-{}", self.component.0));

        // With a head of several lines the first row is in its middle.
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
            let width = self.width(piece);
            if index > 0 && x + style.step + width > most {
                first_right.get_or_insert(x);
                x = start.x;
                top += style.row_height() + 4.0;
            }
            let middle = top + style.row_height() / 2.0;
            let line = Item::line(Role::Lifeline, point(x, middle), point(x + style.step, middle));
            self.scene.push(line.tone(tone));
            x += style.step;
            self.piece(piece, x, middle, width);
            x += width;
        }
        (first_right.unwrap_or(x), top + style.row_height())
    }

    fn width(&self, piece: &Piece) -> f64 {
        let style = self.style;
        match piece {
            Piece::Stub(text, _) => style.plain.width(text) + 2.0 * style.inside,
            Piece::Mark(text, _) => style.plain.width(text) + 4.0,
            Piece::Moment(actions) => {
                let boxes = actions
                    .iter()
                    .map(|(_, text)| style.plain.width(text) + 2.0 * style.inside + style.frame);
                let inner = boxes.sum::<f64>() - style.frame;
                if actions.len() > 1 { inner + 2.0 * style.frame } else { inner }
            }
            Piece::Bar => 2.0,
        }
    }

    fn piece(&mut self, piece: &Piece, left: f64, middle: f64, width: f64) {
        let style = self.style;
        let around = |left: f64, width: f64, height: f64| {
            Rect::at(point(left, middle - height / 2.0), Size { width, height })
        };
        let center = point(left + width / 2.0, middle);
        match piece {
            Piece::Stub(text, tone) => {
                let rect = around(left, width, style.box_height());
                self.scene.push(Item::rect(Role::Event, rect).tone(*tone));
                let label = Item::centered(Role::Event, text, center, style.plain);
                self.scene.push(label.tone(*tone));
            }
            Piece::Mark(text, tone) => {
                let label = Item::centered(Role::Text, text, center, style.plain);
                self.scene.push(label.tone(*tone));
            }
            Piece::Moment(actions) => {
                let mut x = left;
                if actions.len() > 1 {
                    let rect = around(left, width, style.row_height());
                    self.scene.push(Item::rect(Role::Frame, rect).tone(self.lane_tone()));
                    x += style.frame;
                }
                for (index, text) in actions {
                    let tone = (self.options.tone)(self.component, *index)
                        .unwrap_or_else(|| self.tone_at(*index));
                    let own = style.plain.width(text) + 2.0 * style.inside;
                    let subject = format!("event-{}-{index}", self.component.0);
                    let rect = around(x, own, style.box_height());
                    self.scene.push(Item::rect(Role::Event, rect).tone(tone).subject(subject));
                    let center = point(x + own / 2.0, middle);
                    let label = Item::centered(Role::Event, text, center, style.plain);
                    self.scene.push(label.tone(tone));
                    x += own + style.frame;
                }
            }
            Piece::Bar => {
                let rise = point(0.0, style.row_height() / 2.0 + 1.0);
                let bar = Item::line(Role::Cut, center - rise, center + rise);
                self.scene.push(bar.tone(Tone::Active));
            }
        }
    }

    /// The pieces of a lane, from left to right.
    fn pieces(&self) -> Vec<Piece> {
        let lane = self.lane;
        let steps = self.trace.steps(self.component);
        let consumed = self.consumed;
        let mut pieces = Vec::new();
        // Small pictures and removed components do not show unobserved actions.
        let watched = lane.observed.filter(|_| !lane.removed && !self.options.compact);
        let late = watched.is_some_and(Observed::may_start_late);
        let early = watched.is_some_and(Observed::may_stop_early);
        let clover = |count: usize| Piece::Stub(format!("☘ {}", grouped(count)), Tone::Assumed);
        let unseen = || Piece::Stub("…".to_owned(), Tone::Faded);
        if lane.simulated_before > 0 {
            pieces.push(clover(lane.simulated_before));
        } else if late {
            pieces.push(unseen());
        }
        if consumed > 0 {
            pieces.push(Piece::Mark(format!("⚐ {}", grouped(consumed)), Tone::Good));
        }
        self.window(steps, consumed, &mut pieces);
        if lane.simulated_after > 0 || (consumed > 0 && consumed == steps.len()) {
            pieces.push(Piece::Mark("⚑".to_owned(), Tone::Good));
        }
        if lane.simulated_after > 0 {
            pieces.push(clover(lane.simulated_after));
        } else if early && (!late || !steps.is_empty()) {
            pieces.push(unseen());
        }
        if pieces.is_empty() {
            pieces.push(Piece::Mark("ε".to_owned(), Tone::Faded));
        }
        pieces
    }

    /// Adds the moments, or a window of them around the bar if there are too many.
    fn window(&self, steps: &[Step], consumed: usize, pieces: &mut Vec<Piece>) {
        let Range { start: from, end: to } = self.shown(steps, consumed);
        let more = |count: usize| Piece::Stub(format!("… {} more …", grouped(count)), Tone::Faded);
        if from > 0 {
            pieces.push(more(from));
        }
        for (index, step) in steps.iter().enumerate().take(to).skip(from) {
            if index == consumed && consumed > 0 {
                pieces.push(Piece::Bar);
            }
            let action = self.pool.action(step.action()).text(self.pool.signature());
            let text = self.style.plain.shorten(&action, self.style.action_room);
            match pieces.last_mut() {
                Some(Piece::Moment(actions)) if step.joined() => {
                    actions.push((index, text));
                }
                Some(_) | None => pieces.push(Piece::Moment(vec![(index, text)])),
            }
        }
        if to < steps.len() {
            pieces.push(more(steps.len() - to));
        }
    }

    /// The range of steps that is shown, in whole moments.
    fn shown(&self, steps: &[Step], consumed: usize) -> Range<usize> {
        let limit = self.options.limit.max(1);
        if steps.len() <= limit {
            return 0..steps.len();
        }
        let mut from = consumed.saturating_sub(limit / 2).min(steps.len() - limit);
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

    fn tone_at(&self, index: usize) -> Tone {
        let tone = self.lane_tone();
        if tone == Tone::Normal && index < self.consumed { Tone::Good } else { tone }
    }

    /// The state of the lane, in words.
    fn remarks(&self) -> Vec<String> {
        let steps = self.trace.steps(self.component);
        let (all, consumed) = (steps.len(), self.consumed);
        let mut remarks = self.lane.remarks(
            (consumed > 0).then(|| format!("{} of {} consumed", grouped(consumed), grouped(all))),
        );
        let shown = self.shown(steps, consumed).len();
        if all > shown {
            remarks.push(format!("{} of {} actions shown", grouped(shown), grouped(all)));
        }
        remarks
    }

    /// The lane as a sentence.
    fn sentence(&self) -> String {
        let signature = self.pool.signature();
        let names = names(self.trace, signature, self.component);
        let steps = self.trace.steps(self.component);
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
