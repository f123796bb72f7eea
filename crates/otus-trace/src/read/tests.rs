//! Shared by the tests of the readers.

use std::ops::ControlFlow;

use super::{Fields, Format, Item, Options, Record, read};

/// Reads a text and shows each item as a line. `show` makes the part of a record after its line
/// number, given the values of the fields that are asked for (`-` for an absent one).
#[track_caller]
pub(super) fn read_shown(
    format: Format,
    text: &str,
    options: &Options,
    names: &[&str],
    show: impl Fn(&Record<'_>, &[String]) -> String,
) -> Vec<String> {
    let mut fields = Fields::default();
    let slots: Vec<usize> = names.iter().map(|name| fields.slot(name)).collect();
    let mut shown = Vec::new();
    let extent = read(format, &mut text.as_bytes(), &fields, options, &mut |item| {
        shown.push(match item {
            Item::Record(record) => {
                let value = |&slot: &usize| {
                    String::from_utf8_lossy(record.field(slot).unwrap_or(b"-")).into_owned()
                };
                let values: Vec<String> = slots.iter().map(value).collect();
                format!("{} {}", record.at.line, show(&record, &values))
            }
            Item::Blank => "blank".to_owned(),
            Item::Fault(fault) => format!("{} {}", fault.at.line, fault.kind),
        });
        ControlFlow::Continue(())
    });
    assert_eq!(extent.bytes, text.len() as u64, "{text}");
    shown
}
