//! Figure 12 of 003: slices of two interactions, by bounded simulation and by the exact engine.

use otus_analysis::config::{Kind, Simulation};
use otus_analysis::{Question, Verdict};

use super::analyses::{
    Analysed, Look, Plan, analyse, draw, explained, search, time_table, together, verdict_table,
};
use crate::artefact::Artefact;
use crate::data;
use crate::setting::{Interrupted, Setting, Watch};
use crate::workload::slices::{Slices, deep, shallow};

pub(crate) fn figure_12a(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let made = shallow(setting);
    let mut artefact =
        Artefact::new("003-fig12a", "slices of i1, all with at most 3 loop instances");
    let (places, different) = (made.by_place, made.sets[1].traces.len());
    artefact.check(made.sets[0].traces.len() == 16, || "there are 16 multi-traces".to_owned());
    artefact.check(places == 7996, || format!("there are 7996 slices by place, not {places}"));
    artefact.differs(format!(
        "Our 16 multi-traces have the paper's {places} slices if equal ones at different places count. We analyse \
         the {different} different ones, and one mutant of each kind for each."
    ));
    run(artefact, 0, &made, setting, watch)
}

pub(crate) fn figure_12b(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let made = deep(setting);
    let mut artefact = Artefact::new("003-fig12b", "wide slices of i2, up to 30 loop instances");
    artefact.differs(format!(
        "Multi-traces are ours, random from seed {}. Every lifeline is a component, since the partition is hard to \
         read in the text and swapping components needs several.",
        setting.seed
    ));
    run(artefact, 1, &made, setting, watch)
}

fn run(
    mut artefact: Artefact,
    half: usize,
    made: &Slices,
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Artefact, Interrupted> {
    let nodes = setting.pick(2_000, 20_000, 50_000);
    let plan = Plan {
        question: Question::SLICE,
        search: search(Kind::Simulate(Simulation::default()), nodes),
        loose: None,
        setting,
        watch,
    };
    artefact.model("model", &made.model);
    for class in &made.sets {
        artefact.traces(class.name, &made.model, &class.traces);
    }
    let analysed = made.sets.iter().map(|class| analyse(&made.model, class, &plan, &mut artefact));
    let sets = analysed.collect::<Result<Vec<_>, _>>()?;
    let (counts, theirs) = data::slices()[half];
    artefact.tables =
        vec![together(&sets, &theirs), verdict_table(&sets, Some(counts)), time_table(&sets)];
    artefact.differs(format!(
        "`graph` is the paper's simulation with its criterion, memoization and local analyses. It does not \
         recognise {} of S within its criterion, which the paper calls Inconc, and gives up after {nodes} \
         nodes, which the paper's did not. `fast` is exact: no execution explains the multi-traces that it refuses.",
        missed(&sets)
    ));
    artefact.differs(
        "The paper's machine had an Intel Core i5-6360U at 2 GHz, and its tool is another program.",
    );
    // The paper says that time grows linearly with length for i1, and has a logarithmic axis for i2.
    let (name, look) =
        if half == 0 { ("i1", Look::VerdictsLinear) } else { ("i2", Look::VerdictsLog) };
    draw(&mut artefact, name, &sets, Some(&theirs), look);
    Ok(artefact)
}

/// The number of slices that the search decides but does not explain.
fn missed(sets: &[Analysed]) -> usize {
    let refused = |set: &Analysed| {
        let decided = set.search.iter().filter(|timed| timed.verdict != Verdict::Inconclusive);
        decided.filter(|timed| !explained(timed.verdict)).count()
    };
    sets.iter().filter(|set| set.name == "S").map(refused).sum()
}
