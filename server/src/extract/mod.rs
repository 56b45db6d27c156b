//! Extractors whose rejections are problems that name what is wrong.

mod accept;
mod acknowledged;
mod agent;
mod caller;
mod comma_separated;
mod cursor;
mod json;
mod paged;
mod path;
mod query;
mod report_body;

pub use accept::{Accept, Format};
pub use acknowledged::AcknowledgedBefore;
pub use agent::Agent;
pub use caller::{Caller, Uploader};
pub use comma_separated::CommaSeparated;
pub use cursor::Cursor;
pub use json::{Json, present};
pub use paged::{Everything, Page, Paged};
pub use path::Path;
pub use query::Query;
pub use report_body::ReportBody;
pub(crate) use report_body::require_json;
