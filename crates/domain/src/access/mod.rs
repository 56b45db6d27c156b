//! Who may do what: pure decisions, without SQL and without HTTP.
//!
//! # Codemap
//! - [`rules`]: what can be done, and the one table that says which role and scope it needs.
//! - [`caller`]: who asks, and every decision about it. [`refusal`]: why someone may not.

pub mod caller;
pub mod refusal;
pub mod rules;

pub use caller::{Caller, Proof};
pub use refusal::Refusal;
pub use rules::Action;

use chrono::TimeDelta;

/// How long a token is valid unless asked otherwise.
pub const TOKEN_DAYS_DEFAULT: u32 = 90;
/// The longest that can be asked for.
pub const TOKEN_DAYS_MAX: u32 = 3_650;
/// How long a token is valid that a job got for its own.
pub(crate) const EXCHANGED_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How long the old secret of a rotated token is accepted unless asked otherwise.
pub const OVERLAP_HOURS_DEFAULT: u32 = 24;
/// The longest that can be asked for.
pub const OVERLAP_HOURS_MAX: u32 = 7 * 24;
