//! Removes lifelines from specifications and multi-traces, and projects multi-traces onto finer partitions.
//!
//! These are the operations of the papers: `rmv` of Mahe et al., "Dealing with observability in interaction-based
//! offline runtime verification" (000), Def. 2 and 5, and the projections of "Tooling offline runtime verification
//! against interaction models" (003), section 2. The operations themselves are in `otus_core::algebra` and
//! `otus_trace::transform`; here they are applied to files.

use otus_core::algebra;
use otus_core::{LifelineSet, Pool, Signature, raise};
use otus_draw::layout::{multitrace, sequence};
use otus_syntax::ast::SpecFile;
use otus_syntax::print::{self, Dialect};
use otus_trace::transform::{self, NotFiner, implied_signature};
use otus_trace::{Facts, FieldNames, MultiTrace, Partition};

use crate::analysis::declared::lifelines_like;
use crate::context::Context;
use crate::convert::{self, Converted};
use crate::error::{Result, unfit};
use crate::format::Format;
use crate::load::{self, Loaded, Trace, options};
use crate::picture::{self, Picture, PictureFormat, PictureStyle};

/// The texts to restrict, and the operation.
#[derive(Debug, Clone)]
pub struct RestrictRequest {
    /// A specification; or multi-traces, optionally with their specification.
    pub names: Vec<String>,
    /// The format of the texts, if their names do not give it.
    pub from: Option<Format>,
    /// The operation.
    pub to: Restriction,
}

/// The part that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restriction {
    /// Everything except the lifelines with these names, or those that match these patterns.
    Without(Vec<String>),
    /// Only the lifelines with these names, or those that match these patterns.
    Onto(Vec<String>),
    /// Everything, divided into the logs of this partition: `discrete`, or `{(a,b),(c)}`.
    Partition(String),
}

/// A specification, or multi-traces, after the operation.
#[derive(Debug)]
pub struct Restricted(Kept);

#[derive(Debug)]
enum Kept {
    Interaction { tree: Box<SpecFile>, signature: Signature },
    Traces(Vec<KeptTrace>),
}

#[derive(Debug)]
struct KeptTrace {
    id: String,
    trace: MultiTrace,
    /// The values of its events, if there are any.
    values: Option<(Facts, FieldNames)>,
    pool: Pool,
}

/// Applies an operation to the multi-traces, or to the specification if there are none.
///
/// # Errors
/// If a text cannot be read or has errors, a name is unknown, nothing is left, or a partition is not finer.
pub fn restrict(context: &Context, request: &RestrictRequest) -> Result<Restricted> {
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    if loaded.traces.is_empty() {
        let (mut lowered, term) = loaded.without_values(context, "the restricted specification")?;
        let Some(kept) = kept(&request.to, lowered.pool.signature())? else {
            unfit!(
                "a partition says which lifelines share a log, so it is about multi-traces; add a \
                 .htf, or keep some lifelines of the specification by --onto"
            );
        };
        let (pool, term) = algebra::restrict(&mut lowered.pool, term, &kept);
        let (tree, signature) = (raise(&pool, term), pool.signature().clone());
        return Ok(Restricted(Kept::Interaction { tree: Box::new(tree), signature }));
    }
    if loaded.specs.len() > 1 {
        unfit!("{} specifications are given; multi-traces are about one", loaded.specs.len());
    }
    let lowered = loaded.lower_with_traces(context)?;
    // Without a specification, a name must occur in at least one multi-trace, but not in all.
    let signature = match &lowered {
        Some(lowered) => lowered.pool.signature().clone(),
        None => implied_signature(loaded.traces.iter().map(|trace| &trace.tree)),
    };
    let kept = kept(&request.to, &signature)?;
    let mut traces = Vec::with_capacity(loaded.traces.len());
    for written in &loaded.traces {
        let spec = lowered.as_ref().map(|lowered| lowered.pool.clone());
        let (pool, trace, values) = written.lower_with_values(spec);
        let (facts, fields) = values.unzip();
        let id = written.id.clone();
        traces.push(match (&request.to, &kept) {
            (Restriction::Partition(partition), _) => {
                let observed = (&trace, facts.as_ref());
                let (trace, facts) = refined(observed, &pool, partition, &signature)
                    .map_err(|why| crate::Error::Unfit(format!("{id}: {why}")))?;
                KeptTrace { id, trace, values: facts.zip(fields), pool }
            }
            (_, kept) => {
                let is_kept = |name: &str| {
                    let lifeline = signature.lifeline(name);
                    let all = kept.as_ref().zip(lifeline);
                    all.is_none_or(|(kept, lifeline)| kept.contains(lifeline))
                };
                let own = pool.signature().lifelines().filter(|(_, name)| is_kept(name));
                let own: LifelineSet = own.map(|(lifeline, _)| lifeline).collect();
                let mut left = Pool::new(pool.signature().restricted(&own));
                let (trace, facts) = match &facts {
                    Some(facts) => {
                        let observed = (&trace, facts);
                        let kept = transform::restrict_with_facts(observed, &pool, &own, &mut left);
                        (kept.0, Some(kept.1))
                    }
                    None => (transform::restrict(&trace, &pool, &own, &mut left), None),
                };
                KeptTrace { id, trace, values: facts.zip(fields), pool: left }
            }
        });
    }
    Ok(Restricted(Kept::Traces(traces)))
}

