//! A report as one HTML file that needs nothing else: no server, no network, no other file.
//!
//! The page has three parts: what is true of all groups, as plain HTML; the data, as JSON; and a script that
//! makes the table, the panels and the diagrams of them. Where scripts do not run (some CI servers forbid
//! them), the failures are listed as plain text. A policy in the page forbids it to load anything.
//!
//! Kept apart so that they can be read by those who know them: `report.css`, `report.js`. The script makes
//! elements and text and never HTML, so nothing in a log can become a part of the page; what is written here
//! goes through [`escape`], and the data through [`embedded`].
//!
//! `scripts/check-report` opens sample pages in a browser and clicks through them.

pub(crate) mod fill;
mod mermaid;
pub(crate) mod model;
mod rows;
#[cfg(test)]
mod samples;
mod window;
mod write;

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

#[cfg(test)]
use model::Report;
use model::{About, Case, Detail, Excerpt, Rung, Verdict};
use window::{Diagram, EVENTS, thousands, window};
pub(crate) use write::Html;

/// When diagrams have so many events together, later failures go without.
const DRAWN: usize = 60_000;
/// How many failures are listed where no script runs.
const LISTED: usize = 200;
/// How many of these with all that is known.
const EXPLAINED: usize = 20;

/// A report that is there as a whole, as a page.
#[cfg(test)]
fn html(report: &Report) -> String {
    let (mut rows, mut written, mut out) = (Rows::default(), Vec::new(), Vec::new());
    for case in &report.cases {
        rows.write(case, &mut written).expect("vectors take all that is written");
    }
    let copy = |out: &mut dyn Write| out.write_all(&written);
    page(&report.about, &rows, copy, &mut out).expect("vectors take all that is written");
    String::from_utf8(out).expect("the page is made of texts")
}

/// The cases of a report that are written one by one, so that none need be kept: what is remembered of
/// them. What they are written to is copied into the [`page`] once all else is known.
#[derive(Debug, Default)]
struct Rows {
    listed: u64,
    /// How many events are drawn.
    drawn: usize,
    /// How many cases fail, and the first of them as HTML for where no script runs.
    failures: usize,
    plain: String,
}

impl Rows {
    /// Writes the next case.
    fn write(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        let row = Row {
            id: &case.id,
            verdict: case.verdict,
            headline: &case.headline,
            cause: &case.cause,
            log: &case.log,
            specification: &case.specification,
            events: case.events,
            known: case.known,
            detail: case.detail.as_ref().map(|detail| self.panel(detail)),
        };
        if self.listed > 0 {
            out.write_all(b",\n")?;
        }
        out.write_all(embedded(&row).as_bytes())?;
        self.listed += 1;
        match case.verdict {
            Verdict::Fail | Verdict::WeakFail => self.list(case),
            Verdict::Inconclusive | Verdict::WeakPass | Verdict::Pass => {}
        }
        Ok(())
    }

    fn panel<'r>(&mut self, detail: &'r Detail) -> Panel<'r> {
        let mut diagram = Diagram::without_events(concat!(
            "To keep this file small, only the first failures are drawn. ",
            "Analyze this group by itself to see its diagram."
        ));
        if self.drawn < DRAWN {
            diagram = window(detail, EVENTS);
            self.drawn += diagram.len();
        }
        Panel {
            ladder: &detail.ladder,
            diagram,
            specification: &detail.specification,
            mermaid: &detail.mermaid,
        }
    }

    /// A failure as plain HTML.
    fn list(&mut self, case: &Case) {
        self.failures += 1;
        if self.failures > LISTED {
            return;
        }
        let (id, verdict, headline) =
            (escape(&case.id), case.verdict.name(), escape(&case.headline));
        let _ = write!(self.plain, "<li><strong><bdi>{id}</bdi></strong> {verdict}: {headline}");
        let ladder = case.detail.iter().flat_map(|detail| &detail.ladder);
        for rung in ladder.filter(|_| self.failures <= EXPLAINED) {
            let (title, text) = (escape(&rung.title), escape(&rung.text));
            let _ = write!(self.plain, "\n<pre><strong>{title}</strong>\n{text}</pre>");
        }
        self.plain.push_str("</li>\n");
    }
}

