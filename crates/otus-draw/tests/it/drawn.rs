//! Diagrams of authors: the picture shows what they drew, and nothing overlaps.

use std::path::{Path, PathBuf};

use otus_draw::check::flaws;
use otus_draw::layout::sequence::{Options, sequence};
use otus_draw::scene::{End, Item, Role, Shape};
use otus_draw::{Scene, Theme, svg};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::{Parsed, Severity, Source};

use crate::show::show;

fn read(name: &str, text: &str) -> Parsed<SpecFile> {
    let source = Source::new(name, text);
    if Path::new(name).extension().is_some_and(|ending| ending == "mmd") {
        mermaid::read(&source, source.whole())
    } else {
        plantuml::read(&source, source.whole())
    }
}

fn picture(parsed: &Parsed<SpecFile>) -> Scene {
    let lowered = otus_core::lower(&[&parsed.tree]);
    sequence(&parsed.tree, lowered.pool.signature(), &Options::default())
}

#[track_caller]
fn draw(name: &str, text: &str) -> Scene {
    let parsed = read(name, text);
    let wrong = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    assert!(wrong.is_none(), "{wrong:?}");
    let scene = picture(&parsed);
    show(name, &scene);
    assert_eq!(flaws(&scene), [], "{text}");
    scene
}

#[track_caller]
fn check_texts(scene: &Scene, expected: &[&str]) {
    let texts: Vec<&str> = scene.texts().collect();
    for text in expected {
        assert!(texts.contains(text), "{text} is not in {texts:?}");
    }
}

fn count(scene: &Scene, is_it: impl Fn(&Item) -> bool) -> usize {
    scene.items.iter().filter(|item| is_it(item)).count()
}

const MERMAID: &str = "---
title: An order
---
sequenceDiagram
  autonumber
  box Aqua Shop
  actor U as Customer
  participant S as Shop<br/>front
  end
  participant B as Bank
  U->>+S: order<br/>two books
  Note right of S: stock is<br/>not checked
  S->>S: add up
  alt enough money
    S->>B: reserve
    B-->>S: reserved
  else no money
    S-xB: give up
  end
  rect rgb(200, 255, 200)
    Note over S,B: at night
    S-)B: book
  end
  create participant P as Printer
  S->>P: print
  destroy P
  P-->>S: printed
  S-->>-U: receipt
";

#[test]
fn a_mermaid_diagram_looks_as_it_was_drawn() {
    let scene = draw("author.mmd", MERMAID);
    let texts = [
        "An order",
        "Shop",
        "Customer",
        "front",
        "1: order",
        "two books",
        "stock is",
        "2: add up",
        "[enough money]",
        "[no money]",
        "at night",
        "Printer",
        "8: printed",
    ];
    check_texts(&scene, &texts);
    let ends = |end: End| {
        count(&scene, |item| matches!(&item.shape, Shape::Line(line) if line.ends[1] == end))
    };
    assert_eq!((ends(End::Cross), ends(End::Open)), (1, 1), "a lost and an asynchronous message");
    let dotted = count(&scene, |item| matches!(&item.shape, Shape::Line(line) if line.dotted));
    assert_eq!(dotted, 3, "replies");
    assert_eq!(count(&scene, |item| item.role == Role::Bar), 1);
    insta::assert_snapshot!("author_mermaid", svg(&scene, Theme::Light));
}

