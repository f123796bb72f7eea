//! The cursor the grammars move over the text.
