//! The numbers that `autonumber` gives to arrows: `7`, `1.2.7`, `<b>[007]`.

/// The form of the numbers: what is around their digits, and how many digits there are at least.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    before: String,
    digits: usize,
    after: String,
}

impl Form {
    /// The form that a format of PlantUML describes: its first `0`s and `#`s stand for the number, which has a digit for
    /// each `0` at least.
    pub(crate) fn of_format(format: &str) -> Form {
        let is_digit = |c: char| c == '0' || c == '#';
        let start = format.find(is_digit).unwrap_or(format.len());
        let (before, rest) = format.split_at(start);
        let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        let digits = rest[..end].matches('0').count();
        Form { before: before.to_owned(), digits, after: rest[end..].to_owned() }
    }

    /// The inverse of [`Form::of_format`]; `None` for plain numbers and those that no format describes.
    pub(crate) fn format(&self) -> Option<String> {
        let Form { before, digits, after } = self;
        let is_plain = before.is_empty() && after.is_empty() && *digits <= 1;
        if is_plain || before.contains(['0', '#', '"']) || after.contains('"') {
            return None;
        }
        let number = if *digits > 1 { "0".repeat(*digits) } else { "#".to_owned() };
        Some(format!("{before}{number}{after}"))
    }

    /// The text before the last level, if the numbers have several levels and nothing else: `1.2.`.
    pub(crate) fn levels(&self) -> Option<&str> {
        let outer = self.before.strip_suffix('.')?;
        let is_number =
            |level: &str| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit());
        (self.after.is_empty() && outer.split('.').all(is_number)).then_some(&self.before)
    }

    /// Spells a number whose levels but the last are `outer`.
    pub(crate) fn spell(&self, outer: &[i64], last: i64) -> String {
        let digits = self.digits;
        let mut levels: Vec<String> = outer.iter().map(i64::to_string).collect();
        levels.push(format!("{last:0digits$}"));
        format!("{}{}{}", self.before, levels.join("."), self.after)
    }

    /// The form and the value of a number that was spelled; its value is that of the last digits.
    pub(crate) fn parse(spelled: &str) -> Option<(Form, i64)> {
        let end = spelled.rfind(|c: char| c.is_ascii_digit())? + 1;
        let start = spelled[..end].rfind(|c: char| !c.is_ascii_digit());
        let start =
            start.map_or(0, |at| at + spelled[at..].chars().next().map_or(1, char::len_utf8));
        let digits = &spelled[start..end];
        let form = Form {
            before: spelled[..start].to_owned(),
            digits: if digits.starts_with('0') { digits.len() } else { 0 },
            after: spelled[end..].to_owned(),
        };
        Some((form, digits.parse().ok()?))
    }

    /// Whether numbers of the other form may follow ones of this form: `010` follows `09`.
    pub(crate) fn continues(&self, other: &Form) -> bool {
        self.before == other.before && self.after == other.after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_spelled_and_parsed() {
        for (format, outer, last, spelled) in [
            ("<b>[000]", &[][..], 7, "<b>[007]"),
            ("AUTH-#", &[], 12, "AUTH-12"),
            ("(<u>##</u>)", &[], 3, "(<u>3</u>)"),
            ("", &[6, 3], 1, "6.3.1"),
            ("Message 0  ", &[], 50, "Message 50  "),
        ] {
            let form = Form::of_format(format);
            assert_eq!(form.spell(outer, last), spelled);
            let (parsed, value) = Form::parse(spelled).expect("it has digits");
            assert_eq!(value, last);
            assert_eq!(parsed.spell(&[], value), spelled);
        }
    }

    #[test]
    fn a_form_says_how_it_is_written() {
        assert_eq!(Form::default().format(), None);
        assert_eq!(Form::of_format("[000]").format().as_deref(), Some("[000]"));
        assert_eq!(Form::of_format("A-#").format().as_deref(), Some("A-#"));
        let dotted = Form::parse("1.2.3").expect("it has digits").0;
        assert_eq!(dotted.levels(), Some("1.2."));
        assert_eq!(Form::of_format("A.#").levels(), None);
        assert_eq!(Form::parse("no digits"), None);
    }
}
