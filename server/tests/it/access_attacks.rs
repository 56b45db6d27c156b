//! Attacks on access: what strangers, other projects and limited tokens must not be able to do.

use crate::support::{Fixture, TestApp, at, factory};
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;

const MACHINES: &str = "/api/v1/projects/libfoo/machines";

/// A server with the project `libfoo` on the machine `lab-1`, and a CI token of the project `attacker`.
struct Attacked {
    app: TestApp,
    attacker: String,
}

impl Fixture for Attacked {
    async fn new(pool: PgPool) -> Self {
        let app = TestApp::new(pool).await;
        app.store(&factory::report()).await;
        let attacker = ci_token(&app, "attacker").await;
        Self { app, attacker }
    }
}

impl Attacked {
    /// Stores a report of the attacker's project that describes `lab-1` and its transport falsely. Returns it.
    async fn attack(&self) -> RunReport {
        let mut report = factory::of_project("attacker");
        report.machine.os = factory::slug("freebsd");
        report.machine.arch = factory::slug("aarch64");
        let transport = &mut report.results[0].transport;
        transport.title = "Attacked".into();
        transport.family = factory::slug("attacked");
        transport.semantics = "attacked".into();
        transport.control = !transport.control;
        let headers = [
            ("authorization", format!("Bearer {}", self.attacker)),
            ("content-type", "application/json".to_owned()),
            ("roundtrip-acknowledged", format!("{} 1000000", uuid::Uuid::now_v7())),
        ];
        let path = format!("/api/v1/runs/{}", report.run_id);
        let body = serde_json::to_vec(&report).unwrap();
        let answer = self.app.send_bytes("PUT", &path, &headers, body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        report
    }

    async fn series(&self, project: &str) -> Value {
        self.app.read(&format!("/api/v1/projects/{project}/series")).await["series"].clone()
    }
}

async fn ci_token(app: &TestApp, project: &str) -> String {
    let binding = Binding { project: Some(project.to_owned()), machine: None };
    app.program_token(TokenKind::Ci, &[Scope::Read, Scope::IngestWrite], &binding).await
}

#[database_test]
async fn upload_changes_no_machine_of_another_project(attacked: Attacked) {
    let before = attacked.app.read(MACHINES).await;
    assert_eq!(at(&before, "machines/0/os,machines/0/arch"), json!(["linux", "x86-64"]));
    attacked.attack().await;
    assert_eq!(attacked.app.read(MACHINES).await, before);
    let own = attacked.app.read("/api/v1/projects/attacker/machines").await;
    let facts = at(&own, "machines/0/machine,machines/0/os,machines/0/arch,machines/0/lost_run_count");
    assert_eq!(facts, json!(["lab-1", "freebsd", "aarch64", 1_000_000]));
}

#[database_test]
async fn upload_changes_no_facts_of_an_enrolled_machine(lab: crate::lab::Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    assert_eq!(lab.app.put_as(&agent.token, &factory::report()).await.status, 201);
    let attacker = ci_token(&lab.app, "libfoo").await;
    let mut report = factory::nth(2);
    report.machine.os = factory::slug("freebsd");
    report.machine.arch = factory::slug("aarch64");
    assert_eq!(lab.app.put_as(&attacker, &report).await.status, 201);
    let agents = lab.app.read("/api/v1/projects/libfoo/agents").await;
    assert_eq!(at(&agents, "agents/0/os,agents/0/arch"), json!(["linux", "x86-64"]));
    let machines = lab.app.read(MACHINES).await;
    assert_eq!(at(&machines, "machines/0/os,machines/0/arch"), json!(["linux", "x86-64"]));
}

#[database_test]
async fn upload_describes_no_transport_of_another_project(attacked: Attacked) {
    let before = attacked.series("libfoo").await;
    let series_id = before[0]["series_id"].as_i64().unwrap();
    let subjects = async || {
        let found = roundtrip_storage::reference_series::subjects(&attacked.app.pool, &[series_id]).await;
        found.unwrap()[0].is_control
    };
    let is_control = subjects().await;
    attacked.attack().await;
    assert_eq!(attacked.series("libfoo").await, before);
    assert_eq!(subjects().await, is_control);
    let found = attacked.app.read("/api/v1/projects/libfoo/series?q=attacked").await;
    assert_eq!(found["series"], json!([]));
    let own = attacked.series("attacker").await;
    assert_eq!(at(&own, "0/transport/title,0/transport/control"), json!(["Attacked", !is_control]));
}

#[database_test]
async fn project_shows_its_newest_description_after_an_attack(attacked: Attacked) {
    attacked.attack().await;
    let mut renamed = factory::nth(2);
    renamed.results[0].transport.title = "The renamed pipe".into();
    renamed.machine.arch = factory::slug("riscv64");
    attacked.app.store(&renamed).await;
    assert_eq!(attacked.series("libfoo").await[0]["transport"]["title"], "The renamed pipe");
    assert_eq!(attacked.app.read(MACHINES).await["machines"][0]["arch"], "riscv64");
    // An upload that began earlier does not change it back.
    let mut late = factory::nth(3);
    late.run_id = uuid::uuid!("01900000-0000-7000-8000-000000000001").try_into().unwrap();
    attacked.app.store(&late).await;
    assert_eq!(attacked.app.read(MACHINES).await["machines"][0]["arch"], "riscv64");
}

#[database_test]
async fn strangers_and_programs_store_no_links(attacked: Attacked) {
    let link = json!({"path": "/libfoo"});
    let post =
        async |token: &str| attacked.app.send("POST", "/api/v1/links", token, Some(link.clone())).await;
    post("").await.assert_problem(401, "unauthenticated");
    for program in [&attacked.attacker, &attacked.app.token] {
        post(program).await.assert_problem(403, "forbidden");
    }
    assert_eq!(attacked.app.row_counts().await["link"], 0);
    let user = attacked.app.account("ada", false).await;
    assert_eq!(post(&user).await.status, 201);
}

#[database_test]
async fn bound_token_revokes_no_unbound_token_of_its_account(attacked: Attacked) {
    let app = &attacked.app;
    let unbound = app.member("ada", "libfoo", Role::Admin).await;
    let here = Binding { project: Some("libfoo".into()), machine: None };
    let elsewhere = Binding { project: Some("attacker".into()), machine: None };
    let bound = app.user_token("ada", &Scope::ALL, &here).await;
    app.user_token("ada", &[Scope::Read], &elsewhere).await;
    app.user_token("ada", &[Scope::Read], &here).await;
    let tokens: Vec<(i64, Option<String>)> =
        app.rows("select token_id, project from token where kind = 'user' order by token_id").await;
    let revoke = async |nth: usize| {
        let path = format!("/api/v1/tokens/{}", tokens[nth].0);
        app.send("DELETE", &path, &bound, None).await
    };
    assert_eq!(
        tokens.iter().map(|(_, project)| project.as_deref()).collect::<Vec<_>>(),
        [None, Some("libfoo"), Some("attacker"), Some("libfoo")]
    );
    for other in [0, 2] {
        let problem = revoke(other).await.assert_problem(403, "forbidden");
        assert!(problem.detail.contains("bound to the project libfoo"), "{problem:?}");
    }
    assert_eq!(revoke(3).await.status, 204);
    app.read_as(&unbound, "/api/v1/tokens").await;
}
