//! Rebuilds when the web UI changes.

fn main() {
    // Only release builds carry the web UI within; others read it from disk.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../web/dist");
    } else {
        println!("cargo:rerun-if-changed=build.rs");
    }
}
