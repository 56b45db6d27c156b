//! `/api/v1/projects/{project}/commits`, `.../merge-base` and `.../pull-requests`.

use crate::support::{TestApp, at, factory};
use roundtrip_domain::graph::Graph;
use roundtrip_storage::graph::StoredCommit;
use roundtrip_wire::{Commit, RunReport};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn numbers(list: &Value) -> Vec<i64> {
    list["commits"].as_array().unwrap().iter().map(|commit| commit["ordinal"].as_i64().unwrap()).collect()
}

fn with_subject(number: u64, subject: &str) -> Commit {
    Commit { subject: subject.into(), ..factory::commit(number, Some(number)) }
}

/// Commit `number` with these parents and no ordinal.
fn child(number: u64, parents: &[u64]) -> Commit {
    Commit {
        parents: parents.iter().copied().map(factory::sha).collect(),
        ..factory::commit(number, Some(number))
    }
}

#[database_test]
async fn lists_commits_newest_first_by_range_in_pages(app: TestApp) {
    let history = (1..=6).rev().map(|number| factory::commit(number, Some(number))).collect();
    app.store(&RunReport { history, ..factory::nth(7) }).await;
    assert_eq!(numbers(&app.read("/api/v1/projects/libfoo/commits").await), [7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(numbers(&app.read("/api/v1/projects/libfoo/commits?from=3&to=5").await), [5, 4, 3]);
    let pages = app.pages("", "/api/v1/projects/libfoo/commits?limit=2&to=6").await;
    assert_eq!(pages.iter().map(numbers).collect::<Vec<_>>(), [[6, 5], [4, 3], [2, 1]]);
}

#[database_test]
async fn finds_commits_by_subject_or_sha_prefix(app: TestApp) {
    let mut history = vec![
        with_subject(1, "pool: reuse send-buffers (#123)"),
        with_subject(2, "Send it in src/ring/mod.rs"),
        with_subject(3, "Nothing of interest"),
    ];
    history.reverse();
    app.store(&RunReport { history, ..factory::report_at(with_subject(4, "It's a \\ 'quoted' one")) }).await;
    let other = factory::report_at(with_subject(9, "send in another project"));
    app.store(&RunReport { project: factory::slug("other"), ..other }).await;
    for (q, expected) in [
        ("send", vec![2, 1]),
        ("SEND%20buf", vec![1]),
        ("send-buffers", vec![1]),
        ("123", vec![1]),
        ("src/ring", vec![2]),
        ("interest%20send", vec![]),
        ("quoted", vec![4]),
        ("it%27s", vec![4]),
        ("%27%5C%20!|:*", vec![4, 3, 2, 1]),
        ("0000000", vec![4, 3, 2, 1]),
        (&format!("{:040x}", 3), vec![3]),
    ] {
        let found = app.read(&format!("/api/v1/projects/libfoo/commits?q={q}")).await;
        assert_eq!(numbers(&found), expected, "{q}");
    }
}

#[database_test]
async fn finds_a_commit_by_sha_prefix(app: TestApp) {
    let named = |digits: &str| roundtrip_wire::CommitSha::parse(&format!("{digits:0<40}")).unwrap();
    let shallow = Commit { sha: named("abcdef12"), ..factory::commit(20, None) };
    app.store(&factory::report_at(shallow.clone())).await;
    app.store(&factory::report_at(shallow)).await;
    app.store(&factory::report_at(Commit { sha: named("abcdef13"), ..factory::commit(3, Some(3)) })).await;

    let commit = app.read("/api/v1/projects/libfoo/commits/ABCDEF12").await;
    assert_eq!(commit["commit"]["sha"], named("abcdef12").as_str());
    let expected = json!([true, 2, [factory::sha(19)]]);
    assert_eq!(at(&commit, "ordinal_is_estimate,run_count,parents"), expected);
    let runs = app.read("/api/v1/projects/libfoo/runs").await;
    assert_eq!(commit["runs"], json!([runs["runs"][1], runs["runs"][2]]));

    let path = "/api/v1/projects/libfoo/commits/abcdef1";
    let problem = app.get(path).await.assert_problem(400, "invalid-parameter");
    assert!(problem.detail.contains("sha") && problem.detail.contains("more digits"), "{problem:?}");
    let path = format!("/api/v1/projects/libfoo/commits/{}", named("abcdef14"));
    app.get(&path).await.assert_problem(404, "unknown-commit");
    for name in ["abcdef", "abcdefg", &"a".repeat(65)] {
        let path = format!("/api/v1/projects/libfoo/commits/{name}");
        app.get(&path).await.assert_problem(400, "invalid-parameter");
    }
}

#[database_test]
async fn a_commit_has_its_measured_neighbours(app: TestApp) {
    // The main line 1 to 6, measured at 1, 3 and 6; a branch 10, 11 from 2, measured at 11.
    app.store(&factory::report_at(child(1, &[]))).await;
    app.store(&RunReport { history: vec![child(2, &[1])], ..factory::report_at(child(3, &[2])) }).await;
    let history = vec![child(5, &[4]), child(4, &[3])];
    app.store(&RunReport { history, ..factory::report_at(child(6, &[5])) }).await;
    let branch = RunReport { history: vec![child(10, &[2])], ..factory::report_at(child(11, &[10])) };
    app.store(&RunReport { pull_request: Some(7), ..branch }).await;
    let neighbours = async |number: u64| {
        let path = format!("/api/v1/projects/libfoo/commits/{}", factory::sha(number));
        at(&app.read(&path).await, "previous/ordinal,next/ordinal")
    };
    assert_eq!(neighbours(1).await, json!([null, 3]));
    assert_eq!(neighbours(3).await, json!([1, 6]));
    assert_eq!(neighbours(5).await, json!([3, 6]), "itself not measured");
    assert_eq!(neighbours(6).await, json!([3, null]));
    assert_eq!(neighbours(11).await, json!([1, null]), "2 is not measured, and 3 is no ancestor");

    // In a shallow clone, the order of the main line replaces unknown parents.
    app.store(&factory::report_at(child(60, &[59]))).await;
    assert_eq!(neighbours(60).await, json!([6, null]));
}

#[database_test]
async fn merge_base_reports_unknown_parents(app: TestApp) {
    // The main line 1 to 5, of which 4 merges an unknown commit; a branch 10, 11 from 3.
    let history = vec![child(4, &[3, 77]), child(3, &[2]), child(2, &[1]), child(1, &[])];
    app.store(&RunReport { history, ..factory::report_at(child(5, &[4])) }).await;
    let history = vec![child(10, &[3])];
    app.store(&RunReport { history, ..factory::report_at(child(11, &[10])) }).await;
    let ask = async |base: u64, head: u64| {
        let (base, head) = (factory::sha(base), factory::sha(head));
        app.read(&format!("/api/v1/projects/libfoo/merge-base?base={base}&head={head}")).await
    };

    let found = ask(5, 11).await;
    assert_eq!(at(&found, "base/ordinal,head/ordinal"), json!([5, 11]));
    let summary = "merge_base/ordinal,is_certain,unknown_parents_of";
    assert_eq!(at(&found, summary), json!([3, false, [factory::sha(4)]]));
    assert_eq!(at(&ask(3, 11).await, summary), json!([3, true, []]));

    // 50 has an unknown parent, so nothing relates it to the others.
    app.store(&factory::report_at(child(50, &[49]))).await;
    assert_eq!(at(&ask(5, 50).await, "merge_base,is_certain"), json!([null, false]));

    for (query, status, code) in [
        (format!("base={}&head={}", factory::sha(5), factory::sha(404)), 404, "unknown-commit"),
        (format!("base={}", factory::sha(5)), 400, "invalid-parameter"),
        (format!("base=0000000&head={}", factory::sha(5)), 400, "invalid-parameter"),
    ] {
        let answer = app.get(&format!("/api/v1/projects/libfoo/merge-base?{query}")).await;
        answer.assert_problem(status, code);
    }
}

/// Compares merge bases from the database with those of a graph in memory, including merges.
#[database_test]
async fn merge_base_matches_the_full_graph(app: TestApp) {
    const COMMITS: u64 = 60;
    // A reproducible history with forks and merges.
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let mut history = vec![child(1, &[])];
    for number in 2..=COMMITS {
        let near = |draw: &mut dyn FnMut(u64) -> u64| number - 1 - draw(5.min(number - 1));
        let parents: BTreeSet<_> = (0..=draw(3) / 2).map(|_| near(&mut draw)).collect();
        history.push(child(number, &parents.into_iter().collect::<Vec<_>>()));
    }
    let stored = history.iter().map(|commit| StoredCommit {
        sha: commit.sha.to_string(),
        ordinal: i64::try_from(commit.first_parent_ordinal.unwrap()).unwrap(),
        ordinal_is_estimate: false,
        parents: commit.parents.iter().map(ToString::to_string).collect(),
    });
    let graph = Graph::new(stored.collect());
    let last = history.pop().unwrap();
    history.reverse();
    app.store(&RunReport { history, ..factory::report_at(last) }).await;

    for _ in 0..100 {
        let (base, head) = (factory::sha(1 + draw(COMMITS)), factory::sha(1 + draw(COMMITS)));
        let found = app.read(&format!("/api/v1/projects/libfoo/merge-base?base={base}&head={head}")).await;
        let expected = graph.merge_base(base.as_str(), head.as_str());
        assert_eq!(found["merge_base"]["sha"].as_str(), expected.sha.as_deref(), "{base} {head}");
        assert_eq!(found["is_certain"], true, "{base} {head}");
    }
}

#[database_test]
async fn lists_pull_requests_with_their_merge_base(app: TestApp) {
    assert_eq!(pulls(&app, "libfoo", "").await, None, "there is no project yet");
    let main = |number: u64, parents: &[u64]| factory::report_at(child(number, parents));
    app.store(&main(1, &[])).await;
    app.store(&main(2, &[1])).await;
    let of = |pull_request, report: RunReport| RunReport { pull_request: Some(pull_request), ..report };
    let first = of(12, main(20, &[1]));
    app.store(&first).await;
    let second = of(12, main(21, &[20]));
    app.store(&second).await;
    app.store(&of(7, main(30, &[2]))).await;
    // Merged later, but the merge base stays.
    app.store(&main(31, &[2, 30])).await;
    // Its parent is unknown.
    app.store(&of(13, main(41, &[40]))).await;

    let all = app.read("/api/v1/projects/libfoo/pull-requests").await;
    let of_12 = &all["pull_requests"][1];
    assert_eq!(at(of_12, "head/ordinal,run_count"), json!([21, 2]));
    assert_eq!(of_12["latest_run"]["run_id"], second.run_id.to_string());
    let runs = app.read("/api/v1/projects/libfoo/runs?pull_request=12").await;
    assert_eq!(runs["runs"][0], of_12["latest_run"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    let expected = [(13, None, false), (12, Some(1), true), (7, Some(2), true)];
    assert_eq!(pulls(&app, "libfoo", "").await.unwrap(), expected);

    let page = app.read("/api/v1/projects/libfoo/pull-requests?limit=2").await;
    let query = format!("limit=2&after={}", page["next_after"].as_str().unwrap());
    assert_eq!(pulls(&app, "libfoo", &query).await.unwrap(), expected[2..]);
}

#[database_test]
async fn other_branches_are_not_the_main_line(app: TestApp) {
    let branch = |name: &str, commit| RunReport { branch: Some(name.into()), ..factory::report_at(commit) };
    app.store(&branch("main", child(1, &[]))).await;
    app.store(&branch("topic", child(2, &[1]))).await;
    app.store(&RunReport { pull_request: Some(5), ..branch("topic-2", child(3, &[2])) }).await;
    assert_eq!(pulls(&app, "libfoo", "").await.unwrap(), [(5, Some(2), true)]);
    app.execute("update project set default_branch = 'main'").await;
    assert_eq!(pulls(&app, "libfoo", "").await.unwrap(), [(5, Some(1), true)]);
}

/// For each pull request: number, ordinal of the merge base, and whether it is certain.
async fn pulls(app: &TestApp, project: &str, query: &str) -> Option<Vec<(i64, Option<i64>, bool)>> {
    let answer = app.get(&format!("/api/v1/projects/{project}/pull-requests?{query}")).await;
    if answer.status == 404 {
        return None;
    }
    let pulls = "pull_requests/*/pull_request,merge_base/ordinal,merge_base_is_certain";
    Some(serde_json::from_value(at(&answer.json(), pulls)).unwrap())
}
