//! Extractors whose rejections are problems that name the invalid input.

mod accept;
mod body;
mod caller;
mod paged;
mod parameters;

pub use accept::{Accept, Format};
pub use body::{Json, ReportBody};
pub(crate) use body::{header_text, read_within, require_json, stated_bytes};
pub use caller::{AcknowledgedBefore, Agent, Caller, Uploader};
pub use paged::{Cursor, NoFilter, Page, Paged, Place};
pub(crate) use parameters::within;
pub use parameters::{CommaSeparated, Path, Query};
