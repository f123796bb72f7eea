//! `otus-bench papers`: regenerates the tables and figures of the papers.
//!
//! Each result is printed and written as soon as it is complete, so an interruption loses at most the one under way.

use std::cell::Cell as StdCell;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use otus_core::budget::Cancel;
use otus_draw::Theme;
use otus_papers::table::{Cell, Table, quoted};
use otus_papers::{ABSENT, Artefact, ITEMS, Item, Setting, Size, Watch};
use otus_syntax::suggest::did_you_mean;
use serde_json::{Value, json};

/// Regenerate the tables and figures of the papers.
///
/// Regenerates every table and figure of the papers behind Otus that can be regenerated: times of use cases by length,
/// 3-SAT as multi-traces, slices, nodes of searches, CTL over partial-order traces. The papers' own numbers
/// stand beside ours, for the fast engine and for the papers' algorithms as written, with a note on
/// every difference. --list shows what there is, and what cannot be regenerated, and why.
///
/// Models and traces are built in or made from the seed; everything but the times is the same in every
/// run. Every verdict is compared with the one known by construction, and the engines with each other; a
/// difference makes the exit status 1. --out writes each result as soon as it is complete, so Ctrl-C
/// keeps those that are done: a CSV file for each table, an SVG file for each plot, papers.md with all of
/// it, and a folder for each experiment with its models, multi-traces, traces and formulas, as files that
/// `otus` reads. What is under way is told on standard error.
///
/// Without --quick the sets are as large as those of the papers, which takes up to an hour. docs/papers.md
/// discusses the results.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  otus-bench papers --list                              what can be regenerated, and what cannot
  otus-bench papers --quick --only 004-nodes 003-fig11  two of the tables
  otus-bench papers --quick --only 004 --format csv     for a program
  otus-bench papers --quick --out FOLDER                everything, in a few minutes

Exit status: 0 all verdicts are right, 1 some are wrong, 2 unusable input or usage, 3 interrupted.")]
pub(crate) struct Args {
    /// Use smaller sets and shorter time limits: minutes instead of an hour.
    #[arg(long)]
    quick: bool,

    /// A little of everything, for tests.
    #[arg(long, hide = true, conflicts_with = "quick")]
    tiny: bool,

    /// Write tables, plots and the inputs of the experiments into this folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Only the tables and figures whose names begin so: 003-fig11, 001-table, 000.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,

    /// List the tables and figures, and run nothing.
    #[arg(long)]
    list: bool,

    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = Setting::SEED)]
    seed: u64,

    /// The format of printed results.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,

    /// The colours of plots.
    #[arg(long, value_enum, default_value_t = PlotTheme::Auto, value_name = "THEME")]
    theme: PlotTheme,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns.
    Text,
    /// A Markdown page.
    Markdown,
    /// One value a line, with the names of its table, row and column; times in seconds.
    Csv,
    /// One JSON document.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlotTheme {
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
    /// As the viewer prefers.
    Auto,
}

