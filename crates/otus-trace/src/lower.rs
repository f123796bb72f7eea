//! Lowers the syntax tree of a multi-trace to a multi-trace over a signature.
//!
//! `#all` stands for all lifelines, `#any` for those of the component's own actions. Each lifeline
//! without a component gets an empty one. The result is meaningful only if no diagnostic is an
//! error: it leaves out actions on undeclared lifelines and actions outside of their component,
//! because no multi-trace can hold them.

use std::collections::BTreeMap;

use otus_core::findings::and_elsewhere;
use otus_core::unknown::NameKind;
use otus_core::valued::FieldId;
use otus_core::{Action, ActionId, LifelineId, MessageId, Pool, Signature};
use otus_syntax::ast::{Colocalization, TraceFile, TraceValue};
use otus_syntax::name::{Name, Symbol};
use otus_syntax::source::offset;
use otus_syntax::{Code, Diagnostic, Span};

use crate::check::{self, TraceFault, TraceFaultKind};
use crate::facts::{self, Facts, FieldNames};
use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition};

/// Lowers a tree to a multi-trace over the signature of a pool. The diagnostics are undeclared
/// names and the findings of [`check`](crate::check()). Undeclared messages are added to the pool,
/// so that their actions are kept; no interaction of the pool has such actions.
///
/// ```
/// use otus_core::{Pool, Signature};
/// use otus_syntax::{Source, parse_trace};
///
/// let mut signature = Signature::default();
/// signature.add_lifeline("a");
/// signature.add_lifeline("b");
/// signature.add_message("m");
/// let mut pool = Pool::new(signature);
/// let parsed = parse_trace(&Source::new("run.htf", "[a] a!m.a!m"));
/// let (trace, findings) = otus_trace::lower(&parsed.tree, &mut pool);
/// assert!(findings.is_empty());
/// assert_eq!((trace.len(), trace.partition().len()), (2, 2));
/// ```
pub fn lower(trace: &TraceFile, pool: &mut Pool) -> (MultiTrace, Vec<Diagnostic>) {
    let diagnostics = faults(trace, pool);
    (build(trace, pool, false).0, diagnostics)
}

/// Lowers a tree to a multi-trace and the values of its events, as far as these fields have a name in `fields`. A further
/// diagnostic is a clock that goes backwards.
///
/// ```
/// use otus_core::Pool;
/// use otus_core::valued::Valued;
/// use otus_syntax::{Source, parse_trace};
/// use otus_trace::{ComponentId, facts, lower_with_facts, transform};
///
/// let tree = parse_trace(&Source::new("run.htf", "[#all] a!m(mid=7, time=0.5).a!m")).tree;
/// let mut pool = Pool::new(transform::implied_signature([&tree]));
/// let (_, facts, _) = lower_with_facts(&tree, &mut pool, &facts::all_fields([&tree]));
/// assert_eq!(facts.time(ComponentId(0), 0), Some(500_000_000));
/// assert_eq!(facts.known(Valued::TIME, ComponentId(0), 1), None);
/// ```
pub fn lower_with_facts(
    trace: &TraceFile,
    pool: &mut Pool,
    fields: &FieldNames,
) -> (MultiTrace, Facts, Vec<Diagnostic>) {
    let mut diagnostics = faults(trace, pool);
    let (built, tags) = build(trace, pool, true);
    let mut facts = Facts::unknown(&built, fields.items.len());
    // By symbol: the field with that name.
    let ids: Vec<Option<FieldId>> = if trace.values.is_empty() {
        Vec::new()
    } else {
        trace.names.iter().map(|(_, name)| facts::field(fields, name)).collect()
    };
    let mut tags = tags.iter();
    for component in built.partition().components() {
        for (step, &occurrence) in (0..built.steps(component).len()).zip(&mut tags) {
            if trace.values.is_empty() {
                continue;
            }
            for TraceValue { field, value, .. } in trace.values_of(occurrence as usize) {
                let Some(field) = ids[field.symbol.index()] else { continue };
                let value = value.as_ref().and_then(|value| facts::value_of(field, value));
                if let Some(value) = value {
                    facts.set(field, component, step, value);
                }
            }
        }
    }
    facts.find_breaks(&built);
    for component in built.partition().components() {
        diagnostics.extend(clock_backwards(&built, &facts, component, pool.signature()));
    }
    (built, facts, diagnostics)
}

