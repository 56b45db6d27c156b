//! What the server has stored while the web interface is measured: made the first time, kept in the cache for the next.

use crate::observed::Observed;
use crate::screen::{self, Step};
use crate::server::Server;
use crate::stamp::Stamp;
use crate::tool::Tool;
use crate::{http, platform, workspace};
use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Histories, and the name of the folder that they are kept in.
pub(super) struct Plan {
    folder: &'static str,
    histories: &'static [History],
}

/// Synthetic history of a project.
struct History {
    project: &'static str,
    machines: u64,
    series: u64,
    commits: u64,
}

/// Ten million points, and series with ten thousand.
const WHOLE: Plan = Plan {
    folder: "whole",
    histories: &[
        History { project: "seeded", machines: 5, series: 5_000, commits: 2_000 },
        History { project: "long", machines: 1, series: 6, commits: 10_000 },
    ],
};
/// As many commits, of few series.
const QUICK: Plan = Plan {
    folder: "quick",
    histories: &[
        History { project: "seeded", machines: 2, series: 100, commits: 1_000 },
        History { project: "long", machines: 1, series: 6, commits: 10_000 },
    ],
};

impl Plan {
    pub(super) fn of(is_quick: bool) -> &'static Self {
        if is_quick { &QUICK } else { &WHOLE }
    }

    /// How much it is, in words that follow a figure.
    pub(super) fn extent(&self) -> String {
        let points: u64 = self.histories.iter().map(|history| history.series * history.commits).sum();
        match points / 1_000_000 {
            0 => format!("{} thousand points stored", points / 1_000),
            millions => format!("{millions} million points stored"),
        }
    }

    /// A server that has it stored, and has searched it for changes.
    ///
    /// # Errors
    /// It does not start, or what it has is something else.
    pub(super) fn serve(&self, program: &Path) -> Result<Server> {
        let kept = platform::cache_folder()?.join("bench-web").join(self.folder);
        let data_folder = kept.join("data");
        // Written last: what is there without it is half of it.
        let complete = Stamp::new(kept.join("complete"), self.digest()?);
        if !complete.is_current() {
            let step = Step::start("history");
            platform::remove_folder(&kept)?;
            platform::create_data_folder(&data_folder)
                .with_context(|| format!("cannot make {}", data_folder.display()))?;
            let started = Observed::start(program, &data_folder, &step)?;
            for history in self.histories {
                history.store(program, &data_folder, &step)?;
            }
            started.until_searched(&step)?;
            // The next one begins as one that was made long ago.
            let status = started.server.stop()?;
            ensure!(status.success(), "the server ended with {status}");
            complete.write()?;
            step.done(&format!("{} in {}", self.extent(), kept.display()));
        }
        let step = Step::start("server");
        let started = Observed::start(program, &data_folder, &step)?;
        started.until_searched(&step)?;
        let url = started.server.address()?;
        self.histories.iter().try_for_each(|history| history.check(&url)).with_context(|| {
            format!("{} is not what it is said to be: remove it, and it is made anew", kept.display())
        })?;
        step.done(&format!("data in {}", data_folder.display()));
        Ok(started.server)
    }

    /// Of what is stored and of everything that decides how.
    fn digest(&self) -> Result<String> {
        let sources: Vec<PathBuf> = ["migrations", "server/src/seed", "crates/storage/src/seed.rs"]
            .map(|path| workspace::root().join(path))
            .into();
        let mut text = workspace::digest(&sources)?;
        for History { project, machines, series, commits } in self.histories {
            // Writing to a string cannot fail.
            let _ = write!(text, " {project} {machines} {series} {commits}");
        }
        Ok(Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        }))
    }
}

impl History {
    fn store(&self, program: &Path, data_folder: &Path, step: &Step) -> Result<()> {
        let Self { project, machines, series, commits } = self;
        screen::note(&format!("storing {} points of {project}, once", series * commits));
        let numbers = [("--machines", machines), ("--series", series), ("--commits", commits)];
        Tool::at(program)
            .arguments(["seed", "--project", project])
            .arguments(numbers.iter().flat_map(|(name, number)| [(*name).to_owned(), number.to_string()]))
            .arguments(["--data-dir"])
            .arguments([data_folder])
            .without_variable("DATABASE_URL")
            .run(step)?
            .successful()?;
        Ok(())
    }

    /// Whether the server has it.
    fn check(&self, url: &str) -> Result<()> {
        let answer = http::get(&format!("{url}/api/v1/projects/{}", self.project))?;
        let project: serde_json::Value = serde_json::from_str(&answer).context("a project is not JSON")?;
        let expected = [
            ("machine_count", self.machines),
            ("series_count", self.series),
            ("commit_count", self.commits),
            ("run_count", self.machines * self.commits),
        ];
        for (name, count) in expected {
            let has = &project[name];
            ensure!(has.as_u64() == Some(count), "{} has {has} as {name}: expected {count}", self.project);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_is_stored_is_said() {
        assert_eq!(WHOLE.extent(), "10 million points stored");
        assert_eq!(QUICK.extent(), "160 thousand points stored");
    }

    #[test]
    fn another_history_is_another_stock() {
        assert_eq!(WHOLE.digest().unwrap(), WHOLE.digest().unwrap());
        assert_ne!(WHOLE.digest().unwrap(), QUICK.digest().unwrap());
    }
}
