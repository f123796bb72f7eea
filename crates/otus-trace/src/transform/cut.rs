//! Slices and prefixes of a multi-trace.
//!
//! A slice keeps a factor (a contiguous part) of every component (Def. 2 of the paper on slices); a
//! multi-prefix keeps a prefix of every component. Both include the whole multi-trace and, unless a
//! share must be kept, the empty one.
//!
//! The cuts are the product of the factors of the components, so they are numbered in a mixed radix
//! in which the last component varies fastest. In a component the empty factor comes first; then
//! come factors by the end of their first occurrence, shorter ones before longer ones
//! ([`factor`](super::factor)). A factor that occurs several times counts once, at its first
//! occurrence.

use std::collections::BTreeSet;
use std::ops::Range;

use fastrand::Rng;
use otus_core::Pool;
use otus_core::index::Index as _;

use super::factor::longest_repeats;
use super::share::Share;
use super::shuffle::Shuffle;
use super::word::{self, Part, Word};
use crate::facts::Facts;
use crate::multitrace::{ComponentId, MultiTrace};

/// All slices of a multi-trace.
///
/// ```
/// use otus_core::Pool;
/// use otus_syntax::{Source, parse_trace, print};
/// use otus_trace::{lower, raise, transform};
///
/// let tree = parse_trace(&Source::new("run.htf", "{[a] a!m.a!m; [b] b?m}")).tree;
/// let mut pool = Pool::new(transform::implied_signature([&tree]));
/// let (run, _) = lower(&tree, &mut pool);
/// let slices: Vec<String> = transform::slices(&run)
///     .iter()
///     .map(|slice| print::trace_line(&raise(&slice.trace, &pool)))
///     .collect();
/// assert_eq!(slices, [
///     "{[a]; [b]}",
///     "{[a]; [b] b?m}",
///     "{[a] a!m; [b]}",
///     "{[a] a!m; [b] b?m}",
///     "{[a] a!m.a!m; [b]}",
///     "{[a] a!m.a!m; [b] b?m}",
/// ]);
/// ```
pub fn slices(trace: &MultiTrace) -> Cuts<'_> {
    cuts(trace, |word| {
        longest_repeats(&word.letters).into_iter().map(|repeat| repeat as usize + 1).collect()
    })
}

/// The slices that keep at least a share of every component, counted in moments.
pub fn wide_slices(trace: &MultiTrace, share: Share) -> Cuts<'_> {
    let mut cuts = slices(trace);
    for windows in &mut cuts.windows {
        windows.widen(share.least(windows.ends.len()));
    }
    cuts
}

/// All multi-prefixes of a multi-trace: each component is cut independently.
pub fn prefixes(trace: &MultiTrace) -> Cuts<'_> {
    cuts(trace, |word| (1..=word.letters.len()).collect())
}

/// The prefixes of a global trace, that is, of a multi-trace with one component; `None` for others,
/// whose order across components is unknown. [`project`](super::project()) turns them into global
/// prefixes of a multi-trace.
pub fn global_prefixes(trace: &MultiTrace) -> Option<Cuts<'_>> {
    trace.partition().is_trivial().then(|| prefixes(trace))
}

/// A set of cuts of a multi-trace, which are computed on demand.
#[derive(Debug, Clone)]
pub struct Cuts<'a> {
    trace: &'a MultiTrace,
    windows: Vec<Windows>,
}

/// A slice or prefix of a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The cut multi-trace.
    pub trace: MultiTrace,
    /// For each component: the moments of the original that are kept.
    pub kept: Vec<Range<usize>>,
    /// For each component: the number of moments of the original.
    pub of: Vec<usize>,
}

impl<'a> Cuts<'a> {
    /// The number of cuts, or `u128::MAX` if there are more.
    pub fn count(&self) -> u128 {
        self.exact_count().unwrap_or(u128::MAX)
    }

