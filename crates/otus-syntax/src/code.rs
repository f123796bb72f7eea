//! The stable codes of diagnostics, and the page that explains each.
//!
//! A code never changes its meaning and is never reused. Its hundreds give the topic:
//! `01` verdicts (reserved), `02` text, `03` names, `04` traces, `05` options, `06` diagrams,
//! `07` lints, `08` conversion, `09` formulas, `10` otus.toml, `11` logs. Each code has a page in
//! `codes/` of this crate with a wrong and a right example; a test runs both.

use std::fmt;

use crate::diagnostic::Severity;

/// A diagnostic code, shown as `O0201`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "O{:04}", self.0)
    }
}

impl Code {
    /// The usual severity of a finding with this code.
    pub fn severity(self) -> Severity {
        self.entry().map_or(Severity::Error, |entry| entry.severity)
    }

    /// The title of the code, a short phrase.
    pub fn title(self) -> &'static str {
        self.entry().map_or("", |entry| entry.title)
    }

    /// The topic of the code, which its hundreds tell.
    pub fn topic(self) -> &'static str {
        const TOPICS: &str = "Verdicts Text Names Traces Options Diagrams Lints Conversion Formulas \
            Settings";
        TOPICS.split(' ').nth(usize::from(self.0 / 100).wrapping_sub(1)).unwrap_or("Logs")
    }

    /// The page that explains it, in Markdown.
    pub fn page(self) -> &'static str {
        self.entry().map_or("", |entry| entry.page)
    }

    /// The code written as `O0201`, `o201` or `201`.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.trim().trim_start_matches(['O', 'o']);
        let number: u16 = digits.parse().ok()?;
        ALL.iter().map(|entry| entry.code).find(|code| code.0 == number)
    }

    /// Every code, in order.
    pub fn all() -> impl Iterator<Item = Code> {
        ALL.iter().map(|entry| entry.code)
    }

    fn entry(self) -> Option<&'static Entry> {
        ALL.binary_search_by_key(&self, |entry| entry.code).ok().map(|at| &ALL[at])
    }
}

struct Entry {
    code: Code,
    severity: Severity,
    title: &'static str,
    page: &'static str,
}

macro_rules! codes {
    ($($name:ident = $number:literal, $severity:ident, $title:literal;)*) => {
        impl Code {
            $(
                #[doc = $title]
                pub const $name: Code = Code(number($number));
            )*
        }

        const ALL: &[Entry] = &[$(
            Entry {
                code: Code::$name,
                severity: Severity::$severity,
                title: $title,
                page: include_str!(concat!("../codes/O", $number, ".md")),
            },
        )*];
    };
}

/// The value of four decimal digits, at compile time.
const fn number(digits: &str) -> u16 {
    let bytes = digits.as_bytes();
    assert!(bytes.len() == 4, "a code has four digits");
    let mut value = 0;
    let mut i = 0;
    while i < 4 {
        assert!(bytes[i].is_ascii_digit(), "a code has four digits");
        value = value * 10 + (bytes[i] - b'0') as u16;
        i += 1;
    }
    value
}

