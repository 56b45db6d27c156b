//! Rebuilds when a migration, a query's description or the web UI changes, and has queries checked against the
//! committed descriptions unless another source was named on purpose.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
    println!("cargo:rerun-if-changed=../.sqlx");
    // Only release builds carry the web UI within; others read it from disk.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../web/dist");
    }
    // Tests have DATABASE_URL in their environment, too: without this a build would look for tables there.
    println!("cargo:rerun-if-env-changed=SQLX_OFFLINE");
    if std::env::var_os("SQLX_OFFLINE").is_none() {
        println!("cargo:rustc-env=SQLX_OFFLINE=true");
    }
}