/// The lifelines that are kept; `None` if the operation is about their logs.
fn kept(restriction: &Restriction, signature: &Signature) -> Result<Option<LifelineSet>> {
    let named = |flag: &str, names: &[String]| -> Result<LifelineSet> {
        let mut all = LifelineSet::default();
        for name in names {
            for (lifeline, _) in lifelines_like(flag, name, signature)? {
                all.insert(lifeline);
            }
        }
        Ok(all)
    };
    let kept = match restriction {
        Restriction::Without(names) => {
            signature.all_lifelines().difference(&named("--lifelines", names)?)
        }
        Restriction::Onto(names) => named("--onto", names)?,
        Restriction::Partition(_) => return Ok(None),
    };
    if kept.is_empty() {
        unfit!("no lifeline would be left; name fewer");
    }
    Ok(Some(kept))
}

/// A multi-trace in the logs of a partition. The partition refers to the lifelines of a signature, some of which the
/// multi-trace may lack.
fn refined(
    (trace, facts): (&MultiTrace, Option<&Facts>),
    pool: &Pool,
    partition: &str,
    signature: &Signature,
) -> Result<(MultiTrace, Option<Facts>)> {
    let whole = options::partition(partition, signature)?;
    let own = |lifeline| pool.signature().lifeline(signature.lifeline_name(lifeline));
    let components = whole.components().map(|component| {
        whole.lifelines(component).iter().filter_map(|&lifeline| own(lifeline)).collect()
    });
    let own = Partition::new(components.collect(), pool.signature().lifeline_count());
    let projected = match facts {
        Some(facts) => transform::project_with_facts(trace, facts, &own, pool)
            .map(|(trace, facts)| (trace, Some(facts))),
        None => transform::project(trace, &own, pool).map(|trace| (trace, None)),
    };
    projected.or_else(|error| match error {
        NotFiner::Apart(one, other) => {
            let name = |lifeline| pool.signature().lifeline_name(lifeline);
            unfit!(
                "{} and {} share a part of the partition, but were observed in different logs, \
                 whose order is unknown; put them into different parts",
                name(one),
                name(other)
            )
        }
        NotFiner::OtherLifelines => unfit!("{error}"),
    })
}

impl Restricted {
    /// The format in which it is printed: an interaction, one multi-trace, or the lines of a case file.
    pub fn usual_format(&self) -> Format {
        match &self.0 {
            Kept::Interaction { .. } => Format::Hif,
            Kept::Traces(traces) if traces.len() == 1 => Format::Htf,
            Kept::Traces(_) => Format::Jsonl,
        }
    }

    /// The text of the result.
    ///
    /// # Errors
    /// If it cannot be written in that format.
    pub fn write(&self, to: Format) -> Result<Converted> {
        match (&self.0, to) {
            (Kept::Interaction { tree, .. }, Format::Mermaid | Format::Plantuml) => {
                Ok(convert::diagram(tree, to))
            }
            (Kept::Interaction { tree, .. }, Format::Hif) => Ok(convert::interaction(tree, false)),
            (Kept::Interaction { tree, .. }, Format::Hsf) => {
                if let Some(found) = print::not_in_2020(tree).first() {
                    unfit!("{}; write a .hif", found.message);
                }
                Ok(Converted::Text(print::spec_in(tree, Dialect::Of2020)))
            }
            (Kept::Interaction { .. }, _) => {
                unfit!("a specification is written as .hif, .hsf, .mmd, .puml, .svg or .png")
            }
            (Kept::Traces(traces), Format::Htf | Format::Jsonl) => {
                let written = |KeptTrace { id, trace, values, pool }: &KeptTrace| {
                    let values = values.as_ref().map(|(facts, fields)| (facts, fields));
                    let tree = load::facts::raise(trace, pool, values);
                    Trace { id: id.clone(), tree, case: None }
                };
                let traces: Vec<Trace> = traces.iter().map(written).collect();
                let is_file = to == Format::Jsonl;
                Ok(if is_file { convert::case_file(traces) } else { convert::trace_files(&traces) })
            }
            (Kept::Traces(_), _) => {
                unfit!("multi-traces are written as .htf, .jsonl, .svg or .png, or to a folder")
            }
        }
    }

    /// The picture of the result: a sequence diagram, or the logs of one multi-trace.
    ///
    /// # Errors
    /// If there are several multi-traces, or the picture is too large for PNG.
    pub fn picture(&self, format: PictureFormat, style: &PictureStyle) -> Result<Picture> {
        let scene = match &self.0 {
            Kept::Interaction { tree, signature } => {
                sequence::sequence(tree, signature, &sequence::Options::default())
            }
            Kept::Traces(traces) => {
                let [KeptTrace { trace, pool, values, .. }] = traces.as_slice() else {
                    unfit!("one multi-trace is drawn at a time; {} are given", traces.len());
                };
                let values = values.as_ref().map(|(facts, fields)| (facts, fields));
                let options = multitrace::Options { values, ..multitrace::Options::default() };
                multitrace::multi_trace(trace, pool, &options)
            }
        };
        picture::render(&scene, format, style)
    }
}
