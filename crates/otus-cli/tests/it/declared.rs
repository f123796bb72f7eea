//! What may be missing of single logs.

use crate::analyze::prepared;
use crate::sandbox::Sandbox;

/// The verdict on a multi-trace, with the question it is about.
#[track_caller]
fn verdict(sandbox: &Sandbox, htf: &str, arguments: &str) -> String {
    sandbox.write("t.htf", htf);
    let call = format!("analyze model.hsf t.htf {arguments} --format jsonl");
    let output = sandbox.otus(&call).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    format!("{} {}", answer["kind"].as_str().unwrap(), answer["verdict"].as_str().unwrap())
}

/// Somebody subscribes, one message is published and forwarded.
const BROKER: &str = "[broker] broker?subscribe.broker?publish.broker!publish";

#[test]
fn each_log_is_held_to_what_is_declared() {
    let sandbox = prepared("declared");
    let ask = |htf: &str, arguments: &str| verdict(&sandbox, htf, arguments);
    // Nothing but the broker's log is there. If no other was observed, nothing is missing.
    assert_eq!(ask(BROKER, "--complete broker"), "declared Fail");
    assert_eq!(ask(BROKER, "--unobserved publisher,subscriber"), "declared Pass");
    assert_eq!(ask(BROKER, "--may-stop-early *er --complete broker"), "declared WeakPass");
    assert_eq!(ask(BROKER, "--observed prefix --complete broker"), "declared WeakPass");
    assert_eq!(ask(BROKER, "--observed prefix --complete publisher"), "declared Fail");
    // Its end alone.
    let end = "[broker] broker!publish; [subscriber] subscriber!subscribe.subscriber?publish";
    assert_eq!(ask(end, "--unobserved publisher"), "declared Fail");
    assert_eq!(ask(end, "--unobserved publisher --may-start-late broker"), "declared WeakPass");
    // Its middle.
    let middle = "[broker] broker?publish; [subscriber] subscriber!subscribe.subscriber?publish";
    let unobserved = "--unobserved publisher";
    assert_eq!(ask(middle, &format!("{unobserved} --may-start-late broker")), "declared Fail");
    assert_eq!(
        ask(middle, &format!("{unobserved} --may-start-late broker --may-stop-early broker")),
        "declared WeakPass"
    );
    // What is recorded of a log that is declared to be unobserved does not count.
    let wrong = format!("{BROKER}; [publisher] publisher?publish");
    assert_eq!(ask(&wrong, "--unobserved publisher,subscriber"), "declared Pass");
    assert_eq!(ask(&wrong, "--may-start-late publisher --unobserved subscriber"), "declared Fail");
}

#[test]
fn what_cannot_be_declared_is_said() {
    let sandbox = prepared("declared-faults");
    sandbox.write("pairs.htf", "[publisher, broker]; [subscriber]");
    let says = |arguments: &str, text: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf {arguments}")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(text), "{arguments}: {said}");
    };
    says("run.htf --complete brokr", "did you mean `broker`?");
    says("run.htf --complete x*", "--complete x*: no lifeline is called like that");
    says(
        "run.htf --complete broker --unobserved broker",
        "`broker` is given to both --complete and --unobserved",
    );
    says(
        "run.htf --kind prefix --complete broker",
        "a global prefix ends on all lifelines at once",
    );
    says(
        "pairs.htf --complete broker --may-stop-early publisher",
        "pairs: `publisher` and `broker` share a log",
    );
    says("pairs.htf --unobserved broker", "declare both");
}
