//! Images that stand in for those that `docker-compose.yml` and the Dockerfiles name: a small Debian, and on top of it what is in
//! `xtask/compose/`.

use super::engine::Engine;
use crate::screen::Step;
use crate::tool::Tool;
use crate::{programs, up, workspace};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The variables by which the compose file is told of other images, with what stands in for them.
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
/// The folders of `xtask/compose/`, each of an image.
const MADE: [&str; 4] = ["caddy", "node", "postgres", "rust"];
/// What the slim images of Debian leave out of packages.
const SLIM: &str = "path-exclude /usr/share/doc/*\npath-exclude /usr/share/info/*\npath-exclude /usr/share/locale/*\n\
    path-exclude /usr/share/man/*\n";

/// Makes them, where they are not what they would be now.
///
/// # Errors
/// A package cannot be had, or podman fails.
pub(super) fn make(engine: &Engine, step: &Step) -> Result<()> {
    if !engine.has_image(BASE)? {
        make_base(engine, step)?;
    }
    let built = programs::build(step, &up::PROGRAMS, "release")?;
    for name in MADE {
        let folder = tempfile::tempdir_in(engine.folder()).context("no temporary folder")?;
        copy_folder(&workspace::root().join("xtask/compose").join(name), folder.path())?;
        if name == "rust" {
            let programs = folder.path().join("built");
            fs::create_dir(&programs).context("cannot make a folder for the programs")?;
            for program in [programs::SERVER, "roundtrip"] {
                let path = built.program(program)?;
                fs::copy(&path, programs.join(program))
                    .with_context(|| format!("cannot copy {}", path.display()))?;
            }
        }
        let image = format!("localhost/standin/{name}");
        let build = engine.podman().arguments([
            "build",
            "--tag",
            &image,
            "--build-arg",
            &format!("BASE_IMAGE={BASE}"),
        ]);
        let made = build.arguments([folder.path()]).run(step)?.successful();
        made.with_context(|| format!("cannot make the image {image}"))?;
    }
    Ok(())
}

fn make_base(engine: &Engine, step: &Step) -> Result<()> {
    step.message("making a Debian, once");
    let folder = tempfile::tempdir_in(engine.folder()).context("no temporary folder")?;
    let (root, archive) = (folder.path().join("root"), folder.path().join("root.tar"));
    Tool::named("debootstrap")?
        .arguments(["--variant=minbase", RELEASE])
        .arguments([&root])
        .arguments([mirror()?])
        .run(step)?
        .successful()
        .context("cannot make a Debian")?;
    let slim = root.join("etc/dpkg/dpkg.cfg.d/slim");
    fs::write(&slim, SLIM).with_context(|| format!("cannot write {}", slim.display()))?;
    Tool::named("tar")?
        .arguments(["--create", "--numeric-owner", "--file"])
        .arguments([&archive])
        .arguments([
            "--exclude=./usr/share/doc/*",
            "--exclude=./usr/share/locale/*",
            "--exclude=./usr/share/man/*",
        ])
        .arguments(["--exclude=./var/cache/apt/*", "--exclude=./var/lib/apt/lists/*", "--directory"])
        .arguments([&root])
        .arguments(["."])
        .run(step)?
        .successful()?;
    let import = engine.podman().arguments(["import"]).arguments([&archive]).arguments([BASE]);
    import.run(step)?.successful().context("cannot make an image of a Debian")?;
    Ok(())
}

/// From where apt has this machine's packages.
fn mirror() -> Result<String> {
    let release = format!("Codename: {RELEASE}");
    let apt = Tool::named("apt-get")?.arguments(["indextargets", "--format", "$(REPO_URI)"]);
    let listed = apt.arguments([&release, "Created-By: Packages"]).run_silently()?.successful()?;
    let first = listed.output.lines().next();
    Ok(first.with_context(|| format!("apt knows no packages of {RELEASE}"))?.to_owned())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in from.read_dir().with_context(|| format!("cannot list {}", from.display()))? {
        let path = entry?.path();
        let name = path.file_name().with_context(|| format!("{} has no name", path.display()))?;
        fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}
