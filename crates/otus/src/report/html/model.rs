//! What the page shows, as plain owned data that anything can be turned into.
//!
//! Nothing here is laid out or cut to size: that is done by [`window`](mod@super::window). Indices that point
//! nowhere are left out of the page, so that no filling can make it fail.

use serde::{Serialize, Serializer};

/// All that a page shows.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// What is true of all groups.
    pub(crate) about: About,
    /// The groups that are listed: all of them, or those worth reading.
    pub(crate) cases: Vec<Case>,
}

/// What is true of all groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// What was checked.
    pub(crate) run: Run,
    /// How many groups have each verdict, of all that were checked.
    pub(crate) counts: Vec<Count>,
    /// By specification, what of it was exercised.
    pub(crate) coverage: Vec<Coverage>,
}

/// What was checked, and by what.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Run {
    /// The name of the page.
    pub(crate) title: String,
    /// `otus 0.1.0`
    pub(crate) tool: String,
    /// The specifications, as they were given.
    pub(crate) specifications: Vec<String>,
    /// What was asked of each group: `every log is complete`, `logs may stop early`.
    pub(crate) question: String,
    /// The line that every run ends with.
    pub(crate) summary: String,
    /// Further figures: logs, actions, lines without action, time.
    pub(crate) totals: Vec<Total>,
    /// What readers must know before they trust the figures: that nothing was checked, that a budget ended.
    pub(crate) warnings: Vec<String>,
}

/// A figure with its name.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Total {
    /// `unmatched lines`
    pub(crate) name: String,
    /// `31`
    pub(crate) value: String,
}

/// How many groups have a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    /// Which.
    pub(crate) verdict: Verdict,
    /// How many.
    pub(crate) cases: u64,
}

/// The verdicts, from what needs attention most to what needs least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Verdict {
    /// It does not conform.
    Fail,
    /// It does not conform, unless something is missing.
    WeakFail,
    /// A budget ended first.
    Inconclusive,
    /// It conforms if something is missing.
    WeakPass,
    /// It conforms.
    Pass,
}

impl Verdict {
    /// All of them, in order.
    pub(crate) const ALL: [Verdict; 5] =
        [Verdict::Fail, Verdict::WeakFail, Verdict::Inconclusive, Verdict::WeakPass, Verdict::Pass];

    /// As written in every report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Fail => "Fail",
            Verdict::WeakFail => "WeakFail",
            Verdict::Inconclusive => "Inconclusive",
            Verdict::WeakPass => "WeakPass",
            Verdict::Pass => "Pass",
        }
    }
}

/// One group: a multi-trace and its verdict.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Its name, unique among the cases.
    pub(crate) id: String,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// Why, in a sentence; empty if there is nothing to say.
    pub(crate) headline: String,
    /// The kind of fault: `missing counterpart`; empty if there is none.
    pub(crate) cause: String,
    /// Where it was read from.
    pub(crate) log: String,
    /// What it was checked against; empty if there is but one specification.
    pub(crate) specification: String,
    /// How many events were observed.
    pub(crate) events: u64,
    /// Whether a baseline has it among the known failures.
    pub(crate) known: bool,
    /// What its panel shows; nothing if it has none.
    pub(crate) detail: Option<Detail>,
}

/// What is told of a group beyond a line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detail {
    /// The steps of the explanation.
    pub(crate) ladder: Vec<Rung>,
    /// The lifelines, in the order of their columns.
    pub(crate) lifelines: Vec<Lifeline>,
    /// The events; those of one component in the order of its log. What was expected stands before what was
    /// observed instead.
    pub(crate) events: Vec<Event>,
    /// Which event has sent what which event received: two indices of events.
    pub(crate) messages: Vec<[usize; 2]>,
    /// The accepted run: indices of events, observed or assumed, in the order of the explanation.
    pub(crate) run: Vec<usize>,
    /// The event with the fault, if there is one.
    pub(crate) culprit: Option<usize>,
    /// Places of the specification that events point at.
    pub(crate) specification: Vec<Excerpt>,
    /// The part that fails as a Mermaid diagram; empty if there is none.
    pub(crate) mermaid: String,
}

/// A step of an explanation.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Rung {
    /// `Repair`
    pub(crate) title: String,
    /// What it says, in lines.
    pub(crate) text: String,
}

/// A column of the diagram.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Lifeline {
    /// Its name.
    pub(crate) name: String,
    /// The component that it belongs to; those of one component share a clock.
    pub(crate) component: usize,
    /// Whether its component belongs to the smallest set that fails.
    pub(crate) core: bool,
}

/// A point of a lifeline.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// On which lifeline.
    pub(crate) lifeline: usize,
    /// `broker!PUBREL`
    pub(crate) label: String,
    /// What is known of it.
    pub(crate) state: State,
    /// Whether it belongs to the same moment as the one before it of its component.
    pub(crate) joined: bool,
    /// Where it was observed.
    pub(crate) log: Option<Excerpt>,
    /// Which place of [`Detail::specification`] it is about.
    pub(crate) specification: Option<usize>,
}

/// What is known of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It was observed, and the accepted run has it.
    Accepted,
    /// It was observed, and no run was found that has it.
    Refused,
    /// It was not observed, and could have come next.
    Expected,
    /// It was not observed, and the accepted run takes it to have happened.
    Assumed,
}

/// Some lines of a file.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Excerpt {
    /// `docs/mqtt.md:21:9`
    pub(crate) place: String,
    /// The number of the first line here, from 1.
    pub(crate) first: u64,
    /// The lines; of very long ones, the page shows the beginning.
    #[serde(serialize_with = "shortened")]
    pub(crate) lines: Vec<String>,
    /// Which of them is meant, from 0.
    pub(crate) marked: usize,
    /// Which part of that line: characters from 0, the end not included.
    pub(crate) columns: Option<[usize; 2]>,
}

/// What of a specification was exercised.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Coverage {
    /// Which.
    pub(crate) specification: String,
    /// Its actions, branches and loops.
    pub(crate) parts: Vec<Part>,
}

/// A part of a specification.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Part {
    /// `action`, `branch`, `loop`
    pub(crate) kind: String,
    /// `broker!PUBREL`
    pub(crate) label: String,
    /// Where it stands.
    pub(crate) place: String,
    /// By how many groups it was exercised.
    pub(crate) times: u64,
}

/// How many characters of a line are kept.
const LINE: usize = 2_000;

fn shortened<S: Serializer>(lines: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| match line.char_indices().nth(LINE) {
        None => line.clone(),
        Some((end, _)) => {
            format!("{} … ({} more bytes)", &line[..end], line.len() - end)
        }
    }))
}

/// How many cases have each verdict; verdicts that none has are left out, but for those that all look for.
#[cfg(test)]
pub(crate) fn counts(cases: &[Case]) -> Vec<Count> {
    let mut found = [0; Verdict::ALL.len()];
    for case in cases {
        found[case.verdict as usize] += 1;
    }
    let each = Verdict::ALL.into_iter().zip(found);
    each.filter(|&(verdict, cases)| cases > 0 || matches!(verdict, Verdict::Fail | Verdict::Pass))
        .map(|(verdict, cases)| Count { verdict, cases })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_long_lines_are_cut_between_characters() {
        let lines = vec!["é".repeat(LINE), "é".repeat(LINE + 3)];
        let excerpt = Excerpt { lines, ..Excerpt::default() };
        let value = serde_json::to_value(&excerpt).unwrap();
        assert_eq!(value["lines"][0], "é".repeat(LINE));
        assert_eq!(value["lines"][1], format!("{} … (6 more bytes)", "é".repeat(LINE)));
    }
}
