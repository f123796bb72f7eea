//! What diagrams show besides their meaning, and what is kept of it in the other language.

use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::drawing::{Drawing, HeadKind, Mark, NotePlace};
use otus_syntax::{Severity, Source};

fn from_mermaid(text: &str) -> SpecFile {
    let source = Source::new("a.mmd", text);
    let parsed = mermaid::read(&source, source.whole());
    assert!(
        parsed.diagnostics.iter().all(|it| it.severity == Severity::Note),
        "{:?}",
        parsed.diagnostics
    );
    parsed.tree
}

fn from_plantuml(text: &str) -> SpecFile {
    let source = Source::new("a.puml", text);
    let parsed = plantuml::read(&source, source.whole());
    assert!(
        parsed.diagnostics.iter().all(|it| it.severity == Severity::Note),
        "{:?}",
        parsed.diagnostics
    );
    parsed.tree
}

fn drawing(tree: &SpecFile) -> &Drawing {
    tree.drawing.as_deref().expect("a diagram has a drawing")
}

/// All entries, in the order of nodes.
fn shown(tree: &SpecFile) -> Vec<String> {
    let text = |name: otus_syntax::Name| tree.names.text(name.symbol).to_owned();
    let mut lines = Vec::new();
    let count = tree.interaction.as_ref().map_or(0, |interaction| interaction.nodes.len());
    for number in 0..u32::try_from(count).expect("few nodes") {
        let Some(entry) = drawing(tree).of(otus_syntax::ast::NodeId(number)) else { continue };
        let mark = |mark: &Mark| match mark {
            Mark::Note(note) => {
                let at: Vec<String> = note.at.iter().map(|&name| text(name)).collect();
                format!("{:?} {} {:?}", note.place, at.join("+"), note.text)
            }
            Mark::Activate { lifeline, .. } => format!("activate {}", text(*lifeline)),
            Mark::Deactivate(Some(lifeline)) => format!("deactivate {}", text(*lifeline)),
            Mark::Open(frame) => format!("open {} {:?}", frame.keyword, frame.label),
            Mark::Divider(_)
            | Mark::Delay(_)
            | Mark::Space(_)
            | Mark::Reference { .. }
            | Mark::Deactivate(None)
            | Mark::Create(_)
            | Mark::Destroy(_)
            | Mark::Close
            | Mark::Page(_) => format!("{mark:?}"),
        };
        lines.extend(entry.before.iter().map(|it| format!("{number} before: {}", mark(it))));
        if let Some(arrow) = &entry.arrow {
            let towards = arrow.towards.map(text).unwrap_or_default();
            let number_shown = arrow.number.clone().unwrap_or_default();
            lines.push(format!(
                "{number} arrow {:?} dotted={} lost={} towards={towards:?} number={number_shown}",
                arrow.text, arrow.dotted, arrow.lost
            ));
        }
        if let Some(frame) = &entry.frame {
            let guards: Vec<&str> = frame.operands.iter().map(|it| it.guard.as_str()).collect();
            lines.push(format!("{number} frame {} {:?} {guards:?}", frame.keyword, frame.label));
        }
        lines.extend(entry.after.iter().map(|it| format!("{number} after: {}", mark(it))));
    }
    lines
}

#[test]
fn the_table_has_what_mermaid_shows() {
    let tree = from_mermaid(
        "sequenceDiagram\n  title: Flow\n  autonumber 5 5\n  box Aqua Team\n  actor A\n  \
         participant D@{ \"type\": \"database\" }\n  end\n  Note over A,D: first<br/>second\n  A->>+D: one<br/>two\n  \
         alt known\n    D-->>-A: yes\n  else unknown\n    Note left of D: nothing\n  end\n  A->>A: think\n  A-xE: gone\n",
    );
    let drawn = drawing(&tree);
    assert_eq!(drawn.title(), Some("Flow"));
    let kinds: Vec<HeadKind> = drawn.heads.iter().map(|head| head.kind).collect();
    assert_eq!(kinds, [HeadKind::Actor, HeadKind::Database, HeadKind::Participant]);
    assert_eq!((drawn.boxes[0].title.as_str(), drawn.boxes[0].members.len()), ("Team", 2));
    assert_eq!(
        shown(&tree),
        [
            "0 before: Over A+D \"first\\nsecond\"",
            "0 arrow \"one\\ntwo\" dotted=false lost=false towards=\"\" number=5",
            "0 after: activate D",
            "1 arrow \"yes\" dotted=true lost=false towards=\"\" number=10",
            "1 after: deactivate D",
            "2 before: Left D \"nothing\"",
            "3 frame alt \"known\" [\"\", \"unknown\"]",
            "4 arrow \"think\" dotted=false lost=false towards=\"A\" number=15",
            "5 arrow \"gone\" dotted=false lost=true towards=\"E\" number=20",
        ]
    );
}

#[test]
fn the_table_has_what_plantuml_shows() {
    let tree = from_plantuml(
        "title\nLong\ntitle\nend title\nparticipant B order 2 <<proxy>> #red\nactor A order 1\n== Start ==\n\
         A -> B : m\nnote right #aqua\na\nb\nend note\n...later...\ngroup checks [why]\nB --> A : n\nend\n\
         ref over A, B : other\nloop 2 times\nA -> B : o\nend\n",
    );
    let drawn = drawing(&tree);
    assert_eq!(drawn.title(), Some("Long\ntitle"));
    let heads: Vec<(&str, Option<i32>)> =
        drawn.heads.iter().map(|it| (tree.names.text(it.lifeline.symbol), it.order)).collect();
    assert_eq!(heads, [("A", Some(1)), ("B", Some(2))]);
    assert_eq!(drawn.heads[1].stereotype.as_deref(), Some("proxy"));
    let lines = shown(&tree);
    for expected in [
        "0 before: Divider(\"Start\")",
        "0 after: Right  \"a\\nb\"",
        "0 after: Delay(\"later\")",
        "0 after: open group \"checks\"",
        "1 arrow \"n\" dotted=true lost=false towards=\"\" number=",
        "1 after: Close",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:#?}");
    }
    assert!(lines.iter().any(|line| line.contains("frame loop \"2 times\"")), "{lines:#?}");
}

#[test]
fn the_other_language_keeps_it() {
    let text = "sequenceDiagram\n    actor A\n    participant B as Big<br/>one\n    title: Flow\n    \
                A->>B: one<br/>two\n    Note over A,B: look\n    alt known\n        B-->>A: yes\n    else unknown\n        \
                B-xA: no\n    end\n    A->>A: think\n    A<<->>B: sync\n    loop every day\n        A->>B: ping\n    end\n";
    let mermaid_tree = from_mermaid(text);
    assert_eq!(mermaid::write(&mermaid_tree), text);
    let plantuml_text = plantuml::write(&mermaid_tree);
    let plantuml_tree = from_plantuml(&plantuml_text);
    assert_eq!(mermaid::write(&plantuml_tree), text, "{plantuml_text}");
    let note = shown(&plantuml_tree).into_iter().find(|line| line.contains("look"));
    assert!(note.is_some_and(|line| line.contains(&format!("{:?} A+B", NotePlace::Over))));
}
