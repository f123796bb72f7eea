//! Visits all cuts in descending lexicographic order, row by row.

use otus_core::budget::{Budget, Stop};

use super::Tally;
use super::atoms::{Atoms, Before};
use super::program::Program;
use crate::check::Problem;
use crate::formula::FormulaId;
use crate::interval::Clocks as _;
use crate::pace::Pace;

/// The index that stands for "there is no such prefix".
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Walk<'f> {
    problem: Problem<'f>,
    pace: Pace,
    program: Program,
    atoms: Atoms<'f>,
    /// For each layer: the dimension of the view.
    order: Vec<usize>,
    bounds: Vec<u32>,
    /// For each depth: its prefixes in the order in which they were visited, which is descending.
    prefixes: Vec<Vec<Prefix>>,
    /// The stored bits of cuts, in the order of the visit.
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    tally: Tally,
}

/// The first components of some cuts.
#[derive(Debug, Clone, Copy)]
struct Prefix {
    /// The greatest value of the next component.
    high: u32,
    /// The index of the first prefix, or cut, that extends this prefix by one component. Extensions are
    /// in descending order of that component.
    start: u32,
}

/// The state of the search at one depth.
#[derive(Debug, Clone)]
struct Frame {
    /// For the next component and all later ones: the least and the greatest value.
    low: Vec<u32>,
    high: Vec<u32>,
    /// The next component.
    value: u32,
    /// The successors along each component so far, as prefixes of the same depth.
    successors: Vec<u32>,
    mask: Vec<u64>,
    reached: Vec<u32>,
    /// Whether all components so far are at their bounds.
    end: bool,
}

impl<'f> Walk<'f> {
    pub(super) fn new(
        problem: Problem<'f>,
        formula: FormulaId,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let view_bounds = problem.view.bounds();
        // The longest process becomes the last component, because the cuts of a row, which differ
        // only in the last component, are visited fastest.
        let mut order: Vec<usize> = (0..view_bounds.len()).collect();
        if let Some(longest) = order.iter().copied().max_by_key(|&at| view_bounds[at]) {
            order.retain(|&at| at != longest);
            order.push(longest);
        }
        let mut bounds: Vec<u32> = order.iter().map(|&at| view_bounds[at]).collect();
        if bounds.is_empty() {
            // If there are no components, there is one cut. One component that is always 0 has the
            // same effect.
            bounds.push(0);
        }
        let atoms = Atoms::new(problem, &order, &bounds, budget)?;
        let program = Program::new(problem.formulas, formula, &atoms.position);
        let layers = bounds.len();
        let frame = Frame {
            low: vec![0; layers],
            high: bounds.clone(),
            value: 0,
            successors: vec![NONE; layers],
            mask: atoms.constant.clone(),
            reached: vec![0; atoms.chains],
            end: true,
        };
        Ok(Walk {
            problem,
            pace: Pace::new(budget),
            program,
            atoms,
            order,
            bounds,
            prefixes: vec![Vec::new(); layers],
            bytes: Vec::new(),
            frames: vec![frame; layers],
            tally: Tally { cuts: 0, satisfying: 0, holds: false },
        })
    }

    /// Visits all cuts, or stops at the first one that satisfies the formula.
    pub(super) fn run(mut self, until_satisfied: bool) -> Result<Tally, Stop> {
        self.pace.check()?;
        let last = self.bounds.len() - 1;
        let mut results = vec![false; self.program.results()];
        let (mut row_atoms, mut row_bytes) = (Vec::new(), Vec::new());
        let mut depth = 0;
        self.open(0)?;
        loop {
            while depth < last {
                depth += 1;
                self.open(depth)?;
            }
            self.row(until_satisfied, &mut results, &mut row_atoms, &mut row_bytes)?;
            if until_satisfied && self.tally.satisfying > 0 {
                return Ok(self.tally);
            }
            // Continue with the next smaller value at the greatest depth that has one. The last depth
            // is visited as whole rows.
            loop {
                let Some(above) = depth.checked_sub(1) else { return Ok(self.tally) };
                depth = above;
                let frame = &mut self.frames[depth];
                if frame.value > frame.low[depth] {
                    frame.value -= 1;
                    break;
                }
            }
        }
    }

    /// Enters a depth: starts with the greatest value of its component, given the components before it.
    fn open(&mut self, depth: usize) -> Result<(), Stop> {
        self.pace.step(self.bounds.len() - depth)?;
        let remembers = self.program.bytes() > 0;
        if let Some(above) = depth.checked_sub(1) {
            let (before, after) = self.frames.split_at_mut(depth);
            let (parent, frame) = (&before[above], &mut after[0]);
            let clocks = &self.problem.view.clocks;
            for other in depth..self.bounds.len() {
                let (from, to) = (self.order[above], self.order[other]);
                let low = clocks.lower(from, parent.value, to);
                let high = clocks.upper(from, parent.value, to);
                frame.low[other] = low.max(parent.low[other]);
                frame.high[other] = high.min(parent.high[other]);
            }
            frame.end = parent.end && parent.value == self.bounds[above];
            frame.mask.copy_from_slice(&parent.mask);
            frame.reached.copy_from_slice(&parent.reached);
            self.atoms.enter(above, parent.value, &mut frame.mask, &mut frame.reached);
            if remembers {
                for component in 0..above {
                    frame.successors[component] = extension(
                        &self.prefixes[above],
                        parent.successors[component],
                        parent.value,
                    );
                }
                // The prefix that was visited before this one has the next greater value, so it is
                // the successor.
                frame.successors[above] = if parent.value < parent.high[above] {
                    number(self.prefixes[depth].len() - 1)?
                } else {
                    NONE
                };
            }
        }
        let high = self.frames[depth].high[depth];
        self.frames[depth].value = high;
        if remembers {
            let start = match self.prefixes.get(depth + 1) {
                Some(longer) => number(longer.len())?,
                None => number(self.bytes.len() / self.program.bytes())?,
            };
            if self.prefixes[depth].len() == self.prefixes[depth].capacity() {
                let more = (self.prefixes[depth].len() / 2).max(64);
                self.pace.budget.check_bytes(self.held() + more * size_of::<Prefix>())?;
                self.prefixes[depth].reserve_exact(more);
            }
            self.prefixes[depth].push(Prefix { high, start });
        }
        Ok(())
    }

