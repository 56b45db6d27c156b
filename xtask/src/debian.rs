//! Debian's packages, fetched and unpacked without being installed. No rights are needed, and what is installed on
//! the machine stays as it is.

use crate::screen::Step;
use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The release that the names and the layout of the packages are those of.
const RELEASE: &str = "12";

/// A package that apt would install.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
}

pub(crate) fn check_host() -> Result<()> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    supported(&release, std::env::consts::OS, std::env::consts::ARCH)
}

fn supported(release: &str, system: &str, processor: &str) -> Result<()> {
    let value = |key: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"'))
    };
    let version = value("VERSION_ID").unwrap_or_default();
    if (value("ID"), version, system, processor) == (Some("debian"), RELEASE, "linux", "x86_64") {
        return Ok(());
    }
    let distribution = value("ID").unwrap_or(system);
    bail!(
        "needs Debian {RELEASE} on x86_64, this is {}",
        format!("{distribution} {version} on {processor}").replace("  ", " ")
    )
}

/// Unpacks the packages and what they need beyond what is installed here into `root`. Works in the folder `work`,
/// and returns what was unpacked.
pub(crate) fn unpack(names: &[&str], root: &Path, work: &Path, step: &Step) -> Result<Vec<Package>> {
    let archives = work.join("archives");
    for folder in [root, &archives, &work.join("state/lists/partial"), &work.join("cache/archives/partial")] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let configuration = work.join("apt.conf");
    std::fs::write(&configuration, settings(work)).context("cannot write apt's settings")?;
    let apt = |arguments: &[&str]| -> Result<Tool> {
        let apt = Tool::named("apt-get")?.arguments(["--config-file".as_ref(), configuration.as_os_str()]);
        Ok(apt.arguments(arguments).variable("LC_ALL", "C.UTF-8").folder(&archives))
    };
    step.message("reading Debian's lists of packages");
    apt(&["update"])?.run(step)?.successful().context("cannot read Debian's lists of packages")?;
    let simulate = ["install", "--simulate", "--no-install-recommends", "--reinstall"];
    let simulation = apt(&simulate)?.arguments(names).run_silently()?.successful()?;
    let packages = planned(&simulation.output);
    if let Some(name) = names.iter().find(|name| !packages.iter().any(|package| package.name == **name)) {
        bail!("apt-get would not install {name}\n{}", simulation.log.trim_end());
    }
    let exact = packages.iter().map(|package| format!("{}={}", package.name, package.version));
    apt(&["download"])?.arguments(exact).run(step)?.successful().context("cannot fetch Debian's packages")?;
    for archive in archives.read_dir().context("cannot list the fetched packages")? {
        let archive = archive.context("cannot list the fetched packages")?;
        step.message(&format!("unpacking {}", archive.file_name().to_string_lossy()));
        let unpacked = Tool::named("dpkg")?.arguments(["--extract".as_ref(), archive.path().as_os_str()]);
        unpacked.arguments([root]).run_silently()?.successful()?;
    }
    Ok(packages)
}

/// Everything that apt writes goes to `work`, and nothing that the machine hooks into apt runs. As root it would
/// download as a user who cannot enter a folder of root's.
fn settings(work: &Path) -> String {
    let work = work.display();
    format!(
        "Dir::State \"{work}/state\";\n\
         Dir::Cache \"{work}/cache\";\n\
         APT::Sandbox::User \"root\";\n\
         Acquire::Languages \"none\";\n\
         #clear APT::Update::Pre-Invoke;\n\
         #clear APT::Update::Post-Invoke;\n\
         #clear APT::Update::Post-Invoke-Success;\n"
    )
}

/// What a simulated installation installs: its lines are `Inst NAME (VERSION FROM [ARCHITECTURE]) ...`, with the
/// installed version in brackets after the name if there is one.
fn planned(simulation: &str) -> Vec<Package> {
    let parse = |line: &str| {
        let rest = line.strip_prefix("Inst ")?;
        let name = rest.split(' ').next()?;
        let version = rest.split_once(" (")?.1.split(' ').next()?;
        Some(Package { name: name.to_owned(), version: version.to_owned() })
    };
    simulation.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_packages_and_installed_ones_are_read_from_the_simulation() {
        let simulation = "Reading package lists...\n\
            The following NEW packages will be installed:\n  libwine wine64\n\
            Remv cargo [0.66.0]\n\
            Inst libwine (8.0~repack-4 Debian:12.9/oldstable [amd64]) []\n\
            Inst gcc-mingw-w64-base [12.2.0-14+25.2+b1] (12.2.0-14+deb12u1+25.2+b1 Debian:12.9/oldstable [amd64])\n\
            Conf libwine (8.0~repack-4 Debian:12.9/oldstable [amd64])\n";
        let package = |name: &str, version: &str| Package { name: name.into(), version: version.into() };
        assert_eq!(
            planned(simulation),
            [package("libwine", "8.0~repack-4"), package("gcc-mingw-w64-base", "12.2.0-14+deb12u1+25.2+b1")]
        );
    }

    #[test]
    fn only_the_release_whose_packages_are_known_will_do() {
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        supported(debian, "linux", "x86_64").unwrap();
        let refusal = |release: &str, system: &str, processor: &str| {
            supported(release, system, processor).unwrap_err().to_string()
        };
        let needed = "needs Debian 12 on x86_64, this is";
        assert_eq!(refusal(debian, "linux", "aarch64"), format!("{needed} debian 12 on aarch64"));
        let ubuntu = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n";
        assert_eq!(refusal(ubuntu, "linux", "x86_64"), format!("{needed} ubuntu 24.04 on x86_64"));
        assert_eq!(refusal("", "macos", "aarch64"), format!("{needed} macos on aarch64"));
    }

    #[test]
    fn apt_writes_below_its_working_folder_only() {
        let settings = settings(Path::new("/c/draft/apt"));
        assert!(settings.contains("Dir::State \"/c/draft/apt/state\";\n"), "{settings}");
        assert!(settings.contains("Dir::Cache \"/c/draft/apt/cache\";\n"), "{settings}");
    }
}
