//! GPU-initiated networking: the open backend and the safe Rust API.

pub mod sys;
