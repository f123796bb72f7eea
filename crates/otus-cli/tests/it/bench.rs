//! `otus bench papers`: every table and figure in a tiny size, through the program.

use snapbox::str;

use crate::sandbox::Sandbox;

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

/// How many fields a line of a CSV file has; those in quotes may have commas.
fn fields(line: &str) -> usize {
    let outside = line.split('"').step_by(2);
    1 + outside.map(|part| part.matches(',').count()).sum::<usize>()
}

#[test]
fn nodes_are_those_of_the_paper() {
    let sandbox = Sandbox::new("bench-nodes");
    let call = "bench papers --quick --only 004-nodes --out made --format markdown";
    sandbox.otus(call).assert().code(0).stderr_eq(str![[r#"
made 1 of 1 item; 24 verdicts checked, 0 wrong

"#]]);
    assert_eq!(sandbox.files(), ["made/004-nodes.csv", "made/papers.md"]);
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
    let output = sandbox.otus("bench papers --tiny --out made").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("made 17 of 17 items;") && said.ends_with(" 0 wrong\n"), "{said}");
    let page = sandbox.read("made/papers.md");
    let files = sandbox.files();
    let pictures: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("![")?.split_once("]("))
        .map(|(_, file)| file.trim_end_matches(')'))
        .collect();
    assert!(pictures.len() >= 19, "{pictures:?}");
    for picture in pictures {
        assert!(files.contains(&format!("made/{picture}")), "{picture} is there");
        let svg = sandbox.read(&format!("made/{picture}"));
        let mut reader = quick_xml::Reader::from_str(&svg);
        while reader.read_event().expect("well-formed XML") != quick_xml::events::Event::Eof {}
        assert!(!svg.contains("NaN"), "{picture}");
    }
    for table in files.iter().filter(|file| !file.contains(".svg") && !file.contains(".md")) {
        let text = sandbox.read(table);
        let counts: Vec<usize> = text.lines().map(fields).collect();
        assert!(counts.len() > 1 && counts[0] > 1, "{table}");
        assert!(counts.iter().all(|count| *count == counts[0]), "{table}: {counts:?}");
    }
}

#[test]
fn all_but_the_times_is_the_same_in_every_run() {
    let sandbox = Sandbox::new("bench-same");
    let call = "bench papers --tiny --only 003-fig7 001-table5 000-fig9 003-fig12a --out";
    for folder in ["one", "two"] {
        sandbox.otus(&format!("{call} {folder}")).assert().code(0);
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
    sandbox.otus(&format!("{call} three --seed 7")).assert().code(0);
    assert_ne!(verdicts, sandbox.read("three/000-fig9-verdicts.csv"));
}

#[test]
fn programs_get_csv_and_json() {
    let sandbox = Sandbox::new("bench-formats");
    let csv = sandbox.otus("bench papers --tiny --only 003-fig7 --format csv").output().unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(
        csv.starts_with("artefact,table,row,column,value\n003-fig7,003-fig7,1,figure,7\n"),
        "{csv}"
    );
    assert!(csv.contains("\n003-fig7,003-fig7-verdicts,4,fast,WeakPass\n"), "{csv}");
    let json = sandbox.otus("bench papers --tiny --only 004 --format json").output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["summary"]["wrong"], 0);
    assert_eq!(json["artefacts"][0]["id"], "004-nodes");
    assert_eq!(json["artefacts"][0]["tables"][0]["rows"][3][2], "145");
}

#[test]
fn the_list_says_what_there_is_and_what_not() {
    let sandbox = Sandbox::new("bench-list");
    let list = sandbox.otus("bench papers --list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    for word in ["Made again:", "003-fig12b", "(also 001-fig4)", "Not made again:", "NuSMV"] {
        assert!(list.contains(word), "{word}: {list}");
    }
    sandbox.otus("bench papers --list --only 003-fig1").assert().code(0).stdout_eq(str![[r#"
Made again:
  003-fig7    measures of simulations along the drawn paths (also 003-fig8, 003-fig9, 003-fig10a)
  003-fig11   slices that the criterion misses
  003-fig12a  slices of a sequential interaction
  003-fig12b  wide slices of a concurrent interaction

"#]]);
    sandbox.otus("bench papers --only 003-fig21").assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
otus: no table or figure is called 003-fig21; did you mean `003-fig11`?

"#
    ]]);
    sandbox.otus("bench").assert().code(2);
    sandbox.otus("bench papers --quick --tiny").assert().code(2);
}

/// Ctrl-C keeps what is done and ends the rest.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let sandbox = Sandbox::new("bench-interrupt");
    let mut running = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["bench", "papers", "--only", "004-nodes", "003-fig12b", "--out", "made"])
        .current_dir(sandbox.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !sandbox.path("made/papers.md").exists() {
        assert!(running.try_wait().unwrap().is_none(), "it takes longer than this test");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = ["-INT", &running.id().to_string()].map(ToOwned::to_owned);
    assert!(std::process::Command::new("kill").args(interrupt).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(said, "made 1 of 2 items, interrupted; 24 verdicts checked, 0 wrong\n");
    assert_eq!(sandbox.files(), ["made/004-nodes.csv", "made/papers.md"]);
}
