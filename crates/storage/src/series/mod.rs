//! Series, and their transports, cases and methodologies.
//!
//! A series has a place in lists and search terms (columns `sort_key` and `search`), computed when it is
//! inserted, from values that never change.

use super::decode_error;
use super::point::SeriesKey;
use roundtrip_wire::slug::InvalidSlug;
use roundtrip_wire::{Case, CaseResult, Measure, Methodology, Slug, TransportInfo};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::HashMap;

/// A series with all columns.
#[derive(Debug)]
pub struct SeriesRow {
    /// Its key.
    pub series_id: i64,
    /// Its sort key in lists, followed by its id.
    pub sort_key: String,
    machine_id: i64,
    project: String,
    machine: String,
    transport: String,
    title: String,
    family: String,
    semantics: String,
    control: bool,
    scenario: String,
    message_bytes: i64,
    total_bytes: Option<i64>,
    peers: i64,
    mode: String,
    placement: String,
    buffer_bytes: Option<i64>,
    rate_per_second: Option<i64>,
    size_profile: Option<String>,
    senders: Option<i64>,
    messages: Option<i64>,
    variant: Option<String>,
    benchmark: Option<String>,
    operations: Option<i64>,
    measure: Option<Json<Measure>>,
    methodology: Json<Methodology>,
}

/// A series in the terms of the wire format.
#[derive(Debug)]
pub struct Series {
    /// The project.
    pub project: String,
    /// Where.
    pub machine: String,
    /// The transport.
    pub transport: TransportInfo,
    /// The case.
    pub case: Case,
    /// How.
    pub methodology: Methodology,
}

impl SeriesRow {
    /// The keys for queries on points.
    pub fn key(&self) -> SeriesKey {
        SeriesKey { series_id: self.series_id, machine_id: self.machine_id }
    }

    /// Whether it has imported summaries and no points.
    pub fn is_stated(&self) -> bool {
        self.methodology.statistic.is_some()
    }

    /// Converts to the terms of the wire format.
    pub fn into_series(self) -> sqlx::Result<Series> {
        let slug = |text: &str| Slug::parse(text).map_err(|error: InvalidSlug| decode_error(error));
        Ok(Series {
            transport: TransportInfo {
                slug: slug(&self.transport)?,
                title: self.title,
                family: slug(&self.family)?,
                semantics: self.semantics,
                control: self.control,
            },
            case: Case {
                scenario: slug(&self.scenario)?,
                message_bytes: self.message_bytes.cast_unsigned(),
                total_bytes: self.total_bytes.map(i64::cast_unsigned),
                peers: u32::try_from(self.peers).map_err(decode_error)?,
                mode: slug(&self.mode)?,
                placement: slug(&self.placement)?,
                buffer_bytes: self.buffer_bytes.map(i64::cast_unsigned),
                rate_per_second: self.rate_per_second.map(i64::cast_unsigned),
                size_profile: self.size_profile.as_deref().map(slug).transpose()?,
                senders: self.senders.map(u32::try_from).transpose().map_err(decode_error)?,
                messages: self.messages.map(i64::cast_unsigned),
                variant: self.variant.as_deref().map(slug).transpose()?,
                benchmark: self.benchmark,
                operations: self.operations.map(i64::cast_unsigned),
                measure: self.measure.map(|measure| measure.0),
            },
            project: self.project,
            machine: self.machine,
            methodology: self.methodology.0,
        })
    }
}

/// `$series` is a relation with all columns of table `series`.
macro_rules! select_series {
    ($series:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            SeriesRow,
            r#"select series.series_id, series.sort_key, series.machine_id, project.slug as project,
                      machine.slug as machine, transport.slug as transport,
                      coalesce(described.title, transport.title) as "title!",
                      coalesce(described.family, transport.family) as "family!",
                      coalesce(described.semantics, transport.semantics) as "semantics!",
                      coalesce(described.control, transport.control) as "control!",
                      measured_case.scenario, measured_case.message_bytes, measured_case.total_bytes, measured_case.peers, measured_case.mode,
                      measured_case.placement, measured_case.buffer_bytes, measured_case.rate_per_second,
                      measured_case.size_profile, measured_case.senders, measured_case.messages,
                      measured_case.variant, measured_case.benchmark, measured_case.operations,
                      measured_case.measure as "measure: Json<roundtrip_wire::Measure>",
                      methodology.document as "methodology: Json<Methodology>"
               from "# + $series + r#" as series
               join project on project.project_id = series.project_id
               join machine on machine.machine_id = series.machine_id
               join measured_case on measured_case.case_id = series.case_id
               join transport on transport.transport_id = measured_case.transport_id
               left join project_transport as described
                   on described.project_id = series.project_id and described.transport_id = transport.transport_id
               join methodology on methodology.methodology_id = series.methodology_id
               order by series.sort_key, series.series_id"#,
            $($argument),+
        )
    };
}