/// The warning about a clock that goes backwards.
fn clock_backwards(
    trace: &MultiTrace,
    facts: &Facts,
    component: ComponentId,
    signature: &Signature,
) -> Option<Diagnostic> {
    let breaks = facts.breaks(component);
    let (source, start) = trace.place(component, *breaks.first()?)?;
    let lifelines = trace.partition().lifelines(component).iter();
    let names: Vec<&str> = lifelines.map(|&it| signature.lifeline_name(it)).collect();
    let message = format!("the clock of `{}` goes backwards", names.join("`, `"));
    let found = Diagnostic::new(Code::CLOCK_BACKWARDS, source, Span::at(start), message);
    let found =
        found.with_label(format!("before an earlier time{}", and_elsewhere(breaks.len() - 1)));
    Some(found.with_help(
        "from here on it counts as another clock, with an unknown distance to all others",
    ))
}

fn faults(trace: &TraceFile, pool: &Pool) -> Vec<Diagnostic> {
    let mut faults = check::find(trace);
    undeclared(trace, pool.signature(), &mut faults);
    check::render(trace, faults, pool.signature())
}

/// The multi-trace and, if wanted, by step the index of its occurrence.
fn build(trace: &TraceFile, pool: &mut Pool, tagged: bool) -> (MultiTrace, Vec<u32>) {
    let names = Resolved::new(trace, pool);
    let (partition, kept) = partition(trace, pool, &names);
    let mut builder = Builder::new(partition, trace.occurrences.len(), true);
    if tagged {
        builder = builder.with_tags();
    }
    for (component, _) in trace.components.iter().zip(kept).filter(|(_, kept)| *kept) {
        let range = component.occurrences.clone();
        let occurrences = trace.occurrences.get(range.clone()).unwrap_or(&[]);
        let here = builder.component();
        for (i, occurrence) in occurrences.iter().enumerate() {
            if i == 0 || !occurrence.joined() {
                builder.next_moment();
            }
            let Some((action, lifeline)) = names.actions[occurrence.action()] else { continue };
            if builder.partition().component_of(lifeline) == here {
                builder.push_tagged(action, occurrence.start, offset(range.start + i));
            }
        }
        builder.next_component();
    }
    builder.finish_tagged(trace.source)
}

/// Whether every name of a tree is declared. If so, [`lower`] adds no message to the pool.
pub fn is_declared(trace: &TraceFile, signature: &Signature) -> bool {
    let text = |name: Name| trace.names.text(name.symbol);
    listed(trace).all(|name| signature.lifeline(text(name)).is_some())
        && trace.actions.iter().all(|action| {
            signature.lifeline(text(action.lifeline)).is_some()
                && signature.message(text(action.message)).is_some()
        })
}

/// The ids that the names of a trace have in a pool.
struct Resolved {
    /// For each symbol: its lifeline.
    lifelines: Vec<Option<LifelineId>>,
    /// For each action: its ids; `None` if its lifeline is not declared.
    actions: Vec<Option<(ActionId, LifelineId)>>,
}

impl Resolved {
    fn new(trace: &TraceFile, pool: &mut Pool) -> Resolved {
        let names = &trace.names;
        let lifelines: Vec<Option<LifelineId>> =
            names.iter().map(|(_, text)| pool.signature().lifeline(text)).collect();
        let mut messages: Vec<Option<MessageId>> = vec![None; names.len()];
        let actions = trace
            .actions
            .iter()
            .map(|action| {
                let symbol = action.message.symbol;
                let lifeline = lifelines[action.lifeline.symbol.index()]?;
                let message = *messages[symbol.index()]
                    .get_or_insert_with(|| pool.add_message(names.text(symbol)));
                let direction = action.direction;
                let action = Action { lifeline, direction, message, peer: None };
                Some((pool.intern_action(action), lifeline))
            })
            .collect();
        Resolved { lifelines, actions }
    }
}

