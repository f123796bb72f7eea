//! A rule of `otus.toml` from marked parts of lines: nobody writes a pattern.
//!
//! The first sample defines the rule. Each of its marks becomes a group of the pattern, whose characters are those that the marked
//! texts of all samples have: digits, capitals, words with the punctuation that occurs in them. What is between marks must be
//! there as it is, except for its numbers, and except for what differs between the samples. What is before the first mark counts
//! only after its last number, because lines begin with dates; what is after the last mark does not count, unless the last group
//! needs an end.
//!
//! The rule is put into the text of `otus.toml`, which otherwise stays as it is: at the end of the source of the log, or before
//! its other rules if one of them takes a sample. Nothing is written, and what the rule does with the samples is for the account
//! of the changed text to say ([`account_of`]).

mod config;
mod pattern;
mod rule;

use std::ops::Range;
use std::path::Path;

use self::config::{ConfigFile, with_key};
use self::pattern::pattern;
use self::rule::{default_name, rule_text};
use super::lines::{LineOutcome, account_of};
use crate::context::Context;
use crate::error::{Result, unfit};
use crate::files;

/// What a marked part of a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Who acts.
    Lifeline,
    /// With whom.
    Peer,
    /// The message.
    Message,
    /// A word that says whether it is sent or received.
    Direction,
    /// Which run.
    Group,
    /// What connects an emission with its reception.
    Id,
    /// A value for guards.
    Value,
    /// When.
    Time,
    /// Something that may differ and says nothing.
    Any,
    /// Something that must be there as it is.
    Fixed,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 10] = [
        Role::Lifeline,
        Role::Peer,
        Role::Message,
        Role::Direction,
        Role::Group,
        Role::Id,
        Role::Value,
        Role::Time,
        Role::Any,
        Role::Fixed,
    ];

    /// The name of the role, which is also that of its group in patterns.
    pub fn name(self) -> &'static str {
        match self {
            Role::Lifeline => "lifeline",
            Role::Peer => "peer",
            Role::Message => "message",
            Role::Direction => "direction",
            Role::Group => "group",
            Role::Id => "id",
            Role::Value => "value",
            Role::Time => "time",
            Role::Any => "any",
            Role::Fixed => "fixed",
        }
    }
}

/// A marked part of a line.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it says.
    pub role: Role,
    /// The name of a value.
    pub name: Option<String>,
}

/// A line with marked parts.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The log.
    pub log: String,
    /// The line.
    pub text: String,
    /// Its marks, in any order.
    pub marks: Vec<Mark>,
}

/// What is the same for all lines of a rule. Texts may be templates, as `{file.stem}`.
#[derive(Debug, Clone, Default)]
pub struct Constants {
    /// Whether the lines are about sending or receiving.
    pub direction: Option<Way>,
    /// Who acts.
    pub lifeline: Option<String>,
    /// With whom.
    pub peer: Option<String>,
    /// The message.
    pub message: Option<String>,
    /// Which run.
    pub group: Option<String>,
}

/// Sending or receiving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `!`
    Sends,
    /// `?`
    Receives,
}

/// The files of a source that is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceFiles {
    /// The log of the first sample.
    Log,
    /// Logs with such a name, in such folders.
    #[default]
    Like,
    /// All logs in such folders.
    All,
}

/// A request for a rule.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExampleRequest {
    /// The lines. The first one defines the rule.
    pub samples: Vec<Sample>,
    /// Whether such lines are ignored.
    pub ignore: bool,
    /// What no mark says.
    pub constants: Constants,
    /// The files of the source, if one must be added.
    pub files: SourceFiles,
    /// The name of the rule.
    pub name: Option<String>,
}

/// A proposed rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExampleRule {
    /// The rule as text of `otus.toml`.
    pub rule: String,
    /// Its name.
    pub name: String,
    /// Its pattern.
    pub pattern: String,
    /// The `otus.toml` that it belongs to.
    pub config: String,
    /// The text of that file; `None` if there is no such file yet.
    pub before: Option<String>,
    /// The text with the rule.
    pub text: String,
    /// What is missing, in words.
    pub missing: Vec<String>,
}

