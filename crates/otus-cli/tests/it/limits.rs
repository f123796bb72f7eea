//! Time, memory and Ctrl-C end every phase of every command with exit status 3.
//!
//! No test measures time: a command that did not obey would run for hours, and a test gives up after a minute.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;

/// All commands that read files, with `FILE` in place of a file. `init` and `test` read folders and have their own tests.
const COMMANDS: &[&str] = &[
    "analyze FILE",
    "analyze model.hsf FILE",
    "convert FILE --to plantuml",
    "ctl FILE AG(x=1)",
    "draw FILE",
    "explore FILE",
    "fmt FILE",
    "generate FILE",
    "learn FILE",
    "lint FILE",
    "map FILE",
    "mutate FILE",
    "project FILE --onto a",
    "remove FILE --lifelines a",
    "slice FILE",
];

/// Work without an end in sight, in the phases that come after reading.
const EXPLOSIVE: &[&str] = &[
    "analyze hard.hsf hard.htf --kind prefix --engine graph --max-states 100000000000",
    "analyze hard.hsf hard.htf --kind prefix --graph graph.svg --max-states 100000000000",
    "explore wide.hsf --filters [max_depth=1000000]",
    "explore wide.hsf --filters [max_depth=1000000] --graph graph.svg",
    "explore wide.hsf --filters [max_depth=1000000] --traces exact",
    "generate wide.hsf --count 1000000000 --max-length 1000000",
    "slice long.htf --all",
    "mutate --score wide.hsf long.htf --count 1000000000 --kind noise",
    "ctl order.pot.json EG(AF(x0+x1+x2+x3+x4+x5+x6+x7>200)) --engine explicit",
    "ctl order.pot.json EG(AF(x0+x1+x2+x3+x4+x5+x6+x7>200)) --engine ist",
];

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("model.hsf", "@message{ m } @lifeline{ a; b } a -- m -> b");
    // All orders of many parallel actions, none of which explains the last one.
    let lifelines: Vec<String> = (0..40).map(|i| format!("a{i}")).collect();
    let all = |part: &dyn Fn(&str) -> String, between: &str| {
        let parts: Vec<String> = lifelines.iter().map(|name| part(name)).collect();
        parts.join(between)
    };
    let head = format!("@message{{ m; n }} @lifeline{{ {}; z }}", lifelines.join("; "));
    let emissions = all(&|name| format!("{name} -- m ->|"), ", ");
    sandbox.write("hard.hsf", &format!("{head} strict(par({emissions}), z -- n ->|)"));
    let logs = all(&|name| format!("[{name}] {name}!m"), "; ");
    sandbox.write("hard.htf", &format!("{{ {logs}; [z] z!n.z!n }}"));
    sandbox.write("wide.hsf", &format!("{head} loopP(par({emissions}))"));
    let logs = all(&|name| format!("[{name}] {}", vec![format!("{name}!m"); 200].join(".")), "; ");
    sandbox.write("long.htf", &format!("{{ {logs} }}"));
    let processes: Vec<String> = (0..8)
        .map(|p| {
            let events: Vec<String> =
                (0..40).map(|i| format!(r#"{{"var": "x{p}", "val": {i}}}"#)).collect();
            format!(r#"{{"name": "p{p}", "events": [{}]}}"#, events.join(", "))
        })
        .collect();
    sandbox.write("order.pot.json", &format!(r#"{{"processes": [{}]}}"#, processes.join(", ")));
    sandbox
}

/// Starts `otus` with a standard input that stays open and empty.
fn start(sandbox: &Sandbox, call: &str) -> Child {
    Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(call.split_whitespace())
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends Ctrl-C to a command that has begun.
#[cfg(unix)]
fn interrupt(child: &Child) {
    // The handler of the signal is set in the first milliseconds.
    std::thread::sleep(Duration::from_millis(300));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

#[track_caller]
fn ends(call: &str, mut child: Child, expected: &str) {
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_mins(1) {
            child.kill().unwrap();
            panic!("`otus {call}` does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(3), "`otus {call}` says {said}");
    assert!(said.contains(expected), "`otus {call}` says {said}");
}

#[test]
fn a_time_limit_ends_the_wait_for_input() {
    let sandbox = sandbox("limits-input");
    for command in COMMANDS {
        let call = format!("{} --timeout 0.1", command.replace("FILE", "-"));
        ends(&call, start(&sandbox, &call), "");
    }
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_ends_the_wait_for_input() {
    let sandbox = sandbox("limits-interrupt");
    for command in COMMANDS {
        let call = command.replace("FILE", "-");
        let child = start(&sandbox, &call);
        interrupt(&child);
        ends(&call, child, "interrupted");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_ends_endless_input() {
    let sandbox = sandbox("limits-memory");
    let rule = "[[source.rule]]\nmatch = 'm'\nemit = ['!m']\n";
    let source = "[[source]]\nfiles = ['*.log']\nformat = 'text'\nlifeline = 'a'\n";
    sandbox.write("otus.toml", &format!("{source}{rule}"));
    for ending in ["hif", "htf", "pot.json", "log"] {
        std::os::unix::fs::symlink("/dev/zero", sandbox.path(&format!("zero.{ending}"))).unwrap();
    }
    for command in COMMANDS {
        let ending = match command.split(' ').next() {
            Some("ctl") => "pot.json",
            Some("map") => "log",
            Some("learn" | "mutate" | "slice") => "htf",
            _ => "hif",
        };
        let call = format!("{} --memory 100", command.replace("FILE", &format!("zero.{ending}")));
        ends(&call, start(&sandbox, &call), "memory");
    }
}

/// A folder with more logs than `init` reads in a minute: many names of one file.
#[cfg(unix)]
fn many_logs(sandbox: &Sandbox) {
    use std::fmt::Write as _;

    let mut log = String::new();
    for i in 0..40_000 {
        writeln!(
            log,
            "worker-{i} sent request {} to server-{} after {i} retries",
            i * 7_919,
            i % 97
        )
        .unwrap();
    }
    sandbox.write("logs/0.log", &log);
    for i in 1..400 {
        let name = sandbox.path(&format!("logs/{i}.log"));
        std::fs::hard_link(sandbox.path("logs/0.log"), name).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn every_limit_ends_init() {
    let sandbox = sandbox("limits-init");
    many_logs(&sandbox);
    for (call, expected) in [
        ("init logs --timeout 0.1", "time is up"),
        ("init logs --memory 20", "memory"),
        ("init logs", "interrupted"),
    ] {
        let child = start(&sandbox, call);
        if expected == "interrupted" {
            interrupt(&child);
        }
        ends(call, child, expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_limit_ends_a_test() {
    let sandbox = sandbox("limits-test");
    let waiting = sandbox.path("waiting.htf");
    assert!(Command::new("mkfifo").arg(waiting).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("endless.htf")).unwrap();
    for (trace, call, expected) in [
        ("waiting.htf", "test --timeout 0.1", "time is up"),
        ("endless.htf", "test --memory 100", "memory"),
        ("waiting.htf", "test", "interrupted"),
    ] {
        let test = "[[test]]\nspec = 'model.hsf'\nexpect = 'Pass'\ntraces = ";
        sandbox.write("otus.toml", &format!("{test}'{trace}'\n"));
        let child = start(&sandbox, call);
        if expected == "interrupted" {
            interrupt(&child);
        }
        ends(call, child, expected);
    }
}

#[test]
fn a_time_limit_ends_explosive_work() {
    let sandbox = sandbox("limits-work");
    for call in EXPLOSIVE {
        let call = format!("{call} --timeout 0.3");
        ends(&call, start(&sandbox, &call), "");
    }
}

#[test]
fn a_memory_limit_ends_explosive_work() {
    let sandbox = sandbox("limits-tables");
    for call in EXPLOSIVE {
        // The time limit is for work that takes long and little memory.
        let call = format!("{call} --memory 60 --timeout 3");
        ends(&call, start(&sandbox, &call), "");
    }
}
