//! Diagrams with guards, learnt from what events carry.
//!
//! `otus_trace::transform::learn::keys` finds fields that tell sessions apart. One session is learnt as a run of its own, and
//! the diagram is
//!
//! ```text
//! loopP(fresh x)(session with [f = x] at every message)
//! loopP(fresh x)(loopW(…))                                  if values are used again
//! ```
//!
//! Fields that both ends of a message carry alike become `[=f]`. A diagram counts only if the exact engine accepts every
//! run with Pass; otherwise the next candidate is tried, and in the end the diagram without guards stays.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, ValueEngine};
use otus_analysis::{Question, Verdict};
use otus_core::valued::FieldId;
use otus_core::{MessageId, Pool, Signature, lower, raise};
use otus_syntax::Span;
use otus_syntax::ast::guard::{Atom, Operand, Relation, Test};
use otus_syntax::ast::{LoopKind, Node, NodeId, NodeKind, Operator, SpecFile};
use otus_syntax::name::Name;
use otus_trace::transform::learn::{self, Run, keys};
use otus_trace::{Facts, FieldNames, lower_with_facts};

use super::{ObservedRun, RunOrigin};
use crate::context::Cancel;
use crate::load::same;
use crate::units::counted;

/// The most diagrams that are checked.
const MOST: usize = 4;

/// Runs with values.
pub(super) struct Valued<'a> {
    pub(super) runs: &'a [ObservedRun],
    pub(super) facts: &'a [Facts],
    pub(super) fields: &'a FieldNames,
    pub(super) cancel: &'a Cancel,
}

/// A diagram with guards.
pub(super) struct KeyedDiagram {
    pub(super) tree: SpecFile,
    pub(super) notes: Vec<String>,
}

