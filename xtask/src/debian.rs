//! Downloads and unpacks Debian packages without installing them: `xtask/debian.sh`.

use crate::screen::Step;
use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The release of the package names and layouts.
const RELEASE: &str = "12";

/// Fails on any system other than the packages' own.
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
    let found = format!("{distribution} {version} on {processor}").replace("  ", " ");
    bail!("needs Debian {RELEASE} on x86_64, found {found}")
}

/// Unpacks packages and their missing dependencies into `root`. Returns `NAME=VERSION` for each.
pub(crate) fn unpack(names: &[&str], root: &Path, step: &Step) -> Result<String> {
    step.message("fetching Debian's packages");
    let unpack = script("unpack")?.arguments([root]).arguments(names).with_descendants();
    Ok(unpack.run(step)?.successful().context("cannot fetch Debian's packages")?.output)
}

fn script(verb: &str) -> Result<Tool> {
    Ok(Tool::named("bash")?.arguments(["xtask/debian.sh", verb]).folder(workspace::root()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn accepts_only_the_known_release() {
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        let ubuntu = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n";
        supported(debian, "linux", "x86_64").unwrap();
        for (release, system, processor, found) in [
            (debian, "linux", "aarch64", "debian 12 on aarch64"),
            (ubuntu, "linux", "x86_64", "ubuntu 24.04 on x86_64"),
            ("", "macos", "aarch64", "macos on aarch64"),
        ] {
            let refused = supported(release, system, processor).unwrap_err().to_string();
            assert_eq!(refused, format!("needs Debian 12 on x86_64, found {found}"));
        }
    }

    #[test]
    fn parses_simulated_installations() {
        let simulation = "Reading package lists...\n\
            The following NEW packages will be installed:\n  libwine wine64\n\
            Remv cargo [0.66.0]\n\
            Inst libwine (8.0~repack-4 Debian:12.9/oldstable [amd64]) []\n\
            Inst gcc-mingw-w64-base [12.2.0-14+25.2+b1] (12.2.0-14+deb12u1+25.2+b1 Debian:12.9/oldstable [amd64])\n\
            Conf libwine (8.0~repack-4 Debian:12.9/oldstable [amd64])\n";
        let running = script("planned").unwrap().with_input().spawn().unwrap();
        running.child.take_stdin().unwrap().write_all(simulation.as_bytes()).unwrap();
        let planned: Vec<String> = running.lines.iter().map(|line| line.text().to_owned()).collect();
        assert_eq!(planned, ["libwine=8.0~repack-4", "gcc-mingw-w64-base=12.2.0-14+deb12u1+25.2+b1"]);
    }

    #[test]
    fn apt_writes_only_below_its_working_folder() {
        let settings = script("settings").unwrap().arguments(["/c/draft/apt"]).output().unwrap();
        assert!(settings.contains("Dir::State \"/c/draft/apt/state\";\n"), "{settings}");
        assert!(settings.contains("Dir::Cache \"/c/draft/apt/cache\";\n"), "{settings}");
    }
}
