//! Which request a reply answers, and how long it took: what a test says about values.

use std::time::Duration;

use otus::{Recorder, Spec, assert_conforms};

/// Requests in flight are told apart by their id, and each is answered within a second.
const DIAGRAM: &str = "\
sequenceDiagram
    %% otus: values
    %% otus: loopP(fresh r)
    loop
        %% otus: new s
        client->>server: request [id = r, client at s]
        server-->>client: reply [id = r, client within 1s of s]
        %% otus: end
    end
";

fn spec() -> Spec {
    Spec::parse("requests.mmd", DIAGRAM).expect("the diagram is right")
}

/// Two requests in flight, the second of which is answered first, with this id and at this time.
fn recorded(id: u32, at: Duration) -> Recorder {
    let recorder = Recorder::new();
    let (client, server) = (recorder.log("client"), recorder.log("server"));
    client.sent("request").with("id", 1).at(Duration::ZERO);
    client.sent("request").with("id", 2).at(Duration::from_millis(5));
    server.received("request").with("id", 1).received("request").with("id", 2);
    server.sent("reply").with("id", id).sent("reply").with("id", 1);
    client.received("reply").with("id", id).at(at);
    client.received("reply").with("id", 1).at(at);
    recorder
}

#[test]
fn replies_answer_requests_in_time() {
    assert_conforms!(spec(), recorded(2, Duration::from_millis(700)));
}

#[test]
fn a_reply_that_is_late_is_told_in_one_sentence() {
    let recorder = recorded(2, Duration::from_millis(1100));
    let panic = std::panic::catch_unwind(|| assert_conforms!(spec(), recorder)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("client received reply 1.095 s after request"), "{message}");
    assert!(
        message.contains("since: client!request at examples/library/tests/values.rs"),
        "{message}"
    );
}

#[test]
fn a_reply_to_another_request_is_told_in_one_sentence() {
    let recorder = recorded(3, Duration::from_millis(100));
    let panic = std::panic::catch_unwind(|| assert_conforms!(spec(), recorder)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("client received reply with id 3"), "{message}");
    assert!(message.contains("recorded: server  ?request(id=1) ?request(id=2)"), "{message}");
}
