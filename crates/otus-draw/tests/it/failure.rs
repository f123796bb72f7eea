//! Failures as pictures.

use otus_draw::check::flaws;
use otus_draw::layout::failure::{
    EventState, FailurePicture, Options, PictureDuration, PictureEvent, PictureLifeline,
    PictureMessage, drawn, failure, mermaid,
};
use otus_draw::{Scene, Theme, svg, svg_in_page};

use crate::show::check;

use EventState::{Assumed, Expected, Explained, NotReached, Offending};

fn lifelines(names: &[&str]) -> Vec<PictureLifeline> {
    names.iter().enumerate().map(|(at, name)| PictureLifeline::new(*name, at)).collect()
}

fn event(lifeline: usize, label: &str, state: EventState) -> PictureEvent {
    PictureEvent { lifeline, label: label.to_owned(), state, ..PictureEvent::default() }
}

fn messages(pairs: &[[usize; 2]]) -> Vec<PictureMessage> {
    pairs.iter().map(|&[from, to]| PictureMessage { from, to }).collect()
}

/// A broker that does not release a message.
fn broker() -> FailurePicture {
    let table = [
        (0, "publisher!PUBLISH", Explained, "publisher.log:1"),
        (1, "broker?PUBLISH", Explained, "broker.log:31"),
        (1, "broker!PUBREC", Explained, "broker.log:32"),
        (0, "publisher?PUBREC", Explained, "publisher.log:2"),
        (1, "broker!FORWARD", Explained, "broker.log:33"),
        (2, "sub1?FORWARD", Explained, "sub1.log:8"),
        (2, "sub1!ACK", Explained, "sub1.log:9"),
        (1, "broker?ACK", Explained, "broker.log:35"),
        (1, "broker!PUBREL", Expected, ""),
        (1, "broker?PUBCOMP", Offending, "broker.log:36"),
        (1, "broker!DONE", NotReached, "broker.log:37"),
        (2, "sub1?PUBREL", Expected, ""),
        (2, "sub1!PUBCOMP", Offending, "sub1.log:10"),
        (0, "publisher?DONE", NotReached, "publisher.log:3"),
    ];
    let events = table.map(|(lifeline, label, state, log)| PictureEvent {
        log: (!log.is_empty()).then(|| format!("logs/{log}")),
        specification: (state == Expected).then(|| "docs/mqtt.md:22".to_owned()),
        ..event(lifeline, label, state)
    });
    let mut lifelines = lifelines(&["publisher", "broker", "sub1"]);
    lifelines[1].core = true;
    FailurePicture {
        lifelines,
        events: events.to_vec(),
        messages: messages(&[[0, 1], [2, 3], [4, 5], [6, 7], [8, 11], [12, 9], [10, 13]]),
        run: (0..8).collect(),
        culprit: Some(9),
        ..FailurePicture::default()
    }
}

/// The same with a log that ends too early: the run assumes the missing events.
fn assumed() -> FailurePicture {
    let mut picture = broker();
    for event in &mut picture.events[8..] {
        event.state = Assumed;
        event.log = None;
    }
    picture.lifelines[1].core = false;
    picture.run = vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 9, 10, 13];
    picture.culprit = None;
    picture
}

/// Some thousand events of a leader and its followers.
fn long() -> FailurePicture {
    const EVENTS: usize = 5000;
    let names = ["leader", "follower 1", "follower 2", "follower 3", "client"];
    let mut picture = FailurePicture { lifelines: lifelines(&names), ..FailurePicture::default() };
    let fault = EVENTS * 7 / 10;
    let mut is_stuck = [false; 5];
    for at in 0..EVENTS / 2 {
        let other = 1 + at / 3 % 4;
        let (from, to) = if at % 3 == 0 { (0, other) } else { (other, 0) };
        let message = ["AppendEntries", "AppendResponse", "Heartbeat"][at % 3];
        let mut ends = Vec::new();
        for (lifeline, sign) in [(from, '!'), (to, '?')] {
            let state = if 2 * at < fault {
                Explained
            } else if std::mem::replace(&mut is_stuck[lifeline], true) {
                NotReached
            } else {
                let label = format!("{}?Heartbeat", names[lifeline]);
                picture.events.push(event(lifeline, &label, Expected));
                Offending
            };
            if state == Offending && picture.culprit.is_none() {
                picture.culprit = Some(picture.events.len());
            }
            ends.push(picture.events.len());
            let label = format!("{}{sign}{message}", names[lifeline]);
            picture.events.push(event(lifeline, &label, state));
        }
        picture.messages.extend(messages(&[[ends[0], ends[1]]]));
    }
    picture.run = (0..fault).collect();
    picture
}

