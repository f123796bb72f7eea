//! Lines of HTTP access logs.
//!
//! Web servers write a line for each request when they have answered it, so a line is a reception and an emission:
//!
//! ```text
//! 10.0.0.7 - - [15/Nov/2026:07:13:08 +0000] "GET /items/7 HTTP/1.1" 200 512
//! 10.0.0.7 "GET /items/7 HTTP/1.1" status: 200 len: 512
//! ```

/// Lines of a log that are about answered requests.
#[derive(Debug, Default)]
pub(super) struct Access {
    pub(super) count: usize,
    pub(super) example: String,
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

impl Access {
    /// Adds a line; returns whether it is a line of an access log.
    pub(super) fn line(&mut self, line: &str) -> bool {
        if !is_access(line) {
            return false;
        }
        if self.count == 0 {
            line.clone_into(&mut self.example);
        }
        self.count += 1;
        true
    }

    /// A regular expression for such lines, with the groups `method`, `path` and `status`.
    pub(super) fn pattern() -> String {
        let methods = METHODS.join("|");
        format!(r#""(?<method>{methods}) (?<path>[^ ?"]+)[^"]*"\D{{1,12}}(?<status>[1-5]\d\d)\b"#)
    }
}

/// Whether a line has a request in quotes, followed by a status.
fn is_access(line: &str) -> bool {
    let Some((_, rest)) = line.split_once('"') else { return false };
    let Some((request, after)) = rest.split_once('"') else { return false };
    let mut words = request.split(' ');
    let is_method = words.next().is_some_and(|word| METHODS.contains(&word));
    let has_path = words.next().is_some_and(|word| !word.is_empty());
    let digits = after.trim_start_matches(|c: char| !c.is_ascii_digit());
    let status = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let is_near = (1..=12).contains(&(after.len() - digits.len()));
    let is_status = status.len() == 3 && status.starts_with(['1', '2', '3', '4', '5']);
    is_method && has_path && is_near && is_status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_takes_the_lines_that_are_recognized() {
        let pattern = regex::Regex::new(&Access::pattern()).unwrap();
        for (line, expected) in [
            (r#"::1 - - [15/Nov/2026] "GET /a/7?x=1 HTTP/1.1" 200 5"#, Some("GET /a/7 200")),
            (r#"10.0.0.7 "POST /a HTTP/1.1" status: 404 len: 5"#, Some("POST /a 404")),
            (r#"asked "GET /a" and waited"#, None),
            (r#"said "hello there" 200"#, None),
            ("GET /a 200", None),
        ] {
            let found = pattern
                .captures(line)
                .map(|it| format!("{} {} {}", &it["method"], &it["path"], &it["status"]));
            assert_eq!(found.as_deref(), expected, "{line}");
            assert_eq!(is_access(line), expected.is_some(), "{line}");
        }
    }
}
