//! Reads every input as message sizes, in every format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| roundtrip_import_fuzz::check_sizes(bytes));
