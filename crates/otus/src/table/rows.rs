//! The events that wait for the end of their runs, in few bytes each.
//!
//! Rows are kept in chunks of columns, so that memory grows without being copied. An event is a number of four bytes
//! ([`Letters`](super::letters::Letters)), its order mostly the distance to the first one of the chunk, four bytes more, and
//! its run another four, unless all rows belong to one run. Only specifications with values have more columns.

/// The number of rows of a chunk.
const BITS: usize = 16;
const ROWS: usize = 1 << BITS;

/// An event: what it is, its place in the order, and what it carries.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) run: u32,
    pub(super) letter: u32,
    pub(super) order: i64,
    /// By field: the number of its value plus one, 0 if it is unknown. Empty if nothing is kept.
    pub(super) values: Vec<u32>,
    /// When it happened, if times are kept; [`NO_TIME`] if that is unknown.
    pub(super) time: i64,
}

/// A time that is not known.
pub(super) const NO_TIME: i64 = i64::MIN;

/// Which columns are kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// Whether rows belong to several runs.
    pub(super) has_runs: bool,
    /// The number of fields whose values are kept.
    pub(super) fields: usize,
    pub(super) has_times: bool,
}

impl Shape {
    /// The number of bytes of a row in memory, with those that it takes while rows are sorted: its number, or a part of the copies
    /// of [`Rows::bring_together`].
    pub(super) fn bytes(self) -> usize {
        let runs = if self.has_runs { 12 } else { 0 };
        let times = if self.has_times { 8 } else { 0 };
        12 + runs + 4 * self.fields + times
    }
}

#[derive(Debug)]
pub(super) struct Rows {
    pub(super) shape: Shape,
    chunks: Vec<Chunk>,
    count: usize,
    /// The additional bytes of orders that are far apart. Counted, because the sum is asked for after every row.
    far: usize,
}

#[derive(Debug, Default)]
struct Chunk {
    runs: Vec<u32>,
    letters: Vec<u32>,
    orders: Orders,
    /// By field.
    values: Vec<Vec<u32>>,
    times: Vec<i64>,
}

/// The order of each row of a chunk.
#[derive(Debug)]
enum Orders {
    /// The distances from the first one.
    Near {
        first: i64,
        distances: Vec<i32>,
    },
    Far(Vec<i64>),
}

impl Default for Orders {
    fn default() -> Self {
        Orders::Near { first: 0, distances: Vec::new() }
    }
}

impl Orders {
    fn push(&mut self, order: i64) {
        if let Orders::Near { first, distances } = self {
            if distances.is_empty() {
                *first = order;
            }
            match order.checked_sub(*first).and_then(|it| i32::try_from(it).ok()) {
                Some(distance) => return distances.push(distance),
                None => {
                    let far = distances.iter().map(|&it| *first + i64::from(it)).collect();
                    *self = Orders::Far(far);
                }
            }
        }
        if let Orders::Far(orders) = self {
            orders.push(order);
        }
    }

    fn at(&self, index: usize) -> i64 {
        match self {
            Orders::Near { first, distances } => first + i64::from(distances[index]),
            Orders::Far(orders) => orders[index],
        }
    }

    fn clear(&mut self) {
        match self {
            Orders::Near { distances, .. } => distances.clear(),
            Orders::Far(_) => *self = Orders::default(),
        }
    }

    /// The additional bytes of orders that are far apart.
    fn more_bytes(&self) -> usize {
        match self {
            Orders::Near { .. } => 0,
            Orders::Far(orders) => 4 * orders.len(),
        }
    }
}

impl Chunk {
    fn read(&self, at: usize, row: &mut Row) {
        row.run = self.runs.get(at).copied().unwrap_or(0);
        row.letter = self.letters[at];
        row.order = self.orders.at(at);
        row.values.clear();
        row.values.extend(self.values.iter().map(|column| column[at]));
        row.time = self.times.get(at).copied().unwrap_or(NO_TIME);
    }
}

/// The rows of neighbouring runs that are brought together: they fit into the cache of a processor.
const PART: usize = 1 << 16;

/// The most parts, to which rows are written side by side.
const MOST_PARTS: usize = 1 << 10;

/// With fewer parts, all rows are in the cache anyway.
const LEAST_PARTS: usize = 16;

