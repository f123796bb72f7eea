//! Valid texts from which inputs are made by mutation. Together they use every construct of every language, because a mutation
//! seldom invents a keyword.

/// `.hsf`, `.hif`, `.hcf` and the single file of 2020.
pub(super) const SPECS: &[&str] = &[
    "@message{ m1; m2 } @lifeline{ a; b; c }\nseq(a -- m1 -> b, alt(b -- m2 -> (a, c), o))",
    "@analyze_option{ loggers = [graphic=svg]; semantics = prefix; strategy = DFS; goal = Pass;
       frontier_priorities = [emission=0,reception=1,in_loop=-1] }
     @explore_option{ strategy = BFS; pre_filters = [ max_depth = 3, max_loop_depth = 1, max_node_number = 7 ] }
     @message{m;} @lifeline{a;b;} loop_seq(a -- m -> b)",
    "@explore_option{ loggers = [graphic[svg,vertical], tracegen[generation = exact, partition={(l1,l2),(l3)}]]; filters = [max depth = 35]; strategy = HCS; priorities = random }",
    "@analyze_option{ analysis_kind = simulate[before = true, loop max depth, reset = true, multiply = false, act num = 10]; priorities = [simu = -1, randomize = true]; goal = WeakPass; local_analysis = only front; memoize = true; partial_order_reduction = false; }",
    "@explore_option{ loggers = [graphic[format=png,layout=horizontal,draw_sd=true,draw_tt=False,draw_legend=⊥,output=x], nfa, tracegen[generation=modulo depth 3, trace_prefix=t]]; strategy = High Coverage Search } @canonize_option{ search_all = true }",
    "coreg(l2)(loopC(l1,l2)(l1 -- <synch>m -> l2), m -> l1, l2--m->|) /* c */ // d",
    "strict(a!m, loopW(o), /* open\n a!m)",
    "strict(loopS(a!m), loopW(∅), loopP(a?m), loopH(o), loop_seq(o), \"x y\" -- \"m\\\"\" -> b)",
    "// before\n@lifeline{ /* in */ a; // after a\n b }\n/* between */ @message{ m } // end\nseq( // open\n  a -- m -> b, /* x */\n  // own line\n  par(a!m, /* y */ b?m) // close\n)\n// last\n",
    "coreg()(a -- m -> b, coreg(a)(b -- m -> a, <synch>m -> (a, b)), loop_par(alt(a!m, loop_strict(b?m))))",
    "@message{ \"log in\"; \"a\\\\b\"; été } @lifeline{ \"user service\"; \"end\"; o }\nalt(\"user service\" -- \"log in\" -> \"end\", o -- été -> (\"user service\", \"end\"), o)",
    "@message{ PUBLISH; PUBREC } @lifeline{ client; broker }\nloopP(fresh m)(loopW(new(s)(seq(client -- PUBLISH[mid = m, qos in {1, 2}, client at s] -> broker, broker -- PUBREC[mid = m, client within 2.5s of s] -> client))))",
    "new(x, least)(seq(a!m[k = x, l < 0.25, n >= -1/3, t ~ \"p/*\", \"a.k\" != true], a -- m[a.k == x + 1, b.http.status > x - 0.5, =id] -> (b, c), a?m[a at least, k = \"q\\\"\"], loopC(a, b; fresh y)(a -- <synch> m[a at least 150ms after least, time <= least + 2s, k = y] -> b)))",
];

/// `.htf`.
pub(super) const TRACES: &[&str] = &[
    "[#all] a!m1.b?m1.b!m2.c?m2",
    "{ [a,b] b!m.a!m; [c] c?m.{c?m,c!n} }",
    "{ [#any] a!m; [#any]; } // end",
    "a!m./* x */b?m",
    "[\"user service\"] \"user service\"!\"log in\"",
    "[a] a!m.\n a?n; // one\n[b,c] /* two */ {b!m,c?m}.b!n; [d];",
    "{\n  // own line\n  [a] a!m;\n  [b] ;\n  [c] {c!m}.{ c?n , c!k }\n}\n",
    "[#all]",
    "[a] a!m(mid=7, topic=\"a/b\", ok=true, time=12.5).a?m(x=null,y=-1/3) . a!m ( z = 1.5e3 /* c */ ,\n time = \"2026-11-15T07:13:08.454Z\")",
    "{[a,b] {a!m(x=1), b?m(\"http.status\"=200)}.a!m(x=\"1\", time=5).a!m(time=4); [c] c?m()}",
    "[#all] a!m(x=123456789012345678901234567890, x=NaN, y=, =3, time=\"no\", q=\"(.;\")",
];

