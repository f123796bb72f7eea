//! `otus-bench papers`: every table and figure in a tiny size, through the program.
#![expect(clippy::unwrap_used, reason = "a helper that fails, fails its test")]

use std::path::{Path, PathBuf};

use snapbox::cmd::Command;
use snapbox::str;

/// A fresh folder in which the program runs.
struct Sandbox(PathBuf);

impl Sandbox {
    fn new(name: &str) -> Sandbox {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Sandbox(folder)
    }

    fn run(&self, arguments: &str) -> Command {
        Command::new(snapbox::cmd::cargo_bin!("otus-bench"))
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap()
    }

    /// The names of the files in a folder, sorted.
    fn files(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(folder)).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

/// The columns of a CSV file that do not depend on the clock.
fn without_times(text: &str) -> String {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let is_kept = |at: usize| !head[at].contains("time") && !head[at].contains(" / ");
    let mut out = String::new();
    for line in std::iter::once(head.join(",").as_str()).chain(lines) {
        let kept = line.split(',').enumerate().filter(|(at, _)| is_kept(*at));
        out.push_str(&kept.map(|(_, field)| field).collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}

/// The number of fields of a line of a CSV file; those in quotes may have commas.
fn fields(line: &str) -> usize {
    let outside = line.split('"').step_by(2);
    1 + outside.map(|part| part.matches(',').count()).sum::<usize>()
}

#[test]
fn nodes_are_those_of_the_paper() {
    let sandbox = Sandbox::new("bench-nodes");
    let call = "papers --quick --only 004-nodes --out made --format markdown";
    sandbox.run(call).assert().code(0).stderr_eq(str![[r#"
[1 of 1] 004-nodes: nodes of a search, by priorities
made 1 of 1 item; 24 verdicts checked, 0 wrong

"#]]);
    assert_eq!(sandbox.files("made"), ["004-nodes", "004-nodes.csv", "papers.md"]);
    let inputs = ["1.htf", "2.htf", "3.htf", "4.htf", "model.hif", "model.hsf"];
    assert_eq!(sandbox.files("made/004-nodes"), inputs);
    assert_eq!(sandbox.read("made/004-nodes/2.htf"), "{[a] a!m.a!m; [b]; [c] c?m.c?m}\n");
    let csv = without_times(&sandbox.read("made/004-nodes.csv"));
    snapbox::assert_data_eq!(
        csv,
        str![[r#"
priorities,repetitions,paper: nodes,graph: nodes,fast: states
none,1,4,4,3
none,2,12,12,5
none,3,39,39,7
none,4,145,145,9
reception = 1,1,4,4,3
reception = 1,2,10,10,5
reception = 1,3,27,27,7
reception = 1,4,89,89,9

"#]]
    );
    let page = sandbox.read("made/papers.md");
    assert!(page.contains("## 004-nodes") && page.contains("24, none wrong."), "{page}");
}

#[test]
fn everything_is_made_and_right_in_a_tiny_size() {
    let sandbox = Sandbox::new("bench-tiny");
    let output = sandbox.run("papers --tiny --out made").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("made 17 of 17 items;") && said.ends_with(" 0 wrong\n"), "{said}");
    assert!(
        said.contains("[17 of 17] 001-table5: CTL over traces: dining philosophers\n"),
        "{said}"
    );
    let page = sandbox.read("made/papers.md");
    let files = sandbox.files("made");
    let pictures: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("![")?.split_once("]("))
        .map(|(_, file)| file.trim_end_matches(')'))
        .collect();
    assert!(pictures.len() >= 19, "{pictures:?}");
    for picture in pictures {
        assert!(files.iter().any(|file| file == picture), "{picture} is there");
        let svg = sandbox.read(&format!("made/{picture}"));
        let mut reader = quick_xml::Reader::from_str(&svg);
        while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
        assert!(!svg.contains("NaN"), "{picture}");
    }
    for folder in files.iter().filter(|file| !file.contains('.')) {
        assert!(!sandbox.files(&format!("made/{folder}")).is_empty(), "{folder} has inputs");
    }
    assert_eq!(files.iter().filter(|file| !file.contains('.')).count(), 17);
    for table in files
        .iter()
        .filter(|file| Path::new(file).extension().is_some_and(|ending| ending == "csv"))
    {
        let text = sandbox.read(&format!("made/{table}"));
        let counts: Vec<usize> = text.lines().map(fields).collect();
        assert!(counts.len() > 1 && counts[0] > 1, "{table}");
        assert!(counts.iter().all(|count| *count == counts[0]), "{table}: {counts:?}");
    }
}

#[test]
fn all_but_the_times_is_the_same_in_every_run() {
    let sandbox = Sandbox::new("bench-same");
    let call = "papers --tiny --only 003-fig7 001-table5 000-fig9 003-fig12a --out";
    for folder in ["one", "two"] {
        sandbox.run(&format!("{call} {folder}")).assert().code(0);
    }
    for table in ["003-fig7", "003-fig7-verdicts", "000-fig9-verdicts", "003-fig12a-verdicts"] {
        let [one, two] = ["one", "two"]
            .map(|folder| without_times(&sandbox.read(&format!("{folder}/{table}.csv"))));
        assert_eq!(one, two, "{table}");
    }
    let cuts = |folder: &str| -> Vec<String> {
        let text = sandbox.read(&format!("{folder}/001-table5.csv"));
        text.lines().map(|line| line.split(',').take(7).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(cuts("one"), cuts("two"));
    let verdicts = sandbox.read("one/000-fig9-verdicts.csv");
    sandbox.run(&format!("{call} three --seed 7")).assert().code(0);
    assert_ne!(verdicts, sandbox.read("three/000-fig9-verdicts.csv"));
}

#[test]
fn programs_get_csv_and_json() {
    let sandbox = Sandbox::new("bench-formats");
    let csv = sandbox.run("papers --tiny --only 003-fig7 --format csv").output().unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(
        csv.starts_with("artefact,table,row,column,value\n003-fig7,003-fig7,1,figure,7\n"),
        "{csv}"
    );
    assert!(csv.contains("\n003-fig7,003-fig7-verdicts,4,fast,WeakPass\n"), "{csv}");
    let json = sandbox.run("papers --tiny --only 004 --format json").output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["summary"]["wrong"], 0);
    assert_eq!(json["artefacts"][0]["id"], "004-nodes");
    assert_eq!(json["artefacts"][0]["tables"][0]["rows"][3][2], "145");
}

#[test]
fn the_list_says_what_there_is_and_what_not() {
    let sandbox = Sandbox::new("bench-list");
    let list = sandbox.run("papers --list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    for word in ["Regenerated:", "003-fig12b", "(also 001-fig4)", "Not regenerated:", "NuSMV"] {
        assert!(list.contains(word), "{word}: {list}");
    }
    sandbox.run("papers --list --only 003-fig1").assert().code(0).stdout_eq(str![[r#"
Regenerated:
  003-fig7    measures of simulations along the drawn paths (also 003-fig8, 003-fig9, 003-fig10a)
  003-fig11   slices that the criterion misses
  003-fig12a  slices of a sequential interaction
  003-fig12b  wide slices of a concurrent interaction

"#]]);
    sandbox.run("papers --only 003-fig21").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
otus-bench: no table or figure is called 003-fig21; did you mean `003-fig11`?

"#]]);
    sandbox.run("paper").assert().code(2);
    sandbox.run("papers --quick --tiny").assert().code(2);
}

/// Ctrl-C keeps the complete results and ends the run.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let sandbox = Sandbox::new("bench-interrupt");
    let mut running = std::process::Command::new(snapbox::cmd::cargo_bin!("otus-bench"))
        .args(["papers", "--only", "004-nodes", "003-fig12b", "--out", "made"])
        .current_dir(&sandbox.0)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !sandbox.0.join("made/papers.md").exists() {
        assert!(running.try_wait().unwrap().is_none(), "it takes longer than this test");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = ["-INT", &running.id().to_string()].map(ToOwned::to_owned);
    assert!(std::process::Command::new("kill").args(interrupt).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let end = "made 1 of 2 items, interrupted; 24 verdicts checked, 0 wrong\n";
    assert!(said.ends_with(end), "{said}");
    assert_eq!(sandbox.files("made"), ["004-nodes", "004-nodes.csv", "papers.md"]);
}
