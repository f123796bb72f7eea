//! Fields that both ends of messages carry alike: `[values] same = ["id"]` of `otus.toml`, and what is learnt from runs.
//!
//! The setting means `[=id]` at every message passing with two ends; runs may show it of some messages only. So it is added to the tree, before names are
//! resolved; a passing that has the atom already stays as it is. A single end has nothing to agree with.

use otus_syntax::ast::guard::{Atom, Test};
use otus_syntax::ast::{NodeKind, SpecFile};
use otus_syntax::name::Name;

/// Adds `[=f]` to the passings of some messages, and returns whether there are any.
pub(crate) fn require(file: &mut SpecFile, field: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    let Some(interaction) = &mut file.interaction else { return false };
    let symbol = file.names.intern(field);
    let mut is_found = false;
    for node in &mut interaction.nodes {
        let NodeKind::Passing(passing) = &mut node.kind else { continue };
        let ends = usize::from(passing.origin.is_some()) + passing.target.lifelines().len();
        let is_same = |atom: &Atom| matches!(&atom.test, Test::Same(name) if name.symbol == symbol);
        let has_two_ends = ends > 1 && is_wanted(file.names.text(passing.message.symbol));
        is_found |= has_two_ends;
        if has_two_ends && !passing.guard.iter().any(is_same) {
            let test = Test::Same(Name { symbol, span: node.span });
            passing.guard.push(Atom { span: node.span, lifeline: None, test });
        }
    }
    is_found
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_spec, print};

    #[test]
    fn passings_with_two_ends_agree() {
        let text = "seq(a -- m -> b, b -- n[=id] -> a, a!o, a -- p[id = 1] -> (b, c))";
        let mut tree = parse_spec(&Source::new("x.hif", text)).tree;
        assert!(super::require(&mut tree, "id", |_| true));
        let printed: String = print::interaction(&tree).split_whitespace().collect();
        let expected = "seq(a--m[=id]->b,b--n[=id]->a,a--o->|,a--p[id=1,=id]->(b,c))";
        assert_eq!(printed, expected);
    }
}
