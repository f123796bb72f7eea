//! Tests of fences, headings and the selection of diagrams.

use super::*;

/// Each diagram as `LANGUAGE HEADING first line of its content`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let source = Source::new("x.md", text);
    let mut diagnostics = Vec::new();
    let found: Vec<String> = fences(&source, &mut diagnostics)
        .iter()
        .map(|fence| {
            let language = match fence.language {
                Language::Mermaid => "mermaid",
                Language::PlantUml => "plantuml",
            };
            let heading = fence.heading.as_deref().unwrap_or("-");
            format!("{language} {heading} {}", source.slice(fence.content).trim())
        })
        .collect();
    assert_eq!(diagnostics, [], "{text}");
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn check_unclosed(text: &str, at: &str, expected: usize) {
    let source = Source::new("x.md", text);
    let mut diagnostics = Vec::new();
    let found = fences(&source, &mut diagnostics);
    let [finding] = &diagnostics[..] else { panic!("{text}: {diagnostics:?}") };
    assert_eq!(finding.code, Code::NEVER_CLOSED_FENCE);
    assert_eq!(source.slice(finding.primary.span), at, "{text}");
    assert_eq!(found.len(), expected, "{text}");
}

#[test]
fn fences_are_found_wherever_they_stand() {
    check("```mermaid\nx\n```\n", &["mermaid - x"]);
    check("~~~ PlantUML foo\nx\n~~~", &["plantuml - x"]);
    check("```puml\r\nx\r\n```\r\n", &["plantuml - x"]);
    check("```mermaid {init}\nx\n```", &["mermaid - x"]);
    check("   ```mermaid\n   x\n   ```\n", &["mermaid - x"]);
    check("    ```mermaid\n    x\n    ```\n", &[]);
    check("- item\n\n  ```mermaid\n  x\n  ```\n", &["mermaid - x"]);
    check("1. item\n   - inner\n\n     ```mermaid\n     x\n     ```\n", &["mermaid - x"]);
    check("- ```mermaid\n  x\n  ```\n", &["mermaid - x"]);
    check("\t- a\n", &[]);
    check("```mermaid\n```", &["mermaid - "]);
    check("text ```mermaid\n", &[]);
    check("```mermaid `x`\n", &[]);
    check("", &[]);
}

#[test]
fn fences_close_with_their_own_kind() {
    check("````mermaid\nx\n```\n````\n", &["mermaid - x\n```"]);
    check("```mermaid\nx\n~~~\n`````\n", &["mermaid - x\n~~~"]);
    check("````text\n```mermaid\nx\n```\n````\n```mermaid\ny\n```", &["mermaid - y"]);
    check("```mermaid\nx\n    ```\n```", &["mermaid - x\n    ```"]);
    check("<!--\n```mermaid\nx\n```\n-->\n```mermaid\ny\n```", &["mermaid - y"]);
}

#[test]
fn other_mermaid_diagrams_are_left_out() {
    check(
        "```mermaid\nflowchart LR\n```\n```mermaid\nsequenceDiagram\n```",
        &["mermaid - sequenceDiagram"],
    );
    check("```mermaid\n%% x\n---\n```\n", &["mermaid - %% x\n---"]);
    check("```mermaid\n%%{init: {}}%%\n%% x\npie\n```\n", &[]);
    check("```mermaid\n---\ntitle: x\n---\ngantt\n```\n", &[]);
    check("```mermaid\nclassDiagram-v2\n```\n", &[]);
}

