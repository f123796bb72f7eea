//! Properties that hold between verdicts, whatever the verdicts are.
//!
//! - *Rewriting*: an interaction rewritten by laws that keep its executions, with lifelines renamed and components in another
//!   order, has the same verdicts.
//! - *Union*: an alternative explains a multi-trace if one of its operands does.
//! - *Monotonicity*: an explained multi-trace stays explained if more may be missing, if a log that may stop early stops earlier,
//!   if one that may start late starts later, or if components are split.
//! - *Bystanders*: lifelines without events do not change a verdict, however many there are.
//! - *Switches*: all combinations agree, each on an engine that is used for many multi-traces.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::{Options, When};
use otus_analysis::{Engine, Observed, Question, Verdict};
use otus_core::index::Index;
use otus_core::{
    Action, ActionId, LifelineId, LifelineSet, MessageId, Pool, RegionId, Signature, Term, TermId,
};
use otus_testkit::oracle::Observation;
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};
use otus_trace::Partition;

use super::compare::random_declarations;

const LIFELINES: usize = 4;

fn budget() -> Budget {
    let timeout = Some(Duration::from_secs(1));
    Budget { max_states: Some(3_000), timeout, ..Budget::default() }
}

/// The numbers of compared verdicts.
#[derive(Debug, Default)]
struct Counts {
    cases: u64,
    undecided: u64,
    explained: u64,
}

impl Counts {
    /// Compares two verdicts, unless one is undecided.
    #[track_caller]
    fn check(
        &mut self,
        verdicts: [Verdict; 2],
        fits: impl Fn(Verdict, Verdict) -> bool,
        context: impl Fn() -> String,
    ) {
        self.cases += 1;
        let [one, two] = verdicts;
        if verdicts.contains(&Verdict::Inconclusive) {
            self.undecided += 1;
            return;
        }
        self.explained += u64::from(two >= Verdict::WeakPass);
        assert!(fits(one, two), "{one} and {two}: {}", context());
    }

    /// Checks that most verdicts were decided, and that not all were the same.
    fn finish(&self, what: &str) {
        println!("{what}: {self:?}");
        assert!(self.undecided * 20 <= self.cases, "{what}: {self:?}");
        assert!(self.explained * 4 > self.cases, "{what}: {self:?}");
    }
}

fn verdict(pool: &Pool, term: TermId, seen: &Observation, question: &Question) -> Verdict {
    let mut engine = Engine::new(pool, term, &seen.partition, Options::default());
    engine.analyze(&seen.to_multi_trace(), question, &budget()).verdict
}

/// The four questions, and one with random declarations.
fn questions(rng: &mut fastrand::Rng, components: usize) -> [Question; 5] {
    [
        Question::ACCEPT,
        Question::GlobalPrefix,
        Question::MULTI_PREFIX,
        Question::SLICE,
        Question::Each(random_declarations(rng, components)),
    ]
}

/// Random interactions with a multi-trace of each derivation, up to the number of cases.
fn sweep(
    number: u64,
    percent: u64,
    leaves: std::ops::Range<usize>,
    mut check: impl FnMut(&mut fastrand::Rng, &mut Scope, TermId, &[Observation]) -> u64,
) {
    let most = super::cases(percent);
    let mut rng = super::rng(number);
    let all = partitions(LIFELINES);
    let mut cases = 0;
    while cases < most {
        let mut scope = Scope::new(LIFELINES, 2, true);
        let leaves = rng.usize(leaves.clone());
        let term = scope.random_term(&mut rng, leaves);
        let partition = &all[rng.usize(..all.len())];
        let letters = alphabet(&scope.pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, &scope.pool, term, 3);
        if trace.len() > 14 {
            continue;
        }
        let seen = Derivation::ALL.map(|derivation| {
            derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation)
        });
        cases = check(&mut rng, &mut scope, term, &seen);
    }
}

/// Lifelines by other names.
struct Renaming(Vec<LifelineId>);

impl Renaming {
    fn random(rng: &mut fastrand::Rng) -> Renaming {
        let mut names: Vec<LifelineId> = (0..LIFELINES).map(LifelineId::new).collect();
        rng.shuffle(&mut names);
        Renaming(names)
    }

