//! The text of a proposal.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use otus_core::Signature;
use otus_syntax::suggest::nearest;
use otus_trace::mapping::Glob;
use otus_trace::read::Format;
use otus_trace::run::{Accounting, shape};

use super::look::{Folder, Looked, stem};
use super::speech::{Said, Way};
use crate::findings;
use otus::words::counted;

/// An `otus.toml` to be.
pub(super) struct Proposal<'f> {
    folder: &'f Folder,
    spec: Vec<String>,
    sources: Vec<Source>,
    /// Names in the logs, and what they mean.
    lifelines: Vec<(String, String)>,
    messages: Vec<(String, String)>,
    /// Lifelines of the specification without a log, and logs without a lifeline of it.
    unobserved: Vec<String>,
    unknown: Vec<String>,
}

struct Source {
    name: String,
    globs: Vec<String>,
    /// What is left over, as comments.
    left: Vec<Left>,
}

/// A shape of lines that no rule takes.
struct Left {
    pattern: String,
    count: u64,
    example: String,
}

/// How many shapes of a source are shown.
const SHOWN: usize = 8;

impl<'f> Proposal<'f> {
    pub(super) fn new(folder: &'f Folder, spec: Vec<String>) -> Proposal<'f> {
        let mut taken = BTreeSet::new();
        let sources = folder
            .sources
            .iter()
            .map(|looked| {
                let globs = globs(looked, folder);
                let name = unique(&name(looked), &mut taken);
                Source { name, globs, left: Vec::new() }
            })
            .collect();
        let (lifelines, messages) = (Vec::new(), Vec::new());
        let (unobserved, unknown) = (Vec::new(), Vec::new());
        Proposal { folder, spec, sources, lifelines, messages, unobserved, unknown }
    }

    /// Adds what a first try says: lines left over, and names that mean others.
    pub(super) fn refine(&mut self, accounting: &Accounting, signature: Option<&Signature>) {
        for shape in &accounting.shapes {
            let Some(file) = accounting.files.get(shape.first.file.0 as usize) else { continue };
            let Some(source) = self.sources.get_mut(file.source) else { continue };
            let Some(looked) = self.folder.sources.get(file.source) else { continue };
            if source.left.len() < SHOWN {
                let pattern = if looked.format == Format::Json {
                    telling(&shape.example)
                } else {
                    pattern(&shape.text)
                };
                if source.left.iter().any(|left| left.pattern == pattern) {
                    continue;
                }
                let place = findings::place(accounting, shape.first);
                let example = format!("{place}: {}", shape.example.trim());
                source.left.push(Left { pattern, count: shape.count, example });
            }
        }
        let Some(signature) = signature else { return };
        let vocabulary = &accounting.vocabulary;
        let known: Vec<&str> = signature.lifelines().map(|(_, name)| name).collect();
        let names: Vec<&str> = vocabulary.lifeline_names().collect();
        self.lifelines = meanings(&names, &known);
        let meant = |name: &&&str| {
            names.contains(*name) || self.lifelines.iter().any(|(_, other)| other == **name)
        };
        self.unobserved =
            known.iter().filter(|name| !meant(name)).map(|&name| name.to_owned()).collect();
        let acts = names.iter().zip(&accounting.lifelines).filter(|(name, account)| {
            let means = self.lifelines.iter().any(|(other, _)| other == *name);
            account.sends + account.receives > 0 && !known.contains(*name) && !means
        });
        self.unknown = acts.map(|(name, _)| (*name).to_owned()).collect();
        let known: Vec<&str> = signature.messages().map(|(_, name)| name).collect();
        self.messages = meanings(&vocabulary.message_names().collect::<Vec<_>>(), &known);
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::from(
            "# How lines of logs become actions. Proposed by `otus init`: a beginning, to be edited.\n\
             # `otus map --explain` shows what becomes of every line.\n",
        );
        match self.spec.as_slice() {
            [] => out.push_str(
                "# spec = \"docs/protocol.md#login\"   # what `otus analyze` checks against\n",
            ),
            [one] => {
                let _ = writeln!(out, "spec = {}", quoted(one));
            }
            several => {
                let names: Vec<String> = several.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(out, "spec = [{}]", names.join(", "));
            }
        }
        for (source, looked) in self.sources.iter().zip(&self.folder.sources) {
            source.write(looked, &mut out);
        }
        for (title, names) in [("lifelines", &self.lifelines), ("messages", &self.messages)] {
            let left: &[String] = if title == "lifelines" { &self.unknown } else { &[] };
            if names.is_empty() && left.is_empty() {
                continue;
            }
            let comment = if names.is_empty() { "# " } else { "" };
            let _ = writeln!(out, "\n{comment}[{title}]   # names in the logs, and what they mean");
            for (name, meaning) in names {
                let _ = writeln!(out, "{} = {}", quoted(name), quoted(meaning));
            }
            for name in left.iter().take(SHOWN) {
                let (name, meaning) = (quoted(name), self.unobserved.first());
                let meaning = meaning.map_or("…", String::as_str);
                let _ =
                    writeln!(out, "# {name} = {}   # not in the specification", quoted(meaning));
            }
        }
        out.push_str("\n# What may be missing, by lifeline; what is not named is complete.\n");
        out.push_str("# [observation]\n# may_stop_early = [\"*\"]\n");
        if !self.unobserved.is_empty() {
            let names: Vec<String> = self.unobserved.iter().map(|name| quoted(name)).collect();
            let names = names.join(", ");
            let _ = writeln!(out, "# unobserved = [{names}]   # no log is called so");
        }
        if !self.folder.others.is_empty() {
            let mut others = self.folder.others.clone();
            let more = others.len().saturating_sub(SHOWN);
            others.truncate(SHOWN);
            if more > 0 {
                others.push(format!("and {more} more"));
            }
            let _ = writeln!(out, "\n# Not looked at: {}", others.join(", "));
        }
        out
    }
}

impl Source {
    fn write(&self, looked: &Looked, out: &mut String) {
        let globs: Vec<String> = self.globs.iter().map(|glob| quoted(glob)).collect();
        let _ = write!(
            out,
            "\n[[source]]\nname = {}\nfiles = [{}]\nformat = {}\n",
            quoted(&self.name),
            globs.join(", "),
            quoted(looked.format.name()),
        );
        match looked.format {
            Format::Text | Format::Json | Format::Csv => self.rules(looked, out),
            Format::Otlp | Format::Jaeger | Format::Zipkin => out.push_str(
                "# lifeline = \"{resource.service.name}\"; group = \"{trace_id}\"; message = \"{name}\"   # as it is\n",
            ),
            Format::Shiviz | Format::Htf | Format::Canonical => {}
        }
    }

