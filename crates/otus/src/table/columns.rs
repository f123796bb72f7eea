//! Which columns of a table say what about an event.

use std::str::FromStr;

/// What a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Run,
    Lifeline,
    Action,
    Peer,
    Order,
    Time,
}

impl Role {
    pub(crate) const ALL: [Role; 6] =
        [Role::Run, Role::Lifeline, Role::Action, Role::Peer, Role::Order, Role::Time];

    /// Its name, which is also the name of the column unless somebody says otherwise.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Run => "run",
            Role::Lifeline => "lifeline",
            Role::Action => "action",
            Role::Peer => "peer",
            Role::Order => "order",
            Role::Time => "time",
        }
    }

    /// Another name that columns often have.
    pub(crate) fn other_name(self) -> Option<&'static str> {
        (self == Role::Order).then_some("seq")
    }

    /// Whether no event can do without it.
    pub(crate) fn is_required(self) -> bool {
        matches!(self, Role::Run | Role::Lifeline | Role::Action)
    }

    /// What it says.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Role::Run => "the run of an event",
            Role::Lifeline => "who acted",
            Role::Action => "what was done: `!message` (sent) or `?message` (received)",
            Role::Peer => "the other end of the message",
            Role::Order => "the place of an event in the log of its lifeline",
            Role::Time => "when it happened",
        }
    }
}

/// The names of the columns of a table of events.
///
/// A column without a name here is called as its role: `run`, `lifeline`, `action`, `peer`, `order` (or `seq`), `time`. Without
/// a column of orders, the events of a lifeline are in the order of the rows.
///
/// ```
/// use otus::table::TableColumns;
///
/// let columns: TableColumns = "run=trace_id,lifeline=host".parse()?;
/// assert_eq!(columns.to_string(), "run=trace_id,lifeline=host");
/// assert!("rum=trace_id".parse::<TableColumns>().unwrap_err().contains("`run`"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableColumns {
    /// The names that were given, by role.
    named: Vec<(Role, String)>,
}

impl TableColumns {
    /// The name that was given for a role.
    pub(crate) fn named(&self, role: Role) -> Option<&str> {
        self.named.iter().rev().find(|(own, _)| *own == role).map(|(_, name)| name.as_str())
    }
}

impl FromStr for TableColumns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut columns = TableColumns::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let known = || {
                let names: Vec<String> =
                    Role::ALL.iter().map(|role| format!("`{}`", role.name())).collect();
                names.join(", ")
            };
            let Some((role, name)) = pair.split_once('=') else {
                return Err(format!(
                    "`{pair}` names no column; write ROLE=COLUMN with a role of {}",
                    known()
                ));
            };
            let (role, name) = (role.trim(), name.trim());
            let Some(role) = Role::ALL.into_iter().find(|own| own.name() == role) else {
                return Err(format!("there is no role `{role}`; there are {}", known()));
            };
            if name.is_empty() {
                return Err(format!("`{pair}` has no name of a column after `=`"));
            }
            columns.named.push((role, name.to_owned()));
        }
        Ok(columns)
    }
}

impl std::fmt::Display for TableColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (role, name)) in self.named.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}={name}", role.name())?;
        }
        Ok(())
    }
}
