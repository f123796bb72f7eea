//! The parts that all commands share: colours, the context of the core, and standard error.

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use otus::{Context, Monitor, Notice, Progress};

use crate::args::{Args, Color};
use crate::output;
use crate::output::Stream;
use crate::watchdog::{self, Limits};

#[derive(Debug, Clone)]
pub(crate) struct Shell {
    pub(crate) color: Color,
    pub(crate) context: Context,
    pub(crate) limits: Limits,
}

impl Shell {
    pub(crate) fn new(args: &Args) -> Shell {
        let color = args.color;
        let monitor = Arc::new(Terminal::new(color));
        let limits = Limits::new(&args.limits);
        let context =
            Context { files: watchdog::files(&limits), cancel: watchdog::token(), monitor };
        Shell { color, context, limits }
    }

    /// The context without a progress line and without remarks, for a command that makes many small
    /// analyses.
    pub(crate) fn quiet(&self) -> Context {
        Context { monitor: Arc::new(Quiet(self.color)), ..self.context.clone() }
    }

    pub(crate) fn colored(&self, stream: Stream) -> bool {
        output::colored(self.color, stream)
    }
}

/// Prints diagnostics and drops everything else.
#[derive(Debug)]
struct Quiet(Color);

impl Monitor for Quiet {
    fn notice(&self, notice: &Notice) {
        if let Notice::Diagnostics(found) = notice {
            output::complain(&found.render(output::colored(self.0, Stream::Error)));
        }
    }
}

/// Prints notices to standard error, and a progress line if the results do not go to the same
/// terminal.
#[derive(Debug)]
struct Terminal {
    color: Color,
    begun: Instant,
    /// Whether diagnostics were printed before, so that a blank line separates the next ones.
    has_diagnostics: Mutex<bool>,
    line: Option<ProgressBar>,
    /// The progress line of a step that reports nothing until it ends.
    step: Mutex<Option<ProgressBar>>,
}

/// The time after which progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two drawings of the line of a step.
const INTERVAL: Duration = Duration::from_millis(200);

impl Terminal {
    fn new(color: Color) -> Terminal {
        let is_shown = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        let line = is_shown.then(|| progress_line("{msg}", |_, _| {}));
        let (has_diagnostics, step) = (Mutex::new(false), Mutex::new(None));
        Terminal { color, begun: Instant::now(), has_diagnostics, line, step }
    }

    fn print(&self, text: &str) {
        match locked(&self.step).as_ref().or(self.line.as_ref()) {
            Some(line) => line.suspend(|| output::complain(text)),
            None => output::complain(text),
        }
    }
}

/// A line on standard error. `write` is called for `{step}` in the template whenever the line is drawn.
fn progress_line(
    template: &str,
    write: impl Fn(&ProgressState, &mut dyn fmt::Write) + Clone + Send + Sync + 'static,
) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| {
        ProgressStyle::default_spinner() // Templates are constants, so they have no mistake.
    });
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.with_style(style.with_key("step", write))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor for Terminal {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::Diagnostics(found) => {
                let text = found.render(output::colored(self.color, Stream::Error));
                let mut before = locked(&self.has_diagnostics);
                let distance = if std::mem::replace(&mut *before, true) { "\n" } else { "" };
                self.print(&format!("{distance}{text}"));
            }
            Notice::Remark(text) => self.print(text),
            _ => {}
        }
    }

    fn progress(&self, progress: &Progress) {
        if let Some(line) = self.line.as_ref().filter(|_| self.begun.elapsed() >= PATIENCE) {
            line.set_message(progress.text(self.begun.elapsed()));
        }
    }

    fn step(&self, step: Option<&str>) {
        let mut shown = locked(&self.step);
        if let Some(line) = shown.take() {
            line.finish_and_clear();
        }
        // The result of a step is printed after the step ends, so its progress line may share a
        // terminal with the results.
        *shown = step.filter(|_| std::io::stderr().is_terminal()).map(|text| {
            let (text, begun) = (text.to_owned(), Instant::now());
            let line = progress_line("{step}", move |_, out| {
                if begun.elapsed() >= PATIENCE {
                    let _ = write!(out, "{text}, {} s", begun.elapsed().as_secs());
                }
            });
            line.enable_steady_tick(INTERVAL);
            line
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
