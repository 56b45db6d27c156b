//! Searches series by words and facets, page by page, and counts the facets.

use super::SeriesRow;
use crate::search_terms::{SearchTerms, is_number};
use roundtrip_wire::Methodology;
use sqlx::PgPool;
use sqlx::types::Json;

/// The number of series that are checked in list order before the search index is used.
const NEAR: i64 = 400;

/// The series to search. A series must match one of the values of each facet that has any.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// All of these words must match.
    pub words: SearchTerms,
    /// Names of machines.
    pub machine: Vec<String>,
    /// Names of transports.
    pub transport: Vec<String>,
    /// Names of scenarios.
    pub scenario: Vec<String>,
    /// `2proc`, `2thread`.
    pub mode: Vec<String>,
    /// Where the ends run.
    pub placement: Vec<String>,
    /// Bytes of one message.
    pub message_bytes: Vec<i64>,
    /// How many receivers.
    pub peers: Vec<i64>,
}

/// A transport's names. They can change, so they are not part of the series' search terms.
#[derive(Debug)]
struct Transport {
    slug: String,
    title: String,
    family: String,
}

/// The number of series with one value of a facet.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables series and measured_case, described there")]
pub struct FacetRow {
    /// The facet, named as in the filter; none for the number of all series.
    pub facet: Option<String>,
    pub name: Option<String>,
    pub number: Option<i64>,
    pub series_count: i64,
}

/// The condition `$matches` is literal text in the statement, because otherwise the index is not used.
///
/// A case counts for a facet if no other facet excludes it: if none does, or only that facet. Cases come
/// before machines, because there are fewer cases than series.
macro_rules! select_facets {
    ($matches:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            FacetRow,
            r#"with of_case as materialized (
               select case_id, array_agg(machine_id) as machine_ids,
                      count(*) filter (
                          where cardinality($2::text[]) = 0
                             or machine_id = any (array(select machine_id from machine where slug = any ($2)))
                      ) as series_count
               from series
               where project_id = $1 and "#
               + $matches + r#"
               group by case_id
           ), named as materialized (
               select of_case.machine_ids, of_case.series_count, transport.slug as transport,
                      measured_case.scenario, measured_case.mode, measured_case.placement,
                      measured_case.message_bytes, measured_case.peers,
                      (cardinality($3::text[]) > 0 and transport.slug <> all ($3))::integer
                      + (cardinality($4::text[]) > 0 and measured_case.scenario <> all ($4))::integer * 2
                      + (cardinality($5::text[]) > 0 and measured_case.mode <> all ($5))::integer * 4
                      + (cardinality($6::text[]) > 0 and measured_case.placement <> all ($6))::integer * 8
                      + (cardinality($7::bigint[]) > 0 and measured_case.message_bytes <> all ($7))::integer * 16
                      + (cardinality($8::bigint[]) > 0 and measured_case.peers <> all ($8))::integer * 32
                      as against
               from of_case
               join measured_case on measured_case.case_id = of_case.case_id
               join transport on transport.transport_id = measured_case.transport_id
           ), counted as (
               select coalesce(transport, scenario, mode, placement) as name,
                      coalesce(message_bytes, peers) as number, against, sum(series_count) as series_count,
                      grouping(transport, scenario, mode, placement, message_bytes, peers) as absent
               from named
               where against in (0, 1, 2, 4, 8, 16, 32)
               group by grouping sets (
                   (against, transport), (against, scenario), (against, mode), (against, placement),
                   (against, message_bytes), (against, peers), (against)
               )
           )
           select facet.name as "facet?", counted.name as "name?", counted.number as "number?",
                  sum(counted.series_count)::bigint as "series_count!"
           from counted
           join (values (31, 1, 'transport'), (47, 2, 'scenario'), (55, 4, 'mode'), (59, 8, 'placement'),
                        (61, 16, 'message_bytes'), (62, 32, 'peers'), (63, 0, null))
                as facet (absent, against, name)
             on facet.absent = counted.absent and counted.against in (0, facet.against)
           group by 1, 2, 3
           having sum(counted.series_count) > 0 or facet.name is null
           union all
           select 'machine', machine.slug, null, count(*)
           from named
           cross join unnest(named.machine_ids) as of_machine (machine_id)
           join machine on machine.machine_id = of_machine.machine_id
           where named.against = 0
           group by machine.slug
           order by 1, 2, 3"#,
            $($argument),+
        )
    };
}

