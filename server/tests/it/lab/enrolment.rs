//! Enrolment of agents, and renewal of their tokens.

use super::{Lab, enrolment, new_key, secret};
use crate::support::{at, factory};
use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_storage::access::Role;
use serde_json::{Value, json};

#[database_test]
async fn code_enrols_one_agent_for_its_machine(lab: Lab) {
    let code = lab.code(json!({})).await;
    let answer = lab.post_enrolment(&code, "lab-1", &new_key()).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (201, "no-store"));
    let token = answer.json::<Value>()["token"]["secret"].as_str().unwrap().to_owned();
    assert_eq!(lab.app.put_as(&token, &factory::report()).await.status, 201);
    let elsewhere = factory::on("lab-2", factory::report());
    lab.app.put_as(&token, &elsewhere).await.assert_problem(403, "forbidden");
    lab.post_enrolment(&code, "lab-2", &new_key()).await.assert_problem(401, "unauthenticated");
}

#[database_test]
async fn rejects_invalid_codes(lab: Lab) {
    let bound = lab.code(json!({"machine": "lab-7"})).await;
    lab.post_enrolment(&bound, "lab-1", &new_key()).await.assert_invalid("lab-7");
    // A rejected attempt does not use up the code.
    assert_eq!(lab.post_enrolment(&bound, "lab-7", &new_key()).await.status, 201);

    let old = lab.code(json!({})).await;
    lab.app.execute("update enrolment set expires_at = now() where used_at is null").await;
    for code in [old.as_str(), "rte_mistyped", &lab.app.token] {
        lab.post_enrolment(code, "lab-1", &new_key()).await.assert_problem(401, "unauthenticated");
    }
    let mut short = enrolment(&lab.code(json!({})).await, "lab-1", &new_key());
    short["public_key"] = "c2hvcnQ=".into();
    lab.app.post("/api/v1/agents", &short).await.assert_problem(400, "invalid-parameter");
}

#[database_test]
async fn only_a_machines_code_replaces_its_agent(lab: Lab) {
    let first = lab.agent("lab-1", &[]).await;
    let any = lab.code(json!({})).await;
    lab.post_enrolment(&any, "lab-1", &new_key()).await.assert_problem(409, "taken");
    assert!(lab.claim(&first).await.is_none(), "its token is still accepted");
    let bound = lab.code(json!({"machine": "lab-1"})).await;
    assert_eq!(lab.post_enrolment(&bound, "lab-1", &new_key()).await.status, 201);
    lab.claim_as(&first, json!({})).await.assert_problem(401, "unauthenticated");
    first.renew(&lab.app, super::LabAgent::sign).await.assert_problem(401, "unauthenticated");
}

#[database_test]
async fn renews_a_token_for_the_agents_signature_only(lab: Lab) {
    let mut agent = lab.agent("lab-1", &[]).await;
    // After a long absence, the token has expired and the key is enough.
    lab.app.execute("update token set expires_at = now() where kind = 'agent' and machine = 'lab-1'").await;
    lab.claim_as(&agent, json!({})).await.assert_problem(401, "unauthenticated");
    let other = lab.agent("lab-2", &[]).await;
    for wrong in [
        agent.renew(&lab.app, |_, challenge| other.sign(challenge)).await,
        agent.renew(&lab.app, |agent, _| agent.sign(b"something else")).await,
        agent.renew(&lab.app, |_, _| Vec::new()).await,
    ] {
        wrong.assert_problem(401, "unauthenticated");
    }
    let renewed = agent.renew(&lab.app, super::LabAgent::sign).await;
    assert_eq!(renewed.status, 200, "{renewed:?}");
    agent.token = secret(&renewed);
    assert!(lab.claim(&agent).await.is_none());
}

#[database_test]
async fn challenge_works_once(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let mut signature = Vec::new();
    let first = agent.renew(&lab.app, |agent, challenge| {
        signature = agent.sign(challenge);
        signature.clone()
    });
    assert_eq!(first.await.status, 200);
    agent.renew(&lab.app, |_, _| signature).await.assert_problem(401, "unauthenticated");
    let unknown = lab.app.post("/api/v1/agents/999/challenge", &json!({})).await;
    assert_eq!(unknown.status, 200, "the answer does not reveal which agents exist");
}

