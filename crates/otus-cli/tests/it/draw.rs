//! `otus draw`, and what other commands draw.

use crate::documented::order;
use crate::sandbox::{MODEL, SIGNATURE, Sandbox};

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::with_model(name);
    sandbox.write("model.hsf", &format!("{SIGNATURE}{MODEL}"));
    sandbox.write("run.pot.json", &order());
    sandbox
}

/// Runs `otus draw`; gives what it said on standard error.
#[track_caller]
fn said(sandbox: &Sandbox, arguments: &str, code: i32) -> String {
    let output = sandbox.otus(&format!("draw {arguments}")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
    said
}

#[test]
fn every_kind_is_drawn_in_every_form() {
    let sandbox = prepared("draw-kinds");
    let kinds = [
        ("model.hsf", "sequence"),
        ("model.hsf", "term"),
        ("model.hsf", "automaton"),
        ("model.hsf", "search"),
        ("model.hsf run.htf", "search"),
        ("model.hsf run.htf", "trace"),
        ("run.htf", "trace"),
        ("run.htf", "order"),
        ("run.pot.json", "order"),
        ("run.pot.json", "lattice"),
    ];
    for (files, what) in kinds {
        said(&sandbox, &format!("{files} --what {what} -o x.svg --theme auto"), 0);
        assert!(sandbox.read("x.svg").starts_with("<svg "));
        said(&sandbox, &format!("{files} --what {what} -o x.png --scale 0.5"), 0);
        let bytes = std::fs::read(sandbox.path("x.png")).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{files} {what}");
    }
    for what in ["search", "automaton"] {
        said(&sandbox, &format!("model.hsf --what {what} -o x.dot"), 0);
        assert!(sandbox.read("x.dot").starts_with("digraph"));
    }
    for kind in ["rules", "deterministic", "minimal"] {
        said(&sandbox, &format!("model.hsf --what automaton --automaton {kind} -o x.svg"), 0);
    }
}

#[test]
fn what_is_drawn_follows_from_the_files() {
    let sandbox = prepared("draw-implied");
    let title = |arguments: &str| {
        said(&sandbox, &format!("{arguments} -o x.svg"), 0);
        let svg = sandbox.read("x.svg");
        svg.split("</title>").next().unwrap().split('>').next_back().unwrap().to_owned()
    };
    assert_eq!(title("sig.hsf model.hif"), "Sequence diagram of sig.hsf, model.hif");
    assert_eq!(title("model.hsf run.htf"), "Multi-trace of model.hsf, run.htf");
    assert_eq!(title("run.pot.json"), "Space-time diagram of run.pot.json");
}

#[test]
fn without_a_file_text_is_printed() {
    let sandbox = prepared("draw-text");
    for (arguments, part) in [
        ("model.hsf", "┌─[loop seq]"),
        ("model.hsf --ascii", "loop seq"),
        ("model.hsf --what term", "loopW("),
        ("run.htf", "broker?subscribe"),
        ("run.pot.json", "p.critical"),
    ] {
        let output = sandbox.otus(&format!("draw {arguments}")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(part), "{arguments}: {text}");
        assert!(!arguments.contains("ascii") || text.is_ascii(), "{text}");
    }
    let output = sandbox.otus("draw model.hsf -o -").output().unwrap();
    assert!(output.stdout.starts_with(b"<svg "));
    assert!(said(&sandbox, "model.hsf --width 10", 2).contains("columns"));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let sandbox = prepared("draw-faults");
    sandbox.write("bad.hif", "seq(a -- m -> ");
    for (arguments, part) in [
        ("model.hsf -o x.pdf", "use .svg, .png"),
        ("model.hsf -o x.hif", "otus convert"),
        ("model.hsf -o x.dot", "only searches and automata"),
        ("model.hsf --what automaton", "add -o picture.svg"),
        ("model.hsf --what search", "add -o search.svg"),
        ("run.htf --what term -o x.svg", "add the specification"),
        ("model.hsf --what trace -o x.svg", "this is a picture of a trace, and none is given"),
        ("run.pot.json model.hsf -o x.svg", "leave out the other files"),
        (
            "model.hsf --what term --step publisher!nothing -o x.svg",
            "possible are subscriber!subscribe@11",
        ),
        ("run.pot.json --cut q=2 -o x.svg", "is not a cut"),
        ("run.pot.json --cut p=9 -o x.svg", "p has 3 events, not 9"),
        ("run.pot.json --cut r=1 -o x.svg", "no process `r`"),
        ("run.pot.json --cut nonsense -o x.svg", "p=1,q=2"),
        ("run.pot.json --what lattice --max-nodes 3 -o x.svg", "more than 3 cuts"),
        ("model.hsf -o no/folder/x.svg", "there is no folder"),
        ("model.hsf -o x.png --scale 0", "--scale takes"),
        ("model.hsf -o x.png --scale 1000", "too large"),
        ("model.hsf -o x.png --font no.ttf", "cannot read no.ttf"),
        ("sig.hsf bad.hif -o x.svg", "error["),
        ("nothing.hsf -o x.svg", "nothing.hsf"),
    ] {
        let said = said(&sandbox, arguments, 2);
        assert!(said.contains(part), "{arguments}: {said}");
        assert!(!sandbox.path("x.svg").exists(), "{arguments}");
    }
}

#[test]
fn loggers_of_options_are_regarded() {
    let sandbox = prepared("draw-loggers");
    let options = "@analyze_option{ loggers = [graphic[png, horizontal]] }\n\
                   @explore_option{ loggers = [graphic[svg, draw_tt = true, output = tree], nfa]; filters = [max_depth = 2] }\n";
    sandbox.write("conf.hcf", options);
    sandbox.otus("analyze model.hsf run.htf conf.hcf").assert().code(0);
    assert!(std::fs::read(sandbox.path("model.png")).unwrap().starts_with(b"\x89PNG"));
    sandbox.otus("explore model.hsf conf.hcf").assert().code(0);
    assert!(sandbox.read("tree.svg").starts_with("<svg "));
    assert!(sandbox.read("model_nfa.svg").starts_with("<svg "));
    // Of many, none is drawn, and that is said.
    std::fs::remove_file(sandbox.path("model.png")).unwrap();
    sandbox.write("run2.htf", &sandbox.read("run.htf"));
    let output = sandbox.otus("analyze model.hsf run.htf run2.htf conf.hcf").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("draws one analysis"));
    assert!(!sandbox.path("model.png").exists());
}

