//! Link previews: the tags of pages and their pictures.

use crate::support::{TestApp, factory};
use std::path::Path;

/// The content of a page's tag, if the page has it.
fn tag(html: &str, property: &str) -> Option<String> {
    let (_, rest) = html.split_once(&format!("<meta property=\"{property}\" content=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

async fn page(app: &TestApp, path: &str) -> String {
    String::from_utf8(app.get(path).await.body).unwrap()
}

async fn regression(app: &TestApp, change: &str) -> i64 {
    let regression_id = app.regression(change).await;
    app.execute("update change_point set figure = 'p50'").await;
    regression_id
}

fn is_built() -> bool {
    let is_built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist/index.html").exists();
    if !is_built {
        println!("not run, because the web interface is not built");
    }
    is_built
}

#[database_test]
async fn page_has_the_preview_of_what_it_shows(app: TestApp) {
    if !is_built() {
        return;
    }
    for (commit, ns) in [(1, 9_000), (2, 18_200)] {
        let repetitions = vec![factory::repetition(0, &[ns; 50])];
        app.store(&factory::nth_with(commit, vec![factory::result("unix-stream", 64, repetitions)])).await;
    }
    let regression_id = regression(&app, "").await;
    for (path, title, picture) in [
        ("/libfoo/explore", "1 regression open".to_owned(), "/api/v1/projects/libfoo/card.png".to_owned()),
        (
            "/libfoo/series/1",
            "unix-stream roundtrip 64 B: p50 18.2 µs".to_owned(),
            "/api/v1/series/1/card.png".to_owned(),
        ),
        (
            &format!("/libfoo/regressions/{regression_id}"),
            "1 series slower on".to_owned(),
            format!("/api/v1/projects/libfoo/regressions/{regression_id}/card.png"),
        ),
    ] {
        let html = page(&app, path).await;
        let found = tag(&html, "og:title").unwrap_or_else(|| panic!("{path}: {html}"));
        assert!(found.starts_with(&title), "{path}: {found}");
        let address = tag(&html, "og:image").unwrap();
        assert!(address.ends_with(&picture), "{path}: {address}");
        let answer = app.get(&picture).await;
        assert_eq!(answer.headers["content-type"], "image/png", "{path}");
        assert!(answer.body.starts_with(b"\x89PNG"), "{path}");
    }
    assert_eq!(tag(&page(&app, "/libfoo/series/999").await, "og:title"), None);
    assert_eq!(tag(&page(&app, "/unknown").await, "og:title"), None);
}

#[database_test]
async fn preview_of_an_improvement_says_faster(app: TestApp) {
    if !is_built() {
        return;
    }
    app.store(&factory::report()).await;
    let regression_id = regression(&app, "direction = 'improved'").await;
    let title = tag(&page(&app, &format!("/libfoo/regressions/{regression_id}")).await, "og:title").unwrap();
    assert!(title.starts_with("1 series faster on lab-1, by 20.0"), "{title}");
}

#[database_test]
async fn private_project_has_no_preview(app: TestApp) {
    app.store(&factory::report()).await;
    let regression_id = app.regression("").await;
    app.hide("libfoo").await;
    let regression = format!("/libfoo/regressions/{regression_id}");
    for path in ["/libfoo", "/libfoo/series/1", &regression] {
        assert_eq!(tag(&page(&app, path).await, "og:title"), None, "{path}");
    }
    app.get("/api/v1/projects/libfoo/card.png").await.assert_problem(404, "unknown-project");
    app.get("/api/v1/series/1/card.png").await.assert_problem(404, "unknown-series");
    app.get(&format!("/api/v1/projects/libfoo/regressions/{regression_id}/card.png"))
        .await
        .assert_problem(404, "unknown-project");
}

#[database_test]
async fn pictures_of_nothing_are_unknown(app: TestApp) {
    app.store(&factory::report()).await;
    app.get("/api/v1/series/999/card.png").await.assert_problem(404, "unknown-series");
    app.get("/api/v1/projects/libfoo/regressions/999/card.png")
        .await
        .assert_problem(404, "unknown-regression");
}
