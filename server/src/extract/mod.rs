//! Extractors whose rejections are problems that name what is wrong.

mod ingest_token;
mod path;
mod query;
mod report_body;

pub use ingest_token::IngestToken;
pub use path::Path;
pub use query::Query;
pub use report_body::{Encoding, ReportBody};
