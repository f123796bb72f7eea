//! The restart: the log of an earlier process is mapped again, in its order, and groups end where they ended before.
//!
//! A verdict that was told before the last record [`Record::Told`] is not told again. One that was told behind it is told again
//! under the same id, and the file of verdicts has it once.

use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::batch::FileMark;
use crate::error::Result;
use crate::wal::{Record, Recovery};
use crate::watch::{About, Watch};

impl Watch {
    pub(super) fn positions(&self) -> Vec<(FileMark, String, u64, u32)> {
        self.read.values().cloned().collect()
    }

    /// Reads the log of an earlier process.
    pub(super) fn recover(&mut self, recovery: &Recovery) -> Result<()> {
        if let Some(remark) = &recovery.remark {
            self.remark(remark.clone());
        }
        let checkpoint = &recovery.checkpoint;
        for &(number, generation) in &checkpoint.ended {
            self.groups.remember(number, generation);
        }
        self.spans = checkpoint.spans.iter().cloned().collect();
        self.read = checkpoint.positions.iter().map(|it| (it.0.inode, it.clone())).collect();
        if recovery.is_empty() {
            return Ok(());
        }
        // What was found before the last time that everything was told.
        let mut found = Vec::new();
        recovery.read(&mut |_, record| {
            match record {
                Record::Close { key, generation, .. } => {
                    found.push((key.into_owned().into_boxed_slice(), generation, About::End));
                }
                Record::Fail { key, generation } => {
                    found.push((key.into_owned().into_boxed_slice(), generation, About::Fail));
                }
                Record::Answer { key, generation, formula } => {
                    let about = About::Formula(formula);
                    found.push((key.into_owned().into_boxed_slice(), generation, about));
                }
                Record::Told => self.told_before.extend(found.drain(..)),
                Record::Batch(_) => {}
            }
            Ok(())
        })?;
        drop(found);
        self.is_recovering = true;
        let mut batches = 0;
        recovery.read(&mut |segment, record| {
            match record {
                Record::Batch(batch) => {
                    batches += 1;
                    if batch.is_spans {
                        let spans = otus_trace::read::otlp_bytes::check(batch.bytes, usize::MAX);
                        let count = spans.ok().and_then(|spans| u32::try_from(spans).ok());
                        let next = batch.line.saturating_add(count.unwrap_or(0));
                        self.spans.insert(batch.name.to_owned(), next);
                    }
                    self.feed(&batch, segment, self.begun)?;
                }
                Record::Close { key, generation, ended } => {
                    if let Some(slot) = self.groups.slot(&key)
                        && self.groups.get(slot).is_some_and(|it| it.generation == generation)
                    {
                        self.end(slot, ended, self.begun);
                    }
                }
                Record::Answer { key, generation, formula } => {
                    let key = key.into_owned().into_boxed_slice();
                    if let Some(group) =
                        self.groups.slot(&key).and_then(|slot| self.groups.get(slot))
                        && group.generation == generation
                        && self.told_before.contains(&(key, generation, About::Formula(formula)))
                    {
                        group.standing.tell(formula as usize);
                    }
                }
                Record::Fail { .. } | Record::Told => {}
            }
            Ok(())
        })?;
        self.is_recovering = false;
        self.told_before = FxHashSet::default();
        self.groups.refresh(Instant::now(), self.config.closing.grace);
        let open = self.groups.len();
        if batches > 0 {
            self.remark(format!(
                "went on from the write-ahead log: {batches} batches, {open} groups are open"
            ));
        }
        self.tell()
    }
}
