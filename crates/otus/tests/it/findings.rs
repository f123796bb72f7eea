//! What runs have in common does not depend on how they were divided.

use std::fmt::Write as _;

use otus::findings::{CauseRow, Findings};
use otus::table::{Batch, Checker, CheckerOptions, Texts, Values};
use otus::{Item, Observed, Options, Spec};
use proptest::prelude::*;

use crate::table::{PLAIN, Random, Row, VALUED, rows, runs, time};

/// The findings of some rows, all of which have all rows of their runs.
fn found(spec: &Spec, rows: &[Row], observed: Observed, sample: usize) -> Findings {
    let options = CheckerOptions::scattered()
        .checks(Options::new().observed(observed))
        .allow_empty(true)
        .findings(sample)
        .coverage();
    let mut checker = Checker::new(spec, options).unwrap();
    let run: Vec<Option<&str>> = rows.iter().map(|row| Some(row.run.as_str())).collect();
    let lifeline: Vec<Option<&str>> =
        rows.iter().map(|row| Some(row.event.lifeline.as_str())).collect();
    let action: Vec<Option<&str>> =
        rows.iter().map(|row| Some(row.event.action.as_str())).collect();
    let orders: Vec<Option<i64>> = rows.iter().map(|row| Some(row.order)).collect();
    let times: Vec<Option<i64>> = rows.iter().map(|row| time(&row.event)).collect();
    let mid = |row: &Row| {
        let found = row.event.values.iter().find(|(field, _)| field == "mid");
        found.and_then(|(_, value)| value.parse::<i64>().ok())
    };
    let mids: Vec<Option<i64>> = rows.iter().map(mid).collect();
    let values = [("mid", Values::Integers(&mids))];
    let mut batch = Batch::new(Texts::Each(&run), Texts::Each(&lifeline), Texts::Each(&action));
    batch.order = Some(&orders);
    batch.time = Some(&times);
    batch.values = &values;
    assert!(checker.push(&batch).unwrap().is_empty());
    let mut answers = checker.finish().unwrap();
    // Some answers are taken before.
    answers.next().transpose().unwrap();
    answers.into_findings().unwrap()
}

/// Some runs, and the findings of all of them.
struct Whole {
    spec: Spec,
    rows: Vec<Row>,
    ids: Vec<String>,
    observed: Observed,
    all: [Findings; 3],
}

/// The sizes of samples.
const SAMPLES: [usize; 3] = [0, 5, 1_000];

impl Whole {
    fn new(text: &str, observed: Observed) -> Whole {
        let spec = Spec::parse("spec.hif", text).unwrap();
        let runs = runs(text, 25, &mut Random(7));
        let mut rows = rows(&runs);
        // A lifeline that the specification lacks makes a run unusable.
        let faulty = rows.last().cloned().unwrap();
        rows.push(Row { run: "faulty".to_owned(), ..faulty });
        "stranger".clone_into(&mut rows.last_mut().unwrap().event.lifeline);
        let mut ids: Vec<String> = rows.iter().map(|row| row.run.clone()).collect();
        ids.dedup();
        let all = SAMPLES.map(|sample| found(&spec, &rows, observed, sample));
        let count = |verdict: &str| {
            let found = all[0].verdicts();
            found.iter().find(|row| row.verdict == verdict).map_or(0, |row| row.runs)
        };
        assert!(count("Fail") > 5 && count("Unusable") == 1, "{:?}", all[0].verdicts());
        assert!(count("Pass") + count("WeakPass") > 5);
        assert_eq!(all[1].sample().count(), 5 + 1);
        assert!(all[0].coverage().unwrap().parts.iter().any(|part| part.runs > 0));
        Whole { spec, rows, ids, observed, all }
    }

    /// Compares the findings of all runs with those of parts of them that are merged.
    fn divide(&self, parts: &[usize], seed: u64) {
        let mut random = Random(seed);
        for (sample, all) in SAMPLES.into_iter().zip(&self.all) {
            let count = parts.iter().max().map_or(1, |most| most + 1);
            let mut divided: Vec<Findings> = (0..count)
                .map(|part| {
                    let is_here = |row: &&Row| {
                        let number = self.ids.iter().position(|id| *id == row.run).unwrap();
                        parts[number % parts.len()] == part
                    };
                    let mut own: Vec<Row> = self.rows.iter().filter(is_here).cloned().collect();
                    random.shuffle(&mut own);
                    let found = found(&self.spec, &own, self.observed, sample);
                    // Each goes through its text, as between machines.
                    let text = found.to_json();
                    let again = Findings::from_json(&text).unwrap();
                    assert_eq!(again, found);
                    again
                })
                .collect();
            // Merged as a random tree.
            while divided.len() > 1 {
                let other = divided.swap_remove(random.below(divided.len()));
                let place = random.below(divided.len());
                divided[place].merge(other).unwrap();
            }
            // The only thing that depends on the division is in which row of its table a fault is.
            assert_eq!(without_rows(&divided[0]), without_rows(all));
        }
    }
}

