//! The decision heap: the next variable to decide is the one with the most recent conflicts
//! (VSIDS).

const NONE: u32 = u32::MAX;

/// Variables by activity: a binary heap with the position of each variable.
pub(crate) struct ActivityHeap {
    pub(crate) activity: Vec<f64>,
    step: f64,
    heap: Vec<u32>,
    /// For each variable: its position in the heap, or `NONE`.
    places: Vec<u32>,
}

impl ActivityHeap {
    pub(crate) fn new(variables: usize) -> Self {
        let numbers = 0..u32::try_from(variables).expect("variables have 31 bits");
        ActivityHeap {
            activity: vec![0.0; variables],
            step: 1.0,
            heap: numbers.clone().collect(),
            places: numbers.collect(),
        }
    }

    /// Restores the heap after activities were set, and scales them to the size of a bump.
    pub(crate) fn rebuild(&mut self) {
        let most = self.activity.iter().copied().fold(1.0, f64::max);
        self.activity.iter_mut().for_each(|activity| *activity /= most);
        for place in (0..self.heap.len() / 2).rev() {
            self.sink(place);
        }
    }

    pub(crate) fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.step;
        if self.activity[variable] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.step *= 1e-100;
        }
        if self.places[variable] != NONE {
            self.rise(self.places[variable] as usize);
        }
    }

    pub(crate) fn decay(&mut self) {
        self.step /= 0.95;
    }

    pub(crate) fn insert(&mut self, variable: usize) {
        if self.places[variable] == NONE {
            let place = self.heap.len();
            self.heap.push(u32::try_from(variable).unwrap_or(NONE));
            self.rise(place);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        let top = *self.heap.first()?;
        self.places[top as usize] = NONE;
        let last = self.heap.pop()?;
        if last != top {
            self.heap[0] = last;
            self.sink(0);
        }
        Some(top)
    }

    fn key(&self, place: usize) -> f64 {
        self.activity[self.heap[place] as usize]
    }

    fn rise(&mut self, mut place: usize) {
        let variable = self.heap[place];
        while place > 0 && self.activity[variable as usize] > self.key((place - 1) / 2) {
            self.settle(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.settle(place, variable);
    }

    fn sink(&mut self, mut place: usize) {
        let variable = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.key(child + 1) > self.key(child) {
                child += 1;
            }
            if self.key(child) <= self.activity[variable as usize] {
                break;
            }
            self.settle(place, self.heap[child]);
            place = child;
        }
        self.settle(place, variable);
    }

    fn settle(&mut self, place: usize, variable: u32) {
        self.heap[place] = variable;
        self.places[variable as usize] = u32::try_from(place).unwrap_or(NONE);
    }
}
