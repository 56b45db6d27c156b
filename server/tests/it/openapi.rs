//! The committed API document matches the handlers.

use std::path::Path;

#[test]
fn committed_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let document = roundtrip_server::router::document_json();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &document).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == document,
        "server/openapi.json is not what the handlers make: run `cargo xtask gen`, or \
         `UPDATE_SNAPSHOTS=1 cargo test -p roundtrip-server --test it openapi`, and review the difference"
    );
}
