//! Diagrams that PlantUML accepts, and samples for PlantUML to check.

use super::parse;
use super::round_trip::generated;
use crate::diagram::plantuml::write;
use crate::diagram::statement::StatementKind;
use crate::source::Source;

/// What files have around their diagrams and between their lines.
#[test]
fn marks_cases_and_comments_do_not_matter() {
    for text in [
        "\u{feff}@startuml\r\nA -> B : m\r\n@enduml\r\n",
        "\u{feff}A -> B : m\n",
        "@startUML\nA -> B : m\n@endUML\n",
        "@StartUml\nnote over A\n' a comment\nend note\nA -> B : m\n@EndUml\n",
    ] {
        let (outline, diagnostics) = parse(&Source::new("x", text));
        assert!(diagnostics.iter().all(|finding| !finding.is_error()), "{text}\n{diagnostics:?}");
        let is_message = |kind: &StatementKind| matches!(kind, StatementKind::Message(_));
        let messages = outline.statements.iter().filter(|one| is_message(&one.kind)).count();
        assert_eq!(messages, 1, "{text}");
        assert!(!format!("{:?}", outline.statements).contains("a comment"), "{text}");
    }
}

/// Constructs that versions of PlantUML after 1.2020 accept; `scripts/check-plantuml.sh` runs that version.
#[test]
fn diagrams_of_newer_versions_are_accepted() {
    let numbers = "autonumber 1 \"<b>AUTH-#</b>\"\nA -> B : n\nautonumber 1.1.1\nautonumber inc A";
    let text = format!("@startuml\nset separator none\nA -> B : m\n{numbers}\n@enduml\n");
    let (_, diagnostics) = parse(&Source::new("x", &*text));
    assert!(diagnostics.iter().all(|finding| !finding.is_error()), "{diagnostics:?}");
}

#[test]
fn diagrams_of_plantuml_are_accepted() {
    for text in ACCEPTED {
        let (outline, diagnostics) = parse(&Source::new("x", text));
        let errors: Vec<_> = diagnostics.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "{text}\n{errors:?}");
        assert!(!outline.statements.is_empty(), "{text}");
    }
}

/// Writes samples into the folder `OTUS_SAMPLES_OUT`, for `scripts/check-diagrams`.
#[test]
fn samples_are_left_for_plantuml() {
    let Some(folder) = std::env::var_os("OTUS_SAMPLES_OUT") else { return };
    let folder = std::path::PathBuf::from(folder);
    for (index, text) in ACCEPTED.iter().enumerate() {
        let text = format!("@startuml\n{text}\n@enduml\n");
        std::fs::write(folder.join(format!("accepted-{index:03}.puml")), text).expect("writable");
    }
    for seed in 0..300 {
        let text = write::spell(&generated(seed)).text;
        std::fs::write(folder.join(format!("written-{seed:03}.puml")), text).expect("writable");
    }
}

