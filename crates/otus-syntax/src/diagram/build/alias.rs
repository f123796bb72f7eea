//! Participants that denote the environment, or a lifeline whose name the diagram cannot spell. Both kinds
//! of alias apply to the whole diagram.

use rustc_hash::FxHashMap;

use crate::diagram::statement::{Mark, Statement, StatementKind};
use crate::name::{Name, Symbol};

pub(in crate::diagram) struct Aliases {
    /// For each alias: its lifeline; `None` for the environment.
    table: FxHashMap<Symbol, Option<Name>>,
}

impl Aliases {
    pub(in crate::diagram) fn of(statements: &[Statement]) -> Aliases {
        let mut table = FxHashMap::default();
        for statement in statements {
            if let StatementKind::Mark(mark) = &statement.kind {
                match mark {
                    Mark::Environment(name) => {
                        table.insert(name.symbol, None);
                    }
                    Mark::Rename { alias, name } => {
                        table.insert(alias.symbol, Some(*name));
                    }
                    Mark::Synchronous
                    | Mark::LoopKind(..)
                    | Mark::Guard(_)
                    | Mark::Anchor(_)
                    | Mark::Values
                    | Mark::Critical(_)
                    | Mark::Beside => {}
                }
            }
        }
        Aliases { table }
    }

    /// The lifeline of a participant; `None` for the environment.
    pub(in crate::diagram) fn lifeline(&self, name: Name) -> Option<Name> {
        match self.table.get(&name.symbol) {
            None => Some(name),
            Some(None) => None,
            Some(Some(real)) => Some(Name { symbol: real.symbol, span: name.span }),
        }
    }

    pub(super) fn lifelines(&self, names: &[Name]) -> Vec<Name> {
        names.iter().filter_map(|&name| self.lifeline(name)).collect()
    }
}
