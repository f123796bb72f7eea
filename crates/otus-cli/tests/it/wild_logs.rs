//! Logs as they are found in the wild: their format is what they are, whatever they begin with.

use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;

const TEXT: &str = "[INFO] sent hello to b!\n[INFO] received ok from b?\n";

const RULES: &str = "[[source]]\nfiles = ['*.log', 'messages']\nformat = 'regex'\nlifeline = 'a'\n\
                     [[source.rule]]\nmatch = '(?<d>sent|received) (?<m>\\w+)'\ndir = '{d}'\nmessage = '{m}'\n";

#[test]
fn a_text_log_that_begins_with_a_bracket_is_no_multi_trace() {
    let sandbox = Sandbox::new("wild-logs-bracket");
    for name in ["a.log", "messages", "a.txt"] {
        sandbox.write(name, TEXT);
        let output = sandbox.otus(&format!("learn {name}")).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("may be a log") && told.contains("otus init"), "{name}: {told}");
    }
    sandbox.otus("init .").assert().code(0);
    sandbox.write("otus.toml", RULES);
    for name in ["a.log", "messages"] {
        sandbox.otus(&format!("map {name} --strict")).assert().code(0);
    }
    let piped = sandbox.otus("map - --strict").stdin(TEXT);
    piped.assert().code(0);
    // A multi-trace is one, whatever it is called.
    sandbox.write("trace.txt", "[a] a!m;\n[b] b?m\n");
    sandbox.otus("learn trace.txt").assert().code(0);
}

