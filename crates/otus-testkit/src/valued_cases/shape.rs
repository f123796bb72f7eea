//! Random interactions with values, as trees that print as text.

use super::{LIFELINES, MESSAGES};

/// What random cases are like.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "switches, independent of each other")]
pub struct Flavor {
    /// The number of lifelines that are used.
    pub lifelines: usize,
    /// The number of messages that are used.
    pub messages: usize,
    /// The number of leaves of an interaction, at most.
    pub leaves: usize,
    /// The number of events of an execution, at most.
    pub events: usize,
    /// The number of fields beside `time`: 1 or 2. The second one is mostly for texts.
    pub fields: usize,
    /// Whether there are times.
    pub times: bool,
    /// Whether strict comparisons and disequalities of times are made.
    pub odd_times: bool,
    /// The largest value and reading of executions.
    pub span: i64,
    /// Whether there are offsets, patterns, orders and texts.
    pub rich: bool,
    /// Whether a guard may compare one field with several variables, or set several anchors.
    pub doubled: bool,
    /// Whether the clocks of most components go backwards somewhere.
    pub backwards: bool,
    /// Whether all messages of some parallel loops carry the key of their session.
    pub keyed: bool,
    /// Whether such loops are inside others, or between messages that are not in a loop.
    pub nested: bool,
    /// Whether most questions are about slices.
    pub slices: bool,
    /// Whether some events know their peers.
    pub peers: bool,
    /// Whether some orders between events of different components were observed.
    pub edges: bool,
}

impl Flavor {
    /// Cases for engines.
    pub fn small() -> Flavor {
        Flavor {
            lifelines: 3,
            messages: 2,
            leaves: 4,
            events: 7,
            fields: 2,
            times: true,
            odd_times: false,
            span: 4,
            rich: true,
            doubled: false,
            backwards: false,
            keyed: false,
            nested: false,
            slices: false,
            peers: false,
            edges: false,
        }
    }

    /// Cases with clocks that go backwards.
    pub fn backwards() -> Flavor {
        Flavor { backwards: true, span: 3, ..Flavor::small() }
    }

    /// Cases for the engine of sessions.
    pub fn keyed() -> Flavor {
        Flavor { messages: 3, leaves: 3, events: 8, keyed: true, ..Flavor::small() }
    }

    /// Cases for the engine of sessions inside sessions.
    pub fn nested() -> Flavor {
        Flavor { nested: true, leaves: 2, ..Flavor::keyed() }
    }

    /// Cases for the equations.
    pub fn tiny(times: bool) -> Flavor {
        Flavor {
            lifelines: 2,
            messages: 2,
            leaves: 3,
            events: 3,
            fields: 1,
            times,
            odd_times: true,
            span: 2,
            rich: false,
            doubled: true,
            backwards: false,
            keyed: false,
            nested: false,
            slices: false,
            peers: false,
            edges: false,
        }
    }
}

/// An interaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// ∅
    Empty,
    /// A message.
    Leaf(Leaf),
    /// `strict`, `seq`, `par`, `alt` or `coreg(…)` of operands.
    Operator(String, Vec<Shape>),
    /// A loop: its name, its region, its fresh variables, its body.
    Loop(&'static str, Option<&'static str>, Vec<String>, Box<Shape>),
    /// `new(x, …)`
    New(Vec<String>, Box<Shape>),
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The sender.
    pub from: Option<usize>,
    /// The receivers.
    pub to: Vec<usize>,
    /// Whether it is a rendez-vous.
    pub synchronous: bool,
    /// The message.
    pub message: usize,
    /// The atoms of its guard.
    pub atoms: Vec<String>,
}

/// A variable in scope; an anchor has the lifeline that sets it.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    anchor: Option<usize>,
}

struct Maker<'a> {
    rng: &'a mut fastrand::Rng,
    flavor: &'a Flavor,
    names: usize,
    /// The messages that leaves may have.
    messages: std::ops::Range<usize>,
    /// The variables that all leaves carry, and their fields.
    keys: Vec<(String, &'static str)>,
}

impl Shape {
    /// A random interaction.
    pub fn random(rng: &mut fastrand::Rng, flavor: &Flavor) -> Shape {
        let leaves = rng.usize(1..=flavor.leaves);
        let mut maker = Maker::new(rng, flavor);
        if flavor.nested {
            maker.nested()
        } else if flavor.keyed {
            maker.keyed()
        } else {
            maker.shape(leaves, &[], 0)
        }
    }

    /// A random interaction in which a variable is in scope.
    pub fn random_with(rng: &mut fastrand::Rng, flavor: &Flavor, variable: &str) -> Shape {
        let leaves = rng.usize(1..=flavor.leaves);
        let scope = [Variable { name: variable.to_owned(), anchor: None }];
        Maker::new(rng, flavor).shape(leaves, &scope, 1)
    }

