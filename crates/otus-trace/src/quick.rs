//! A fast reader for plain multi-traces, without a syntax tree.
//!
//! Case files have hundreds of thousands of short multi-traces with the same few lifelines and
//! actions. Building a tree with spans for each of them takes longer than most analyses. This
//! reader caches the meaning of every header (`[a, b]`) and every action by its text, so that most
//! texts need only lookups, and it reuses the memory of one multi-trace.
//!
//! *Claim.* If this reader accepts a text, [`parse_trace`](otus_syntax::parse_trace) and
//! [`lower`](crate::lower()) yield the same multi-trace without diagnostics (tested on random
//! texts). It accepts texts such as `{[a] a!m.a?n; [b,c] {b?m, c?m}}` with plain or quoted names
//! and white space between tokens. It rejects all other texts, faulty ones and rare forms
//! (comments, escapes, global traces without `[#all]`), and texts with values; the caller then uses
//! the general parser, which has diagnostics. All values of a text that it accepts are unknown.
//!
//! *Cost.* The measurements on the corpus are in `bench/`.

use std::sync::Arc;

use otus_core::{Action, ActionId, LifelineId, Pool};
use otus_syntax::ast::Direction;
use otus_syntax::name::is_plain;
use rustc_hash::FxHashMap;

use crate::multitrace::{MultiTrace, Partition, Step};

/// Reads plain multi-traces over the signature of one pool.
///
/// ```
/// use otus_core::{Pool, Signature};
/// use otus_trace::QuickReader;
///
/// let mut signature = Signature::default();
/// signature.add_lifeline("a");
/// signature.add_message("m");
/// let mut pool = Pool::new(signature);
/// let mut reader = QuickReader::new(&pool);
/// assert_eq!(reader.read("{[a] a!m.a!m}", &mut pool).unwrap().len(), 2);
/// assert!(reader.read("{[a] a!m /* and so on */}", &mut pool).is_none());
/// ```
#[derive(Debug)]
pub struct QuickReader {
    /// The known actions, in the order of their first occurrence.
    actions: Vec<KnownAction>,
    /// The indices of the known actions, by their text.
    by_text: FxHashMap<Arc<[u8]>, u32>,
    /// The index of the action that was read last.
    last: usize,
    /// The known lists of lifelines, by their text without brackets.
    headers: FxHashMap<Box<str>, Lifelines>,
    /// The known partitions, by the lifelines of their components with [`END`] after each
    /// component.
    partitions: FxHashMap<Box<[u32]>, Arc<Partition>>,
    /// For each lifeline: the number of the last component that has it.
    owners: Vec<u64>,
    /// The number of components of all texts so far.
    components: u64,
    /// The key of the partition of the current text.
    key: Vec<u32>,
    trace: MultiTrace,
}

#[derive(Debug)]
struct KnownAction {
    written: Arc<[u8]>,
    action: ActionId,
    lifeline: LifelineId,
    /// The index of the action that followed it last time, as a guess for the next time.
    follower: u32,
}

#[derive(Debug)]
enum Lifelines {
    All,
    Any,
    Listed(Box<[LifelineId]>),
}

/// Ends a component in the key of a partition.
const END: u32 = u32::MAX;

/// The maximum number of headers and partitions that are cached. Real files have a few.
const MOST: usize = 4096;

impl QuickReader {
    /// A reader for texts over the signature of this pool.
    pub fn new(pool: &Pool) -> Self {
        let lifelines = pool.signature().lifeline_count();
        QuickReader {
            actions: Vec::new(),
            by_text: FxHashMap::default(),
            last: 0,
            headers: FxHashMap::default(),
            partitions: FxHashMap::default(),
            owners: vec![0; lifelines],
            components: 0,
            key: Vec::new(),
            trace: MultiTrace::empty(Partition::discrete(lifelines)),
        }
    }

    /// Reads a text as a multi-trace without offsets; `None` if the text is not plain, or faulty.
    /// The pool must be the one for which the reader was made; actions may be added to it.
    pub fn read(&mut self, text: &str, pool: &mut Pool) -> Option<&MultiTrace> {
        self.last = 0;
        self.trace.steps.clear();
        self.trace.ends.clear();
        self.key.clear();
        let mut text = TraceCursor { text, bytes: text.as_bytes(), at: 0 };
        self.file(&mut text, pool)?;
        self.finish();
        Some(&self.trace)
    }

    /// The multi-trace that was read last; unspecified if the last text was rejected.
    pub fn trace(&self) -> &MultiTrace {
        &self.trace
    }

