//! Parallel sessions: greedy firing agrees with the search, and with the oracle.

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::engine::{Options, When};
use otus_analysis::{Engine, Question, Verdict};
use otus_core::TermId;
use otus_syntax::{Source, parse_trace};
use otus_testkit::oracle::{Asked, Observation};
use otus_testkit::read::{Language, read};
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};

use super::compare::{random_declarations, verdict};

/// The budget of the oracle for one question.
const BUDGET: usize = 1_000;
/// The longest global trace for which the oracle is asked.
const SHORT: usize = 7;

/// Parallel sessions of a random body, perhaps with other parts before and after them.
fn sessions(rng: &mut fastrand::Rng, scope: &mut Scope) -> TermId {
    let leaves = rng.usize(1..5);
    let body = scope.random_term(rng, leaves);
    let mut whole = scope.pool.loop_p(body);
    if rng.usize(..3) == 0 {
        let leaves = rng.usize(1..3);
        let before = scope.random_term(rng, leaves);
        let is_strict = rng.bool();
        let pool = &mut scope.pool;
        whole = if is_strict { pool.strict(before, whole) } else { pool.seq(before, whole) };
    }
    if rng.usize(..3) == 0 {
        let leaves = rng.usize(1..3);
        let after = scope.random_term(rng, leaves);
        let is_strict = rng.bool();
        let pool = &mut scope.pool;
        whole = if is_strict { pool.strict(whole, after) } else { pool.seq(whole, after) };
    }
    whole
}

/// The verdicts with greedy firing and without.
struct Engines {
    greedy: Engine,
    search: Engine,
}

impl Engines {
    fn budget() -> Budget {
        Budget { max_states: Some(1_000), ..Budget::default() }
    }

    fn ask(&mut self, seen: &Observation, question: &Question) -> [Verdict; 2] {
        let (trace, budget) = (seen.to_multi_trace(), Engines::budget());
        [&mut self.greedy, &mut self.search]
            .map(|engine| engine.analyze(&trace, question, &budget).verdict)
    }
}

#[test]
fn greedy_firing_gives_the_same_verdicts() {
    let most = super::cases(3);
    let mut rng = super::rng(61);
    let all = partitions(3);
    let (mut cases, mut compared, mut by_oracle, mut fired, mut witnesses) = (0, 0, 0, 0, 0);
    let mut met = [0; 3];
    while cases < most {
        let mut scope = Scope::new(3, 4, true);
        let term = sessions(&mut rng, &mut scope);
        let pool = &scope.pool;
        let partition = &all[rng.usize(..all.len())];
        let engine = |sessions| {
            Engine::new(pool, term, partition, Options { sessions, ..Options::default() })
        };
        let (greedy, search) = (engine(When::Always), engine(When::Never));
        let mut engines = Engines { greedy, search };
        let mut own = pool.clone();
        let letters = alphabet(pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, pool, term, 3);
        if trace.len() > 12 {
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
                    (trace.len() <= SHORT).then(|| asked.by_marks(pool, term, BUDGET)).flatten()
                });
                if let [Some(accepted), Some(explained)] = answers
                    && greedy != Verdict::Inconclusive
                    && question != Question::GlobalPrefix
                {
                    by_oracle += 1;
                    assert_eq!(greedy, verdict(accepted, explained), "{}", what());
                }
                if cases % 20 == 0 && matches!(greedy, Verdict::Pass | Verdict::WeakPass) {
                    let (trace, budget) = (seen.to_multi_trace(), Engines::budget());
                    let engine = &mut engines.greedy;
                    let witness =
                        engine.witness(&mut own, term, &trace, &question, greedy, &budget);
                    if let Some(witness) = witness {
                        witnesses += 1;
                        let claim = (&question, greedy);
                        let proven = certify(&mut own, term, &trace, claim, &witness);
                        assert_eq!(proven, Ok(()), "{}: {}", what(), witness.text(&own));
                    }
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
        "{cases} cases, {compared} compared, {by_oracle} by the oracle, {fired} fired, {witnesses} witnesses, {met:?}"
    );
    assert!(compared * 10 > cases * 9 && by_oracle * 4 > cases && fired * 4 > cases);
    assert!(witnesses * 40 > cases);
    assert!(met.iter().all(|&count| count * 20 > cases));
}

/// Book orders, all in flight, each as the events of one session.
const BOOK: &str = "loopP(seq(alice -- buy -> barbara, barbara -- reserve -> carol, carol -- check -> dave, \
    alt(seq(dave -- take -> emily, emily -- now -> barbara), seq(dave -- order -> frank, frank -- later -> barbara))))";
const NOW: &str = "alice!buy barbara?buy barbara!reserve carol?reserve carol!check dave?check \
    dave!take emily?take emily!now barbara?now";
const LATER: &str = "alice!buy barbara?buy barbara!reserve carol?reserve carol!check dave?check \
    dave!order frank?order frank!later barbara?later";

/// The logs of this number of orders that overlap in random order.
fn orders(rng: &mut fastrand::Rng, count: usize) -> String {
    let session = |_| if rng.bool() { NOW } else { LATER }.split(' ').collect::<Vec<_>>();
    let mut sessions: Vec<Vec<&str>> = (0..count).map(session).collect();
    for session in &mut sessions {
        session.reverse();
    }
    let lifelines = ["alice", "barbara", "carol", "dave", "emily", "frank"];
    let mut logs = lifelines.map(|_| Vec::new());
    while !sessions.is_empty() {
        let chosen = rng.usize(..sessions.len());
        match sessions[chosen].pop() {
            Some(action) => {
                let own = lifelines.iter().position(|lifeline| action.starts_with(lifeline));
                logs[own.expect("a lifeline")].push(action);
            }
            None => drop(sessions.swap_remove(chosen)),
        }
    }
    let logs = lifelines.iter().zip(logs).map(|(own, log)| format!("[{own}] {}", log.join(".")));
    format!("{{ {} }}", logs.collect::<Vec<_>>().join("; "))
}

/// A long multi-trace takes a state for each action, its witness a few more, and positions are short.
#[test]
fn all_sessions_in_flight_take_a_state_for_each_event() {
    let mut rng = super::rng(62);
    let (mut lowered, _) = read(Language::Interaction, BOOK);
    let parsed = parse_trace(&Source::new("trace", orders(&mut rng, 80)));
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut lowered.pool);
    let term = lowered.term.expect("an interaction");
    let pool = &mut lowered.pool;
    let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
    let budget = Budget { max_states: Some(5_000), ..Budget::default() };
    for question in [Question::ACCEPT, Question::MULTI_PREFIX, Question::SLICE] {
        let found = engine.analyze(&trace, &question, &budget);
        assert_eq!((found.verdict, found.states), (Verdict::Pass, 800), "{question:?}");
        let witness = engine.witness(pool, term, &trace, &question, Verdict::Pass, &budget);
        let witness = witness.expect("it is found within the budget");
        assert_eq!(witness.steps.len(), 800);
        let longest = witness.steps.iter().filter_map(|step| Some(step.event()?.position.len()));
        assert!(longest.max() < Some(40), "positions are balanced");
        let proven = certify(pool, term, &trace, (&question, Verdict::Pass), &witness);
        assert_eq!(proven, Ok(()));
    }
}
