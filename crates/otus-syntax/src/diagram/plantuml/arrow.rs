//! The parser of arrows, `A -> B : m`, in all styles of PlantUML.
//!
//! ```text
//! arrow  = [anchor] side dress body dress side [anchor] {activation | colour | link} [":" label]
//! side   = name | "[" | "]" | "?"            name = code ["as" quoted] | quoted ["as" code]
//! dress  = ["o" | "x"] ("<" | "<<" | "/" | "//" | "\" | "\\"), mirrored on the right
//! body   = dashes, with "[#red,dashed]" somewhere among them
//! ```
//!
//! Only the side of the head has a meaning, and for `return` whether the body is dotted (see
//! [`super::calls`]). Sources: experiments with PlantUML 1.2020.2, the release notes of later versions,
//! and the public guide.

use std::ops::Range;

use crate::diagram::is_one_of;
use crate::drawing::ArrowHead;

/// The result of parsing a line as an arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    Arrow(Box<Arrow>),
    /// `A -- B`: a line without a head.
    Headless(Range<usize>),
    /// `{a} <-> {b} : 5 s`: a duration between two anchors.
    Duration,
    Other,
}

/// An arrow, with its ends in the direction of the message.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of the picture by itself")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arrow {
    /// The sender; `None` for `[`, `]` and `?`, which are the environment.
    pub(super) from: Option<Participant>,
    pub(super) to: Option<Participant>,
    /// The further receivers of `A -> B & C`.
    pub(super) others: Vec<Participant>,
    pub(super) dotted: bool,
    /// The colour of the arrow's line.
    pub(super) colour: Option<Range<usize>>,
    /// Whether the arrow's head is open (`->>`), or half (`-/`).
    pub(super) head: ArrowHead,
    /// `-[hidden]>`: it only moves the parts of the picture.
    pub(super) hidden: bool,
    /// `A <-> B`: another message goes the other way.
    pub(super) both: bool,
    /// Whether the receiver's end has a cross: the message is lost.
    pub(super) lost: bool,
    /// Whether the sender's end has a cross. Of an arrow with two heads, the message back is lost.
    pub(super) crossed: bool,
    /// `++`, `--`, `**`, `!!` after the target, at most two of them.
    pub(super) activations: Vec<Activation>,
    /// The text after the colon, if there is a colon.
    pub(super) label: Option<Range<usize>>,
}

/// A participant at an end of an arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Participant {
    /// The name, without quotes.
    pub(super) name: Range<usize>,
    /// The name with its quotes.
    pub(super) place: Range<usize>,
    pub(super) quoted: bool,
    /// The label, if there is an `as`.
    pub(super) label: Option<Range<usize>>,
}

/// A suffix of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    /// `++`
    Activate,
    /// `--`
    Deactivate,
    /// `**`
    Create,
    /// `!!`
    Destroy,
}

pub(super) fn read(line: &str) -> Reading {
    let mut cursor = Cursor { text: line, position: 0 };
    cursor.arrow().unwrap_or(Reading::Other)
}

/// The name at the start of a text.
pub(super) fn name(text: &str) -> Option<Participant> {
    Cursor { text, position: 0 }.bare_or_quoted()
}

/// Whether a character can occur in an unquoted name.
pub(super) fn is_code_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '@')
}

/// Heads and decorations at one end of the body.
#[derive(Debug, Clone, Copy, Default)]
struct Dress {
    head: bool,
    cross: bool,
    look: ArrowHead,
}

/// The line of an arrow.
#[derive(Debug, Clone)]
struct Body {
    dotted: bool,
    hidden: bool,
    colour: Option<Range<usize>>,
}

struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    fn arrow(&mut self) -> Option<Reading> {
        if self.anchor() && self.rest().starts_with("<->") {
            return Some(Reading::Duration);
        }
        let left = if self.rest().starts_with(['[', ']', '?']) {
            self.position += 1;
            None
        } else {
            Some(self.participant()?)
        };
        let begin = self.position;
        let left_dress = self.left_dress(left.is_none());
        let body = self.body()?;
        let after_body = self.position;
        let (right_dress, right) = self.right()?;
        // The arrow itself, for diagnostics.
        let tail = self.text[after_body..].find(|c| !matches!(c, '>' | '/' | '\\' | 'x' | 'o'));
        let arrow = begin..after_body + tail.unwrap_or(0);
        // If one end is a border of the picture, the participant at the other end has no label.
        if let (None, other) | (other, None) = (&left, &right)
            && other.as_ref().is_none_or(|other| other.label.is_some())
        {
            return None;
        }
        let others = self.others();
        let (activations, label) = self.suffixes()?;
        let (reversed, both) = match (left_dress, right_dress) {
            (Dress { head: true, .. }, Dress { head: true, .. })
            | (Dress { head: false, cross: true, .. }, Dress { head: false, cross: true, .. }) => {
                (false, true)
            }
            (_, Dress { head: true, .. }) => (false, false),
            (Dress { head: true, .. }, _) => (true, false),
            (Dress { cross: false, .. }, Dress { cross: true, .. }) => (false, false),
            (Dress { cross: true, .. }, Dress { cross: false, .. }) => (true, false),
            (Dress { cross: false, .. }, Dress { cross: false, .. }) => {
                return Some(Reading::Headless(arrow));
            }
        };
        let (mut ends, mut dresses) = ([left, right], [left_dress, right_dress]);
        if reversed {
            ends.reverse();
            dresses.reverse();
        }
        let [from, to] = ends;
        let [crossed, lost] = dresses.map(|dress| dress.cross);
        let Body { dotted, hidden, colour } = body;
        let head = dresses[1].look;
        let arrow = Arrow {
            from,
            to,
            others,
            dotted,
            colour,
            head,
            hidden,
            both,
            lost,
            crossed,
            activations,
            label,
        };
        Some(Reading::Arrow(Box::new(arrow)))
    }

    /// `& C & D` after the target.
    fn others(&mut self) -> Vec<Participant> {
        let mut others = Vec::new();
        loop {
            let before = self.position;
            self.skip_spaces();
            let target = self.rest().strip_prefix('&').and_then(|_| {
                self.position += 1;
                self.skip_spaces();
                self.bare_or_quoted()
            });
            match target {
                Some(target) => others.push(target),
                None => {
                    self.position = before;
                    return others;
                }
            }
        }
    }

    /// `{name} `
    fn anchor(&mut self) -> bool {
        let Some(inside) = self.rest().strip_prefix('{') else { return false };
        let Some(length) = inside.find('}') else { return false };
        let fits = length > 0 && inside[..length].chars().all(|c| c == '_' || c.is_alphanumeric());
        if fits {
            self.position += length + 2;
            self.skip_spaces();
        }
        fits
    }

    /// A name, perhaps with `as`.
    fn participant(&mut self) -> Option<Participant> {
        let mut first = self.bare_or_quoted()?;
        let after_first = self.position;
        self.skip_spaces();
        let spaced = self.position > after_first;
        let after_as = self.rest().get(..2).filter(|word| word.eq_ignore_ascii_case("as"));
        if after_as.is_some() && (first.quoted || spaced) {
            self.position += 2;
            let space = self.rest().starts_with(char::is_whitespace);
            self.skip_spaces();
            if let Some(second) = self.bare_or_quoted() {
                if first.quoted && !second.quoted && space {
                    return Some(Participant { label: Some(first.name), ..second });
                }
                if !first.quoted && second.quoted {
                    first.label = Some(second.name);
                    return Some(first);
                }
            }
        }
        self.position = after_first;
        Some(first)
    }

    fn bare_or_quoted(&mut self) -> Option<Participant> {
        let start = self.position;
        let (quote, length) = match self.rest().strip_prefix('"') {
            Some(inside) => (1, inside.find('"')?),
            None => (0, self.rest().find(|c| !is_code_char(c)).unwrap_or(self.rest().len())),
        };
        if length == 0 {
            return None;
        }
        self.position += length + 2 * quote;
        let name = start + quote..start + quote + length;
        Some(Participant { name, place: start..self.position, quoted: quote > 0, label: None })
    }

    /// Decorations and heads before the body. `o` and `x` need a space before them unless the
    /// arrow comes from outside.
    fn left_dress(&mut self, outside: bool) -> Dress {
        let before = self.position;
        if !outside {
            self.skip_spaces();
        }
        let mut dress = Dress::default();
        let decorated = self.rest().starts_with(['o', 'x', 'O', 'X']);
        if decorated && (outside || self.position > before) {
            dress.cross = self.rest().starts_with(['x', 'X']);
            self.position += 1;
        } else {
            self.slant();
        }
        if let Some(look) = self.head('<') {
            (dress.head, dress.look) = (true, look);
        }
        if dress.head && self.rest().starts_with('_') {
            self.position += 1;
        }
        dress
    }

    /// Dashes and style.
    fn body(&mut self) -> Option<Body> {
        let mut dashes = self.dashes();
        let (mut dotted, mut hidden, mut colour) = (false, false, None);
        if let Some(inside) = self.rest().strip_prefix('[')
            && let Some(length) = inside.find(']')
            && is_style(&inside[..length])
        {
            let style = || inside[..length].split([',', ';']).map(str::trim);
            dotted = style().any(|word| is_one_of(word, "dashed dotted"));
            hidden = style().any(|word| is_one_of(word, "hidden"));
            colour = style().find(|word| word.starts_with('#')).map(|word| {
                let start = self.position + 1 + inside.find(word).unwrap_or(0);
                start..start + word.len()
            });
            self.position += length + 2;
            dashes += self.dashes();
        }
        (dashes > 0).then_some(Body { dotted: dotted || dashes > 1, hidden, colour })
    }

    fn dashes(&mut self) -> usize {
        let count = self.rest().bytes().take_while(|&byte| byte == b'-').count();
        self.position += count;
        count
    }

    /// Reads the rest of an arrow after its body: the head, the decorations, and the participant on the right.
    fn right(&mut self) -> Option<(Dress, Option<Participant>)> {
        if self.rest().starts_with('_') {
            self.position += 1;
        }
        let head = self.head('>');
        let dress = Dress { head: head.is_some(), cross: false, look: head.unwrap_or_default() };
        let after_head = self.position;
        let mut characters = self.rest().chars();
        let decoration = characters.next().filter(|c| matches!(c, 'o' | 'x' | 'O' | 'X'));
        let next = characters.next();
        if let Some(decoration) = decoration
            && next.is_some_and(|c| c.is_whitespace() || matches!(c, ']' | '[' | '?'))
        {
            self.position += 1;
            let cross = matches!(decoration, 'x' | 'X');
            if let Some(found) = self.right_side(Dress { cross, ..dress }) {
                return Some(found);
            }
            // In `A ->x : m`, the letter is the participant.
            self.position = after_head;
        }
        self.slant();
        self.right_side(dress)
    }

    fn right_side(&mut self, dress: Dress) -> Option<(Dress, Option<Participant>)> {
        if self.rest().starts_with(['[', ']', '?']) && !self.rest().starts_with("[[") {
            self.position += 1;
            return Some((dress, None));
        }
        self.skip_spaces();
        Some((dress, Some(self.participant()?)))
    }

    /// One or two characters of a head.
    fn head(&mut self, sign: char) -> Option<ArrowHead> {
        for each in [sign, '/', '\\'] {
            let count = self.rest().chars().take(2).take_while(|&c| c == each).count();
            self.position += count;
            match (count, each == sign) {
                (0, _) => {}
                (_, false) => return Some(ArrowHead::Half),
                (1, true) => return Some(ArrowHead::Filled),
                (_, true) => return Some(ArrowHead::Open),
            }
        }
        None
    }

    /// `(10)`, the slant of an arrow.
    fn slant(&mut self) {
        if let Some(inside) = self.rest().strip_prefix('(')
            && let Some(length) = inside.bytes().take(9).position(|byte| byte == b')')
            && inside[..length].bytes().all(|byte| byte.is_ascii_digit())
        {
            self.position += length + 2;
        }
    }

    /// Parses everything after the target: activations and label.
    fn suffixes(&mut self) -> Option<(Vec<Activation>, Option<Range<usize>>)> {
        let mut activations = Vec::new();
        loop {
            self.skip_spaces();
            let rest = self.rest();
            let activation = match rest.get(..2) {
                Some("++") => Some(Activation::Activate),
                Some("--") => Some(Activation::Deactivate),
                Some("**") => Some(Activation::Create),
                Some("!!") => Some(Activation::Destroy),
                _ => None,
            };
            if let Some(activation) = activation {
                if activations.len() == 2 {
                    return None;
                }
                activations.push(activation);
                self.position += 2;
            } else if rest.is_empty() {
                return Some((activations, None));
            } else if let Some(label) = rest.strip_prefix(':') {
                let start = self.position + 1 + (label.len() - label.trim_start().len());
                return Some((activations, Some(start..start + label.trim().len())));
            } else if rest.starts_with('#') {
                let end = |c: char| c != '#' && c != '_' && !c.is_alphanumeric();
                self.position += rest.find(end).unwrap_or(rest.len());
            } else if rest.starts_with("[[") {
                self.position += rest.find("]]")? + 2;
            } else if rest.starts_with("<<") {
                self.position += rest.find(">>")? + 2;
            } else if !self.anchor() {
                return None;
            }
        }
    }

    fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }
}

