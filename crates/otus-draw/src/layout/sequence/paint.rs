//! The third pass of the layout of sequence diagrams: draws row by row.

mod arrow;
mod frame;
mod life;
mod mark;

use super::Options;
use super::columns::{Columns, GROUP_PADDING, Group};
use super::durations;
use super::heads::Head;
use super::rows::{Row, Rows};
use crate::geometry::{Rect, point};
use crate::metrics::{PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, Item, Role, Scene, Shape, Tone};

use life::Life;

/// The results of the first two passes.
pub(super) struct Drawn<'a> {
    pub(super) rows: &'a Rows,
    pub(super) heads: &'a [Head],
    pub(super) groups: &'a [Group],
    pub(super) columns: &'a Columns,
}

pub(super) fn margin(options: &Options<'_>) -> f64 {
    if options.compact { 2.0 } else { 16.0 }
}

/// The height of a diagram above which the names of its lifelines are repeated at the bottom.
const TALL: f64 = 900.0;

pub(super) fn paint(drawn: &Drawn<'_>, options: &Options<'_>) -> Scene {
    let Drawn { rows, heads, groups, columns } = *drawn;
    let mut scene = Scene::default();
    let keys = scene.fresh_keys(&columns.x);
    let head_height = heads.iter().map(Head::height).fold(0.0, f64::max);
    let group_height = groups.iter().map(Group::title_height).fold(0.0, f64::max);
    let margin = margin(options);
    let head_bottom = margin + group_height + head_height;

    let lives = columns.x.iter().zip(&keys).map(|(x, key)| Life::new(*x, *key, head_bottom));
    let mut painter = Painter {
        columns,
        rows,
        heads,
        lives: lives.collect(),
        calls: Vec::new(),
        y: head_bottom + if options.compact { 6.0 } else { 12.0 },
        latest: None,
        beside: [0.0; 2],
        open: Vec::new(),
        ground: Vec::new(),
        bars: Vec::new(),
        back: Vec::new(),
        front: Scene::default(),
        gap: if options.compact { 5.0 } else { 9.0 },
        heights: vec![None; if rows.dimensions.is_empty() { 0 } else { rows.rows.len() }],
    };
    for at in 0..rows.rows.len() {
        painter.row(at);
    }
    let bottom = painter.y + 8.0;
    painter.end_all(bottom);
    durations::paint(&rows.dimensions, &mut painter.front, &columns.x, &painter.heights);
    let Painter { lives, mut ground, bars, back, mut front, .. } = painter;

    let feet = bottom > TALL && !options.compact;
    let foot = if feet { head_height } else { 0.0 };
    for group in groups {
        let [mut left, mut right] = [group.first, group.last].map(|at| columns.x[at]);
        left -= heads[group.first].half() + GROUP_PADDING;
        right += heads[group.last].half() + GROUP_PADDING;
        let more = (STRONG.widest(&group.title) + 8.0 - (right - left)).max(0.0) / 2.0;
        left -= more;
        right += more;
        // Frames, notes and labels that extend beyond the outer lifeline on this side belong to the
        // group.
        if group.first == 0 {
            left = left.min(columns.whole[0] - GROUP_PADDING);
        }
        if group.last + 1 == heads.len() {
            right = right.max(columns.whole[1] + GROUP_PADDING);
        }
        let rect = Rect { left, top: margin - 4.0, right, bottom: bottom + foot + 6.0 };
        scene.push(Item::rect(Role::Band, rect).colour(group.colour.clone()));
        let at = point(rect.center().x, margin);
        scene.lines(&group.title, at, Anchor::Middle, STRONG, Role::Band, Tone::Normal);
    }
    // Outer backgrounds are painted before inner ones.
    ground.sort_by(|a, b| a.rect_of().top.total_cmp(&b.rect_of().top));
    scene.items.extend(ground);
    soften_halos(&mut front, &scene);
    for life in &lives {
        let to = point(life.x, life.bottom.unwrap_or(bottom));
        scene.push(Item::line(Role::Lifeline, point(life.x, life.top), to).key(life.key));
    }
    for (lifeline, (head, life)) in heads.iter().zip(&lives).enumerate() {
        let subject = format!("lifeline-{lifeline}");
        if !life.is_created {
            head.paint(&mut scene, life.x, head_bottom, box_height(heads), &subject);
        }
        if feet && life.bottom.is_none() {
            let height = head.height().max(box_height(heads));
            head.paint(&mut scene, life.x, bottom + height, box_height(heads), &subject);
        }
    }
    // Inner bars end first in the list, and must cover outer ones, so the list is reversed.
    scene.items.extend(bars.into_iter().rev());
    scene.items.extend(back);
    scene.items.extend(front.items);
    if scene.items.is_empty() {
        scene.nothing_but("∅", PLAIN);
    }
    scene
}

