//! The parts of each log that may be missing, as the request and `otus.toml` declare them.
//!
//! Declarations are about lifelines, questions about components. A declaration for a lifeline applies to its log, and
//! all declarations for one log must agree. To ignore a log that several lifelines share, all of them must be declared
//! unobserved.

use otus_analysis::{Observed, Question};
use otus_core::index::Index as _;
use otus_core::{LifelineId, Signature};
use otus_syntax::suggest::did_you_mean;
use otus_trace::mapping::{Glob, Observation};
use otus_trace::{ComponentId, Partition};

use super::request::Asked;
use crate::error::{Result, unfit};

/// The declarations, from which the question for any partition follows.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    /// The observation of lifelines without a declaration.
    pub(crate) base: Question,
    /// Whether the request or an option chose `base`.
    pub(crate) is_chosen: bool,
    /// The declaration of each lifeline; empty if there are no declarations.
    pub(crate) lifelines: Vec<Option<Observed>>,
}

impl Declared {
    /// The declarations of a request over a question; `chosen` if the request or an option chose that question.
    pub(super) fn new(
        asked: &Asked,
        base: Question,
        chosen: bool,
        signature: &Signature,
    ) -> Result<Declared> {
        let lists = [
            ("--complete", &asked.complete, Observed::Complete),
            ("--may-stop-early", &asked.may_stop_early, Observed::StopsEarly),
            ("--may-start-late", &asked.may_start_late, Observed::StartsLate),
            ("--unobserved", &asked.unobserved, Observed::Unobserved),
        ];
        if lists.iter().all(|(_, list, _)| list.is_empty()) {
            return Ok(Declared { base, is_chosen: chosen, lifelines: Vec::new() });
        }
        let base = match base {
            Question::GlobalPrefix if chosen => unfit!(
                "a global prefix ends on all lifelines at once, so nothing can be declared for \
                 single ones; use --observed complete, prefix or slice with declarations"
            ),
            // If some lifelines have a declaration, the logs of all others count as complete.
            Question::GlobalPrefix => Question::ACCEPT,
            Question::Uniform(_) | Question::Each(_) => base,
        };
        let mut said: Vec<Option<Said>> = vec![None; signature.lifeline_count()];
        for (flag, list, observed) in lists {
            for pattern in list {
                say(&mut said, (flag, pattern, observed), signature)?;
            }
        }
        let lifelines = said.into_iter().map(|said| said.map(|said| said.observed)).collect();
        Ok(Declared { base, is_chosen: chosen, lifelines })
    }

    /// Adds the declarations of an `otus.toml`, which apply to lifelines that the request does not declare.
    pub(super) fn add(&mut self, observation: &Observation, signature: &Signature) {
        if observation.is_empty() {
            return;
        }
        if self.lifelines.is_empty() {
            self.lifelines = vec![None; signature.lifeline_count()];
            if self.base == Question::GlobalPrefix {
                self.base = Question::ACCEPT;
            }
        }
        let names = signature.lifelines().filter(|(_, name)| observation.declares(name));
        for (lifeline, name) in names {
            let said = observation.of(name);
            let observed = match (said.unobserved, said.may_start_late, said.may_stop_early) {
                (true, ..) => Observed::Unobserved,
                (false, true, true) => Observed::Slice,
                (false, true, false) => Observed::StartsLate,
                (false, false, true) => Observed::StopsEarly,
                (false, false, false) => Observed::Complete,
            };
            self.lifelines[lifeline.0 as usize].get_or_insert(observed);
        }
    }

    /// Whether there are declarations for single lifelines.
    pub(super) fn is_single(&self) -> bool {
        !self.lifelines.is_empty()
    }

    /// Whether the user said which parts of a lifeline's log may be missing: by a declaration for this lifeline, or by
    /// an option for all lifelines, such as `--observed` (`is_chosen`).
    pub(super) fn is_declared(&self, lifeline: LifelineId) -> bool {
        self.is_chosen || self.lifelines.get(lifeline.index()).is_some_and(Option::is_some)
    }