    fn rules(&self, looked: &Looked, out: &mut String) {
        let speech = &looked.speech;
        let lifeline = speech.usual(&LIFELINES);
        let lifeline =
            lifeline.map_or_else(|| "{file.stem}".to_owned(), |name| format!("{{{name}}}"));
        let _ = writeln!(out, "lifeline = {}", quoted(&lifeline));
        if let Some(separator) = looked.separator {
            let _ = writeln!(out, "separator = {}", quoted(&separator.to_string()));
        }
        match speech.any(&GROUPS) {
            Some(group) => {
                let _ = writeln!(out, "group = {}", quoted(&format!("{{{group}}}")));
            }
            None => out.push_str("# group = \"{peer}\"   # what tells one run from another\n"),
        }
        if !self.left.is_empty() {
            out.push_str("# ignore = [   # lines that no rule takes, the most frequent first\n");
            for Left { pattern, count, example } in &self.left {
                let _ = writeln!(
                    out,
                    "#   {},   # {count} ×, as {}",
                    quoted(pattern),
                    one_line(example)
                );
            }
            out.push_str("# ]\n");
        }
        let mut none = true;
        for (field, words) in &speech.directions {
            none = false;
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let message = speech.any(&MESSAGES).unwrap_or("message").to_owned();
            let _ = writeln!(
                out,
                "\n[[source.rule]]\nwhere = {{ {} = [{}] }}",
                key(field),
                words.join(", ")
            );
            let _ = writeln!(
                out,
                "dir = {}\nmessage = {}",
                quoted(&format!("{{{field}}}")),
                quoted(&format!("{{{message}}}"))
            );
            if let Some(peer) = speech.any(&PEERS) {
                let _ = writeln!(out, "peer = {}", quoted(&format!("{{{peer}}}")));
            }
        }
        for ((field, way), said) in &speech.said {
            none = false;
            let pattern = quoted(&pattern_of(*way, said));
            let lines = counted(said.count, "line");
            let _ = writeln!(out, "\n[[source.rule]]   # {lines}, as: {}", one_line(&said.example));
            let _ = match field.as_str() {
                "" => writeln!(out, "match = {pattern}"),
                field => writeln!(out, "match = {{ {} = {pattern} }}", key(field)),
            };
            out.push_str("dir = \"{dir}\"\nmessage = \"{message}\"\n");
            if said.peers > 0 {
                out.push_str("peer = \"{peer}\"\n");
            }
        }
        if none {
            // A source has a rule at least.
            let pattern = self.left.first().map_or("^$", |left| &*left.pattern);
            let _ = writeln!(
                out,
                "\n# No line speaks of sending or receiving; say what matters, as\n\
                 # match = '(?<dir>sent|received) (?<message>\\w+)', dir = \"{{dir}}\", message = \"{{message}}\"\n\
                 [[source.rule]]\nmatch = {}\nignore = true",
                quoted(pattern)
            );
        }
        if let Some(Left { pattern, count, example }) = self.left.first().filter(|_| !none) {
            let _ = writeln!(
                out,
                "\n# [[source.rule]]   # {count} ×, as {}\n# match = {}\n# emit = [\"?MESSAGE\"]   # or [\"?ASKED\", \"!ANSWERED\"]",
                one_line(example),
                quoted(pattern)
            );
        }
    }
}

/// Fields that say where something happened.
const LIFELINES: [&str; 14] = [
    "lifeline",
    "service",
    "service.name",
    "service_name",
    "node",
    "host",
    "hostname",
    "app",
    "component",
    "instance",
    "process",
    "actor",
    "container",
    "pod",
];
/// Fields that say which run it belongs to.
const GROUPS: [&str; 14] = [
    "trace_id",
    "traceId",
    "trace",
    "request_id",
    "requestId",
    "correlation_id",
    "correlationId",
    "session",
    "session_id",
    "sessionId",
    "conversation",
    "txid",
    "transaction",
    "run",
];
/// Fields that say what was sent.
const MESSAGES: [&str; 10] =
    ["message", "msg", "m", "type", "event", "name", "op", "operation", "kind", "method"];
/// Fields that say who is on the other side.
const PEERS: [&str; 9] = ["peer", "to", "from", "dst", "src", "target", "remote", "dest", "other"];

/// A pattern for lines that speak of messages.
fn pattern_of(way: Way, said: &Said) -> String {
    let words: Vec<String> = said.words.iter().map(|word| escape(word)).collect();
    let words = words.join("|");
    let peer = match said.peers {
        0 => "",
        _ => r"(?:(?:\s+\S+){0,2}?\s+(?:to|from)\s+(?<peer>[\w.:/-]*\w))?",
    };
    match way {
        Way::After => format!(r"(?:^|\s)(?<dir>{words})\s+(?<message>[\w./:-]*\w){peer}"),
        Way::Before => format!(
            r"(?<message>[\w./:-]*\w)\s+(?<dir>{words})(?:\s|$){}",
            peer.replace(r"(?:\s+\S+){0,2}?\s+", "")
        ),
    }
}

/// A pattern for a shape: what was folded may be anything of its kind. A time at the beginning is
/// left out.
fn pattern(shape: &str) -> String {
    let text = shape.trim();
    let text = match text.find(": ").or_else(|| text.find(' ')) {
        Some(end) if text[..end].chars().all(|c| "#-:./TZ+,[] ".contains(c)) => {
            text[end..].trim_start_matches([':', ' ', ']'])
        }
        _ => text,
    };
    unfolded(text)
}

/// A pattern for a folded text.
fn unfolded(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars().take(120) {
        match c {
            '#' => pattern.push_str(r"\w+"),
            '…' => pattern.push_str(".*"),
            '␀' => pattern.push_str(r"\x00+"),
            '\t' => pattern.push_str(r"\s+"),
            c => pattern.push_str(&escape(&c.to_string())),
        }
    }
    pattern
}

/// A pattern for lines of JSON that say the same: the value that tells what they are about.
fn telling(line: &str) -> String {
    for key in ["msg", "message", "event", "type", "name"] {
        let Some(at) = line.find(&format!("\"{key}\"")) else { continue };
        let rest = line[at + key.len() + 2..].trim_start_matches([' ', ':']);
        let Some(rest) = rest.strip_prefix('"') else { continue };
        let value = rest.split('"').next().unwrap_or_default().trim_end_matches('\\');
        return format!(r#""{key}":\s*"{}"#, unfolded(&shape(value.as_bytes())));
    }
    // Some line of it, as it is.
    escape(line.trim_end_matches('…'))
}

/// A text as a pattern for itself.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) && c != '-' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// What names mean of those that are known: the same but for the case, close ones, or the same but
/// for a number at the end.
fn meanings(names: &[&str], known: &[&str]) -> Vec<(String, String)> {
    let mut meanings = Vec::new();
    for &name in names.iter().filter(|name| !known.contains(name)) {
        let same = known.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
        let number = |c: char| c.is_ascii_digit() || c == '-' || c == '_';
        let plain = name.trim_end_matches(number);
        let numbered = known.iter().find(|known| known.eq_ignore_ascii_case(plain)).copied();
        let meant = same.or(numbered).or_else(|| nearest(name, known.iter().copied()));
        if let Some(meant) = meant.filter(|_| !plain.is_empty()) {
            meanings.push((name.to_owned(), meant.to_owned()));
        }
    }
    meanings
}

/// Patterns for the files of a source that fit no file of another one.
fn globs(looked: &Looked, folder: &Folder) -> Vec<String> {
    let mut globs: Vec<String> = Vec::new();
    for (_, inside) in &looked.files {
        if globs.iter().any(|glob| Glob::path(glob).matches(inside)) {
            continue;
        }
        let (place, name) = match inside.rsplit_once('/') {
            Some((place, name)) => (format!("{place}/"), name),
            None => (String::new(), &**inside),
        };
        let stem = stem(name);
        let ending = &name[stem.len()..];
        let plain = stem.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '_');
        let candidates = [format!("{place}*{ending}"), format!("{place}{plain}*{ending}")];
        let fits = |glob: &String| {
            let glob = Glob::path(glob);
            let ours = looked.files.iter().filter(|(_, file)| glob.matches(file)).count();
            let others = folder.sources.iter().flat_map(|source| &source.files);
            let all = others.map(|(_, file)| file).chain(&folder.others);
            ours > 1 && all.filter(|file| glob.matches(file)).count() == ours
        };
        // What would be a wildcard is any character then.
        let literal = inside.replace(['*', '?', '{', '}'], "?");
        globs.push(candidates.into_iter().find(fits).unwrap_or(literal));
    }
    globs
}

/// What to call a source.
fn name(looked: &Looked) -> String {
    let number = |c: char| c.is_ascii_digit() || c == '-' || c == '_';
    let stems: BTreeSet<&str> = looked.files.iter().map(|(_, inside)| stem(inside)).collect();
    if stems.len() == 1 {
        return stems.into_iter().next().unwrap_or("logs").to_owned();
    }
    let plain: BTreeSet<&str> = stems.iter().map(|stem| stem.trim_end_matches(number)).collect();
    let written = matches!(looked.format, Format::Text | Format::Json | Format::Csv);
    if written && plain.len() <= 3 && !plain.contains("") {
        return plain.into_iter().collect::<Vec<_>>().join("-");
    }
    looked.format.name().to_owned()
}

fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}

/// A key of a table: bare where it can be.
fn key(name: &str) -> String {
    let bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A text of TOML: as it is between single quotes where it can be, since patterns have backslashes.
fn quoted(text: &str) -> String {
    let literal = text.contains('\\') && !text.contains(['\'', '\n', '\r']);
    if literal && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    // JSON and TOML quote alike, but for one control character.
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

/// A text for a comment.
fn one_line(text: &str) -> String {
    let mut line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect();
    if text.chars().count() > 120 {
        line.push('…');
    }
    line
}
