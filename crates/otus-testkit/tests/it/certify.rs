//! The conditions that `certify` checks on a witness, for each question.

use otus_analysis::certify::{Refuted, certify};
use otus_analysis::witness::{WitnessEvent, WitnessStep};
use otus_analysis::{Observed, Question, Verdict, Witness};
use otus_core::algebra::simplify;
use otus_core::semantics::Frontiers;
use otus_core::{LifelineSet, Pool, TermId};
use otus_syntax::{Source, parse_trace};
use otus_testkit::read::{Language, read};
use otus_trace::MultiTrace;

use Observed::{Complete, Slice, StartsLate, StopsEarly, Unobserved};
use Refuted::{InsideObservation, NotAllowed, NotObserved, NotTerminated, Unexplained};

/// The steps of a witness are separated by spaces: `a!m (b?m) {a!m,(b?m)}`; actions in parentheses are not observed. If a step
/// is possible at several positions, the first is taken.
fn witness(pool: &mut Pool, term: TermId, text: &str) -> Witness {
    let mut frontiers = Frontiers::default();
    let mut term = simplify(pool, term);
    let mut steps = Vec::new();
    for word in text.split_whitespace() {
        let plain: String = word.chars().filter(|c| !"(){}".contains(*c)).collect();
        let mut wanted: Vec<&str> = plain.split(',').collect();
        wanted.sort_unstable();
        let actions = |pool: &Pool, event| -> Vec<String> {
            let actions = pool.event_actions(event).iter().map(|&action| pool.action(action));
            let mut texts: Vec<String> = actions.map(|a| a.text(pool.signature())).collect();
            texts.sort_unstable();
            texts
        };
        let all = frontiers.steps(pool, term);
        let step = all.iter().find(|step| actions(pool, step.event) == wanted);
        let step = step.unwrap_or_else(|| panic!("{word} is no step of {}", pool.text(term)));
        let hidden = |action: &str| word.contains(&format!("({action})"));
        let ids = pool.event_actions(step.event).iter().map(|&action| pool.action(action));
        let seen = ids.filter(|action| !hidden(&action.text(pool.signature())));
        let seen: LifelineSet = seen.map(|action| action.lifeline).collect();
        let place = WitnessEvent {
            event: step.event,
            position: frontiers.positions.letters(step.position).collect(),
            observed: pool.intern_region(&seen),
        };
        let is_observed = place.observed != Pool::NONE;
        steps.push(if is_observed {
            WitnessStep::Observed(place)
        } else {
            WitnessStep::Unobserved(place)
        });
        term = step.follow_up;
    }
    Witness { steps }
}

struct Case {
    pool: Pool,
    term: TermId,
    trace: MultiTrace,
}

fn case(interaction: &str, trace: &str) -> Case {
    let (lowered, diagnostics) = read(Language::Interaction, interaction);
    assert!(diagnostics.iter().all(|found| !found.is_error()), "{diagnostics:?}");
    let mut pool = lowered.pool;
    let parsed = parse_trace(&Source::new("x", trace));
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut pool);
    Case { term: lowered.term.expect("an interaction"), pool, trace }
}

impl Case {
    /// The results for a witness of Pass and of WeakPass.
    #[track_caller]
    fn check(
        &mut self,
        question: &Question,
        steps: &str,
        pass: Result<(), Refuted>,
        weak: Result<(), Refuted>,
    ) {
        let witness = witness(&mut self.pool, self.term, steps);
        for (verdict, expected) in [(Verdict::Pass, pass), (Verdict::WeakPass, weak)] {
            let claim = (question, verdict);
            let found = certify(&mut self.pool, self.term, &self.trace, claim, &witness);
            assert_eq!(found, expected, "{verdict} of {question:?} by {steps}");
        }
        for verdict in [Verdict::Fail, Verdict::WeakFail, Verdict::Inconclusive] {
            let claim = (question, verdict);
            let found = certify(&mut self.pool, self.term, &self.trace, claim, &witness);
            assert!(found.is_err(), "{verdict}");
        }
    }
}

fn each<const N: usize>(each: [Observed; N]) -> Question {
    Question::Each(Box::new(each))
}

#[test]
fn a_complete_observation_passes() {
    let mut all = case("a -- m -> b", "[a] a!m; [b] b?m");
    all.check(&Question::ACCEPT, "a!m b?m", Ok(()), Err(NotTerminated));
    for question in [Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE] {
        all.check(&question, "a!m b?m", Ok(()), Ok(()));
        all.check(&question, "a!m", Err(Unexplained), Err(Unexplained));
    }
}

