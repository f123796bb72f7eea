//! Witnesses hold, by the checker and by a replay of the rules as printed; changed witnesses are refuted unless another replay
//! shows that they hold.

use crate::reference;
use otus_analysis::certify::certify;
use otus_analysis::config::Kind;
use otus_analysis::graph::Outcome;
use otus_analysis::witness::{WitnessEvent, WitnessStep};
use otus_analysis::{Config, Verdict, Witness};
use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::{EventId, LifelineSet, Pool};
use otus_testkit::oracle::observe::{moments, project};
use otus_testkit::oracle::traces;

use super::BUDGET;
use super::case::Case;

impl Case<'_> {
    /// A Pass or WeakPass has a witness, which holds; a changed witness is refuted unless another replay shows that it holds.
    pub(crate) fn check_witness(&mut self, config: &Config, outcome: &Outcome) {
        assert_eq!(outcome.witness.is_some(), outcome.verdict >= Verdict::WeakPass);
        let Some(witness) = &outcome.witness else { return };
        let claim = (config.kind, outcome.verdict);
        let certified = certify(self.pool, self.term, &self.trace, claim, witness);
        assert_eq!(certified, Ok(()), "{}", self.context(config));
        assert!(self.replay(claim, witness), "{}", self.context(config));
        self.counts.witnesses += 1;
        // A Pass is a complete global trace whose projection was observed.
        if outcome.verdict == Verdict::Pass {
            let events: Vec<EventId> = witness.events().map(|(event, _)| event).collect();
            let seen = project(self.pool, &self.seen.partition, &events);
            assert_eq!(seen, self.seen.components, "{}", self.context(config));
            let all = traces(self.pool, self.term, events.len(), BUDGET);
            assert!(all.is_none_or(|all| all.contains(&events)), "{}", self.context(config));
        }
        if self.rng.usize(..24) == 0 {
            self.check_corrupted(config, outcome.verdict, witness);
        }
    }

    fn check_corrupted(&mut self, config: &Config, verdict: Verdict, witness: &Witness) {
        let better = if verdict == Verdict::WeakPass { Verdict::Pass } else { Verdict::WeakPass };
        let mut claims = vec![((config.kind, better), witness.clone())];
        for kind in self.kinds() {
            claims.push(((kind, verdict), witness.clone()));
        }
        for worse in [Verdict::Fail, Verdict::WeakFail, Verdict::Inconclusive] {
            claims.push(((config.kind, worse), witness.clone()));
        }
        let corrupted = corruptions(self.pool, witness);
        claims.extend(corrupted.into_iter().map(|witness| ((config.kind, verdict), witness)));
        for (claim, witness) in claims {
            let holds = certify(self.pool, self.term, &self.trace, claim, &witness).is_ok();
            let context = || {
                let text = witness.text(self.pool);
                format!("{claim:?} by {text} for {}", self.context(config))
            };
            if holds {
                let (kind, verdict) = claim;
                let most = self.truth.verdict(kind);
                let by_tuples = kind == Kind::Eliminate && self.truth.tuples != Some(false);
                assert!(
                    most >= verdict || by_tuples && verdict == Verdict::WeakPass,
                    "{}",
                    context()
                );
                self.counts.still_valid += 1;
            } else {
                self.counts.refuted += 1;
            }
            assert_eq!(holds, self.replay(claim, &witness), "{claim:?}");
        }
    }

    /// Replays a witness by the rules as printed.
    fn replay(&mut self, (kind, verdict): (Kind, Verdict), witness: &Witness) -> bool {
        let pool = &mut *self.pool;
        let mut term = simplify(pool, self.term);
        let mut consumed = vec![0; self.seen.components.len()];
        let mut exact = true;
        for step in &witness.steps {
            let rest = |component: usize, consumed: &[usize]| {
                &self.seen.components[component][consumed[component]..]
            };
            let place = match step {
                WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => {
                    for (component, moment) in moments(pool, &self.seen.partition, place.event) {
                        let component = component.index();
                        let here: LifelineSet =
                            moment.iter().map(|&action| pool.action(action).lifeline).collect();
                        let seen = pool.region(place.observed).intersection(&here);
                        if seen == here {
                            if rest(component, &consumed).first() != Some(&moment) {
                                return false;
                            }
                            consumed[component] += 1;
                            continue;
                        }
                        let Kind::Simulate(simulation) = kind else { return false };
                        let early = simulation.before && consumed[component] == 0;
                        let outside = early || rest(component, &consumed).is_empty();
                        if !outside || !seen.is_empty() {
                            return false;
                        }
                        exact = false;
                    }
                    let is_observed = matches!(step, WitnessStep::Observed(_));
                    if is_observed == (place.observed == Pool::NONE) {
                        return false;
                    }
                    place
                }
                WitnessStep::Removed(region) => {
                    if kind != Kind::Eliminate {
                        return false;
                    }
                    for lifeline in pool.region(*region).iter() {
                        let component = self.seen.partition.component_of(lifeline).index();
                        if !rest(component, &consumed).is_empty() {
                            return false;
                        }
                        exact &= !pool.lifelines(term).contains(lifeline);
                        let removed = reference::remove(pool, term, lifeline);
                        term = simplify(pool, removed);
                    }
                    continue;
                }
            };
            let mut steps = reference::steps(pool, term).into_iter();
            let step =
                steps.find(|step| *step.position == *place.position && step.event == place.event);
            let Some(step) = step else { return false };
            term = simplify(pool, step.follow_up);
        }
        let all = pool.signature().all_lifelines();
        let ends = reference::prune(pool, term, &all).is_some();
        let explained = consumed.iter().zip(&self.seen.components).all(|(n, c)| *n == c.len());
        explained
            && match verdict {
                Verdict::Pass => exact && ends,
                Verdict::WeakPass => kind != Kind::Accept,
                Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => false,
            }
    }
}

