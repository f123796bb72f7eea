//! Pictures of a specification: sequence diagram, term, automaton.

use otus_analysis::graph::record::Context as Recorded;
use otus_core::automaton::{self, AutomatonLimits};
use otus_core::semantics::{Frontiers, Step};
use otus_core::{Lowered, Pool, TermId};
use otus_draw::layout::{automaton as automaton_layout, sequence, term as term_layout};
use otus_draw::terminal;

use super::{AutomatonKind, DrawRequest, Drawing};
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::load::Loaded;

fn read(
    context: &Context,
    request: &DrawRequest,
    left_out: Option<&str>,
) -> Result<(Loaded, Lowered, TermId)> {
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    if loaded.specs.is_empty() && !loaded.traces.is_empty() {
        unfit!("a multi-trace has no such picture; add the specification, or leave out --what");
    }
    let (lowered, term) = match left_out {
        Some(what) => loaded.without_values(context, what)?,
        None => loaded.only_interaction(context)?,
    };
    Ok((loaded, lowered, term))
}

pub(super) fn sequence(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let (loaded, lowered, _) = read(context, request, None)?;
    let file = &loaded.specs[0].files[lowered.file.unwrap_or_default()];
    let signature = lowered.pool.signature();
    let options = sequence::Options {
        title: request.title("Sequence diagram"),
        only_used: request.only_used,
        ..sequence::Options::default()
    };
    let scene = sequence::sequence(file, signature, &options);
    let text = terminal::sequence(file, signature, &request.text_options())
        .map_err(|error| error.to_string());
    Ok(Drawing { scene, text, dot: None })
}

pub(super) fn term(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let (_, mut lowered, term) = read(context, request, Some("this picture"))?;
    let marks = match &request.step {
        Some(step) => Some(executed(&mut lowered.pool, term, step)?),
        None => None,
    };
    let options = term_layout::Options {
        positions: request.positions || request.step.is_some(),
        marks: marks.as_ref(),
        ..term_layout::Options::default()
    };
    let mut scene = term_layout::term(&lowered.pool, term, &options);
    scene.title = request.title("Term");
    let text = Ok(format!("{}\n", lowered.pool.text(term)));
    Ok(Drawing { scene, text, dot: None })
}

/// The executed and the pruned parts of a step, as `a!m@121`.
fn executed(pool: &mut Pool, term: TermId, step: &str) -> Result<term_layout::Marks> {
    let mut frontiers = Frontiers::default();
    let steps = frontiers.steps(pool, term);
    let recorded = Recorded { pool, positions: &frontiers.positions, trace: None };
    let named = |step: &Step| {
        format!("{}@{}", recorded.event(step.event), frontiers.positions.text(step.position))
    };
    let possible: Vec<String> = steps.iter().map(named).collect();
    let wanted = step.replace(' ', "");
    // The position can be omitted if it is unambiguous.
    let matches = |name: &&String| {
        let name = name.replace(' ', "");
        name == wanted || name.split('@').next() == Some(wanted.as_str())
    };
    match possible.iter().filter(matches).count() {
        0 => unfit!("`{step}` is not a first step; possible are {}", possible.join(", ")),
        1 => {}
        _ => unfit!("`{step}` is possible at several positions: {}", possible.join(", ")),
    }
    let at = possible.iter().position(|name| matches(&name)).unwrap_or_default();
    let position: Vec<u8> = frontiers.positions.letters(steps[at].position).collect();
    term_layout::step(pool, term, &position)
        .ok_or_else(|| Error::Bug("a first step has no marks".to_owned()))
}

pub(super) fn automaton(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let (_, mut lowered, term) = read(context, request, Some("this picture"))?;
    let limits = AutomatonLimits { states: request.max_nodes.max(1), ..AutomatonLimits::default() };
    let pool = &mut lowered.pool;
    let rules = automaton::build(pool, term, limits);
    let found = match request.automaton.unwrap_or_default() {
        AutomatonKind::Rules => rules,
        AutomatonKind::Deterministic => automaton::determinize(&rules, limits),
        AutomatonKind::Minimal => automaton::minimize(&automaton::determinize(&rules, limits)),
    };
    if !found.is_complete() {
        context.remark(format!(
            "note: it has more states than the {} that were looked at (--max-nodes); dashed ones go on",
            request.max_nodes
        ));
    }
    let options = automaton_layout::Options {
        max_states: request.max_nodes,
        ..automaton_layout::Options::default()
    };
    let mut scene = automaton_layout::automaton(pool, &found, &options);
    scene.title = request.title("Automaton");
    let dot = automaton::dot(&found, pool);
    Ok(Drawing { dot: Some(dot), ..Drawing::picture(scene) })
}
