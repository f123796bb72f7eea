//! Finds the faults of a multi-trace that do not depend on a signature.
//!
//! Each lifeline must be in one co-localization, each action in the component of its lifeline, and
//! no action may occur twice at one moment. A repeated fault is reported once, with a count: a
//! component with a wrong name may hold a million actions. The check takes one pass over the
//! actions.

use std::collections::BTreeMap;

use otus_core::Signature;
use otus_core::findings::{Findings, and_elsewhere};
use otus_core::unknown::{self, NameKind, Unknown};
use otus_syntax::ast::{Colocalization, TraceFile};
use otus_syntax::name::Symbol;
use otus_syntax::{Code, Diagnostic, Span};

use crate::facts::TIME;
use crate::time::{self, TimeFault};

/// All faults of a multi-trace that do not depend on a signature, in the order of the text.
/// [`lower`](crate::lower()) reports them, too.
///
/// ```
/// let empty = otus_syntax::ast::TraceFile::default();
/// assert!(otus_trace::check(&empty).is_empty());
/// ```
pub fn check(trace: &TraceFile) -> Vec<Diagnostic> {
    render(trace, find(trace), &Signature::default())
}

pub(crate) struct TraceFault {
    pub(crate) span: Span,
    pub(crate) kind: TraceFaultKind,
    /// The number of other occurrences of the fault.
    pub(crate) others: usize,
}

pub(crate) enum TraceFaultKind {
    TwoColocalizations { lifeline: Symbol, first: Span },
    Outside { action: usize, component: usize },
    AllNotAlone { other: Span },
    RepeatedAction { action: usize, first: Span },
    RepeatedLifeline { lifeline: Symbol, first: Span },
    Undeclared { kind: NameKind, name: Symbol },
    BadTime { fault: TimeFault },
}

/// Finds the faults, in no particular order.
pub(crate) fn find(trace: &TraceFile) -> Vec<TraceFault> {
    let mut finder = Finder {
        trace,
        faults: Vec::new(),
        known: BTreeMap::new(),
        lifelines: vec![LifelineState::default(); trace.names.len()],
        actions: vec![(0, 0); trace.actions.len()],
        moment: 0,
    };
    finder.all_alone();
    finder.times();
    for component in 0..trace.components.len() {
        finder.component(component);
    }
    finder.faults
}

/// Turns faults into diagnostics, in the order of the text.
pub(crate) fn render(
    trace: &TraceFile,
    mut faults: Vec<TraceFault>,
    declared: &Signature,
) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| fault.span);
    let mut findings = Findings::default();
    for fault in faults {
        report(trace, &fault, declared, &mut findings);
    }
    findings.finish()
}

#[derive(Debug, Clone, Copy, Default)]
struct LifelineState {
    /// The span where a component first lists the lifeline.
    owned: Option<Span>,
    /// The number of the last component that lists the lifeline, from 1, and the span there.
    claimed: usize,
    claimed_at: Span,
}

struct Finder<'a> {
    trace: &'a TraceFile,
    faults: Vec<TraceFault>,
    /// The indices of the faults, by code, name or action, and component.
    known: BTreeMap<(Code, usize, usize), usize>,
    /// For each symbol: the state of the lifeline with that name.
    lifelines: Vec<LifelineState>,
    /// For each action: the last moment in which it occurred, from 1, and its offset there.
    actions: Vec<(u32, u32)>,
    moment: u32,
}

