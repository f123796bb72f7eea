//! Tables in Parquet give the answers of case files, and damaged ones a message.

pub(crate) mod memory;
mod promise;
mod write;

use std::fmt::Write as _;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::table::{Logs, PLAIN, Random, Row, VALUED, rows, runs, text, time};
use memory::Memory;
use promise::said;
use write::{Cells, Column, Layout, table};

/// The columns of events.
fn columns(rows: &[Row], order_is_small: bool) -> Vec<Column> {
    let texts = |text: &dyn Fn(&Row) -> String| {
        Cells::Texts(rows.iter().map(|row| Some(text(row))).collect())
    };
    let mid = |row: &Row| {
        let found = row.event.values.iter().find(|(field, _)| field == "mid");
        found.and_then(|(_, value)| value.parse::<i64>().ok())
    };
    let order = if order_is_small {
        // Without the gaps.
        let near = |row: &Row| {
            let order = row.order + 20;
            let gap = if order % 5_000_000_000 == 0 { 5_000_000_000 } else { 7 };
            Some(i32::try_from(order / gap).unwrap())
        };
        Cells::Small(rows.iter().map(near).collect())
    } else {
        Cells::Integers(rows.iter().map(|row| Some(row.order)).collect())
    };
    vec![
        ("unused", Cells::Numbers(rows.iter().map(|_| None).collect())),
        ("flag", Cells::Flags(rows.iter().map(|row| Some(row.order > 0)).collect())),
        ("bytes", Cells::Bytes(rows.iter().map(|_| Some(vec![0xff])).collect())),
        ("run", texts(&|row| row.run.clone())),
        ("action", texts(&|row| row.event.action.clone())),
        ("seq", order),
        ("mid", Cells::Integers(rows.iter().map(mid).collect())),
        (
            "time",
            Cells::Times(rows.iter().map(|row| time(&row.event).map(|it| it / 1_000)).collect()),
        ),
        ("lifeline", texts(&|row| row.event.lifeline.clone())),
    ]
}

fn from_cases(spec: &str, runs: &[(String, Logs)]) -> Vec<String> {
    let mut cases = String::new();
    for (id, logs) in runs {
        writeln!(cases, "{}", serde_json::json!({ "id": id, "htf": text(logs) })).unwrap();
    }
    let files = Memory::default().with("spec.hif", spec).with("c.jsonl", cases);
    said(files, &["spec.hif", "c.jsonl"], 1)
}

fn layouts() -> impl Strategy<Value = Layout> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    let codec = proptest::sample::select(codecs.to_vec());
    (1..200_usize, 1..60_usize, any::<bool>(), any::<bool>(), codec).prop_map(
        |(rows_in_group, rows_in_page, has_dictionaries, is_version_2, compression)| Layout {
            rows_in_group,
            rows_in_page,
            has_dictionaries,
            is_version_2,
            compression,
        },
    )
}

#[test]
fn tables_and_case_files_have_the_same_verdicts() {
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() };
    let tables = (any::<bool>(), any::<u64>(), layouts(), 1..5_usize, 1..4_usize, any::<bool>());
    TestRunner::new(config)
        .run(&tables, |(has_values, seed, layout, files, threads, is_grouped)| {
            let spec = if has_values { VALUED } else { PLAIN };
            let mut random = Random(seed);
            let mut runs = runs(spec, 8, &mut random);
            // A run without events has no row.
            runs.retain(|(_, logs)| logs.iter().any(|(_, events)| !events.is_empty()));
            let mut rows = rows(&runs);
            if !is_grouped {
                random.shuffle(&mut rows);
            }
            let mut memory = Memory::default().with("spec.hif", spec);
            let mut names = vec!["spec.hif".to_owned()];
            for (number, part) in rows.chunks(rows.len().div_ceil(files)).enumerate() {
                let name = format!("{number}.parquet");
                memory = memory.with(&name, table(&columns(part, seed % 2 == 0), &layout));
                names.push(name);
            }
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut found = said(memory, &names, threads);
            let expected = from_cases(spec, &runs);
            // Runs come in the order of their first rows.
            let rank = |told: &String| expected.iter().position(|it| it == told);
            found.sort_by_key(rank);
            prop_assert_eq!(found, expected);
            Ok(())
        })
        .unwrap();
}

/// Tables from which damaged ones are made.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut seeds = Vec::new();
    for spec in [PLAIN, VALUED] {
        let rows = rows(&runs(spec, 3, &mut Random(1)));
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW] {
            for (has_dictionaries, is_version_2) in [(true, false), (false, true), (false, false)] {
                let (rows_in_group, rows_in_page) = (40, 16);
                let layout = Layout {
                    rows_in_group,
                    rows_in_page,
                    has_dictionaries,
                    is_version_2,
                    compression,
                };
                seeds.push((spec, table(&columns(&rows, is_version_2), &layout)));
            }
        }
    }
    seeds
}

/// A file with some of its bytes changed, left out or repeated; often in its description at the end.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = match random.below(3) {
            0 => bytes.len().saturating_sub(1 + random.below(bytes.len().min(400))),
            _ => random.below(bytes.len()),
        };
        if bytes.is_empty() {
            break;
        }
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
            4 => {
                let end = (at + random.below(16)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                let to_end = (to + part.len()).min(bytes.len());
                bytes.splice(to..to_end, part);
            }
            _ => {
                let length = u32::try_from(random.below(1 << 20)).unwrap().to_le_bytes();
                let end = (at + 4).min(bytes.len());
                bytes.splice(at..end, length);
            }
        }
    }
    bytes
}

#[test]
fn damaged_tables_have_a_message_and_cause_no_panic() {
    let count = std::env::var("OTUS_FUZZ_COUNT").ok().and_then(|it| it.parse().ok());
    let seed = std::env::var("OTUS_FUZZ_SEED").ok().and_then(|it| it.parse().ok());
    let (seeds, mut random) = (seeds(), Random(seed.unwrap_or(1)));
    otus::quiet_panics();
    for (spec, bytes) in &seeds {
        promise::holds(spec, bytes);
        for length in [0, 1, 4, 8, 12, bytes.len() / 2, bytes.len() - 1] {
            promise::holds(spec, &bytes[..length]);
        }
    }
    for _ in 0..count.unwrap_or(600) {
        let (spec, bytes) = &seeds[random.below(seeds.len())];
        promise::holds(spec, &damaged(bytes, &mut random));
    }
}
