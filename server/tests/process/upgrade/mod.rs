//! Upgrades: whatever state a database was left in by an earlier server, `migrate` makes it that of a new one, and all rows
//! that were there are there.
//!
//! From each state in which other rows are there, and from each at all if `ROUNDTRIP_FAULT_ROUNDS` says something.

mod rows;

use crate::database::{self, ask, execute, number};
use crate::report::{golden, numbered};
use crate::support::{Place, Server};
use crate::together::migrate_to;
use roundtrip_server::MIGRATOR;
use rows::{FIRST_RUN, ROWS};
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What migrations have removed on purpose: the outcomes of a run went into one row, and the commit of a job is its name.
const GONE: [&str; 2] = ["job.commit_id", "run_outcome"];

/// The rows of each table, by columns.
type Rows = BTreeMap<String, Vec<BTreeMap<String, Value>>>;

#[test]
fn from_every_earlier_state_tables_become_those_of_a_new_database_and_rows_stay() {
    let place = Place::new();
    let postgres = place.postgres();
    // Nothing is killed here, so that nothing has to be on the disk: sixty databases are made and removed.
    execute(&postgres.first_line, "alter system set fsync = off");
    execute(&postgres.first_line, "select pg_reload_conf()");
    let new = database::create(&postgres.first_line, "new");
    assert!(place.run_on(&new, &["migrate"]).status.success());
    let wanted = ask(&new, schema);

    let growing = database::create(&postgres.first_line, "growing");
    let versions: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
    assert!(ROWS.iter().all(|(version, _)| versions.contains(version)), "rows belong to a migration");
    let all = std::env::var_os("ROUNDTRIP_FAULT_ROUNDS").is_some();
    let (mut gone, mut state_count, mut row_count) = (BTreeSet::new(), 0, 0);
    for version in &versions {
        migrate_to(&growing, *version);
        let rows = ROWS.iter().find(|(after, _)| after == version);
        if let Some((_, statements)) = rows {
            execute(&growing, &statements.replace("UPLOAD", &upload()));
        }
        if !all && rows.is_none() {
            continue;
        }
        let before = ask(&growing, all_rows);
        state_count += 1;
        row_count = before.values().map(Vec::len).sum();
        let old = copy(&postgres.first_line, &growing, &format!("state_{version}"));
        let migrated = place.run_on(&old, &["migrate"]);
        assert!(migrated.status.success(), "from {version}: {migrated:?}");
        assert_same(&ask(&old, schema), &wanted, *version);
        gone.extend(what_went(&before, &ask(&old, all_rows), *version));
        if before.contains_key("run_outcome") {
            let moved = "select coalesce(sum(cardinality(series_ids)), 0)::bigint from run_result";
            let outcomes = i64::try_from(before["run_outcome"].len()).unwrap();
            assert_eq!(number(&old, moved), outcomes, "from {version}: outcomes of runs");
        }
        if *version == ROWS[0].0 {
            assert_a_server_goes_on(&place, &old);
        }
        execute(&postgres.first_line, &format!("drop database state_{version}"));
    }
    println!("{state_count} states, {row_count} rows in the last one");
    assert_eq!(gone.into_iter().collect::<Vec<_>>(), GONE, "nothing else goes");
    let filled = ask(&growing, all_rows);
    // What is counted of runs is made by a migration; the rest has to be put in.
    let empty: Vec<_> = filled.iter().filter(|(_, rows)| rows.is_empty()).map(|(table, _)| table).collect();
    assert!(
        empty.is_empty(),
        "a table has no row that an upgrade could lose: put one into upgrade/rows.rs: {empty:?}"
    );
}

/// A report as it is kept, as a literal of bytes.
fn upload() -> String {
    let mut report = golden("minimal.json");
    report["run_id"] = FIRST_RUN.into();
    let body = zstd::encode_all(report.to_string().as_bytes(), 1).unwrap();
    body.iter().fold(String::from("\\x"), |digits, byte| digits + &format!("{byte:02x}"))
}

/// Another database with all that is in this one.
fn copy(url: &str, original: &str, name: &str) -> String {
    assert!(original.contains("/growing?"), "{original}");
    execute(url, &format!("create database {name} template growing"));
    url.replacen("/roundtrip?", &format!("/{name}?"), 1)
}

