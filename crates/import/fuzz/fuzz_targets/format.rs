//! Reads every input in the format that `ROUNDTRIP_FORMAT` names.
#![no_main]

use std::sync::LazyLock;

static FORMAT: LazyLock<String> =
    LazyLock::new(|| std::env::var("ROUNDTRIP_FORMAT").expect("ROUNDTRIP_FORMAT names a format"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| roundtrip_import_fuzz::check(bytes, Some(&FORMAT)));
