//! Two builds of Otus beside each other: `otus-bench compare OLD NEW`.
//!
//! Both builds get the same command lines over the same files, and the table has the ratio of the instructions that they
//! execute, counted by `valgrind`. A count of instructions is the same on an idle and on a busy machine, within about a
//! thousandth; times are not. It does not see caches and branches, so a ratio near 1 says that a change costs nothing,
//! not that it gains nothing.
//!
//! A command line is that of `otus` or of `otus-bench engine-once`. The count of a second command line, with fewer
//! repetitions, is subtracted where the making of inputs would outweigh the work.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::measure::{Scratch, head};
use crate::{ctl, engine, logs};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of the older programs `otus` and `otus-bench`, such as target/release.
    old: PathBuf,
    /// The folder of the newer programs.
    new: PathBuf,
    /// Only these parts: start, long, fresh, random, slices, sessions, sat, end, logs, paper, large, reading.
    parts: Vec<String>,
}

/// A ratio above this is marked.
const TOLERANCE: f64 = 1.03;

/// A program that both builds have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    Otus,
    Bench,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Otus => "otus",
            Program::Bench => "otus-bench",
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) part: &'static str,
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) arguments: Vec<String>,
    /// The arguments of the run whose count is subtracted.
    pub(crate) less: Option<Vec<String>>,
}

impl Case {
    /// A command line of `otus`, of which the whole process counts.
    pub(crate) fn otus(part: &'static str, name: impl Into<String>, arguments: &[&str]) -> Case {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Case { part, name: name.into(), program: Program::Otus, arguments, less: None }
    }
}

/// A folder for the files of the cases.
pub(crate) struct Inputs<'f>(pub(crate) &'f Path);

impl Inputs<'_> {
    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> anyhow::Result<String> {
        let path = self.path(name);
        if let Some(folder) = Path::new(&path).parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
        Ok(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let builds = [&args.old, &args.new].map(|folder| {
        folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))
    });
    let [old, new] = builds;
    let (old, new) = (old?, new?);
    let Some(Scratch(folder)) = &Scratch::new("compare") else { bail!("no folder for inputs") };
    let inputs = Inputs(folder);
    let wanted = |part: &str| args.parts.is_empty() || args.parts.iter().any(|name| name == part);
    let smallest = inputs.write("smallest.pot.json", SMALLEST)?;
    let mut cases = vec![
        Case::otus("start", "`otus --version`", &["--version"]),
        Case::otus("start", "`otus ctl` of two events", &["ctl", &smallest, "AG(x = 1 -> y = 1)"]),
    ];
    cases.extend(engine::compared(&inputs)?);
    cases.extend(logs::compared(&inputs)?);
    cases.extend(ctl::compared(&inputs)?);

    println!("# Two builds\n");
    println!(
        "Instructions of whole processes in millions; of `long` and `fresh`, those of the repetitions. A ratio above \
         {TOLERANCE} is marked with `!`, different exit statuses with `?`.\n"
    );
    head("part | case", "old | new | new/old");
    let (mut logarithms, mut count, mut worse) = (0.0, 0.0, 0);
    for case in cases.iter().filter(|case| wanted(case.part)) {
        let (old, new) = (case.count(&old, &inputs)?, case.count(&new, &inputs)?);
        let ratio = new.millions / old.millions;
        let mark = if ratio > TOLERANCE { " !" } else { "" };
        let differs = if old.status == new.status { "" } else { " ?" };
        println!(
            "| {} | {} | {:.2} | {:.2} | {ratio:.3}{mark}{differs} |",
            case.part, case.name, old.millions, new.millions
        );
        logarithms += ratio.ln();
        count += 1.0;
        worse += usize::from(ratio > TOLERANCE);
    }
    if count > 0.0 {
        let mean = f64::exp(logarithms / count);
        println!("\nGeometric mean of {count} ratios: {mean:.3}; above {TOLERANCE}: {worse}.");
    }
    Ok(())
}

const SMALLEST: &str = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]},
  {"name": "q", "events": [{"var": "y", "val": 1}]}]}"#;

/// What a run took, and how it ended.
struct Counted {
    millions: f64,
    status: Option<i32>,
}

impl Case {
    fn count(&self, folder: &Path, inputs: &Inputs<'_>) -> anyhow::Result<Counted> {
        let program = folder.join(self.program.name());
        let mut counted = instructions(&program, &self.arguments, inputs)?;
        if let Some(less) = &self.less {
            counted.millions -= instructions(&program, less, inputs)?.millions;
        }
        Ok(counted)
    }
}

fn instructions(
    program: &Path,
    arguments: &[String],
    inputs: &Inputs<'_>,
) -> anyhow::Result<Counted> {
    let log = inputs.path("valgrind.log");
    // A log of an earlier run must not be taken for that of this one. There is none before the first run.
    let _ = std::fs::remove_file(&log);
    let status = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(format!("--log-file={log}"))
        .arg(program)
        .args(arguments)
        .current_dir(inputs.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot run valgrind")?;
    let text = std::fs::read_to_string(&log).context("valgrind wrote no log")?;
    let count = total(&text).with_context(|| {
        format!(
            "valgrind counted nothing of {} {}:\n{text}",
            program.display(),
            arguments.join(" ")
        )
    })?;
    Ok(Counted { millions: count / 1e6, status: status.code() })
}

/// The count in a log of valgrind: its line `==1== I   refs:      1,234,567`.
fn total(log: &str) -> Option<f64> {
    let line = log.lines().find(|line| line.contains("refs:"))?;
    let digits: String = line.split("refs:").nth(1)?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_a_log_is_found() {
        let log = "==7== Cachegrind\n==7==\n==7== I   refs:      1,234,567\n==7== I1  misses: 3\n";
        assert_eq!(total(log), Some(1_234_567.0));
        assert_eq!(total("==7== Killed\n"), None);
    }
}
