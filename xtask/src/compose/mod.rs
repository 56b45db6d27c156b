//! `compose`: brings `docker-compose.yml` up unchanged, with podman and podman-compose: the steps of docs/how-to/containers.md.
//!
//! Docker and the images that the file names cannot be had here: [`engine`] makes images of Debian's packages that stand in for
//! those. Every line of both Dockerfiles is run; the cargo and the npm of the stand-ins copy what was built before.

mod engine;

use crate::checks;
use crate::fixture::Repository;
use crate::screen::{self, Step};
use crate::tally::{Outcome, Tally};
use crate::tool::{self, Tool};
use crate::{debian, http, interrupt, platform, programs, python, server, workspace};
use anyhow::{Context, Result, anyhow, ensure};
use engine::{BASE, Engine, IMAGES};
use fs_err::{self as fs, File};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The user of both images.
const USER: &str = "10001";
/// What images may add to the Debian under them, in MiB: the server its program and curl, the agent its own and git.
const ADDED_MIB_MAX: [(&str, u64); 2] = [("SERVER", 64), ("AGENT", 128)];
/// An address that a client claims for itself.
const CLAIMED: &str = "203.0.113.9";
/// How many transports podman's filter of system calls refuses: `vmsplice`.
const REFUSED: u64 = 1;
/// The version that is upgraded, and what it is upgraded to. Their programs are the same, their images are not.
const VERSIONS: [&str; 2] = ["before", "after"];
/// What is measured, for a moment: all transports that need no further programs.
const DEFINITION: &str = "about = 'One message over each.'\ndeadline_seconds = 20\n[[case]]\nscenario = 'roundtrip'\n\
    transports = ['eventfd', 'fifo', 'memfd-read', 'memfd-remap', 'pipe', 'pipe-epoll', 'posix-mq', 'process-vm-readv', \
    'ring-futex', 'ring-posix-semaphore', 'socketpair', 'splice', 'tcp', 'udp', 'unix-dgram', 'unix-seqpacket', 'unix-stream', \
    'vmsplice']\nmessage_bytes = [4096]\nmodes = ['2proc']\nplacements = ['cross-cpu']\noperations = 50\nwarmup = 5\n\
    repetitions = 2\n";
const DEFINITION_FILE: &str = "measured.toml";
/// Every wait takes seconds, on a machine that does nothing else.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How many lines of each container's log are shown when something fails.
const LOG_LINES: &str = "40";

const CHECKS: [(&str, checks::Check<Fixture>); 7] = [
    ("compose: size", images_are_small_and_not_of_root),
    ("compose: up", a_run_is_uploaded_and_read_back),
    ("compose: proxy", the_proxy_passes_the_client_address),
    ("compose: upgrade", servers_are_replaced_without_a_failed_request),
    ("compose: agent", the_agent_measures_in_its_container),
    ("compose: confined", containers_have_no_rights_that_they_do_not_need),
    ("compose: restore", a_backup_fills_an_empty_database),
];

/// Runs the verb.
pub(crate) fn compose() -> Result<ExitCode> {
    checks::verb(|tally| {
        checks::build(tally)?;
        run(tally)
    })
}

/// Runs all checks with the released programs, which are built.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    if let Some(reason) = cannot_run() {
        return tally.step("compose", |_| Ok(Outcome::Skipped(format!("not run: {reason}"))));
    }
    let engine = checks::prepare(tally, "compose: images", |step| {
        let engine = Engine::prepare(step)?;
        engine.make_images(step)?;
        Ok(engine)
    })?;
    let Some(engine) = engine else { return Ok(()) };
    let mut made = None;
    tally.step("compose: build", |step| {
        made = Some(Fixture::build_images(engine, step)?);
        Ok(Outcome::Passed)
    })?;
    let Some(fixture) = made else { return Ok(()) };
    if checks::run(tally, &CHECKS, &fixture, Fixture::logs)? {
        tally.step("compose: down", |step| fixture.end(step).map(|()| Outcome::Passed))?;
    }
    Ok(())
}

