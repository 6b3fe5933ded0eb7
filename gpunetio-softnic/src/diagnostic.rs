//! Strict mode: names a client's mistakes that hardware lets pass.
//!
//! It only watches. A NIC executes a WQE whose index is not its slot, believes a doorbell record in the wrong byte order
//! and runs into memory that was never written; the software NIC does the same with strict mode and without, so that a
//! program behaves alike here, there and on hardware. What strict mode adds is the sentence that says what went wrong.

use gpunetio_prm::id::Qpn;

/// Findings that are kept; later ones are only counted.
pub const MAX_FINDINGS: usize = 64;

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Mistake {
    /// The index in a WQE's control segment is not that of its slot.
    WqeIndex,
    /// A WQE carries another QP's number.
    WqeQpn,
    /// A fetched WQE's control segment is one byte repeated: never written, or filled to catch this.
    UnwrittenWqe,
    /// The producer index went to dword 0 of the doorbell record, the receive counter.
    RecordSlot,
    /// The doorbell record is right once its bytes are swapped.
    RecordByteOrder,
    /// The producer ran further ahead than the send queue is deep, over WQEs that were not executed yet.
    SendOverrun,
    /// The receive counter ran further ahead than the receive queue is deep.
    ReceiveOverrun,
    /// A doorbell names a QP that does not exist, or no longer does.
    UnknownQp,
    /// A doorbell was rung in a UAR page that is not the QP's.
    ForeignUar,
    /// A doorbell for a QP in RST, which has no queue yet.
    DoorbellInReset,
    /// A queue without doorbell record rang the register for queues with one, or the other way round.
    DoorbellRegister,
    /// A data segment of byte count 0, which means 2^31 and not nothing.
    ZeroByteCount,
    /// A WQE with an opcode that this NIC does not execute.
    UnknownOpcode,
}

impl Mistake {
    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// A mistake, where it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub mistake: Mistake,
    /// Queue.
    pub qpn: Qpn,
    /// What was expected: an index, a QPN, a depth.
    pub expected: u32,
    /// What was found in its place.
    pub found: u32,
}

impl core::fmt::Display for Finding {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { mistake, qpn, expected, found } = *self;
        match mistake {
            Mistake::WqeIndex => write!(
                f,
                "qp {qpn}: the WQE in slot of index {expected} carries index {found}: write the index modulo 2^16 into bits 23:8"
            ),
            Mistake::WqeQpn => {
                write!(f, "qp {qpn}: its WQE carries QPN {found:#x}: write the queue's own")
            }
            Mistake::UnwrittenWqe => write!(
                f,
                "qp {qpn}: the doorbell covers index {expected}, whose WQE is all {found:#04x}: write it before ringing"
            ),
            Mistake::RecordSlot => write!(
                f,
                "qp {qpn}: producer index {expected} is in dword 0 of the doorbell record: the send counter is dword 1"
            ),
            Mistake::RecordByteOrder => write!(
                f,
                "qp {qpn}: the doorbell record reads {found:#x} where {expected:#x} is rung: store it big-endian"
            ),
            Mistake::SendOverrun => write!(
                f,
                "qp {qpn}: {found} basic blocks announced in a send queue of {expected}: wait for completions before posting"
            ),
            Mistake::ReceiveOverrun => write!(
                f,
                "qp {qpn}: {found} WQEs announced in a receive queue of {expected}: wait for completions before posting"
            ),
            Mistake::UnknownQp => {
                write!(
                    f,
                    "doorbell for qp {qpn}, which does not exist: stop ringing before destroying"
                )
            }
            Mistake::ForeignUar => write!(
                f,
                "qp {qpn}: rung in uar page {found:#x}: it was created with page {expected:#x}"
            ),
            Mistake::DoorbellInReset => {
                write!(f, "qp {qpn}: rung in state RST: move it to INIT before posting")
            }
            Mistake::DoorbellRegister => write!(
                f,
                "qp {qpn}: rung at the register of send_dbr_mode {found}: the queue was created with {expected}"
            ),
            Mistake::ZeroByteCount => write!(
                f,
                "qp {qpn}: a data segment of WQE {expected} has byte count 0, which means 2^31: leave out empty segments"
            ),
            Mistake::UnknownOpcode => write!(
                f,
                "qp {qpn}: WQE {expected} has opcode {found:#04x}, which this NIC does not execute"
            ),
        }
    }
}

/// What strict mode found on a device.
#[derive(Debug, Default)]
pub struct Diagnostics {
    strict: bool,
    seen: Vec<Finding>,
    count: u64,
    unknown_seen: bool,
}

impl Diagnostics {
    /// Without findings.
    pub fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// True if findings are collected.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// The first [`MAX_FINDINGS`] findings, one per kind and QP.
    pub fn seen(&self) -> &[Finding] {
        &self.seen
    }

    /// All mistakes, repeated ones included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Notes a mistake of a QP whose earlier kinds are the bits of `reported`; warns once per kind and QP.
    pub(crate) fn report(&mut self, reported: &mut u16, finding: Finding) {
        if !self.strict {
            return;
        }
        self.count += 1;
        if *reported & finding.mistake.bit() != 0 {
            return;
        }
        *reported |= finding.mistake.bit();
        self.keep(finding);
    }

    /// Notes a doorbell for no QP; warns once, since a dead queue's poster may ring for long.
    pub(crate) fn report_unknown_qp(&mut self, qpn: Qpn) {
        if !self.strict {
            return;
        }
        self.count += 1;
        if !core::mem::replace(&mut self.unknown_seen, true) {
            self.keep(Finding { mistake: Mistake::UnknownQp, qpn, expected: 0, found: 0 });
        }
    }

    #[cold]
    fn keep(&mut self, finding: Finding) {
        log::warn!("softnic: {finding}");
        if self.seen.len() < MAX_FINDINGS {
            self.seen.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(mistake: Mistake) -> Finding {
        Finding { mistake, qpn: Qpn(0x100), expected: 1, found: 2 }
    }

    #[test]
    fn a_kind_is_kept_once_per_qp_and_always_counted() {
        let mut diagnostics = Diagnostics::new(true);
        let (mut one, mut other) = (0, 0);
        for _ in 0..3 {
            diagnostics.report(&mut one, finding(Mistake::WqeIndex));
        }
        diagnostics.report(&mut one, finding(Mistake::WqeQpn));
        diagnostics.report(&mut other, finding(Mistake::WqeIndex));
        assert_eq!((diagnostics.seen().len(), diagnostics.count()), (3, 5));
    }

    #[test]
    fn nothing_is_kept_without_strict_mode_and_only_so_much_with_it() {
        let mut lax = Diagnostics::new(false);
        lax.report(&mut 0, finding(Mistake::WqeIndex));
        lax.report_unknown_qp(Qpn(1));
        assert_eq!((lax.seen().len(), lax.count()), (0, 0));

        let mut strict = Diagnostics::new(true);
        for _ in 0..1000 {
            strict.report(&mut 0, finding(Mistake::WqeIndex));
            strict.report_unknown_qp(Qpn(1));
        }
        assert_eq!((strict.seen().len(), strict.count()), (MAX_FINDINGS, 2000));
    }

    #[test]
    fn messages_name_the_queue_and_both_values() {
        let text = finding(Mistake::WqeIndex).to_string();
        assert!(text.contains("0x100") && text.contains("index 1 ") && text.contains("index 2"));
    }
}
