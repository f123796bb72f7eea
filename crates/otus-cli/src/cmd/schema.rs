//! `otus schema`: the JSON Schemas of our formats.

use otus::Status;
use otus::schema::schema;

use crate::args::SchemaArgs;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> anyhow::Result<Status> {
    output::answer(&format!("{}\n", schema(args.what).trim_end()))
}
