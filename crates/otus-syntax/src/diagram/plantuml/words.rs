//! The keywords of PlantUML, which are case-insensitive.

use crate::diagram::is_one_of;

/// The first words of lines, for suggestions.
pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    PARTICIPANTS.split(' ').chain(COMMANDS.split(' '))
}

pub(super) fn is_participant_kind(word: &str) -> bool {
    is_one_of(word, PARTICIPANTS)
}

/// Whether a name that is spelt like this word should be quoted.
pub(super) fn is_reserved(word: &str) -> bool {
    [PARTICIPANTS, COMMANDS, FURTHER].iter().any(|words| is_one_of(word, words))
}

/// The words that declare a participant.
const PARTICIPANTS: &str = "participant actor boundary control entity database collections queue";

/// The other words that begin a line.
const COMMANDS: &str = "create alt else opt loop par break critical group end return activate deactivate destroy \
    autoactivate note hnote rnote ref box title header footer caption legend mainframe \
    autonumber newpage skinparam hide show scale";

/// Rarer words that begin a line, and words that can follow or precede a participant.
const FURTHER: &str =
    "also as autonewpage center endbox footbox hspace ignore left o order over right x";

/// The words that begin a line in other kinds of diagrams.
pub(super) const FOREIGN: &str = "abstract agent annotation artifact binary card circle class clock cloud component concise \
    diamond enum exception file folder fork frame hexagon if interface json map metaclass \
    namespace node object package partition person protocol rectangle repeat robust stack \
    start state storage struct usecase while";
