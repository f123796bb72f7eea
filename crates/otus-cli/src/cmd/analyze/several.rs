//! Several specifications at once: which one a multi-trace belongs to.
//!
//! A rule of `otus.toml` (`groups` of a `[[spec]]`) says which specifications come into question for an
//! id: those with a rule that fits, or, if there is none, those without any. Among them the first
//! that accepts it is the one. If none does, it is told against the one whose explanation gets
//! furthest. One in which nothing of the multi-trace happens does not fit, though it would accept it.
//!
//! A worker has two workers for each specification: one tries, without writing anything and without
//! looking for reasons; the other does the chosen one's work as if it were the only one.

use std::sync::Arc;

use otus_syntax::SourceId;
use otus_trace::case::{self, LinePlace};
use otus_trace::mapping::Glob;

use super::plan::Plan;
use super::worker::{Piece, Worker};
use crate::feed::Job;
use crate::pipeline::{self, Slot};

/// Which specifications there are.
#[derive(Debug)]
pub(super) struct Choice {
    /// By specification: what it is called, and which ids belong to it if that is said.
    pub(super) specs: Vec<(String, Vec<Glob>)>,
}

impl Choice {
    pub(super) fn name(&self, number: usize) -> &str {
        &self.specs[number].0
    }

    /// The specifications that come into question, in order.
    pub(super) fn candidates(&self, id: &str) -> Vec<usize> {
        let all = || self.specs.iter().enumerate();
        let fits = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(id));
        let by_rule: Vec<usize> =
            all().filter(|(_, (_, globs))| fits(globs)).map(|(at, _)| at).collect();
        if !by_rule.is_empty() {
            return by_rule;
        }
        all().filter(|(_, (_, globs))| globs.is_empty()).map(|(at, _)| at).collect()
    }
}

/// Does the analyses of one thread, with several specifications.
#[derive(Debug)]
pub(super) struct Several {
    choice: Arc<Choice>,
    /// By specification: who tries, and who does it.
    workers: Vec<(Worker, Worker)>,
}

/// How well a specification fits: better ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It cannot even be read with its names.
    Unusable,
    /// Nothing that it speaks of happened.
    Nothing,
    /// It fails, after so many actions that are explained.
    Fails(usize),
    Undecided,
    Accepts,
}

impl Several {
    /// By specification: the plan to try with, and the one to do it.
    pub(super) fn new(choice: Arc<Choice>, plans: &[(Arc<Plan>, Arc<Plan>)]) -> Several {
        let worker = |(trial, plan): &(Arc<Plan>, Arc<Plan>)| {
            (Worker::new(trial.clone()), Worker::new(plan.clone()))
        };
        Several { choice, workers: plans.iter().map(worker).collect() }
    }

    /// One multi-trace; `job` makes a job of it for a specification.
    fn one(&mut self, id: &str, job: impl Fn(usize) -> Job, slot: &Slot<Piece>) {
        let candidates = self.choice.candidates(id);
        let Some(&first) = candidates.first() else {
            return slot.add(|piece| piece.tally.unassigned += 1);
        };
        let (mut best, mut chosen) = (None, first);
        for &number in candidates.iter().filter(|_| candidates.len() > 1) {
            let piece = work(&mut self.workers[number].0, job(number));
            if piece.tally.interrupted > 0 {
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
        piece.by_spec.push((chosen, piece.tally.clone()));
        slot.add(|all| all.append(piece));
    }
}

impl pipeline::Worker for Several {
    type Job = Job;
    type Piece = Piece;

    fn work(&mut self, job: Job, slot: &Slot<Piece>) {
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
                    self.one(&file.1, |_| Job::Files(vec![file.clone()]), slot);
                }
            }
            Job::Text { name, bytes, id } => {
                let job = |_: usize| {
                    let (name, bytes, id) = (name.clone(), bytes.clone(), id.clone());
                    Job::Text { name, bytes, id }
                };
                self.one(&id, job, slot);
            }
            Job::Choices(all) => {
                for groups in all {
                    let Some(first) = groups.first() else { continue };
                    self.one(&first.id, |number| Job::Groups(vec![groups[number].clone()]), slot);
                }
            }
            // What belongs to none of them is told once.
            other
            @ (Job::Groups(_) | Job::Empty(_) | Job::Unusable { .. } | Job::Unreadable(_)) => {
                pipeline::Worker::work(&mut self.workers[0].1, other, slot);
            }
        }
    }
}

/// The id of a case, which is the number of its line if it has none; what is no case is told by
/// whoever is to do it.
fn id_of(line: &[u8], number: usize) -> String {
    let text = std::str::from_utf8(line).unwrap_or_default();
    if let Some(glance) = case::glance(text) {
        return glance.id.map_or_else(|| number.to_string(), |id| id.to_string());
    }
    let place = LinePlace { source: SourceId(0), start: 0, line: number };
    match case::parse_line(text, place) {
        Ok(Some(case)) => case.id,
        Ok(None) | Err(_) => number.to_string(),
    }
}

fn work(worker: &mut Worker, job: Job) -> Piece {
    let slot = Slot::default();
    pipeline::Worker::work(worker, job, &slot);
    slot.into_piece()
}

fn fit(piece: &Piece) -> Fit {
    let tally = &piece.tally;
    if tally.unusable > 0 {
        Fit::Unusable
    } else if tally.failures() > 0 {
        Fit::Fails(piece.reached)
    } else if tally.is_vacuous() {
        Fit::Nothing
    } else if tally.is_undecided() {
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
        let spec = |(name, globs): &(&str, &[&str])| {
            ((*name).to_owned(), globs.iter().map(|glob| Glob::name(glob)).collect())
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