    fn action(&self, action: Action) -> Action {
        Action { lifeline: self.0[action.lifeline.index()], ..action }
    }

    fn region(&self, pool: &mut Pool, region: RegionId) -> RegionId {
        let set: LifelineSet = pool.region(region).iter().map(|l| self.0[l.index()]).collect();
        pool.intern_region(&set)
    }

    /// The same multi-trace with components in another order, and the new place of each.
    fn observation(
        &self,
        rng: &mut fastrand::Rng,
        pool: &mut Pool,
        seen: &Observation,
    ) -> (Observation, Vec<usize>) {
        let mut order: Vec<usize> = (0..seen.components.len()).collect();
        rng.shuffle(&mut order);
        let ids: Vec<_> = seen.partition.components().collect();
        let members = order.iter().map(|&at| {
            let lifelines = seen.partition.lifelines(ids[at]).iter();
            lifelines.map(|l| self.0[l.index()]).collect()
        });
        let partition = Partition::new(members.collect(), LIFELINES);
        let components = order.iter().map(|&at| {
            let moments = seen.components[at].iter();
            moments.map(|moment| self.moment(pool, moment)).collect()
        });
        let components = components.collect();
        (Observation { partition, components }, order)
    }

    fn moment(&self, pool: &mut Pool, moment: &[ActionId]) -> Vec<ActionId> {
        let actions: Vec<Action> =
            moment.iter().map(|&action| self.action(pool.action(action))).collect();
        let event = pool.intern_event(&actions);
        pool.event_actions(event).to_vec()
    }
}

/// An equivalent interaction.
fn reworded(rng: &mut fastrand::Rng, pool: &mut Pool, renaming: &Renaming, term: TermId) -> TermId {
    let mut again = |pool: &mut Pool, term| reworded(rng, pool, renaming, term);
    let found = match pool.node(term) {
        Term::Empty => term,
        Term::Event(event) => {
            let actions = pool.event_actions(event).to_vec();
            let actions = actions.iter().map(|&action| renaming.action(pool.action(action)));
            let actions: Vec<Action> = actions.collect();
            let event = pool.intern_event(&actions);
            pool.event(event)
        }
        Term::Strict(left, right) => {
            let (left, right) = (again(pool, left), again(pool, right));
            composed(rng, pool, left, right, Pool::strict)
        }
        Term::Coreg(region, left, right) => {
            let (left, right) = (again(pool, left), again(pool, right));
            let everywhere = pool.region(region).len() == LIFELINES;
            let region = renaming.region(pool, region);
            // With all lifelines in the region, operands can be exchanged.
            let (left, right) =
                if everywhere && rng.bool() { (right, left) } else { (left, right) };
            composed(rng, pool, left, right, |pool, i, j| pool.coreg(region, i, j))
        }
        Term::Alt(left, right) => {
            let (left, right) = (again(pool, left), again(pool, right));
            match rng.usize(..4) {
                0 => {
                    let right = pool.alt(right, left);
                    pool.alt(left, right)
                }
                1 => pool.alt(left, right),
                _ => pool.alt(right, left),
            }
        }
        Term::LoopS(body) => {
            let body = again(pool, body);
            iterated(rng, pool, body, Pool::loop_s, Pool::strict)
        }
        Term::LoopC(region, body) => {
            let body = again(pool, body);
            let region = renaming.region(pool, region);
            let next = |pool: &mut Pool, i, j| pool.coreg(region, i, j);
            iterated(rng, pool, body, |pool, body| pool.loop_c(region, body), next)
        }
    };
    match rng.usize(..24) {
        0 => pool.strict(found, Pool::EMPTY),
        1 => pool.par(Pool::EMPTY, found),
        2 => pool.alt(found, found),
        _ => found,
    }
}

/// A composition, with alternatives distributed or operands associated differently.
fn composed(
    rng: &mut fastrand::Rng,
    pool: &mut Pool,
    left: TermId,
    right: TermId,
    next: impl Fn(&mut Pool, TermId, TermId) -> TermId,
) -> TermId {
    if rng.usize(..3) > 0 {
        return next(pool, left, right);
    }
    match (pool.node(left), pool.node(right)) {
        (_, Term::Alt(i, j)) => {
            let (i, j) = (next(pool, left, i), next(pool, left, j));
            pool.alt(i, j)
        }
        (Term::Alt(i, j), _) => {
            let (i, j) = (next(pool, i, right), next(pool, j, right));
            pool.alt(i, j)
        }
        (Term::Strict(i, j) | Term::Coreg(_, i, j), _) if next(pool, i, j) == left => {
            let rest = next(pool, j, right);
            next(pool, i, rest)
        }
        _ => next(pool, left, right),
    }
}

