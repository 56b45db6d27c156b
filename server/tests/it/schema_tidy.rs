//! Checks the conventions of `migrations/README.md` in PostgreSQL's catalogue.

use roundtrip_storage::distribution::DISTRIBUTED;
use sqlx::{AssertSqlSafe, PgPool};

/// Asserts that a query for rule violations has no rows. sqlx's own table is exempt.
async fn assert_none(pool: &PgPool, rule: &str, query: &str) {
    let found: Vec<String> =
        sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_all(pool).await.unwrap();
    assert!(found.is_empty(), "{rule}: {found:?}");
}

/// Rules for all tables, with queries for violations.
const RULES: [(&str, &str); 8] = [
    (
        "a comment is missing",
        "select c.relname || coalesce('.' || a.attname, '')
        from pg_class c
        left join pg_attribute a on a.attrelid = c.oid and a.attnum >= 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
          and c.relname <> '_sqlx_migrations'
          and (coalesce(obj_description(c.oid, 'pg_class'), '') = ''
               or coalesce(col_description(c.oid, a.attnum), '') = '')",
    ),
    (
        "deleting what is referred to would read the whole table",
        "select k.conrelid::regclass::text || '.' || k.conname
        from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'public'::regnamespace
          and not exists (
              select from pg_index i
              where i.indrelid = k.conrelid and i.indpred is null
                and (string_to_array(i.indkey::text, ' ')::smallint[])[1:cardinality(k.conkey)] = k.conkey
          )",
    ),
    (
        "not lower case",
        "select relname::text from pg_class
        where relnamespace = 'public'::regnamespace and not starts_with(relname, '_sqlx')
          and relname !~ '^[a-z][a-z0-9_]*$'",
    ),
    (
        "not lower case",
        "select table_name || '.' || column_name from information_schema.columns
        where table_schema = 'public' and column_name !~ '^[a-z][a-z0-9_]*$'",
    ),
    (
        "not singular",
        "select tablename::text from pg_tables
        where schemaname = 'public' and tablename <> '_sqlx_migrations'
          and tablename like '%s' and tablename not like '%series'",
    ),
    (
        "a key that is not called <table>_id",
        "select c.relname || '.' || a.attname
        from pg_constraint k
        join pg_class c on c.oid = k.conrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
        where k.contype = 'p' and k.connamespace = 'public'::regnamespace and c.relname <> '_sqlx_migrations'
          and a.attname !~ '_id$'",
    ),
    (
        "not a timestamptz whose name ends in _at",
        "select table_name || '.' || column_name from information_schema.columns
        where table_schema = 'public' and table_name <> '_sqlx_migrations'
          and (data_type like 'timestamp without%' or (data_type like 'timestamp%') <> (column_name like '%\\_at'))",
    ),
    (
        "not named for its table",
        "select k.conname::text from pg_constraint k
        where k.connamespace = 'public'::regnamespace and k.conrelid <> 0
          and k.conrelid <> '_sqlx_migrations'::regclass
          and not starts_with(k.conname, k.conrelid::regclass::text || '_')",
    ),
];

#[database_test]
async fn tables_follow_the_conventions(pool: PgPool) {
    for (rule, query) in RULES {
        assert_none(&pool, rule, query).await;
    }
}

#[database_test]
async fn big_tables_can_be_distributed_by_machine(pool: PgPool) {
    for table in DISTRIBUTED {
        let keys = format!(
            "select i.indexrelid::regclass::text from pg_index i
             where i.indrelid = '{table}'::regclass and i.indisunique
               and not exists (
                   select from pg_attribute a
                   where a.attrelid = i.indrelid and a.attname = 'machine_id'
                     and a.attnum = any ((string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts])
               )"
        );
        assert_none(&pool, "a unique key without machine_id", &keys).await;
        let unique = format!(
            "select 'none' where not exists (
                 select from pg_index i where i.indrelid = '{table}'::regclass and i.indisunique)"
        );
        assert_none(&pool, "no unique key", &unique).await;
        let references = format!(
            "select conname::text from pg_constraint
             where contype = 'f' and '{table}'::regclass in (conrelid, confrelid)"
        );
        assert_none(&pool, "a foreign key from or to it", &references).await;
        let triggers = format!("select tgname::text from pg_trigger where tgrelid = '{table}'::regclass");
        assert_none(&pool, "a trigger on it", &triggers).await;
    }
}