#[test]
fn pretty_printed_json_works_in_lists_and_one_after_the_other() {
    let sandbox = Sandbox::new("wild-logs-pretty");
    let settings = "[[source]]\nfiles = ['*.json']\nformat = 'json'\nlifeline = '{l}'\n\
                    [[source.rule]]\ndir = '{d}'\nmessage = '{m}'\n";
    sandbox.write("otus.toml", settings);
    let [a, b] = [r#"{"l":"a","d":"!","m":"x"}"#, r#"{"l":"b","d":"?","m":"x"}"#];
    let spread = |text: &str| text.replace('{', "{\n ").replace(',', ",\n ").replace('}', "\n}");
    for (name, text) in [
        ("lines", format!("{a}\n{b}\n")),
        ("one-line", format!("{a} {b}")),
        ("pretty", format!("{}\n{}\n", spread(a), spread(b))),
        ("list", format!("[{a},{b}]")),
        ("pretty-list", format!("[\n{},\n{}\n]\n", spread(a), spread(b))),
    ] {
        sandbox.write(&format!("{name}.json"), &text);
        sandbox.otus(&format!("map {name}.json --strict --write {name}.htf")).assert().code(0);
        let trace = sandbox.read(&format!("{name}.htf"));
        assert!(trace.contains("a!x") && trace.contains("b?x"), "{name}: {trace}");
    }
}

#[test]
fn shiviz_logs_have_headers_of_all_styles() {
    let sandbox = Sandbox::new("wild-logs-shiviz");
    let [p, q] = [r#"p {"p":1}"#, r#"q {"q":1, "p":1}"#];
    for (name, text) in [
        ("clock-first", format!("{p}\nsent\n{q}\ngot\n")),
        ("event-first", format!("sent\n{p}\ngot\n{q}\n")),
        ("one-line", format!("{p} sent\n{q} got\n")),
        ("event-in-line", format!("sent {p}\ngot {q}\n")),
        ("trailing", format!("sent\n{p}  \ngot\n{q}  \n")),
        (
            "header",
            format!("(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n\n\n{p}\nsent\n{q}\ngot\n"),
        ),
        (
            "header-event",
            format!("(?<event>.*)\\n(?<host>\\S*) (?<clock>{{.*}})\n\nsent\n{p}\ngot\n{q}\n"),
        ),
        (
            "two-headers",
            format!(
                "(?<host>\\w+) (?<clock>{{.*}}) (?<event>.+)\n(?<event>\\w+) by (?<host>\\w+) (?<clock>{{.*}})\n{p} sent\ngot by {q}\n"
            ),
        ),
        (
            "fields",
            format!(
                "(?<date>\\d+:\\d+) (?<host>\\S*) (?<clock>{{.*}}) (?<event>.*)\n10:00 {p} sent\n10:01 {q} got\n"
            ),
        ),
    ] {
        sandbox.write(&format!("{name}.log"), &text);
        let output = sandbox.otus(&format!("map {name}.log --format json")).output().unwrap();
        let account: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let records = &account["records"];
        assert_eq!((&records["matched"], &records["unmatched"]), (&2.into(), &0.into()), "{name}");
    }
    let delimited = format!(
        "(?<host>\\S*) (?<clock>{{.*}}) (?<event>.*)\n^=== (?<trace>.*) ===$\n=== one ===\n{p} sent\n=== two ===\n{p} sent\n"
    );
    sandbox.write("executions.log", &delimited);
    let output = sandbox.otus("map executions.log --explain").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("2 groups") && text.contains("one: 1 event"), "{text}");
}

#[test]
fn a_rule_without_a_condition_takes_every_record() {
    let sandbox = Sandbox::new("wild-logs-every");
    for (format, name, text) in [
        ("json", "a.json", "starting\n{\"m\":\"x\"}\n{\"m\":\"y\"}\n"),
        ("csv", "a.csv", "m,n\nx,1\ny,2\n"),
        (
            "zipkin",
            "a.zipkin",
            "[{\"traceId\":\"1\",\"id\":\"2\",\"tags\":{\"m\":\"x\"}},{\"traceId\":\"1\",\"id\":\"3\",\"tags\":{\"m\":\"y\"}}]",
        ),
    ] {
        let settings = format!(
            "[[source]]\nfiles = ['{name}']\nformat = '{format}'\nlifeline = 'a'\n[[source.rule]]\ndir = '!'\nmessage = '{{m}}'\n"
        );
        sandbox.write("otus.toml", &settings);
        sandbox.write(name, text);
        sandbox.otus(&format!("map {name} --write {format}.htf")).assert().code(0);
        let trace = sandbox.read(&format!("{format}.htf"));
        assert!(trace.contains("a!x") && trace.contains("a!y"), "{format}: {trace}");
    }
}

#[test]
fn init_knows_logs_that_several_programs_share() {
    let sandbox = Sandbox::new("wild-logs-shared");
    let lines = |form: &dyn Fn(&str, &str) -> String| {
        let pairs = [
            ("web", "sending order to shop"),
            ("shop", "received order from web"),
            ("shop", "sending receipt to web"),
            ("web", "received receipt from shop"),
        ];
        pairs.map(|(who, text)| form(who, text) + "\n").concat()
    };
    for (name, text) in [
        ("compose/all.log", lines(&|who, text| format!("{who}-1   | 2024-03-01T10:00:00Z {text}"))),
        ("pods/all.log", lines(&|who, text| format!("[pod/{who}-7d9f-x2/{who}] {text}"))),
        ("syslog/messages", lines(&|who, text| format!("Nov 15 07:13:08 box {who}[42]: {text}"))),
        (
            "journal/all.json",
            lines(&|who, text| {
                format!(
                    r#"{{"__CURSOR":"s","SYSLOG_IDENTIFIER":"{who}","PRIORITY":"6","MESSAGE":"{text}"}}"#
                )
            }),
        ),
        (
            "logfmt/all.logfmt",
            lines(&|who, text| {
                let words: Vec<&str> = text.split(' ').collect();
                let (text, peer) = (words[..2].join(" "), words[3]);
                format!(
                    "time=07:13 level=info msg=\"{text}\" service={who} peer={peer} request_id=r1"
                )
            }),
        ),
    ] {
        sandbox.write(name, &text);
        let folder = name.split('/').next().unwrap();
        sandbox.otus(&format!("init {folder}")).assert().code(0);
        sandbox.otus(&format!("learn {folder} -o {folder}.mmd")).assert().code(0);
        let learnt = sandbox.read(&format!("{folder}.mmd"));
        let order = learnt.find("web->>shop: order");
        assert!(order.is_some() && order < learnt.find("shop->>web: receipt"), "{name}: {learnt}");
    }
}

#[test]
fn answers_without_spans_say_what_to_ask_for() {
    let sandbox = Sandbox::new("wild-logs-answers");
    for (name, text, expected) in [
        ("search.json", r#"{"traces":[{"traceID":"2f3e","durationMs":5}]}"#, "/api/v2/traces/2f3e"),
        (
            "missing.json",
            r#"{"data":null,"errors":[{"msg":"trace not found"}]}"#,
            "trace not found",
        ),
    ] {
        sandbox.write(&format!("{name}.d/{name}"), text);
        for call in [format!("learn {name}.d/{name}"), format!("init {name}.d")] {
            let output = sandbox.otus(&call).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains(name) && told.contains(expected), "{call}: {told}");
        }
    }
}

#[test]
fn init_knows_arrows_and_requests() {
    let sandbox = Sandbox::new("wild-logs-init");
    for (folder, log, expected) in [
        ("arrows", "->> PING to b\n<<- PONG from b\n", "a!PING.a?PONG"),
        (
            "nouns",
            "request GET /x to b\nresponse 200 from b\n",
            "a!\"request GET\".a?\"response 200\"",
        ),
        ("both", "10:00 c ->> s: hello\n10:01 s --> c: hi there\n", "c!hello.c?\"hi there\""),
        ("verbs", "publishing sold to b\nconsumed paid from b\n", "a!sold.a?paid"),
    ] {
        sandbox.write(&format!("{folder}/a.log"), log);
        sandbox.otus(&format!("init {folder}")).assert().code(0);
        sandbox
            .otus(&format!("map {folder} --strict --write {folder}.cases.jsonl"))
            .assert()
            .code(0);
        let cases = sandbox.read(&format!("{folder}.cases.jsonl")).replace("\\\"", "\"");
        assert!(
            cases.contains(expected),
            "{folder}: {cases}\n{}",
            sandbox.read(&format!("{folder}/otus.toml"))
        );
    }
}

/// The samples of public projects, if they are at hand: beside the repository, or where
/// `OTUS_SAMPLES` says.
fn samples() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let root = std::env::var_os("OTUS_SAMPLES").map_or(root, PathBuf::from);
    root.join("traces").is_dir().then_some(root)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// A diagram is learnt from each trace without any setting, and the trace passes it.
#[test]
fn public_traces_need_no_settings() {
    let Some(root) = samples() else {
        println!("skipped: the samples are not here");
        return;
    };
    let sandbox = Sandbox::new("wild-logs-traces");
    let mut count = 0;
    for folder in ["tempo", "jaeger", "zipkin"] {
        for file in files(&root.join("traces").join(folder)) {
            let learnt = format!("{count}.mmd");
            sandbox.otus(&format!("learn -o {learnt}")).arg(&file).assert().code(0);
            assert!(sandbox.read(&learnt).contains("->>"), "{}", file.display());
            let analyze = format!("analyze {learnt} --observed complete");
            sandbox.otus(&analyze).arg(&file).assert().code(0);
            count += 1;
        }
    }
    assert!(count >= 10, "{count} files");
    let calls = sandbox.otus("learn").arg(root.join("traces/tempo/trace-with-queue-database.json"));
    let calls = String::from_utf8(calls.output().unwrap().stdout).unwrap();
    for call in [
        "mythical-requester->>mythical-server:",
        "mythical-server->>postgresql:",
        "mythical-requester->>mythical-recorder:",
    ] {
        assert!(calls.contains(call), "{call}: {calls}");
    }
}

#[test]
fn clocks_tell_the_messages_of_a_log_without_rules() {
    let sandbox = Sandbox::new("wild-logs-clocked");
    // The store knows of the client only by what the web told it.
    let log = "client {\"client\":1}\nready\n\
               client {\"client\":2}\nask the web\n\
               web {\"web\":1, \"client\":2}\nasked\n\
               web {\"web\":2, \"client\":2}\nask the store\n\
               store {\"store\":1, \"web\":2, \"client\":2}\nanswer\n\
               client {\"client\":3, \"web\":2, \"store\":1}\nanswered\n";
    sandbox.write("run.log", log);
    let output = sandbox.otus("learn run.log").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let calls: Vec<&str> = text.lines().map(str::trim).filter(|it| it.contains(": ")).collect();
    let expected =
        ["client->>web: ask the web", "web->>store: ask the store", "store->>client: answer"];
    assert_eq!(calls, expected, "{text}");
    sandbox.otus("learn run.log -o learnt.mmd").assert().code(0);
    sandbox.otus("analyze learnt.mmd run.log --observed complete").assert().code(0);
    // Formulas are about the same events as before.
    sandbox.otus("ctl run.log").arg("EF true").assert().code(0);
    // Hosts that never hear of each other have actions of their own.
    sandbox.write("run.log", "a {\"a\":1}\nstart\na {\"a\":2}\nstop\n");
    let output = sandbox.otus("learn run.log").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("a->>a: start") && text.contains("a->>a: stop"), "{text}");
}

