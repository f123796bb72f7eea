//! Space-time diagrams of partial-order traces, with cuts.
//!
//! Every process is a vertical line, every event a dot with its label and its
//! assignments beside it, every edge between processes an arrow, as in the diagrams of Lamport
//! (*Time, Clocks, and the Ordering of Events in a Distributed System*, 1978). An event stands
//! in the first row below all its predecessors, so arrows lead strictly downwards.
//!
//! A row has a zone for dots and labels, and below it a gap for lines. The label of an event stands where it crosses
//! fewest of its arrows. [`route`] leads arrows past labels and other dots. A cut runs in gaps and changes from one to
//! another between two processes, where no label is: so exactly its own events are above it ([`cut`]). Cuts are numbered
//! at both ends, since colours alone do not distinguish them.
//!
//! Of a trace with too many events, a part is shown, around the last cut or from the start,
//! and the picture says how much it leaves out.

mod cut;
mod lattice;
mod route;

use std::collections::BTreeSet;

use otus_core::index::Index as _;
use otus_ctl::witness::Evidence;
use otus_trace::order::{Edge, EventId, PartialOrder, ProcessId};

pub use lattice::{TooManyCuts, lattice};

use crate::geometry::{Point, Rect, Side, Size, float, point};
use crate::metrics::{Font, PLAIN, SMALL, STRONG, counted, grouped};
use crate::scene::{Anchor, End, Item, Key, Role, Scene, Shape, Tone};

/// A set of events with all events that happened before them, as a line through the picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// For each process: the number of its events in the cut; 0 beyond the end.
    pub counts: Vec<usize>,
    /// The short text at the ends of the line.
    pub name: String,
    /// The tone of the line.
    pub tone: Tone,
}

/// The options of a space-time diagram.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The cuts, in order.
    pub cuts: &'o [Cut],
    /// The maximum number of events that are shown, in whole rows.
    pub limit: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { cuts: &[], limit: 2000 }
    }
}

/// The maximum number of cuts that are shown: the first, the last, and some in between.
const MOST_CUTS: usize = 12;

/// A partial-order trace as a space-time diagram. Dots have the subject `event-<id>`, heads
/// `process-<id>`, and cuts `cut-<index>`, all counted from 0.
///
/// ```
/// use otus_draw::layout::order::{Options, space_time};
/// use otus_trace::order::{Builder, Writes};
///
/// let mut builder = Builder::default();
/// let (p, q) = (builder.process("p"), builder.process("q"));
/// let send = builder.event(p).set("x", 1).at();
/// let receive = builder.event(q).set("y", true).at();
/// builder.edge(send, receive);
/// let trace = builder.finish(Writes::Checked).unwrap();
/// let scene = space_time(&trace, &Options::default());
/// assert!(scene.description.starts_with("2 processes, 2 events and 1 arrow"));
/// ```
pub fn space_time(trace: &PartialOrder, options: &Options<'_>) -> Scene {
    let mut scene = Scene::new("A space-time diagram");
    if trace.process_count() == 0 {
        scene.nothing_but("no processes", PLAIN);
        scene.description.push_str("There are no processes.");
        scene.fit(12.0);
        return scene;
    }
    let chosen = cut::choose(options.cuts.len(), MOST_CUTS);
    let plan = Plan::new(trace, options, &chosen);
    let places = Places::settle(&plan);
    paint(&mut scene, &plan, &places);
    scene.description = describe(trace, &plan);
    scene.fit(12.0);
    scene
}

/// The cuts of a run from the empty one, numbered from 0: each has one event more. If a run has
/// more than `most` cuts, the result has the first, the last and some in between; their numbers
/// show how many are left out.
pub fn run_of_cuts(trace: &PartialOrder, events: &[EventId], most: usize) -> Vec<Cut> {
    let mut counts = vec![0; trace.process_count()];
    let mut done = 0;
    let chosen = cut::choose(events.len() + 1, most.max(1));
    let up_to = chosen.into_iter().map(|number| {
        for &event in &events[done..number] {
            counts[trace.process_of(event).index()] += 1;
        }
        done = number;
        Cut { counts: counts.clone(), name: number.to_string(), tone: Tone::Active }
    });
    up_to.collect()
}