fn cannot_run() -> Option<String> {
    if let Err(reason) = debian::check_host() {
        return Some(reason.to_string());
    }
    if !platform::is_root() {
        return Some("only root makes a Debian to put into images".into());
    }
    if python::find().is_none() {
        return Some("python3 is missing, which installs podman-compose".into());
    }
    Some(format!("{} is missing", ["apt-get", "git"].into_iter().find(|name| tool::find(name).is_err())?))
}

/// The containers; one of these at a time, because the engine is.
struct Fixture {
    engine: Engine,
    /// The agent's program, for measuring outside of containers.
    agent: PathBuf,
    /// Where the first server is, and where the proxy is.
    url: String,
    proxy_url: String,
    /// A checkout that is measured.
    repository: Repository,
    ports: [u16; 3],
    folder: TempDir,
}

impl Fixture {
    /// Builds the images of the first version and starts nothing.
    fn build_images(engine: Engine, step: &Step) -> Result<Self> {
        let agent = programs::build(step, &programs::BOTH, "release")?.program("roundtrip")?;
        let folder = server::reachable_folder()?;
        let repository = Repository::init(&folder.path().join("repository"))?;
        repository.commit("One case", &[(DEFINITION_FILE, DEFINITION)])?;
        let ports = [http::free_port()?, http::free_port()?, http::free_port()?];
        let [url, proxy_url, _] = ports.map(|port| format!("http://127.0.0.1:{port}"));
        let fixture = Self { engine, agent, url, proxy_url, repository, ports, folder };
        fixture.build(VERSIONS[0], &["server", "agent"], step)?;
        Ok(fixture)
    }

    /// Builds the images of services. The server's is of this version, which is started from then on.
    fn build(&self, version: &str, services: &[&str], step: &Step) -> Result<()> {
        let [port, http_port, https_port] = self.ports;
        let mut settings = format!(
            "POSTGRES_PASSWORD=words4nobody\nPORT={port}\nHTTP_PORT={http_port}\nHTTPS_PORT={https_port}\n\
             AGENT_REPOSITORY={}\nAGENT_PRESET=/repository/{DEFINITION_FILE}\nAGENT_MACHINE=inside\nREVISION={version}\n\
             SERVER_IMAGE={}\nAGENT_IMAGE={}\n",
            self.repository.root.display(),
            image("SERVER", version),
            image("AGENT", VERSIONS[0]),
        );
        IMAGES.iter().try_for_each(|(name, image)| writeln!(settings, "{name}={image}"))?;
        fs::write(self.file("compose.env"), settings)?;
        let build = self.compose(&[&["build"], services].concat())?;
        build.succeed(step).context("the images do not build")
    }

    /// Starts a service, or replaces it by one of the version that was built last, and waits until it is healthy. Those that it needs
    /// have to be so already: podman does not wait for them.
    fn start(&self, service: &str, step: &Step) -> Result<()> {
        step.message(&format!("starting {service}"));
        let started = self.compose(&["up", "--detach", "--no-deps", "--no-build", service])?.output();
        started.with_context(|| format!("{service} does not start"))?;
        self.until(&format!("{service} is healthy"), || {
            // Podman leaves health checks to systemd, which is not on every machine.
            let check = self.engine.podman("healthcheck run").arguments([self.container(service)?]);
            Ok(check.run_silently()?.status.success().then_some(()))
        })
    }

    /// A verb of compose, for all services of the two profiles that are brought up here.
    fn compose(&self, words: &[&str]) -> Result<Tool> {
        let compose = self.engine.compose().arguments(["--env-file"]).arguments([self.file("compose.env")]);
        let compose = compose.words("--profile two-servers --profile agent").arguments(words);
        // Settings in the environment are for other containers.
        let names = setting_names(&workspace::read(".env.example")?);
        Ok(compose
            .without_variables(|name| names.iter().any(|other| other == name))
            .folder(workspace::root()))
    }

    /// The output of a program in a container, which must succeed.
    fn inside(&self, service: &str, words: &str) -> Result<String> {
        self.engine.podman("exec").arguments([self.container(service)?]).words(words).output()
    }

    /// A member of a container that podman can inspect.
    fn inspect(&self, service: &str, format: &str) -> Result<String> {
        let inspect = self.engine.podman("inspect --format").arguments([format]);
        Ok(inspect.arguments([self.container(service)?]).output()?.trim().to_owned())
    }

