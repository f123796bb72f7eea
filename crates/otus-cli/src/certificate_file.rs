//! Why a multi-trace fails, as a file: JSON, or text with a line for each state.

use std::path::Path;

use otus_analysis::refute::{Blocked, Certificate, CertificateState};
use otus_core::Pool;
use otus_trace::{ComponentId, MultiTrace};
use serde_json::{Value, json};

use crate::output;

/// Writes a certificate in the format that the ending names, text unless that is `.json`; `-` is
/// text on standard output.
pub(crate) fn write(
    path: &str,
    pool: &Pool,
    trace: &MultiTrace,
    certificate: &Certificate,
) -> anyhow::Result<()> {
    if path == "-" {
        return output::print(&certificate.text(pool, trace));
    }
    let is_json = Path::new(path).extension().is_some_and(|ending| ending == "json");
    let text = if is_json {
        format!("{:#}\n", to_json(pool, trace, certificate))
    } else {
        certificate.text(pool, trace)
    };
    output::write_file(Path::new(path), &text)?;
    output::complain(&format!("wrote {path}"));
    Ok(())
}

/// `{"version":1,"components":[[…]],"states":[…],"alone":[{"component","states":[…]}]}`, where a
/// state is `{"term","explained":[…],"events","blocked","component"?,"moment"?,"supply"?}`.
fn to_json(pool: &Pool, trace: &MultiTrace, certificate: &Certificate) -> Value {
    let lifelines = |component: ComponentId| -> Vec<&str> {
        let lifelines = trace.partition().lifelines(component).iter();
        lifelines.map(|&lifeline| pool.signature().lifeline_name(lifeline)).collect()
    };
    let states = |states: &[CertificateState]| -> Value {
        states.iter().map(|state| state_to_json(pool, state)).collect()
    };
    let components = trace.partition().components();
    let alone: Vec<Value> = certificate
        .alone
        .iter()
        .map(|(component, own)| json!({ "component": component.0, "states": states(own) }))
        .collect();
    json!({
        "version": 1,
        "components": components.map(lifelines).collect::<Vec<_>>(),
        "states": states(&certificate.states),
        "alone": alone,
    })
}

fn state_to_json(pool: &Pool, state: &CertificateState) -> Value {
    let mut value = json!({
        "term": pool.text(state.situation.term),
        "explained": &*state.situation.consumed,
        "events": state.events,
    });
    match state.blocked {
        Blocked::Moves => value["blocked"] = json!("moves"),
        Blocked::Scarce { component, moment, supply } => {
            value["blocked"] = json!("scarce");
            value["component"] = json!(component.0);
            value["moment"] = json!(moment);
            value["supply"] = json!(supply);
        }
        Blocked::Alone(component) => {
            value["blocked"] = json!("alone");
            value["component"] = json!(component.0);
        }
    }
    value
}
