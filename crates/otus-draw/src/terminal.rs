//! Pictures as text, for terminals: sequence diagrams, and lists for traces and orders.
//!
//! A sequence diagram is first measured ([`measure`]): for each part, the lifelines it touches, its
//! width beyond them and its number of rows. Then every lifeline gets a column,
//! and the rows are written from top to bottom ([`rows`]). Parts can be shared and arbitrarily deep,
//! so both passes use the arena or an explicit stack instead of recursion, and rows beyond a limit are
//! counted but not written.
//!
//! If the diagram is too wide, texts are shortened. If that does not suffice, an error gives the number of
//! columns it needs.

mod canvas;
mod lists;
mod measure;
mod rows;

use otus_core::Signature;
use otus_syntax::ast::SpecFile;

pub use lists::{multi_trace, order};

use canvas::Canvas;
use measure::Measured;

/// The options of text pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The number of columns of the terminal.
    pub width: usize,
    /// The maximum number of rows below the heads.
    pub rows: usize,
    /// Whether only ASCII is used.
    pub ascii: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { width: 80, rows: 400, ascii: false }
    }
}

/// The reason why there is no text picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Even with short labels the diagram does not fit.
    #[error(
        "the diagram needs {needed} columns and there are {room}; write it to a file: -o x.svg"
    )]
    TooWide {
        /// The number of columns that the diagram needs with full labels.
        needed: usize,
        /// The number of columns of the terminal.
        room: usize,
    },
    /// The file has no interaction.
    #[error("there is no interaction to draw")]
    NoInteraction,
}

/// The lengths to which texts are shortened, one after the other, before a diagram is refused as too
/// wide.
const SHORTER: [usize; 6] = [24, 16, 12, 9, 7, 5];

/// The interaction of a file as a sequence diagram of text. Lifelines are in the order of the
/// signature.
///
/// # Errors
/// If it is too wide, or the file has no interaction.
///
/// ```
/// use otus_draw::terminal::{Options, sequence};
/// use otus_syntax::{Source, parse_spec};
///
/// let text = "@lifeline{a; b} @message{m} loopS(a -- m -> b)";
/// let parsed = parse_spec(&Source::new("model.hif", text));
/// let lowered = otus_core::lower(&[&parsed.tree]);
/// let picture = sequence(&parsed.tree, lowered.pool.signature(), &Options::default()).unwrap();
/// assert!(picture.contains("[loop strict]") && picture.contains("►│"));
/// ```
pub fn sequence(
    file: &SpecFile,
    signature: &Signature,
    options: &Options,
) -> Result<String, TextError> {
    let interaction = file.interaction.as_ref().ok_or(TextError::NoInteraction)?;
    let measured = |most: usize| Measured::new(file, interaction, signature, most);
    let full = measured(usize::MAX);
    let needed = full.width;
    let measured = std::iter::once(full)
        .chain(SHORTER.into_iter().map(measured))
        .find(|measured| measured.width <= options.width)
        .ok_or(TextError::TooWide { needed, room: options.width })?;
    let mut canvas = Canvas::new(measured.width, options.ascii);
    rows::write(&measured, interaction, options.rows, &mut canvas);
    if needed > options.width {
        canvas.say(&format!("(labels are shortened; in full it takes {needed} columns)"));
    }
    Ok(canvas.out)
}
