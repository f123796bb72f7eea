//! The English wording of headlines, and of the actions and components in them.

use otus_core::{Action, ActionId, Direction, Peer, Pool};
use otus_trace::{ComponentId, Partition};

use super::headline::{Cause, Headline};
use crate::witness::together;

/// The actions of a moment: `a!m`, or `{a!m, b?m}`.
pub(super) fn moment(pool: &Pool, actions: &[ActionId]) -> String {
    together(actions.iter().map(|&action| pool.action(action).text(pool.signature())), ", ")
}

/// The lifelines of a component: `a and b`.
pub(super) fn component(pool: &Pool, partition: &Partition, component: ComponentId) -> String {
    let lifelines = partition.lifelines(component).iter();
    let names: Vec<&str> =
        lifelines.map(|&lifeline| pool.signature().lifeline_name(lifeline)).collect();
    listed(&names, "and")
}

/// The actions in the past tense: `a sent m`, `b received m`.
pub fn happened(pool: &Pool, actions: &[ActionId]) -> String {
    let said = actions.iter().map(|&action| {
        let (who, verb) = part(pool, action);
        format!("{who} {verb} {}", object(pool, pool.action(action)))
    });
    let said: Vec<String> = said.collect();
    listed(&said, "and")
}

/// The expected moments as infinitives, without the subject: `send m or receive n`.
fn should(pool: &Pool, moments: &[Vec<Action>]) -> String {
    let said = moments.iter().take(3).map(|actions| {
        let each = actions.iter().map(|&action| {
            let verb = match action.direction {
                Direction::Emission => "send",
                Direction::Reception => "receive",
            };
            format!("{verb} {}", object(pool, action))
        });
        listed(&each.collect::<Vec<_>>(), "and")
    });
    let mut said: Vec<String> = said.collect();
    if moments.len() > said.len() {
        said.push(format!("do one of {} other things", moments.len() - said.len()));
    }
    listed(&said, "or")
}

pub(super) fn sentence(pool: &Pool, partition: &Partition, of: &Headline) -> String {
    let who = component(pool, partition, of.component);
    let observed = of.observed.as_deref().map(|actions| happened(pool, actions));
    let expected: Vec<Box<[ActionId]>> = of.expected.iter().map(|e| e.moment.clone()).collect();
    let wanted = should(pool, &told(pool, &expected, of.observed.as_deref()));
    match (of.cause, observed) {
        (Cause::UnknownLifeline, Some(observed)) => {
            format!("{observed}, but {who} has no part in the specification")
        }
        (Cause::UnknownMessage, Some(observed)) => {
            format!("{observed}, but the specification has no such message")
        }
        (Cause::UnknownAction, Some(observed)) => {
            format!("{observed}, which {who} never does in the specification")
        }
        (Cause::WrongPeer, Some(observed)) => {
            let partners = of.partners.iter().map(|&peer| peer_name(pool, peer));
            let partners = listed(&partners.collect::<Vec<_>>(), "or");
            let actions = of.observed.iter().flat_map(|actions| actions.iter());
            let mut letters = actions.map(|&action| pool.action(action));
            let letter = letters.find(|letter| letter.peer.is_some());
            let preposition = preposition(letter.map_or(Direction::Emission, |it| it.direction));
            format!("{observed}, but the specification has it only {preposition} {partners}")
        }
        (Cause::MissingCounterpart, observed) => {
            let first = |moment: &[ActionId]| moment.first().copied();
            let own = expected.first().and_then(|moment| first(moment));
            match (of.counterpart, own, observed) {
                // The other end was observed, and the action of this component is missing.
                (Some(other), Some(own), _) => {
                    let seen = (other.action, other.times);
                    unmatched(pool, seen, (own, other.own), other.is_one_of_several)
                }
                // The action of this component was observed, and the other end is missing.
                (Some(other), None, Some(_)) => {
                    let own = of.observed.as_deref().and_then(first).unwrap_or(other.action);
                    let missing = (other.action, other.times);
                    unmatched(pool, (own, other.own), missing, other.is_one_of_several)
                }
                (_, _, _) => format!("{who} should {wanted}"),
            }
        }
        (Cause::ExtraAfterEnd, Some(observed)) => {
            format!("{observed} after the part of {who} was over")
        }
        (Cause::TooEarly, Some(observed)) if !of.first.is_empty() => {
            let first: Vec<Box<[ActionId]>> = of.first.iter().map(|e| e.moment.clone()).collect();
            let first = told(pool, &first, None).into_iter().take(3).flatten();
            let first: Vec<String> = first.map(|action| ought(pool, action)).collect();
            format!("{observed} too early: first {}", listed(&first, "or"))
        }
        (Cause::TooEarly, Some(observed)) if expected.is_empty() => {
            format!("{observed} too early")
        }
        (Cause::TooEarly, Some(observed)) => {
            format!("{observed} too early: it should {wanted} first")
        }
        (Cause::TooLate, Some(observed)) => format!("{observed} too late"),
        (Cause::DeadEnd, Some(observed)) => {
            format!("{observed}, which fits another choice than the rest of what was observed")
        }
        (Cause::Unexpected, Some(observed)) if expected.is_empty() => {
            format!("{observed} unexpectedly")
        }
        (Cause::Unexpected, Some(observed)) => {
            format!("{observed} where {who} should {wanted}")
        }
        (_, None) if expected.is_empty() => format!("the log of {who} ends too early"),
        (_, None) => format!("the log of {who} ends where it should {wanted}"),
        (Cause::StoppedEarly, Some(observed)) => {
            format!("the log of {who} ends too early, after {observed}")
        }
    }
}

