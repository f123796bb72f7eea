//! Several specifications: chooses the one that a multi-trace belongs to.
//!
//! The candidates for an id are the specifications whose `groups` in `otus.toml` match it or, if there are none, those
//! without `groups`. The first candidate that accepts the multi-trace is chosen; if none accepts it, the one that
//! explains most of it. A specification that has no action of the multi-trace is not chosen, even if it would accept
//! it.
//!
//! A thread has two workers for each specification: one tries it without explanations, the other computes the case
//! for the chosen specification as if it were the only one.

use std::sync::Arc;

use otus_trace::mapping::Glob;

use super::inputs::{Job, read_case};
use super::pipeline::Slot;
use super::worker::{Piece, Worker};

#[derive(Debug)]
pub(super) struct Choice {
    pub(super) specs: Vec<Candidate>,
}

#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) name: Arc<str>,
    /// The patterns of ids that belong to the specification; empty if `otus.toml` gives none.
    pub(super) groups: Vec<Glob>,
}

impl Choice {
    pub(super) fn candidates(&self, id: &str) -> Vec<usize> {
        let all = || self.specs.iter().enumerate();
        let fits = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(id));
        let by_rule: Vec<usize> =
            all().filter(|(_, spec)| fits(&spec.groups)).map(|(at, _)| at).collect();
        if !by_rule.is_empty() {
            return by_rule;
        }
        all().filter(|(_, spec)| spec.groups.is_empty()).map(|(at, _)| at).collect()
    }
}

/// Does the analyses of one thread, with several specifications.
pub(super) struct Several<T> {
    pub(super) choice: Arc<Choice>,
    /// For each specification: the worker that tries it, and the worker that computes the case.
    pub(super) workers: Vec<(Worker<T>, Worker<T>)>,
}

/// How well a specification fits a multi-trace: a better fit is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The multi-trace cannot be read with the names of the specification.
    Unusable,
    /// The multi-trace has no action of the specification.
    Nothing,
    /// The multi-trace fails, after this number of explained actions.
    Fails(usize),
    Undecided,
    Accepts,
}

impl<T: Send + 'static> Several<T> {
    /// Checks one multi-trace; `job` makes a job of it for a specification.
    fn one(&mut self, id: &str, job: impl Fn(usize) -> Job, slot: &Slot<Piece<T>>) {
        let candidates = self.choice.candidates(id);
        let Some(&first) = candidates.first() else {
            return slot.add(|piece| piece.summary.unassigned += 1);
        };
        let (mut best, mut chosen) = (None, first);
        for &number in candidates.iter().filter(|_| candidates.len() > 1) {
            let piece = work(&mut self.workers[number].0, job(number));
            if piece.summary.interrupted > 0 {
                return slot.add(|all| all.append(piece));
            }
            let fit = fit(&piece);
            if best.is_none_or(|best| fit > best) {
                (best, chosen) = (Some(fit), number);
            }
            if fit == Fit::Accepts {
                break;
            }
        }
        let mut piece = work(&mut self.workers[chosen].1, job(chosen));
        piece.by_spec.insert(chosen, piece.summary.clone());
        slot.add(|all| all.append(piece));
    }

    pub(super) fn work(&mut self, job: Job, slot: &Slot<Piece<T>>) {
        match job {
            Job::Lines { name, first, bytes } => {
                let lines = bytes.split(|&byte| byte == b'\n').zip(first..);
                for (line, number) in lines {
                    if line.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    let id = id_of(line, number);
                    let job = |_: usize| {
                        let (name, bytes) = (name.clone(), line.to_vec());
                        Job::Lines { name, first: number, bytes }
                    };
                    self.one(&id, job, slot);
                }
            }
            Job::Files(files) => {
                for file in files {
                    self.one(&file.id, |_| Job::Files(vec![file.clone()]), slot);
                }
            }
            Job::Groups(groups) => {
                for each in groups.chunks(self.workers.len()) {
                    self.one(&each[0].id, |number| Job::Groups(vec![each[number].clone()]), slot);
                }
            }
            // A multi-trace that belongs to no specification is reported once. Tables are compared with one.
            trouble @ (Job::Trouble(_) | Job::Runs(_)) => self.workers[0].1.work(trouble, slot),
        }
    }
}

/// The id of a case, or the number of its line if it has none. A line that is not a case is reported by the worker that
/// checks it.
fn id_of(line: &[u8], number: usize) -> String {
    let text = std::str::from_utf8(line).unwrap_or_default();
    match read_case(text, number) {
        Ok(Some([id, _])) => id.into_owned(),
        Ok(None) | Err(_) => number.to_string(),
    }
}

fn work<T: Send + 'static>(worker: &mut Worker<T>, job: Job) -> Piece<T> {
    let slot = Slot::default();
    worker.work(job, &slot);
    slot.into_piece()
}

fn fit<T>(piece: &Piece<T>) -> Fit {
    let summary = &piece.summary;
    if summary.unusable > 0 {
        Fit::Unusable
    } else if summary.verdicts.fail > 0 {
        Fit::Fails(piece.reached)
    } else if summary.is_vacuous() {
        Fit::Nothing
    } else if summary.verdicts.undecided > 0 {
        Fit::Undecided
    } else {
        Fit::Accepts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(specs: &[(&str, &[&str])], id: &str, expected: &[usize]) {
        let spec = |(name, globs): &(&str, &[&str])| Candidate {
            name: (*name).into(),
            groups: globs.iter().map(|glob| Glob::name(glob)).collect(),
        };
        let choice = Choice { specs: specs.iter().map(spec).collect() };
        assert_eq!(choice.candidates(id), expected);
    }

    #[test]
    fn rules_come_before_those_without() {
        let specs: [(&str, &[&str]); 4] =
            [("a", &["login-*"]), ("b", &[]), ("c", &["*-1", "x"]), ("d", &[])];
        check(&specs, "login-7", &[0]);
        check(&specs, "login-1", &[0, 2]);
        check(&specs, "x", &[2]);
        check(&specs, "other", &[1, 3]);
        check(&specs[..1], "other", &[]);
    }

    #[test]
    fn a_case_is_known_by_its_id_or_its_line() {
        let id = |line: &str| id_of(line.as_bytes(), 3);
        assert_eq!(id(r#"{"id": "x", "htf": "[a] a!m"}"#), "x");
        assert_eq!(id(r#"{"id": 7, "htf": "[a] a!m"}"#), "7");
        assert_eq!(id(r#"{"htf": "[a] a!m"}"#), "3");
        assert_eq!(id("{"), "3");
        assert_eq!(id_of(b"\xff", 3), "3");
    }

    #[test]
    fn what_fits_better_is_greater() {
        let mut all = [Fit::Accepts, Fit::Fails(3), Fit::Unusable, Fit::Fails(1), Fit::Nothing];
        all.sort();
        let expected = [Fit::Unusable, Fit::Nothing, Fit::Fails(1), Fit::Fails(3), Fit::Accepts];
        assert_eq!(all, expected);
    }
}