/// Makes a rule of samples.
///
/// # Errors
/// If marks overlap or do not fit the samples, or `otus.toml` has mistakes.
pub fn rule_of(context: &Context, request: &ExampleRequest) -> Result<ExampleRule> {
    let Some(first) = request.samples.first() else { unfit!("mark a line first") };
    let pattern = pattern(request)?;
    let file = ConfigFile::find(context, &first.log)?;
    let source = file.source_of(context, &first.log);
    let name = request.name.clone().filter(|name| !name.trim().is_empty());
    let name = file.unused_name(name.unwrap_or_else(|| default_name(request)), source);
    let rule = rule_text(&name, &pattern, request);
    let missing = file.missing(request, source);
    let last = file.with_rule(context, &rule, source, request, false);
    let changed = |text: &str| with_text(context, &file.path, text);
    let texts: Vec<String> = request.samples.iter().map(|sample| sample.text.clone()).collect();
    // A rule that comes after one that takes its lines would never be asked.
    let is_shadowed = account_of(&changed(&last), &first.log, &texts).is_ok_and(|lines| {
        let by_other = |rule: &Option<String>| rule.as_ref().is_some_and(|rule| *rule != name);
        lines.iter().any(|line| line.outcome != LineOutcome::Unmatched && by_other(&line.rule))
    });
    let text = if is_shadowed && source.is_some() {
        file.with_rule(context, &rule, source, request, true)
    } else {
        last
    };
    let config = files::shown(&*context.files, &file.path);
    Ok(ExampleRule { rule, name, pattern, config, before: file.text, text, missing })
}

/// Adds names to `[lifelines]` and `[messages]` of the `otus.toml` above a path: names of logs, each with the name of the
/// specification. Returns the file, its text, and the changed text.
///
/// # Errors
/// If the file cannot be read.
pub fn with_names(
    context: &Context,
    near: &str,
    lifelines: &[(String, String)],
    messages: &[(String, String)],
) -> Result<(String, Option<String>, String)> {
    let file = ConfigFile::find(context, near)?;
    let mut text = file.text.clone().unwrap_or_default();
    for (table, pairs) in [("lifelines", lifelines), ("messages", messages)] {
        for (from, to) in pairs {
            text = with_key(&text, table, from, to);
        }
    }
    Ok((files::shown(&*context.files, &file.path), file.text, text))
}

