//! What editors ask: problems, names across files, remarks, completions, verdicts.

use std::path::{Path, PathBuf};

use otus::language::{self, Edit, Level};
use otus::{Context, Limits, Texts};

const SIGNATURE: &str = "@message{ req; \"the reply\" }\n@lifeline{ client; server }\n";
const MODEL: &str = "seq(client -- req -> server, server -- \"the reply\" -> client)\n";
const TRACE: &str = "{\n  [client] client!req.client?\"the reply\";\n  [server] server?req\n}\n";
const SETTINGS: &str = "spec = [\"sig.hsf\", \"model.hif\"]\n\n[lifelines]\nc1 = \"client\"\n\n[observation]\ncomplete = \
                        [\"server\", \"cli*\"]\n\n[[source]]\nfiles = \"*.log\"\nformat = \"regex\"\nlifeline = \
                        'server'\n\n[[source.rule]]\nmatch = 'x'\nemit = [\"?req\"]\n";

fn project() -> Texts {
    Texts::default()
        .with("/p/sig.hsf", SIGNATURE)
        .with("/p/model.hif", MODEL)
        .with("/p/runs/one.htf", TRACE)
        .with("/p/otus.toml", SETTINGS)
        .with("/p/other/one.mmd", "sequenceDiagram\n  client->>server: req\n")
}

fn context(files: Texts) -> Context {
    Context::default().with_files(files)
}

/// The offset of the `^` in a text, and the text without it.
fn marked(text: &str) -> (String, usize) {
    let at = text.find('^').unwrap();
    (text.replacen('^', "", 1), at)
}

fn text_of(context: &Context, path: &str) -> String {
    String::from_utf8(context.files.read(Path::new(path)).unwrap()).unwrap()
}

/// Places as `file:text`.
fn shown(context: &Context, places: &[language::Location]) -> Vec<String> {
    let one = |place: &language::Location| {
        let text = text_of(context, &place.path.to_string_lossy());
        let name = place.path.file_name().unwrap().to_string_lossy();
        format!("{name}:{}:{}", text[..place.start].matches('\n').count() + 1, &text[place.range()])
    };
    places.iter().map(one).collect()
}

fn applied(context: &Context, edits: &[Edit], path: &str) -> String {
    let mut text = text_of(context, path);
    let mut ours: Vec<&Edit> = edits.iter().filter(|it| it.place.path == Path::new(path)).collect();
    ours.sort_by_key(|edit| std::cmp::Reverse(edit.place.start));
    for edit in ours {
        text.replace_range(edit.place.range(), &edit.text);
    }
    text
}

/// The problems of the file `/p/a.ENDING` with a text.
fn problems(ending: &str, text: &str) -> Vec<language::Problem> {
    let path = format!("/p/a.{ending}");
    language::diagnose(&context(Texts::default().with(&path, text)), Path::new(&path))
}

#[test]
fn problems_are_those_of_lint() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/broken");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("/{}", path.file_name().unwrap().to_string_lossy());
        let is_other = [".ctl", ".toml"].iter().any(|ending| name.ends_with(ending));
        if !language::is_known(&path) || is_other {
            continue;
        }
        let context = context(Texts::default().with(&name, std::fs::read(&path).unwrap()));
        let linted = otus::lint::lint(&context, std::slice::from_ref(&name), None);
        let expected = match &linted {
            Ok(linted) => linted.found.findings(),
            Err(error) => error.findings(),
        };
        let text = context.files.read(Path::new(&name)).unwrap();
        let line = |at: usize| text[..at].split(|&byte| byte == b'\n').count();
        let found = language::diagnose(&context, Path::new(&name));
        let found: Vec<_> =
            found.iter().map(|it| (it.code.clone(), line(it.place.start))).collect();
        // A document without a diagram is no mistake in an editor.
        let expected = expected.into_iter().filter(|it| it.code != "O0612");
        let expected: Vec<_> = expected.map(|it| (it.code, it.line)).collect();
        assert_eq!(found, expected, "{name}");
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn settings_and_formulas_have_problems() {
    let context =
        context(Texts::default().with("/p/otus.toml", "spce = 1\n").with("/p/a.ctl", "AG(\n"));
    let found = language::diagnose(&context, Path::new("/p/otus.toml"));
    assert_eq!(found[0].code, "O1002");
    assert_eq!(found[0].fixes[0].edit.text, "spec");
    assert!(!language::diagnose(&context, Path::new("/p/a.ctl")).is_empty());
}