impl Valued<'_> {
    fn with_values(&self) -> Vec<keys::ValuedRun<'_>> {
        let runs = self.runs.iter().zip(self.facts);
        runs.map(|(run, facts)| keys::ValuedRun { trace: &run.trace, facts }).collect()
    }

    /// The diagram of one session in a loop of parallel sessions; `None` if no field tells sessions apart.
    pub(super) fn sessions(
        &self,
        pool: &mut Pool,
        options: &learn::Options,
    ) -> Option<KeyedDiagram> {
        let runs = self.with_values();
        let mut found = keys::keys(&runs);
        found.retain(|key| self.is_plain(key.field, pool.signature()));
        for key in found.iter().take(MOST) {
            let field = &self.fields.items[key.field];
            let learnt =
                learn::learn(pool, &[Run::new(&key.session)], options, &mut |_, _, _| true);
            let mut tree = raise(pool, learnt.term);
            enclose(&mut tree, field, key.is_reused);
            let mut notes: Vec<String> = learnt.notes.iter().map(|note| note.text(pool)).collect();
            let sessions = counted(key.values, "session");
            notes.push(format!("events with the same {field} are one session ({sessions})"));
            if key.is_reused {
                notes.push(format!("a value of {field} is used again when its session is over"));
            }
            let others = self.common(pool, Some(key.field));
            if let Some(found) = self.with_common(pool, tree, notes, &others) {
                return Some(found);
            }
        }
        None
    }

    /// A diagram with `[=f]` where both ends of messages carry the same value; `None` if there is no such field.
    pub(super) fn with_same_ends(&self, pool: &Pool, tree: &SpecFile) -> Option<KeyedDiagram> {
        let common = self.common(pool, None);
        if common.is_empty() {
            return None;
        }
        let found = self.with_common(pool, tree.clone(), Vec::new(), &common)?;
        (!found.notes.is_empty()).then_some(found)
    }

    /// The diagram with `[=f]` at some messages, or as it is, if that is accepted.
    fn with_common(
        &self,
        pool: &Pool,
        tree: SpecFile,
        notes: Vec<String>,
        common: &[(MessageId, FieldId)],
    ) -> Option<KeyedDiagram> {
        let mut stricter = tree.clone();
        let mut named: Vec<&str> = Vec::new();
        for &(message, field) in common {
            let field = &self.fields.items[field];
            let message = pool.signature().message_name(message);
            if same::require(&mut stricter, field, |name| name == message)
                && !named.contains(&&**field)
            {
                named.push(field);
            }
        }
        if !named.is_empty() && self.accepts(&stricter) {
            let said = named.iter().map(|field| {
                format!("where a message has [={field}], both its ends carry the same {field}")
            });
            return Some(KeyedDiagram {
                tree: stricter,
                notes: notes.into_iter().chain(said).collect(),
            });
        }
        self.accepts(&tree).then_some(KeyedDiagram { tree, notes })
    }

    /// The fields that messages carry alike at both ends, without the key.
    fn common(&self, pool: &Pool, key: Option<FieldId>) -> Vec<(MessageId, FieldId)> {
        let mut common = keys::common(&self.with_values(), pool);
        common.retain(|(_, field)| Some(*field) != key && self.is_plain(*field, pool.signature()));
        common
    }

    /// Whether a guard can name the field without a doubt: its path does not begin with the name of a lifeline.
    fn is_plain(&self, field: FieldId, signature: &Signature) -> bool {
        let first = self.fields.items[field].split('.').next().unwrap_or_default();
        !(0..signature.lifeline_count())
            .any(|at| signature.lifeline_name(otus_core::index::Index::new(at)) == first)
    }

    /// Whether the exact engine accepts every run with Pass.
    fn accepts(&self, tree: &SpecFile) -> bool {
        let lowered = lower(&[tree]);
        let (Some(valued), Some(term)) = (lowered.valued.as_deref(), lowered.term) else {
            return false;
        };
        let mut pool = lowered.pool;
        let budget = Budget {
            timeout: Some(Duration::from_secs(10)),
            max_states: Some(1_000_000),
            cancel: self.cancel.clone(),
            ..Budget::default()
        };
        self.runs.iter().all(|run| {
            let (trace, facts) = match &run.origin {
                RunOrigin::Group(group) => {
                    let trace = group.trace(&mut pool, &lowered.partners);
                    let facts = group.facts(&trace, &valued.fields);
                    (trace, facts)
                }
                RunOrigin::Trace(tree) => {
                    let (trace, facts, _) = lower_with_facts(tree, &mut pool, &valued.fields);
                    (trace, facts)
                }
            };
            let mut engine = ValueEngine::new(&pool, term, valued, trace.partition());
            let clocks = Clocks::default();
            let found = engine.analyze(&trace, &facts, clocks, &Question::ACCEPT, &budget);
            found.verdict == Verdict::Pass
        })
    }
}

/// Makes of a session a loop of sessions with a key.
fn enclose(tree: &mut SpecFile, field: &str, is_reused: bool) {
    let Some(interaction) = &mut tree.interaction else { return };
    let [key, variable] = [field, &variable_of(field)]
        .map(|text| Name { symbol: tree.names.intern(text), span: Span::default() });
    for node in &mut interaction.nodes {
        if let NodeKind::Passing(passing) = &mut node.kind {
            let operand = Operand::Variable { name: variable, offset: None };
            let test = Test::Compare { field: key, relation: Relation::Equal, operand };
            passing.guard.push(Atom { span: node.span, lifeline: None, test });
        }
    }
    let mut wrap = |operator: Operator| {
        let kind = NodeKind::Operator(operator, vec![interaction.root]);
        interaction.nodes.push(Node { span: Span::default(), kind });
        let last = u32::try_from(interaction.nodes.len() - 1).unwrap_or(u32::MAX);
        interaction.root = NodeId(last);
    };
    if is_reused {
        wrap(Operator::Loop(LoopKind::Weak));
    }
    wrap(Operator::Loop(LoopKind::Parallel));
    wrap(Operator::Fresh(vec![variable]));
}

/// A variable for a field: the last word of its path.
fn variable_of(field: &str) -> String {
    let last = field.rsplit('.').next().unwrap_or_default();
    let word: String = last.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
    if word.starts_with(char::is_alphabetic)
        && !["true", "false", "null", "new", "fresh", "o"].contains(&&*word)
    {
        word
    } else {
        format!("x{word}")
    }
}
