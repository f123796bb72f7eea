//! Replaces the names in a line by their values: variables, macros and calls of functions.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::Script;
use super::expression::arguments;
use super::value::Value;
use super::{Line, MAX_BYTES, MAX_DEPTH, Macro, Parameter, Preprocessor, Routine, block, builtin};

impl<'a> Preprocessor<'_, 'a, '_> {
    /// The text with the names in it replaced.
    pub(super) fn substituted(&mut self, text: &str, line: &Line<'_>) -> String {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            // A name begins at `$` or `%`, or at a letter that continues no word.
            let is_start = matches!(first, '$' | '%')
                || ((first == '_' || first.is_alphabetic())
                    && before != '_'
                    && !before.is_alphanumeric());
            let name = if is_start { block::name(rest) } else { "" };
            let (value, length) = match name {
                "" => (None, first.len_utf8()),
                _ => self.replacement(name, &rest[name.len()..], line),
            };
            match value {
                Some(value) => replaced.push_str(&value),
                None => replaced.push_str(&rest[..length]),
            }
            before = rest[..length].chars().next_back().unwrap_or(' ');
            rest = &rest[length..];
            if replaced.len() + self.bytes > MAX_BYTES {
                self.give_up(line.whole(), "the diagram is too large after preprocessing");
                break;
            }
        }
        replaced
    }

    /// The text that a name stands for, and the length of the text that it replaces.
    fn replacement(&mut self, name: &str, after: &str, line: &Line<'_>) -> (Option<String>, usize) {
        if let Some(inside) = after.strip_prefix('(')
            && (name.starts_with('%')
                || self.routines.contains_key(name)
                || self.macros.contains_key(name))
            && let Some((written, tail)) = arguments(inside)
        {
            let length = name.len() + after.len() - tail.len();
            let expanded = match self.macros.get(name).cloned() {
                Some(found) if found.parameters.is_some() => {
                    self.expand_macro(&found, &written, line)
                }
                _ => self.call(name, &written, line).map(|value| value.to_string()),
            };
            // A function that is not evaluated keeps its text.
            return (expanded, length);
        }
        if let Some(value) = self.lookup(name) {
            return (Some(value.to_string()), name.len());
        }
        match self.macros.get(name).cloned() {
            Some(found) if found.parameters.is_none() => {
                (self.expand_macro(&found, &[], line), name.len())
            }
            _ => (None, name.len()),
        }
    }

    /// The value of a function, one of PlantUML or one of the text.
    pub(super) fn call(&mut self, name: &str, written: &[&str], line: &Line<'_>) -> Option<Value> {
        let first =
            || written.first().map(|name| name.trim_matches(['"', '\''])).unwrap_or_default();
        match name {
            "%variable_exists" => {
                return Some(Value::Number(i64::from(self.lookup(first()).is_some())));
            }
            "%function_exists" => {
                return Some(Value::Number(i64::from(self.routines.contains_key(first()))));
            }
            "%get_variable_value" => return self.lookup(first()).cloned(),
            "%set_variable_value" => {
                let name = first().to_owned();
                let value = self.value(written.get(1)?, line);
                self.assign(&name, value, false);
                return Some(Value::NOTHING);
            }
            "%call_user_func" | "%invoke_procedure" => {
                let name = self.value(written.first()?, line).to_string();
                return self.call(&name, &written[1..], line);
            }
            _ => {}
        }
        if name.starts_with('%') {
            let arguments: Vec<Value> = written.iter().map(|text| self.value(text, line)).collect();
            return builtin::call(name, &arguments);
        }
        let routine = self.routines.get(name).cloned()?;
        if self.depth >= MAX_DEPTH {
            self.give_up(line.whole(), "calls are nested too deeply");
            return None;
        }
        self.depth += 1;
        let locals = self.bind(&routine, written, line);
        self.locals.push(locals);
        let value = match &routine.inline {
            Some(expression) => Some(self.value(expression, line)),
            None => self.run(&routine.script, routine.body.clone(), &routine.folder),
        };
        self.locals.pop();
        self.depth -= 1;
        Some(value.unwrap_or(Value::NOTHING))
    }

    /// Executes a line that is a call of a procedure: `$name("x")`. Returns whether it is one.
    pub(super) fn call_line(&mut self, text: &str, line: &Line<'a>) -> bool {
        let name = block::name(text);
        let Some(inside) = text[name.len()..].trim_start().strip_prefix('(') else { return false };
        let is_call =
            matches!(name, "%invoke_procedure" | "%call_user_func" | "%set_variable_value")
                || self.routines.contains_key(name);
        if !is_call {
            return false;
        }
        let Some((written, tail)) = arguments(inside) else { return false };
        if !tail.trim().is_empty() {
            return false;
        }
        let at = self.lines.len();
        let value = self.call(name, &written, line).unwrap_or(Value::NOTHING);
        // The lines of the procedure's body get the span of the call.
        for made in &mut self.lines[at..] {
            *made = Line::expanded(made.text(), line.whole()).indented(made.indent());
        }
        let value = value.to_string();
        if !value.is_empty() {
            self.lines.push(Line::expanded(&value, line.whole()));
        }
        true
    }

    /// Expands a line that is a macro of several lines. Returns whether it is one.
    pub(super) fn macro_line(&mut self, text: &str, line: &Line<'a>, folder: &str) -> bool {
        let name = block::name(text);
        let Some(found) = self.macros.get(name).filter(|found| found.lines.len() > 1).cloned()
        else {
            return false;
        };
        let after = text[name.len()..].trim_start();
        let (written, tail) = match after.strip_prefix('(').and_then(arguments) {
            Some(call) => call,
            None => (Vec::new(), after),
        };
        if !tail.trim().is_empty() {
            return false;
        }
        let values = bind_text(&found, &written);
        let lines =
            found.lines.iter().map(|text| Line::expanded(&pasted(text, &values), line.whole()));
        let script = Rc::new(Script::new(lines.collect()));
        let whole = 0..script.lines.len();
        self.run(&script, whole, folder);
        true
    }

    /// A macro in one line.
    fn expand_macro(&mut self, found: &Macro, written: &[&str], line: &Line<'_>) -> Option<String> {
        if self.depth >= MAX_DEPTH {
            self.give_up(line.whole(), "macros are nested too deeply");
            return None;
        }
        let text = pasted(&found.lines.join("\n"), &bind_text(found, written));
        self.depth += 1;
        let expanded = self.substituted(&text, line);
        self.depth -= 1;
        Some(expanded)
    }

    /// The values of the parameters of a call, which may be given by name.
    fn bind(
        &mut self,
        routine: &Routine<'a>,
        written: &[&str],
        line: &Line<'_>,
    ) -> FxHashMap<String, Value> {
        let mut values = FxHashMap::default();
        let mut place = 0;
        for text in written {
            let named = block::name(text);
            let is_parameter = routine.parameters.iter().any(|parameter| parameter.name == named);
            let after = text[named.len()..].trim_start().strip_prefix('=');
            let (name, text) = match after.filter(|after| is_parameter && !after.starts_with('=')) {
                Some(value) => (named.to_owned(), value.trim()),
                None => {
                    let Some(parameter) = routine.parameters.get(place) else { break };
                    place += 1;
                    (parameter.name.clone(), *text)
                }
            };
            let value = if routine.unquoted {
                let text = self.substituted(text, line);
                Value::Text(text.trim_matches('"').to_owned())
            } else {
                self.value(text, line)
            };
            values.insert(name, value);
        }
        for parameter in &routine.parameters {
            if !values.contains_key(&parameter.name) {
                let default = parameter.default.as_deref().unwrap_or("\"\"");
                let value = self.value(default, line);
                values.insert(parameter.name.clone(), value);
            }
        }
        values
    }

    /// `!procedure`, `!function`, with `!unquoted` and `!final` before them.
    pub(super) fn declare(&mut self, script: &Rc<Script<'a>>, at: usize, text: &str, folder: &str) {
        let mut rest = text;
        let mut unquoted = false;
        loop {
            let (word, after) = block::word(rest.trim_start_matches('!'));
            match word.as_str() {
                "unquoted" => unquoted = true,
                "final" | "procedure" | "function" => {}
                _ => break,
            }
            rest = after;
        }
        let name = block::name(rest);
        let call = rest[name.len()..].trim_start().strip_prefix('(').and_then(arguments);
        let (Some((written, tail)), false) = (call, name.is_empty()) else {
            let help = "write `!procedure $name($first, $second)`";
            self.fault(script.lines[at].whole(), "this declaration has no name or no `(…)`", help);
            return;
        };
        let inline = tail.trim().strip_prefix("!return").map(|value| value.trim().to_owned());
        let body: Range<usize> = at + 1..script.next[at];
        let parameters = written.into_iter().map(parameter).collect();
        let (script, folder) = (script.clone(), folder.to_owned());
        let routine = Routine { parameters, unquoted, script, body, inline, folder };
        self.routines.insert(name.to_owned(), Rc::new(routine));
    }

    /// `!define NAME text`, `!define NAME(x, y) text`
    pub(super) fn define(&mut self, rest: &str) {
        let name = block::name(rest);
        let after = &rest[name.len()..];
        let (parameters, body) = match after.strip_prefix('(').and_then(arguments) {
            Some((written, body)) => (Some(written.into_iter().map(parameter).collect()), body),
            None => (None, after),
        };
        if !name.is_empty() {
            let found = Macro { parameters, lines: vec![body.trim().to_owned()] };
            self.macros.insert(name.to_owned(), Rc::new(found));
        }
    }

    pub(super) fn define_long(&mut self, rest: &str, script: &Script<'a>, body: Range<usize>) {
        let name = block::name(rest);
        let call = rest[name.len()..].trim_start().strip_prefix('(').and_then(arguments);
        let parameters = call.map(|(written, _)| written.into_iter().map(parameter).collect());
        let lines = script.lines.get(body).unwrap_or_default();
        let mut lines: Vec<String> = lines.iter().map(|line| line.text().to_owned()).collect();
        // An additional line marks a macro of several lines, so that it can be distinguished from a
        // macro inside a line.
        lines.push(String::new());
        if !name.is_empty() {
            self.macros.insert(name.to_owned(), Rc::new(Macro { parameters, lines }));
        }
    }
}

