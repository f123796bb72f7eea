//! Sample pages of rare cases, which `scripts/check-report` opens in a browser, and tests of their text.

use otus_draw::layout::failure::{
    EventState, FailurePicture, PictureEvent, PictureLifeline, PictureMessage,
};

use super::*;
use crate::case::picture::LIMITS;
use crate::case::{CasePicture, Passage};
use crate::explanation::{Explanation, Note};

fn page_of(cases: &[Case]) -> String {
    page_with(cases, &run("docs/mqtt.md"), Html::default(), 0)
}

/// A page with some cases, and with a number of Passes that are not listed.
fn page_with(cases: &[Case], run: &Run, mut html: Html, more: u64) -> String {
    let (mut out, mut summary) = (Vec::new(), Summary::default());
    html.begin(run, &mut out).unwrap();
    for case in cases {
        html.case(case, &mut out).unwrap();
        summary.count(case.verdict, case.actions);
    }
    html.counts[Verdict::Pass as usize] += more;
    html.end(&summary, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn run(specification: &str) -> Run {
    Run {
        version: "0.1.0",
        specs: vec![specification.to_owned()],
        interaction: None,
        kind: "accept",
        by_observed: false,
        engine: "fast",
    }
}

/// Every sample with its name.
fn samples() -> Vec<(&'static str, String)> {
    let many = page_with(&many(), &run("docs/checkout.md"), Html::default(), 100_000);
    vec![
        ("small", page_of(&small())),
        ("odd", page_of(&odd())),
        ("many", many),
        ("empty", page_of(&[])),
    ]
}

/// The data that a page carries.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn case(id: &str, verdict: Verdict, actions: usize) -> Case {
    let origin = Some("logs/broker.log".to_owned());
    Case { actions, origin, ..Case::new(id, verdict) }
}

/// A failing case with a picture.
fn failure(id: &str, cause: &'static str, headline: &str, picture: CasePicture) -> Case {
    let notes = vec![
        Note { topic: "repair", text: "insert broker!PUBREL before logs/broker.log:36".to_owned() },
        Note { topic: "core", text: "broker by itself, its first 6 moments".to_owned() },
    ];
    let explanation = Explanation {
        cause,
        cause_name: "",
        headline: headline.to_owned(),
        expected: Vec::new(),
        observed: None,
        value: None,
        related: Vec::new(),
        furthest: Vec::new(),
        alone: Vec::new(),
        repair: None,
        core: None,
        gave_up: None,
        notes,
        restored: None,
    };
    Case {
        explanation: Some(Box::new(explanation)),
        picture: Some(Box::new(picture)),
        ..case(id, Verdict::Fail, 11)
    }
}

fn lifelines(names: &[&str]) -> Vec<PictureLifeline> {
    names.iter().zip(0..).map(|(name, component)| PictureLifeline::new(*name, component)).collect()
}

fn messages(pairs: &[[usize; 2]]) -> Vec<PictureMessage> {
    pairs.iter().map(|&[from, to]| PictureMessage { from, to }).collect()
}

/// Adds an event that was observed in a line of a log, or none.
fn push(picture: &mut CasePicture, event: PictureEvent, log: Option<Passage>) {
    let place = |log: &Passage| log.place.clone();
    picture.diagram.events.push(PictureEvent { log: log.as_ref().map(place), ..event });
    picture.logs.push(log);
    picture.places.push(None);
}

fn event(lifeline: usize, label: &str, state: EventState) -> PictureEvent {
    PictureEvent { lifeline, label: label.to_owned(), state, ..PictureEvent::default() }
}

const DIAGRAM: [&str; 6] = [
    "    P->>B: PUBLISH",
    "    B->>P: PUBREC",
    "    B->>S: PUBLISH",
    "    S->>B: PUBREC",
    "    B->>S: PUBREL",
    "    S->>B: PUBCOMP",
];

/// A broker that never releases a message.
fn mqtt() -> CasePicture {
    let mut picture = CasePicture {
        diagram: FailurePicture {
            lifelines: lifelines(&["publisher", "broker", "sub1"]),
            messages: messages(&[[0, 1], [2, 3], [4, 5], [6, 7], [8, 10], [11, 9]]),
            run: (0..8).collect(),
            culprit: Some(9),
            ..FailurePicture::default()
        },
        ..CasePicture::default()
    };
    picture.diagram.lifelines[1].core = true;
    picture.specification = (0..DIAGRAM.len())
        .map(|at| Passage {
            place: format!("docs/mqtt.md:{}", at + 18),
            first: at.saturating_sub(1) as u64 + 18,
            lines: DIAGRAM[at.saturating_sub(1)..]
                .iter()
                .take(3)
                .map(|&it| it.to_owned())
                .collect(),
            marked: at.min(1),
            columns: Some([4, DIAGRAM[at].len()]),
        })
        .collect();
    let table = [
        (0, "publisher!PUBLISH", EventState::Explained, 3, "Sending PUBLISH (d0, q2, m1)", 0),
        (1, "broker?PUBLISH", EventState::Explained, 30, "Received PUBLISH from publisher", 0),
        (1, "broker!PUBREC", EventState::Explained, 31, "Sending PUBREC to publisher (m1)", 1),
        (0, "publisher?PUBREC", EventState::Explained, 4, "Received PUBREC (Mid: 1, RC:0)", 1),
        (1, "broker!PUBLISH", EventState::Explained, 33, "Sending PUBLISH to sub1 (m1)", 2),
        (2, "sub1?PUBLISH", EventState::Explained, 8, "Received PUBLISH (d0, q2, r0, m1)", 2),
        (2, "sub1!PUBREC", EventState::Explained, 9, "Sending PUBREC (m1, rc0)", 3),
        (1, "broker?PUBREC", EventState::Explained, 35, "Received PUBREC from sub1 (Mid: 1)", 3),
        (1, "broker!PUBREL", EventState::Expected, 0, "", 4),
        (1, "broker?PUBCOMP", EventState::Offending, 36, "Received PUBCOMP from sub1 (Mid: 1)", 5),
        (2, "sub1?PUBREL", EventState::Expected, 0, "", 4),
        (2, "sub1!PUBCOMP", EventState::Offending, 10, "Sending PUBCOMP (m1)", 5),
    ];
    for (lifeline, label, state, number, text, place) in table {
        let file = &picture.diagram.lifelines[lifeline].name;
        let log = (number > 0).then(|| {
            Passage::line(format!("logs/{file}.log:{number}"), number, text.to_owned(), None)
        });
        push(&mut picture, event(lifeline, label, state), log);
        *picture.places.last_mut().unwrap() = Some(place);
    }
    picture
}

/// A failure, a Pass, a log that ends too early, and a case without events.
fn small() -> Vec<Case> {
    let mut cut = mqtt();
    for event in &mut cut.diagram.events[8..] {
        (event.state, event.log) = (EventState::Assumed, None);
    }
    cut.logs.truncate(8);
    cut.diagram.run = vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 9];
    cut.diagram.culprit = None;
    cut.diagram.lifelines[1].core = false;
    let headline = "broker received PUBCOMP but never sent PUBREL";
    let cases = [
        failure("client=sub1 mid=1", "missing-counterpart", headline, mqtt()),
        case("client=sub2 mid=1", Verdict::Pass, 12),
        Case { picture: Some(Box::new(cut)), ..case("client=sub3 mid=7", Verdict::WeakPass, 9) },
        Case {
            reason: Some("max-states".into()),
            picture: Some(Box::default()),
            ..case("client=sub4 mid=2", Verdict::Inconclusive, 40)
        },
    ];
    cases.into()
}

