//! Peers: the engine on letters against the definition.
//!
//! The definition says nothing of letters and refined terms: *an observed event matches a passing if it has its lifeline,
//! direction and message, and its peer is unknown or one of the passing's partners, or the passing has no other end. A multi-trace is explained if its
//! events can be assigned to passings that they match, such that the interaction in which every passing has a message
//! of its own explains it.* The oracle tries all assignments.

use std::fmt::Write as _;

use otus_analysis::{Engine, Question, Verdict, engine};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::{Action, Direction, LifelineId, Lowered, Peer, Pool};
use otus_testkit::oracle::observe::project;
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Asked, Members, Observation};
use otus_testkit::read::{Language, read};
use otus_trace::Partition;

const LIFELINES: [&str; 3] = ["a", "b", "c"];
const MESSAGES: [&str; 2] = ["m", "n"];
const BUDGET: usize = 20_000;

/// A message passing; lifelines by number.
#[derive(Debug, Clone)]
struct Passing {
    origin: Option<usize>,
    message: usize,
    targets: Vec<usize>,
    is_synchronous: bool,
}

impl Passing {
    fn random(rng: &mut fastrand::Rng) -> Passing {
        let mut all: Vec<usize> = (0..LIFELINES.len()).collect();
        rng.shuffle(&mut all);
        let receivers = [0, 1, 1, 1, 1, 1, 2][rng.usize(..7)];
        let origin = (receivers == 0 || rng.u8(..8) > 0).then(|| all[2]);
        let targets = all[..receivers].to_vec();
        let is_synchronous = origin.is_some() && receivers > 0 && rng.u8(..6) == 0;
        Passing { origin, message: rng.usize(..MESSAGES.len()), targets, is_synchronous }
    }

    /// Whether an event on a lifeline can be an end of it, as far as is known.
    fn matches(&self, event: &Seen) -> bool {
        let (own, partners) = match event.direction {
            Direction::Emission => (self.origin == Some(event.lifeline), self.targets.clone()),
            Direction::Reception => {
                (self.targets.contains(&event.lifeline), self.origin.into_iter().collect())
            }
        };
        // A passing without another end does not say who is there.
        let is_partner = partners.is_empty()
            || match event.peer {
                None => true,
                Some(Other::Lifeline(peer)) => partners.contains(&peer),
                Some(Other::Environment) => false,
            };
        own && is_partner && self.message == event.message
    }

    fn text(&self, message: &str) -> String {
        let mut text = String::new();
        if let Some(origin) = self.origin {
            let _ = write!(text, "{} -- ", LIFELINES[origin]);
        }
        let names: Vec<&str> = self.targets.iter().map(|&target| LIFELINES[target]).collect();
        let synchronous = if self.is_synchronous { "<synch> " } else { "" };
        let target = match names.as_slice() {
            [] => "|".to_owned(),
            [only] => format!(" {only}"),
            several => format!(" ({})", several.join(", ")),
        };
        let _ = write!(text, "{synchronous}{message} ->{target}");
        text
    }
}

/// An interaction over passings by number.
#[derive(Debug)]
enum Tree {
    Leaf(usize),
    Node(&'static str, Vec<Tree>),
}

impl Tree {
    fn random(rng: &mut fastrand::Rng, depth: usize, passings: &mut Vec<Passing>) -> Tree {
        if depth == 0 || rng.u8(..5) == 0 {
            passings.push(Passing::random(rng));
            return Tree::Leaf(passings.len() - 1);
        }
        let two = ["seq", "strict", "alt", "par", "coreg(a)"];
        let one = ["loopS", "loopW"];
        let at = rng.usize(..=two.len());
        let operator = two.get(at).copied().unwrap_or_else(|| one[rng.usize(..one.len())]);
        let operands = if at < two.len() { 2 } else { 1 };
        let operands = (0..operands).map(|_| Tree::random(rng, depth - 1, passings)).collect();
        Tree::Node(operator, operands)
    }

