//! `otus schema`: the JSON Schemas of our formats.

use otus::schema::{Schema as Of, schema};

use crate::args::{Schema, SchemaArgs};
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> anyhow::Result<Exit> {
    let text = schema(match args.what {
        Schema::Mapping => Of::Mapping,
        Schema::Trace => Of::Trace,
        Schema::Results => Of::Results,
        Schema::Result => Of::Result,
    });
    output::print(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Success)
}