/// A loop, perhaps with one iteration unfolded or another loop around it.
fn iterated(
    rng: &mut fastrand::Rng,
    pool: &mut Pool,
    body: TermId,
    repeat: impl Fn(&mut Pool, TermId) -> TermId,
    next: impl Fn(&mut Pool, TermId, TermId) -> TermId,
) -> TermId {
    let whole = repeat(pool, body);
    match rng.usize(..6) {
        0 => {
            let more = next(pool, body, whole);
            pool.alt(Pool::EMPTY, more)
        }
        1 => {
            let more = next(pool, whole, body);
            pool.alt(more, Pool::EMPTY)
        }
        2 => repeat(pool, whole),
        3 => next(pool, whole, whole),
        4 => {
            let body = pool.alt(body, Pool::EMPTY);
            repeat(pool, body)
        }
        _ => whole,
    }
}

#[test]
fn other_words_make_no_difference() {
    let mut counts = Counts::default();
    sweep(41, 1, 3..9, |rng, scope, term, all| {
        let renaming = Renaming::random(rng);
        let pool = &mut scope.pool;
        let other = reworded(rng, pool, &renaming, term);
        for seen in all {
            let (same, order) = renaming.observation(rng, pool, seen);
            for question in questions(rng, seen.components.len()) {
                let asked = match &question {
                    Question::Each(each) => {
                        Question::Each(order.iter().map(|&at| each[at]).collect())
                    }
                    Question::GlobalPrefix | Question::Uniform(_) => question.clone(),
                };
                let verdicts =
                    [verdict(pool, term, seen, &question), verdict(pool, other, &same, &asked)];
                counts.check(
                    verdicts,
                    |one, two| one == two,
                    || {
                        let texts = [pool.text(term), seen.text(pool)];
                        let others = [pool.text(other), same.text(pool)];
                        format!("{question:?} of {texts:?}\nand of {others:?}")
                    },
                );
            }
        }
        counts.cases
    });
    counts.finish("other words");
}

#[test]
fn an_alternative_explains_a_multi_trace_if_an_operand_does() {
    let mut counts = Counts::default();
    sweep(42, 2, 3..9, |rng, scope, term, all| {
        let leaves = rng.usize(2..8);
        let second = scope.random_term(rng, leaves);
        let pool = &mut scope.pool;
        let both = pool.alt(term, second);
        for seen in all {
            for question in questions(rng, seen.components.len()) {
                let [one, two, union] =
                    [term, second, both].map(|term| verdict(pool, term, seen, &question));
                let better = if one == Verdict::Inconclusive { one } else { one.max(two) };
                let better = if two == Verdict::Inconclusive { two } else { better };
                counts.check(
                    [better, union],
                    |one, two| one == two,
                    || {
                        let (term, seen) = (pool.text(both), seen.text(pool));
                        format!("{question:?} of {term} and {seen}")
                    },
                );
            }
        }
        counts.cases
    });
    counts.finish("union");
}

/// The declarations that allow more to be missing.
fn weaker(observed: Observed) -> &'static [Observed] {
    match observed {
        Observed::Complete => &[Observed::StopsEarly, Observed::StartsLate],
        Observed::StopsEarly | Observed::StartsLate => &[Observed::Slice],
        Observed::Slice => &[Observed::Unobserved],
        Observed::Unobserved => &[],
    }
}

/// A component split in two, if one can be.
fn split(rng: &mut fastrand::Rng, pool: &Pool, seen: &Observation) -> Observation {
    let mut members = Vec::new();
    let mut components = Vec::new();
    for (component, moments) in seen.partition.components().zip(&seen.components) {
        let mut lifelines = seen.partition.lifelines(component).to_vec();
        rng.shuffle(&mut lifelines);
        let (one, two) = lifelines.split_at(rng.usize(1..=lifelines.len()));
        for part in [one, two].into_iter().filter(|part| !part.is_empty()) {
            let own = |&action: &ActionId| part.contains(&pool.action(action).lifeline);
            let moments = moments
                .iter()
                .map(|moment| moment.iter().copied().filter(own).collect::<Vec<ActionId>>());
            components.push(moments.filter(|moment| !moment.is_empty()).collect());
            members.push(part.to_vec());
        }
    }
    Observation { partition: Partition::new(members, LIFELINES), components }
}

