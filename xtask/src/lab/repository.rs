//! [`Repository`]: what is measured, a small program in C over the suite's header.
//!
//! Each message waits for a millisecond, and what makes it slower is a longer wait. So the clock decides how long a round trip
//! takes: not how fast a machine is, nor how much else it does, as two agents on one machine do. A program that sleeps takes no
//! processor from the other agent's.

use crate::{tool, workspace};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The project, and the program that is measured.
pub(super) const PROJECT: &str = "courier";
/// Its repository at GitHub.
pub(super) const REPOSITORY: &str = "acme/courier";

/// The program is the suite's example with this in front of it.
const PACE: &str = "\
/* A channel with a pace: who sends a message waits first. */
#ifndef PACE_H
#define PACE_H

#include <time.h>
#include <unistd.h>

#define PACE_NS 1000000

static inline ssize_t paced_write(int fd, const void *bytes, size_t length) {
    const struct timespec pace = {0, PACE_NS};
    nanosleep(&pace, NULL);
    return write(fd, bytes, length);
}

#define write paced_write

#endif
";
/// What the pull request makes of it: a quarter slower.
const SLOWER: [&str; 2] = ["PACE_NS 1000000", "PACE_NS 1250000"];
const SETTINGS: &str = "\
project = 'courier'
presets = ['courier.toml']
build = ['cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -include pace.h -o courier unix_socket.c']
";
/// A repetition takes a ninth of a second, so that a comparison of sixty pairs takes less than a minute.
const DEFINITION: &str = "\
about = 'Round trips of a channel with a pace.'
deadline_seconds = 60

[[program]]
slug = 'courier'
title = 'Courier'
family = 'program'
semantics = 'A pair of sockets; who sends a message waits first.'
command = ['./courier']

[[case]]
scenario = 'roundtrip'
transports = ['courier']
message_bytes = [64]
modes = ['2proc']
placements = ['free']
operations = 50
warmup = 5
repetitions = 12
";

/// The repository, as GitHub has it.
pub(super) struct Repository {
    /// The newest commit of the main branch.
    pub(super) main: String,
    /// One that makes messages slower.
    pub(super) slower: String,
    /// The next one of the same branch.
    pub(super) slower_again: String,
    /// One that changes nothing that is measured.
    pub(super) documented: String,
}

impl Repository {
    /// Makes it in a folder, and has it below another one, `OWNER/NAME.git`, with all of its branches.
    ///
    /// # Errors
    /// Git is missing or fails.
    pub(super) fn make(checkout: &Path, served: &Path) -> Result<Self> {
        for folder in [checkout, served] {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        tool::git(checkout, &["init", "--quiet", "--initial-branch", "main"])?;
        for name in ["roundtrip.h", "unix_socket.c"] {
            let of_suite = workspace::root().join("benches/external/c").join(name);
            std::fs::copy(&of_suite, checkout.join(name))
                .with_context(|| format!("cannot copy {}", of_suite.display()))?;
        }
        let write = |name: &str, text: &str| {
            std::fs::write(checkout.join(name), text).with_context(|| format!("cannot write {name}"))
        };
        let commit = |subject: &str| -> Result<String> {
            tool::git(checkout, &["add", "--all"])?;
            tool::git(checkout, &["commit", "--quiet", "--message", subject])?;
            Ok(tool::git(checkout, &["rev-parse", "HEAD"])?.trim().to_owned())
        };
        write("pace.h", PACE)?;
        write("roundtrip.toml", SETTINGS)?;
        write("courier.toml", DEFINITION)?;
        write("README.md", "# Courier\n")?;
        let main = commit("Messages with a pace")?;
        tool::git(checkout, &["checkout", "--quiet", "-b", "slower"])?;
        let paced = PACE.replace(SLOWER[0], SLOWER[1]);
        ensure!(paced != PACE, "the pace is not where it is expected: {}", SLOWER[0]);
        write("pace.h", &paced)?;
        let slower = commit("Wait longer between messages")?;
        write("README.md", "# Courier\n\nMessages with a pace.\n")?;
        let slower_again = commit("Say what it is")?;
        tool::git(checkout, &["checkout", "--quiet", "-b", "documented", "main"])?;
        write("README.md", "# Courier\n\nMessages with a pace, of two processes.\n")?;
        let documented = commit("Say what it is for")?;
        let bare = served.join(format!("{REPOSITORY}.git"));
        let bare = bare.to_string_lossy();
        tool::git(checkout, &["init", "--quiet", "--bare", &bare])?;
        tool::git(checkout, &["push", "--quiet", &bare, "--all"])?;
        Ok(Self { main, slower, slower_again, documented })
    }
}
