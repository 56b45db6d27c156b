//! Whether this machine can run a case.

use crate::definition::{Mode, Placement, PlannedCase};
use crate::mechanism::Mechanism;
use crate::program::{Program, head};
use crate::scenario::{Pattern, Scenario};
use crate::sys::{Unsupported, affinity};
use crate::system::System;
use crate::transport::{Manner, OnFull, Transport};

/// Whether this machine can run a case.
pub fn support(case: &PlannedCase) -> Result<(), Unsupported> {
    let (least, bytes) = (case.scenario.message_bytes_min(), case.work.message_bytes);
    if bytes < least {
        return Err(Unsupported::because(format!(
            "{} needs messages of at least {least} B: found {bytes} B",
            case.scenario.slug()
        )));
    }
    match &case.transport {
        Mechanism::Suite(transport) => carried(case, *transport)?,
        Mechanism::Program(program) => brought(case, program)?,
    }
    match case.placement {
        Placement::SameCpu | Placement::Cpus(..) => affinity::allowed().map(|_| ()),
        Placement::CrossCpu => affinity::pair().map(|_| ()),
        Placement::Free => Ok(()),
    }
}

/// Whether a transport of the suite takes part in a scenario on this system, whatever a machine has.
pub fn takes_part(
    transport: &dyn Transport,
    scenario: &dyn Scenario,
    on: Option<System>,
) -> Result<(), Unsupported> {
    if scenario.needs_handles() && !on.is_some_and(|system| transport.passes_handles(system)) {
        return Err(Unsupported::because(
            "nothing can be passed over it: expected a Unix socket, a named pipe or Mach messages",
        ));
    }
    if transport.only_asks() && !scenario.asks() {
        return Err(Unsupported::because("a transaction is a question and its answer: expected roundtrip"));
    }
    if matches!(scenario.pattern(), Pattern::Many(_)) && transport.ring().is_none() {
        return Err(Unsupported::because("it has two ends: expected a shared-memory ring"));
    }
    Ok(())
}

/// The scenarios that a program is asked for. Whether it can do them, it says itself.
pub fn asks_programs(scenario: &dyn Scenario) -> bool {
    matches!(scenario.slug(), "roundtrip" | "stream")
}

fn carried(case: &PlannedCase, transport: &dyn Transport) -> Result<(), Unsupported> {
    takes_part(transport, case.scenario, System::here())?;
    if case.work.window > 1 {
        return Err(Unsupported::because(
            "peers of the suite have one message on its way in roundtrip: expected a window of 1, or stream",
        ));
    }
    match (transport.ring(), case.scenario.pattern()) {
        (Some(_), Pattern::Pair(_)) if case.manner.on_full == OnFull::Drop => {
            return Err(Unsupported::because(
                "who waits for an answer cannot drop the question: expected on_full = wait",
            ));
        }
        (Some(ring), Pattern::Many(_)) => ring.support_many(&case.channel())?,
        _ => transport.support(&case.channel())?,
    }
    if transport.ring().is_none() && case.manner != transport.manner() {
        return Err(Unsupported::because(
            "it waits and wakes as the kernel does: expected no receive, on_full, wake or storage",
        ));
    }
    Ok(())
}

/// Whether a program can be asked for it. Whether it can do it, it says itself.
fn brought(case: &PlannedCase, program: &Program) -> Result<(), Unsupported> {
    if let Some(reason) = &program.unsupported {
        return Err(reason.clone());
    }
    let unsupported = if !asks_programs(case.scenario) {
        "a program is asked for roundtrip or stream"
    } else if case.work.message_bytes < head::HEAD_BYTES {
        "a message of a program begins with a head of 8 B: expected at least so many"
    } else if case.work.size_profile.is_some() {
        "a program is asked for messages of one size: expected no size_profile"
    } else if case.buffer_bytes.is_some() {
        "a program has the buffers that it likes: expected no buffer"
    } else if case.manner != Manner::default() {
        "a program waits and wakes as it likes: expected no receive, on_full, wake or storage"
    } else if case.probe.is_some() {
        "a probe watches ends of the suite: expected none for a program"
    } else if case.mode == Mode::TwoThreads && case.placement == Placement::CrossCpu {
        "threads of one program cannot be told apart from outside: expected 2proc, same-cpu or free"
    } else {
        return Ok(());
    };
    Err(Unsupported::because(unsupported))
}
