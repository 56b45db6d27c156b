//! `compose`: starts `docker-compose.yml` with podman and runs the functions of `xtask/compose/checks.sh` as
//! checks.

use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::tally::{self, Tally};
use crate::tool::{self, Tool};
use crate::{debian, fixture, http, platform, python, server, workspace};
use anyhow::{Context, Result};
use fs_err::{self as fs, File};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use tempfile::TempDir;

const SCRIPT: &str = "xtask/compose/checks.sh";
/// Debian's version does not support profiles.
const PODMAN_COMPOSE: &str = "podman-compose==1.6.0";
/// In order: each check needs those before.
const CHECKS: [(&str, &str); 9] = [
    ("compose: build", "first_images"),
    ("compose: size", "images_are_small_and_not_of_root"),
    ("compose: up", "a_run_is_uploaded_and_read_back"),
    ("compose: proxy", "the_proxy_passes_the_client_address"),
    ("compose: upgrade", "servers_are_replaced_without_a_failed_request"),
    ("compose: agent", "the_agent_measures_in_its_container"),
    ("compose: confined", "containers_have_no_rights_that_they_do_not_need"),
    ("compose: restore", "a_backup_fills_an_empty_database"),
    ("compose: down", "down"),
];

pub(crate) fn compose() -> Result<ExitCode> {
    tally::verb(|tally| {
        fixture::build(tally)?;
        run(tally)
    })
}

/// Runs all checks. A failed check shows the containers' logs and ends the run.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    if let Some(reason) = cannot_run() {
        return tally.skip("compose", &reason);
    }
    let Some(engine) = tally.prepare("compose: images", Engine::prepare)? else { return Ok(()) };
    let logs = || engine.script("logs").and_then(Tool::output).unwrap_or_default();
    tally.checks(CHECKS, |function, step| engine.run(function, step), logs).map(drop)
}

fn cannot_run() -> Option<String> {
    if let Err(reason) = debian::check_host() {
        return Some(reason.to_string());
    }
    if !platform::is_root() {
        return Some("creating the images' Debian needs root".into());
    }
    if python::find().is_none() {
        return Some("python3 is missing; it is needed to install podman-compose".into());
    }
    tool::missing("apt-get git")
}

/// Podman with separate settings and images. Only one can exist on a machine. Its containers end with it.
struct Engine {
    /// The variables of the script.
    variables: Vec<(&'static str, PathBuf)>,
    _lock: File,
    _folder: TempDir,
}

impl Engine {
    fn prepare(step: &Step) -> Result<Self> {
        let built = programs::build(step, &programs::BOTH, Profile::Dev)?;
        let cache = platform::cache_folder()?.join("containers");
        fs::create_dir_all(&cache)?;
        let lock = File::create(cache.join("lock"))?;
        step.message("waiting for another `compose` to finish");
        lock.file().lock().context("cannot wait for another `compose` to finish")?;
        let tools = python::tools(&[PODMAN_COMPOSE], step)?;
        let tools = tools.context("python3 is missing; it is needed to install podman-compose")?;
        let folder = server::test_folder()?;
        let port = || Ok::<_, anyhow::Error>(http::free_port()?.to_string().into());
        let variables = vec![
            ("AGENT_PROGRAM", built.program("roundtrip")?),
            ("CACHE", cache),
            ("PODMAN_COMPOSE", tools.join("podman-compose")),
            ("PROXY_PORT", port()?),
            ("PROXY_TLS_PORT", port()?),
            ("SERVER_PORT", port()?),
            ("SERVER_PROGRAM", built.program(programs::SERVER)?),
            ("STATE", folder.path().to_owned()),
        ];
        let engine = Self { variables, _lock: lock, _folder: folder };
        engine.run("prepare", step)?;
        Ok(engine)
    }

    fn script(&self, function: &str) -> Result<Tool> {
        let bash = Tool::named("bash")?.arguments([SCRIPT, function]).folder(workspace::root());
        // Settings in the environment are for other containers.
        let names = setting_names(&workspace::read(".env.example")?);
        let bash = bash.without_variables(|name| names.iter().any(|other| other == name));
        Ok(bash.variables(self.variables.iter().cloned()))
    }

    fn run(&self, function: &str, step: &Step) -> Result<()> {
        let finished = self.script(function)?.with_descendants().run(step)?.successful()?;
        finished.output.lines().filter_map(|line| line.strip_prefix("note: ")).for_each(screen::note);
        Ok(())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Not a `Tool`, because it must also run after an interrupt, when no other program is started.
        let mut sweep = Command::new("bash");
        sweep.args([SCRIPT, "sweep"]).current_dir(workspace::root()).envs(self.variables.iter().cloned());
        let _ = sweep.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// The names of the settings in a file, including those in comments.
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
    fn example_has_every_setting() {
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
    fn reads_settings_in_comments() {
        assert_eq!(setting_names("# A word = another.\nA_1=\n#B=c=d\n\n"), ["A_1", "B"]);
    }

    #[test]
    fn checks_exist_in_the_script() {
        let script = workspace::read(SCRIPT).unwrap();
        for (_, function) in CHECKS {
            assert!(script.contains(&format!("\n{function}() {{\n")), "{function}");
        }
    }

    #[test]
    fn no_secret_has_a_default() {
        let compose = workspace::read("docker-compose.yml").unwrap();
        let uses: Vec<&str> = compose.split("${POSTGRES_PASSWORD").skip(1).collect();
        assert!(!uses.is_empty());
        assert!(uses.iter().all(|rest| rest.starts_with(":?")), "a password that is not set has a value");
    }
}
