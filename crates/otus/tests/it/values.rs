//! Values of recorded events.

use std::time::{Duration, UNIX_EPOCH};

use otus::{Options, Recorder, Run, Spec, Verdict};

const ACKNOWLEDGED: &str = "loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker, \
                            broker -- PUBACK[mid = m, client within 2s of s, broker within 1s of s] -> client)))";

fn spec() -> Spec {
    Spec::parse("qos1.hif", ACKNOWLEDGED).unwrap()
}

/// An exchange: the mid of the reply, and when it was sent and received.
fn run(reply: i64, [sent, received]: [u64; 2]) -> Run {
    let mut run = Run::new();
    let mut client = run.log("client");
    client.sent("PUBLISH").with("mid", 7).at(Duration::ZERO);
    client.received("PUBACK").with("mid", reply).at(Duration::from_millis(received));
    let mut broker = run.log("broker");
    broker.received("PUBLISH").with("mid", 7);
    broker.sent("PUBACK").with("mid", 7).at(Duration::from_millis(sent));
    run
}

#[track_caller]
fn verdict(run: &Run, options: &Options) -> Verdict {
    spec().check_with(run, options).unwrap().verdict
}

#[test]
fn recorded_values_are_compared() {
    let options = Options::new().clock_uncertainty(Duration::from_millis(20));
    assert_eq!(verdict(&run(7, [100, 200]), &options), Verdict::Pass);
    assert_eq!(verdict(&run(8, [100, 200]), &options), Verdict::Fail);
    assert_eq!(verdict(&run(7, [100, 2001]), &options), Verdict::Fail);
    // Clocks that may differ by 20 ms.
    assert_eq!(verdict(&run(7, [990, 1000]), &options), Verdict::WeakPass);
    assert_eq!(verdict(&run(7, [1030, 1100]), &options), Verdict::Fail);
    // Clocks of which nothing is known.
    assert_eq!(verdict(&run(7, [100, 200]), &Options::new()), Verdict::WeakPass);
}

#[test]
fn a_failure_names_the_line_that_recorded_it_and_its_values() {
    let case = spec().check(&run(8, [100, 200])).unwrap();
    let explanation = case.explanation.unwrap();
    let observed = explanation.observed.as_ref().unwrap();
    assert!(observed.place.file.ends_with("values.rs"), "{explanation}");
    assert_eq!(observed.values["mid"].to_string(), "8", "{explanation}");
    assert!(explanation.to_string().contains("?PUBACK(mid=8, time=0.2)"), "{explanation}");
}

#[test]
fn threads_record_values_too() {
    let recorder = Recorder::new();
    let (client, broker) = (recorder.log("client"), recorder.log("broker"));
    let start = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    client.sent("PUBLISH").with("mid", 7u16).at(start);
    broker.received("PUBLISH").with("mid", 7u16).sent("PUBACK").with("mid", 7u16).at(start);
    client.received("PUBACK").with("mid", 7u16).at(start + Duration::from_secs(1));
    let options = Options::new().clock_uncertainty(Duration::from_millis(20));
    assert_eq!(verdict(&recorder.run(), &options), Verdict::Pass);
    // What is unknown is assumed.
    client.sent("PUBLISH").with("mid", None::<i64>);
    broker.received("PUBLISH").with("mid", 9).sent("PUBACK").with("mid", 9);
    client.received("PUBACK").with("mid", 9);
    assert_eq!(verdict(&recorder.run(), &options), Verdict::WeakPass);
}
