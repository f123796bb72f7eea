//! The program that wrote a line, in a log that several programs share.
//!
//! ```text
//! orders-1  | received order 17                          docker compose logs
//! [pod/orders-7d9f/orders] received order 17             kubectl logs --prefix
//! Nov 15 07:13:08 box orders[42]: received order 17      syslog, journalctl
//! time=… msg="received order" service=orders id=17       logfmt
//! ```
//!
//! The patterns of rules get a part before or behind them that captures the name, so that it can be the lifeline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

/// What the lines of a log say of their programs.
#[derive(Debug, Default)]
pub(super) struct Speakers {
    records: usize,
    /// By mark: the names that it gives, and the number of lines that have it.
    marks: [Seen; MARKS.len()],
    /// By key of logfmt.
    keys: BTreeMap<String, Key>,
}

#[derive(Debug, Default)]
struct Seen {
    count: usize,
    names: BTreeSet<String>,
    /// Names without the number at their end.
    plain: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Key {
    count: usize,
    /// The number of lines in which it stands behind the text.
    after: usize,
    /// Its place among the keys of the first line.
    place: usize,
}

/// The parts of a pattern that capture names, and the fields that they fill.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    before: String,
    after: String,
    pub(super) lifeline: Option<String>,
    pub(super) group: Option<String>,
    pub(super) peer: Option<String>,
}

impl Parts {
    /// A pattern together with these parts.
    pub(super) fn around(&self, pattern: &str) -> String {
        format!("{}{pattern}{}", self.before, self.after)
    }
}

/// Marks at the start of lines, which white space follows: those with a number at the end of the name, and those with the name as it stands.
const MARKS: [[&str; 2]; 3] = [
    [
        r"^(?<service>[\w.-]*?[A-Za-z][\w.]*?)[-_]?\d*\s*\|",
        r"^(?<service>[\w.-]*[A-Za-z][\w.-]*)\s*\|",
    ],
    [r"^\[pod/[^/\]]+/(?<service>[^\]/]+)\]", r"^\[pod/(?<service>[^/\]]+)/[^\]]+\]"],
    [
        r"^(?:<\d+>)?[A-Z][a-z]{2}\s+\d+\s[\d:]{8}\s\S+\s(?<service>[\w./-]+?)(?:\[\d+\])?:",
        r"^(?:<\d+>)?[A-Z][a-z]{2}\s+\d+\s[\d:]{8}\s(?<service>\S+)\s[\w./-]+?(?:\[\d+\])?:",
    ],
];

/// Keys of logfmt that usually name the program, the run and the other side, the most likely first.
const LIFELINES: &str = "service svc app component node host container logger";
const GROUPS: &str =
    "trace_id traceID trace request_id requestID req_id correlation_id session session_id";
const PEERS: &str = "peer target remote dst to from upstream";

static PATTERNS: LazyLock<Vec<[Regex; 2]>> = LazyLock::new(|| {
    let compiled = |pattern: &str| {
        Regex::new(&format!(r"{pattern}\s")).expect("the patterns above are well-formed")
    };
    MARKS.iter().map(|pair| pair.map(compiled)).collect()
});

impl Speakers {
    pub(super) fn line(&mut self, line: &str) {
        self.records += 1;
        for ([plain, whole], seen) in PATTERNS.iter().zip(&mut self.marks) {
            let (Some(plain), Some(whole)) = (plain.captures(line), whole.captures(line)) else {
                continue;
            };
            seen.count += 1;
            if seen.names.len() < MOST {
                seen.plain.insert(plain["service"].to_owned());
                seen.names.insert(whole["service"].to_owned());
            }
        }
        let Some(text) = text_of(line) else { return };
        let start = line.find(text).unwrap_or_default();
        for (place, word) in line.split_whitespace().enumerate() {
            let Some((key, value)) = word.split_once('=') else { continue };
            if value.is_empty()
                || !(is_key(key, LIFELINES) || is_key(key, GROUPS) || is_key(key, PEERS))
            {
                continue;
            }
            let after = line.find(word).is_some_and(|at| at > start);
            let known = self.keys.entry(key.to_owned()).or_insert(Key { place, ..Key::default() });
            known.count += 1;
            known.after += usize::from(after);
        }
    }

    /// The parts for the patterns of this log; `None` if its lines do not name their programs.
    pub(super) fn parts(&self) -> Option<Parts> {
        self.by_mark().or_else(|| self.by_keys())
    }