    /// The observation of a log if another log gets a declaration. A global prefix then becomes complete,
    /// because it is a statement about all logs together.
    pub(super) fn beside_others(&self, component: ComponentId, partition: &Partition) -> Observed {
        let lifelines = partition.lifelines(component).iter();
        let mut own = lifelines.filter_map(|it| self.lifelines.get(it.index()).copied().flatten());
        own.next().unwrap_or(match &self.base {
            Question::GlobalPrefix => Observed::Complete,
            Question::Uniform(_) | Question::Each(_) => self.base.of(component),
        })
    }

    /// The question for a partition, or the reason why there is none.
    pub(super) fn question(
        &self,
        partition: &Partition,
        signature: &Signature,
    ) -> Result<Question, String> {
        if self.lifelines.is_empty() {
            return Ok(self.base.clone());
        }
        let each = partition.components().map(|component| self.of(component, partition, signature));
        each.collect::<Result<_, _>>().map(Question::Each)
    }

    fn of(
        &self,
        component: ComponentId,
        partition: &Partition,
        signature: &Signature,
    ) -> Result<Observed, String> {
        let lifelines = partition.lifelines(component);
        let of = |lifeline: LifelineId| self.lifelines[lifeline.0 as usize];
        let name = |lifeline| signature.lifeline_name(lifeline);
        let mut declared = lifelines.iter().filter_map(|&l| Some((l, of(l)?)));
        let Some((first, observed)) = declared.next() else { return Ok(self.base.of(component)) };
        if let Some((other, differently)) = declared.find(|(_, other)| *other != observed) {
            return Err(format!(
                "`{}` and `{}` share a log, but one is declared to be {} and the other {}",
                name(first),
                name(other),
                adjective(observed),
                adjective(differently),
            ));
        }
        let silent = lifelines.iter().find(|&&lifeline| of(lifeline).is_none());
        match silent {
            Some(&silent) if observed == Observed::Unobserved => Err(format!(
                "`{}` is declared to be unobserved but shares a log with `{}`; declare both",
                name(first),
                name(silent),
            )),
            _ => Ok(observed),
        }
    }
}

/// The declaration of a lifeline, and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Said {
    observed: Observed,
    by_name: bool,
    flag: &'static str,
}

/// Adds a declaration for every lifeline that its pattern names.
fn say(
    said: &mut [Option<Said>],
    (flag, pattern, observed): (&'static str, &str, Observed),
    signature: &Signature,
) -> Result<()> {
    let by_name = signature.lifeline_called(pattern).is_some();
    for (lifeline, name) in lifelines_like(flag, pattern, signature)? {
        let slot = &mut said[lifeline.0 as usize];
        let Some(before) = *slot else {
            *slot = Some(Said { observed, by_name, flag });
            continue;
        };
        let together = match (before.observed, observed) {
            (one, other) if one == other => Some(one),
            (
                Observed::StopsEarly | Observed::StartsLate | Observed::Slice,
                Observed::StopsEarly | Observed::StartsLate,
            ) => Some(Observed::Slice),
            _ => None,
        };
        *slot = match together {
            // An exact name takes precedence over a pattern, in whichever order they come.
            _ if before.by_name && !by_name => continue,
            _ if by_name && !before.by_name => Some(Said { observed, by_name, flag }),
            Some(observed) => Some(Said { observed, ..before }),
            None => unfit!("`{name}` is given to both {} and {flag}", before.flag),
        };
    }
    Ok(())
}

/// The lifelines that a name or a pattern of a flag stands for. An exact name stands for itself alone.
pub(crate) fn lifelines_like<'s>(
    flag: &str,
    pattern: &str,
    signature: &'s Signature,
) -> Result<Vec<(LifelineId, &'s str)>> {
    let glob = Glob::name(pattern);
    let called = signature.lifeline_called(pattern);
    let is_meant = |&(id, name): &(LifelineId, &str)| match called {
        Some(called) => id == called,
        None => glob.matches(name),
    };
    let meant: Vec<_> = signature.lifelines().filter(is_meant).collect();
    if meant.is_empty() {
        if pattern.contains('*') {
            unfit!("{flag} {pattern}: no lifeline is called like that");
        }
        let known = signature.lifelines().map(|(_, name)| name);
        let help = did_you_mean(pattern, known).map(|help| format!("; {help}")).unwrap_or_default();
        unfit!("{flag} {pattern}: there is no such lifeline{help}");
    }
    Ok(meant)
}

