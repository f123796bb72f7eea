//! Mutants: multi-traces with one change.

use otus_core::Pool;
use otus_core::valued::{Operand, Test, Valued, ValuedNode};
use otus_syntax::ast::guard::Relation;
use otus_trace::transform::{self, Change, Compared, Scope, Swaps, ValueChanges};
use otus_trace::{ComponentId, Facts, FieldNames, MultiTrace, facts};
use serde_json::{Value, json};

use super::{Details, From, Made, Take, TooFew, stopped_or, until_cancelled};
use crate::context::Context;
use crate::error::Result;
use crate::load;
use crate::load::facts::fields_of;
use crate::units::counted;

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MutantKind {
    /// An inserted action.
    Noise,
    /// Two actions of a log, swapped.
    SwapActions,
    /// Logs from another multi-trace.
    SwapComponents,
    /// A removed action.
    Remove,
    /// A repeated action.
    Duplicate,
    /// Another value, or a new one.
    WrongValue,
    /// The values of two events of a log, exchanged.
    SwapValues,
    /// A value of another kind.
    WrongKind,
    /// An event and all later ones of its log, after a long pause.
    Late,
    /// An event and all later ones of its log, without a pause.
    Early,
    /// A value that is not logged, which the specification may accept weakly.
    DropValue,
    /// A prefix, which the specification may accept.
    Prefix,
}

impl MutantKind {
    /// The name on the command line and in case files.
    pub fn name(self) -> &'static str {
        match self {
            MutantKind::Noise => "noise",
            MutantKind::SwapActions => "swap-actions",
            MutantKind::SwapComponents => "swap-components",
            MutantKind::Remove => "remove",
            MutantKind::Duplicate => "duplicate",
            MutantKind::WrongValue => "wrong-value",
            MutantKind::SwapValues => "swap-values",
            MutantKind::WrongKind => "wrong-kind",
            MutantKind::Late => "late",
            MutantKind::Early => "early",
            MutantKind::DropValue => "drop-value",
            MutantKind::Prefix => "prefix",
        }
    }
}

/// Which values are changed, and how.
#[derive(Debug, Clone)]
pub(super) struct ValueScope {
    /// What guards compare; `None` if everything counts.
    compared: Option<Compared>,
    /// The kinds of changes that some guard could notice.
    kinds: Vec<MutantKind>,
    /// The pause of an event that comes late, in nanoseconds.
    delay: i64,
}

/// The pause of an event that comes late, if no bound is known: an hour.
const DELAY: i64 = 3_600_000_000_000;

impl ValueScope {
    /// All values.
    pub(super) fn all() -> ValueScope {
        use MutantKind::{Early, Late, SwapValues, WrongKind, WrongValue};
        let kinds = vec![WrongValue, SwapValues, WrongKind, Late, Early];
        ValueScope { compared: None, kinds, delay: DELAY }
    }

    /// The values that guards compare, in the fields of some multi-traces. An event comes late by twice the longest
    /// bound.
    pub(super) fn new(fields: &FieldNames, valued: &Valued) -> ValueScope {
        let mut compared = Compared::default();
        let (mut has_values, mut has_most, mut has_least) = (false, false, false);
        let mut longest = 0;
        for node in &valued.nodes {
            let ValuedNode::Event(parts) = node else { continue };
            for (part, atom) in
                parts.iter().flat_map(|part| part.guard.iter().map(move |atom| (part, atom)))
            {
                let field = facts::field(fields, valued.field_name(atom.field));
                compared.extend(field.map(|field| (part.action, field)));
                if atom.field != Valued::TIME {
                    has_values = true;
                } else if let Test::Compare(relation, Operand::Variable(_, offset)) = &atom.test {
                    let bound = offset.integer().and_then(i64::checked_abs).unwrap_or(0);
                    longest = longest.max(bound);
                    match relation {
                        Relation::Less | Relation::LessEqual => has_most = true,
                        Relation::Greater | Relation::GreaterEqual => has_least = true,
                        Relation::Equal if atom.binds().is_some() => {}
                        Relation::Equal | Relation::NotEqual => {
                            (has_most, has_least) = (true, true);
                        }
                    }
                }
            }
        }
        let values = [MutantKind::WrongValue, MutantKind::SwapValues, MutantKind::WrongKind];
        let mut kinds = if has_values { values.to_vec() } else { Vec::new() };
        kinds.extend(has_most.then_some(MutantKind::Late));
        kinds.extend(has_least.then_some(MutantKind::Early));
        let delay = if longest > 0 { longest.saturating_mul(2) } else { DELAY };
        ValueScope { compared: Some(compared), kinds, delay }
    }
}