#[database_test]
async fn attack_on_challenges_stops_no_renewal(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let path = format!("/api/v1/agents/{}", agent.agent_id);
    let challenge = async |path: &str| -> Vec<u8> {
        let asked: Value = lab.app.post(&format!("{path}/challenge"), &json!({})).await.json();
        BASE64_STANDARD.decode(asked["challenge"].as_str().unwrap()).unwrap()
    };
    let signed = agent.sign(&challenge(&path).await);
    // A stranger asks for challenges and answers them with wrong signatures.
    for _ in 0..3 {
        challenge(&path).await;
        let wrong = json!({"signature": BASE64_STANDARD.encode([0; 64])});
        lab.app.post(&format!("{path}/token"), &wrong).await.assert_problem(401, "unauthenticated");
    }
    let renewal = json!({"signature": BASE64_STANDARD.encode(&signed)});
    let answer = lab.app.post(&format!("{path}/token"), &renewal).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    lab.app.post(&format!("{path}/token"), &renewal).await.assert_problem(401, "unauthenticated");

    // Agents that do not exist have challenges like others: the same until the next minute, which may begin meanwhile.
    for path in [path.as_str(), "/api/v1/agents/999"] {
        let three = [challenge(path).await, challenge(path).await, challenge(path).await];
        assert!(three[0] == three[1] || three[1] == three[2], "{path}: {three:?}");
        assert_eq!(three[0].len(), 32);
    }
    assert_ne!(challenge("/api/v1/agents/999").await, challenge("/api/v1/agents/998").await);
}

#[database_test]
async fn attack_with_guessed_codes_is_slowed_down(lab: Lab) {
    let code = lab.code(json!({})).await;
    let guess = "rte_000000000000000000000000000000000000";
    for _ in 0..30 {
        lab.post_enrolment(guess, "lab-1", &new_key()).await.assert_problem(401, "unauthenticated");
    }
    for code in [guess, &code] {
        lab.post_enrolment(code, "lab-1", &new_key()).await.assert_problem(429, "too-many-requests");
    }
}

#[database_test]
async fn attack_with_a_code_replaces_no_agent_of_another_project(lab: Lab) {
    let victim = lab.agent("lab-1", &[]).await;
    lab.project("another").await;
    let attacker = lab.app.member("mallory", "another", Role::Maintainer).await;
    let asked = json!({"project": "another", "machine": "lab-1"});
    let made = lab.app.send("POST", "/api/v1/enrolments", &attacker, Some(asked)).await;
    let code = made.json::<Value>()["code"].as_str().unwrap().to_owned();
    lab.post_enrolment(&code, "lab-1", &new_key()).await.assert_problem(409, "taken");
    assert!(lab.claim(&victim).await.is_none(), "its token is still accepted");

    // Maintainers replace agents of their own project.
    for _ in 0..2 {
        let asked = json!({"project": "another", "machine": "lab-2"});
        let made = lab.app.send("POST", "/api/v1/enrolments", &attacker, Some(asked)).await;
        let code = made.json::<Value>()["code"].as_str().unwrap().to_owned();
        assert_eq!(lab.post_enrolment(&code, "lab-2", &new_key()).await.status, 201);
    }
}