    /// `file := '{' components? '}' | components`
    fn file(&mut self, text: &mut TraceCursor<'_>, pool: &mut Pool) -> Option<()> {
        text.skip_space();
        let braced = text.peek() == Some(b'{');
        if braced {
            text.at += 1;
            text.skip_space();
        }
        // `{a!m, b?m}` would be a set of simultaneous actions of a global trace.
        if !matches!(text.peek(), Some(b'[' | b'}')) {
            return None;
        }
        let before = self.components;
        let mut all = false;
        loop {
            text.skip_space();
            match text.peek() {
                None if !braced => break,
                Some(b'}') if braced => {
                    text.at += 1;
                    text.skip_space();
                    text.peek().is_none().then_some(())?;
                    break;
                }
                Some(b';') => text.at += 1,
                Some(b'[') => all |= self.component(text, pool, before)?,
                _ => return None,
            }
        }
        (!all || self.components == before + 1).then_some(())
    }

    /// `component := '[' lifelines ']' sequence?`; returns whether it is `#all`.
    fn component(
        &mut self,
        text: &mut TraceCursor<'_>,
        pool: &mut Pool,
        before: u64,
    ) -> Option<bool> {
        let start = text.at + 1;
        text.at = start + memchr::memchr(b']', &text.bytes[start..])?;
        let lifelines = header(&mut self.headers, &text.text[start..text.at], pool)?;
        text.at += 1;
        self.components += 1;
        let mut here = Here { before, stamp: self.components, any: false };
        let key = self.key.len();
        let mut all = false;
        match lifelines {
            Lifelines::All => {
                all = true;
                self.key.extend((0..).take(self.owners.len()));
                self.owners.fill(here.stamp);
            }
            Lifelines::Any => here.any = true,
            Lifelines::Listed(lifelines) => {
                for &lifeline in lifelines {
                    take(&mut self.owners, &mut self.key, lifeline, here)?;
                }
            }
        }
        text.skip_space();
        if !matches!(text.peek(), None | Some(b';' | b'}')) {
            self.sequence(text, pool, here)?;
        }
        // A component without lifelines does not count.
        if self.key.len() > key {
            self.key.push(END);
            self.trace.ends.push(self.trace.steps.len());
        }
        Some(all)
    }

    /// `sequence := step ('.' step)*`
    fn sequence(&mut self, text: &mut TraceCursor<'_>, pool: &mut Pool, here: Here) -> Option<()> {
        loop {
            if text.peek() == Some(b'{') {
                self.moment(text, pool, here)?;
            } else {
                self.action(text, pool, here)?;
            }
            text.skip_space();
            match text.peek() {
                Some(b'.') => {
                    text.at += 1;
                    text.skip_space();
                }
                None | Some(b';' | b'}') => return Some(()),
                _ => return None,
            }
        }
    }

    /// `'{' action (',' action)* '}'`
    fn moment(&mut self, text: &mut TraceCursor<'_>, pool: &mut Pool, here: Here) -> Option<()> {
        let first = self.trace.steps.len();
        loop {
            // Take the brace or the comma.
            text.at += 1;
            text.skip_space();
            self.action(text, pool, here)?;
            text.skip_space();
            match text.peek() {
                Some(b',') => {}
                Some(b'}') => break,
                _ => return None,
            }
        }
        text.at += 1;
        let moment = &mut self.trace.steps[first..];
        moment.sort_unstable();
        if moment.windows(2).any(|two| two[0] == two[1]) {
            return None;
        }
        for step in moment.iter_mut().skip(1) {
            *step = Step::new(step.action(), true);
        }
        Some(())
    }

    /// Reads an action on a lifeline of the component, or on any free lifeline if the component is
    /// `#any`.
    fn action(&mut self, text: &mut TraceCursor<'_>, pool: &mut Pool, here: Here) -> Option<()> {
        let index = match self.guess(text) {
            Some(index) => index,
            None => self.known_action(text, pool)?,
        };
        self.last = index;
        let KnownAction { action, lifeline, .. } = self.actions[index];
        if self.owners[lifeline.0 as usize] != here.stamp {
            if !here.any {
                return None;
            }
            take(&mut self.owners, &mut self.key, lifeline, here)?;
        }
        self.trace.steps.push(Step::new(action, false));
        Some(())
    }

    /// Reads the next action if it is the action that followed the last one the time before.
    fn guess(&self, text: &mut TraceCursor<'_>) -> Option<usize> {
        let index = self.actions.get(self.last)?.follower as usize;
        let written = &self.actions[index].written;
        let end = text.at + written.len();
        if text.bytes.get(text.at..end)? != &**written || !ends_action(text.bytes.get(end)) {
            return None;
        }
        text.at = end;
        Some(index)
    }

