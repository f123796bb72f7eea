//! What the events of a table are compared with.

use otus_core::{Partners, Signature, Valued};

/// The names of a specification.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// That of the specification itself, for messages.
    pub(crate) name: String,
    pub(crate) signature: Signature,
    /// Where the peers of events matter.
    pub(crate) partners: Partners,
    /// The fields that guards name, besides the time; `None` if the specification has no values.
    fields: Option<Vec<String>>,
}

impl Scope {
    pub(crate) fn new(
        name: String,
        signature: &Signature,
        partners: &Partners,
        valued: Option<&Valued>,
    ) -> Scope {
        let fields =
            |valued: &Valued| valued.fields.items.iter().skip(1).map(ToString::to_string).collect();
        let (signature, partners) = (signature.clone(), partners.clone());
        Scope { name, signature, partners, fields: valued.map(fields) }
    }

    /// The fields whose values are kept.
    pub(crate) fn fields(&self) -> &[String] {
        self.fields.as_deref().unwrap_or_default()
    }

    /// Whether times are kept.
    pub(crate) fn has_values(&self) -> bool {
        self.fields.is_some()
    }
}
