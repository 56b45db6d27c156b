//! [`Engine`]: podman and podman-compose, with settings, images and networks of their own: what else runs in containers on this
//! machine is neither seen nor touched.

use crate::screen::Step;
use crate::tool::{self, Tool};
use crate::{platform, python};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Debian's podman, with what makes networks in which containers find each other by name, and what makes a Debian.
const PACKAGES: [&str; 6] = ["aardvark-dns", "debootstrap", "iptables", "netavark", "podman", "runc"];
/// The programs of these that are looked for.
const PROGRAMS: [&str; 4] = ["debootstrap", "iptables", "podman", "runc"];
/// Debian's own does not know profiles.
const PODMAN_COMPOSE: &str = "podman-compose==1.6.0";
/// The words of podman for the settings of buildah within: health checks are no part of its usual format, and steps that are run in
/// namespaces of their own need more rights than a virtual machine may have.
const BUILDING: [(&str, &str); 2] = [("BUILDAH_FORMAT", "docker"), ("BUILDAH_ISOLATION", "chroot")];
/// What lasts as long as this machine runs.
const RUNNING: &str = "/run/roundtrip-compose";

/// Ready to run containers. While it lives nobody else here does.
pub(super) struct Engine {
    podman: PathBuf,
    compose: PathBuf,
    folder: PathBuf,
    _lock: File,
}

impl Engine {
    /// Installs what is missing, and removes what one that was killed has left.
    ///
    /// # Errors
    /// Something cannot be installed, or podman does not work here.
    pub(super) fn prepare(step: &Step) -> Result<Self> {
        let folder = platform::cache_folder()?.join("containers");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let lock = folder.join("lock");
        let lock = File::create(&lock).with_context(|| format!("cannot create {}", lock.display()))?;
        step.message("waiting for another one to end");
        lock.lock().context("cannot wait for another one to end")?;
        if PROGRAMS.iter().any(|name| tool::find(name).is_err()) {
            install(step)?;
        }
        let python = python::find().context("python3 is missing, which installs podman-compose")?;
        let home = platform::cache_folder()?.join("tools").join(PODMAN_COMPOSE.replace("==", "-"));
        let programs = python::environment(&python, &home, &[PODMAN_COMPOSE.to_owned()], step)?;
        let engine = Self {
            podman: tool::find("podman")?,
            compose: programs.join("podman-compose"),
            folder,
            _lock: lock,
        };
        engine.configure()?;
        engine.sweep();
        engine.podman().arguments(["info"]).run(step)?.successful().context("podman does not work here")?;
        Ok(engine)
    }

    /// Podman.
    pub(super) fn podman(&self) -> Tool {
        self.settings()
            .into_iter()
            .fold(Tool::at(&self.podman), |tool, (name, value)| tool.variable(name, value))
    }

    /// The same for whoever takes its output.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.podman);
        command.envs(self.settings()).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The same with compose files.
    pub(super) fn compose(&self) -> Tool {
        let compose = Tool::at(&self.compose).arguments(["--podman-path"]).arguments([&self.podman]);
        self.settings().into_iter().fold(compose, |tool, (name, value)| tool.variable(name, value))
    }

    /// Where something can be kept between runs.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether there is an image of this name.
    ///
    /// # Errors
    /// Podman does not start.
    pub(super) fn has_image(&self, name: &str) -> Result<bool> {
        Ok(self.podman().arguments(["image", "exists", name]).run_silently()?.status.success())
    }

    /// What there is besides images: containers, volumes, networks.
    ///
    /// # Errors
    /// Podman fails.
    pub(super) fn left(&self) -> Result<Vec<String>> {
        let mut left = Vec::new();
        for words in [
            &["ps", "--all", "--format", "container {{.Names}}"][..],
            &["volume", "ls", "--format", "volume {{.Name}}"],
            &[
                "network",
                "ls",
                "--filter",
                "label=io.podman.compose.project",
                "--format",
                "network {{.Name}}",
            ],
        ] {
            let listed = self.podman().arguments(words).run_silently()?.successful()?;
            left.extend(listed.output.lines().map(str::to_owned));
        }
        Ok(left)
    }

    /// Removes all containers, with their volumes and networks, and images that have lost their names. Also after an interrupt,
    /// when nothing else is started any more.
    pub(super) fn sweep(&self) {
        for words in [
            &["rm", "--all", "--force", "--volumes", "--time", "0"][..],
            &["volume", "prune", "--force"],
            &["network", "prune", "--force"],
            &["image", "prune", "--force"],
        ] {
            // What is left is found by whoever comes next.
            let _ = self.command().args(words).stdout(Stdio::null()).status();
        }
    }

    fn settings(&self) -> [(&'static str, PathBuf); 4] {
        let [format, isolation] = BUILDING.map(|(name, value)| (name, PathBuf::from(value)));
        let file = |name: &str| self.folder.join(name);
        [
            ("CONTAINERS_CONF", file("containers.conf")),
            ("CONTAINERS_STORAGE_CONF", file("storage.conf")),
            format,
            isolation,
        ]
    }

    fn configure(&self) -> Result<()> {
        let write = |name: &str, text: String| {
            let path = self.folder.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        let folder = self.folder.display();
        write(
            "storage.conf",
            format!(
                "[storage]\ndriver = \"overlay\"\ngraphroot = \"{folder}/storage\"\nrunroot = \"{RUNNING}/storage\"\n"
            ),
        )?;
        // Limits that are not higher than any machine's: not every root may raise them. Neither systemd nor a journal is needed.
        write(
            "containers.conf",
            format!(
                "[containers]\ndefault_ulimits = [\"nofile=4096:4096\", \"nproc=4096:4096\"]\nlog_driver = \"k8s-file\"\n\
                 [network]\nnetwork_backend = \"netavark\"\nnetwork_config_dir = \"{folder}/networks\"\n\
                 [engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\nruntime = \"runc\"\n\
                 tmp_dir = \"{RUNNING}/tmp\"\n"
            ),
        )
    }
}

fn install(step: &Step) -> Result<()> {
    ensure!(platform::is_root(), "podman is missing, and only root installs it");
    for arguments in
        [&["update"][..], &[&["install", "--yes", "--no-install-recommends"], &PACKAGES[..]].concat()]
    {
        Tool::named("apt-get")?
            .arguments(arguments)
            .variable("DEBIAN_FRONTEND", "noninteractive")
            .run(step)?
            .successful()
            .context("cannot install podman and debootstrap")?;
    }
    Ok(())
}
