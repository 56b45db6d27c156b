//! `/api/v1/charts/...` and comparisons.

mod budget;
mod compare;
mod crossover;
mod heatmap;
mod line;
mod ridges;
mod sweep;

use crate::support::{TestApp, factory};
use roundtrip_wire::RunReport;
use serde_json::Value;
use sqlx::PgPool;

/// Decodes a delta-encoded column.
fn numbers(deltas: &Value) -> Vec<i64> {
    let mut sum = 0;
    let deltas = deltas.as_array().unwrap_or_else(|| panic!("no column: {deltas}"));
    deltas
        .iter()
        .map(|delta| {
            sum += delta.as_i64().unwrap();
            sum
        })
        .collect()
}

/// A report of `libfoo` at this commit, with one case of one repetition.
fn report_of(commit: u64, times_ns: &[u64]) -> RunReport {
    factory::nth_with(commit, vec![factory::result("pipe", 64, vec![factory::repetition(0, times_ns)])])
}

/// Copies the only stored point to further commits, one for each p50 and p99.
async fn extend(pool: &PgPool, figures: &[(i64, i64)]) {
    let (p50s, p99s): (Vec<i64>, Vec<i64>) = figures.iter().copied().unzip();
    // All columns except the generated one.
    let columns: String = sqlx::query_scalar(
        "select string_agg(attname, ', ') from pg_attribute
         where attrelid = 'point'::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    sqlx::query(sqlx::AssertSqlSafe(format!(
        "insert into point ({columns})
         select {columns} from (
             select (jsonb_populate_record(
                 point,
                 jsonb_build_object(
                     'run_id', gen_random_uuid(), 'commit_ordinal', point.commit_ordinal + given.place,
                     'latency_ns_p50', given.p50, 'latency_ns_p99', given.p99
                 )
             )).*
             from point, unnest($1::bigint[], $2::bigint[]) with ordinality as given (p50, p99, place)
         ) as copied"
    )))
    .bind(p50s)
    .bind(p99s)
    .execute(pool)
    .await
    .unwrap();
}

/// The rows of a CSV answer after its header, by column name.
async fn csv_rows(app: &TestApp, path: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let answer = app.get(path).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8; header=present");
    let mut reader = csv::Reader::from_reader(answer.body.as_slice());
    reader.deserialize().map(Result::unwrap).collect()
}
