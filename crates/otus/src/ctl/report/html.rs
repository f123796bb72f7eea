//! Answers as one HTML page, without a script: the formulas, their verdicts, and each run as a space-time diagram.

use std::fmt::Write as _;

use super::Report;
use crate::ctl::answer::Answer;
use crate::report::html::page_head;
use crate::report::xml_text as escape;

/// The maximum number of runs that are drawn, so that the page stays small.
const MOST_DRAWN: usize = 50;

/// The maximum number of events of a drawing.
const MOST_EVENTS: usize = 400;

pub(super) fn page(report: &Report<'_>) -> String {
    let summary = report.summary;
    let title = format!("Formulas over {}", summary.trace);
    let mut page = page_head(&title);
    let _ = write!(
        page,
        "<header>\n<div><h1><bdi>{}</bdi></h1>\n<p class=\"summary\">{}</p></div>\n</header>\n\
         <main id=\"main\">\n",
        escape(&title),
        escape(&summary.counts())
    );
    table(&mut page, report);
    let mut drawn = 0;
    for (answer, number) in report.answers.iter().zip(1..) {
        section(&mut page, answer, number, &mut drawn);
    }
    let _ = write!(
        page,
        "</main>\n<footer>Written by otus {}.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

/// The formulas with their verdicts, each with a link to its section.
fn table(page: &mut String, report: &Report<'_>) {
    page.push_str(
        "<div class=\"scroll\"><table>\n<thead><tr><th class=\"plain\">Formula</th>\
         <th class=\"plain\">Answer</th><th class=\"plain\">Meaning</th>\
         <th class=\"plain number\">Warnings</th></tr></thead>\n<tbody>\n",
    );
    for (answer, number) in report.answers.iter().zip(1..) {
        let warnings = match answer.warnings.len() {
            0 => String::new(),
            some => some.to_string(),
        };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\"><a href=\"#formula-{number}\"><bdi>{}</bdi></a></th>\
             <td class=\"verdict\">{}</td><td class=\"why\">{}</td><td class=\"number\">{warnings}</td></tr>",
            escape(&answer.title_text()),
            badge(answer),
            escape(&answer.headline())
        );
    }
    page.push_str("</tbody>\n</table></div>\n");
}

fn badge(answer: &Answer) -> String {
    let class = match answer.decided() {
        Some(true) => "v-Pass",
        Some(false) => "v-Fail",
        None => "v-Inconclusive",
    };
    format!("<span class=\"badge {class}\">{}</span>", answer.verdict())
}

fn section(page: &mut String, answer: &Answer, number: usize, drawn: &mut usize) {
    let _ = write!(
        page,
        "<section class=\"groups\" id=\"formula-{number}\">\n<h2><bdi>{}</bdi> {}</h2>\n",
        escape(&answer.title_text()),
        badge(answer)
    );
    if answer.name.is_some() {
        let _ = writeln!(page, "<p><code>{}</code></p>", escape(&answer.formula));
    }
    if let Some(place) = &answer.place {
        let _ = writeln!(page, "<p class=\"quiet\">{}</p>", escape(&place.to_string()));
    }
    for warning in &answer.warnings {
        let warning = escape(&warning.to_string());
        let _ = writeln!(page, "<p class=\"warning\">Warning: {warning}</p>");
    }
    let text = answer.to_string();
    // The title is in the heading and the warnings are above, so both are left out here.
    let lines = text.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line));
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("warning: ")).collect();
    let _ = writeln!(page, "<pre>{}</pre>", escape(&lines.join("\n")));
    if answer.witness.is_some() {
        *drawn += 1;
        if *drawn > MOST_DRAWN {
            page.push_str(
                "<p class=\"quiet\">To keep this page small, this run is not drawn.</p>\n",
            );
        } else if let Some(svg) = answer.svg_in_page(&format!("run{number}"), MOST_EVENTS) {
            let _ =
                writeln!(page, "<div class=\"scroll\" style=\"margin-top: 0.6rem\">{svg}</div>");
        }
    }
    page.push_str("</section>\n");
}