pub(super) const MERMAID: &[&str] = &[
    "sequenceDiagram\n  participant A as Alice\n  A->>B: m\n  alt x\n    B-->>A: n\n  else\n    Note over A: hi\n  end\n  loop 3 times\n    A-xB: k\n  end\n",
    "---\ntitle: t\n---\nsequenceDiagram\n%% otus: strict\nA->>+B: m\nB-)-A: n\n%% otus: end\npar p\nA->>B: x\nand q\nB->>A: y\nend\nbreak b\nA->>A: z\nend",
    "sequenceDiagram\n%% otus: environment env\n%% otus: loopC(A, B)\nloop 0..*\n%% otus: synch\nA->>env: m#59;n\nend\n%% otus: broadcast\nA->>B: m\nA->>C: m\n%% otus: end\nopt o\nrect rgb(0,0,0)\nA->>B: q\nend\nend",
    "%%{init: {'theme': 'dark'}}%%\nsequenceDiagram;autonumber;actor A;participant B@{ \"type\": \"database\" }\nbox blue Team\nparticipant C\nend\ncreate participant D as \"Dee\"\nA->>D: make\ndestroy D\nD-xA: gone\nlinks A: {\"x\": \"y\"}\nactivate A\ndeactivate A\nNote left of A: one<br>two\n",
    "sequenceDiagram\n%% otus: name x1 \"user service\"\n%% otus: lifeline a, \"b c\"\n%% otus: message m, \"n o\"\nparticipant x1 as user service\n%% otus: coreg(a, \"b c\")\nx1->>a: m\n%% otus: par\n%% otus: empty\na->>x1: m\n%% otus: end\n%% otus: end\n%% otus: alt\na->>a: n\n%% otus: seq\na->>x1: k\n%% otus: end\n%% otus: end\n",
    "sequenceDiagram\nloop 1..3\nA->>B: a\nloop until done\nbreak stop\nB->>A: b\nend\nA->>B: c\nend\nend\n%% otus: loopS\nloop *\nA->>B: d\nend\n%% otus: loopP\nloop 2,4\nB->>A: #35;e\nend\npar_over x\nA->>B: f\nand\nB->>A: g\nend\n",
    "sequenceDiagram\ncritical c\nA->>B: m\noption o\nB->>A: n\nend\nA<<->>B: both\nA-->B: dotted\nA->B: line\nA--xB: lost\nA--)B: later\n",
    "sequenceDiagram\n%% otus: values\n%% otus: loopP(fresh m)\nloop\n%% otus: new s, t\nA->>B: PUBLISH [mid = m, A at s, topic ~ \"a/*\"]\nB-->>A: PUBACK [mid = m, A within 2s of s, =id]\n%% otus: end\nend\n%% otus: broadcast\nA->>B: m [k = 1, B.l in {1, \"x\"}]\nA->>C: m [k = 1]\n%% otus: end\n%% otus: loopC(A, B; fresh x)\nloop\nA->>A: l [k = x + 0.5]\nend\n",
];

pub(super) const PLANTUML: &[&str] = &[
    "@startuml\nparticipant \"Alice\" as A\nA -> B : m\nactivate B\nalt x\n  B --> A : n\nelse y\n  A ->] : out\nend\nloop 1..*\n  [-> A : in\nend\ndeactivate B\n@enduml",
    "@startuml\ngroup strict\nA -> B : m\nB -> C : n\nend\ngroup coreg(B)\n' otus: synch\nA -[#red]> B ++ : m\nreturn ok\nend\nnote left of A : hi\n== div ==\n...\n@enduml",
    "A -> B: m\n/' block\n'/ B <- A : n\npar\nA -> B : x\nelse\nB -> A : y\nend\nbreak z\nA -> A : self\nend\nref over A, B : r\n' otus: empty",
    "@startuml t\n!theme plain\nskinparam x {\n a b\n}\ntitle T\nactor A #red\nbox \"b\"\nparticipant B\nend box\ncreate C\nA -> C : new\ndestroy C\nautonumber 10 10\nhide footbox\nnote over A, B\n text\nend note\nA ->x B : lost\nA ->o B : o\n?-> A : short\nA -\\\\ B : half\nA //-- B\nnewpage x\n|||\n||45||\n... later ...\n@enduml",
    "@startuml\n' otus: name x1 \"user service\"\nparticipant \"user service\" as x1\n' otus: lifeline a, \"b c\"\n' otus: message m, \"n o\"\ngroup loopC(a, \"b c\")\nx1 -> a : m\nend\ngroup loopS\na -> x1 : m\\nn\nend\ngroup broadcast\na -> x1 : k\na -> C : k\nend\ngroup par\n' otus: empty\nA -> B : q\nend\ngroup My own [label]\nA -> B : r\nend\n@enduml\n@startuml\nA -> B : second\n@enduml",
    "@startuml\nloop 2 times\nA -> B ++ #gold : call\nB -> C ++ : deep\nreturn one\nreturn two\nend\nopt o\nA -> B : s\nend\nloop 2,5\nbreak\nA -> B : t\nend\nA -> B : u\nend\ngroup seq\nalt\nA -> B : v\nelse\nelse w\nB -> A : w\nend\nend\nA -> \"New One\" as N : hi\nN --> A --++ : back\n@enduml",
    "@startuml\n' otus: values\n' otus: loopW(fresh m)\nloop\n{s} A -> B : req [mid = m]\nalt x\n{e} B -> A : rep [mid = m, status < 400]\nelse\nA -> C & D : all [k = \"a]\"]\nend\n{s} <-> {e} : within 2s on A\n{s} <-> {e} : at least 1ms\nend\n' otus: new(x)\nA -> A : l [A.k = x - 1/3]\n' otus: end\nA -> B ++ : c\nreturn r [=id]\n@enduml",
];