    /// The one container of a service.
    fn container(&self, service: &str) -> Result<String> {
        let filter = format!("ps --all --quiet --filter label=com.docker.compose.service={service}");
        let listed = self.engine.podman(&filter).output()?;
        let ids: Vec<&str> = listed.split_whitespace().collect();
        ensure!(ids.len() == 1, "{service} has {} containers: expected one", ids.len());
        Ok(ids[0].to_owned())
    }

    fn until<T>(&self, what: &str, look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        interrupt::poll(what, TIMEOUT, Duration::from_millis(200), look)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The containers' logs.
    fn logs(&self) -> String {
        let list = self.engine.podman("ps --all --format").arguments(["{{.Names}} {{.Status}}"]);
        let logs = |line: &str| {
            let name = line.split(' ').next().unwrap_or_default();
            let logs = self.engine.podman("logs --tail").arguments([LOG_LINES, name]).run_silently();
            let log = logs.map(|finished| finished.log).unwrap_or_default();
            format!("{line}:\n{}", log.lines().map(|line| format!("  {line}\n")).collect::<String>())
        };
        list.output().unwrap_or_default().lines().map(logs).collect()
    }

    /// Takes all of it down, volumes included, and sees that nothing is left.
    fn end(self, step: &Step) -> Result<()> {
        self.compose(&["down", "--volumes"])?.succeed(step).context("it does not come down")?;
        let left = self.engine.left()?;
        ensure!(left.trim().is_empty(), "left behind: {left}");
        Ok(())
    }

    /// The report that was uploaded.
    fn report(&self) -> Result<Value> {
        let report = fs::read_to_string(self.file("report.json"))?;
        serde_json::from_str(&report).context("the report is not JSON")
    }

    fn run_url(&self, url: &str) -> Result<String> {
        let report = self.report()?;
        let id = report["run_id"].as_str().context("the report has no run_id")?;
        Ok(format!("{url}/api/v1/runs/{id}"))
    }

    /// The run that was uploaded is stored as it was measured.
    fn expect_run(&self, url: &str) -> Result<()> {
        let stored = http::json(&format!("{}/report", self.run_url(url)?))?;
        ensure!(stored == self.report()?, "the server has stored something else than was measured");
        Ok(())
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.engine.sweep();
    }
}

fn images_are_small_and_not_of_root(fixture: &Fixture, _: &Step) -> Result<()> {
    let inspect = |image: &str| -> Result<Value> {
        let inspect = fixture.engine.podman("image inspect").arguments([image]).output()?;
        Ok(serde_json::from_str::<Value>(&inspect)?[0].clone())
    };
    let bytes = |about: &Value| about["Size"].as_u64().context("an image has no size");
    let base = bytes(&inspect(BASE)?)?;
    for (name, mib_max) in ADDED_MIB_MAX {
        let image = image(name, VERSIONS[0]);
        let about = inspect(&image)?;
        let (user, labels) = (&about["Config"]["User"], &about["Config"]["Labels"]);
        ensure!(*user == USER, "{image} has the user {user}: expected {USER}");
        let revision = &labels["org.opencontainers.image.revision"];
        ensure!(*revision == VERSIONS[0], "{image} does not name its revision: {labels}");
        let mib = bytes(&about)?.saturating_sub(base) >> 20;
        screen::note(&format!("{image} adds {mib} MiB to its base"));
        ensure!(mib <= mib_max, "{image} adds {mib} MiB to its base: expected at most {mib_max}");
    }
    Ok(())
}

fn a_run_is_uploaded_and_read_back(fixture: &Fixture, step: &Step) -> Result<()> {
    fixture.start("postgres", step)?;
    fixture.start("server", step)?;
    step.message("measuring");
    let token = fixture.file("agent.token");
    fs::write(&token, fixture.inside("server", "cat /var/lib/roundtrip/agent.token")?)?;
    Tool::at(&fixture.agent)
        .arguments(["run", "--preset", DEFINITION_FILE, "--machine", "outside", "--upload", &fixture.url])
        .arguments(["--token-file".as_ref(), token.as_os_str()])
        .arguments(["--output".as_ref(), fixture.file("report.json").as_os_str()])
        .folder(&fixture.repository.root)
        // In a job of continuous integration, this is not a job of GitHub's.
        .without_variable("GITHUB_ACTIONS")
        .succeed(step)?;
    fixture.expect_run(&fixture.url)
}

fn the_proxy_passes_the_client_address(fixture: &Fixture, step: &Step) -> Result<()> {
    // While a container joins, podman's name server may leave a question of another one unanswered for as long as a connection
    // is waited for: the account is created before.
    let administrator = fixture.inside("server", "roundtrip-server account create --name ada --admin")?;
    fixture.start("server-2", step)?;
    fixture.start("proxy", step)?;
    fixture.expect_run(&fixture.proxy_url)?;
    let headers =
        [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin"), ("x-forwarded-for", CLAIMED)];
    let session = format!("{}/api/v1/session", fixture.proxy_url);
    let status = http::post_with(&session, &headers, &json!({"token": "rtu_wrong"}))?.0;
    ensure!(status == 401, "a wrong token is answered with status {status}");
    let audit = format!("{}/api/v1/audit", fixture.url);
    let audit = http::parse(&audit, &http::get_as(&audit, administrator.trim())?)?;
    let address = audit["events"][0]["details"]["address"].as_str();
    let address = address.with_context(|| format!("the newest event is no failed sign-in: {audit}"))?;
    let format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}";
    let networks = fixture.inspect("proxy", format)?;
    let (proxy, gateway) = networks.split_once(' ').context("the proxy has no address")?;
    ensure!(
        address == gateway,
        "a client came from {address}: expected {gateway}, neither the proxy {proxy} nor the claimed {CLAIMED}"
    );
    Ok(())
}

fn servers_are_replaced_without_a_failed_request(fixture: &Fixture, step: &Step) -> Result<()> {
    let token = fs::read_to_string(fixture.file("agent.token"))?;
    let url = fixture.run_url(&fixture.proxy_url)?;
    let expected = http::get(&url)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let requests = std::thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || -> Result<u64> {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                count += 1;
                let answer =
                    http::get_as(&url, token.trim()).with_context(|| format!("request {count} failed"))?;
                ensure!(answer == expected, "request {count} was answered with something else: {answer}");
                // One token may make only so many requests.
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(count)
        }
    });
    let replaced = replace_servers(fixture, step);
    is_over.store(true, Ordering::Relaxed);
    let count = requests.join().map_err(|_| anyhow!("the requests panicked"));
    replaced?;
    screen::note(&format!("{} requests meanwhile, none failed", count??));
    fixture.expect_run(&fixture.url)
}