/// As text, without the numbers of rows.
fn without_rows(findings: &Findings) -> String {
    let mut text = format!("{:?}{:?}", findings.verdicts(), findings.causes());
    for sampled in findings.sample() {
        let headline = match sampled.headline.strip_prefix("row ") {
            Some(rest) => rest.trim_start_matches(|letter: char| letter.is_ascii_digit()),
            None => &sampled.headline,
        };
        writeln!(text, "{} {headline} {:?}", sampled.run, sampled.explanation).unwrap();
    }
    format!("{text}{:?}", findings.coverage())
}

#[test]
fn any_division_of_the_runs_gives_the_same_findings() {
    let wholes = [
        Whole::new(PLAIN, Observed::Complete),
        Whole::new(PLAIN, Observed::Prefix),
        Whole::new(VALUED, Observed::Complete),
    ];
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() };
    let division = (proptest::collection::vec(0..6_usize, 1..60), any::<u64>(), 0..wholes.len());
    let mut runner = proptest::test_runner::TestRunner::new(config);
    runner
        .run(&division, |(parts, seed, whole)| {
            wholes[whole].divide(&parts, seed);
            Ok(())
        })
        .unwrap();
}

#[test]
fn causes_are_counted_in_the_sample_and_the_rest_is_told() {
    let whole = Whole::new(PLAIN, Observed::Complete);
    let [none, some, all] = &whole.all;
    let fails = all.verdicts().iter().find(|row| row.verdict == "Fail").unwrap().runs;
    let sum = |rows: &[CauseRow]| rows.iter().map(|row| row.runs).sum::<u64>();
    for findings in [none, some, all] {
        let causes = findings.causes();
        assert_eq!(sum(&causes), fails);
        let open: Vec<&CauseRow> =
            causes.iter().filter(|row| row.cause == "not-explained").collect();
        let explained = findings.sample().filter(|it| it.verdict == "Fail").count() as u64;
        match open.as_slice() {
            [] => assert_eq!(explained, fails),
            [row] => assert_eq!(row.runs, fails - explained),
            more => panic!("{more:?}"),
        }
    }
    assert!(all.causes().iter().all(|row| row.cause != "not-explained"));
    assert!(all.causes()[0].place.as_deref().unwrap().starts_with("spec.hif:"));
}

#[test]
fn findings_do_not_change_the_answers() {
    let whole = Whole::new(PLAIN, Observed::Complete);
    let answers = |options: CheckerOptions| {
        let mut checker = Checker::new(&whole.spec, options).unwrap();
        let run: Vec<Option<&str>> = whole.rows.iter().map(|it| Some(it.run.as_str())).collect();
        let lifeline: Vec<Option<&str>> =
            whole.rows.iter().map(|it| Some(it.event.lifeline.as_str())).collect();
        let action: Vec<Option<&str>> =
            whole.rows.iter().map(|it| Some(it.event.action.as_str())).collect();
        let orders: Vec<Option<i64>> = whole.rows.iter().map(|it| Some(it.order)).collect();
        let mut batch = Batch::new(Texts::Each(&run), Texts::Each(&lifeline), Texts::Each(&action));
        batch.order = Some(&orders);
        checker.push(&batch).unwrap();
        let text = |item: Result<Item<_>, _>| match item.unwrap() {
            Item::Case(case) => {
                let case: otus::Case = case;
                format!("{} {} {} {}", case.id, case.verdict, case.actions, case)
            }
            Item::Unusable(unusable) => format!("{unusable:?}"),
            _ => String::new(),
        };
        checker.finish().unwrap().map(text).collect::<Vec<_>>()
    };
    let plain = answers(CheckerOptions::scattered());
    assert_eq!(answers(CheckerOptions::scattered().findings(7).coverage()), plain);
    let explained = answers(CheckerOptions::scattered().explain(4));
    assert_eq!(answers(CheckerOptions::scattered().explain(4).findings(7)), explained);
    assert_ne!(plain, explained);
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let whole = Whole::new(PLAIN, Observed::Complete);
    let mut all = whole.all[2].clone();
    let other = Findings::new("other.hif", 5);
    let error = all.merge(other).unwrap_err().to_string();
    assert!(error.contains("`spec.hif` and `other.hif`"), "{error}");
    let error = all.merge(Findings::new("spec.hif", 5)).unwrap_err().to_string();
    assert!(error.contains("coverage was counted for a part of the runs only"), "{error}");
    assert_eq!(all, whole.all[2]);

    let other = Spec::parse("spec.hif", VALUED).unwrap();
    let error = all.merge(found(&other, &[], Observed::Complete, 5)).unwrap_err().to_string();
    assert!(error.contains("the parts of their coverage differ"), "{error}");

    for text in ["", "{}", "[1]", &all.to_json().replace("\"version\":1", "\"version\":2")] {
        let error = Findings::from_json(text).unwrap_err().to_string();
        assert!(error.contains("findings"), "{error}");
    }
    let checker = Checker::new(&whole.spec, CheckerOptions::scattered().allow_empty(true)).unwrap();
    let error = checker.finish().unwrap().into_findings().unwrap_err().to_string();
    assert!(error.contains("CheckerOptions::findings"), "{error}");
}
