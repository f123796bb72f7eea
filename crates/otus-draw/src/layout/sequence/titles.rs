//! The titles of a diagram, above and below it.

use otus_syntax::drawing::{Title, TitlePlace};

use crate::geometry::{Rect, point};
use crate::metrics::{Font, PLAIN, SMALL};
use crate::scene::{Anchor, Item, Role, Scene, Tone};

const TITLE: Font = Font { size: 16.0, bold: true };

/// Adds titles to a diagram, each on the side where it belongs.
pub(super) fn paint(scene: &mut Scene, titles: &[Title]) {
    let of = |place: TitlePlace| titles.iter().rev().find(|title| title.place == place);
    for (place, font, role) in [
        (TitlePlace::Frame, PLAIN, Role::Text),
        (TitlePlace::Title, TITLE, Role::Text),
        (TitlePlace::Header, SMALL, Role::Aside),
    ] {
        if let Some(title) = of(place) {
            let extent = scene.extent().unwrap_or_default();
            let lines = broken(font, &title.text, extent.width());
            let top = extent.top - font.height(lines.len()) - 10.0;
            let at = point(extent.center().x, top);
            scene.lines(&lines, at, Anchor::Middle, font, role, Tone::Normal);
        }
    }
    for (place, font) in
        [(TitlePlace::Caption, PLAIN), (TitlePlace::Legend, PLAIN), (TitlePlace::Footer, SMALL)]
    {
        let Some(title) = of(place) else { continue };
        let extent = scene.extent().unwrap_or_default();
        let lines = broken(font, &title.text, extent.width());
        let at = point(extent.center().x, extent.bottom + 14.0);
        if place == TitlePlace::Legend {
            let half = font.widest(&lines) / 2.0 + 8.0;
            let bottom = at.y + font.height(lines.len()) + 6.0;
            let rect = Rect { left: at.x - half, top: at.y - 6.0, right: at.x + half, bottom };
            scene.push(Item::rect(Role::Note, rect));
            let at = point(at.x - half + 8.0, at.y);
            scene.lines(&lines, at, Anchor::Start, font, Role::Note, Tone::Normal);
        } else {
            scene.lines(&lines, at, Anchor::Middle, font, Role::Aside, Tone::Normal);
        }
    }
}

/// The lines of a title. A title may be somewhat wider than a small diagram.
fn broken(font: Font, text: &str, width: f64) -> Vec<String> {
    let room = width.max(320.0);
    let text = super::rows::markup::plain(text);
    text.trim().lines().flat_map(|line| font.wrap(line.trim(), room)).collect()
}