const PLANTUML: &str = "@startuml
title Night run
header draft
footer page 1
participant Scheduler <<cron>> #Gold
box \"Workers\" #LightBlue
collections Pool
control Worker
end box
database Store
queue Mail
[-> Scheduler : tick
== Work ==
Scheduler -[#red]> Pool ++ : start **now**
note left : every hour
Pool ->> Worker
activate Worker #Pink
Worker -> Worker : count\\nlines
hnote over Worker : busy
...five minutes later...
ref over Worker, Store : Backup
Worker --> Pool -- : done
Pool -->x Mail : report
|||
rnote across : all idle
group Clean up [daily]
  Pool -> Store : delete
  destroy Store
end
Pool ->] : log
return finished
@enduml
";

#[test]
fn a_plantuml_diagram_looks_as_it_was_drawn() {
    let scene = draw("author.puml", PLANTUML);
    let texts = [
        "Night run",
        "draft",
        "page 1",
        "«cron»",
        "Workers",
        "Work",
        "start now",
        "every hour",
        "lines",
        "busy",
        "five minutes later",
        "ref",
        "Backup",
        "all idle",
        "Clean up",
        "[daily]",
    ];
    check_texts(&scene, &texts);
    let heads = ["Scheduler", "Pool", "Worker", "Store", "Mail"];
    let places: Vec<usize> =
        heads.iter().filter_map(|head| scene.texts().position(|text| text == *head)).collect();
    assert!(places.len() == 5 && places.is_sorted(), "{places:?}");
    insta::assert_snapshot!("author_plantuml", svg(&scene, Theme::Light));
}

#[test]
fn lifelines_have_the_order_of_declaration_or_first_use() {
    let scene = draw("order.mmd", "sequenceDiagram\nparticipant Z\nB->>A: m\nA->>Z: n\n");
    let heads: Vec<&str> = scene.texts().filter(|text| text.len() == 1).take(3).collect();
    assert_eq!(heads, ["Z", "B", "A"]);
    for (name, text) in [
        ("reversed.mmd", "sequenceDiagram\nC/|-B: msg\nB->>A: next\n"),
        ("reversed.puml", "C <- B : msg\nB -> A : next\n"),
        ("expanded.puml", "!$x = \"msg\"\nC <- B : $x\nB -> A : next\n"),
        ("labelled-right.puml", "C -> \"B\" as b : msg\nb -> A : next\n"),
        ("labelled.puml", "C <- \"B\" as b : msg\nb -> A : next\n"),
    ] {
        let scene = draw(name, text);
        let heads: Vec<&str> = scene.texts().filter(|text| text.len() == 1).take(3).collect();
        assert_eq!(heads, ["C", "B", "A"], "{name}");
    }
}

#[test]
fn colours_are_tints_in_every_theme_and_lines_only_on_light_ground() {
    let text = "@startuml\nparticipant A #Gold\nA -[#red]> B : m\n@enduml\n";
    let scene = draw("colour.puml", text);
    let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| svg(&scene, theme));
    assert!(
        light.contains("fill: gold; fill-opacity") && dark.contains("fill: gold; fill-opacity")
    );
    assert!(light.contains("stroke: red") && !dark.contains("stroke: red"));
}

/// The place of the label with a text.
#[track_caller]
fn place_of(scene: &Scene, text: &str) -> otus_draw::geometry::Rect {
    let is_it = |item: &&Item| matches!(&item.shape, Shape::Label(label) if label.text == text);
    let item = scene.items.iter().find(is_it);
    item.unwrap_or_else(|| panic!("{text} is not in {:?}", scene.texts().collect::<Vec<_>>()))
        .rect_of()
}

#[test]
fn a_long_label_stays_on_one_line_where_there_is_room() {
    let long = "call_tool(k8s_describe_resource, pod, namespace)";
    let note = "Step 1: describe the pod, which is harmless, so that it is done at once";
    let guard = "[the image is present and must be verified by policy]";
    let text = format!(
        "sequenceDiagram\nA->>B: a first and rather long label\nB->>C: a second and rather long label\n\
         A->>C: {long}\nNote over A,C: {note}\nopt {}\nA->>C: x\nend\n",
        guard.trim_matches(['[', ']'])
    );
    check_texts(&draw("room.mmd", &text), &[long, note, guard]);
    let title = "Consume the messages of a settlement model";
    let text = format!(
        "group {title}\nA -> B : a first and rather long label\nB -> C : a second and rather long label\nend\n"
    );
    check_texts(&draw("title.puml", &text), &[title]);
}

#[test]
fn words_are_not_broken_if_they_fit_on_a_line() {
    let text = "sequenceDiagram\nparticipant NotificationService\n\
                A->>NotificationService: UPDATE all the notifications SET status=queued\n";
    let scene = draw("words.mmd", text);
    check_texts(&scene, &["NotificationService"]);
    assert!(scene.texts().any(|text| text.ends_with("status=queued")), "not between = and queued");
}

