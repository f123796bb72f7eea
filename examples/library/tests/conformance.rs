//! The threads of the service against the diagram of the README.

use otus::{Recorder, Spec, assert_conforms};
use otus_example_library::{Patience, Watch, run};

/// Records what the parts of the service do.
#[derive(Clone)]
struct Recording(Recorder);

impl Watch for Recording {
    #[track_caller]
    fn sent(&self, part: &str, message: &str) {
        self.0.log(part).sent(message);
    }

    #[track_caller]
    fn received(&self, part: &str, message: &str) {
        self.0.log(part).received(message);
    }
}

fn protocol() -> Spec {
    // Tests run in the folder of their crate.
    Spec::read("README.md#protocol").expect("the README has the diagram")
}

fn recorded(orders: &[u64], patience: Patience) -> Recorder {
    let recording = Recording(Recorder::new());
    run(orders, patience, &recording);
    recording.0
}

#[test]
fn the_service_does_what_its_diagram_says() {
    let spec = protocol();
    assert_conforms!(spec, recorded(&[], Patience::Waits));
    assert_conforms!(spec, recorded(&[7], Patience::Waits));
    assert_conforms!(spec, recorded(&[1, 2, 3, 4, 5], Patience::Waits));
}

/// Whatever the threads do first: the order in which events of different threads are recorded is not
/// looked at.
#[test]
fn a_dispatcher_that_does_not_wait_is_caught_with_the_reason() {
    let recorder = recorded(&[7], Patience::Guesses);
    let panic = std::panic::catch_unwind(|| assert_conforms!(protocol(), recorder)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    let expected = "\
the run does not conform to README.md#protocol

error[too-early]: dispatcher sent result too early: it should receive done first
  --> README.md:13:15
   |
13 |     worker-->>dispatcher: done
   |               ^^^^^^^^^^^^^^^^ expected here: dispatcher?done
   |
   = observed instead: dispatcher!result at examples/library/src/lib.rs:_
   = consumed: client 1/3, dispatcher 2/6, worker 2/3
   = repair: swap dispatcher!result (place 3) and dispatcher?done (place 4) at examples/library/src/lib.rs:_
   = core: dispatcher (the first 3 of 6) fails alone, whatever the others saw
   = recorded: client      !submit ?result !stop
   = recorded: dispatcher  ?submit !job !result ?done ?stop !stop
   = recorded: worker      ?job !done ?stop
";
    assert_eq!(without_lines(message), expected);
}

/// A run that is still going on conforms so far.
#[test]
fn what_was_recorded_so_far_is_a_prefix() {
    let recorder = Recorder::new();
    let (client, dispatcher) = (recorder.log("client"), recorder.log("dispatcher"));
    client.sent("submit");
    dispatcher.received("submit");
    assert_conforms!(protocol(), recorder, observed = prefix);
}

/// For the log of a test server, say.
#[test]
fn the_diagram_can_be_shown() {
    let text = protocol().text(80).unwrap();
    assert!(text.contains("submit") && text.contains("[loop"), "{text}");
}

/// The message without the numbers of lines of code.
fn without_lines(message: &str) -> String {
    let mut out = String::new();
    for line in message.lines() {
        match line.split_once("lib.rs:") {
            Some((before, _)) => out.extend([before, "lib.rs:_"]),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
