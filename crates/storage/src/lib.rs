//! All SQL of the server. Functions take a pool or a connection and return rows. They do not depend on HTTP
//! or the domain, except for stored words: roles, scopes, quantiles, events. All fail if the database does
//! not answer, rejects a value or lacks a required row; `# Errors` lists other failures.
//!
//! Queries are checked against the schema at compile time. `.sqlx/` contains what the compiler needs, so no
//! database has to run; `migrations/README.md` explains how to update it.
//!
//! Rows that the API returns unchanged are declared here with their JSON and schema, which skip columns for
//! the server only.
//!
//! Rows shared by uploads are inserted only if missing, sorted by key: an upload with nothing new takes no
//! locks, and two uploads with the same rows cannot deadlock.

/// An enum that is stored, sent and parsed as its variants' names in lower case.
macro_rules! text_enum {
    ($($item:tt)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[derive(sqlx::Type, strum::AsRefStr, strum::Display, strum::EnumString)]
        #[derive(strum::IntoStaticStr, strum::VariantNames)]
        #[serde(rename_all = "lowercase")]
        #[sqlx(type_name = "text", rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase")]
        #[strum(parse_err_ty = crate::UnknownWord, parse_err_fn = crate::unknown::<Self>)]
        $($item)*
    };
}

/// A struct that a query selects as a row constructor, with the fields in the struct's order: `(a, b) as
/// "name!: Type"`.
macro_rules! is_record {
    ($type:ty) => {
        impl sqlx::Type<sqlx::Postgres> for $type {
            fn type_info() -> sqlx::postgres::PgTypeInfo {
                <(i64,) as sqlx::Type<sqlx::Postgres>>::type_info()
            }
        }
    };
}

pub mod access;
pub mod account;
pub mod agent;
pub mod analysis;
pub mod audit;
pub mod backup;
pub mod baseline;
pub mod canary;
pub mod change_point;
pub mod chart;
pub mod commit;
pub mod comparison;
pub mod copy;
pub mod distribution;
pub mod environment;
pub mod error_rate;
pub mod explanation;
pub mod github;
pub mod graph;
pub mod installation;
pub mod job;
pub mod link;
pub mod live;
pub mod machine;
pub mod note;
pub mod notification;
pub mod oidc;
pub mod original;
pub mod point;
pub mod pool;
pub mod project;
pub mod project_machine;
pub mod reference_series;
pub mod regression;
pub mod retention;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod search_terms;
pub mod seed;
pub mod series;
pub mod session;
pub mod settings;
pub mod silence;
pub mod site;
pub mod stored_file;
pub mod summary;
pub mod suspicion;
pub mod task;
pub mod token;

/// The schema of the database, applied by the server when it starts.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// An unexpected word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is unknown: expected {expected}")]
pub struct UnknownWord {
    /// The text.
    pub text: String,
    /// All words.
    pub expected: String,
}

/// The error for a text that is not a word of `T`.
fn unknown<T: strum::VariantNames>(text: &str) -> UnknownWord {
    UnknownWord { text: text.to_owned(), expected: T::VARIANTS.join(", ") }
}

/// A value in the database cannot be parsed, although only parsed values are written.
fn decode_error(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