/// The partition of a trace, and whether each component of the text is part of it. A component
/// without a lifeline (`[#any]` without actions) is not.
fn partition(trace: &TraceFile, pool: &Pool, names: &Resolved) -> (Partition, Vec<bool>) {
    let count = pool.signature().lifeline_count();
    let mut taken = vec![false; count];
    let mut components = Vec::new();
    let mut kept = Vec::new();
    for component in &trace.components {
        let mut own: Vec<LifelineId> = Vec::new();
        let mut take = |lifeline: LifelineId| {
            if !std::mem::replace(&mut taken[lifeline.0 as usize], true) {
                own.push(lifeline);
            }
        };
        match &component.lifelines {
            Colocalization::All(_) => {
                pool.signature().lifelines().for_each(|(lifeline, _)| take(lifeline));
            }
            Colocalization::Any(_) => trace
                .occurrences
                .get(component.occurrences.clone())
                .unwrap_or(&[])
                .iter()
                .filter_map(|occurrence| names.actions[occurrence.action()])
                .for_each(|(_, lifeline)| take(lifeline)),
            Colocalization::Listed(listed) => {
                listed
                    .iter()
                    .filter_map(|name| names.lifelines[name.symbol.index()])
                    .for_each(take);
            }
        }
        kept.push(!own.is_empty());
        components.push(own);
    }
    (Partition::new(components, count), kept)
}

/// Reports each name that the signature does not have, once, at its first occurrence.
fn undeclared(trace: &TraceFile, signature: &Signature, faults: &mut Vec<TraceFault>) {
    let mut unknown: BTreeMap<(NameKind, Symbol), Name> = BTreeMap::new();
    let mut note = |kind: NameKind, name: Name| {
        let text = trace.names.text(name.symbol);
        let declared = match kind {
            NameKind::Lifeline => signature.lifeline(text).is_some(),
            NameKind::Message => signature.message(text).is_some(),
        };
        if !declared {
            let first = unknown.entry((kind, name.symbol)).or_insert(name);
            if name.span.start < first.span.start {
                *first = name;
            }
        }
    };
    for name in listed(trace) {
        note(NameKind::Lifeline, name);
    }
    for action in &trace.actions {
        note(NameKind::Lifeline, action.lifeline);
        note(NameKind::Message, action.message);
    }
    if unknown.is_empty() {
        return;
    }
    // Counting uses takes a pass over the whole trace, so it is done only if something is reported.
    let mut lifeline_uses = vec![0usize; trace.names.len()];
    let mut message_uses = vec![0usize; trace.names.len()];
    for name in listed(trace) {
        lifeline_uses[name.symbol.index()] += 1;
    }
    for occurrence in &trace.occurrences {
        let action = &trace.actions[occurrence.action()];
        lifeline_uses[action.lifeline.symbol.index()] += 1;
        message_uses[action.message.symbol.index()] += 1;
    }
    for ((kind, name), first) in unknown {
        let uses = match kind {
            NameKind::Lifeline => &lifeline_uses,
            NameKind::Message => &message_uses,
        };
        let others = uses[name.index()].saturating_sub(1);
        let kind = TraceFaultKind::Undeclared { kind, name };
        faults.push(TraceFault { span: first.span, kind, others });
    }
}

