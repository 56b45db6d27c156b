//! Data directories, the servers that use them, and waiting for conditions. Everything ends with its test.

use crate::report::numbered;
use nix::unistd::User;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far longer than anything takes here: a test that reaches it fails.
const DEADLINE: Duration = Duration::from_secs(120);
/// Names the parent folder of all data directories. `cargo xtask test` sets it to a folder in memory that has room. The default
/// is not the user's temporary folder, which PostgreSQL's user may not be able to enter.
const FOLDER_VARIABLE: &str = "ROUNDTRIP_TEST_FOLDER";
/// On a free port.
pub(crate) const SERVE: [&str; 3] = ["serve", "--port", "0"];
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A temporary folder that PostgreSQL's user can enter, with the path of a data directory that does not exist
/// yet.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let parent = std::env::var_os(FOLDER_VARIABLE).unwrap_or_else(|| "/var/tmp".into());
        let folder = tempfile::Builder::new().prefix("roundtrip-test-").tempdir_in(parent).unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// A running PostgreSQL, its new place, and its URL. PostgreSQL comes first, because it ends before its place.
    pub(crate) fn with_postgres() -> (Server, Self, String) {
        let place = Self::new();
        let postgres = place.postgres();
        let url = postgres.first_line.clone();
        (postgres, place, url)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A file in the data directory.
    pub(crate) fn data(&self, name: &str) -> PathBuf {
        self.data_dir().join(name)
    }

    /// The token that the first server has written.
    pub(crate) fn token(&self) -> String {
        self.token_of("data")
    }

    /// The token of a server with another data directory in this place.
    pub(crate) fn token_of(&self, name: &str) -> String {
        let path = self.folder().join(name).join("agent.token");
        std::fs::read_to_string(path).unwrap().trim().to_owned()
    }

    /// Starts `serve` on a free port and waits until it is ready.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// Like `serve`, with more arguments.
    pub(crate) fn serve_with(&self, arguments: &[&str]) -> Server {
        Server::start(&self.data_dir(), &[&SERVE, arguments].concat(), &[])
    }

    /// Starts `serve` with another database and its own data directory in this place.
    pub(crate) fn serve_on(&self, name: &str, url: &str, arguments: &[&str]) -> Server {
        self.spawn_on(name, url, &[&SERVE, arguments].concat()).ready()
    }

    /// Starts a command with another database, without waiting.
    pub(crate) fn spawn_on(&self, name: &str, url: &str, arguments: &[&str]) -> Server {
        Server::spawn(&self.folder().join(name), arguments, &[("DATABASE_URL", Path::new(url))])
    }

    /// The URL of the server's PostgreSQL.
    pub(crate) fn address(&self) -> String {
        let folder = self.data("run").canonicalize().unwrap();
        let folder = folder.to_str().unwrap().replace('/', "%2F");
        format!("postgresql:///roundtrip?host={folder}&user=roundtrip")
    }

    /// Runs only PostgreSQL.
    pub(crate) fn postgres(&self) -> Server {
        Server::start(&self.data_dir(), &["postgres"], &[])
    }

    /// Starts `serve`, and returns its token too.
    pub(crate) fn serve_with_token(&self) -> (Server, String) {
        let server = self.serve();
        (server, self.token())
    }

    /// Runs a command on the data directory to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        Server::spawn(&self.data_dir(), arguments, &[]).finish()
    }

    /// Runs a command line on the data directory to its end.
    pub(crate) fn run_line(&self, line: &str) -> Finished {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// The result of a `serve` with these arguments that refuses to start.
    pub(crate) fn refused(&self, arguments: &[&str]) -> Finished {
        self.run(&[&SERVE, arguments].concat())
    }

    /// Runs a command with another database to its end.
    pub(crate) fn run_on(&self, url: &str, arguments: &[&str]) -> Finished {
        self.spawn_on("data", url, arguments).finish()
    }

    /// Whether a PostgreSQL process of this place or its guard is running.
    pub(crate) fn has_postgres(&self) -> bool {
        is_lock_taken(&self.data("postgres.lock")) || !processes_of(&self.data_dir()).is_empty()
    }

    /// The process with the data directory and `word` in its arguments.
    pub(crate) fn process(&self, word: &str) -> Pid {
        let found: Vec<_> =
            processes_of(&self.data_dir()).into_iter().filter(|(_, line)| line.contains(word)).collect();
        assert_eq!(found.len(), 1, "processes with {word}: {found:?}");
        found[0].0
    }

    /// PostgreSQL's first process, from its pid file.
    pub(crate) fn postmaster(&self) -> Pid {
        let note = std::fs::read_to_string(self.data("postgres/postmaster.pid")).unwrap();
        Pid::from_raw(note.lines().next().unwrap().parse().unwrap()).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The guard of a killed server needs a moment to stop PostgreSQL. Processes left behind by a failed
        // test are killed.
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.has_postgres() {
            if Instant::now() > deadline {
                for (pid, _) in processes_of(&self.data_dir()) {
                    let _ = kill_process(pid, Signal::KILL);
                }
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// A process of the program under test. Killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// The first line of output: the address, or a command's result.
    pub(crate) first_line: String,
    /// Locked, because several threads send requests to one server.
    lines: Mutex<mpsc::Receiver<String>>,
    errors: Option<JoinHandle<String>>,
}

/// The results of an ended process.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Server {
    /// Starts a command and waits for its first line.
    pub(crate) fn start(data_dir: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        Self::spawn(data_dir, arguments, variables).ready()
    }

    /// Waits for the first line.
    pub(crate) fn ready(mut self) -> Self {
        match self.lines.get_mut().unwrap().recv_timeout(DEADLINE) {
            Ok(line) => self.first_line = line,
            Err(_) => panic!("no line: {:?}", self.finish()),
        }
        self
    }

    /// Starts a command without waiting.
    pub(crate) fn spawn(data_dir: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_roundtrip-server"))
            .args(arguments)
            .arg("--data-dir")
            .arg(data_dir)
            .env_remove("DATABASE_URL")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut errors = child.stderr.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            errors.read_to_end(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        });
        Self { child, first_line: String::new(), lines: Mutex::new(lines), errors: Some(errors) }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The peak memory of the process, in MiB. Only Linux counts it.
    pub(crate) fn peak_mib(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.pid().as_raw_nonzero())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1_024
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Closes the standard input that the server reads.
    pub(crate) fn close_stdin(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits for the end.
    pub(crate) fn finish(mut self) -> Finished {
        let status = eventually("the end of the process", || self.child.try_wait().unwrap());
        let output: Vec<String> = self.lines.get_mut().unwrap().iter().collect();
        let errors = self.errors.take().unwrap().join().unwrap();
        Finished { status, output: output.join("\n"), errors }
    }

    /// Sends the signal to stop, and waits for the end.
    pub(crate) fn stop(self) -> Finished {
        self.signal(Signal::TERM);
        self.finish()
    }

    /// The status of a GET.
    pub(crate) fn get(&self, path: &str) -> u16 {
        client().get(&self.address(path)).call().unwrap().status().as_u16()
    }

    /// The status of a GET; none without an answer.
    pub(crate) fn try_get(&self, path: &str) -> Option<u16> {
        Some(client().get(&self.address(path)).call().ok()?.status().as_u16())
    }

    /// Sends a request with a body, and returns the answer.
    pub(crate) fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> ureq::http::Response<String> {
        self.try_call(method, path, headers, body).expect("an answer")
    }

    /// Likewise; none without a complete answer.
    pub(crate) fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<ureq::http::Response<String>> {
        let mut request = ureq::http::Request::builder().method(method).uri(self.address(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, mut answer) = client().run(request.body(body.to_owned()).unwrap()).ok()?.into_parts();
        Some(ureq::http::Response::from_parts(parts, answer.read_to_string().ok()?))
    }

    /// The status of a GET with a token.
    pub(crate) fn get_as(&self, token: &str, path: &str) -> u16 {
        self.call("GET", path, &[("authorization", &format!("Bearer {token}"))], "").status().as_u16()
    }

    /// Sends a JSON body, and returns the answer.
    pub(crate) fn send(&self, method: &str, path: &str, token: &str, body: &str) -> u16 {
        self.try_send(method, path, token, body).expect("an answer")
    }

    /// Likewise; none without an answer.
    pub(crate) fn try_send(&self, method: &str, path: &str, token: &str, body: &str) -> Option<u16> {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        Some(self.try_call(method, path, &headers, body)?.status().as_u16())
    }

    /// Sends a JSON body, and returns the JSON of the successful answer.
    pub(crate) fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let answer = self.call("POST", path, &headers, &body.to_string());
        assert!(answer.status().is_success(), "{path}: {answer:?}");
        serde_json::from_str(answer.body()).unwrap()
    }

    /// The status of the upload of a numbered report.
    pub(crate) fn put_numbered(&self, number: u64, token: &str) -> u16 {
        let (path, report) = numbered(number);
        self.send("PUT", &path, token, &report.to_string())
    }

    /// The status of an invalid upload.
    pub(crate) fn put_invalid(&self, token: &str) -> u16 {
        self.put("01a1f000-0000-7000-8000-000000000001", "nonsense", token)
    }

    /// The status of an upload.
    pub(crate) fn put(&self, run_id: &str, body: &str, token: &str) -> u16 {
        self.send("PUT", &format!("/api/v1/runs/{run_id}"), token, body)
    }

    /// The body of a successful GET.
    pub(crate) fn text(&self, path: &str) -> String {
        text(&self.address(path))
    }

    /// The body of a GET, as it arrives.
    pub(crate) fn open(&self, path: &str) -> impl BufRead + use<> {
        let response = client().get(&self.address(path)).call().unwrap();
        assert_eq!(response.status(), 200);
        BufReader::new(response.into_body().into_reader())
    }

    /// The address that the server listens on.
    pub(crate) fn socket_address(&self) -> SocketAddr {
        self.address("").rsplit('/').next().unwrap().parse().unwrap()
    }

    fn address(&self, path: &str) -> String {
        let address = self.first_line.strip_prefix("listening on ").expect("not the line of a ready server");
        format!("{address}{path}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    /// The output, after asserting success.
    #[track_caller]
    pub(crate) fn printed(self) -> String {
        assert!(self.status.success(), "{self:?}");
        self.output.trim().to_owned()
    }

    /// Asserts that the one-sentence error has these parts.
    #[track_caller]
    pub(crate) fn assert_error(&self, code: i32, parts: &[&str]) {
        let sentence = self.sentence(code);
        assert!(parts.iter().all(|part| sentence.contains(part)), "expected {parts:?}: {self:?}");
    }

    /// Asserts that the log has no secret, not even half of one.
    #[track_caller]
    pub(crate) fn assert_logs_none(&self, secrets: &[String]) {
        for secret in secrets {
            assert!(secret.len() > 20, "{secret}");
            let half = &secret[secret.len() / 2..];
            let line = self.errors.lines().find(|line| line.contains(half));
            assert!(line.is_none(), "{half} in {line:?}");
        }
    }

    /// The one-sentence error. Log lines before it begin with a time.
    #[track_caller]
    pub(crate) fn sentence(&self, code: i32) -> &str {
        assert_eq!(self.status.code(), Some(code), "{self:?}");
        let sentences: Vec<&str> =
            self.errors.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
        assert_eq!(sentences.len(), 1, "{self:?}");
        assert!(self.errors.trim_end().ends_with(sentences[0]), "{self:?}");
        sentences[0]
    }
}

/// Polls until `condition` holds, because other processes cannot be awaited.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "timed out waiting for {what}");
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// True for root. Otherwise prints why the test does not apply.
pub(crate) fn is_root_or_explains(test: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        println!("{test} does not apply: only root runs PostgreSQL as another user and mounts file systems");
    }
    is_root
}

/// The user that runs PostgreSQL; none if it is the user of the tests.
pub(crate) fn postgres_user() -> Option<User> {
    let is_root = rustix::process::geteuid().is_root();
    is_root.then(|| ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).unwrap()).unwrap())
}

/// Gives files to PostgreSQL's user.
pub(crate) fn give_to_postgres(path: &Path) {
    let Some(user) = postgres_user() else { return };
    let status = Command::new("chown").args(["-R", &user.uid.to_string()]).arg(path).status().unwrap();
    assert!(status.success());
}

/// The body of a successful GET of any URL.
pub(crate) fn text(url: &str) -> String {
    client().get(url).call().unwrap().body_mut().read_to_string().unwrap()
}

fn client() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into()
}

fn is_lock_taken(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) => {
            // Closing is not enough: a process started by another test may hold a copy for a moment.
            file.unlock().unwrap();
            false
        }
        Err(_) => true,
    }
}

fn processes_of(data_dir: &Path) -> Vec<(Pid, String)> {
    let output = Command::new("ps").args(["-A", "-ww", "-o", "pid=,args="]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // The guard and the first process of PostgreSQL have the path in their arguments.
    let cluster = data_dir.join("postgres").display().to_string();
    text.lines()
        .filter(|line| line.contains(&cluster))
        .filter_map(|line| line.trim().split_once(' '))
        .filter_map(|(pid, line)| Some((Pid::from_raw(pid.parse().ok()?)?, line.to_owned())))
        .collect()
}