    /// Reads the next action; returns its index.
    fn known_action(&mut self, text: &mut TraceCursor<'_>, pool: &mut Pool) -> Option<usize> {
        let start = text.at;
        text.name()?;
        let middle = text.at;
        if !matches!(text.peek(), Some(b'!' | b'?')) {
            return None;
        }
        text.at += 1;
        text.name()?;
        if !ends_action(text.bytes.get(text.at)) {
            return None;
        }
        let written = &text.bytes[start..text.at];
        let actions = &mut self.actions;
        let index = match self.by_text.get(written) {
            Some(&index) => index,
            None => {
                let lifeline = pool.signature().lifeline(name(&text.text[start..middle])?)?;
                let message = name(&text.text[middle + 1..text.at])?;
                let message = pool.signature().message(message)?;
                let direction = match text.bytes[middle] {
                    b'!' => Direction::Emission,
                    _ => Direction::Reception,
                };
                let action =
                    pool.intern_action(Action { lifeline, direction, message, peer: None });
                let index = u32::try_from(actions.len()).ok()?;
                let written: Arc<[u8]> = written.into();
                self.by_text.insert(written.clone(), index);
                actions.push(KnownAction { written, action, lifeline, follower: index });
                index
            }
        };
        actions[self.last].follower = index;
        Some(index as usize)
    }

    fn finish(&mut self) {
        let partition = match self.partitions.get(&*self.key) {
            Some(partition) => partition.clone(),
            None => {
                if self.partitions.len() >= MOST {
                    self.partitions.clear();
                }
                let lifelines =
                    |part: &[u32]| part.iter().map(|&number| LifelineId(number)).collect();
                let components = self.key.split(|&number| number == END).map(lifelines).collect();
                let partition = Arc::new(Partition::new(components, self.owners.len()));
                self.partitions.insert(self.key.as_slice().into(), partition.clone());
                partition
            }
        };
        while self.trace.ends.len() < partition.len() {
            self.trace.ends.push(self.trace.steps.len());
        }
        self.trace.partition = partition;
    }
}

/// Whether an action ends before this byte. Other bytes may belong to the name: letters beyond
/// ASCII, `-`.
fn ends_action(byte: Option<&u8>) -> bool {
    matches!(byte, None | Some(b'.' | b';' | b'}' | b',' | b' ' | b'\n' | b'\t' | b'\r'))
}

/// The current component.
#[derive(Clone, Copy)]
struct Here {
    /// The number of components before the current text.
    before: u64,
    /// The number of the component.
    stamp: u64,
    any: bool,
}

/// Adds a lifeline to a component, unless a component of the same text has it already.
fn take(owners: &mut [u64], key: &mut Vec<u32>, lifeline: LifelineId, here: Here) -> Option<()> {
    let owner = &mut owners[lifeline.0 as usize];
    if *owner > here.before {
        return None;
    }
    *owner = here.stamp;
    key.push(lifeline.0);
    Some(())
}

/// The lifelines of a header, from the cache or by a lookup.
fn header<'h>(
    headers: &'h mut FxHashMap<Box<str>, Lifelines>,
    written: &str,
    pool: &Pool,
) -> Option<&'h Lifelines> {
    if !headers.contains_key(written) {
        if headers.len() >= MOST {
            headers.clear();
        }
        headers.insert(written.into(), resolve_header(written, pool)?);
    }
    headers.get(written)
}

/// `'#all' | '#any' | name (',' name)*`
fn resolve_header(written: &str, pool: &Pool) -> Option<Lifelines> {
    let space = [' ', '\n', '\t', '\r'];
    match written.trim_matches(space) {
        "#all" => return Some(Lifelines::All),
        "#any" => return Some(Lifelines::Any),
        _ => {}
    }
    let one = |part: &str| pool.signature().lifeline(name(part.trim_matches(space))?);
    written.split(',').map(one).collect::<Option<_>>().map(Lifelines::Listed)
}

/// The name in a plain text, or in a quoted text without special characters.
fn name(written: &str) -> Option<&str> {
    let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(name) => (!name.is_empty() && !name.contains(SPECIAL)).then_some(name),
        None => is_plain(written).then_some(written),
    }
}

/// The characters that end a quoted name, or have a special meaning in it.
const SPECIAL: [char; 4] = ['"', '\\', '\n', '\r'];

