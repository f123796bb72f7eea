//! The text of a proposed `otus.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use otus_core::Signature;
use otus_syntax::suggest::nearest;
use otus_trace::mapping::Glob;
use otus_trace::read::Format as LogFormat;
use otus_trace::run::{Accounting, Shape};

use super::access::Access;
use super::cluster::{Cluster, ClusterFile, Clusters, stem};
use super::pattern;
use super::phrase::WordOrder;
use super::state::{Form, Lines};
use crate::convert::unique;
use crate::logs::findings;
use crate::report;
use crate::units::counted;

#[derive(Default)]
pub(super) struct Draft<'c> {
    spec: Vec<String>,
    sources: Vec<Source<'c>>,
    others: &'c [String],
    lifelines: Vec<Meaning>,
    messages: Vec<Meaning>,
    /// Lifelines of the specification without a log.
    unobserved: Vec<String>,
    /// Lifelines of the logs that the specification does not have.
    unknown: Vec<String>,
}

/// A name in the logs, and the name in the specification that it probably means.
type Meaning = (String, String);

struct Source<'c> {
    cluster: &'c Cluster,
    name: String,
    globs: Vec<String>,
    /// Lines that no rule matches; they become comments in the file.
    left_over: Vec<LeftOver>,
    /// Lines that no rule matches; they become internal actions.
    internal: Vec<LeftOver>,
}

/// Lines of one shape that no rule matches.
struct LeftOver {
    /// The words that distinguish the shape from other shapes.
    name: String,
    pattern: String,
    count: u64,
    example: String,
}

/// The number of shapes, names or files that a list shows.
const SHOWN: usize = 8;

/// The maximum number of rules for internal actions.
const MOST_INTERNAL: usize = 16;

