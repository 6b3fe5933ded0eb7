//! The rendered C header does not drift from the Rust structs.

use std::path::Path;

#[test]
fn the_checked_in_header_is_what_this_crate_renders() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/device/gpunetio_prm_check.h");
    let rendered = gpunetio_prm::render_c_header();
    if std::env::var_os("GPUNETIO_BLESS").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), rendered, "run with GPUNETIO_BLESS=1");
}
