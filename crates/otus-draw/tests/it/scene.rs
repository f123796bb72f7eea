//! Every kind of shape as SVG and PNG.

use otus_draw::check::{Flaw, flaws};
use otus_draw::geometry::{Rect, Size, point};
use otus_draw::metrics::{PLAIN, STRONG};
use otus_draw::scene::{Anchor, End, Item, Line, Role, Scene, Shape, Tone};
use otus_draw::{Theme, svg};

/// One of everything.
fn everything() -> Scene {
    let mut scene = Scene::new("one of <everything> & \"more\"");
    "For a test.\u{1}".clone_into(&mut scene.description);
    let key = scene.fresh_key();
    for (row, tone) in (0_u8..).zip(Tone::ALL) {
        let y = f64::from(row) * 60.0;
        let rect = Rect::at(point(0.0, y), Size { width: 90.0, height: 30.0 });
        scene.push(Item::rect(Role::Node, rect).tone(tone).subject("node-1"));
        let middle = point(45.0, y + 20.0);
        scene.push(Item::label(Role::Node, tone.name(), middle, Anchor::Middle, STRONG).tone(tone));
        let line = Line {
            points: vec![point(95.0, y), point(150.0, y + 10.0), point(200.0, y + 15.0)],
            smooth: true,
            dotted: false,
            ends: [End::Dot, End::Open],
            on: [None, Some(key)],
        };
        scene.push(Item::new(Role::Message, Shape::Line(line)).tone(tone));
    }
    scene.push(Item::line(Role::Lifeline, point(200.0, 0.0), point(200.0, 400.0)).key(key));
    let points = vec![point(220.0, 0.0), point(260.0, 0.0), point(240.0, 30.0)];
    scene.push(Item::new(Role::Tab, Shape::Polygon(points)));
    scene.push(Item::new(Role::Event, Shape::Disc { center: point(240.0, 60.0), radius: 5.0 }));
    scene.fit(10.0);
    scene
}

#[test]
fn a_scene_without_flaws_has_none() {
    assert_eq!(flaws(&everything()), []);
}

#[test]
fn flaws_are_found() {
    let mut scene = everything();
    scene.push(Item::label(Role::Text, "normal", point(40.0, 30.0), Anchor::Start, PLAIN));
    scene.push(Item::line(Role::Edge, point(-50.0, 0.0), point(20.0, 20.0)));
    let found = flaws(&scene);
    assert!(found.contains(&Flaw::Outside(scene.items.len() - 1)), "{found:?}");
    let both = Flaw::LabelsOverlap("normal".to_owned(), "normal".to_owned());
    assert!(found.contains(&both), "{found:?}");
}

#[test]
fn every_theme_is_well_formed_and_deterministic() {
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        let text = svg(&everything(), theme);
        assert_eq!(text, svg(&everything(), theme));
        let mut reader = quick_xml::Reader::from_str(&text);
        while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
    }
}

#[test]
fn a_picture_becomes_pixels() {
    let bytes = otus_draw::png(&everything(), Theme::Auto, 2.0, &[]).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    crate::show::show("everything", &everything());
    let error = otus_draw::png(&everything(), Theme::Light, 1e6, &[]).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}