#[test]
fn the_run_that_shows_an_answer_is_drawn() {
    let sandbox = prepared("draw-run");
    sandbox.otus("ctl run.pot.json EF(x=1) --draw why.svg").assert().code(0);
    assert!(sandbox.read("why.svg").contains("A run that shows EF"));
    let output = sandbox.otus("ctl run.pot.json AG(x<9) --draw no.svg").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no.svg was not written"), "{said}");
}

#[test]
fn a_verdict_is_told_although_its_picture_is_too_large() {
    let sandbox = prepared("draw-large");
    let output =
        sandbox.otus("analyze model.hsf run.htf --graph x.png --scale 300").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("run: WeakPass"));
    assert!(said.contains("is too large for PNG, so it is written as SVG"), "{said}");
    assert!(said.contains("wrote x.svg\n") && !sandbox.path("x.png").exists(), "{said}");
    assert!(sandbox.read("x.svg").starts_with("<svg "));
    for call in [
        "explore model.hsf --filters [max_depth=2] --graph y.png --scale 300",
        "analyze model.hsf run.htf --coverage=y.png --scale 300",
        "ctl run.pot.json EF(x=1) --draw y.png --scale 300",
    ] {
        sandbox.otus(call).assert().code(0);
        assert!(sandbox.path("y.svg").exists() && !sandbox.path("y.png").exists(), "{call}");
        std::fs::remove_file(sandbox.path("y.svg")).unwrap();
    }
}

#[test]
fn pictures_of_searches_tell_their_options() {
    let sandbox = prepared("draw-legend");
    sandbox
        .otus("analyze model.hsf run.htf --strategy BFS --filters [max_depth=30] --graph x.svg")
        .assert()
        .code(0);
    let legend = [
        "process = analysis",
        "analysis_kind = prefix",
        "goal = Pass",
        "verdict = WeakPass",
        "strategy = BFS",
        "priorities = []",
        "filters = [max_depth = 30]",
    ];
    let picture = sandbox.read("x.svg");
    assert!(legend.iter().all(|line| picture.contains(line)), "{picture}");
    sandbox.write("conf.hcf", "@analyze_option{ loggers = [graphic[svg, draw_legend = false]] }");
    sandbox.otus("analyze model.hsf run.htf conf.hcf").assert().code(0);
    assert!(!sandbox.read("model.svg").contains("process = analysis"));
}
