//! Remarks about a learnt interaction.

use std::collections::BTreeMap;

use otus_core::{Action, ActionId, Direction, LifelineId, MessageId, Peer, Pool, TermId};

use super::Pair;

/// One remark. Equal remarks are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The kind.
    pub kind: NoteKind,
    /// The index of the first run with this remark; `None` if it is about all runs.
    pub run: Option<usize>,
    /// The number of occurrences. For a loop: the greatest number of repetitions.
    pub count: usize,
}

/// The kind of a remark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A run equals an earlier one.
    Same,
    /// An emission without a reception, or a reception without an emission. It is drawn as a
    /// message to or from the environment.
    Unpaired(ActionId),
    /// A lifeline without a log. The messages that its peers exchanged with it are drawn.
    Silent(LifelineId),
    /// These messages crossed or overtook each other; this term allows each order.
    Crossing(Vec<MessageId>, TermId),
    /// The emission and the reception of a message are drawn separately, because it crossed others.
    Split(MessageId),
    /// Simultaneous actions that are not one message passing. No interaction has them, so they are
    /// drawn one after the other, and the run is not accepted.
    Simultaneous(Vec<ActionId>),
    /// An invalid pair: there is no such emission or reception, their messages differ, one of them
    /// names another peer, or the reception is in another pair.
    BadPair(Pair),
    /// A reception that comes before its own emission, according to the order of the logs. It is
    /// drawn without the emission.
    Cycle(ActionId),
    /// A repetition became a loop of this term.
    Loop(TermId),
    /// A part of the runs differs so much that this term allows its messages in any order and
    /// number.
    Loose(TermId),
    /// The checker refused a run, so the run became an alternative.
    Refused,
}

impl Note {
    /// The remark in words. Runs are counted from 1.
    pub fn text(&self, pool: &Pool) -> String {
        let signature = pool.signature();
        let count = self.count;
        let action = |action: &ActionId| pool.action(*action).text(signature);
        let messages = |messages: &[MessageId]| {
            let names: Vec<&str> =
                messages.iter().map(|&message| signature.message_name(message)).collect();
            names.join(", ")
        };
        let times = match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        let text = match &self.kind {
            NoteKind::Same => match count {
                1 => "one run is the same as an earlier one".to_owned(),
                count => format!("{count} runs are the same as earlier ones"),
            },
            NoteKind::Unpaired(id) => {
                let Action { lifeline, direction, peer, .. } = pool.action(*id);
                let missing = match direction {
                    Direction::Emission => "reception",
                    Direction::Reception => "emission",
                };
                let name = |peer| signature.lifeline_name(peer);
                let drawn = match (direction, peer) {
                    (Direction::Emission, Some(Peer::Lifeline(peer))) if peer == lifeline => {
                        "an action of its own".to_owned()
                    }
                    (Direction::Emission, Some(Peer::Lifeline(peer))) => {
                        format!("lost on its way to {}", name(peer))
                    }
                    (Direction::Reception, Some(Peer::Lifeline(peer))) => {
                        format!("from the environment, because {} did not send it", name(peer))
                    }
                    (Direction::Emission, _) => "sent to the environment".to_owned(),
                    (Direction::Reception, _) => "from the environment".to_owned(),
                };
                format!("{} has no {missing} ({times}): drawn as {drawn}", action(id))
            }
            NoteKind::Silent(lifeline) => {
                let name = signature.lifeline_name(*lifeline);
                format!("no log is of {name}: what others exchange with it is drawn ({times})")
            }
            NoteKind::Crossing(all, _) => {
                format!("{} crossed or overtook each other ({times}): drawn as a coregion, which allows either order of reception", messages(all))
            }
            NoteKind::Split(message) => {
                format!("{} crossed other messages ({times}): its emission and its reception are drawn apart", messages(&[*message]))
            }
            NoteKind::Simultaneous(all) => {
                let all: Vec<String> = all.iter().map(action).collect();
                format!("{{{}}} ({times}): no interaction has these at the same moment, so they are drawn one after the other, and what was learnt does not accept the run", all.join(", "))
            }
            NoteKind::BadPair(_) => format!("a pair is not an emission and a reception of one message, or one of them names another peer, or its reception is in another pair ({times}): left out"),
            NoteKind::Cycle(id) => {
                format!("{} is before its own emission by the order of the logs ({times}): drawn without it", action(id))
            }
            NoteKind::Loop(_) => format!("a repetition of up to {count} became a loop"),
            NoteKind::Loose(_) => "the runs differ so much in one part that it allows its messages in any order and number".to_owned(),
            NoteKind::Refused => "a run was not accepted by what the others have in common and is an alternative for itself".to_owned(),
        };
        match self.run {
            Some(run) => format!("{text} (first in run {})", run + 1),
            None => text,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) all: Vec<Note>,
    index: BTreeMap<NoteKind, usize>,
}

impl Notes {
    pub(super) fn add(&mut self, kind: NoteKind, run: usize) {
        self.entry(kind, Some(run)).count += 1;
    }

    /// Adds a remark about all runs; its count is the largest of the given numbers.
    pub(super) fn add_most(&mut self, kind: NoteKind, most: usize) {
        let note = self.entry(kind, None);
        note.count = note.count.max(most);
    }

    fn entry(&mut self, kind: NoteKind, run: Option<usize>) -> &mut Note {
        let next = self.all.len();
        let at = *self.index.entry(kind.clone()).or_insert(next);
        if at == next {
            self.all.push(Note { kind, run, count: 0 });
        }
        &mut self.all[at]
    }
}
