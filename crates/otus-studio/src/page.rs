//! The page: three files, built from `web/src` and committed in `web/dist`.

/// A file of the page: its bytes and its type.
pub(crate) fn asset(path: &str) -> Option<(&'static [u8], &'static str)> {
    Some(match path {
        "/" => (include_bytes!("../web/dist/index.html"), "text/html; charset=utf-8"),
        "/studio.js" => (include_bytes!("../web/dist/studio.js"), "text/javascript; charset=utf-8"),
        "/studio.css" => (include_bytes!("../web/dist/studio.css"), "text/css; charset=utf-8"),
        _ => return None,
    })
}

/// What the page may load and do. `CodeMirror` makes style elements, and pictures have style attributes.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
