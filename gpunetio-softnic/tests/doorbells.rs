//! Doorbells are found wherever they are rung, at a cost that does not grow with the number of pages.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use gpunetio_prm::doorbell::{NO_DBR_DOORBELL_OFFSET, SQ_DOORBELL_OFFSET, SqDoorbell};
use gpunetio_prm::id::{Qpn, UarPage};
use gpunetio_softnic::command::resource;
use gpunetio_softnic::device::{Config, Fabric};
use gpunetio_softnic::doorbell::{ACTIVE, BURST, Doorbells, SWEEP};
use gpunetio_softnic::memory::RegisterPage;

/// Pages, and what is rung on them: doorbells for a QP that does not exist, which strict mode counts.
struct Pages {
    fabric: Fabric,
    doorbells: Doorbells,
    pages: Vec<(UarPage, RegisterPage)>,
}

impl Pages {
    fn new(count: usize) -> Self {
        let config = Config { strict: true, ..Config::default() };
        let mut fabric = Fabric::new(&config);
        let pages =
            (0..count).map(|_| resource::alloc_uar(&mut fabric.devices[0]).unwrap()).collect();
        let mut doorbells = Doorbells::default();
        doorbells.refresh(&mut fabric);
        assert_eq!(doorbells.len(), count);
        Self { fabric, doorbells, pages }
    }

    fn ring_at(&self, page: usize, offset: usize) {
        let value = SqDoorbell::new(Qpn(0xabcdef), 7).emit();
        self.pages[page].1.ring(offset, value);
    }

    fn ring(&self, page: usize) {
        self.ring_at(page, SQ_DOORBELL_OFFSET);
    }

    fn seen(&self) -> u64 {
        self.fabric.devices[0].diagnostics.count()
    }

    /// Polls until something rings; how many polls it took.
    fn polls_until_seen(&mut self) -> usize {
        let before = self.seen();
        for polls in 1..=10_000 {
            let rung = self.doorbells.poll(&mut self.fabric);
            assert_eq!(rung, self.seen() != before);
            if rung {
                return polls;
            }
        }
        panic!("a doorbell was never seen");
    }
}

#[test]
fn every_register_of_a_page_counts_and_the_same_value_rings_again() {
    let mut pages = Pages::new(1);
    for offset in [SQ_DOORBELL_OFFSET, SQ_DOORBELL_OFFSET + 0x100, NO_DBR_DOORBELL_OFFSET] {
        for _ in 0..2 {
            pages.ring_at(0, offset);
            assert_eq!(pages.polls_until_seen(), 1, "{offset:#x}");
        }
    }
    assert_eq!(pages.seen(), 6);
    assert!(!pages.doorbells.poll(&mut pages.fabric));
}

#[test]
fn any_of_many_pages_is_seen_within_one_sweep() {
    let count = 1024;
    let mut pages = Pages::new(count);
    for page in (0..count).rev().step_by(7) {
        pages.ring(page);
        let polls = pages.polls_until_seen();
        assert!(polls <= count / SWEEP + 1, "page {page} after {polls} polls");
    }
}

#[test]
fn a_poll_takes_a_bounded_number_of_doorbells() {
    let mut pages = Pages::new(1024);
    for page in 0..1024 {
        pages.ring(page);
    }
    let mut seen = 0;
    while seen < 1024 {
        assert!(pages.doorbells.poll(&mut pages.fabric));
        let now = pages.seen();
        assert!(now - seen <= (ACTIVE + BURST + SWEEP) as u64, "{seen} to {now}");
        seen = now;
    }
    assert_eq!(seen, 1024, "each is taken once");
    assert!(!pages.doorbells.poll_all(&mut pages.fabric));
}

#[test]
fn a_page_that_rang_lately_and_its_successor_are_seen_at_once() {
    let mut pages = Pages::new(1024);
    pages.ring(500);
    pages.polls_until_seen();
    for _ in 0..10 {
        pages.ring(500);
        assert_eq!(pages.polls_until_seen(), 1);
    }
    // Rung in turn, as by a client with many queues.
    for page in 501..1024 {
        pages.ring(page);
        assert_eq!(pages.polls_until_seen(), 1, "page {page}");
    }
    pages.ring(0);
    assert_eq!(pages.polls_until_seen(), 1, "the first follows the last");
}

