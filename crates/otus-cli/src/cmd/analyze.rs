//! `otus analyze`: turns the arguments into a request, and writes the resulting cases as reports.

mod coverage;
mod same_output;
mod tables;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use otus::report::{ReportFormat, Reports, defaults_for};
use otus::{
    Asked, AttachmentKind, Case, Explain, Finished, GraphFormat, GraphOptions, Item, Limits,
    Request, SearchOptions, Status, TextFormat, WitnessPolicy,
};

use crate::args::{AnalyzeArgs, DeclaredArgs, SearchArgs};
use crate::output::{self, Draft, Sink, Stream};
use crate::shell::Shell;
use crate::{picture, watchdog};

pub(crate) fn run(args: &AnalyzeArgs, shell: &Shell) -> anyhow::Result<Status> {
    let start = Instant::now();
    same_output::refuse(args)?;
    coverage::refuse_unwritable(args)?;
    let request = request(args, shell)?;
    if request.graph.is_none() && !coverage::is_drawn(args) {
        picture::note_idle_search(&args.search);
    }
    let analysis = otus::analyze(&shell.context, &request)?;
    let fingerprint = analysis.fingerprint().map(str::to_owned);
    let mut reports = Reports::new(outputs(args, shell, &analysis, fingerprint.as_deref())?);
    reports.begin(&analysis.run())?;
    let mut running = analysis.start_fold(reports.formatter());
    let mut is_unwritten = false;
    for item in running.by_ref() {
        match item? {
            Item::Case(formatted) => {
                if let Some(case) = formatted.case() {
                    is_unwritten |= !write_attachments(args, case);
                }
                reports.write(&formatted)?;
            }
            Item::Unusable(unusable) => reports.unusable(&unusable)?,
            _ => {}
        }
    }
    watchdog::answered();
    let finished = running.finish()?;
    for sink in reports.end(&finished.summary)? {
        match sink {
            Sink::Stream(_) => {}
            Sink::Table(draft) if finished.is_cancelled => {
                let path = draft.path.display();
                output::complain(&format!("{path} is not written, since not all was checked"));
            }
            Sink::File(draft) | Sink::Table(draft) => drop(draft.finish()?),
        }
    }
    let is_recorded = write_baseline(args, &finished)?;
    coverage::write(args, shell, &finished)?;
    tell(args, &finished, start.elapsed());
    let summary = &finished.summary;
    let status = summary.status(args.fail_on, args.strict, is_recorded);
    let status = coverage::status(args, summary, status);
    // The caller relies on the file, so a file that could not be written is an error whatever the
    // verdict is.
    if is_unwritten {
        return Ok(Status::Unusable);
    }
    // If the run was interrupted, the verdicts of the unread cases are unknown.
    let is_unknown = status == Status::Passed && finished.is_cancelled;
    Ok(if is_unknown { Status::Undecided } else { status })
}

fn request(args: &AnalyzeArgs, shell: &Shell) -> anyhow::Result<Request> {
    let mut request = Request::new(args.files.iter().cloned());
    let reports = args.report.iter().map(|report| report.format);
    let results = args.results.iter().map(|_| ReportFormat::Jsonl);
    let formats: Vec<_> = std::iter::once(args.format).chain(reports).chain(results).collect();
    defaults_for(&formats, &mut request);
    request.from = args.from;
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.columns.clone_from(&args.columns);
    declare(&args.declared, &mut request);
    request.question.kind.clone_from(&args.kind);
    request.question.observed = args.observed;
    request.engine = args.engine;
    let search = &args.search;
    request.search = SearchOptions {
        goal: args.goal.clone(),
        local_analysis: args.local_analysis.clone(),
        memoize: args.memoize,
        partial_order_reduction: args.partial_order_reduction,
        legacy_verdicts: args.legacy_verdicts,
        ..search.options()
    };
    request.limits = Limits {
        timeout: shell.limits.timeout,
        max_states: args.max_states,
        max_bytes: Some(shell.limits.tables),
    };
    request.threads = args.jobs;
    request.explain = args.explain.unwrap_or(request.explain);
    request.witness = match (args.no_witness, args.witness || args.order.is_some()) {
        (true, _) => WitnessPolicy::None,
        (false, true) => WitnessPolicy::Always,
        (false, false) => request.witness,
    };
    request.is_brief &= request.witness == WitnessPolicy::None && request.explain == Explain::None;
    let style = picture::style(&search.picture)?;
    request.graph = graph_options(search, style.clone())?;
    request.logger_style = Some(style);
    request.certificate = args.certificate.as_deref().map(|name| {
        let is_json = Path::new(name).extension().is_some_and(|ending| ending == "json");
        if is_json { TextFormat::Json } else { TextFormat::Text }
    });
    request.order = args.order.is_some();
    request.fail_on = args.fail_on;
    request.baseline.clone_from(&args.baseline);
    request.write_baseline.clone_from(&args.write_baseline);
    request.results = args.results.clone().filter(|path| !tables::are_asked(path));
    request.coverage = coverage::is_asked(args);
    Ok(request)
}

