//! Which queue runs when: the ready ring, timers and what blocks a queue.
//!
//! A queue is in the ready ring at most once and only while it has something to do, so that idle queues cost nothing.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use gpunetio_prm::command::QpState;
use gpunetio_prm::id::Qpn;

use super::gather::Piece;
use crate::device::{Device, Fabric};
use crate::memory::Span;
use crate::object::{Qp, ReadyQueue, SendQueue};

/// Why a send queue with announced work does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Blocked {
    /// It goes on.
    #[default]
    No,
    /// Its WAIT is in [`crate::object::Cq::waiters`].
    Wait,
    /// The peer had no receive WQE; the RNR timer runs.
    Rnr,
    /// The peer cannot be reached; the ACK timer runs, unless the timeout is "for ever".
    Retry,
}

/// What the engine keeps of a QP between WQEs.
#[derive(Debug, Default)]
pub struct RunState {
    /// The QP is in the ready ring.
    pub(crate) queued: bool,
    /// What its send queue waits for.
    pub(crate) blocked: Blocked,
    /// When its timer fires. A timer in the heap that says otherwise is a leftover.
    pub(crate) deadline: Option<u64>,
    /// RNR NAKs of the WQE at the head.
    pub(crate) rnr_naks: u8,
    /// ACK timeouts begun for the WQE at the head.
    pub(crate) timeouts: u8,
    /// Pause until the receive queue of a QP in error is looked at again.
    pub(crate) drain_pause: u64,
    /// Device that owns the peer's GID, if there is one; looked up when the path is set ([`super::activate`]).
    pub(crate) peer: Option<usize>,
    /// Kinds of mistakes that were reported.
    pub(crate) reported: u16,
}

/// Timers and buffers of the engine.
#[derive(Debug, Default)]
pub struct Engine {
    timers: BinaryHeap<Reverse<(u64, usize, Qpn)>>,
    /// The local pieces of the message at hand; kept for its capacity.
    pub(super) pieces: Vec<Piece>,
    /// The receive buffer of the message at hand; kept for its capacity.
    pub(super) spans: Vec<Span>,
}

impl Engine {
    /// When the next timer fires; leftovers included, which cost a look.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        self.timers.peek().map(|Reverse((deadline, ..))| *deadline)
    }

    /// Takes the queue of a timer that has fired by `now`.
    pub(super) fn fired(&mut self, now: u64) -> Option<(u64, usize, Qpn)> {
        self.next_deadline().filter(|deadline| *deadline <= now)?;
        self.timers.pop().map(|Reverse(timer)| timer)
    }
}

/// What a step may wake, beside the device that it works on.
pub(super) struct Turn<'f> {
    pub(super) ready: &'f mut ReadyQueue,
    pub(super) engine: &'f mut Engine,
    pub(super) now: u64,
}

/// The fabric's devices apart from its schedule, so that a step can change both.
pub(super) fn split(fabric: &mut Fabric) -> (&mut [Device], Turn<'_>) {
    let turn = Turn { ready: &mut fabric.ready, engine: &mut fabric.engine, now: fabric.now };
    (&mut fabric.devices, turn)
}

impl Turn<'_> {
    /// Puts a QP into the ready ring, unless it is there.
    pub(super) fn enqueue(&mut self, device: usize, qp: &mut Qp) {
        if !qp.run.queued {
            qp.run.queued = true;
            self.ready.0.push_back((device, qp.qpn));
        }
    }

    /// Puts a QP into the ready ring if its state lets it do something about its send queue.
    pub(super) fn enqueue_if_work(&mut self, device: usize, qp: &mut Qp) {
        let runs = qp.state == QpState::RTS || qp.state == QpState::ERR;
        if runs && qp.run.blocked == Blocked::No && qp.send.as_ref().is_some_and(has_work) {
            self.enqueue(device, qp);
        }
    }

    /// Starts the QP's timer, in place of one that runs.
    pub(super) fn arm(&mut self, device: usize, qp: &mut Qp, pause: u64) {
        let deadline = self.now.saturating_add(pause);
        qp.run.deadline = Some(deadline);
        self.engine.timers.push(Reverse((deadline, device, qp.qpn)));
    }
}

/// True if the queue has announced work.
pub(super) fn has_work(send: &SendQueue) -> bool {
    send.producer != send.consumer
}
