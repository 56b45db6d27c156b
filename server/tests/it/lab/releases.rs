//! Releases for agents: only files of one folder, only for enrolled agents.

use super::Lab;
use crate::support::TestApp;
use sqlx::PgPool;

#[database_test]
async fn only_agents_download_releases(pool: PgPool) {
    let folder = tempfile::tempdir().unwrap();
    let releases = folder.path().join("releases");
    std::fs::create_dir_all(releases.join("deeper")).unwrap();
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    std::fs::write(releases.join(".hidden"), "secret").unwrap();
    let program: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    std::fs::write(releases.join("roundtrip-0.2.0"), &program).unwrap();
    let app = TestApp::configured(pool, |state| state.with_releases(releases)).await;
    let admin = app.account("ada", true).await;
    let lab = Lab { app, admin };
    let agent = lab.agent("lab-1", &[]).await;
    let path = "/api/v1/lab/releases/roundtrip-0.2.0";
    let answer = lab.app.send("GET", path, &agent.token, None).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body == program, "{} bytes of {}", answer.body.len(), program.len());
    for name in ["manifest.json", "deeper", ".hidden", "..%2fsecret", "%2e%2e%2fsecret", ".."] {
        let answer = lab.app.send("GET", &format!("/api/v1/lab/releases/{name}"), &agent.token, None).await;
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
    }
    for (stranger, status) in [("", 401), (&lab.app.token, 403), (&lab.admin, 403)] {
        assert_eq!(lab.app.send("GET", path, stranger, None).await.status, status);
    }
}

#[database_test]
async fn no_releases_without_a_folder(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let answer = lab.app.send("GET", "/api/v1/lab/releases/manifest.json", &agent.token, None).await;
    answer.assert_problem(404, "unknown-release");
}
