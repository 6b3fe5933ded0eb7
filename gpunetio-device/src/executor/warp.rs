//! Warp-wide operations: who has arrived, when it is complete, what each lane gets.

/// Operation codes of `enum gpunetio_cpu_warp_op`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WarpOp(pub(super) u32);

impl WarpOp {
    const SYNC: Self = Self(0);
    const BALLOT: Self = Self(1);
    const SHUFFLE: Self = Self(2);
    const MATCH: Self = Self(3);

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SYNC => "__syncwarp",
            Self::BALLOT => "__ballot_sync",
            Self::SHUFFLE => "__shfl_sync",
            Self::MATCH => "__match_any_sync",
            _ => "unknown warp operation",
        }
    }
}

/// An operation that lanes have arrived at and that is not complete.
struct Pending {
    op: WarpOp,
    mask: u32,
    arrived: u32,
    values: [u64; 32],
    sources: [u32; 32],
}

impl Pending {
    fn result(&self, lane: u32) -> u64 {
        let own = self.values[lane as usize];
        match self.op {
            WarpOp::BALLOT => u64::from(
                self.lanes()
                    .filter(|&l| self.values[l as usize] != 0)
                    .fold(0u32, |m, l| m | 1 << l),
            ),
            WarpOp::MATCH => u64::from(
                self.lanes()
                    .filter(|&l| self.values[l as usize] == own)
                    .fold(0u32, |m, l| m | 1 << l),
            ),
            WarpOp::SHUFFLE => {
                let source = self.sources[lane as usize] & 31;
                // A lane that is not there gives the caller its own value back; CUDA leaves it undefined.
                if self.arrived >> source & 1 == 1 { self.values[source as usize] } else { own }
            }
            _ => 0,
        }
    }

    fn lanes(&self) -> impl Iterator<Item = u32> {
        bits(self.arrived)
    }
}

/// The set bits of a mask, lowest first.
pub(super) fn bits(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// One warp of a block.
pub(super) struct Warp {
    /// Lanes that exist and have not ended.
    pub(super) live: u32,
    /// Lanes that run, or will, and are not waiting for anything: those that may still join the others at a call.
    fresh: u32,
    pending: Vec<Pending>,
    /// Lanes in `__activemask`, by call.
    parked: Vec<(u32, usize)>,
}

/// A lane that may go on, with its result.
pub(super) type Woken = Vec<(u32, u64)>;

impl Warp {
    pub(super) fn new(lanes: u32) -> Self {
        let live = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
        Self { live, fresh: live, pending: Vec::new(), parked: Vec::new() }
    }

    /// A lane arrives at an operation. Returns who goes on, the caller among them, or nobody.
    pub(super) fn arrive(
        &mut self,
        lane: u32,
        op: WarpOp,
        mask: u32,
        value: u64,
        source: u32,
    ) -> Woken {
        self.fresh &= !(1 << lane);
        let joins = |p: &Pending| p.op == op && p.mask == mask && p.arrived >> lane & 1 == 0;
        let at = self.pending.iter().position(joins).unwrap_or_else(|| {
            let empty = Pending { op, mask, arrived: 0, values: [0; 32], sources: [0; 32] };
            self.pending.push(empty);
            self.pending.len() - 1
        });
        let pending = &mut self.pending[at];
        pending.arrived |= 1 << lane;
        pending.values[lane as usize] = value;
        pending.sources[lane as usize] = source;
        let mut woken = self.complete();
        self.release_parked(&mut woken);
        woken
    }

    /// A lane asks which lanes are at this call with it.
    pub(super) fn park(&mut self, lane: u32, site: usize) -> Woken {
        self.fresh &= !(1 << lane);
        self.parked.push((lane, site));
        let mut woken = Woken::new();
        self.release_parked(&mut woken);
        woken
    }

    /// A lane waits in a loop: those in `__activemask` need not wait for it.
    pub(super) fn relax(&mut self, lane: u32) -> Woken {
        self.fresh &= !(1 << lane);
        let mut woken = Woken::new();
        self.release_parked(&mut woken);
        woken
    }

    /// A lane goes on from something outside the warp.
    pub(super) fn refresh(&mut self, lane: u32) {
        self.fresh |= 1 << lane;
    }

    /// A lane has ended: it counts as arrived everywhere.
    pub(super) fn exit(&mut self, lane: u32) -> Woken {
        self.live &= !(1 << lane);
        self.fresh &= !(1 << lane);
        let mut woken = self.complete();
        self.release_parked(&mut woken);
        woken
    }

    /// What lanes of this warp wait in, for a report.
    pub(super) fn describe(&self, warp: usize, into: &mut Vec<String>) {
        for p in &self.pending {
            let missing = p.mask & self.live & !p.arrived;
            into.push(format!(
                "warp {warp}: lanes {:#x} wait in {} with mask {:#x} for lanes {missing:#x}",
                p.arrived,
                p.op.name(),
                p.mask
            ));
        }
    }

    /// Operations that all their live lanes have reached.
    fn complete(&mut self) -> Woken {
        let live = self.live;
        let mut woken = Woken::new();
        self.pending.retain(|p| {
            if p.mask & live & !p.arrived != 0 {
                return true;
            }
            woken.extend(p.lanes().map(|lane| (lane, p.result(lane))));
            false
        });
        for (lane, _) in &woken {
            self.fresh |= 1 << lane;
        }
        woken
    }

    /// Once no lane is on its way any more, those in `__activemask` go on, one group per call.
    fn release_parked(&mut self, woken: &mut Woken) {
        if self.fresh != 0 {
            return;
        }
        let parked = std::mem::take(&mut self.parked);
        for &(lane, site) in &parked {
            let mask = parked.iter().filter(|p| p.1 == site).fold(0u32, |m, p| m | 1 << p.0);
            woken.push((lane, u64::from(mask)));
            self.fresh |= 1 << lane;
        }
    }
}