/// That what was stored long ago is shown, and that uploads of the same project are taken.
fn assert_a_server_goes_on(place: &Place, url: &str) {
    let data_dir = place.folder().join("server");
    let server = Server::start(&data_dir, &crate::support::SERVE, &[("DATABASE_URL", Path::new(url))]);
    for path in [
        "/api/v1/projects/libfoo".to_owned(),
        "/api/v1/projects/libfoo/machines".to_owned(),
        "/api/v1/projects/libfoo/runs".to_owned(),
        format!("/api/v1/runs/{FIRST_RUN}"),
    ] {
        assert_eq!(server.get(&path), 200, "{path}");
    }
    assert!(server.text("/api/v1/projects/libfoo/runs").contains(FIRST_RUN));
    // It has a token already, which is known to whoever was given it.
    let made = place.run_on(url, &["token", "create", "--name", "another"]);
    assert!(made.status.success(), "{made:?}");
    let (path, report) = numbered(0xfff);
    assert_eq!(server.send("PUT", &path, made.output.trim(), report.to_string().as_bytes()), 201);
    assert!(server.stop().status.success());
}

#[track_caller]
fn assert_same(found: &[String], wanted: &[String], version: i64) {
    let (found, wanted): (BTreeSet<_>, BTreeSet<_>) = (found.iter().collect(), wanted.iter().collect());
    let only = |one: &BTreeSet<&String>, other: &BTreeSet<&String>| -> Vec<String> {
        one.difference(other).map(|line| (*line).clone()).collect()
    };
    let (more, less) = (only(&found, &wanted), only(&wanted, &found));
    assert!(more.is_empty() && less.is_empty(), "from {version}: more {more:#?}, less {less:#?}");
}

/// The tables and columns that are no more. Rows that lack nothing else are still there, with the values that they had.
fn what_went(before: &Rows, after: &Rows, version: i64) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for (table, rows) in before {
        let Some(now) = after.get(table) else {
            gone.insert(table.clone());
            continue;
        };
        let mut now: Vec<String> =
            Vec::from_iter(now.iter().map(|row| of_columns(row, rows, after, table, &mut gone)));
        for row in rows {
            let row = of_columns(row, rows, after, table, &mut gone);
            let at = now.iter().position(|other| *other == row);
            assert!(
                at.is_some(),
                "from {version}: a row of {table} is gone or changed: {row}\nthere are {now:#?}"
            );
            now.swap_remove(at.unwrap_or_default());
        }
    }
    gone
}

/// A row with only those columns that it has had and has.
fn of_columns(
    row: &BTreeMap<String, Value>,
    before: &[BTreeMap<String, Value>],
    after: &Rows,
    table: &str,
    gone: &mut BTreeSet<String>,
) -> String {
    let columns = before.first().into_iter().flat_map(BTreeMap::keys);
    let (mut kept, stays) = (BTreeMap::new(), after[table].first());
    for column in columns {
        if stays.is_some_and(|stays| !stays.contains_key(column)) {
            gone.insert(format!("{table}.{column}"));
        } else {
            kept.insert(column, row.get(column));
        }
    }
    serde_json::to_string(&kept).unwrap()
}

async fn all_rows(connection: &mut PgConnection) -> sqlx::Result<Rows> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class
         where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_sqlx_migrations'",
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut rows = Rows::new();
    for table in tables {
        let query = AssertSqlSafe(format!("select to_jsonb(of_table) from {table} as of_table"));
        let of_table: Vec<Value> = sqlx::query_scalar(query).fetch_all(&mut *connection).await?;
        let of_table = of_table.into_iter().map(|row| serde_json::from_value(row).unwrap());
        rows.insert(table, of_table.collect());
    }
    Ok(rows)
}

/// All that the catalogue says of tables, columns in their order, constraints, indexes, what is stored how, and comments.
async fn schema(connection: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "with ours as (select * from pg_class where relnamespace = 'public'::regnamespace)
         select concat_ws(' ', 'relation', relname, relkind, reloptions, obj_description(oid, 'pg_class'),
                          (select reloptions from pg_class as toast where toast.oid = ours.reltoastrelid))
         from ours
         union all
         select concat_ws(' ', 'column', relname, attname,
                          row_number() over (partition by attrelid order by attnum),
                          format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcollation,
                          pg_get_expr(adbin, adrelid), col_description(attrelid, attnum))
         from pg_attribute
         join ours on ours.oid = attrelid and ours.relkind in ('r', 'S')
         left join pg_attrdef on adrelid = attrelid and adnum = attnum
         where attnum > 0 and not attisdropped
         union all
         select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
         from pg_constraint where connamespace = 'public'::regnamespace
         union all
         select concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid, indisready)
         from pg_index join ours on ours.oid = indexrelid
         union all
         select concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid))
         from pg_trigger join ours on ours.oid = tgrelid where not tgisinternal
         union all
         select concat_ws(' ', 'function', pg_get_functiondef(oid))
         from pg_proc where pronamespace = 'public'::regnamespace",
    )
    .fetch_all(connection)
    .await
}
