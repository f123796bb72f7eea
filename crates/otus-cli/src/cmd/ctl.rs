//! `otus ctl`: arguments to a request, answers to text or JSON.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;
use otus::ctl::{self, Answer, Arrangement, Closure, CutQuery, Engine, Request};
use otus::{FailOn, Limits};

use crate::args::{CtlArgs, CtlClosure, CtlEngine, CtlFailOn, ProcessOrder, ResultFormat};
use crate::exit::Exit;
use crate::picture::{self, Look, PictureFormat};
use crate::shell::Shell;
use crate::{interrupt, output};

pub(crate) fn run(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let start = Instant::now();
    if args.patterns {
        output::print(&ctl::patterns())?;
        return Ok(Exit::Success);
    }
    let mut drawing = Drawing::new(args)?;
    let check = ctl::open(&shell.context, &request(args))?;
    // Until standard input has been read, which may take long, Ctrl-C ends the process.
    interrupt::watch()?;
    let mut answers = check.run(&shell.context);
    let mut of_document = Vec::new();
    let mut separator = "";
    for answer in answers.by_ref() {
        let answer = answer?;
        drawing.draw(&answer)?;
        match args.format {
            ResultFormat::Text => output::print(&format!("{separator}{}", answer.text()))?,
            ResultFormat::Jsonl => output::print(&format!("{}\n", answer.json()))?,
            ResultFormat::Json => of_document.push(answer),
        }
        separator = "\n";
    }
    if let Some(name) = drawing.name {
        output::complain(&format!("{name} was not written: no answer is shown by a run"));
    }
    let summary = answers.summary();
    if args.format == ResultFormat::Json {
        output::print(&ctl::document(&of_document, summary))?;
    }
    output::complain(&summary.text(start.elapsed()));
    Ok(summary.status(args.fail_on.map(FailOn::from)).into())
}

/// The request that the arguments describe.
fn request(args: &CtlArgs) -> Request {
    let mut request = Request::new(args.names.iter().cloned());
    request.files.clone_from(&args.file);
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.order_writes = args.order_writes;
    request.engine = match args.engine {
        CtlEngine::Auto => Engine::Auto,
        CtlEngine::Interval => Engine::Interval,
        CtlEngine::Explicit => Engine::Explicit,
        CtlEngine::Ist => Engine::Ist,
    };
    request.closure = args.closure.map(|closure| match closure {
        CtlClosure::Downward => Closure::Downward,
        CtlClosure::Fixpoint => Closure::Fixpoint,
    });
    request.slice = !args.no_slice;
    request.process_order = match args.process_order {
        ProcessOrder::Given => Arrangement::Given,
        ProcessOrder::Greedy => Arrangement::Greedy,
    };
    request.cuts = match (args.all, args.count) {
        (true, _) => CutQuery::List { limit: args.limit },
        (false, true) => CutQuery::Count,
        (false, false) => CutQuery::None,
    };
    request.witness = !args.no_witness;
    request.limits = Limits {
        timeout: args.timeout.map(Duration::from_secs_f64),
        max_states: args.max_nodes,
        max_bytes: Some(args.memory.saturating_mul(1 << 20)),
    };
    request
}

impl From<CtlFailOn> for FailOn {
    fn from(fail_on: CtlFailOn) -> FailOn {
        match fail_on {
            CtlFailOn::Undecided => FailOn::Undecided,
            CtlFailOn::Never => FailOn::Never,
        }
    }
}

/// The picture of the first answer that a run proves.
struct Drawing<'a> {
    /// The file, until it is written.
    name: Option<&'a str>,
    format: PictureFormat,
    look: Look,
}

impl<'a> Drawing<'a> {
    fn new(args: &'a CtlArgs) -> anyhow::Result<Self> {
        let name = args.draw.as_deref();
        let Some(format) = PictureFormat::of_name(name.unwrap_or("-")) else {
            bail!("--draw writes .svg and .png files, not {}", name.unwrap_or_default());
        };
        if name.is_none() {
            Look::note_idle(&args.picture, "add --draw FILE");
        }
        Ok(Drawing { name, format, look: Look::new(&args.picture)? })
    }

    fn draw(&mut self, answer: &Answer) -> anyhow::Result<()> {
        if let Some(name) = self.name
            && let Some(picture) = answer.draw(self.format, &self.look.style())?
        {
            picture::deliver(&picture, name)?;
            self.name = None;
        }
        Ok(())
    }
}