#[test]
fn a_text_is_checked_with_the_texts_that_it_belongs_to() {
    let files = project().with("/p/model.hif", MODEL.replace("req", "rep"));
    let context = context(files);
    let found = language::diagnose(&context, Path::new("/p/model.hif"));
    assert_eq!(found[0].code, "O0302");
    // The signature is fine: in a specification with errors, nothing is said to be unused.
    assert_eq!(language::diagnose(&context, Path::new("/p/sig.hsf")), []);
    let files = project().with("/p/runs/one.htf", "[client] client!rq\n");
    let found = language::diagnose(&self::context(files), Path::new("/p/runs/one.htf"));
    assert!(found.iter().any(|it| it.message.contains("rq")), "{found:?}");
}

#[test]
fn a_name_that_one_of_several_interactions_uses_is_used() {
    let context = context(
        Texts::default()
            .with("/p/s.hsf", "@message{ m; n; unused } @lifeline{ a; b }")
            .with("/p/one.hif", "a -- m -> b")
            .with("/p/two.hif", "a -- n -> b"),
    );
    let found = language::diagnose(&context, Path::new("/p/s.hsf"));
    let messages: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("unused"));
    assert_eq!(found[0].level, Level::Warning);
}

#[test]
fn proposals_become_edits() {
    #[track_caller]
    fn check(ending: &str, text: &str, expected: &str) {
        let found = problems(ending, text);
        let fix = found.iter().find_map(|problem| problem.fixes.first()).expect("an edit").clone();
        let mut text = text.to_owned();
        text.replace_range(fix.edit.place.range(), &fix.edit.text);
        assert_eq!(text, expected, "{}", fix.title);
    }
    check("hif", "sqe(a -- m -> b, o)", "seq(a -- m -> b, o)");
    check(
        "mmd",
        "sequenceDiagram\n  lop forever\n  a->>b: m\n  end\n",
        "sequenceDiagram\n  loop forever\n  a->>b: m\n  end\n",
    );
    check(
        "mmd",
        "sequenceDiagram\n  %% otus: sinch\n  a->>b: m\n",
        "sequenceDiagram\n  %% otus: synch\n  a->>b: m\n",
    );
    check(
        "puml",
        "@startuml\nparticpant a\na -> b : m\n@enduml\n",
        "@startuml\nparticipant a\na -> b : m\n@enduml\n",
    );
    check(
        "hsf",
        "@mesage{m} @lifeline{a; b} a -- m -> b",
        "@message{m} @lifeline{a; b} a -- m -> b",
    );
    check(
        "hsf",
        "@message{publish} @lifeline{a; b} a -- publsh -> b",
        "@message{publish} @lifeline{a; b} a -- publish -> b",
    );
    check(
        "hsf",
        "@message{\"a b\"} @lifeline{a; b} a -- \"a c\" -> b",
        "@message{\"a b\"} @lifeline{a; b} a -- \"a b\" -> b",
    );
    check("htf", "a!m.a!n", "[#all] a!m.a!n");
    check("ctl", "AG(x < 2) adn y", "AG(x < 2) and y");
}

