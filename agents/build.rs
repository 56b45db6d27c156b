//! Tells the program which target it was built for: of a release it takes the program for that one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=ROUNDTRIP_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