/// Gives the halo of each text the colour of the background on which the text stands.
fn soften_halos(front: &mut Scene, grounds: &Scene) {
    let grounds: Vec<_> = grounds.items.iter().filter(|item| item.colour.is_some()).collect();
    for item in front.items.iter_mut().filter(|item| matches!(item.shape, Shape::Label(_))) {
        let place = item.rect_of();
        let ground = grounds.iter().rev().find(|ground| ground.rect_of().overlaps(place));
        item.colour = ground.and_then(|ground| ground.colour.clone());
    }
}

/// The common height of all heads without a symbol.
fn box_height(heads: &[Head]) -> f64 {
    heads.iter().filter(|head| !head.has_symbol()).map(Head::height).fold(0.0, f64::max)
}

impl Group {
    fn title_height(&self) -> f64 {
        STRONG.height(self.title.len()) + 6.0
    }
}

/// The text that replaces the parts that are not drawn.
pub(super) fn elided(count: usize) -> String {
    format!("… {count} more parts, not drawn")
}

/// The arrow of the latest row.
#[derive(Clone, Copy)]
struct Latest {
    /// The row of the arrow.
    row: usize,
    /// The height of the arrow's head.
    y: f64,
}

struct Painter<'a> {
    columns: &'a Columns,
    rows: &'a Rows,
    heads: &'a [Head],
    /// For each lifeline: the range in which it is drawn.
    lives: Vec<Life>,
    /// The lifelines with bars; the lifeline of the latest call is last.
    calls: Vec<usize>,
    /// The top of the next row.
    y: f64,
    /// The arrow before the current row, if there are only marks between them.
    latest: Option<Latest>,
    /// The tops of the next notes to the left and to the right of that arrow.
    beside: [f64; 2],
    /// The frames around the next row, innermost last, each with its top and the bottom of its tab.
    open: Vec<(usize, [f64; 2])>,
    /// Backgrounds, which are painted first.
    ground: Vec<Item>,
    /// Bars on lifelines, in the order of their ends.
    bars: Vec<Item>,
    /// Frames, which are painted before messages.
    back: Vec<Item>,
    /// Messages and text, which are painted last.
    front: Scene,
    gap: f64,
    /// By row: the height of its arrow, if there are dimensions.
    heights: Vec<Option<f64>>,
}

impl Painter<'_> {
    fn row(&mut self, at: usize) {
        let rows = self.rows;
        match &rows.rows[at] {
            Row::Arrow(arrow) => {
                self.beside = [self.y; 2];
                let y = self.arrow(at, arrow);
                if let Some(height) = self.heights.get_mut(at) {
                    *height = Some(y);
                }
                self.latest = Some(Latest { row: at, y });
                for &lifeline in &arrow.destroys {
                    self.destroy(lifeline, y);
                }
                return;
            }
            Row::Note(note) => return self.note(note),
            Row::Begin(lifeline, colour) => return self.begin(*lifeline, colour.clone()),
            Row::End(lifeline) => return self.end(*lifeline),
            Row::Create(_) => return,
            Row::Destroy(lifeline) => return self.destroy(*lifeline, self.y),
            Row::Space(height) => {
                self.y += height;
                return;
            }
            Row::Empty => self.aside("∅"),
            Row::Elided(count) => self.aside(&elided(*count)),
            Row::Open(frame) => self.open(*frame),
            Row::Split(frame, guard) => self.split(*frame, guard),
            Row::Close(_) => self.close(),
            Row::Across(across) => self.across(across),
            Row::Reference(reference) => self.reference(reference),
        }
        self.latest = None;
    }

    /// Text in a row of its own, at the left of the innermost frame.
    fn aside(&mut self, text: &str) {
        let left = match self.open.last() {
            Some(&(frame, _)) => self.columns.sides[frame].0 + 5.0,
            None => self.columns.x.first().map_or(0.0, |x| x + 8.0),
        };
        let base = self.y + PLAIN.line_height();
        let label = Item::label(Role::Aside, text, point(left, base), Anchor::Start, SMALL);
        self.front.push(label);
        self.y = base + self.gap;
    }
}
