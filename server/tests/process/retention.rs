//! What is too old: the verbs that say and remove it, and servers that remove it by themselves.

use crate::database::{execute, number};
use crate::support::{Place, Server, eventually};
use std::path::Path;

const OLD_UPLOADS: &str = "update run set received_at = now() - interval '91 days', upload_pruned_at = null";
const KEPT: &str = "select count(*) from run where upload_pruned_at is null";

#[test]
fn policies_are_set_shown_and_applied_by_hand() {
    let place = Place::new();
    let server = place.serve();
    assert!(place.run(&["seed", "--project", "libfoo", "--series", "5", "--commits", "4"]).status.success());
    let postgres = place.address();
    let set = place.run(&["retention", "--project", "libfoo", "--uploads", "90"]);
    assert_eq!(set.output, "libfoo: uploads 90 days, distributions for ever, points for ever");
    assert_eq!(place.run(&["retention"]).output, set.output);
    let unknown = place.run(&["retention", "--project", "other", "--uploads", "90"]);
    assert!(unknown.sentence(1).contains("there is no project other"), "{unknown:?}");
    let wrong = place.run(&["retention", "--project", "libfoo", "--uploads", "0"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");

    execute(&postgres, OLD_UPLOADS);
    let preview = place.run(&["prune", "--dry-run"]);
    assert!(preview.output.contains("libfoo: uploads from before "), "{preview:?}");
    assert!(preview.output.contains("would be removed, of 20 runs"), "{preview:?}");
    assert_eq!(number(&postgres, KEPT), 20);
    let pruned = place.run(&["prune"]);
    assert!(pruned.output.ends_with("were removed, of 20 runs"), "{pruned:?}");
    assert_eq!(number(&postgres, KEPT), 0);

    let back = place.run(&["retention", "--project", "libfoo", "--uploads", "forever"]);
    assert_eq!(back.output, "libfoo: uploads for ever, distributions for ever, points for ever");
    assert_eq!(server.get("/readyz"), 200);
}

#[test]
fn servers_remove_it_by_themselves_and_once_between_them() {
    let place = Place::new();
    let postgres = place.postgres();
    let url = &postgres.first_line;
    assert!(
        place
            .run_on(url, &["seed", "--project", "libfoo", "--series", "5", "--commits", "4"])
            .status
            .success()
    );
    execute(url, OLD_UPLOADS);
    assert!(place.run_on(url, &["retention", "--project", "libfoo", "--uploads", "90"]).status.success());
    let servers = [1, 2].map(|number| {
        let data_dir = place.folder().join(format!("server-{number}"));
        Server::start(&data_dir, &crate::support::SERVE, &[("DATABASE_URL", Path::new(url))])
    });
    eventually("the removal", || (number(url, KEPT) == 0).then_some(()));
    eventually("its end", || {
        let ended = "select count(*) from task where name = 'retention' and finished_at is not null";
        (number(url, ended) == 1).then_some(())
    });
    assert_eq!(
        number(
            url,
            "select count(*) from task where name = 'retention' and due_at > now() + interval '23 hours'"
        ),
        1
    );
    assert_eq!(number(url, "select fence from task where name = 'retention'"), 1, "one of them did it");
    for server in servers {
        assert!(server.stop().status.success());
    }
}
