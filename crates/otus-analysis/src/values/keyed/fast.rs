//! Steps of sessions without any allocation: registers are numbers, tests compare them.
//!
//! A step is *fast* if every variable that it opens gets its value from the event, and every test compares a time of the
//! same clock with a register, a value for equality with a register, or a value with constants. All other steps go the way of
//! the exact search, session by session.

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_core::Peer;
use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, VariableId};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use otus_trace::{FactId, LogFacts, Partition};
use smallvec::SmallVec;

use super::super::expr::{ExprId, Exprs, HoleId, KindId, SetId, Var};
use super::super::step::{Steps, Way};
use super::instants::is_one_epoch;

/// The number of registers of a session.
pub(super) const REGISTERS: usize = 2;

/// The registers of a session: times, or ids of values.
pub(super) type Registers = [i64; REGISTERS];

/// A step that needs no search.
#[derive(Debug, Clone)]
pub(super) struct FastStep {
    pub(super) to: ExprId,
    /// The leaf in the valued tree.
    pub(super) leaf: ValuedId,
    peers: Arc<BTreeSet<Peer>>,
    tests: SmallVec<[FastTest; 2]>,
    registers: [Source; REGISTERS],
    /// The same as places in what an event [gives](Given); `None` if a field gives a register its value.
    places: Option<[Given; REGISTERS]>,
    /// Whether the time of the event gives a register its value.
    keeps_time: bool,
    /// Whether all registers stay as they are.
    pub(super) keeps_registers: bool,
    /// If the event happens in a hole: the hole.
    pub(super) inside: Option<Inside>,
    /// The tables whose sessions must do without lifelines from now on.
    pub(super) without: SmallVec<[Without; 1]>,
    /// The register of a table that the step opens.
    pub(super) opens: Option<(HoleId, u8)>,
    /// Whether it changes nothing.
    pub(super) is_idle: bool,
}

/// The hole in which an event happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inside {
    /// The register of its table after the step; `None` if there is one table.
    pub(super) table: Option<u8>,
    /// The lifelines on which it has no more events.
    pub(super) without: SetId,
}

/// A table whose sessions must do without lifelines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Without {
    pub(super) hole: HoleId,
    /// The register of the table before the step; `None` if there is one table.
    pub(super) table: Option<u8>,
    pub(super) lifelines: SetId,
    /// Whether nothing can happen in the hole any more.
    pub(super) is_last: bool,
}

#[derive(Debug, Clone)]
enum FastTest {
    /// The time of the event against a register plus nanoseconds.
    Time(Relation, u8, i64),
    /// The value of a field equals that of a register.
    Same(FieldId, u8),
    /// The value of a field passes a test with constants.
    Constant(FieldId, Box<Test>),
}

/// Where a register gets its value from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It has none.
    Nothing,
    Register(u8),
    Time,
    Field(FieldId),
    /// A new table.
    Table,
}

/// A place in the registers before an event, followed by its time and by nothing. To look up a place costs less than to ask
/// where a register comes from, which differs from event to event.
type Given = u8;

/// The place of nothing, after the registers and the time.
const NOTHING: usize = REGISTERS + 1;

impl Source {
    fn place(self) -> Option<Given> {
        let place = match self {
            Source::Register(at) => return Some(at),
            Source::Time => REGISTERS,
            Source::Nothing | Source::Table => NOTHING,
            Source::Field(_) => return None,
        };
        u8::try_from(place).ok()
    }
}

/// The event at hand.
#[derive(Clone, Copy)]
pub(super) struct At<'f> {
    /// The values of its log.
    pub(super) facts: &'f LogFacts<'f>,
    pub(super) step: usize,
    pub(super) peer: Option<Peer>,
    pub(super) across: Across,
}

/// The end of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Its last time, if it is known.
    pub(super) time: Option<i64>,
    pub(super) across: Across,
}

/// What is said of a bound on two times of one clock that went backwards between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Across {
    /// The clock does not go backwards.
    Nothing,
    /// Times are [numbers that know their epoch](super::instants). Such a bound holds, or does not, without being looked at. Only
    /// an event that gives an anchor its time again must give it the same one, of the same epoch.
    Holds(bool),
}