/// Diagrams that Otus accepts; `scripts/check-plantuml.sh` checks that PlantUML accepts them too.
const ACCEPTED: [&str; 53] = [
    "ref#gold over A, B : x\nA -> B : m",
    "A -> B : m\nB --> A : n\nA ->> B : o\nB -->> A : p",
    "A -\\ B : m\nA -\\\\ B : n\nA -/ B : o\nA --// B : p",
    "A ->x B : m\nA x-> B : n\nA ->o B : o\nA o->o B : p\nA -x B : q",
    "A <- B : m\nA <<-- B : n\nA \\- B : o\nA /-- B : p\nA x<- B : q",
    "A -[#red]> B : m\nA -[#red,dashed]-> B : n\nA <-[#0000FF]- B : o\nA [#red]-> B : p",
    "[-> A : m\n[<- A : n\nA ->] : o\nA <-] : p\n[o-> A : q\nA ->x] : r",
    "?-> A : m\nA ->? : n\n?<- A : o\nA <-? : p\n]-> A : q\nA ->[ : r",
    "\"Bob Smith\" -> A.b@c : m\n[-> \"Bob Smith\" : n",
    "\"Bob Smith\" as B -> A : m\nC as \"Carol\" -> B : n\nA -> \"Dan\" as D : o",
    "A -> B ++ : m\nB -> A -- : n\nA -> B ++ #gold : o\nA -> C ** : p\nA -> C !! : q",
    "A -> B ++ : m\nB -> C --++ : n",
    "A -> B [[http://x]] : m",
    "A -> B : m\\nn \\t \\\\ <U+0041> **b** <b>c</b> [[x]] {{ }} it's 100% /' x",
    "A -> B : a : b -> c; d",
    "A -> \\\nB : hello \\\n  there",
    "participant A\nactor B\nboundary C\ncontrol D\nentity E\ndatabase F\ncollections G\nqueue H",
    "participant A as \"Long\"\nparticipant \"Long\" as B\nparticipant Long as C\nparticipant \"a b\"",
    "participant A order 10 #red\nparticipant B <<x>> order 5\nparticipant C << (C,#ADD1B2) t >> #blue",
    "participant A [[http://x]]\nA -> B : m",
    "create A\nB -> A : m\ncreate actor \"C d\" as C\nB -> C : n\ncreate participant D\nB -> D : o",
    "alt ok\nA -> B : m\nelse not ok\nA -> B : n\nelse\nA -> B : o\nend",
    "opt\nA -> B : m\nend\nloop 10 times\nA -> B : m\nend\nbreak x\nA -> B : m\nend",
    "par\nA -> B : m\nelse\nA -> B : n\nalso\nA -> B : o\nend",
    "critical x\nA -> B : m\nend critical\ngroup\nA -> B : m\nend group",
    "group my own label [second label]\nA -> B : m\nend",
    "alt#Gold #LightBlue x\nA -> B : m\nelse #Pink y\nA -> B : m\nend\nopt #red x\nA -> B : m\nend",
    "ALT x\nA -> B : m\nELSE y\nEND\nParticipant C",
    "participant A\nalt\nelse\nend\nloop\nend\npar\nelse\nend",
    "group strict\nA -> B : m\nend\ngroup coreg(A, \"B c\")\nA -> B : m\nend\ngroup loopC(A)\nend",
    "' otus: strict\n' otus: synch\nA -> B : m\n' otus: end",
    "A -> B ++ : m\nreturn n\nA -> B : o\nreturn p\n[-> A ++ : q\nreturn #red r",
    "autoactivate on\nA -> B : m\nB -> C : n\nreturn o\nreturn p\nautoactivate off",
    "A -> B : m\nactivate B\nB -> A : n\ndeactivate B\ndestroy B",
    "A -> B : m\nactivate B #red\ndeactivate",
    "A -> B : m\nnote left: x\nnote right of A: y\nnote over A, \"B c\": z\nnote across: u",
    "A -> B : m\nhnote over A : x\nrnote over B : y\n/ note over A : z",
    "A -> B : m\nnote left\nx\nend note\nrnote over A\ny\nendrnote\nnote right of A #red\nz\nend note",
    "ref over A,B : text\nref over A\ntext\nend ref\nA -> B : m",
    "A -> B : m\n== part ==\n...\nA -> B : m\n...5 minutes...\nA -> B : m\n|||\n||45||\nA -> B : m",
    "A -> B : m\nnewpage\nA -> B : m\nnewpage title\nA -> B : m\nignore newpage\nautonewpage 10",
    "autonumber\nA -> B : m\nautonumber 10 10 \"<b>[000]\"\nA -> B : m\nautonumber stop\nautonumber resume 10",
    "title x\nheader y\ncenter footer z\ncaption c\nmainframe f\nA -> B : m",
    "title\nx\nend title\nheader\ny\nendheader\nlegend right\nz\nend legend\nA -> B : m",
    "skinparam x y\nskinparam sequence {\n a b\n c {\n d e\n }\n}\nA -> B : m",
    "<style>\na { b }\n</style>\nA -> B : m",
    "hide footbox\nscale 1.5\nskin rose\nfootbox off\nA -> B : m",
    "box \"x\" #red\nparticipant A\nend box\nbox y\nparticipant B\nendbox\nA -> B : m",
    "!pragma teoz true\n{s} A -> B : m\n{e} B -> A : n\n{s} <-> {e} : 5 s",
    "/' one '/ A -> B : m\nA -> B : n /' two '/\n/' three\nx\ny '/\n/' four '/ /' five '/\nA -> B : o",
    "loop -> end : m\nnote -> participant : m\nreturn -> alt : m\nx -> o : m",
    "title -> B : m\nA -> B : n",
    "été -> 名 : m\n1 -> 2 : n\n_ -> a.b : o",
];
