//! The verdicts of the chosen runs, what failures have in common, and coverage; or the same from a file of results.

use std::collections::BTreeMap;
use std::time::Instant;

use otus::report::{ReportFormat, Reports};
use otus::results::Results;
use otus::{
    Case, Explain, Item, PictureFormat, PictureStyle, Summary, Theme, Verdict, WitnessPolicy,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Subject, place};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    #[serde(flatten)]
    subject: Subject,
    #[serde(default)]
    coverage: bool,
    theme: Option<String>,
    /// Whether failures are explained. Without it, cases have no cause.
    explain: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct File {
    path: String,
}

/// The most failures that are explained, since each may take as long as a hundred verdicts.
const EXPLAINED: usize = 200;
/// The cases that a group of causes names.
const NAMED: usize = 20;

/// A theme of pictures, as the page names it.
pub(crate) fn theme(name: Option<&str>) -> PictureStyle {
    let mut style = PictureStyle::default();
    if name == Some("dark") {
        style.theme = Theme::Dark;
    }
    style
}

pub(crate) fn check(asked: &Asked<'_>, question: &Question) -> Result<Value, Failure> {
    let start = Instant::now();
    let (context, heard) = question.subject.context(asked)?;
    let mut request = question.subject.request(asked)?;
    let is_explained = question.explain != Some(false);
    request.coverage = question.coverage;
    request.witness = WitnessPolicy::None;
    if is_explained {
        request.explain = Explain::First(EXPLAINED);
    } else {
        request.explain = Explain::None;
        request.is_brief = !question.coverage;
    }
    let analysis = otus::analyze(&context, &request)?;
    let mut running = analysis.start(Row::new);
    let (mut rows, mut remarks) = (Vec::new(), Vec::new());
    for item in running.by_ref() {
        match item? {
            Item::Case(row) => rows.push(row),
            Item::Unusable(unusable) => {
                let name = unusable.id.or_else(|| Some(unusable.place?.to_string()));
                let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
                remarks.push(format!("{name}{}", unusable.message));
            }
            _ => {}
        }
    }
    let finished = running.finish()?;
    remarks.extend(heard.remarks());
    remarks.extend(finished.log_remarks().iter().cloned());
    let mut seen = std::collections::BTreeSet::new();
    remarks.retain(|remark| seen.insert(remark.clone()));
    let mut answer = table(&rows);
    answer["remarks"] = json!(remarks);
    answer["diagnostics"] = json!(heard.diagnostics());
    if let Some(report) = &finished.summary.coverage {
        let (covered, all) = report.counts();
        let style = theme(question.theme.as_deref());
        let picture = finished.coverage_picture(PictureFormat::Svg, &style);
        let missing = report.missing();
        let missing: Vec<Value> =
            missing.map(|(text, at)| json!({ "text": text, "place": place(Some(at)) })).collect();
        answer["coverage"] = json!({
            "covered": covered,
            "all": all,
            "svg": picture.map(|it| String::from_utf8_lossy(&it.bytes).into_owned()),
            "missing": missing,
        });
    }
    answer["micros"] = json!(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX));
    Ok(answer)
}

/// A row of the table.
#[derive(Debug, Clone)]
struct Row {
    id: String,
    verdict: Verdict,
    headline: String,
    cause: Option<(&'static str, &'static str)>,
    expected: String,
    events: usize,
    micros: u64,
}

impl Row {
    fn new(case: &Case) -> Row {
        let expected = case.failure().and_then(|it| it.expected.first());
        Row {
            id: case.id.clone(),
            verdict: case.verdict,
            headline: case.headline(),
            cause: case.failure().and_then(|_| case.cause()).map(|it| (it.id, it.name)),
            expected: expected
                .map(|it| format!("{} at {}", it.action, it.place))
                .unwrap_or_default(),
            events: case.actions,
            micros: u64::try_from(case.elapsed.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

/// The rows, the counts and the causes.
fn table(rows: &[Row]) -> Value {
    let mut causes: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    let [mut pass, mut weak, mut fail, mut undecided] = [0_usize; 4];
    for row in rows {
        match row.verdict {
            Verdict::Pass => pass += 1,
            Verdict::WeakPass => weak += 1,
            Verdict::Fail => fail += 1,
            Verdict::WeakFail | Verdict::Inconclusive => undecided += 1,
        }
        if let Some((cause, name)) = row.cause {
            causes.entry((cause, name, &row.expected)).or_default().push(&row.id);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    let causes = causes.into_iter().map(|((cause, name, expected), cases)| {
        json!({
            "cause": cause,
            "name": name,
            "expected": expected,
            "count": cases.len(),
            "cases": &cases[..cases.len().min(NAMED)],
        })
    });
    let cases = rows.iter().map(|row| {
        let mut value = json!({
            "id": row.id,
            "verdict": row.verdict.name(),
            "headline": row.headline,
            "events": row.events,
            "micros": row.micros,
        });
        if let Some((cause, _)) = row.cause {
            value["cause"] = json!(cause);
        }
        value
    });
    json!({
        "cases": cases.collect::<Vec<_>>(),
        "counts": { "pass": pass, "weak": weak, "fail": fail, "undecided": undecided },
        "causes": causes.collect::<Vec<_>>(),
        "remarks": [],
        "diagnostics": [],
        "micros": 0,
    })
}

pub(crate) fn results(asked: &Asked<'_>, file: &File) -> Result<Value, Failure> {
    asked.inside(&file.path)?;
    let (context, heard) = asked.context(&BTreeMap::new())?;
    let results = Results::read(&context, std::slice::from_ref(&file.path))?;
    let writer = ReportFormat::Json.writer(None, false);
    let (_, sinks): (Summary, Vec<Vec<u8>>) =
        results.write(Reports::new(vec![(writer, Vec::new())]))?;
    let text = sinks.into_iter().next().unwrap_or_default();
    let document: Value = serde_json::from_slice(&text)
        .map_err(|error| Failure::internal(format!("a report is no JSON: {error}")))?;
    let cases = document["results"].as_array().cloned().unwrap_or_default();
    let rows: Vec<Row> = cases.iter().filter_map(restored).collect();
    let mut answer = table(&rows);
    answer["remarks"] = json!(heard.remarks());
    Ok(answer)
}

const VERDICTS: [Verdict; 5] =
    [Verdict::Pass, Verdict::WeakPass, Verdict::Fail, Verdict::WeakFail, Verdict::Inconclusive];

/// A row from the JSON of a case.
fn restored(case: &Value) -> Option<Row> {
    let explanation = &case["explanation"];
    let verdict = VERDICTS.into_iter().find(|it| Some(it.name()) == case["verdict"].as_str())?;
    let cause = explanation["cause"].as_str();
    let cause = cause.and_then(|id| otus::CAUSES.iter().find(|cause| cause.id == id));
    let expected = &explanation["expected"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let headline = explanation["headline"].as_str().or(case["reason"].as_str());
    Some(Row {
        id: text(&case["id"]),
        verdict,
        headline: headline.unwrap_or(verdict.name()).to_owned(),
        cause: cause.map(|cause| (cause.id, cause.name)),
        expected: match expected["action"].as_str() {
            Some(action) => {
                format!("{action} at {}:{}", text(&expected["file"]), expected["line"])
            }
            None => String::new(),
        },
        events: 0,
        micros: case["micros"].as_u64().unwrap_or(0),
    })
}