// After the macro that it uses.
pub mod search;

/// Series by id. Unknown ones are skipped.
pub async fn find(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<Vec<SeriesRow>> {
    select_series!("(select * from series where series_id = any($1))", series_ids).fetch_all(pool).await
}

/// The case of each series, by id.
pub async fn case_ids(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<HashMap<i64, i64>> {
    let rows = sqlx::query!("select series_id, case_id from series where series_id = any($1)", series_ids)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.case_id)).collect())
}

/// The keys of each result's series, in order, and the number of new ones. Inserts missing series.
pub async fn upsert(
    connection: &mut PgConnection,
    project_id: i64,
    machine_id: i64,
    results: &[CaseResult],
) -> sqlx::Result<(Vec<i64>, i64)> {
    upsert_transports(connection, project_id, results).await?;
    let case_digests = upsert_cases(connection, results).await?;
    let methodology_digests = upsert_methodologies(connection, results).await?;
    let inserted = sqlx::query!(
        "insert into series (project_id, machine_id, case_id, methodology_id, sort_key, search)
         select $1, $2, measured_case.case_id, methodology.methodology_id,
                array_to_string(
                    array[
                        machine.slug, measured_case.scenario, transport.slug, measured_case.mode,
                        measured_case.placement, lpad(measured_case.message_bytes::text, 19, '0'),
                        measured_case.size_profile,
                        lpad(measured_case.total_bytes::text, 19, '0'), lpad(measured_case.messages::text, 19, '0'),
                        lpad(measured_case.senders::text, 10, '0'), lpad(measured_case.peers::text, 10, '0'),
                        lpad(measured_case.buffer_bytes::text, 19, '0'),
                        lpad(measured_case.rate_per_second::text, 19, '0'), measured_case.variant,
                        measured_case.benchmark, lpad(measured_case.operations::text, 19, '0'),
                        measured_case.measure ->> 'name'
                    ],
                    ' ', ''
                ),
                array_to_tsvector(array(
                    with word as (
                        select lower(text) as text
                        from unnest(array[
                            machine.slug, measured_case.scenario, transport.slug, measured_case.mode,
                            measured_case.placement, measured_case.size_profile, measured_case.variant,
                            measured_case.benchmark, measured_case.measure ->> 'name'
                        ]) as text
                    ), size as (
                        select bytes from unnest(array[
                            measured_case.message_bytes, measured_case.total_bytes, measured_case.buffer_bytes
                        ]) as bytes
                        where bytes is not null
                    )
                    select left(substr(text, place), 64)
                    from word, generate_series(1, length(text)) as place
                    where substr(text, place, 1) ~ '[[:alnum:]]'
                      and (place = 1 or substr(text, place - 1, 1) !~ '[[:alnum:]]')
                    union
                    select left(part, 64) from word, regexp_split_to_table(text, '[^[:alnum:]]+') as part
                    where part <> ''
                    union
                    select bytes::text from size
                    union
                    select bytes / unit.bytes_each || unit.name
                    from size, (values (1024, 'kib'), (1048576, 'mib'), (1073741824, 'gib')) as unit (bytes_each, name)
                    where bytes > 0 and bytes % unit.bytes_each = 0
                    union
                    select * from unnest(array[
                        '=project=' || $1::bigint, '=machine=' || machine.slug,
                        '=scenario=' || measured_case.scenario, '=transport=' || transport.slug,
                        '=mode=' || measured_case.mode, '=placement=' || measured_case.placement,
                        '=message_bytes=' || measured_case.message_bytes, '=peers=' || measured_case.peers
                    ])
                ))
         from unnest($3::bytea[], $4::bytea[]) with ordinality as given (case_digest, methodology_digest, position)
         join measured_case on measured_case.digest = given.case_digest
         join transport on transport.transport_id = measured_case.transport_id
         join methodology on methodology.digest = given.methodology_digest
         join machine on machine.machine_id = $2
         where not exists (
             select from series
             where series.project_id = $1 and series.machine_id = $2 and series.case_id = measured_case.case_id
               and series.methodology_id = methodology.methodology_id
         )
         order by given.position
         on conflict on constraint series_identity_key do nothing",
        project_id,
        machine_id,
        &case_digests,
        &methodology_digests,
    )
    .execute(&mut *connection)
    .await?;
    let series_ids = sqlx::query_scalar!(
        "select series.series_id
         from unnest($3::bytea[], $4::bytea[]) with ordinality as given (case_digest, methodology_digest, position)
         join measured_case on measured_case.digest = given.case_digest
         join methodology on methodology.digest = given.methodology_digest
         join series on series.project_id = $1 and series.machine_id = $2
                    and series.case_id = measured_case.case_id
                    and series.methodology_id = methodology.methodology_id
         order by given.position",
        project_id,
        machine_id,
        &case_digests,
        &methodology_digests,
    )
    .fetch_all(connection)
    .await?;
    Ok((series_ids, inserted.rows_affected().cast_signed()))
}