/// A token that goes around sixty lifelines, and is lost in its second round.
fn ring() -> FailurePicture {
    const WIDTH: usize = 60;
    let names: Vec<String> = (0..WIDTH).map(|at| format!("service-{at:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut picture = FailurePicture { lifelines: lifelines(&names), ..FailurePicture::default() };
    for at in 0..2 * WIDTH {
        let (from, to) = (at % WIDTH, (at + 1) % WIDTH);
        let state = match at.cmp(&(WIDTH + 41)) {
            std::cmp::Ordering::Less => Explained,
            std::cmp::Ordering::Equal => Offending,
            std::cmp::Ordering::Greater => NotReached,
        };
        let sent = picture.events.len();
        picture.events.push(event(from, &format!("{}!token", names[from]), state));
        picture.events.push(event(to, &format!("{}?token", names[to]), state));
        picture.messages.extend(messages(&[[sent, sent + 1]]));
        if state == Offending {
            picture.culprit = Some(sent);
        }
    }
    picture
}

/// Names in several scripts, and names that would be markup.
fn scripts() -> FailurePicture {
    let names = ["発行者", "брокер-σ", "مشترك", "naïve café 👩‍🚀", "<b>&\"'"];
    let texts = ["こんにちは 世界", "добро пожаловать", "شكرا جزيلا", "ça va ? 👍🏽", "</script>&lt;"];
    let mut picture = FailurePicture { lifelines: lifelines(&names), ..FailurePicture::default() };
    for (at, text) in texts.into_iter().enumerate() {
        let (from, to) = (at, (at + 1) % names.len());
        let state = if at < 3 { Explained } else { Offending };
        let sent = picture.events.len();
        picture.events.push(event(from, &format!("{}!{text}", names[from]), state));
        picture.events.push(event(to, &format!("{}?{text}", names[to]), state));
        picture.messages.extend(messages(&[[sent, sent + 1]]));
    }
    picture.culprit = Some(6);
    picture
}

fn draw(name: &str, picture: &FailurePicture) -> Scene {
    let scene = failure(picture, &Options::default());
    check(name, &scene);
    scene
}

fn has_text(scene: &Scene, text: &str) -> bool {
    scene.texts().any(|it| it == text)
}

#[test]
fn a_failure_shows_what_was_expected_instead() {
    let scene = draw("failure-broker", &broker());
    insta::assert_snapshot!("failure_broker", svg(&scene, Theme::Auto));
    assert!(has_text(&scene, "✗ ?PUBCOMP") && has_text(&scene, "expected !PUBREL"));
    assert_eq!(
        scene.tooltips["event-9"],
        "broker?PUBCOMP on broker · observed, but not allowed here · the failure is here · \
         logs/broker.log:36"
    );
}

#[test]
fn an_accepted_run_shows_what_it_assumes() {
    let scene = draw("failure-assumed", &assumed());
    insta::assert_snapshot!("failure_assumed", svg(&scene, Theme::Light));
    assert_eq!(scene.title, "A run");
    assert!(has_text(&scene, "assumed !PUBREL") && !scene.description.contains("failure"));
}

#[test]
fn a_page_can_embed_several_and_find_their_events() {
    let scene = failure(&broker(), &Options::default());
    let text = svg_in_page(&scene, "case-7");
    assert!(
        text.contains("<g id=\"case-7-event-9\" data-subject=\"event-9\"><title>broker?PUBCOMP")
    );
    assert!(
        text.contains(".otus .o-event-bad { fill: #fdeaec; fill: light-dark(#fdeaec, #40181d);")
    );
    let ids: Vec<&str> =
        text.split(" id=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert!(ids.iter().all(|id| id.starts_with("case-7-")), "{ids:?}");
    let mut reader = quick_xml::Reader::from_str(&text);
    while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
}

#[test]
fn of_thousands_of_events_those_around_the_failure_are_drawn() {
    let picture = long();
    let scene = draw("failure-long", &picture);
    insta::assert_snapshot!("failure_long", scene.description);
    assert_eq!(drawn(&picture, &Options::default()).iter().filter(|it| **it).count(), 120);
    assert!(scene.texts().any(|text| text.starts_with("… ") && text.ends_with(" events before")));
    assert!(scene.texts().any(|text| text.starts_with("… ") && text.ends_with(" events after")));
    assert!(scene.items.len() < 1500, "{}", scene.items.len());
}

#[test]
fn of_sixty_lifelines_those_around_the_failure_are_drawn() {
    let scene = draw("failure-ring", &ring());
    insta::assert_snapshot!("failure_ring", scene.description);
    assert!(has_text(&scene, "service-41") && !has_text(&scene, "service-10"));
    let whole =
        failure(&ring(), &Options { max_events: 1000, max_lifelines: 100, ..Options::default() });
    assert_eq!(flaws(&whole), []);
    assert!(has_text(&whole, "service-10"));
}

#[test]
fn names_in_any_script_are_drawn() {
    let scene = draw("failure-scripts", &scripts());
    insta::assert_snapshot!("failure_scripts", svg(&scene, Theme::Dark));
}

#[test]
fn indices_that_point_to_nothing_are_ignored() {
    let picture = FailurePicture {
        lifelines: lifelines(&["a"]),
        events: vec![event(0, "x", Explained), event(7, "y", Explained), event(0, "z", Expected)],
        messages: messages(&[[0, 9], [9, 0], [0, 1], [9, 9], [0, 0]]),
        run: vec![0, 1, 9],
        culprit: Some(44),
        durations: vec![PictureDuration { from: 9, to: 0, ..PictureDuration::default() }],
    };
    draw("failure-nothing", &picture);
    assert_eq!(drawn(&picture, &Options::default()), [true, false, true]);
    assert_eq!(mermaid(&picture, &Options::default()).lines().count(), 4);
    draw("failure-empty", &FailurePicture::default());
    assert_eq!(mermaid(&FailurePicture::default(), &Options::default()), "");
}

#[test]
fn random_pictures_have_no_flaws() {
    let mut random = fastrand::Rng::with_seed(16);
    for round in 0..400 {
        let count = random.usize(1..7);
        let mut picture = FailurePicture::default();
        for at in 0..count {
            let name = ["a", "broker", "a long name of a lifeline", "日本"][random.usize(..4)];
            let lifeline = PictureLifeline::new(format!("{name}{at}"), random.usize(..4) * 7);
            picture.lifelines.push(PictureLifeline { core: random.bool(), ..lifeline });
        }
        let total = random.usize(..40);
        for _ in 0..total {
            let label =
                ["x", "a!m", "?an answer that is much longer than others"][random.usize(..3)];
            let state = EventState::ALL[random.usize(..5)];
            let joined = random.u8(..3) == 0;
            let lifeline = random.usize(..=count);
            picture.events.push(PictureEvent { joined, ..event(lifeline, label, state) });
        }
        for _ in 0..random.usize(..25) {
            let [from, to] = [0; 2].map(|_| random.usize(..total + 2));
            picture.messages.push(PictureMessage { from, to });
        }
        picture.run = (0..random.usize(..20)).map(|_| random.usize(..total + 2)).collect();
        picture.culprit = random.bool().then(|| random.usize(..total + 2));
        let options = Options {
            max_events: random.usize(..50),
            max_lifelines: random.usize(1..9),
            is_core_only: random.bool(),
        };
        let scene = failure(&picture, &options);
        assert_eq!(flaws(&scene), [], "round {round}: {picture:?}");
        let drawn = drawn(&picture, &options);
        let count = drawn.iter().filter(|it| **it).count();
        assert!(count <= options.max_events);
        let is_event = |subject: &str| subject.starts_with("event-");
        assert_eq!(scene.tooltips.keys().filter(|it| is_event(it)).count(), count);
        assert_eq!(mermaid(&picture, &options).is_empty(), count == 0);
    }
}

#[track_caller]
fn check_mermaid(picture: &FailurePicture, expected: &[&str]) {
    let text = mermaid(picture, &Options::default());
    let lines = text.lines().map(str::trim);
    let body: Vec<&str> = lines.skip(1).filter(|line| !line.starts_with("participant")).collect();
    assert_eq!(body, expected);
}

fn observed(names: &[&str], labels: &[(usize, &str)], pairs: &[[usize; 2]]) -> FailurePicture {
    FailurePicture {
        lifelines: lifelines(names),
        events: labels.iter().map(|&(at, label)| event(at, label, Explained)).collect(),
        messages: messages(pairs),
        ..FailurePicture::default()
    }
}

#[test]
fn messages_are_mermaid_arrows() {
    let labels = [(0, "a!m"), (1, "b?m"), (1, "b!n"), (0, "a?n")];
    let picture = observed(&["a", "b"], &labels, &[[0, 1], [2, 3]]);
    check_mermaid(&picture, &["P0->>P1: m", "P1->>P0: n"]);
    let labels = [(0, "a!m"), (1, "b?m"), (2, "c?m")];
    let picture = observed(&["a", "b", "c"], &labels, &[[0, 1], [0, 2]]);
    check_mermaid(&picture, &["P0->>P1: m", "P0->>P2: m"]);
}

#[test]
fn lifelines_that_share_a_log_have_mermaid_arrows_too() {
    let labels = [(0, "a!m"), (1, "b?m"), (1, "b!n"), (0, "a?n")];
    let mut picture = observed(&["a", "b"], &labels, &[[0, 1], [2, 3]]);
    picture.lifelines[1].component = 0;
    check_mermaid(&picture, &["P0->>P1: m", "P1->>P0: n"]);
}

#[test]
fn messages_that_cross_are_notes() {
    let labels = [(0, "a!m"), (0, "a?n"), (1, "b!n"), (1, "b?m")];
    let picture = observed(&["a", "b"], &labels, &[[0, 3], [2, 1]]);
    let expected = ["Note over P0: sends m", "P1->>P0: n", "Note over P1: receives m"];
    check_mermaid(&picture, &expected);
}

#[test]
fn a_failure_is_said_where_it_happens() {
    check_mermaid(
        &broker(),
        &[
            "P0->>P1: PUBLISH",
            "P1->>P0: PUBREC",
            "P1->>P2: FORWARD",
            "P2->>P1: ACK",
            "P1-->>P2: expected PUBREL",
            "P2-xP1: PUBCOMP",
            "Note over P1: fails where it receives PUBCOMP",
            "P1-xP0: DONE",
        ],
    );
    let mut picture = observed(&["a", "end"], &[(0, "a;#!"), (1, "end? ")], &[]);
    picture.events[0].state = Offending;
    picture.culprit = Some(0);
    check_mermaid(&picture, &["Note over P0: (fails) does #59;#35;!", "Note over P1: receives"]);
    assert!(mermaid(&picture, &Options::default()).contains("participant P1 as #101;nd"));
}

/// An exchange whose last message comes too late, on the lifeline at the left or at the right.
fn late(names: [&str; 2], own: usize) -> FailurePicture {
    let other = 1 - own;
    let table = [
        (own, "!PUBLISH", Explained, "mid 7"),
        (other, "?PUBLISH", Explained, "mid 7"),
        (other, "!PUBCOMP", Explained, "mid 7"),
        (own, "?PUBCOMP", Offending, "mid 7 after 3.1 s"),
    ];
    let events = table.map(|(lifeline, label, state, values)| PictureEvent {
        values: Some(values.to_owned()),
        ..event(lifeline, &format!("{}{label}", names[lifeline]), state)
    });
    let (text, allowed) = ("3.1 s ± 20 ms".to_owned(), "2 s".to_owned());
    FailurePicture {
        lifelines: lifelines(&names),
        events: events.to_vec(),
        messages: messages(&[[0, 1], [2, 3]]),
        culprit: Some(3),
        durations: vec![PictureDuration { from: 0, to: 3, text, allowed }],
        ..FailurePicture::default()
    }
}

#[test]
fn values_and_durations_are_shown() {
    let scene = draw("failure-late", &late(["client", "broker"], 0));
    assert!(has_text(&scene, "✗ ?PUBCOMP mid 7 after 3.1 s"));
    assert!(has_text(&scene, "3.1 s ± 20 ms") && has_text(&scene, "allowed: 2 s"));
    insta::assert_snapshot!("failure_late", svg(&scene, Theme::Light));
    draw("failure-late-right", &late(["broker", "client"], 1));
    // A duration of which an event is not there is ignored.
    let mut broken = late(["client", "broker"], 0);
    broken.durations[0].to = 40;
    draw("failure-late-broken", &broken);
}
