//! A bounded list of diagnostics, since a broken text may have a million faults.
//!
//! Findings beyond [`MAX_SHOWN`] are counted but not built. One last diagnostic gives their number and
//! has the worst severity among them, so that an error is never hidden.

use otus_syntax::{Code, Diagnostic, Severity, SourceId, Span};

/// The maximum number of findings that are shown.
pub const MAX_SHOWN: usize = 100;

/// The maximum number of declared names that are compared with a misspelt one, so that suggestions
/// stay fast for large signatures.
pub const MAX_CANDIDATES: usize = 1000;

/// A bounded list of diagnostics.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    shown: Vec<Diagnostic>,
    hidden: usize,
    /// The place of the first hidden finding, and the worst severity among the hidden ones.
    overflow: Option<(SourceId, Span, Severity)>,
}

impl Findings {
    /// Adds a finding; `build` is called only if it will be shown.
    pub fn add(
        &mut self,
        code: Code,
        source: SourceId,
        span: Span,
        build: impl FnOnce(Draft) -> Diagnostic,
    ) {
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(build(Draft { code, source, span }));
            return;
        }
        self.hidden += 1;
        let (_, _, worst) = self.overflow.get_or_insert((source, span, code.severity()));
        *worst = code.severity().max(*worst);
    }

    /// The list, with a last diagnostic that counts the hidden findings.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if let Some((source, span, worst)) = self.overflow {
            self.shown.push(Diagnostic::hidden(self.hidden, worst, source, span));
        }
        self.shown
    }
}

/// A diagnostic that still lacks its message.
#[derive(Debug, Clone, Copy)]
pub struct Draft {
    code: Code,
    source: SourceId,
    span: Span,
}

impl Draft {
    /// The diagnostic with a message: one sentence without a final stop.
    pub fn message(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.source, self.span, message)
    }
}

/// `, and in 3 other places`, for a name that is reported at its first use only.
pub fn and_elsewhere(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", and in 1 other place".to_owned(),
        _ => format!(", and in {others} other places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_and_keeps_its_severity() {
        let mut findings = Findings::default();
        for at in 0..150 {
            let code = if at == 149 { Code::UNDECLARED_LIFELINE } else { Code::REPEATED_LIFELINE };
            findings.add(code, SourceId(0), Span::at(at), |draft| {
                assert!(at < 100, "hidden findings are not built");
                draft.message("twice")
            });
        }
        let all = findings.finish();
        assert_eq!(all.len(), 101);
        assert_eq!(all[100].code, Code::TOO_MANY_ERRORS);
        assert_eq!(all[100].message, "50 more findings are not shown");
        assert_eq!(all[100].primary.span, Span::at(100));
        assert!(all[100].is_error());
    }
}