/// The series of a project after a place, in list order.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    after: (&str, i64),
    limit: i64,
) -> sqlx::Result<Vec<SeriesRow>> {
    let (sort_key, series_id) = after;
    match query(pool, project_id, filter).await? {
        // Often, many of the next series match, and no others need to be checked. If too few match, all
        // matches are found with the index and then sorted. PostgreSQL plans without the words, so it cannot
        // choose.
        Some(query) => {
            select_series!(
                "(with near as materialized (
                      select series_id, sort_key
                      from (
                          select * from series
                          where project_id = $1 and (sort_key, series_id) > ($2, $3)
                          order by sort_key, series_id
                          limit $6
                      ) as next
                      where next.search @@ $5::text::tsquery
                  ), found as materialized (
                      select series_id, sort_key from series
                      where (select count(*) from near) < $4
                        and project_id = $1 and search @@ $5::text::tsquery and (sort_key, series_id) > ($2, $3)
                  )
                  select series.* from series
                  join (
                      select series_id
                      from (select * from near where (select count(*) from near) >= $4 union all select * from found)
                      as matching
                      order by sort_key, series_id
                      limit $4
                  ) as listed on listed.series_id = series.series_id)",
                project_id,
                sort_key,
                series_id,
                limit,
                query,
                NEAR,
            )
            .fetch_all(pool)
            .await
        }
        None => {
            select_series!(
                "(select * from series
                  where project_id = $1 and (sort_key, series_id) > ($2, $3)
                  order by sort_key, series_id
                  limit $4)",
                project_id,
                sort_key,
                series_id,
                limit,
            )
            .fetch_all(pool)
            .await
        }
    }
}

/// All matching series of a project, in list order. For filters that match few.
pub async fn all(pool: &PgPool, project_id: i64, filter: &Filter) -> sqlx::Result<Vec<SeriesRow>> {
    list(pool, project_id, filter, ("", 0), i64::MAX).await
}

/// The values of each facet, with the number of series that match all other facets.
pub async fn facets(pool: &PgPool, project_id: i64, filter: &Filter) -> sqlx::Result<Vec<FacetRow>> {
    let only_words = Filter { words: filter.words.clone(), ..Filter::default() };
    let query = query(pool, project_id, &only_words).await?;
    macro_rules! read {
        ($matches:literal $(, $query:expr)?) => {
            select_facets!(
                $matches,
                project_id,
                &filter.machine,
                &filter.transport,
                &filter.scenario,
                &filter.mode,
                &filter.placement,
                &filter.message_bytes,
                &filter.peers,
                $($query,)?
            )
            .fetch_all(pool)
            .await
        };
    }
    match query {
        Some(query) => read!("search @@ $9::text::tsquery", query),
        None => read!("true"),
    }
}

/// The `tsquery` that `series.search` must match; none if every series matches.
async fn query(pool: &PgPool, project_id: i64, filter: &Filter) -> sqlx::Result<Option<String>> {
    let mut all = Vec::new();
    if !filter.words.is_empty() {
        let transports = sqlx::query_as!(
            Transport,
            r#"select slug, coalesce(described.title, transport.title) as "title!",
                          coalesce(described.family, transport.family) as "family!"
                   from transport
                   left join project_transport as described
                       on described.project_id = $1 and described.transport_id = transport.transport_id
                   order by slug"#,
            project_id,
        )
        .fetch_all(pool)
        .await?;
        all.extend(filter.words.iter().map(|word| any_of_word(word, &transports)));
    }
    all.extend(any_of("machine", &filter.machine));
    all.extend(any_of("transport", &filter.transport));
    all.extend(any_of("scenario", &filter.scenario));
    all.extend(any_of("mode", &filter.mode));
    all.extend(any_of("placement", &filter.placement));
    all.extend(any_of("message_bytes", &filter.message_bytes));
    all.extend(any_of("peers", &filter.peers));
    if all.is_empty() {
        return Ok(None);
    }
    // One index serves all projects.
    all.push(quoted(&term("project", project_id)));
    Ok(Some(all.join(" & ")))
}

/// Matches a number exactly. Matches other words as prefixes, and by the names of transports.
fn any_of_word(word: &str, transports: &[Transport]) -> String {
    let itself = if is_number(word) { quoted(word) } else { format!("{}:*", quoted(word)) };
    let called = transports
        .iter()
        .filter(|transport| [&transport.title, &transport.family].into_iter().any(|text| says(text, word)))
        .map(|transport| quoted(&term("transport", &transport.slug)));
    either(std::iter::once(itself).chain(called))
}

fn any_of(facet: &str, values: &[impl std::fmt::Display]) -> Option<String> {
    (!values.is_empty()).then(|| either(values.iter().map(|value| quoted(&term(facet, value)))))
}

fn either(alternatives: impl Iterator<Item = String>) -> String {
    format!("({})", alternatives.collect::<Vec<_>>().join(" | "))
}

/// The term of a facet, as the migration writes it.
fn term(facet: &str, value: impl std::fmt::Display) -> String {
    format!("={facet}={value}")
}

/// A lexeme in `tsquery` syntax, with any characters.
fn quoted(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

/// Whether a text has a word with this prefix.
fn says(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    let begins = text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric));
    begins && !is_number(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_all_query_characters() {
        assert_eq!(quoted(r"a' | b\"), r"'a'' | b\\'");
    }

    #[test]
    fn a_title_matches_prefixes_of_its_words() {
        assert!(says("Google Benchmark (JSON)", "json") && says("Google Benchmark", "bench"));
        assert!(!says("Google Benchmark", "mark"));
        assert!(!says("Pipe 2", "2"), "numbers are sizes and counts of a case");
    }
}
