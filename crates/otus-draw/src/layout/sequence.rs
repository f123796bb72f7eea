//! Sequence diagrams of interactions.
//!
//! On each lifeline, lower events happen later: that is weak sequencing, so `seq` needs no frame. Every other operator
//! is a frame with its name in a tab and its operands separated by dashed lines; `alt(i, ∅)` is `opt`. The
//! lifelines of a coregion, on which events are not ordered, are full lines between
//! brackets.
//!
//! ```text
//! a -- m -> b            an arrow with an open head: m need not have arrived yet
//! a -- <synch> m -> b    an arrow with a filled head: one indivisible step
//! a -- m -> (b, c)       one line from a dot at a, with a head at each receiver
//! a -- m ->|             an arrow to the right that ends in a ring
//! m -> b                 an arrow from a ring at the left
//! a -- m -> a            an arrow that turns back
//! ```
//!
//! The layout takes three passes, each linear in the size of the picture: [`rows`] flattens the tree to a
//! list of rows, [`columns`] computes the distances between lifelines, [`paint`] draws row by row.

mod columns;
mod paint;
mod rows;

use otus_core::index::Index as _;
use otus_core::{LifelineId, Signature};
use otus_syntax::ast::{LoopKind, NodeId, Operator, SpecFile};

use crate::scene::{Scene, Tone};

use rows::{Row, Rows};

/// The options of a sequence diagram.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The title of the picture.
    pub title: String,
    /// The tone of each node of the interaction, by number; normal beyond the end.
    pub tones: &'a [Tone],
    /// Whether lifelines without any action are left out.
    pub only_used: bool,
    /// The most rows that are drawn; the rest is counted.
    pub max_rows: usize,
    /// The width at which labels are broken into lines.
    pub label_width: f64,
    /// Whether the diagram is small, as a part of another picture.
    pub compact: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            title: "Sequence diagram".to_owned(),
            tones: &[],
            only_used: false,
            max_rows: 20_000,
            label_width: 210.0,
            compact: false,
        }
    }
}

/// The diagram of a file's interaction, with the lifelines of a signature.
///
/// ```
/// use otus_draw::layout::sequence::{Options, sequence};
/// use otus_syntax::{Source, parse_spec};
///
/// let text = "@message{m}\n@lifeline{a; b}\nloopS(a -- m -> b)";
/// let file = parse_spec(&Source::new("model.hsf", text)).tree;
/// let lowered = otus_core::lower(&[&file]);
/// let scene = sequence(&file, lowered.pool.signature(), &Options::default());
/// assert_eq!(otus_draw::check::flaws(&scene), []);
/// ```
pub fn sequence(file: &SpecFile, signature: &Signature, options: &Options<'_>) -> Scene {
    let mut rows = Rows::of(file, signature, options);
    let shown = shown(&rows, signature, options);
    let heads: Vec<Vec<String>> = shown.iter().map(|&l| head(signature, l, options)).collect();
    rows.keep(&shown, signature.lifeline_count());
    let columns = columns::columns(&mut rows, &heads, options);
    let mut scene = paint::paint(&rows, &heads, &columns, options);
    scene.title.clone_from(&options.title);
    scene.description = describe(&rows, &shown, signature);
    scene
}

/// The lifelines that are drawn, from left to right.
fn shown(rows: &Rows, signature: &Signature, options: &Options<'_>) -> Vec<LifelineId> {
    let all = signature.lifelines().map(|(lifeline, _)| lifeline);
    if !options.only_used {
        return all.collect();
    }
    let mut used = vec![false; signature.lifeline_count()];
    for row in &rows.rows {
        if let Row::Arrow(arrow) = row {
            arrow.lifelines().for_each(|lifeline| used[lifeline] = true);
        }
    }
    all.filter(|lifeline| used[lifeline.index()]).collect()
}

/// The text of the head of a lifeline: its label, or else its name.
fn head(signature: &Signature, lifeline: LifelineId, options: &Options<'_>) -> Vec<String> {
    let name = signature.lifeline_name(lifeline);
    let text = signature.label(lifeline).unwrap_or(name);
    let font = paint::head_font(options);
    font.wrap_to(text, if options.compact { 90.0 } else { 130.0 }, 4)
}

fn describe(rows: &Rows, shown: &[LifelineId], signature: &Signature) -> String {
    let names: Vec<&str> = shown.iter().map(|&l| signature.lifeline_name(l)).collect();
    let arrows: Vec<String> = rows
        .rows
        .iter()
        .map(|row| match row {
            Row::Arrow(arrow) => arrow.words(&names),
            Row::Open(frame) => format!("{} of", rows.frames[*frame].title),
            Row::Split(_) => "and the next operand".to_owned(),
            Row::Close(_) => "end".to_owned(),
            Row::Empty => "nothing".to_owned(),
            Row::Elided(count) => format!("{count} more"),
        })
        .take(40)
        .collect();
    let more = if rows.rows.len() > arrows.len() { "; and more" } else { "" };
    format!("Lifelines from left to right: {}. {}{more}.", names.join(", "), arrows.join("; "))
}

/// The word for an operator in a diagram, and whether its lifelines follow.
pub(crate) fn word(operator: &Operator) -> (&'static str, bool) {
    match operator {
        Operator::Strict => ("strict", false),
        Operator::Seq => ("seq", false),
        Operator::Par => ("par", false),
        Operator::Alt => ("alt", false),
        Operator::Coreg(_) => ("coreg", true),
        Operator::Loop(LoopKind::Strict) => ("loop strict", false),
        Operator::Loop(LoopKind::Weak | LoopKind::HeadFirst) => ("loop seq", false),
        Operator::Loop(LoopKind::Parallel) => ("loop par", false),
        Operator::Loop(LoopKind::Coregion(_)) => ("loop coreg", true),
    }
}

fn tone(options: &Options<'_>, node: NodeId) -> Tone {
    options.tones.get(node.0 as usize).copied().unwrap_or_default()
}