/// Lifelines with one log, several actions in one moment, messages to oneself, logs that contradict each other, long
/// names, and two groups of one name.
fn odd() -> Vec<Case> {
    let long = "a lifeline whose name is much longer than any column has room for, and goes on";
    let mut picture = CasePicture::default();
    picture.diagram.lifelines = lifelines(&["gateway", "cache", "store", long]);
    picture.diagram.lifelines[1].component = 0;
    let message = "a-message-that-is-as-long-as-a-sentence-but-has-no-spaces-in-it";
    let table = [
        (0, "gateway!ask", false, EventState::Explained),
        (1, "cache?ask", true, EventState::Explained),
        (1, "cache!self", false, EventState::Explained),
        (1, "cache?self", false, EventState::Explained),
        (2, "store?first", false, EventState::Offending),
        (2, "store!second", false, EventState::NotReached),
        (3, "?second", false, EventState::Offending),
        (3, "!first", false, EventState::NotReached),
        (3, message, false, EventState::NotReached),
        (0, "gateway!one", false, EventState::Explained),
        (0, "gateway!two", true, EventState::Explained),
        (0, "gateway!three", true, EventState::Explained),
        (2, "store?one", false, EventState::Expected),
        (2, "store?two", false, EventState::Expected),
        (3, "?three", false, EventState::Assumed),
    ];
    for (lifeline, label, joined, state) in table {
        let text = format!("{label} {}", "and more ".repeat(400));
        let log = (state == EventState::Offending).then(|| {
            Passage::line(
                "logs/a very/long path/of a.log:1234567".to_owned(),
                1_234_567,
                text,
                None,
            )
        });
        push(&mut picture, PictureEvent { joined, ..event(lifeline, label, state) }, log);
    }
    picture.diagram.messages =
        messages(&[[0, 1], [2, 3], [7, 4], [5, 6], [9, 12], [10, 13], [11, 14], [8, 8], [99, 1]]);
    picture.diagram.run = vec![0, 1, 2, 3, 9, 10, 11, 14];
    let headline = "store received first before it was sent; ".repeat(8);
    let one = failure("the same name", "too-early", &headline, picture);
    let two = failure("the same name", "too-early", &headline, mqtt());
    let spec = |case: Case, name: &str| Case { spec: Some(name.into()), ..case };
    vec![spec(one, "one.mmd"), spec(two, "two.mmd")]
}