#[test]
fn advice_in_words_becomes_an_edit() {
    /// The text after the first edit whose title begins like this.
    #[track_caller]
    fn check(ending: &str, text: &str, title: &str, expected: &str) {
        let found = problems(ending, text);
        let mut fixes = found.iter().flat_map(|problem| &problem.fixes);
        let fix =
            fixes.find(|fix| fix.title.starts_with(title)).unwrap_or_else(|| panic!("{found:?}"));
        let mut text = text.to_owned();
        text.replace_range(fix.edit.place.range(), &fix.edit.text);
        assert_eq!(text, expected);
    }
    check("hif", "seq(a -- m -> b", "Insert `)`", "seq(a -- m -> b)");
    check("htf", "[a] a!m.{a!m, a!n", "Insert `}`", "[a] a!m.{a!m, a!n}");
    check("hif", "o /* c\n", "Insert `*/`", "o /* c */\n");
    let (open, closed) = (
        "sequenceDiagram\n  loop x\n  a->>b: m\n",
        "sequenceDiagram\n  loop x\n  a->>b: m\n  end\n",
    );
    check("mmd", open, "Insert `end`", closed);
    check(
        "puml",
        "@startuml\nloop x\na -> b : m\n@enduml\n",
        "Insert `end`",
        "@startuml\nloop x\na -> b : m\nend\n@enduml\n",
    );
    check(
        "puml",
        "@startuml\na -> b : m\n",
        "Insert `@enduml`",
        "@startuml\na -> b : m\n@enduml\n",
    );
    let document = |text: &str| format!("# A\n\n```mermaid\n{text}```\n\nMore.\n");
    check("md", &document(open), "Insert `end`", &document(closed));
    check(
        "mmd",
        "sequenceDiagram\n  a->>b hi\n",
        "Replace `a->>b hi`",
        "sequenceDiagram\n  a->>b: hi\n",
    );
    let critical = "sequenceDiagram\n  critical x\n  a->>b: m\n  option y\n  a->>b: n\n  end\n";
    check(
        "mmd",
        critical,
        "Insert `%% otus: critical alt` above",
        &critical.replace("  crit", "  %% otus: critical alt\n  crit"),
    );
    let model = "@message{ m } @lifeline{ a; b } seq(a -- m -> b, a -- \"new one\" -> b)";
    check("hsf", model, "Declare", &model.replace("{ m }", "{ m; \"new one\" }"));
    check(
        "hsf",
        "@message{ m; n } @lifeline{ a; b } a -- m -> b",
        "Remove `n`",
        "@message{ m } @lifeline{ a; b } a -- m -> b",
    );
    check(
        "hsf",
        "@message{ n; m } @lifeline{ a; b } a -- m -> b",
        "Remove `n`",
        "@message{ m } @lifeline{ a; b } a -- m -> b",
    );
}

#[test]
fn a_name_is_declared_in_another_file() {
    let context = context(project().with("/p/model.hif", MODEL.replace("req", "fresh")));
    let found = language::diagnose(&context, Path::new("/p/model.hif"));
    let fix = found[0].fixes.iter().find(|fix| fix.title.starts_with("Declare")).unwrap();
    assert_eq!(fix.edit.place.path, PathBuf::from("/p/sig.hsf"));
    let changed = applied(&context, std::slice::from_ref(&fix.edit), "/p/sig.hsf");
    assert!(changed.contains("\"the reply\"; fresh }"), "{changed}");
}

#[test]
fn names_are_found_in_all_files_that_share_them() {
    let context = context(project());
    let (_, at) = marked(&MODEL.replacen("req", "^req", 1));
    let path = Path::new("/p/model.hif");
    let found = language::references(&context, path, at, true);
    assert_eq!(
        shown(&context, &found),
        ["model.hif:1:req", "otus.toml:16:req", "one.htf:2:req", "one.htf:3:req", "sig.hsf:1:req"]
    );
    let found = language::definition(&context, path, at);
    assert_eq!(shown(&context, &found), ["sig.hsf:1:req"]);
    let found = language::references(
        &context,
        Path::new("/p/otus.toml"),
        SETTINGS.find("server").unwrap(),
        false,
    );
    assert_eq!(found.len(), 6, "{found:?}");
    // The name of a file leads to the file.
    let found =
        language::definition(&context, Path::new("/p/otus.toml"), SETTINGS.find("model").unwrap());
    assert_eq!(found[0].path, PathBuf::from("/p/model.hif"));
}

