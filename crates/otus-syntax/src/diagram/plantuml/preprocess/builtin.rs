//! The functions of PlantUML whose result depends on the text alone.
//!
//! Functions about time, files, colours and the environment are not evaluated. Their text stays as it is and
//! appears in the picture.

use super::value::Value;

/// The value of a function of PlantUML; `None` if there is no such function, or it has no result here.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let text = |at: usize| arguments.get(at).map(ToString::to_string).unwrap_or_default();
    let number = |at: usize| arguments.get(at).and_then(Value::number);
    let truth = |truth: bool| Value::Number(i64::from(truth));
    Some(match name {
        "%true" => truth(true),
        "%false" => truth(false),
        "%not" => truth(!arguments.first().is_some_and(Value::holds)),
        "%boolval" => truth(arguments.first().is_some_and(Value::holds)),
        "%string" => Value::Text(text(0)),
        "%intval" => Value::Number(number(0)?),
        "%strlen" => Value::Number(i64::try_from(text(0).chars().count()).ok()?),
        "%size" => match arguments.first()? {
            Value::List(items) => Value::Number(i64::try_from(items.len()).ok()?),
            other @ (Value::Text(_) | Value::Number(_) | Value::Truth(_)) => {
                Value::Number(i64::try_from(other.to_string().chars().count()).ok()?)
            }
        },
        "%upper" => Value::Text(text(0).to_uppercase()),
        "%lower" => Value::Text(text(0).to_lowercase()),
        "%strpos" => {
            let (whole, part) = (text(0), text(1));
            let at = whole.find(&part).map(|at| whole[..at].chars().count());
            Value::Number(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
        }
        "%substr" => {
            let start = usize::try_from(number(1)?).ok()?;
            let length = number(2).and_then(|length| usize::try_from(length).ok());
            let part = text(0).chars().skip(start).take(length.unwrap_or(usize::MAX)).collect();
            Value::Text(part)
        }
        "%splitstr" => {
            let (whole, separator) = (text(0), text(1));
            let parts = whole.split(separator.as_str()).filter(|part| !part.is_empty());
            Value::List(parts.map(|part| Value::Text(part.to_owned())).collect())
        }
        "%chr" => {
            let code = number(0).and_then(|code| u32::try_from(code).ok())?;
            Value::Text(char::from_u32(code).filter(|c| !c.is_control())?.to_string())
        }
        // Line breaks and tabs as a label writes them.
        "%newline" | "%n" | "%breakline" => Value::Text("\\n".to_owned()),
        "%tab" => Value::Text("\\t".to_owned()),
        "%quote" | "%q" => Value::Text("\"".to_owned()),
        "%modulo" => Value::Number(number(0)?.checked_rem(number(1)?)?),
        "%dec2hex" => Value::Text(format!("{:x}", number(0)?)),
        "%hex2dec" => Value::Number(i64::from_str_radix(text(0).trim(), 16).ok()?),
        _ => return None,
    })
}
