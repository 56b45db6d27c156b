//! Linux: systemd is told when the agent is at work (`sd_notify(3)`).

use crate::service::System;

pub(super) use super::unix::{
    TO_BE_ADMINISTRATOR, control, controlled, is_administrator, ordinary_permissions, others_may_read, owner,
    serve, set_mode,
};

pub(super) const SYSTEM: System = System::Linux;

pub(super) fn ready() {
    // Nobody asked to be told, or whoever did has gone: the agent works all the same.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
}