impl Finder<'_> {
    /// Checks that `#all` is the only component.
    fn all_alone(&mut self) {
        let components = &self.trace.components;
        let all =
            components.iter().enumerate().find_map(|(at, component)| match component.lifelines {
                Colocalization::All(span) => Some((at, span)),
                Colocalization::Any(_) | Colocalization::Listed(_) => None,
            });
        let Some((at, span)) = all else { return };
        if let Some(other) = components.get(usize::from(at == 0)) {
            let kind = TraceFaultKind::AllNotAlone { other: other.span };
            self.fault((Code::ALL_NOT_ALONE, 0, 0), span, kind);
        }
    }

    /// Checks that times are times. All that are none are one fault.
    fn times(&mut self) {
        let trace = self.trace;
        let Some(symbol) = trace.names.find(TIME) else { return };
        for value in trace.values.iter().filter(|value| value.field.symbol == symbol) {
            let Some(literal) = &value.value else { continue };
            if let Err(fault) = time::of_literal(literal) {
                let key = (Code::BAD_VALUE, usize::from(fault == TimeFault::TooFar), 0);
                self.fault(key, value.span, TraceFaultKind::BadTime { fault });
            }
        }
    }

    fn component(&mut self, at: usize) {
        let trace = self.trace;
        let component = &trace.components[at];
        let stamp = at + 1;
        let (any, listed) = match &component.lifelines {
            Colocalization::All(_) => (false, false),
            Colocalization::Any(_) => (true, false),
            Colocalization::Listed(names) => {
                for name in names {
                    self.list(stamp, name.symbol, name.span);
                }
                // The parser has reported the empty list already.
                (false, !names.is_empty())
            }
        };
        let occurrences = trace.occurrences.get(component.occurrences.clone()).unwrap_or(&[]);
        for (i, &occurrence) in occurrences.iter().enumerate() {
            let alone = i == 0 || !occurrence.joined();
            if alone {
                self.moment += 1;
            }
            let (action, start) = (occurrence.action(), occurrence.start);
            if !alone || occurrences.get(i + 1).is_some_and(|next| next.joined()) {
                self.simultaneous(action, start);
            }
            let symbol = trace.actions[action].lifeline.symbol;
            if self.lifelines[symbol.index()].claimed == stamp {
                continue;
            }
            if any {
                self.claim(stamp, symbol, place(trace, action, start));
            } else if listed {
                let key = (Code::OUTSIDE_COMPONENT, symbol.index(), stamp);
                let kind = TraceFaultKind::Outside { action, component: at };
                self.fault(key, place(trace, action, start), kind);
            }
        }
    }

    /// Records that a component lists a lifeline.
    fn list(&mut self, stamp: usize, symbol: Symbol, span: Span) {
        let LifelineState { claimed, claimed_at: first, .. } = self.lifelines[symbol.index()];
        if claimed != stamp {
            return self.claim(stamp, symbol, span);
        }
        let key = (Code::REPEATED_LIFELINE, symbol.index(), stamp);
        self.fault(key, span, TraceFaultKind::RepeatedLifeline { lifeline: symbol, first });
    }

    fn claim(&mut self, stamp: usize, symbol: Symbol, span: Span) {
        let lifeline = &mut self.lifelines[symbol.index()];
        lifeline.claimed = stamp;
        lifeline.claimed_at = span;
        let Some(first) = lifeline.owned else {
            lifeline.owned = Some(span);
            return;
        };
        let key = (Code::TWO_COLOCALIZATIONS, symbol.index(), 0);
        self.fault(key, span, TraceFaultKind::TwoColocalizations { lifeline: symbol, first });
    }

    /// Records an action that shares its moment with others.
    fn simultaneous(&mut self, action: usize, start: u32) {
        let (moment, before) = self.actions[action];
        if moment != self.moment {
            self.actions[action] = (self.moment, start);
            return;
        }
        let first = place(self.trace, action, before);
        let key = (Code::REPEATED_ACTION, action, 0);
        let kind = TraceFaultKind::RepeatedAction { action, first };
        self.fault(key, place(self.trace, action, start), kind);
    }

    /// Adds a fault, or counts it if there is one with the same key.
    fn fault(&mut self, key: (Code, usize, usize), span: Span, kind: TraceFaultKind) {
        let next = self.faults.len();
        match self.faults.get_mut(*self.known.entry(key).or_insert(next)) {
            Some(known) => known.others += 1,
            None => self.faults.push(TraceFault { span, kind, others: 0 }),
        }
    }
}

/// The span of an action that begins at `start`. Only the first occurrence of an action has its
/// whole span. Other occurrences get the length of the lifeline's name, which lies inside of the
/// action whether or not it is quoted there; the span is empty if the name is not ASCII.
pub(crate) fn place(trace: &TraceFile, action: usize, start: u32) -> Span {
    let Some(action) = trace.actions.get(action) else { return Span::at(start) };
    let first = action.lifeline.span.to(action.message.span);
    if first.start == start {
        return first;
    }
    let name = trace.names.text(action.lifeline.symbol);
    let length = if name.is_ascii() { u32::try_from(name.len()).unwrap_or(0) } else { 0 };
    Span::new(start, start.saturating_add(length))
}

