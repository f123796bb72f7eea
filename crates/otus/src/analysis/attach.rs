//! Files that belong to an analysis: the graph of a search, the certificate of a failure, the order of an execution.
//!
//! They are made here as bytes; a shell, such as the command line, writes them to files. `--graph`, or a `graphic`
//! logger in the options of a specification as in the HIBOU tools, asks for the graph.

use std::path::{Path, PathBuf};

use otus_analysis::budget::Stop;
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::refute::{
    Blocked, Certificate, CertificateState, NotRefuted, check_refutation, refute,
};
use otus_analysis::values::ValueFailure;
use otus_analysis::values::certify::ValuedCase;
use otus_analysis::values::ground::{Ground, Scope};
use otus_analysis::values::refute::{
    ValuedCertificate, check as check_values, refute as refute_values,
};
use otus_analysis::{Question, Verdict, Witness};
use otus_core::{Pool, TermId, raise};
use otus_draw::Scene;
use otus_draw::layout::layered::Direction;
use otus_draw::layout::search::{self, search};
use otus_draw::layout::sequence::{self, sequence};
use otus_draw::layout::term::{self, term};
use otus_syntax::options::{GraphicFormat, GraphicOption, Layout, Logger, Process};
use otus_trace::MultiTrace;
use otus_trace::order::{from_steps, pot};
use serde_json::{Value, json};

use super::legend::Legend;
use super::lifelines;
use super::plan::Plan;
use super::request::TextFormat;
use crate::case::{Attachment, AttachmentKind, NoAttachment};
use crate::error::Error;
use crate::load::{Loaded, options};
use crate::picture::{self, Picture, PictureFormat, PictureStyle};
use crate::report::set;

/// The options of the graph of a search: its format, its style and its size.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GraphOptions {
    /// The format.
    pub format: GraphFormat,
    /// The look of a picture.
    pub style: PictureStyle,
    /// The maximum number of nodes in a picture.
    pub max_nodes: usize,
    pub(crate) path: Option<PathBuf>,
    direction: Direction,
    /// Whether nodes show sequence diagrams, and whether they show term trees. If neither, they show text.
    diagrams: bool,
    trees: bool,
    /// Whether a picture has a legend.
    has_legend: bool,
}

/// The format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFormat {
    /// A picture.
    Picture(PictureFormat),
    /// Graphviz.
    Dot,
    /// JSON.
    Json,
}

impl GraphFormat {
    /// The format for the ending of a file name; `-` is DOT on standard output.
    pub fn of_name(name: &str) -> Option<GraphFormat> {
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        match ending {
            _ if name == "-" => Some(GraphFormat::Dot),
            Some("dot" | "gv") => Some(GraphFormat::Dot),
            Some("json") => Some(GraphFormat::Json),
            _ => PictureFormat::of_name(name).map(GraphFormat::Picture),
        }
    }
}

/// The maximum number of nodes in the picture that a `graphic` logger asks for, and of states of
/// its automaton.
pub(crate) const LOGGER_NODES: usize = 200;

impl GraphOptions {
    /// A graph in a format, drawn from top to bottom, with a sequence diagram in each node.
    pub fn new(format: GraphFormat, style: PictureStyle, max_nodes: usize) -> GraphOptions {
        GraphOptions {
            format,
            style,
            max_nodes,
            path: None,
            direction: Direction::Down,
            diagrams: true,
            trees: false,
            has_legend: true,
        }
    }