fn replace_servers(fixture: &Fixture, step: &Step) -> Result<()> {
    step.message("stopping server-2");
    for verb in ["stop", "start"] {
        fixture.compose(&[verb, "server-2"])?.output()?;
    }
    fixture.build(VERSIONS[1], &["server"], step)?;
    for service in ["server-2", "server"] {
        let before = fixture.container(service)?;
        fixture.start(service, step)?;
        ensure!(fixture.container(service)? != before, "{service} was not replaced");
        let (found, expected) =
            (fixture.inspect(service, "{{.Config.Image}}")?, image("SERVER", VERSIONS[1]));
        ensure!(found == expected, "{service} has the image {found}: expected {expected}");
    }
    Ok(())
}

fn the_agent_measures_in_its_container(fixture: &Fixture, step: &Step) -> Result<()> {
    step.message("waiting for a run of the agent's");
    fixture.compose(&["up", "--detach", "--no-deps", "--no-build", "agent"])?.output()?;
    let run = fixture.until("the agent has uploaded a run", || {
        let list = http::json(&format!("{}/api/v1/projects/repository/runs?machine=inside", fixture.url))?;
        Ok(list["runs"].as_array().and_then(|runs| runs.first()).cloned())
    })?;
    let counts = ["unsupported_count", "failure_count"].map(|name| run[name].as_u64());
    ensure!(counts == [Some(REFUSED), Some(0)], "in a container something unexpected was measured: {run}");
    Ok(())
}

