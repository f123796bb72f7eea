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
//!
//! Whether a failure is known depends on its cause, so a failure that the baseline lists is explained even if the
//! request asks for no explanations. Such failures do not count towards the number of failures that the request
//! explains anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use otus_analysis::Verdict;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::request::{Explain, Request};
use crate::cause::CAUSES;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::explanation::Explanation;
use crate::project::expectation::Reader;
use crate::report::one_line;
use crate::summary::Summary;

/// The word that stands for every cause.
const ANY: &str = "any";

type Causes = BTreeSet<&'static str>;

#[derive(Debug, Default)]
struct Baseline {
    /// The known causes of each id.
    entries: BTreeMap<String, Entry>,
    text: String,
}

#[derive(Debug)]
struct Entry {
    /// The known causes; empty if every cause counts as known.
    causes: Causes,
    /// The lines of the entry, with the comments directly above it.
    lines: Range<usize>,
}

impl Baseline {
    /// Reads a file. Warnings about it are reported.
    fn read(context: &Context, path: &Path) -> Result<Baseline> {
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
        let mut found = Vec::new();
        let mut reader = Reader { source, found: &mut found };
        let mut baseline = Baseline { text: source.text().to_owned(), ..Baseline::default() };
        let (document, faults) = DeTable::parse_recoverable(source.text());
        for fault in faults {
            let place = fault.span().unwrap_or_default();
            let message = format!("this is not TOML: {}", fault.message().trim_end_matches('.'));
            reader.tell(Code::NOT_TOML, place, &message, EXAMPLE);
        }
        if !reader.found.is_empty() {
            return (baseline, found);
        }
        for (key, value) in document.get_ref() {
            match (&**key.get_ref(), value.get_ref()) {
                ("known", DeValue::Table(entries)) => {
                    for (id, value) in entries {
                        let place = id.span().start..value.span().end;
                        let lines = lines(source.text(), place);
                        if let Some(causes) = causes(&mut reader, value) {
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
        (baseline, found)
    }

    /// The text of a baseline with the failures of this run. Lines of the old baseline that still
    /// hold are kept.
    fn rewritten(&self, failures: &BTreeMap<String, Why>) -> String {
        let mut out = String::from(HEADER);
        for (id, Why { causes, headline }) in failures {
            let entry = self.entries.get(id);
            let kept = entry.filter(|it| it.causes.is_empty() || it.causes == *causes);
            if let Some(entry) = kept {
                out.push_str(self.text[entry.lines.clone()].trim_end());
                out.push('\n');
                continue;
            }
            let causes: Vec<String> = causes.iter().map(|cause| format!("\"{cause}\"")).collect();
            let id = serde_json::Value::from(&**id);
            let _ = match causes.as_slice() {
                [one] => write!(out, "{id} = {one}"),
                several => write!(out, "{id} = [{}]", several.join(", ")),
            };
            if !headline.is_empty() {
                let _ = write!(out, "  # {}", one_line(headline));
            }
            out.push('\n');
        }
        out
    }
}

const EXAMPLE: &str = "write [known] and below it \"the id of a case\" = \"too-early\"";

/// The causes of an entry: `None` if the value is invalid, empty if every cause counts as known.
fn causes(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Causes> {
    let one = std::slice::from_ref(value);
    let items = value.get_ref().as_array().map_or(one, |items| &**items);
    let mut causes = Causes::new();
    for item in items {
        let Some(text) = item.get_ref().as_str() else {
            reader.tell(Code::WRONG_SETTING, item.span(), "a cause is a text", EXAMPLE);
            return None;
        };
        if text == ANY {
            return Some(Causes::new());
        }
        let Some(cause) = CAUSES.iter().find(|cause| cause.id == text) else {
            let names = CAUSES.iter().map(|cause| cause.id).chain([ANY]);
            let help = did_you_mean(text, names.clone());
            let all: Vec<&str> = names.collect();
            let help = help.unwrap_or_else(|| format!("causes are `{}`", all.join("`, `")));
            let message = format!("there is no cause `{text}`");
            reader.tell(Code::WRONG_SETTING, item.span(), &message, &help);
            return None;
        };
        causes.insert(cause.id);
    }
    Some(causes)
}

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

#[derive(Debug, Default)]
pub(super) struct KnownFailures {
    baseline: Option<Baseline>,
    /// The old content of the baseline that the failures of this run are written to.
    rewritten: Option<Baseline>,
}

impl KnownFailures {
    /// Whether there is a baseline to compare with or to write.
    pub(super) fn is_some(&self) -> bool {
        self.baseline.is_some() || self.rewritten.is_some()
    }

    pub(super) fn read(context: &Context, request: &Request) -> Result<KnownFailures> {
        let read = |path| Baseline::read(context, path);
        let rewritten = match &request.write_baseline {
            Some(path) if context.files.kind(path).is_some() => Some(read(path)?),
            Some(_) => Some(Baseline::default()),
            None => None,
        };
        let baseline = request.baseline.as_deref().map(read).transpose()?;
        Ok(KnownFailures { baseline, rewritten })
    }

    /// The known causes of a failure; `None` if the id is not listed, empty if all causes are known.
    fn causes(&self, id: &str) -> Option<&Causes> {
        self.baseline.as_ref()?.entries.get(id).map(|entry| &entry.causes)
    }

    pub(super) fn is_known_for_any_cause(&self, id: &str) -> bool {
        self.causes(id).is_some_and(Causes::is_empty)
    }

    pub(super) fn needs_cause(&self, id: &str, explain: Explain) -> bool {
        self.causes(id).is_some_and(|causes| !causes.is_empty())
            || (self.rewritten.is_some() && explain != Explain::None)
    }

    /// Records a verdict, and returns whether it is a known failure.
    pub(super) fn note(
        &self,
        id: &str,
        verdict: Verdict,
        explanation: Option<&Explanation>,
        met: &mut Met,
    ) -> bool {
        let is_fail = verdict == Verdict::Fail;
        if is_fail && self.rewritten.is_some() {
            let (cause, headline) = explanation.map_or((ANY, ""), |it| (it.cause, &it.headline));
            met.add(id.to_owned(), &Causes::from([cause]), headline);
        }
        let Some(causes) = self.causes(id) else { return false };
        let is_undecided = matches!(verdict, Verdict::WeakFail | Verdict::Inconclusive);
        let listed = if is_fail || is_undecided { &mut met.failing } else { &mut met.passing };
        listed.insert(id.to_owned());
        is_fail && (causes.is_empty() || explanation.is_some_and(|it| causes.contains(it.cause)))
    }

    /// Records a verdict of an earlier run. Its cause was not stored, so a listed failure counts as
    /// known.
    pub(super) fn note_earlier(&self, id: &str, verdict: Verdict, met: &mut Met) -> bool {
        self.note(id, verdict, None, met);
        verdict == Verdict::Fail && self.causes(id).is_some()
    }
}

#[derive(Debug, Default)]
struct Why {
    causes: Causes,
    headline: String,
}

/// The failures, and the ids of the baseline that occurred, in a run or in a part of it.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// All failures, for a new baseline.
    failures: BTreeMap<String, Why>,
    /// The ids of the baseline that fail.
    failing: BTreeSet<String>,
    /// The ids of the baseline that do not fail.
    passing: BTreeSet<String>,
}

impl Met {
    fn add(&mut self, id: String, causes: &Causes, headline: &str) {
        let why = self.failures.entry(id).or_default();
        why.causes.extend(causes);
        if why.headline.is_empty() {
            headline.clone_into(&mut why.headline);
        }
    }

    pub(super) fn append(&mut self, mut other: Met) {
        for (id, Why { causes, headline }) in other.failures {
            self.add(id, &causes, &headline);
        }
        self.failing.append(&mut other.failing);
        self.passing.append(&mut other.passing);
    }

    /// The ids of the baseline that are accepted now; `None` without a baseline.
    pub(super) fn fixed(&self, known: &KnownFailures) -> Option<Vec<String>> {
        known.baseline.as_ref()?;
        Some(self.passing.difference(&self.failing).cloned().collect())
    }

    /// The number of ids of the baseline that did not occur in the run, and the number of all its ids;
    /// `None` without a baseline.
    pub(super) fn unmet(&self, known: &KnownFailures) -> Option<(usize, usize)> {
        let count = known.baseline.as_ref()?.entries.len();
        let met = self.passing.union(&self.failing).count();
        Some((count.saturating_sub(met), count))
    }

    /// The text of the new baseline and the number of its ids, unless the run was cancelled.
    pub(super) fn baseline(
        &self,
        known: &KnownFailures,
        summary: &Summary,
    ) -> Option<(String, usize)> {
        let old = known.rewritten.as_ref().filter(|_| summary.interrupted == 0)?;
        Some((old.rewritten(&self.failures), self.failures.len()))
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

    fn failures(all: &[(&str, &'static str, &str)]) -> BTreeMap<String, Why> {
        let mut met = Met::default();
        for &(id, cause, headline) in all {
            met.add(id.to_owned(), &Causes::from([cause]), headline);
        }
        met.failures
    }

    #[test]
    fn what_is_written_can_be_read() {
        let found = failures(&[
            ("b \"c\"", "too-early", "x came\nearly"),
            ("a", "dead-end", "one"),
            ("a", "too-late", "two"),
        ]);
        let text = Baseline::default().rewritten(&found);
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
        assert_eq!(baseline.entries["a"].causes, Causes::from(["dead-end", "too-late"]));
        assert_eq!(baseline.entries["b \"c\""].causes, Causes::from(["too-early"]));
        assert!(!baseline.entries.contains_key("c"));
    }

    #[test]
    fn comments_of_what_still_holds_are_kept() {
        let old = "# head\n[known]\n# ticket 7\n# by Ann\n\"a\" = \"too-early\" # mine\nb = \"too-late\"\n\n# gone\nc = 'any'\n";
        let (old, faults) = Baseline::parse(&Source::new("b.toml", old));
        assert!(faults.is_empty(), "{faults:?}");
        let new = failures(&[("a", "too-early", "new"), ("b", "dead-end", "other")]);
        let text = old.rewritten(&new);
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
