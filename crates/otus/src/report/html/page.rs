//! The frame of the page: overview, plain list of failures, data and script.

use std::fmt::Write as _;
use std::io::{self, Write};

use otus_draw::metrics::grouped;
use serde::Serialize;

use super::panel::Rung;
use crate::case::Verdict;
use crate::cause::CAUSES;
use crate::findings::CauseRow;
use crate::report::xml_text as escape;

/// The maximum number of failures that are listed for readers without scripts, and of those that are
/// listed with their explanations.
const LISTED: usize = 200;
const EXPLAINED: usize = 20;

/// The beginning of a page, up to its body: the policy that forbids it to load anything, and the style sheet.
pub(crate) fn head(title: &str) -> String {
    let mut page = String::from(concat!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        // Without an icon, browsers ask the server for one.
        "<link rel=\"icon\" href=\"data:,\">\n",
    ));
    let _ = write!(page, "<title>{}</title>\n<style>\n", escape(title));
    page.push_str(include_str!("report.css"));
    page.push_str("</style>\n</head>\n<body>\n");
    page
}

/// The parts of the page besides its rows.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) title: String,
    /// `otus 0.1.0`.
    pub(super) tool: String,
    pub(super) specifications: Vec<String>,
    /// The question that was asked of each case, in words.
    pub(super) question: String,
    pub(super) summary: String,
    /// Further numbers, with their names.
    pub(super) totals: Vec<(&'static str, String)>,
    pub(super) warnings: Vec<String>,
    /// Why cases did not pass, if the page is made from results.
    pub(super) causes: Vec<CauseRow>,
    /// The number of cases by verdict.
    pub(super) counts: Vec<(Verdict, u64)>,
    /// The number of failures, and the first of them as HTML.
    failures: usize,
    plain: String,
}

impl Frame {
    /// Adds a failure to the list for readers without scripts.
    pub(super) fn list(&mut self, id: &str, verdict: Verdict, headline: &str, ladder: &[Rung]) {
        self.failures += 1;
        if self.failures > LISTED {
            return;
        }
        let (id, headline) = (escape(id), escape(headline));
        let _ = write!(self.plain, "<li><strong><bdi>{id}</bdi></strong> {verdict}: {headline}");
        for rung in ladder.iter().filter(|_| self.failures <= EXPLAINED) {
            let (title, text) = (escape(&rung.title), escape(&rung.text));
            let _ = write!(self.plain, "\n<pre><strong>{title}</strong>\n{text}</pre>");
        }
        self.plain.push_str("</li>\n");
    }

    /// Writes the page; `rows` writes the rows, which are JSON separated by commas.
    pub(super) fn write(
        &self,
        coverage: &impl Serialize,
        rows: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = head(&self.title);
        self.head(&mut page);
        page.push_str("<main id=\"main\">\n");
        self.overview(&mut page);
        page.push_str("<div id=\"groups\"></div>\n<div id=\"coverage\"></div>\n</div>\n");
        page.push_str("<div id=\"case\" hidden></div>\n");
        self.without_script(&mut page);
        page.push_str("</main>\n<p id=\"said\" class=\"unseen\" role=\"status\"></p>\n");
        let _ = writeln!(page, "<footer>Written by {}.</footer>", escape(&self.tool));
        let (checked, coverage) = (self.checked(), embedded(coverage));
        page.push_str("<script type=\"application/json\" id=\"data\">");
        let _ = writeln!(page, "{{\"checked\":{checked},\"coverage\":{coverage},\"cases\":[");
        out.write_all(page.as_bytes())?;
        rows(out)?;
        out.write_all(b"\n]}</script>\n<script>\n")?;
        out.write_all(include_bytes!("report.js"))?;
        out.write_all(b"</script>\n</body>\n</html>\n")
    }

    /// The number of all cases.
    fn checked(&self) -> u64 {
        self.counts.iter().map(|(_, cases)| cases).sum()
    }

    fn head(&self, page: &mut String) {
        let _ = write!(
            page,
            concat!(
                "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n",
                "<header>\n<div><h1><bdi>{}</bdi></h1>\n<p class=\"summary\">{}</p></div>\n",
                "<button type=\"button\" id=\"theme\" hidden>Theme: automatic</button>\n</header>\n"
            ),
            escape(&self.title),
            escape(&self.summary)
        );
    }