/// Adds what is declared about single lifelines, and what is ignored.
pub(super) fn declare(declared: &DeclaredArgs, request: &mut Request) {
    request.question = Asked {
        complete: declared.complete.clone(),
        may_stop_early: declared.may_stop_early.clone(),
        may_start_late: declared.may_start_late.clone(),
        unobserved: declared.unobserved.clone(),
        ..Asked::default()
    };
    request.allow_empty = declared.allow_empty;
    request.ignore_unknown_messages = declared.ignore_unknown_messages;
    request.ignore_order = declared.ignore_order;
    request.ignore_peers = declared.ignore_peers;
}

/// The graph that `--graph` asks for.
pub(super) fn graph_options(
    args: &SearchArgs,
    style: otus::PictureStyle,
) -> anyhow::Result<Option<GraphOptions>> {
    let Some(path) = &args.graph else { return Ok(None) };
    let Some(format) = GraphFormat::of_name(path) else {
        bail!("--graph writes .svg, .png, .dot and .json files, not {path}");
    };
    Ok(Some(GraphOptions::new(format, style, args.graph_nodes)))
}

type Output = (Box<dyn otus::report::Writer>, Sink);

fn outputs(
    args: &AnalyzeArgs,
    shell: &Shell,
    analysis: &otus::Analysis,
    fingerprint: Option<&str>,
) -> anyhow::Result<Vec<Output>> {
    let colored = shell.colored(Stream::Output);
    let standard = Sink::Stream(Box::new(io::stdout()));
    let mut all = vec![(args.format.writer(None, colored), standard)];
    for report in &args.report {
        let file = Sink::File(Draft::create(&report.path)?);
        all.push((report.format.writer(None, false), file));
    }
    if let Some(path) = args.results.as_ref().filter(|path| tables::are_asked(path)) {
        for (file, writer) in tables::writers(path)? {
            all.push((writer, Sink::Table(Draft::create(&file)?)));
        }
    } else if let Some(path) = &args.results {
        let cannot_write = || format!("cannot write {}", path.display());
        let file = File::options().append(true).create(true).open(path);
        let file = file.with_context(cannot_write)?;
        if let Some(length) = analysis.results_length() {
            file.set_len(length).with_context(cannot_write)?;
        }
        all.push((ReportFormat::Jsonl.writer(fingerprint, false), Sink::Stream(Box::new(file))));
    }
    Ok(all)
}

/// Writes the files that belong to a case. Returns whether all could be written; if not, says why.
fn write_attachments(args: &AnalyzeArgs, case: &Case) -> bool {
    let mut is_written = true;
    for attachment in &case.attachments {
        let named = match attachment.kind {
            AttachmentKind::Graph => args.search.graph.clone(),
            AttachmentKind::Certificate => args.certificate.clone(),
            AttachmentKind::Order => args.order.clone(),
        };
        let by_logger = attachment.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let (Some(name), Ok(bytes)) = (named.or(by_logger), &attachment.content) else { continue };
        let mut remark = attachment.remark.as_deref();
        if attachment.kind != AttachmentKind::Order
            && let Some(remark) = remark.take()
        {
            output::complain(remark);
        }
        if let Err(error) = output::deliver(attachment.file_name(&name), bytes, remark) {
            output::complain(&format!("otus: {}: {error:#}", case.id));
            is_written = false;
        }
    }
    is_written
}

/// The maximum number of fixed failures that are named.
const NAMED: usize = 20;

/// Prints the known failures that are fixed, and writes a new baseline if the arguments ask for one. Returns
/// whether the baseline was written.
fn write_baseline(args: &AnalyzeArgs, finished: &Finished) -> anyhow::Result<bool> {
    if let (Some(path), Some(fixed)) = (&args.baseline, &finished.summary.fixed) {
        let name = path.display();
        for id in fixed.iter().take(NAMED) {
            output::complain(&format!("fixed: {id} is accepted now; remove it from {name}"));
        }
        if let Some(more) = fixed.len().checked_sub(NAMED).filter(|&more| more > 0) {
            output::complain(&format!("fixed: and {more} more; --write-baseline removes them"));
        }
        if let Some((unmet, all)) = finished.unmet.filter(|&(unmet, _)| unmet > 0) {
            output::complain(&format!("note: {unmet} of {all} in {name} were not checked"));
        }
    }
    let Some(path) = &args.write_baseline else { return Ok(false) };
    let Some((text, count)) = &finished.baseline else {
        output::complain(&format!("{} was not written: interrupted", path.display()));
        return Ok(false);
    };
    output::write_file(path, text)?;
    let known = otus::units::counted(*count, "known failure");
    output::complain(&format!("wrote {known} to {}", path.display()));
    Ok(true)
}

/// Prints the findings about the logs, and the summary of the run.
fn tell(args: &AnalyzeArgs, finished: &Finished, elapsed: Duration) {
    let summary = &finished.summary;
    for remark in finished.log_remarks() {
        output::complain(remark);
    }
    if args.strict && summary.is_vacuous() {
        output::complain("otus: nothing was checked, and that is a failure by --strict");
    } else if args.strict && !summary.warnings.is_empty() {
        output::complain("otus: the analysis says nothing, and that is a failure by --strict");
    }
    for (name, part) in &summary.by_spec {
        output::complain(&format!("{name}: {}", part.verdicts));
    }
    let millis = elapsed.as_secs_f64() * 1000.0;
    output::complain(&format!("{summary} in {millis:.0} ms{}", summary.remainder()));
}
