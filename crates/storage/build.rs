//! Rebuilds when a migration or a query's description changes. Checks queries against the committed
//! descriptions, unless `SQLX_OFFLINE` is set.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=../../.sqlx");
    // Tests set DATABASE_URL as well. Without this, a build would look for tables there.
    println!("cargo:rerun-if-env-changed=SQLX_OFFLINE");
    if std::env::var_os("SQLX_OFFLINE").is_none() {
        println!("cargo:rustc-env=SQLX_OFFLINE=true");
    }
}
