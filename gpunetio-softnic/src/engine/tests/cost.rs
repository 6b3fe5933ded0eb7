//! What a message costs the NIC.

use super::*;

/// Messages of the measurement.
const PUTS: u32 = 6400;

/// Puts in batches of 64, which is all that an instruction counter outside shall see:
///
/// `valgrind --tool=callgrind --toggle-collect='*execute_batches*' <release test binary> --exact <name of the test below>`
///
/// Divided by [`PUTS`] this gives instructions per put, doorbell and CQE included; 831 when this was written.
#[inline(never)]
fn execute_batches(bench: &mut Bench, batches: u32) {
    for _ in 0..batches {
        let producer = bench.sides[0].posted;
        bench.ring_index(0, producer);
        run(&mut bench.fabric, 64);
        bench.sides[0].posted = producer.wrapping_add(64);
    }
}

#[test]
fn an_eight_byte_put_moves_its_bytes_at_any_rate() {
    // As in earnest, without strict mode, whose look at each WQE is no part of what a put costs.
    let mut bench = Bench::new(Shape { strict: false, ..Shape::default() });
    bench.sides[0].fill(0, &7u64.to_ne_bytes());
    let wqe = write(&bench, 0, 0, 64, 8);
    // So a WQE's index is not looked at either, and the ring is written once.
    for _ in 0..64 {
        bench.post(0, &wqe);
    }
    execute_batches(&mut bench, PUTS / 64);
    assert_eq!(bench.cq(0).producer, u64::from(PUTS));
    assert_eq!(bench.sides[1].value(64), 7);
    assert_eq!(bench.qp(0).attributes.send_psn, Psn::new(1000 + PUTS));
}
