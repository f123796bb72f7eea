//! The pages about codes of diagnostics and causes of failures.

use otus_syntax::Code;
use otus_syntax::suggest::did_you_mean;

use crate::cause::{CAUSES, Cause};
use crate::error::{Result, unfit};

/// The page about the code of a diagnostic (`O0301`) or the cause of a failure (`missing-counterpart`), as Markdown.
///
/// ```
/// assert!(otus::explain("missing-counterpart")?.starts_with("# missing-counterpart: "));
/// assert!(otus::explain("missing-countrpart").unwrap_err().to_string().contains("did you mean"));
/// # Ok::<(), otus::Error>(())
/// ```
///
/// # Errors
/// If there is no such code or cause.
pub fn explain(code: &str) -> Result<String> {
    if let Some(code) = Code::parse(code) {
        return Ok(code.page().to_owned());
    }
    if let Some(Cause { id, name, meaning, help, .. }) = CAUSES.iter().find(|it| it.id == code) {
        return Ok(format!(
            "# {id}: {name}\n\n{meaning}\n\n## What to do\n\n{help}\n\nOf a certain multi-trace, `otus \
             analyze --explain full` says what was expected where, and\nwhich edits would make it pass.\n"
        ));
    }
    let help = did_you_mean(code, CAUSES.iter().map(|cause| cause.id));
    let help = help.map(|help| format!("; {help}")).unwrap_or_default();
    unfit!("there is no code `{code}`{help}; `otus explain` lists all of them")
}
