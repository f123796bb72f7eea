//! Coverage as text for people, with excerpts of the gaps.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use otus_analysis::coverage::{CoverageState, LoopExits, PartKind};

use super::super::spec_text::Excerpt;
use super::report::{CoverageReport, Gap, Share};
use crate::units::counted;

impl CoverageReport {
    /// The coverage as text for people, with at most this many gaps. Each line ends with a newline.
    pub fn text(&self, colored: bool, most: Option<usize>) -> String {
        let (is_short, most) = (most.is_some(), most.unwrap_or(usize::MAX));
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        let mut out = format!("{}\n", self.headline());
        if !self.left_out.is_empty() {
            let reasons = self.left_out.iter().map(|(count, why)| format!("{count} {why}"));
            let _ = writeln!(out, "not counted: {}", reasons.collect::<Vec<_>>().join(", "));
        }
        // If nothing was exercised, the short text does not list all parts as missing.
        let gaps = if self.is_nothing() && is_short { &[] } else { self.gaps.as_slice() };
        for gap in gaps.iter().take(most) {
            for line in renderer.render(&[group(gap)]).lines() {
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        if let Some(more) = gaps.len().checked_sub(most).filter(|&more| more > 0) {
            let _ = writeln!(out, "and {more} more (--coverage=coverage.txt writes all)");
        }
        let loops = self.parts.iter().filter(|part| part.kind == PartKind::Loop);
        let entered: Vec<_> = loops
            .filter(|part| part.count.state() == CoverageState::Exercised)
            .take(most)
            .collect();
        for part in entered {
            let LoopExits { zero, one, more, most, assumed } = part.count.exits;
            let place = part.excerpt.place.in_line();
            let _ = write!(
                out,
                "{} at {place}: left {zero}× without a repetition, {one}× after one, {more}× after more \
                 (at most {most})",
                part.label
            );
            if assumed > 0 {
                let _ = write!(out, ", {assumed}× with something assumed");
            }
            out.push('\n');
        }
        out
    }

    /// `coverage: 14 of 17 actions, 3 of 4 branches, 1 of 2 loops (81 %) by 5 multi-traces`
    pub(super) fn headline(&self) -> String {
        let mut shares = Vec::new();
        for kind in [PartKind::Action, PartKind::Branch, PartKind::Loop] {
            let Share { total, exercised, assumed } = self.share(Some(kind));
            if total == 0 && kind != PartKind::Action {
                continue;
            }
            let total = match (kind, total) {
                (PartKind::Action, total) => counted(total, "action"),
                (PartKind::Branch, 1) => "1 branch".to_owned(),
                (PartKind::Branch, total) => format!("{total} branches"),
                (PartKind::Loop, total) => counted(total, "loop"),
            };
            let assumed = match assumed {
                0 => String::new(),
                assumed => format!(" ({assumed} only assumed)"),
            };
            shares.push(format!("{exercised} of {total}{assumed}"));
        }
        let by = counted(self.counted, "multi-trace");
        format!("coverage: {} ({}) by {by}", shares.join(", "), self.percent_text())
    }
}

fn group(gap: &Gap) -> Group<'_> {
    let id = if gap.state == CoverageState::Assumed { "only-assumed" } else { "never" };
    let Excerpt { place, text, span } = &gap.excerpt;
    let mut annotation = AnnotationKind::Primary.span(span.clone());
    if !gap.inside.is_empty() {
        annotation = annotation.label(&gap.inside);
    }
    let snippet =
        Snippet::source(text).path(&place.file).line_start(place.line).annotation(annotation);
    Group::with_title(Level::WARNING.primary_title(&gap.title).id(id)).element(snippet)
}