    fn by_mark(&self) -> Option<Parts> {
        let is_shared = |seen: &Seen| seen.names.len() > 1 || seen.plain.len() > 1;
        let usual = |seen: &Seen| is_shared(seen) && seen.count * 10 >= self.records * 9;
        let at = self.marks.iter().position(usual)?;
        let seen = &self.marks[at];
        // `worker-1` and `worker-2` are two lifelines; `orders-1` and `stock-1` are `orders` and `stock`.
        let is_telling = seen.plain.len() == seen.names.len() || at > 0 && seen.plain.len() > 1;
        let pattern = MARKS[at][usize::from(!is_telling)];
        let lifeline = Some("service".to_owned());
        Some(Parts { before: format!("{pattern}.*?"), lifeline, ..Parts::default() })
    }

    fn by_keys(&self) -> Option<Parts> {
        let usual = |names: &'static str| {
            names.split(' ').find(|name| {
                self.keys.get(*name).is_some_and(|key| {
                    let is_steady = key.after == 0 || key.after == key.count;
                    is_steady && key.count * 10 >= self.records * 9
                })
            })
        };
        let lifeline = usual(LIFELINES)?;
        let (group, peer) = (usual(GROUPS), usual(PEERS));
        let mut wanted: Vec<&str> = [Some(lifeline), group, peer].into_iter().flatten().collect();
        wanted.sort_by_key(|name| self.keys.get(*name).map_or(0, |key| key.place));
        let mut parts = Parts::default();
        for name in wanted {
            let capture = format!(r#"\b{name}="?(?<{name}>[\w./:-]*\w)"#);
            if self.keys.get(name).is_some_and(|key| key.after > 0) {
                parts.after.push_str(".*?");
                parts.after.push_str(&capture);
            } else {
                parts.before.push_str(&capture);
                parts.before.push_str(".*?");
            }
        }
        let owned = |name: Option<&str>| name.map(str::to_owned);
        (parts.lifeline, parts.group, parts.peer) =
            (owned(Some(lifeline)), owned(group), owned(peer));
        Some(parts)
    }
}

/// The most names that are kept.
const MOST: usize = 200;

fn is_key(key: &str, names: &str) -> bool {
    names.split(' ').any(|name| name == key)
}

/// The text of a line of logfmt.
pub(super) fn text_of(line: &str) -> Option<&str> {
    let keys = ["msg=\"", "message=\""];
    let start = keys.iter().find_map(|key| Some(line.find(key)? + key.len()))?;
    let length = line[start..].find('"')?;
    Some(&line[start..start + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(lines: &[&str]) -> Option<Parts> {
        let mut speakers = Speakers::default();
        for line in lines {
            speakers.line(line);
        }
        speakers.parts()
    }

    #[track_caller]
    fn check(lines: &[&str], pattern: &str, expected: &[&str]) {
        let parts = parts_of(lines).expect("the lines name their programs");
        let pattern = Regex::new(&parts.around(pattern)).unwrap();
        let lifeline = parts.lifeline.expect("the program is the lifeline");
        let found: Vec<String> = lines
            .iter()
            .map(|line| {
                pattern.captures(line).map_or_else(String::new, |it| it[&*lifeline].to_owned())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_name_their_programs() {
        check(&["orders-1  | got a", "web-1     | got b"], "got", &["orders", "web"]);
        check(&["w-1 | got a", "w-2 | got b", "db | got c"], "got", &["w-1", "w-2", "db"]);
        let pods = ["[pod/a-7d9f/front] got a", "[pod/b-7d9f/back] got b"];
        check(&pods, "got", &["front", "back"]);
        let syslog = ["Nov 15 07:13:08 box cron[42]: got a", "Nov  5 07:13:08 box sshd[7]: got b"];
        check(&syslog, "got", &["cron", "sshd"]);
        let logfmt = [
            "time=1 msg=\"got a\" service=web request_id=7",
            "time=2 msg=\"got b\" service=\"db\" request_id=7",
        ];
        check(&logfmt, "got", &["web", "db"]);
    }

    #[test]
    fn other_lines_do_not() {
        for lines in [
            &["2024-01-01 | INFO | got a", "2024-01-02 | INFO | got b"][..],
            &["web | got a", "web | got b"],
            &["got a", "web-1 | got b"],
            &["level=info got=a", "level=info got=b"],
        ] {
            assert_eq!(parts_of(lines), None, "{lines:?}");
        }
    }
}