/// The cuts of a witness or counterexample, at most `most` of them. Where it
/// has several continuations, the first is taken.
pub fn cuts_of(trace: &PartialOrder, evidence: &Evidence, most: usize) -> Vec<Cut> {
    let mut events = evidence.events.clone();
    let mut rest = evidence.then.first();
    while let Some(next) = rest {
        events.extend_from_slice(&next.events);
        rest = next.then.first();
    }
    run_of_cuts(trace, &events, most)
}

#[derive(Debug)]
struct ShownEvent {
    event: EventId,
    row: usize,
    text: Vec<(String, Font)>,
    /// The size of the label.
    size: Size,
    side: Side,
    /// The distance from the dot up to the top of the label.
    rise: f64,
}

/// The dot of an event: its process, and its index among the shown events there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DotId {
    process: usize,
    index: usize,
}

#[derive(Debug, Clone, Copy)]
struct Arrow {
    from: DotId,
    to: DotId,
}

impl Arrow {
    /// The first and the last of the processes that it passes.
    fn processes(self) -> [usize; 2] {
        let (from, to) = (self.from.process, self.to.process);
        [from.min(to), from.max(to)]
    }
}

/// The events, arrows and cuts that are shown, with their rows, before they have coordinates.
#[derive(Debug)]
struct Plan {
    heads: Vec<Vec<String>>,
    columns: Vec<Vec<ShownEvent>>,
    arrows: Vec<Arrow>,
    rows: usize,
    cuts: Vec<cut::Path>,
    /// The number of events that are left out above, and below; and the number of arrows and cuts
    /// that are left out.
    earlier: usize,
    later: usize,
    hidden_arrows: usize,
    hidden_cuts: usize,
}

/// The maximum width of texts, and the maximum number of lines for the assignments of an event.
const TEXT_ROOM: f64 = 170.0;
const MOST_LINES: usize = 3;
const DOT: f64 = 4.0;
/// The distance between a line and the labels beside it.
const ASIDE: f64 = 10.0;
/// The distance between two parallel lines.
const TRACK: f64 = 8.0;
/// The number of passes after which all remaining arrows make a detour.
const MOST_PASSES: usize = 6;

impl Plan {
    fn new(trace: &PartialOrder, options: &Options<'_>, chosen: &[usize]) -> Self {
        let levels = levels(trace);
        let total = levels.iter().max().map_or(0, |&last| last as usize + 1);
        let center = options.cuts.last().map_or(0, |cut| cut::row_of(trace, &levels, cut));
        let window = window(&levels, total, center, options.limit.max(1));
        let mut columns: Vec<Vec<ShownEvent>> = Vec::new();
        let (mut earlier, mut later) = (0, 0);
        for process in trace.processes() {
            let mut column = Vec::new();
            for event in trace.events(process) {
                let row = levels[event.index()] as usize;
                if row < window.start {
                    earlier += 1;
                } else if row >= window.end {
                    later += 1;
                } else {
                    let text = text(trace, event);
                    let size = Size {
                        width: text.iter().map(|(t, f)| f.width(t)).fold(0.0, f64::max),
                        height: text.iter().map(|(_, font)| font.line_height()).sum(),
                    };
                    let row = row - window.start;
                    let (side, rise) = (Side::Right, 0.0);
                    column.push(ShownEvent { event, row, text, size, side, rise });
                }
            }
            columns.push(column);
        }
        let locate = |event: EventId| {
            let process = trace.process_of(event).index();
            let column = &columns[process];
            let first = column.first()?.event.0;
            let index = event.0.checked_sub(first)? as usize;
            (index < column.len()).then_some(DotId { process, index })
        };
        let ends = |edge: &Edge| Some(Arrow { from: locate(edge.from)?, to: locate(edge.to)? });
        let arrows: Vec<Arrow> = trace.edges().iter().filter_map(ends).collect();
        let touches = |edge: &&Edge| locate(edge.from).or(locate(edge.to)).is_some();
        let hidden_arrows = trace.edges().iter().filter(touches).count() - arrows.len();
        choose_sides(&mut columns, &arrows);
        let cuts = chosen
            .iter()
            .map(|&index| cut::Path::new(trace, &levels, &window, index, &options.cuts[index]))
            .collect();
        Plan {
            heads: trace.process_names().map(head).collect(),
            columns,
            arrows,
            rows: window.len(),
            cuts,
            earlier,
            later,
            hidden_arrows,
            hidden_cuts: options.cuts.len() - chosen.len(),
        }
    }

