//! Lines of logs about the state of a component, which become variables that formulas read.
//!
//! ```text
//! bdae became leader at term 3                      a role, and the term, epoch, view or round that it belongs to
//! state=follower -> leader                          a change, of which the new value counts
//! state changed from follower to leader
//! applied index=7 commit=7                          values with names
//! {"msg": "vote", "state": "follower", "term": 3}   fields whose names speak of state
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The lines of a log about state, by the field that they are in (empty in text) and by their form.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) by_form: BTreeMap<(String, Form), Lines>,
}

/// The form of a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// `became leader at term 3`, with the word for the term.
    Became(Option<String>),
    /// `state=a -> b`, with the name.
    Arrow(String),
    /// `state changed from a to b`, with the name.
    FromTo(String),
    /// `a=1 b=2`, with the names.
    Pairs(Vec<String>),
    /// Fields of a record, with their names.
    Fields(Vec<String>),
}

/// Lines of one form.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) count: usize,
    pub(super) example: String,
    /// For each variable: some of its values.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
}

/// The maximum number of forms that become rules, of names in a form, and of values that are kept.
const MOST_FORMS: usize = 6;
const MOST_NAMES: usize = 4;
const MOST_VALUES: usize = 12;

/// Words for the period that a role belongs to.
const TERMS: [&str; 5] = ["term", "epoch", "view", "round", "ballot"];

/// Names of fields that speak of state.
const STATE_FIELDS: &str = "state status role phase mode term epoch view round ballot leader commit commit_index applied \
                            balance stock version locked ready";

/// Names of values that do not speak of state.
const OTHER_NAMES: &str = "time ts timestamp date at level lvl severity logger caller thread tid pid host hostname file \
                           line id uuid trace trace_id span span_id request_id req msg message error err reason addr \
                           address ip port peer from to src dst url path method user duration took elapsed latency \
                           size bytes len seq mid token key hash";

impl States {
    /// Adds a line of text, or the text of a field. Returns whether it is about state.
    pub(super) fn line(&mut self, field: &str, line: &str) -> bool {
        let found = became(line).or_else(|| arrow(line)).or_else(|| from_to(line));
        let is_change = found.is_some();
        if let Some((form, values)) = found.or_else(|| pairs(line)) {
            self.add(field, form, line, values);
        }
        is_change
    }

    /// Adds a record with fields.
    pub(super) fn record(&mut self, fields: &Map<String, Value>, line: &str) {
        let is_state = |name: &&String| STATE_FIELDS.split_whitespace().any(|it| it == **name);
        let mut values = Vec::new();
        for name in fields.keys().filter(is_state).take(MOST_NAMES) {
            let value = match &fields[name] {
                Value::String(text) if !text.contains(' ') => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(truth) => truth.to_string(),
                Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => continue,
            };
            values.push((name.clone(), value));
        }
        if !values.is_empty() {
            let names = values.iter().map(|(name, _)| name.clone()).collect();
            self.add("", Form::Fields(names), line, values);
        }
    }

    fn add(&mut self, field: &str, form: Form, line: &str, values: Vec<(String, String)>) {
        let lines = self.by_form.entry((field.to_owned(), form)).or_default();
        if lines.count == 0 {
            line.clone_into(&mut lines.example);
        }
        lines.count += 1;
        for (name, value) in values {
            let known = lines.values.entry(name).or_default();
            if known.len() < MOST_VALUES {
                known.insert(value);
            }
        }
    }

    /// The forms that become rules: changes first, then the most frequent.
    pub(super) fn rules(&self) -> Vec<(&str, &Form, &Lines)> {
        let mut rules: Vec<_> =
            self.by_form.iter().map(|((field, form), lines)| (&**field, form, lines)).collect();
        rules.sort_by_key(|(_, form, lines)| (!form.is_change(), std::cmp::Reverse(lines.count)));
        rules.truncate(MOST_FORMS);
        rules
    }
}

impl Form {
    /// Whether lines of this form say that a value changed. Such a line is not also about something
    /// else.
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Form::Became(_) | Form::Arrow(_) | Form::FromTo(_))
    }

    /// The variables that a rule for this form sets.
    pub(super) fn variables(&self) -> Vec<String> {
        match self {
            Form::Became(term) => ["role".to_owned()].into_iter().chain(term.clone()).collect(),
            Form::Arrow(name) | Form::FromTo(name) => vec![name.clone()],
            Form::Pairs(names) | Form::Fields(names) => names.clone(),
        }
    }

    /// A regular expression whose groups have the names of the variables; `None` for fields of a
    /// record.
    pub(super) fn pattern(&self) -> Option<String> {
        Some(match self {
            Form::Became(None) => format!(r"\b{BECAME}(?<role>\w+)"),
            Form::Became(Some(term)) => {
                format!(r"\b{BECAME}(?<role>\w+)\b.*?\b{term}[\s:=]+(?<{term}>\d+)")
            }
            Form::Arrow(name) => {
                format!(r"\b{name}\s*[=:]\s*[\w-]+\s*(?:->|=>|→)\s*(?<{name}>[\w-]+)")
            }
            Form::FromTo(name) => {
                format!(r"\b{name}\b.*?\bfrom\s+[\w-]+\s+to\s+(?<{name}>[\w-]+)")
            }
            Form::Pairs(names) => {
                let pairs = names.iter().map(|name| format!(r"\b{name}=(?<{name}>[\w.-]*\w)"));
                pairs.collect::<Vec<_>>().join(".*?")
            }
            Form::Fields(_) => return None,
        })
    }
}