/// Changed copies of a witness.
fn corruptions(pool: &Pool, witness: &Witness) -> Vec<Witness> {
    let mut all = Vec::new();
    let mut push = |steps: Vec<WitnessStep>| all.push(Witness { steps });
    let steps = &witness.steps;
    for at in 0..steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(at);
        push(fewer);
        let mut more = steps.clone();
        more.insert(at, steps[at].clone());
        push(more);
        for other in at + 1..steps.len() {
            let mut swapped = steps.clone();
            swapped.swap(at, other);
            push(swapped);
        }
        let mut changed = |step: WitnessStep| {
            let mut steps = steps.clone();
            steps[at] = step;
            push(steps);
        };
        match &steps[at] {
            WitnessStep::Removed(_) => {
                changed(WitnessStep::Removed(Pool::ALL));
                changed(WitnessStep::Removed(Pool::NONE));
            }
            WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => {
                let observed = matches!(steps[at], WitnessStep::Observed(_));
                let same = |place: WitnessEvent| {
                    if observed {
                        WitnessStep::Observed(place)
                    } else {
                        WitnessStep::Unobserved(place)
                    }
                };
                changed(if observed {
                    WitnessStep::Unobserved(place.clone())
                } else {
                    WitnessStep::Observed(place.clone())
                });
                for event in (0..pool.event_count()).map(EventId::new) {
                    changed(same(WitnessEvent { event, ..place.clone() }));
                }
                let own = pool.event_lifelines(place.event);
                for observed in [own, Pool::NONE, Pool::ALL] {
                    changed(WitnessStep::Observed(WitnessEvent { observed, ..place.clone() }));
                    changed(WitnessStep::Unobserved(WitnessEvent { observed, ..place.clone() }));
                }
                let letters = &place.position;
                let mut positions: Vec<Vec<u8>> = Vec::new();
                for index in 0..letters.len() {
                    let mut other = letters.to_vec();
                    other[index] = 3 - other[index];
                    positions.push(other);
                    positions.push(letters[..index].to_vec());
                }
                for letter in [0, 1, 2, 9] {
                    positions.push([&letters[..], &[letter]].concat());
                }
                for position in positions {
                    changed(same(WitnessEvent { position: position.into(), ..place.clone() }));
                }
            }
        }
    }
    all
}
