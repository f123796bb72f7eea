//! The step at one position: the event there and the term after it.
//!
//! The rules are those of [`frontier`](mod@super::frontier), applied only to the terms around the position. So one
//! step costs time proportional to the depth of the position, whereas computing all steps of a term costs their
//! number times the depth. To replay a known execution, one step at a time is enough.

use crate::algebra::{Memo, prune, simplify};
use crate::index::{EventId, TermId};
use crate::pool::Pool;
use crate::term::Term;

/// The event of the step at a position and the simplified term after it; `None` if there is no step.
///
/// ```
/// use otus_core::algebra::Memo;
/// use otus_core::semantics::execute;
/// use otus_syntax::{Source, parse_spec};
///
/// let mut model = parse_spec(&Source::new("m.hif", "seq(a!m, b!n)")).tree;
/// model.implicit = true;
/// let mut lowered = otus_core::lower(&[&model]);
/// let (pool, term) = (&mut lowered.pool, lowered.term.unwrap());
/// let (event, after) = execute(pool, &mut Memo::default(), term, [2]).unwrap();
/// assert_eq!((pool.event_text(event).as_str(), pool.text(after).as_str()), ("b!n", "a!m"));
/// ```
pub fn execute(
    pool: &mut Pool,
    memo: &mut Memo,
    term: TermId,
    position: impl IntoIterator<Item = u8>,
) -> Option<(EventId, TermId)> {
    // From the outermost term to the one around the event, each with the letter of the operand.
    let mut around: Vec<(TermId, u8)> = Vec::new();
    let mut at = term;
    for letter in position {
        around.push((at, letter));
        at = match (pool.node(at), letter) {
            (Term::Alt(left, _) | Term::Strict(left, _) | Term::Coreg(_, left, _), 1) => left,
            (Term::Alt(_, right) | Term::Coreg(_, _, right), 2) => right,
            (Term::Strict(left, right), 2) if pool.attributes(left).terminates => right,
            (Term::LoopS(body) | Term::LoopC(_, body), 1) => body,
            _ => return None,
        };
    }
    let event = pool.node(at).as_event()?;
    let mut after = Pool::EMPTY;
    for (term, letter) in around.into_iter().rev() {
        after = match (pool.node(term), letter) {
            (Term::Strict(_, right), 1) => simplify::strict(pool, after, right),
            (Term::Coreg(region, _, right), 1) => simplify::coreg(pool, region, after, right),
            (Term::Coreg(region, left, _), _) => {
                let ordered = pool.ordered(region, event);
                let pruned = prune(pool, memo, left, ordered)?;
                simplify::coreg(pool, region, pruned, after)
            }
            (Term::LoopS(_), _) => simplify::strict(pool, after, term),
            (Term::LoopC(region, _), _) => {
                let ordered = pool.ordered(region, event);
                let before = prune(pool, memo, term, ordered)?;
                let rest = simplify::coreg(pool, region, after, term);
                simplify::coreg(pool, region, before, rest)
            }
            // The other operand of an alternative is dropped. So is the left operand of a strict
            // sequence, if the step is in the right one.
            (Term::Alt(..) | Term::Strict(..) | Term::Empty | Term::Event(_), _) => after,
        };
    }
    Some((event, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interaction;
    use crate::semantics::Frontiers;

    /// Compares with all steps of the term and of the terms after it.
    #[track_caller]
    fn check(text: &str) {
        let (mut pool, root) = interaction(text);
        let (mut frontiers, mut memo) = (Frontiers::default(), Memo::default());
        let mut pending = vec![(root, 3)];
        while let Some((term, depth)) = pending.pop() {
            for step in frontiers.steps(&mut pool, term).iter() {
                let position: Vec<u8> = frontiers.positions.letters(step.position).collect();
                let found = execute(&mut pool, &mut memo, term, position.iter().copied());
                assert_eq!(found, Some((step.event, step.follow_up)), "{text} at {position:?}");
                // Below an event and beside an operand there is nothing.
                let below = position.iter().copied().chain([1]);
                assert_eq!(execute(&mut pool, &mut memo, term, below), None);
                if depth > 0 {
                    pending.push((step.follow_up, depth - 1));
                }
            }
        }
    }

    #[test]
    fn the_step_is_the_one_among_all() {
        for text in [
            "a!m",
            "alt(a!m, seq(b!m, a!n))",
            "strict(alt(a!m, o), b!m)",
            "strict(loopS(alt(a!m, o)), b!m)",
            "seq(alt(a!m, b!m), a!n)",
            "par(loopW(seq(a!m, b!n)), loopP(a -- n -> b))",
            "coreg(b)(b!m, seq(a!m, b!n))",
            "loopC(a)(seq(a!m, loopS(b!m)))",
            "seq(alt(a!n, b!n), a -- <synch> m -> b)",
        ] {
            check(text);
        }
    }

    #[test]
    fn a_position_without_a_step_is_refused() {
        let (mut pool, term) = interaction("seq(strict(a!m, b!m), seq(a!n, b!n))");
        let mut memo = Memo::default();
        for position in [&[][..], &[1], &[1, 2], &[2, 1], &[2, 2], &[1, 3], &[0]] {
            assert_eq!(execute(&mut pool, &mut memo, term, position.iter().copied()), None);
        }
    }

    #[test]
    fn depth_is_not_ours() {
        let depth = 100_000;
        let text = format!("{}a!m{}", "par(b!m, ".repeat(depth), ")".repeat(depth));
        let (mut pool, term) = interaction(&text);
        let position = std::iter::repeat_n(2, depth);
        assert!(execute(&mut pool, &mut Memo::default(), term, position).is_some());
    }
}