    /// The parts that the picture leaves out, in words.
    fn remarks(&self) -> Vec<String> {
        let hidden = [
            (self.earlier, "earlier event is", "earlier events are"),
            (self.later, "later event is", "later events are"),
            (self.hidden_arrows, "arrow that leads there is", "arrows that lead there are"),
            (self.hidden_cuts, "cut is", "cuts are"),
        ];
        let hidden = hidden.into_iter().filter(|(count, _, _)| *count > 0);
        let hidden =
            hidden.map(|(count, one, many)| format!("{} not shown", counted(count, one, many)));
        let broken = self.cuts.iter().filter(|cut| !cut.consistent);
        hidden.chain(broken.map(|cut| format!("{} is not a consistent cut", cut.name))).collect()
    }
}

/// The row of each event: the length of the longest path that ends at the event.
fn levels(trace: &PartialOrder) -> Vec<u32> {
    let mut levels = vec![0_u32; trace.event_count()];
    for run in trace.linear_extension() {
        let first = trace.range(run.process).start;
        let mut edges = trace.edges()[run.edges.clone()].iter().peekable();
        for event in run.events.clone() {
            let mut level = if event > first { levels[event as usize - 1] + 1 } else { 0 };
            while let Some(edge) = edges.next_if(|edge| edge.to.0 == event) {
                level = level.max(levels[edge.from.index()] + 1);
            }
            levels[event as usize] = level;
        }
    }
    levels
}

/// The rows that are shown: all, or as many around `center` as have at most `limit` events.
fn window(levels: &[u32], total: usize, center: usize, limit: usize) -> std::ops::Range<usize> {
    if levels.len() <= limit || total == 0 {
        return 0..total;
    }
    let mut counts = vec![0_usize; total];
    for &level in levels {
        counts[level as usize] += 1;
    }
    let center = center.min(total - 1);
    let (mut start, mut used) = (center, counts[center]);
    while start > 0 && used + counts[start - 1] <= limit / 2 {
        start -= 1;
        used += counts[start];
    }
    let mut end = center + 1;
    while end < total && used + counts[end] <= limit {
        used += counts[end];
        end += 1;
    }
    while start > 0 && used + counts[start - 1] <= limit {
        start -= 1;
        used += counts[start];
    }
    start..end
}

fn head(name: &str) -> Vec<String> {
    let mut lines = STRONG.wrap(name, 130.0);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            *last = STRONG.shorten(&format!("{last}……………………"), 130.0);
        }
    }
    lines
}

