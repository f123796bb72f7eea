//! `[[test]]` of `otus.toml`: the expected verdicts and answers.
//!
//! ```toml
//! [[test]]
//! name = "devices lose power"
//! logs = "logs/cut"                   # or traces = "runs/*.htf"
//! observed = "prefix"                 # or kind = "eliminate"; otherwise as [observation] says
//! expect = "WeakPass"                 # or a list, or a table by the id of a group
//!
//! [[test]]
//! traces = "runs/*.pot.json"
//! formula = "AG(x < 2)"               # or property = "safe", one of [properties]
//! expect = "holds"
//! ```
//!
//! A test is a call of `otus analyze` or `otus ctl` with its expected answer. The places of expected values are kept,
//! so that `otus test --update` can replace them.

use std::ops::Range;

use otus_syntax::source::offset;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Source, Span};
use otus_trace::mapping::Glob;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cause::CAUSES;

/// The keys of a `[[test]]`.
pub const KEYS: [&str; 11] = [
    "name", "spec", "traces", "logs", "group", "observed", "kind", "formula", "property", "expect",
    "cause",
];

pub const OBSERVED: [&str; 4] = ["complete", "global-prefix", "prefix", "slice"];

/// The verdicts that can be expected of a multi-trace.
pub const VERDICTS: [&str; 5] = ["Pass", "WeakPass", "Fail", "WeakFail", "Inconclusive"];

/// The answers that can be expected of a formula.
pub const ANSWERS: [&str; 3] = ["holds", "fails", "undecided"];

/// A `[[test]]`. Names of files are relative to the folder of `otus.toml`.
#[derive(Debug)]
pub struct Test {
    /// The name of the test or, if it has none, its number.
    pub name: String,
    /// The offset of the test in the file.
    pub start: usize,
    /// The offset of the end of its last key, not counting tables inside the test.
    pub end: usize,
    pub spec: Vec<String>,
    pub traces: Vec<String>,
    pub logs: Vec<String>,
    pub group: Option<String>,
    pub observed: Option<String>,
    pub kind: Option<String>,
    pub formula: Option<Formula>,
    pub expect: Option<Wanted>,
    pub cause: Option<Wanted>,
}

#[derive(Debug)]
pub enum Formula {
    Text(String),
    /// The name of a property.
    Property(String),
}

/// The expected values.
#[derive(Debug)]
pub enum Wanted {
    /// The same for all multi-traces.
    All(Words),
    /// Expected values by id, or by a pattern of ids.
    ById(Vec<(Id, Words)>),
}

/// An id or a pattern of ids.
#[derive(Debug)]
pub struct Id {
    pub glob: Glob,
    /// The place of its key in the file.
    pub place: Range<usize>,
}

/// Alternative values, and their place in the file.
#[derive(Debug)]
pub struct Words {
    pub words: Vec<&'static str>,
    pub place: Range<usize>,
}

impl Wanted {
    /// The expected values for an id; an exact id takes precedence over a pattern.
    pub fn of(&self, id: &str) -> Option<(Option<&Id>, &Words)> {
        match self {
            Wanted::All(words) => Some((None, words)),
            Wanted::ById(all) => {
                let exact = all.iter().find(|(key, _)| key.glob.text() == id);
                let found = exact.or_else(|| all.iter().find(|(key, _)| key.glob.matches(id)));
                found.map(|(key, words)| (Some(key), words))
            }
        }
    }
}

const EXAMPLE: &str = "write [[test]] and below it traces = \"runs/*.htf\" and expect = \"Pass\"";

