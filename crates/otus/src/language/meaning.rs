//! What the words of the languages mean, in a sentence and a law each.

/// A word with its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) name: &'static str,
    /// How it is written.
    pub(super) form: &'static str,
    pub(super) meaning: &'static str,
    /// An equation that holds for it; empty if there is none.
    pub(super) law: &'static str,
}

impl Word {
    /// The word for people, as Markdown.
    pub(super) fn page(&self) -> String {
        let law =
            if self.law.is_empty() { String::new() } else { format!("\n\nLaw: `{}`", self.law) };
        format!("**`{}`**\n\n{}{law}", self.form, self.meaning)
    }
}

const fn word(
    name: &'static str,
    form: &'static str,
    meaning: &'static str,
    law: &'static str,
) -> Word {
    Word { name, form, meaning, law }
}

/// The word of a list that a text spells.
pub(super) fn find(words: &'static [Word], text: &str) -> Option<&'static Word> {
    words.iter().find(|it| it.name == text)
}

/// The operators of interactions.
pub(super) const OPERATORS: &[Word] = &[
    word(
        "strict",
        "strict(x, y)",
        "All actions of x, on all lifelines, happen before any action of y.",
        "strict(x, strict(y, z)) = strict(x, y, z), strict(x, o) = x",
    ),
    word(
        "seq",
        "seq(x, y)",
        "On each lifeline, the actions of x happen before those of y. Different lifelines do not wait for each other.",
        "seq(x, y) = coreg()(x, y), seq(x, o) = x",
    ),
    word(
        "par",
        "par(x, y)",
        "Both happen, interleaved in any way.",
        "par(x, y) = par(y, x), par(x, o) = x",
    ),
    word(
        "coreg",
        "coreg(a, b)(x, y)",
        "Like `par` on the lifelines a and b, like `seq` on the others.",
        "coreg()(x, y) = seq(x, y); with all lifelines it is par(x, y)",
    ),
    word(
        "alt",
        "alt(x, y)",
        "Exactly one of the two happens; `alt(x, o)` is x or nothing.",
        "alt(x, y) = alt(y, x), alt(x, x) = x",
    ),
    word(
        "loopS",
        "loopS(x)",
        "Any number of x, including none. An iteration ends everywhere before the next begins.",
        "loopS(x) = alt(o, strict(x, loopS(x)))",
    ),
    word(
        "loopW",
        "loopW(x)",
        "Any number of x, including none. Each lifeline goes through the iterations in order, at its own pace.",
        "loopW(x) = alt(o, seq(x, loopW(x)))",
    ),
    word(
        "loopH",
        "loopH(x)",
        "The head-first loop of `hibou_label`, which is read as `loopW`.",
        "loopH(x) = loopW(x)",
    ),
    word(
        "loopP",
        "loopP(x)",
        "Any number of x, including none, interleaved in any way. `loopP(fresh v)(x)` gives each iteration a value of v of its own.",
        "loopP(x) = alt(o, par(x, loopP(x)))",
    ),
    word(
        "loopC",
        "loopC(a, b)(x)",
        "Any number of x, including none: like `loopP` on the lifelines a and b, like `loopW` on the others.",
        "loopC()(x) = loopW(x); with all lifelines it is loopP(x)",
    ),
    word(
        "loop_strict",
        "loop_strict(x)",
        "The spelling of 2020 of `loopS`: an iteration ends everywhere before the next begins.",
        "loop_strict(x) = loopS(x)",
    ),
    word(
        "loop_seq",
        "loop_seq(x)",
        "The spelling of 2020 of `loopW`: each lifeline goes through the iterations at its own pace.",
        "loop_seq(x) = loopW(x)",
    ),
    word(
        "loop_par",
        "loop_par(x)",
        "The spelling of 2020 of `loopP`: iterations interleave in any way.",
        "loop_par(x) = loopP(x)",
    ),
    word("new", "new(v)(x)", "One value of the variable v for all of x.", ""),
    word(
        "fresh",
        "loopP(fresh v)(x)",
        "Each iteration of the loop has a value of v of its own.",
        "",
    ),
    word("o", "o", "The empty interaction, also written ∅: nothing happens.", "seq(x, o) = x"),
    word(
        "synch",
        "a -- <synch> m -> b",
        "A rendez-vous: emission and reception are one indivisible step.",
        "",
    ),
    word(
        "asynch",
        "a -- <asynch> m -> b",
        "The same as without `<asynch>`: the message is sent, and received later.",
        "a -- <asynch> m -> b = strict(a!m, b?m)",
    ),
];

/// The sections of models, with the `@` before them.
pub(super) const SECTIONS: &[Word] = &[
    word("message", "@message{ m; n }", "Declares messages: what lifelines exchange.", ""),
    word("lifeline", "@lifeline{ a; b }", "Declares lifelines: the parts of the system.", ""),
    word(
        "analyze_option",
        "@analyze_option{ analysis_kind = prefix; … }",
        "Options of the papers' searches for a verdict.",
        "",
    ),
    word(
        "explore_option",
        "@explore_option{ strategy = BFS; … }",
        "Options of the exploration of all executions.",
        "",
    ),
    word("canonize_option", "@canonize_option{ search_all = true }", "Kept, and not needed.", ""),
];

/// The options of a `.hcf`, and the words of their values.
pub(super) const OPTIONS: &[Word] = &[
    word(
        "loggers",
        "loggers = [graphic[svg], tracegen[exact]]",
        "What a search writes: graphs, multi-traces, automata.",
        "",
    ),
    word(
        "strategy",
        "strategy = DFS",
        "The order in which a search visits nodes: `DFS`, `BFS` or `HCS`.",
        "",
    ),
    word(
        "filters",
        "filters = [max_depth = 20]",
        "Bounds of a search: `max_depth`, `max_loop_depth`, `max_node_number`.",
        "",
    ),
    word(
        "priorities",
        "priorities = [reception = 1, loop = -1]",
        "Which kinds of steps are tried before their siblings.",
        "",
    ),
    word(
        "analysis_kind",
        "analysis_kind = prefix",
        "The question: `accept`, `prefix`, `eliminate` or `simulate[…]`.",
        "",
    ),
    word(
        "goal",
        "goal = Pass",
        "The verdict that ends a search early: `Pass`, `WeakPass` or `None`.",
        "",
    ),
    word(
        "local_analysis",
        "local_analysis = true",
        "Whether each component is checked alone first: `true`, `false` or `front`.",
        "",
    ),
    word("memoize", "memoize = true", "Whether nodes that were explored before are skipped.", ""),
    word(
        "partial_order_reduction",
        "partial_order_reduction = true",
        "Whether only one of several equivalent orders of steps is explored.",
        "",
    ),
    word("DFS", "strategy = DFS", "Depth first.", ""),
    word("BFS", "strategy = BFS", "Breadth first.", ""),
    word("HCS", "strategy = HCS", "High coverage: parts that were not met yet come first.", ""),
    word("accept", "analysis_kind = accept", "Is the multi-trace a whole behaviour?", ""),
    word(
        "prefix",
        "analysis_kind = prefix",
        "Is it a prefix of a behaviour, which was cut everywhere at one moment?",
        "",
    ),
    word(
        "eliminate",
        "analysis_kind = eliminate",
        "Is each log a prefix, cut at any moment of its own?",
        "",
    ),
    word(
        "simulate",
        "analysis_kind = simulate[before = true]",
        "Is each log a part, whose end and beginning may be missing?",
        "",
    ),
    word("max_depth", "max_depth = 20", "The largest depth of nodes.", ""),
    word(
        "max_loop_depth",
        "max_loop_depth = 2",
        "The largest number of loops that are entered on a path.",
        "",
    ),
    word("max_node_number", "max_node_number = 1000", "The largest number of nodes.", ""),
    word("graphic", "graphic[svg, vertical]", "Draws the graph of the search.", ""),
    word(
        "tracegen",
        "tracegen[generation = exact, partition = discrete]",
        "Writes multi-traces.",
        "",
    ),
    word(
        "randomize",
        "priorities = [randomize = true]",
        "Steps with one priority are tried in a random order.",
        "",
    ),
];

/// The words that begin lines of Mermaid diagrams.
pub(super) const MERMAID: &[Word] = &[
    word("sequenceDiagram", "sequenceDiagram", "The first line of a sequence diagram.", ""),
    word(
        "participant",
        "participant A as Alice",
        "Declares a lifeline, and what its head shows.",
        "",
    ),
    word("actor", "actor A as Alice", "Declares a lifeline that is drawn as a person.", ""),
    word(
        "alt",
        "alt condition … else … end",
        "Exactly one of the parts happens.",
        "alt(x, y) = alt(y, x)",
    ),
    word("else", "else condition", "Begins the next part of an `alt`.", ""),
    word("opt", "opt condition … end", "The part or nothing happens.", "opt(x) = alt(x, o)"),
    word(
        "par",
        "par … and … end",
        "All parts happen, interleaved in any way.",
        "par(x, y) = par(y, x)",
    ),
    word("and", "and", "Begins the next part of a `par`.", ""),
    word(
        "loop",
        "loop 3 times … end",
        "Repeats its part. Free text means any number of times; `%% otus: loopS` above it changes how iterations follow each other.",
        "loopW(x) = alt(o, seq(x, loopW(x)))",
    ),
    word(
        "break",
        "break condition … end",
        "Happens in place of the rest of what is around it.",
        "seq(alt(b, rest))",
    ),
    word(
        "critical",
        "critical … option … end",
        "Always happens, and then at most one of its options.",
        "seq(x, alt(y, z, o))",
    ),
    word("option", "option text", "Begins an option of a `critical`.", ""),
    word("rect", "rect rgb(0, 0, 255) … end", "A coloured background without a meaning.", ""),
    word("box", "box Title … end", "A box around participants, without a meaning.", ""),
    word("note", "Note over A,B: text", "A note, without a meaning.", ""),
    word("Note", "Note over A,B: text", "A note, without a meaning.", ""),
    word("activate", "activate A", "Begins a bar on a lifeline, without a meaning.", ""),
    word("deactivate", "deactivate A", "Ends a bar on a lifeline, without a meaning.", ""),
    word("create", "create participant A", "The lifeline begins with its next message.", ""),
    word("destroy", "destroy A", "The lifeline ends with its next message.", ""),
    word("autonumber", "autonumber", "Numbers the arrows of the picture.", ""),
    word("title", "title text", "The title of the picture.", ""),
    word("end", "end", "Ends the innermost fragment.", ""),
];

/// The words that begin lines of PlantUML diagrams.
pub(super) const PLANTUML: &[Word] = &[
    word("@startuml", "@startuml", "Begins a diagram.", ""),
    word("@enduml", "@enduml", "Ends the diagram.", ""),
    word(
        "participant",
        "participant \"Alice\" as A",
        "Declares a lifeline, and what its head shows.",
        "",
    ),
    word("actor", "actor A", "Declares a lifeline that is drawn as a person.", ""),
    word("database", "database A", "Declares a lifeline that is drawn as a database.", ""),
    word("queue", "queue A", "Declares a lifeline that is drawn as a queue.", ""),
    word(
        "alt",
        "alt condition … else … end",
        "Exactly one of the parts happens.",
        "alt(x, y) = alt(y, x)",
    ),
    word(
        "else",
        "else condition",
        "Begins the next part: an alternative, or of a `par` what happens beside it.",
        "",
    ),
    word("opt", "opt condition … end", "The part or nothing happens.", "opt(x) = alt(x, o)"),
    word(
        "par",
        "par … else … end",
        "All parts happen, interleaved in any way.",
        "par(x, y) = par(y, x)",
    ),
    word(
        "loop",
        "loop 3 times … end",
        "Repeats its part. Free text means any number of times.",
        "loopW(x) = alt(o, seq(x, loopW(x)))",
    ),
    word(
        "break",
        "break condition … end",
        "Happens in place of the rest of what is around it.",
        "seq(alt(b, rest))",
    ),
    word("critical", "critical … end", "Its part happens.", ""),
    word(
        "group",
        "group strict … else … end",
        "An operator of Otus (`strict`, `coreg(a, b)`, `loopS`, …), or a frame without a meaning.",
        "",
    ),
    word("ref", "ref over A, B : text", "A reference, without a meaning.", ""),
    word("note", "note over A : text", "A note, without a meaning.", ""),
    word("activate", "activate A", "Begins a bar on a lifeline, without a meaning.", ""),
    word("deactivate", "deactivate A", "Ends a bar on a lifeline, without a meaning.", ""),
    word("return", "return message", "The reply to the latest call.", ""),
    word("create", "create A", "The lifeline begins with its next message.", ""),
    word("destroy", "destroy A", "The lifeline ends.", ""),
    word("title", "title text", "The title of the picture.", ""),
    word("autonumber", "autonumber", "Numbers the arrows of the picture.", ""),
    word("end", "end", "Ends the innermost fragment.", ""),
];

/// The directives in comments of diagrams, behind `otus:`.
pub(super) const DIRECTIVES: &[Word] = &[
    word(
        "strict",
        "otus: strict … otus: next … otus: end",
        "All actions of one part happen before any action of the next.",
        "strict(x, o) = x",
    ),
    word(
        "seq",
        "otus: seq … otus: end",
        "On each lifeline, one part happens after the other.",
        "seq(x, o) = x",
    ),
    word(
        "coreg",
        "otus: coreg(a, b) … otus: end",
        "Like `par` on the lifelines a and b, like `seq` on the others.",
        "coreg()(x, y) = seq(x, y)",
    ),
    word(
        "loopS",
        "otus: loopS",
        "Above a `loop`: an iteration ends everywhere before the next begins.",
        "loopS(x) = alt(o, strict(x, loopS(x)))",
    ),
    word(
        "loopW",
        "otus: loopW",
        "Above a `loop`: each lifeline goes through the iterations at its own pace.",
        "loopW(x) = alt(o, seq(x, loopW(x)))",
    ),
    word(
        "loopP",
        "otus: loopP(fresh v)",
        "Above a `loop`: iterations interleave in any way, each with a value of v of its own.",
        "loopP(x) = alt(o, par(x, loopP(x)))",
    ),
    word(
        "loopC",
        "otus: loopC(a, b)",
        "Above a `loop`: like `loopP` on the lifelines a and b, like `loopW` on the others.",
        "loopC()(x) = loopW(x)",
    ),
    word("synch", "otus: synch", "The next arrow is one indivisible step.", ""),
    word(
        "broadcast",
        "otus: broadcast … otus: end",
        "The arrows are one message that several lifelines receive.",
        "",
    ),
    word("environment", "otus: environment NAME", "The participant NAME is the environment.", ""),
    word("name", "otus: name ALIAS NAME", "The participant ALIAS is the lifeline NAME.", ""),
    word(
        "lifeline",
        "otus: lifeline a, b",
        "Declares lifelines that need no head in the picture.",
        "",
    ),
    word("message", "otus: message m, n", "Declares messages that the diagram does not use.", ""),
    word("values", "otus: values", "Brackets at the end of a label are guards.", ""),
    word("new", "otus: new(v) … otus: end", "One value of the variable v for the part.", ""),
    word(
        "critical",
        "otus: critical alt",
        "Above a `critical`: either its part or one of the options happens.",
        "",
    ),
    word("empty", "otus: empty", "The empty interaction as a statement.", "seq(x, o) = x"),
    word("next", "otus: next", "Begins the next operand of a directive.", ""),
    word("end", "otus: end", "Ends the operand of a directive.", ""),
];

/// The words of formulas.
pub(super) const FORMULAS: &[Word] = &[
    word("AG", "AG f", "In every order of events, f holds at every cut.", "AG f = !EF !f"),
    word("AF", "AF f", "In every order of events, f holds at some cut.", "AF f = !EG !f"),
    word("AX", "AX f", "After every next event, f holds.", "AX f = !EX !f"),
    word(
        "EG",
        "EG f",
        "In some order of events, f holds at every cut.",
        "EG f = f & EX EG f, or f at the last cut",
    ),
    word("EF", "EF f", "In some order of events, f holds at some cut.", "EF f = E[true U f]"),
    word("EX", "EX f", "After some next event, f holds.", ""),
    word(
        "A",
        "A[f U g]",
        "In every order of events, g holds at some cut, and f at all cuts before it.",
        "",
    ),
    word(
        "E",
        "E[f U g]",
        "In some order of events, g holds at some cut, and f at all cuts before it.",
        "",
    ),
    word("forall", "forall p != q in n*: f", "f holds for all processes.", ""),
    word("exists", "exists p in {a, b}: f", "f holds for some process.", ""),
    word("let", "let name = f", "Names a formula for those below it.", ""),
    word("last", "last(p)", "The label of the last event of a process.", ""),
    word("count", "count(p.label)", "The number of events of a process with a label.", ""),
    word("true", "true", "Holds at every cut.", ""),
    word("false", "false", "Holds at no cut.", ""),
];
