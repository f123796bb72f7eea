//! A recorded search as a file: a picture (`.svg`, `.png`), Graphviz (`.dot`) or JSON.
//!
//! `--graph` asks for it, or a `graphic` logger in the options of a specification, as in the tools
//! of the papers.

use std::path::{Path, PathBuf};

use anyhow::bail;
use otus_analysis::Verdict;
use otus_analysis::graph::record::{Context, Graph};
use otus_core::{TermId, raise};
use otus_draw::Scene;
use otus_draw::layout::layered::Direction;
use otus_draw::layout::search::{self, search};
use otus_draw::layout::sequence::{self, sequence};
use otus_draw::layout::term::{self, term};
use otus_syntax::ast::SpecFile;
use otus_syntax::options::{GraphicFormat, GraphicOption, Layout, Logger, Process};
use serde_json::{Value, json};

use crate::args::SearchArgs;
use crate::picture::{Look, PictureFormat};
use crate::{options, output};

/// Where a search is to be written, and how.
#[derive(Debug, Clone)]
pub(crate) struct GraphFile {
    path: String,
    look: Look,
    max_nodes: usize,
    direction: Direction,
    /// Whether nodes show sequence diagrams, and whether they show term trees; if neither, texts.
    diagrams: bool,
    trees: bool,
}

impl GraphFile {
    /// What `--graph` asks for.
    pub(crate) fn of_flag(args: &SearchArgs) -> anyhow::Result<Option<Self>> {
        let Some(path) = &args.graph else { return Ok(None) };
        let ending = Path::new(path).extension().and_then(|ending| ending.to_str());
        let known = path == "-"
            || matches!(ending, Some("dot" | "gv" | "json"))
            || PictureFormat::of(path).is_some();
        if !known {
            bail!("--graph writes .svg, .png, .dot and .json files, not {path}");
        }
        let look = Look::new(&args.picture)?;
        Ok(Some(GraphFile {
            path: path.clone(),
            look,
            max_nodes: args.graph_nodes,
            direction: Direction::Down,
            diagrams: true,
            trees: false,
        }))
    }

    /// What the last `graphic` logger of some options asks for. Its picture is called like the
    /// specification, unless it says otherwise.
    pub(crate) fn of_loggers(
        args: &SearchArgs,
        files: &[SpecFile],
        process: Process,
        specification: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        let mut found = None;
        for (file, section) in options::sections(files, process) {
            for logger in section.items.iter().flat_map(|item| options::loggers(&item.value)) {
                if let Logger::Graphic(chosen) = logger {
                    found = Some((file, chosen));
                }
            }
        }
        let Some((file, chosen)) = found else { return Ok(None) };
        let stem = specification.map(Path::new).and_then(Path::file_stem);
        let stem = stem.unwrap_or("search".as_ref());
        let mut name = PathBuf::from(stem);
        let mut folder = PathBuf::new();
        let mut ending = "svg";
        let mut graph = GraphFile {
            path: String::new(),
            look: Look::new(&args.picture)?,
            max_nodes: args.graph_nodes,
            direction: Direction::Down,
            diagrams: true,
            trees: false,
        };
        for option in chosen {
            match option {
                GraphicOption::Format(GraphicFormat::Svg) => ending = "svg",
                GraphicOption::Format(GraphicFormat::Png) => ending = "png",
                GraphicOption::Layout(Layout::Vertical) => graph.direction = Direction::Down,
                GraphicOption::Layout(Layout::Horizontal) => graph.direction = Direction::Right,
                GraphicOption::SequenceDiagrams(wanted) => graph.diagrams = *wanted,
                GraphicOption::TermTrees(wanted) => graph.trees = *wanted,
                GraphicOption::Folder(wanted) => folder = file.names.text(wanted.symbol).into(),
                GraphicOption::Output(wanted) => name = file.names.text(wanted.symbol).into(),
                // Local analyses have no graph of their own here, and every picture has its legend
                // in what it says.
                GraphicOption::SubProcesses(_) | GraphicOption::Legend(_) => {}
            }
        }
        name.as_mut_os_string().push(".");
        name.as_mut_os_string().push(ending);
        graph.path = folder.join(name).to_string_lossy().into_owned();
        Ok(Some(graph))
    }

    /// Writes a search in the format that the ending names; `-` is DOT on standard output.
    pub(crate) fn write(
        &self,
        context: &Context<'_>,
        graph: &Graph,
        verdict: Option<Verdict>,
    ) -> anyhow::Result<()> {
        let path = self.path.as_str();
        if path == "-" {
            return output::print(&context.dot(graph));
        }
        if PictureFormat::of(path).is_some() {
            return self.look.write(&self.draw(context, graph, verdict), path);
        }
        let is_json = Path::new(path).extension().is_some_and(|ending| ending == "json");
        let text =
            if is_json { format!("{:#}\n", to_json(context, graph)) } else { context.dot(graph) };
        output::write_file(Path::new(path), &text)?;
        output::complain(&format!("wrote {path}"));
        Ok(())
    }

    fn draw(&self, context: &Context<'_>, graph: &Graph, verdict: Option<Verdict>) -> Scene {
        let picture = |term: TermId| self.node(context, term);
        let options = search::Options {
            max_nodes: self.max_nodes,
            verdict,
            direction: self.direction,
            term: (self.diagrams || self.trees).then_some(&picture as &dyn Fn(TermId) -> Scene),
            // With flags and clovers, which are counted along the way to a node.
            remaining: None,
        };
        search(context, graph, &options)
    }

    /// The interaction of a node.
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

/// `{"version":1,"nodes":[{"id","term","remaining","measure"?,"leaf"?,"cut"?}],"edges":[{"from","to","rule"}]}`
fn to_json(context: &Context<'_>, graph: &Graph) -> Value {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let mut value = json!({ "id": id, "term": context.pool.text(node.state.term) });
            let remaining = context.remaining(&node.state);
            if !remaining.is_empty() {
                value["remaining"] = json!(remaining);
            }
            if let Some(measure) = context.measure(&node.state) {
                value["measure"] = json!(measure);
            }
            if let Some(leaf) = node.leaf {
                value["leaf"] = json!(leaf.kind.name());
            }
            if node.cut > 0 {
                value["cut"] = json!(node.cut);
            }
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
    json!({ "version": 1, "nodes": nodes, "edges": edges })
}
