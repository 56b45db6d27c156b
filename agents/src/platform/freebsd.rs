//! FreeBSD: daemon(8) does not ask whether the agent is at work.

use crate::service::System;

pub(super) use super::unix::{
    TO_BE_ADMINISTRATOR, control, controlled, is_administrator, ordinary_permissions, others_may_read, owner,
    serve, set_mode,
};

pub(super) const SYSTEM: System = System::Freebsd;

pub(super) fn ready() {}