impl Rows {
    pub(super) fn new(shape: Shape) -> Rows {
        Rows { shape, chunks: Vec::new(), count: 0, far: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The number of bytes that the rows take.
    pub(super) fn bytes(&self) -> usize {
        self.count * self.shape.bytes() + self.far
    }

    pub(super) fn push(&mut self, row: &Row) {
        let index = self.count >> BITS;
        if index == self.chunks.len() {
            self.chunks
                .push(Chunk { values: vec![Vec::new(); self.shape.fields], ..Chunk::default() });
        }
        let chunk = &mut self.chunks[index];
        if self.shape.has_runs {
            chunk.runs.push(row.run);
        }
        chunk.letters.push(row.letter);
        let before = chunk.orders.more_bytes();
        chunk.orders.push(row.order);
        self.far += chunk.orders.more_bytes() - before;
        for (column, &value) in chunk.values.iter_mut().zip(&row.values) {
            column.push(value);
        }
        if self.shape.has_times {
            chunk.times.push(row.time);
        }
        self.count += 1;
    }

    /// The run of a row; 0 if all rows belong to one run.
    pub(super) fn run(&self, index: usize) -> u32 {
        self.chunks[index >> BITS].runs.get(index & (ROWS - 1)).copied().unwrap_or(0)
    }

    pub(super) fn letter(&self, index: usize) -> u32 {
        self.chunks[index >> BITS].letters[index & (ROWS - 1)]
    }

    pub(super) fn order(&self, index: usize) -> i64 {
        self.chunks[index >> BITS].orders.at(index & (ROWS - 1))
    }

    pub(super) fn read(&self, index: usize, row: &mut Row) {
        self.chunks[index >> BITS].read(index & (ROWS - 1), row);
    }

    /// Moves rows of neighbouring runs near each other, in the order in which they came, so that sorting them by run and reading
    /// them again finds them in the cache of the processor. Of twelve million rows in random order, each row would be fetched from
    /// memory five times. Rows that are near each other already stay where they are.
    pub(super) fn bring_together(&mut self, runs: usize) {
        let parts = (self.count / PART).min(MOST_PARTS);
        if !self.shape.has_runs || parts < LEAST_PARTS {
            return;
        }
        let width = runs.div_ceil(parts).max(1);
        let part = |run: u32| run as usize / width;
        let mut jumps = 0;
        let mut last = 0;
        for chunk in &self.chunks {
            for &run in &chunk.runs {
                jumps += usize::from(part(run) != last);
                last = part(run);
            }
        }
        if jumps < self.count / 8 {
            return;
        }
        let mut all: Vec<Rows> = (0..=parts).map(|_| Rows::new(self.shape)).collect();
        self.pour(|row| all[part(row.run).min(parts)].push(row));
        let mut together = Rows::new(self.shape);
        for mut part in all {
            part.pour(|row| together.push(row));
        }
        *self = together;
    }

    /// Moves all rows to where they belong, and gives up their memory on the way.
    fn pour(&mut self, mut place: impl FnMut(&Row)) {
        let mut row = Row::default();
        for chunk in self.chunks.drain(..) {
            for at in 0..chunk.letters.len() {
                chunk.read(at, &mut row);
                place(&row);
            }
        }
        (self.count, self.far) = (0, 0);
    }

    /// Removes all rows, but keeps the memory of the first chunk for the next run.
    pub(super) fn clear(&mut self) {
        self.chunks.truncate(1);
        for chunk in &mut self.chunks {
            chunk.runs.clear();
            chunk.letters.clear();
            chunk.orders.clear();
            chunk.values.iter_mut().for_each(Vec::clear);
            chunk.times.clear();
        }
        (self.count, self.far) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_run_come_together_in_their_order() {
        let shape = Shape { has_runs: true, fields: 1, has_times: false };
        let (count, runs) = (LEAST_PARTS * PART + 1, 5000);
        let mut rows = Rows::new(shape);
        let random =
            |i: usize| u32::try_from(i.wrapping_mul(0x9e37_79b9) >> 7 & 0xffff).unwrap() % runs;
        for i in 0..count {
            let number = u32::try_from(i).unwrap();
            let (run, order) = (random(i), i64::from(number) << 20);
            rows.push(&Row { run, letter: number, order, values: vec![number], time: NO_TIME });
        }
        let sorted = |rows: &Rows| {
            let mut all: Vec<usize> = (0..rows.len()).collect();
            // Stable: rows of a run stay as they stand.
            all.sort_by_key(|&index| rows.run(index));
            let told = |index| {
                let mut row = Row::default();
                rows.read(index, &mut row);
                (row.run, row.letter, row.order, row.values)
            };
            all.into_iter().map(told).collect::<Vec<_>>()
        };
        let before = sorted(&rows);
        rows.bring_together(runs as usize);
        assert_eq!(rows.len(), count);
        assert!(sorted(&rows) == before);
        // Sixteen parts of 313 runs each do not alternate any more.
        let steps = (1..count).filter(|&index| rows.run(index) / 313 != rows.run(index - 1) / 313);
        assert!(steps.count() < 50);
        // And once more, which changes nothing.
        rows.bring_together(runs as usize);
        assert!(sorted(&rows) == before);
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let shape = Shape { has_runs: true, fields: 2, has_times: true };
        let mut rows = Rows::new(shape);
        let row = |i: u32| Row {
            run: i % 7,
            letter: i,
            // The second chunk has orders that are far apart.
            order: if i == 70_000 { i64::MAX } else { i64::from(i) - 5 },
            values: vec![i, 0],
            time: if i.is_multiple_of(2) { NO_TIME } else { i64::from(i) },
        };
        for round in 0..2 {
            for i in 0..140_000 {
                rows.push(&row(i));
            }
            let mut read = Row::default();
            for i in [0, 1, 65_535, 65_536, 69_999, 70_000, 70_001, 139_999] {
                rows.read(i as usize, &mut read);
                assert_eq!(format!("{read:?}"), format!("{:?}", row(i)), "round {round}");
                assert_eq!(rows.order(i as usize), row(i).order);
            }
            assert!(rows.bytes() > 140_000 * shape.bytes());
            rows.clear();
            assert_eq!((rows.len(), rows.bytes()), (0, 0));
        }
    }
}