/// Two thousand groups, a tenth of which fail.
fn many() -> Vec<Case> {
    let causes = ["too-early", "missing-counterpart", "stopped-early", "unexpected-message"];
    let each = (0..2000_usize).map(|at| {
        let verdict = match at % 20 {
            7 | 13 => Verdict::Fail,
            9 => Verdict::WeakPass,
            11 if at % 100 == 11 => Verdict::Inconclusive,
            _ => Verdict::Pass,
        };
        let id = format!("trace_id={:08x}", at as u64 * 2_654_435_761 % 4_294_967_296);
        let headline = format!("checkout sent order {at}, but should receive payment");
        let mut own = match verdict {
            Verdict::Fail => failure(&id, causes[at / 20 % 4], &headline, mqtt()),
            Verdict::WeakFail | Verdict::Inconclusive | Verdict::WeakPass | Verdict::Pass => {
                case(&id, verdict, 0)
            }
        };
        own.actions = at % 37 + 4;
        own.origin = Some(format!("out/run-{}.jsonl:{}", at / 100, at + 1));
        own
    });
    each.collect()
}

#[test]
fn samples_are_left_for_the_browser() {
    let folder = std::env::var_os("OTUS_REPORT_OUT").map(std::path::PathBuf::from);
    for (name, page) in samples() {
        assert!(page.contains("</html>"), "{name}");
        if let Some(folder) = &folder {
            std::fs::write(folder.join(format!("{name}.html")), page).unwrap();
        }
    }
}

