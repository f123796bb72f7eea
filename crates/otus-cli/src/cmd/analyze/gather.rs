//! Analyses for other commands: what is found is kept instead of printed.
//!
//! `otus test` and `otus mutate --score` put their questions as if they were calls of `otus analyze`,
//! so that they mean the same and cannot drift apart.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use crate::args::{AnalyzeArgs, Color, VerdictFormat};
use crate::exit::Exit;
use crate::report::model::{Case, Run, Totals, Unusable, Writer};

/// The format of such a call: one of those that are written from the model of reports.
pub(in crate::cmd) const GATHERED: VerdictFormat = VerdictFormat::Tap;

/// What was found, in the order of the input.
#[derive(Debug, Default)]
pub(in crate::cmd) struct Gathered {
    /// What the specification is called.
    pub(in crate::cmd) spec: String,
    pub(in crate::cmd) cases: Vec<Case>,
    pub(in crate::cmd) unusable: Vec<Unusable>,
    pub(in crate::cmd) totals: Totals,
    pub(in crate::cmd) exit: Option<Exit>,
}

/// What another command wants of a call.
pub(super) struct Gather {
    pub(super) into: Box<dyn Writer>,
    /// A case file that takes the place of the multi-traces and logs of the call.
    pub(super) cases: Option<Vec<u8>>,
}

/// Does a call whose format is [`GATHERED`]. With `cases`, a case file, these are analysed instead of
/// the multi-traces and logs that it names; those still tell which `otus.toml` counts.
pub(in crate::cmd) fn gather(
    args: &AnalyzeArgs,
    color: Color,
    cases: Option<Vec<u8>>,
) -> anyhow::Result<Gathered> {
    let gathered = Rc::new(RefCell::new(Gathered::default()));
    let into = Box::new(Collector(gathered.clone()));
    let exit = super::check(args, color, Some(Gather { into, cases }))?;
    let mut gathered = gathered.take();
    gathered.exit = Some(exit);
    Ok(gathered)
}

/// Keeps what it is told.
struct Collector(Rc<RefCell<Gathered>>);

impl Writer for Collector {
    fn begin(&mut self, run: &Run, _: &mut dyn Write) -> io::Result<()> {
        self.0.borrow_mut().spec = run.name();
        Ok(())
    }

    fn case(&mut self, case: &Case, _: &mut dyn Write) -> io::Result<()> {
        self.0.borrow_mut().cases.push(case.clone());
        Ok(())
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        self.0.borrow_mut().unusable.push(unusable.clone());
        Ok(())
    }

    fn end(&mut self, totals: &Totals, _: &mut dyn Write) -> io::Result<()> {
        self.0.borrow_mut().totals = totals.clone();
        Ok(())
    }
}
