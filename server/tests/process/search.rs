//! Interrupted change searches: pending ones stay pending, and each change is stored once.

use crate::database::{self, number, until, with_connection};
use crate::support::Place;
use crate::together::HeldLock;

/// Counts the runs that have not been searched for changes yet.
pub(crate) const DUE: &str = "select count(*) from analysis_due";
const CHANGES: &str = "select count(*) from change_point";
/// The results of a search, without values that differ between runs.
const FOUND: &str = "
    select coalesce(string_agg(concat_ws(' ', series_id, figure, commit_id, change_point.after_commit_id,
                                         change_point.until_commit_id, before_level, after_level, matters, change_point.cause,
                                         direction, state), e'\\n'
                               order by series_id, figure, commit_id), '')
    from change_point left join regression using (regression_id)";

#[test]
fn repeats_an_interrupted_search() {
    let place = Place::new();
    let postgres = place.postgres();
    let histories = ["undisturbed", "killed"].map(|name| {
        let url = database::create(&postgres.first_line, name);
        let seed = ["seed", "--series", "20", "--commits", "120", "--machines", "2", "--rng-seed", "7"];
        assert!(place.run_on(&url, &seed).status.success());
        url
    });
    let [undisturbed, url] = &histories;
    assert!(number(url, DUE) > 0, "a search is pending");

    let held = HeldLock::new(url, "lock table change_point in share mode");
    held.kill_waiting(url, place.serve_on("one", url, &[]), "%insert into change_point%");
    assert_eq!(number(url, CHANGES), 0, "no change is stored");
    assert!(number(url, DUE) > 0, "the interrupted search is still pending");

    let servers = [("one", url), ("two", undisturbed)].map(|(name, url)| place.serve_on(name, url, &[]));
    for url in [url, undisturbed] {
        until("all to be searched", url, DUE, 0);
    }
    for server in servers {
        assert!(server.stop().status.success());
    }
    let found = |url: &str| {
        with_connection(url, async |connection| {
            sqlx::query_scalar::<_, String>(FOUND).fetch_one(connection).await
        })
    };
    assert!(number(undisturbed, CHANGES) > 0, "the history has a change");
    assert_eq!(found(url), found(undisturbed));
}
