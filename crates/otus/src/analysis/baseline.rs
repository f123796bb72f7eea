//! Baselines: files of known failures, which do not fail a run, so that only new failures do.
//!
//! ```toml
//! [known]
//! "broken thermo" = "unexpected-message"  # broker received PUBCOMP where …
//! "old firmware" = ["too-early", "too-late"]
//! "flaky" = "any"
//! ```
//!
//! A line has the id of a group or case and the cause of its failure. A failure with another cause is new. The format
//! is TOML because it allows comments, which give the reason and the owner of a known failure. Lines are sorted, one
//! per id, so that version control can merge them. Rewriting the file keeps the lines that still hold, with the
//! comments directly above them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use otus_syntax::source::offset;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Source, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cause::CAUSES;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};

/// The word that stands for every cause.
const ANY: &str = "any";

/// Failures that are known.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    /// By id.
    entries: BTreeMap<String, Entry>,
    text: String,
}

#[derive(Debug)]
struct Entry {
    /// The known causes; empty if all are known.
    causes: Vec<&'static str>,
    /// The lines of the entry, with the comments directly above it.
    lines: Range<usize>,
}

impl Baseline {
    /// Reads a file. Warnings about it are reported.
    pub(crate) fn read(context: &Context, path: &Path) -> Result<Baseline> {
        let name = path.display();
        let bytes = context.files.read(path).map_err(|error| {
            Error::Unfit(format!(
                "cannot read the baseline {name}; --write-baseline {name} makes one: {error}"
            ))
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::Unfit(format!("{name} is not UTF-8, as TOML must be")))?;
        let source = Source::new(name.to_string(), text);
        let (baseline, found) = Baseline::parse(&source);
        let found = Diagnostics::new(vec![source], found);
        if found.has_errors() {
            return Err(Error::Text(Box::new(found)));
        }
        context.warn(found);
        Ok(baseline)
    }

    fn parse(source: &Source) -> (Baseline, Vec<Diagnostic>) {
        let mut reader = Reader { source, found: Vec::new() };
        let mut baseline = Baseline { text: source.text().to_owned(), ..Baseline::default() };
        let (document, faults) = DeTable::parse_recoverable(source.text());
        for fault in faults {
            let place = fault.span().unwrap_or_default();
            let message = format!("this is not TOML: {}", fault.message().trim_end_matches('.'));
            reader.tell(Code::NOT_TOML, place, &message, EXAMPLE);
        }
        if !reader.found.is_empty() {
            return (baseline, reader.found);
        }
        for (key, value) in document.get_ref() {
            match (&**key.get_ref(), value.get_ref()) {
                ("known", DeValue::Table(entries)) => {
                    for (id, value) in entries {
                        let place = id.span().start..value.span().end;
                        let lines = lines(source.text(), place);
                        if let Some(causes) = reader.causes(value) {
                            let id = id.get_ref().to_string();
                            baseline.entries.insert(id, Entry { causes, lines });
                        }
                    }
                }
                ("known", _) => {
                    reader.tell(Code::WRONG_SETTING, value.span(), "`known` is a table", EXAMPLE);
                }
                (other, _) => {
                    let message = format!("a baseline has no key `{other}`");
                    reader.tell(Code::UNKNOWN_SETTING, key.span(), &message, EXAMPLE);
                }
            }
        }
        (baseline, reader.found)
    }

    /// The known causes of a failure; `None` if the id is not listed, empty if all causes are known.
    pub(crate) fn of(&self, id: &str) -> Option<&[&'static str]> {
        self.entries.get(id).map(|entry| &*entry.causes)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

const EXAMPLE: &str = "write [known] and below it \"the id of a case\" = \"too-early\"";

struct Reader<'s> {
    source: &'s Source,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn tell(&mut self, code: Code, place: Range<usize>, message: &str, help: &str) {
        let span = Span::new(offset(place.start), offset(place.end));
        self.found.push(Diagnostic::new(code, self.source.id(), span, message).with_help(help));
    }

    /// `None` if the value is invalid; empty for every cause.
    fn causes(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Vec<&'static str>> {
        let one = std::slice::from_ref(value);
        let items = value.get_ref().as_array().map_or(one, |items| &**items);
        let mut causes = Vec::new();
        for item in items {
            let Some(text) = item.get_ref().as_str() else {
                self.tell(Code::WRONG_SETTING, item.span(), "a cause is a text", EXAMPLE);
                return None;
            };
            if text == ANY {
                return Some(Vec::new());
            }
            let Some(cause) = CAUSES.iter().find(|cause| cause.id == text) else {
                let names = CAUSES.iter().map(|cause| cause.id).chain([ANY]);
                let help = did_you_mean(text, names.clone());
                let all: Vec<&str> = names.collect();
                let help = help.unwrap_or_else(|| format!("causes are `{}`", all.join("`, `")));
                let message = format!("there is no cause `{text}`");
                self.tell(Code::WRONG_SETTING, item.span(), &message, &help);
                return None;
            };
            causes.push(cause.id);
        }
        Some(causes)
    }
}

/// The lines of an entry, and the comments directly above it.
fn lines(text: &str, place: Range<usize>) -> Range<usize> {
    let mut start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    while start > 0 {
        let above = text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
        if !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    let end = text[place.end..].find('\n').map_or(text.len(), |at| place.end + at);
    start..end
}

/// The failures of a run.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// By id: the causes, and a line about the failure.
    all: BTreeMap<String, (Vec<&'static str>, String)>,
}

/// A failure.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) id: String,
    /// The cause and the headline, if they were computed.
    pub(crate) why: Option<(&'static str, String)>,
}

impl Failures {
    pub(crate) fn add(&mut self, failure: Failure) {
        let (cause, headline) = failure.why.unwrap_or((ANY, String::new()));
        let (causes, first) = self.all.entry(failure.id).or_default();
        if !causes.contains(&cause) {
            causes.push(cause);
        }
        if first.is_empty() {
            *first = headline;
        }
    }

    /// The number of ids.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The text of a baseline with these failures. Lines of the old one that still hold are kept.
    pub(crate) fn text(&self, old: &Baseline) -> String {
        let mut out = String::from(HEADER);
        for (id, (causes, headline)) in &self.all {
            let kept = old.entries.get(id).filter(|entry| {
                let same = |cause: &&'static str| entry.causes.contains(cause);
                entry.causes.is_empty()
                    || (causes.iter().all(same) && causes.len() == entry.causes.len())
            });
            if let Some(entry) = kept {
                out.push_str(old.text[entry.lines.clone()].trim_end());
                out.push('\n');
                continue;
            }
            let mut sorted = causes.clone();
            sorted.sort_unstable();
            let causes: Vec<String> = sorted.iter().map(|cause| format!("\"{cause}\"")).collect();
            let id = serde_json::Value::from(&**id);
            let _ = match causes.as_slice() {
                [one] => write!(out, "{id} = {one}"),
                several => write!(out, "{id} = [{}]", several.join(", ")),
            };
            if !headline.is_empty() {
                let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
                let headline: String = headline.chars().map(plain).collect();
                let _ = write!(out, "  # {headline}");
            }
            out.push('\n');
        }
        out
    }
}

const HEADER: &str = "\
# Failures that are known: `otus analyze --baseline` does not fail because of them.
# Written by --write-baseline, which keeps lines that still hold, and the comments right above them.

[known]
";

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(all: &[(&str, &'static str, &str)]) -> Failures {
        let mut failures = Failures::default();
        for &(id, cause, headline) in all {
            let why = Some((cause, headline.to_owned()));
            failures.add(Failure { id: id.to_owned(), why });
        }
        failures
    }

    #[test]
    fn what_is_written_can_be_read() {
        let found = failures(&[
            ("b \"c\"", "too-early", "x came\nearly"),
            ("a", "dead-end", "one"),
            ("a", "too-late", "two"),
        ]);
        let text = found.text(&Baseline::default());
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            lines,
            [
                "\"a\" = [\"dead-end\", \"too-late\"]  # one",
                "\"b \\\"c\\\"\" = \"too-early\"  # x came early"
            ]
        );
        let (baseline, faults) = Baseline::parse(&Source::new("b.toml", text));
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(baseline.of("a").unwrap(), ["dead-end", "too-late"]);
        assert_eq!(baseline.of("b \"c\"").unwrap(), ["too-early"]);
        assert_eq!(baseline.of("c"), None);
    }

    #[test]
    fn comments_of_what_still_holds_are_kept() {
        let old = "# head\n[known]\n# ticket 7\n# by Ann\n\"a\" = \"too-early\" # mine\nb = \"too-late\"\n\n# gone\nc = 'any'\n";
        let (old, faults) = Baseline::parse(&Source::new("b.toml", old));
        assert!(faults.is_empty(), "{faults:?}");
        let new = failures(&[("a", "too-early", "new"), ("b", "dead-end", "other")]);
        let text = new.text(&old);
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            lines,
            [
                "# ticket 7",
                "# by Ann",
                "\"a\" = \"too-early\" # mine",
                "\"b\" = \"dead-end\"  # other"
            ]
        );
    }

    #[test]
    fn faults_are_told() {
        for (text, fault) in [
            ("[known]\na = 'to-early'", "there is no cause `to-early`"),
            ("[known]\na = 1", "a cause is a text"),
            ("known = 1", "`known` is a table"),
            ("[knwon]\na = 'any'", "a baseline has no key `knwon`"),
        ] {
            let (_, found) = Baseline::parse(&Source::new("b.toml", text));
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].message, fault);
        }
    }
}
