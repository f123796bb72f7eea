//! Results of earlier runs. Multi-traces that they decide are not checked again.
//!
//! A file of results has one answer per line, appended when it is known. A killed run may leave a partial line, which
//! the shell cuts off before it appends ([`Earlier::whole_bytes`]). If several multi-traces have the same id, each
//! answer is used for one of them. Each answer has a [`fingerprint`](super::fingerprint) of specification and question;
//! answers to other questions are refused.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use otus_analysis::Verdict;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::fingerprint::is_same_specification;
use crate::context::Context;
use crate::error::{Error, Result, unfit};

#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The verdicts by id, if there are earlier results.
    verdicts: Option<Mutex<FxHashMap<String, Vec<Verdict>>>>,
    /// The length of the whole lines of the file, if it exists.
    pub(super) whole_bytes: Option<u64>,
}

/// The fields of an answer that are needed here.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    verdict: String,
    kind: String,
    engine: String,
    asked: Option<String>,
}

/// The question that the answers of a file must be about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) kind: &'a str,
    pub(super) engine: &'a str,
    pub(super) fingerprint: &'a str,
}

impl Expected<'_> {
    /// The reason why an answer belongs to another question.
    fn mismatch(&self, line: &Line) -> Option<String> {
        let is_same = line.kind == self.kind && line.engine == self.engine;
        Some(match &line.asked {
            None => "does not say what it answers".to_owned(),
            Some(asked) if asked == self.fingerprint && is_same => return None,
            Some(asked) if !is_same_specification(asked, self.fingerprint) => {
                "answers for another specification, or for this one before it changed".to_owned()
            }
            Some(_) if line.kind != self.kind => {
                format!("answers `{}`, and now `{}` is asked", line.kind, self.kind)
            }
            Some(_) if line.engine != self.engine => {
                let (before, now) = (&line.engine, self.engine);
                format!("is of the {before} engine, and now the {now} engine is asked")
            }
            Some(_) => {
                "was asked with other options, or with other declarations for lifelines".to_owned()
            }
        })
    }
}

impl Earlier {
    /// The verdict on a multi-trace, if there is one. Each answer is used once.
    pub(super) fn take(&self, id: &str) -> Option<Verdict> {
        let verdicts = self.verdicts.as_ref()?;
        verdicts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id)?.pop()
    }

    /// Reads the file, if it exists.
    pub(super) fn read(context: &Context, path: &Path, expected: Expected<'_>) -> Result<Earlier> {
        let files = &*context.files;
        if files.kind(path).is_none() {
            return Ok(Earlier::default());
        }
        let name = path.display();
        let fault = |source| Error::read(path, source);
        let mut reader = BufReader::new(files.open(path).map_err(fault)?);
        let (mut bytes, mut whole, mut number) = (Vec::new(), 0, 0);
        let mut verdicts: FxHashMap<String, Vec<Verdict>> = FxHashMap::default();
        loop {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes).map_err(fault)?;
            if length == 0 {
                break;
            }
            number += 1;
            let is_whole = bytes.last() == Some(&b'\n');
            // A file in another format must not be truncated, so it is refused.
            if !is_whole && bytes.starts_with(b"{") {
                break;
            }
            let line = serde_json::from_slice::<Line>(&bytes);
            let Some(line) = line.ok().filter(|_| is_whole) else {
                unfit!("{name}:{number} is no answer of Otus; --results takes a file of them");
            };
            whole += length as u64;
            if let Some(why) = expected.mismatch(&line) {
                unfit!(
                    "{name}:{number} {why}; take another file for --results, or delete this one \
                     to ask everything again"
                );
            }
            let all = [Verdict::Pass, Verdict::WeakPass, Verdict::Fail];
            if let Some(verdict) = all.into_iter().find(|it| it.name() == line.verdict) {
                verdicts.entry(line.id).or_default().push(verdict);
            }
        }
        let verdicts = (!verdicts.is_empty()).then(|| Mutex::new(verdicts));
        Ok(Earlier { verdicts, whole_bytes: Some(whole) })
    }
}
