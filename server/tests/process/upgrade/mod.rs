//! Upgrades: `migrate` updates a database from any earlier state, and keeps all rows.
//!
//! The earliest state is the version before the baseline (ADR 0016), with a database and a backup in
//! `fixtures/takeover/`. The next ones are the states that add rows, or all states if
//! `ROUNDTRIP_FAULT_ROUNDS` is set.

use crate::database::{self, execute, number, with_connection};
use crate::report::golden;
use crate::support::Place;
use crate::together::migrate_to;
use roundtrip_server::MIGRATOR;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Rows to insert after each migration, as a server of that version writes them. They stay from then on.
/// `UPLOAD` is replaced by a stored report.
const ROWS: &[(i64, &str)] = &[
    (20_261_209_001_100, include_str!("baseline.sql")),
    (20_261_211_000_100, include_str!("change_kind.sql")),
    (20_261_211_000_300, include_str!("change_level.sql")),
    (20_261_214_000_100, include_str!("suspicion.sql")),
    (20_261_217_000_200, include_str!("explanation.sql")),
    (20_261_220_000_100, include_str!("regression_comment.sql")),
    (20_261_221_000_200, include_str!("commit_note.sql")),
];
/// The id of the first run, present in all states.
const FIRST_RUN: &str = "019aa8f0-5c1e-7b3a-9f00-000000000001";
/// Intended removals by migrations: tables, and columns as `table.column`.
const GONE: [&str; 0] = [];
/// Intended renamings by migrations: table, old column, new column.
const RENAMED: [[&str; 3]; 3] = [
    ["change_point", "quantile", "figure"],
    ["change_point", "before_ns", "before_level"],
    ["change_point", "after_ns", "after_level"],
];
/// The migrations replaced by the baseline, as recorded by sqlx: version, description and checksum.
const REPLACED: &str = include_str!("../../fixtures/takeover/migrations.tsv");

/// The rows of each table, by columns.
type Rows = BTreeMap<String, Vec<BTreeMap<String, Value>>>;

#[test]
fn migrates_every_earlier_state_and_keeps_rows() {
    let place = Place::new();
    // No crash is tested here, so data need not reach the disk: the test creates and removes many databases.
    let postgres = place.postgres();
    execute(&postgres.first_line, "alter system set synchronous_commit = off");
    execute(&postgres.first_line, "select pg_reload_conf()");
    let new = database::create(&postgres.first_line, "new");
    assert!(place.run_on(&new, &["migrate"]).status.success());
    let wanted = with_connection(&new, schema);

    let growing = database::create(&postgres.first_line, "growing");
    let versions: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
    let are_known = ROWS.iter().all(|(version, _)| versions.contains(version));
    assert!(are_known, "each entry of ROWS names a migration");
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
        let before = with_connection(&growing, all_rows);
        row_count = before.values().map(Vec::len).sum();
        let is_baseline = *version == ROWS[0].0;
        // The version before the baseline left the same tables.
        for is_replaced in if is_baseline { &[true, false][..] } else { &[false] } {
            state_count += 1;
            let old = copy(&postgres.first_line, &growing, &format!("state_{state_count}"));
            if *is_replaced {
                note_replaced_migrations(&old, REPLACED.lines());
            }
            let migrated = place.run_on(&old, &["migrate"]);
            assert!(migrated.status.success(), "from {version}: {migrated:?}");
            assert_same(&with_connection(&old, schema), &wanted, *version);
            assert_eq!(noted(&old), noted(&new), "from {version}");
            let after = with_connection(&old, all_rows);
            gone.extend(what_went(&renamed(before.clone(), &after), &after, *version));
            if is_baseline {
                assert_a_server_goes_on(&place, &old);
            }
            execute(&postgres.first_line, &format!("drop database state_{state_count}"));
        }
    }
    println!("{state_count} states, {row_count} rows in the last one");
    assert_eq!(gone.into_iter().collect::<Vec<_>>(), GONE, "migrations remove only what GONE lists");
    let empty = empty_tables(&growing);
    assert!(empty.is_empty(), "a table has no row that an upgrade could lose: put one into ROWS: {empty:?}");
}

#[test]
fn rejects_tables_older_than_the_takeover() {
    let place = Place::new();
    let postgres = place.postgres();
    let refused = |name: &str, lines: &mut dyn Iterator<Item = &str>| {
        let url = database::create(&postgres.first_line, name);
        migrate_to(&url, ROWS[0].0);
        note_replaced_migrations(&url, lines);
        let before = noted(&url);
        let refused = place.run_on(&url, &["migrate"]);
        assert_eq!(noted(&url), before, "no migration is applied");
        refused.sentence(1).to_owned()
    };
    let last = REPLACED.lines().count() - 1;
    let sentence = refused("incomplete", &mut REPLACED.lines().take(last));
    assert!(sentence.contains("too old: its last migration is 20261208000110"), "{sentence}");
    assert!(sentence.contains("Start the previous version of the server on it once"), "{sentence}");
    let edited: Vec<String> = REPLACED.lines().map(|line| line.replace("228a8335", "00000000")).collect();
    let sentence = refused("edited", &mut edited.iter().map(String::as_str));
    assert!(sentence.contains("differ from the published ones"), "{sentence}");
}

