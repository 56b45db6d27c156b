//! Extractors whose rejections are problems that name the invalid input.

mod accept;
mod body;
mod caller;
mod paged;
mod parameters;

pub(crate) use accept::{Accept, Format};
pub(crate) use body::{Json, ReportBody, check_stated_size, header_text, receive, require_json, sender};
pub(crate) use caller::{AcknowledgedBefore, Agent, Caller, Uploader};
pub(crate) use paged::{Cursor, NoFilter, Page, Paged, Place};
pub(crate) use parameters::within;
pub(crate) use parameters::{CommaSeparated, Path, Query};