/// The mutants to make.
#[derive(Debug, Clone)]
pub struct MutateRequest {
    /// The originals.
    pub from: From,
    /// The kinds; if empty, all kinds that make a fault.
    pub kinds: Vec<MutantKind>,
    /// The number of mutants of each original and kind.
    pub count: u64,
}

/// Makes mutants, and returns the number of originals.
///
/// # Errors
/// If the originals cannot be read.
pub fn mutate(context: &Context, request: &MutateRequest, take: Take<'_>) -> Result<usize> {
    let (traces, spec) = request.from.read(context)?;
    let fields = fields_of(traces.iter().map(|trace| &trace.tree));
    let scope = match (&fields, &spec) {
        (None, _) => None,
        (Some(_), None) => Some(ValueScope::all()),
        // A specification without guards compares no value.
        (Some(fields), Some(spec)) => {
            spec.valued.as_deref().map(|valued| ValueScope::new(fields, valued))
        }
    };
    let kinds = wanted(&request.kinds, traces.len(), scope.as_ref());
    let mut pool = spec.map_or_else(
        || Pool::new(transform::implied_signature(traces.iter().map(|trace| &trace.tree))),
        |spec| spec.pool,
    );
    let (mut observed, mut facts) = (Vec::new(), Vec::new());
    for trace in &traces {
        let (trace, own) = load::facts::lower(&trace.tree, &mut pool, fields.as_ref());
        observed.push(trace.without_places());
        facts.extend(own);
    }
    let swaps = Swaps::new(&observed);
    let ids: Vec<String> = traces.into_iter().map(|trace| trace.id).collect();
    let (seed, count) = (request.from.seed, request.count);
    let values = fields.as_ref().map(|fields| (&facts[..], fields));
    let scope = scope.as_ref();
    let (ids, swaps, observed) = (&ids[..], &swaps, &observed[..]);
    let mut mutator = Mutator { seed, count, ids, observed, values, scope, swaps, pool };
    let mut remarks: Vec<TooFew> = kinds.iter().map(|_| TooFew::default()).collect();
    let messages = mutator.pool.signature().message_count();
    let mut take = until_cancelled(context, take);
    for (original, id) in ids.iter().enumerate() {
        for (&kind, remark) in kinds.iter().zip(&mut remarks) {
            let mut number_made = 0;
            let made = mutator.mutate(original, kind, &mut |made, _, number| {
                number_made = number;
                take(made.derived(number))
            });
            stopped_or(made.map(drop))?;
            if number_made < count && context.cancel.requested().is_none() {
                remark.add(|| too_few(kind, number_made, id, messages));
            }
        }
    }
    for remark in &remarks {
        remark.report(context);
    }
    Ok(ids.len())
}

/// The kinds, each once; by default all kinds that make a fault.
pub(super) fn wanted(
    asked: &[MutantKind],
    traces: usize,
    scope: Option<&ValueScope>,
) -> Vec<MutantKind> {
    use MutantKind::{Duplicate, Noise, Remove, SwapActions, SwapComponents};
    let mut kinds = Vec::new();
    for &kind in asked {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        kinds = vec![Noise, SwapActions, SwapComponents, Remove, Duplicate];
        // A single multi-trace cannot be mixed with another; the remark is printed only if the caller asked for this
        // kind.
        kinds.retain(|&kind| traces > 1 || kind != SwapComponents);
        // Neither are values changed that nothing compares.
        kinds.extend(scope.iter().flat_map(|scope| &scope.kinds));
    }
    kinds
}