#[test]
fn nothing_that_was_logged_becomes_a_part_of_the_page() {
    let evil = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> & \u{2028}\0";
    let mut picture = mqtt();
    picture.diagram.lifelines[0].name = evil.to_owned();
    picture.diagram.events[0].label = evil.to_owned();
    picture.diagram.events[1].log = Some(evil.to_owned());
    let cases = [failure(evil, "too-early", evil, picture)];
    let page = page_with(&cases, &run(evil), Html::default(), 0);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\0'));
    let case = &data(&page)["cases"][0];
    assert_eq!(case["headline"], evil);
    let svg = case["detail"]["diagram"]["svg"].as_str().unwrap();
    assert!(svg.contains("&lt;script&gt;alert(1)"));
    assert!(!svg.contains("<script") && !svg.contains("<img") && !svg.contains("<!--"));
}

#[test]
fn the_page_asks_for_nothing() {
    for (name, page) in samples() {
        let (before, _) = page.split_once("id=\"data\">").unwrap();
        for asking in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!before.contains(asking), "{name} has {asking}");
        }
    }
    // The one address in the script names a language and is never visited.
    assert_eq!(include_str!("report.js").matches("http").count(), 1);
    let page = page_of(&small());
    let data = data(&page);
    let svg = data["cases"][0]["detail"]["diagram"]["svg"].as_str().unwrap();
    assert_eq!(svg.matches("http").count(), 1);
    assert!(["src=", "href", "@import", "url("].iter().all(|asking| !svg.contains(asking)));
}

#[test]
fn a_page_without_data_is_small() {
    let page = page_of(&[]);
    assert!(page.len() < 60_000, "{}", page.len());
    // Verdicts that readers look for are there even if no case has them.
    assert!(
        page.contains("v-Fail") && page.contains("v-Pass") && !page.contains("<li class=\"v-Weak")
    );
}

#[test]
fn the_same_report_is_the_same_page() {
    assert_eq!(page_of(&small()), page_of(&small()));
}

#[test]
fn groups_that_are_not_listed_are_counted() {
    let mut html = Html::default();
    html.counts[Verdict::Pass as usize] = PASSES;
    let page = page_with(&[case("a", Verdict::Pass, 1)], &run("a.mmd"), html, 0);
    assert_eq!(data(&page)["checked"], PASSES + 1);
    assert_eq!(data(&page)["cases"].as_array().unwrap().len(), 0);
    assert!(page.contains("Of 5,001 groups with Pass, the first 5,000 are listed."));
}

#[test]
fn many_failures_are_listed_and_the_first_are_drawn() {
    let mut picture = CasePicture::default();
    picture.diagram.lifelines = lifelines(&["a"]);
    for _ in 0..2 * LIMITS.max_events {
        push(&mut picture, event(0, "a!m", EventState::NotReached), None);
    }
    let first = failure("", "too-early", "a sent m too early", picture);
    let cases: Vec<Case> =
        (0..210).map(|at| Case { id: format!("group {at}"), ..first.clone() }).collect();
    let page = page_of(&cases);
    assert!(page.contains("And 10 more."));
    let data = data(&page);
    let diagram = |at: usize| &data["cases"][at]["detail"]["diagram"];
    let drawn = |at: usize| diagram(at)["events"].as_array().unwrap().len();
    assert_eq!((drawn(0), drawn(199), drawn(200)), (300, 300, 0));
    assert!(diagram(209)["note"].as_str().unwrap().contains("only the first failures are drawn"));
}

#[test]
fn the_core_is_drawn_by_itself_unless_it_is_all() {
    let core = |cores: &[usize]| {
        let mut picture = mqtt();
        for (at, lifeline) in picture.diagram.lifelines.iter_mut().enumerate() {
            lifeline.core = cores.contains(&at);
        }
        let page = page_of(&[failure("a", "too-early", "", picture)]);
        data(&page)["cases"][0]["detail"]["diagram"]["core"].clone()
    };
    assert!(core(&[]).is_null() && core(&[0, 1, 2]).is_null());
    // The lifeline of the culprit belongs to it.
    assert_eq!(core(&[2])["lifelines"], serde_json::json!([2, 3]));
    let svg = core(&[1])["svg"].as_str().unwrap().to_owned();
    assert!(svg.contains("id=\"case-event-9\"") && !svg.contains("id=\"case-event-0\""));
}
