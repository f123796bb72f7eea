//! The signature that traces imply if there is no specification.

use otus_core::Signature;
use otus_syntax::ast::TraceFile;

use crate::lower::listed;

/// The signature of all lifelines and messages in some traces, in order of first mention: first
/// those in the lists of components, then those of actions.
///
/// ```
/// use otus_syntax::{Source, parse_trace};
///
/// let tree = parse_trace(&Source::new("run.htf", "{[b] b?m; [c]; [#any] a!n}")).tree;
/// let signature = otus_trace::transform::implied_signature([&tree]);
/// let lifelines: Vec<&str> = signature.lifelines().map(|(_, name)| name).collect();
/// assert_eq!(lifelines, ["b", "c", "a"]);
/// assert_eq!(signature.message_count(), 2);
/// ```
pub fn implied_signature<'a>(traces: impl IntoIterator<Item = &'a TraceFile>) -> Signature {
    let mut signature = Signature::default();
    for trace in traces {
        for name in listed(trace) {
            signature.add_lifeline(trace.names.text(name.symbol));
        }
        for action in &trace.actions {
            signature.add_lifeline(trace.names.text(action.lifeline.symbol));
            signature.add_message(trace.names.text(action.message.symbol));
        }
    }
    signature
}
