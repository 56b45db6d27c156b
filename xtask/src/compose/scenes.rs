//! What happens, and what must have come of it: the steps of docs/how-to/containers.md, in the words of podman. Each scene goes on where the one before ended.

use super::standins::BASE;
use super::traffic::Traffic;
use super::world::{DEFINITION_FILE, VERSIONS, World, image};
use crate::http;
use crate::screen::{self, Step};
use crate::tally::Scene;
use crate::tool::{self, Tool};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs::{self, File};

/// Who runs the programs of both images.
const USER: &str = "10001";
/// What images may add to the Debian under them, in MiB: the server its program and curl, the agent its own and git.
const ADDED_MIB_MAX: [(&str, u64); 2] = [("SERVER", 64), ("AGENT", 128)];
/// Somebody whom a client names as itself, without being asked.
const CLAIMED: &str = "203.0.113.9";

/// How many transports podman's filter of system calls refuses: `vmsplice`.
const REFUSED: u64 = 1;

/// All of them, in order.
pub(super) const ALL: [(&str, Scene<World>); 7] = [
    ("compose: size", images_are_small_and_of_nobody),
    ("compose: up", a_run_is_uploaded_and_read_back),
    ("compose: proxy", the_proxy_says_who_asks),
    ("compose: upgrade", servers_are_replaced_and_nobody_notices),
    ("compose: agent", the_agent_measures_in_its_container),
    ("compose: confined", containers_may_do_nothing_that_they_need_not),
    ("compose: restore", a_backup_fills_an_empty_database),
];

fn images_are_small_and_of_nobody(world: &World, _: &Step) -> Result<()> {
    let about = |image: &str| -> Result<Value> {
        let inspect = world.engine.podman().arguments(["image", "inspect", image]);
        let told: Value = serde_json::from_str(&inspect.run_silently()?.successful()?.output)?;
        Ok(told[0].clone())
    };
    let bytes = |about: &Value| about["Size"].as_u64().context("an image has no size");
    let base = bytes(&about(BASE)?)?;
    for (name, mib_max) in ADDED_MIB_MAX {
        let image = image(name, VERSIONS[0]);
        let about = about(&image)?;
        ensure!(
            about["Config"]["User"] == USER,
            "{image} is not of the user {USER}: {}",
            about["Config"]["User"]
        );
        let labels = &about["Config"]["Labels"];
        let revision = &labels["org.opencontainers.image.revision"];
        ensure!(*revision == VERSIONS[0], "{image} does not say what it was built from: {labels}");
        let mib = bytes(&about)?.saturating_sub(base) >> 20;
        screen::note(&format!("{image} adds {mib} MiB to its base"));
        ensure!(mib <= mib_max, "{image} adds {mib} MiB to its base: expected at most {mib_max}");
    }
    Ok(())
}

fn a_run_is_uploaded_and_read_back(world: &World, step: &Step) -> Result<()> {
    world.start("postgres", step)?;
    world.start("server", step)?;
    step.message("measuring");
    let token = world.inside("server", &["cat", "/var/lib/roundtrip/agent.token"])?;
    let file = world.file("agent.token");
    fs::write(&file, token).context("cannot keep the token")?;
    Tool::at(&world.agent)
        .arguments(["run", "--preset", DEFINITION_FILE, "--machine", "outside", "--upload", &world.url])
        .arguments(["--token-file".as_ref(), file.as_os_str()])
        .arguments(["--output".as_ref(), world.file("report.json").as_os_str()])
        .folder(&world.repository)
        // What is run in a job of continuous integration is no job of GitHub's here.
        .without_variable("GITHUB_ACTIONS")
        .run(step)?
        .successful()?;
    expect_run(world, &world.url)
}

fn the_proxy_says_who_asks(world: &World, step: &Step) -> Result<()> {
    // While a container joins, podman's name server may leave a question of another one unanswered for as long as a connection
    // is waited for.
    let words = ["roundtrip-server", "account", "create", "--name", "ada", "--admin"];
    let administrator = world.inside("server", &words)?;
    for service in ["server-2", "proxy"] {
        world.start(service, step)?;
    }
    expect_run(world, &world.proxy_url)?;
    let of_a_browser =
        [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin"), ("x-forwarded-for", CLAIMED)];
    let session = format!("{}/api/v1/session", world.proxy_url);
    let status = http::post_with(&session, &of_a_browser, &json!({"token": "rtu_wrong"}))?.0;
    ensure!(status == 401, "a wrong token is answered with status {status}");
    let audit = http::get_as(&format!("{}/api/v1/audit", world.url), administrator.trim())?;
    let audit: Value = serde_json::from_str(&audit).context("the audit log is not JSON")?;
    let address = &audit["events"][0]["details"]["address"];
    let address = address.as_str().with_context(|| format!("no failed sign-in is the newest of {audit}"))?;
    let format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}";
    let inspect =
        world.engine.podman().arguments(["inspect", "--format", format, &world.container("proxy")?]);
    let networks = inspect.run_silently()?.successful()?.output;
    let (proxy, gateway) = networks.trim().split_once(' ').context("the proxy has no address")?;
    ensure!(
        address == gateway,
        "a client came from {address}: expected {gateway}, neither the proxy {proxy} nor the {CLAIMED} of its own words"
    );
    Ok(())
}