/// Inserts missing transports, and stores their descriptions for the project: no project describes the transports of
/// another.
async fn upsert_transports(
    connection: &mut PgConnection,
    project_id: i64,
    results: &[CaseResult],
) -> sqlx::Result<()> {
    let mut given: Vec<_> = results.iter().map(|result| &result.transport).collect();
    // Most results follow one of the same transport.
    given.dedup();
    sqlx::query!(
        "insert into transport (slug, title, family, semantics, control)
         select distinct on (given.slug) given.slug, given.title, given.family, given.semantics, given.control
         from jsonb_populate_recordset(null::transport, $1) as given
         where not exists (select from transport where transport.slug = given.slug)
         order by given.slug
         on conflict (slug) do nothing",
        Json(&given) as _,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into project_transport (project_id, transport_id, title, family, semantics, control)
         select distinct on (transport.transport_id) $1, transport.transport_id, given.title, given.family,
                given.semantics, given.control
         from jsonb_populate_recordset(null::transport, $2) as given
         join transport on transport.slug = given.slug
         where not exists (
             select from project_transport as stored
             where stored.project_id = $1 and stored.transport_id = transport.transport_id
               and stored.title = given.title and stored.family = given.family
               and stored.semantics = given.semantics and stored.control = given.control
         )
         order by transport.transport_id
         on conflict (project_id, transport_id) do update
         set title = excluded.title, family = excluded.family, semantics = excluded.semantics,
             control = excluded.control",
        project_id,
        Json(given) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns the digests of the cases, in order.
async fn upsert_cases(connection: &mut PgConnection, results: &[CaseResult]) -> sqlx::Result<Vec<Vec<u8>>> {
    /// The fields have the names of the columns. All numbers have been checked to fit.
    #[derive(serde::Serialize)]
    struct Given<'a> {
        nth: usize,
        transport: &'a Slug,
        #[serde(flatten)]
        case: &'a Case,
    }
    let digests: Vec<Vec<u8>> =
        results.iter().map(|result| result.case.digest(&result.transport.slug).to_vec()).collect();
    let given = results.iter().zip(1..);
    let given: Vec<_> = given
        .map(|(result, nth)| Given { nth, transport: &result.transport.slug, case: &result.case })
        .collect();
    sqlx::query!(
        "insert into measured_case
             (digest, transport_id, scenario, message_bytes, total_bytes, peers, mode, placement, buffer_bytes,
              rate_per_second, size_profile, senders, messages, variant, benchmark, operations, measure)
         select distinct on (identity.digest) identity.digest, transport.transport_id, given.scenario,
                given.message_bytes, given.total_bytes, given.peers, given.mode, given.placement,
                given.buffer_bytes, given.rate_per_second, given.size_profile, given.senders, given.messages,
                given.variant, given.benchmark, given.operations, given.measure
         from unnest($1::bytea[]) with ordinality as identity (digest, nth)
         join jsonb_to_recordset($2) as given (
                  nth bigint, transport text, scenario text, message_bytes bigint, total_bytes bigint, peers bigint,
                  mode text, placement text, buffer_bytes bigint, rate_per_second bigint, size_profile text,
                  senders bigint, messages bigint, variant text, benchmark text, operations bigint, measure jsonb
              ) on given.nth = identity.nth
         join transport on transport.slug = given.transport
         where not exists (select from measured_case where measured_case.digest = identity.digest)
         order by identity.digest
         on conflict (digest) do nothing",
        &digests,
        Json(given) as _,
    )
    .execute(connection)
    .await?;
    Ok(digests)
}

/// Returns the digests of the methodologies, in order.
async fn upsert_methodologies(
    connection: &mut PgConnection,
    results: &[CaseResult],
) -> sqlx::Result<Vec<Vec<u8>>> {
    let digests: Vec<Vec<u8>> = results.iter().map(|result| result.methodology.digest().to_vec()).collect();
    let mut distinct: Vec<_> =
        digests.iter().zip(results).map(|(digest, result)| (digest, Json(&result.methodology))).collect();
    // Most results follow one of the same methodology.
    distinct.dedup_by_key(|(digest, _)| *digest);
    let (distinct_digests, documents): (Vec<_>, Vec<_>) =
        distinct.into_iter().map(|(digest, document)| (digest.clone(), document)).unzip();
    sqlx::query!(
        "insert into methodology (digest, document)
         select distinct on (given.digest) given.digest, given.document
         from unnest($1::bytea[], $2::jsonb[]) as given (digest, document)
         where not exists (select from methodology where methodology.digest = given.digest)
         order by given.digest
         on conflict (digest) do nothing",
        &distinct_digests,
        documents.as_slice() as _,
    )
    .execute(connection)
    .await?;
    Ok(digests)
}
