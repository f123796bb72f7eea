//! Batches of events as columns.
//!
//! Columns are plain slices, so that this crate needs no library of tables. A caller with Arrow or Parquet passes its
//! texts and the keys of its dictionaries as they are; no text is copied before the checker keeps it.

/// A column of texts, one for each row. `None` is a null.
#[derive(Debug, Clone, Copy)]
pub enum Texts<'a> {
    /// The texts themselves.
    Each(&'a [Option<&'a str>]),
    /// For each row, the index of its text in a dictionary.
    Keys {
        /// The indices.
        keys: &'a [Option<u32>],
        /// The dictionary.
        texts: &'a [Option<&'a str>],
    },
    /// Whole numbers, which stand for their decimal texts. Runs often have such names.
    Numbers(&'a [Option<i64>]),
}

impl Texts<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Texts::Each(texts) => texts.len(),
            Texts::Keys { keys, .. } => keys.len(),
            Texts::Numbers(numbers) => numbers.len(),
        }
    }
}

/// A column of the values of a field. `None` is a value that is not known.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Whole numbers.
    Integers(&'a [Option<i64>]),
    /// Numbers. One that is not finite is not known.
    Numbers(&'a [Option<f64>]),
    /// Truth values.
    Booleans(&'a [Option<bool>]),
    /// Texts.
    Texts(Texts<'a>),
}

impl Values<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Integers(values) => values.len(),
            Values::Numbers(values) => values.len(),
            Values::Booleans(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }
}

/// Some events. All columns have the same number of rows.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The run of each event.
    pub run: Texts<'a>,
    /// Whether the dictionary of runs is that of the batch before, so that its texts need not be looked up again.
    pub shares_runs: bool,
    /// The lifeline that acted.
    pub lifeline: Texts<'a>,
    /// The action: `!m` if the lifeline sent the message m, `?m` if it received it.
    pub action: Texts<'a>,
    /// The other end of the message; `None` if no peer is known.
    pub peer: Option<Texts<'a>>,
    /// The position of each event among those of its lifeline and run. Without it, that is the order of the rows.
    pub order: Option<&'a [Option<i64>]>,
    /// When each event happened by the clock of its lifeline, in nanoseconds since 1970.
    pub time: Option<&'a [Option<i64>]>,
    /// The values of fields. Only fields that guards of the specification name are kept.
    pub values: &'a [(&'a str, Values<'a>)],
}

impl<'a> Batch<'a> {
    /// Events with these runs, lifelines and actions.
    pub fn new(run: Texts<'a>, lifeline: Texts<'a>, action: Texts<'a>) -> Batch<'a> {
        Batch {
            run,
            shares_runs: false,
            lifeline,
            action,
            peer: None,
            order: None,
            time: None,
            values: &[],
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.run.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lengths of the columns, by their names.
    pub(super) fn lengths(&self) -> impl Iterator<Item = (&'a str, usize)> {
        let fixed = [
            ("lifeline", Some(self.lifeline.len())),
            ("action", Some(self.action.len())),
            ("peer", self.peer.map(|peer| peer.len())),
            ("order", self.order.map(<[_]>::len)),
            ("time", self.time.map(<[_]>::len)),
        ];
        let fixed = fixed.into_iter().filter_map(|(name, length)| Some((name, length?)));
        fixed.chain(self.values.iter().map(|(name, values)| (*name, values.len())))
    }
}
