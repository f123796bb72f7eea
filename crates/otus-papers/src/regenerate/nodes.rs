//! The table of section 4.3 of 004: the number of nodes that a search creates, by priorities.

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind, Priorities};
use otus_analysis::{Question, Verdict};

use super::analyses::{Run, timed_engine, timed_search};
use crate::artefact::Artefact;
use crate::data;
use crate::setting::{Interrupted, Setting, Watch};
use crate::table::{Cell, Table};
use crate::workload::Model;

/// The interaction of the example. The README has it only as a drawing, which is not in its text. This one is
/// reconstructed from what the text says about it: it repeats (a!m, c?m), has a loop whose beginning can be read in two
/// ways, and receptions finish an instance of the loop before another one starts. It gives all eight numbers of nodes.
const MODEL: &str = "par(loopW(a -- m -> b), loopW(a -- m -> c))";

pub(crate) fn table(_: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let mut artefact =
        Artefact::new("004-nodes", "nodes that a search creates until it passes, by priorities");
    let mut table = Table::new("", format!("`{MODEL}`"));
    let rows = [
        ("none", Priorities::default()),
        ("reception = 1", Priorities { reception: 1, ..Priorities::default() }),
    ];
    for ((name, priorities), theirs) in rows.into_iter().zip(data::nodes()) {
        for (repetitions, &paper) in (1..).zip(&theirs) {
            watch.go_on()?;
            let mut model = Model::of_interaction(MODEL);
            let local = |action: &str| vec![action; repetitions].join(".");
            let text = format!("{{[a] {}; [b]; [c] {}}}", local("a!m"), local("c?m"));
            let trace = model.trace(&text);
            if name == "none" {
                artefact.input(format!("{repetitions}.htf"), format!("{text}\n"));
            }
            let config = Config {
                kind: Kind::Accept,
                goal: Some(Verdict::Pass),
                priorities,
                ..Config::default()
            };
            let Run { seconds: slow, verdict, size: nodes } = timed_search(&model, &trace, &config);
            artefact
                .check(verdict == Verdict::Pass, || format!("the search says {verdict}: {text}"));
            artefact.check(nodes == paper, || format!("{nodes} nodes, not {paper}: {text}"));
            let found = timed_engine(&model, &trace, &Question::ACCEPT, &Budget::default());
            artefact.check(found.verdict == Verdict::Pass, || {
                format!("the engine says {}: {text}", found.verdict)
            });
            #[expect(clippy::cast_precision_loss, reason = "some hundred nodes")]
            let ratio = Cell::Times(nodes as f64 / paper as f64);
            table.push([
                ("priorities", Cell::text_of(name)),
                ("repetitions", Cell::count(repetitions)),
                ("paper: nodes", Cell::Count(paper)),
                ("graph: nodes", Cell::Count(nodes)),
                ("graph / paper", ratio),
                ("graph: time", Cell::Seconds(slow)),
                ("fast: states", Cell::Count(found.size)),
                ("fast: time", Cell::Seconds(found.seconds)),
            ]);
        }
    }
    artefact.tables.push(table);
    artefact.model("model", &Model::of_interaction(MODEL));
    artefact.differs(
        "Every number of nodes is the paper's. Its model is a drawing that is not in the text; ours is reconstructed from \
         what the text says about it, and the multi-traces are as the text describes them. The fast engine has no \
         priorities.",
    );
    Ok(artefact)
}