impl Across {
    /// Whether `time rel start + offset` holds.
    #[inline]
    fn test(self, relation: Relation, time: i64, start: i64, offset: i64) -> bool {
        let sets = relation == Relation::Equal && offset == 0;
        match self {
            Across::Holds(holds) if !is_one_epoch(time, start) && !sets => holds,
            Across::Holds(_) | Across::Nothing => start
                .checked_add(offset)
                .is_some_and(|other| relation.holds(Some(time.cmp(&other)))),
        }
    }
}

/// What a fast step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Holds,
    Fails,
    /// A value that is tested was not logged.
    Unlogged,
}

impl FastStep {
    fn new(
        exprs: &Exprs,
        from: ExprId,
        way: &Way,
        clock_of: &dyn Fn(&Atom) -> bool,
    ) -> Option<FastStep> {
        let leaf = &exprs.leaves[way.leaf];
        let [part] = &*leaf.parts else { return None };
        if !way.inserts.is_empty() || !way.opened_sets.is_empty() || way.moves.len() > REGISTERS {
            return None;
        }
        let slot = |at: u16| u8::try_from(at).ok().filter(|&at| usize::from(at) < REGISTERS);
        let argument = |atom: &Atom| {
            let variable = atom.variable()?;
            let at = leaf.variables.iter().position(|&other| other == variable)?;
            Some(way.arguments[at])
        };
        let mut tests = SmallVec::new();
        let mut given: SmallVec<[(u16, Source); 2]> = SmallVec::new();
        if let Some((_, Var::Opened(at), _)) = way.hole {
            given.push((at, Source::Table));
        }
        for atom in &part.guard {
            match (&atom.test, argument(atom)) {
                (Test::Compare(relation, Operand::Variable(_, offset)), Some(var)) => match var {
                    Var::Opened(at) => {
                        // Only one atom gives a variable its value; a second one would be a test.
                        if atom.binds().is_none() || given.iter().any(|(known, _)| *known == at) {
                            return None;
                        }
                        let is_time = atom.field == Valued::TIME;
                        let source = if is_time { Source::Time } else { Source::Field(atom.field) };
                        given.push((at, source));
                    }
                    Var::Slot(at) => {
                        let at = slot(at)?;
                        if atom.field == Valued::TIME {
                            if !clock_of(atom) {
                                return None;
                            }
                            tests.push(FastTest::Time(*relation, at, offset.integer()?));
                        } else if *relation == Relation::Equal && *offset == Rational::from(0) {
                            tests.push(FastTest::Same(atom.field, at));
                        } else {
                            return None;
                        }
                    }
                    Var::Bound(_) => return None,
                },
                (test, _) => {
                    if atom.field == Valued::TIME {
                        return None;
                    }
                    tests.push(FastTest::Constant(atom.field, Box::new(test.clone())));
                }
            }
        }
        let mut registers = [Source::Nothing; REGISTERS];
        for (source, &var) in registers.iter_mut().zip(&way.moves) {
            *source = match var {
                Var::Slot(at) => Source::Register(slot(at)?),
                Var::Opened(at) => given.iter().find(|(known, _)| *known == at)?.1,
                Var::Bound(_) => return None,
            };
        }
        let is_left = |source: Source| registers.iter().position(|&own| own == source);
        let opens = match way.hole {
            Some((hole, Var::Opened(_), _)) => {
                // Without a register for it, nothing else can happen in the hole.
                Some((hole, u8::try_from(is_left(Source::Table)?).ok()?))
            }
            _ => None,
        };
        let inside = match way.hole {
            None => None,
            Some((_, table, without)) => {
                let table = match table {
                    Var::Bound(_) => None,
                    Var::Opened(_) => Some(opens?.1),
                    Var::Slot(at) => {
                        let at = is_left(Source::Register(slot(at)?))?;
                        Some(u8::try_from(at).ok()?)
                    }
                };
                Some(Inside { table, without })
            }
        };
        let mut without = SmallVec::new();
        for &(hole, table, lifelines) in &way.without {
            let (table, is_last) = match table {
                Var::Bound(_) => (None, false),
                Var::Slot(at) => {
                    let at = slot(at)?;
                    (Some(at), is_left(Source::Register(at)).is_none())
                }
                Var::Opened(_) => return None,
            };
            without.push(Without { hole, table, lifelines, is_last });
        }
        let mut kept = registers.iter().zip(0..);
        let is_idle = way.rest == from
            && without.is_empty()
            && tests.is_empty()
            && kept.all(|(source, at)| {
                matches!(*source, Source::Register(own) if own == at) || *source == Source::Nothing
            });
        let [first, second] = registers.map(Source::place);
        // A register that stands for no variable is zero.
        let used = exprs.slot_count(from);
        let mut all = registers.iter().enumerate();
        let keeps_registers = all.all(|(at, source)| match *source {
            Source::Register(own) => usize::from(own) == at,
            Source::Nothing => at >= used,
            Source::Time | Source::Field(_) | Source::Table => false,
        });
        Some(FastStep {
            to: way.rest,
            leaf: leaf.node,
            peers: part.peers.clone(),
            tests,
            places: first.zip(second).map(|(first, second)| [first, second]),
            keeps_time: registers.contains(&Source::Time),
            keeps_registers,
            registers,
            inside,
            without,
            opens,
            is_idle,
        })
    }

