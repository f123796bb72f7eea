//! `otus demo`: each shows what it tells, and what it says to try next works.
#![cfg(unix)]

use snapbox::str;

use crate::sandbox::Sandbox;

/// Runs a demo with `otus` on the path, and then what it says to try next. Returns what it said.
#[track_caller]
fn check(name: &str, told: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(&format!("demo-{name}"));
    sandbox.with_repository();
    let demo = || {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", sandbox.path("bin").display());
        sandbox.otus(&format!("demo {name}")).env("PATH", path).output().unwrap()
    };
    let output = demo();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for &text in told {
        assert!(said.contains(text), "{text} is not in:\n{said}");
    }
    let (_, next) = said.split_once("Try next:\n").unwrap();
    let commands: Vec<&str> =
        next.lines().map(str::trim).filter(|line| line.starts_with("otus ")).collect();
    assert_eq!(commands.len(), 2, "{next}");
    for command in commands {
        sandbox.shell(command);
    }
    // Whatever it has made is no hindrance the next time.
    assert!(demo().status.success());
    sandbox
}

#[test]
fn logs_and_a_diagram_are_the_main_job() {
    let told = [
        "pass thermo: Pass",
        "error[unexpected-message]: broker received PUBCOMP",
        "logs/broken/broker.log:31",
        "repair: insert broker!PUBREL",
        "report.html",
    ];
    let sandbox = check("mqtt", &told);
    assert!(sandbox.read("otus-demo/mqtt/report.html").contains("</html>"));
    let default = sandbox.otus("demo").output().unwrap();
    assert!(String::from_utf8(default.stdout).unwrap().contains("pass thermo: Pass"));
}

#[test]
fn spans_and_a_diagram() {
    let told = ["Pass", "checkout sent POST /charge where checkout should send POST /ship"];
    check("otel", &told);
}

#[test]
fn a_property_of_a_cluster() {
    let told = ["pass: Pass", "holds: at no moment", "fails: at some moment", "why.svg"];
    check("raft", &told);
}

#[test]
fn a_lock_in_every_order() {
    check("ctl", &["holds: throughout", "fails: broken", "alice:1 bob:2", "why.svg"]);
}

#[test]
#[cfg(feature = "watch")]
fn a_running_system() {
    let told = [
        "o3: Pass (a rule closed the group)",
        "o4: Fail (told while the group is open)",
        "shop sent ship where shop should receive paid",
        "ms after the shop had written its line",
    ];
    check("live", &told);
}

#[test]
fn examples_of_the_papers() {
    let told = ["pubsub: Pass", "early: Fail", "slice: WeakPass", "search.svg"];
    check("papers", &told);
}

#[test]
fn files_can_be_had_alone_and_are_not_overwritten() {
    let sandbox = Sandbox::new("demo-write");
    sandbox.otus("demo ctl --write --folder lock").assert().code(0).stdout_eq("").stderr_eq(str![
        [r#"
wrote the files of ctl to lock

"#]
    ]);
    assert_eq!(sandbox.files(), ["lock/handover.pot.json", "lock/lock.ctl", "lock/race.pot.json"]);
    sandbox.write("lock/lock.ctl", "mine");
    sandbox.otus("demo ctl --folder lock").assert().code(2).stderr_eq(str![[r#"
otus: lock/lock.ctl is there already and is not that of the demo; choose another folder by --folder

"#]]);
    assert_eq!(sandbox.read("lock/lock.ctl"), "mine");
}

#[test]
fn unknown_ones_are_told() {
    let sandbox = Sandbox::new("demo-unknown");
    let output = sandbox.otus("demo mqqt").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("mqtt"));
}
