//! Coverage as a sequence diagram: each part is exercised, only assumed, or never executed.
//!
//! A message has the worse status of its two ends. The frame of a loop has the status of the loop; the frame of a
//! choice or of another operator has the best status inside it.

use otus_analysis::coverage::{CoverageState, PartKind};
use otus_core::Pool;
use otus_draw::geometry::point;
use otus_draw::layout::sequence::{Options, sequence};
use otus_draw::metrics::SMALL;
use otus_draw::scene::{Anchor, Item, Role, Scene, Tone};
use otus_syntax::ast::{NodeKind, Operator};

use super::CoverageReport;
use super::Covering;

impl Covering {
    /// The specification, coloured by coverage.
    pub(in crate::analysis) fn scene(&self, pool: &Pool, report: &CoverageReport) -> Scene {
        let tones = tones(self, report);
        let options = Options {
            title: format!("Coverage of {}", report.specification),
            tones: &tones,
            ..Options::default()
        };
        let mut scene = sequence(&self.file, pool.signature(), &options);
        let words = report.headline();
        scene.description = format!("{words}. {}", scene.description);
        legend(&mut scene, words.strip_prefix("coverage: ").unwrap_or(&words));
        scene
    }
}

/// For each node of the text: its tone.
fn tones(covering: &Covering, report: &CoverageReport) -> Vec<Tone> {
    let Some(interaction) = &covering.file.interaction else { return Vec::new() };
    let mut states: Vec<Option<CoverageState>> = vec![None; interaction.nodes.len()];
    for part in &report.parts {
        if part.kind == PartKind::Branch {
            continue;
        }
        let own = &mut states[part.node.0 as usize];
        let state = part.count.state();
        *own = Some(own.map_or(state, |other| other.min(state)));
    }
    // Operands come before operators.
    for (at, node) in interaction.nodes.iter().enumerate() {
        if let NodeKind::Operator(operator, operands) = &node.kind
            && !matches!(operator, Operator::Loop(_))
        {
            states[at] = operands.iter().filter_map(|operand| states[operand.0 as usize]).max();
        }
    }
    states.into_iter().map(tone).collect()
}

fn tone(state: Option<CoverageState>) -> Tone {
    match state {
        None => Tone::Normal,
        Some(CoverageState::Exercised) => Tone::Good,
        Some(CoverageState::Assumed) => Tone::Assumed,
        Some(CoverageState::Never) => Tone::Faded,
    }
}

const MARGIN: f64 = 16.0;

fn legend(scene: &mut Scene, words: &str) {
    let extent = scene.extent().unwrap_or_default();
    let (left, mut y) = (extent.left, extent.bottom + 14.0);
    let step = SMALL.line_height() + 3.0;
    let mut row = |text: &str, tone: Option<Tone>| {
        let middle = y + step / 2.0;
        let mut x = left;
        if let Some(tone) = tone {
            let line = Item::line(Role::Message, point(left, middle), point(left + 26.0, middle));
            scene.push(line.tone(tone));
            x += 34.0;
        }
        let base = middle + SMALL.ascent() / 2.0 - 1.0;
        let label = Item::label(Role::Text, text, point(x, base), Anchor::Start, SMALL);
        scene.push(label.tone(tone.unwrap_or_default()));
        y += step;
    };
    row(words, None);
    row("exercised", Some(Tone::Good));
    row("only assumed", Some(Tone::Assumed));
    row("never exercised", Some(Tone::Faded));
    scene.fit(MARGIN);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_is_below_the_diagram_and_over_nothing() {
        let text = "@message{m}\n@lifeline{a; b}\nloopS(alt(a -- m -> b, a -- m ->|, o))";
        let file = otus_syntax::parse_spec(&otus_syntax::Source::new("model.hsf", text)).tree;
        let lowered = otus_core::lower(&[&file]);
        let nodes = file.interaction.as_ref().map_or(0, |interaction| interaction.nodes.len());
        for state in [
            None,
            Some(CoverageState::Exercised),
            Some(CoverageState::Assumed),
            Some(CoverageState::Never),
        ] {
            let tones = vec![tone(state); nodes];
            let options = Options { tones: &tones, ..Options::default() };
            let mut scene = sequence(&file, lowered.pool.signature(), &options);
            let height = scene.size.height;
            legend(&mut scene, "3 of 3 actions");
            assert_eq!(otus_draw::check::flaws(&scene), []);
            assert!(scene.size.height > height);
            assert!(scene.texts().any(|text| text == "only assumed"));
        }
    }
}