fn servers_are_replaced_and_nobody_notices(world: &World, step: &Step) -> Result<()> {
    let token = fs::read_to_string(world.file("agent.token")).context("there is no token")?;
    let url = run_url(world, &world.proxy_url)?;
    let before = http::get(&url)?;
    let traffic = Traffic::start(url, token.trim().to_owned(), before);
    step.message("stopping server-2");
    for verb in ["stop", "start"] {
        world.compose(&[verb, "server-2"])?.run_silently()?.successful()?;
    }
    world.build(VERSIONS[1], &["server"], step)?;
    for service in ["server-2", "server"] {
        let before = world.container(service)?;
        world.start(service, step)?;
        ensure!(world.container(service)? != before, "{service} was not replaced");
        let revision = world.engine.podman().arguments(["inspect", "--format", "{{.Config.Image}}"]);
        let image_now = revision.arguments([world.container(service)?]).run_silently()?.successful()?.output;
        let expected = image("SERVER", VERSIONS[1]);
        ensure!(image_now.trim() == expected, "{service} is of {image_now}: expected {expected}");
    }
    let count = traffic.end()?;
    screen::note(&format!("{count} requests meanwhile, none failed"));
    expect_run(world, &world.url)
}

fn the_agent_measures_in_its_container(world: &World, step: &Step) -> Result<()> {
    step.message("waiting for a run of the agent's");
    world.compose(&["up", "--detach", "--no-deps", "--no-build", "agent"])?.run_silently()?.successful()?;
    let run = world.until("the agent has uploaded a run", || {
        let list = http::get(&format!("{}/api/v1/projects/repository/runs?machine=inside", world.url));
        let list: Value = serde_json::from_str(&list?).context("the list of runs is not JSON")?;
        Ok(list["runs"].as_array().and_then(|runs| runs.first()).cloned())
    })?;
    let counts = ["unsupported_count", "failure_count"].map(|name| run[name].as_u64());
    ensure!(
        counts == [Some(REFUSED), Some(0)],
        "in a container something else was measured than expected: {run}"
    );
    Ok(())
}

fn containers_may_do_nothing_that_they_need_not(world: &World, _: &Step) -> Result<()> {
    for service in ["server", "server-2", "agent"] {
        let user = world.inside(service, &["id", "--user"])?;
        ensure!(user.trim() == USER, "{service} runs as {}", user.trim());
        let status = world.inside(service, &["cat", "/proc/1/status"])?;
        for expected in ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"] {
            ensure!(status.contains(expected), "{service} may do more than `{expected}`:\n{status}");
        }
        for folder in ["/", "/usr/local/bin"] {
            let wrote = world.inside(service, &["touch", &format!("{folder}/file")]);
            ensure!(wrote.is_err(), "{service} may write to {folder}");
        }
        let mounts = world.inside(service, &["cat", "/proc/mounts"])?;
        let root = mounts.lines().find(|line| line.split(' ').nth(1) == Some("/"));
        let options = root.and_then(|line| line.split(' ').nth(3)).unwrap_or_default();
        ensure!(
            options.split(',').any(|option| option == "ro"),
            "{service} has a root that can be written: {options}"
        );
    }
    Ok(())
}

/// A backup is written, everything is thrown away, an empty database is filled: with the commands of the page on containers.
fn a_backup_fills_an_empty_database(world: &World, step: &Step) -> Result<()> {
    step.message("backing up");
    let backup = world.file("roundtrip.tar.zst");
    let file = File::create(&backup).with_context(|| format!("cannot write {}", backup.display()))?;
    let mut write = world.engine.command();
    write.args(["exec", &world.container("server")?, "roundtrip-server", "backup", "-"]).stdout(file);
    let wrote = tool::run_attached(&mut write)?;
    ensure!(wrote.success(), "no backup is written: it ended with {wrote}");
    world.compose(&["down", "--volumes"])?.run(step)?.successful()?;
    world.start("postgres", step)?;
    step.message("restoring");
    let restore = world.compose(&["run", "--rm", "-T", "--no-deps", "server", "restore", "-"])?;
    let restoring = restore.with_input().spawn()?;
    let mut input = restoring.child.take_stdin().context("what restores has no input")?;
    let mut file = File::open(&backup).with_context(|| format!("cannot read {}", backup.display()))?;
    std::io::copy(&mut file, &mut input).context("what restores does not read on")?;
    drop(input);
    let log: Vec<String> = restoring.lines.iter().map(|line| line.text().to_owned()).collect();
    let restored = restoring.wait()?;
    ensure!(restored.success(), "nothing is restored: it ended with {restored}\n{}", log.join("\n"));
    world.start("server", step)?;
    expect_run(world, &world.url)
}

/// The run that was uploaded is stored as it was measured.
fn expect_run(world: &World, url: &str) -> Result<()> {
    let measured: Value = serde_json::from_str(&report(world)?).context("the report is not JSON")?;
    let stored = http::get(&format!("{}/report", run_url(world, url)?))?;
    let stored: Value = serde_json::from_str(&stored).context("the stored report is not JSON")?;
    ensure!(stored == measured, "the server has stored something else than was measured");
    Ok(())
}

fn run_url(world: &World, url: &str) -> Result<String> {
    let measured: Value = serde_json::from_str(&report(world)?).context("the report is not JSON")?;
    let id = measured["run_id"].as_str().context("the report has no run_id")?;
    Ok(format!("{url}/api/v1/runs/{id}"))
}

fn report(world: &World) -> Result<String> {
    fs::read_to_string(world.file("report.json")).context("there is no report")
}
