//! Expressions: texts, numbers, lists, variables, calls and operators.
//!
//! ```text
//! or = and {"||" and}      and = comparison {"&&" comparison}
//! comparison = sum [("==" | "!=" | "<=" | ">=" | "<" | ">") sum]
//! sum = product {("+" | "-") product}      product = operand {("*" | "/") operand}
//! operand = "text" | 'text' | number | "(" or ")" | "[" or {"," or} "]" | "!" operand | name ["(" arguments ")"] | "-" operand
//! ```
//!
//! `+` adds numbers and joins texts. A name that is not known is its own text, as in `!$dark = true`.

use super::value::Value;
use super::{Line, MAX_BYTES, MAX_DEPTH, Preprocessor, block};

impl Preprocessor<'_, '_, '_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, text: &str, line: &Line<'_>) -> Value {
        let text = text.trim();
        let mut cursor = Cursor { text, position: 0 };
        match cursor.or(self, line) {
            Some(value) if cursor.rest().is_empty() => value,
            // Older texts assign words without quotes, so the text itself is the value.
            _ => Value::Text(self.substituted(text, line)),
        }
    }

    pub(super) fn condition(&mut self, text: &str, line: &Line<'_>) -> bool {
        // A condition may be written as `!if (x) then`.
        let text = text.trim();
        let text =
            text.strip_suffix("then").filter(|rest| rest.ends_with([' ', ')'])).unwrap_or(text);
        self.value(text, line).holds()
    }

    /// The items of `!foreach $x in list`.
    pub(super) fn items(&mut self, text: &str, line: &Line<'_>) -> Vec<Value> {
        let text = text.trim();
        let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        let Some((_, list)) = text.split_once(" in ") else {
            let help = "write `!foreach $item in [\"a\", \"b\"]`";
            self.fault(line.whole(), "this `!foreach` has no list", help);
            return Vec::new();
        };
        match self.value(list, line) {
            Value::List(items) => items,
            other @ (Value::Text(_) | Value::Number(_) | Value::Truth(_)) => vec![other],
        }
    }
}

