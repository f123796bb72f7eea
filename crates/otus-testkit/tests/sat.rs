//! scratch
use otus_analysis::config::{Config, Kind};
use otus_analysis::graph::{Silent, analyze};
use otus_analysis::{Verdict, budget::Budget};
use otus_syntax::options::LocalAnalysis;
use otus_testkit::sat::*;
#[test]
fn scratch() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/uf20/uf20.jsonl")).unwrap();
    let uf: Vec<(String, Formula)> = Problem::from_json_lines(&text).unwrap().into_iter().take(20).map(|p| (p.name, p.formula)).collect();
    let small: Vec<(String, Formula)> = (0..20).map(|s| (format!("r{s}"), random(4 + s as usize % 5, (4 + s as usize % 5)*5, s))).collect();
    for (name, f) in small.into_iter().chain(uf) {
        for memoize in [false, true] {
        let mut r = reduce(&f);
        let config = Config { kind: Kind::Eliminate, goal: Some(Verdict::WeakPass), memoize, local_analysis: LocalAnalysis::On, budget: Budget { max_states: Some(20000), ..Budget::default() }, ..Config::default() };
        let t = std::time::Instant::now();
        let o = analyze(&mut r.pool, r.term, &r.trace, &config, &mut Silent).unwrap();
        println!("{name} memo={memoize} {} {:?} nodes {} {:?} terms {}", solve(&f).is_some(), o.verdict, o.nodes, t.elapsed(), r.pool.term_count());
        }
    }
}
