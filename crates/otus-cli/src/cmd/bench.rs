//! `otus bench papers`: the tables and figures of the papers, made again.
//!
//! Each result is printed and written when it is complete, so that Ctrl-C loses one and no more.

use std::cell::Cell as Shared;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use otus_papers::table::{Style, Table};
use otus_papers::{ABSENT, Artefact, ITEMS, Item, Setting, Size, Watch};
use otus_syntax::suggest::did_you_mean;
use serde_json::{Value, json};

use crate::args::{Bench, BenchArgs, BenchFormat};
use crate::exit::Exit;
use otus::words::counted;
use crate::{interrupt, output, picture};

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<Exit> {
    match args.what {
        Bench::Papers => papers(args),
    }
}

fn papers(args: &BenchArgs) -> anyhow::Result<Exit> {
    let items = chosen(&args.only)?;
    if args.list {
        output::print(&list(&items, args.only.is_empty()))?;
        return Ok(Exit::Success);
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
    let cancel = interrupt::token()?;
    let progress = Progress::new();
    let show = |what: &str, done: usize, all: usize| progress.show(what, done, all);
    let watch = Watch { cancel, progress: &show };

    let heading = heading(args, size);
    match args.format {
        BenchFormat::Text | BenchFormat::Json => {}
        BenchFormat::Markdown => output::print(&heading)?,
        BenchFormat::Csv => output::print("artefact,table,row,column,value\n")?,
    }
    let mut page = heading;
    let mut documents = Vec::new();
    let (mut checked, mut wrong, mut done) = (0, 0, 0);
    for item in &items {
        let Ok(artefact) = item.run(setting, &watch) else { break };
        progress.clear();
        if let Some(folder) = &args.out {
            let _ = write!(page, "\n{}", artefact.markdown());
            write_files(folder, &artefact, args)?;
            output::write_file(&folder.join("papers.md"), &page)?;
        }
        match args.format {
            BenchFormat::Text => output::print(&format!("{}\n", artefact.text()))?,
            BenchFormat::Markdown => output::print(&format!("\n{}", artefact.markdown()))?,
            BenchFormat::Csv => output::print(&long(&artefact))?,
            BenchFormat::Json => documents.push(document(&artefact)),
        }
        checked += artefact.checked;
        wrong += artefact.wrong.len();
        done += 1;
    }
    progress.clear();
    if args.format == BenchFormat::Json {
        let whole = json!({
            "version": 1,
            "seed": args.seed,
            "size": size_name(size),
            "artefacts": documents,
            "summary": { "made": done, "of": items.len(), "checked": checked, "wrong": wrong },
        });
        output::print(&format!("{whole:#}\n"))?;
    }
    let interrupted = if done < items.len() { ", interrupted" } else { "" };
    output::complain(&format!(
        "made {done} of {}{interrupted}; {} checked, {wrong} wrong",
        counted(items.len(), "item"),
        counted(checked, "verdict")
    ));
    Ok(match (wrong, done < items.len()) {
        (0, false) => Exit::Success,
        (0, true) => Exit::Undecided,
        (_, _) => Exit::Failure,
    })
}

/// Those that are called by one of some names; all without names.
fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Item>> {
    for name in names {
        if !ITEMS.iter().any(|item| item.is_called(name)) {
            let known = ITEMS.iter().flat_map(|item| std::iter::once(&item.id).chain(item.also));
            let meant = did_you_mean(name, known.copied())
                .unwrap_or_else(|| "`otus bench papers --list` has all names".to_owned());
            anyhow::bail!("no table or figure is called {name}; {meant}");
        }
    }
    let is_wanted =
        |item: &&Item| names.is_empty() || names.iter().any(|name| item.is_called(name));
    Ok(ITEMS.iter().filter(is_wanted).collect())
}

fn list(items: &[&Item], is_everything: bool) -> String {
    let mut out = String::from("Made again:\n");
    for item in items {
        let also = match item.also {
            [] => String::new(),
            also => format!(" (also {})", also.join(", ")),
        };
        let _ = writeln!(out, "  {:<10}  {}{also}", item.id, item.what);
    }
    if is_everything {
        out.push_str("\nNot made again:\n");
        for absent in ABSENT {
            let _ = writeln!(out, "  {}: {}\n      {}", absent.id, absent.what, absent.why);
        }
    }
    out
}

fn heading(args: &BenchArgs, size: Size) -> String {
    let only = if args.only.is_empty() {
        String::new()
    } else {
        format!(" --only {}", args.only.join(" "))
    };
    let quick = if args.quick { " --quick" } else { "" };
    format!(
        "# The papers' tables and figures, made again\n\n\
         `otus bench papers{quick}{only} --seed {}`, {} size. `fast` is the engine of Otus, `graph` the papers' \
         searches as written, `ist` the paper's sharing trees; `paper` is what the papers print. – is nothing \
         to show.\n",
        args.seed,
        size_name(size)
    )
}

fn size_name(size: Size) -> &'static str {
    match size {
        Size::Tiny => "tiny",
        Size::Quick => "quick",
        Size::Full => "full",
    }
}

fn write_files(folder: &Path, artefact: &Artefact, args: &BenchArgs) -> anyhow::Result<()> {
    for table in &artefact.tables {
        let name = format!("{}{}.csv", artefact.id, table.suffix);
        output::write_file(&folder.join(name), &table.written(Style::Csv))?;
    }
    let theme = picture::theme(args.theme);
    for picture in &artefact.pictures {
        let text = otus_draw::svg(&picture.scene, theme);
        output::write_file(&folder.join(format!("{}.svg", picture.name)), &text)?;
    }
    Ok(())
}

/// One value a line.
fn long(artefact: &Artefact) -> String {
    let mut out = String::new();
    for table in &artefact.tables {
        let name = table_name(artefact, table);
        for (number, row) in table.rows.iter().enumerate() {
            for (column, cell) in table.columns.iter().zip(row) {
                let values = [column.as_str(), &cell.bare()].map(otus_papers::table::quoted);
                let _ = writeln!(
                    out,
                    "{},{name},{},{},{}",
                    artefact.id,
                    number + 1,
                    values[0],
                    values[1]
                );
            }
        }
    }
    out
}

fn document(artefact: &Artefact) -> Value {
    let table = |table: &Table| {
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| row.iter().map(otus_papers::table::Cell::bare).collect())
            .collect();
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

/// One line on a terminal that is written over again; nothing where nobody watches.
struct Progress {
    is_shown: bool,
    last: Shared<Option<Instant>>,
}

/// How often the line changes.
const REFRESH: Duration = Duration::from_millis(100);

impl Progress {
    fn new() -> Progress {
        Progress { is_shown: std::io::stderr().is_terminal(), last: Shared::new(None) }
    }

    fn show(&self, what: &str, done: usize, all: usize) {
        let is_due = self.last.get().is_none_or(|last| last.elapsed() >= REFRESH);
        if self.is_shown && is_due {
            self.last.set(Some(Instant::now()));
            // Nobody is harmed by a line that cannot be shown.
            let _ = write!(std::io::stderr(), "\r\x1b[K{what}: {done} of {all}");
        }
    }

    fn clear(&self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
