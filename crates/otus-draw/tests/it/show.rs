//! The checks that all pictures must pass.

use otus_draw::check::flaws;
use otus_draw::{Scene, Theme, svg};

/// Writes a picture as PNG files, light and dark, into the folder `OTUS_SHOW_IN`, if that is set.
pub(crate) fn show(name: &str, scene: &Scene) {
    if let Ok(folder) = std::env::var("OTUS_SHOW_IN") {
        for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let bytes = otus_draw::png(scene, theme, 1.5, &[]).expect("it is not too large");
            std::fs::write(format!("{folder}/{name}-{suffix}.png"), bytes)
                .expect("the folder is there");
        }
    }
}

/// Shows a picture, and checks that it has no flaws and gives well-formed XML.
#[track_caller]
pub(crate) fn check(name: &str, scene: &Scene) {
    show(name, scene);
    assert_eq!(flaws(scene), [], "{name}");
    let text = svg(scene, Theme::Auto);
    let mut reader = quick_xml::Reader::from_str(&text);
    while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
}
