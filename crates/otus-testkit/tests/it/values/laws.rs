//! The laws of the design page, by the oracle.
