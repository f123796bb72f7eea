//! `otus explain`: the meaning of a diagnostic code or of the cause of a failure.

use std::fmt::Write as _;

use otus::{CAUSES, Cause, Status};
use otus_syntax::Code;

use crate::args::ExplainArgs;
use crate::output::{self, Stream};
use crate::shell::Shell;

pub(crate) fn run(args: &ExplainArgs, shell: &Shell) -> anyhow::Result<Status> {
    let colored = shell.colored(Stream::Output);
    let Some(wanted) = &args.code else {
        return output::answer(&list(colored));
    };
    let page = match otus::explain(wanted) {
        Ok(page) => page,
        Err(error) => {
            output::complain(&format!("otus: {error}"));
            return Ok(Status::Unusable);
        }
    };
    output::answer(&if colored { styled(&page) } else { page })
}

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[1;32m";
const CYAN: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

/// All codes, grouped by their hundreds.
fn list(colored: bool) -> String {
    let (bold, plain) = if colored { (BOLD, PLAIN) } else { ("", "") };
    let mut list = String::new();
    let mut topic = "";
    for code in Code::all() {
        if code.topic() != topic {
            topic = code.topic();
            let gap = if list.is_empty() { "" } else { "\n" };
            let _ = writeln!(list, "{gap}{bold}{topic}{plain}");
        }
        let _ = writeln!(list, "  {code}  {:<7}  {}", code.severity().name(), code.title());
    }
    let _ = writeln!(list, "\n{bold}Why a multi-trace is not accepted{plain}");
    for Cause { id, meaning, .. } in &CAUSES {
        let _ = writeln!(list, "  {id:<19}  {meaning}");
    }
    list.push_str("\n`otus explain CODE` explains one.\n");
    list
}

/// Formats a page for a terminal: headings stand out, and examples are indented instead of fenced. If the output is not
/// a terminal, the page stays Markdown.
fn styled(page: &str) -> String {
    let mut out = String::with_capacity(page.len() * 2);
    let mut fence: Option<&str> = None;
    for line in page.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        let _ = match fence {
            Some(open) if line == open => {
                fence = None;
                continue;
            }
            Some(_) if line.is_empty() => writeln!(out),
            Some(_) => writeln!(out, "    {CYAN}{line}{PLAIN}"),
            None if ticks.len() >= 3 => {
                fence = Some(ticks);
                match &line[ticks.len()..] {
                    "text" => continue,
                    kind => writeln!(out, "    {DIM}{kind}{PLAIN}"),
                }
            }
            None => match line.trim_start_matches('#') {
                heading if heading.len() == line.len() => writeln!(out, "{line}"),
                " Wrong" => writeln!(out, "{RED}Wrong{PLAIN}"),
                " Right" => writeln!(out, "{GREEN}Right{PLAIN}"),
                heading => writeln!(out, "{BOLD}{}{PLAIN}", heading.trim_start()),
            },
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_styled_page_has_the_same_words() {
        for code in Code::all() {
            let mut shown = styled(code.page());
            for style in [BOLD, DIM, RED, GREEN, CYAN, PLAIN] {
                shown = shown.replace(style, "");
            }
            assert!(!shown.contains('\x1b'));
            assert!(!shown.lines().any(|line| line.starts_with('#') || line.starts_with("```")));
            let heading = format!("{code}: {}\n", code.title());
            assert!(shown.starts_with(&heading), "{shown}");
            for line in code.page().lines().filter(|line| !line.starts_with(['#', '`'])) {
                assert!(shown.contains(line), "{line}");
            }
        }
    }

    #[test]
    fn the_list_has_every_code_once() {
        let list = list(false);
        for code in Code::all() {
            assert_eq!(list.matches(&format!("  {code}  ")).count(), 1);
        }
    }
}
