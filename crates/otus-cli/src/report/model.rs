//! What a report is made from: a run, its cases one by one, and totals.
//!
//! Nothing here refers to a pool or a text: names and places are resolved, so that a writer needs
//! nothing else and a case can be forgotten once it is written. Writers are told of a run as it goes
//! on ([`Writer::begin`], then cases and troubles in the order of the input, then [`Writer::end`]),
//! so that memory stays flat however many cases there are.

use std::fmt::Write as _;
use std::io::{self, Write};

use otus_analysis::Verdict;

use super::html::model::Detail;

/// The same for all cases.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// The version of Otus.
    pub(crate) version: &'static str,
    /// The files of the specification.
    pub(crate) specs: Vec<String>,
    /// Where its interaction begins.
    pub(crate) interaction: Option<Place>,
    /// What the question is called.
    pub(crate) kind: &'static str,
    /// Whether in the words of `--observed`.
    pub(crate) by_observed: bool,
    pub(crate) engine: &'static str,
}

impl Run {
    /// What the specification is called.
    pub(crate) fn name(&self) -> String {
        match &self.interaction {
            Some(place) => place.file.clone(),
            None => self.specs.join(" "),
        }
    }
}

/// One multi-trace and what was found out about it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// The name of a file, the id of a case, the key of a group.
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
    pub(crate) outcome: Outcome,
    pub(crate) partition: String,
    /// How many actions were observed.
    pub(crate) actions: usize,
    /// Why it is not better, if it is undecided.
    pub(crate) reason: Option<String>,
    /// An execution that explains it, if one was asked for.
    pub(crate) witness: Option<String>,
    /// Of a `WeakPass`: what was assumed to be missing.
    pub(crate) missing: Vec<Missing>,
    /// Of a Fail: how far it could be explained, in a line.
    pub(crate) how_far: Option<String>,
    /// Of a Fail: why.
    pub(crate) explanation: Option<Box<Explanation>>,
    /// Of a Fail: whether the baseline has it.
    pub(crate) known: bool,
    /// The specification that it belongs to, if there are several.
    pub(crate) spec: Option<String>,
    /// Where it was read, if that is one place.
    pub(crate) origin: Option<String>,
    /// Whether it was decided by an earlier run.
    pub(crate) is_earlier: bool,
    /// Its events as they are drawn, if somebody draws it.
    pub(crate) picture: Option<Box<Detail>>,
}

impl Case {
    /// One that was decided by an earlier run, of which only the verdict is known.
    pub(crate) fn earlier(id: &str, verdict: Verdict, outcome: Outcome, actions: usize) -> Case {
        Case {
            id: id.to_owned(),
            verdict,
            outcome,
            partition: String::new(),
            actions,
            reason: None,
            witness: None,
            missing: Vec::new(),
            how_far: None,
            explanation: None,
            known: false,
            spec: None,
            origin: None,
            is_earlier: true,
            picture: None,
        }
    }

    /// What is wrong, in a line, or the verdict if nothing is.
    pub(crate) fn headline(&self) -> String {
        if let Some(explanation) = &self.explanation {
            return explanation.headline.clone();
        }
        match self.verdict {
            Verdict::Pass => "accepted as it is".to_owned(),
            Verdict::WeakPass if self.missing.is_empty() => {
                "accepted if something was not observed".to_owned()
            }
            Verdict::WeakPass => {
                let missing: Vec<String> = self.missing.iter().map(Missing::text).collect();
                format!("accepted if this was not observed: {}", missing.join(", "))
            }
            Verdict::Fail => match &self.how_far {
                Some(how_far) => format!("it cannot have happened; {how_far}"),
                None => "it cannot have happened".to_owned(),
            },
            Verdict::WeakFail => "a bounded search found no explanation".to_owned(),
            Verdict::Inconclusive => match &self.reason {
                Some(reason) => format!("undecided: {reason}"),
                None => "undecided".to_owned(),
            },
        }
    }

    /// Which rule it is against, if it is against one.
    pub(crate) fn rule(&self) -> Option<&'static Rule> {
        let id = match (&self.explanation, self.verdict) {
            (_, Verdict::Pass) => return None,
            (Some(explanation), _) => explanation.rule,
            (None, Verdict::Fail) => "not-explained",
            (None, Verdict::WeakPass) => "weak-pass",
            (None, Verdict::WeakFail | Verdict::Inconclusive) => "undecided",
        };
        RULES.iter().find(|rule| rule.id == id)
    }
}

/// What a verdict means for whoever waits for it, by `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Undecided,
}

/// What was assumed to be missing of a log.
#[derive(Debug, Clone)]
pub(crate) struct Missing {
    pub(crate) lifelines: Vec<String>,
    /// How many events.
    pub(crate) count: u64,
    /// The first of them.
    pub(crate) events: Vec<String>,
}