/// The arguments of a call, and the rest of the text after its `)`. `text` begins after the `(`.
pub(super) fn arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut arguments = Vec::new();
    let (mut start, mut open) = (0, 0_usize);
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(sign), _) if c == sign => quote = None,
            (Some(_), _) => {}
            // An apostrophe inside a word is not a quote.
            (None, '"') => quote = Some(c),
            (None, '\'') if text[start..at].trim().is_empty() => quote = Some(c),
            (None, '(' | '[') => open += 1,
            (None, ']') => open = open.saturating_sub(1),
            (None, ')') if open == 0 => {
                let last = text[start..at].trim();
                if !last.is_empty() || !arguments.is_empty() {
                    arguments.push(last);
                }
                return Some((arguments, &text[at + 1..]));
            }
            (None, ')') => open -= 1,
            (None, ',') if open == 0 => {
                arguments.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

struct Cursor<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Cursor<'t> {
    fn or(&mut self, context: &mut Preprocessor<'_, '_, '_>, line: &Line<'_>) -> Option<Value> {
        if context.depth >= MAX_DEPTH {
            return None;
        }
        context.depth += 1;
        let value = self.choice(context, line);
        context.depth -= 1;
        value
    }

    fn choice(&mut self, context: &mut Preprocessor<'_, '_, '_>, line: &Line<'_>) -> Option<Value> {
        let mut value = self.and(context, line)?;
        while self.sign("||") {
            let other = self.and(context, line)?;
            value = truth(value.holds() || other.holds());
        }
        Some(value)
    }

    fn and(&mut self, context: &mut Preprocessor<'_, '_, '_>, line: &Line<'_>) -> Option<Value> {
        let mut value = self.comparison(context, line)?;
        while self.sign("&&") {
            let other = self.comparison(context, line)?;
            value = truth(value.holds() && other.holds());
        }
        Some(value)
    }

    fn comparison(
        &mut self,
        context: &mut Preprocessor<'_, '_, '_>,
        line: &Line<'_>,
    ) -> Option<Value> {
        let value = self.sum(context, line)?;
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if !self.sign(sign) {
                continue;
            }
            let other = self.sum(context, line)?;
            let order = match (value.number(), other.number()) {
                (Some(value), Some(other)) => value.cmp(&other),
                _ => value.to_string().cmp(&other.to_string()),
            };
            return Some(truth(match sign {
                "==" => value.equals(&other),
                "!=" => !value.equals(&other),
                "<=" => order.is_le(),
                ">=" => order.is_ge(),
                "<" => order.is_lt(),
                _ => order.is_gt(),
            }));
        }
        Some(value)
    }

    fn sum(&mut self, context: &mut Preprocessor<'_, '_, '_>, line: &Line<'_>) -> Option<Value> {
        let mut value = self.product(context, line)?;
        loop {
            let is_sum = self.sign("+");
            if !is_sum && !self.sign("-") {
                return Some(value);
            }
            let other = self.product(context, line)?;
            value = match (&value, &other) {
                (Value::Number(a), Value::Number(b)) => {
                    Value::Number(if is_sum { a.saturating_add(*b) } else { a.saturating_sub(*b) })
                }
                _ if is_sum => {
                    let joined = format!("{value}{other}");
                    if joined.len() > MAX_BYTES {
                        context.give_up(line.whole(), "a text is too large");
                        return None;
                    }
                    Value::Text(joined)
                }
                _ => Value::Number(value.number()?.saturating_sub(other.number()?)),
            };
        }
    }

    fn product(
        &mut self,
        context: &mut Preprocessor<'_, '_, '_>,
        line: &Line<'_>,
    ) -> Option<Value> {
        let mut value = self.operand(context, line)?;
        loop {
            let is_product = self.sign("*");
            if !is_product && !self.sign("/") {
                return Some(value);
            }
            let (a, b) = (value.number()?, self.operand(context, line)?.number()?);
            let result = if is_product { a.checked_mul(b) } else { a.checked_div(b) };
            value = Value::Number(result?);
        }
    }

    fn operand(
        &mut self,
        context: &mut Preprocessor<'_, '_, '_>,
        line: &Line<'_>,
    ) -> Option<Value> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        match first {
            '"' | '\'' => {
                let length = rest[1..].find(first)?;
                self.position += length + 2;
                let inside = &rest[1..=length];
                // Variables inside a quoted text are replaced, as in a line.
                Some(Value::Text(context.substituted(inside, line)))
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                self.position += length;
                rest[..length].parse().ok().map(Value::Number)
            }
            '(' => {
                self.position += 1;
                let value = self.or(context, line)?;
                self.sign(")").then_some(value)
            }
            '[' => {
                self.position += 1;
                let mut items = Vec::new();
                while !self.sign("]") {
                    match self.or(context, line)? {
                        // Lists of lists are not supported, because they could grow without limit.
                        Value::List(_) => return None,
                        item @ (Value::Text(_) | Value::Number(_) | Value::Truth(_)) => {
                            items.push(item);
                        }
                    }
                    self.sign(",");
                }
                Some(Value::List(items))
            }
            '!' | '-' if context.depth < MAX_DEPTH => {
                self.position += 1;
                context.depth += 1;
                let value = self.operand(context, line);
                context.depth -= 1;
                match first {
                    '!' => Some(truth(!value?.holds())),
                    _ => Some(Value::Number(value?.number()?.saturating_neg())),
                }
            }
            _ => self.named(context, line),
        }
    }

    /// A variable, a call, or a word.
    fn named(&mut self, context: &mut Preprocessor<'_, '_, '_>, line: &Line<'_>) -> Option<Value> {
        let rest = self.rest();
        let name = block::name(rest);
        if name.is_empty() {
            return None;
        }
        let after = &rest[name.len()..];
        if let Some(inside) = after.strip_prefix('(')
            && let Some((arguments, tail)) = arguments(inside)
            && let Some(value) = context.call(name, &arguments, line)
        {
            self.position = self.text.len() - tail.len();
            return Some(value);
        }
        self.position += name.len();
        Some(match name {
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            _ => match context.lookup(name) {
                Some(value) => value.clone(),
                None => Value::Text(context.substituted(name, line)),
            },
        })
    }

    /// Takes a sign, if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.position += sign.len();
        }
        found
    }

    /// The rest without leading blanks.
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.position..].trim_start();
        self.position = self.text.len() - rest.len();
        rest
    }
}

fn truth(truth: bool) -> Value {
    Value::Number(i64::from(truth))
}
