//! The anchors of headings in GitHub's spelling: lower case, spaces as `-`, without punctuation, and with
//! a number if the anchor occurred before.

use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// For each anchor: the number of its next repetition.
    next: FxHashMap<String, u32>,
}

impl Anchors {
    /// The anchor of a heading, different from all previous ones.
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

/// The anchor of a heading, without regard to other headings.
pub(super) fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    let mut rest = heading.trim();
    // If one search for `)` fails, all later ones fail too.
    let mut may_link = true;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            // The target of a link is not part of the anchor.
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