fn text(trace: &PartialOrder, event: EventId) -> Vec<(String, Font)> {
    let mut lines: Vec<(String, Font)> = Vec::new();
    if let Some(label) = trace.label(event) {
        lines.push((PLAIN.shorten(label, TEXT_ROOM), PLAIN));
    }
    let font = if lines.is_empty() { PLAIN } else { SMALL };
    let all = trace.assignments(event);
    let mut line = String::new();
    let mut done = 0;
    let mut written = Vec::new();
    for assignment in all {
        let name = trace.variable_name(assignment.variable);
        let text = format!("{name} := {}", trace.value(assignment.value));
        let text = font.shorten(&text, TEXT_ROOM);
        let joined = if line.is_empty() { text.clone() } else { format!("{line}, {text}") };
        if font.width(&joined) <= TEXT_ROOM {
            line = joined;
        } else if written.len() + 2 >= MOST_LINES && all.len() - done > 1 {
            break;
        } else {
            written.push(std::mem::replace(&mut line, text));
        }
        done += 1;
    }
    if !line.is_empty() {
        written.push(line);
    }
    if done < all.len() {
        written.push(format!("… {} more", grouped(all.len() - done)));
    }
    lines.extend(written.into_iter().map(|line| (line, font)));
    lines
}

/// Chooses the places of labels. A label is placed on the side of its event without arrows. If both
/// sides have arrows, it is placed above the arrows that begin on a side, or below those that end
/// there. If both sides have both kinds, it is placed where there are fewer.
fn choose_sides(columns: &mut [Vec<ShownEvent>], arrows: &[Arrow]) {
    let last = columns.len() - 1;
    // For each event: the numbers of arrows that begin, and end, on its left and on its right.
    let mut counts: Vec<Vec<[[usize; 2]; 2]>> =
        columns.iter().map(|column| vec![[[0; 2]; 2]; column.len()]).collect();
    for arrow in arrows {
        let right = usize::from(arrow.to.process > arrow.from.process);
        counts[arrow.from.process][arrow.from.index][right][0] += 1;
        counts[arrow.to.process][arrow.to.index][1 - right][1] += 1;
    }
    for (process, column) in columns.iter_mut().enumerate() {
        let sides = if process == 0 && last > 0 {
            [Side::Left, Side::Right]
        } else {
            [Side::Right, Side::Left]
        };
        for (shown, counts) in column.iter_mut().zip(&counts[process]) {
            let free = sides.into_iter().find(|&side| counts[side as usize] == [0, 0]);
            let half = sides.into_iter().find(|&side| counts[side as usize].contains(&0));
            let fewer = sides.into_iter().min_by_key(|&side| counts[side as usize]);
            shown.side = free.or(half).or(fewer).unwrap_or(Side::Right);
            shown.rise = match counts[shown.side as usize] {
                [0, 0] => shown.size.height / 2.0,
                [_, 0] => shown.size.height + 1.0,
                [0, _] => -1.0,
                [_, _] => shown.size.height / 2.0,
            };
        }
    }
}

#[derive(Debug)]
struct Places {
    x: Vec<f64>,
    /// For each row: the height of its dots, and the vertical range of its labels.
    y: Vec<f64>,
    zone: Vec<[f64; 2]>,
    /// For each gap: its upper side. The first gap is above all rows.
    gap: Vec<f64>,
    /// For each process: the extent of labels to the left and to the right.
    reach: Vec<[f64; 2]>,
    /// For each process: the number of tracks on either side.
    tracks: Vec<[usize; 2]>,
    ways: Vec<Vec<Point>>,
    bottom: f64,
}

impl Places {
    /// Coordinates with which no arrow crosses a label. An arrow that would cross a label makes a detour. A detour
    /// moves processes apart and may block other arrows, so this is repeated until no arrow is blocked.
    fn settle(plan: &Plan) -> Self {
        let mut detour = vec![false; plan.arrows.len()];
        let mut pass = 0;
        loop {
            let mut places = Places::new(plan);
            let routes = route::assign(plan, &detour, &mut places.tracks);
            places.spread(plan);
            let mut changed = false;
            for (index, (route, &arrow)) in routes.iter().zip(&plan.arrows).enumerate() {
                let points = match route {
                    route::Route::Free if pass >= MOST_PASSES => None,
                    route::Route::Free => route::free(plan, &places, arrow),
                    route::Route::Gap | route::Route::Track(_) => {
                        Some(route::around(plan, &places, arrow, *route))
                    }
                };
                changed |= points.is_none();
                detour[index] |= points.is_none();
                places.ways.push(points.unwrap_or_default());
            }
            if !changed {
                return places;
            }
            pass += 1;
        }
    }