fn report(trace: &TraceFile, fault: &TraceFault, declared: &Signature, findings: &mut Findings) {
    let &TraceFault { span, ref kind, others } = fault;
    let source = trace.source;
    let text = |symbol| trace.names.text(symbol);
    let action = |action: usize| {
        let action = &trace.actions[action];
        let (lifeline, message) = (text(action.lifeline.symbol), text(action.message.symbol));
        format!("{lifeline}{}{message}", action.direction.symbol())
    };
    let again = |found: Diagnostic, listed: &str, first: Span| {
        found.with_label(format!("{listed}again here{}", and_elsewhere(others))).with_related(
            source,
            first,
            format!("first {listed}here"),
        )
    };
    match *kind {
        TraceFaultKind::TwoColocalizations { lifeline, first } => {
            findings.add(Code::TWO_COLOCALIZATIONS, source, span, |draft| {
                let message = format!("the lifeline `{}` is in two components", text(lifeline));
                again(draft.message(message), "", first).with_help(
                    "a lifeline has one clock: put all its actions in one component, in \
                     the order in which they happened",
                )
            });
        }
        TraceFaultKind::Outside { action: index, component } => {
            findings.add(Code::OUTSIDE_COMPONENT, source, span, |draft| {
                let lifeline = text(trace.actions[index].lifeline.symbol);
                let component = &trace.components[component].lifelines;
                let (place, list) = match component {
                    Colocalization::Listed(names) => {
                        let place = match (names.first(), names.last()) {
                            (Some(first), Some(last)) => Some(first.span.to(last.span)),
                            _ => None,
                        };
                        let shown: Vec<&str> =
                            names.iter().take(5).map(|name| text(name.symbol)).collect();
                        let rest = if names.len() > 5 { ", …" } else { "" };
                        (place, format!("[{}{rest}]", shown.join(", ")))
                    }
                    Colocalization::All(span) | Colocalization::Any(span) => {
                        (Some(*span), "this component".to_owned())
                    }
                };
                let mut found = draft
                    .message(format!("`{}` is not an action of {list}", action(index)))
                    .with_label(match others {
                        0 => format!("on `{lifeline}`"),
                        1 => format!("on `{lifeline}`, like 1 other action"),
                        _ => format!("on `{lifeline}`, like {others} other actions"),
                    })
                    .with_help(format!(
                        "add `{lifeline}` to the component if it shares its clock, or move the \
                         action to the component of `{lifeline}`"
                    ));
                if let Some(place) = place {
                    found = found.with_related(source, place, "the lifelines of the component");
                }
                found
            });
        }
        TraceFaultKind::AllNotAlone { other } => {
            findings.add(Code::ALL_NOT_ALONE, source, span, |draft| {
                draft
                    .message("`#all` leaves no lifeline for another component")
                    .with_related(source, other, "the other component")
                    .with_help("list the lifelines of each component, or use `#any`")
            });
        }
        TraceFaultKind::RepeatedAction { action: index, first } => {
            findings.add(Code::REPEATED_ACTION, source, span, |draft| {
                let message = format!("`{}` is twice in one set", action(index));
                again(draft.message(message), "", first).with_help(
                    "`{…}` is a set of simultaneous actions; write `.` between actions that \
                     follow each other",
                )
            });
        }
        TraceFaultKind::RepeatedLifeline { lifeline, first } => {
            findings.add(Code::REPEATED_LIFELINE, source, span, |draft| {
                let message = format!("`{}` is listed twice in this component", text(lifeline));
                again(draft.message(message), "listed ", first)
                    .with_help("leave one of the two out")
            });
        }
        TraceFaultKind::BadTime { fault } => {
            findings.add(Code::BAD_VALUE, source, span, |draft| {
                let (message, help) = match fault {
                    TimeFault::NotATime => (
                        "this is not a time",
                        "write a number of seconds, or a time such as \"2026-11-15T07:13:08.454Z\"",
                    ),
                    TimeFault::TooFar => (
                        "this time is more than 146 years away from 1970",
                        "a time is a number of seconds; divide milliseconds by 1000",
                    ),
                };
                let found = draft.message(message);
                let found = if others > 0 {
                    found.with_label(format!("here{}", and_elsewhere(others)))
                } else {
                    found
                };
                found.with_help(help)
            });
        }
        TraceFaultKind::Undeclared { kind, name } => unknown::report(
            Unknown { kind, name: text(name), source, span, others, in_diagram: false },
            declared,
            findings,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use otus_syntax::{Source, parse_trace};

    /// Checks the diagnostics of a text: code, text at the span, message, related texts.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let parsed = parse_trace(&Source::new("x.htf", text));
        let wrong: Vec<_> = parsed.diagnostics.iter().filter(|found| found.is_error()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        let shown: Vec<String> = super::check(&parsed.tree)
            .iter()
            .map(|found| {
                let related: Vec<&str> =
                    found.related.iter().map(|label| &text[label.span.range()]).collect();
                let place = &text[found.primary.span.range()];
                let parts = [&found.code.to_string(), place, &found.message, &found.primary.text];
                format!("{} / {}", parts.join(" | "), related.join(" / "))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_is_said_about_what_is_fine() {
        check("[#all] a!m.b?m", &[]);
        check("{[a] a!m.{a!m,a?m}.a!m; [b,c] {b?m,c!n}; [d]}", &[]);
        check("{[#any] a!m; [#any] b?m; [c]}", &[]);
        check("a!m.b?m", &[]);
        check("{}", &[]);
        check("", &[]);
    }

    #[test]
    fn a_lifeline_is_in_one_component() {
        check(
            "{[a,b] a!m; [b] b?m; [c,b]}",
            &["O0402 | b | the lifeline `b` is in two components | again here, and in 1 other \
               place / b"],
        );
        check(
            "{[#any] a!m.b!m; [#any] b?m.b!m}",
            &["O0402 | b?m | the lifeline `b` is in two components | again here / b!m"],
        );
        check(
            "{[#any] a!m; [a] a?m}",
            &["O0402 | a | the lifeline `a` is in two components | again here / a!m"],
        );
    }

    #[test]
    fn an_action_is_in_the_component_of_its_lifeline() {
        check(
            "{[a] a!m.b?m.b?m.c?n; [b] b!n.a!m.a!m.a!m}",
            &[
                "O0403 | b?m | `b?m` is not an action of [a] | on `b`, like 1 other action / a",
                "O0403 | c?n | `c?n` is not an action of [a] | on `c` / a",
                "O0403 | a | `a!m` is not an action of [b] | on `a`, like 2 other actions / b",
            ],
        );
    }

    #[test]
    fn all_stands_alone() {
        check(
            "{[#all] a!m; [b] b?m}",
            &["O0404 | #all | `#all` leaves no lifeline for another component |  / [b] b?m"],
        );
        check(
            "{[a]; [#all]; [#all]}",
            &["O0404 | #all | `#all` leaves no lifeline for another component |  / [a]"],
        );
    }

    #[test]
    fn a_set_has_no_action_twice() {
        check(
            "[#all] {a!m,b?m,a!m}.{a!m,a!m}.{b?m,a!m}.a!m.a!m",
            &["O0406 | a | `a!m` is twice in one set | again here, and in 1 other place / a!m"],
        );
    }

    #[test]
    fn a_component_lists_a_lifeline_once() {
        check(
            "[a,b,a,a] a!m",
            &["O0305 | a | `a` is listed twice in this component | listed again here, and in 1 \
               other place / a"],
        );
    }

    #[test]
    fn places_of_wide_and_quoted_names_are_inside_the_text() {
        let text = "{[a] é!m.\"é\"!m.\"x y\"!m; [b] \"é\"!m.\"x y\"?m.\"x y\"!m}";
        let parsed = parse_trace(&Source::new("x.htf", text));
        let found = super::check(&parsed.tree);
        assert_eq!(found.len(), 4);
        for found in found {
            let Span { start, end } = found.primary.span;
            assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize));
        }
    }
}
