//! macOS: launchd does not ask whether the agent is at work.

use crate::lab::confine::Limits;
use crate::service::System;
use std::io;
use std::process::Command;

pub(super) use super::unix::{
    TO_BE_ADMINISTRATOR, ask_to_end, become_program, can_confine, can_update, control, controlled,
    end_all_of, give, is_administrator, is_channel, lock_of_user, ordinary_permissions, others_may_read,
    owner, serve, set_mode, user,
};

pub(super) const SYSTEM: System = System::Macos;

pub(super) fn ready() {}

/// The network is not taken away: nobody has tried how on macOS.
pub(super) fn become_confined(limits: Limits, _has_network: bool, command: Command) -> io::Error {
    super::unix::become_user(limits, command)
}

pub(super) fn can_record() -> Result<(), String> {
    Err("roundtrip record watches system calls as only Linux lets it: nobody has tried how on macOS".into())
}
