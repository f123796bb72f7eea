//! Specifications from texts and files, and what is wrong with them.

use otus::{Error, Run, Spec, assert_conforms};

/// Whether a text is the specification of one message from a to b.
#[track_caller]
fn check(name: &str, text: &str) {
    let spec = Spec::parse(name, text).unwrap();
    assert_eq!(spec.name(), name);
    assert_eq!(spec.lifelines().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(spec.messages().collect::<Vec<_>>(), ["m"]);
    let mut run = Run::new();
    run.log("a").sent("m");
    run.log("b").received("m");
    assert_conforms!(spec, run);
}

#[test]
fn the_name_says_what_a_text_is() {
    check("x.mmd", "sequenceDiagram\n  a->>b: m\n");
    check("x.puml", "@startuml\na -> b : m\n@enduml\n");
    check("x.hif", "a -- m -> b");
    check("x.hsf", "@lifeline{a; b} @message{m} a -- m -> b");
    check("x.md", "# T\n\n```mermaid\nsequenceDiagram\n  a->>b: m\n```\n");
    let two = "# One\n\n```mermaid\nsequenceDiagram\n  x->>y: z\n```\n\n# Two\n\n```plantuml\n\
               @startuml\na -> b : m\n@enduml\n```\n";
    check("x.md#two", two);
}

#[track_caller]
fn refuse(name: &str, text: &str, expected: &str) {
    let error = Spec::parse(name, text).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn mistakes_are_told_with_their_lines() {
    refuse(
        "flow.mmd",
        "sequenceDiagram\n  a->>b: m\n  lop x\n",
        "\
error[O0602]: this line is neither a message nor a keyword of a sequence diagram
 --> flow.mmd:3:3
  |
3 |   lop x
  |   ^^^^^
  |
  = help: did you mean `loop`?",
    );
    let unclear = Spec::parse("flow.txt", "<html>").unwrap_err().to_string();
    assert!(unclear.starts_with("cannot tell what flow.txt is"), "{unclear}");
    refuse(
        "sig.hsf",
        "@lifeline{a}",
        "\
error[O0210]: this specification has no interaction
 --> sig.hsf:1:1
  |
1 | @lifeline{a}
  | ^
  |
  = help: give the .hif too",
    );
}

#[test]
fn a_declared_signature_is_kept_to() {
    let error = Spec::parse("m.hsf", "@lifeline{broker} @message{m} brokr!m").unwrap_err();
    let [finding] = error.findings().try_into().unwrap();
    assert_eq!((&*finding.code, finding.line, finding.column), ("O0301", 1, 31));
    assert!(finding.help.as_ref().unwrap().contains("did you mean `broker`?"));
}

#[test]
fn files_are_read_by_their_names() {
    let folder = std::env::temp_dir().join(format!("otus-specs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("sig.hsf", "@lifeline{a; b} @message{m}");
    write("model.hif", "a -- m -> b");
    write("page.md", "# Flow\n\n```mermaid\nsequenceDiagram\n  a->>b: m\n```\n");
    let spec = Spec::read_all(["sig.hsf", "model.hif"].map(|name| folder.join(name))).unwrap();
    assert!(spec.name().ends_with("model.hif"), "{}", spec.name());
    Spec::read(folder.join("page.md#flow")).unwrap();
    let missing = Spec::read(folder.join("other.mmd")).unwrap_err();
    assert!(matches!(missing, Error::Unfit(_)) && missing.to_string().contains("other.mmd"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_specification_is_shared_by_threads() {
    let spec = Spec::parse("x.hif", "loopW(a -- m -> b)").unwrap();
    let threads: Vec<_> = (0..4)
        .map(|count| {
            let spec = spec.clone();
            std::thread::spawn(move || {
                let mut run = Run::new();
                for _ in 0..=count {
                    run.log("a").sent("m");
                    run.log("b").received("m");
                }
                assert_conforms!(spec, run);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn pictures_are_drawn() {
    let spec = Spec::parse("x.hif", "loopW(a -- m -> b)").unwrap();
    assert!(spec.svg().contains("</svg>"));
    assert!(spec.text(80).unwrap().contains('►'));
    assert_eq!(spec.text(3), None);
}