impl Missing {
    /// `2 events of bro (bro?m, bro!m)`.
    pub(crate) fn text(&self) -> String {
        let more = if (self.events.len() as u64) < self.count { ", …" } else { "" };
        let count = crate::words::counted(self.count, "event");
        format!("{count} of {} ({}{more})", self.lifelines.join("+"), self.events.join(", "))
    }
}

/// Why a multi-trace fails.
#[derive(Debug, Clone)]
pub(crate) struct Explanation {
    /// The id of the [`Rule`] of its cause.
    pub(crate) rule: &'static str,
    /// The cause in words.
    pub(crate) cause: &'static str,
    pub(crate) headline: String,
    /// What would have been right, where the specification has it. Three at most.
    pub(crate) expected: Vec<SpecPlace>,
    /// What was observed instead.
    pub(crate) observed: Option<LogPlace>,
    /// Other places of the logs that matter.
    pub(crate) related: Vec<LogPlace>,
    /// The furthest situations, three at most.
    pub(crate) furthest: Vec<Situation>,
    /// The components that fail by themselves.
    pub(crate) alone: Vec<Vec<String>>,
    pub(crate) repair: Option<Repair>,
    pub(crate) core: Option<Core>,
    /// Why some of this may be missing.
    pub(crate) gave_up: Option<&'static str>,
    /// The ladder in words, below the headline: what it is about, and what is said.
    pub(crate) notes: Vec<Note>,
}

/// A line of the ladder, like `repair: insert b!m at the end`.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub(crate) topic: &'static str,
    pub(crate) text: String,
}

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    /// Where in the line; unknown for lines of raw logs, which are meant as a whole.
    pub(crate) columns: Option<Columns>,
}

/// Where a place begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) start: usize,
    pub(crate) end_line: usize,
    /// The first column behind it.
    pub(crate) end: usize,
}

/// A place of the specification.
#[derive(Debug, Clone)]
pub(crate) struct SpecPlace {
    pub(crate) place: Place,
    /// Its first line.
    pub(crate) text: String,
    /// The bytes of that line that are meant.
    pub(crate) span: std::ops::Range<usize>,
    /// What the specification has there, like `b!m`.
    pub(crate) action: String,
}

/// A place of a log.
#[derive(Debug, Clone)]
pub(crate) struct LogPlace {
    pub(crate) place: Place,
    /// The line, or what is around the place if it is long. None if it cannot be had any more.
    pub(crate) text: Option<String>,
    /// The bytes of that text that are meant.
    pub(crate) span: std::ops::Range<usize>,
    /// The lifelines whose log it is.
    pub(crate) lifelines: Vec<String>,
    /// What was observed there.
    pub(crate) action: String,
    /// What that means: `observed instead`.
    pub(crate) role: &'static str,
    /// Whether the text is within a line of a case file, so that its columns are not those of the
    /// file.
    pub(crate) is_within: bool,
}

/// A situation from which no explanation goes on.
#[derive(Debug, Clone)]
pub(crate) struct Situation {
    pub(crate) components: Vec<Progress>,
    /// What was chosen on the way here and not on the way to others.
    pub(crate) choices: Vec<String>,
}

/// How far a component has got.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    pub(crate) lifelines: Vec<String>,
    pub(crate) consumed: usize,
    pub(crate) total: usize,
    /// What was observed next.
    pub(crate) next: Option<String>,
    /// What could have come.
    pub(crate) expected: Vec<String>,
}

/// Edits after which it would pass.
#[derive(Debug, Clone)]
pub(crate) struct Repair {
    /// In words; none if none was found.
    pub(crate) edits: Vec<String>,
    /// By edit: where it is, as far as that is known.
    pub(crate) places: Vec<Option<Place>>,
    /// No repair has fewer edits.
    pub(crate) at_least: usize,
    pub(crate) is_smallest: bool,
    /// Whether a checker that knows no engine has checked it.
    pub(crate) is_certified: bool,
    /// Why the search ended before all likely edits were tried.
    pub(crate) gave_up: Option<&'static str>,
}

/// Components that fail together, whatever the others saw.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub(crate) components: Vec<CorePart>,
    pub(crate) is_smallest: bool,
    pub(crate) is_certified: bool,
}

/// A component of a core.
#[derive(Debug, Clone)]
pub(crate) struct CorePart {
    pub(crate) lifelines: Vec<String>,
    /// How many of its first moments suffice to fail, and how many there are.
    pub(crate) prefix: usize,
    pub(crate) total: usize,
}

/// Something that could not be checked.
#[derive(Debug, Clone)]
pub(crate) struct Unusable {
    /// What it is called, if that is known.
    pub(crate) id: Option<String>,
    /// What is wrong, in a line.
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

/// What a run came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    pub(crate) checked: usize,
    pub(crate) actions: usize,
    pub(crate) pass: usize,
    pub(crate) weak: usize,
    pub(crate) fail: usize,
    pub(crate) undecided: usize,
    pub(crate) unusable: usize,
    pub(crate) interrupted: usize,
    /// Whether nothing was checked.
    pub(crate) is_vacuous: bool,
    /// How many failures were not explained.
    pub(crate) unexplained: usize,
    /// How many failures the baseline has.
    pub(crate) known: usize,
    /// What became of raw logs, if there are some.
    pub(crate) logs: Option<LogTotals>,
    /// What of each specification was exercised, if that was counted.
    pub(crate) coverage: Vec<Covered>,
}

