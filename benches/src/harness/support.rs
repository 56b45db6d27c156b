//! Whether a transport or program supports a case, and why not.

use crate::definition::{Mode, Placement, PlannedCase};
use crate::mechanism::Mechanism;
use crate::probe::Probe;
use crate::program::{Program, header};
use crate::scenario::{Pattern, Scenario};
use crate::sys::{Unsupported, affinity};
use crate::system::System;
use crate::transport::{Manner, OnFull, Transport};

/// Whether this machine can run a case.
pub fn support(case: &PlannedCase) -> Result<(), Unsupported> {
    let (least, bytes) = (case.scenario.message_bytes_min(), case.work.message_bytes);
    if bytes < least {
        return Err(Unsupported::because(format!(
            "{} needs messages of at least {least} B, found {bytes} B",
            case.scenario.slug()
        )));
    }
    match &case.transport {
        Mechanism::Suite(transport) => carried(case, *transport)?,
        Mechanism::Program(program) => check_program(case, program)?,
    }
    match case.placement {
        Placement::SameCpu | Placement::Cpus(..) => affinity::allowed().map(|_| ()),
        Placement::CrossCpu => affinity::pair().map(|_| ()),
        Placement::Free => Ok(()),
    }
}

/// Whether a transport of the suite supports a scenario on this system, independent of the machine.
pub fn takes_part(
    transport: &dyn Transport,
    scenario: &dyn Scenario,
    on: Option<System>,
) -> Result<(), Unsupported> {
    if scenario.needs_handles() && !on.is_some_and(|system| transport.passes_handles(system)) {
        return Err(Unsupported::because(
            "it cannot pass descriptors: expected a Unix socket, a named pipe or Mach messages",
        ));
    }
    if transport.only_asks() && !scenario.asks() {
        return Err(Unsupported::because("a transaction is a request and its reply: expected roundtrip"));
    }
    if matches!(scenario.pattern(), Pattern::Many(_)) && transport.ring().is_none() {
        return Err(Unsupported::because("it has only two ends: expected a shared-memory ring"));
    }
    Ok(())
}

/// Whether programs may support a scenario. Each program reports whether it supports them.
pub fn supports_programs(scenario: &dyn Scenario) -> bool {
    matches!(scenario.slug(), "roundtrip" | "stream")
}

fn carried(case: &PlannedCase, transport: &dyn Transport) -> Result<(), Unsupported> {
    takes_part(transport, case.scenario, System::here())?;
    if case.work.window > 1 {
        return Err(Unsupported::because(
            "built-in transports have one message in flight in roundtrip: expected window = 1, or stream",
        ));
    }
    let is_ring = transport.ring().is_some();
    if is_ring && matches!(case.scenario.pattern(), Pattern::Pair(_)) && case.manner.on_full == OnFull::Drop {
        return Err(Unsupported::because("roundtrip cannot drop messages: expected on_full = wait"));
    }
    transport.support(&case.channel())?;
    if !is_ring && case.manner != transport.manner() {
        return Err(Unsupported::because(
            "the kernel controls waiting and waking: remove receive, on_full, wake and storage",
        ));
    }
    Ok(())
}

/// Checks whether a program may support the case. The program reports whether it supports it.
fn check_program(case: &PlannedCase, program: &Program) -> Result<(), Unsupported> {
    if let Some(reason) = &program.unsupported {
        return Err(reason.clone());
    }
    let unsupported = if !supports_programs(case.scenario) {
        "programs support only roundtrip and stream"
    } else if case.work.message_bytes < header::HEADER_BYTES {
        "messages of a program begin with a header of 8 B: expected at least 8 B"
    } else if case.work.size_profile.is_some() {
        "programs do not support size_profile"
    } else if case.buffer_bytes.is_some() {
        "programs control their own buffers: remove the buffer"
    } else if case.manner != Manner::default() {
        "programs control waiting and waking: remove receive, on_full, wake and storage"
    } else if case.probe.is_some_and(|probe| !matches!(probe, Probe::Syscalls | Probe::Profile)) {
        "programs support only the probes syscalls and profile"
    } else if case.mode == Mode::TwoThreads && case.placement == Placement::CrossCpu {
        "threads of a program cannot be pinned separately: expected 2proc, same-cpu or free"
    } else {
        return Ok(());
    };
    Err(Unsupported::because(unsupported))
}
