//! A diagram that is converted to the other language has the same term, and keeps what both languages can show.

use std::path::{Path, PathBuf};

use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{Written, mermaid, plantuml};
use otus_syntax::{Severity, Source};
use otus_testkit::read::Language;

/// The tree of a text; `None` if it has errors.
fn tree(language: Language, text: &str) -> Option<SpecFile> {
    let source = Source::new("diagram", text);
    let parsed = match language {
        Language::Mermaid => mermaid::read(&source, source.whole()),
        Language::PlantUml | Language::Interaction => plantuml::read(&source, source.whole()),
    };
    let is_wrong = parsed.diagnostics.iter().any(|found| found.severity == Severity::Error);
    (!is_wrong).then_some(parsed.tree)
}

fn written(language: Language, tree: &SpecFile) -> Written {
    match language {
        Language::Mermaid => mermaid::written(tree),
        Language::PlantUml | Language::Interaction => plantuml::written(tree),
    }
}

/// The term of a tree, in words.
fn term(tree: &SpecFile) -> Option<String> {
    let lowered = otus_core::lower(&[tree]);
    let term = lowered.term?;
    // Terms of unfolded loops can be huge.
    (lowered.pool.attributes(term).nodes < 20_000).then(|| lowered.pool.text(term))
}

fn other(language: Language) -> Language {
    match language {
        Language::Mermaid => Language::PlantUml,
        Language::PlantUml | Language::Interaction => Language::Mermaid,
    }
}

/// What is wrong with the conversion of a text to the other language and back; `None` if nothing is.
fn fault(language: Language, text: &str) -> Option<String> {
    let first = tree(language, text)?;
    let meaning = term(&first)?;
    let there = written(other(language), &first).text;
    let Some(second) = tree(other(language), &there) else {
        return Some(format!("what was written is not read:\n{there}"));
    };
    if term(&second).as_ref() != Some(&meaning) {
        return Some(format!(
            "the term is another one: {meaning} and {:?}\n{there}",
            term(&second)
        ));
    }
    let back = written(language, &second).text;
    let Some(third) = tree(language, &back) else {
        return Some(format!("what was written back is not read:\n{back}"));
    };
    if term(&third).as_ref() != Some(&meaning) {
        return Some(format!("the term is another one on the way back\n{there}\n{back}"));
    }
    let again = written(other(language), &third).text;
    (again != there).then(|| {
        let lines = there.lines().zip(again.lines());
        let first = lines.clone().position(|(one, other)| one != other).unwrap_or(0);
        let changed: Vec<_> = lines.skip(first).take(2).collect();
        format!("the presentation changes: {changed:?}\n{there}\n{back}\n{again}")
    })
}

#[track_caller]
fn check(language: Language, text: &str) {
    if let Some(fault) = fault(language, text) {
        panic!("{text}\n{fault}");
    }
}

/// The presentation of a text in the other language, line by line.
#[track_caller]
fn becomes(language: Language, text: &str, expected: &str, left_out: &[&str]) {
    check(language, text);
    let found = written(other(language), &tree(language, text).expect("no errors"));
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&found.text), lines(expected), "{}", found.text);
    assert_eq!(found.left_out, left_out);
}

#[test]
fn what_mermaid_shows_plantuml_shows() {
    becomes(
        Language::Mermaid,
        "sequenceDiagram
    title Orders
    autonumber 10 5
    box rgb(0, 0, 255) Shop
    actor A as Ann
    participant B
    end
    participant C
    A->>+B: ask
    B-)+C: tell
    Note over B,C: think
    C-->>-B: told
    rect rgba(0, 255, 0, 0.10)
    B-->>-A: answer
    end
    create participant D
    B->>D: make
    destroy D
    D->>B: done
",
        "@startuml
title Orders
box \"Shop\" #0000FF
actor \"Ann\" as A
participant B
end box
participant C
participant D
autonumber 10 5
A -> B : ask
activate B
B ->> C : tell
activate C
note over B, C : think
C --> B : told
deactivate C
group #00FF001A
B --> A : answer
deactivate B
end
create D
B -> D : make
D -> B : done
destroy D
@enduml
",
        &[],
    );
}