struct TraceCursor<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl TraceCursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a name: ASCII letters, digits and `_`, or any text in quotes.
    fn name(&mut self) -> Option<()> {
        let start = self.at;
        if self.peek() == Some(b'"') {
            let length = memchr::memchr2(b'"', b'\\', &self.bytes[start + 1..])?;
            self.at = start + 1 + length;
            let closed = self.peek() == Some(b'"');
            self.at += 1;
            return closed.then_some(());
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otus_core::Signature;
    use otus_syntax::{Source, parse_trace};
    use proptest::prelude::*;

    fn pool() -> Pool {
        let mut signature = Signature::default();
        for name in ["a", "b", "c", "x-1"] {
            signature.add_lifeline(name);
        }
        for name in ["m", "n", "to be"] {
            signature.add_message(name);
        }
        Pool::new(signature)
    }

    /// Reads a text with both readers; returns whether the fast one accepts it.
    #[track_caller]
    fn both(reader: &mut QuickReader, pool: &mut Pool, text: &str) -> bool {
        let parsed = parse_trace(&Source::new("x.htf", text));
        // Lowering adds undeclared messages to the pool, which must not affect the next text.
        let (expected, found) = crate::lower(&parsed.tree, &mut pool.clone());
        let Some(trace) = reader.read(text, pool) else { return false };
        assert_eq!(parsed.diagnostics, [], "{text}");
        assert_eq!(found, [], "{text}");
        let (expected, again) = (expected.without_places(), crate::lower(&parsed.tree, pool).0);
        assert_eq!(*trace, again.without_places(), "{text}");
        assert_eq!(trace.partition(), expected.partition(), "{text}");
        true
    }

    #[test]
    fn plain_texts_are_read_as_in_the_general_way() {
        let (mut pool, texts) = (
            pool(),
            [
                "{[a] a!m.a?n; [b] b?m}",
                "{[b] b?m;[a] ;}",
                "[a] a!m",
                "[c , a] {c!m , a?n}.a!m ; [b]",
                "{[#all] a!m.b?m.\"x-1\"!\"to be\"}",
                "{[#any] c!m.a!m; [#any]; [b]}",
                "{[\"x-1\"] \"x-1\"!m.\"x-1\"?m}",
                "{}",
                " { [a]\n\ta!m . a!m\r\n}\n",
            ],
        );
        let mut reader = QuickReader::new(&pool);
        for text in texts.iter().chain(&texts) {
            assert!(both(&mut reader, &mut pool, text), "{text}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_general_way() {
        let mut pool = pool();
        let mut reader = QuickReader::new(&pool);
        for text in [
            "",
            "a!m",
            "{a!m,b?m}.a!m",
            "{[a] a!m",
            "[a] a!m}",
            "[a] a!m [b]",
            "[a] a!m; [a]",
            "[a,a] a!m",
            "[#all] a!m; [b]",
            "[a] b!m",
            "[z] ",
            "[a] a!zzz",
            "[a] a!m.",
            "[a] .a!m",
            "[a] a !m",
            "[a] a!m /* x */",
            "[a] {a!m,a!m}",
            "[a] {}",
            "[]",
            "[a] a!m-n",
            "[a] a!mé",
            "[a] \"a\\n\"!m",
            "[1] 1!m",
            "[x-1] x-1!m",
            "[#any] a!m; [#any] a!m",
            "[a] a!m(x=1)",
            "[a] a!m (x=1)",
            "[a] a!m().a!m",
            "[a] {a!m(x=1)}",
        ] {
            assert!(!both(&mut reader, &mut pool, text), "{text}");
            // A rejected text leaves no traces.
            assert!(both(&mut reader, &mut pool, "{[a] a!m; [b,c] b?m}"));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_read_right(
            texts in prop::collection::vec(
                prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..14), 1..8
            )
        ) {
            let mut pool = pool();
            let mut reader = QuickReader::new(&pool);
            for text in texts {
                both(&mut reader, &mut pool, &text.concat());
            }
        }

        #[test]
        fn whatever_is_plain_is_read(
            texts in prop::collection::vec(
                prop::array::uniform3(prop::collection::vec(0..5usize, 0..6)), 1..6
            )
        ) {
            let mut pool = pool();
            let mut reader = QuickReader::new(&pool);
            for [first, second, third] in texts {
                let steps = |numbers: &[usize], steps: [&str; 5]| {
                    numbers.iter().map(|&number| steps[number]).collect::<Vec<_>>().join(".")
                };
                let text = format!(
                    "{{[a] {};[c,b]{} ; [\"x-1\"] {}}}",
                    steps(&first, ["a!m", "a?m", "a!n", "\"a\"!m", "a!\"to be\""]),
                    steps(&second, ["b!m", "c?m", "{c!n,b?m}", "{b!m}", "b?m"]),
                    steps(&third, ["\"x-1\"!m", "\"x-1\"?m", "\"x-1\"!n", "\"x-1\"?n", "\"x-1\"!m"]),
                );
                prop_assert!(both(&mut reader, &mut pool, &text), "{text}");
            }
        }
    }

    const TOKENS: &[&str] = &[
        "{",
        "}",
        "[a]",
        "[b,c]",
        "[",
        "]",
        "#all",
        "[#any]",
        ";",
        "; ",
        ".",
        "a!m",
        "b?m",
        "c!n",
        "a!m",
        ".a?m",
        "a",
        "!",
        "m",
        "\"x-1\"",
        "\"",
        "\\",
        ",",
        " ",
        "\n",
        "é",
        "{a!m,b?m}",
        "1",
        "-",
        "/*",
        "//",
    ];
}
