//! `otus.toml`: where it is, and what it says besides how logs are read.
//!
//! The file is found by walking up from a log (or from the working folder), the nearest one counts.
//! How logs become actions is [`otus_trace::mapping`]'s part of it; ours is the specification they
//! are checked against and the formulas that should hold:
//!
//! ```toml
//! spec = "docs/mqtt.md#qos2"          # or a list, as ["sig.hsf", "model.hif"]
//!
//! [properties]                        # for `otus ctl`
//! one_leader = "one_leader(n1, n2, n3)"
//! ```
//!
//! and the tests of [`crate::expectation`]. Several specifications are a list of tables, each with the ids
//! that belong to it, if that can be said:
//!
//! ```toml
//! [[spec]]
//! file = "docs/mqtt.md#qos2"
//! groups = "qos2-*"
//! ```
//!
//! Paths in it are relative to its folder.

use std::path::{Component, Path, PathBuf};

use anyhow::bail;
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span};
use otus_trace::mapping::Plan;
use toml::de::{DeTable, DeValue};

use crate::args::Color;
use crate::expectation::{self, Test};
use crate::input;
use crate::output::{self, Stream, Told};
use crate::report;

/// What the file is called.
pub(crate) const FILE: &str = "otus.toml";

/// The keys of the file that are not about logs.
pub(crate) const OWN_KEYS: [&str; 3] = ["spec", "properties", "test"];

/// An `otus.toml` without errors.
#[derive(Debug)]
pub(crate) struct Project {
    /// The file, as the user would name it.
    pub(crate) name: String,
    /// Its folder, absolute.
    pub(crate) folder: PathBuf,
    pub(crate) source: Source,
    /// How logs become actions.
    pub(crate) plan: Plan,
    /// The specification, as if it were named on the command line.
    pub(crate) spec: Vec<String>,
    /// Several specifications instead, and what belongs to each.
    pub(crate) specs: Vec<SpecRule>,
    /// Names and formulas.
    pub(crate) properties: Vec<(String, String)>,
    /// What is expected of which traces.
    pub(crate) tests: Vec<Test>,
}

/// A `[[spec]]`: one of several specifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpecRule {
    /// Its files.
    pub(crate) files: Vec<String>,
    /// Patterns of the ids that belong to it; none if that is not said.
    pub(crate) groups: Vec<String>,
}

impl Project {
    /// Reads the file; what is wrong with it is told.
    pub(crate) fn read(path: &Path, color: Color) -> anyhow::Result<Project> {
        let name = shown(path);
        if path.is_dir() {
            bail!("{name} is a folder; --config takes the file, as {name}/{FILE}");
        }
        let bytes = std::fs::read(path).map_err(|error| input::explain_missing(&name, &error))?;
        let Ok(text) = String::from_utf8(bytes) else {
            bail!("{name} is not UTF-8, as TOML must be; save it as UTF-8");
        };
        let source = Source::with_id(SourceId(0), &*name, text);
        let (plan, mut found) = Plan::parse(&source, &OWN_KEYS);
        let own = Own::read(&source, &mut found);
        found.sort_by_key(|found| found.primary.span.start);
        let colored = output::colored(color, Stream::Error);
        if !found.is_empty() {
            let text = report::text(std::slice::from_ref(&source), &found, colored);
            output::complain(text.trim_end());
        }
        let Some(plan) = plan.filter(|_| !any_error(&found)) else { bail!(Told) };
        let path = absolute(path);
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let spec = own.spec.iter().map(|named| shown(&folder.join(named))).collect();
        let Own { mut specs, properties, tests, .. } = own;
        for file in specs.iter_mut().flat_map(|rule| &mut rule.files) {
            *file = shown(&folder.join(&*file));
        }
        Ok(Project { name, folder, source, plan, spec, specs, properties, tests })
    }

    /// The path of a file relative to the folder, with `/` between folders; `None` if it is not
    /// in there.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        let path = absolute(path);
        let inside = path.strip_prefix(&self.folder).ok()?;
        Some(inside.to_string_lossy().replace('\\', "/"))
    }
}