fn adjective(observed: Observed) -> String {
    let one = match observed {
        Observed::Complete | Observed::Unobserved => "",
        Observed::StopsEarly | Observed::StartsLate | Observed::Slice => "one that ",
    };
    format!("{one}{}", observed.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature() -> Signature {
        let mut signature = Signature::default();
        for name in ["broker", "pub", "sub1", "sub2"] {
            signature.add_lifeline(name);
        }
        signature
    }

    /// The question for a partition given by numbers, or the error.
    fn ask(flags: &[(&str, &str)], base: Question, parts: &[&[u32]]) -> Result<Question, String> {
        let mut args = Asked::default();
        for &(flag, names) in flags {
            let list = match flag {
                "complete" => &mut args.complete,
                "stop" => &mut args.may_stop_early,
                "start" => &mut args.may_start_late,
                _ => &mut args.unobserved,
            };
            list.extend(names.split(',').map(str::to_owned));
        }
        let signature = signature();
        let declared =
            Declared::new(&args, base, false, &signature).map_err(|error| error.to_string())?;
        let parts = parts.iter().map(|part| part.iter().map(|&l| LifelineId(l)).collect());
        declared.question(&Partition::new(parts.collect(), 4), &signature)
    }

    #[track_caller]
    fn check(flags: &[(&str, &str)], base: Question, parts: &[&[u32]], expected: &[Observed]) {
        let expected = Question::Each(expected.into());
        assert_eq!(ask(flags, base, parts), Ok(expected));
    }

    #[test]
    fn declarations_are_over_the_question() {
        use Observed::{Complete, Slice, StartsLate, StopsEarly, Unobserved};
        assert_eq!(ask(&[], Question::GlobalPrefix, &[]), Ok(Question::GlobalPrefix));
        check(
            &[("stop", "sub*"), ("unobserved", "pub")],
            Question::GlobalPrefix,
            &[],
            &[Complete, Unobserved, StopsEarly, StopsEarly],
        );
        check(
            &[("complete", "broker"), ("start", "sub1")],
            Question::SLICE,
            &[],
            &[Complete, Slice, StartsLate, Slice],
        );
        check(
            &[("stop", "*"), ("start", "sub1"), ("complete", "pub")],
            Question::ACCEPT,
            &[],
            &[StopsEarly, Complete, StartsLate, StopsEarly],
        );
    }

    #[test]
    fn both_flags_are_both() {
        use Observed::{Complete, Slice, StartsLate};
        check(
            &[("stop", "sub1"), ("start", "sub1,sub2")],
            Question::ACCEPT,
            &[],
            &[Complete, Complete, Slice, StartsLate],
        );
    }

    #[test]
    fn lifelines_of_one_log_agree() {
        use Observed::{Complete, StopsEarly};
        check(&[("stop", "pub")], Question::ACCEPT, &[&[0, 1]], &[StopsEarly, Complete, Complete]);
        let parts: &[&[u32]] = &[&[0, 1]];
        let complaint = ask(&[("stop", "pub"), ("complete", "broker")], Question::ACCEPT, parts);
        assert_eq!(
            complaint.unwrap_err(),
            "`broker` and `pub` share a log, but one is declared to be complete and the other one \
             that may stop early"
        );
        let complaint = ask(&[("unobserved", "pub")], Question::ACCEPT, parts);
        assert_eq!(
            complaint.unwrap_err(),
            "`pub` is declared to be unobserved but shares a log with `broker`; declare both"
        );
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        let complain = |flags| ask(flags, Question::ACCEPT, &[]).unwrap_err();
        assert_eq!(
            complain(&[("stop", "brokr")]),
            "--may-stop-early brokr: there is no such lifeline; did you mean `broker`?"
        );
        assert_eq!(
            complain(&[("complete", "x*")]),
            "--complete x*: no lifeline is called like that"
        );
        assert_eq!(
            complain(&[("stop", "sub1"), ("unobserved", "sub1")]),
            "`sub1` is given to both --may-stop-early and --unobserved"
        );
    }
}
