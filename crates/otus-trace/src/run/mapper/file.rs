//! Opens and reads one file, and accounts for each of its records.

use std::ops::ControlFlow;

use otus_core::index::Index as _;
use otus_syntax::Code;

use super::super::account::FileAccount;
use super::super::vocabulary::{RunFileId, RunPlace};
use super::super::{LogFile, Sink};
use super::Mapper;
use super::matching::Matcher;
use crate::mapping::{Plan, SourcePlan};
use crate::read::{self, Extent, Fault, FaultKind, Format, Item};

pub(super) struct OpenFile<'v> {
    pub(super) plan: &'v Plan,
    pub(super) source: &'v SourcePlan,
    pub(super) source_index: usize,
    pub(super) id: RunFileId,
    pub(super) matcher: Box<Matcher>,
    pub(super) account: FileAccount,
    /// The slots of the keys of the canonical format, if the file has that format.
    pub(super) canonical: Option<[usize; 18]>,
}

impl Mapper {
    pub(super) fn file(
        &mut self,
        plan: &Plan,
        file: LogFile<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let Some(source) = plan.sources.get(file.source) else { return ControlFlow::Continue(()) };
        let id = RunFileId::new(self.accounting.files.len());
        let mut account = FileAccount::new(file.name, file.source, source.format);
        let mut stream = match (file.open)().and_then(read::unpack) {
            Ok((stream, packing)) => {
                account.packing = packing;
                stream
            }
            Err(error) => {
                self.unopened(account, id, &error.to_string());
                return ControlFlow::Continue(());
            }
        };
        let mut open = self.open(plan, account, id);
        let mut flow = ControlFlow::Continue(());
        let extent =
            read::read(source.format, &mut *stream, &source.fields, &source.options, &mut |item| {
                flow = self.item(&mut open, item, sink);
                flow
            });
        let account = self.close(open);
        self.ended(account, id, extent);
        flow
    }

    /// Accounts for a file that cannot be opened.
    pub(in crate::run) fn unopened(&mut self, account: FileAccount, id: RunFileId, error: &str) {
        let message = format!("{} cannot be read: {error}", account.name);
        let place = RunPlace { file: id, line: 1 };
        self.findings.add(Code::UNREADABLE_LOG, place, message, "look at the file itself");
        self.accounting.files.push(account);
    }

    pub(super) fn open<'v>(
        &mut self,
        plan: &'v Plan,
        account: FileAccount,
        id: RunFileId,
    ) -> OpenFile<'v> {
        let source_index = account.source;
        let source = &plan.sources[source_index];
        let matcher = self.matchers[source_index].take();
        OpenFile {
            plan,
            source,
            source_index,
            id,
            account,
            matcher: matcher.unwrap_or_else(|| Box::new(Matcher::new(source))),
            canonical: (source.format == Format::Canonical)
                .then(|| read::canonical::KEYS.map(|key| source.fields.find(key).unwrap_or(0))),
        }
    }

    pub(super) fn close(&mut self, open: OpenFile<'_>) -> FileAccount {
        self.matchers[open.source_index] = Some(open.matcher);
        open.account
    }

    /// Accounts for a file that has been read.
    pub(in crate::run) fn ended(
        &mut self,
        mut account: FileAccount,
        id: RunFileId,
        extent: Extent,
    ) {
        (account.bytes, account.lines) = (extent.bytes, extent.lines);
        let tally = account.tally;
        self.accounting.total.add(tally);
        if tally.matched == 0 && tally.records > tally.blank + tally.unreadable {
            let name = &account.name;
            let message = if tally.ignored == 0 {
                let records = account.format.records();
                format!("no rule takes any of the {} {records} of {name}", tally.records)
            } else {
                format!("all that rules take of {name} is ignored")
            };
            let place = RunPlace { file: id, line: 1 };
            let help = "`otus map --explain` shows what its lines look like";
            self.findings.add(Code::NOTHING_MATCHED, place, message, help);
        }
        self.accounting.files.push(account);
    }

    pub(super) fn item(
        &mut self,
        file: &mut OpenFile<'_>,
        item: Item<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        match item {
            Item::Record(record) => {
                self.now += 1;
                file.account.tally.records += 1;
                file.account.not_utf8 += u64::from(record.repaired);
                return self.record(file, &record, sink);
            }
            Item::Blank => {
                file.account.tally.records += 1;
                file.account.tally.blank += 1;
            }
            Item::Fault(fault) => {
                let longest = file.source.options.longest;
                self.fault(&mut file.account, file.id, longest, &fault);
            }
        }
        ControlFlow::Continue(())
    }

    pub(in crate::run) fn fault(
        &mut self,
        account: &mut FileAccount,
        id: RunFileId,
        longest: usize,
        fault: &Fault,
    ) {
        let place = RunPlace { file: id, line: fault.at.line };
        let name = &account.name;
        let (code, message, help) = match &fault.kind {
            FaultKind::Encoding(_) => {
                (Code::UNREADABLE_LOG, format!("{name}: {}", fault.kind), "save it as UTF-8")
            }
            FaultKind::Stream(_) => {
                let help = "what comes before is used; look whether the file is whole";
                (Code::UNREADABLE_LOG, format!("{name}: {}", fault.kind), help)
            }
            FaultKind::TooLong(_) => {
                let message = format!("a line of {name} is longer than {longest} bytes");
                (Code::UNREADABLE_RECORD, message, "say `longest = …` in its source to read it")
            }
            FaultKind::NotJson(cause, _) => {
                let message = format!("a line of {name} is not JSON: {cause}");
                (Code::UNREADABLE_RECORD, message, "it is left out; the other lines are read")
            }
            FaultKind::NothingUsed(_) => {
                let help = "it has no spans where the format has them; another `format`, or `json` \
                            with rules, may fit";
                account.tally.records += 1;
                account.tally.unreadable += 1;
                (Code::NOTHING_MATCHED, format!("{name}: {}", fault.kind), help)
            }
            FaultKind::NotOfFormat(cause) => {
                (Code::UNREADABLE_RECORD, format!("{name}: {cause}"), "mend the file")
            }
        };
        if code == Code::UNREADABLE_RECORD {
            account.tally.records += 1;
            account.tally.unreadable += 1;
        }
        self.findings.add(code, place, message, help);
    }
}