    /// The interaction; `name` gives the message of a passing.
    fn text(&self, passings: &[Passing], name: &dyn Fn(usize) -> String) -> String {
        match self {
            Tree::Leaf(at) => passings[*at].text(&name(*at)),
            Tree::Node(operator, operands) => {
                let operands: Vec<String> =
                    operands.iter().map(|operand| operand.text(passings, name)).collect();
                format!("{operator}({})", operands.join(", "))
            }
        }
    }
}

/// An observed event.
#[derive(Debug, Clone)]
struct Seen {
    lifeline: usize,
    direction: Direction,
    message: usize,
    peer: Option<Other>,
}

#[derive(Debug, Clone, Copy)]
enum Other {
    Lifeline(usize),
    Environment,
}

/// An interaction, as written and with a message for each passing.
struct Subject {
    passings: Vec<Passing>,
    plain: Lowered,
    labelled: Lowered,
    text: String,
}

impl Subject {
    fn random(rng: &mut fastrand::Rng) -> Subject {
        let mut passings = Vec::new();
        let tree = Tree::random(rng, 2, &mut passings);
        let head = "@lifeline{a; b; c} @message";
        let labels: Vec<String> = (0..passings.len()).map(|at| format!("p{at}")).collect();
        let name = |at: usize| MESSAGES[passings[at].message].to_owned();
        let text = format!("{head}{{m; n}} {}", tree.text(&passings, &name));
        let label = |at: usize| labels[at].clone();
        let labelled = format!("{head}{{{}}} {}", labels.join("; "), tree.text(&passings, &label));
        let (plain, _) = read(Language::Interaction, &text);
        let (labelled, _) = read(Language::Interaction, &labelled);
        Subject { passings, plain, labelled, text }
    }

    /// The logs of an execution, whose events know their peers or not, perhaps with faults.
    fn logs(&self, rng: &mut fastrand::Rng) -> Option<Vec<Vec<Vec<Seen>>>> {
        let pool = &self.labelled.pool;
        let mut sets = TraceSets::new(pool, BUDGET);
        let traces = sets.traces(self.labelled.term?, 5)?;
        let trace = traces.iter().nth(rng.usize(..traces.len().max(1)))?;
        let partition = Partition::discrete(LIFELINES.len());
        let mut logs: Vec<Vec<Vec<Seen>>> = project(pool, &partition, trace)
            .into_iter()
            .map(|log| {
                let moment = |moment: Vec<_>| {
                    moment.into_iter().map(|action| self.seen(rng, pool.action(action))).collect()
                };
                log.into_iter().map(moment).collect()
            })
            .collect();
        let log = rng.usize(..logs.len());
        match (rng.u8(..6), logs[log].len()) {
            (0, length) if length > 0 => drop(logs[log].remove(rng.usize(..length))),
            (1, length) if length > 1 => {
                let at = rng.usize(..length - 1);
                logs[log].swap(at, at + 1);
            }
            (2, length) => logs[log].truncate(length / 2),
            _ => {}
        }
        Some(logs)
    }

    fn seen(&self, rng: &mut fastrand::Rng, action: Action) -> Seen {
        let passing = &self.passings[action.message.0 as usize];
        let partners: Vec<usize> = match action.direction {
            Direction::Emission => passing.targets.clone(),
            Direction::Reception => passing.origin.into_iter().collect(),
        };
        let right = match partners.as_slice() {
            [] => Other::Environment,
            several => Other::Lifeline(several[rng.usize(..several.len())]),
        };
        let peer = match rng.u8(..12) {
            0 => Some(Other::Environment),
            1 => Some(Other::Lifeline(rng.usize(..LIFELINES.len()))),
            2..8 => Some(right),
            _ => None,
        };
        let lifeline = action.lifeline.0 as usize;
        Seen { lifeline, direction: action.direction, message: passing.message, peer }
    }

