//! The account for scripts: one JSON document, versioned.

use otus_core::Direction;
use otus_trace::run::Tally;
use serde_json::{Value, json};

use super::{Map, Specification, Stranger};
use crate::findings;

pub(super) fn text(map: &Map<'_>) -> String {
    let accounting = &map.accounting;
    let vocabulary = &accounting.vocabulary;
    let files = accounting.files.iter().map(|file| {
        json!({
            "file": file.name,
            "source": map.logs.plan.sources.get(file.source).map(|source| &source.name),
            "format": file.format.name(),
            "bytes": file.bytes,
            "lines": file.lines,
            "records": tally(file.tally),
            "events": file.events,
        })
    });
    let rules = accounting.rules.iter().enumerate().map(|(index, rule)| {
        let first = rule.first.map(|place| findings::place_json(accounting, place));
        json!({
            "source": map.rule(index).0,
            "rule": rule.name,
            "ignore": rule.ignore,
            "hits": rule.hits,
            "first": first,
        })
    });
    let shapes = accounting.shapes.iter().take(map.args.limit).map(|shape| {
        json!({
            "shape": shape.text,
            "count": shape.count,
            "first": findings::place_json(accounting, shape.first),
            "example": shape.example,
        })
    });
    let lifelines = vocabulary.lifeline_names().zip(&accounting.lifelines).map(|(name, it)| {
        json!({
            "lifeline": name,
            "sends": it.sends,
            "receives": it.receives,
            "others": it.others,
            "named": it.named,
            "first": it.first.map(|place| findings::place_json(accounting, place)),
        })
    });
    let messages = vocabulary
        .message_names()
        .zip(&accounting.messages)
        .map(|(name, it)| json!({ "message": name, "sent": it.sends, "received": it.receives }));
    let unpaired = accounting.pairs.unpaired.iter().map(|(key, (count, first))| {
        let sign = match key.direction {
            Direction::Emission => "!",
            Direction::Reception => "?",
        };
        let (lifeline, message) =
            (vocabulary.lifeline(key.lifeline), vocabulary.message(key.message));
        json!({
            "action": format!("{lifeline}{sign}{message}"),
            "peer": key.peer.map(|peer| vocabulary.lifeline(peer)),
            "count": count,
            "first": findings::place_json(accounting, *first),
        })
    });
    let groups = &accounting.groups;
    let first =
        map.seen.first.iter().map(
            |(key, events, closed)| json!({ "group": key, "events": events, "closed": closed }),
        );
    let document = json!({
        "version": 1,
        "config": map.project.map(|project| &project.name),
        "logs": files.collect::<Vec<_>>(),
        "records": tally(accounting.total),
        "actions": map.seen.actions,
        "rules": rules.collect::<Vec<_>>(),
        "unmatched": {
            "shapes": shapes.collect::<Vec<_>>(),
            "distinct": accounting.shapes.len(),
            "others": accounting.other_shapes,
        },
        "lifelines": lifelines.collect::<Vec<_>>(),
        "messages": messages.collect::<Vec<_>>(),
        "groups": {
            "total": map.seen.groups,
            "closed": groups.closed,
            "closable": groups.closable,
            "largest": groups.largest,
            "ungrouped": groups.ungrouped,
            "first": first.collect::<Vec<_>>(),
        },
        "pairs": { "paired": accounting.pairs.paired, "unpaired": unpaired.collect::<Vec<_>>() },
        "specification": map.specification.as_ref().map(|it| specification(map, it)),
        "findings": findings::json(accounting),
    });
    format!("{document:#}\n")
}

fn tally(tally: Tally) -> Value {
    json!({
        "all": tally.records,
        "matched": tally.matched,
        "ignored": tally.ignored,
        "blank": tally.blank,
        "unmatched": tally.unmatched,
        "incomplete": tally.incomplete,
        "unreadable": tally.unreadable,
    })
}

fn specification(map: &Map<'_>, specification: &Specification) -> Value {
    let (lifelines, messages) = map.strangers(specification);
    let (unseen, unsent) = map.missing(specification);
    json!({
        "name": specification.name,
        "only_in_logs": { "lifelines": names(&lifelines), "messages": names(&messages) },
        "only_in_specification": { "lifelines": unseen, "messages": unsent },
    })
}

fn names(strangers: &[Stranger]) -> Vec<&str> {
    strangers.iter().map(|stranger| &*stranger.name).collect()
}
