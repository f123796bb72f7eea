//! `otus.toml`: its search and its content.
//!
//! The file is searched from a log (or from the working folder) upwards; the nearest one is used.
//! [`otus_trace::mapping`] reads the rules that map logs to actions. The rest names the specification of the logs,
//! and the formulas that should hold:
//!
//! ```toml
//! spec = "docs/mqtt.md#qos2"          # or a list, as ["sig.hsf", "model.hif"]
//!
//! [properties]                        # for `otus ctl`
//! one_leader = "one_leader(n1, n2, n3)"
//! ```
//!
//! Tests are in [`expectation`]. Several specifications are a list of tables, each with the ids that belong to it, if
//! known:
//!
//! ```toml
//! [[spec]]
//! file = "docs/mqtt.md#qos2"
//! groups = "qos2-*"
//! ```
//!
//! Paths in the file are relative to its folder.

mod checked;
pub mod expectation;

use std::path::{Path, PathBuf};

use otus_syntax::{Diagnostic, Source, SourceId};
use otus_trace::mapping::Plan;
use toml::de::{DeTable, DeValue};

use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::files::{self, FileKind, Files};
pub use checked::{Checked, Project};
use expectation::{Reader, Test};

/// The name of the file.
pub const FILE: &str = "otus.toml";

/// The keys of the file that are not about logs.
pub const OWN_KEYS: [&str; 3] = ["spec", "properties", "test"];

/// An `otus.toml` without errors.
#[derive(Debug)]
pub struct Settings {
    /// The file, with the name that the user would give.
    pub name: String,
    /// The absolute folder of the file.
    pub folder: PathBuf,
    pub source: Source,
    pub plan: Plan,
    /// The names of the files of the specification.
    pub spec: Vec<String>,
    /// If there are several specifications: each with the ids that belong to it.
    pub specs: Vec<SpecRule>,
    /// The properties: names and formulas.
    pub properties: Vec<(String, String)>,
    pub tests: Vec<Test>,
}

/// A `[[spec]]`: one of several specifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecRule {
    pub files: Vec<String>,
    /// The patterns of ids that belong to this specification; empty if the file gives none.
    pub groups: Vec<String>,
}

impl Settings {
    /// Reads the file. Warnings about it are reported.
    ///
    /// # Errors
    /// If it cannot be read or has errors.
    pub fn read(context: &Context, path: &Path) -> Result<Settings> {
        let files = &*context.files;
        let name = files::shown(files, path);
        if files.kind(path) == Some(FileKind::Folder) {
            unfit!("{name} is a folder; --config takes the file, as {name}/{FILE}");
        }
        let Ok(text) = String::from_utf8(crate::load::read(files, &name)?) else {
            unfit!("{name} is not UTF-8, as TOML must be; save it as UTF-8");
        };
        let source = Source::with_id(SourceId(0), &*name, text);
        let (plan, mut found) = Plan::parse(&source, &OWN_KEYS);
        let own = Own::read(&source, &mut found);
        found.sort_by_key(|found| found.primary.span.start);
        let found = Diagnostics::new(vec![source.clone()], found);
        if found.has_errors() {
            return Err(Error::Text(Box::new(found)));
        }
        context.warn(found);
        let plan = plan.ok_or_else(|| Error::Bug("a plan without errors is missing".to_owned()))?;
        let path = files.absolute(path);
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let shown = |name: &String| files::shown(files, &folder.join(name));
        let spec = own.spec.iter().map(shown).collect();
        let Own { mut specs, properties, tests, .. } = own;
        for file in specs.iter_mut().flat_map(|rule| &mut rule.files) {
            *file = shown(file);
        }
        Ok(Settings { name, folder, source, plan, spec, specs, properties, tests })
    }

    /// The folder that contains all files of a pattern: the folders before the first wildcard.
    pub(crate) fn folder_of(&self, pattern: &str) -> PathBuf {
        let plain = pattern.split(['*', '?', '{']).next().unwrap_or_default();
        self.folder.join(plain.rfind('/').map_or("", |end| &plain[..end]))
    }

    /// The path of a file relative to the folder, with `/` between folders; `None` if it is outside.
    pub(crate) fn relative(&self, files: &dyn Files, path: &Path) -> Option<String> {
        let path = files.absolute(path);
        let inside = path.strip_prefix(&self.folder).ok()?;
        Some(inside.to_string_lossy().replace('\\', "/"))
    }
}

