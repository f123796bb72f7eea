//! The tables of `docs/diagrams.md`: each example has the meaning that stands beside it.

use otus_syntax::Severity;
use otus_testkit::read::{Language, read, term};

/// The cells of a row of a Markdown table; `\|` is a character of a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.peek() == Some(&'|') => {
                characters.next();
                cells.last_mut().expect("a cell").push('|');
            }
            '|' => cells.push(String::new()),
            _ => cells.last_mut().expect("a cell").push(c),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The text between the first pair of back-ticks.
fn code(cell: &str) -> Option<&str> {
    cell.split('`').nth(1)
}

/// The term of a text without errors.
fn meaning(language: Language, text: &str) -> String {
    let (lowered, diagnostics) = read(language, text);
    let worst = diagnostics.iter().find(|found| found.severity > Severity::Note);
    assert!(worst.is_none(), "{text}\n{worst:?}");
    term(&lowered)
}

#[test]
fn every_example_has_its_meaning() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagrams.md");
    let text = std::fs::read_to_string(path).expect("the page is there");
    let mut language = None;
    let mut counts = [0, 0];
    for line in text.lines() {
        match line {
            "## Every construct of Mermaid" => language = Some(Language::Mermaid),
            "## Every construct of PlantUML" => language = Some(Language::PlantUml),
            _ if line.starts_with('#') => language = None,
            _ => {}
        }
        let (Some(language), true) = (language, line.starts_with("| ")) else { continue };
        let cells = cells(line);
        if cells[0] == "construct" {
            continue;
        }
        let [_, example, means, drawn, ..] = &cells[..] else { panic!("four cells: {line}") };
        assert!(!drawn.is_empty(), "{line}");
        let example = code(example).expect("an example").replace(" ⏎ ", "\n");
        let example = match language {
            Language::Mermaid => format!("sequenceDiagram\n{example}"),
            Language::PlantUml | Language::Interaction => example,
        };
        let means = code(means).expect("an interaction");
        assert_eq!(meaning(language, &example), meaning(Language::Interaction, means), "{example}");
        counts[usize::from(language == Language::PlantUml)] += 1;
    }
    assert!(counts[0] >= 35 && counts[1] >= 50, "the tables are complete: {counts:?}");
}
