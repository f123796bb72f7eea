//! Cases as plain values, which `otus.Case` is made of.

use otus::{Case, PictureFormat, PictureStyle, Theme};
use pyo3::prelude::*;

/// A case: its parts, and everything as JSON.
#[derive(IntoPyObject)]
pub(crate) struct CaseParts {
    id: String,
    verdict: &'static str,
    conforms: bool,
    headline: String,
    cause: Option<&'static str>,
    text: String,
    events: usize,
    repair: Vec<String>,
    json: String,
    picture: Option<String>,
}

impl CaseParts {
    pub(crate) fn new(case: &Case) -> CaseParts {
        let mut style = PictureStyle::default();
        style.theme = Theme::Auto;
        let picture = case.picture(PictureFormat::Svg, &style);
        let repair = case.failure().and_then(|failure| failure.repair.as_ref());
        let repair = repair.map(|repair| repair.edits.iter().map(|edit| edit.text.clone()));
        CaseParts {
            id: case.id.clone(),
            verdict: case.verdict.name(),
            conforms: case.conforms(),
            headline: case.headline(),
            cause: case.cause().map(|cause| cause.id),
            text: case.to_string(),
            events: case.actions,
            repair: repair.into_iter().flatten().collect(),
            // A case is plain data, so this cannot fail.
            json: serde_json::to_string(case).unwrap_or_default(),
            picture: picture.map(|it| String::from_utf8_lossy(&it.bytes).into_owned()),
        }
    }
}
