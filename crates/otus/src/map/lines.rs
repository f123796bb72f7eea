//! Single lines of a log, and what `otus.toml` makes of each.
//!
//! *Definition.* The account of a line is the account of a log with that line alone, under the name of its log (and with the line of
//! names before it, for CSV). So it says what the rules say about the line, and nothing that needs other lines: whether an emission
//! has its reception, or whether a group is over. A document of several lines is unreadable by single lines, and is told as such.

use std::io::{BufRead as _, BufReader, Read};
use std::ops::{ControlFlow, Range};
use std::path::Path;

use otus_trace::mapping::Plan;
use otus_trace::read::{Format as LogFormat, Packing, lossy, unpack};
use otus_trace::run::{LogFile, Observed, Tally, map};

use crate::context::{Context, Silent};
use crate::error::{Error, Result};
use crate::files;
use crate::format::describes_itself;
use crate::logs::beginning;
use crate::project::{self, Settings};

/// Which lines are wanted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LinesRequest {
    /// The log.
    pub log: String,
    /// The byte at which to begin: 0, or [`LogLines::next`]. Of a packed log, the byte of what is in it.
    pub from: u64,
    /// The most lines.
    pub count: usize,
}

impl LinesRequest {
    /// The first lines of a log.
    pub fn new(log: impl Into<String>, count: usize) -> LinesRequest {
        LinesRequest { log: log.into(), from: 0, count }
    }
}

/// Lines of a log.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LogLines {
    /// The lines.
    pub lines: Vec<LogLine>,
    /// Where the next lines begin, if there are more.
    pub next: Option<u64>,
    /// The size of the file.
    pub size: u64,
    /// The `otus.toml`, if there is one.
    pub config: Option<String>,
    /// The name of the source of the log, if it has one.
    pub source: Option<String>,
}

/// A line of a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LogLine {
    /// The byte at which it begins.
    pub start: u64,
    /// Its text, without its end; cut if it is very long.
    pub text: String,
    /// What became of it.
    pub outcome: LineOutcome,
    /// The rule that took it.
    pub rule: Option<String>,
    /// The actions that it became.
    pub actions: Vec<String>,
    /// The group that it belongs to.
    pub group: Option<String>,
    /// The parts that the pattern of its rule names, with their bytes in the text.
    pub parts: Vec<(String, Range<usize>)>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOutcome {
    /// A rule made events of it.
    Matched,
    /// A rule ignores it.
    Ignored,
    /// It is empty.
    Blank,
    /// No rule takes it.
    Unmatched,
    /// A rule takes it, but it lacks a value that the rule needs.
    Incomplete,
    /// It is not in the format of its log.
    Unreadable,
}

impl LineOutcome {
    /// The name, as in the account.
    pub fn name(self) -> &'static str {
        match self {
            LineOutcome::Matched => "matched",
            LineOutcome::Ignored => "ignored",
            LineOutcome::Blank => "blank",
            LineOutcome::Unmatched => "unmatched",
            LineOutcome::Incomplete => "incomplete",
            LineOutcome::Unreadable => "unreadable",
        }
    }

    fn of(tally: &Tally) -> LineOutcome {
        match tally {
            Tally { matched: 1.., .. } => LineOutcome::Matched,
            Tally { incomplete: 1.., .. } => LineOutcome::Incomplete,
            Tally { unreadable: 1.., .. } => LineOutcome::Unreadable,
            Tally { unmatched: 1.., .. } => LineOutcome::Unmatched,
            Tally { ignored: 1.., .. } => LineOutcome::Ignored,
            Tally { .. } => LineOutcome::Blank,
        }
    }
}

/// The longest line that is read, and the most characters of it that are shown.
const LONGEST: u64 = 1 << 20;
const SHOWN: usize = 2000;
/// The most lines of one answer.
const MOST: usize = 10_000;

/// The lines of a log, each with its account.
///
/// # Errors
/// If the log cannot be read, or `otus.toml` has mistakes.
pub fn lines(context: &Context, request: &LinesRequest) -> Result<LogLines> {
    let path = Path::new(&request.log);
    let files = &*context.files;
    let teller = Teller::new(context, &request.log)?;
    let mut found = LogLines {
        size: files.size(path).unwrap_or(0),
        config: teller.settings.as_ref().map(|it| it.name.clone()),
        source: teller.source().map(str::to_owned),
        ..LogLines::default()
    };
    let mut at = request.from;
    let mut reader = open(context, &request.log, at)?;
    let count = request.count.min(MOST);
    while found.lines.len() < count && !context.cancel.is_cancelled() {
        let Some((bytes, length)) = next_line(&mut reader, path)? else { return Ok(found) };
        found.lines.push(teller.tell(&bytes, at));
        at += length;
    }
    let has_more = reader.fill_buf().is_ok_and(|rest| !rest.is_empty());
    found.next = has_more.then_some(at);
    Ok(found)
}

