//! Counting: refutation by how often moments occur.
//!
//! Let #s be the number of occurrences of a moment s in a trace. For two moments s and t let `d(s, t)` be the least value of
//! #s − #t over all traces of x. For example, if every s is followed by its own t, then `d(s, t) = 0`.
//!
//! ```text
//! d of a leaf            = [s is a part of it] − [t is a part of it]
//! d of alt(x1, …)        = the least d of x1, …
//! d of sched_D(x1, …)    = the sum of their d;      the same for par
//! d of loop_D(x)         = 0 if d of x is not negative, else −∞
//! ```
//!
//! This is exact: operators only restrict the order of events, so the operands of a sequence can be chosen
//! independently of each other.
//!
//! **Claim.** Let the log of s be complete. If `#s − #t < d(s, t)` in the logs of µ, then x does not explain µ.
//!
//! *Proof.* In a trace that explains µ, s occurs as often as in its log, and t at least as often as in its own. ∎
//!
//! The claim also holds with 0 in place of #s or of #t. It then says that t occurs too often, or that s occurs too
//! rarely.
//!
//! *Cost.* For an interaction, once: a number for each subexpression and each pair of moments, if these are not too
//! many. For a question: one pass over the logs. Counting starts only after a search has visited some states, since
//! short searches cost less.

use otus_core::index::Index as _;
use rustc_hash::FxHashMap;

use super::Ending;
use super::alphabet::Alphabet;
use super::logs::Logs;
use super::store::{Expr, ExprId, Store};

/// The maximum number of values of `d` that are computed for an interaction.
const MANY: usize = 1_000_000;

/// The least differences between numbers of occurrences.
#[derive(Debug)]
pub(crate) struct Counting {
    /// The number of moments, plus one for the entry that stands for "no moment".
    width: usize,
    /// For each pair of moments: `d`.
    least: Vec<i64>,
}

/// Stands for −∞.
const UNBOUNDED: i64 = i64::MIN / 2;

impl Counting {
    /// The differences of an expression; `None` if there are too many.
    pub(crate) fn new(store: &Store, alphabet: &Alphabet, expr: ExprId) -> Option<Counting> {
        let width = alphabet.leaves.len() + 1;
        let pairs = width.checked_mul(width)?;
        // Operands have smaller numbers than the expressions that have them.
        let mut parts = vec![expr];
        let mut met: FxHashMap<ExprId, usize> = FxHashMap::default();
        met.insert(expr, 0);
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            for operand in store.expr(part).operands() {
                if met.insert(operand, 0).is_none() {
                    parts.push(operand);
                }
            }
            if parts.len().checked_mul(pairs)? > MANY {
                return None;
            }
        }
        parts.sort_unstable();
        let mut all: Vec<Vec<i64>> = Vec::with_capacity(parts.len());
        for (at, &part) in parts.iter().enumerate() {
            let of = |x: &ExprId| &all[met[x]];
            let mut own = vec![0; pairs];
            match store.expr(part) {
                Expr::Empty => {}
                // `Never` has no traces, and is no operand of another expression. Suffixes are not
                // counted.
                Expr::Never | Expr::Suffix(..) => return None,
                Expr::Leaf(leaf) => {
                    let mut weights = vec![0; width];
                    for (_, symbol) in &store.leaf(*leaf).parts {
                        weights[symbol.index()] = 1;
                    }
                    for (pair, least) in own.iter_mut().enumerate() {
                        *least = weights[pair / width] - weights[pair % width];
                    }
                }
                Expr::Alt(operands) => {
                    own.fill(i64::MAX);
                    for operand in operands.iter() {
                        own.iter_mut()
                            .zip(of(operand))
                            .for_each(|(least, x)| *least = (*least).min(*x));
                    }
                }
                Expr::Par(operands) => {
                    for (operand, count) in operands.iter() {
                        let count = i64::from(*count);
                        let more = of(operand).iter().map(|x| x.saturating_mul(count));
                        own.iter_mut().zip(more).for_each(|(sum, x)| *sum = add(*sum, x));
                    }
                }
                Expr::Seq(_, operands) => {
                    for operand in operands.iter() {
                        own.iter_mut().zip(of(operand)).for_each(|(sum, x)| *sum = add(*sum, *x));
                    }
                }
                Expr::Loop(_, body) => {
                    own.iter_mut().zip(of(body)).for_each(|(least, x)| {
                        *least = if *x < 0 { UNBOUNDED } else { 0 };
                    });
                }
            }
            met.insert(part, at);
            all.push(own);
        }
        Some(Counting { width, least: all.pop()? })
    }

    /// Whether the numbers of moments in the logs refute the expression.
    pub(crate) fn refutes(
        &self,
        store: &Store,
        alphabet: &Alphabet,
        logs: &Logs<'_>,
        global: bool,
    ) -> bool {
        let mut counts = vec![0_i64; self.width];
        let is_complete = |component: usize| {
            !global && !logs.late[component] && logs.endings[component] == Ending::Final
        };
        let mut incomplete = vec![false; self.width];
        for component in 0..logs.len() {
            let leaves = alphabet.on[component].iter().filter(|_| !is_complete(component));
            for (at, symbol) in leaves.flat_map(|&leaf| &store.leaf(leaf).parts) {
                incomplete[symbol.index()] |= at.index() == component;
            }
            let mut rest = logs.log(component);
            while !rest.is_empty() {
                let (symbol, length) = alphabet.read(rest);
                // The interaction has no other moments.
                let Some(count) = symbol.and_then(|symbol| counts.get_mut(symbol.index())) else {
                    return true;
                };
                *count += 1;
                rest = &rest[length..];
            }
        }
        (0..self.width).filter(|&s| !incomplete[s]).any(|s| {
            let least = &self.least[s * self.width..][..self.width];
            least.iter().zip(&counts).any(|(least, count)| counts[s] - count < *least)
        })
    }
}

/// The sum of two differences; −∞ if one of them is −∞.
fn add(x: i64, y: i64) -> i64 {
    x.saturating_add(y).max(UNBOUNDED)
}