    /// The number of cuts if equal cuts at different positions count separately, as in the experiments of the paper
    /// on slices; `u128::MAX` if there are more. A component of n moments has n(n+1)/2 windows, and the empty one
    /// counts once.
    ///
    /// ```
    /// use otus_core::Pool;
    /// use otus_syntax::{Source, parse_trace};
    /// use otus_trace::{lower, transform};
    ///
    /// let tree = parse_trace(&Source::new("run.htf", "{[a] a!m.a!m}")).tree;
    /// let mut pool = Pool::new(transform::implied_signature([&tree]));
    /// let (run, _) = lower(&tree, &mut pool);
    /// let slices = transform::slices(&run);
    /// assert_eq!((slices.count(), slices.count_by_place()), (3, 4));
    /// ```
    pub fn count_by_place(&self) -> u128 {
        let by_place = |windows: &Windows| {
            let most = windows.ends.len() as u128;
            let least = windows.least.max(1) as u128;
            // There are most − k + 1 windows of length k.
            let lengths = (most + 1).saturating_sub(least);
            u128::from(windows.nothing) + lengths * (lengths + 1) / 2
        };
        if self.windows.iter().any(|windows| by_place(windows) == 0) {
            return 0;
        }
        let product = |product: u128, windows| product.checked_mul(by_place(windows));
        self.windows.iter().try_fold(1, product).unwrap_or(u128::MAX)
    }

    /// The cut with the given number, from 0, in the order of [`iter`](Cuts::iter).
    pub fn get(&self, mut number: u128) -> Option<Cut> {
        let mut digits = vec![0; self.windows.len()];
        for (digit, windows) in digits.iter_mut().zip(&self.windows).rev() {
            let radix = u128::from(windows.count);
            *digit = u64::try_from(number.checked_rem(radix)?).ok()?;
            number /= radix;
        }
        (number == 0).then(|| self.cut(&digits))
    }

    /// All cuts in order.
    pub fn iter(&self) -> impl Iterator<Item = Cut> + use<'_, 'a> {
        let mut next =
            self.windows.iter().all(|w| w.count > 0).then(|| vec![0; self.windows.len()]);
        std::iter::from_fn(move || {
            let digits = next.as_mut()?;
            let cut = self.cut(digits);
            let grown = self.windows.iter().zip(digits.iter_mut()).rev().any(|(windows, digit)| {
                *digit += 1;
                if *digit == windows.count {
                    *digit = 0;
                }
                *digit != 0
            });
            if !grown {
                next = None;
            }
            Some(cut)
        })
    }

    /// All cuts in a random order that the seed determines. The first ones are a random sample.
    pub fn sample(&self, seed: u64) -> impl Iterator<Item = Cut> + use<'_, 'a> {
        let numbers = self.exact_count().map(|count| Shuffle::new(count, seed));
        let mut by_digits =
            numbers.is_none().then(|| (Rng::with_seed(seed), BTreeSet::<Vec<u64>>::new()));
        let few = numbers.into_iter().flatten().filter_map(|number| self.get(number));
        // With more than 2¹²⁸ cuts, the components are drawn independently. A cut that was drawn
        // before, which is improbable, is drawn again.
        let many = std::iter::from_fn(move || {
            let (rng, seen) = by_digits.as_mut()?;
            loop {
                let digits: Vec<u64> =
                    self.windows.iter().map(|windows| rng.u64(0..windows.count)).collect();
                if seen.insert(digits.clone()) {
                    return Some(self.cut(&digits));
                }
            }
        });
        few.chain(many)
    }

    fn exact_count(&self) -> Option<u128> {
        // If a component has no window, there is no cut, however many windows the others have.
        if self.windows.iter().any(|windows| windows.count == 0) {
            return Some(0);
        }
        self.windows
            .iter()
            .try_fold(1u128, |product, windows| product.checked_mul(u128::from(windows.count)))
    }

