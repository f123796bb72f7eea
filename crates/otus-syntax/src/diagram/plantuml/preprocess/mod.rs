//! PlantUML's preprocessor: from the lines of a text to the lines of its diagram.
//!
//! ```text
//! !$name = expression          !define NAME text            !include file
//! !if … !elseif … !else … !endif                            !ifdef NAME, !ifndef NAME
//! !while … !endwhile           !foreach $x in list … !endfor
//! !procedure $name($a, $b = 1) … !endprocedure              a line `$name("x", 2)` is its body
//! !function $name($a) … !return expression … !endfunction   `$name("x")` inside a line is its value
//! ```
//!
//! [`block`] finds which lines belong together, [`expression`] evaluates, [`substitute`] replaces names in a line,
//! [`include`] finds files; this file executes lines one after the other. A line that the preprocessor changes has
//! the span of the line it comes from.
//!
//! Loops and calls may never end, so there are limits on steps, on the depth of calls and on the size of the
//! result. The preprocessor has no access to the clock, the network or the environment, so calls of such functions
//! keep their text.

mod block;
mod builtin;
mod expression;
mod include;
mod substitute;
mod value;

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::block::Script;
use self::value::Value;
use super::line::{Line, Lines};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::parser::Findings;
use crate::source::Span;

pub use self::include::Include;

/// The maximum number of lines that a text can become.
const MAX_LINES: usize = 100_000;
/// The maximum number of bytes that all changed lines together can have.
const MAX_BYTES: usize = 4 << 20;
/// The maximum number of lines that are executed.
const MAX_STEPS: usize = 200_000;
/// The deepest nesting of calls, includes and expressions.
const MAX_DEPTH: usize = 192;

/// The lines of a diagram after preprocessing. `include` gives the texts of included files.
pub(super) fn expand<'a>(
    text: &'a str,
    content: Span,
    include: Option<&mut Include<'_>>,
    findings: &mut Findings,
) -> Vec<Line<'a>> {
    let lines: Vec<Line<'a>> = Lines::new(text, content).collect();
    if !lines.iter().any(|line| line.text().starts_with('!') || line.text().contains('%')) {
        return lines;
    }
    let script = Rc::new(Script::new(lines));
    let mut preprocessor = Preprocessor {
        globals: FxHashMap::default(),
        locals: Vec::new(),
        routines: FxHashMap::default(),
        macros: FxHashMap::default(),
        include,
        included: Vec::new(),
        findings,
        lines: Vec::new(),
        bytes: 0,
        steps: 0,
        depth: 0,
        gave_up: false,
    };
    let whole = 0..script.lines.len();
    preprocessor.run(&script, whole, "");
    preprocessor.lines
}

struct Preprocessor<'p, 'a, 'i> {
    globals: FxHashMap<String, Value>,
    /// The variables of the calls that are being executed, innermost last.
    locals: Vec<FxHashMap<String, Value>>,
    /// Procedures and functions by name.
    routines: FxHashMap<String, Rc<Routine<'a>>>,
    /// The macros that `!define` and `!definelong` define, by name.
    macros: FxHashMap<String, Rc<Macro>>,
    /// `None` if files are not read.
    include: Option<&'p mut Include<'i>>,
    /// The files that were included.
    included: Vec<String>,
    findings: &'p mut Findings,
    lines: Vec<Line<'a>>,
    bytes: usize,
    steps: usize,
    depth: usize,
    /// Whether a limit was reached.
    gave_up: bool,
}

/// A procedure or function.
struct Routine<'a> {
    parameters: Vec<Parameter>,
    /// Whether arguments are used as literal text (`!unquoted`).
    unquoted: bool,
    script: Rc<Script<'a>>,
    body: Range<usize>,
    /// The text after `!return` on the line of the declaration.
    inline: Option<String>,
    /// The folder that the includes of the file are relative to.
    folder: String,
}

