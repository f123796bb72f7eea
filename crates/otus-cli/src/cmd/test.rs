//! `otus test`: runs the tests of `otus.toml` and compares the answers with the expected answers.

use std::path::{Path, PathBuf};
use std::time::Instant;

use otus::Status;
use otus::suite::{self, SuiteOptions, SuiteSummary};
use otus::units::counted;

use crate::args::TestArgs;
use crate::shell::Shell;
use crate::{output, watchdog};

pub(crate) fn run(args: &TestArgs, shell: &Shell) -> anyhow::Result<Status> {
    let start = Instant::now();
    let settings = suite::settings(&shell.context, args.config.as_deref().map(Path::new))?;
    let chosen = suite::chosen(&settings, &args.names)?;
    if args.list {
        for test in chosen {
            output::print(&suite::listed(test, &settings))?;
        }
        return Ok(Status::Passed);
    }
    let format = args.format;
    let options = SuiteOptions {
        threads: args.jobs,
        timeout: shell.limits.timeout,
        max_bytes: Some(shell.limits.tables),
    };
    let context = shell.quiet();
    output::print(&format.head(&settings.name))?;
    let mut outcomes = Vec::new();
    for test in chosen {
        let outcome = suite::run(&context, test, &settings, &options);
        output::print(&format.test(&outcome, outcomes.len() + 1))?;
        let is_interrupted = outcome.interrupted;
        outcomes.push(outcome);
        if is_interrupted {
            break;
        }
    }
    watchdog::answered();
    let summary = SuiteSummary::new(&outcomes);
    output::print(&format.end(&settings.name, &outcomes, &summary))?;
    if args.update {
        match suite::updated(&shell.context, &settings, &outcomes)? {
            Some((text, changed)) => {
                let path = settings.folder.join(otus::project::FILE);
                let path = args.config.as_ref().map_or(path, PathBuf::from);
                output::write_file(&path, &text)?;
                let changed = counted(changed, "test");
                output::complain(&format!("wrote {changed} of {}", settings.name));
            }
            None => output::complain(&format!("{} says what was found already", settings.name)),
        }
    }
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    output::complain(&format!("{} in {millis:.0} ms", summary.text()));
    Ok(if summary.broken > 0 {
        Status::Unusable
    } else if summary.interrupted {
        Status::Undecided
    } else if summary.stubborn > 0 || (summary.differ > 0 && !args.update) {
        Status::Failed
    } else {
        Status::Passed
    })
}