    fn cut(&self, digits: &[u64]) -> Cut {
        let kept: Vec<Range<usize>> =
            self.windows.iter().zip(digits).map(|(windows, &digit)| windows.get(digit)).collect();
        let (trace, _) = self.rebuild(&kept, false);
        let of = self.windows.iter().map(|windows| windows.ends.len()).collect();
        Cut { trace, kept, of }
    }

    /// The values of the events of a cut, of those of the whole multi-trace.
    ///
    /// # Panics
    /// If the cut is one of another multi-trace.
    pub fn facts(&self, cut: &Cut, facts: &Facts) -> Facts {
        let (_, origins) = self.rebuild(&cut.kept, true);
        facts.rearranged(&cut.trace, &origins)
    }

    fn rebuild(&self, kept: &[Range<usize>], tagged: bool) -> (MultiTrace, Vec<u32>) {
        word::rebuild(self.trace.partition(), 0, tagged, |component, builder| {
            let (windows, kept) = (&self.windows[component.index()], &kept[component.index()]);
            let steps = windows.bounds[kept.start]..windows.bounds[kept.end];
            word::copy(builder, Part::all(self.trace, component).part(steps));
        })
    }
}

impl Cut {
    /// Describes what is kept; places count from 1.
    pub fn describe(&self, pool: &Pool) -> String {
        let partition = self.trace.partition();
        let parts: Vec<String> = self
            .kept
            .iter()
            .zip(&self.of)
            .enumerate()
            .map(|(i, (kept, &of))| {
                let name = word::component_text(partition, ComponentId::new(i), pool.signature());
                match kept.len() {
                    len if len == of => format!("all of {name}"),
                    0 => format!("nothing of {name}"),
                    1 => format!("place {} of {of} of {name}", kept.end),
                    _ => format!("places {}-{} of {of} of {name}", kept.start + 1, kept.end),
                }
            })
            .collect();
        format!("kept {}", parts.join(", "))
    }
}

/// The factors of a component that may be kept, called windows.
#[derive(Debug, Clone)]
struct Windows {
    /// The first step of each moment, and the end of the last one.
    bounds: Vec<usize>,
    /// The length of the shortest windows, unless the empty one is allowed.
    least: usize,
    /// Whether the empty window is allowed.
    nothing: bool,
    /// For each moment: the windows that end with it.
    ends: Vec<WindowEnd>,
    count: u64,
}

#[derive(Debug, Clone, Copy)]
struct WindowEnd {
    /// The number of windows that end earlier.
    before: u64,
    /// The length of the shortest window; the longest one begins with the component.
    shortest: usize,
}

/// The cuts whose windows have the given shortest lengths, by last moment.
fn cuts(trace: &MultiTrace, shortest: impl Fn(&Word) -> Vec<usize>) -> Cuts<'_> {
    let windows = trace.partition().components().map(|component| {
        let word = Word::new(trace, component);
        let ends =
            shortest(&word).into_iter().map(|shortest| WindowEnd { before: 0, shortest }).collect();
        let bounds = word.bounds;
        let mut windows = Windows { bounds, least: 0, nothing: true, ends, count: 0 };
        windows.widen(0);
        windows
    });
    Cuts { trace, windows: windows.collect() }
}

impl Windows {
    /// Keeps only windows of at least a length.
    fn widen(&mut self, least: usize) {
        self.least = self.least.max(least);
        self.nothing &= least == 0;
        self.count = u64::from(self.nothing);
        for (i, end) in self.ends.iter_mut().enumerate() {
            end.before = self.count;
            end.shortest = end.shortest.max(least);
            self.count += (i + 2).saturating_sub(end.shortest) as u64;
        }
    }

    /// The window with the given number, as a range of moments.
    fn get(&self, number: u64) -> Range<usize> {
        if self.nothing && number == 0 {
            return 0..0;
        }
        let last = self.ends.partition_point(|end| end.before <= number) - 1;
        let WindowEnd { before, shortest } = self.ends[last];
        let longer = usize::try_from(number - before).expect("no window is longer than the word");
        last + 1 - (shortest + longer)..last + 1
    }
}