/// The nearest `otus.toml` above a path, or in it if it is a folder.
pub(crate) fn find(start: &Path) -> Option<PathBuf> {
    let start = absolute(start);
    let folders = start.ancestors().skip(usize::from(!start.is_dir()));
    folders.map(|folder| folder.join(FILE)).find(|file| file.is_file())
}

/// A path as the user would name it: relative to the working folder if it is in it or above it.
pub(crate) fn shown(path: &Path) -> String {
    let path = absolute(path);
    let Ok(here) = std::env::current_dir() else { return path.to_string_lossy().into_owned() };
    if let Ok(inside) = path.strip_prefix(&here) {
        let inside = inside.to_string_lossy();
        return if inside.is_empty() { ".".to_owned() } else { inside.into_owned() };
    }
    for (up, folder) in here.ancestors().enumerate().skip(1).take(MOST_UP) {
        if let Ok(inside) = path.strip_prefix(folder) {
            return format!("{}{}", "../".repeat(up), inside.to_string_lossy());
        }
    }
    path.to_string_lossy().into_owned()
}

/// From how far above a relative path is still easier to read than an absolute one.
const MOST_UP: usize = 4;

/// The path from the root, without `.` and `..`. Links are not followed unless there is a `..`,
/// which means another folder behind a link.
fn absolute(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if !whole.components().any(|part| part == Component::ParentDir) {
        return whole;
    }
    if let Ok(found) = std::fs::canonicalize(&whole) {
        return found;
    }
    let mut plain = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// What the file says that is not about logs.
#[derive(Debug, Default)]
struct Own {
    spec: Vec<String>,
    specs: Vec<SpecRule>,
    properties: Vec<(String, String)>,
    tests: Vec<Test>,
}

impl Own {
    fn read(source: &Source, found: &mut Vec<Diagnostic>) -> Own {
        let mut own = Own::default();
        // What is not TOML at all has been told.
        let (document, faults) = DeTable::parse_recoverable(source.text());
        if !faults.is_empty() {
            return own;
        }
        if let Some((_, value)) = document.get_ref().iter().find(|(key, _)| key.get_ref() == "test")
        {
            own.tests = expectation::read(source, value, found);
        }
        let mut wrong = |range: std::ops::Range<usize>, message: &str, help: &str| {
            let span = Span::new(place(range.start), place(range.end));
            let fault = Diagnostic::new(Code::WRONG_SETTING, source.id(), span, message);
            found.push(fault.with_help(help));
        };
        for (key, value) in document.get_ref() {
            match (&**key.get_ref(), value.get_ref()) {
                ("spec", DeValue::String(name)) => own.spec.push(name.to_string()),
                ("spec", DeValue::Array(names)) => {
                    for name in names {
                        match name.get_ref() {
                            DeValue::String(name) => own.spec.push(name.to_string()),
                            DeValue::Table(rule) => {
                                own.specs.extend(several(rule, name.span(), &mut wrong));
                            }
                            DeValue::Integer(_)
                            | DeValue::Float(_)
                            | DeValue::Boolean(_)
                            | DeValue::Datetime(_)
                            | DeValue::Array(_) => {
                                wrong(name.span(), "the name of a file is a text", SPEC);
                            }
                        }
                    }
                }
                ("spec", _) => wrong(value.span(), "`spec` is a text or a list of texts", SPEC),
                ("properties", DeValue::Table(properties)) => {
                    for (name, formula) in properties {
                        let DeValue::String(text) = formula.get_ref() else {
                            wrong(formula.span(), "a formula is a text", PROPERTIES);
                            continue;
                        };
                        own.properties.push((name.get_ref().to_string(), text.to_string()));
                    }
                }
                ("properties", _) => {
                    wrong(value.span(), "`properties` is a table of formulas", PROPERTIES);
                }
                _ => {}
            }
        }
        own
    }
}

/// One of several specifications.
fn several(
    rule: &DeTable<'_>,
    place: std::ops::Range<usize>,
    wrong: &mut impl FnMut(std::ops::Range<usize>, &str, &str),
) -> Option<SpecRule> {
    let mut found = SpecRule { files: Vec::new(), groups: Vec::new() };
    for (key, value) in rule {
        let texts = match &**key.get_ref() {
            "file" => &mut found.files,
            "groups" => &mut found.groups,
            other => {
                wrong(key.span(), &format!("[[spec]] has no key `{other}`"), SEVERAL);
                continue;
            }
        };
        let one = std::slice::from_ref(value);
        for item in value.get_ref().as_array().map_or(one, |items| &**items) {
            match item.get_ref().as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => wrong(item.span(), "this is a text or a list of texts", SEVERAL),
            }
        }
    }
    if found.files.is_empty() {
        wrong(place, "[[spec]] does not say which `file` it is", SEVERAL);
        return None;
    }
    Some(found)
}