struct Parameter {
    name: String,
    default: Option<String>,
}

/// A macro, which replaces words.
struct Macro {
    /// `None` for a definition without parentheses.
    parameters: Option<Vec<Parameter>>,
    lines: Vec<String>,
}

/// A `!foreach` that is being executed.
struct Iteration {
    line: usize,
    items: std::vec::IntoIter<Value>,
}

impl<'a> Preprocessor<'_, 'a, '_> {
    /// Executes some lines of a script. Returns the value of `!return`, if there was one.
    fn run(&mut self, script: &Rc<Script<'a>>, range: Range<usize>, folder: &str) -> Option<Value> {
        if self.depth >= MAX_DEPTH {
            let span = script.lines.get(range.start).map_or(Span::at(0), Line::whole);
            self.give_up(span, "calls and includes are nested too deeply");
            return None;
        }
        self.depth += 1;
        let returned = self.execute(script, range, folder);
        self.depth -= 1;
        returned
    }

    fn execute(
        &mut self,
        script: &Rc<Script<'a>>,
        range: Range<usize>,
        folder: &str,
    ) -> Option<Value> {
        let mut iterations: Vec<Iteration> = Vec::new();
        let mut in_comment = false;
        let mut at = range.start;
        while at < range.end && !self.gave_up {
            let line = &script.lines[at];
            let text = line.text();
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.give_up(line.whole(), "preprocessing takes too many steps");
                return None;
            }
            // Comments stay as they are: they may be directives.
            if in_comment || text.starts_with("/'") || text.starts_with('\'') {
                in_comment = (in_comment || text.starts_with("/'")) && !text.contains("'/");
                self.lines.push(line.clone());
                at += 1;
                continue;
            }
            let Some(rest) = text.strip_prefix('!') else {
                self.plain(line, folder);
                at += 1;
                continue;
            };
            let (word, rest) = block::word(rest);
            let next = script.next[at];
            at = match word.as_str() {
                "if" | "ifdef" | "ifndef" => self.choose(script, at),
                // A branch that was executed ends here.
                "elseif" | "else" => script.close(at),
                "endif" | "endprocedure" | "endfunction" | "startsub" | "endsub"
                | "enddefinelong" => at + 1,
                "while" => {
                    let holds = self.condition(rest, line);
                    if holds { at + 1 } else { next + 1 }
                }
                "endwhile" => script.open[at],
                "foreach" => {
                    if iterations.last().is_none_or(|iteration| iteration.line != at) {
                        let items = self.items(rest, line).into_iter();
                        iterations.push(Iteration { line: at, items });
                    }
                    let item = iterations.last_mut().and_then(|iteration| iteration.items.next());
                    match item {
                        Some(item) => {
                            let name = rest.trim_start_matches(['(', ' ']);
                            self.assign(block::name(name), item, false);
                            at + 1
                        }
                        None => {
                            iterations.pop();
                            next + 1
                        }
                    }
                }
                "endfor" => script.open[at],
                "return" => return Some(self.value(rest, line)),
                "exit" => return None,
                "procedure" | "function" | "unquoted" | "final" => {
                    self.declare(script, at, text, folder);
                    if block::opens(text) { next + 1 } else { at + 1 }
                }
                "define" => {
                    self.define(rest);
                    at + 1
                }
                "definelong" => {
                    self.define_long(rest, script, at + 1..next);
                    next + 1
                }
                "undef" => {
                    self.macros.remove(rest.trim());
                    self.globals.remove(rest.trim());
                    at + 1
                }
                "include" | "include_once" | "include_many" | "includeurl" | "includesub"
                | "includedef" | "import" => {
                    let rest = self.substituted(rest, line);
                    self.include_file(&word, &rest, line, folder);
                    at + 1
                }
                _ => {
                    if !self.assignment(text, line) {
                        // Themes, pragmas and unknown words are left to the reader, which knows or
                        // reports them.
                        self.lines.push(line.clone());
                    }
                    at + 1
                }
            };
        }
        None
    }

    /// The line after the `!if` at `at` with the first branch whose condition holds.
    fn choose(&mut self, script: &Script<'a>, at: usize) -> usize {
        let mut branch = at;
        loop {
            let Some(line) = script.lines.get(branch) else { return branch };
            let (word, rest) = block::word(line.text().strip_prefix('!').unwrap_or(""));
            let holds = match word.as_str() {
                "if" | "elseif" => self.condition(rest, line),
                "ifdef" => self.is_defined(rest.trim()),
                "ifndef" => !self.is_defined(rest.trim()),
                _ => true,
            };
            if holds {
                return branch + 1;
            }
            branch = script.next[branch];
        }
    }

    /// A line that is no command of the preprocessor.
    fn plain(&mut self, line: &Line<'a>, folder: &str) {
        if self.lines.len() >= MAX_LINES || self.bytes >= MAX_BYTES {
            self.give_up(line.whole(), "the diagram is too large after preprocessing");
            return;
        }
        let text = line.text();
        if self.call_line(text, line) || self.macro_line(text, line, folder) {
            return;
        }
        let replaced = self.substituted(text, line);
        if replaced == text {
            self.lines.push(line.clone());
            return;
        }
        self.bytes += replaced.len();
        for part in replaced.split('\n') {
            self.lines.push(Line::expanded(part, line.whole()).indented(line.indent()));
        }
    }

    /// The name of a variable that is visible here.
    fn lookup(&self, name: &str) -> Option<&Value> {
        let local = self.locals.last().and_then(|locals| locals.get(name));
        local.or_else(|| self.globals.get(name))
    }

    fn is_defined(&self, name: &str) -> bool {
        self.lookup(name).is_some()
            || self.macros.contains_key(name)
            || self.routines.contains_key(name)
    }

    /// Assigns a value to a variable. During a call the variable is local to the call, unless a
    /// global variable has this name.
    fn assign(&mut self, name: &str, value: Value, global: bool) {
        let is_known = self.globals.contains_key(name);
        match self.locals.last_mut() {
            Some(locals) if !global && (locals.contains_key(name) || !is_known) => {
                locals.insert(name.to_owned(), value);
            }
            _ => {
                self.globals.insert(name.to_owned(), value);
            }
        }
    }

    /// Executes `!$name = expression` and its variants. Returns whether the line is one.
    fn assignment(&mut self, text: &str, line: &Line<'_>) -> bool {
        let mut rest = text[1..].trim_start();
        let mut global = false;
        for scope in ["global", "local", "var"] {
            if let Some(after) = rest.strip_prefix(scope)
                && after.starts_with(char::is_whitespace)
            {
                global = scope == "global";
                rest = after.trim_start();
            }
        }
        let name = block::name(rest);
        let after = rest[name.len()..].trim_start();
        let (value, only_new) = match (after.strip_prefix('='), after.strip_prefix("?=")) {
            (Some(value), _) if !value.starts_with('=') => (value, false),
            (_, Some(value)) => (value, true),
            _ => return false,
        };
        if name.is_empty() {
            return false;
        }
        if !only_new || self.lookup(name).is_none() {
            let value = self.value(value, line);
            self.assign(name, value, global);
        }
        true
    }

    fn fault(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.findings.report(Code::BAD_PREPROCESSING, span, message, help);
    }

    /// Stops at a limit.
    fn give_up(&mut self, span: Span, message: &str) {
        if !self.gave_up {
            self.gave_up = true;
            self.fault(span, message, "does a loop, a call or an include never end?");
        }
    }

    fn remark(&mut self, severity: Severity, span: Span, message: String, help: &str) {
        let found = self.findings.finding(Code::NOT_INCLUDED, span, message).with_help(help);
        self.findings.push(Diagnostic { severity, ..found });
    }
}

#[cfg(test)]
mod tests;
