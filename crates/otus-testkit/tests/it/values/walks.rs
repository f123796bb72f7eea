//! Random executions with values: what is drawn is accepted, by the engine and by the oracle.

use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, ValueEngine, ValueWalks};
use otus_analysis::{Question, Verdict};
use otus_testkit::oracle::values::{Case, LIMIT};
use otus_testkit::valued_cases::shape::{Flavor, Shape};
use otus_testkit::valued_cases::{random_partition, read};

#[test]
fn what_is_drawn_is_accepted() {
    let (mut walked, mut by_oracle, mut without) = (0_u64, 0_u64, 0_u64);
    for case in 0..super::cases(1_500) {
        let mut rng = super::rng(31, case);
        let flavor = Flavor { times: case % 3 > 0, ..Flavor::small() };
        let shape = Shape::random(&mut rng, &flavor);
        let Ok(lowered) = read(&shape) else { continue };
        let (Some(valued), Some(term)) = (lowered.valued.as_deref(), lowered.term) else {
            continue;
        };
        let partition = random_partition(&mut rng, flavor.lifelines);
        let mut pool = lowered.pool.clone();
        let mut walks = ValueWalks::new(&mut pool, valued, &partition, 8, case);
        let drawn: Vec<_> = (0..3).map_while(|_| walks.walk()).collect();
        if drawn.is_empty() {
            without += 1;
        }
        let mut engine = ValueEngine::new(&pool, term, valued, &partition);
        let budget = Budget { max_states: Some(20_000), ..Budget::default() };
        for walk in &drawn {
            // All clocks of a walk are the same.
            let clocks = Clocks { uncertainty: Some(0) };
            let (trace, facts) = (&walk.trace, &walk.facts);
            let found = engine.analyze(trace, facts, clocks, &Question::ACCEPT, &budget).verdict;
            let text = otus_trace::raise_with_facts(trace, facts, &valued.fields, &pool);
            let told = || format!("{}\n{}", shape.text(), otus_syntax::print::trace_line(&text));
            if found != Verdict::Inconclusive {
                assert_eq!(found, Verdict::Pass, "{}", told());
                walked += 1;
            }
            let case = Case { pool: &pool, valued, trace, facts, uncertainty: Some(0), order: None };
            if let Some(expected) = case.verdict(&Question::ACCEPT, LIMIT) {
                assert_eq!(expected, Verdict::Pass, "the oracle: {}", told());
                by_oracle += 1;
            }
        }
    }
    println!("{walked} accepted, {by_oracle} by the oracle, {without} interactions without");
    assert!(walked > 10 * without, "{walked} walks, {without} interactions without one");
    assert!(by_oracle > walked / 2);
}
