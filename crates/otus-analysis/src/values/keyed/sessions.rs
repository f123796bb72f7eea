//! The sessions of a unit: by key, and by table where the unit has several.

use otus_core::index::Index as _;
use otus_trace::FactId;
use rustc_hash::FxHashMap;

use super::super::expr::ExprId;
use super::fast::{REGISTERS, Registers};

/// A session: its shape, and the values of its variables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Session {
    pub(super) shape: ExprId,
    pub(super) registers: Registers,
}

/// A session of which no event has happened.
pub(super) const IDLE: ExprId = ExprId(u32::MAX);
/// A session with open variables; its first register is its index there.
pub(super) const SLOW: ExprId = ExprId(u32::MAX - 1);

/// Sessions by number, their shapes apart from their registers. Most steps change the shape only, and the shapes of tens of
/// thousands of sessions stay in the cache, where sessions as a whole would not.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) shapes: Vec<ExprId>,
    pub(super) registers: Vec<Registers>,
}

impl Cells {
    /// So many sessions of one shape.
    pub(super) fn of(shape: ExprId, count: usize) -> Self {
        Cells { shapes: vec![shape; count], registers: vec![[0; REGISTERS]; count] }
    }

    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    #[inline]
    pub(super) fn get(&self, cell: usize) -> Option<Session> {
        Some(Session { shape: *self.shapes.get(cell)?, registers: *self.registers.get(cell)? })
    }

    #[inline]
    pub(super) fn set(&mut self, cell: usize, session: Session) {
        self.shapes[cell] = session.shape;
        self.registers[cell] = session.registers;
    }

    fn push(&mut self, session: Session) {
        self.shapes.push(session.shape);
        self.registers.push(session.registers);
    }
}

impl Session {
    pub(super) fn new(shape: ExprId) -> Self {
        Session { shape, registers: [0; REGISTERS] }
    }
}

/// The place of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) unit: usize,
    pub(super) cell: usize,
}

/// The only table of a unit that has no others.
pub(super) const ONLY: u32 = 0;

/// The sessions of a unit.
#[derive(Debug)]
pub(super) enum Sessions {
    /// Of one table: by key.
    Dense(Cells),
    Sparse(Tables),
}

/// The sessions of a unit that has a table in each session of the unit around it.
#[derive(Debug, Default)]
pub(super) struct Tables {
    cells: Cells,
    /// By cell: its table and key.
    names: Vec<(u32, u32)>,
    cell_of: FxHashMap<(u32, u32), u32>,
    own: Vec<Table>,
    /// Cells and tables that nothing uses any more.
    free_cells: Vec<u32>,
    unused: Vec<u32>,
}

#[derive(Debug, Default)]
struct Table {
    /// The cell of the session that has it, in the unit around.
    around: usize,
    cells: Vec<u32>,
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Sessions {
    #[inline]
    pub(super) fn all(&self) -> &Cells {
        match self {
            Sessions::Dense(cells) => cells,
            Sessions::Sparse(tables) => &tables.cells,
        }
    }

    #[inline]
    pub(super) fn set(&mut self, cell: usize, session: Session) {
        match self {
            Sessions::Dense(cells) => cells.set(cell, session),
            Sessions::Sparse(tables) => tables.cells.set(cell, session),
        }
    }

    /// The cell of a session that has begun.
    #[inline]
    pub(super) fn find(&self, table: u32, key: usize) -> Option<usize> {
        match self {
            Sessions::Dense(cells) => (key < cells.len()).then_some(key),
            Sessions::Sparse(tables) => {
                tables.cell_of.get(&(table, narrow(key))).map(|&cell| cell as usize)
            }
        }
    }

    /// The cell of a session, which may be new.
    pub(super) fn enter(&mut self, table: u32, key: usize) -> Option<usize> {
        if let Some(cell) = self.find(table, key) {
            return Some(cell);
        }
        let Sessions::Sparse(tables) = self else { return None };
        let name = (table, narrow(key));
        let cell = match tables.free_cells.pop() {
            Some(cell) => {
                tables.cells.set(cell as usize, Session::new(IDLE));
                tables.names[cell as usize] = name;
                cell
            }
            None => {
                tables.cells.push(Session::new(IDLE));
                tables.names.push(name);
                narrow(tables.cells.len() - 1)
            }
        };
        tables.cell_of.insert(name, cell);
        tables.own.get_mut(table as usize)?.cells.push(cell);
        Some(cell as usize)
    }

    /// A new table of a session in the unit around.
    pub(super) fn open(&mut self, around: usize) -> u32 {
        let Sessions::Sparse(tables) = self else { return ONLY };
        match tables.unused.pop() {
            Some(table) => {
                tables.own[table as usize].around = around;
                table
            }
            None => {
                tables.own.push(Table { around, cells: Vec::new() });
                narrow(tables.own.len() - 1)
            }
        }
    }

    /// Forgets a table whose sessions are over.
    pub(super) fn close(&mut self, table: u32) {
        let Sessions::Sparse(tables) = self else { return };
        let Some(own) = tables.own.get_mut(table as usize) else { return };
        for cell in std::mem::take(&mut own.cells) {
            tables.cell_of.remove(&tables.names[cell as usize]);
            tables.cells.set(cell as usize, Session::new(IDLE));
            tables.free_cells.push(cell);
        }
        tables.unused.push(table);
    }

    /// The cells of a table.
    pub(super) fn cells_of(&self, table: u32) -> Vec<u32> {
        match self {
            Sessions::Dense(cells) => {
                let is_begun = |cell: &u32| cells.shapes[*cell as usize] != IDLE;
                (0..narrow(cells.len())).filter(is_begun).collect()
            }
            Sessions::Sparse(tables) => {
                tables.own.get(table as usize).map_or(Vec::new(), |table| table.cells.clone())
            }
        }
    }

    /// Whether a cell is of a table.
    pub(super) fn is_in(&self, table: u32, cell: usize) -> bool {
        match self {
            Sessions::Dense(_) => true,
            Sessions::Sparse(tables) => tables.names.get(cell).is_some_and(|name| name.0 == table),
        }
    }

    /// The session around a session; `None` if there is one table only.
    pub(super) fn around(&self, cell: usize) -> Option<usize> {
        let Sessions::Sparse(tables) = self else { return None };
        let (table, _) = tables.names.get(cell)?;
        Some(tables.own.get(*table as usize)?.around)
    }

    /// The key of a session.
    pub(super) fn key(&self, cell: usize) -> FactId {
        match self {
            Sessions::Dense(_) => FactId::new(cell),
            Sessions::Sparse(tables) => FactId(tables.names.get(cell).map_or(0, |(_, key)| *key)),
        }
    }
}