/// Reads the parts of `otus.toml` that are not about logs, and reports mistakes in them.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source,
    pub(crate) found: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(crate) fn tests(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Test> {
        let DeValue::Array(tables) = value.get_ref() else {
            self.wrong(value.span(), "`test` is a list of tables", EXAMPLE);
            return Vec::new();
        };
        let mut tests: Vec<Test> = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            let DeValue::Table(entries) = table.get_ref() else {
                self.wrong(table.span(), "a test is a table", EXAMPLE);
                continue;
            };
            let test = self.test(entries, table.span(), at + 1);
            if let Some(other) = tests.iter().find(|other| other.name == test.name) {
                let line = self.source.text()[..other.start].matches('\n').count() + 1;
                let message = format!("another test is called `{}`, too (line {line})", test.name);
                self.wrong(table.span(), &message, "give each test a name of its own");
            }
            tests.push(test);
        }
        tests
    }

    pub(crate) fn tell(&mut self, code: Code, place: Range<usize>, message: &str, help: &str) {
        let span = Span::new(offset(place.start), offset(place.end));
        let fault = Diagnostic::new(code, self.source.id(), span, message);
        self.found.push(fault.with_help(help));
    }

    pub(super) fn wrong(&mut self, place: Range<usize>, message: &str, help: &str) {
        self.tell(Code::WRONG_SETTING, place, message, help);
    }

    fn contradiction(&mut self, place: Range<usize>, message: &str, help: &str) {
        self.tell(Code::CONTRADICTING_SETTINGS, place, message, help);
    }

    fn test(&mut self, entries: &DeTable<'_>, place: Range<usize>, number: usize) -> Test {
        let value = |name: &str| {
            entries.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
        };
        for (key, _) in entries {
            let name: &str = key.get_ref();
            if !KEYS.contains(&name) {
                let help = did_you_mean(name, KEYS)
                    .unwrap_or_else(|| format!("its keys are `{}`", KEYS.join("`, `")));
                let message = format!("[[test]] has no key `{name}`");
                self.tell(Code::UNKNOWN_SETTING, key.span(), &message, &help);
            }
        }
        let ends = entries.iter().map(|(key, value)| {
            // A table that is written below the test has its keys elsewhere in the file.
            let is_below = value.get_ref().as_table().is_some()
                && !self.source.text()[value.span()].starts_with('{');
            if is_below { key.span().end } else { value.span().end }
        });
        let end = ends.max().unwrap_or(place.end).max(place.end);
        let mut text = |key: &str| value(key).and_then(|value| self.text(value, key));
        let (name, group, kind) = (text("name"), text("group"), text("kind"));
        let (formula, property) = (text("formula"), text("property"));
        let mut texts =
            |key: &str| value(key).map(|value| self.texts(value, key)).unwrap_or_default();
        let (spec, traces, logs) = (texts("spec"), texts("traces"), texts("logs"));
        let formula = formula.map(Formula::Text).or_else(|| property.map(Formula::Property));
        let answers: &[&'static str] = if formula.is_some() { &ANSWERS } else { &VERDICTS };
        let observed = value("observed").and_then(|value| {
            let text = self.text(value, "observed")?;
            self.choice(&text, &OBSERVED, value.span()).map(str::to_owned)
        });
        let rules = CAUSES.map(|rule| rule.id);
        let test = Test {
            name: name.unwrap_or_else(|| format!("number {number}")),
            start: place.start,
            end,
            spec,
            traces,
            logs,
            group,
            observed,
            kind,
            formula,
            expect: value("expect").and_then(|value| self.wanted(value, answers)),
            cause: value("cause").and_then(|value| self.wanted(value, &rules)),
        };
        for (one, other) in [("traces", "logs"), ("observed", "kind"), ("formula", "property")] {
            if let (Some(_), Some(second)) = (value(one), value(other)) {
                let message = format!("a test has `{one}` or `{other}`, not both");
                self.contradiction(second.span(), &message, "make two tests of it");
            }
        }
        for key in ["spec", "observed", "kind", "cause"] {
            if let Some(value) = value(key).filter(|_| test.formula.is_some()) {
                let message = format!("`{key}` is for verdicts, and this test is about a formula");
                self.contradiction(value.span(), &message, "leave out one or the other");
            }
        }
        if let (Some(_), Some(group)) = (value("traces"), value("group")) {
            let message = "`group` chooses among raw logs, and this test is about `traces`";
            self.contradiction(group.span(), message, "say `logs` instead of `traces`");
        }
        test
    }

    fn text(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            let message = format!("`{key}` is a text in quotes");
            self.wrong(value.span(), &message, &format!("write {key} = \"…\""));
        }
        text
    }

    /// A text, or a list of them.
    fn texts(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Vec<String> {
        match value.get_ref().as_array() {
            Some(items) => items.iter().filter_map(|item| self.text(item, key)).collect(),
            None => self.text(value, key).into_iter().collect(),
        }
    }

    fn choice(
        &mut self,
        text: &str,
        known: &[&'static str],
        place: Range<usize>,
    ) -> Option<&'static str> {
        let found = known.iter().copied().find(|known| *known == text);
        if found.is_none() {
            let names = known.join("`, `");
            let help = did_you_mean(text, known.iter().copied())
                .unwrap_or_else(|| format!("write one of `{names}`"));
            self.wrong(place, &format!("`{text}` is none of `{names}`"), &help);
        }
        found
    }

    fn wanted(&mut self, value: &Spanned<DeValue<'_>>, known: &[&'static str]) -> Option<Wanted> {
        let DeValue::Table(entries) = value.get_ref() else {
            return self.words(value, known).map(Wanted::All);
        };
        let mut all = Vec::new();
        for (key, value) in entries {
            let id = Id { glob: Glob::name(key.get_ref()), place: key.span() };
            all.push((id, self.words(value, known)?));
        }
        Some(Wanted::ById(all))
    }

    fn words(&mut self, value: &Spanned<DeValue<'_>>, known: &[&'static str]) -> Option<Words> {
        let one = std::slice::from_ref(value);
        let items = value.get_ref().as_array().map_or(one, |items| &**items);
        let mut words = Vec::new();
        for item in items {
            let Some(text) = item.get_ref().as_str() else {
                let help = format!("write \"{}\", or a list, or a table by id", known[0]);
                self.wrong(item.span(), "what is expected is a text in quotes", &help);
                return None;
            };
            words.push(self.choice(text, known, item.span())?);
        }
        if words.is_empty() {
            self.wrong(value.span(), "nothing fits an empty list", "name what is expected");
            return None;
        }
        Some(Words { words, place: value.span() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(text: &str) -> (Vec<Test>, Vec<String>) {
        let source = Source::new("otus.toml", text);
        let (document, faults) = DeTable::parse_recoverable(source.text());
        assert!(faults.is_empty(), "{faults:?}");
        let (_, value) =
            document.get_ref().iter().find(|(key, _)| key.get_ref() == "test").unwrap();
        let mut found = Vec::new();
        let tests = Reader { source: &source, found: &mut found }.tests(value);
        let told = found.iter().map(|found| {
            let place = source.slice(found.primary.span);
            let help = found.help.as_deref().unwrap_or_default();
            format!("{}: {} [{place}] {help}", found.code, found.message)
        });
        (tests, told.collect())
    }

    #[track_caller]
    fn check_fault(text: &str, fault: &str) {
        assert_eq!(tests(&format!("[[test]]\n{text}\n")).1, [fault]);
    }

    #[test]
    fn a_test_has_all_its_keys() {
        let (tests, found) = tests(
            "[[test]]\nname = 'a'\nspec = ['x.hsf', 'y.hif']\nlogs = 'logs/pass'\ngroup = 'g'\n\
             observed = 'slice'\nexpect = ['Pass', 'WeakPass']\ncause = 'too-early'\n\n\
             [[test]]\ntraces = ['*.htf']\nkind = 'accept'\nexpect = { s1 = 'Pass', 's*' = 'Fail' }\n\
             [[test]]\nproperty = 'safe'\nexpect = 'holds'\n",
        );
        assert_eq!(found, [""; 0]);
        let names: Vec<&str> = tests.iter().map(|test| &*test.name).collect();
        assert_eq!(names, ["a", "number 2", "number 3"]);
        assert_eq!(tests[0].spec, ["x.hsf", "y.hif"]);
        let of = |test: &Test, id: &str| {
            test.expect.as_ref().unwrap().of(id).map(|(_, words)| words.words.clone())
        };
        assert_eq!(of(&tests[0], "any").unwrap(), ["Pass", "WeakPass"]);
        assert_eq!(of(&tests[1], "s1").unwrap(), ["Pass"]);
        assert_eq!(of(&tests[1], "s2").unwrap(), ["Fail"]);
        assert_eq!(of(&tests[1], "t"), None);
    }

    #[test]
    fn an_id_counts_more_than_a_pattern_before_it() {
        let (tests, _) = tests("[[test]]\nexpect = { '*' = 'Fail', s1 = 'Pass' }");
        let wanted = tests[0].expect.as_ref().unwrap();
        assert_eq!(wanted.of("s1").unwrap().1.words, ["Pass"]);
        assert_eq!(wanted.of("s2").unwrap().1.words, ["Fail"]);
    }

    #[test]
    fn faults_are_told_where_they_stand() {
        check_fault(
            "trace = 'a'",
            "O1002: [[test]] has no key `trace` [trace] did you mean `traces`?",
        );
        check_fault(
            "expect = 'pass'",
            "O1003: `pass` is none of `Pass`, `WeakPass`, `Fail`, `WeakFail`, `Inconclusive` \
             ['pass'] did you mean `Pass`?",
        );
        check_fault(
            "formula = 'x'\nexpect = 'Pass'",
            "O1003: `Pass` is none of `holds`, `fails`, `undecided` ['Pass'] write one of `holds`, \
             `fails`, `undecided`",
        );
        check_fault("expect = []", "O1003: nothing fits an empty list [[]] name what is expected");
        check_fault(
            "traces = 'a'\nlogs = 'b'",
            "O1008: a test has `traces` or `logs`, not both ['b'] make two tests of it",
        );
        check_fault(
            "traces = 'a'\ngroup = 'b'",
            "O1008: `group` chooses among raw logs, and this test is about `traces` ['b'] say `logs` \
             instead of `traces`",
        );
        check_fault("name = 1", "O1003: `name` is a text in quotes [1] write name = \"…\"");
    }

    #[test]
    fn verdicts_are_called_as_they_are_printed() {
        use otus_analysis::Verdict::{Fail, Inconclusive, Pass, WeakFail, WeakPass};
        let all = [Pass, WeakPass, Fail, WeakFail, Inconclusive];
        assert_eq!(all.map(otus_analysis::Verdict::name), VERDICTS);
    }

    #[test]
    fn names_are_unique() {
        let (_, found) = tests("[[test]]\nname = 'a'\n[[test]]\nname = 'a'\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("another test is called `a`, too (line 1)"), "{found:?}");
    }
}
