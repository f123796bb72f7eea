//! Reads the diagrams of a file: determines the language of each, and reads the files that it
//! includes.

use std::path::Path;

use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::markdown::Language;
use otus_syntax::diagram::{language_of, mermaid, plantuml};
use otus_syntax::grammar::Parsed;
use otus_syntax::{Code, Source, Span};

use super::Input;
use crate::context::Context;
use crate::format::Format;

/// Reads the diagram at `range` of a text. `named` is the language that the file name or the fence
/// indicates. The content takes precedence over it.
pub(super) fn read(
    context: &Context,
    input: &Input,
    source: &Source,
    range: Span,
    named: Language,
) -> (Parsed<SpecFile>, Format) {
    let told = language_of(source.slice(range)).unwrap_or(named);
    let (mut parsed, format) = match told {
        Language::Mermaid => (mermaid::read(source, range), Format::Mermaid),
        Language::PlantUml => {
            // A diagram from standard input has no folder, so it cannot include files.
            let folder = input.path.as_deref().and_then(Path::parent);
            let parsed = match folder {
                None => plantuml::read(source, range),
                Some(folder) => plantuml::read_with(source, range, &mut |path| {
                    let (files, path) = (&context.files, folder.join(path));
                    // A link may lead out of the folder, so the resolved paths are compared.
                    if !files.resolved(&path).starts_with(files.resolved(folder)) {
                        return None;
                    }
                    String::from_utf8(files.read(&path).ok()?).ok()
                }),
            };
            (parsed, Format::Plantuml)
        }
    };
    if told != named {
        let name = |language| match language {
            Language::Mermaid => "Mermaid",
            Language::PlantUml => "PlantUML",
        };
        let message = format!("this is {}, though it is named as {}", name(told), name(named));
        let first = Span::new(range.start, range.start);
        let note = source.finding(Code::READ_BY_CONVENTION, first, message);
        parsed.diagnostics.insert(0, note.with_help("it is read as what it is"));
    }
    (parsed, format)
}
