//! Starts the server as a user does: the release build, with its own data directory.

use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server. Dropping it stops the server.
pub(crate) struct Service {
    child: Child,
    /// Closing it stops the server.
    lifeline: Option<ChildStdin>,
    pub(crate) url: String,
    metrics_url: String,
    data_dir: PathBuf,
}

impl Service {
    /// Starts a server on `data_dir` and waits until it is ready.
    pub(crate) fn start(program: &Path, data_dir: &Path) -> Result<Self, String> {
        let with_program = |error: std::io::Error| format!("{}: {error}", program.display());
        // A port that was free a moment ago.
        let metrics = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let metrics = metrics.map_err(with_program)?.to_string();
        let mut child = Command::new(program)
            // The default rate limit is below the benchmark's load.
            .args(["serve", "--port", "0", "--requests-per-minute", "1000000", "--stop-with-stdin"])
            .args(["--metrics", &metrics, "--data-dir"])
            .arg(data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(with_program)?;
        let lifeline = child.stdin.take();
        let mut ready = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut ready).map_err(with_program)?;
        }
        let url = ready.trim().strip_prefix("listening on ").map(str::to_owned);
        let url = url.ok_or_else(|| format!("{} did not start; see its log above", program.display()))?;
        let metrics_url = format!("http://{metrics}/metrics");
        Ok(Self { child, lifeline, url, metrics_url, data_dir: data_dir.to_owned() })
    }

    /// Returns the token that a new server writes for the agent on its own machine.
    pub(crate) fn token(&self) -> Result<String, String> {
        let path = self.data_dir.join("agent.token");
        let token = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(token.trim().to_owned())
    }

    /// Returns the value of a metric.
    pub(crate) fn metric(&self, name: &str) -> Result<u64, String> {
        let answer = ureq::get(&self.metrics_url).call().map_err(|error| error.to_string())?;
        let text = answer.into_body().read_to_string().map_err(|error| error.to_string())?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).ok_or_else(|| format!("the server has no metric {name}"))
    }

    /// Waits until no run waits for change detection; returns the milliseconds that it took.
    #[expect(clippy::cast_possible_truncation, reason = "less than centuries")]
    pub(crate) fn wait_for_analysis(&self) -> Result<u64, String> {
        let begin = Instant::now();
        let waiting = || self.metric("roundtrip_analysis_runs_waiting");
        eprintln!(
            "{} runs wait for change detection, the first for {} s",
            waiting()?,
            self.metric("roundtrip_analysis_lag_seconds")?
        );
        while waiting()? > 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(begin.elapsed().as_millis() as u64)
    }

    /// Returns the peak resident memory of the server process in MiB; PostgreSQL is another process.
    pub(crate) fn peak_memory_mib(&self) -> Result<u64, String> {
        self.status_kib("VmHWM:").map(|kib| kib >> 10)
    }

    /// Returns the current resident memory of the server process.
    pub(crate) fn resident_kib(&self) -> Result<u64, String> {
        self.status_kib("VmRSS:")
    }

    fn status_kib(&self, name: &str) -> Result<u64, String> {
        let read = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        read().ok_or_else(|| "cannot read the server's memory in /proc/<pid>/status".to_owned())
    }

    /// Returns the number of open file descriptors of the server.
    pub(crate) fn open_files(&self) -> Result<usize, String> {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id()));
        open.map(Iterator::count).map_err(|error| format!("cannot count the server's open files: {error}"))
    }
}

/// Sends requests to a server, with a token if given.
pub(crate) struct Client {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
}

impl Client {
    pub(crate) fn new(service: &Service, token: Option<String>) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let authorization = token.map(|token| format!("Bearer {token}"));
        Self { agent, url: service.url.clone(), authorization }
    }

    /// Returns the body of a response, still compressed if `encoding` is given.
    pub(crate) fn get(&self, path: &str, encoding: Option<&str>) -> Result<Vec<u8>, String> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        let headers = [("authorization", self.authorization.as_deref()), ("accept-encoding", encoding)];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let mut answer = request.call().map_err(|error| format!("{path}: {error}"))?;
        let body = answer.body_mut().read_to_vec().map_err(|error| format!("{path}: {error}"))?;
        match answer.status().as_u16() {
            200 => Ok(body),
            status => {
                Err(format!("{path}: expected status 200, got {status}: {}", String::from_utf8_lossy(&body)))
            }
        }
    }

    /// Returns the parsed JSON of a response.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, String> {
        serde_json::from_slice(&self.get(path, None)?).map_err(|error| error.to_string())
    }

    /// Sends JSON and returns the status and body of the response.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<(u16, Vec<u8>), String> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("authorization", self.authorization.as_deref().unwrap_or_default())
            .header("content-type", "application/json")
            .send(body.to_string())
            .map_err(|error| error.to_string())?;
        let body = answer.body_mut().read_to_vec().map_err(|error| error.to_string())?;
        Ok((answer.status().as_u16(), body))
    }
}

/// The synthetic history of a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    pub(crate) project: &'static str,
    pub(crate) machines: u32,
    pub(crate) series: u32,
    pub(crate) commits: u32,
    /// The number of newest commits with stored distributions; `None` is the default of `seed`.
    pub(crate) histograms: Option<u32>,
}

impl History {
    /// Stores the history in a data directory; no server may run on it.
    pub(crate) fn store(&self, program: &Path, data_dir: &Path) -> Result<(), String> {
        let Self { project, machines, series, commits, histograms } = self;
        let mut command = Command::new(program);
        command.args(["seed", "--project", project]);
        let mut number = |name: &str, number: &u32| {
            command.arg(name).arg(number.to_string());
        };
        number("--machines", machines);
        number("--series", series);
        number("--commits", commits);
        histograms.iter().for_each(|count| number("--histograms", count));
        let status = command.arg("--data-dir").arg(data_dir).status();
        match status.map_err(|error| format!("{}: {error}", program.display()))? {
            status if status.success() => Ok(()),
            _ => Err(format!("seeding {project} failed; see its output above")),
        }
    }
}

/// CPU time in seconds, of each program of the benchmark.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTime {
    pub(crate) server: f64,
    /// Only of live processes.
    pub(crate) postgres: f64,
    /// Of this program.
    pub(crate) clients: f64,
}

impl CpuTime {
    /// Returns the difference.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            server: self.server - before.server,
            postgres: self.postgres - before.postgres,
            clients: self.clients - before.clients,
        }
    }
}

impl Service {
    /// Returns the CPU time since each process started.
    pub(crate) fn cpu_time(&self) -> CpuTime {
        let processes: Vec<Process> = std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| Process::read(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        let seconds = |pid: u32| processes.iter().filter(|one| one.pid == pid).map(|one| one.seconds).sum();
        let mut family = vec![self.child.id()];
        // Children may be listed before their parents, so each new member's children are looked up separately.
        for at in 0.. {
            let Some(&parent) = family.get(at) else { break };
            family.extend(processes.iter().filter(|one| one.parent == parent).map(|one| one.pid));
        }
        let postgres = family.iter().skip(1).map(|&pid| seconds(pid)).sum();
        CpuTime { server: seconds(self.child.id()), postgres, clients: seconds(std::process::id()) }
    }
}

struct Process {
    pid: u32,
    parent: u32,
    seconds: f64,
}

impl Process {
    /// Parses `/proc/<pid>/stat`; see proc(5). A tick is a hundredth of a second on Linux.
    fn read(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
        Some(Self { pid, parent: ticks(1)?, seconds: f64::from(ticks(11)? + ticks(12)?) / 100.0 })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let _ = self.child.wait();
    }
}