    /// A step that nobody saw, on a component whose log is over. Its only tests are bounds on its time from above by
    /// anchors of its own clock; all other values can be as they must. `None` if that does not suffice: if a variable gets its
    /// value from another field, or a field has more than one atom.
    pub(super) fn silent(
        exprs: &Exprs,
        way: &Way,
        component: usize,
        anchors: &[Option<usize>],
        partition: &Partition,
    ) -> Option<FastStep> {
        let is_same_clock = |atom: &Atom| {
            let anchor = atom.variable().and_then(|variable| anchors.get(variable.index()));
            anchor.is_some_and(|&anchor| anchor == Some(component))
        };
        let mut step = FastStep::new(exprs, way.rest, way, &is_same_clock)?;
        let is_free = |test: &FastTest| matches!(test, FastTest::Same(..) | FastTest::Constant(..));
        let [part] = &*exprs.leaves[way.leaf].parts else { return None };
        let is_single =
            |atom: &Atom| part.guard.iter().filter(|other| other.field == atom.field).count() == 1;
        let is_satisfiable = |atom: &Atom| match &atom.test {
            Test::In(values) => !values.is_empty(),
            Test::Compare(..) | Test::Matches(_) => true,
        };
        // For a bound on another clock, a later anchor would be better.
        let is_elsewhere = |anchor: &VariableId| {
            exprs.leaves.iter().flat_map(|leaf| leaf.parts.iter()).any(|part| {
                partition.component_of(part.action.lifeline).index() != component
                    && part.guard.iter().any(|atom| atom.variable() == Some(*anchor))
            })
        };
        let times = part.guard.iter().filter(|atom| atom.field == Valued::TIME);
        if times.filter_map(Atom::binds).any(|anchor| is_elsewhere(&anchor)) {
            return None;
        }
        let mut others = part.guard.iter().filter(|atom| atom.field != Valued::TIME);
        let has_fields = step.registers.iter().any(|source| matches!(source, Source::Field(_)));
        if has_fields || !others.all(|atom| is_single(atom) && is_satisfiable(atom)) {
            return None;
        }
        step.tests.retain(|test| !is_free(test));
        Some(step)
    }

    /// The registers after an event that nobody saw, at the time when its log ended; `None` if a bound forbids it, or
    /// that time is not known and matters.
    #[inline]
    pub(super) fn unobserved(&self, before: &Registers, end: End) -> Option<Registers> {
        let End { time: now, across } = end;
        for test in &self.tests {
            let FastTest::Time(relation, at, offset) = test else { return None };
            if !across.test(*relation, now?, before[usize::from(*at)], *offset) {
                return None;
            }
        }
        let mut after = [0; REGISTERS];
        for (to, source) in after.iter_mut().zip(&self.registers) {
            *to = match *source {
                Source::Register(at) => before[usize::from(at)],
                Source::Time => now?,
                Source::Field(_) => return None,
                Source::Nothing | Source::Table => 0,
            };
        }
        Some(after)
    }

