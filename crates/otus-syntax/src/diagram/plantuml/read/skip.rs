//! Constructs of several lines, which are skipped up to their end.
//!
//! They do not nest, so a line is compared with one end only.

use super::Reader;
use crate::code::Code;
use crate::diagram::plantuml::line::Line;
use crate::name::Name;
use crate::source::Span;

/// A construct of several lines that is being skipped.
pub(super) struct Skipping {
    /// The first line of the construct.
    pub(super) start: Span,
    pub(super) until: Until,
}

/// The end of a construct of several lines.
pub(super) enum Until {
    /// A line that ends with `'/`.
    Comment,
    /// `end note` or `endnote`, with any of the words.
    End(&'static [&'static str]),
    /// The matching `}`, given the number of open braces.
    Brace(usize),
    /// `}` after the rows of a sprite.
    Sprite,
    /// `</svg>` after the lines of a sprite.
    Svg,
    /// `</style>`
    Style,
    /// `]`; the lines before it are the label of a participant.
    Label { name: Name, lines: Vec<String> },
}

impl Until {
    /// The name of the construct, and the text that ends it.
    fn word_and_end(&self) -> (&'static str, String) {
        match self {
            Until::Comment => ("comment", String::from("'/")),
            Until::End(words) => (words[0], format!("end {}", words[0])),
            Until::Brace(_) => ("block", String::from("}")),
            Until::Sprite => ("sprite", String::from("}")),
            Until::Svg => ("sprite", String::from("</svg>")),
            Until::Style => ("style", String::from("</style>")),
            Until::Label { .. } => ("label", String::from("]")),
        }
    }
}

impl Reader<'_> {
    pub(super) fn skip_until(&mut self, line: &Line<'_>, until: Until) {
        self.skipping = Some(Skipping { start: line.whole(), until });
    }

    /// Skips a line inside a construct of several lines.
    pub(super) fn skip(&mut self, line: &Line<'_>) {
        let text = line.text();
        let Some(skipping) = &mut self.skipping else { return };
        let over = match &mut skipping.until {
            Until::Comment => text.ends_with("'/"),
            Until::End(words) => {
                let what = text.get(..3).filter(|end| end.eq_ignore_ascii_case("end"));
                let what = what.map_or("", |_| text[3..].trim());
                words.iter().any(|word| word.eq_ignore_ascii_case(what))
            }
            Until::Brace(depth) => {
                if text.ends_with('{') {
                    *depth += 1;
                } else if text == "}" {
                    *depth -= 1;
                }
                *depth == 0
            }
            Until::Sprite => text == "}",
            Until::Svg => text.contains("</svg>"),
            Until::Style => text.eq_ignore_ascii_case("</style>"),
            Until::Label { lines, .. } => {
                let over = text == "]";
                if !over {
                    lines.push(text.to_owned());
                }
                over
            }
        };
        if !over {
            if let Some((_, lines)) = &mut self.begun {
                lines.push(" ".repeat(line.indent()) + text);
            }
            return;
        }
        self.complete(line.whole());
        if let Some(Skipping { start, until: Until::Label { name, lines } }) = self.skipping.take()
        {
            self.declare(start.to(line.whole()), name, Some(lines.join("\n")));
        }
    }

    /// Reports a construct that is still open at the end of the diagram.
    pub(super) fn never_ended(&mut self) {
        let Some(skipping) = self.skipping.take() else { return };
        let (word, end) = skipping.until.word_and_end();
        let code = match word {
            "comment" => Code::UNTERMINATED_COMMENT,
            _ => Code::NEVER_CLOSED,
        };
        let message = format!("this {word} has no `{end}`, so the rest of the diagram is lost");
        let help = format!("write `{end}` on a line where it ends");
        self.findings.report(code, skipping.start, message, help);
    }
}
