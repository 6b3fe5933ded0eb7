//! RDMA atomics, plain and masked, on four and eight bytes.
//!
//! The operands in a WQE are big-endian. The target in memory is a value of the host's byte order, which is what the
//! capability `atomic_req_8B_endianness_mode` = host says and what CPU and GPU threads expect of a counter; the former
//! value goes to the requester's memory in the same order, four bytes wide like eight, so that nobody has to swap.

use zerocopy::big_endian::U32;

use crate::memory::Span;

/// What an atomic does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Where the bits of `compare_mask` equal those of `compare`, the bits of `swap_mask` become those of `swap`.
    CompareSwap { compare: u64, compare_mask: u64, swap: u64, swap_mask: u64 },
    /// Adds; no carry leaves a bit that is set in `boundary`, the top bit of a field.
    FetchAdd { add: u64, boundary: u64 },
}

impl Change {
    /// The plain compare-and-swap: every bit counts.
    pub(super) const fn compare_swap(compare: u64, swap: u64) -> Self {
        Self::CompareSwap { compare, compare_mask: u64::MAX, swap, swap_mask: u64::MAX }
    }

    /// The plain fetch-and-add: one field.
    pub(super) const fn fetch_add(add: u64) -> Self {
        Self::FetchAdd { add, boundary: 0 }
    }

    /// The value after `old`. A target of four bytes uses the low half: what would carry out of it is cut off.
    pub(super) const fn apply(self, old: u64) -> u64 {
        match self {
            Self::CompareSwap { compare, compare_mask, swap, swap_mask } => {
                if (old ^ compare) & compare_mask == 0 {
                    old & !swap_mask | swap & swap_mask
                } else {
                    old
                }
            }
            Self::FetchAdd { add, boundary } => {
                // Without their top bits the fields cannot carry into one another; the top bits are then added without
                // carry, the carry that arrived in them included.
                let below = (old & !boundary).wrapping_add(add & !boundary);
                below ^ (old ^ add) & boundary
            }
        }
    }
}

/// An atomic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Atomic {
    pub(super) change: Change,
    /// Bytes of the target: 4 or 8.
    pub(super) width: u32,
}

impl Atomic {
    /// Executes on an aligned target of `width` bytes; returns the former value.
    pub(super) fn execute(self, target: Span) -> u64 {
        if self.width == 4 {
            target.fetch_update_u32(|old| self.change.apply(old.into()) as u32).into()
        } else {
            target.fetch_update_u64(|old| self.change.apply(old))
        }
    }

    /// Bytes of a former value as the requester gets them; the first `width` count.
    pub(super) fn result_bytes(self, value: u64) -> [u8; 8] {
        let mut bytes = value.to_ne_bytes();
        if self.width == 4 {
            bytes[..4].copy_from_slice(&(value as u32).to_ne_bytes());
        }
        bytes
    }
}

/// A 32-bit operand.
pub(super) fn wide(operand: U32) -> u64 {
    operand.get().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_masked_swap_compares_and_replaces_only_masked_bits() {
        let change = Change::CompareSwap {
            compare: 0xaa00,
            compare_mask: 0xff00,
            swap: 0x1234,
            swap_mask: 0x00ff,
        };
        assert_eq!(change.apply(0x5aa77), 0x5aa34);
        assert_eq!(change.apply(0x5ab77), 0x5ab77);
    }

    #[test]
    fn no_carry_leaves_a_field() {
        let bytes = Change::FetchAdd { add: 0x01ff_0201, boundary: 0x8080_8080 };
        assert_eq!(bytes.apply(0xff01_fe80), 0x0000_0081);
        assert_eq!(Change::fetch_add(1).apply(u64::MAX), 0);
    }

    proptest! {
        #[test]
        fn a_fetch_add_equals_adding_each_field_alone(old: u64, add: u64, boundary: u64) {
            let mut want = 0u64;
            let mut low = 0;
            for bit in 0..64 {
                if boundary >> bit & 1 == 1 || bit == 63 {
                    let mask = (u64::MAX >> (63 - bit)) & !((1u64 << low) - 1);
                    let field = ((old & mask) >> low).wrapping_add((add & mask) >> low);
                    want |= (field << low) & mask;
                    low = bit + 1;
                }
            }
            prop_assert_eq!(Change::FetchAdd { add, boundary }.apply(old), want);
        }
    }
}