impl<'c> Draft<'c> {
    pub(super) fn new(clusters: &'c Clusters, spec: Vec<String>) -> Draft<'c> {
        let mut taken = BTreeSet::new();
        let sources = clusters.sources.iter().map(|cluster| {
            let globs = globs(cluster, clusters);
            let name = unique(&name(cluster), |name| taken.insert(name.to_owned()));
            Source { cluster, name, globs, left_over: Vec::new(), internal: Vec::new() }
        });
        let sources = sources.collect();
        Draft { spec, sources, others: &clusters.others, ..Draft::default() }
    }

    /// Adds the results of a first run: the unmatched lines, and the names of the specification that are probably
    /// meant.
    pub(super) fn refine(&mut self, accounting: &Accounting, signature: Option<&Signature>) {
        self.add_internal(accounting);
        for shape in &accounting.shapes {
            let Some(file) = accounting.files.get(shape.first.file.0 as usize) else { continue };
            let Some(source) = self.sources.get_mut(file.source) else { continue };
            if source.left_over.len() < SHOWN && source.internal.is_empty() {
                let pattern = if source.cluster.format == LogFormat::Json {
                    pattern::of_json(&shape.example)
                } else {
                    pattern::of_shape(&shape.text)
                };
                if source.left_over.iter().any(|left| left.pattern == pattern) {
                    continue;
                }
                let place = findings::place(accounting, shape.first);
                let example = format!("{place}: {}", shape.example.trim());
                let name = String::new();
                source.left_over.push(LeftOver { name, pattern, count: shape.count, example });
            }
        }
        let Some(signature) = signature else { return };
        let vocabulary = &accounting.vocabulary;
        let known: Vec<&str> = signature.lifelines().map(|(_, name)| name).collect();
        let names: Vec<&str> = vocabulary.lifeline_names().collect();
        self.lifelines = meanings(&names, &known);
        let meant = |name: &&&str| {
            names.contains(*name) || self.lifelines.iter().any(|(_, meant)| meant == **name)
        };
        self.unobserved =
            known.iter().filter(|name| !meant(name)).map(|&name| name.to_owned()).collect();
        let acts = names.iter().zip(&accounting.lifelines).filter(|(name, account)| {
            let means = self.lifelines.iter().any(|(it, _)| it == **name);
            account.sends + account.receives > 0 && !known.contains(*name) && !means
        });
        self.unknown = acts.map(|(name, _)| (*name).to_owned()).collect();
        let known: Vec<&str> = signature.messages().map(|(_, name)| name).collect();
        self.messages = meanings(&vocabulary.message_names().collect::<Vec<_>>(), &known);
    }

    /// Turns the most frequent shapes of lines into internal actions, in text sources without any line about sending or
    /// receiving.
    fn add_internal(&mut self, accounting: &Accounting) {
        for (number, source) in self.sources.iter_mut().enumerate() {
            let phrases = &source.cluster.phrases;
            let is_silent = phrases.directions.is_empty() && phrases.by_kind.is_empty();
            if source.cluster.format != LogFormat::Text || !is_silent {
                continue;
            }
            let is_own = |shape: &&Shape| {
                let file = accounting.files.get(shape.first.file.0 as usize);
                file.is_some_and(|file| file.source == number)
            };
            let shapes: Vec<&Shape> = accounting.shapes.iter().filter(is_own).collect();
            let mut known: BTreeMap<&str, usize> = BTreeMap::new();
            for shape in &shapes {
                let words: BTreeSet<&str> =
                    pattern::words_of(&shape.text).map(|(_, word)| word).collect();
                for word in words {
                    *known.entry(word).or_default() += 1;
                }
            }
            let most = (shapes.len() / 3).max(2);
            let is_common = |word: &str| known.get(word).is_some_and(|&count| count > most);
            for shape in shapes {
                let Some((name, pattern)) = pattern::telling_part(&shape.text, is_common) else {
                    continue;
                };
                let is_new = source.internal.iter().all(|it| it.pattern != pattern);
                if is_new && source.internal.len() < MOST_INTERNAL {
                    let place = findings::place(accounting, shape.first);
                    let example = format!("{place}: {}", shape.example.trim());
                    let left = LeftOver { name, pattern, count: shape.count, example };
                    source.internal.push(left);
                }
            }
        }
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
                let _ = writeln!(out, "spec = [{}]", list(several));
            }
        }
        for source in &self.sources {
            source.write(&mut out);
        }
        for (title, names) in [("lifelines", &self.lifelines), ("messages", &self.messages)] {
            let left: &[String] = if title == "lifelines" { &self.unknown } else { &[] };
            if names.is_empty() && left.is_empty() {
                continue;
            }
            let comment = if names.is_empty() { "# " } else { "" };
            let _ = writeln!(out, "\n{comment}[{title}]   # names in the logs, and what they mean");
            for (name, meant) in names {
                let _ = writeln!(out, "{} = {}", quoted(name), quoted(meant));
            }
            let example = quoted(self.unobserved.first().map_or("…", String::as_str));
            for name in left.iter().take(SHOWN) {
                let name = quoted(name);
                let _ = writeln!(out, "# {name} = {example}   # not in the specification");
            }
        }
        self.properties(&mut out);
        out.push_str("\n# What may be missing, by lifeline; what is not named is complete.\n");
        out.push_str("# [observation]\n# may_stop_early = [\"*\"]\n");
        if !self.unobserved.is_empty() {
            let names = list(&self.unobserved);
            let _ = writeln!(out, "# unobserved = [{names}]   # no log is called so");
        }
        if !self.others.is_empty() {
            let mut others = self.others[..self.others.len().min(SHOWN)].to_vec();
            if self.others.len() > SHOWN {
                others.push(format!("and {} more", self.others.len() - SHOWN));
            }
            let _ = writeln!(out, "\n# Not looked at: {}", others.join(", "));
        }
        out
    }
}

impl Draft<'_> {
    /// Formulas over the variables that the rules set.
    fn properties(&self, out: &mut String) {
        let rules = || self.sources.iter().flat_map(|source| source.cluster.phrases.states.rules());
        if rules().next().is_none() {
            return;
        }
        out.push_str("\n# What `otus ctl` checks over every order of events; `otus ctl --patterns` lists more.\n");
        let election = rules().find_map(|(_, form, lines)| match form {
            Form::Became(Some(term)) => {
                let leader =
                    lines.values.get("role")?.iter().find(|it| LEADERS.contains(&it.as_str()))?;
                Some((leader, term))
            }
            Form::Became(None)
            | Form::Arrow(_)
            | Form::FromTo(_)
            | Form::Pairs(_)
            | Form::Fields(_) => None,
        });
        match election {
            Some((leader, term)) => {
                let formula = format!("at_most_one(member, role = {leader}, per {term})");
                let _ =
                    writeln!(out, "[properties]\none_{leader}_per_{term} = {}", quoted(&formula));
            }
            None => out.push_str("# [properties]\n"),
        }
        let mut shown = BTreeSet::new();
        for (_, form, lines) in rules() {
            for variable in form.variables() {
                let Some(value) = lines.values.get(&variable).and_then(|all| all.iter().next())
                else {
                    continue;
                };
                if shown.len() < SHOWN && shown.insert(variable.clone()) {
                    let value = if is_word(value) { value.clone() } else { format!("\"{value}\"") };
                    let formula = format!("exists p: EF p.{variable} = {value}");
                    let _ = writeln!(out, "# some_{variable} = {}", quoted(&formula));
                }
            }
        }
    }
}

