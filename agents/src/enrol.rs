//! `roundtrip enrol`: lets this machine into a lab, with a code that somebody made for it.

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
    let key = Key::draw()?;
    let enrolment = Enrolment { code, machine: machine.clone(), public_key: key.public() };
    let enrolled = server::enrol(&arguments.server, &enrolment)?;
    let told = Enrolled {
        server: arguments.server.clone(),
        agent_id: enrolled.agent_id,
        machine: machine.slug.clone(),
        token_expires_at: enrolled.token.expires_at,
        update_key,
    };
    Identity::write(&folder, told, key, &enrolled.token)?;
    let works_for = enrolled.project.map_or_else(|| "any project".to_owned(), |project| project.to_string());
    eprintln!(
        "{} is agent {} of {}, and works for {works_for}.\nKept in {}. Now run: roundtrip agent",
        machine.slug,
        enrolled.agent_id,
        arguments.server,
        folder.display()
    );
    Ok(())
}

/// What is no key is told before the code is used up.
fn update_key(file: &Path) -> crate::Result<String> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::Usage(format!("cannot read the key for updates from {}: {error}", file.display()))
    })?;
    update::parse_key(&text)?;
    Ok(text)
}

/// From the file, or typed: a code that stands in the arguments is read by everybody on the machine.
fn code(file: Option<&Path>) -> crate::Result<String> {
    let code = match file {
        Some(file) => upload::token_in(file)?,
        None => {
            if io::stdin().is_terminal() {
                eprint!("The code (made under Machines in the web interface, good for ten minutes): ");
                let _ = io::stderr().flush();
            }
            let mut line = String::new();
            io::stdin()
                .read_line(&mut line)
                .map_err(|error| Failure::Other(format!("cannot read the code: {error}")))?;
            line.trim().to_owned()
        }
    };
    if code.is_empty() {
        return Err(Failure::Usage("the code is empty: expected one that begins with rte_".into()));
    }
    Ok(code)
}