    /// The interaction as text.
    pub fn text(&self) -> String {
        match self {
            Shape::Empty => "o".to_owned(),
            Shape::Leaf(leaf) => leaf.text(),
            Shape::Operator(name, operands) => {
                let operands: Vec<String> = operands.iter().map(Shape::text).collect();
                format!("{name}({})", operands.join(", "))
            }
            Shape::Loop(name, region, fresh, body) => {
                let fresh = (!fresh.is_empty()).then(|| format!("fresh {}", fresh.join(", ")));
                let head: Vec<&str> = region.iter().copied().chain(fresh.as_deref()).collect();
                let head = head.join("; ");
                let head = if head.is_empty() { head } else { format!("({head})") };
                format!("{name}{head}({})", body.text())
            }
            Shape::New(names, body) => format!("new({})({})", names.join(", "), body.text()),
        }
    }
}

impl Leaf {
    fn text(&self) -> String {
        let guard = if self.atoms.is_empty() {
            String::new()
        } else {
            format!("[{}]", self.atoms.join(", "))
        };
        let message = format!("{}{guard}", MESSAGES[self.message]);
        let to: Vec<&str> = self.to.iter().map(|&to| LIFELINES[to]).collect();
        let target =
            if let [only] = *to { only.to_owned() } else { format!("({})", to.join(", ")) };
        let synch = if self.synchronous { "<synch> " } else { "" };
        match self.from {
            Some(from) if to.is_empty() => format!("{}!{message}", LIFELINES[from]),
            Some(from) => format!("{} -- {synch}{message} -> {target}", LIFELINES[from]),
            None => format!("{message} -> {target}"),
        }
    }
}

impl<'a> Maker<'a> {
    fn new(rng: &'a mut fastrand::Rng, flavor: &'a Flavor) -> Self {
        Maker { rng, flavor, names: 0, messages: 0..flavor.messages, keys: Vec::new() }
    }

    /// Parts that share no message, most of them sessions with keys.
    fn keyed(&mut self) -> Shape {
        let parts = *self.rng.choice(&[1, 1, 1, 2, 2, 3]).unwrap_or(&1);
        let all = self.flavor.messages;
        let mut shapes = Vec::new();
        for part in 0..parts {
            self.messages = part * all / parts..(part + 1) * all / parts;
            let leaves = self.rng.usize(1..=self.flavor.leaves.div_ceil(parts).max(2));
            let is_session = part == 0 || self.rng.bool();
            shapes.push(if is_session {
                self.sessions(leaves)
            } else {
                self.shape(leaves, &[], 2)
            });
        }
        self.rng.shuffle(&mut shapes);
        let name = *self.rng.choice(&["seq", "strict", "par"]).unwrap_or(&"par");
        match <[Shape; 1]>::try_from(shapes) {
            Ok([only]) => only,
            Err(shapes) => Shape::Operator(name.to_owned(), shapes),
        }
    }

    /// Sessions between other messages, most often inside other sessions.
    fn nested(&mut self) -> Shape {
        if self.rng.u8(..4) == 0 {
            let body = self.around(&[]);
            return if self.rng.u8(..4) == 0 { repeated("loopW", Vec::new(), body) } else { body };
        }
        let mut scope = Vec::new();
        let key = self.bind_value(&mut scope);
        self.keys.push((key.clone(), "g"));
        let mut others = Vec::new();
        if self.rng.u8(..4) == 0 {
            others.push(self.bind(&mut scope));
        }
        let mut body = self.around(&scope);
        self.keys.pop();
        if !others.is_empty() {
            body = Shape::New(others, Box::new(body));
        }
        self.loop_of(key, body)
    }

    /// Sessions, mostly with messages before or after them.
    fn around(&mut self, scope: &[Variable]) -> Shape {
        let all = self.flavor.messages;
        let is_shared = self.rng.u8(..16) == 0;
        let part = |maker: &mut Self, number: usize| {
            maker.messages = if is_shared { 0..all } else { number..number + 1 };
            maker.shape(1, scope, 3)
        };
        let before = (self.rng.u8(..3) > 0).then(|| part(self, 0));
        let after = (self.rng.u8(..3) > 0).then(|| part(self, all - 1));
        self.messages = 1..all - 1;
        let leaves = self.rng.usize(1..=self.flavor.leaves);
        // Rarely the inner sessions mention variables from outside.
        let outer = if self.rng.u8(..12) == 0 { scope } else { &[] };
        let inner = self.sessions_in(leaves, outer);
        let operands: Vec<Shape> = before.into_iter().chain([inner]).chain(after).collect();
        let names = ["seq", "seq", "seq", "strict", "par", "alt", "coreg(a)"];
        let name = *self.rng.choice(&names).unwrap_or(&"seq");
        match <[Shape; 1]>::try_from(operands) {
            Ok([only]) => only,
            Err(operands) => Shape::Operator(name.to_owned(), operands),
        }
    }