/// Roles of which there should be one at a time.
const LEADERS: [&str; 4] = ["leader", "primary", "master", "coordinator"];

/// Whether a value needs no quotes in a formula: a name or a number.
fn is_word(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A rule that sets variables.
fn set_rule(
    out: &mut String,
    field: &str,
    form: &Form,
    lines: &Lines,
    around: &impl Fn(&str) -> String,
) {
    let count = counted(lines.count, "line");
    let _ = writeln!(out, "\n[[source.rule]]   # {count}, as: {}", one_line(&lines.example));
    let variables = form.variables();
    let _ = match (form.pattern(), field) {
        (Some(pattern), "") => writeln!(out, "match = {}", quoted(&around(&pattern))),
        (Some(pattern), field) => {
            writeln!(out, "match = {{ {} = {} }}", key(field), quoted(&pattern))
        }
        (None, _) => {
            let fields: Vec<String> =
                variables.iter().map(|name| format!("{} = '.'", key(name))).collect();
            writeln!(out, "match = {{ {} }}", fields.join(", "))
        }
    };
    let set: Vec<String> =
        variables.iter().map(|name| format!("{} = {}", key(name), template(name))).collect();
    let _ = writeln!(out, "set = {{ {} }}", set.join(", "));
}

impl Source<'_> {
    fn write(&self, out: &mut String) {
        let _ = write!(
            out,
            "\n[[source]]\nname = {}\nfiles = [{}]\nformat = {}\n",
            quoted(&self.name),
            list(&self.globs),
            quoted(self.cluster.format.name()),
        );
        match self.cluster.format {
            LogFormat::Text | LogFormat::Json | LogFormat::Csv => self.rules(out),
            LogFormat::Otlp | LogFormat::Jaeger | LogFormat::Zipkin => out.push_str(
                "# lifeline = \"{resource.service.name}\"; group = \"{trace_id}\"; message = \"{name}\"   # as it is\n",
            ),
            LogFormat::Shiviz => out.push_str(
                "# The clocks tell who sends to whom, and the text of the event that sends is the message. Rules replace this:\n\
                 # [[source.rule]]\n# match = { event = '^(?<d>sent|received) (?<m>.+)' }\n# dir = \"{d}\"\n# message = \"{m}\"\n",
            ),
            LogFormat::Htf | LogFormat::Canonical => {}
        }
    }

    fn rules(&self, out: &mut String) {
        let phrases = &self.cluster.phrases;
        let speakers = phrases.speakers.parts();
        let parts = speakers.as_ref();
        let around = |pattern: &str| match parts {
            Some(parts) => parts.around(pattern),
            None => pattern.to_owned(),
        };
        let own = parts.and_then(|parts| parts.lifeline.as_deref());
        let lifeline = own.or_else(|| phrases.usual_field(LIFELINES)).unwrap_or("file.stem");
        let _ = writeln!(out, "lifeline = {}", template(lifeline));
        if let Some(separator) = self.cluster.separator {
            let _ = writeln!(out, "separator = {}", quoted(&separator.to_string()));
        }
        let group = parts.and_then(|parts| parts.group.as_deref());
        match group.or_else(|| phrases.any_field(GROUPS)) {
            Some(group) => {
                let _ = writeln!(out, "group = {}", template(group));
            }
            None => out.push_str("# group = \"{peer}\"   # what tells one run from another\n"),
        }
        if !self.left_over.is_empty() {
            out.push_str("# ignore = [   # lines that no rule takes, the most frequent first\n");
            for LeftOver { pattern, count, example, .. } in &self.left_over {
                let (pattern, example) = (quoted(pattern), one_line(example));
                let _ = writeln!(out, "#   {pattern},   # {count} ×, as {example}");
            }
            out.push_str("# ]\n");
        }
        let states = phrases.states.rules();
        let (changes, values): (Vec<_>, Vec<_>) =
            states.into_iter().partition(|(_, form, _)| form.is_change());
        for (field, form, lines) in changes {
            set_rule(out, field, form, lines, &around);
        }
        for (field, words) in &phrases.directions {
            let message = phrases.any_field(MESSAGES).unwrap_or("message");
            let _ = writeln!(
                out,
                "\n[[source.rule]]\nwhere = {{ {} = [{}] }}\ndir = {}\nmessage = {}",
                key(field),
                list(words),
                template(field),
                template(message),
            );
            if let Some(peer) = phrases.any_field(PEERS) {
                let _ = writeln!(out, "peer = {}", template(peer));
            }
        }
        for ((field, order), phrase) in &phrases.by_kind {
            let pattern = quoted(&around(&pattern::of_phrase(*order, phrase)));
            let lines = counted(phrase.count, "line");
            let _ =
                writeln!(out, "\n[[source.rule]]   # {lines}, as: {}", one_line(&phrase.example));
            let _ = match field.as_str() {
                "" => writeln!(out, "match = {pattern}"),
                field => writeln!(out, "match = {{ {} = {pattern} }}", key(field)),
            };
            match order {
                WordOrder::Between | WordOrder::BetweenLeft => {
                    out.push_str(BOTH_SIDES);
                    continue;
                }
                WordOrder::Noun => {
                    out.push_str("dir = { from = \"dir\", map = { to = \"!\", from = \"?\" } }\n");
                    out.push_str("message = \"{message}\"\n");
                }
                WordOrder::DirectionFirst | WordOrder::MessageFirst => {
                    out.push_str("dir = \"{dir}\"\nmessage = \"{message}\"\n");
                }
            }
            let peer = parts.and_then(|parts| parts.peer.as_deref());
            if phrase.peers > 0 {
                out.push_str("peer = \"{peer}\"\n");
            } else if let Some(peer) = peer {
                let _ = writeln!(out, "peer = {}", template(peer));
            }
        }
        if phrases.access.count > 0 {
            let lines = counted(phrases.access.count, "line");
            let _ = writeln!(
                out,
                "\n[[source.rule]]   # {lines}, as: {}\nmatch = {}\nemit = [\"?{{method}} {{path}}\", \"!{{status}}\"]   # a request and its answer",
                one_line(&phrases.access.example),
                quoted(&around(&Access::pattern())),
            );
        }
        for (field, form, lines) in &values {
            set_rule(out, field, form, lines, &around);
        }
        for (index, LeftOver { name, pattern, count, example }) in self.internal.iter().enumerate()
        {
            if index == 0 {
                out.push_str(
                    "\n# These lines say nothing of sending or receiving: they are internal actions, as `A->>A: name` in a diagram.\n\
                     # Where a line is about a message, say `?name` for received, and name the `peer`.",
                );
            }
            let _ = writeln!(
                out,
                "\n[[source.rule]]   # {count} ×, as {}\nmatch = {}\nemit = [{}]",
                one_line(example),
                quoted(&around(pattern)),
                quoted(&format!("!{}", name.replace('{', "{{").replace('}', "}}"))),
            );
        }
        let first = self.left_over.first();
        let has_states = !phrases.states.by_form.is_empty();
        let has_rules = has_states || phrases.access.count > 0 || !self.internal.is_empty();
        if phrases.directions.is_empty() && phrases.by_kind.is_empty() && !has_rules {
            // A source needs at least one rule.
            let pattern = first.map_or("^$", |left| &*left.pattern);
            let _ = writeln!(
                out,
                "\n# No line speaks of sending or receiving; say what matters, as\n\
                 # match = '(?<dir>sent|received) (?<message>\\w+)', dir = \"{{dir}}\", message = \"{{message}}\"\n\
                 [[source.rule]]\nmatch = {}\nignore = true",
                quoted(pattern)
            );
        } else if let Some(LeftOver { pattern, count, example, .. }) = first {
            let _ = writeln!(
                out,
                "\n# [[source.rule]]   # {count} ×, as {}\n# match = {}\n# emit = [\"?MESSAGE\"]   # or [\"?ASKED\", \"!ANSWERED\"]",
                one_line(example),
                quoted(pattern)
            );
        }
    }
}

