//! `release`: what the workflow of releases does beyond running cargo, so that it can be run and tested anywhere.
//!
//! - [`changelog`]: whether a tag may be released, and its notes.  [`archive`]: one program for one target, with the
//!   [`licences`] of what is linked into it.
//! - [`targets`]: what a release is made of.  [`finish`]: what is told of all archives together; [`sign`]: by whom.

mod archive;
mod changelog;
mod finish;
#[cfg(test)]
#[cfg(unix)]
mod install_tests;
mod licences;
mod sign;
mod targets;

pub(crate) use licences::of_web as licences_of_web;

use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The version of the workspace, which every program says of itself.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Refuse a tag that is not the workspace's version, has no section in CHANGELOG.md, or no key to be verified with.
    Check {
        /// As in v1.2.3.
        tag: String,
    },
    /// Print this version's section of CHANGELOG.md.
    Notes,
    /// Make the archive of each program, with its checksum beside it.
    Pack {
        /// What they were built for.
        #[arg(long, value_parser = targets::triple)]
        target: String,
        /// The folder that the archives go to.
        #[arg(long)]
        output: PathBuf,
        /// Built programs, as cargo named them; they must run here.
        #[arg(required = true)]
        programs: Vec<PathBuf>,
    },
    /// Print the licences of what is linked into a program, and for the server of its web interface.
    Licences {
        /// What it is built for [default: this machine].
        #[arg(long)]
        target: Option<String>,
        /// Which one.
        #[arg(value_parser = [targets::AGENT, targets::SERVER])]
        program: String,
    },
    /// Of a folder with every archive, make the programs and the manifest for agents, the formula and SHA256SUMS.
    Finish {
        /// The folder.
        folder: PathBuf,
    },
    /// Sign SHA256SUMS and the manifest of a finished folder with minisign; the key's password comes from standard input.
    Sign {
        /// The file of the secret key.
        #[arg(long)]
        key: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
}

/// A release as far as Linux on x86-64 needs one, of these programs: archives, without the licences of others, and their checksums.
///
/// # Errors
/// A program does not run here, or the folder cannot be written.
pub(crate) fn of_this_machine(programs: &[PathBuf], folder: &Path) -> Result<()> {
    for program in programs {
        archive::pack(program, VERSION, targets::LINUX_X86_64, folder, BTreeMap::new())?;
    }
    finish::write_sums(folder)
}

/// Runs the verb.
///
/// # Errors
/// Something is not as a release has to be.
pub(crate) fn release(options: &Options) -> Result<ExitCode> {
    match &options.verb {
        Verb::Check { tag } => changelog::check(tag, VERSION)?,
        Verb::Notes => print!("{}", changelog::notes(VERSION)?),
        Verb::Pack { target, output, programs } => {
            for program in programs {
                let folder = tempfile::tempdir()?;
                let licences = licences::write(archive::name(program)?, target, folder.path())?;
                println!("{}", archive::pack(program, VERSION, target, output, licences)?.display());
            }
        }
        Verb::Licences { target, program } => {
            let target = target.clone().map_or_else(licences::host, Ok)?;
            std::io::stdout().write_all(licences::text(program, &target)?.as_bytes())?;
        }
        Verb::Finish { folder } => finish::finish(folder, VERSION)?,
        Verb::Sign { key, folder } => sign::sign(folder, key, VERSION)?,
    }
    Ok(ExitCode::SUCCESS)
}