/// The account of lines that need not be in the log.
///
/// # Errors
/// If `otus.toml` has mistakes.
pub fn account_of(context: &Context, log: &str, texts: &[String]) -> Result<Vec<LogLine>> {
    let teller = Teller::new(context, log)?;
    Ok(texts.iter().map(|text| teller.tell(text.as_bytes(), 0)).collect())
}

/// How many of the first lines of a log each rule takes, by its name, and how many none takes.
///
/// # Errors
/// If the log cannot be read, or `otus.toml` has mistakes.
pub fn hits(context: &Context, log: &str, most: usize) -> Result<(Vec<(String, u64)>, u64)> {
    let teller = Teller::new(context, log)?;
    let mut reader = open(context, log, 0)?;
    let mut bytes = Vec::new();
    for _ in 0..most {
        let Some((line, _)) = next_line(&mut reader, Path::new(log))? else { break };
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        if bytes.len() as u64 > 16 * LONGEST {
            break;
        }
    }
    let Some((plan, source)) = &teller.plan else {
        return Ok((Vec::new(), bytes.split(|&byte| byte == b'\n').count() as u64));
    };
    let file = LogFile::in_memory(&teller.name, *source, &bytes);
    let accounting = map(plan, vec![file], &mut |_: &Observed<'_>| ControlFlow::Continue(()));
    let own = accounting.rules.iter().filter(|rule| rule.source == *source);
    let hits = own.map(|rule| (rule.name.clone(), rule.hits)).collect();
    Ok((hits, accounting.total.unmatched + accounting.total.incomplete))
}

/// A log from a byte on.
fn open(context: &Context, log: &str, from: u64) -> Result<BufReader<Box<dyn Read + Send>>> {
    let (files, path) = (&*context.files, Path::new(log));
    let fault = |error: std::io::Error| files::missing(files, path, &error);
    let packed = {
        let (_, packing) = unpack(files.open(path).map_err(fault)?).map_err(fault)?;
        packing != Packing::None
    };
    if !packed {
        return Ok(BufReader::new(files.open_at(path, from).map_err(fault)?));
    }
    // A packed log cannot be read from the middle.
    let mut bytes = Vec::new();
    let (stream, _) = unpack(files.open(path).map_err(fault)?).map_err(fault)?;
    let mut stream = BufReader::new(stream);
    std::io::copy(&mut stream.by_ref().take(from), &mut std::io::sink()).map_err(fault)?;
    stream.take(64 * LONGEST).read_to_end(&mut bytes).map_err(fault)?;
    Ok(BufReader::new(Box::new(std::io::Cursor::new(bytes))))
}

/// The next line without its end, and its length with it. Of a very long line, the rest is skipped.
fn next_line(
    reader: &mut BufReader<Box<dyn Read + Send>>,
    path: &Path,
) -> Result<Option<(Vec<u8>, u64)>> {
    let fault = |source| Error::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let mut length =
        reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).map_err(fault)? as u64;
    if length == 0 {
        return Ok(None);
    }
    if length == LONGEST && !bytes.ends_with(b"\n") {
        length += reader.skip_until(b'\n').map_err(fault)? as u64;
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some((bytes, length)))
}

/// Tells what becomes of lines of one log.
struct Teller {
    settings: Option<Settings>,
    /// The plan, and the number of the source.
    plan: Option<(Plan, usize)>,
    /// The name of the log, which rules may use.
    name: String,
    /// The line of names of a CSV log.
    head: Vec<u8>,
}

impl Teller {
    fn new(context: &Context, log: &str) -> Result<Teller> {
        let quiet = Context { monitor: std::sync::Arc::new(Silent), ..context.clone() };
        let (files, path) = (&*context.files, Path::new(log));
        let settings = project::find(files, path);
        let settings = settings.map(|config| Settings::read(&quiet, &config)).transpose()?;
        let source = settings.as_ref().and_then(|settings| {
            let inside = settings.relative(files, path)?;
            settings.plan.source_of(&inside)
        });
        let plan = match (&settings, source) {
            (Some(settings), Some(source)) => Some((settings.plan.clone(), source)),
            _ => describes_itself(&beginning(files, path))
                .and_then(Plan::for_format)
                .map(|plan| (plan, 0)),
        };
        let mut head = Vec::new();
        if let Some((plan, source)) = &plan
            && plan.sources[*source].format == LogFormat::Csv
            && let Ok(mut reader) = open(context, log, 0)
            && let Ok(Some((line, _))) = next_line(&mut reader, path)
        {
            head = line;
            head.push(b'\n');
        }
        Ok(Teller { settings, plan, name: files::shown(files, path), head })
    }