/// The comment above the actions of a line that names both sides.
const BOTH_SIDES: &str = "# This log has both sides; if each side has a log of its own, say only the action of that side.\nemit = [\n  { dir = \"!\", message = \"{message}\", lifeline = \"{sender}\", peer = \"{receiver}\" },\n  \
                          { dir = \"?\", message = \"{message}\", lifeline = \"{receiver}\", peer = \"{sender}\" },\n]\n";

/// Fields that usually hold the lifeline, the group, the message or the peer, the most likely first.
const LIFELINES: &str = "lifeline service service.name service_name node host hostname app component instance process \
                         actor container pod SYSLOG_IDENTIFIER _SYSTEMD_UNIT container_name kubernetes.container_name \
                         logger_name";
const GROUPS: &str = "trace_id traceId trace request_id requestId correlation_id correlationId session session_id \
                      sessionId conversation txid transaction run";
const MESSAGES: &str = "message msg m type event name op operation kind method";
const PEERS: &str = "peer to from dst src target remote dest other";

/// The known names that unknown names probably stand for: a name that differs only in case, or only in a number
/// at the end, or a similar one.
fn meanings(names: &[&str], known: &[&str]) -> Vec<Meaning> {
    let mut meanings = Vec::new();
    for &name in names.iter().filter(|name| !known.contains(name)) {
        let same = known.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
        let plain = without_number(name);
        let numbered = known.iter().find(|known| known.eq_ignore_ascii_case(plain)).copied();
        let meant = same.or(numbered).or_else(|| nearest(name, known.iter().copied()));
        if let Some(meant) = meant.filter(|_| !plain.is_empty()) {
            meanings.push((name.to_owned(), meant.to_owned()));
        }
    }
    meanings
}

