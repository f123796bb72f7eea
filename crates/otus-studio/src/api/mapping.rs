//! Lines of logs, the account of all lines, and `otus.toml` made by clicking.

use std::path::Path;

use otus::init::{InitRequest, propose as proposed};
use otus::map::example::{
    Constants, ExampleRequest, Mark, Role, Sample, SourceFiles, Way, rule_of, with_names,
};
use otus::map::lines::{LinesRequest, LogLine, account_of, hits, lines as lines_of};
use otus::map::{MapRequest, ObservedGroup};
use serde::Deserialize;
use serde_json::{Value, json};

use super::file::version;
use super::wording::{byte, diff, utf16};
use super::{Asked, Unsaved, diagnostics, place, state};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct LinesQuestion {
    log: String,
    #[serde(default)]
    from: u64,
    count: usize,
    #[serde(default)]
    unsaved: Unsaved,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AccountQuestion {
    #[serde(default)]
    runs: Vec<String>,
    #[serde(default)]
    spec: Option<String>,
    #[serde(default)]
    unsaved: Unsaved,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RuleQuestion {
    samples: Vec<AskedSample>,
    #[serde(default)]
    ignore: bool,
    #[serde(default)]
    constants: AskedConstants,
    files: Option<String>,
    name: Option<String>,
    #[serde(default)]
    unsaved: Unsaved,
}

#[derive(Debug, Deserialize)]
struct AskedSample {
    log: String,
    text: String,
    #[serde(default)]
    marks: Vec<AskedMark>,
}

#[derive(Debug, Deserialize)]
struct AskedMark {
    from: usize,
    to: usize,
    role: String,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct AskedConstants {
    direction: Option<String>,
    lifeline: Option<String>,
    peer: Option<String>,
    message: Option<String>,
    group: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NamesQuestion {
    #[serde(default)]
    lifelines: Vec<Pair>,
    #[serde(default)]
    messages: Vec<Pair>,
    #[serde(default)]
    unsaved: Unsaved,
}

#[derive(Debug, Deserialize)]
struct Pair {
    log: String,
    spec: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ProposeQuestion {
    #[serde(default)]
    runs: Vec<String>,
    #[serde(default)]
    unsaved: Unsaved,
}

/// The most lines of an answer, and those of a log that a new rule is tried on.
const MOST_LINES: usize = 500;
const TRIED: usize = 10_000;

pub(crate) fn lines(asked: &Asked<'_>, question: &LinesQuestion) -> Result<Value, Failure> {
    asked.inside(&question.log)?;
    let (context, heard) = asked.context(&question.unsaved)?;
    let mut request = LinesRequest::new(&question.log, question.count.min(MOST_LINES));
    request.from = question.from;
    let (found, problems) = match lines_of(&context, &request) {
        Ok(found) => (found, Vec::new()),
        // With mistakes in otus.toml, the lines are shown without an account.
        Err(otus::Error::Text(mistakes)) => {
            let unmapped = Unmapped(context.files.clone());
            let bare = context.clone().with_files(unmapped);
            (lines_of(&bare, &request)?, diagnostics(&mistakes.text_findings(), None))
        }
        Err(error) => return Err(error.into()),
    };
    let mut all = problems;
    all.extend(heard.diagnostics());
    let numbered = (1..).zip(&found.lines).map(|(number, line)| told(line, number));
    Ok(json!({
        "lines": numbered.collect::<Vec<_>>(),
        "next": found.next,
        "size": found.size,
        "config": found.config,
        "source": found.source,
        "diagnostics": all,
    }))
}

fn told(line: &LogLine, number: usize) -> Value {
    let parts = line.parts.iter().map(|(name, span)| {
        json!({
            "from": utf16(&line.text, span.start),
            "to": utf16(&line.text, span.end),
            "name": name,
        })
    });
    json!({
        "start": line.start,
        "line": number,
        "text": line.text,
        "outcome": line.outcome.name(),
        "rule": line.rule,
        "actions": line.actions,
        "group": line.group,
        "parts": parts.collect::<Vec<_>>(),
    })
}

/// The same files without `otus.toml`.
#[derive(Debug)]
struct Unmapped(std::sync::Arc<dyn otus::Files>);

impl otus::Files for Unmapped {
    fn open(&self, path: &Path) -> std::io::Result<Box<dyn std::io::Read + Send>> {
        self.0.open(path)
    }

    fn open_at(&self, path: &Path, start: u64) -> std::io::Result<Box<dyn std::io::Read + Send>> {
        self.0.open_at(path, start)
    }

    fn kind(&self, path: &Path) -> Option<otus::FileKind> {
        let is_config = path.file_name().is_some_and(|name| name == otus::project::FILE);
        if is_config { None } else { self.0.kind(path) }
    }

    fn list(&self, folder: &Path) -> std::io::Result<Vec<(std::path::PathBuf, otus::FileKind)>> {
        self.0.list(folder)
    }

    fn absolute(&self, path: &Path) -> std::path::PathBuf {
        self.0.absolute(path)
    }

    fn resolved(&self, path: &Path) -> std::path::PathBuf {
        self.0.resolved(path)
    }

    fn working_folder(&self) -> std::path::PathBuf {
        self.0.working_folder()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.0.size(path)
    }
}

pub(crate) fn account(asked: &Asked<'_>, question: &AccountQuestion) -> Result<Value, Failure> {
    let (context, _) = asked.context(&question.unsaved)?;
    let mut request = MapRequest::default();
    request.names.clone_from(&question.runs);
    if request.names.is_empty() && !asked.has_config() {
        let runs = state::runs(asked.studio, &asked.studio.view).into_iter();
        request.names = runs.filter(|run| run.is_top).map(|run| run.name).collect();
    }
    for run in &request.names {
        asked.inside(run)?;
    }
    if let Some(spec) = question.spec.as_deref().filter(|spec| !spec.is_empty()) {
        request.spec = asked.spec(spec)?;
    }
    let mapping = otus::map::open(&context, &request)?;
    let found = mapping.run::<otus::Error>(&mut |_: &ObservedGroup<'_>| Ok(()))?;
    let counts = found.records;
    let only = found.specification.as_ref();
    let rules = found.rules.iter().map(|rule| {
        json!({
            "source": rule.source,
            "rule": rule.rule,
            "ignore": rule.ignore,
            "hits": rule.hits,
            "first": place(rule.first.as_ref()),
        })
    });
    let shapes = found.unmatched.shapes.iter().map(|shape| {
        json!({
            "shape": shape.shape,
            "count": shape.count,
            "first": place(Some(&shape.first)),
            "example": shape.example,
        })
    });
    let lifelines = found
        .lifelines
        .iter()
        .map(|it| json!({ "lifeline": it.lifeline, "sends": it.sends, "receives": it.receives }));
    let messages = found
        .messages
        .iter()
        .map(|it| json!({ "message": it.message, "sent": it.sent, "received": it.received }));
    let groups = found.groups.first.iter();
    let groups = groups.map(|it| json!({ "group": it.group, "events": it.events }));
    let unknown = |names: &[otus::map::UnknownName]| {
        names.iter().map(|it| it.name.clone()).collect::<Vec<String>>()
    };
    let in_logs = only.map(|it| {
        json!({
            "lifelines": unknown(&it.only_in_logs.lifelines),
            "messages": unknown(&it.only_in_logs.messages),
        })
    });
    let in_spec = only.map(|it| {
        let names = &it.only_in_specification;
        json!({ "lifelines": names.lifelines, "messages": names.messages })
    });
    let none = || json!({ "lifelines": [], "messages": [] });
    let findings = found.findings.iter().map(|it| it.message.clone());
    Ok(json!({
        "counts": {
            "all": counts.all,
            "matched": counts.matched,
            "ignored": counts.ignored,
            "blank": counts.blank,
            "unmatched": counts.unmatched,
            "incomplete": counts.incomplete,
            "unreadable": counts.unreadable,
        },
        "rules": rules.collect::<Vec<_>>(),
        "shapes": shapes.collect::<Vec<_>>(),
        "lifelines": lifelines.collect::<Vec<_>>(),
        "messages": messages.collect::<Vec<_>>(),
        "groups": { "total": found.groups.total, "first": groups.collect::<Vec<_>>() },
        "only_in_logs": in_logs.unwrap_or_else(none),
        "only_in_spec": in_spec.unwrap_or_else(none),
        "findings": findings.collect::<Vec<_>>(),
    }))
}

pub(crate) fn rule(asked: &Asked<'_>, question: &RuleQuestion) -> Result<Value, Failure> {
    let mut request = ExampleRequest::default();
    for sample in &question.samples {
        asked.inside(&sample.log)?;
        let marks = sample.marks.iter().map(|mark| {
            let role = Role::ALL.into_iter().find(|role| role.name() == mark.role);
            let role = role.ok_or_else(|| {
                Failure::malformed(format!("`{}` is no role of a part", mark.role))
            })?;
            let span = byte(&sample.text, mark.from)..byte(&sample.text, mark.to);
            Ok::<_, Failure>(Mark { span, role, name: mark.name.clone() })
        });
        let marks = marks.collect::<Result<_, _>>()?;
        let (log, text) = (sample.log.clone(), sample.text.clone());
        request.samples.push(Sample { log, text, marks });
    }
    request.ignore = question.ignore;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let constants = &question.constants;
    request.constants = Constants {
        direction: match constants.direction.as_deref() {
            Some("!") => Some(Way::Sends),
            Some("?") => Some(Way::Receives),
            None | Some("") => None,
            Some(other) => {
                return Err(Failure::malformed(format!(
                    "a direction is `!` or `?`, not `{other}`"
                )));
            }
        },
        lifeline: given(&constants.lifeline),
        peer: given(&constants.peer),
        message: given(&constants.message),
        group: given(&constants.group),
    };
    request.files = match question.files.as_deref() {
        Some("log") => SourceFiles::Log,
        Some("all") => SourceFiles::All,
        None | Some("like") => SourceFiles::Like,
        Some(other) => {
            return Err(Failure::malformed(format!("`files` is log, like or all, not `{other}`")));
        }
    };
    request.name.clone_from(&question.name);
    let (context, _) = asked.context(&question.unsaved)?;
    let made = rule_of(&context, &request)?;
    let mut unsaved = question.unsaved.clone();
    unsaved.insert(made.config.clone(), made.text.clone());
    let (changed, heard) = asked.context(&unsaved)?;
    let log = &request.samples[0].log;
    let texts: Vec<String> = request.samples.iter().map(|it| it.text.clone()).collect();
    // A rule that lacks something may make an otus.toml with mistakes: these are told, and nothing is counted.
    let (samples, counts, problems) = match account_of(&changed, log, &texts) {
        Ok(samples) => (samples, hits(&changed, log, TRIED)?, Vec::new()),
        Err(otus::Error::Text(found)) => {
            let text = Some((made.config.as_str(), made.text.as_str()));
            (Vec::new(), (Vec::new(), 0), diagnostics(&found.text_findings(), text))
        }
        Err(error) => return Err(error.into()),
    };
    let (by_rule, unmatched) = counts;
    let own = by_rule.iter().filter(|(name, _)| *name == made.name);
    let own: u64 = own.map(|(_, hits)| hits).sum();
    let mut all = problems;
    all.extend(heard.diagnostics());
    let numbered = (1..).zip(&samples).map(|(number, line)| told(line, number));
    let mut answer = proposal(asked, &made.config, made.before.as_deref(), &made.text);
    answer["rule"] = json!(made.rule);
    answer["pattern"] = json!(made.pattern);
    answer["samples"] = numbered.collect();
    answer["hits"] = json!(own);
    answer["unmatched"] = json!(unmatched);
    answer["diagnostics"] = json!(all);
    answer["missing"] = json!(made.missing);
    Ok(answer)
}

/// A changed file, to be accepted. What is saved is compared with the file on disk, whatever the unsaved text was.
fn proposal(asked: &Asked<'_>, path: &str, before: Option<&str>, text: &str) -> Value {
    let folder = asked.studio.view.folder();
    let disk = folder.inside(path).ok().and_then(|path| {
        let real = folder.real(&path).ok()?;
        std::fs::read(real).ok()
    });
    json!({
        "path": path,
        "version": disk.map(|bytes| version(&bytes)),
        "text": text,
        "diff": diff(path, before.unwrap_or_default(), text),
        "remarks": [],
    })
}

pub(crate) fn names(asked: &Asked<'_>, question: &NamesQuestion) -> Result<Value, Failure> {
    let (context, _) = asked.context(&question.unsaved)?;
    let pairs = |all: &[Pair]| -> Vec<(String, String)> {
        all.iter().map(|pair| (pair.log.clone(), pair.spec.clone())).collect()
    };
    let (lifelines, messages) = (pairs(&question.lifelines), pairs(&question.messages));
    let (path, before, text) = with_names(&context, otus::project::FILE, &lifelines, &messages)?;
    Ok(proposal(asked, &path, before.as_deref(), &text))
}

pub(crate) fn propose(asked: &Asked<'_>, question: &ProposeQuestion) -> Result<Value, Failure> {
    for run in &question.runs {
        asked.inside(run)?;
    }
    let (context, _) = asked.context(&question.unsaved)?;
    let found = proposed(&context, &InitRequest::new("."))?;
    let disk = asked.studio.view.folder().root().join(otus::project::FILE);
    let before = std::fs::read_to_string(disk).ok();
    let path = otus::project::FILE;
    let unsaved = question.unsaved.get(path);
    let mut answer =
        proposal(asked, path, unsaved.or(before.as_ref()).map(String::as_str), &found.text);
    answer["remarks"] = json!([found.summary()]);
    Ok(answer)
}