    fn source(&self) -> Option<&str> {
        let (plan, source) = self.plan.as_ref()?;
        plan.sources.get(*source).map(|source| source.name.as_str())
    }

    fn tell(&self, line: &[u8], start: u64) -> LogLine {
        let whole = lossy(line);
        let mut text: String = whole.chars().take(SHOWN).collect();
        if text.len() < whole.len() {
            text.push('…');
        }
        let mut told = LogLine {
            start,
            text,
            outcome: if line.trim_ascii().is_empty() {
                LineOutcome::Blank
            } else {
                LineOutcome::Unmatched
            },
            rule: None,
            actions: Vec::new(),
            group: None,
            parts: Vec::new(),
        };
        let Some((plan, source)) = &self.plan else { return told };
        let is_head = !self.head.is_empty() && start == 0 && self.head.starts_with(line);
        if is_head {
            told.outcome = LineOutcome::Ignored;
            return told;
        }
        let mut bytes = self.head.clone();
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        let file = LogFile::in_memory(&self.name, *source, &bytes);
        let accounting = map(plan, vec![file], &mut |observed: &Observed<'_>| {
            told.actions.extend(observed.events().map(otus_trace::run::Event::text));
            told.group.get_or_insert_with(|| observed.name().into_owned());
            ControlFlow::Continue(())
        });
        told.outcome = LineOutcome::of(&accounting.total);
        let mut taken = accounting.rules.iter().filter(|rule| rule.source == *source);
        if let Some(rule) = taken.find(|rule| rule.hits > 0) {
            told.rule = Some(rule.name.clone());
            let rules = &plan.sources[*source].rules;
            if let Some(rule) = rules.iter().find(|known| known.name == rule.name) {
                let end = told.text.len();
                told.parts = rule.parts(line);
                told.parts.retain(|(_, span)| span.end <= end);
                told.parts.sort_by_key(|(_, span)| span.start);
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Texts;

    const CONFIG: &str = "[[source]]\nname = 'all'\nfiles = ['*.log']\nformat = 'regex'\nlifeline = '{file.stem}'\n\
                          group = '{run}'\n[[source.rule]]\nname = 'send'\nmatch = '(?<run>\\d+) sent (?<m>\\w+)'\n\
                          emit = ['!{m}']\n[[source.rule]]\nname = 'noise'\nmatch = 'tick'\nignore = true\n";

    #[test]
    fn lines_have_the_account_that_they_have_in_a_log() {
        let text = "1 sent x\n\ntick\nother\n22 sent yy\n";
        let files = Texts::default().with("otus.toml", CONFIG).with("a.log", text);
        let context = Context::default().with_files(files);
        let found = lines(&context, &LinesRequest::new("a.log", 4)).unwrap();
        let outcomes: Vec<_> = found.lines.iter().map(|line| line.outcome.name()).collect();
        assert_eq!(outcomes, ["matched", "blank", "ignored", "unmatched"]);
        assert_eq!(found.lines[0].actions, ["a!x"]);
        assert_eq!(found.lines[0].group.as_deref(), Some("1"));
        assert_eq!(found.lines[0].rule.as_deref(), Some("send"));
        assert_eq!(found.lines[0].parts, [("run".to_owned(), 0..1), ("m".to_owned(), 7..8)]);
        assert_eq!(found.lines[2].rule.as_deref(), Some("noise"));
        let next = found.next.unwrap();
        let rest = lines(&context, &LinesRequest { from: next, ..LinesRequest::new("a.log", 9) });
        let rest = rest.unwrap();
        assert_eq!(rest.lines[0].text, "22 sent yy");
        assert_eq!((rest.lines[0].start, rest.next), (next, None));
        let (hits, unmatched) = hits(&context, "a.log", 100).unwrap();
        assert_eq!(hits, [("send".to_owned(), 2), ("noise".to_owned(), 1)]);
        assert_eq!(unmatched, 1);
    }

    #[test]
    fn without_a_source_no_rule_takes_a_line() {
        let context = Context::default().with_files(Texts::default().with("a.log", "x\n"));
        let found = lines(&context, &LinesRequest::new("a.log", 4)).unwrap();
        assert_eq!(found.lines[0].outcome, LineOutcome::Unmatched);
        assert_eq!((found.config, found.source, found.next), (None, None, None));
        assert!(lines(&context, &LinesRequest::new("b.log", 4)).is_err());
    }
}