/// Patterns for the files of a source that match no file of another one.
fn globs(cluster: &Cluster, clusters: &Clusters) -> Vec<String> {
    let mut globs: Vec<String> = Vec::new();
    for ClusterFile { inside, .. } in &cluster.files {
        if globs.iter().any(|glob| Glob::path(glob).matches(inside)) {
            continue;
        }
        let (place, name) = match inside.rsplit_once('/') {
            Some((place, name)) => (format!("{place}/"), name),
            None => (String::new(), &**inside),
        };
        let stem = stem(name);
        let ending = &name[stem.len()..];
        let plain = without_number(stem);
        let candidates = [format!("{place}*{ending}"), format!("{place}{plain}*{ending}")];
        let fits = |glob: &String| {
            let glob = Glob::path(glob);
            let ours = cluster.files.iter().filter(|file| glob.matches(&file.inside)).count();
            let logs = clusters.sources.iter().flat_map(|source| &source.files);
            let all = logs.map(|file| &file.inside).chain(&clusters.others);
            ours > 1 && all.filter(|file| glob.matches(file)).count() == ours
        };
        // `?` replaces the characters that would otherwise be wildcards.
        let literal = inside.replace(['*', '?', '{', '}'], "?");
        globs.push(candidates.into_iter().find(fits).unwrap_or(literal));
    }
    globs
}

fn name(cluster: &Cluster) -> String {
    let stems: BTreeSet<&str> = cluster.files.iter().map(|file| stem(&file.inside)).collect();
    if stems.len() == 1 {
        return stems.into_iter().next().unwrap_or("logs").to_owned();
    }
    let plain: BTreeSet<&str> = stems.iter().map(|stem| without_number(stem)).collect();
    let has_rules = matches!(cluster.format, LogFormat::Text | LogFormat::Json | LogFormat::Csv);
    if has_rules && plain.len() <= 3 && !plain.contains("") {
        return plain.into_iter().collect::<Vec<_>>().join("-");
    }
    cluster.format.name().to_owned()
}

fn without_number(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '_')
}

/// A key of a TOML table, quoted only if it must be.
fn key(name: &str) -> String {
    let bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A text as TOML: a literal string if it has backslashes, as patterns have.
fn quoted(text: &str) -> String {
    let literal = text.contains('\\') && !text.contains(['\'', '\n', '\r']);
    if literal && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    // JSON and TOML quote in the same way, except for one control character.
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

/// Texts as TOML, with commas between them.
fn list<'t>(texts: impl IntoIterator<Item = &'t String>) -> String {
    texts.into_iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")
}

/// The template for the value of a field: `"{field}"`.
fn template(field: &str) -> String {
    quoted(&format!("{{{field}}}"))
}

/// A text for a comment: one line of limited length.
fn one_line(text: &str) -> String {
    let line = report::one_line(text);
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
