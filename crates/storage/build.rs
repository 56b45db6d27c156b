//! Rebuilds when a migration or a query's description changes, and has queries checked against the committed
//! descriptions unless another source was named on purpose.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=../../.sqlx");
    // Tests have DATABASE_URL in their environment, too: without this a build would look for tables there.
    println!("cargo:rerun-if-env-changed=SQLX_OFFLINE");
    if std::env::var_os("SQLX_OFFLINE").is_none() {
        println!("cargo:rustc-env=SQLX_OFFLINE=true");
    }
}