pub(super) struct Mutator<'a> {
    pub(super) seed: u64,
    /// The number of mutants of each multi-trace and kind.
    pub(super) count: u64,
    pub(super) ids: &'a [String],
    pub(super) observed: &'a [MultiTrace],
    /// The values of their events, if there are any.
    pub(super) values: Option<(&'a [Facts], &'a FieldNames)>,
    /// The values that are changed, if there are any.
    pub(super) scope: Option<&'a ValueScope>,
    pub(super) swaps: &'a Swaps<'a>,
    pub(super) pool: Pool,
}

/// Receives the `number`-th mutant of its kind, from 1, and the index of its original.
pub(super) type TakeMutant<'t> = &'t mut dyn FnMut(&Made<'_>, usize, u64) -> Result<()>;

impl Mutator<'_> {
    /// Makes the mutants of one kind, and returns their number.
    pub(super) fn mutate(
        &mut self,
        original: usize,
        kind: MutantKind,
        take: TakeMutant<'_>,
    ) -> Result<u64> {
        let Mutator { seed, ids, observed, swaps, values, scope, .. } = *self;
        let facts = values.map(|(facts, _)| &facts[original]);
        let (trace, origin) = (&observed[original], ids[original].as_str());
        let own_seed = transform::derive_seed(seed, &[origin, kind.name()]);
        let most = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut made = 0;
        let mut give = |pool: &Pool,
                        (trace, facts): (&MultiTrace, Option<Facts>),
                        change: String,
                        details: Details| {
            made += 1;
            let (kind, seed) = (kind.name(), Some(seed));
            let values = facts.as_ref().zip(values.map(|(_, fields)| fields));
            take(&Made { trace, values, pool, origin, kind, change, details, seed }, original, made)
        };
        let changes = match kind {
            MutantKind::Noise => transform::noise(trace, &self.pool),
            MutantKind::SwapActions => transform::swap_actions(trace),
            MutantKind::Remove => transform::remove(trace),
            MutantKind::Duplicate => transform::duplicate(trace),
            MutantKind::SwapComponents => {
                for swap in swaps.sample(original, own_seed).take(most) {
                    let other = &observed[swap.donor];
                    let (mutant, carried) = match values.zip(facts) {
                        Some(((all, _), facts)) => {
                            let donor = (other, &all[swap.donor]);
                            let (mutant, facts) = swap.apply_with_facts((trace, facts), donor);
                            (mutant, Some(facts))
                        }
                        None => (swap.apply(trace, other), None),
                    };
                    let donor = ids[swap.donor].as_str();
                    let text = swap.describe(trace, donor, &self.pool);
                    let components = self.names(trace, &swap.components);
                    let details = vec![("components", components), ("donor", donor.into())];
                    give(&self.pool, (&mutant, carried), text, details)?;
                }
                return Ok(made);
            }
            MutantKind::Prefix => {
                let prefixes = transform::prefixes(trace);
                let proper = prefixes.sample(own_seed).filter(|cut| cut.trace != *trace);
                for cut in proper.take(most) {
                    let kept = cut.kept.iter().map(|range| Value::from(range.end)).collect();
                    let text = cut.describe(&self.pool);
                    let carried = facts.map(|facts| prefixes.facts(&cut, facts));
                    give(&self.pool, (&cut.trace, carried), text, vec![("kept", kept)])?;
                }
                return Ok(made);
            }
            MutantKind::WrongValue
            | MutantKind::SwapValues
            | MutantKind::WrongKind
            | MutantKind::Late
            | MutantKind::Early
            | MutantKind::DropValue => {
                let (Some(facts), Some((_, fields)), Some(scope)) = (facts, values, scope) else {
                    return Ok(made);
                };
                let compared = scope.compared.as_ref().map(|compared| (compared, &self.pool));
                let values = Scope { trace, facts, compared };
                let Some(changes) = value_changes(kind, values, scope.delay) else {
                    return Ok(made);
                };
                for change in changes.sample(own_seed).take(most) {
                    let changed = change.apply(trace, facts);
                    let (place, other) = change.places(trace);
                    let components = self.names(trace, &[change.component()]);
                    let mut details =
                        vec![("components", components), ("place", (place + 1).into())];
                    details.extend(other.map(|other| ("other_place", (other + 1).into())));
                    let text = change.describe(trace, facts, fields, &self.pool);
                    give(&self.pool, (trace, Some(changed)), text, details)?;
                }
                return Ok(made);
            }
        };
        for change in changes.sample(own_seed).take(most) {
            let (mutant, carried) = match facts {
                Some(facts) => {
                    let (mutant, facts) = change.apply_with_facts(trace, facts, &mut self.pool);
                    (mutant, Some(facts))
                }
                None => (change.apply(trace, &mut self.pool), None),
            };
            let mut details = vec![
                ("components", self.names(trace, &[change.component()])),
                ("place", (change.index() + 1).into()),
            ];
            if let Change::SwapActions { second, .. } = change {
                details.push(("other_place", (second + 1).into()));
            }
            let text = change.describe(trace, &self.pool);
            give(&self.pool, (&mutant, carried), text, details)?;
        }
        Ok(made)
    }

    fn names(&self, trace: &MultiTrace, components: &[ComponentId]) -> Value {
        let partition = trace.partition();
        let signature = self.pool.signature();
        let lifelines = |&component: &ComponentId| {
            let name = |&lifeline| signature.lifeline_name(lifeline);
            json!(partition.lifelines(component).iter().map(name).collect::<Vec<_>>())
        };
        components.iter().map(lifelines).collect()
    }
}