#[test]
fn restores_a_backup_of_the_previous_version() {
    let place = Place::new();
    let postgres = place.postgres();
    let url = database::create(&postgres.first_line, "restored");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/takeover/backup.tar.zst");
    let restored = place.run_on(&url, &["restore", file.to_str().unwrap()]);
    assert!(restored.status.success(), "{restored:?}");
    assert!(restored.errors.contains("restored 45 tables and 329 rows"), "{restored:?}");
    let empty = empty_tables(&url);
    assert_eq!(
        empty,
        ["analysis_due", "commit_note", "explanation", "regression_comment", "suspicion"],
        "the backup has rows in every other table of its version, and no pending search"
    );

    // The server's own rows, besides the inserted ones: two accounts, a channel, a job, an upload, a history.
    let reader = ["token", "create", "--name", "reader", "--kind", "user", "--account", "grace"];
    let authorization = format!("Bearer {}", place.run_on(&url, &reader).printed());
    let server = place.serve_on("server", &url, &[]);
    let json = |path: &str| -> Value {
        let answer = server.call("GET", path, &[("authorization", &authorization)], "");
        assert_eq!(answer.status(), 200, "{path}");
        serde_json::from_str(answer.body()).unwrap()
    };
    assert!(json("/api/v1/projects/libfoo/channels").to_string().contains("\"name\":\"hook\""));
    assert!(json("/api/v1/projects/libfoo/jobs").to_string().contains(&"0123456789".repeat(4)));
    let uploaded = golden("full.json");
    let run = json("/api/v1/runs/019aa8f0-5c1e-7b3a-9f00-000000000abc");
    let [stored, sent] = [&run, &uploaded].map(|run| run["results"].as_array().unwrap().len());
    assert_eq!(stored, sent, "{run}");
    let seeded = number(&url, "select count(*) from run where preset = 'seeded'");
    assert_eq!(json("/api/v1/projects/seeded")["run_count"], seeded);
    assert!(server.stop().status.success());
    assert_a_server_goes_on(&place, &url);
}

fn empty_tables(url: &str) -> Vec<String> {
    let tables = with_connection(url, all_rows).into_iter().filter(|(_, rows)| rows.is_empty());
    tables.map(|(table, _)| table).collect()
}

/// Replaces sqlx's records with those of a server before the baseline.
fn note_replaced_migrations<'a>(url: &str, lines: impl Iterator<Item = &'a str>) {
    let mut statements = String::from("delete from _sqlx_migrations;");
    for line in lines {
        let [version, description, checksum] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        statements += &format!(
            "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
             values ({version}, '{description}', true, '\\x{checksum}', 1);"
        );
    }
    execute(url, &statements);
}

/// The migrations that sqlx recorded as applied.
fn noted(url: &str) -> Vec<(i64, String, Vec<u8>)> {
    with_connection(url, async |connection| {
        sqlx::query_as("select version, description, checksum from _sqlx_migrations order by version")
            .fetch_all(connection)
            .await
    })
}

/// A stored report, as a bytea literal.
fn upload() -> String {
    let mut report = golden("minimal.json");
    report["run_id"] = FIRST_RUN.into();
    let body = zstd::encode_all(report.to_string().as_bytes(), 1).unwrap();
    body.iter().fold(String::from("\\x"), |digits, byte| digits + &format!("{byte:02x}"))
}

/// Copies a database.
fn copy(url: &str, original: &str, name: &str) -> String {
    assert!(original.contains("/growing?"), "{original}");
    execute(url, &format!("create database {name} template growing"));
    url.replacen("/roundtrip?", &format!("/{name}?"), 1)
}

/// Asserts that the server shows old data, and accepts uploads to the same project.
fn assert_a_server_goes_on(place: &Place, url: &str) {
    let server = place.serve_on("server", url, &[]);
    for path in [
        "/api/v1/projects/libfoo".to_owned(),
        "/api/v1/projects/libfoo/machines".to_owned(),
        "/api/v1/projects/libfoo/runs".to_owned(),
        format!("/api/v1/runs/{FIRST_RUN}"),
    ] {
        assert_eq!(server.get(&path), 200, "{path}");
    }
    assert!(server.text("/api/v1/projects/libfoo/runs").contains(FIRST_RUN));
    // The existing token's secret is not stored, so create another one.
    let token = place.run_on(url, &["token", "create", "--name", "another"]).printed();
    assert_eq!(server.put_numbered(0xfff, &token), 201);
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

/// The rows with the new names of columns that were renamed since.
fn renamed(mut rows: Rows, after: &Rows) -> Rows {
    for [table, old, new] in RENAMED {
        let is_new = after[table].iter().any(|row| row.contains_key(new));
        for row in rows.get_mut(table).into_iter().flatten().filter(|_| is_new) {
            if let Some(value) = row.remove(old) {
                row.insert(new.to_owned(), value);
            }
        }
    }
    rows
}

/// The removed tables and columns. All other values of the rows must be unchanged.
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

/// A row with only the columns that exist before and after.
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

/// Everything in the catalogue about tables, columns in order, constraints, indexes, storage and comments.
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
