use otus_analysis::{Engine, Question, budget::Budget, engine::Options};
use otus_syntax::*;
use std::path::Path;
use std::time::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let folder = Path::new(&a[1]);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let s = parse_spec(&Source::new("s", read("sig.hsf"))).tree;
    let i = parse_spec(&Source::with_id(SourceId(1), "m", read("model.hif"))).tree;
    let mut l = otus_core::lower(&[&s, &i]);
    let term = l.term.unwrap();
    let q = match a[2].as_str() {
        "accept" => Question::ACCEPT,
        "prefix" => Question::GlobalPrefix,
        "multi" => Question::MULTI_PREFIX,
        _ => Question::SLICE,
    };
    let filter = a.get(3).cloned().unwrap_or_default();
    let cases = Source::new("c", read("cases.jsonl"));
    let mut engines: Vec<(otus_trace::Partition, Engine)> = vec![];
    let mut times = vec![];
    let mut total = Duration::ZERO;
    for c in otus_trace::case::read(&cases) {
        let c = c.unwrap();
        if !c.id.contains(&filter) {
            continue;
        }
        let t = parse_trace(&Source::new("x", c.htf.clone())).tree;
        let t = otus_trace::lower(&t, &mut l.pool).0;
        if !engines.iter().any(|(p, _)| p == t.partition()) {
            engines.push((
                t.partition().clone(),
                Engine::new(&l.pool, term, t.partition(), Options::default()),
            ));
        }
        let e = &mut engines.iter_mut().find(|(p, _)| p == t.partition()).unwrap().1;
        let b = Budget {
            max_states: Some(100_000),
            timeout: Some(Duration::from_secs(3)),
            ..Default::default()
        };
        let now = Instant::now();
        let o = e.analyze(&t, &q, &b);
        let el = now.elapsed();
        total += el;
        times.push((el, c.id.clone(), o.verdict, o.states, e.info()));
    }
    times.sort_by_key(|t| std::cmp::Reverse(t.0));
    println!("{} cases, total {:?}", times.len(), total);
    for t in times.iter().take(8) {
        println!("{:?} {} {} {} {}", t.0, t.1, t.2, t.3, t.4);
    }
}
