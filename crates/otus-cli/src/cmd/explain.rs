//! `otus explain`: what a diagnostic code means.

use std::fmt::Write as _;

use otus_syntax::Code;

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let Some(wanted) = &args.code else {
        let mut list = String::new();
        for code in Code::all() {
            let _ = writeln!(list, "{code}  {:<7}  {}", code.severity().name(), code.title());
        }
        list.push_str("\n`otus explain CODE` explains one.\n");
        output::print(&list)?;
        return Ok(Exit::Success);
    };
    let Some(code) = Code::parse(wanted) else {
        output::complain(&format!(
            "otus: there is no code `{wanted}`; `otus explain` lists all of them"
        ));
        return Ok(Exit::Error);
    };
    output::print(code.page())?;
    Ok(Exit::Success)
}