    /// Decides all cuts of a row: those that begin with the components chosen so far.
    fn row(
        &mut self,
        until_satisfied: bool,
        results: &mut [bool],
        row_atoms: &mut Vec<u64>,
        row_bytes: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let last = self.bounds.len() - 1;
        let frame = &self.frames[last];
        let (low, high) = (frame.low[last], frame.high[last]);
        let length = (high - low) as usize + 1;
        self.tally.cuts += length as u64;
        if self.pace.budget.max_states.is_some_and(|most| self.tally.cuts > most) {
            return Err(Stop::States);
        }
        let (words, width) = (self.atoms.words, self.program.bytes());
        let room = row_atoms.capacity() * size_of::<u64>() + row_bytes.capacity();
        let needed = length * (words * size_of::<u64>() + width);
        if needed > room {
            self.pace.budget.check_bytes(self.held() + needed)?;
        }
        let before = Before { mask: &frame.mask, reached: &frame.reached };
        self.atoms.row(last, low..=high, before, row_atoms, &mut self.pace)?;
        row_bytes.clear();
        row_bytes.resize(length * width, 0);
        if width > 0 {
            for component in 0..last {
                self.add_successors(frame.successors[component], low, high, row_bytes);
            }
        }
        let is_end = frame.end && high == self.bounds[last];
        for at in 0..length {
            self.pace.step(self.program.results())?;
            let (done, rest) = row_bytes.split_at_mut(at * width);
            let own = &mut rest[..width];
            if at > 0 {
                for (own, next) in own.iter_mut().zip(&done[(at - 1) * width..]) {
                    *own |= next;
                }
            }
            let atoms = &row_atoms[at * words..][..words];
            let holds = self.program.run(atoms, is_end && at == 0, own, results);
            self.tally.satisfying += u64::from(holds);
            self.tally.holds = holds;
            if holds && until_satisfied {
                return Ok(());
            }
        }
        if width > 0 {
            let needed = self.bytes.len() + row_bytes.len();
            if needed > self.bytes.capacity() {
                number(self.bytes.len().div_ceil(width) + length)?;
                let more = (self.bytes.len() / 2).max(row_bytes.len()).max(1024);
                self.pace.budget.check_bytes(self.held() + more)?;
                self.bytes.reserve_exact(more);
            }
            self.bytes.extend_from_slice(row_bytes);
        }
        Ok(())
    }

    /// Adds the bits of the successors of a row along one component. These successors are part of the row of
    /// another prefix.
    fn add_successors(&self, other: u32, low: u32, high: u32, row: &mut [u8]) {
        let prefixes = &self.prefixes[self.bounds.len() - 1];
        let Some(of) = prefixes.get(other as usize) else { return };
        let width = self.program.bytes();
        // A successor was visited before the prefix at which the search is, so the list has an entry after it.
        let end = prefixes[other as usize + 1].start;
        let least = of.high + 1 - (end - of.start);
        let (from, to) = (high.min(of.high), low.max(least));
        if from < to {
            return;
        }
        let length = (from - to + 1) as usize * width;
        let theirs = &self.bytes[(of.start + (of.high - from)) as usize * width..][..length];
        let ours = &mut row[(high - from) as usize * width..][..length];
        for (ours, theirs) in ours.iter_mut().zip(theirs) {
            *ours |= theirs;
        }
    }

    /// The number of bytes in use.
    fn held(&self) -> usize {
        let prefixes: usize = self.prefixes.iter().map(Vec::capacity).sum();
        prefixes * size_of::<Prefix>() + self.bytes.capacity() + self.atoms.bytes
    }
}

/// The prefix that extends another one by a value, if there is one.
fn extension(prefixes: &[Prefix], prefix: u32, value: u32) -> u32 {
    let Some(of) = prefixes.get(prefix as usize) else { return NONE };
    // A successor was visited before the prefix at which the search is, so the list has an entry
    // after it.
    let count = prefixes[prefix as usize + 1].start - of.start;
    if value > of.high || of.high - value >= count {
        return NONE;
    }
    of.start + (of.high - value)
}

/// An index of a cut or prefix.
fn number(index: usize) -> Result<u32, Stop> {
    u32::try_from(index).ok().filter(|&number| number < NONE).ok_or(Stop::States)
}
