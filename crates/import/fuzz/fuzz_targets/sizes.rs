//! Message sizes, in every format that there is.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| roundtrip_import_fuzz::check_sizes(bytes));
