//! Colours that the author of a diagram chose.
//!
//! An area in a strong colour would make the text on it hard to read, especially on a dark background. So an area gets
//! only a tint: one third of the colour over the background keeps a contrast of 4.5 : 1 for text, whatever the colour
//! is. Lines keep the colour as it is.

/// A colour that SVG knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colour(String);

impl Colour {
    /// The colour that an author wrote: `#FF0000`, `Gold`, `#Gold`, `rgb(0, 0, 255)`; the first one of a gradient
    /// `#red/blue`. `None` if the text is not a colour, or stands for no colour (`transparent`).
    ///
    /// ```
    /// use otus_draw::colour::Colour;
    ///
    /// assert_eq!(Colour::of("#Gold"), Colour::of("gold"));
    /// assert!(Colour::of("#a0F").is_some() && Colour::of("rgba(1, 2, 3, 0.5)").is_some());
    /// assert_eq!(Colour::of("red;\"/>"), None);
    /// ```
    pub fn of(text: &str) -> Option<Colour> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(channels) = text.strip_prefix("rgb") {
            let is_number = |c: char| c.is_ascii_digit() || " .,%()/".contains(c);
            let channels = channels.trim_start_matches('a');
            let is_list = channels.starts_with('(') && channels.ends_with(')');
            return (is_list && channels.chars().all(is_number)).then_some(Colour(text));
        }
        // A gradient: `#red/blue`, `#red|blue`.
        let mut parts = text.trim_start_matches('#').split(['/', '\\', '|']);
        let first = parts.next()?;
        if !parts.chain([first]).all(|part| part.chars().all(|c| c.is_ascii_alphanumeric())) {
            return None;
        }
        let is_hex =
            matches!(first.len(), 3 | 6 | 8) && first.chars().all(|c| c.is_ascii_hexdigit());
        if is_hex {
            return Some(Colour(format!("#{first}")));
        }
        let is_word = first.len() > 2 && first.chars().all(|c| c.is_ascii_alphabetic());
        (is_word && first != "transparent").then(|| Colour(first.to_owned()))
    }

    pub(crate) fn of_area(&self) -> String {
        format!("fill: {}; fill-opacity: 0.35;", self.0)
    }

    pub(crate) fn of_head(&self) -> String {
        format!("fill: {};", self.0)
    }

    pub(crate) fn of_line(&self) -> String {
        format!("stroke: {};", self.0)
    }
}
