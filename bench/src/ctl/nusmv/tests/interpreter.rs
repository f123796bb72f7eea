//! A brute-force interpreter of the part of `NuSMV` that the translation uses: it enumerates all states and all pairs of
//! states, and computes sets of states as fixpoints over infinite paths. It has no notion of traces and cuts.

use std::collections::BTreeMap;

/// A parsed text.
pub(super) struct Model {
    variables: Vec<(String, i64)>,
    definitions: BTreeMap<String, Term>,
    initial: Term,
    steps: Term,
    specifications: Vec<Term>,
}

#[derive(Debug, Clone)]
enum Term {
    Number(i64),
    Name(String),
    Next(String),
    Not(Box<Term>),
    Binary(String, Box<Term>, Box<Term>),
    Case(Vec<(Term, Term)>),
    /// `EX f` and so on.
    Path(String, Box<Term>),
    /// `E [f U g]` and `A [f U g]`.
    Until(bool, Box<Term>, Box<Term>),
}

/// The values of the variables.
type Valuation = Vec<i64>;

impl Model {
    pub(super) fn read(text: &str) -> Model {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("MODULE main"));
        let nothing = Term::Number(0);
        let mut model = Model {
            variables: Vec::new(),
            definitions: BTreeMap::new(),
            initial: nothing.clone(),
            steps: nothing,
            specifications: Vec::new(),
        };
        for line in lines {
            let (keyword, rest) = line.split_once(' ').unwrap();
            match keyword {
                "VAR" => {
                    let (name, range) = rest.strip_suffix(';').unwrap().split_once(" : ").unwrap();
                    let (low, high) = range.split_once("..").unwrap();
                    assert_eq!(low, "0");
                    model.variables.push((name.into(), high.parse().unwrap()));
                }
                "DEFINE" => {
                    let (name, body) = rest.strip_suffix(';').unwrap().split_once(" := ").unwrap();
                    let before = model.definitions.insert(name.into(), term(body));
                    assert!(before.is_none(), "{name} is defined twice");
                }
                "INIT" => model.initial = term(rest),
                "TRANS" => model.steps = term(rest),
                "CTLSPEC" => model.specifications.push(term(rest)),
                _ => panic!("{line}"),
            }
        }
        model
    }

    /// Whether each specification holds at the initial state.
    pub(super) fn check(&self) -> Vec<bool> {
        let mut states: Vec<Valuation> = vec![Vec::new()];
        for (_, most) in &self.variables {
            states = states
                .into_iter()
                .flat_map(|state| {
                    (0..=*most).map(move |value| [state.clone(), vec![value]].concat())
                })
                .collect();
        }
        let steps: Vec<Vec<usize>> = states
            .iter()
            .map(|from| {
                let follows = |to: &usize| self.value(&self.steps, from, &states[*to]) == 1;
                (0..states.len()).filter(follows).collect()
            })
            .collect();
        let initial: Vec<usize> = (0..states.len())
            .filter(|&at| self.value(&self.initial, &states[at], &states[at]) == 1)
            .collect();
        assert_eq!(initial.len(), 1, "there is one empty cut");
        let mut reached = vec![false; states.len()];
        let mut pending = initial.clone();
        while let Some(at) = pending.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                assert!(!steps[at].is_empty(), "NuSMV wants a successor of every state");
                pending.extend(&steps[at]);
            }
        }
        let search = Search { model: self, states, steps };
        self.specifications
            .iter()
            .map(|specification| search.set(specification)[initial[0]])
            .collect()
    }

    fn value(&self, term: &Term, now: &Valuation, next: &Valuation) -> i64 {
        let value = |term: &Term| self.value(term, now, next);
        let place =
            |name: &String| self.variables.iter().position(|(variable, _)| variable == name);
        match term {
            Term::Number(number) => *number,
            Term::Name(name) => match place(name) {
                Some(at) => now[at],
                None => value(self.definitions.get(name).unwrap_or_else(|| panic!("{name}?"))),
            },
            Term::Next(name) => next[place(name).unwrap()],
            Term::Not(inner) => 1 - value(inner),
            Term::Binary(operator, left, right) => {
                let (left, right) = (value(left), value(right));
                let truth = match operator.as_str() {
                    "+" => return left + right,
                    "=" | "<->" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    ">=" => left >= right,
                    "&" => left == 1 && right == 1,
                    "|" => left == 1 || right == 1,
                    "->" => left == 0 || right == 1,
                    _ => panic!("{operator}?"),
                };
                i64::from(truth)
            }
            Term::Case(branches) => {
                let taken = branches.iter().find(|(condition, _)| value(condition) == 1);
                value(&taken.expect("the last branch is TRUE").1)
            }
            Term::Path(..) | Term::Until(..) => panic!("a path where a state is meant"),
        }
    }
}

