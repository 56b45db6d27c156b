//! [`World`]: the containers of `docker-compose.yml`, and what they are told. All of it ends with it.

use super::engine::Engine;
use super::standins::IMAGES;
use crate::screen::Step;
use crate::tool::{self, Tool};
use crate::{http, interrupt, programs, server, up, workspace};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The version that is upgraded, and what it is upgraded to. Their programs are the same, their images are not.
pub(super) const VERSIONS: [&str; 2] = ["before", "after"];
/// What is measured, for a moment: whatever a machine has without further programs.
const DEFINITION: &str = "about = 'One message over each.'\ndeadline_seconds = 20\n[[case]]\nscenario = 'roundtrip'\n\
    transports = ['eventfd', 'fifo', 'memfd-read', 'memfd-remap', 'pipe', 'pipe-epoll', 'posix-mq', 'process-vm-readv', \
    'ring-futex', 'ring-posix-semaphore', 'socketpair', 'splice', 'tcp', 'udp', 'unix-dgram', 'unix-seqpacket', 'unix-stream', \
    'vmsplice']\nmessage_bytes = [4096]\nmodes = ['2proc']\nplacements = ['cross-cpu']\noperations = 50\nwarmup = 5\n\
    repetitions = 2\n";
/// Where that is in the repository.
pub(super) const DEFINITION_FILE: &str = "measured.toml";
/// Whatever is waited for takes seconds, on a machine that does nothing else.
const IN_VAIN: Duration = Duration::from_secs(120);
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// So much of each container's log is shown when something fails.
const LOG_LINES: &str = "40";
/// All services of the two profiles that are brought up here.
const PROFILES: [&str; 4] = ["--profile", "two-servers", "--profile", "agent"];

/// The containers; no two of these at a time, because the engine is one's own.
pub(super) struct World {
    /// Podman.
    pub(super) engine: Engine,
    /// The agent's program, for measuring outside of containers.
    pub(super) agent: PathBuf,
    /// Where the first server is.
    pub(super) url: String,
    /// Where the proxy is.
    pub(super) proxy_url: String,
    /// A checkout that is measured.
    pub(super) repository: PathBuf,
    ports: [u16; 3],
    folder: TempDir,
}

impl World {
    /// Builds the images of the first version and starts nothing.
    ///
    /// # Errors
    /// A Dockerfile or the compose file is not right.
    pub(super) fn make(engine: Engine, step: &Step) -> Result<Self> {
        let agent = programs::build(step, &up::PROGRAMS, "release")?.program("roundtrip")?;
        let folder = server::reachable_folder()?;
        let repository = folder.path().join("repository");
        make_repository(&repository)?;
        let ports = [http::free_port()?, http::free_port()?, http::free_port()?];
        let [port, proxy_port, _] = ports;
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let world =
            Self { engine, agent, url: url(port), proxy_url: url(proxy_port), repository, ports, folder };
        world.build(VERSIONS[0], &["server", "agent"], step)?;
        Ok(world)
    }

    /// Builds the images of services. The server's is of this version, and from then on that is what is started.
    ///
    /// # Errors
    /// A Dockerfile or the compose file is not right.
    pub(super) fn build(&self, version: &str, services: &[&str], step: &Step) -> Result<()> {
        let [port, http_port, https_port] = self.ports;
        let mut settings = format!(
            "POSTGRES_PASSWORD=words4nobody\nPORT={port}\nHTTP_PORT={http_port}\nHTTPS_PORT={https_port}\n\
             AGENT_REPOSITORY={}\nAGENT_PRESET=/repository/{DEFINITION_FILE}\nAGENT_MACHINE=inside\nREVISION={version}\n",
            self.repository.display()
        );
        let images = IMAGES.iter().map(|(name, image)| format!("{name}={image}"));
        let built = [("SERVER", version), ("AGENT", VERSIONS[0])];
        let built = built.map(|(name, version)| format!("{name}_IMAGE={}", image(name, version)));
        for line in images.chain(built) {
            writeln!(settings, "{line}").context("cannot write settings")?;
        }
        fs::write(self.settings(), settings).context("cannot write the settings of the compose file")?;
        let built = self.compose(&[&["build"], services].concat())?.run(step)?.successful();
        built.context("the images do not build")?;
        Ok(())
    }

    /// Starts a service, or replaces it by one of the version that was built last, and waits until it is well. Those that it needs
    /// have to be so already: podman does not wait for them.
    ///
    /// # Errors
    /// It does not get well.
    pub(super) fn start(&self, service: &str, step: &Step) -> Result<()> {
        step.message(&format!("starting {service}"));
        let words = ["up", "--detach", "--no-deps", "--no-build", service];
        self.compose(&words)?
            .run_silently()?
            .successful()
            .with_context(|| format!("{service} does not start"))?;
        self.until(&format!("{service} is well"), || self.is_well(service))
    }

    /// Asks a container as its health check does. Podman leaves that to systemd, which is not on every machine.
    ///
    /// # Errors
    /// Podman does not start.
    fn is_well(&self, service: &str) -> Result<Option<()>> {
        let check = self.engine.podman().arguments(["healthcheck", "run", &self.container(service)?]);
        Ok(check.run_silently()?.status.success().then_some(()))
    }