    /// `loopP(fresh x)(i)`, `loopP(new(x)(i))` or `loopP(fresh x)(loopW(i))`, in which all leaves carry x.
    fn sessions(&mut self, leaves: usize) -> Shape {
        self.sessions_in(leaves, &[])
    }

    fn sessions_in(&mut self, leaves: usize, scope: &[Variable]) -> Shape {
        let mut scope = scope.to_vec();
        let key = self.bind_value(&mut scope);
        let field = if !self.flavor.nested && self.rng.u8(..8) == 0 { "g" } else { "f" };
        self.keys.push((key.clone(), field));
        let mut others = Vec::new();
        while self.rng.u8(..3) == 0 && others.len() < 2 {
            others.push(self.bind(&mut scope));
        }
        let mut body = self.shape(leaves, &scope, 1);
        self.keys.pop();
        if !others.is_empty() {
            body = Shape::New(others, Box::new(body));
        }
        self.loop_of(key, body)
    }

    /// A loop of sessions with a key.
    fn loop_of(&mut self, key: String, body: Shape) -> Shape {
        match self.rng.u8(..6) {
            0..3 => repeated("loopP", vec![key], body),
            3 => repeated("loopP", vec![key], repeated("loopW", Vec::new(), body)),
            _ => repeated("loopP", Vec::new(), Shape::New(vec![key], Box::new(body))),
        }
    }

    fn shape(&mut self, leaves: usize, scope: &[Variable], depth: usize) -> Shape {
        let binds = depth < 4 && scope.len() < 3;
        match self.rng.u8(..20) {
            0..4 if binds => {
                let mut inner = scope.to_vec();
                let mut names = Vec::new();
                for _ in 0..self.rng.usize(1..=2) {
                    names.push(self.bind(&mut inner));
                }
                Shape::New(names, Box::new(self.shape(leaves, &inner, depth + 1)))
            }
            4..8 if depth < 4 => self.repetition(leaves, scope, depth, binds),
            _ if leaves > 1 => {
                let left = self.rng.usize(1..leaves);
                let operands =
                    [left, leaves - left].map(|leaves| self.shape(leaves, scope, depth + 1));
                let name = match self.rng.u8(..12) {
                    0..2 => "strict",
                    2..6 => "seq",
                    6..8 => "par",
                    8 => "coreg(a)",
                    9 => "coreg(b)",
                    _ => "alt",
                };
                Shape::Operator(name.to_owned(), operands.into())
            }
            _ => Shape::Leaf(self.leaf(scope)),
        }
    }

