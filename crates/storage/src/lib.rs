//! All SQL of the server. Functions take a pool or a connection and give rows; they know nothing of HTTP, and nothing of
//! the domain above them but the words that are stored: roles, scopes, quantiles, events. All of them fail when the database
//! does not answer, refuses a value or lacks a row that has to exist; `# Errors` names what else can go wrong.
//!
//! Queries are checked against the schema when this crate is compiled. `.sqlx/` holds what the compiler needs to
//! know, so that no database has to run then; `migrations/README.md` says how it is renewed.
//!
//! A row that the API answers as it is read is declared here with its JSON and its schema. Columns that only the server
//! needs are skipped there.
//!
//! Rows that uploads share are inserted only when they are missing, sorted by their key: an upload that brings
//! nothing new locks nothing, and two that bring the same wait for each other in one order.

/// An enum whose variants are stored, sent and typed as their names in lower case.
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

/// A struct that a query selects as a row constructor with the fields in the struct's order: `(a, b) as "name!: Type"`.
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
mod error;
pub mod error_rate;
pub mod github;
pub mod graph;
pub mod installation;
pub mod job;
pub mod link;
pub mod live;
pub mod machine;
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
pub mod summary;
pub mod task;
pub mod token;

pub use error::StorageError;

/// The schema of the database, applied by the server when it starts.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// A text that stands for none of the words that were expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is unknown: expected {expected}")]
pub struct UnknownWord {
    /// What was given.
    pub text: String,
    /// All words.
    pub expected: String,
}

/// That a text is none of the words of `T`.
fn unknown<T: strum::VariantNames>(text: &str) -> UnknownWord {
    UnknownWord { text: text.to_owned(), expected: T::VARIANTS.join(", ") }
}

/// What the database holds does not parse, though only parsed values are ever written to it.
fn decode_error(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
