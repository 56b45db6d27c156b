//! Searches for changes that are cut short: what waited to be searched waits still, and is found once.

use crate::database::{self, ask, execute, number};
use crate::support::{Place, SERVE, Server, eventually};
use crate::together::Held;
use rustix::process::Signal;
use std::path::Path;

/// How many runs have not been searched for changes yet.
pub(crate) const DUE: &str = "select count(*) from analysis_due";
const CHANGES: &str = "select count(*) from change_point";
const WAITING: &str =
    "from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%insert into change_point%'";
/// All that a search leaves, without what differs from one time to the next.
const FOUND: &str = "
    select coalesce(string_agg(concat_ws(' ', series_id, quantile, commit_id, change_point.after_commit_id,
                                         change_point.until_commit_id, before_ns, after_ns, matters, change_point.cause,
                                         direction, state), e'\\n'
                               order by series_id, quantile, commit_id), '')
    from change_point left join regression using (regression_id)";

#[test]
fn a_server_that_is_killed_while_it_searches_leaves_the_search_to_the_next_which_finds_the_same() {
    let place = Place::new();
    let postgres = place.postgres();
    let histories = ["undisturbed", "killed"].map(|name| {
        let url = database::create(&postgres.first_line, name);
        let seed = ["seed", "--series", "20", "--commits", "120", "--machines", "2", "--rng-seed", "7"];
        assert!(place.run_on(&url, &seed).status.success());
        url
    });
    let [undisturbed, url] = &histories;
    let serve = |name: &str, url: &str| {
        Server::start(&place.folder().join(name), &SERVE, &[("DATABASE_URL", Path::new(url))])
    };
    let searched = |url: &str| eventually("all to be searched", || (number(url, DUE) == 0).then_some(()));
    assert!(number(url, DUE) > 0, "there is something to search");

    let held = Held::new(url, "lock table change_point in share mode");
    let killed = serve("one", url);
    eventually("a change on its way", || {
        (number(url, &format!("select count(*) {WAITING}")) > 0).then_some(())
    });
    killed.signal(Signal::KILL);
    killed.finish();
    // PostgreSQL would go on with the statement of a client that is gone, as long as it runs itself.
    execute(url, &format!("select pg_terminate_backend(pid) {WAITING}"));
    held.release();
    eventually("the end of the statements", || {
        (number(url, &format!("select count(*) {WAITING}")) == 0).then_some(())
    });
    assert_eq!(number(url, CHANGES), 0, "nothing is half found");
    assert!(number(url, DUE) > 0, "what was being searched waits still");

    let servers = [serve("one", url), serve("two", undisturbed)];
    searched(url);
    searched(undisturbed);
    for server in servers {
        assert!(server.stop().status.success());
    }
    let found = |url: &str| {
        ask(url, async |connection| sqlx::query_scalar::<_, String>(FOUND).fetch_one(connection).await)
    };
    assert!(number(undisturbed, CHANGES) > 0, "there is something to find");
    assert_eq!(found(url), found(undisturbed));
}
