//! Updates an `otus.toml`: actual answers become the expected ones.
//!
//! Only the values of `expect` and `cause` are replaced, at their places in the text; comments and everything else stay
//! unchanged. The new text is parsed again, and refused if it does not contain the actual answers.

use std::ops::Range;

use otus_syntax::Source;
use toml::de::DeTable;

use super::report::counts;
use super::run::TestOutcome;
use crate::context::Context;
use crate::diagnostics::line_end;
use crate::error::{Result, unfit};
use crate::project::Settings;
use crate::project::expectation::{Reader, Test, Wanted};

/// The maximum number of ids that are listed one by one.
const NAMED: usize = 8;

/// The text of `otus.toml` with the actual answers, and the number of changed tests; `None` if nothing changes.
///
/// # Errors
/// If the layout of the file cannot be edited.
pub fn updated(
    context: &Context,
    settings: &Settings,
    outcomes: &[TestOutcome<'_>],
) -> Result<Option<(String, usize)>> {
    let text = settings.source.text();
    let mut edits: Vec<Edit> = Vec::new();
    let mut changed = 0;
    for outcome in outcomes.iter().filter(|it| it.error.is_none() && !it.interrupted) {
        let before = edits.len();
        edits.extend(changes(text, outcome));
        changed += usize::from(edits.len() > before);
        for id in &outcome.absent {
            context.remark(format!(
                "test {}: {id} is not there any more; remove it from `expect`",
                outcome.test.name
            ));
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let new = applied(text, edits);
    if !says_what_was_found(&new, outcomes) {
        unfit!(
            "{} is written in a way that --update does not know; write what is expected by hand",
            settings.name
        );
    }
    Ok(Some((new, changed)))
}

/// A part of the text, and its replacement.
#[derive(Debug)]
struct Edit {
    place: Range<usize>,
    text: String,
}

fn changes(text: &str, outcome: &TestOutcome<'_>) -> Vec<Edit> {
    let test = outcome.test;
    let found: Vec<(&str, &'static str)> =
        outcome.cases.iter().map(|judged| (&*judged.id, judged.found)).collect();
    let mut edits = Vec::new();
    if outcome.cases.iter().any(|judged| !judged.is_verdict_expected()) {
        edits.extend(of_key(text, test, "expect", test.expect.as_ref(), &found));
    }
    if test.cause.is_some() && outcome.cases.iter().any(|judged| !judged.is_cause_expected()) {
        let causes = outcome.cases.iter().filter_map(|it| Some((&*it.id, it.cause?)));
        let causes: Vec<_> = causes.collect();
        edits.extend(of_key(text, test, "cause", test.cause.as_ref(), &causes));
    }
    edits
}

fn of_key(
    text: &str,
    test: &Test,
    key: &str,
    wanted: Option<&Wanted>,
    found: &[(&str, &'static str)],
) -> Vec<Edit> {
    if found.is_empty() {
        return Vec::new();
    }
    let all = match wanted {
        None => {
            let at = line_end(text, test.end);
            let text = format!("{}{key} = {}", newline(text), whole(found));
            return vec![Edit { place: at..at, text }];
        }
        Some(Wanted::All(words)) => {
            return vec![Edit { place: words.place.clone(), text: whole(found) }];
        }
        Some(Wanted::ById(all)) => all,
    };
    let mut edits: Vec<Edit> = Vec::new();
    for (id, words) in by_id(found) {
        let known = wanted.and_then(|wanted| wanted.of(id));
        if let Some((key, expected)) = &known {
            if words.iter().all(|word| expected.words.contains(word)) {
                continue;
            }
            if key.is_some_and(|key| key.glob.text() == id) {
                edits.push(Edit { place: expected.place.clone(), text: listed(&words) });
                continue;
            }
        }
        let Some((last, end)) = all.iter().map(|(key, words)| (key, words.place.end)).next_back()
        else {
            continue;
        };
        let entry = format!("{} = {}", quoted(id), listed(&words));
        let line = text[..last.place.start].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line..last.place.start].trim();
        let is_inline = text[..last.place.start].trim_end().ends_with(['{', ',']);
        let (at, entry) = if is_inline {
            (end, format!(", {entry}"))
        } else if before.is_empty() {
            (line_end(text, end), format!("{}{entry}", newline(text)))
        } else {
            (line_end(text, end), format!("{}{before}{entry}", newline(text)))
        };
        edits.push(Edit { place: at..at, text: entry });
    }
    edits
}

/// All actual answers: one word if they are equal, otherwise a table. If there are many ids, a pattern stands for the
/// most frequent answer.
fn whole(found: &[(&str, &'static str)]) -> String {
    let counts = counts(found.iter().map(|&(_, word)| word));
    if let [(word, _)] = counts.as_slice() {
        return quoted(word);
    }
    let ids = by_id(found);
    let mut entries = Vec::new();
    let mut most = None;
    if ids.len() > NAMED {
        most = counts.iter().max_by_key(|(_, count)| *count).map(|(word, _)| *word);
        entries.extend(most.map(|word| format!("\"*\" = {}", quoted(word))));
    }
    let others = ids.iter().filter(|(_, words)| most.is_none_or(|word| *words != [word]));
    entries.extend(others.map(|(id, words)| format!("{} = {}", quoted(id), listed(words))));
    format!("{{ {} }}", entries.join(", "))
}

/// The actual answers of each id, in the order of first occurrence.
fn by_id<'f>(found: &[(&'f str, &'static str)]) -> Vec<(&'f str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&'static str>)> = Vec::new();
    let mut numbers: rustc_hash::FxHashMap<&str, usize> = rustc_hash::FxHashMap::default();
    for &(id, word) in found {
        let number = *numbers.entry(id).or_insert_with(|| {
            all.push((id, Vec::new()));
            all.len() - 1
        });
        if !all[number].1.contains(&word) {
            all[number].1.push(word);
        }
    }
    all
}

fn listed(words: &[&str]) -> String {
    match words {
        [word] => quoted(word),
        several => {
            let all: Vec<String> = several.iter().map(|word| quoted(word)).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

/// A quoted text; TOML has the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.place.start);
    let (mut out, mut at) = (String::with_capacity(text.len() + 64), 0);
    for edit in edits {
        out.push_str(&text[at..edit.place.start]);
        out.push_str(&edit.text);
        at = edit.place.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Whether the new text contains the actual answers.
fn says_what_was_found(text: &str, outcomes: &[TestOutcome<'_>]) -> bool {
    let source = Source::new("otus.toml", text);
    let (document, faults) = DeTable::parse_recoverable(source.text());
    let value = document.get_ref().iter().find(|(key, _)| key.get_ref() == "test");
    let (Some((_, value)), true) = (value, faults.is_empty()) else { return false };
    let mut found = Vec::new();
    let tests = Reader { source: &source, found: &mut found }.tests(value);
    let usable = outcomes.iter().filter(|it| it.error.is_none() && !it.interrupted);
    found.is_empty()
        && usable.into_iter().all(|outcome| {
            let Some(test) = tests.iter().find(|test| test.name == outcome.test.name) else {
                return false;
            };
            outcome.cases.iter().all(|it| {
                let words = test.expect.as_ref().and_then(|wanted| wanted.of(&it.id));
                words.is_some_and(|(_, words)| words.words.contains(&it.found))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::super::run::Judged;
    use super::*;

    /// The file after an update of its first test with actual answers.
    #[track_caller]
    fn check(text: &str, found: &[(&str, &'static str)], expected: &str) {
        let source = Source::new("otus.toml", text);
        let (document, _) = DeTable::parse_recoverable(source.text());
        let value = document.get_ref().iter().find(|(key, _)| key.get_ref() == "test").unwrap().1;
        let tests = Reader { source: &source, found: &mut Vec::new() }.tests(value);
        let judged = |&(id, found): &(&str, &'static str)| Judged {
            id: id.to_owned(),
            found,
            cause: None,
            wanted: tests[0]
                .expect
                .as_ref()
                .and_then(|wanted| Some(wanted.of(id)?.1.words.clone())),
            wanted_cause: None,
            headline: String::new(),
            details: Vec::new(),
        };
        let outcome = TestOutcome {
            test: &tests[0],
            cases: found.iter().map(judged).collect(),
            absent: Vec::new(),
            error: None,
            interrupted: false,
        };
        let new = applied(text, changes(text, &outcome));
        assert_eq!(new, expected);
        assert!(says_what_was_found(&new, &[outcome]));
    }

    #[test]
    fn a_word_takes_the_place_of_a_word() {
        check(
            "# a\n[[test]]\nexpect = 'Pass' # why\n",
            &[("x", "Fail")],
            "# a\n[[test]]\nexpect = \"Fail\" # why\n",
        );
        check(
            "[[test]]\nexpect = ['Pass', 'Fail']\n",
            &[("x", "Fail")],
            "[[test]]\nexpect = ['Pass', 'Fail']\n",
        );
    }

    #[test]
    fn what_is_missing_is_added_below() {
        check(
            "[[test]]\nname = 'a' # b\n\n[[test]]\n",
            &[("x", "Pass"), ("y", "Pass")],
            "[[test]]\nname = 'a' # b\nexpect = \"Pass\"\n\n[[test]]\n",
        );
        check("[[test]]", &[("x", "Pass")], "[[test]]\nexpect = \"Pass\"");
        check(
            "[[test]] # c\r\n[other]\r\nx = 1\r\n",
            &[("x", "Pass")],
            "[[test]] # c\r\nexpect = \"Pass\"\r\n[other]\r\nx = 1\r\n",
        );
    }

    #[test]
    fn different_answers_are_a_table() {
        check(
            "[[test]]\nexpect = 'Pass'",
            &[("x y", "Pass"), ("z", "Fail")],
            "[[test]]\nexpect = { \"x y\" = \"Pass\", \"z\" = \"Fail\" }",
        );
        let mut many: Vec<(&str, &'static str)> =
            ["a", "b", "c", "d", "e", "f", "g", "h"].map(|id| (id, "Pass")).to_vec();
        many.push(("z", "Fail"));
        check(
            "[[test]]\nexpect = 'Pass'",
            &many,
            "[[test]]\nexpect = { \"*\" = \"Pass\", \"z\" = \"Fail\" }",
        );
    }

    #[test]
    fn entries_of_a_table_are_changed_and_added() {
        check(
            "[[test]]\nexpect = { a = 'Pass', '*' = 'Pass' } # x",
            &[("a", "Fail"), ("b", "Fail"), ("c", "Pass")],
            "[[test]]\nexpect = { a = \"Fail\", '*' = 'Pass', \"b\" = \"Fail\" } # x",
        );
        check(
            "[[test]]\nname = 'n'\n[test.expect]\na = 'Pass' # why\n",
            &[("a", "Pass"), ("b", "Fail")],
            "[[test]]\nname = 'n'\n[test.expect]\na = 'Pass' # why\n\"b\" = \"Fail\"\n",
        );
        check(
            "[[test]]\nexpect.a = 'Pass'\n",
            &[("a", "Pass"), ("b", "Fail")],
            "[[test]]\nexpect.a = 'Pass'\nexpect.\"b\" = \"Fail\"\n",
        );
    }
}
