//! The same runs as a case file and as Parquet, from the files to the verdicts, on all threads of a process.
//!
//! The case file has a run on each line, which is the fastest way into Otus. Parquet has dictionaries for lifelines and
//! actions, texts for runs, and an event in each row: grouped by run in one file, and with its runs taking turns over four.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cpu_time::ProcessTime;
use otus::{Context, Explain, Item, Request, Verdict, WitnessPolicy, analyze};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{Rows, SENSOR, Source, each};

/// Writes the files to a folder, and measures each way in a child process.
pub(super) fn run(events: usize) {
    let folder = std::env::temp_dir().join(format!("otus-bench-table-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() || write(&folder, events).is_none() {
        println!("| parquet | {events} | – | – | – | – |");
    } else {
        for part in ["cases", "parquet-grouped", "parquet-scattered"] {
            let place = folder.to_string_lossy().into_owned();
            let measured = crate::measure::in_child(["table-files", part, &place]);
            match measured {
                Some(text) if !text.is_empty() => print!("{text}"),
                _ => println!("| {part} | {events} | – | – | – | – |"),
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// Measures one way, and prints its row.
pub(crate) fn once(part: &str, folder: &Path) {
    let inputs = if part == "cases" { "cases.jsonl" } else { part };
    let inputs = ["sensor.hsf", "sensor.hif", inputs].map(|name| folder.join(name));
    let before = crate::measure::reset_peak();
    let start = ProcessTime::now();
    let mut request = Request::new(inputs.iter().map(|path| path.to_string_lossy().into_owned()));
    (request.explain, request.witness) = (Explain::None, WitnessPolicy::None);
    request.is_brief = true;
    request.question.kind = Some("accept".to_owned());
    let Ok(analysis) = analyze(&Context::default(), &request) else { return };
    let (mut runs, mut failures, mut events) = (0_usize, 0_usize, 0_usize);
    for item in analysis.start(|case| (case.verdict, case.actions)) {
        let Ok(Item::Case((verdict, actions))) = item else { return };
        runs += 1;
        failures += usize::from(verdict == Verdict::Fail);
        events += actions;
    }
    let elapsed = start.elapsed();
    let peak = before.zip(crate::measure::peak_bytes());
    let peak = peak.map(|(before, peak)| peak.saturating_sub(before) / 1_000_000);
    let peak = peak.map_or("–".to_owned(), |peak| peak.to_string());
    println!("| {part} | {events} | {runs} | {failures} | {:.0} | {peak} |", each(elapsed, events));
}

fn write(folder: &Path, events: usize) -> Option<()> {
    let [signature, interaction] = SENSOR;
    std::fs::write(folder.join("sensor.hsf"), signature).ok()?;
    std::fs::write(folder.join("sensor.hif"), interaction).ok()?;
    let grouped = Source::new("grouped", events)?;
    let mut cases = String::new();
    for number in 0..grouped.count {
        let run = &grouped.runs[number % grouped.runs.len()];
        let _ = write!(cases, "{{\"id\":\"run {number}\",\"htf\":\"{{");
        for (at, lifeline) in grouped.lifelines.iter().enumerate() {
            let own = run.iter().filter(|(own, _)| *own as usize == at);
            let own =
                own.map(|(_, action)| format!("{lifeline}{}", grouped.actions[*action as usize]));
            let between = if at == 0 { "" } else { "; " };
            let _ = write!(cases, "{between}[{lifeline}] {}", own.collect::<Vec<_>>().join("."));
        }
        cases.push_str("}\"}\n");
    }
    std::fs::write(folder.join("cases.jsonl"), cases).ok()?;
    for (name, part, count) in
        [("parquet-grouped", "grouped", 1), ("parquet-scattered", "scattered", 4)]
    {
        let source = Source::new(part, events)?;
        let to = folder.join(name);
        std::fs::create_dir_all(&to).ok()?;
        let mut files = Files::new(&source, to, events.div_ceil(count))?;
        let mut is_written = true;
        source.each(&mut Rows::default(), &mut |rows| is_written &= files.add(rows).is_some());
        files.end()?;
        is_written.then_some(())?;
    }
    Some(())
}

/// The files that are written.
struct Files<'s> {
    source: &'s Source,
    folder: PathBuf,
    file: Option<SerializedFileWriter<std::fs::File>>,
    /// The number of rows of the file, and of those that it may have.
    rows: usize,
    most: usize,
    count: usize,
    schema: Arc<Type>,
}

impl<'s> Files<'s> {
    fn new(source: &'s Source, folder: PathBuf, most: usize) -> Option<Files<'s>> {
        let column = |name: &str, physical, logical| {
            let column = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            column.with_repetition(Repetition::REQUIRED).build().map(Arc::new).ok()
        };
        let columns = vec![
            column("run", Physical::BYTE_ARRAY, Some(LogicalType::String))?,
            column("lifeline", Physical::BYTE_ARRAY, Some(LogicalType::String))?,
            column("action", Physical::BYTE_ARRAY, Some(LogicalType::String))?,
            column("order", Physical::INT64, None)?,
        ];
        let schema = Type::group_type_builder("events").with_fields(columns).build().ok()?;
        let schema = Arc::new(schema);
        Some(Files { source, folder, file: None, rows: 0, most, count: 0, schema })
    }

    fn add(&mut self, rows: &Rows) -> Option<()> {
        if self.rows >= self.most {
            self.end()?;
        }
        if self.file.is_none() {
            self.count += 1;
            let path = self.folder.join(format!("{}.parquet", self.count));
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
            let file = std::fs::File::create(path).ok()?;
            let properties = Arc::new(properties.build());
            self.file = SerializedFileWriter::new(file, self.schema.clone(), properties).ok();
            self.rows = 0;
        }
        self.rows += rows.run.len();
        let mut group = self.file.as_mut()?.next_row_group().ok()?;
        let run =
            rows.run.iter().flatten().map(|run| ByteArray::from(format!("run {run}").as_str()));
        let text = |texts: &[String], keys: &[Option<u32>]| -> Vec<ByteArray> {
            let keys = keys.iter().flatten();
            keys.map(|key| ByteArray::from(texts[*key as usize].as_str())).collect()
        };
        let texts = [
            run.collect(),
            text(&self.source.lifelines, &rows.lifeline),
            text(&self.source.actions, &rows.action),
        ];
        for texts in texts {
            let mut column = group.next_column().ok()??;
            column.typed::<ByteArrayType>().write_batch(&texts, None, None).ok()?;
            column.close().ok()?;
        }
        let orders: Vec<i64> = rows.order.iter().flatten().copied().collect();
        let mut column = group.next_column().ok()??;
        column.typed::<Int64Type>().write_batch(&orders, None, None).ok()?;
        column.close().ok()?;
        group.close().ok().map(drop)
    }

    fn end(&mut self) -> Option<()> {
        match self.file.take() {
            Some(file) => file.close().ok().map(drop),
            None => Some(()),
        }
    }
}
