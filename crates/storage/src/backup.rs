//! Reads all tables in one snapshot, and restores them. No table is known by name, so a backup includes tables of
//! later versions. It uses plain `copy`, table by table, which also works with distributed tables.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use sqlx::postgres::PgCopyIn;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};

/// The name, columns and references of a table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The columns without generated ones, in order.
    pub columns: Vec<String>,
    /// The tables that its foreign keys refer to.
    pub references: Vec<String>,
}

/// A connection with a snapshot of the database, unaffected by later writes.
pub async fn snapshot(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    pool.begin_with("begin transaction isolation level repeatable read, read only").await
}

/// All tables by name, except those of sqlx.
pub async fn tables(connection: &mut PgConnection) -> sqlx::Result<Vec<Table>> {
    sqlx::query_as!(
        Table,
        r#"select relation.relname::text as "name!",
                  array(select attribute.attname::text from pg_attribute attribute
                        where attribute.attrelid = relation.oid and attribute.attnum > 0
                          and not attribute.attisdropped and attribute.attgenerated = ''
                        order by attribute.attnum) as "columns!",
                  array(select distinct referred.relname::text from pg_constraint
                        join pg_class referred on referred.oid = pg_constraint.confrelid
                        where pg_constraint.conrelid = relation.oid and pg_constraint.contype = 'f'
                        order by 1) as "references!"
           from pg_class relation
           where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p')
             and not relation.relispartition and relation.relname <> '_sqlx_migrations'
           order by relation.relname"#,
    )
    .fetch_all(connection)
    .await
}

/// All rows of a table in the binary format of `copy`: one message per row, and one at the end.
pub async fn read_out<'a>(
    connection: &'a mut PgConnection,
    table: &Table,
) -> sqlx::Result<BoxStream<'a, sqlx::Result<Bytes>>> {
    let (name, columns) = (quoted(&table.name), columns(table));
    connection.copy_out_raw(&format!("copy (select {columns} from {name}) to stdout (format binary)")).await
}

/// Writes rows in that format.
pub async fn read_in<'a>(
    connection: &'a mut PgConnection,
    table: &Table,
) -> sqlx::Result<PgCopyIn<&'a mut PgConnection>> {
    let (name, columns) = (quoted(&table.name), columns(table));
    connection.copy_in_raw(&format!("copy {name} ({columns}) from stdin (format binary)")).await
}

/// Locks these tables against writes until the transaction ends, and returns those with rows.
pub async fn lock_and_find_filled<'a>(
    connection: &mut PgConnection,
    tables: &'a [Table],
) -> sqlx::Result<Vec<&'a str>> {
    let mut filled = Vec::new();
    for table in tables {
        let name = quoted(&table.name);
        let lock = format!("lock table {name} in share row exclusive mode");
        sqlx::query(AssertSqlSafe(lock)).execute(&mut *connection).await?;
        let any = format!("select exists (select from {name})");
        if sqlx::query_scalar(AssertSqlSafe(any)).fetch_one(&mut *connection).await? {
            filled.push(table.name.as_str());
        }
    }
    Ok(filled)
}

/// Sets the next generated keys after the largest existing ones.
pub async fn advance_identities(connection: &mut PgConnection) -> sqlx::Result<()> {
    let identities = sqlx::query!(
        r#"select relation.relname::text as "table!", attribute.attname::text as "column!",
                  pg_get_serial_sequence(quote_ident(relation.relname), attribute.attname) as "sequence!"
           from pg_attribute attribute
           join pg_class relation on relation.oid = attribute.attrelid
           where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p')
             and attribute.attidentity <> '' and not attribute.attisdropped"#,
    )
    .fetch_all(&mut *connection)
    .await?;
    for identity in identities {
        let (table, column) = (quoted(&identity.table), quoted(&identity.column));
        let set = format!("select setval($1::regclass, max({column})) from {table} having max({column}) > 0");
        sqlx::query(AssertSqlSafe(set)).bind(identity.sequence).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Updates the visibility map and the statistics. Without this the first charts would be slow.
pub async fn vacuum(pool: &PgPool) -> sqlx::Result<()> {
    sqlx::query("vacuum (analyze)").execute(pool).await?;
    Ok(())
}

fn columns(table: &Table) -> String {
    table.columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
