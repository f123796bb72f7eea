//! Tests of the preprocessor: text in, lines out.

use super::{Include, expand};
use crate::diagram::plantuml::line::Line;
use crate::parser::Findings;
use crate::source::{SourceId, Span, offset};

/// The lines of a text, and the messages about it.
fn expanded(text: &str, include: Option<&mut Include<'_>>) -> (Vec<String>, Vec<String>) {
    let mut findings = Findings::unbounded(SourceId(0));
    let lines = expand(text, Span::new(0, offset(text.len())), include, &mut findings);
    let shown = |line: &Line<'_>| line.text().to_owned();
    let lines = lines.iter().map(shown).filter(|line| !line.is_empty()).collect();
    (lines, findings.list.into_iter().map(|found| found.message).collect())
}

/// `;` stands for a line break.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (lines, messages) = expanded(&text.replace("; ", "\n"), None);
    assert!(messages.is_empty(), "{text}: {messages:?}");
    assert_eq!(lines.join("; "), expected, "{text}");
}

#[test]
fn variables_are_replaced() {
    check("!$a = \"x y\"; A -> B : $a.$a", "A -> B : x y.x y");
    check("A -> B : $a; !$a = 1; A -> B : $a$ab", "A -> B : $a; A -> B : 1$ab");
    check("!$a = 1 + 2 * 3; !$b ?= 4; !$a ?= 5; $a $b", "7 4");
    check("!$a = \"x\"; !$b = \"<\" + $a + \">\"; $b", "<x>");
    check("! $a = 'x'; $a", "x");
    check("!word = 3; word words", "3 words");
    check(
        "!$a = [\"x\", \"y\"]; !foreach $i in $a; A -> $i : m; !endfor",
        "A -> x : m; A -> y : m",
    );
    check("100% of it; %upper(\"x\") %date()", "100% of it; X %date()");
    check("' $a stays; !$a = 1; /' $a; $a '/; $a", "' $a stays; /' $a; $a '/; 1");
}

#[test]
fn conditions_choose_lines() {
    check("!$a = true; !if ($a != true); x; !elseif ($a == true); y; !else; z; !endif; w", "y; w");
    check("!$a = false; !if ($a); x; !endif; !if !$a; y; !endif", "y");
    check("!if (%true() && 1 < 2); x; !if (0 || 3 >= 4); y; !endif; !else; z; !endif", "x");
    check("!ifdef X; a; !endif; !ifndef X; b; !endif; !define X; !ifdef X; c; !endif", "b; c");
    check("!$i = 0; !while ($i < 3); n $i; !$i = $i + 1; !endwhile", "n 0; n 1; n 2");
    check("!if %not(%variable_exists(\"$q\")); x; !endif", "x");
    check("!if (\"a\" == \"a\") then; x; !endif", "x");
    check("!if (1 > 2); x", "");
    check("x; !endif", "x");
}

#[test]
fn definitions_are_expanded() {
    check("!define X hello; X XX", "hello XX");
    check("!define SEND(a, b) a -> b : m_##a; SEND(A, B)", "A -> B : m_A");
    check(
        "!definelong BOTH(a, b); a -> b : x; b -> a : y; !enddefinelong; BOTH(A, B)",
        "A -> B : x; B -> A : y",
    );
    check("!define X 1; !undef X; X", "X");
}

#[test]
fn procedures_and_functions_are_called() {
    check(
        "!procedure $p($a, $b = \"z\"); A -> B : $a$b; !endprocedure; $p(\"x\"); $p(\"x\", \"y\")",
        "A -> B : xz; A -> B : xy",
    );
    check("!procedure $p($a, $b); $a$b; !endprocedure; $p($b = 1, $a = 2)", "21");
    check(
        "!unquoted procedure send($a); A -> B : $a; !endprocedure; send(hello you)",
        "A -> B : hello you",
    );
    check(
        "!function $f($n); !if ($n <= 1); !return 1; !endif; !return $n * $f($n - 1); !endfunction; x $f(5)",
        "x 120",
    );
    check(
        "!function bold($t) !return \"<b>\" + $t + \"</b>\"; A -> B : bold(\"x\")",
        "A -> B : <b>x</b>",
    );
    check("!$g = 1; !procedure $p(); !$g = 2; !local $l = 3; !endprocedure; $p(); $g $l", "2 $l");
}

#[test]
fn files_are_included() {
    let text = "!include sub/a.iuml\n!includesub b.iuml!ONE\n!include_once sub/a.iuml\nend";
    let mut asked = Vec::new();
    let (lines, messages) = expanded(
        text,
        Some(&mut |path| {
            asked.push(path.to_owned());
            Some(
                match path {
                    "sub/a.iuml" => "@startuml\na\n!include c.iuml\n@enduml",
                    "sub/c.iuml" => "c",
                    "b.iuml" => "x\n!startsub ONE\none\n!endsub\ny",
                    _ => return None,
                }
                .to_owned(),
            )
        }),
    );
    assert_eq!(messages, [""; 0]);
    assert_eq!(lines, ["a", "c", "one", "end"]);
    assert_eq!(asked, ["sub/a.iuml", "sub/c.iuml", "b.iuml"]);
}

#[test]
fn files_that_are_not_included_are_named() {
    let text = "!include no.iuml\n!include ../up.iuml\n!include <C4/C4>\n!include https://x/y\nx";
    let (lines, messages) = expanded(text, Some(&mut |_| None));
    assert_eq!(lines, ["x"]);
    assert_eq!(
        messages,
        [
            "there is no file `no.iuml` to include",
            "`../up.iuml` is not read: it is outside of the folder of the diagram",
            "`<C4/C4>` is not read, so what it defines is missing",
            "`https://x/y` is not read, so what it defines is missing",
        ]
    );
}

#[test]
fn what_never_ends_is_ended() {
    for text in [
        "!while 1\nx\n!endwhile",
        "!procedure $p()\n$p()\n!endprocedure\n$p()",
        "!function $f() !return $f()\nx $f()",
        "!define X X X\nX",
        "!include self.puml",
        "!$a = \"xxxxxxxxxx\"\n!while 1\n!$a = $a + $a\n!endwhile",
        "!foreach $x in 1\n!while 1\n!endwhile\n!endfor",
    ] {
        let (_, messages) = expanded(text, Some(&mut |_| Some("!include self.puml".to_owned())));
        assert_eq!(messages.len(), 1, "{text}: {messages:?}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    let parts = [
        "!",
        "!if",
        "!else",
        "!endif",
        "!while (1",
        "!endwhile",
        "!foreach $x in [1, 2",
        "!endfor",
        "!procedure $p($a",
        "!procedure $p($a)",
        "!endprocedure",
        "$p(1, (2",
        "$p(1)",
        "!function f()",
        "!return",
        "!endfunction",
        "!define X(a) a##a",
        "X(",
        "X(é)",
        "!$a = (((",
        "!$a = -\"",
        "$a",
        "é$",
        "%",
        "%substr(\"é\", 1, 5)",
        "%substr(\"é\", -1)",
        "!$a = 9223372036854775807 * 2",
        "!$a = 1 / 0",
        "!include",
        "!include \"\"",
        "!definelong X(a)",
        "!enddefinelong",
        "/'",
        "'/",
        "!unquoted",
        "!undef X",
    ];
    let mut random = fastrand::Rng::with_seed(18);
    for _ in 0..3000 {
        let count = random.usize(1..12);
        let lines: Vec<&str> = (0..count).map(|_| parts[random.usize(..parts.len())]).collect();
        expanded(&lines.join("\n"), Some(&mut |_| Some("x\n!include y".to_owned())));
    }
}