/// `$name`, `$name = "default"`
fn parameter(text: &str) -> Parameter {
    let (name, default) = match text.split_once('=') {
        Some((name, default)) => (name.trim(), Some(default.trim().to_owned())),
        None => (text.trim(), None),
    };
    Parameter { name: name.to_owned(), default }
}

/// The texts of the parameters of a macro.
fn bind_text<'t>(found: &'t Macro, written: &[&'t str]) -> Vec<(&'t str, String)> {
    let parameters = found.parameters.iter().flatten().enumerate();
    parameters
        .map(|(at, parameter)| {
            let default = || parameter.default.as_deref().unwrap_or("").trim_matches('"');
            let value = written.get(at).copied().unwrap_or_else(default);
            (parameter.name.as_str(), value.to_owned())
        })
        .collect()
}

/// The body of a macro with its parameters replaced. `##` joins the texts on both sides of it.
fn pasted(body: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    let mut in_word = false;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("##") {
            rest = after;
            in_word = false;
            continue;
        }
        let name = if in_word { "" } else { block::name(rest) };
        if let Some((_, value)) = values.iter().find(|(parameter, _)| *parameter == name) {
            text.push_str(value);
            rest = &rest[name.len()..];
            in_word = false;
            continue;
        }
        let length = name.len().max(first.len_utf8());
        text.push_str(&rest[..length]);
        in_word = name.is_empty() && (first == '_' || first.is_alphanumeric());
        rest = &rest[length..];
    }
    text
}
