//! Fingerprints that identify a specification and a question about it.
//!
//! Every answer in a file of `--results` has a fingerprint, so that a later run notices if it would continue with
//! another specification or question. The fingerprint of a specification hashes its interaction with names instead of
//! ids, so comments, layout and the order of declarations do not matter. Shared subterms are visited once. The hash
//! is 64-bit FNV-1a (Fowler, Noll, Vo, 1991), because it must be the same on every machine; it protects against
//! mistakes, not against attacks.

use otus_analysis::Config;
use otus_analysis::values::Clocks;
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{LifelineId, Pool, RegionId, Term, TermId};
use rustc_hash::FxHashMap;

use super::plan::Method;

/// The fingerprint of a specification and of a question: both hashes in hexadecimal digits, joined by a hyphen.
pub(super) fn fingerprint(
    pool: &Pool,
    (term, valued): (TermId, Option<(&Valued, Clocks)>),
    kind: (&str, bool),
    method: &Method,
) -> String {
    let asked = match method {
        Method::Fast(declared) => format!("{declared:?}"),
        // Limits determine whether there is an answer, but not which answer, so they are not
        // hashed.
        Method::Graph(config, question) => {
            let config = Config { budget: Budget::default(), ..(**config).clone() };
            format!("{config:?} {question:?}")
        }
    };
    let mut question = Fnv::START;
    question.text(&format!("{kind:?} {asked}"));
    let mut spec = specification(pool, term);
    if let Some((valued, clocks)) = valued {
        let mut hash = Fnv(spec);
        hash.text(&values(valued));
        hash.text(&format!("{clocks:?}"));
        spec = hash.0;
    }
    format!("{spec:016x}-{:016x}", question.0)
}

/// The guards and binders of an interaction, node by node.
fn values(valued: &Valued) -> String {
    let Valued { fields, variables, nodes, root, .. } = valued;
    format!("{:?} {variables:?} {nodes:?} {root:?}", fields.items)
}

pub(super) fn is_same_specification(one: &str, other: &str) -> bool {
    one.split('-').next() == other.split('-').next()
}

fn specification(pool: &Pool, term: TermId) -> u64 {
    let mut known: FxHashMap<TermId, u64> = FxHashMap::default();
    let mut regions: FxHashMap<RegionId, u64> = FxHashMap::default();
    let mut region = |region: RegionId| {
        *regions.entry(region).or_insert_with(|| {
            let lifelines = (0..pool.signature().lifeline_count()).map(LifelineId::new);
            let inside = lifelines.filter(|&lifeline| pool.region_contains(region, lifeline));
            let mut names: Vec<&str> =
                inside.map(|lifeline| pool.signature().lifeline_name(lifeline)).collect();
            names.sort_unstable();
            let mut hash = Fnv::START;
            for name in names {
                hash.text(name);
            }
            hash.0
        })
    };
    let mut stack = vec![term];
    while let Some(&top) = stack.last() {
        let node = pool.node(top);
        let before = stack.len();
        stack.extend(node.operands().filter(|operand| !known.contains_key(operand)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let mut hash = Fnv::START;
        match node {
            Term::Empty => hash.text("empty"),
            Term::Event(event) => {
                hash.text("event");
                for &action in pool.event_actions(event) {
                    hash.text(&pool.action(action).text(pool.signature()));
                }
            }
            Term::Strict(..) => hash.text("strict"),
            Term::Alt(..) => hash.text("alt"),
            Term::LoopS(_) => hash.text("loopS"),
            Term::Coreg(within, ..) => {
                hash.text("coreg");
                hash.number(region(within));
            }
            Term::LoopC(within, _) => {
                hash.text("loopC");
                hash.number(region(within));
            }
        }
        for operand in node.operands() {
            hash.number(known[&operand]);
        }
        known.insert(top, hash.0);
    }
    known[&term]
}

struct Fnv(u64);

impl Fnv {
    const START: Fnv = Fnv(0xcbf2_9ce4_8422_2325);

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Hashes a text, followed by an end mark.
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.number(text.len() as u64);
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_spec};

    use super::*;

    fn hash(model: &str) -> u64 {
        let mut model = parse_spec(&Source::new("m.hif", model)).tree;
        model.implicit = true;
        let lowered = otus_core::lower(&[&model]);
        specification(&lowered.pool, lowered.term.unwrap())
    }

    #[test]
    fn only_what_a_specification_means_matters() {
        let one = "@message{ m; n } @lifeline{ a; b } seq(a -- m -> b, b -- n -> a)";
        let same =
            "@message{ n; m }\n@lifeline{ b; a }\n// as above\nseq(a -- m -> b,\n b -- n -> a)";
        assert_eq!(hash(one), hash(same));
        for other in [
            "seq(b -- n -> a, a -- m -> b)",
            "par(a -- m -> b, b -- n -> a)",
            "strict(a -- m -> b, b -- n -> a)",
            "seq(a -- n -> b, b -- n -> a)",
            "loopW(seq(a -- m -> b, b -- n -> a))",
            "seq(a -- m -> b, b -- n ->|)",
        ] {
            assert_ne!(hash(one), hash(other), "{other}");
        }
    }

    #[test]
    fn it_is_the_same_on_every_machine() {
        let mut hash = Fnv::START;
        hash.bytes(b"foobar");
        // The expected values are from the authors' table.
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_first_part_is_the_specification() {
        assert!(is_same_specification("7-1", "7-2"));
        assert!(!is_same_specification("7-1", "1-1"));
        assert!(!is_same_specification("7-1", "x"));
    }

    #[test]
    fn what_is_shared_is_visited_once() {
        let mut model = "a -- m -> b".to_owned();
        for _ in 0..14 {
            model = format!("seq({model},{model})");
        }
        hash(&model);
    }
}
