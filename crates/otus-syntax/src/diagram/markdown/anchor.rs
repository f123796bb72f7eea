//! Anchors of headings, spelt as GitHub does: lower case, spaces to `-`, punctuation dropped, and
//! a number after one that was there before.

use rustc_hash::FxHashMap;

/// The anchors that a document has so far.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// For each anchor the number that its next repetition gets.
    next: FxHashMap<String, u32>,
}

impl Anchors {
    /// The anchor of a heading, different from all before it.
    pub(super) fn add(&mut self, heading: &str) -> String {
        let slug = slug(heading);
        if !self.next.contains_key(&slug) {
            self.next.insert(slug.clone(), 1);
            return slug;
        }
        loop {
            let number = self.next.entry(slug.clone()).or_default();
            let numbered = format!("{slug}-{number}");
            *number += 1;
            if !self.next.contains_key(&numbered) {
                self.next.insert(numbered.clone(), 1);
                return numbered;
            }
        }
    }
}

/// The anchor of a heading that stands alone.
pub(super) fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    let mut rest = heading.trim();
    // Once a search for `)` has failed, no later one can succeed.
    let mut may_link = true;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            // A link shows its text only.
            ']' if may_link && rest.starts_with('(') => match rest.find(')') {
                Some(end) => rest = &rest[end + 1..],
                None => may_link = false,
            },
            '-' | '_' => slug.push(c),
            _ if c.is_whitespace() => slug.push('-'),
            _ if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    slug
}
