//! Formulas about groups: what is final is told while the group is open, everything else when it ends, and each once.

use otus_live::Config;

use crate::support::{Place, Watch};

fn config(place: &Place) -> Config {
    let mut config = place.config();
    config.formulas = ["few: AG count(a) < 2", "both: AF count(b) = 2", "asked: EF count(b) = 1"]
        .map(str::to_owned)
        .into();
    config.log = Some(place.path("state"));
    config
}

/// What was told: the formula, the verdict, and why then.
fn told(all: &[serde_json::Value]) -> Vec<(String, String, String)> {
    let text = |it: &serde_json::Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let mut told: Vec<_> = all
        .iter()
        .map(|it| (text(it, "property"), text(it, "verdict"), text(it, "ended")))
        .collect();
    told.sort();
    told
}

fn row(property: &str, verdict: &str, ended: &str) -> (String, String, String) {
    (property.to_owned(), verdict.to_owned(), ended.to_owned())
}

#[test]
fn each_answer_is_told_when_it_is_final_and_once() {
    let place = Place::new();
    // The answer has no emission yet, so it does not count, and `few` may still hold.
    place.append("a.log", "x !ask\nx ?answer\n");
    place.append("b.log", "x ?ask\n");
    let watch = Watch::start(&place, config(&place));
    watch.wait_for(1);
    assert_eq!(told(&watch.told()), [row("asked", "Pass", "open")]);
    place.append("b.log", "x !answer\n");
    watch.wait_for(2);
    let (stopped, all) = watch.stop();
    assert_eq!(told(&all), [row("asked", "Pass", "open"), row("few", "Fail", "open")]);
    assert_eq!(stopped.open, 1);
    let failed = all.iter().find(|it| it["property"] == "few").unwrap();
    assert_eq!((&failed["cause"], &failed["events"]), (&"violated-property".into(), &4.into()));
    assert!(failed["headline"].as_str().unwrap().starts_with("few fails"), "{failed}");

    // Another process with the same log tells what is left.
    let watch = Watch::start(&place, config(&place));
    place.append("a.log", "x done\n");
    watch.wait_for(2);
    let (_, rest) = watch.stop();
    assert_eq!(told(&rest), [row("", "Pass", "rule"), row("both", "Pass", "rule")]);
    let file = std::fs::read_to_string(place.path("verdicts.jsonl")).unwrap();
    assert_eq!(file.lines().count(), 4, "{file}");
}

#[test]
fn a_group_that_fails_its_diagram_still_has_answers() {
    let place = Place::new();
    let mut config = config(&place);
    config.log = None;
    // Longer than the time after which a quiet group is asked.
    config.closing.grace = std::time::Duration::from_secs(1);
    place.append("a.log", "x ?answer\n");
    place.append("b.log", "x !answer\n");
    let watch = Watch::start(&place, config);
    watch.wait_for(1);
    place.append("a.log", "x !ask\nx done\n");
    watch.wait_for(4);
    let (_, all) = watch.stop();
    let expected = [
        row("", "Fail", "open"),
        row("asked", "Pass", "open"),
        row("both", "Fail", "rule"),
        row("few", "Fail", "open"),
    ];
    assert_eq!(told(&all), expected);
}

#[test]
fn mistakes_in_formulas_are_told_before_anything_is_followed() {
    let place = Place::new();
    let mut config = config(&place);
    config.formulas = vec!["AG (".to_owned()];
    let watch = Watch::start(&place, config);
    watch.wait_for(1);
    assert!(watch.fails());
}
