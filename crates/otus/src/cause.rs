//! The causes of failures, as reports and baselines name them.

/// A cause of a failure, or another kind of result that reports list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The id of the cause, like `too-early`. It does not change between versions.
    pub id: &'static str,
    /// The name of the cause, in a few words.
    pub name: &'static str,
    /// The meaning of the cause, in a sentence.
    pub meaning: &'static str,
    /// Advice for the user.
    pub help: &'static str,
}

/// A formula that fails, as `otus watch` tells it among other verdicts.
pub(crate) const VIOLATED: Cause = Cause {
    id: "violated-property",
    name: "violated property",
    meaning: "A formula does not hold in every order of events that the observed causality allows.",
    help: "Follow the run below the headline: it is one of the possible orders, and at its end the formula fails.",
};

/// All causes of failures. After them come the entries for failures without a known cause, for weak
/// passes and for undecided cases.
pub const CAUSES: [Cause; 22] = [
    Cause {
        id: "unknown-lifeline",
        name: "unknown lifeline",
        meaning: "A lifeline acted that has no part in the specification.",
        help: "Add the lifeline to the specification, or give it the name it has there by [lifelines] in otus.toml.",
    },
    Cause {
        id: "unknown-message",
        name: "unknown message",
        meaning: "A message was observed that the specification does not have.",
        help: "Add the message to the specification, or give it the name it has there by [messages] in otus.toml. --ignore-unknown-messages, or ignore_unknown_messages = true below [observation] in otus.toml, leaves out all messages that the specification does not have.",
    },
    Cause {
        id: "unknown-action",
        name: "unknown action",
        meaning: "A lifeline did what it never does in the specification, though others may.",
        help: "See who sends and who receives the message in the specification; a rule of otus.toml may have the direction wrong.",
    },
    Cause {
        id: "wrong-peer",
        name: "wrong peer",
        meaning: "The log names another sender or receiver of the message than the specification.",
        help: "If the log means the same lifeline by another name, map that name by [lifelines] in otus.toml. --ignore-peers, or ignore_peers = true below [observation] in otus.toml, compares messages without their peers.",
    },
    Cause {
        id: "unexpected-message",
        name: "unexpected message",
        meaning: "Something else was expected at this point.",
        help: "Compare what was observed with what is expected there; one of them is wrong.",
    },
    Cause {
        id: "too-early",
        name: "too early",
        meaning: "An event was observed before something that comes first in the specification.",
        help: "If both orders are right, the specification needs par or coreg around them.",
    },
    Cause {
        id: "too-late",
        name: "too late",
        meaning: "An event was observed after something that comes later in the specification.",
        help: "If both orders are right, the specification needs par or coreg around them.",
    },
    Cause {
        id: "wrong-order",
        name: "wrong order",
        meaning: "Ids of messages, spans or vector clocks tell that one event happened before another, but no execution has them in this order.",
        help: "If these clocks or ids are not to be trusted, --ignore-order leaves the order between logs out.",
    },
    Cause {
        id: "wrong-value",
        name: "wrong value",
        meaning: "Names and order are right, but no execution has events with these values: an id, a number, a text or a time.",
        help: "Compare the values of the event with the guards of the specification. A field that a log never has is declared by unlogged below [observation] in otus.toml.",
    },
    Cause {
        id: "unknown-session",
        name: "unknown session",
        meaning: "An event continues a session that never began: no earlier event carries this id.",
        help: "The log may start late (--may-start-late), or the id was written or read wrongly.",
    },
    Cause {
        id: "used-again",
        name: "used again",
        meaning: "An id is used again that is still in use, or that must never be used again.",
        help: "If an id may be used again once its session is over, the specification needs a loop around the session, as loopP(fresh x)(loopW(...)).",
    },
    Cause {
        id: "overdue",
        name: "overdue",
        meaning: "An event came later than a bound on times allows, or had not come when its time was over.",
        help: "Compare the times of both events, which are in the log of one clock unless the specification compares two; [clocks] uncertainty of otus.toml says how far two clocks may differ.",
    },
    Cause {
        id: "too-soon",
        name: "too soon",
        meaning: "An event came earlier than a bound on times allows.",
        help: "Compare the times of both events, which are in the log of one clock unless the specification compares two; [clocks] uncertainty of otus.toml says how far two clocks may differ.",
    },
    Cause {
        id: "cycle",
        name: "cycle",
        meaning: "Each session by itself is right, but in all logs together every event waits for another one, so they cannot have happened in any order.",
        help: "The clock of one log may have been read in the wrong order, or lines of several runs are mixed.",
    },
    Cause {
        id: "missing-counterpart",
        name: "missing counterpart",
        meaning: "A message was sent and not received, or received and not sent.",
        help: "If a log was cut, declare it by --may-stop-early or --may-start-late; if a lifeline was not recorded, by --unobserved.",
    },
    Cause {
        id: "extra-after-end",
        name: "extra after end",
        meaning: "Something was observed after the part of a lifeline was over.",
        help: "The specification may lack a loop or a later part; or the log has more than one run, and a group would tell them apart.",
    },
    Cause {
        id: "stopped-early",
        name: "stopped early",
        meaning: "A log ends where something was to come.",
        help: "If the log was cut, declare it by --may-stop-early; or ask with --observed prefix.",
    },
    Cause {
        id: "dead-end",
        name: "dead end after a choice",
        meaning: "What was observed fits different choices of the specification, and none of them as a whole.",
        help: "Two logs disagree about which alternative was taken, or a loop was left at different times.",
    },
    VIOLATED,
    Cause {
        id: "not-explained",
        name: "cannot have happened",
        meaning: "No execution of the specification explains what was observed.",
        help: "Ask again with --explain full to have it explained.",
    },
    Cause {
        id: "weak-pass",
        name: "weak pass",
        meaning: "What was observed is accepted only if something happened that was not observed.",
        help: "See what was assumed to be missing. If every log is complete, ask with --observed complete.",
    },
    Cause {
        id: "undecided",
        name: "undecided",
        meaning: "A budget or a bound ended the search before there was an answer.",
        help: "Allow more with --max-states, --timeout or --memory.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_own_id() {
        let mut ids: Vec<&str> = CAUSES.iter().map(|cause| cause.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CAUSES.len());
    }
}
