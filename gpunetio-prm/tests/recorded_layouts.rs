//! Every declared bit field against the recorded facts.
//!
//! `data/prm_layouts.csv` was taken from the public mlx5 interface headers: layout, size, field, offset, width, nested
//! layout. It catches a mistake in a table that driver and NIC share and would otherwise agree on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use gpunetio_prm::layout::ALL;

fn number(text: &str) -> u32 {
    text.strip_prefix("0x")
        .map_or_else(|| text.parse(), |hex| u32::from_str_radix(hex, 16))
        .unwrap()
}

#[test]
fn every_declared_field_is_where_the_facts_have_it() {
    let mut facts = HashMap::new();
    let mut sizes = HashMap::new();
    for line in include_str!("data/prm_layouts.csv").lines().skip(1) {
        let cells: Vec<_> = line.split(',').collect();
        sizes.insert(cells[0], number(cells[1]));
        facts.insert((cells[0], cells[2]), (number(cells[3]), number(cells[4])));
    }
    let mut checked = 0;
    for (layout, bits, fields) in ALL {
        assert_eq!(sizes.get(layout), Some(bits), "size of {layout}");
        for field in *fields {
            let want = facts.get(&(*layout, field.name));
            assert_eq!(want, Some(&(field.bit_offset, field.bit_width)), "{layout}.{}", field.name);
            checked += 1;
        }
    }
    assert!(checked > 600, "the table of all layouts lists {checked} fields only");
}