#[database_test]
async fn maintainers_enrol_for_their_project_and_admins_for_all(lab: Lab) {
    let maintainer = lab.app.member("grace", "libfoo", Role::Maintainer).await;
    let contributor = lab.app.member("joe", "libfoo", Role::Contributor).await;
    let ask = async |token: &str, asked: Value| {
        lab.app.send("POST", "/api/v1/enrolments", token, Some(asked)).await
    };
    ask(&maintainer, json!({})).await.assert_problem(403, "forbidden");
    ask(&contributor, json!({"project": "libfoo"})).await.assert_problem(403, "forbidden");
    ask("", json!({"project": "libfoo"})).await.assert_problem(401, "unauthenticated");
    let made = ask(&maintainer, json!({"project": "libfoo", "labels": ["arm", "arm"]})).await;
    assert_eq!(made.status, 201);
    let code = made.json::<Value>()["code"].as_str().unwrap().to_owned();
    let answer = lab.post_enrolment(&code, "lab-1", &new_key()).await;
    assert_eq!(answer.json::<Value>()["project"], "libfoo");
    let agents = lab.app.read("/api/v1/projects/libfoo/agents").await;
    assert_eq!(at(&agents, "agents/0/labels,agents/0/project"), json!([["arm"], "libfoo"]));
    lab.project("another").await;
    assert_eq!(lab.app.read("/api/v1/projects/another/agents").await["agents"], json!([]));

    // They can also remove their own project's agents; others are not found.
    let all = lab.agent("lab-2", &[]).await;
    let path = format!("/api/v1/agents/{}", all.agent_id);
    lab.app.send("DELETE", &path, &maintainer, None).await.assert_problem(403, "forbidden");
    let own = agents["agents"][0]["agent_id"].as_i64().unwrap();
    assert_eq!(lab.app.send("DELETE", &format!("/api/v1/agents/{own}"), &maintainer, None).await.status, 204);
}

#[database_test]
async fn online_enabled_and_healthy_are_separate_states(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let shown = async || lab.app.read("/api/v1/projects/libfoo/agents").await["agents"][0].clone();
    let state = |shown: &Value| {
        ["is_online", "is_enabled", "is_busy", "is_draining"].map(|name| shown[name].as_bool().unwrap())
    };
    lab.request("libfoo", json!({"commits": [super::sha(1), super::sha(2)]})).await;
    let failing = json!({"health": {"failing": ["the disk of the spool is full"]}, "spooled_count": 3});
    assert_eq!(lab.claim_as(&agent, failing).await.status, 204, "a failing agent gets no job");
    let reported = shown().await;
    assert_eq!(state(&reported), [true, true, false, false]);
    assert_eq!(at(&reported, "failing/0,spooled_count"), json!(["the disk of the spool is full", 3]));

    let job = lab.claim(&agent).await.unwrap();
    assert_eq!(at(&shown().await, "failing,job_id"), json!([[], job.job_id]));
    let path = format!("/api/v1/agents/{}", agent.agent_id);
    assert_eq!(lab.ask("PATCH", &path, json!({"is_enabled": false})).await.status, 200);
    assert_eq!(state(&shown().await), [true, false, true, true], "it drains");
    assert_eq!(lab.finish(&agent, &job, "done").await.status, 204);
    assert!(lab.claim(&agent).await.is_none(), "a draining agent gets no other job");
    assert_eq!(state(&shown().await), [true, false, false, false]);
    lab.ask("PATCH", &path, json!({"is_enabled": true, "labels": ["big"]})).await;
    lab.app.execute("update agent set last_seen_at = now() - interval '2 minutes'").await;
    assert_eq!(state(&shown().await), [false, true, false, false]);
    assert_eq!(shown().await["labels"], json!(["big"]));
    assert!(lab.claim(&agent).await.is_some());
    assert!(state(&shown().await)[0]);
}

#[database_test]
async fn protocol_mismatch_names_what_to_update(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let old = lab.claim_as(&agent, json!({"protocol_min": 0, "protocol_max": 0})).await;
    assert!(old.assert_problem(426, "agent-too-old").detail.ends_with("update the agent"));
    let new = lab.claim_as(&agent, json!({"protocol_min": 2, "protocol_max": 3})).await;
    assert!(new.assert_problem(426, "agent-too-old").detail.ends_with("update the server"));
    assert_eq!(lab.claim_as(&agent, json!({"protocol_min": 1, "protocol_max": 2})).await.status, 204);
}

#[database_test]
async fn tokens_without_enrolment_cannot_claim(lab: Lab) {
    let claim =
        async |token: &str| lab.app.send("POST", "/api/v1/lab/claim", token, Some(super::claim(0))).await;
    claim("").await.assert_problem(401, "unauthenticated");
    claim(&lab.app.token).await.assert_problem(403, "forbidden");
    claim(&lab.admin).await.assert_problem(403, "forbidden");
    // Users cannot create such a token either.
    let asked = json!({"name": "x", "kind": "agent", "scopes": ["jobs:claim"]});
    lab.ask("POST", "/api/v1/tokens", asked).await.assert_problem(400, "invalid-parameter");
}