#[test]
fn renaming_changes_all_files_or_none() {
    let context = context(project());
    let at = MODEL.find("client").unwrap();
    let path = Path::new("/p/model.hif");
    let edits = language::rename(&context, path, at, "the client").unwrap();
    assert!(applied(&context, &edits, "/p/sig.hsf").contains("{ \"the client\"; server }"));
    assert!(applied(&context, &edits, "/p/model.hif").starts_with("seq(\"the client\" -- req"));
    assert!(
        applied(&context, &edits, "/p/runs/one.htf")
            .contains("[\"the client\"] \"the client\"!req")
    );
    assert!(applied(&context, &edits, "/p/otus.toml").contains("c1 = \"the client\""));
    let refused = |new: &str| language::rename(&context, path, at, new).unwrap_err().to_string();
    assert!(refused("server").contains("already"));
    assert!(refused("a\"b").contains("cannot be written"), "{}", refused("a\"b"));
    assert!(refused(" ").contains("at least one character"));
    let nothing = language::rename(&context, path, 0, "x").unwrap_err().to_string();
    assert!(nothing.contains("no name"), "{nothing}");
}

#[test]
fn renaming_in_diagrams_reaches_notes_and_respects_aliases() {
    let text =
        "sequenceDiagram\n  participant A as Alice\n  A->>B: hi\n  Note over A,B: A knows B\n";
    let context = context(Texts::default().with("/p/a.mmd", text));
    let path = Path::new("/p/a.mmd");
    let edits = language::rename(&context, path, text.find("A->>").unwrap(), "C").unwrap();
    let expected =
        "sequenceDiagram\n  participant C as Alice\n  C->>B: hi\n  Note over C,B: A knows B\n";
    assert_eq!(applied(&context, &edits, "/p/a.mmd"), expected);
    let error = language::rename(&context, path, text.find("A->>").unwrap(), "a: b").unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    let text =
        "@startuml\nparticipant \"Long Name\"\n\"Long Name\" -> b : m\nactivate b\n@enduml\n";
    let context = self::context(Texts::default().with("/p/a.puml", text));
    let path = Path::new("/p/a.puml");
    let edits =
        language::rename(&context, path, text.find("Long").unwrap(), "Even Longer").unwrap();
    let expected = text.replace("Long Name", "Even Longer");
    assert_eq!(applied(&context, &edits, "/p/a.puml"), expected);
}

#[test]
fn fences_of_a_document_share_names() {
    let text = "# One\n\n```mermaid\nsequenceDiagram\n  a->>b: m\n```\n\n# Two\n\n```plantuml\na -> b : m\n```\n";
    let context = context(
        Texts::default()
            .with("/p/a.md", text)
            .with("/p/otus.toml", "spec = \"a.md#one\"\n[lifelines]\nx = \"a\"\n"),
    );
    let found =
        language::references(&context, Path::new("/p/a.md"), text.find("a->>").unwrap(), true);
    assert_eq!(shown(&context, &found), ["a.md:5:a", "a.md:11:a", "otus.toml:3:a"]);
    let symbols = language::symbols(&context, Path::new("/p/a.md"));
    let names: Vec<&str> = symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(symbols[0].detail, "2 lifelines, 1 message");
    assert_eq!(language::lenses(&context, Path::new("/p/a.md")).len(), 2);
}

