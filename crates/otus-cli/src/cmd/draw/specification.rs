//! Pictures of a specification: sequence diagram, term, automaton.

use anyhow::{Context as _, bail};
use otus_analysis::graph::record::Context;
use otus_core::automaton::{self, AutomatonLimits};
use otus_core::semantics::{Frontiers, Step};
use otus_core::{Lowered, Pool, TermId};
use otus_draw::layout::{automaton as automaton_layout, sequence, term as term_layout};
use otus_draw::terminal;

use super::{Drawing, text_options, title};
use crate::args::{AutomatonKind, Color, DrawArgs};
use crate::cmd::analyze::one_specification;
use crate::load::{Fences, Loaded};
use crate::output;

/// A specification that can be drawn.
struct Specification {
    loaded: Loaded,
    lowered: Lowered,
    term: TermId,
}

/// Reads it; nothing if something is wrong with it, which has been told.
fn read(args: &DrawArgs, color: Color) -> anyhow::Result<Option<Specification>> {
    let mut loaded = Loaded::read(&args.files, args.from, Fences::One)?;
    if loaded.specs.is_empty() && !loaded.traces.is_empty() {
        bail!("a multi-trace has no such picture; add the specification, or leave out --what");
    }
    let specification = one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    Ok(specification.filter(|_| !faulty).map(|(lowered, term)| Specification {
        loaded,
        lowered,
        term,
    }))
}

pub(super) fn sequence(args: &DrawArgs, color: Color) -> anyhow::Result<Option<Drawing>> {
    let Some(Specification { loaded, lowered, .. }) = read(args, color)? else {
        return Ok(None);
    };
    let file = &loaded.specs[0].files[lowered.file.unwrap_or_default()];
    let signature = lowered.pool.signature();
    let options = sequence::Options {
        title: title("Sequence diagram", args),
        only_used: args.only_used,
        ..sequence::Options::default()
    };
    let scene = sequence::sequence(file, signature, &options);
    let text = terminal::sequence(file, signature, &text_options(args)).map_err(Into::into);
    Ok(Some(Drawing { scene, text, dot: None }))
}

pub(super) fn term(args: &DrawArgs, color: Color) -> anyhow::Result<Option<Drawing>> {
    let Some(Specification { mut lowered, term, .. }) = read(args, color)? else {
        return Ok(None);
    };
    let marks = match &args.step {
        Some(step) => Some(executed(&mut lowered.pool, term, step)?),
        None => None,
    };
    let options = term_layout::Options {
        positions: args.positions || args.step.is_some(),
        marks: marks.as_ref(),
        ..term_layout::Options::default()
    };
    let mut scene = term_layout::term(&lowered.pool, term, &options);
    scene.title = title("Term", args);
    let text = Ok(format!("{}\n", lowered.pool.text(term)));
    Ok(Some(Drawing { scene, text, dot: None }))
}

/// What is executed and pruned by a step, as `a!m@121`.
fn executed(pool: &mut Pool, term: TermId, step: &str) -> anyhow::Result<term_layout::Marks> {
    let mut frontiers = Frontiers::default();
    let steps = frontiers.steps(pool, term);
    let context = Context { pool, positions: &frontiers.positions, trace: None };
    let named = |step: &Step| {
        format!("{}@{}", context.event(step.event), frontiers.positions.text(step.position))
    };
    let possible: Vec<String> = steps.iter().map(named).collect();
    let wanted = step.replace(' ', "");
    // The position can be left out if there is no doubt.
    let matches = |name: &&String| {
        let name = name.replace(' ', "");
        name == wanted || name.split('@').next() == Some(wanted.as_str())
    };
    match possible.iter().filter(matches).count() {
        0 => bail!("`{step}` is not a first step; possible are {}", possible.join(", ")),
        1 => {}
        _ => bail!("`{step}` is possible at several positions: {}", possible.join(", ")),
    }
    let at = possible.iter().position(|name| matches(&name)).context("one was found")?;
    let position: Vec<u8> = frontiers.positions.letters(steps[at].position).collect();
    term_layout::step(pool, term, &position).context("a first step has its marks")
}

pub(super) fn automaton(args: &DrawArgs, color: Color) -> anyhow::Result<Option<Drawing>> {
    let Some(Specification { mut lowered, term, .. }) = read(args, color)? else {
        return Ok(None);
    };
    let limits = AutomatonLimits { states: args.max_nodes.max(1), ..AutomatonLimits::default() };
    let pool = &mut lowered.pool;
    let rules = automaton::build(pool, term, limits);
    let found = match args.automaton.unwrap_or(AutomatonKind::Minimal) {
        AutomatonKind::Rules => rules,
        AutomatonKind::Deterministic => automaton::determinize(&rules, limits),
        AutomatonKind::Minimal => automaton::minimize(&automaton::determinize(&rules, limits)),
    };
    if !found.is_complete() {
        output::complain(&format!(
            "note: it has more states than the {} that were looked at (--max-nodes); dashed ones go on",
            args.max_nodes
        ));
    }
    let options = automaton_layout::Options {
        max_states: args.max_nodes,
        ..automaton_layout::Options::default()
    };
    let mut scene = automaton_layout::automaton(pool, &found, &options);
    scene.title = title("Automaton", args);
    let dot = automaton::dot(&found, pool);
    Ok(Some(Drawing { dot: Some(dot), ..Drawing::picture(scene) }))
}