const SEVERAL: &str = "write [[spec]] and below it file = \"docs/flow.md#login\" and, if need be, groups = \"login-*\"";
const SPEC: &str =
    "write spec = \"docs/protocol.md#login\", or spec = [\"sig.hsf\", \"model.hif\"]";
const PROPERTIES: &str = "write [properties] and below it safe = \"AG(x < 2)\"";

fn place(index: usize) -> u32 {
    otus_syntax::source::offset(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, spec: &[&str], properties: &[(&str, &str)], faults: &[&str]) {
        let mut found = Vec::new();
        let own = Own::read(&Source::new(FILE, text), &mut found);
        assert_eq!(own.spec, spec);
        let pairs: Vec<_> = own.properties.iter().map(|(n, f)| (&**n, &**f)).collect();
        assert_eq!(pairs, properties);
        let messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
        assert_eq!(messages, faults);
    }

    #[test]
    fn a_specification_is_a_text_or_several() {
        check("spec = 'a.mmd'", &["a.mmd"], &[], &[]);
        check("spec = ['a.hsf', 'b.hif']", &["a.hsf", "b.hif"], &[], &[]);
        check("spec = 1", &[], &[], &["`spec` is a text or a list of texts"]);
        check("spec = ['a', 2]", &["a"], &[], &["the name of a file is a text"]);
        check("other = 1", &[], &[], &[]);
        check("spec = ", &[], &[], &[]);
    }

    #[test]
    fn several_specifications_have_rules() {
        let text = "[[spec]]\nfile = 'a.mmd'\n[[spec]]\nfile = ['b.hsf', 'c.hif']\ngroups = 'x*'\n";
        let mut found = Vec::new();
        let own = Own::read(&Source::new(FILE, text), &mut found);
        assert!(found.is_empty(), "{found:?}");
        let rule = |files: &[&str], groups: &[&str]| SpecRule {
            files: files.iter().map(|&it| it.to_owned()).collect(),
            groups: groups.iter().map(|&it| it.to_owned()).collect(),
        };
        assert_eq!(own.specs, [rule(&["a.mmd"], &[]), rule(&["b.hsf", "c.hif"], &["x*"])]);
        check(
            "[[spec]]\ngroups = 1",
            &[],
            &[],
            &["this is a text or a list of texts", "[[spec]] does not say which `file` it is"],
        );
        check("[[spec]]\nfile = 'a'\nwhen = 'x'", &[], &[], &["[[spec]] has no key `when`"]);
    }

    #[test]
    fn properties_are_formulas_with_names() {
        check("[properties]\nb = 'x'\na = 'y'", &[], &[("b", "x"), ("a", "y")], &[]);
        check("[properties]\nb = 1", &[], &[], &["a formula is a text"]);
        check("properties = 1", &[], &[], &["`properties` is a table of formulas"]);
    }

    #[test]
    fn paths_are_shown_from_the_working_folder() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(shown(Path::new("a/./b")), "a/b");
        assert_eq!(shown(&here), ".");
        assert_eq!(shown(&here.join("x/../y")), "y");
        assert_eq!(shown(&here.parent().unwrap().join("z")), "../z");
    }
}
