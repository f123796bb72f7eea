//! The orders of a run: its space-time diagram, its lattice of cuts, and a formula at a cut.

use otus::Context;
use otus::ctl::lattice::OrderView;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Subject, Unsaved, diagnostics, place};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    order: Option<String>,
    run: Option<AskedRun>,
    #[serde(default)]
    unsaved: Unsaved,
}

#[derive(Debug, Deserialize)]
struct AskedRun {
    #[serde(flatten)]
    subject: Subject,
    id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FormulaQuestion {
    #[serde(flatten)]
    of: Question,
    formula: String,
    #[serde(default)]
    cut: Vec<u32>,
}

/// The most cuts of a lattice.
const CUTS: usize = 2000;

fn view(
    asked: &Asked<'_>,
    question: &Question,
) -> Result<(OrderView, Context, Vec<String>), Failure> {
    match (&question.order, &question.run) {
        (Some(order), None) => {
            asked.inside(order)?;
            let (context, heard) = asked.context(&question.unsaved)?;
            let view = OrderView::read(&context, order)?;
            Ok((view, context, heard.remarks()))
        }
        (None, Some(run)) => {
            let mut subject = run.subject.clone();
            subject.unsaved.extend(question.unsaved.clone());
            let (context, heard) = subject.context(asked)?;
            let view = OrderView::of_run(&context, &subject.request(asked)?, &run.id)?;
            Ok((view, context, heard.remarks()))
        }
        (Some(_), Some(_)) | (None, None) => {
            Err(Failure::malformed("either `order` or `run` is asked about"))
        }
    }
}

pub(crate) fn order(asked: &Asked<'_>, question: &Question) -> Result<Value, Failure> {
    let (view, context, remarks) = view(asked, question)?;
    let processes = view.processes().into_iter().map(|process| {
        let events = process.events.into_iter().map(|event| {
            json!({
                "text": event.text,
                "place": place(event.place.as_ref()),
                "past": event.past,
                "changes": event.changes,
            })
        });
        json!({ "name": process.name, "events": events.collect::<Vec<_>>() })
    });
    let edges = view.edges().into_iter().map(|(from, to)| json!({ "from": from, "to": to }));
    let lattice = view.lattice(CUTS);
    let count = match &lattice {
        Some(cuts) => cuts.len().to_string(),
        None => view.count(&context).unwrap_or_else(|| format!("more than {CUTS}")),
    };
    let lattice = lattice.map(|cuts| {
        let cuts = cuts.into_iter().map(|it| json!({ "cut": it.cut, "next": it.next }));
        cuts.collect::<Vec<_>>()
    });
    Ok(json!({
        "processes": processes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "lattice": lattice,
        "cuts": count,
        "remarks": remarks,
    }))
}

pub(crate) fn formula(asked: &Asked<'_>, question: &FormulaQuestion) -> Result<Value, Failure> {
    let (view, context, _) = view(asked, &question.of)?;
    let lattice = view.lattice(CUTS).unwrap_or_default();
    let cut = view.cut_inside(&question.cut);
    let found = view.formula(&context, &question.formula, &cut, &lattice)?;
    let text = question.formula.as_str();
    let nodes = found.parts.iter().map(|part| {
        json!({
            "text": part.text,
            "parent": part.parent,
            "from": super::wording::utf16(text, part.span.start),
            "to": super::wording::utf16(text, part.span.end),
            "holds": part.holds,
            "count": part.count,
        })
    });
    let values = view
        .values(&cut)
        .into_iter()
        .map(|(process, name, value)| json!({ "process": process, "name": name, "value": value }));
    Ok(json!({
        "diagnostics": diagnostics(&found.findings, Some(("formula", text))),
        "cut": cut,
        "holds": found.holds,
        "meaning": found.meaning,
        "nodes": nodes.collect::<Vec<_>>(),
        "at": found.at,
        "witness": found.witness,
        "values": values.collect::<Vec<_>>(),
    }))
}