#[test]
fn what_plantuml_shows_mermaid_shows_or_says_that_it_cannot() {
    becomes(
        Language::PlantUml,
        "@startuml
title Orders
header page
participant A <<web>>
box \"Store\" #LightBlue
database B
end box
autonumber
A -> B ++ #Gold : ask
== later ==
hnote over B : wait
return answer
autonumber stop
create control C
A -[#red]> C : make
group Ending [soon]
A ->> C : bye
end
destroy C
@enduml
",
        "sequenceDiagram
participant A
box LightBlue Store
participant B@{ \"type\": \"database\" }
end
title: Orders
autonumber
A->>B: ask
activate B
Note over A,C: later
Note over B: wait
B-->>A: answer
deactivate B
create participant C@{ \"type\": \"control\" }
autonumber off
A->>C: make
rect transparent
A-)C: bye
end
",
        &[
            "colours of arrows",
            "dividers, delays and references (written as notes)",
            "headers, footers, captions, legends and frames",
            "labels of groups",
            "shapes and colours of notes",
            "stereotypes",
            "the destruction of lifelines apart from their last message",
        ],
    );
}

#[test]
fn ends_without_a_beginning_are_left_out() {
    // The second `deactivate` would be an error of Mermaid.
    check(
        Language::PlantUml,
        "A -> B : m\nactivate B\nalt\nB -> A : x\ndeactivate B\nelse\nB -> A : y\ndeactivate B\nend\n",
    );
    // PlantUML refuses a bar that begins where another one ends.
    becomes(
        Language::Mermaid,
        "sequenceDiagram\nA->>B: m\nactivate B\ndeactivate B\nactivate B\nB->>A: n\ndeactivate B\n",
        "@startuml\nparticipant A\nparticipant B\nA -> B : m\nactivate B\nB -> A : n\ndeactivate B\n@enduml\n",
        &["bars that begin where another one ends"],
    );
    // A break becomes an alternative that the frame does not end in.
    check(
        Language::Mermaid,
        "sequenceDiagram\nA->>B: m\nrect red\nbreak no\nB->>A: x\nend\nA->>B: n\nend\nA->>B: o\n",
    );
    check(
        Language::Mermaid,
        "sequenceDiagram\nautonumber\nloop 3 times\nrect red\nA->>+B: m\nB->>-A: n\nend\nend\n",
    );
}

/// The rows of `docs/diagrams.md`.
#[test]
fn every_construct_is_converted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagrams.md");
    let text = std::fs::read_to_string(path).expect("the page is there");
    let mut language = None;
    let mut count = 0;
    for line in text.lines() {
        match line {
            "## Every construct of Mermaid" => language = Some(Language::Mermaid),
            "## Every construct of PlantUML" => language = Some(Language::PlantUml),
            _ if line.starts_with('#') => language = None,
            _ => {}
        }
        let (Some(language), true) = (language, line.starts_with("| ")) else { continue };
        let Some(example) = line.split('`').nth(1) else { continue };
        let example = example.replace("\\|", "|").replace(" ⏎ ", "\n");
        let header = if language == Language::Mermaid { "sequenceDiagram\n" } else { "" };
        check(language, &format!("{header}{example}"));
        count += 1;
    }
    assert!(count > 60, "{count}");
}

#[test]
fn wild_diagrams_are_converted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/diagrams");
    let root = std::env::var_os("OTUS_DIAGRAMS").map_or(root, PathBuf::from);
    let mut all = Vec::new();
    for (folder, language) in [("mermaid", Language::Mermaid), ("plantuml", Language::PlantUml)] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            println!(
                "skipped: there is no ../shared/samples/diagrams (OTUS_DIAGRAMS names another folder)"
            );
            return;
        };
        let (mut count, mut faults) = (0, Vec::new());
        for entry in entries {
            let path = entry.expect("an entry").path();
            let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
            count += 1;
            faults
                .extend(fault(language, &text).map(|fault| format!("{}: {fault}", path.display())));
        }
        println!("{folder}: {} of {count} are converted", count - faults.len());
        all.extend(faults);
    }
    let shown: Vec<&str> = all.iter().filter_map(|fault| fault.lines().next()).collect();
    assert!(all.is_empty(), "{shown:#?}\n{}", all[0]);
}
