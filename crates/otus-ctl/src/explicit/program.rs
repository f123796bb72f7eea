//! A formula compiled to a list of operations on the bits of one cut.

use otus_core::index::Index as _;
use rustc_hash::FxHashMap;

use crate::formula::{AtomId, Formula, FormulaId, Formulas};
use crate::number;

/// A list of operations. Each has one truth value as its result, and the operations of its operands
/// come before it.
#[derive(Debug)]
pub(super) struct Program {
    operations: Vec<Operation>,
    /// The operations whose results a cut stores, bit by bit, for its predecessors.
    remembered: Vec<u32>,
}

#[derive(Debug)]
enum Operation {
    Constant(bool),
    End,
    /// The conjunction, or disjunction, of some atoms and negated atoms.
    Literals(bool, Box<[Literals]>),
    Not(u32),
    And(Box<[u32]>),
    Or(Box<[u32]>),
    /// Whether a successor has this bit.
    Next(Bit),
    /// `g ∨ (f ∧ a successor has this bit)`; the result is stored in the same bit.
    Until(u32, u32, Bit),
}

/// The atoms of one word that must hold, and those that must not.
#[derive(Debug, Clone, Copy, Default)]
struct Literals {
    word: usize,
    positive: u64,
    negative: u64,
}

/// A bit among those that a cut stores.
#[derive(Debug, Clone, Copy)]
struct Bit {
    byte: usize,
    mask: u8,
}

impl Bit {
    fn new(index: usize) -> Self {
        Bit { byte: index / 8, mask: 1 << (index % 8) }
    }
}

impl Program {
    /// The program of a formula, whose atoms have the positions given.
    pub(super) fn new(
        formulas: &Formulas,
        formula: FormulaId,
        position: &FxHashMap<AtomId, usize>,
    ) -> Self {
        let mut program = Program { operations: Vec::new(), remembered: Vec::new() };
        let mut results: FxHashMap<FormulaId, u32> = FxHashMap::default();
        let mut bits: FxHashMap<u32, usize> = FxHashMap::default();
        for part in parts(formulas, formula) {
            let operation = match formulas.get(part) {
                _ if formulas.as_literal(part).is_some() => {
                    Operation::Literals(true, literals(formulas, &[part], position).0)
                }
                Formula::True => Operation::Constant(true),
                Formula::False => Operation::Constant(false),
                Formula::End => Operation::End,
                Formula::Atom(_) => unreachable!("it is a literal"),
                Formula::Not(f) => Operation::Not(results[f]),
                Formula::And(all) => program.connective(formulas, all, &results, position, true),
                Formula::Or(all) => program.connective(formulas, all, &results, position, false),
                Formula::Next(f) => {
                    let operand = results[f];
                    let bit = *bits.entry(operand).or_insert_with(|| {
                        program.remembered.push(operand);
                        program.remembered.len() - 1
                    });
                    Operation::Next(Bit::new(bit))
                }
                Formula::Until([f, g]) => {
                    let own = number(program.operations.len());
                    bits.insert(own, program.remembered.len());
                    program.remembered.push(own);
                    Operation::Until(results[f], results[g], Bit::new(program.remembered.len() - 1))
                }
            };
            results.insert(part, program.push(operation));
        }
        program
    }

    fn push(&mut self, operation: Operation) -> u32 {
        self.operations.push(operation);
        number(self.operations.len() - 1)
    }

    /// A connective; its literals become one operation.
    fn connective(
        &mut self,
        formulas: &Formulas,
        all: &[FormulaId],
        results: &FxHashMap<FormulaId, u32>,
        position: &FxHashMap<AtomId, usize>,
        and: bool,
    ) -> Operation {
        let (tests, others) = literals(formulas, all, position);
        if others.is_empty() {
            return Operation::Literals(and, tests);
        }
        let mut operands: Vec<u32> = others.iter().map(|f| results[f]).collect();
        if !tests.is_empty() {
            operands.push(self.push(Operation::Literals(and, tests)));
        }
        if and { Operation::And(operands.into()) } else { Operation::Or(operands.into()) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.remembered.len().div_ceil(8)
    }

    /// The number of results; the last is that of the formula.
    pub(super) fn results(&self) -> usize {
        self.operations.len()
    }

    /// Decides a cut, given the atoms that hold there and whether it is the last cut. On entry, `row` is the
    /// disjunction of the bits of the cut's successors; on return, it has the bits of the cut itself.
    #[inline]
    pub(super) fn run(
        &self,
        atoms: &[u64],
        end: bool,
        bytes: &mut [u8],
        results: &mut [bool],
    ) -> bool {
        for (at, operation) in self.operations.iter().enumerate() {
            results[at] = match operation {
                Operation::Constant(value) => *value,
                Operation::End => end,
                Operation::Literals(true, tests) => tests.iter().all(|test| {
                    atoms[test.word] & (test.positive | test.negative) == test.positive
                }),
                Operation::Literals(false, tests) => tests.iter().any(|test| {
                    (atoms[test.word] ^ test.negative) & (test.positive | test.negative) != 0
                }),
                Operation::Not(f) => !results[*f as usize],
                Operation::And(all) => all.iter().all(|&f| results[f as usize]),
                Operation::Or(all) => all.iter().any(|&f| results[f as usize]),
                Operation::Next(bit) => bytes[bit.byte] & bit.mask != 0,
                Operation::Until(f, g, bit) => {
                    results[*g as usize]
                        || (results[*f as usize] && bytes[bit.byte] & bit.mask != 0)
                }
            };
        }
        for (byte, eight) in bytes.iter_mut().zip(self.remembered.chunks(8)) {
            *byte = eight
                .iter()
                .rev()
                .fold(0, |bits, &result| bits << 1 | u8::from(results[result as usize]));
        }
        results.last().copied().unwrap_or(true)
    }
}

/// The parts of a formula that have a result of their own, operands first.
fn parts(formulas: &Formulas, formula: FormulaId) -> Vec<FormulaId> {
    let mut wanted = vec![false; formula.index() + 1];
    wanted[formula.index()] = true;
    let mut parts = Vec::new();
    // Operands have smaller ids.
    for id in (0..=formula.index()).rev() {
        if !wanted[id] {
            continue;
        }
        let part = FormulaId::new(id);
        parts.push(part);
        if formulas.as_literal(part).is_some() {
            continue;
        }
        let node = formulas.get(part);
        let joined = node.is_connective();
        for operand in node.operands() {
            wanted[operand.index()] |= !joined || formulas.as_literal(*operand).is_none();
        }
    }
    parts.reverse();
    parts
}

/// The literals among some formulas, by words, and the others.
fn literals(
    formulas: &Formulas,
    all: &[FormulaId],
    position: &FxHashMap<AtomId, usize>,
) -> (Box<[Literals]>, Vec<FormulaId>) {
    let mut tests: Vec<Literals> = Vec::new();
    let mut others = Vec::new();
    for &f in all {
        let Some((atom, positive)) = formulas.as_literal(f) else {
            others.push(f);
            continue;
        };
        let (word, bit) = (position[&atom] / 64, 1 << (position[&atom] % 64));
        let at = tests.iter().position(|test| test.word == word).unwrap_or_else(|| {
            tests.push(Literals { word, ..Literals::default() });
            tests.len() - 1
        });
        if positive {
            tests[at].positive |= bit;
        } else {
            tests[at].negative |= bit;
        }
    }
    (tests.into(), others)
}
