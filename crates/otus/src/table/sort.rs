//! Puts rows into the order in which they are checked: by run, by clock, by order; ties as they came.
//!
//! Rows in memory are sorted by counting, since runs and clocks are small numbers: one pass finds where each run begins, the
//! next puts every row into its place, and the same is done for the clocks of each run. Only logs that are not in order
//! yet are compared. Beyond a limit, sorted rows are written to a temporary file, and all such files are merged at the end
//! (an external merge sort), so one run may be larger than the memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;

use super::rows::{NO_TIME, Row, Rows, Shape};

/// The indices of rows in memory, sorted.
#[derive(Debug)]
pub(super) struct Order {
    indices: Vec<u32>,
    /// The end of each run in `indices`.
    ends: Vec<u32>,
}

impl Order {
    /// The order of rows of this many runs, whose letters have these clocks out of `clocks`. At most 2^32 rows.
    pub(super) fn of(rows: &Rows, runs: usize, clocks: usize, clock: &dyn Fn(u32) -> u32) -> Order {
        let count = rows.len();
        let (mut indices, ends) = if rows.shape.has_runs {
            let mut ends = vec![0_u32; runs];
            (0..count).for_each(|index| ends[rows.run(index) as usize] += 1);
            let mut start = 0;
            for end in &mut ends {
                (start, *end) = (start + *end, start);
            }
            let mut indices = vec![0_u32; count];
            for index in 0..count {
                let place = &mut ends[rows.run(index) as usize];
                indices[*place as usize] = number(index);
                *place += 1;
            }
            (indices, ends)
        } else {
            (Vec::new(), vec![number(count)])
        };
        let mut counts = vec![0_u32; clocks];
        let mut sorted: Vec<u32> = Vec::new();
        let mut start = 0;
        for &end in &ends {
            let range = start as usize..end as usize;
            start = end;
            if range.is_empty() {
                continue;
            }
            // Where each clock of the run begins.
            counts.fill(0);
            let at =
                |place: usize| if indices.is_empty() { place } else { indices[place] as usize };
            let clock_at = |place: usize| clock(rows.letter(at(place))) as usize;
            range.clone().for_each(|place| counts[clock_at(place)] += 1);
            let mut first = 0;
            for count in &mut counts {
                (first, *count) = (first + *count, first);
            }
            sorted.clear();
            sorted.resize(range.len(), 0);
            for place in range.clone() {
                let free = &mut counts[clock_at(place)];
                sorted[*free as usize] = number(at(place));
                *free += 1;
            }
            let order = |index: &u32| rows.order(*index as usize);
            let mut first = 0;
            for &last in &counts {
                let log = &mut sorted[first as usize..last as usize];
                first = last;
                if !log.is_sorted_by_key(order) {
                    log.sort_by_key(order);
                }
            }
            if indices.is_empty() {
                indices = std::mem::take(&mut sorted);
            } else {
                indices[range].copy_from_slice(&sorted);
            }
        }
        Order { indices, ends }
    }

    /// The indices of the rows of a run.
    pub(super) fn run(&self, run: usize) -> &[u32] {
        let start = run.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.indices[start as usize..self.ends[run] as usize]
    }