#[test]
fn a_witness_goes_on_to_the_end() {
    let mut cut = case("a -- m -> b", "[a] a!m; [b]");
    for question in [Question::MULTI_PREFIX, Question::SLICE] {
        cut.check(&question, "a!m (b?m)", Err(NotAllowed(2)), Ok(()));
        cut.check(&question, "a!m", Err(NotTerminated), Err(NotTerminated));
    }
    // A global prefix may stop anywhere, unless unobserved events are filled in.
    cut.check(&Question::GlobalPrefix, "a!m", Err(NotTerminated), Ok(()));
    cut.check(&Question::GlobalPrefix, "a!m (b?m)", Err(NotAllowed(2)), Ok(()));
    let mut long = case("strict(a!m, b!m, c!m)", "[a] a!m; [b]; [c]");
    long.check(&Question::GlobalPrefix, "a!m", Err(NotTerminated), Ok(()));
    long.check(&Question::GlobalPrefix, "a!m (b!m)", Err(NotAllowed(2)), Err(NotTerminated));
    long.check(&Question::GlobalPrefix, "a!m (b!m) (c!m)", Err(NotAllowed(3)), Ok(()));
    // No events are filled in on complete components.
    long.check(
        &each([StopsEarly, Complete, StopsEarly]),
        "a!m (b!m) (c!m)",
        Err(InsideObservation(1)),
        Err(InsideObservation(1)),
    );
}

#[test]
fn a_global_prefix_ends_everywhere_at_once() {
    let mut gap = case("strict(a!m, b!m, a!n)", "[a] a!m.a!n; [b]");
    let inside = Err(InsideObservation(1));
    gap.check(&Question::GlobalPrefix, "a!m (b!m) a!n", inside.clone(), inside);
    gap.check(&Question::MULTI_PREFIX, "a!m (b!m) a!n", Err(NotAllowed(3)), Ok(()));
    let mut half = case("a -- <synch> m -> b", "[a] a!m; [b]");
    let inside = Err(InsideObservation(0));
    half.check(&Question::GlobalPrefix, "{a!m,(b?m)}", inside.clone(), inside);
    half.check(&Question::MULTI_PREFIX, "{a!m,(b?m)}", Err(NotAllowed(1)), Ok(()));
}

#[test]
fn each_declaration_has_its_own_period() {
    let mut middle = case("seq(a!m, a!n, a!k)", "[a] a!n");
    let steps = "(a!m) a!n (a!k)";
    for (declared, at) in [(Complete, 0), (StopsEarly, 0), (StartsLate, 2)] {
        let inside = Err(InsideObservation(at));
        middle.check(&each([declared]), steps, inside.clone(), inside);
    }
    middle.check(&each([Slice]), steps, Err(NotAllowed(3)), Ok(()));
    let mut gap = case("seq(a!m, a!n, a!k)", "[a] a!m.a!k");
    let inside = Err(InsideObservation(1));
    gap.check(&each([Slice]), "a!m (a!n) a!k", inside.clone(), inside);
    let mut late = case("seq(a!m, a!n)", "[a] a!n");
    late.check(&each([StartsLate]), "(a!m) a!n", Err(NotAllowed(2)), Ok(()));
    // An empty log that may start late can start after all events.
    let mut empty = case("seq(a!m, a!n)", "[a]");
    empty.check(&each([StartsLate]), "(a!m) (a!n)", Err(NotAllowed(2)), Ok(()));
    empty.check(&each([StopsEarly]), "(a!m) (a!n)", Err(NotAllowed(2)), Ok(()));
}

#[test]
fn unobserved_components_are_not_compared() {
    let mut recorded = case("a -- m -> b", "[a] a!k; [b] b?m");
    let question = each([Unobserved, Complete]);
    // Nothing is missing on the observed components, so the verdict is Pass, not WeakPass.
    recorded.check(&question, "(a!m) b?m", Ok(()), Err(NotTerminated));
    recorded.check(&question, "a!m b?m", Err(NotObserved(0)), Err(NotObserved(0)));
    recorded.check(&each([Unobserved, StopsEarly]), "(a!m) b?m", Ok(()), Ok(()));
    let weak = each([Unobserved, StartsLate]);
    let mut late = case("seq(b!n, a -- m -> b)", "[a] a!k; [b] b?m");
    late.check(&weak, "(b!n) (a!m) b?m", Err(NotAllowed(3)), Ok(()));
    let all = Question::Uniform(Unobserved);
    recorded.check(&all, "(a!m) (b?m)", Ok(()), Err(NotTerminated));
    recorded.check(&all, "(a!m)", Err(NotTerminated), Err(NotTerminated));
}
