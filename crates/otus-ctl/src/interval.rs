//! The canonical interval diagram: sets of vectors in a product of ranges, each set stored once.
//!
//! # Definition
//!
//! Let `U_i = [0,n_i] × … × [0,n_k]` (so `U_{k+1}` has one element, the empty vector). For
//! `S ⊆ U_i` and `x ∈ [0,n_i]` write `S(x) = { y ∈ U_{i+1} : (x,y) ∈ S }`, the *residual* of `S`
//! at `x`. The diagram of `S` is
//!
//! - the terminal [`EMPTY`](Set::EMPTY) if `S = ∅`, the terminal [`FULL`](Set::FULL) if `S = U_i`;
//! - else a node of layer `i`: the list of the maximal intervals of `[0,n_i]` on which `x ↦ S(x)` is
//!   constant, each given by its upper end and the diagram of that residual. A last interval whose
//!   residual is empty is left out: values above the last upper end are not in `S`.
//!
//! # Theorem (canonicity)
//!
//! Two subsets of `U_i` are equal iff their diagrams are. *Proof*, by induction from the last layer
//! up: the diagram is a function of the set, which is one direction. For the other, a diagram
//! determines its set: terminals do, since `∅ ≠ U_i`; a node is neither, and determines
//! the residual at every `x`, by induction, hence the set. ∎
//!
//! As nodes are hash-consed, equality of sets is equality of two numbers. A diagram has, on
//! each layer, one node for each residual that occurs there and is neither empty nor full: no
//! layered deterministic diagram in the same order of dimensions is smaller (the argument of Myhill
//! and Nerode).
//!
//! Interval Sharing Trees (Ganty 2002, after the sharing trees of Zampuniéris and Le Charlier 1995;
//! the structure of the paper this crate follows) share the idea of one layer per dimension and
//! intervals as labels. There the intervals below a node may overlap, and a set has many trees; here
//! a node is deterministic, a set has one diagram, and equality costs nothing.
//!
//! # Costs
//!
//! `|A|` is the number of intervals in all nodes of `A`.
//!
//! | operation | file | time |
//! |---|---|---|
//! | union, intersection, difference | [`apply`] | `O(\|A\| · \|B\|)`, mostly `O(\|A\| + \|B\|)` |
//! | boxes, a machine within a set | [`mod@build`] | one step per interval made |
//! | the lattice of a family of clocks, a machine within it | [`lattice`] | `O(k)` per interval made |
//! | one member of a set that is not built | [`find`] | ends at the first |
//! | predecessors | [`shift`] | one union per interval |
//! | downward closure | [`closure`] | one union per interval |
//! | constrained reachability | [`mod@until`] | one pass, no iteration |
//! | membership, least point | [`member`] | `O(k log n)` |
//! | count, enumeration | [`count`], [`iterate`] | one step per interval; per box |
//!
//! Recursion goes from layer to layer and never along a range, so its depth is the number of
//! dimensions; with many of them it runs on a stack that grows. The size of a diagram depends on the order of
//! dimensions, which the caller chooses.
//!
//! # Limits
//!
//! A [`Budget`](otus_core::budget::Budget) bounds nodes, bytes and time, and can be cancelled from outside. An
//! operation that meets a bound returns a [`Stop`](otus_core::budget::Stop), leaves every existing set as it is, and
//! may be repeated after [`collect`](Diagram::collect) has made room. Bounds on memory are checked where it grows; time and
//! cancellation are checked about every ten thousand intervals.

mod apply;
mod boxes;
mod build;
mod clocks;
mod closure;
mod count;
mod diagram;
mod find;
mod gc;
mod iterate;
mod lattice;
mod machine;
mod member;
mod memo;
mod reachable;
mod shift;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
mod until;

pub(crate) use clocks::{ClockTable, Clocks};
pub(crate) use diagram::{Diagram, Set};
pub(crate) use machine::{ACCEPT, Machine, REJECT};
