//! `/api/v1/references` and `/api/v1/size-profiles`.

use crate::support::TestApp;
use roundtrip_server::auth_settings;
use serde_json::{Value, json};
use sqlx::PgPool;

fn named<'a>(list: &'a Value, slug: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|one| one["slug"] == slug);
    found.unwrap_or_else(|| panic!("no {slug}"))
}

#[database_test]
async fn published_tables_have_columns_and_units(app: TestApp) {
    let list = app.read("/api/v1/references").await;
    let mach = named(&list["references"], "chromium-mach-vs-fifo");
    assert_eq!(mach["unit"], "us");
    assert_eq!(
        mach["columns"],
        json!([
            {"name": "host", "is_number": false, "unit": null},
            {"name": "message_bytes", "is_number": true, "unit": "bytes"},
            {"name": "transport", "is_number": false, "unit": null},
            {"name": "p98_us", "is_number": true, "unit": "us"},
        ])
    );
    let rows = mach["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]), (90, &json!(["laptop", 100, "mach-inline", 29])));
    let node = named(&list["references"], "node-child-process-framing");
    assert_eq!(node["rows"][2], json!(["roundtrip", "advanced", 16_384, 104_077, 125_181, 20.3, null, null]));
    let study = named(&list["references"], "freebsd-pipes-and-sockets");
    assert_eq!((&study["rows"], &study["columns"], &study["unit"]), (&json!([]), &json!([]), &Value::Null));
    assert!(study["statements"][2].as_str().unwrap().contains("63 %"));
}

#[database_test]
async fn size_profile_matches_the_suite(app: TestApp) {
    let list = app.read("/api/v1/size-profiles").await;
    assert_eq!(list["size_profiles"].as_array().unwrap().len(), 1, "only counted profiles are listed");
    let profile = named(&list["size_profiles"], "chromium-ipc");
    assert_eq!(profile["sample_count"], 37_573);
    let buckets = profile["buckets"].as_array().unwrap();
    assert_eq!(buckets[0], json!({"from_bytes": 12, "to_bytes": 15, "count": 4_387}));
    assert_eq!(buckets[5], json!({"from_bytes": 49, "to_bytes": 64, "count": 19_123}));
    assert_eq!(buckets.last().unwrap(), &json!({"from_bytes": 12_196, "to_bytes": 16_062, "count": 15}));
}

#[database_test]
async fn private_server_shows_published_tables(pool: PgPool) {
    let settings = auth_settings::Settings { is_private: true, ..Default::default() };
    let app = TestApp::with_auth(pool, settings).await;
    for path in ["/api/v1/references", "/api/v1/size-profiles"] {
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
}
