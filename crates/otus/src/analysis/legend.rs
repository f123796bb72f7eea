//! The legend of a search: the options that it was made with, as the HIBOU README of 2020 prints them beside its
//! graphs. Each is written as in a `.hcf`, so that it can be copied there.

use otus_analysis::{Config, Verdict};
use otus_syntax::options::{OptionValue, Process};
use otus_syntax::print;

/// The names and values of a legend, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Legend(Vec<(String, String)>);

impl Legend {
    /// The options of an analysis and its verdict.
    pub(crate) fn of_analysis(config: &Config, verdict: Verdict) -> Legend {
        let mut legend = Legend::new(Process::Analyze, config);
        // The verdict comes after the goal, as in the README of 2020.
        let place = legend.0.iter().position(|(name, _)| name == "strategy").unwrap_or(0);
        legend.0.insert(place, ("verdict".to_owned(), verdict.to_string()));
        if config.legacy_verdicts {
            legend.push("verdicts", "those of 2020");
        }
        legend
    }

    /// The options of an exploration.
    pub(crate) fn of_exploration(config: &Config) -> Legend {
        Legend::new(Process::Explore, config)
    }

    fn new(process: Process, config: &Config) -> Legend {
        let is_analysis = process == Process::Analyze;
        let mut legend = Legend::default();
        legend.push("process", if is_analysis { "analysis" } else { "exploration" });
        let usual = Config::default().values();
        for value in config.values() {
            let is_shown = match value {
                OptionValue::Strategy(_) | OptionValue::Priorities(_) | OptionValue::Filters(_) => {
                    true
                }
                OptionValue::Kind(_) | OptionValue::Goal(_) => is_analysis,
                // Switches are shown only if they are on.
                OptionValue::LocalAnalysis(_) | OptionValue::PartialOrderReduction(_) => {
                    is_analysis && !usual.contains(&value)
                }
                OptionValue::Memoize(on) => on,
                OptionValue::Loggers(_) | OptionValue::SearchAll(_) => false,
            };
            let text = print::option(&value);
            if let (true, Some((name, value))) = (is_shown, text.split_once(" = ")) {
                legend.push(name, value);
            }
        }
        if config.priorities.randomize {
            legend.push("seed", &config.seed.to_string());
        }
        legend
    }

    fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// One line for each option: `strategy = DFS`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.iter().map(|(name, value)| format!("{name} = {value}")).collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        self.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use otus_analysis::config::{Filters, Priorities};

    use super::*;

    #[test]
    fn it_is_that_of_2020() {
        let legend = Legend::of_analysis(&Config::default(), Verdict::WeakPass);
        let expected = [
            "process = analysis",
            "analysis_kind = prefix",
            "goal = Pass",
            "verdict = WeakPass",
            "strategy = DFS",
            "priorities = []",
            "filters = []",
        ];
        assert_eq!(legend.lines(), expected);
    }

    #[test]
    fn what_is_switched_on_is_added() {
        let config = Config {
            priorities: Priorities { reception: 1, randomize: true, ..Priorities::default() },
            filters: Filters { depth: Some(3), nodes: Some(7), ..Filters::default() },
            memoize: true,
            partial_order_reduction: true,
            seed: 5,
            ..Config::default()
        };
        let expected = [
            "process = exploration",
            "strategy = DFS",
            "priorities = [reception = 1, randomize = true]",
            "filters = [max_depth = 3, max_node_number = 7]",
            "memoize = true",
            "seed = 5",
        ];
        assert_eq!(Legend::of_exploration(&config).lines(), expected);
        let legend =
            Legend::of_analysis(&Config { legacy_verdicts: true, ..config }, Verdict::Fail);
        let lines = legend.lines();
        assert!(lines.contains(&"partial_order_reduction = true".to_owned()), "{lines:?}");
        assert!(lines.contains(&"verdicts = those of 2020".to_owned()), "{lines:?}");
    }
}
