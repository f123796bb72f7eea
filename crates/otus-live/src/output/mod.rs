//! Where verdicts go: standard output, the file of verdicts, alerts, and the page of what failed.

pub(crate) mod alert;
mod file;
mod page;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use otus::Verdict;
use otus::report::Run;

use crate::config::{Config, Format};
use crate::counters::{Counters, add};
use crate::error::{Error, Result};
use crate::verdict::{Ended, Told};
use alert::Alerts;
use file::File;
use page::Page;

/// All outputs of a watch.
pub(crate) struct Outputs {
    out: Box<dyn Write + Send>,
    format: Format,
    colored: bool,
    all: bool,
    file: Option<File>,
    alerts: Option<Alerts>,
    page: Option<Page>,
    counters: Arc<Counters>,
}

impl Outputs {
    pub(crate) fn new(
        config: &Config,
        out: Box<dyn Write + Send>,
        counters: &Arc<Counters>,
    ) -> Result<Outputs> {
        let alerts = config.alerts.as_deref().map(|url| Alerts::start(url, counters.clone()));
        Ok(Outputs {
            out,
            format: config.format,
            colored: config.colored,
            all: config.all,
            file: config
                .verdicts
                .as_deref()
                .map(|path| File::open(path, config.log.is_some()))
                .transpose()?,
            alerts: alerts.transpose()?,
            page: config.report.clone().map(Page::new),
            counters: counters.clone(),
        })
    }

    /// Tells verdicts everywhere. The file of verdicts has each id once.
    pub(crate) fn tell_all(&mut self, all: &[Told]) -> Result<()> {
        for told in all {
            self.tell(told)?;
        }
        self.file.as_mut().map_or(Ok(()), File::flush)
    }

    /// From now on, no verdict of an earlier process is found again.
    pub(crate) fn recovered(&mut self) {
        if let Some(file) = &mut self.file {
            file.recovered();
        }
    }

    fn tell(&mut self, told: &Told) -> Result<()> {
        if let Some(file) = &mut self.file
            && !file.add(told)
        {
            return Ok(());
        }
        let counters = &self.counters;
        add(
            match told.case.verdict {
                Verdict::Pass => &counters.pass,
                Verdict::WeakPass => &counters.weak,
                Verdict::Fail => &counters.fail,
                Verdict::WeakFail | Verdict::Inconclusive => &counters.undecided,
            },
            1,
        );
        add(&counters.early, u64::from(told.ended == Ended::Open));
        let text = match self.format {
            Format::Jsonl => told.json() + "\n",
            Format::Text if self.all || told.case.verdict < Verdict::WeakPass => {
                told.text(self.colored)
            }
            Format::Text => String::new(),
        };
        if !text.is_empty() {
            self.print(&text)?;
        }
        if told.case.verdict == Verdict::Fail {
            if let Some(alerts) = &mut self.alerts {
                alerts.send(told);
            }
            if let Some(page) = &mut self.page {
                page.add(told);
            }
        }
        Ok(())
    }

    fn print(&mut self, text: &str) -> Result<()> {
        let failed =
            |error: io::Error| Error::Io { what: "cannot write the verdicts".to_owned(), error };
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).map_err(failed)
    }

    /// Forces the file of verdicts to disk.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.file.as_mut().map_or(Ok(()), File::sync)
    }

    /// Writes what is written at the end, and waits for the alerts on their way.
    pub(crate) fn finish(mut self, run: &Run) -> Result<()> {
        self.sync()?;
        if let Some(page) = self.page.take() {
            let count = |counter: &std::sync::atomic::AtomicU64| {
                usize::try_from(counter.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
            };
            let counters = &self.counters;
            let all = [&counters.pass, &counters.weak, &counters.fail, &counters.undecided];
            page.write(run, all.map(count))?;
        }
        if let Some(alerts) = self.alerts.take() {
            alerts.finish();
        }
        Ok(())
    }
}
