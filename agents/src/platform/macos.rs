//! macOS: launchd does not ask whether the agent is at work.

use crate::service::System;

pub(super) use super::unix::{
    TO_BE_ADMINISTRATOR, control, controlled, is_administrator, ordinary_permissions, others_may_read, owner,
    serve, set_mode,
};

pub(super) const SYSTEM: System = System::Macos;

pub(super) fn ready() {}
