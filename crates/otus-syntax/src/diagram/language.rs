//! Determines the language of a diagram from the first line of its text.

use super::markdown::Language;
use super::mermaid;

/// The language that the first line of a text indicates, whatever the file name is; `None` if it
/// indicates none.
///
/// ```
/// use otus_syntax::diagram::language_of;
/// use otus_syntax::diagram::markdown::Language;
///
/// assert_eq!(language_of("%% flow\nsequenceDiagram\n a->>b: m"), Some(Language::Mermaid));
/// assert_eq!(language_of("' flow\n@startuml\na -> b : m"), Some(Language::PlantUml));
/// assert_eq!(language_of("a -> b : m"), None);
/// ```
pub fn language_of(text: &str) -> Option<Language> {
    let text = text.trim_start_matches('\u{feff}');
    if mermaid::is_diagram(text) {
        return Some(Language::Mermaid);
    }
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('\''))?;
    let is_start = first.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("@startuml"));
    is_start.then_some(Language::PlantUml)
}
