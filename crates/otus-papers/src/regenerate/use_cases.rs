//! Figures 9 to 12 of paper 000, and figure 7, which shows a part of them: four use cases, by removal
//! of lifelines.

use otus_analysis::Question;
use otus_analysis::config::Kind;

use super::analyses::{Look, Plan, all, analyse, draw, search, time_table, verdict_table};
use crate::artefact::Artefact;
use crate::data;
use crate::setting::{Interrupted, Setting, Watch};
use crate::table::{Cell, Table};
use crate::workload::use_cases::USE_CASES;

/// The experiment of a use case, by its index in [`USE_CASES`].
pub(crate) fn run<const CASE: usize>(
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Artefact, Interrupted> {
    let case = &USE_CASES[CASE];
    let mut artefact =
        Artefact::new(case.id, format!("use case, {}: prefixes and mutants", case.title));
    let mut model = case.model();
    let classes = case.classes(&mut model, setting);
    let plan = Plan {
        question: Question::MULTI_PREFIX,
        search: search(Kind::Eliminate, setting.pick(5_000, 5_000, 100_000)),
        loose: Some(case.loose()),
        setting,
        watch,
    };
    artefact.model("model", &model);
    for class in &classes {
        artefact.traces(class.name, &model, &class.traces);
    }
    let analysed = classes.iter().map(|class| analyse(&model, class, &plan, &mut artefact));
    let sets = analysed.collect::<Result<Vec<_>, _>>()?;
    artefact.tables = vec![verdict_table(&sets, None), time_table(&sets)];
    if case.id == "000-fig9" {
        let mut table = Table::new("-together", "All sets together");
        let mut push = |of: &str, median: f64, mean: f64| {
            let [median, mean] = [median, mean].map(Cell::Seconds);
            table.push([("of", Cell::text_of(of)), ("median", median), ("mean", mean)]);
        };
        let [first, second] = data::book();
        push("paper (which is which is not known)", first, second);
        for (name, found) in [
            ("graph", all(&sets, |set| &set.search)),
            ("fast, cold", all(&sets, |set| &set.cold)),
            ("fast", all(&sets, |set| &set.fast)),
        ] {
            push(name, found.median, found.mean);
        }
        artefact.tables.push(table);
        artefact.differs(
            "The text has only two numbers of the paper's statistics, without their names; they are shown \
             beside our medians and means of all sets.",
        );
    } else {
        artefact.differs(
            "The text has no numbers of this figure: its plots and statistics are pictures.",
        );
    }
    artefact.differs(format!(
        "Multi-traces are ours, from seed {}: {}. The paper's are not part of its text.",
        setting.seed, case.made
    ));
    artefact.differs(
        "`graph` is the paper's search with memoization and local analyses, on our machine; a mutant that \
         happens to be right is explained, as in the paper.",
    );
    let apart: usize = sets.iter().map(|set| set.apart).sum();
    if apart > 0 {
        artefact.differs(format!(
            "{apart} mutants are explained by `graph` and refused by `fast`, and both are right: the semantics of the \
             paper is tuples of local traces, in which events of different machines are unordered, and that of `fast` is \
             projections of global executions. Each of them was analysed again with emissions and receptions \
             unordered, and is then explained."
        ));
    }
    if case.id == "000-fig10" {
        artefact.differs(
            "The drawing of the paper's model is not part of the text, so the model is ours: a mediator that \
             asks a registry, a translator and two sensors.",
        );
    }
    draw(&mut artefact, case.title, &sets, None, Look::Engines);
    Ok(artefact)
}