    /// The graph that the last `graphic` logger of some options asks for. By default, its picture is named after the
    /// specification.
    pub(crate) fn of_loggers(
        loaded: &Loaded,
        process: Process,
        style: PictureStyle,
    ) -> Option<GraphOptions> {
        let loggers = options::loggers(&loaded.specs[0].files, process);
        let graphic = loggers.filter_map(|(file, logger)| {
            if let Logger::Graphic(chosen) = logger { Some((file, chosen)) } else { None }
        });
        let (file, chosen) = graphic.last()?;
        let stem = loaded.interaction_name().map(Path::new).and_then(Path::file_stem);
        let mut name = PathBuf::from(stem.unwrap_or("search".as_ref()));
        let mut folder = PathBuf::new();
        let mut format = PictureFormat::Svg;
        let mut graph = GraphOptions::new(GraphFormat::Picture(format), style, LOGGER_NODES);
        for option in chosen {
            match option {
                GraphicOption::Format(GraphicFormat::Svg) => format = PictureFormat::Svg,
                GraphicOption::Format(GraphicFormat::Png) => format = PictureFormat::Png,
                GraphicOption::Layout(Layout::Vertical) => graph.direction = Direction::Down,
                GraphicOption::Layout(Layout::Horizontal) => graph.direction = Direction::Right,
                GraphicOption::SequenceDiagrams(wanted) => graph.diagrams = *wanted,
                GraphicOption::TermTrees(wanted) => graph.trees = *wanted,
                GraphicOption::Folder(wanted) => folder = file.names.text(wanted.symbol).into(),
                GraphicOption::Output(wanted) => name = file.names.text(wanted.symbol).into(),
                GraphicOption::Legend(wanted) => graph.has_legend = *wanted,
                // Local analyses have no graph, so this option has no effect.
                GraphicOption::SubProcesses(_) => {}
            }
        }
        let is_png = format == PictureFormat::Png;
        name.as_mut_os_string().push(if is_png { ".png" } else { ".svg" });
        graph.format = GraphFormat::Picture(format);
        graph.path = Some(folder.join(name));
        Some(graph)
    }

    /// The file of the graph, which a logger of the options names.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The graph of an exploration, or of a search with its verdict.
    pub(crate) fn render(
        &self,
        context: &Context<'_>,
        graph: &Graph,
        (legend, verdict): (&Legend, Option<Verdict>),
    ) -> Picture {
        let lines = if self.has_legend { legend.lines() } else { Vec::new() };
        let text = match self.format {
            GraphFormat::Picture(format) => {
                let node = |term: TermId| self.node(context, term);
                let options = search::Options {
                    max_nodes: self.max_nodes,
                    verdict,
                    direction: self.direction,
                    term: (self.diagrams || self.trees)
                        .then_some(&node as &dyn Fn(TermId) -> Scene),
                    legend: &lines,
                };
                let scene = search(context, graph, &options);
                return picture::render_or_svg(&scene, format, &self.style);
            }
            GraphFormat::Dot => context.dot(graph, &lines),
            GraphFormat::Json => format!("{:#}\n", graph_json(context, graph, legend)),
        };
        Picture::new(text)
    }

    fn node(&self, context: &Context<'_>, id: TermId) -> Scene {
        let pool = context.pool;
        let diagram = || {
            let file = raise(pool, id);
            let options = sequence::Options {
                compact: true,
                max_rows: 60,
                label_width: 120.0,
                ..sequence::Options::default()
            };
            sequence(&file, pool.signature(), &options)
        };
        let tree = || {
            let options =
                term::Options { fold_passings: true, max_nodes: 60, ..term::Options::default() };
            term(pool, id, &options)
        };
        match (self.diagrams, self.trees) {
            (true, false) => diagram(),
            (false, _) => tree(),
            (true, true) => {
                let (left, right) = (diagram(), tree());
                let mut both = Scene::default();
                both.place(&left, otus_draw::geometry::point(0.0, 0.0));
                both.place(&right, otus_draw::geometry::point(left.size.width + 12.0, 0.0));
                both.fit(0.0);
                both
            }
        }
    }
}