#[test]
fn the_active_set_changes_with_use() {
    let mut pages = Pages::new(1024);
    // More pages than the set holds, far apart.
    for page in (0..1024).step_by(32) {
        pages.ring(page);
        pages.polls_until_seen();
    }
    // The last ones are in it.
    for page in (0..1024).step_by(32).rev().take(ACTIVE - 1) {
        pages.ring(page);
        assert_eq!(pages.polls_until_seen(), 1, "page {page}");
    }
}

#[test]
fn pages_come_and_go() {
    let mut pages = Pages::new(100);
    pages.ring(99);
    pages.polls_until_seen();
    for (page, _) in pages.pages.drain(..50) {
        resource::dealloc_uar(&mut pages.fabric.devices[0], page).unwrap();
    }
    pages.doorbells.refresh(&mut pages.fabric);
    assert_eq!(pages.doorbells.len(), 50);
    assert!(!pages.doorbells.poll_all(&mut pages.fabric));
    // Still active under its new place.
    pages.ring(49);
    assert_eq!(pages.polls_until_seen(), 1);
    for (page, _) in pages.pages.drain(..) {
        resource::dealloc_uar(&mut pages.fabric.devices[0], page).unwrap();
    }
    pages.doorbells.refresh(&mut pages.fabric);
    assert!(pages.doorbells.is_empty());
    assert!(!pages.doorbells.poll(&mut pages.fabric));
}

#[test]
fn the_sweep_goes_on_while_pages_come_and_go() {
    let count = 512;
    let mut pages = Pages::new(count);
    let mut transient = Vec::new();
    for rung in (0..count).step_by(37) {
        pages.ring(rung);
        let before = pages.seen();
        let mut polls = 0;
        while pages.seen() == before {
            polls += 1;
            assert!(polls <= 2 * count / SWEEP, "page {rung} not seen in {polls} polls");
            // One more page in one poll, one less in the next.
            let device = &mut pages.fabric.devices[0];
            match transient.pop() {
                Some(page) => resource::dealloc_uar(device, page).unwrap(),
                None => transient.push(resource::alloc_uar(device).unwrap().0),
            }
            pages.doorbells.refresh(&mut pages.fabric);
            pages.doorbells.poll(&mut pages.fabric);
        }
    }
}

#[test]
fn a_page_under_a_number_that_comes_back_is_the_new_one() {
    let mut pages = Pages::new(40);
    // Freed numbers wait in turn; between two refreshes all of them go by, so that the first is another page now.
    let (first, old) = pages.pages.remove(0);
    let device = &mut pages.fabric.devices[0];
    resource::dealloc_uar(device, first).unwrap();
    let new = loop {
        let (page, memory) = resource::alloc_uar(device).unwrap();
        if page == first {
            break memory;
        }
        resource::dealloc_uar(device, page).unwrap();
    };
    pages.doorbells.refresh(&mut pages.fabric);
    assert_eq!(pages.doorbells.len(), 40);
    let doorbell = SqDoorbell::new(Qpn(0xabcdef), 7).emit();
    old.ring(SQ_DOORBELL_OFFSET, doorbell);
    assert!(!pages.doorbells.poll_all(&mut pages.fabric));
    new.ring(SQ_DOORBELL_OFFSET, doorbell);
    assert!(pages.doorbells.poll_all(&mut pages.fabric));
}

#[test]
fn a_page_outlives_its_object_while_somebody_holds_or_polls_it() {
    let mut pages = Pages::new(2);
    for (page, _) in &pages.pages {
        resource::dealloc_uar(&mut pages.fabric.devices[0], *page).unwrap();
    }
    // Nobody told the poll.
    pages.ring(0);
    assert!(pages.doorbells.poll_all(&mut pages.fabric));
    pages.doorbells.refresh(&mut pages.fabric);
    pages.ring(1);
    assert!(pages.pages[1].1.rung(SQ_DOORBELL_OFFSET));
    // Nor the owner that the fabric is gone.
    let Pages { fabric, mut doorbells, pages } = Pages::new(2);
    drop(fabric);
    let mut other = Fabric::new(&Config { strict: true, ..Config::default() });
    pages[0].1.ring(SQ_DOORBELL_OFFSET, SqDoorbell::new(Qpn(0xabcdef), 7).emit());
    assert!(doorbells.poll_all(&mut other));
}

#[test]
#[should_panic(expected = "no register at offset")]
fn a_register_past_the_page_is_refused() {
    let pages = Pages::new(1);
    pages.pages[0].1.rung(usize::MAX - 7);
}