    /// Whether it concerns neither a hole nor the sessions in one.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.without.is_empty() && self.inside.is_none()
    }

    /// Whether the event passes all tests.
    #[inline]
    pub(super) fn test(&self, registers: &Registers, event: At<'_>) -> Answer {
        let At { facts, step, peer, across } = event;
        if peer.is_some_and(|peer| !self.peers.contains(&peer)) {
            return Answer::Fails;
        }
        for test in &self.tests {
            let holds = match test {
                FastTest::Time(relation, at, offset) => {
                    let Some(time) = facts.time(step) else { return Answer::Unlogged };
                    across.test(*relation, time, registers[usize::from(*at)], *offset)
                }
                FastTest::Same(field, at) => match facts.value(*field, step) {
                    None => return Answer::Unlogged,
                    Some(FactId(id)) => i64::from(id) == registers[usize::from(*at)],
                },
                FastTest::Constant(field, test) => match facts.value(*field, step) {
                    None => return Answer::Unlogged,
                    Some(id) => test.holds(facts.item(id), None),
                },
            };
            if !holds {
                return Answer::Fails;
            }
        }
        Answer::Holds
    }

    /// The registers after the step; `None` if a value was not logged.
    #[inline]
    pub(super) fn registers(&self, before: &Registers, event: At<'_>) -> Option<Registers> {
        let At { facts, step, .. } = event;
        let time = facts.time(step);
        if self.keeps_time && time.is_none() {
            return None;
        }
        let mut given = [0; NOTHING + 1];
        given[..REGISTERS].copy_from_slice(before);
        given[REGISTERS] = time.unwrap_or(0);
        if let Some(places) = self.places {
            return Some(places.map(|place| given[usize::from(place) % given.len()]));
        }
        let mut after = [0; REGISTERS];
        for (to, source) in after.iter_mut().zip(self.registers) {
            *to = if let Source::Field(field) = source {
                i64::from(facts.value(field, step)?.0)
            } else {
                given[usize::from(source.place()?)]
            };
        }
        Some(after)
    }
}

/// What is known of a shape and a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Unknown,
    /// No event of this kind can happen.
    Never,
    /// Fast steps, in this range.
    Fast(u32, u32),
    /// Some way is not fast.
    Slow,
}

/// The fast steps of the shapes of one part.
#[derive(Debug, Default)]
pub(super) struct FastSteps {
    /// By shape and kind.
    entries: Vec<Entry>,
    steps: Vec<FastStep>,
    kinds: usize,
}

impl FastSteps {
    #[inline]
    pub(super) fn get(&self, shape: ExprId, kind: KindId) -> Entry {
        self.entries
            .get(shape.index() * self.kinds + kind.index())
            .copied()
            .unwrap_or(Entry::Unknown)
    }

    #[inline]
    pub(super) fn range(&self, from: u32, to: u32) -> &[FastStep] {
        &self.steps[from as usize..to as usize]
    }

    /// Finds the steps of a shape. `is_same_clock` says of an atom whether it compares times of one clock.
    pub(super) fn make(
        &mut self,
        exprs: &mut Exprs,
        steps: &mut Steps,
        shape: ExprId,
        kind: KindId,
        is_same_clock: &dyn Fn(&Atom) -> bool,
    ) -> Entry {
        self.kinds = exprs.kinds.items.len();
        let ways = steps.ways(exprs, shape, kind);
        let fast: Option<Vec<FastStep>> =
            ways.iter().map(|way| FastStep::new(exprs, shape, way, is_same_clock)).collect();
        let entry = match fast {
            Some(fast) if fast.is_empty() => Entry::Never,
            Some(fast) => {
                let from = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
                self.steps.extend(fast);
                Entry::Fast(from, u32::try_from(self.steps.len()).unwrap_or(u32::MAX))
            }
            None => Entry::Slow,
        };
        let at = shape.index() * self.kinds + kind.index();
        if self.entries.len() <= at {
            self.entries.resize(at + 1, Entry::Unknown);
        }
        self.entries[at] = entry;
        entry
    }
}
