//! `/api/v1/projects/{project}/runs.atom` and `regressions.atom`, read by another parser than the one that wrote them.

use crate::support::{TestApp, factory};
use chrono::DateTime;
use roundtrip_wire::{Commit, RunReport};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;

const ATOM: &str = "http://www.w3.org/2005/Atom";

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> Vec<Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name((ATOM, name))).collect()
}

/// The text of the one child of this name.
#[track_caller]
fn only<'a>(node: Node<'a, 'a>, name: &'static str) -> &'a str {
    let found = children(node, name);
    assert_eq!(found.len(), 1, "{name}");
    found[0].text().unwrap_or_default()
}

/// Checks the elements that RFC 4287 requires in feeds (4.1.1) and entries (4.1.2).
#[track_caller]
fn assert_has_what_is_required(node: Node<'_, '_>) {
    assert!(only(node, "id").starts_with("urn:uuid:"), "{}", only(node, "id"));
    assert!(!only(node, "title").is_empty());
    DateTime::parse_from_rfc3339(only(node, "updated")).unwrap();
    for link in children(node, "link") {
        assert!(link.attribute("href").is_some_and(|href| href.starts_with('/')), "{link:?}");
    }
    let alternate =
        children(node, "link").into_iter().filter(|link| link.attribute("rel") == Some("alternate"));
    assert_eq!(alternate.count(), 1);
}

/// Entries need an author, because the feed has none.
#[track_caller]
fn assert_valid_entry(entry: Node<'_, '_>) {
    assert_has_what_is_required(entry);
    assert!(!only(children(entry, "author")[0], "name").is_empty());
}

#[database_test]
async fn run_feed_is_valid_atom(app: TestApp) {
    let first = factory::report();
    app.store(&first).await;
    let mut second = RunReport { pull_request: Some(12), ..factory::report() };
    second.commit = Commit {
        subject: "Read <all> & \u{8}nothing".into(),
        author: "\u{1} ".into(),
        ..factory::commit(2, Some(2))
    };
    second.results[0].failures = vec![factory::failure(2, "no answer for 5 s")];
    app.store(&second).await;
    app.store(&factory::of_project("other")).await;

    let answer = app.get("/api/v1/projects/libfoo/runs.atom").await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/atom+xml"));
    assert!(answer.headers.contains_key("etag"));
    let text = String::from_utf8(answer.body).unwrap();
    let document = Document::parse(&text).unwrap();
    let feed = document.root_element();
    assert!(feed.has_tag_name((ATOM, "feed")));
    assert_has_what_is_required(feed);
    let own = children(feed, "link").into_iter().find(|link| link.attribute("rel") == Some("self")).unwrap();
    assert_eq!(own.attribute("href"), Some("/api/v1/projects/libfoo/runs.atom"));

    let entries = children(feed, "entry");
    entries.iter().for_each(|entry| assert_valid_entry(*entry));
    let ids: Vec<_> = entries.iter().map(|entry| only(*entry, "id").to_owned()).collect();
    assert_eq!(ids, [format!("urn:uuid:{}", second.run_id), format!("urn:uuid:{}", first.run_id)]);
    assert_eq!(only(entries[0], "title"), "0000000 for pull request 12 on lab-1: 1 result, 1 failure");
    assert_eq!(only(entries[0], "summary"), "Read <all> & nothing");
    assert_eq!(only(children(entries[0], "author")[0], "name"), "unknown");
    assert_eq!(only(entries[1], "title"), "0000000 on lab-1: 1 result");
    let page = children(entries[1], "link")[0].attribute("href").unwrap();
    assert_eq!(page, format!("/libfoo/runs/{}", first.run_id));
    let newest = entries.iter().map(|entry| only(*entry, "updated")).max().unwrap();
    assert_eq!(only(feed, "updated"), newest);
}

#[database_test]
async fn regression_feed_is_valid_atom(app: TestApp) {
    app.store(&factory::report()).await;
    let path = "/api/v1/projects/libfoo/regressions.atom";
    let read = async || String::from_utf8(app.get(path).await.body).unwrap();
    let empty = read().await;
    let empty = Document::parse(&empty).unwrap();
    assert_has_what_is_required(empty.root_element());
    assert_eq!(children(empty.root_element(), "entry").len(), 0);
    let fixed = "state = 'fixed', fixed_by_commit_id = after_commit_id";
    for change in ["", fixed, "state = 'machine'", "state = 'invalid'", "muted_until_at = 'infinity'"] {
        app.regression(change).await;
    }
    let text = read().await;
    let document = Document::parse(&text).unwrap();
    let feed = document.root_element();
    assert_has_what_is_required(feed);
    let entries = children(feed, "entry");
    let titles: Vec<_> = entries.iter().map(|entry| only(*entry, "title")).collect();
    assert_eq!(titles, ["fixed", "new"].map(|state| format!("1 series slower on lab-1, by 20.0 %: {state}")));
    entries.iter().for_each(|entry| assert_valid_entry(*entry));
    assert_eq!(only(entries[0], "summary"), "Caused by 0000000. Back to baseline since 0000000.");
    assert_eq!(children(entries[1], "link")[0].attribute("href"), Some("/libfoo/regressions/1"));
    app.regression("kind = 'drift'").await;
    let text = read().await;
    let drifted = Document::parse(&text).unwrap();
    let drift = children(drifted.root_element(), "entry")[0];
    assert_eq!(only(drift, "title"), "1 series slower on lab-1, drift of +20 % since 0000000: new");
    assert_eq!(only(drift, "summary"), "Small steps over 0 commits up to 0000000.");
    let ids: BTreeSet<_> = [feed, entries[0], entries[1]].map(|node| only(node, "id")).into();
    assert_eq!(ids.len(), 3);
}

#[database_test]
async fn feed_identity_is_stable_and_unique(app: TestApp) {
    app.store(&factory::report()).await;
    app.store(&factory::of_project("other")).await;
    let id = async |project: &str| {
        let answer = app.get(&format!("/api/v1/projects/{project}/runs.atom")).await;
        let text = String::from_utf8(answer.body).unwrap();
        only(Document::parse(&text).unwrap().root_element(), "id").to_owned()
    };
    let before = id("libfoo").await;
    app.store(&factory::report()).await;
    let all = BTreeSet::from([before.clone(), id("libfoo").await, id("other").await]);
    assert_eq!(all.len(), 2, "{all:?}");
}
