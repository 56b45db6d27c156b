//! The format `pytest-benchmark`, whatever the content.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| roundtrip_import_fuzz::check(bytes, Some("pytest-benchmark")));
