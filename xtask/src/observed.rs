//! [`Observed`]: a server with data of its own that is kept, and that tells how far its search for changes is.

use crate::screen::Step;
use crate::server::{self, Server};
use crate::{http, interrupt};
use anyhow::{Result, bail};
use std::path::Path;
use std::time::Duration;

/// Between two looks at how far the search for changes is.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// How many runs wait to be searched for changes, in the server's metrics.
const WAITING: &str = "roundtrip_analysis_runs_waiting ";

/// A server, and where it tells of itself.
pub(crate) struct Observed {
    /// The server.
    pub(crate) server: Server,
    metrics: String,
}

impl Observed {
    /// Starts one on a free port, with a PostgreSQL of its own in `data_folder`.
    ///
    /// # Errors
    /// As [`server::start_alone`], or no port is free.
    pub(crate) fn start(program: &Path, data_folder: &Path, step: &Step) -> Result<Self> {
        let metrics = format!("127.0.0.1:{}", http::free_port()?);
        // More requests than any one client is meant to have.
        let serve =
            ["serve", "--port", "0", "--requests-per-minute", "1000000", "--metrics", metrics.as_str()];
        let server = server::start_alone(program, &serve, data_folder, step)?;
        Ok(Self { server, metrics: format!("http://{metrics}/metrics") })
    }

    /// Waits until no run waits to be searched for changes any more.
    ///
    /// # Errors
    /// The server does not tell, or an interrupt ends the waiting.
    pub(crate) fn until_searched(&self, step: &Step) -> Result<()> {
        loop {
            let told = http::get(&self.metrics)?;
            let waiting = told.lines().find_map(|line| line.strip_prefix(WAITING));
            match waiting {
                None => bail!("the server's metrics do not tell {}", WAITING.trim()),
                Some("0") => return Ok(()),
                Some(count) => step.message(&format!("{count} runs wait to be searched for changes")),
            }
            interrupt::check()?;
            std::thread::sleep(LOOK_INTERVAL);
        }
    }
}