codes! {
    // Text.
    UNEXPECTED_CHARACTER = "0201", Error, "a character that no text of this kind has";
    UNTERMINATED_COMMENT = "0202", Error, "a comment that never ends";
    UNTERMINATED_QUOTE = "0203", Error, "a quoted name that never ends";
    UNEXPECTED_TOKEN = "0204", Error, "something else was expected here";
    UNCLOSED_DELIMITER = "0205", Error, "a bracket that is never closed";
    TRAILING_TEXT = "0206", Error, "text after the end";
    NO_OPERANDS = "0207", Error, "an operator without operands";
    UNKNOWN_OPERATOR = "0208", Error, "an operator that does not exist";
    UNKNOWN_SECTION = "0209", Error, "a section that does not exist";
    NO_INTERACTION = "0210", Error, "no interaction where one is needed";
    LOOP_OPERANDS = "0211", Error, "a loop with several operands";
    MISSING_REGION = "0212", Error, "a concurrent region is missing";
    UNSUPPORTED_OPERATOR = "0213", Error, "an operator that Otus does not have";
    TOO_LARGE = "0214", Error, "a text that is too large";
    NOT_UTF8 = "0215", Error, "a text that is not UTF-8";
    NEEDS_QUOTES = "0216", Error, "a name that must be quoted";
    TOO_MANY_ERRORS = "0217", Error, "too many errors";
    EMPTY_NAME = "0218", Error, "an empty name";
    BAD_DURATION = "0219", Error, "a text that is not a duration";
    // Names.
    UNDECLARED_LIFELINE = "0301", Error, "a lifeline that is not declared";
    UNDECLARED_MESSAGE = "0302", Error, "a message that is not declared";
    DUPLICATE_DECLARATION = "0303", Error, "a name declared twice";
    NO_SIGNATURE = "0304", Error, "no signature where one is needed";
    REPEATED_LIFELINE = "0305", Warning, "a lifeline listed twice";
    SEVERAL_INTERACTIONS = "0306", Error, "more than one interaction";
    SYNCHRONOUS_SELF = "0307", Error, "a synchronous message from a lifeline to itself";
    UNBOUND_VARIABLE = "0308", Error, "a variable that is not declared";
    VARIABLE_TWICE = "0309", Error, "a variable declared twice";
    // Traces.
    EXPECTED_ACTION = "0401", Error, "an action was expected";
    TWO_COLOCALIZATIONS = "0402", Error, "a lifeline in two co-localizations";
    OUTSIDE_COMPONENT = "0403", Error, "an action outside its component";
    ALL_NOT_ALONE = "0404", Error, "`#all` beside other components";
    BARE_TRACE = "0405", Note, "a trace without a component";
    REPEATED_ACTION = "0406", Error, "an action twice at the same moment";
    BAD_CASE = "0407", Error, "a line that is not a case";
    MALFORMED_JSON = "0408", Error, "a text that is not JSON";
    UNKNOWN_KEY = "0409", Error, "a key that the format does not have";
    BAD_FIELD = "0410", Error, "a field that is missing, doubled or of the wrong kind";
    UNKNOWN_PROCESS = "0411", Error, "a process that does not exist";
    POSITION_OUT_OF_RANGE = "0412", Error, "an event that its process does not have";
    CYCLIC_ORDER = "0413", Error, "events that happened before each other";
    UNORDERED_WRITES = "0414", Error, "assignments to one variable without an order";
    INCONSISTENT_CLOCK = "0415", Error, "a vector clock that contradicts the others";
    BAD_VALUE = "0416", Error, "a value that an event cannot have";
    // Options.
    UNKNOWN_OPTION = "0501", Error, "an option that does not exist";
    UNKNOWN_VALUE = "0502", Error, "a value that the option does not have";
    OPTION_TWICE = "0503", Warning, "an option given twice";
    OPTION_NOT_NEEDED = "0504", Note, "an option that Otus does not need";
    OPTION_MISPLACED = "0505", Warning, "an option in the wrong section";
    BAD_NUMBER = "0506", Error, "a number that does not fit";
    // Diagrams.
    NOT_A_DIAGRAM = "0601", Error, "not a sequence diagram";
    LINE_NOT_UNDERSTOOD = "0602", Error, "a diagram line that is not understood";
    NOTHING_TO_CLOSE = "0603", Error, "an `end` without a fragment";
    NEVER_CLOSED = "0604", Error, "a fragment that is never closed";
    UNSUPPORTED_CONSTRUCT = "0605", Error, "a diagram construct without a meaning here";
    PICTURE_ONLY = "0606", Note, "kept in the picture only";
    FREE_TEXT_LOOP = "0607", Note, "a loop whose label is free text";
    UNFOLDED_TOO_LARGE = "0608", Error, "a bounded loop that unfolds too far";
    UNKNOWN_DIRECTIVE = "0609", Error, "a directive that does not exist";
    DIRECTIVE_MISPLACED = "0610", Error, "a directive in the wrong place";
    SEPARATOR_MISPLACED = "0611", Error, "an `else` or `and` in the wrong place";
    NO_DIAGRAM = "0612", Error, "no diagram in this document";
    NO_SUCH_DIAGRAM = "0613", Error, "no diagram at this heading";
    NEVER_CLOSED_FENCE = "0614", Error, "a fence that is never closed";
    RETURN_WITHOUT_CALL = "0615", Error, "a `return` without a call";
    BREAK_ALONE = "0616", Warning, "a `break` with nothing to leave";
    READ_BY_CONVENTION = "0617", Note, "a construct with a meaning by convention";
    NOT_INCLUDED = "0618", Warning, "a file that is not included";
    BAD_PREPROCESSING = "0619", Error, "a preprocessor line that cannot be followed";
    NOT_A_GUARD = "0620", Note, "a label that looks like a guard";
    // Lints.
    UNUSED_LIFELINE = "0701", Warning, "a lifeline that is never used";
    UNUSED_MESSAGE = "0702", Warning, "a message that is never used";
    EQUAL_ALTERNATIVES = "0703", Warning, "alternatives that are equal";
    EMPTY_LOOP = "0704", Warning, "a loop that repeats nothing";
    NULLABLE_LOOP = "0705", Warning, "a loop whose body can be empty";
    ONLY_SENT = "0706", Note, "a message that nobody receives";
    ONLY_RECEIVED = "0707", Note, "a message that nobody sends";
    HEAD_FIRST_LOOP = "0708", Note, "`loopH` is read as `loopW`";
    SINGLE_OPERAND = "0709", Warning, "an operator with one operand";
    EMPTY_OPERAND = "0710", Warning, "an operand that changes nothing";
    UNUSED_VARIABLE = "0711", Warning, "a variable that is never used";
    LONELY_VARIABLE = "0712", Warning, "a variable that says nothing";
    MIXED_KINDS = "0713", Warning, "a field compared with values of different kinds";
    CONTRADICTION = "0714", Warning, "a guard that never holds";
    // Conversion.
    NOT_IN_2020 = "0801", Error, "not in the language of 2020";
    BAD_DIMACS = "0802", Error, "a text that is not DIMACS";
    NOT_A_REDUCTION = "0803", Error, "not the reduction of a formula";
    VALUES_LEFT_OUT = "0804", Warning, "guards and binders that are left out";
    // Formulas.
    UNQUANTIFIED_MODALITY = "0901", Error, "a modality without a quantifier";
    NOT_LINEAR = "0902", Error, "a product of variables";
    WRONG_SORT = "0903", Error, "a value where a formula is needed, or the other way round";
    UNKNOWN_VARIABLE = "0904", Error, "a variable that the trace does not have";
    NO_SUCH_PROCESS = "0905", Error, "a process that the trace does not have";
    UNKNOWN_LABEL = "0906", Warning, "a label that no event has";
    WRONG_KIND = "0907", Error, "values of different kinds";
    UNKNOWN_PATTERN = "0908", Error, "a pattern that does not exist";
    SUM_TOO_LARGE = "0909", Error, "numbers too large for an exact sum";
    LEFT_OUT = "0910", Warning, "a process without a variable of the formula";
    TOO_MANY_INSTANCES = "0911", Error, "a quantifier with too many choices of processes";
    NOT_LOCAL = "0912", Error, "a condition on more than one member";
    // otus.toml.
    NOT_TOML = "1001", Error, "a text that is not TOML";
    UNKNOWN_SETTING = "1002", Error, "a setting that otus.toml does not have";
    WRONG_SETTING = "1003", Error, "a setting of the wrong kind";
    BAD_PATTERN = "1004", Error, "a pattern that is not a regular expression";
    UNKNOWN_FIELD = "1005", Error, "a field that nothing provides";
    MISSING_SETTING = "1006", Error, "a setting that is missing";
    BAD_TEMPLATE = "1007", Error, "a template that cannot be filled in";
    CONTRADICTING_SETTINGS = "1008", Error, "settings that contradict each other";
    // Logs.
    UNREADABLE_RECORD = "1101", Warning, "a line that cannot be read";
    UNREADABLE_LOG = "1102", Error, "a log that cannot be read";
    INCOMPLETE_RECORD = "1103", Warning, "a line without a field that its rule needs";
    CLOCK_BACKWARDS = "1104", Warning, "a clock that goes backwards";
    DUPLICATE_SPAN = "1105", Warning, "a span that is there twice";
    LOST_CONTEXT = "1106", Warning, "calls that lose their trace context";
    PARENT_MISSING = "1107", Warning, "spans whose parent is in no log";
    UNPAIRED_MESSAGE = "1108", Note, "messages without a counterpart";
    GROUP_NEVER_CLOSED = "1109", Note, "groups that never end";
    TWO_CLOCKS = "1110", Warning, "a lifeline with two clocks";
    NOTHING_MATCHED = "1111", Warning, "rules or logs that give nothing";
    UNUSABLE_VALUE = "1112", Warning, "a value that is left out";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_distinct() {
        assert!(ALL.is_sorted_by(|a, b| a.code < b.code));
    }

    #[test]
    fn codes_print_and_parse() {
        assert_eq!(Code::UNEXPECTED_CHARACTER.to_string(), "O0201");
        for text in ["O0201", "o0201", "0201", "201"] {
            assert_eq!(Code::parse(text), Some(Code::UNEXPECTED_CHARACTER));
        }
        for text in ["", "O", "O9999", "E0201", "-1"] {
            assert_eq!(Code::parse(text), None);
        }
    }

    #[test]
    fn every_page_begins_with_its_code_and_title() {
        for code in Code::all() {
            let first = code.page().lines().next().unwrap_or("");
            assert_eq!(first, format!("# {code}: {}", code.title()));
        }
    }
}