    /// The coordinates of rows, from top to bottom.
    fn new(plan: &Plan) -> Self {
        // For each row: the extent of its labels above and below its dots.
        let mut heights = vec![[DOT; 2]; plan.rows];
        for shown in plan.columns.iter().flatten().filter(|shown| !shown.text.is_empty()) {
            let [above, below] = &mut heights[shown.row];
            *above = above.max(shown.rise);
            *below = below.max(shown.size.height - shown.rise);
        }
        let mut in_gap = vec![0_usize; plan.rows + 1];
        for cut in &plan.cuts {
            for gap in cut.gaps.iter().copied().collect::<BTreeSet<usize>>() {
                in_gap[gap] += 1;
            }
        }
        let (mut y, mut zone, mut gap) = (Vec::new(), Vec::new(), Vec::new());
        let mut top = 0.0;
        for (row, &cuts) in in_gap.iter().enumerate() {
            gap.push(top);
            top += cut::gap_height(cuts);
            let Some([above, below]) = heights.get(row) else { break };
            y.push(top + above);
            zone.push([top, top + above + below]);
            top += above + below;
        }
        let count = plan.columns.len();
        Places {
            x: vec![0.0; count],
            y,
            zone,
            gap,
            reach: vec![[0.0; 2]; count],
            tracks: vec![[0; 2]; count],
            ways: Vec::new(),
            bottom: top,
        }
    }

    /// Sets the coordinates of processes, from left to right.
    fn spread(&mut self, plan: &Plan) {
        for (process, column) in plan.columns.iter().enumerate() {
            let least = STRONG.widest(&plan.heads[process]) / 2.0 + 8.0;
            let mut reach = [0, 1].map(|side| least.max(self.beside(process, side)));
            for shown in column.iter().filter(|shown| !shown.text.is_empty()) {
                let side = shown.side as usize;
                reach[side] = reach[side].max(self.beside(process, side) + shown.size.width);
            }
            self.reach[process] = reach;
        }
        for process in 1..self.x.len() {
            let corridor = cut::corridor(&plan.cuts, process - 1);
            let apart = self.reach[process - 1][1] + self.reach[process][0] + corridor;
            self.x[process] = self.x[process - 1] + apart.max(90.0);
        }
    }

    /// The distance from a process to the labels on a side; the tracks on that side lie in between.
    fn beside(&self, process: usize, side: usize) -> f64 {
        ASIDE + TRACK * float(self.tracks[process][side])
    }

    /// The space without labels between a process and the next.
    fn corridor(&self, process: usize) -> [f64; 2] {
        [self.x[process] + self.reach[process][1], self.x[process + 1] - self.reach[process + 1][0]]
    }

    fn label(&self, process: usize, shown: &ShownEvent) -> Rect {
        let beside = self.beside(process, shown.side as usize);
        let left = match shown.side {
            Side::Left => self.x[process] - beside - shown.size.width,
            Side::Right => self.x[process] + beside,
        };
        Rect::at(point(left, self.y[shown.row] - shown.rise), shown.size)
    }
}