    /// The indices of all rows.
    fn all(&self) -> &[u32] {
        &self.indices
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The most files that are merged at once, since a process has few.
const FILES: usize = 64;

/// Sorted rows in temporary files.
#[derive(Debug)]
pub(super) struct Spill {
    shape: Shape,
    files: Vec<File>,
}

impl Spill {
    pub(super) fn new(shape: Shape) -> Spill {
        Spill { shape, files: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes rows in this order into another file of the folder.
    pub(super) fn add(
        &mut self,
        rows: &Rows,
        order: &Order,
        folder: Option<&Path>,
        clock: &dyn Fn(u32) -> u32,
    ) -> io::Result<()> {
        let mut file = Writer::new(self.shape, folder)?;
        let mut row = Row::default();
        for &index in order.all() {
            rows.read(index as usize, &mut row);
            file.write(&row)?;
        }
        self.files.push(file.finish()?);
        if self.files.len() == FILES {
            let mut merged = Writer::new(self.shape, folder)?;
            let mut all = std::mem::replace(self, Spill::new(self.shape)).merge(clock)?;
            while all.next(&mut row, clock)? {
                merged.write(&row)?;
            }
            self.files.push(merged.finish()?);
        }
        Ok(())
    }

    pub(super) fn merge(self, clock: &dyn Fn(u32) -> u32) -> io::Result<Merge> {
        let Spill { shape, files } = self;
        let mut merge = Merge { readers: Vec::new(), heap: BinaryHeap::new() };
        for mut file in files {
            file.rewind()?;
            let number = merge.readers.len();
            let file = BufReader::with_capacity(BUFFER, file);
            let mut reader = Reader { shape, file, next: Row::default(), bytes: Vec::new() };
            if reader.read()? {
                merge.heap.push(Reverse((key(&reader.next, clock), number)));
            }
            merge.readers.push(reader);
        }
        Ok(merge)
    }
}

const BUFFER: usize = 1 << 18;

/// What rows are sorted by: run, clock, order.
type Key = (u32, u32, i64);

fn key(row: &Row, clock: &dyn Fn(u32) -> u32) -> Key {
    (row.run, clock(row.letter), row.order)
}

/// Files of sorted rows, merged. Of rows with equal keys, those of the first file come first.
#[derive(Debug)]
pub(super) struct Merge {
    readers: Vec<Reader>,
    heap: BinaryHeap<Reverse<(Key, usize)>>,
}

impl Merge {
    /// The run of the next row.
    pub(super) fn next_run(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse(((run, ..), _))| *run)
    }

    /// Reads the next row; false if there is none.
    pub(super) fn next(&mut self, row: &mut Row, clock: &dyn Fn(u32) -> u32) -> io::Result<bool> {
        let Some(mut first) = self.heap.peek_mut() else { return Ok(false) };
        let Reverse((least, number)) = &mut *first;
        let reader = &mut self.readers[*number];
        std::mem::swap(row, &mut reader.next);
        if reader.read()? {
            *least = key(&reader.next, clock);
        } else {
            std::collections::binary_heap::PeekMut::pop(first);
        }
        Ok(true)
    }
}

struct Writer {
    shape: Shape,
    file: BufWriter<File>,
}

impl Writer {
    fn new(shape: Shape, folder: Option<&Path>) -> io::Result<Writer> {
        let file = match folder {
            Some(folder) => tempfile::tempfile_in(folder)?,
            None => tempfile::tempfile()?,
        };
        Ok(Writer { shape, file: BufWriter::with_capacity(BUFFER, file) })
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        self.file.write_all(&row.run.to_le_bytes())?;
        self.file.write_all(&row.letter.to_le_bytes())?;
        self.file.write_all(&row.order.to_le_bytes())?;
        for value in &row.values {
            self.file.write_all(&value.to_le_bytes())?;
        }
        if self.shape.has_times {
            self.file.write_all(&row.time.to_le_bytes())?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<File> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

#[derive(Debug)]
struct Reader {
    shape: Shape,
    file: BufReader<File>,
    next: Row,
    bytes: Vec<u8>,
}

impl Reader {
    /// Reads the next row; false at the end.
    fn read(&mut self) -> io::Result<bool> {
        let Shape { fields, has_times, .. } = self.shape;
        let length = 16 + 4 * fields + if has_times { 8 } else { 0 };
        self.bytes.resize(length, 0);
        match self.file.read_exact(&mut self.bytes) {
            Ok(()) => {}
            // Files have whole rows only, so this is the end.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
        let mut words = self.bytes.chunks_exact(4).map(|word| {
            word.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte))
        });
        let mut word = || words.next().unwrap_or_default();
        let Row { run, letter, order, values, time } = &mut self.next;
        (*run, *letter) = (word(), word());
        *order = long(word(), word());
        values.clear();
        values.extend((0..fields).map(|_| word()));
        *time = if has_times { long(word(), word()) } else { NO_TIME };
        Ok(true)
    }
}

fn long(low: u32, high: u32) -> i64 {
    (u64::from(high) << 32 | u64::from(low)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three runs and two clocks, with orders in both directions and ties.
    fn rows(seed: u64, count: usize) -> Vec<Row> {
        let mut state = seed;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let row = |_| Row {
            run: u32::try_from(random(3)).unwrap(),
            letter: u32::try_from(random(4)).unwrap(),
            order: i64::try_from(random(40)).unwrap() - 20,
            values: vec![u32::try_from(random(9)).unwrap()],
            time: i64::try_from(random(5)).unwrap(),
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn files_and_memory_give_the_same_order() {
        let shape = Shape { has_runs: true, fields: 1, has_times: true };
        let clock = |letter: u32| letter % 2;
        for (count, size) in [(0, 5), (1, 5), (50, 7), (400, 3)] {
            let all = rows(7, count);
            let mut expected = all.clone();
            expected.sort_by_key(|row| key(row, &clock));
            let expected: Vec<String> = expected.iter().map(|row| format!("{row:?}")).collect();

            let mut held = Rows::new(shape);
            for row in &all {
                held.push(row);
            }
            let order = Order::of(&held, 3, 2, &clock);
            let read = |&index: &u32| {
                let mut row = Row::default();
                held.read(index as usize, &mut row);
                format!("{row:?}")
            };
            assert_eq!(order.all().iter().map(read).collect::<Vec<_>>(), expected);
            let parts: usize = (0..3).map(|run| order.run(run).len()).sum();
            assert_eq!(parts, count);

            // More files than are merged at once.
            let mut spill = Spill::new(shape);
            for part in all.chunks(size) {
                let mut held = Rows::new(shape);
                for row in part {
                    held.push(row);
                }
                let order = Order::of(&held, 3, 2, &clock);
                spill.add(&held, &order, None, &clock).unwrap();
            }
            let mut merge = spill.merge(&clock).unwrap();
            let (mut found, mut row) = (Vec::new(), Row::default());
            loop {
                let run = merge.next_run();
                if !merge.next(&mut row, &clock).unwrap() {
                    break;
                }
                assert_eq!(run, Some(row.run));
                found.push(format!("{row:?}"));
            }
            assert_eq!(found, expected);
        }
    }
}