/// Every event of a log with vector clocks is read, and the clocks are an order.
#[test]
fn public_logs_with_clocks_need_no_settings() {
    let Some(root) = samples() else {
        println!("skipped: the samples are not here");
        return;
    };
    let sandbox = Sandbox::new("wild-logs-clocks");
    for file in files(&root.join("traces/shiviz")) {
        let output = sandbox.otus("map --format json").arg(&file).output().unwrap();
        let account: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(account["records"]["unmatched"], 0, "{}", file.display());
        sandbox.otus("ctl").arg(&file).arg("EF true").assert().code(0);
        sandbox.otus("learn --force -o learnt.mmd").arg(&file).assert().code(0);
        assert!(sandbox.read("learnt.mmd").contains("->>"), "{}", file.display());
    }
}

/// The shapes of lines are few, and `otus init` proposes rules for most lines of each log; the
/// settings of the cookbook fit, too.
#[test]
fn public_text_logs_have_few_shapes_and_recipes() {
    let Some(root) = samples() else {
        println!("skipped: the samples are not here");
        return;
    };
    let sandbox = Sandbox::new("wild-logs-text");
    for file in files(&root.join("logs")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        std::fs::create_dir_all(sandbox.path(&name)).unwrap();
        std::fs::copy(&file, sandbox.path(&format!("{name}/{name}.log"))).unwrap();
        let nothing = "[[source]]\nfiles = ['*.log']\nformat = 'regex'\nlifeline = 'a'\n[[source.rule]]\nmatch = '^no line$'\nignore = true\n";
        sandbox.write(&format!("{name}/otus.toml"), nothing);
        let output = sandbox.otus(&format!("map {name} --format json")).output().unwrap();
        let account: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let shapes = account["unmatched"]["distinct"].as_u64().unwrap();
        assert!(shapes <= 60, "{name}: {shapes} shapes");
        std::fs::remove_file(sandbox.path(&format!("{name}/otus.toml"))).unwrap();
        sandbox.otus(&format!("init {name}")).assert().code(0);
        let rules = sandbox.read(&format!("{name}/otus.toml"));
        assert!(rules.contains("\n[[source.rule]]"), "{name}: {rules}");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cookbook.md");
    let page = std::fs::read_to_string(page).unwrap();
    let recipe = page.split("\n## Blocks that move between nodes\n").nth(1).unwrap();
    let settings = recipe.split("```toml otus.toml\n").nth(1).unwrap().split("```").next().unwrap();
    sandbox.write("hdfs/otus.toml", settings);
    std::fs::create_dir_all(sandbox.path("hdfs/logs")).unwrap();
    std::fs::copy(root.join("logs/HDFS_2k.log"), sandbox.path("hdfs/logs/hdfs.log")).unwrap();
    let output = sandbox.otus("map hdfs --format json").output().unwrap();
    let account: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let unmatched = account["records"]["unmatched"].as_u64().unwrap();
    assert!(unmatched < 100, "{unmatched} lines of HDFS are left over");
}
