//! `roundtrip enrol`: enrols this machine in a lab with a one-time code.

use crate::cli::EnrolArguments;
use crate::failure::Failure;
use crate::lab::identity::{self, Enrolled, Identity, Key};
use crate::lab::{server, update};
use crate::upload;
use roundtrip_bench::environment;
use roundtrip_wire::lab::Enrolment;
use std::io::{self, IsTerminal, Write as _};
use std::path::Path;

pub(crate) fn enrol(arguments: &EnrolArguments) -> crate::Result<()> {
    upload::check_address(&arguments.server)?;
    let folder = identity::folder(arguments.state.as_deref())?;
    let code = code(arguments.code_file.as_deref())?;
    let machine = environment::machine(arguments.machine.clone());
    let update_key = arguments.update_key.as_deref().map(update_key).transpose()?;
    let key = Key::generate()?;
    let enrolment = Enrolment { code, machine: machine.clone(), public_key: key.public() };
    let enrolled = server::enrol(&arguments.server, &enrolment)?;
    let stored = Enrolled {
        server: arguments.server.clone(),
        agent_id: enrolled.agent_id,
        machine: machine.slug.clone(),
        token_expires_at: enrolled.token.expires_at,
        update_key,
    };
    Identity::write(&folder, stored, key, &enrolled.token)?;
    let works_for = enrolled.project.map_or_else(|| "all projects".to_owned(), |project| project.to_string());
    eprintln!(
        "Enrolled: {} is agent {} of {}, for {works_for}.\nState: {}\nNext: roundtrip agent",
        machine.slug,
        enrolled.agent_id,
        arguments.server,
        folder.display()
    );
    Ok(())
}

/// Checks the key before the code is used.
fn update_key(file: &Path) -> crate::Result<String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Usage(format!("cannot read the update key {}: {error}", file.display())))?;
    update::parse_key(&text)?;
    Ok(text)
}

/// Reads the code from a file or the terminal. Arguments would be visible to all users of the machine.
fn code(file: Option<&Path>) -> crate::Result<String> {
    let code = match file {
        Some(file) => upload::token_in(file)?,
        None => {
            if io::stdin().is_terminal() {
                eprint!("Enrolment code (from Machines in the web interface): ");
                let _ = io::stderr().flush();
            }
            let mut line = String::new();
            io::stdin()
                .read_line(&mut line)
                .map_err(|error| Failure::Other(format!("cannot read the enrolment code: {error}")))?;
            line.trim().to_owned()
        }
    };
    if code.is_empty() {
        return Err(Failure::Usage(
            "the enrolment code is empty: expected a code that begins with rte_".into(),
        ));
    }
    Ok(code)
}
