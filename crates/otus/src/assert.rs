//! The assertion macros for tests.

use crate::case::Verdict;
use crate::options::Options;
use crate::run::Recorded;
use crate::spec::Spec;

/// Panics with the explanation unless a run conforms.
#[doc(hidden)]
#[track_caller]
pub fn assert_conforms(spec: &Spec, run: &impl Recorded, options: &Options) {
    let run = run.recorded();
    let case = match spec.check_with(&*run, options) {
        Ok(case) => case,
        Err(error) => panic!("the run cannot be checked against {}\n\n{error}\n", spec.name()),
    };
    let name = spec.name();
    match case.verdict {
        Verdict::Fail => panic!("the run does not conform to {name}\n\n{case}\n"),
        Verdict::Inconclusive | Verdict::WeakFail => {
            panic!("whether the run conforms to {name} is not decided\n\n{case}\n")
        }
        Verdict::Pass | Verdict::WeakPass if case.actions == 0 => panic!(
            "nothing was recorded, so nothing was checked against {name}; \
             if that is meant, use Spec::check"
        ),
        Verdict::Pass | Verdict::WeakPass => {}
    }
}

/// Fails a test, with the explanation, unless the recorded run conforms to a specification.
///
/// It takes a [`Spec`](crate::Spec) and a [`Run`](crate::Run) or a [`Recorder`](crate::Recorder), then the assumptions:
///
/// | argument | meaning |
/// |---|---|
/// | `observed = complete` | nothing is missing (the default) |
/// | `observed = prefix` | each log may stop early |
/// | `observed = slice` | each log may start late and stop early |
/// | `observed = global_prefix` | the run was stopped everywhere at one moment |
/// | `together = ["a", "b"]` | these lifelines share a clock |
/// | `ignore = "metrics*"` | events of such lifelines are ignored |
/// | `max_states = 10_000`, `timeout = duration` | limits, beyond which it fails as undecided |
/// | `options = options` | any [`Options`](crate::Options); before the others |
///
/// It also fails if nothing was recorded, since then nothing was checked.
///
/// ```
/// use otus::{Run, Spec, assert_conforms};
///
/// let spec = Spec::parse(
///     "flow.mmd",
///     "sequenceDiagram\n  client->>server: get\n  server-->>client: page\n",
/// )?;
/// let mut run = Run::new();
/// run.log("client").sent("get");
/// run.log("server").received("get").sent("page");
/// assert_conforms!(spec, run, observed = prefix);
/// # Ok::<(), otus::Error>(())
/// ```
///
/// ```should_panic
/// # use otus::{Run, Spec, assert_conforms};
/// # let spec = Spec::parse("flow.mmd", "sequenceDiagram\n  client->>server: get\n").unwrap();
/// let mut run = Run::new();
/// run.log("server").received("get");
/// assert_conforms!(spec, run); // the client never sent it
/// ```
#[macro_export]
macro_rules! assert_conforms {
    ($spec:expr, $run:expr $(,)?) => {
        $crate::assert_conforms(&$spec, &$run, &$crate::Options::new())
    };
    ($spec:expr, $run:expr, options = $options:expr $(, $($rest:tt)*)?) => {
        $crate::assert_conforms(
            &$spec,
            &$run,
            &$crate::__options!(::std::clone::Clone::clone(&$options), $($($rest)*)?),
        )
    };
    ($spec:expr, $run:expr, $($rest:tt)+) => {
        $crate::assert_conforms(&$spec, &$run, &$crate::__options!($crate::Options::new(), $($rest)+))
    };
}

/// Builds the options from the arguments of `assert_conforms!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __options {
    ($options:expr $(,)?) => { $options };
    ($options:expr, observed = complete $(, $($rest:tt)*)?) => {
        $crate::__options!($options.observed($crate::Observed::Complete), $($($rest)*)?)
    };
    ($options:expr, observed = prefix $(, $($rest:tt)*)?) => {
        $crate::__options!($options.observed($crate::Observed::Prefix), $($($rest)*)?)
    };
    ($options:expr, observed = slice $(, $($rest:tt)*)?) => {
        $crate::__options!($options.observed($crate::Observed::Slice), $($($rest)*)?)
    };
    ($options:expr, observed = global_prefix $(, $($rest:tt)*)?) => {
        $crate::__options!($options.observed($crate::Observed::GlobalPrefix), $($($rest)*)?)
    };
    ($options:expr, $key:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__options!($options.$key($value), $($($rest)*)?)
    };
}

/// Fails a test, with a run that proves it, unless a formula holds over an [`Order`](crate::ctl::Order).
///
/// ```
/// let mut order = otus::ctl::Order::new();
/// order.event("p").set("x", 1);
/// order.event("q").set("y", 1);
/// otus::assert_holds!(order, "EF(x = 1 & y = 0) & AF(x = 1 & y = 1)");
/// ```
#[macro_export]
macro_rules! assert_holds {
    ($order:expr, $formula:expr $(,)?) => {
        $crate::ctl::assert_holds(&$order, ::std::convert::AsRef::<str>::as_ref(&$formula))
    };
}
