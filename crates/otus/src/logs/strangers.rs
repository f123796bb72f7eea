//! The lifelines and messages of logs that a specification does not have.

use otus_core::Signature;
use otus_syntax::suggest::did_you_mean;
use otus_trace::run::Accounting;

use super::findings;
use crate::case::Place;
use crate::units::counted;

/// A warning for each lifeline and message of logs that a specification does not have.
pub fn strangers(accounting: &Accounting, signature: &Signature) -> Vec<String> {
    let mut lines = Vec::new();
    for stranger in lifelines(accounting, signature) {
        lines.push(format!(
            "warning: the lifeline `{}` is not in the specification: {} left out{}{}",
            stranger.name,
            counted(stranger.actions, "action"),
            stranger.first.map(|first| format!(", the first at {first}")).unwrap_or_default(),
            help(stranger.help.as_deref()),
        ));
    }
    for stranger in messages(accounting, signature) {
        lines.push(format!(
            "warning: the message `{}` is not in the specification, so its {} cannot be \
             explained{}",
            stranger.name,
            counted(stranger.actions, "action"),
            help(stranger.help.as_deref()),
        ));
    }
    let shown = lines.len().min(MOST);
    let hidden = lines.len() - shown;
    lines.truncate(shown);
    if hidden > 0 {
        let more = counted(hidden, "more name");
        lines.push(format!("warning: {more} of the logs are not in the specification"));
    }
    lines
}

/// The most names that are warned about.
const MOST: usize = 20;

fn help(help: Option<&str>) -> String {
    help.map(|help| format!("\n   = help: {help}")).unwrap_or_default()
}

/// A name that only the logs have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
#[non_exhaustive]
pub struct Stranger {
    /// The name.
    pub name: String,
    /// The number of actions with it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub actions: u64,
    /// The first place of a lifeline.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub first: Option<Place>,
    /// The advice.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub help: Option<String>,
}

/// The lifelines that act in the logs and are not in a specification.
pub fn lifelines(accounting: &Accounting, signature: &Signature) -> Vec<Stranger> {
    let names = accounting.vocabulary.lifeline_names().zip(&accounting.lifelines);
    let known = || signature.lifelines().map(|(_, name)| name);
    names
        .filter(|(name, account)| {
            account.sends + account.receives > 0 && signature.lifeline(name).is_none()
        })
        .map(|(name, account)| Stranger {
            name: name.to_owned(),
            actions: account.sends + account.receives,
            first: account.first.map(|place| findings::place(accounting, place)),
            help: did_you_mean(name, known())
                .map(|help| format!("{help} [lifelines] in otus.toml gives it another name")),
        })
        .collect()
}

/// The messages in the logs that are not in a specification.
pub fn messages(accounting: &Accounting, signature: &Signature) -> Vec<Stranger> {
    let names = accounting.vocabulary.message_names().zip(&accounting.messages);
    let known = || signature.messages().map(|(_, name)| name);
    names
        .filter(|(name, account)| {
            account.sends + account.receives > 0 && signature.message(name).is_none()
        })
        .map(|(name, account)| Stranger {
            name: name.to_owned(),
            actions: account.sends + account.receives,
            first: None,
            help: did_you_mean(name, known())
                .map(|help| format!("{help} [messages] in otus.toml gives it another name")),
        })
        .collect()
}
