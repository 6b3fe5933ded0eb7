//! The local side of a message: its data segments, resolved to memory.

use gpunetio_prm::id::{Mkey, Pdn};
use gpunetio_prm::wqe::{DataSeg, INLINE_LEN_MASK, INLINE_SEG, SEG_BYTES};
use zerocopy::FromBytes;

use super::error::{Failure, Vendor};
use crate::memory::{Access, MemoryTable, Span};

/// Bytes that a byte count of 0 stands for in a segment that points to memory, for sending and for receiving: the field
/// has 31 bits. Drivers leave empty segments out for that reason, and the public `put` of nothing is a NOP.
pub(super) const ZERO_BYTE_COUNT: u64 = 1 << 31;

/// Bytes that a data segment which points to memory asks for.
pub(super) fn byte_count(segment: &DataSeg) -> u64 {
    match segment.byte_count.get() & !INLINE_SEG {
        0 => ZERO_BYTE_COUNT,
        count => count.into(),
    }
}

/// The data segments of a WQE: all after the first `start` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segments<'w> {
    pub(super) wqe: &'w [u8],
    pub(super) start: usize,
}

/// A stretch of a message's local data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Bytes of the WQE itself.
    Inline { start: usize, len: usize },
    /// Registered memory.
    Memory(Span),
}

/// What the local memory of a message must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// PD of the queue.
    pub(super) pd: Pdn,
    /// [`Access::LOCAL_READ`] for data that is sent, which may be inline; [`Access::LOCAL_WRITE`] for data that arrives.
    pub(super) access: Access,
    /// Most bytes.
    pub(super) limit: u64,
}

/// Resolves all segments before a byte moves. Returns the message's length; `pieces` are its parts.
pub(super) fn resolve(
    segments: Segments<'_>,
    memory: &MemoryTable,
    needs: Needs,
    pieces: &mut Vec<Piece>,
) -> Result<u64, Failure> {
    let Segments { wqe, start: mut at } = segments;
    let mut total = 0;
    while let Some(bytes) = wqe.get(at..at + SEG_BYTES) {
        let Ok(segment) = DataSeg::ref_from_bytes(bytes) else { break };
        let count = segment.byte_count.get();
        if count & INLINE_SEG != 0 {
            if needs.access != Access::LOCAL_READ {
                return Err(Failure::operation(Vendor::INLINE_TARGET));
            }
            let (start, len) = (at + size_of::<u32>(), (count & INLINE_LEN_MASK) as usize);
            if start + len > wqe.len() {
                return Err(Failure::operation(Vendor::INLINE_TOO_LONG));
            }
            total += len as u64;
            if total > needs.limit {
                return Err(Failure::length(Vendor::MESSAGE_TOO_LONG));
            }
            pieces.push(Piece::Inline { start, len });
            at = (start + len).next_multiple_of(SEG_BYTES);
        } else {
            let len = byte_count(segment);
            total += len;
            if total > needs.limit {
                return Err(Failure::length(if count == 0 {
                    Vendor::ZERO_BYTE_COUNT
                } else {
                    Vendor::MESSAGE_TOO_LONG
                }));
            }
            let key = Mkey(segment.lkey.get());
            let span = memory
                .translate(key, needs.pd, segment.addr.get(), len, needs.access)
                .map_err(Failure::local)?;
            pieces.push(Piece::Memory(span));
            at += SEG_BYTES;
        }
    }
    Ok(total)
}

/// The data of a message that is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Payload<'a> {
    pub(super) pieces: &'a [Piece],
    pub(super) wqe: &'a [u8],
    /// Bytes of all pieces.
    pub(super) len: u64,
}

impl Payload<'_> {
    /// Copies all to the start of `target`.
    #[inline]
    pub(super) fn copy_to(&self, target: Span) {
        if let [Piece::Memory(source)] = *self.pieces {
            return target.copy_from(source);
        }
        let mut at = 0;
        for piece in self.pieces {
            at += self.copy_piece(piece, 0, target, at);
        }
    }

    /// Copies all to `targets`, one after the other, which hold that much.
    pub(super) fn scatter(&self, targets: &[Span]) {
        let mut targets = targets.iter().copied();
        let mut room = None;
        for piece in self.pieces {
            let mut done = 0;
            while done < piece.len() {
                let Some(target) = room.take().or_else(|| targets.next()) else { return };
                let copied = self.copy_piece(piece, done, target, 0);
                done += copied;
                room = target
                    .part(copied as u64, (target.len() - copied) as u64)
                    .filter(|rest| !rest.is_empty());
            }
        }
    }

    /// Copies from byte `from` of a piece to byte `to` of `target`, as much as fits. Returns how much.
    fn copy_piece(&self, piece: &Piece, from: usize, target: Span, to: usize) -> usize {
        let len = (piece.len() - from).min(target.len() - to);
        let Some(target) = target.part(to as u64, len as u64) else { return len };
        match *piece {
            Piece::Inline { start, .. } => {
                target.write(&self.wqe[start + from..start + from + len]);
            }
            Piece::Memory(span) => {
                if let Some(source) = span.part(from as u64, len as u64) {
                    target.copy_from(source);
                }
            }
        }
        len
    }
}

impl Piece {
    fn len(&self) -> usize {
        match *self {
            Self::Inline { len, .. } => len,
            Self::Memory(span) => span.len(),
        }
    }
}

/// Copies what a READ returned to the requester's memory.
pub(super) fn deliver(source: Span, pieces: &[Piece]) {
    let mut at = 0;
    for piece in pieces {
        if let Piece::Memory(target) = *piece
            && let Some(part) = source.part(at, target.len() as u64)
        {
            target.copy_from(part);
            at += part.len() as u64;
        }
    }
}

/// Writes what an atomic returned to the requester's memory, which may be longer.
pub(super) fn deliver_bytes(mut bytes: &[u8], pieces: &[Piece]) {
    for piece in pieces {
        if let Piece::Memory(target) = *piece {
            let (now, later) = bytes.split_at(bytes.len().min(target.len()));
            target.write(now);
            bytes = later;
        }
    }
}