fn containers_have_no_rights_that_they_do_not_need(fixture: &Fixture, _: &Step) -> Result<()> {
    for service in ["server", "server-2", "agent"] {
        let user = fixture.inside(service, "id --user")?;
        ensure!(user.trim() == USER, "{service} runs as {}", user.trim());
        let status = fixture.inside(service, "cat /proc/1/status")?;
        for expected in ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"] {
            ensure!(status.contains(expected), "{service} has more rights than `{expected}`:\n{status}");
        }
        for folder in ["/", "/usr/local/bin"] {
            let wrote = fixture.inside(service, &format!("touch {folder}/file"));
            ensure!(wrote.is_err(), "{service} may write to {folder}");
        }
        let mounts = fixture.inside(service, "cat /proc/mounts")?;
        let root = mounts.lines().find(|line| line.split(' ').nth(1) == Some("/"));
        let options = root.and_then(|line| line.split(' ').nth(3)).unwrap_or_default();
        ensure!(
            options.split(',').any(|option| option == "ro"),
            "{service} can write to its root: {options}"
        );
    }
    Ok(())
}

/// Writes a backup, removes everything and fills an empty database: with the commands of docs/how-to/containers.md.
fn a_backup_fills_an_empty_database(fixture: &Fixture, step: &Step) -> Result<()> {
    step.message("backing up");
    let backup = fixture.file("roundtrip.tar.zst");
    let mut write = fixture.engine.command();
    write.args(["exec", &fixture.container("server")?, "roundtrip-server", "backup", "-"]);
    let wrote = tool::run_attached(write.stdout(File::create(&backup)?.into_file()))?;
    ensure!(wrote.success(), "no backup is written: it ended with {wrote}");
    fixture.compose(&["down", "--volumes"])?.succeed(step)?;
    fixture.start("postgres", step)?;
    step.message("restoring");
    let restore = fixture.compose(&["run", "--rm", "-T", "--no-deps", "server", "restore", "-"])?;
    let restoring = restore.with_input().spawn()?;
    let mut input = restoring.child.take_stdin().context("restore has no input")?;
    std::io::copy(&mut File::open(&backup)?, &mut input).context("restore does not read its input")?;
    drop(input);
    let log: Vec<String> = restoring.lines.iter().map(|line| line.text().to_owned()).collect();
    let restored = restoring.wait()?;
    ensure!(restored.success(), "nothing is restored: it ended with {restored}\n{}", log.join("\n"));
    fixture.start("server", step)?;
    fixture.expect_run(&fixture.url)
}

/// The name of an image that is built here.
fn image(name: &str, version: &str) -> String {
    format!("localhost/roundtrip-{}:{version}", name.to_lowercase())
}

/// The settings that a file of settings sets, or shows in a comment.
fn setting_names(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let (name, _) = line.trim_start_matches('#').split_once('=')?;
        let is_name = |character: char| character.is_ascii_uppercase() || "_0123456789".contains(character);
        name.chars().all(is_name).then(|| name.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_of_the_compose_file_is_in_the_example_and_no_other() {
        let compose = workspace::read("docker-compose.yml").unwrap();
        let used = compose.split("${").skip(1).filter_map(|rest| rest.split([':', '}']).next());
        let used: BTreeSet<String> = used.map(str::to_owned).collect();
        let example = workspace::read(".env.example").unwrap();
        let mut shown: BTreeSet<String> = setting_names(&example).into_iter().collect();
        // Compose itself reads it.
        assert!(shown.remove("COMPOSE_PROFILES"));
        assert_eq!(used, shown);
    }

    #[test]
    fn settings_are_read_with_and_without_the_mark_of_a_comment() {
        assert_eq!(setting_names("# A word = another.\nA_1=\n#B=c=d\n\n"), ["A_1", "B"]);
    }

    #[test]
    fn no_secret_has_a_default() {
        let compose = workspace::read("docker-compose.yml").unwrap();
        let uses: Vec<&str> = compose.split("${POSTGRES_PASSWORD").skip(1).collect();
        assert!(!uses.is_empty());
        assert!(uses.iter().all(|rest| rest.starts_with(":?")), "a password that is not set has a value");
    }
}