/// The changes of values of a kind; `None` for other kinds.
fn value_changes(kind: MutantKind, scope: Scope<'_>, delay: i64) -> Option<ValueChanges<'_>> {
    Some(match kind {
        MutantKind::WrongValue => transform::wrong_values(scope),
        MutantKind::SwapValues => transform::swap_values(scope),
        MutantKind::WrongKind => transform::wrong_kinds(scope),
        MutantKind::DropValue => transform::drop_values(scope),
        MutantKind::Late => transform::late(scope, delay),
        MutantKind::Early => transform::early(scope),
        MutantKind::Noise
        | MutantKind::SwapActions
        | MutantKind::SwapComponents
        | MutantKind::Remove
        | MutantKind::Duplicate
        | MutantKind::Prefix => return None,
    })
}

/// The reason why there are fewer mutants than requested.
fn too_few(kind: MutantKind, made: u64, id: &str, messages: usize) -> String {
    let name = kind.name();
    if made > 0 {
        let made = counted(made, &format!("different {name} mutant"));
        return format!("{id} has only {made}");
    }
    let cause = match kind {
        MutantKind::Noise if messages == 0 => {
            "no message is known, so there is no action to insert; give a signature with --spec"
        }
        MutantKind::Noise => "there is no lifeline to insert an action on",
        MutantKind::SwapActions => "no log has two different actions",
        MutantKind::SwapComponents => {
            "no other multi-trace given has logs of the same lifelines and differs in two of them"
        }
        MutantKind::Remove | MutantKind::Duplicate | MutantKind::Prefix => "nothing was observed",
        MutantKind::WrongValue | MutantKind::WrongKind => "no event carries a value that counts",
        MutantKind::SwapValues => "no log has two different values of a field that counts",
        MutantKind::DropValue => "no event carries a value or a time that counts",
        MutantKind::Late => "no log has two events with a time that counts",
        MutantKind::Early => "no log has a pause between two events with a time that counts",
    };
    format!("{id} has no {name} mutant: {cause}")
}
