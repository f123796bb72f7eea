//! The tables and figures of the four papers: those that are regenerated, and those that are not.

use crate::artefact::Artefact;
use crate::regenerate::{formulas, measures, nodes, orders, slices, use_cases};
use crate::setting::{Interrupted, Setting, Watch};

/// A table or figure that can be regenerated.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The name of the table or figure, as `003-fig11`.
    pub id: &'static str,
    /// Other tables and figures of the paper that show the same data, or a part of it.
    pub also: &'static [&'static str],
    /// The subject of the table or figure, in a line.
    pub what: &'static str,
    run: Run,
}

impl Item {
    /// Regenerates it.
    ///
    /// # Errors
    /// If the caller cancelled it.
    pub fn run(&self, setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
        (self.run)(setting, watch)
    }

    /// Whether a name selects the item: one of its names, or the beginning of one, such as `003` or
    /// `001-table`.
    pub fn is_called(&self, name: &str) -> bool {
        std::iter::once(&self.id).chain(self.also).any(|id| id.starts_with(name))
    }
}

type Run = fn(Setting, &Watch<'_>) -> Result<Artefact, Interrupted>;

const fn item(
    id: &'static str,
    also: &'static [&'static str],
    what: &'static str,
    run: Run,
) -> Item {
    Item { id, also, what, run }
}

/// The tables and figures that are regenerated, cheap ones first.
pub const ITEMS: &[Item] = &[
    item("004-nodes", &[], "nodes of a search, by priorities", nodes::table),
    item(
        "003-fig7",
        &["003-fig8", "003-fig9", "003-fig10a"],
        "measures of simulations along the drawn paths",
        measures::figures_7_to_10,
    ),
    item("003-fig11", &[], "slices that the criterion misses", measures::figure_11),
    item("000-fig9", &["000-fig7"], "use case: ordering a book", use_cases::run::<0>),
    item("000-fig10", &["000-fig7"], "use case: querying sensors", use_cases::run::<1>),
    item("000-fig11", &["000-fig7"], "use case: alternating bit protocol", use_cases::run::<2>),
    item("000-fig12", &["000-fig7"], "use case: uploading to a server", use_cases::run::<3>),
    item("003-fig12a", &[], "slices of a sequential interaction", slices::figure_12a),
    item("003-fig12b", &[], "wide slices of a concurrent interaction", slices::figure_12b),
    item("000-fig8a", &["000-fig6a"], "3-SAT: small formulas", formulas::small),
    item("000-fig8b", &[], "3-SAT: bigger formulas", formulas::big),
    item("000-fig8c", &["000-fig6b"], "3-SAT: like uf20", formulas::uf20),
    item("001-table1", &[], "CTL over traces: a selection of the others", orders::table_1),
    item("001-table2", &["001-fig3"], "CTL over traces: Peterson for two", orders::table::<2>),
    item("001-table3", &[], "CTL over traces: alternating bit protocol", orders::table::<3>),
    item("001-table4", &["001-fig4"], "CTL over traces: Peterson for n", orders::table::<4>),
    item("001-table5", &[], "CTL over traces: dining philosophers", orders::table::<5>),
];

/// A table or figure that is not regenerated.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    /// The name of the table or figure.
    pub id: &'static str,
    /// The subject of the table or figure.
    pub what: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// The tables and figures that are not regenerated, with the reasons.
pub const ABSENT: &[Absent] = &[
    Absent {
        id: "000-fig1…5",
        what: "a model, its meaning, removal, a search, the reduction of 3-SAT",
        why: "drawings without numbers; `otus draw` makes such pictures (docs/pictures.md), and 000-fig8 runs \
              the reduction",
    },
    Absent {
        id: "000-fig8a, b: numbers",
        what: "sizes and statistics of the custom formulas",
        why: "pictures, whose numbers are not in the text; ours are shown alone",
    },
    Absent {
        id: "000-fig9…12: numbers",
        what: "statistics of the use cases",
        why: "pictures; the text has only two of their numbers, for figure 9",
    },
    Absent {
        id: "001-fig1, 2",
        what: "a trace, a sharing tree",
        why: "drawings without numbers; the trace is in docs/pictures.md",
    },
    Absent {
        id: "001: NuSMV",
        what: "the times of NuSMV",
        why: "another program; `otus-bench ctl nusmv` runs it where it is installed",
    },
    Absent {
        id: "000-fig8: Varisat",
        what: "the times of Varisat",
        why: "another program; `otus-bench engine sat` compares with it",
    },
    Absent {
        id: "003-fig1…6",
        what: "traces, interactions, pruning, follow-ups, an analysis",
        why: "drawings without numbers; `otus draw` and `--graph` make them (docs/pictures.md)",
    },
    Absent {
        id: "003-fig10b",
        what: "a measure that shrinks with the interaction",
        why: "the interaction is only drawn, and the text does not determine it",
    },
    Absent {
        id: "003-fig13…19",
        what: "related work, texts of models and options, an exploration",
        why: "no numbers; the formats are those of Otus (docs/language.md), and `otus explore` draws executions",
    },
    Absent {
        id: "004: figures",
        what: "the language, analyses and explorations of the tool of 2020",
        why: "drawings without numbers; docs/pictures.md has them",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_begin_with_their_paper() {
        let mut ids: Vec<&str> = ITEMS.iter().map(|item| item.id).collect();
        assert!(
            ids.iter().all(|id| ["000-", "001-", "003-", "004-"].iter().any(|p| id.starts_with(p)))
        );
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ITEMS.len());
    }

    #[test]
    fn a_beginning_of_a_name_means_all_that_begin_so() {
        let found = |name: &str| -> Vec<&str> {
            ITEMS.iter().filter(|item| item.is_called(name)).map(|item| item.id).collect()
        };
        assert_eq!(found("003-fig11"), ["003-fig11"]);
        assert_eq!(found("001-fig4"), ["001-table4"]);
        assert_eq!(found("001-table").len(), 5);
        assert_eq!(found("000-fig7").len(), 4);
        assert!(found("005").is_empty());
    }
}