fn paint(scene: &mut Scene, plan: &Plan, places: &Places) {
    let lines = plan.heads.iter().map(Vec::len).max().unwrap_or(1);
    let height = STRONG.height(lines) + 10.0;
    let above = if plan.earlier > 0 { PLAIN.line_height() } else { 0.0 };
    for (process, head) in plan.heads.iter().enumerate() {
        let x = places.x[process];
        let width = STRONG.widest(head).max(20.0) + 16.0;
        let corner = point(x - width / 2.0, -above - height);
        let line = Item::line(Role::Lifeline, point(x, 0.0), point(x, places.bottom));
        scene.push(line);
        let rect = Rect::at(corner, Size { width, height });
        scene.head(rect, head, STRONG, Tone::Normal)[0].subject =
            Some(format!("process-{process}"));
        let more = [(plan.earlier, -above), (plan.later, places.bottom)];
        for (_, y) in more.into_iter().filter(|(count, _)| *count > 0) {
            let at = point(x, y);
            scene.lines(&["…"], at, Anchor::Middle, PLAIN, Role::Aside, Tone::Normal);
        }
    }
    // Cuts are painted first, so that arrows and labels cover them.
    cut::paint(scene, plan, places);
    let keys: Vec<Vec<Key>> = plan.columns.iter().map(|column| scene.fresh_keys(column)).collect();
    for (arrow, way) in plan.arrows.iter().zip(&places.ways) {
        let on = [arrow.from, arrow.to].map(|dot| Some(keys[dot.process][dot.index]));
        scene.push(Item::arrow(Role::Message, way.clone(), [End::Plain, End::Filled], on));
    }
    for (process, column) in plan.columns.iter().enumerate() {
        for (index, shown) in column.iter().enumerate() {
            let center = point(places.x[process], places.y[shown.row]);
            let dot = Item::new(Role::Event, Shape::Disc { center, radius: DOT });
            let subject = format!("event-{}", shown.event.0);
            scene.push(dot.key(keys[process][index]).subject(subject));
            let rect = places.label(process, shown);
            let (x, anchor) = match shown.side {
                Side::Left => (rect.right, Anchor::End),
                Side::Right => (rect.left, Anchor::Start),
            };
            let mut top = rect.top;
            for (text, font) in &shown.text {
                let role = if *font == SMALL { Role::Aside } else { Role::Text };
                top = scene.lines(&[text], point(x, top), anchor, *font, role, Tone::Normal);
            }
        }
    }
    let remarks = plan.remarks();
    if !remarks.is_empty() {
        let extent = scene.extent().unwrap_or_default();
        let lines = SMALL.wrap(&(remarks.join("; ") + "."), extent.width().max(240.0));
        scene.asides(&lines, point(extent.left, extent.bottom + 8.0));
    }
}

fn describe(trace: &PartialOrder, plan: &Plan) -> String {
    let mut sentences = vec![format!(
        "{}, {} and {}.",
        counted(trace.process_count(), "process", "processes"),
        counted(trace.event_count(), "event", "events"),
        counted(trace.edges().len(), "arrow", "arrows")
    )];
    for process in trace.processes().take(20) {
        sentences.push(sentence(trace, process));
    }
    for cut in plan.cuts.iter().take(20) {
        let counts: Vec<String> = cut.counts.iter().map(ToString::to_string).collect();
        sentences.push(format!("Cut {} has ({}).", cut.name, counts.join(", ")));
    }
    let remarks = plan.remarks();
    if !remarks.is_empty() {
        sentences.push(remarks.join("; ") + ".");
    }
    sentences.join(" ")
}

fn sentence(trace: &PartialOrder, process: ProcessId) -> String {
    let all = trace.events(process);
    let left_out = all.len().saturating_sub(10);
    let mut events: Vec<String> = all
        .take(10)
        .map(|event| {
            let texts: Vec<String> = text(trace, event).into_iter().map(|(line, _)| line).collect();
            if texts.is_empty() { "an event".to_owned() } else { texts.join(" ") }
        })
        .collect();
    if events.is_empty() {
        events.push("nothing".to_owned());
    }
    if left_out > 0 {
        events.push(format!("{} more", grouped(left_out)));
    }
    format!("{}: {}.", trace.process_name(process), events.join("; "))
}
