//! The transport engine.

/// What the engine keeps of a QP between WQEs.
#[derive(Debug, Default)]
pub struct RunState {}

/// Timers of the engine.
#[derive(Debug, Default)]
pub struct Timers {}
