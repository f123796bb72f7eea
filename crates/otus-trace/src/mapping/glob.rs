//! Wildcard patterns for file names, lifelines and messages.
//!
//! `*` matches any text without `/`, `?` one character other than `/`, `**` any text, and `{a,b}`
//! one of several texts. In names of lifelines and messages, `/` has no special meaning.

use regex::Regex;

/// A pattern with wildcards.
#[derive(Debug, Clone)]
pub struct Glob {
    text: String,
    /// `None` if the pattern has no wildcards.
    regex: Option<Regex>,
}

impl Glob {
    /// A pattern for paths.
    pub fn path(text: &str) -> Glob {
        Glob::new(text.strip_prefix("./").unwrap_or(text), "[^/]")
    }

    /// A pattern for names.
    pub fn name(text: &str) -> Glob {
        Glob::new(text, "(?s:.)")
    }

    fn new(text: &str, any: &str) -> Glob {
        let regex = text.contains(['*', '?', '{']).then(|| translate(text, any));
        let regex = regex.and_then(|pattern| Regex::new(&pattern).ok());
        Glob { text: text.to_owned(), regex }
    }

    /// The text of the pattern.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern has no wildcards.
    pub fn is_plain(&self) -> bool {
        self.regex.is_none()
    }

    /// Whether a name matches. Paths have `/` between folders on every system.
    ///
    /// ```
    /// use otus_trace::mapping::Glob;
    ///
    /// assert!(Glob::path("logs/*.log").matches("logs/a.log"));
    /// assert!(!Glob::path("logs/*.log").matches("logs/old/a.log"));
    /// assert!(Glob::path("logs/**/*.log").matches("logs/a.log"));
    /// assert!(Glob::name("sub*").matches("sub/1"));
    /// ```
    pub fn matches(&self, name: &str) -> bool {
        match &self.regex {
            None => self.text == name,
            Some(regex) => regex.is_match(name),
        }
    }
}

fn translate(text: &str, any: &str) -> String {
    let mut pattern = String::from("^");
    let mut rest = text;
    let mut choices = 0;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            // `**/` also matches the empty path.
            pattern.push_str("(?:(?s:.)*/)?");
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("**") {
            pattern.push_str("(?s:.)*");
            rest = after;
            continue;
        }
        match c {
            '*' => {
                pattern.push_str(any);
                pattern.push('*');
            }
            '?' => pattern.push_str(any),
            '{' if rest.contains('}') => {
                pattern.push_str("(?:");
                choices += 1;
            }
            ',' if choices > 0 => pattern.push('|'),
            '}' if choices > 0 => {
                pattern.push(')');
                choices -= 1;
            }
            other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[c.len_utf8()..];
    }
    pattern.push_str(&")".repeat(choices));
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, yes: &[&str], no: &[&str]) {
        let glob = Glob::path(glob);
        assert!(yes.iter().all(|name| glob.matches(name)), "{glob:?}");
        assert!(!no.iter().any(|name| glob.matches(name)), "{glob:?}");
    }

    #[test]
    fn wildcards() {
        check("a.log", &["a.log"], &["b.log", "axlog", "a.log.1"]);
        check("./a.log*", &["a.log", "a.log.1.gz"], &["a.log/x"]);
        check("n?.log", &["n1.log"], &["n.log", "n12.log"]);
        check("**/*.{log,txt}", &["a.log", "x/y/b.txt"], &["a.md"]);
        check("x{", &["x{"], &["x"]);
        check("a{b,c", &["a{b,c"], &["ab"]);
        check("{a{b,c}", &[], &["x"]);
    }
}
