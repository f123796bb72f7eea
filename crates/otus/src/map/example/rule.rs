//! The text of a rule, from the marks and constants of a request.

use std::fmt::Write as _;

use super::config::{literal, quoted};
use super::pattern::group_names;
use super::{ExampleRequest, Role, Way};

/// A name for a rule, from its message.
pub(super) fn default_name(request: &ExampleRequest) -> String {
    if request.ignore {
        return "ignored".to_owned();
    }
    let sample = request.samples.first();
    let marked = sample.and_then(|sample| {
        let mark = sample.marks.iter().find(|mark| mark.role == Role::Message)?;
        sample.text.get(mark.span.clone())
    });
    let text = request.constants.message.as_deref().or(marked).unwrap_or("rule");
    let name: String = text
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' })
        .collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "rule".to_owned() } else { name }
}

/// The rule as text of `otus.toml`.
pub(super) fn rule_text(name: &str, pattern: &str, request: &ExampleRequest) -> String {
    let mut out =
        format!("[[source.rule]]\nname = {}\nmatch = {}\n", quoted(name), literal(pattern));
    if request.ignore {
        out.push_str("ignore = true\n");
        return out;
    }
    let groups = request.samples.first().map(group_names).unwrap_or_default();
    let of = |role: Role| {
        let own = groups.iter().filter(|(known, _)| *known == role);
        let names: Vec<String> = own.map(|(_, name)| format!("{{{name}}}")).collect();
        (!names.is_empty()).then(|| names.join(" "))
    };
    let constants = &request.constants;
    let lifeline = of(Role::Lifeline).or(constants.lifeline.clone());
    let peer = of(Role::Peer).or(constants.peer.clone());
    let group = match (&constants.group, of(Role::Group)) {
        // A folder and a marked part together name a run.
        (Some(constant), Some(marked)) if !constant.contains(&marked) => {
            Some(format!("{constant} {marked}"))
        }
        (constant, marked) => marked.or(constant.clone()),
    };
    let settings = [
        ("lifeline", lifeline),
        ("peer", peer),
        ("group", group),
        ("id", of(Role::Id)),
        ("time", of(Role::Time)),
    ];
    for (key, value) in settings {
        if let Some(value) = value {
            let _ = writeln!(out, "{key} = {}", quoted(&value));
        }
    }
    let message = of(Role::Message).or(constants.message.clone());
    match (of(Role::Direction), constants.direction, message) {
        (Some(direction), _, message) => {
            let _ = writeln!(out, "dir = {}", quoted(&direction));
            if let Some(message) = message {
                let _ = writeln!(out, "message = {}", quoted(&message));
            }
        }
        (None, Some(direction), Some(message)) => {
            let sign = match direction {
                Way::Sends => '!',
                Way::Receives => '?',
            };
            let _ = writeln!(out, "emit = [{}]", quoted(&format!("{sign}{message}")));
        }
        (None, _, message) => {
            if let Some(message) = message {
                let _ = writeln!(out, "message = {}", quoted(&message));
            }
        }
    }
    let values: Vec<String> = groups
        .iter()
        .filter(|(role, _)| *role == Role::Value)
        .map(|(_, name)| format!("{name} = {}", quoted(&format!("{{{name}}}"))))
        .collect();
    if !values.is_empty() {
        let _ = writeln!(out, "values = {{ {} }}", values.join(", "));
    }
    out
}
