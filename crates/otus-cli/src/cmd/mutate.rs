//! `otus mutate`: makes mutants (multi-traces with one change), and writes them or checks them
//! against a specification.

use std::path::PathBuf;

use otus::derive::{MutateRequest, ScoreRequest, mutate, score};
use otus::units::counted;
use otus::{EngineChoice, Request, Status, TextFormat};

use crate::args::MutateArgs;
use crate::output;
use crate::shell::Shell;
use crate::trace_files::{self, Sink};

/// The default number of mutants of each multi-trace and kind for a score.
const SCORED: u64 = 10;

pub(crate) fn run(args: &MutateArgs, shell: &Shell) -> anyhow::Result<Status> {
    if args.score.score {
        return run_score(args, shell);
    }
    let request = MutateRequest {
        from: args.derive.from(),
        kinds: args.kind.clone(),
        count: args.count.unwrap_or(1),
    };
    let place = trace_files::place(args.derive.write.output.as_deref());
    let mut sink = Sink::new(place, args.derive.write.force, args.derive.unique)?;
    let originals = mutate(&shell.context, &request, &mut |made| sink.take(&made))?;
    sink.finish("mutant", originals)
}

fn run_score(args: &MutateArgs, shell: &Shell) -> anyhow::Result<Status> {
    let mut request = Request::new(args.derive.spec.iter().chain(&args.derive.files).cloned());
    request.engine = EngineChoice::Fast;
    request.question.observed = args.score.observed;
    request.config = args.score.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.score.group);
    request.threads = args.score.jobs;
    let (kinds, seed) = (args.kind.clone(), args.derive.seed);
    let asked = ScoreRequest { request, kinds, count: args.count.unwrap_or(SCORED), seed };
    let output = args.derive.write.output.as_deref();
    let sink = output.map(|name| {
        Sink::new(trace_files::place(Some(name)), args.derive.write.force, args.derive.unique)
    });
    let mut sink = sink.transpose()?;
    let score = score(&shell.context, &asked, &mut |survivor| {
        sink.as_mut().map_or(Ok(()), |sink| sink.take(&survivor))
    })?;
    if score.accepted == 0 {
        output::complain(&format!(
            "none of {} is accepted by {}, so there is nothing to start from",
            counted(score.given, "multi-trace"),
            score.spec
        ));
        return Ok(Status::Failed);
    }
    let is_json = args.score.format == TextFormat::Json;
    output::print(&if is_json { format!("{:#}\n", score.json()) } else { score.text() })?;
    if let Some(sink) = sink {
        sink.finish("survivor", score.accepted)?;
    }
    let (Some(percent), Some(headline)) = (score.percent(), score.headline()) else {
        output::complain("no mutant says anything about the specification");
        return Ok(if score.is_interrupted { Status::Undecided } else { Status::Failed });
    };
    output::complain(&headline);
    Ok(match args.score.min_score {
        _ if score.is_interrupted => Status::Undecided,
        Some(least) if percent < least => {
            output::complain(&format!("that is less than {least}% (--min-score)"));
            Status::Failed
        }
        Some(_) | None => Status::Passed,
    })
}
