//! The lifelines and messages of logs that a specification does not have.

use otus_core::Signature;
use otus_syntax::suggest::did_you_mean;
use otus_trace::run::Accounting;
use serde::Serialize;

use super::findings;
use crate::case::Place;
use crate::units::counted;

/// A warning for each lifeline and message of logs that a specification does not have.
pub(crate) fn warnings(accounting: &Accounting, signature: &Signature) -> Vec<String> {
    let mut lines = Vec::new();
    for unknown in lifelines(accounting, signature) {
        lines.push(format!(
            "warning: the lifeline `{}` is not in the specification: {} left out{}{}",
            unknown.name,
            counted(unknown.actions, "action"),
            unknown.first.map(|first| format!(", the first at {first}")).unwrap_or_default(),
            help(unknown.help.as_deref()),
        ));
    }
    for unknown in messages(accounting, signature) {
        lines.push(format!(
            "warning: the message `{}` is not in the specification, so its {} cannot be \
             explained{}",
            unknown.name,
            counted(unknown.actions, "action"),
            help(unknown.help.as_deref()),
        ));
    }
    let hidden = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if hidden > 0 {
        let more = counted(hidden, "more name");
        lines.push(format!("warning: {more} of the logs are not in the specification"));
    }
    lines
}

/// The maximum number of names that are warned about.
const MOST: usize = 20;

fn help(help: Option<&str>) -> String {
    help.map(|help| format!("\n   = help: {help}")).unwrap_or_default()
}

/// A name that only the logs have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// The number of actions with this name.
    #[serde(skip)]
    pub actions: u64,
    /// The first place of a lifeline.
    #[serde(skip)]
    pub first: Option<Place>,
    /// The advice.
    #[serde(skip)]
    pub help: Option<String>,
}

/// The lifelines that act in the logs and are not in a specification.
pub(crate) fn lifelines(accounting: &Accounting, signature: &Signature) -> Vec<UnknownName> {
    let names = accounting.vocabulary.lifeline_names().zip(&accounting.lifelines);
    let used = names.map(|(name, account)| {
        let first = account.first.map(|place| findings::place(accounting, place));
        (name, account.sends + account.receives, first)
    });
    let known = signature.lifelines().flat_map(|(id, name)| [Some(name), signature.label(id)]);
    let known: Vec<&str> = known.flatten().collect();
    // A label counts only if the name of its lifeline does not occur in the logs.
    let is_known = |name: &str| {
        signature.lifeline_called(name).is_some_and(|id| {
            let own = signature.lifeline_name(id);
            own == name || !accounting.vocabulary.has_lifeline(own)
        })
    };
    unknown(used.filter(|(name, ..)| !is_known(name)), &known, "lifelines")
}

/// The messages in the logs that are not in a specification.
pub(crate) fn messages(accounting: &Accounting, signature: &Signature) -> Vec<UnknownName> {
    let names = accounting.vocabulary.message_names().zip(&accounting.messages);
    // A specification may use the name of either side.
    let is_known =
        |name: &str| accounting.other_names(name).any(|it| signature.message(it).is_some());
    let used = names.map(|(name, account)| (name, account.sends + account.receives, None));
    let used = used.filter(|(name, ..)| !is_known(name));
    let known: Vec<&str> = signature.messages().map(|(_, name)| name).collect();
    unknown(used.filter(|(name, ..)| signature.message(name).is_none()), &known, "messages")
}

/// The advice for unknown names that are used. `known` are the names to choose a similar one from, and `table` is the
/// table of `otus.toml` that renames them.
fn unknown<'n>(
    used: impl Iterator<Item = (&'n str, u64, Option<Place>)>,
    known: &[&str],
    table: &str,
) -> Vec<UnknownName> {
    used.filter(|(_, actions, _)| *actions > 0)
        .map(|(name, actions, first)| {
            let help = did_you_mean(name, known.iter().copied());
            let help = help.map(|it| format!("{it} [{table}] in otus.toml gives it another name"));
            UnknownName { name: name.to_owned(), actions, first, help }
        })
        .collect()
}
