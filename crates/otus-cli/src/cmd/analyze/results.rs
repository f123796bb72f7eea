//! Results of an earlier run that was ended: what is decided is not asked again.
//!
//! The file of `--results` has an answer a line, appended as answers come. A run that is killed may
//! leave half a line, which is cut off by the next one. Ids that several multi-traces have are counted.
//! Each answer says what it answers ([`Fingerprint`]): what was asked about another specification, otherwise,
//! or of another engine is refused.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use otus_analysis::Verdict;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::fingerprint::Fingerprint;

/// What was decided before.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    verdicts: Mutex<FxHashMap<String, Vec<Verdict>>>,
    /// Whether there is something at all.
    is_some: bool,
}

/// The part of an answer that matters.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    verdict: String,
    kind: String,
    engine: String,
    asked: Option<String>,
}

/// What is asked now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) kind: &'a str,
    pub(super) engine: &'a str,
    pub(super) fingerprint: &'a Fingerprint,
}

impl Asked<'_> {
    /// Why an answer is none to what is asked.
    fn mismatch(&self, line: &Line) -> Option<String> {
        let Some(asked) = &line.asked else {
            return Some("does not say what it answers".to_owned());
        };
        // Whoever asks the same thing twice compares the same text.
        if *asked == self.fingerprint.text() && line.kind == self.kind && line.engine == self.engine
        {
            return None;
        }
        let asked = Fingerprint::parse(asked);
        if !asked.is_some_and(|asked| asked.is_same_specification(self.fingerprint)) {
            return Some(
                "answers for another specification, or for this one before it changed".to_owned(),
            );
        }
        if line.kind != self.kind {
            return Some(format!("answers `{}`, and now `{}` is asked", line.kind, self.kind));
        }
        if line.engine != self.engine {
            let (before, now) = (&line.engine, self.engine);
            return Some(format!("is of the {before} engine, and now the {now} engine is asked"));
        }
        Some("was asked with other options, or with other declarations for lifelines".to_owned())
    }
}

impl Earlier {
    /// The verdict on a multi-trace, if there is one; it is given once.
    pub(super) fn take(&self, id: &str) -> Option<Verdict> {
        if !self.is_some {
            return None;
        }
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id)?.pop()
    }

    /// Reads the file, if it is there, and cuts off half a line at its end.
    pub(super) fn read(path: &Path, asked: Asked<'_>) -> anyhow::Result<Earlier> {
        let mut earlier = Earlier::default();
        if !path.exists() {
            return Ok(earlier);
        }
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let mut reader = BufReader::new(file);
        let (mut bytes, mut whole, mut number) = (Vec::new(), 0, 0);
        let verdicts = earlier.verdicts.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes)?;
            if length == 0 {
                break;
            }
            number += 1;
            if bytes.last() != Some(&b'\n') {
                // Whatever this is, a file of something else is not to be changed.
                if !bytes.starts_with(b"{") {
                    bail!("{name}:{number} is no answer of Otus; --results takes a file of them");
                }
                let file = File::options().write(true).open(path)?;
                file.set_len(whole).with_context(|| format!("cannot write {name}"))?;
                break;
            }
            whole += length as u64;
            let Ok(line) = serde_json::from_slice::<Line>(&bytes) else {
                bail!("{name}:{number} is no answer of Otus; --results takes a file of them");
            };
            if let Some(why) = asked.mismatch(&line) {
                bail!(
                    "{name}:{number} {why}; take another file for --results, or delete this one \
                     to ask everything again"
                );
            }
            let all = [Verdict::Pass, Verdict::WeakPass, Verdict::Fail];
            if let Some(verdict) = all.into_iter().find(|it| it.name() == line.verdict) {
                verdicts.entry(line.id).or_default().push(verdict);
                earlier.is_some = true;
            }
        }
        Ok(earlier)
    }
}