/// Whether the text between the brackets of a body is a style.
fn is_style(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '#' | ',' | ';' | '=' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrow as `from->to label`, with outside as `*`, dotted as `-->`, activations after.
    fn show(line: &str) -> String {
        let side = |side: &Option<Participant>| match side {
            None => String::from("*"),
            Some(participant) => {
                let label = participant.label.clone();
                let label = label.map_or(String::new(), |label| format!("({})", &line[label]));
                format!("{}{label}", &line[participant.name.clone()])
            }
        };
        match read(line) {
            Reading::Arrow(arrow) => {
                let body = if arrow.dotted { "-->" } else { "->" };
                let cross = if arrow.lost { "x" } else { "" };
                let tail = if arrow.crossed { "x" } else { "" };
                let back = if arrow.both { "<" } else { "" };
                let hidden = if arrow.hidden { " hidden" } else { "" };
                let mut others = String::new();
                for other in &arrow.others {
                    others.push('&');
                    others.push_str(&line[other.name.clone()]);
                }
                let suffixes: String = arrow
                    .activations
                    .iter()
                    .map(|activation| match activation {
                        Activation::Activate => " ++",
                        Activation::Deactivate => " --",
                        Activation::Create => " **",
                        Activation::Destroy => " !!",
                    })
                    .collect();
                let label =
                    arrow.label.map_or(String::new(), |label| format!(" :{}", &line[label]));
                format!(
                    "{}{tail}{back}{body}{cross}{}{others}{suffixes}{label}{hidden}",
                    side(&arrow.from),
                    side(&arrow.to)
                )
            }
            Reading::Headless(arrow) => format!("headless {:?}", &line[arrow]),
            Reading::Duration => String::from("duration"),
            Reading::Other => String::from("other"),
        }
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (line, expected) in cases {
            assert_eq!(show(line), *expected, "{line}");
        }
    }

    #[test]
    fn style_is_presentation() {
        check(&[
            ("A -> B : m", "A->B :m"),
            ("A->B:m", "A->B :m"),
            ("A --> B : m", "A-->B :m"),
            ("A ->> B : m", "A->B :m"),
            ("A -->> B : m", "A-->B :m"),
            ("A -\\ B : m", "A->B :m"),
            ("A -\\\\ B : m", "A->B :m"),
            ("A -/ B : m", "A->B :m"),
            ("A --// B : m", "A-->B :m"),
            ("A ->o B : m", "A->B :m"),
            ("A o->o B : m", "A->B :m"),
            ("A ->x B : m", "A->xB :m"),
            ("A -x B : m", "A->xB :m"),
            ("A x-> B : m", "Ax->B :m"),
            ("A ->xB : m", "A->xB :m"),
            ("A ->x : m", "A->x :m"),
            ("A -[#red]> B : m", "A->B :m"),
            ("A -[#red,dashed]> B : m", "A-->B :m"),
            ("A -[#0000FF]-> B : m", "A-->B :m"),
            ("A [#red]-> B : m", "A->B :m"),
            ("A ->(10) B : m", "A->B :m"),
            ("A (10)<- B : m", "B->A :m"),
        ]);
    }

    #[test]
    fn reversed_arrows_swap_their_ends() {
        check(&[
            ("A <- B : m", "B->A :m"),
            ("A<-B:m", "B->A :m"),
            ("A <-- B : m", "B-->A :m"),
            ("A <<-- B : m", "B-->A :m"),
            ("A x<- B : m", "B->xA :m"),
            ("A o<- B : m", "B->A :m"),
            ("A \\- B : m", "B->A :m"),
            ("A /-- B : m", "B-->A :m"),
            ("A <-[#red]- B : m", "B-->A :m"),
        ]);
    }

    #[test]
    fn borders_and_question_marks_are_outside() {
        check(&[
            ("[-> A : m", "*->A :m"),
            ("[->A:m", "*->A :m"),
            ("[o-> A : m", "*->A :m"),
            ("[x-> A : m", "*x->A :m"),
            ("[<- A : m", "A->* :m"),
            ("[x<- A : m", "A->x* :m"),
            ("A ->] : m", "A->* :m"),
            ("A ->o] : m", "A->* :m"),
            ("A ->x] : m", "A->x* :m"),
            ("A <-] : m", "*->A :m"),
            ("?-> A : m", "*->A :m"),
            ("A ->? : m", "A->* :m"),
            ("A ->>x? : m", "A->x* :m"),
            ("]-> A : m", "*->A :m"),
            ("A ->[ : m", "A->* :m"),
            ("\"A b\" ->] : m", "A b->* :m"),
            ("[-[#red]> A : m", "*->A :m"),
            ("[-> A ++ : m", "*->A ++ :m"),
            ("[->] : m", "other"),
            ("[ -> A : m", "other"),
            ("[-> A as \"x\" : m", "other"),
        ]);
    }

    #[test]
    fn names_and_suffixes() {
        check(&[
            ("\"Bob Smith\" -> A.b@c : m", "Bob Smith->A.b@c :m"),
            ("\"Bob Smith\" as B -> A : m", "B(Bob Smith)->A :m"),
            ("B as \"Bob Smith\" -> A : m", "B(Bob Smith)->A :m"),
            ("A -> \"Bob\" as B ++ : m", "A->B(Bob) ++ :m"),
            ("as -> as : m", "as->as :m"),
            ("A -> B ++ #gold : m", "A->B ++ :m"),
            ("A -> B--++ : m", "A->B -- ++ :m"),
            ("A -> B ** : m", "A->B ** :m"),
            ("A -> B !! : m", "A->B !! :m"),
            ("A -> B [[http://x:1]] : m", "A->B :m"),
            ("{s} A -> B : m", "A->B :m"),
            ("A -> B", "A->B"),
            ("A -> B :", "A->B :"),
            ("A -> B : x : -> y", "A->B :x : -> y"),
            ("été -> 名 : m", "été->名 :m"),
        ]);
    }

    #[test]
    fn arrows_with_two_heads_crosses_or_targets() {
        check(&[
            ("A <-> B : m", "A<->B :m"),
            ("A <<-->> B", "A<-->B"),
            ("A <->x B : m", "A<->xB :m"),
            ("A x-x B : m", "Ax<->xB :m"),
            ("A x- B : m", "B->xA :m"),
            ("A -> B & C : m", "A->B&C :m"),
            ("A -> B & C & \"D e\" ++ : m", "A->B&C&D e ++ :m"),
            ("A -[hidden]> B", "A->B hidden"),
            ("A -[hidden]-> B : m", "A-->B :m hidden"),
        ]);
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        check(&[
            ("A -- B : m", "headless \" --\""),
            ("{a} <-> {b} : 5 s", "duration"),
            ("A-B -> C : m", "other"),
            ("A ..> B : m", "other"),
            ("A => B", "other"),
            ("alt A -> B", "other"),
            ("note left: A -> B", "other"),
            ("A -> B what : m", "other"),
            ("A -> B ++ ++ ++ : m", "other"),
            ("\"\" -> B", "other"),
            ("\"a -> B", "other"),
            ("", "other"),
            ("-", "other"),
            ("->", "other"),
            ("A -[", "headless \" -\""),
            ("A ->", "other"),
        ]);
    }
}