/// The page around cases that were written before and are copied where they belong.
fn page(
    about: &About,
    rows: &Rows,
    copy: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = String::from(concat!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        // Without this, browsers ask the server for one.
        "<link rel=\"icon\" href=\"data:,\">\n",
    ));
    let _ = write!(page, "<title>{}</title>\n<style>\n", escape(&about.run.title));
    page.push_str(include_str!("report.css"));
    page.push_str("</style>\n</head>\n<body>\n");
    head(&mut page, about);
    page.push_str("<main id=\"main\">\n");
    overview(&mut page, about);
    page.push_str("<div id=\"groups\"></div>\n<div id=\"coverage\"></div>\n</div>\n");
    page.push_str("<div id=\"case\" hidden></div>\n");
    without_script(&mut page, rows);
    page.push_str("</main>\n<p id=\"said\" class=\"unseen\" role=\"status\"></p>\n");
    let _ = writeln!(page, "<footer>Written by {}.</footer>", escape(&about.run.tool));
    let counted: u64 = about.counts.iter().map(|count| count.cases).sum();
    let (checked, coverage) = (counted.max(rows.listed), embedded(&about.coverage));
    page.push_str("<script type=\"application/json\" id=\"data\">");
    let _ = writeln!(page, "{{\"checked\":{checked},\"coverage\":{coverage},\"cases\":[");
    out.write_all(page.as_bytes())?;
    copy(out)?;
    out.write_all(b"\n]}</script>\n<script>\n")?;
    out.write_all(include_bytes!("report.js"))?;
    out.write_all(b"</script>\n</body>\n</html>\n")
}

/// A line of the table, as the script reads it.
#[derive(Debug, Serialize)]
struct Row<'r> {
    id: &'r str,
    verdict: Verdict,
    #[serde(skip_serializing_if = "str::is_empty")]
    headline: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cause: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    log: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    specification: &'r str,
    events: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Panel<'r>>,
}

/// What the panel of a group shows.
#[derive(Debug, Serialize)]
struct Panel<'r> {
    ladder: &'r [Rung],
    diagram: Diagram<'r>,
    specification: &'r [Excerpt],
    mermaid: &'r str,
}

/// The name of the page and what it can be told.
fn head(page: &mut String, about: &About) {
    let run = &about.run;
    let _ = write!(
        page,
        concat!(
            "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n",
            "<header>\n<div><h1><bdi>{}</bdi></h1>\n<p class=\"summary\">{}</p></div>\n",
            "<button type=\"button\" id=\"theme\" hidden>Theme: automatic</button>\n</header>\n"
        ),
        escape(&run.title),
        escape(&run.summary)
    );
}

/// What is true of all groups. Leaves its element open for what the script adds.
fn overview(page: &mut String, about: &About) {
    let run = &about.run;
    page.push_str("<div id=\"overview\">\n");
    for warning in &run.warnings {
        let _ =
            writeln!(page, "<p class=\"warning\"><strong>Note:</strong> {}</p>", escape(warning));
    }
    page.push_str("<section class=\"cards\" aria-label=\"Summary\">\n<div class=\"card\">\n");
    page.push_str("<h2>Verdicts</h2>\n<ul class=\"bars\">\n");
    let all: u64 = about.counts.iter().map(|count| count.cases).sum();
    for count in &about.counts {
        let (name, cases) = (count.verdict.name(), count.cases);
        let (share, width) = share(cases, all);
        let _ = write!(
            page,
            concat!(
                "<li class=\"v-{name}\"><span class=\"name\">{name}</span>",
                "<span class=\"track\" aria-hidden=\"true\">",
                "<span style=\"width:{width}%\"></span></span>",
                "<span class=\"number\">{cases}</span><span class=\"share\">{share}</span></li>\n"
            ),
            name = name,
            width = width,
            cases = thousands(cases),
            share = share,
        );
    }
    let _ = write!(
        page,
        "</ul>\n<p class=\"quiet\">{} {} checked.</p>\n</div>\n",
        thousands(all),
        if all == 1 { "group was" } else { "groups were" }
    );
    page.push_str("<div class=\"card\">\n<h2>What was checked</h2>\n<dl>\n");
    let mut term = |name: &str, value: &str| {
        if !value.is_empty() {
            let (name, value) = (escape(name), escape(value));
            let _ = writeln!(page, "<div><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>");
        }
    };
    let name = if run.specifications.len() == 1 { "Specification" } else { "Specifications" };
    term(name, &run.specifications.join(", "));
    term("Question", &run.question);
    for total in &run.totals {
        term(&total.name, &total.value);
    }
    page.push_str("</dl>\n</div>\n</section>\n");
}

/// The failures as plain text.
fn without_script(page: &mut String, rows: &Rows) {
    page.push_str("<noscript>\n<h2>Failures</h2>\n");
    page.push_str("<p>The table and the diagrams of this page need scripts, which are off.</p>\n");
    let _ = write!(page, "<ul>\n{}</ul>\n", rows.plain);
    if let Some(more) = rows.failures.checked_sub(LISTED).filter(|&more| more > 0) {
        let _ = writeln!(page, "<p>And {} more.</p>", thousands(more as u64));
    }
    page.push_str("</noscript>\n");
}

