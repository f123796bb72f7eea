//! Steps of letters, written as texts.

use super::*;
use crate::algebra::simplify;
use crate::sample::spec;

struct Sample {
    letters: Letters,
    valued: Valued,
    term: TermId,
    skeleton: (Pool, TermId),
}

fn sample(text: &str) -> Sample {
    let text = format!("@lifeline{{a;b;c}} @message{{m;n;o}} {text}");
    let lowered = crate::lower(&[&spec(&text)]);
    assert_eq!(lowered.diagnostics, []);
    let valued = *lowered.valued.unwrap();
    let (mut letters, term) = Letters::new(&lowered.pool, &valued).unwrap();
    let term = simplify(&mut letters.pool, term);
    let mut pool = lowered.pool;
    let skeleton = simplify(&mut pool, lowered.term.unwrap());
    Sample { letters, valued, term, skeleton: (pool, skeleton) }
}

impl Sample {
    /// The term with letters instead of messages.
    fn text(&mut self) -> String {
        let mut text = self.letters.pool.text(self.term);
        for letter in (0..self.letters.alphabet.items.len()).rev().map(LetterId::new) {
            let event = self.letters.event(letter);
            let own = self.letters.pool.event_text(event);
            text = text.replace(&own, &self.letters.text(&self.valued, letter));
        }
        text
    }
}

/// Steps at positions, and compares what is left with texts. At each step the skeleton has the same step.
#[track_caller]
fn check(text: &str, begin: &str, steps: &[(&[u8], &str, &str)]) {
    let mut sample = sample(text);
    assert_eq!(sample.text(), begin);
    let (mut memo, mut plain) = (Memo::default(), Memo::default());
    for (position, event, left) in steps {
        let (letter, term) =
            sample.letters.step(&mut memo, sample.term, position.iter().copied()).unwrap();
        sample.term = term;
        assert_eq!(sample.letters.text(&sample.valued, letter), *event);
        assert_eq!(sample.text(), *left);
        let (pool, skeleton) = &mut sample.skeleton;
        *skeleton = execute(pool, &mut plain, *skeleton, position.iter().copied()).unwrap().1;
        let attributes = |pool: &Pool, term| {
            let all = pool.attributes(term);
            (all.nodes, all.depth, all.loops, all.terminates)
        };
        assert_eq!(attributes(pool, *skeleton), attributes(&sample.letters.pool, term));
    }
}

#[test]
fn a_variable_outside_of_loops_is_one_instance() {
    check(
        "new(x)(seq(a!m[k = x], loopW(b!n[k = x]), a!o))",
        "seq(a!m(x0), seq(loopW(b!n(x0)), a!o))",
        &[
            (&[1], "a!m(x0)", "seq(loopW(b!n(x0)), a!o)"),
            (&[1, 1], "b!n(x0)", "seq(loopW(b!n(x0)), a!o)"),
        ],
    );
}

#[test]
fn each_iteration_has_its_own() {
    check(
        "loopP(new(x)(seq(a!m[k = x], a!n[k = x])))",
        "loopP(seq(a!m(x), a!n(x)))",
        &[
            (
                &[1, 1],
                "a!m(x0)",
                "par(loopP(seq(a!m(x), a!n(x))), par(a!n(x0), loopP(seq(a!m(x), a!n(x)))))",
            ),
            (
                &[1, 1, 1],
                "a!m(x1)",
                "par(par(loopP(seq(a!m(x), a!n(x))), par(a!n(x1), loopP(seq(a!m(x), a!n(x))))), par(a!n(x0), loopP(seq(a!m(x), a!n(x)))))",
            ),
        ],
    );
}

#[test]
fn several_loops_begin_at_once() {
    // m happens in an iteration of both loops; o is in that of the outer one, the rest of the inner one has both.
    check(
        "loopS(fresh x)(strict(loopS(fresh y)(strict(a!m[k = y], b!n[k = x, j = y])), c!o[k = x]))",
        "loopS(strict(loopS(strict(a!m(y), b!n(x,y))), c!o(x)))",
        &[
            (
                &[1, 1, 1, 1],
                "a!m(y0)",
                "strict(strict(strict(b!n(x1,y0), loopS(strict(a!m(y), b!n(x1,y)))), c!o(x1)), loopS(strict(loopS(strict(a!m(y), b!n(x,y))), c!o(x))))",
            ),
            (
                &[1, 1, 1],
                "b!n(x1,y0)",
                "strict(strict(loopS(strict(a!m(y), b!n(x1,y))), c!o(x1)), loopS(strict(loopS(strict(a!m(y), b!n(x,y))), c!o(x))))",
            ),
            (
                &[1, 1, 1, 1],
                "a!m(y2)",
                "strict(strict(strict(b!n(x1,y2), loopS(strict(a!m(y), b!n(x1,y)))), c!o(x1)), loopS(strict(loopS(strict(a!m(y), b!n(x,y))), c!o(x))))",
            ),
        ],
    );
}

#[test]
fn an_event_without_variables_begins_iterations_too() {
    check(
        "loopS(new(x)(strict(a!m, b!n[k = x])))",
        "loopS(strict(a!m, b!n(x)))",
        &[(&[1, 1], "a!m", "strict(b!n(x0), loopS(strict(a!m, b!n(x))))")],
    );
}

#[test]
fn alternatives_and_pruned_loops() {
    // The copy before is pruned to its second branch; it stays a template.
    check(
        "loopW(new(x)(alt(seq(a!m[k = x], b!n[k = x]), c!o[k = x])))",
        "loopW(alt(seq(a!m(x), b!n(x)), c!o(x)))",
        &[(
            &[1, 1, 1],
            "a!m(x0)",
            "seq(loopW(c!o(x)), seq(b!n(x0), loopW(alt(seq(a!m(x), b!n(x)), c!o(x)))))",
        )],
    );
}

#[test]
fn all_parts_of_a_synchronous_passing_share_their_variables() {
    check(
        "loopS(new(x)(strict(a -- <synch> m[k = x] -> b, c!o[k = x])))",
        "loopS(strict(a!m+b?m(x), c!o(x)))",
        &[(&[1, 1], "a!m+b?m(x0)", "strict(c!o(x0), loopS(strict(a!m+b?m(x), c!o(x))))")],
    );
}

#[test]
fn lists_of_fresh_values() {
    let mut sample = sample("loopP(loopP(fresh x)(seq(a!m[k = x], b!n[k = x])))");
    let mut memo = Memo::default();
    let mut lists = Vec::new();
    // Three iterations of the inner loop in one of the outer, then one in another. New iterations of a loop on the
    // left of `par` are those of the loop that the first step left there.
    for position in [&[1, 1, 1][..], &[2, 1, 1, 1, 1], &[2, 1, 1, 1, 1, 1], &[1, 1, 1, 1]] {
        let (letter, term) =
            sample.letters.step(&mut memo, sample.term, position.iter().copied()).unwrap();
        sample.term = term;
        let Variables::Instances(instances) = &sample.letters.letter(letter).variables else {
            panic!("the event is inside of all iterations");
        };
        lists.push((instances[0], sample.letters.rivals(instances[0]).unwrap()));
    }
    let instances: Vec<usize> = lists.iter().map(|(instance, _)| instance.index()).collect();
    assert_eq!(instances, [0, 1, 2, 3]);
    assert!(lists[0].1 == lists[1].1 && lists[1].1 == lists[2].1);
    assert_ne!(lists[2].1, lists[3].1);
}