    /// Runs a verb of compose.
    ///
    /// # Errors
    /// The file with the names of settings cannot be read.
    pub(super) fn compose(&self, words: &[&str]) -> Result<Tool> {
        let compose = self.engine.compose().arguments(["--env-file"]).arguments([self.settings()]);
        let compose = compose.arguments(PROFILES).arguments(words).folder(workspace::root());
        // Whoever has such settings in the environment has them for other containers.
        Ok(setting_names()?.iter().fold(compose, |compose, name| compose.without_variable(name)))
    }

    /// What a program in a container prints.
    ///
    /// # Errors
    /// It fails, or the container does not run.
    pub(super) fn inside(&self, service: &str, words: &[&str]) -> Result<String> {
        let program = self.engine.podman().arguments(["exec", &self.container(service)?]).arguments(words);
        Ok(program.run_silently()?.successful()?.output)
    }

    /// The container of a service.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub(super) fn container(&self, service: &str) -> Result<String> {
        let filter = format!("label=com.docker.compose.service={service}");
        let list = self.engine.podman().arguments(["ps", "--all", "--quiet", "--filter", &filter]);
        let listed = list.run_silently()?.successful()?.output;
        let ids: Vec<&str> = listed.split_whitespace().collect();
        ensure!(ids.len() == 1, "{service} has {} containers: expected one", ids.len());
        Ok(ids[0].to_owned())
    }

    /// Waits until there is what is looked for.
    ///
    /// # Errors
    /// It is waited for in vain.
    pub(super) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        let patience = Instant::now() + IN_VAIN;
        loop {
            interrupt::check()?;
            if let Some(found) = look()? {
                return Ok(found);
            }
            ensure!(Instant::now() < patience, "waited {} s in vain until {what}", IN_VAIN.as_secs());
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// A file of this world's.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the containers wrote.
    pub(super) fn logs(&self) -> String {
        let listed = self.engine.podman().arguments(["ps", "--all", "--format", "{{.Names}} {{.Status}}"]);
        let listed = listed.run_silently().map(|finished| finished.output).unwrap_or_default();
        let of = |line: &str| {
            let name = line.split(' ').next().unwrap_or_default();
            let logs = self.engine.podman().arguments(["logs", "--tail", LOG_LINES, name]).run_silently();
            let log = logs.map(|finished| finished.log).unwrap_or_default();
            format!("{line}:\n{}", log.lines().map(|line| format!("  {line}\n")).collect::<String>())
        };
        listed.lines().map(of).collect()
    }

    /// Takes all of it down, volumes included, and sees that nothing is left.
    ///
    /// # Errors
    /// Something is.
    pub(super) fn end(self, step: &Step) -> Result<()> {
        self.compose(&["down", "--volumes"])?.run(step)?.successful().context("it does not come down")?;
        let left = self.engine.left()?;
        ensure!(left.is_empty(), "left behind: {}", left.join(", "));
        Ok(())
    }

    fn settings(&self) -> PathBuf {
        self.file("compose.env")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.sweep();
    }
}

/// The name of an image that is built here.
pub(super) fn image(name: &str, version: &str) -> String {
    format!("localhost/roundtrip-{}:{version}", name.to_lowercase())
}

fn make_repository(folder: &Path) -> Result<()> {
    fs::create_dir(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(folder.join(DEFINITION_FILE), DEFINITION).context("cannot write a definition")?;
    for words in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "."],
        &["commit", "--quiet", "-m", "One case"],
    ] {
        tool::git(folder, words)?;
    }
    Ok(())
}

/// The names of all settings of the compose file.
fn setting_names() -> Result<Vec<String>> {
    let path = workspace::root().join(".env.example");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(names(&text))
}

/// The settings that a file of them sets, or shows how to set.
fn names(text: &str) -> Vec<String> {
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

    /// What compose itself reads.
    const OF_COMPOSE: &str = "COMPOSE_PROFILES";

    #[test]
    fn every_setting_of_the_compose_file_is_in_the_example_and_no_other() {
        let compose = fs::read_to_string(workspace::root().join("docker-compose.yml")).unwrap();
        let used = compose.split("${").skip(1).filter_map(|rest| rest.split([':', '}']).next());
        let used: BTreeSet<String> = used.map(str::to_owned).collect();
        let mut shown: BTreeSet<String> = setting_names().unwrap().into_iter().collect();
        assert!(shown.remove(OF_COMPOSE));
        assert_eq!(used, shown);
    }

    #[test]
    fn settings_are_read_with_and_without_the_mark_of_a_comment() {
        assert_eq!(names("# A word = another.\nA_1=\n#B=c=d\n\n"), ["A_1", "B"]);
    }

    #[test]
    fn no_secret_has_a_value_unless_somebody_sets_it() {
        let compose = fs::read_to_string(workspace::root().join("docker-compose.yml")).unwrap();
        let uses: Vec<&str> = compose.split("${POSTGRES_PASSWORD").skip(1).collect();
        assert!(!uses.is_empty());
        assert!(uses.iter().all(|rest| rest.starts_with(":?")), "a password that nobody has set");
    }
}
