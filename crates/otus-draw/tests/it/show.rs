//! What all tests of pictures share: checks, and files for people to look at.

use otus_draw::check::flaws;
use otus_draw::{Scene, Theme, svg};

/// Checks a picture. With `OTUS_SHOW_IN` set to a folder, it is written there as PNG files.
#[track_caller]
pub(crate) fn check(name: &str, scene: &Scene) {
    if let Ok(folder) = std::env::var("OTUS_SHOW_IN") {
        for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let bytes = otus_draw::png(scene, theme, 1.5, &[]).expect("it is not too large");
            std::fs::write(format!("{folder}/{name}-{suffix}.png"), bytes)
                .expect("the folder is there");
        }
    }
    assert_eq!(flaws(scene), [], "{name}");
    let text = svg(scene, Theme::Auto);
    let mut reader = quick_xml::Reader::from_str(&text);
    while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
}