#[test]
fn an_explained_multi_trace_stays_explained_if_less_is_required() {
    let mut counts = Counts::default();
    sweep(43, 2, 3..12, |rng, scope, term, all| {
        let pool = &scope.pool;
        for seen in all {
            let mut ask =
                |seen: &Observation, question: &Question, less: (&Observation, &Question)| {
                    let verdicts =
                        [verdict(pool, term, seen, question), verdict(pool, term, less.0, less.1)];
                    let fits = |more, less| less >= Verdict::WeakPass || more < Verdict::WeakPass;
                    counts.check(verdicts, fits, || {
                        let texts = [seen.text(pool), less.0.text(pool)];
                        format!("{question:?}, {:?} of {} and {texts:?}", less.1, pool.text(term))
                    });
                };
            let of_all =
                [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];
            for pair in of_all.windows(2) {
                ask(seen, &pair[0], (seen, &pair[1]));
            }
            let finer = split(rng, pool, seen);
            for question in &of_all {
                ask(seen, question, (&finer, question));
            }
            let each = random_declarations(rng, seen.components.len());
            let question = Question::Each(each.clone());
            for (at, &observed) in each.iter().enumerate() {
                for &weaker in weaker(observed) {
                    let mut less = each.clone();
                    less[at] = weaker;
                    ask(seen, &question, (seen, &Question::Each(less)));
                }
                let (early, late) = match observed {
                    Observed::Complete | Observed::Unobserved => (false, false),
                    Observed::StopsEarly => (true, false),
                    Observed::StartsLate => (false, true),
                    Observed::Slice => (true, true),
                };
                if seen.components[at].is_empty() {
                    continue;
                }
                if early {
                    let mut less = seen.clone();
                    less.components[at].pop();
                    ask(seen, &question, (&less, &question));
                }
                if late {
                    let mut less = seen.clone();
                    less.components[at].remove(0);
                    ask(seen, &question, (&less, &question));
                }
            }
        }
        counts.cases
    });
    counts.finish("less");
}

/// An interaction whose lifelines are among many others.
struct Spread {
    pool: Pool,
    lifelines: Vec<LifelineId>,
    messages: Vec<MessageId>,
}

impl Spread {
    fn new(rng: &mut fastrand::Rng, messages: usize) -> Spread {
        let mut signature = Signature::default();
        let count = rng.usize(60..140);
        let all: Vec<LifelineId> =
            (0..count).map(|i| signature.add_lifeline(&format!("l{i}"))).collect();
        let lifelines = rng.choose_multiple(all, LIFELINES);
        let messages = (0..messages).map(|i| signature.add_message(&format!("m{i}"))).collect();
        Spread { pool: Pool::new(signature), lifelines, messages }
    }

    fn actions(&self, pool: &Pool, actions: &[ActionId]) -> Vec<Action> {
        let there = |&action: &ActionId| {
            let action = pool.action(action);
            let lifeline = self.lifelines[action.lifeline.index()];
            Action { lifeline, message: self.messages[action.message.index()], ..action }
        };
        actions.iter().map(there).collect()
    }

    fn region(&mut self, pool: &Pool, region: RegionId) -> RegionId {
        let set = pool.region(region);
        let set: LifelineSet = if set.len() == LIFELINES {
            LifelineSet::full(self.pool.signature().lifeline_count())
        } else {
            set.iter().map(|l| self.lifelines[l.index()]).collect()
        };
        self.pool.intern_region(&set)
    }