#[test]
fn a_label_over_many_lifelines_stands_between_two_of_them() {
    let wide = "A -> B : some text here\nB -> C : some text here\n";
    for (name, last) in [("two.puml", "C"), ("three.puml", "D")] {
        let text = format!("{wide}C -> D : some text here\nA -> {last} : short\n");
        let scene = draw(name, &text);
        let label = place_of(&scene, "short");
        let lifelines = scene.items.iter().filter(|item| item.role == Role::Lifeline);
        for lifeline in lifelines.map(Item::rect_of) {
            assert!(lifeline.right < label.left || label.right < lifeline.left, "{name}");
        }
    }
}

#[test]
fn a_note_keeps_its_indentation() {
    let text = "A -> B : m\nnote right of A\n    {\n      \"id\": 7\n    }\nend note\n\
                note over A, B\n  Points:\n  - one\n    more of it\nend note\n";
    let scene = draw("indent.puml", text);
    let left = |text| place_of(&scene, text).left;
    assert!(left("\"id\": 7") > left("{") + 4.0);
    assert!((left("{") - left("}")).abs() < 0.1);
    assert!((left("- one") - left("Points:")).abs() < 0.1, "a list is at the left");
    assert!(left("more of it") > left("- one") + 4.0);
}

#[test]
fn a_reply_to_itself_ends_on_the_outer_bar() {
    let scene = draw("return.puml", "A -> B ++ : m\nB -> B ++ : n\nreturn o\nreturn p\n");
    let ends = |item: &Item| {
        let Shape::Line(line) = &item.shape else { return None };
        let [from, _, _, to] = line.points[..] else { return None };
        Some((from.x, to.x))
    };
    let loops: Vec<(f64, f64)> = scene.items.iter().filter_map(ends).collect();
    let [(outer, inner), (from, to)] = loops[..] else { panic!("two loops: {loops:?}") };
    assert!(inner > outer, "the call goes to the inner bar");
    assert!((from - inner).abs() < 0.1 && (to - outer).abs() < 0.1, "and the reply comes back");
}

#[test]
fn numbers_have_the_form_of_their_author() {
    let text = "autonumber 7 3 \"<b>[000]\"\nA -> B : a\nA -> B : b\nautonumber 6.3.1\nA -> B : c\n\
                A -> B : d\nautonumber inc B\nA -> B : e\nautonumber 1 \"AUTH-#\"\nA -> B : f\n";
    let scene = draw("numbers.puml", text);
    check_texts(&scene, &["[007] a", "[010] b", "6.3.1: c", "6.3.2: d", "6.4.1: e", "AUTH-1: f"]);
}

#[test]
fn a_participant_that_only_a_note_mentions_is_drawn() {
    let scene = draw("note.mmd", "sequenceDiagram\nNote over B,C: first\nA->>B: m\n");
    let heads: Vec<&str> = scene.texts().filter(|text| text.len() == 1).take(3).collect();
    assert_eq!(heads, ["B", "C", "A"]);
    let scene = draw("activate.puml", "activate B\nA -> B : msg\n");
    let heads: Vec<&str> = scene.texts().filter(|text| text.len() == 1).take(2).collect();
    assert_eq!(heads, ["B", "A"]);
}

#[test]
fn stereotypes_have_no_spots_and_an_empty_page_break_has_no_gap() {
    let text =
        "participant A << (C,#ADD1B2) Testable >> <<old>>\nA -> B : m\nnewpage\nA -> B : n\n";
    let scene = draw("spot.puml", text);
    check_texts(&scene, &["«Testable, old»"]);
    let rules =
        count(&scene, |item| item.role == Role::Frame && matches!(&item.shape, Shape::Line(_)));
    assert_eq!(rules, 2, "two whole lines");
}

/// Diagrams of public repositories, which are not part of the project.
#[test]
fn diagrams_of_others_have_no_flaw() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/diagrams");
    let samples = std::env::var_os("OTUS_DIAGRAMS").map_or(beside, PathBuf::from);
    let files = ["mermaid", "plantuml"].map(|folder| std::fs::read_dir(samples.join(folder)));
    let mut drawn = 0;
    for file in files.into_iter().flatten().flatten().flatten() {
        let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
        let parsed = read(&file.file_name().to_string_lossy(), &text);
        let found = flaws(&picture(&parsed));
        assert_eq!(found, [], "{}", file.path().display());
        drawn += 1;
    }
    if drawn == 0 {
        eprintln!("skipped: {} is not there", samples.display());
    }
}