/// The exit status of a process that SIGINT ended, as shells report it.
const KILLED_BY_SIGINT: i32 = 130;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let items = chosen(&args.only)?;
    if args.list {
        print(&list(&items, args.only.is_empty()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let size = match (args.tiny, args.quick) {
        (true, _) => Size::Tiny,
        (false, true) => Size::Quick,
        (false, false) => Size::Full,
    };
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let setting = Setting { size, seed: args.seed };
    let progress = Progress::new()?;
    let show = |what: &str, done: usize, all: usize| progress.step(what, done, all);
    let watch = Watch { cancel: ctrl_c()?, progress: &show };

    let heading = heading(args, size);
    match args.format {
        Format::Text | Format::Json => {}
        Format::Markdown => print(&heading)?,
        Format::Csv => print("artefact,table,row,column,value\n")?,
    }
    let mut page = heading;
    let mut documents = Vec::new();
    let (mut checked, mut wrong, mut done) = (0, 0, 0);
    for (number, item) in (1..).zip(&items) {
        progress.begin(&format!("[{number} of {}] {}: {}", items.len(), item.id, item.what));
        let Ok(artefact) = item.run(setting, &watch) else { break };
        if let Some(folder) = &args.out {
            let _ = write!(page, "\n{}", artefact.markdown());
            let _ = writeln!(page, "\nInputs: [{0}/]({0}/)", artefact.id);
            write_files(folder, &artefact, args.theme)?;
            write_file(&folder.join("papers.md"), &page)?;
        }
        progress.bar.suspend(|| match args.format {
            Format::Text => print(&format!("{}\n", artefact.text())),
            Format::Markdown => print(&format!("\n{}", artefact.markdown())),
            Format::Csv => print(&one_value_a_line(&artefact)),
            Format::Json => {
                documents.push(document(&artefact));
                Ok(())
            }
        })?;
        checked += artefact.checked;
        wrong += artefact.wrong.len();
        done += 1;
    }
    progress.bar.finish_and_clear();
    if args.format == Format::Json {
        let whole = json!({
            "version": 1,
            "seed": args.seed,
            "size": size.name(),
            "artefacts": documents,
            "summary": { "made": done, "of": items.len(), "checked": checked, "wrong": wrong },
        });
        print(&format!("{whole:#}\n"))?;
    }
    let is_interrupted = done < items.len();
    let interrupted = if is_interrupted { ", interrupted" } else { "" };
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    // If standard error is closed, there is no place left to report to.
    let _ = writeln!(
        std::io::stderr(),
        "made {done} of {}{interrupted}; {} checked, {wrong} wrong",
        counted(items.len(), "item"),
        counted(checked, "verdict")
    );
    Ok(ExitCode::from(match (wrong, is_interrupted) {
        (0, false) => 0,
        (0, true) => 3,
        (_, _) => 1,
    }))
}

/// The progress of a run: a line that changes on a terminal, and otherwise lines now and then.
struct Progress {
    /// Hidden where standard error is no terminal.
    bar: ProgressBar,
    is_terminal: bool,
    told: StdCell<Instant>,
}

/// The time between two lines about one experiment, where standard error is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

impl Progress {
    fn new() -> anyhow::Result<Progress> {
        let style = ProgressStyle::with_template("{prefix}\n  {msg}: {pos} of {len}")?;
        let bar = ProgressBar::new(0).with_style(style);
        let is_terminal = std::io::stderr().is_terminal();
        Ok(Progress { bar, is_terminal, told: StdCell::new(Instant::now()) })
    }

    /// An experiment begins.
    fn begin(&self, what: &str) {
        self.bar.set_prefix(what.to_owned());
        self.told.set(Instant::now());
        self.say(what);
    }

    /// So many cases of a set are done.
    fn step(&self, what: &str, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_message(what.to_owned());
        self.bar.set_position(done as u64);
        if self.told.get().elapsed() >= PAUSE {
            self.told.set(Instant::now());
            self.say(&format!("  {what}: {done} of {all}"));
        }
    }

    fn say(&self, line: &str) {
        if !self.is_terminal {
            // If standard error is closed, there is no place left to report to.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

/// The token that the first Ctrl-C cancels; the second one ends the process.
fn ctrl_c() -> anyhow::Result<Cancel> {
    let token = Cancel::default();
    let cancel = token.clone();
    let handle = move || {
        if cancel.is_cancelled() {
            #[expect(clippy::exit, reason = "the user asked twice and does not want to wait")]
            std::process::exit(KILLED_BY_SIGINT);
        }
        cancel.cancel();
    };
    ctrlc::set_handler(handle).context("cannot watch for Ctrl-C")?;
    Ok(token)
}

/// The items that one of the names selects; all items if there are no names.
fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Item>> {
    for name in names {
        if !ITEMS.iter().any(|item| item.is_called(name)) {
            let known = ITEMS.iter().flat_map(|item| std::iter::once(&item.id).chain(item.also));
            let meant = did_you_mean(name, known.copied())
                .unwrap_or_else(|| "`otus-bench papers --list` shows all names".to_owned());
            anyhow::bail!("no table or figure is called {name}; {meant}");
        }
    }
    let is_wanted =
        |item: &&Item| names.is_empty() || names.iter().any(|name| item.is_called(name));
    Ok(ITEMS.iter().filter(is_wanted).collect())
}

fn list(items: &[&Item], is_everything: bool) -> String {
    let mut out = String::from("Regenerated:\n");
    for item in items {
        let also = match item.also {
            [] => String::new(),
            also => format!(" (also {})", also.join(", ")),
        };
        let _ = writeln!(out, "  {:<10}  {}{also}", item.id, item.what);
    }
    if is_everything {
        out.push_str("\nNot regenerated:\n");
        for absent in ABSENT {
            let _ = writeln!(out, "  {}: {}\n      {}", absent.id, absent.what, absent.why);
        }
    }
    out
}

fn heading(args: &Args, size: Size) -> String {
    let only = if args.only.is_empty() {
        String::new()
    } else {
        format!(" --only {}", args.only.join(" "))
    };
    let quick = if args.quick { " --quick" } else { "" };
    format!(
        "# The papers' tables and figures, regenerated\n\n\
         `otus-bench papers{quick}{only} --seed {}`, {} size. `fast` is the engine of Otus, `graph` the papers' \
         searches as written, `ist` the paper's sharing trees; `paper` is what the papers print. – marks \
         an empty cell.\n",
        args.seed,
        size.name()
    )
}

fn write_files(folder: &Path, artefact: &Artefact, theme: PlotTheme) -> anyhow::Result<()> {
    for table in &artefact.tables {
        let name = format!("{}.csv", table_name(artefact, table));
        write_file(&folder.join(name), &table.csv())?;
    }
    let theme = match theme {
        PlotTheme::Light => Theme::Light,
        PlotTheme::Dark => Theme::Dark,
        PlotTheme::Auto => Theme::Auto,
    };
    for picture in &artefact.pictures {
        let text = otus_draw::svg(&picture.scene, theme);
        write_file(&folder.join(format!("{}.svg", picture.name)), &text)?;
    }
    let inputs = folder.join(artefact.id);
    std::fs::create_dir_all(&inputs)
        .with_context(|| format!("cannot make {}", inputs.display()))?;
    for input in &artefact.inputs {
        write_file(&inputs.join(&input.name), &input.text)?;
    }
    Ok(())
}

fn one_value_a_line(artefact: &Artefact) -> String {
    let mut out = String::new();
    for table in &artefact.tables {
        let name = table_name(artefact, table);
        for (number, row) in (1..).zip(&table.rows) {
            for (column, cell) in table.columns.iter().zip(row) {
                let (column, value) = (quoted(column), quoted(&cell.bare()));
                let _ = writeln!(out, "{},{name},{number},{column},{value}", artefact.id);
            }
        }
    }
    out
}

fn document(artefact: &Artefact) -> Value {
    let table = |table: &Table| {
        let bare = |row: &Vec<Cell>| row.iter().map(Cell::bare).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(bare).collect();
        json!({ "name": table_name(artefact, table), "columns": table.columns, "rows": rows })
    };
    json!({
        "id": artefact.id,
        "title": artefact.title,
        "tables": artefact.tables.iter().map(table).collect::<Vec<_>>(),
        "differs": artefact.differs,
        "checked": artefact.checked,
        "wrong": artefact.wrong,
    })
}

fn table_name(artefact: &Artefact, table: &Table) -> String {
    format!("{}{}", artefact.id, table.suffix)
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a file under another name and renames it, so that the file is never half written.
fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let draft = path.with_added_extension("part");
    std::fs::write(&draft, text)
        .and_then(|()| std::fs::rename(&draft, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