    fn term(&mut self, pool: &Pool, term: TermId) -> TermId {
        match pool.node(term) {
            Term::Empty => Pool::EMPTY,
            Term::Event(event) => {
                let actions = self.actions(pool, pool.event_actions(event));
                let event = self.pool.intern_event(&actions);
                self.pool.event(event)
            }
            Term::Strict(left, right) => {
                let (left, right) = (self.term(pool, left), self.term(pool, right));
                self.pool.strict(left, right)
            }
            Term::Coreg(region, left, right) => {
                let (left, right) = (self.term(pool, left), self.term(pool, right));
                let region = self.region(pool, region);
                self.pool.coreg(region, left, right)
            }
            Term::Alt(left, right) => {
                let (left, right) = (self.term(pool, left), self.term(pool, right));
                self.pool.alt(left, right)
            }
            Term::LoopS(body) => {
                let body = self.term(pool, body);
                self.pool.loop_s(body)
            }
            Term::LoopC(region, body) => {
                let body = self.term(pool, body);
                let region = self.region(pool, region);
                self.pool.loop_c(region, body)
            }
        }
    }

    /// The same multi-trace; all other lifelines are components of their own, at the end.
    fn observation(&mut self, pool: &Pool, seen: &Observation) -> Observation {
        let members = seen.partition.components().map(|component| {
            let lifelines = seen.partition.lifelines(component).iter();
            lifelines.map(|l| self.lifelines[l.index()]).collect()
        });
        let count = self.pool.signature().lifeline_count();
        let partition = Partition::new(members.collect(), count);
        let mut there = Observation::empty(partition);
        for (component, moments) in there.components.iter_mut().zip(&seen.components) {
            for moment in moments {
                let actions = self.actions(pool, moment);
                let event = self.pool.intern_event(&actions);
                component.push(self.pool.event_actions(event).to_vec());
            }
        }
        there
    }
}

#[test]
fn lifelines_on_which_nothing_happens_make_no_difference() {
    let mut counts = Counts::default();
    sweep(45, 1, 3..9, |rng, scope, term, all| {
        let pool = &scope.pool;
        // The messages of the scope, and one that no term uses.
        let mut spread = Spread::new(rng, 3);
        let other = spread.term(pool, term);
        for seen in all {
            let same = spread.observation(pool, seen);
            for question in questions(rng, seen.components.len()) {
                let asked = match &question {
                    Question::Each(each) => {
                        let mut each = each.to_vec();
                        each.extend(random_declarations(rng, same.components.len() - each.len()));
                        Question::Each(each.into())
                    }
                    Question::GlobalPrefix | Question::Uniform(_) => question.clone(),
                };
                let verdicts = [
                    verdict(pool, term, seen, &question),
                    verdict(&spread.pool, other, &same, &asked),
                ];
                counts.check(
                    verdicts,
                    |one, two| one == two,
                    || {
                        let (term, seen) = (pool.text(term), seen.text(pool));
                        let lifelines = &spread.lifelines;
                        format!("{question:?} of {term} and {seen}, spread to {lifelines:?}")
                    },
                );
            }
        }
        counts.cases
    });
    counts.finish("bystanders");
}

#[test]
fn all_combinations_of_switches_agree() {
    let mut counts = Counts::default();
    sweep(44, 30, 3..9, |rng, scope, term, all| {
        let pool = &scope.pool;
        let partition = &all[0].partition;
        let mut engines: Vec<(Options, Engine)> = (0..256)
            .map(|bits: u32| {
                let on = |switch: u32| bits & (1 << switch) != 0;
                let options = Options {
                    relax: on(0),
                    look_ahead: on(1),
                    stubborn: on(2),
                    erase: on(3),
                    absorb: on(4),
                    solver: on(5),
                    decompose: on(6),
                    sessions: if on(7) { When::Always } else { When::Never },
                    counting: if on(0) { When::Always } else { When::Never },
                    places: if on(1) { When::Always } else { When::Never },
                };
                (options, Engine::new(pool, term, partition, options))
            })
            .collect();
        for seen in all {
            let trace = seen.to_multi_trace();
            for question in questions(rng, seen.components.len()) {
                let expected = verdict(pool, term, seen, &question);
                for (options, engine) in &mut engines {
                    let found = engine.analyze(&trace, &question, &budget()).verdict;
                    counts.check(
                        [expected, found],
                        |one, two| one == two,
                        || {
                            let (term, seen) = (pool.text(term), seen.text(pool));
                            format!("{question:?} of {term} and {seen}, {options:?}")
                        },
                    );
                }
            }
        }
        counts.cases
    });
    counts.finish("switches");
}