#[test]
fn remarks_tell_meanings_and_uses() {
    let context = context(project());
    let hover =
        |path: &str, at: usize| language::hover(&context, Path::new(path), at).unwrap().text;
    let text = hover("/p/model.hif", 1);
    assert!(
        text.contains("do not wait for each other") && text.contains("Law: `seq(x, y)"),
        "{text}"
    );
    assert!(text.contains("client") && text.contains("►"), "the picture: {text}");
    let text = hover("/p/model.hif", MODEL.find("req").unwrap());
    assert!(
        text.contains("declared in sig.hsf, line 1; 5 places in 4 files, sent 2 times"),
        "{text}"
    );
    let text = hover("/p/otus.toml", SETTINGS.find("complete").unwrap());
    assert!(text.contains("All that happened is in the log"), "{text}");
    let text = hover("/p/otus.toml", SETTINGS.find("lifeline =").unwrap());
    assert!(text.contains("Where it happens"), "{text}");
    let text = hover("/p/other/one.mmd", 3);
    assert!(text.contains("first line") && text.contains("►"), "{text}");
    let files = Texts::default().with("/p/a.hif", "sqe(a -- m -> b)");
    let text = language::hover(&self::context(files), Path::new("/p/a.hif"), 0).unwrap().text;
    assert!(text.contains("# O0208: "), "the page of a problem: {text}");
}

#[test]
fn completions_fit_the_place() {
    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str], not: &[&str]) {
        let (text, at) = marked(text);
        let context = context(project().with(path, text));
        let found = language::complete(&context, Path::new(path), at);
        let labels: Vec<&str> = found.iter().map(|it| it.label.as_str()).collect();
        assert!(expected.iter().all(|it| labels.contains(it)), "{labels:?}");
        assert!(!not.iter().any(|it| labels.contains(it)), "{labels:?}");
    }
    check("/p/model.hif", "seq(^", &["client", "seq", "loopW", "req"], &["@message"]);
    check("/p/model.hif", "seq(client -- ^", &["req", "the reply"], &["client", "seq"]);
    check("/p/model.hif", "seq(client -- req -> se^", &["server"], &["req"]);
    check("/p/model.hif", "@^", &["message", "lifeline"], &["seq"]);
    check("/p/a.hcf", "@analyze_option{ stra^ }", &["strategy", "DFS"], &["seq"]);
    check("/p/runs/one.htf", "[client] client!^", &["req"], &["client"]);
    check("/p/runs/one.htf", "[^", &["client"], &["req"]);
    check("/p/a.mmd", "sequenceDiagram\n  a->>b: m\n  ^", &["loop", "a", "b"], &["m"]);
    check("/p/a.mmd", "sequenceDiagram\n  a->>b: m\n  a->>^", &["b"], &["loop"]);
    check("/p/a.mmd", "sequenceDiagram\n  a->>b: m\n  a->>b: ^", &["m"], &["b"]);
    check("/p/a.mmd", "sequenceDiagram\n  %% otus: ^", &["synch", "broadcast"], &["loop"]);
    check("/p/a.puml", "@startuml\n^\n@enduml", &["participant", "group"], &[]);
    check("/p/a.md", "text ^", &[], &["loop"]);
    check("/p/a.ctl", "A^", &["AG", "mutex"], &[]);
    check("/p/otus.toml", "^", &["spec", "source", "observation"], &["emit"]);
    check(
        "/p/otus.toml",
        "[[source]]\nfiles = 'x'\n[[source.rule]]\nem^",
        &["emit", "match"],
        &["spec"],
    );
    check("/p/otus.toml", "[[source]]\nformat = ^", &["json", "regex"], &["emit"]);
    check("/p/otus.toml", "[observation]\nallow_empty = ^", &["true", "false"], &[]);
    check(
        "/p/otus.toml",
        "spec = ['sig.hsf', 'model.hif']\n[observation]\ncomplete = [\"^\"]",
        &["client", "server"],
        &[],
    );
}

