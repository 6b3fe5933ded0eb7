//! Memory that many queues share, at sub-offsets.

use std::sync::Arc;

use super::HighLevelAttr;
use crate::error::{Error, Result};
use crate::gpu::MemoryKind;
use crate::umem::UmemInner;

/// Bytes between doorbell records: a cache line, so that two queues never share one.
pub(super) const RECORD_STRIDE: usize = 64;

/// One registered region cut into equal pieces.
#[derive(Debug)]
pub(super) struct Slab {
    umem: Arc<UmemInner>,
    piece: usize,
}

impl Slab {
    pub(super) fn new(
        attr: &HighLevelAttr<'_>,
        kind: MemoryKind,
        piece: usize,
        count: usize,
    ) -> Result<Self> {
        let bytes = piece.checked_mul(count).ok_or_else(|| {
            let value = format!("{count} pieces of {piece} bytes");
            Error::invalid("shared queue memory", value, "ask for fewer queue pairs")
        })?;
        Ok(Self { umem: attr.region(kind, bytes)?, piece })
    }

    /// Piece number `index`.
    pub(super) fn at(&self, index: usize) -> (Arc<UmemInner>, u64) {
        (Arc::clone(&self.umem), (index * self.piece) as u64)
    }
}
