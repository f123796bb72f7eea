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
//! The diagram of an author looks as it was drawn ([`Drawing`](otus_syntax::drawing::Drawing)): with its guards,
//! notes, titles, numbers, dotted lines, bars and symbols, and the heads of its arrows instead of those above.
//!
//! The layout takes four passes, each linear in the size of the picture: [`rows`] flattens the tree to a
//! list of rows, [`columns`] computes the distances between lifelines, [`fit`] breaks long labels anew where there is
//! more room than they asked for, [`paint`] draws row by row.

mod columns;
mod durations;
mod fit;
mod heads;
mod paint;
mod rows;
mod titles;

use otus_core::index::Index as _;
use otus_core::{LifelineId, Signature};
use otus_syntax::ast::{LoopKind, NodeId, Operator, SpecFile};

use crate::colour::Colour;
use crate::scene::{Scene, Tone};

use columns::Group;
use heads::Head;
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
    /// The maximum number of rows that are drawn; the rest is counted.
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
    let shown = shown(&rows, heads::order(file, signature), options);
    let heads: Vec<Head> =
        shown.iter().map(|&lifeline| Head::of(file, signature, lifeline, options)).collect();
    rows.keep(&shown, signature.lifeline_count());
    let groups = groups(file, signature, &shown);
    if durations::has_any(file) {
        rows.dimensions = durations::find(&rows);
    }
    let mut columns = columns::columns(&mut rows, &heads, &groups, options);
    fit::fit(&mut rows, &heads, &mut columns);
    let drawn = paint::Drawn { rows: &rows, heads: &heads, groups: &groups, columns: &columns };
    let mut scene = paint::paint(&drawn, options);
    if let Some(drawing) = &file.drawing {
        titles::paint(&mut scene, &drawing.titles);
    }
    scene.fit(paint::margin(options));
    scene.title.clone_from(&options.title);
    scene.description = describe(&rows, &shown, signature);
    scene
}

/// The lifelines that are drawn, from left to right.
fn shown(rows: &Rows, order: Vec<LifelineId>, options: &Options<'_>) -> Vec<LifelineId> {
    if !options.only_used {
        return order;
    }
    let mut used = vec![false; order.len()];
    for row in &rows.rows {
        row.lifelines().into_iter().for_each(|lifeline| used[lifeline] = true);
    }
    order.into_iter().filter(|lifeline| used[lifeline.index()]).collect()
}

/// The boxes around heads. If the members of a box are not all neighbours, the box is drawn around
/// each group of neighbours.
fn groups(file: &SpecFile, signature: &Signature, shown: &[LifelineId]) -> Vec<Group> {
    let place = |name: &otus_syntax::name::Name| {
        let lifeline = signature.lifeline(file.names.text(name.symbol))?;
        shown.iter().position(|other| *other == lifeline)
    };
    let mut groups: Vec<Group> = Vec::new();
    for drawn in file.drawing.iter().flat_map(|drawing| &drawing.boxes) {
        let mut members: Vec<usize> = drawn.members.iter().filter_map(place).collect();
        members.sort_unstable();
        let Some(&first) = members.first() else { continue };
        let neighbours = members.iter().zip(first..).take_while(|(member, at)| *member == at);
        groups.push(Group {
            first,
            last: first + neighbours.count().saturating_sub(1),
            title: rows::lines(&drawn.title),
            colour: drawn.colour.as_ref().and_then(|text| Colour::of(text)),
        });
    }
    groups
}

fn describe(rows: &Rows, shown: &[LifelineId], signature: &Signature) -> String {
    let names: Vec<&str> = shown.iter().map(|&l| signature.lifeline_name(l)).collect();
    let arrows: Vec<String> = rows
        .rows
        .iter()
        .map(|row| match row {
            Row::Arrow(arrow) => arrow.words(&names),
            Row::Open(frame) => {
                let frame = &rows.frames[*frame];
                let words = [frame.title.as_str()].into_iter();
                let words: Vec<&str> =
                    words.chain(frame.guard.iter().map(String::as_str)).collect();
                format!("{} of", words.join(" "))
            }
            Row::Split(_, guard) if guard.is_empty() => "and the next operand".to_owned(),
            Row::Split(_, guard) => format!("and the next operand {}", guard.join(" ")),
            Row::Close(_) => "end".to_owned(),
            Row::Empty => "nothing".to_owned(),
            Row::Elided(count) => format!("{count} more"),
            Row::Note(note) => format!("note: {}", note.lines.join(" ")),
            Row::Across(across) => across.lines.join(" "),
            Row::Reference(reference) => format!("reference: {}", reference.lines.join(" ")),
            Row::Space(_) | Row::Begin(..) | Row::End(_) | Row::Create(_) | Row::Destroy(_) => {
                String::new()
            }
        })
        .filter(|words| !words.is_empty())
        .take(40)
        .collect();
    let mut arrows = arrows;
    arrows.extend(durations::words(&rows.dimensions, &names));
    let more = if rows.rows.len() > arrows.len() { "; and more" } else { "" };
    format!("Lifelines from left to right: {}. {}{more}.", names.join(", "), arrows.join("; "))
}

/// The word for an operator in a diagram, and whether the names of its lifelines follow the word.
pub(crate) fn word(operator: &Operator) -> (&'static str, bool) {
    match operator {
        Operator::Strict => ("strict", false),
        Operator::Seq => ("seq", false),
        Operator::Par => ("par", false),
        Operator::Alt => ("alt", false),
        Operator::Coreg(_) => ("coreg", true),
        Operator::New(_) => ("new", false),
        Operator::Fresh(_) => ("fresh", false),
        Operator::Loop(LoopKind::Strict) => ("loop strict", false),
        Operator::Loop(LoopKind::Weak | LoopKind::HeadFirst) => ("loop seq", false),
        Operator::Loop(LoopKind::Parallel) => ("loop par", false),
        Operator::Loop(LoopKind::Coregion(_)) => ("loop coreg", true),
    }
}

fn tone(options: &Options<'_>, node: NodeId) -> Tone {
    options.tones.get(node.0 as usize).copied().unwrap_or_default()
}