#[test]
fn verdicts_are_those_of_what_belongs_to_a_specification() {
    let limits = Limits::default();
    let files = Texts::default()
        .with("/p/flow.mmd", "sequenceDiagram\n  a->>b: m\n")
        .with("/p/flow-good.htf", "{[a] a!m; [b] b?m}")
        .with("/p/flow-bad.htf", "{[a] a!m; [b] b?m.b?m}");
    let context = context(files);
    let found = language::verdicts(&context, Path::new("/p/flow.mmd"), None, limits).unwrap();
    assert_eq!(found.summary, "1 pass, 0 weak, 1 fail, 0 undecided");
    assert!(found.has_failed && found.text.contains("flow-bad"), "{}", found.text);
    let found = language::verdicts(&context, Path::new("/p/flow-good.htf"), None, limits).unwrap();
    assert_eq!(found.summary, "1 pass, 0 weak, 0 fail, 0 undecided");
    let alone =
        self::context(Texts::default().with("/p/flow.mmd", "sequenceDiagram\n  a->>b: m\n"));
    let error = language::verdicts(&alone, Path::new("/p/flow.mmd"), None, limits).unwrap_err();
    assert!(error.to_string().contains("nothing to test"), "{error}");
    let settings = "spec = 'flow.mmd'\n[[test]]\nname = 'good'\ntraces = 'good.htf'\nexpect = 'Pass'\n[[test]]\nname = \
                    'bad'\ntraces = 'bad.htf'\nexpect = 'Pass'\n";
    let files = Texts::default()
        .with("/p/flow.mmd", "sequenceDiagram\n  a->>b: m\n")
        .with("/p/good.htf", "{[a] a!m; [b] b?m}")
        .with("/p/bad.htf", "{[a] a!m; [b] b?m.b?m}")
        .with("/p/otus.toml", settings);
    let found =
        language::verdicts(&self::context(files), Path::new("/p/flow.mmd"), None, limits).unwrap();
    assert_eq!(found.summary, "1 of 2 tests as expected");
    assert!(found.text.contains("bad: not as expected (1 Fail)"), "{}", found.text);
}

#[test]
fn a_cancelled_analysis_has_no_verdicts() {
    let context = context(
        Texts::default()
            .with("/p/flow.mmd", "sequenceDiagram\n  a->>b: m\n")
            .with("/p/flow-1.htf", "{[a] a!m; [b] b?m}"),
    );
    context.cancel.cancel();
    let found = language::verdicts(&context, Path::new("/p/flow.mmd"), None, Limits::default());
    assert!(matches!(found, Err(otus::Error::Stopped(_))), "{found:?}");
}

#[test]
fn formatting_is_that_of_fmt() {
    let context = context(project().with("/p/bad.hif", "seq(").with("/p/x.htf", "[a]  a!m"));
    let formatted = |path: &str| language::formatted(&context, Path::new(path));
    assert_eq!(formatted("/p/model.hif").unwrap(), None, "it is canonical");
    assert_eq!(formatted("/p/x.htf").unwrap().as_deref(), Some("{\n  [a] a!m\n}\n"));
    assert_eq!(formatted("/p/other/one.mmd").unwrap(), None);
    assert!(formatted("/p/bad.hif").is_err());
}

/// Every question about every kind of text, whole and cut, at many places.
#[test]
fn no_text_makes_a_question_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/broken");
    let mut texts: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(text) = text.filter(|it| language::is_known(&path) && it.len() < 4000) {
            texts.push((path.extension().unwrap().to_string_lossy().into_owned(), text));
        }
    }
    texts.push(("toml".to_owned(), SETTINGS.to_owned()));
    for (at, (ending, text)) in texts.iter().enumerate() {
        let cut = text.floor_char_boundary(text.len() * (at % 7 + 1) / 8);
        let path =
            if ending == "toml" { "/p/otus.toml".to_owned() } else { format!("/p/a.{ending}") };
        let path = Path::new(&path);
        for text in [text.as_str(), &text[..cut]] {
            let context = context(project().with(path, text));
            language::diagnose(&context, path);
            let _ = language::formatted(&context, path);
            language::symbols(&context, path);
            language::lenses(&context, path);
            for place in [0, text.len() / 3, text.len() / 2, text.len(), text.len() + 9] {
                language::hover(&context, path, place);
                language::complete(&context, path, place);
                language::definition(&context, path, place);
                let _ = language::rename(&context, path, place, "renamed");
            }
        }
    }
}
