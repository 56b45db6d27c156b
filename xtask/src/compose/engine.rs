//! [`Engine`]: podman and podman-compose, with settings, images and networks of their own: other containers on this machine are
//! neither seen nor touched. And the images that stand in for those that `docker-compose.yml` and the Dockerfiles name: a small
//! Debian, and on top of it what is in `xtask/compose/`.

use crate::screen::Step;
use crate::tool::{self, Tool};
use crate::{platform, programs, python, workspace};
use anyhow::{Context, Result, ensure};
use fs_err::{self as fs, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Debian's podman, with name resolution between containers, and the tool that makes a Debian.
const PACKAGES: [&str; 6] = ["aardvark-dns", "debootstrap", "iptables", "netavark", "podman", "runc"];
/// The programs of these that are looked for.
const PROGRAMS: [&str; 4] = ["debootstrap", "iptables", "podman", "runc"];
/// Debian's own does not know profiles.
const PODMAN_COMPOSE: &str = "podman-compose==1.6.0";
/// Health checks are no part of podman's usual image format, and steps of a build that run in namespaces of their own need more
/// rights than a virtual machine may have.
const BUILDING: [(&str, &str); 2] = [("BUILDAH_FORMAT", "docker"), ("BUILDAH_ISOLATION", "chroot")];
/// The variables by which the compose file names other images, with the stand-ins.
pub(super) const IMAGES: [(&str, &str); 5] = [
    ("BASE_IMAGE", BASE),
    ("NODE_IMAGE", "localhost/standin/node"),
    ("PG_IMAGE", "localhost/standin/postgres"),
    ("PROXY_IMAGE", "localhost/standin/caddy"),
    ("RUST_IMAGE", "localhost/standin/rust"),
];
/// The Debian under all of them.
pub(super) const BASE: &str = "localhost/standin/debian";
const RELEASE: &str = "bookworm";
/// What the slim images of Debian leave out of packages.
const SLIM: &str = "path-exclude /usr/share/doc/*\npath-exclude /usr/share/info/*\npath-exclude /usr/share/locale/*\n\
    path-exclude /usr/share/man/*\n";
const EXCLUDED: &str = "--exclude=./usr/share/doc/* --exclude=./usr/share/locale/* --exclude=./usr/share/man/* \
    --exclude=./var/cache/apt/* --exclude=./var/lib/apt/lists/*";
/// The limits are no higher than any machine's: not every root may raise them. Neither systemd nor a journal is needed.
const CONTAINERS_CONF: &str = r#"[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "FOLDER/networks"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
tmp_dir = "/run/roundtrip-compose/tmp"
"#;
const STORAGE_CONF: &str = r#"[storage]
driver = "overlay"
graphroot = "FOLDER/storage"
runroot = "/run/roundtrip-compose/storage"
"#;

/// Ready to run containers. Only one at a time exists on a machine.
pub(super) struct Engine {
    podman: PathBuf,
    compose: PathBuf,
    folder: PathBuf,
    _lock: File,
}

impl Engine {
    /// Installs what is missing, and removes what a killed one has left.
    pub(super) fn prepare(step: &Step) -> Result<Self> {
        let folder = platform::cache_folder()?.join("containers");
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        step.message("waiting for another one to end");
        lock.file().lock().context("cannot wait for another one to end")?;
        if PROGRAMS.iter().any(|name| tool::find(name).is_err()) {
            install(step)?;
        }
        let python = python::find().context("python3 is missing, which installs podman-compose")?;
        let home = platform::cache_folder()?.join("tools").join(PODMAN_COMPOSE.replace("==", "-"));
        let programs = python::environment(&python, &home, &[PODMAN_COMPOSE.to_owned()], step)?;
        let settings = |text: &str| text.replace("FOLDER", &folder.display().to_string());
        fs::write(folder.join("storage.conf"), settings(STORAGE_CONF))?;
        fs::write(folder.join("containers.conf"), settings(CONTAINERS_CONF))?;
        let compose = programs.join("podman-compose");
        let engine = Self { podman: tool::find("podman")?, compose, folder, _lock: lock };
        engine.sweep();
        engine.podman("info").succeed(step).context("podman does not work here")?;
        Ok(engine)
    }

    /// Podman with arguments without spaces.
    pub(super) fn podman(&self, words: &str) -> Tool {
        self.with_settings(Tool::at(&self.podman)).words(words)
    }

    /// Podman with its output piped elsewhere.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.podman);
        command.envs(self.settings()).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Podman-compose.
    pub(super) fn compose(&self) -> Tool {
        let compose = Tool::at(&self.compose).arguments(["--podman-path"]).arguments([&self.podman]);
        self.with_settings(compose)
    }

    /// All containers, volumes and networks.
    pub(super) fn left(&self) -> Result<String> {
        let containers = self.podman("ps --all --format").arguments(["container {{.Names}}"]).output()?;
        let volumes = self.podman("volume ls --format").arguments(["volume {{.Name}}"]).output()?;
        let networks = self.podman("network ls --filter label=io.podman.compose.project --format");
        Ok(containers + &volumes + &networks.arguments(["network {{.Name}}"]).output()?)
    }

    /// Removes all containers, with their volumes and networks, and images without names. Also after an interrupt,
    /// when nothing else is started any more.
    pub(super) fn sweep(&self) {
        for words in [
            "rm --all --force --volumes --time 0",
            "volume prune --force",
            "network prune --force",
            "image prune --force",
        ] {
            // What is left is removed by the next one.
            let _ = self.command().args(words.split(' ')).stdout(Stdio::null()).status();
        }
    }

    fn with_settings(&self, tool: Tool) -> Tool {
        self.settings().into_iter().fold(tool, |tool, (name, value)| tool.variable(name, value))
    }

    fn settings(&self) -> [(&'static str, PathBuf); 4] {
        let [format, isolation] = BUILDING.map(|(name, value)| (name, PathBuf::from(value)));
        let file = |name: &str| self.folder.join(name);
        let files = [file("containers.conf"), file("storage.conf")];
        let [containers, storage] = files;
        [("CONTAINERS_CONF", containers), ("CONTAINERS_STORAGE_CONF", storage), format, isolation]
    }

    /// Makes the stand-ins, where they are not up to date.
    pub(super) fn make_images(&self, step: &Step) -> Result<()> {
        if !self.podman("image exists").arguments([BASE]).run_silently()?.status.success() {
            self.make_base(step)?;
        }
        let built = programs::build(step, &programs::BOTH, "release")?;
        for name in ["caddy", "node", "postgres", "rust"] {
            let folder = tempfile::tempdir_in(&self.folder).context("no temporary folder")?;
            for path in workspace::sorted(&workspace::root().join("xtask/compose").join(name))? {
                fs::copy(&path, folder.path().join(path.file_name().unwrap_or_default()))?;
            }
            if name == "rust" {
                fs::create_dir(folder.path().join("built"))?;
                for program in [programs::SERVER, "roundtrip"] {
                    fs::copy(built.program(program)?, folder.path().join("built").join(program))?;
                }
            }
            let image = format!("localhost/standin/{name}");
            let build = self.podman(&format!("build --tag {image} --build-arg BASE_IMAGE={BASE}"));
            let made = build.arguments([folder.path()]).succeed(step);
            made.with_context(|| format!("cannot make the image {image}"))?;
        }
        Ok(())
    }

    fn make_base(&self, step: &Step) -> Result<()> {
        step.message("making a Debian, once");
        let folder = tempfile::tempdir_in(&self.folder).context("no temporary folder")?;
        let (root, archive) = (folder.path().join("root"), folder.path().join("root.tar"));
        let debootstrap = Tool::named("debootstrap")?.arguments(["--variant=minbase", RELEASE]);
        let debootstrap = debootstrap.arguments([&root]).arguments([mirror()?]);
        debootstrap.succeed(step).context("cannot make a Debian")?;
        fs::write(root.join("etc/dpkg/dpkg.cfg.d/slim"), SLIM)?;
        let tar = Tool::named("tar")?.words("--create --numeric-owner --file").arguments([&archive]);
        tar.words(EXCLUDED)
            .words("--directory")
            .arguments([Path::new(&root), Path::new(".")])
            .succeed(step)?;
        let import = self.podman("import").arguments([&archive]).arguments([BASE]);
        import.succeed(step).context("cannot make an image of a Debian")
    }
}

/// Where apt has this machine's packages from.
fn mirror() -> Result<String> {
    let release = format!("Codename: {RELEASE}");
    let apt = Tool::named("apt-get")?.arguments(["indextargets", "--format", "$(REPO_URI)"]);
    let listed = apt.arguments([&release, "Created-By: Packages"]).output()?;
    Ok(listed.lines().next().with_context(|| format!("apt knows no packages of {RELEASE}"))?.to_owned())
}

fn install(step: &Step) -> Result<()> {
    ensure!(platform::is_root(), "podman is missing, and only root installs it");
    for words in ["update", &format!("install --yes --no-install-recommends {}", PACKAGES.join(" "))] {
        let apt = Tool::named("apt-get")?.words(words).variable("DEBIAN_FRONTEND", "noninteractive");
        apt.succeed(step).context("cannot install podman and debootstrap")?;
    }
    Ok(())
}