/// The context in which a file has another text.
pub(crate) fn with_text(context: &Context, path: &Path, text: &str) -> Context {
    crate::amend::overlaid(context, path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Texts;
    use crate::map::lines::{LinesRequest, lines};

    /// A sample whose marks are written `[role:text]`.
    fn sample(log: &str, marked: &str) -> Sample {
        let (mut text, mut marks, mut rest) = (String::new(), Vec::new(), marked);
        while let Some((before, after)) = rest.split_once('[') {
            let (inside, after) = after.split_once(']').unwrap();
            let (role, part) = inside.split_once(':').unwrap();
            text.push_str(before);
            let role = Role::ALL.into_iter().find(|it| it.name() == role).unwrap();
            marks.push(Mark { span: text.len()..text.len() + part.len(), role, name: None });
            text.push_str(part);
            rest = after;
        }
        text.push_str(rest);
        Sample { log: log.to_owned(), text, marks }
    }

    fn request(samples: Vec<Sample>) -> ExampleRequest {
        ExampleRequest { samples, ..ExampleRequest::default() }
    }

    const BROKER: &str = "2026-11-15T20:40:33: New connection from 127.0.0.1 on port 18830.\n\
        2026-11-15T20:40:33: Received PUBLISH from thermo-pub (d0, q2, r0, m1)\n\
        2026-11-15T20:41:07: Sending PUBREC to thermo-pub (m1, rc0)\n\
        2026-11-15T20:41:08: Sending CONNACK to door-sub (0, 0)\n";

    #[test]
    fn a_marked_line_becomes_a_rule_for_lines_like_it() {
        let context =
            Context::default().with_files(Texts::default().with("logs/x/broker.log", BROKER));
        let line = "2026-11-15T20:40:33: [direction:Received] [message:PUBLISH] from [group:thermo]-[peer:pub] (d0, q2, r0, m1)";
        let mut request = request(vec![sample("logs/x/broker.log", line)]);
        request.constants.lifeline = Some("broker".to_owned());
        let made = rule_of(&context, &request).unwrap();
        let expected = ": (?<direction>(?:Received|Sending|Sent)) (?<message>[A-Z]+) (?:to|from) (?<group>\\w+)\\-(?<peer>\\w+)";
        assert_eq!(made.pattern, expected);
        assert_eq!(made.missing, [] as [&str; 0]);
        let changed = with_text(&context, Path::new("otus.toml"), &made.text);
        let found = lines(&changed, &LinesRequest::new("logs/x/broker.log", 9)).unwrap();
        let actions: Vec<_> = found.lines.iter().map(|line| line.actions.concat()).collect();
        assert_eq!(
            actions,
            ["", "broker?PUBLISH", "broker!PUBREC", "broker!CONNACK"],
            "{}",
            made.text
        );
        assert_eq!(found.lines[3].group.as_deref(), Some("door"));
    }

    #[test]
    fn a_rule_is_put_into_the_source_of_its_log() {
        let config = "spec = 'flow.mmd'\n\n[[source]]\nname = 'a'\nfiles = ['a.log']\nformat = 'regex'\nlifeline = 'a'\n\n\
                      [[source.rule]]\nname = 'noise'\nmatch = 'x'\nignore = true\n\n# names\n[lifelines]\nb = 'c'\n";
        let files =
            Texts::default().with("otus.toml", config).with("a.log", "1 got hello\n2 got x\n");
        let context = Context::default().with_files(files);
        let made = |line: &str| rule_of(&context, &request(vec![sample("a.log", line)])).unwrap();
        let last = made("1 [direction:got] [message:hello]");
        assert!(
            last.text.contains("ignore = true\n\n[[source.rule]]\nname = \"hello\""),
            "{}",
            last.text
        );
        assert!(last.text.ends_with("\n\n# names\n[lifelines]\nb = 'c'\n"), "{}", last.text);
        // Another rule takes such lines, so the new one comes first.
        let first = made("2 [direction:got] [message:x]");
        let at = |text: &str| first.text.find(text).unwrap();
        assert!(at("name = \"x\"") < at("name = 'noise'"), "{}", first.text);
        let named = with_names(
            &context,
            "a.log",
            &[("b".into(), "d".into()), ("e f".into(), "g".into())],
            &[],
        );
        assert!(named.unwrap().2.ends_with("[lifelines]\nb = \"d\"\n\"e f\" = \"g\"\n"));
    }

    #[test]
    fn samples_widen_a_rule() {
        let pattern_of = |lines: &[&str]| {
            let samples = lines.iter().map(|line| sample("a.log", line)).collect();
            pattern(&request(samples)).map_err(|error| error.to_string())
        };
        let one = "t=5 worker 7 [message:start] job";
        assert_eq!(pattern_of(&[one]).unwrap(), " (?<message>\\w+)");
        assert_eq!(
            pattern_of(&["say [message:a-b] to [peer:c]"]).unwrap(),
            "say (?<message>[\\w-]+) to (?<peer>\\w+)"
        );
        let two = ["at [time:1.5] [message:GET] now", "at [time:12] [message:PUT] now"];
        assert_eq!(pattern_of(&two).unwrap(), "at (?<time>[\\w\\.]+) (?<message>[A-Z]+)");
        let gaps = ["[message:a] of kind 1 for [peer:x]", "[message:b] of type 22 for [peer:y]"];
        assert_eq!(pattern_of(&gaps).unwrap(), "(?<message>\\w+) of .*? for (?<peer>\\w+)");
        let spaces = "[message:POST /buy] <- [peer:x]";
        assert_eq!(pattern_of(&[spaces]).unwrap(), "(?<message>.+?) <\\- (?<peer>\\w+)");
        assert_eq!(pattern_of(&["do [message:a b]"]).unwrap(), "do (?<message>.+?)\\s*$");
        let differently = ["[message:a] x", "[peer:a] x"];
        assert!(pattern_of(&differently).unwrap_err().contains("marked differently"));
    }

    #[test]
    fn every_rule_takes_its_samples() {
        let lines = [
            "12:00 [direction:sent] [message:login]",
            "[lifeline:a1] [direction:->] [peer:b2]: [message:GET /x?y=1] (id [id:77])",
            "{\"who\": \"[lifeline:a]\", \"op\": \"[direction:send]\", \"msg\": \"[message:x.y]\"}",
            "it's [message:über] [direction:received] '''quoted''' [value:3.5]",
            "[message:a]\\d+(?:[direction:sent]",
        ];
        for line in lines {
            let files = Texts::default().with("a.log", "x\n");
            let context = Context::default().with_files(files);
            let one = sample("a.log", line);
            let mut request = request(vec![one.clone()]);
            request.constants.lifeline =
                (!line.contains("[lifeline:")).then(|| "{file.stem}".to_owned());
            let made = rule_of(&context, &request).unwrap();
            let changed = with_text(&context, Path::new("otus.toml"), &made.text);
            let found = account_of(&changed, "a.log", &[one.text]).unwrap();
            assert_eq!(found[0].outcome, LineOutcome::Matched, "{line}\n{}", made.text);
            assert_eq!(found[0].rule.as_deref(), Some(made.name.as_str()));
        }
    }

    #[test]
    fn files_of_a_new_source_are_like_the_log() {
        let files = Texts::default()
            .with("logs/pass/thermo-pub.log", "x")
            .with("logs/broken/door-pub.log", "x")
            .with("logs/broken/thermo-pub.log", "x");
        let context = Context::default().with_files(files);
        let line = "Client [group:thermo]-[lifeline:pub] [direction:sending] [message:CONNECT]";
        let glob = |files| {
            let mut request = request(vec![sample("logs/broken/thermo-pub.log", line)]);
            request.files = files;
            let text = rule_of(&context, &request).unwrap().text;
            let line = text.lines().find(|line| line.starts_with("files")).unwrap().to_owned();
            line.trim_start_matches("files = ").to_owned()
        };
        assert_eq!(glob(SourceFiles::Log), "[\"logs/broken/thermo-pub.log\"]");
        assert_eq!(glob(SourceFiles::Like), "[\"logs/*/*-*.log\"]");
        assert_eq!(glob(SourceFiles::All), "[\"logs/*/*.log\"]");
    }
}
