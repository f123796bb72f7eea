//! Arbitrary texts: the parser does not panic and takes linear time.

use super::{parse, random};
use crate::diagram::plantuml::write;
use crate::source::Source;

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces: Vec<&str> =
        "A \" -> < x o [ ] ? : # ( ) ++ ' /' '/ \\ note end as { } é & otus: % << >> ... == \
                             | alt else \u{2028} order 1 , legend ! - group coreg( [*] ( :"
            .split(' ')
            .chain([" ", "\n", "\r\n", "\t", "@startuml\n", "@enduml\n", "participant ", "return "])
            .collect();
    let mut random = random(1);
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..30 {
            text.push_str(pieces[random(pieces.len())]);
        }
        let source = Source::new("x", text);
        let (outline, diagnostics) = parse(&source);
        let spans = outline.statements.iter().map(|statement| statement.span);
        for span in spans.chain(diagnostics.iter().map(|diagnostic| diagnostic.primary.span)) {
            assert!(source.text().get(span.range()).is_some(), "{:?} {span:?}", source.text());
        }
    }
}

#[test]
fn long_and_deep_texts_take_linear_time() {
    let deep = "group strict\n".repeat(100_000) + &"end\n".repeat(100_000);
    let (outline, _) = parse(&Source::new("x", deep));
    assert_eq!(outline.statements.len(), 200_000);
    let text = write::spell(&outline).text;
    assert!(text.len() < 100 * 200_000);
    for line in
        ["/'".repeat(100_000), "\"".repeat(100_000), "A -[".repeat(100_000), "[[".repeat(100_000)]
    {
        parse(&Source::new("x", line));
    }
    parse(&Source::new("x", "A\\\n".repeat(100_000)));
    parse(&Source::new("x", "/' a '/".repeat(100_000)));
}
