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

/// Diagrams of public repositories, which are not part of the project.
#[test]
fn diagrams_of_others_have_no_flaw() {
    let samples =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/diagrams");
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