/// What of a specification was exercised.
#[derive(Debug, Clone)]
pub(crate) struct Covered {
    /// The file it is in.
    pub(crate) specification: String,
    pub(crate) parts: Vec<CoveredPart>,
}

/// A part of a specification, and by how many multi-traces it was exercised.
#[derive(Debug, Clone)]
pub(crate) struct CoveredPart {
    /// `action`, `branch`, `loop`
    pub(crate) kind: &'static str,
    /// `broker!PUBREL`
    pub(crate) label: String,
    pub(crate) place: Place,
    pub(crate) times: u64,
}

/// What became of raw logs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogTotals {
    pub(crate) logs: usize,
    pub(crate) lines: u64,
    pub(crate) unmatched: u64,
}

impl Totals {
    /// In a line.
    pub(crate) fn text(&self) -> String {
        let Totals { checked, pass, weak, fail, undecided, unusable, interrupted, .. } = self;
        let known = match self.known {
            0 => String::new(),
            known => format!(" ({known} known)"),
        };
        let mut text = format!(
            "checked {checked}: {pass} pass, {weak} weak, {fail} fail{known}, {undecided} undecided"
        );
        for (count, what) in [(unusable, "unusable"), (interrupted, "not checked")] {
            if *count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        text
    }
}

/// Writes a report, piece by piece.
pub(crate) trait Writer {
    fn begin(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()>;
    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()>;
    fn unusable(&mut self, unusable: &Unusable, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()>;
}

/// A kind of finding.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    /// In a few words.
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) meaning: &'static str,
    /// What to do about it.
    pub(crate) help: &'static str,
}

/// All kinds of findings: a cause each, and what has none.
pub(crate) const RULES: [Rule; 13] = [
    Rule {
        id: "unknown-lifeline",
        name: "unknown lifeline",
        meaning: "A lifeline acted that has no part in the specification.",
        help: "Add the lifeline to the specification, or give it the name it has there by [lifelines] in otus.toml.",
    },
    Rule {
        id: "unknown-message",
        name: "unknown message",
        meaning: "A message was observed that the specification does not have.",
        help: "Add the message to the specification, or give it the name it has there by [messages] in otus.toml.",
    },
    Rule {
        id: "unknown-action",
        name: "unknown action",
        meaning: "A lifeline did what it never does in the specification, though others may.",
        help: "See who sends and who receives the message in the specification; a rule of otus.toml may have the direction wrong.",
    },
    Rule {
        id: "unexpected-message",
        name: "unexpected message",
        meaning: "Something else was expected at this point.",
        help: "Compare what was observed with what is expected there; one of them is wrong.",
    },
    Rule {
        id: "too-early",
        name: "too early",
        meaning: "An event was observed before something that comes first in the specification.",
        help: "If both orders are right, the specification needs par or coreg around them.",
    },
    Rule {
        id: "too-late",
        name: "too late",
        meaning: "An event was observed after something that comes later in the specification.",
        help: "If both orders are right, the specification needs par or coreg around them.",
    },
    Rule {
        id: "missing-counterpart",
        name: "missing counterpart",
        meaning: "A message was sent and not received, or received and not sent.",
        help: "If a log was cut, declare it by --may-stop-early or --may-start-late; if a lifeline was not recorded, by --unobserved.",
    },
    Rule {
        id: "extra-after-end",
        name: "extra after end",
        meaning: "Something was observed after the part of a lifeline was over.",
        help: "The specification may lack a loop or a later part; or the log has more than one run, and a group would tell them apart.",
    },
    Rule {
        id: "stopped-early",
        name: "stopped early",
        meaning: "A log ends where something was to come.",
        help: "If the log was cut, declare it by --may-stop-early; or ask with --observed prefix.",
    },
    Rule {
        id: "dead-end",
        name: "dead end after a choice",
        meaning: "What was observed fits different choices of the specification, and none of them as a whole.",
        help: "Two logs disagree about which alternative was taken, or a loop was left at different times.",
    },
    Rule {
        id: "not-explained",
        name: "cannot have happened",
        meaning: "No execution of the specification explains what was observed.",
        help: "Ask again with --explain full to have it explained.",
    },
    Rule {
        id: "weak-pass",
        name: "weak pass",
        meaning: "What was observed is accepted only if something happened that was not observed.",
        help: "See what was assumed to be missing. If every log is complete, ask with --observed complete.",
    },
    Rule {
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
    fn each_rule_has_its_own_id() {
        let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
    }
}
