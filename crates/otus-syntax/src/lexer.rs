//! Tokens of the text formats.
