//! The four use cases of 000 (Appendix C).
//!
//! The sets of each are accepted multi-traces (ACPT), random multi-prefixes of them (PREF), and for each
//! prefix a mutant with a random action inserted (NOIS), one with two actions of a component swapped
//! (SACT) and one with some components of another prefix (SCMP).

use std::fmt::Write as _;

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters};
use otus_analysis::generate;
use otus_core::EventId;
use otus_syntax::options::Generation;
use otus_trace::MultiTrace;
use otus_trace::transform::prefixes;

use super::Model;
use super::model::{ABP, BOOK, NETWORK, SENSOR, Texts};
use super::sets::Class;
use crate::setting::Setting;

/// A use case and the way its multi-traces are made.
#[derive(Debug, Clone, Copy)]
pub struct UseCase {
    /// The name of the figure of the use case.
    pub id: &'static str,
    /// The subject of the use case.
    pub title: &'static str,
    /// The way its multi-traces are made, in words.
    pub made: &'static str,
    texts: Texts<'static>,
    accepted: Accepted,
    /// The number of prefixes of each accepted multi-trace.
    prefixes: usize,
}

#[derive(Debug, Clone, Copy)]
enum Accepted {
    /// All executions with at most this many loop instances.
    Explored { loops: u64 },
    /// Random executions: their number and greatest length, in a quick run and in a full one.
    Random { count: [usize; 2], length: [usize; 2] },
}

/// All use cases.
pub const USE_CASES: [UseCase; 4] = [
    UseCase {
        id: "000-fig9",
        title: "ordering a book",
        made: "all executions with at most 2 loop instances, 5 prefixes of each",
        texts: BOOK,
        accepted: Accepted::Explored { loops: 2 },
        prefixes: 5,
    },
    UseCase {
        id: "000-fig10",
        title: "querying sensors",
        made: "random executions, 3 prefixes of each",
        texts: SENSOR,
        accepted: Accepted::Random { count: [400, 2000], length: [60, 200] },
        prefixes: 3,
    },
    UseCase {
        id: "000-fig11",
        title: "the alternating bit protocol",
        made: "random executions, 5 prefixes of each",
        texts: ABP,
        accepted: Accepted::Random { count: [400, 2000], length: [60, 200] },
        prefixes: 5,
    },
    UseCase {
        id: "000-fig12",
        title: "uploading to a server",
        made: "random executions, 5 prefixes of each",
        texts: NETWORK,
        accepted: Accepted::Random { count: [400, 2000], length: [50, 100] },
        prefixes: 5,
    },
];

impl UseCase {
    /// The model of the use case.
    pub fn model(&self) -> Model {
        Model::new(self.texts)
    }

    /// The model of the use case, with the emission and the reception of each message unordered.
    pub fn loose(&self) -> Model {
        Model::new(Texts { interaction: &loosened(self.texts.interaction), ..self.texts })
    }

    /// The five sets of multi-traces of the use case. Messages that mutants introduce are added to
    /// the model.
    pub fn classes(&self, model: &mut Model, setting: Setting) -> Vec<Class> {
        let mut accepted = model.observed(&model.discrete(), &self.accepted(model, setting));
        accepted.truncate(setting.pick(8, usize::MAX, usize::MAX));
        let cut = accepted.iter().enumerate().flat_map(|(i, trace)| {
            let cuts = prefixes(trace);
            let seed = setting.derive("prefix", i);
            cuts.sample(seed).take(self.prefixes).map(|cut| cut.trace).collect::<Vec<_>>()
        });
        let prefixes: Vec<MultiTrace> = cut.collect();
        let names = ["ACPT", "PREF", "NOIS", "SACT", "SCMP"];
        Class::five(names, model, accepted, prefixes, setting)
    }

    /// Accepted global traces. They are generated with a copy of the pool, so that no analysis finds its terms
    /// interned already.
    fn accepted(&self, model: &Model, setting: Setting) -> Vec<Vec<EventId>> {
        let mut pool = model.pool.clone();
        match self.accepted {
            Accepted::Explored { loops } => {
                let config = Config {
                    filters: Filters { loop_depth: Some(loops), ..Filters::default() },
                    budget: Budget { max_states: Some(1_000_000), ..Budget::default() },
                    ..Config::default()
                };
                let mut traces =
                    generate::explored(&mut pool, model.term, &config, Generation::Exact);
                fastrand::Rng::with_seed(setting.seed).shuffle(&mut traces);
                traces
            }
            Accepted::Random { count, length } => {
                let count = setting.pick(8, count[0], count[1]);
                let length = setting.pick(30, length[0], length[1]);
                generate::random(&mut pool, model.term, count, length, setting.seed)
            }
        }
    }
}

/// Replaces `a -- <synch> m -> b` by `seq(a!m, b?m)`, whose actions are on different lifelines and hence unordered.
fn loosened(interaction: &str) -> String {
    const PASSES: &str = " -- <synch> ";
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = interaction;
    while let Some(at) = rest.find(PASSES) {
        let begin = rest[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        let (from, after) = (&rest[begin..at], &rest[at + PASSES.len()..]);
        let Some((message, after)) = after.split_once(" -> ") else { break };
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        out.push_str(&rest[..begin]);
        let _ = write!(out, "seq({from}!{message}, {}?{message})", &after[..end]);
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loosened_messages_order_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(loosened(text), expected);
        check("loopS(seq(a -- <synch> m -> b, d -> S))", "loopS(seq(seq(a!m, b?m), d -> S))");
        check("a -- <synch> m_1 -> b", "seq(a!m_1, b?m_1)");
        check("a -- m -> b", "a -- m -> b");
        for case in USE_CASES {
            assert!(!loosened(case.texts.interaction).contains("synch"), "{}", case.title);
            case.loose();
        }
    }
}
