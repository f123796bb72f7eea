//! Parallel sessions: greedy firing agrees with the search, and with the oracle.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::{Options, Sessions};
use otus_analysis::{Engine, Question, Verdict};
use otus_core::TermId;
use otus_testkit::oracle::{Asked, Observation};
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};

use super::compare::{random_declarations, verdict};

/// The budget of the oracle for one question.
const BUDGET: usize = 3_000;

/// Parallel sessions of a random body, perhaps with another part before or after them.
fn sessions(rng: &mut fastrand::Rng, scope: &mut Scope) -> TermId {
    let leaves = rng.usize(1..5);
    let body = scope.random_term(rng, leaves);
    let around = scope.random_term(rng, 1);
    let whole = scope.pool.loop_p(body);
    match rng.usize(..4) {
        0 => scope.pool.seq(around, whole),
        1 => scope.pool.seq(whole, around),
        _ => whole,
    }
}

/// The verdicts with greedy firing and without.
struct Engines {
    greedy: Engine,
    search: Engine,
}

impl Engines {
    fn ask(&mut self, seen: &Observation, question: &Question) -> [Verdict; 2] {
        let timeout = Some(Duration::from_secs(1));
        let budget = Budget { max_states: Some(3_000), timeout, ..Budget::default() };
        let trace = seen.to_multi_trace();
        [&mut self.greedy, &mut self.search]
            .map(|engine| engine.analyze(&trace, question, &budget).verdict)
    }
}

#[test]
fn greedy_firing_gives_the_same_verdicts() {
    let most = super::cases(10);
    let mut rng = super::rng(61);
    let all = partitions(3);
    let (mut cases, mut compared, mut by_oracle, mut fired) = (0, 0, 0, 0);
    let mut met = [0; 3];
    while cases < most {
        let mut scope = Scope::new(3, 4, true);
        let term = sessions(&mut rng, &mut scope);
        let pool = &scope.pool;
        let partition = &all[rng.usize(..all.len())];
        let engine = |sessions| {
            Engine::new(pool, term, partition, Options { sessions, ..Options::default() })
        };
        let (greedy, search) = (engine(Sessions::Always), engine(Sessions::Never));
        let mut engines = Engines { greedy, search };
        let letters = alphabet(pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, pool, term, 4);
        if trace.len() > 16 {
            continue;
        }
        for derivation in Derivation::ALL {
            let seen = derive(&mut rng, pool, partition, &trace, &letters, derivation);
            let each = random_declarations(&mut rng, seen.components.len());
            for question in [
                Question::ACCEPT,
                Question::GlobalPrefix,
                Question::MULTI_PREFIX,
                Question::SLICE,
                Question::Each(each),
            ] {
                cases += 1;
                let [greedy, search] = engines.ask(&seen, &question);
                let what = || format!("{question:?} of {}\n{}", pool.text(term), seen.text(pool));
                if search != Verdict::Inconclusive && greedy != Verdict::Inconclusive {
                    compared += 1;
                    assert_eq!(greedy, search, "{}", what());
                }
                let asked = [Asked::complete(&seen, &question), Asked::new(&seen, &question)];
                let answers = asked.map(|asked| {
                    (trace.len() <= 8).then(|| asked.by_marks(pool, term, BUDGET)).flatten()
                });
                if let [Some(accepted), Some(explained)] = answers
                    && greedy != Verdict::Inconclusive
                    && question != Question::GlobalPrefix
                {
                    by_oracle += 1;
                    assert_eq!(greedy, verdict(accepted, explained), "{}", what());
                }
                match greedy {
                    Verdict::Pass => met[0] += 1,
                    Verdict::WeakPass => met[1] += 1,
                    Verdict::Fail => met[2] += 1,
                    Verdict::WeakFail | Verdict::Inconclusive => {}
                }
            }
        }
        fired += engines.greedy.counters().sessions;
    }
    println!(
        "{cases} cases, {compared} compared, {by_oracle} by the oracle, {fired} fired, {met:?}"
    );
    assert!(compared * 10 > cases * 9 && by_oracle * 4 > cases && fired * 4 > cases);
    assert!(met.iter().all(|&count| count * 20 > cases));
}
