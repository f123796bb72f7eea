//! One node of a search as a picture: its number and measure, the interaction, and the rest
//! of the multi-trace.

use std::rc::Rc;

use otus_analysis::graph::record::{Context, Recorded};
use otus_core::{TermId, raise};
use otus_syntax::print;
use rustc_hash::FxHashMap;

use super::{Options, cap};
use crate::geometry::{Size, float, point};
use crate::layout::arrow::LABEL as TEXT;
use crate::layout::multitrace::{self, Lane, multi_trace};
use crate::metrics::{SMALL, STRONG, grouped};
use crate::scene::{Anchor, Item, Role, Scene, Tone};

/// Makes the cards of nodes. If several nodes have the same interaction, its picture is made once.
pub(super) struct Cards<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) options: &'a Options<'a>,
    pub(super) lanes: FxHashMap<usize, Vec<Lane>>,
    pub(super) pictures: FxHashMap<TermId, Rc<Scene>>,
}

const PADDING: f64 = 8.0;
/// The greatest width of text.
const MOST_WIDE: f64 = 260.0;
const MOST_LINES: usize = 16;
const MOST_ACTIONS: usize = 12;
/// The number of nodes of an interaction from which it is not written as text.
const MOST_NODES: u64 = 400;

impl Cards<'_> {
    /// The card of a node, from (0, 0) to its size, without a frame.
    pub(super) fn card(&mut self, number: usize, node: &Recorded) -> Scene {
        let head = number.to_string();
        let measure = self.context.measure(&node.state).unwrap_or_default();
        let term = self.picture(node.state.term, node.conditions.is_some());
        let conditions = node.conditions.iter().flatten();
        let mut conditions: Vec<String> =
            conditions.flat_map(|text| SMALL.wrap(text, MOST_WIDE)).collect();
        cap(&mut conditions, MOST_LINES, "more conditions");
        let conditions_width = conditions.iter().map(|text| SMALL.width(text)).fold(0.0, f64::max);
        let style = multitrace::Options {
            lanes: self.lanes.get(&number).map_or(&[], Vec::as_slice),
            room: MOST_WIDE,
            limit: MOST_ACTIONS,
            compact: true,
            ..multitrace::Options::default()
        };
        let trace = self.context.trace;
        let rest = trace.map(|trace| multi_trace(trace, self.context.pool, &style));
        let may_end = (self.context.trace.is_none() && node.leaf.is_some()).then_some("✓ may end");

        let foot = may_end.map_or(0.0, |text| STRONG.width(text));
        let gap = if measure.is_empty() { 0.0 } else { 12.0 };
        let heads = SMALL.width(&head) + gap + SMALL.width(&measure);
        let inner = rest.as_ref().map_or(0.0, |rest| rest.size.width);
        let widths = [heads, term.size.width, conditions_width, inner, foot];
        let width = widths.into_iter().fold(0.0, f64::max);
        let (left, right) = (PADDING, PADDING + width);
        let middle = f64::midpoint(left, right);

        // Text is aligned to the left; pictures are centered.
        let centered = |scene: &Scene| middle - scene.size.width / 2.0;

        let mut scene = Scene::default();
        let top = 5.0;
        let bottom = scene.asides(&[head], point(left, top));
        if !measure.is_empty() {
            let at = point(right, top);
            scene.lines(&[measure], at, Anchor::End, SMALL, Role::Aside, Tone::Normal);
        }
        let mut y = bottom + 3.0;
        scene.place(&term, point(self.options.term.map_or(left, |_| centered(&term)), y));
        y += term.size.height;
        if !conditions.is_empty() {
            y = scene.asides(&conditions, point(left, y + 4.0));
        }
        if let Some(rest) = rest {
            y += 5.0;
            scene.push(Item::line(Role::Separator, point(left, y), point(right, y)));
            y += 4.0;
            scene.place(&rest, point(centered(&rest), y));
            y += rest.size.height;
        }
        if let Some(text) = may_end {
            y += 4.0;
            let at = point(middle, y);
            y = scene.lines(&[text], at, Anchor::Middle, STRONG, Role::Node, Tone::Good);
        }
        scene.size = Size { width: width + 2.0 * PADDING, height: y + 6.0 };
        scene
    }

    fn picture(&mut self, term: TermId, has_values: bool) -> Rc<Scene> {
        let (context, options) = (self.context, self.options);
        let text = || text(context, term, has_values);
        let draw = || options.term.map_or_else(|| lines(&text()), |draw| draw(term));
        Rc::clone(self.pictures.entry(term).or_insert_with(|| Rc::new(draw())))
    }
}

fn text(context: &Context<'_>, term: TermId, has_values: bool) -> Vec<String> {
    let nodes = context.pool.attributes(term).nodes;
    if nodes > MOST_NODES {
        return vec![format!("an interaction of {} nodes", grouped(nodes))];
    }
    let text = print::interaction(&raise(context.pool, term));
    let text = if has_values { unquoted(&text) } else { text };
    let mut lines: Vec<String> = text.trim_end().lines().flat_map(wrap).collect();
    cap(&mut lines, MOST_LINES, "more lines");
    lines
}

/// The text without the quotes around names. Guards stand behind the names of messages, which the printer takes for one name.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {}
            '\\' => out.extend(letters.next()),
            letter => out.push(letter),
        }
    }
    out
}

/// Breaks a line into lines that are not too wide; all but the first are indented.
fn wrap(line: &str) -> Vec<String> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let room = (MOST_WIDE - step(indent + 2)).max(120.0);
    let lines = TEXT.wrap(text, room).into_iter().enumerate();
    lines.map(|(index, part)| " ".repeat(indent + if index > 0 { 2 } else { 0 }) + &part).collect()
}

/// The width of an indentation. It is wider than spaces, so that it can be seen.
fn step(spaces: usize) -> f64 {
    float(spaces.min(40)) * TEXT.size * 0.5
}

fn lines(lines: &[String]) -> Scene {
    let mut scene = Scene::default();
    let mut y = 0.0;
    let mut width = 0.0_f64;
    for line in lines {
        let text = line.trim_start();
        let x = step(line.len() - text.len());
        y = scene.lines(&[text], point(x, y), Anchor::Start, TEXT, Role::Node, Tone::Normal);
        width = width.max(x + TEXT.width(text));
    }
    scene.size = Size { width, height: y };
    scene
}