/// `{"version":1,"options":{…},"nodes":[{"id","term","remaining","conditions"?,"measure"?,"leaf"?,"cut"?}],"edges":[{"from","to","rule"}]}`
fn graph_json(context: &Context<'_>, graph: &Graph, legend: &Legend) -> Value {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let mut value = json!({ "id": id, "term": context.pool.text(node.state.term) });
            let remaining = context.remaining(&node.state);
            set(&mut value, "remaining", Some(remaining).filter(|it| !it.is_empty()));
            let conditions = node.conditions.clone().filter(|it| !it.is_empty());
            set(&mut value, "conditions", conditions);
            set(&mut value, "measure", context.measure(&node.state));
            set(&mut value, "leaf", node.leaf.map(|leaf| leaf.kind.name()));
            set(&mut value, "cut", Some(node.cut).filter(|&cut| cut > 0));
            value
        })
        .collect();
    let made = graph.nodes.iter().enumerate().filter_map(|(id, node)| {
        let (parent, rule) = node.parent.as_ref()?;
        Some(json!({ "from": parent.0, "to": id, "rule": context.rule(rule) }))
    });
    let again = graph.again.iter().map(|(from, rule, to)| {
        json!({ "from": from.0, "to": to.0, "rule": context.rule(rule), "again": true })
    });
    let edges: Vec<Value> = made.chain(again).collect();
    json!({ "version": 1, "options": legend.json(), "nodes": nodes, "edges": edges })
}

/// The attachment that stands for a missing certificate, with the reason.
pub(super) fn no_certificate(why: &str) -> Attachment {
    let reason = format!("no certificate was written, since {why}");
    Attachment::new(AttachmentKind::Certificate, Err(NoAttachment { reason, is_error: false }))
}