#[test]
fn headings_name_what_follows_them() {
    let diagram = "\n```mermaid\nx\n```\n";
    for (heading, anchor) in [
        ("# Log in", "log-in"),
        ("###### Log in ######", "log-in"),
        ("## C#", "c"),
        ("## What's *new* in `v2.0`?", "whats-new-in-v20"),
        ("## See [the docs](http://x.y/z) _now_", "see-the-docs-_now_"),
        ("## Été – ok", "été--ok"),
        ("Log in\n======", "log-in"),
        ("Log\nin\n---", "log-in"),
        ("#", ""),
    ] {
        check(&format!("{heading}\n{diagram}"), &[&format!("mermaid {anchor} x")]);
    }
    for none in ["#Log in", "####### Log in", "    # Log in", "---", "a\n\n---", "- a\n---"] {
        let source = Source::new("x.md", format!("{none}\n{diagram}"));
        let found = fences(&source, &mut Vec::new());
        assert_eq!(found[0].heading, None, "{none}");
    }
    check("---\ntitle: x\n---\n```mermaid\nx\n```", &["mermaid - x"]);
    check(
        &format!("# A\n{diagram}# A\n{diagram}# A-1\n{diagram}# A\n{diagram}"),
        &["mermaid a x", "mermaid a-1 x", "mermaid a-1-1 x", "mermaid a-2 x"],
    );
}

#[test]
fn open_fences_are_reported() {
    check_unclosed("text\n```mermaid\nx\n", "```mermaid", 1);
    check_unclosed("```text\n```mermaid\nx\n~~~", "```text", 0);
    check_unclosed("- ```mermaid\n  x\ny\n```mermaid\nz\n```\n", "```mermaid", 2);
    check("```text\nno diagram is lost\n", &[]);
}

#[test]
fn diagrams_are_picked_by_number_or_heading() {
    let diagram = "\n```mermaid\nx\n```\n";
    let source = Source::new(
        "x.md",
        format!("{diagram}# Log in\n{diagram}# Log out\n{diagram}{diagram}# Log out\n{diagram}"),
    );
    let found = fences(&source, &mut Vec::new());
    let pick = |selector: Option<&str>| {
        select(&source, &found, selector)
            .map(|fence| found.iter().position(|other| other == fence).unwrap() + 1)
            .map_err(Box::new)
    };
    for (selector, expected) in [
        ("1", 1),
        ("5", 5),
        ("log-in", 2),
        ("Log in", 2),
        ("log-in-1", 2),
        ("log-out-1", 5),
        ("log-out-2", 4),
    ] {
        assert_eq!(pick(Some(selector)), Ok(expected), "{selector}");
    }
    for (selector, message, help) in [
        (None, "this document has 5 diagrams; say which one", "the diagrams are #1 (line 3), #2"),
        (Some("0"), "there is no diagram 0: the document has 5", "the diagrams are #1"),
        (Some("6"), "there is no diagram 6: the document has 5", "the diagrams are #1"),
        (Some("log-on"), "there is no diagram under a heading `log-on`", "did you mean `log-in`?"),
        (Some("log-out"), "there are 2 diagrams under `log-out`", "write `log-out-1`"),
        (Some("log-in-3"), "there is no diagram under a heading", "did you mean `log-in`?"),
        (Some(""), "there is no diagram under a heading ``", "the diagrams are #1"),
    ] {
        let finding = pick(selector).unwrap_err();
        assert_eq!(finding.code, Code::NO_SUCH_DIAGRAM);
        assert!(finding.message.starts_with(message), "{finding:?}");
        assert!(finding.help.as_deref().unwrap().starts_with(help), "{finding:?}");
    }
    assert_eq!(select(&source, &found[..1], None), Ok(&found[0]));
    assert_eq!(select(&source, &[], Some("1")).unwrap_err().code, Code::NO_DIAGRAM);
}

#[test]
fn no_text_makes_it_panic_or_slow() {
    let whole = "---\na: é\n---\n# É [x](y\n- 1. ~~~mermaid\n\té\n ~~~\nb\n==\n<!-- é";
    for (cut, _) in whole.char_indices() {
        let source = Source::new("x.md", &whole[cut..]);
        fences(&source, &mut Vec::new());
        let source = Source::new("x.md", &whole[..cut]);
        fences(&source, &mut Vec::new());
    }
    for piece in ["- ", "a\n", "# a\n", "```mermaid\n", "](", "a\n-\n", "~~~\n", " ", "1. ", "`"] {
        let source = Source::new("x.md", piece.repeat(200_000));
        fences(&source, &mut Vec::new());
        anchor::slug(source.text());
    }
}
