//! Strict-mode diagnostics.

/// What strict mode found.
#[derive(Debug, Default)]
pub struct Diagnostics {
    strict: bool,
}

impl Diagnostics {
    /// Without findings.
    pub fn new(strict: bool) -> Self {
        Self { strict }
    }

    /// True if findings are collected.
    pub fn strict(&self) -> bool {
        self.strict
    }
}
