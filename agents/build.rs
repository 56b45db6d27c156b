//! Passes the build target to the program, which selects its update from a release by it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=ROUNDTRIP_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