    /// Writes the warnings and the numbers. Leaves its element open for the parts that the script
    /// adds.
    fn overview(&self, page: &mut String) {
        page.push_str("<div id=\"overview\">\n");
        for warning in &self.warnings {
            let warning = escape(warning);
            let _ = writeln!(page, "<p class=\"warning\"><strong>Note:</strong> {warning}</p>");
        }
        page.push_str("<section class=\"cards\" aria-label=\"Summary\">\n<div class=\"card\">\n");
        page.push_str("<h2>Verdicts</h2>\n<ul class=\"bars\">\n");
        let all = self.checked();
        for &(verdict, cases) in &self.counts {
            let (share, width) = share(cases, all);
            let _ = write!(
                page,
                concat!(
                    "<li class=\"v-{name}\"><span class=\"name\">{name}</span>",
                    "<span class=\"track\" aria-hidden=\"true\">",
                    "<span style=\"width:{width}%\"></span></span>",
                    "<span class=\"number\">{cases}</span><span class=\"share\">{share}</span></li>\n"
                ),
                name = verdict,
                width = width,
                cases = grouped(cases),
                share = share,
            );
        }
        let groups = if all == 1 { "group was" } else { "groups were" };
        let _ = write!(
            page,
            "</ul>\n<p class=\"quiet\">{} {groups} checked.</p>\n</div>\n",
            grouped(all)
        );
        page.push_str("<div class=\"card\">\n<h2>What was checked</h2>\n<dl>\n");
        let is_one = self.specifications.len() == 1;
        let name = if is_one { "Specification" } else { "Specifications" };
        let specifications = self.specifications.join(", ");
        let terms = [(name, &specifications), ("Question", &self.question)];
        let totals = self.totals.iter().map(|(name, value)| (*name, value));
        for (name, value) in terms.into_iter().chain(totals).filter(|(_, value)| !value.is_empty())
        {
            let (name, value) = (escape(name), escape(value));
            let _ = writeln!(page, "<div><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>");
        }
        page.push_str("</dl>\n</div>\n</section>\n");
        self.causes(page);
    }

    /// The causes as a table, the most frequent one first.
    fn causes(&self, page: &mut String) {
        if self.causes.is_empty() {
            return;
        }
        page.push_str("<section class=\"causes\">\n<h2>Causes</h2>\n<table>\n<thead><tr>");
        for head in ["Cause", "Specification", "Groups", "Example", "Its problem"] {
            let _ = write!(page, "<th class=\"plain\" scope=\"col\">{head}</th>");
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for CauseRow { cause, place, runs, example, headline } in self.causes.iter().take(LISTED) {
            let name = CAUSES.iter().find(|it| it.id == cause).map_or(cause.as_str(), |it| it.name);
            let cells = [name, place.as_deref().unwrap_or_default()].map(escape);
            let [name, place] = &cells;
            let (example, headline, runs) = (escape(example), escape(headline), grouped(*runs));
            let _ = writeln!(
                page,
                "<tr><td>{name}</td><td><bdi>{place}</bdi></td><td class=\"number\">{runs}</td>\
                 <td><bdi>{example}</bdi></td><td>{headline}</td></tr>"
            );
        }
        page.push_str("</tbody>\n</table>\n");
        if let Some(more) = self.causes.len().checked_sub(LISTED).filter(|&more| more > 0) {
            let _ = writeln!(page, "<p class=\"quiet\">And {} more.</p>", grouped(more));
        }
        page.push_str("</section>\n");
    }

    fn without_script(&self, page: &mut String) {
        page.push_str("<noscript>\n<h2>Failures</h2>\n");
        page.push_str(
            "<p>The table and the diagrams of this page need scripts, which are off.</p>\n",
        );
        let _ = write!(page, "<ul>\n{}</ul>\n", self.plain);
        if let Some(more) = self.failures.checked_sub(LISTED).filter(|&more| more > 0) {
            let _ = writeln!(page, "<p>And {} more.</p>", grouped(more));
        }
        page.push_str("</noscript>\n");
    }
}

/// A part of a whole as a percentage, and as the width of a bar, which is wide enough to be seen unless the part is
/// empty.
fn share(part: u64, whole: u64) -> (String, String) {
    if part == 0 || whole == 0 {
        return ("0%".to_owned(), "0".to_owned());
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 1000 + whole / 2) / whole;
    // A part that is not the whole is never rounded to 100%.
    let tenths = if part < whole { tenths.min(999) } else { tenths };
    let text = match (tenths / 10, tenths % 10) {
        (0, 0) => "<0.1%".to_owned(),
        (ones, 0) => format!("{ones}%"),
        (ones, rest) => format!("{ones}.{rest}%"),
    };
    let shown = tenths.max(8);
    (escape(&text), format!("{}.{}", shown / 10, shown % 10))
}

/// Data as JSON for a script element: no text in it can end the element or begin a comment.
pub(super) fn embedded(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).expect("plain data can always be written as JSON");
    // In JSON these characters occur only in strings, where they may be written by number.
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_are_rounded_without_hiding_a_rest() {
        let check = |part, whole, text: &str, width: &str| {
            assert_eq!(share(part, whole), (text.to_owned(), width.to_owned()));
        };
        check(0, 0, "0%", "0");
        check(0, 9, "0%", "0");
        check(9, 9, "100%", "100.0");
        check(1, 3, "33.3%", "33.3");
        check(2, 3, "66.7%", "66.7");
        check(2, 1000, "0.2%", "0.8");
        check(99_999, 100_000, "99.9%", "99.9");
        check(1, 100_000, "&lt;0.1%", "0.8");
        check(u64::MAX, u64::MAX, "100%", "100.0");
    }
}