/// The certificate of a failure, after it was checked.
pub(super) fn certificate(
    format: TextFormat,
    plan: &Plan,
    pool: &mut Pool,
    trace: &MultiTrace,
    (question, verdict): (&Question, Verdict),
    by_values: Option<(ValuedCase<'_>, Option<&ValueFailure>)>,
) -> Attachment {
    let mut no_proof = None;
    if let Some((case, failure)) = by_values.filter(|_| verdict == Verdict::Fail) {
        match refute_values(pool, case, question, failure, &plan.budget) {
            Ok(found) => {
                let content = by_value(format, pool, case, question, &found);
                return Attachment::new(AttachmentKind::Certificate, content);
            }
            Err(stop) => no_proof = Some(no_proof_by_values(stop)),
        }
    }
    let term = plan.spec.term_for(pool, trace);
    let none = |why: &str| NoAttachment {
        reason: format!("no certificate was written, since {why}"),
        is_error: false,
    };
    let bug = |what: &str| NoAttachment {
        reason: Error::Bug(what.to_owned()).to_string(),
        is_error: true,
    };
    let refuted = match verdict {
        Verdict::Pass | Verdict::WeakPass => Err(none("nothing failed")),
        Verdict::WeakFail | Verdict::Inconclusive => Err(none("the verdict is undecided")),
        Verdict::Fail => {
            refute(pool, term, trace, question, &plan.budget).map_err(|error| match error {
                NotRefuted::TooLarge(stop) => none(stop.reason()),
                NotRefuted::Explained { .. } => {
                    no_proof.unwrap_or_else(|| bug("Fail, and yet there is an explanation"))
                }
            })
        }
    };
    let content = refuted.and_then(|certificate| {
        check_refutation(pool, term, trace, question, &certificate)
            .map_err(|error| bug(&format!("the certificate does not hold ({error})")))?;
        let text = match format {
            TextFormat::Json => format!("{:#}\n", certificate_json(pool, trace, &certificate)),
            TextFormat::Text => certificate.text(pool, trace),
        };
        Ok(text.into_bytes())
    });
    Attachment::new(AttachmentKind::Certificate, content)
}

/// The certificate of a failure by values, after it was checked.
fn by_value(
    format: TextFormat,
    pool: &Pool,
    case: ValuedCase<'_>,
    question: &Question,
    found: &ValuedCertificate,
) -> Result<Vec<u8>, NoAttachment> {
    check_values(pool, case, question, found).map_err(|error| NoAttachment {
        reason: Error::Bug(format!("the certificate does not hold ({error})")).to_string(),
        is_error: true,
    })?;
    let Ground { pool, trace, .. } = &found.ground;
    let sessions = match &found.scope {
        Scope::Whole => None,
        Scope::Sessions(variable, values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            Some((&*case.valued.variables[*variable], values))
        }
    };
    let text = match format {
        TextFormat::Json => {
            let mut json = certificate_json(pool, trace, &found.certificate);
            json["sessions"] = match sessions {
                None => Value::Null,
                Some((variable, values)) => json!({ "variable": variable, "values": values }),
            };
            format!("{json:#}\n")
        }
        TextFormat::Text => {
            let scope = match sessions {
                None => "all events".to_owned(),
                Some((variable, values)) => {
                    format!("the events of sessions with {variable} = {}", values.join(", "))
                }
            };
            let states = if found.certificate.is_empty() {
                "no execution has only events that were logged\n".to_owned()
            } else {
                found.certificate.text(pool, trace)
            };
            format!("by values, {scope}:\n{states}")
        }
    };
    Ok(text.into_bytes())
}

/// Why there is no certificate of a failure by values.
fn no_proof_by_values(stop: Option<Stop>) -> NoAttachment {
    let why = match stop {
        Some(stop) => stop.reason(),
        None => {
            "values refute it, and the values that were logged are too many, or not enough, for a proof"
        }
    };
    let reason = format!("no certificate was written, since {why}");
    NoAttachment { reason, is_error: false }
}

/// The partial order of an execution by its messages, with one process per log.
pub(super) fn order(pool: &Pool, trace: &MultiTrace, witness: Option<&Witness>) -> Attachment {
    let ordered = |witness: &Witness| {
        let events = witness.events().map(|(event, _)| event);
        let paired = from_steps(events, pool, trace.partition()).map_err(|it| it.to_string())?;
        let assumed = match witness.events().filter(|(_, observed)| !observed).count() {
            0 => String::new(),
            count => format!(" ({count} of them assumed, since they were not observed)"),
        };
        let remark = format!(
            "{} processes, {} events{assumed}, {} edges",
            paired.order.process_count(),
            paired.order.event_count(),
            paired.order.edges().len()
        );
        Ok((pot::write(&paired.order).into_bytes(), remark))
    };
    let missing = "there is no execution to write: nothing explains it, or a budget ended";
    let made = witness.ok_or_else(|| missing.to_owned()).and_then(ordered);
    let (content, remark) = match made {
        Ok((bytes, remark)) => (Ok(bytes), Some(remark)),
        Err(reason) => (Err(NoAttachment { reason, is_error: false }), None),
    };
    Attachment { remark, ..Attachment::new(AttachmentKind::Order, content) }
}

/// `{"version":1,"components":[[…]],"states":[…],"alone":[{"component","states":[…]}]}`, where a
/// state is `{"term","explained":[…],"events","blocked","component"?,"moment"?,"supply"?}`.
fn certificate_json(pool: &Pool, trace: &MultiTrace, certificate: &Certificate) -> Value {
    let states = |states: &[CertificateState]| -> Value {
        states.iter().map(|state| state_to_json(pool, state)).collect()
    };
    let components = trace.partition().components();
    let components = components.map(|component| lifelines(trace.partition(), component, pool));
    let alone: Vec<Value> = certificate
        .alone
        .iter()
        .map(|(component, own)| json!({ "component": component.0, "states": states(own) }))
        .collect();
    json!({
        "version": 1,
        "components": components.collect::<Vec<_>>(),
        "states": states(&certificate.states),
        "alone": alone,
    })
}

fn state_to_json(pool: &Pool, state: &CertificateState) -> Value {
    let mut value = json!({
        "term": pool.text(state.situation.term),
        "explained": &*state.situation.consumed,
        "events": state.events,
    });
    match state.blocked {
        Blocked::Moves => value["blocked"] = json!("moves"),
        Blocked::Scarce { component, moment, supply } => {
            value["blocked"] = json!("scarce");
            value["component"] = json!(component.0);
            value["moment"] = json!(moment);
            value["supply"] = json!(supply);
        }
        Blocked::Alone(component) => {
            value["blocked"] = json!("alone");
            value["component"] = json!(component.0);
        }
    }
    value
}