/// The words before a role, in a regular expression.
const BECAME: &str = r"(?:became|becomes|becoming)\s+(?:an?\s+|the\s+)?";

type Found = (Form, Vec<(String, String)>);

/// `became leader at term 3`
fn became(line: &str) -> Option<Found> {
    let words: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_verb = |word: &&str| matches!(*word, "became" | "becomes" | "becoming");
    let mut at = words.iter().position(is_verb)? + 1;
    if words.get(at).is_some_and(|word| matches!(*word, "a" | "an" | "the")) {
        at += 1;
    }
    let role = words.get(at).filter(|word| is_name(word))?;
    let mut values = vec![("role".to_owned(), (*role).to_owned())];
    let term = words[at + 1..]
        .windows(2)
        .find(|pair| TERMS.contains(&pair[0]) && pair[1].bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(pair) = term {
        values.push((pair[0].to_owned(), pair[1].to_owned()));
    }
    Some((Form::Became(term.map(|pair| pair[0].to_owned())), values))
}

/// `state=a -> b`, `state: a => b`
fn arrow(line: &str) -> Option<Found> {
    let arrow = ["->", "=>", "→"].into_iter().find(|arrow| line.contains(arrow))?;
    let (before, after) = line.split_once(arrow)?;
    let new = word_at_start(after.trim_start());
    let before = before.trim_end();
    let (name, old) = before.rsplit_once(['=', ':'])?;
    let name = name.trim_end();
    let start = name.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = &name[start.map_or(0, |at| at + 1)..];
    let old = old.trim_start();
    let fits = is_name(name) && !new.is_empty() && !old.is_empty() && word_at_start(old) == old;
    fits.then(|| (Form::Arrow(name.to_owned()), vec![(name.to_owned(), new.to_owned())]))
}

/// `state changed from a to b`
fn from_to(line: &str) -> Option<Found> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.windows(4).position(|it| it[0] == "from" && it[2] == "to")?;
    let new = word_at_start(words[at + 3]);
    let is_state = |word: &&&str| STATE_FIELDS.split_whitespace().any(|it| it == **word);
    let name = words[..at].iter().rev().take(3).find(is_state)?;
    let found = (Form::FromTo((*name).to_owned()), vec![((*name).to_owned(), new.to_owned())]);
    (!new.is_empty()).then_some(found)
}

/// `a=1 b=2`
fn pairs(line: &str) -> Option<Found> {
    let mut values: Vec<(String, String)> = Vec::new();
    for word in
        line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']'))
    {
        let Some((name, value)) = word.split_once('=') else { continue };
        let is_other = OTHER_NAMES.split_whitespace().any(|it| it.eq_ignore_ascii_case(name));
        let value = value.trim_end_matches('.');
        let is_value = !value.is_empty()
            && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let is_new = values.iter().all(|(known, _)| known != name);
        if is_name(name) && !is_other && is_value && is_new && values.len() < MOST_NAMES {
            values.push((name.to_owned(), value.to_owned()));
        }
    }
    let names = values.iter().map(|(name, _)| name.clone()).collect();
    (!values.is_empty()).then_some((Form::Pairs(names), values))
}

/// Whether a word can be the name of a variable and of a group of a regular expression.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The characters of a name or number with which a text begins.
fn word_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, &str)]) {
        let mut states = States::default();
        states.line("", line);
        let found: Vec<(String, String)> = states
            .by_form
            .values()
            .flat_map(|lines| &lines.values)
            .map(|(name, values)| (name.clone(), values.iter().cloned().collect()))
            .collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_about_state_are_recognized() {
        check("n1 became leader at term 3", &[("role", "leader"), ("term", "3")]);
        check("became a candidate (epoch: 12)", &[("epoch", "12"), ("role", "candidate")]);
        check("becoming follower", &[("role", "follower")]);
        check("12:00 state=follower -> leader", &[("state", "leader")]);
        check("phase: prepare => commit", &[("phase", "commit")]);
        check("state changed from open to half-open", &[("state", "half-open")]);
        check("applied index=7 commit=6", &[("commit", "6"), ("index", "7")]);
        check("level=info ts=12 peer=b", &[]);
        check("-> PING", &[]);
        check("GET /a?b=c d", &[]);
        check("sent PING to b", &[]);
    }

    #[test]
    fn a_pattern_takes_the_values_of_its_lines() {
        for (line, captured) in [
            ("n1 became leader at term 3", "leader 3"),
            ("x state=follower -> leader", "leader"),
            ("state changed from open to half-open", "half-open"),
            ("applied index=7 commit=6.", "7 6"),
        ] {
            let mut states = States::default();
            states.line("", line);
            let ((_, form), _) = states.by_form.first_key_value().unwrap();
            let pattern = regex::Regex::new(&form.pattern().unwrap()).unwrap();
            let found = pattern.captures(line).unwrap_or_else(|| panic!("{pattern}: {line}"));
            let values: Vec<&str> = form.variables().iter().map(|it| &found[it.as_str()]).collect();
            assert_eq!(values.join(" "), captured);
        }
    }
}