/// The message of an action, and its peer where that matters: `m`, `m to b`, `m from b`.
fn object(pool: &Pool, action: Action) -> String {
    let message = pool.signature().message_name(action.message);
    match action.peer {
        None => message.to_owned(),
        Some(peer) => {
            format!("{message} {} {}", preposition(action.direction), peer_name(pool, peer))
        }
    }
}

fn preposition(direction: Direction) -> &'static str {
    match direction {
        Direction::Emission => "to",
        Direction::Reception => "from",
    }
}

fn peer_name(pool: &Pool, peer: Peer) -> &str {
    match peer {
        Peer::Lifeline(lifeline) => pool.signature().lifeline_name(lifeline),
        Peer::Environment => "somebody outside of the specification",
    }
}

/// The expected moments as the headline names them. A refined leaf has a letter for each peer and one for an unknown
/// peer. Peers are named only if the observed moment differs from an expected one in the peer alone.
fn told(
    pool: &Pool,
    expected: &[Box<[ActionId]>],
    observed: Option<&[ActionId]>,
) -> Vec<Vec<Action>> {
    let letters = |actions: &[ActionId]| -> Vec<Action> {
        actions.iter().map(|&action| pool.action(action)).collect()
    };
    let plain = |letters: &[Action]| -> Vec<Action> {
        letters.iter().map(|letter| letter.without_peer()).collect()
    };
    let observed = observed.map(|actions| plain(&letters(actions)));
    let mut all: Vec<Vec<Action>> = Vec::new();
    for moment in expected.iter().map(|moment| letters(moment)) {
        let without = plain(&moment);
        let moment = if observed.as_ref() == Some(&without) { moment } else { without };
        if !all.contains(&moment) {
            all.push(moment);
        }
    }
    let knows_more = |one: &[Action], other: &[Action]| {
        let known = |letters: &[Action]| letters.iter().filter(|it| it.peer.is_some()).count();
        known(one) > known(other) && plain(one) == plain(other)
    };
    let every = all.clone();
    all.retain(|moment| !every.iter().any(|other| knows_more(other, moment)));
    all
}

/// An action that was observed more often than its other end: `a sent m but b never received it`.
/// Each action comes with how often it was observed.
fn unmatched(
    pool: &Pool,
    (seen, seen_times): (ActionId, usize),
    (missing, missing_times): (ActionId, usize),
    is_one_of_several: bool,
) -> String {
    let (who, did) = part(pool, seen);
    let (other, verb) = part(pool, missing);
    let what = pool.signature().message_name(pool.action(seen).message);
    let times = |count: usize| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    let (most, least) = (times(seen_times), times(missing_times));
    match (missing_times, is_one_of_several) {
        (0, true) => format!("{who} {did} {what} but nobody {verb} it"),
        (0, false) => format!("{who} {did} {what} but {other} never {verb} it"),
        (_, true) => format!("{who} {did} {what} {most} but others {verb} it only {least}"),
        (_, false) => format!("{who} {did} {what} {most} but {other} {verb} it only {least}"),
    }
}

/// An obligation with its subject: `a should send m`.
fn ought(pool: &Pool, action: Action) -> String {
    let name = pool.signature().lifeline_name(action.lifeline);
    format!("{name} should {}", should(pool, &[vec![action]]))
}

/// The lifeline of an action, and the verb in the past tense.
fn part(pool: &Pool, action: ActionId) -> (&str, &'static str) {
    let action = pool.action(action);
    let verb = match action.direction {
        Direction::Emission => "sent",
        Direction::Reception => "received",
    };
    (pool.signature().lifeline_name(action.lifeline), verb)
}

/// `a`, `a and b`, `a, b and c`.
fn listed<T: AsRef<str>>(items: &[T], word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [before @ .., last] => {
            let before: Vec<&str> = before.iter().map(AsRef::as_ref).collect();
            format!("{} {word} {}", before.join(", "), last.as_ref())
        }
    }
}
