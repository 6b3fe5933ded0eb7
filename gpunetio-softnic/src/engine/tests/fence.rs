//! Fences: a WQE of any `fm` sees what those before it did, also where they had to wait.

use super::*;
use gpunetio_prm::wqe::AtomicSeg;

/// Every value of the three bits: none, initiator small fence, fence, strong ordering, both of the first two, and reserved.
const MODES: core::ops::Range<u8> = 0..8;

fn read(bench: &Bench, from: usize, to: usize, len: usize) -> Wqe {
    let near = &bench.sides[0];
    Wqe::new(WqeOpcode::RDMA_READ).to(&bench.sides[1], from).data(near, to, len)
}

/// Takes completions of side 0 as long as there are some; all must be good.
fn completed(bench: &mut Bench) -> Vec<u16> {
    core::iter::from_fn(|| bench.poll_send(0))
        .map(|seen| {
            assert_eq!(seen.opcode, CqeOpcode::REQ, "{seen:?}");
            seen.index
        })
        .collect()
}

#[test]
fn a_fenced_write_sends_what_the_read_before_it_brought() {
    const LEN: usize = 3000;
    for fm in MODES {
        let mut bench = Bench::new(Shape { devices: 2, ..Shape::default() });
        // One buffer, read into and sent from eight times, all in one doorbell: a WRITE that ran early would send the
        // round before, one that ran late the round after.
        for round in 0..8 {
            bench.sides[1].fill(round * LEN, &pattern(round as u8 + 1, LEN));
        }
        let mut posted = Vec::new();
        for round in 0..8 {
            let wqe = read(&bench, round * LEN, 64, LEN).completion(CompletionMode::ON_ERROR);
            bench.post(0, &wqe);
            let wqe = write(&bench, 0, 64, 30_000 + round * LEN, LEN).fence(fm);
            posted.push(bench.post(0, &wqe));
        }
        bench.ring(0);
        bench.run();
        assert_eq!(completed(&mut bench), posted, "fm {fm}");
        for round in 0..8 {
            let sent = bench.sides[1].data(30_000 + round * LEN, LEN);
            assert!(sent == pattern(round as u8 + 1, LEN), "fm {fm}, round {round}");
        }
    }
}

#[test]
fn a_fenced_read_brings_what_the_write_before_it_sent() {
    for fm in MODES {
        let mut bench = Bench::new(Shape::default());
        for round in 0..8u8 {
            bench.sides[0].fill(usize::from(round) * 100, &pattern(round, 100));
        }
        for round in 0..8 {
            let wqe = write(&bench, 0, round * 100, 500, 100).fence(fm);
            bench.post(0, &wqe);
            let wqe = read(&bench, 500, 2000 + round * 100, 100).fence(fm);
            bench.post(0, &wqe);
        }
        bench.ring(0);
        bench.run();
        assert_eq!(completed(&mut bench), (0..16).collect::<Vec<_>>(), "fm {fm}");
        for round in 0..8u8 {
            let brought = bench.sides[0].data(2000 + usize::from(round) * 100, 100);
            assert_eq!(brought, pattern(round, 100), "fm {fm}, round {round}");
        }
    }
}

#[test]
fn a_fenced_write_sends_the_old_value_that_the_atomic_before_it_fetched() {
    for fm in MODES {
        let mut bench = Bench::new(Shape::default());
        bench.sides[1].fill(0, &100u64.to_ne_bytes());
        for round in 0..8 {
            let add = AtomicSeg { swap_add: U64::new(1), compare: U64::new(0) };
            let wqe = Wqe::new(WqeOpcode::ATOMIC_FA)
                .opmod(gpunetio_prm::wqe::ATOMIC_8_BYTE_OPMOD)
                .to(&bench.sides[1], 0)
                .segment(add)
                .data(&bench.sides[0], 8, 8);
            bench.post(0, &wqe);
            let wqe = write(&bench, 0, 8, 64 + round * 8, 8).fence(fm);
            bench.post(0, &wqe);
        }
        bench.ring(0);
        bench.run();
        assert_eq!(completed(&mut bench).len(), 16, "fm {fm}");
        let sent: Vec<u64> = (0..8).map(|round| bench.sides[1].value(64 + round * 8)).collect();
        assert_eq!(sent, (100..108).collect::<Vec<_>>(), "fm {fm}");
    }
}

#[test]
fn a_fenced_write_waits_with_the_read_before_it() {
    for fm in MODES {
        // The peer is not there yet.
        let mut bench = Bench::unconnected(Shape { ack_timeout: 0, ..Shape::default() });
        bench.connect(0);
        let bytes = pattern(fm + 1, 500);
        bench.sides[1].fill(0, &bytes);
        let wqe = read(&bench, 0, 64, 500);
        bench.post(0, &wqe);
        let wqe = write(&bench, 0, 64, 4096, 500).fence(fm);
        bench.post(0, &wqe);
        bench.ring(0);
        bench.run();
        assert_eq!(completed(&mut bench), [], "fm {fm}");
        bench.connect(1);
        bench.run();
        assert_eq!(completed(&mut bench), [0, 1], "fm {fm}");
        assert_eq!(bench.sides[1].data(4096, 500), bytes, "fm {fm}");
    }
}

#[test]
fn a_fenced_write_waits_with_the_send_before_it() {
    for fm in MODES {
        let mut bench = Bench::new(Shape { rnr_retry: 7, ..Shape::default() });
        bench.sides[0].fill(0, &pattern(fm, 100));
        // No receive is posted yet.
        let send = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 50);
        bench.post(0, &send);
        let wqe = write(&bench, 0, 0, 1000, 100).fence(fm);
        bench.post(0, &wqe);
        bench.ring(0);
        bench.run_until(5_000_000);
        assert_eq!(completed(&mut bench), [], "fm {fm}");
        assert_eq!(bench.sides[1].data(1000, 100), [0; 100], "fm {fm}");
        let room = bench.sides[1].segment(200, 50);
        bench.sides[1].post_receive(&[room]);
        bench.run_until(10_000_000);
        assert_eq!(completed(&mut bench), [0, 1], "fm {fm}");
        assert_eq!(bench.sides[1].data(200, 50), pattern(fm, 100)[..50], "fm {fm}");
        assert_eq!(bench.sides[1].data(1000, 100), pattern(fm, 100), "fm {fm}");
    }
}
