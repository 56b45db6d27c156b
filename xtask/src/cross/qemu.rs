//! Linux programs for arm64 under QEMU, with Debian's arm64 C library.

use super::Program;
use super::toolchain::Toolchain;
use crate::tool;
use anyhow::Result;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// The variable that names the program by which tests start further programs of their own kind: the kernel cannot
/// run these by itself.
const PEER_RUNNER: &str = "ROUNDTRIP_PEER_RUNNER";

/// Runs one program to its end, with this one's inputs and outputs.
///
/// # Errors
/// QEMU cannot be started.
pub(super) fn run(toolchain: &Toolchain, program: &Program) -> Result<ExitCode> {
    let mut command = Command::new(toolchain.qemu());
    command.arg(&program.program).args(&program.arguments).envs(variables(toolchain));
    // Libraries of this processor are no use to the program, and QEMU needs none.
    let status = tool::run_attached(command.env_remove("LD_LIBRARY_PATH"))?;
    Ok(tool::exit_code(status))
}

/// What QEMU and the tests read of their environment. Programs that the tests start inherit it.
fn variables(toolchain: &Toolchain) -> Vec<(&'static str, OsString)> {
    vec![
        (PEER_RUNNER, toolchain.qemu().into()),
        ("QEMU_LD_PREFIX", toolchain.root().join("usr/aarch64-linux-gnu").into()),
    ]
}