/// The names in the lifeline lists of the components.
pub(crate) fn listed(trace: &TraceFile) -> impl Iterator<Item = Name> {
    trace
        .components
        .iter()
        .flat_map(|component| match &component.lifelines {
            Colocalization::Listed(names) => names.as_slice(),
            Colocalization::All(_) | Colocalization::Any(_) => &[],
        })
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raise;
    use otus_syntax::{Severity, Source, parse_trace};

    fn pool() -> Pool {
        let mut signature = Signature::default();
        for name in ["a", "b", "c"] {
            signature.add_lifeline(name);
        }
        for name in ["m", "publish"] {
            signature.add_message(name);
        }
        Pool::new(signature)
    }

    fn show(trace: &MultiTrace, pool: &Pool) -> String {
        let signature = pool.signature();
        let mut components = Vec::new();
        for component in trace.partition().components() {
            let lifelines: Vec<&str> = trace
                .partition()
                .lifelines(component)
                .iter()
                .map(|&lifeline| signature.lifeline_name(lifeline))
                .collect();
            let moments: Vec<String> = trace
                .moments(component)
                .map(|moment| {
                    let actions: Vec<String> = moment
                        .iter()
                        .map(|step| pool.action(step.action()).text(signature))
                        .collect();
                    actions.join("+")
                })
                .collect();
            components.push(format!("[{}] {}", lifelines.join(","), moments.join(".")));
        }
        components.join("; ")
    }

    /// The multi-trace of a text, and the messages about it.
    #[track_caller]
    fn check_findings(text: &str, expected: &str, findings: &[&str]) {
        let mut pool = pool();
        let (trace, found) = lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool);
        assert_eq!(show(&trace, &pool), expected);
        let found: Vec<String> = found
            .iter()
            .map(|found| {
                let place = &text[found.primary.span.range()];
                let help = found.help.as_deref().unwrap_or("");
                format!("{place} | {} | {} | {help}", found.message, found.primary.text)
            })
            .collect();
        assert_eq!(found, findings);
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        check_findings(text, expected, &[]);
        let mut pool = pool();
        let (trace, _) = lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool);
        let (again, found) = lower(&raise(&trace, &pool), &mut pool);
        assert_eq!(found, []);
        assert_eq!(again.without_places(), trace.without_places());
    }

    #[test]
    fn components_are_completed() {
        check("[#all] a!m.b?m", "[a,b,c] a!m.b?m");
        check("a!m.b?m", "[a,b,c] a!m.b?m");
        check("{[b] b?m; [a] a!m}", "[b] b?m; [a] a!m; [c] ");
        check("{[c,a] a!m.c?m}", "[a,c] a!m.c?m; [b] ");
        check("{[#any] c!m.a!m; [#any]}", "[a,c] c!m.a!m; [b] ");
        check("{[#any]; [b]}", "[b] ; [a] ; [c] ");
        check("{}", "[a] ; [b] ; [c] ");
        check("", "[a] ; [b] ; [c] ");
    }

    #[test]
    fn simultaneous_actions_have_one_order() {
        check("[a,b] a!m.{b?m,a!m}.b!m", "[a,b] a!m.a!m+b?m.b!m; [c] ");
        let mut pool = pool();
        let mut read = |text| {
            lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool).0.without_places()
        };
        assert_eq!(read("[#all] {a!m,b?m}.{c!m}"), read("[#all] {b?m, a!m}.c!m"));
        assert_ne!(read("[#all] {a!m,b?m}"), read("[#all] a!m.b?m"));
    }

    #[test]
    fn undeclared_names_are_told_once() {
        check_findings(
            "{[a,x] a!publsh.x!m.a!publsh; [y]}",
            "[a] a!publsh.a!publsh; [b] ; [c] ",
            &[
                "x | the lifeline `x` is not declared | used here, and in 1 other place | declare \
                 it in `@lifeline{…}`",
                "publsh | the message `publsh` is not declared | used here, and in 1 other place \
                 | did you mean `publish`? Otherwise declare it in `@message{…}`",
                "y | the lifeline `y` is not declared | used here | declare it in `@lifeline{…}`",
            ],
        );
        check_findings(
            "[m] m!a",
            "[a] ; [b] ; [c] ",
            &[
                "m | `m` is declared as a message, not as a lifeline | used here, and in 1 other \
                 place | As a message it stands in `a -- m -> b` and `a!m`; to use it as a \
                 lifeline, declare it in `@lifeline{…}` too",
                "a | `a` is declared as a lifeline, not as a message | used here | As a lifeline it \
                 stands in `a -- m -> b` and `a!m`; to use it as a message, declare it in \
                 `@message{…}` too",
            ],
        );
    }

    #[test]
    fn faults_without_a_signature_are_told_in_order_among_the_others() {
        let mut pool = pool();
        let text = "{[x] x!m; [a] b?m; [a]}";
        let (trace, found) = lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool);
        let codes: Vec<String> = found.iter().map(|found| found.code.to_string()).collect();
        assert_eq!(codes, ["O0301", "O0403", "O0402"]);
        assert_eq!(show(&trace, &pool), "[a] ; [b] ; [c] ");
    }

    #[test]
    fn actions_keep_their_places() {
        let mut pool = pool();
        let text = "{[b] b?m; [a] a!m.{a?m, a!m}}";
        let (trace, _) = lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool);
        for component in trace.partition().components() {
            for (i, step) in trace.steps(component).iter().enumerate() {
                let (_, start) = trace.place(component, i).unwrap();
                let action = pool.action(step.action()).text(pool.signature());
                assert!(text[start as usize..].starts_with(&action));
            }
        }
    }

    #[test]
    fn findings_are_bounded() {
        let actions: Vec<String> = (0..300).map(|i| format!("x{i}!m")).collect();
        let mut pool = pool();
        let text = format!("[#all] {}", actions.join("."));
        let (_, found) = lower(&parse_trace(&Source::new("x.htf", text)).tree, &mut pool);
        assert_eq!(found.len(), 101);
        assert_eq!(found[100].severity, Severity::Error);
    }

    mod properties {
        use super::*;
        use crate::multitrace::ComponentId;
        use otus_core::index::Index as _;
        use proptest::prelude::*;

        /// A multi-trace over [`pool`]: the component of each lifeline, then actions, each with
        /// whether it is joined to the one before.
        fn build(of: [usize; 3], actions: &[(usize, bool, usize, bool)]) -> (Pool, MultiTrace) {
            let mut pool = pool();
            let mut components = vec![Vec::new(); 3];
            for (lifeline, &component) in of.iter().enumerate() {
                components[component].push(LifelineId::new(lifeline));
            }
            let partition = Partition::new(components, 3);
            let mut builder = Builder::new(partition.clone(), 0, false);
            for component in partition.components() {
                let mut moment: Vec<ActionId> = Vec::new();
                for &(lifeline, emission, message, joined) in actions {
                    let lifeline = LifelineId::new(lifeline);
                    if partition.component_of(lifeline) != component {
                        continue;
                    }
                    let message = MessageId::new(message);
                    let action = if emission {
                        Action::emission(lifeline, message)
                    } else {
                        Action::reception(lifeline, message)
                    };
                    let action = pool.intern_action(action);
                    if !joined || moment.contains(&action) {
                        builder.next_moment();
                        moment.clear();
                    }
                    moment.push(action);
                    builder.push(action, 0);
                }
                builder.next_component();
            }
            (pool, builder.finish(otus_syntax::SourceId(0)))
        }

        fn soup() -> impl Strategy<Value = String> {
            let tokens = prop::sample::select(vec![
                "[#all]",
                "[#any]",
                "[a]",
                "[b,a]",
                "[é]",
                "[\"x y\", b]",
                "{",
                "}",
                ";",
                ".",
                ",",
                "a!m",
                "b?m",
                "é!m",
                "\"é\" ! m",
                "\"x y\"?m",
                "\"a\"!\"m\"",
                "x!é",
                "c",
                "!",
                "{a!m,b?m}",
                "{é!m,\"é\"!m}",
                " ",
                "//c\n",
            ]);
            prop::collection::vec(tokens, 0..40).prop_map(|tokens| tokens.concat())
        }

        proptest! {
            #[test]
            fn any_text_is_lowered_and_told_about_in_its_own_places(text in soup()) {
                let parsed = parse_trace(&Source::new("x.htf", text.as_str()));
                let mut pool = pool();
                let (trace, found) = lower(&parsed.tree, &mut pool);
                let alone = crate::check(&parsed.tree);
                for found in found.iter().chain(&alone) {
                    for label in found.related.iter().chain([&found.primary]) {
                        prop_assert!(text.get(label.span.range()).is_some(), "{found:?}");
                    }
                }
                for component in trace.partition().components() {
                    for (i, step) in trace.steps(component).iter().enumerate() {
                        let lifeline = pool.action(step.action()).lifeline;
                        prop_assert_eq!(trace.partition().component_of(lifeline), component);
                        prop_assert!(trace.place(component, i).is_some());
                    }
                }
            }

            #[test]
            fn lowering_what_is_raised_and_printed_gives_the_same_multi_trace(
                of in [0usize..3, 0usize..3, 0usize..3],
                actions in prop::collection::vec(
                    (0usize..3, any::<bool>(), 0usize..2, any::<bool>()), 0..30),
            ) {
                let (mut pool, trace) = build(of, &actions);
                let raised = raise(&trace, &pool);
                let (again, found) = lower(&raised, &mut pool);
                prop_assert_eq!(&found, &[]);
                prop_assert_eq!(&again.without_places(), &trace);

                let text = otus_syntax::print::trace(&raised);
                let parsed = parse_trace(&Source::new("x.htf", text));
                let (again, found) = lower(&parsed.tree, &mut pool);
                prop_assert_eq!(&found, &[]);
                prop_assert_eq!(&again.without_places(), &trace);
                let all: usize =
                    trace.partition().components().map(|c: ComponentId| trace.steps(c).len()).sum();
                prop_assert_eq!(all, actions.len());
            }
        }
    }
}