    /// The multi-trace over letters.
    fn letters(&mut self, logs: &[Vec<Vec<Seen>>]) -> Observation {
        let Lowered { pool, partners, .. } = &mut self.plain;
        let mut letter = |seen: &Seen| {
            let lifeline = LifelineId::new(seen.lifeline);
            let message = pool.signature().message(MESSAGES[seen.message]).expect("it is declared");
            let action = Action { lifeline, direction: seen.direction, message, peer: None };
            let letter = match seen.peer {
                None => action,
                Some(Other::Environment) => partners.letter(action, Peer::Environment),
                Some(Other::Lifeline(peer)) => {
                    let peer = LifelineId::new(peer);
                    partners.letter(action, Peer::Lifeline(peer))
                }
            };
            pool.intern_action(letter)
        };
        observation(logs, &mut letter)
    }

    /// The answer of the definition.
    fn by_definition(&mut self, logs: &[Vec<Vec<Seen>>], question: &Question) -> Option<bool> {
        let events: Vec<&Seen> = logs.iter().flatten().flatten().collect();
        let choices: Vec<Vec<usize>> = events
            .iter()
            .map(|event| {
                (0..self.passings.len()).filter(|&at| self.passings[at].matches(event)).collect()
            })
            .collect();
        let count: usize = choices.iter().map(Vec::len).product();
        if count > 2_000 {
            return None;
        }
        let term = self.labelled.term?;
        let pool = &mut self.labelled.pool;
        let mut asked = Vec::new();
        for number in 0..count {
            let mut rest = number;
            let mut next = 0;
            let mut labelled = |seen: &Seen| {
                let choice = choices[next][rest % choices[next].len()];
                rest /= choices[next].len();
                next += 1;
                let lifeline = LifelineId::new(seen.lifeline);
                let message =
                    pool.signature().message(&format!("p{choice}")).expect("it is declared");
                pool.intern_action(Action {
                    lifeline,
                    direction: seen.direction,
                    message,
                    peer: None,
                })
            };
            asked.push(Asked::new(&observation(logs, &mut labelled), question));
        }
        let pool: &Pool = pool;
        let mut sets = TraceSets::new(pool, BUDGET);
        let mut members = Members::new(term, Partition::discrete(LIFELINES.len()));
        let mut explained = false;
        for one in asked {
            explained |= one.by_traces(&mut members, &mut sets)?;
        }
        Some(explained)
    }
}

fn observation(
    logs: &[Vec<Vec<Seen>>],
    action: &mut dyn FnMut(&Seen) -> otus_core::ActionId,
) -> Observation {
    let components = logs.iter().map(|log| {
        let moments = log.iter().map(|moment| {
            let mut actions: Vec<_> = moment.iter().map(&mut *action).collect();
            actions.sort_unstable();
            actions
        });
        moments.collect()
    });
    let components = components.collect();
    Observation { partition: Partition::discrete(LIFELINES.len()), components }
}

#[test]
fn the_engine_on_letters_agrees_with_the_definition() {
    let mut rng = fastrand::Rng::with_seed(18);
    let (mut compared, mut ambiguous, mut explained) = (0, 0, 0);
    for _ in 0..1_500 {
        let mut subject = Subject::random(&mut rng);
        let Some(logs) = subject.logs(&mut rng) else { continue };
        let seen = subject.letters(&logs);
        let trace = seen.to_multi_trace();
        let Lowered { pool, term, refined, .. } = &subject.plain;
        let term = refined.or(*term).unwrap();
        let mut engine = Engine::new(pool, term, trace.partition(), engine::Options::default());
        let questions =
            [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];
        let answers = questions.each_ref().map(|question| {
            let verdict = engine.analyze(&trace, question, &Budget::default()).verdict;
            assert_ne!(verdict, Verdict::Inconclusive);
            verdict >= Verdict::WeakPass
        });
        let is_ambiguous = refined.is_some();
        for (question, answer) in questions.iter().zip(answers) {
            let Some(expected) = subject.by_definition(&logs, question) else { continue };
            assert_eq!(answer, expected, "{}\n{logs:?}\n{question:?}", subject.text);
            compared += 1;
            ambiguous += usize::from(is_ambiguous);
            explained += usize::from(expected);
        }
    }
    assert!(compared > 2_000 && ambiguous > 300, "{compared} {ambiguous}");
    assert!(explained * 5 > compared && explained * 5 < compared * 4, "{explained} of {compared}");
}