struct Search<'m> {
    model: &'m Model,
    states: Vec<Valuation>,
    steps: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// The states at which a formula holds.
    fn set(&self, term: &Term) -> Vec<bool> {
        let not = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|holds| !holds).collect() };
        let both = |left: &Term, right: &Term, join: fn(bool, bool) -> bool| -> Vec<bool> {
            let (left, right) = (self.set(left), self.set(right));
            left.into_iter().zip(right).map(|(left, right)| join(left, right)).collect()
        };
        let all = vec![true; self.states.len()];
        match term {
            Term::Not(inner) => not(self.set(inner)),
            Term::Binary(operator, left, right) => match operator.as_str() {
                "&" => both(left, right, |left, right| left && right),
                "|" => both(left, right, |left, right| left || right),
                "->" => both(left, right, |left, right| !left || right),
                "<->" => both(left, right, |left, right| left == right),
                _ => self.local(term),
            },
            Term::Path(operator, inner) => {
                let set = self.set(inner);
                match operator.as_str() {
                    "EX" => self.before(&set),
                    "AX" => not(self.before(&not(set))),
                    "EF" => self.until(&all, &set),
                    "AG" => not(self.until(&all, &not(set))),
                    "EG" => self.forever(&set),
                    "AF" => not(self.forever(&not(set))),
                    _ => panic!("{operator}?"),
                }
            }
            Term::Until(true, through, goal) => self.until(&self.set(through), &self.set(goal)),
            // The least fixpoint of `g | (f & AX it)`.
            Term::Until(false, through, goal) => {
                let (through, mut set) = (self.set(through), self.set(goal));
                loop {
                    let outside = self.before(&not(set.clone()));
                    let grown: Vec<bool> = (0..set.len())
                        .map(|at| {
                            set[at] || (through[at] && !outside[at] && !self.steps[at].is_empty())
                        })
                        .collect();
                    if grown == set {
                        return set;
                    }
                    set = grown;
                }
            }
            Term::Number(_) | Term::Name(_) | Term::Case(_) => self.local(term),
            Term::Next(_) => panic!("no step is meant here"),
        }
    }

    fn local(&self, term: &Term) -> Vec<bool> {
        self.states.iter().map(|state| self.model.value(term, state, state) == 1).collect()
    }

    /// The states from which a step leads into a set.
    fn before(&self, set: &[bool]) -> Vec<bool> {
        self.steps.iter().map(|steps| steps.iter().any(|&to| set[to])).collect()
    }

    fn until(&self, through: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut set = goal.to_vec();
        loop {
            let before = self.before(&set);
            let grown: Vec<bool> =
                (0..set.len()).map(|at| set[at] || (through[at] && before[at])).collect();
            if grown == set {
                return set;
            }
            set = grown;
        }
    }

    /// The states from which an infinite path stays in a set.
    fn forever(&self, within: &[bool]) -> Vec<bool> {
        let mut set = within.to_vec();
        loop {
            let before = self.before(&set);
            let shrunk: Vec<bool> = (0..set.len()).map(|at| set[at] && before[at]).collect();
            if shrunk == set {
                return set;
            }
            set = shrunk;
        }
    }
}

/// Parses a term. Every operation is in brackets; within one pair of brackets all operators are the same.
fn term(text: &str) -> Term {
    let mut tokens = tokens(text);
    tokens.reverse();
    let term = chain(&mut tokens);
    assert!(tokens.is_empty(), "{text}: {tokens:?} is left");
    term
}

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let two = ["<->", "->", "!=", ">="].into_iter().find(|&symbol| rest.starts_with(symbol));
        let length = match two {
            Some(symbol) => symbol.len(),
            None if first.is_ascii_alphanumeric() => {
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            None => 1,
        };
        found.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    found
}

fn chain(tokens: &mut Vec<String>) -> Term {
    let mut left = primary(tokens);
    let mut only: Option<String> = None;
    while let Some(operator) = tokens.last().filter(|token| is_operator(token)).cloned() {
        tokens.pop();
        assert_eq!(*only.get_or_insert(operator.clone()), operator, "brackets are missing");
        left = Term::Binary(operator, Box::new(left), Box::new(primary(tokens)));
    }
    left
}

fn is_operator(token: &str) -> bool {
    ["&", "|", "->", "<->", "=", "!=", "<", ">=", "+"].contains(&token)
}

fn primary(tokens: &mut Vec<String>) -> Term {
    let token = tokens.pop().expect("a term is not empty");
    let expect = |wanted: &str, tokens: &mut Vec<String>| {
        assert_eq!(tokens.pop().as_deref(), Some(wanted));
    };
    match token.as_str() {
        "!" => Term::Not(Box::new(primary(tokens))),
        "(" => {
            let inner = chain(tokens);
            expect(")", tokens);
            inner
        }
        "next" => {
            expect("(", tokens);
            let name = tokens.pop().unwrap();
            expect(")", tokens);
            Term::Next(name)
        }
        "case" => {
            let mut branches = Vec::new();
            while tokens.last().is_some_and(|token| token != "esac") {
                let condition = chain(tokens);
                expect(":", tokens);
                branches.push((condition, chain(tokens)));
                expect(";", tokens);
            }
            expect("esac", tokens);
            Term::Case(branches)
        }
        "EX" | "AX" | "EF" | "AF" | "EG" | "AG" => Term::Path(token, Box::new(primary(tokens))),
        "E" | "A" => {
            expect("[", tokens);
            let through = chain(tokens);
            expect("U", tokens);
            let goal = chain(tokens);
            expect("]", tokens);
            Term::Until(token == "E", Box::new(through), Box::new(goal))
        }
        "TRUE" => Term::Number(1),
        "FALSE" => Term::Number(0),
        name => match name.parse() {
            Ok(number) => Term::Number(number),
            Err(_) => Term::Name(name.into()),
        },
    }
}