/// A part of a whole as people read it, and as the width of a bar; what is there at all is seen.
fn share(part: u64, whole: u64) -> (String, String) {
    if part == 0 || whole == 0 {
        return ("0%".to_owned(), "0".to_owned());
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 1000 + whole / 2) / whole;
    // All but a few are not all.
    let tenths = if part < whole { tenths.min(999) } else { tenths };
    let text = match (tenths / 10, tenths % 10) {
        (0, 0) => "<0.1%".to_owned(),
        (ones, 0) => format!("{ones}%"),
        (ones, rest) => format!("{ones}.{rest}%"),
    };
    let shown = tenths.max(8);
    (escape(&text), format!("{}.{}", shown / 10, shown % 10))
}

/// Text as HTML, also within quotes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // HTML has no such character.
            '\0' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

/// Data as JSON that may stand in a script element: nothing in it can end the element or open a comment.
fn embedded(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).expect("plain data can always be written as JSON");
    // In JSON these stand in strings only, where they may be written by number.
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::model::{Count, counts};
    use super::*;

    /// The data that a page carries.
    fn carried(page: &str) -> serde_json::Value {
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    fn case(id: &str, verdict: Verdict) -> Case {
        Case {
            id: id.to_owned(),
            verdict,
            headline: String::new(),
            cause: String::new(),
            log: String::new(),
            specification: String::new(),
            events: 0,
            known: false,
            detail: None,
        }
    }

    #[test]
    fn samples_are_left_for_the_browser() {
        let folder = std::env::var_os("OTUS_REPORT_OUT").map(std::path::PathBuf::from);
        for (name, report) in samples::all() {
            let page = html(&report);
            assert!(page.contains("</html>"), "{name}");
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{name}.html")), page).unwrap();
            }
        }
    }

    #[test]
    fn nothing_that_was_logged_becomes_a_part_of_the_page() {
        let evil =
            "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> & \u{2028}\0";
        let mut report = samples::small();
        report.about.run.title = evil.to_owned();
        report.about.run.summary = evil.to_owned();
        report.about.run.warnings = vec![evil.to_owned()];
        report.about.run.question = evil.to_owned();
        report.cases[0].id = evil.to_owned();
        report.cases[0].headline = evil.to_owned();
        let page = html(&report);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\0'));
        assert_eq!(carried(&page)["cases"][0]["headline"], evil);
    }

    #[test]
    fn the_page_asks_for_nothing() {
        for (name, report) in samples::all() {
            let page = html(&report);
            let (before, _) = page.split_once("id=\"data\">").unwrap();
            for asking in ["http://", "https://", "src=", "@import", "url("] {
                assert!(!before.contains(asking), "{name} has {asking}");
            }
        }
        // The one address in the script names a language and is never visited.
        let script = include_str!("report.js");
        assert_eq!(script.matches("http").count(), 1);
    }

    #[test]
    fn a_page_without_data_is_small() {
        let page = html(&Report::default());
        assert!(page.len() < 60_000, "{}", page.len());
    }

    #[test]
    fn the_same_report_is_the_same_page() {
        assert_eq!(html(&samples::small()), html(&samples::small()));
    }

    #[test]
    fn counts_have_an_order_and_no_empty_lines() {
        let cases =
            [case("a", Verdict::Pass), case("b", Verdict::WeakPass), case("c", Verdict::Pass)];
        let found: Vec<(&str, u64)> =
            counts(&cases).iter().map(|count| (count.verdict.name(), count.cases)).collect();
        assert_eq!(found, [("Fail", 0), ("WeakPass", 1), ("Pass", 2)]);
        assert_eq!(counts(&[]).len(), 2);
    }

    #[test]
    fn shares_are_rounded_to_what_is_true() {
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

    #[test]
    fn groups_that_are_not_listed_are_counted() {
        let mut report = samples::small();
        report.about.counts.push(Count { verdict: Verdict::Inconclusive, cases: 1000 });
        let listed = report.cases.len() as u64;
        assert_eq!(carried(&html(&report))["checked"], listed + 1000);
    }

    #[test]
    fn many_failures_are_listed_and_the_first_are_drawn() {
        let mut report = samples::long();
        let first = report.cases[0].clone();
        report.cases =
            (0..210).map(|at| Case { id: format!("group {at}"), ..first.clone() }).collect();
        report.about.counts = counts(&report.cases);
        let page = html(&report);
        assert!(page.contains("And 10 more."));
        let data = carried(&page);
        let drawn =
            |at: usize| data["cases"][at]["detail"]["diagram"]["events"].as_array().unwrap().len();
        assert_eq!((drawn(0), drawn(199), drawn(200)), (EVENTS, EVENTS, 0));
        assert!(
            data["cases"][209]["detail"]["diagram"]["note"]
                .as_str()
                .unwrap()
                .contains("only the first failures are drawn")
        );
    }
}