    fn repetition(
        &mut self,
        leaves: usize,
        scope: &[Variable],
        depth: usize,
        binds: bool,
    ) -> Shape {
        let (name, region) = match self.rng.u8(..8) {
            0 | 1 => ("loopS", None),
            2 | 3 => ("loopW", None),
            4..7 => ("loopP", None),
            _ => ("loopC", Some(*self.rng.choice(&["a", "b", "a, b"]).unwrap_or(&"a"))),
        };
        let mut inner = scope.to_vec();
        let mut fresh = Vec::new();
        if binds && self.rng.u8(..3) > 0 {
            for _ in 0..if self.rng.u8(..6) == 0 { 2 } else { 1 } {
                fresh.push(self.bind_value(&mut inner));
            }
        }
        Shape::Loop(name, region, fresh, Box::new(self.shape(leaves, &inner, depth + 1)))
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn bind_value(&mut self, scope: &mut Vec<Variable>) -> String {
        let name = self.name();
        scope.push(Variable { name: name.clone(), anchor: None });
        name
    }

    fn bind(&mut self, scope: &mut Vec<Variable>) -> String {
        if !self.flavor.times || self.rng.bool() {
            return self.bind_value(scope);
        }
        let name = self.name();
        let anchor = Some(self.rng.usize(..self.flavor.lifelines));
        scope.push(Variable { name: name.clone(), anchor });
        name
    }

    fn leaf(&mut self, scope: &[Variable]) -> Leaf {
        let count = self.flavor.lifelines;
        let from = self.rng.usize(..count);
        let mut others: Vec<usize> = (0..count).filter(|&other| other != from).collect();
        self.rng.shuffle(&mut others);
        let message = self.rng.usize(self.messages.clone());
        let (from, to, synchronous) = match self.rng.u8(..12) {
            0..4 => (Some(from), Vec::new(), false),
            4..9 => (Some(from), vec![others[0]], false),
            9 => (None, vec![from], false),
            10 => (Some(from), others, false),
            _ => {
                others.truncate(1);
                (Some(from), others, true)
            }
        };
        let ends: Vec<usize> = from.into_iter().chain(to.iter().copied()).collect();
        let mut atoms: Vec<String> = Vec::new();
        for (key, field) in self.keys.clone() {
            // Rarely one action does not carry it.
            let at = if self.rng.u8(..24) == 0 {
                format!("{}.", LIFELINES[*self.rng.choice(&ends).unwrap_or(&0)])
            } else {
                String::new()
            };
            atoms.push(format!("{at}{field} = {key}"));
        }
        let most = if scope.is_empty() { 1 } else { 2 };
        for _ in 0..self.rng.usize(..=most).max(usize::from(self.rng.bool())) {
            let atom = self.atom(scope, &ends);
            let is_doubled = |atom: &String| {
                ["f", "g", "time"].iter().any(|field| {
                    compares(atom, field) && atoms.iter().any(|other| compares(other, field))
                })
            };
            atoms.extend(atom.filter(|atom| self.flavor.doubled || !is_doubled(atom)));
        }
        Leaf { from, to, synchronous, message, atoms }
    }

    fn number(&mut self) -> i64 {
        self.rng.i64(1..=3.min(self.flavor.span))
    }

    /// An atom for a message between these lifelines; `None` if the one chosen does not fit.
    fn atom(&mut self, scope: &[Variable], ends: &[usize]) -> Option<String> {
        let field = if self.flavor.fields > 1 && self.rng.u8(..4) == 0 { "g" } else { "f" };
        let at = if self.rng.u8(..5) == 0 {
            format!("{}.", LIFELINES[*self.rng.choice(ends)?])
        } else {
            String::new()
        };
        let chosen = if self.rng.u8(..5) > 0 { self.rng.choice(scope) } else { None };
        if let Some(Variable { name, anchor: Some(lifeline) }) = chosen {
            return self.time_atom(name, *lifeline, ends);
        }
        if let Some(Variable { name, .. }) = chosen {
            return Some(match self.rng.u8(..14) {
                0 if self.flavor.rich => format!("{at}{field} = {name} + 1"),
                1 if self.flavor.rich => format!("{at}{field} < {name}"),
                2 if self.flavor.rich => format!("{at}{field} >= {name} - 1"),
                3 => format!("{at}{field} != {name}"),
                _ => format!("{at}{field} = {name}"),
            });
        }
        let number = self.number();
        Some(match self.rng.u8(..14) {
            0..3 => format!("{at}{field} = {number}"),
            3 | 4 => format!("{at}{field} != {number}"),
            5 => format!("{at}{field} < {number}"),
            6 => format!("{at}{field} >= {number}"),
            7 => format!("{at}{field} in {{{number}, {}}}", self.number()),
            8 if self.flavor.rich => format!("{at}g ~ \"p*\""),
            9 if self.flavor.rich => format!("{at}g = \"p1\""),
            10 if self.flavor.rich => format!("{at}g in {{\"p1\", 2, true}}"),
            _ => format!("={field}"),
        })
    }

    fn time_atom(&mut self, name: &str, lifeline: usize, ends: &[usize]) -> Option<String> {
        let (most, least) = (self.rng.i64(0..=2), self.rng.i64(1..=2));
        let here = *self.rng.choice(ends)?;
        // Mostly on the clock of the anchor.
        let other = if ends.contains(&lifeline) && self.rng.u8(..4) > 0 { lifeline } else { here };
        let other = LIFELINES[other];
        Some(match self.rng.u8(..10) {
            0..4 if ends.contains(&lifeline) => format!("{} at {name}", LIFELINES[lifeline]),
            4..7 => format!("{other} within {most}ns of {name}"),
            7 if self.flavor.odd_times => format!("{other}.time < {name} + {least}ns"),
            8 if self.flavor.odd_times && other == LIFELINES[lifeline] => {
                format!("{other}.time != {name} + {most}ns")
            }
            _ => format!("{other} at least {least}ns after {name}"),
        })
    }
}

fn repeated(name: &'static str, fresh: Vec<String>, body: Shape) -> Shape {
    Shape::Loop(name, None, fresh, Box::new(body))
}

/// Whether an atom compares a field with a variable.
fn compares(atom: &str, field: &str) -> bool {
    if field == "time" {
        return atom.contains(" at x");
    }
    let is_own = atom.contains(&format!("{field} ")) || atom == format!("={field}");
    is_own && (atom.contains('x') || atom.starts_with('='))
}