/// What is wrong with the text of an `otus.toml`.
pub(crate) fn findings(source: &Source) -> Vec<Diagnostic> {
    let (_, mut found) = Plan::parse(source, &OWN_KEYS);
    let _ = Own::read(source, &mut found);
    found.sort_by_key(|found| found.primary.span.start);
    found
}

/// The specifications that the text of an `otus.toml` names, each with all its files as they are written there.
pub(crate) fn specifications(source: &Source) -> Vec<Vec<String>> {
    let own = Own::read(source, &mut Vec::new());
    let whole = Some(own.spec).filter(|files| !files.is_empty());
    let from_tests = own.tests.into_iter().map(|test| test.spec).filter(|spec| !spec.is_empty());
    let rules = own.specs.into_iter().map(|rule| rule.files);
    let mut found: Vec<Vec<String>> = Vec::new();
    for spec in whole.into_iter().chain(rules).chain(from_tests) {
        if !found.contains(&spec) {
            found.push(spec);
        }
    }
    found
}

/// The nearest `otus.toml` above a path, or in it if it is a folder.
pub(crate) fn find(files: &dyn Files, start: &Path) -> Option<PathBuf> {
    let start = files.absolute(start);
    let is_folder = files.kind(&start) == Some(FileKind::Folder);
    let folders = start.ancestors().skip(usize::from(!is_folder));
    let mut candidates = folders.map(|folder| folder.join(FILE));
    candidates.find(|file| files.kind(file) == Some(FileKind::File))
}

/// The part of the file that is not about logs.
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
        // If the text is not TOML, the reader of the mapping reports it.
        let (document, faults) = DeTable::parse_recoverable(source.text());
        if !faults.is_empty() {
            return own;
        }
        let mut reader = Reader { source, found };
        for (key, value) in document.get_ref() {
            match (&**key.get_ref(), value.get_ref()) {
                ("test", _) => own.tests = reader.tests(value),
                ("spec", DeValue::String(name)) => own.spec.push(name.to_string()),
                ("spec", DeValue::Array(names)) => {
                    for name in names {
                        if let Some(text) = name.get_ref().as_str() {
                            own.spec.push(text.to_owned());
                        } else if let Some(rule) = name.get_ref().as_table() {
                            own.specs.extend(several(rule, name.span(), &mut reader));
                        } else {
                            reader.wrong(name.span(), "the name of a file is a text", SPEC);
                        }
                    }
                }
                ("spec", _) => {
                    reader.wrong(value.span(), "`spec` is a text or a list of texts", SPEC);
                }
                ("properties", DeValue::Table(properties)) => {
                    for (name, formula) in properties {
                        let DeValue::String(text) = formula.get_ref() else {
                            reader.wrong(formula.span(), "a formula is a text", PROPERTIES);
                            continue;
                        };
                        own.properties.push((name.get_ref().to_string(), text.to_string()));
                    }
                }
                ("properties", _) => {
                    reader.wrong(value.span(), "`properties` is a table of formulas", PROPERTIES);
                }
                _ => {}
            }
        }
        own
    }
}

fn several(
    rule: &DeTable<'_>,
    place: std::ops::Range<usize>,
    reader: &mut Reader<'_>,
) -> Option<SpecRule> {
    let mut found = SpecRule { files: Vec::new(), groups: Vec::new() };
    for (key, value) in rule {
        let texts = match &**key.get_ref() {
            "file" => &mut found.files,
            "groups" => &mut found.groups,
            other => {
                reader.wrong(key.span(), &format!("[[spec]] has no key `{other}`"), SEVERAL);
                continue;
            }
        };
        let one = std::slice::from_ref(value);
        for item in value.get_ref().as_array().map_or(one, |items| &**items) {
            match item.get_ref().as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => reader.wrong(item.span(), "this is a text or a list of texts", SEVERAL),
            }
        }
    }
    if found.files.is_empty() {
        reader.wrong(place, "[[spec]] does not say which `file` it is", SEVERAL);
        return None;
    }
    Some(found)
}

const SEVERAL: &str = "write [[spec]] and below it file = \"docs/flow.md#login\" and, if need be, groups = \"login-*\"";
const SPEC: &str =
    "write spec = \"docs/protocol.md#login\", or spec = [\"sig.hsf\", \"model.hif\"]";
const PROPERTIES: &str = "write [properties] and below it safe = \"AG(x < 2)\"";

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
}