/// Markdown with diagrams in it.
pub(super) const MARKDOWN: &[&str] = &[
    "# Log in\n\n```mermaid\nsequenceDiagram\nA->>B: m\n```\n\nLog out\n-------\n~~~plantuml\n@startuml\nA -> B : n\n@enduml\n~~~\n",
    "- list\n\n  ```puml\n  A -> B : m\n  ```\n\n## Log in\n````mermaid\nflowchart LR\n````\n```mermaid\nsequenceDiagram\n",
    "> # Quoted `code` #\n> ```mermaid\n> sequenceDiagram\n> A->>B: m\n> ```\n\n1. one\n   ```mermaid {x}\n   sequenceDiagram\n   loop\n   ```\n\n    ```mermaid\n    not a fence\n\n<!-- ```mermaid -->\n\n# Twice\n# Twice\n``` mermaid\r\nsequenceDiagram\r\nA->>B: é\r\n```\r\n",
];

pub(super) const CASES: &[&str] = &[
    "{\"id\": \"v\", \"htf\": \"{[a] a!m(mid=7, t=\\\"x\\\", time=1); [b] b?m(mid=7)}\"}\n",
    "{\"id\": \"x\", \"htf\": \"{[a] a!m; [b] b?m}\", \"k\": 1}\n{\"htf\": \"\"}\n\n[1]\nnull\n{\"id\": 3}\n",
    "\u{feff}{\"htf\": \"[#all] a!m.b?m\", \"n\": 1e400, \"big\": 123456789012345678901234567890}\r\n{\"id\": null, \"htf\": \"\\u005ba\\u005d a!\\\"é \\\\\\\" x\\\"\"}\n{\"htf\": 3}\n{\"id\": [], \"htf\": \"\"} x\n",
];

/// `.pot.json`.
pub(super) const ORDERS: &[&str] = &[
    r#"{"processes":[{"name":"P1","events":[{"var":"w","val":1},{"var":"y","val":3},{"var":"x","val":0}]},{"name":"P2","events":[{"var":"x","val":4},{"var":"w","val":0}]}],"edges":[[["P1",1],["P2",2]],[[1,2],[0,2]]],"init":{"x":7}}"#,
    r#"{"edges": [[["a", 1], ["b", 2]], [["b", 1], ["a", 2]]], "init": {"t": "up", "q": 0.25}, "processes": [{"events": [{}, {"set": {"x": 1, "y": true}, "label": "m"}], "name": "a"}, {"name": "b", "events": [{"var": "q", "val": "1/3", "file": "b.log", "line": 3}, {"var": "t", "val": "down\n"}, {"label": "a!m"}]}, {"name": "idle"}]}"#,
    r#"{"processes":[{"name":"p","events":[{"var":"s","val":1},{"var":"s","val":2}]},{"name":"q","events":[{"var":"s","val":3}]},{"name":"r","events":[{"var":"s","val":-9007199254740993},{}]}],"edges":[[[0,1],[2,2]],[[2,1],[1,1]]]}"#,
    r#"{"processes":[]}"#,
    r#"{"processes":[{"name":"p","events":[{},{}]},{"name":"q","events":[{},{}]}],"edges":[[["p",2],["q",1]],[["q",2],["p",1]]]}"#,
];

/// `.ctl`.
pub(super) const FORMULAS: &[&str] = &[
    "# safety\nlet both = p.cs & q.cs\nsafe: AG !both # never\nlive: AG(p.req -> AF p.cs)\n",
    "E[x < 3 U y >= 1/2] | A[f W g] & E(a R b)\nEX f & AX g; EF(x = -1)\n-x < 3",
    "x + 2*y - 3 * (z - 1) <= 0.25 -> state in {up, \"a b\", 3} <-> last(p) != \"p!m\"",
    "count(p.sent) - count(`q q`.\"a!m\") <= 5 & never_two(leader, 1) & mutex(p.cs, q.cs)",
    "∀□(p → ∃◇ ¬q ∧ x ≠ 1 ∨ y ∈ {1}) ⇔ ⊤\nf EU g AU h\nnot x not in {1} iff true",
];

pub(super) const DIMACS: &[&str] = &[
    "c a comment\np cnf 3 2\n1 -3 0\n2 3 -1 0\n",
    "p cnf 4 3\n1 2\n-4 0 3 0\n0\n%\n0\n",
    "p cnf 2 2\n1 1 -1 0\n-2 2 1 0",
];
