//! The licences of what a release is made from: the packages that are linked into its programs, by `cargo tree` and `cargo
//! metadata`, Rust's own library, musl, and for the server the packages of its web interface.

use crate::tool::Tool;
use crate::{archive::Files, programs, workspace};
use anyhow::{Context, Result, anyhow, bail, ensure};
use fs_err as fs;
use serde::Deserialize;
use spdx::{Expression, ParseMode};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) struct Target {
    pub(crate) triple: &'static str,
    pub(crate) programs: &'static [&'static str],
    /// The targets whose agents replace themselves by this one's, as cargo calls them.
    pub(crate) updates: &'static [&'static str],
}

pub(crate) const AGENT: &str = "roundtrip";
pub(crate) const SERVER: &str = "roundtrip-server";
const BOTH: &[&str] = &[AGENT, SERVER];
const ARM_LINUX: &str = "aarch64-unknown-linux-musl";
const LINUX: &str = "x86_64-unknown-linux-musl";
const FREEBSD: &str = "x86_64-unknown-freebsd";

pub(crate) static TARGETS: &[Target] = &[
    Target { triple: LINUX, programs: BOTH, updates: &[LINUX] },
    Target { triple: ARM_LINUX, programs: BOTH, updates: &[ARM_LINUX] },
    // Both processors' programs in one file.
    Target {
        triple: "universal-apple-darwin",
        programs: BOTH,
        updates: &["aarch64-apple-darwin", "x86_64-apple-darwin"],
    },
    Target { triple: FREEBSD, programs: BOTH, updates: &[FREEBSD] },
    // The server is a program for Unix, and agents on Windows do not update themselves.
    Target { triple: "x86_64-pc-windows-msvc", programs: &[AGENT], updates: &[] },
];

/// The file of an archive with the licences of packages, and the one of Rust's library, as Rust's makers write it.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";
const RUST_FILE: &str = "THIRD-PARTY-LICENSES-RUST.html";
/// Where that is below the compiler's folder.
const RUST_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";
/// Written by `web/licences.ts`, as only the build knows which packages are in it.
const WEB_FILE: &str = "web/dist/licenses.md";
/// Beginnings of names of files with licences, and endings of those that only begin so.
const NAMES: &[&str] = &["copying", "copyright", "licence", "license", "notice", "patents", "unlicense"];
const SOURCES: &[&str] = &["c", "h", "html", "js", "json", "py", "rs", "toml", "yml"];

pub(crate) fn write(program: &str, target: &str, folder: &Path) -> Result<Files> {
    let path = folder.join(FILE);
    fs::write(&path, text(program, target)?)?;
    let sysroot = Tool::named("rustc")?.arguments(["--print", "sysroot"]).output()?;
    let rust = Path::new(sysroot.trim()).join(RUST_LIBRARY);
    ensure!(rust.is_file(), "{} does not exist: expected the licences of Rust's library", rust.display());
    Ok([(FILE.to_owned(), path), (RUST_FILE.to_owned(), rust)].into())
}

pub(crate) fn text(program: &str, target: &str) -> Result<String> {
    let known = TARGETS.iter().find(|known| known.triple == target);
    let programs = known.map_or(BOTH, |known| known.programs);
    ensure!(programs.contains(&program), "{program} is not made for {target}");
    // For macOS, both halves of one file.
    let builds = known.map(|known| known.updates).filter(|updates| updates.len() > 1);
    let mut parts = linked(programs, builds.unwrap_or(&[target]))?;
    if target.ends_with("-musl") {
        // Its text does not come with the compiler.
        let texts = standard("MIT", &["Rich Felker and others".to_owned()])?;
        parts.push(Part { title: "musl as it comes with Rust".into(), licence: "MIT".into(), texts });
    }
    let mut text = page(target, parts);
    if program == SERVER {
        text.push_str(&of_web()?);
    }
    Ok(text)
}

pub(crate) fn host() -> Result<String> {
    let printed = Tool::named("rustc")?.arguments(["-vV"]).output()?;
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not print its host")
}

/// The licences of the web interface's packages, each of which must have a text.
pub(crate) fn of_web() -> Result<String> {
    let written = workspace::read(WEB_FILE).context("expected the web interface to be built")?;
    check_web(&written)?;
    Ok(format!("\n{}\nThe web interface, which the program carries:\n\n{written}", "=".repeat(80)))
}

fn check_web(written: &str) -> Result<()> {
    ensure!(written.contains("\n## "), "{WEB_FILE} names no package");
    let bare = written.split("\n## ").skip(1).find(|section| section.trim().lines().count() < 2);
    bare.map_or(Ok(()), |bare| bail!("{} in the web interface has no licence text", bare.trim()))
}

#[derive(Debug)]
struct Part {
    title: String,
    /// As the package says itself, by SPDX.
    licence: String,
    /// All that must be handed on.
    texts: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    license_file: Option<PathBuf>,
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// Absent for our own.
    source: Option<String>,
}

/// The packages of others that are linked into the programs of a release, which are built together.
fn linked(programs: &[&str], builds: &[&str]) -> Result<Vec<Part>> {
    let cargo = |words: &str, option: &str| {
        let builds = builds.iter().flat_map(|build| [option, *build]);
        Tool::cargo().folder(workspace::root()).words(words).arguments(builds)
    };
    let tree = cargo("tree --locked --edges normal,no-proc-macro --prefix none --format {p}", "--target");
    let package = |name: &str| if name == SERVER { programs::SERVER } else { programs::AGENT };
    let tree = tree.arguments(programs.iter().flat_map(|name| ["--package", package(name)])).output()?;
    let metadata = cargo("metadata --locked --format-version 1", "--filter-platform").output()?;
    let metadata: Metadata = serde_json::from_str(&metadata).context("cargo metadata is not as expected")?;
    // Lines such as `serde v1.0.0 (*)`.
    let linked: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(" (").next()).collect();
    let is_linked = |package: &&Package| {
        package.source.is_some() && linked.contains(&*format!("{} v{}", package.name, package.version))
    };
    metadata.packages.iter().filter(is_linked).map(Package::part).collect()
}

impl Package {
    /// With the texts that come with the package, or the standard ones.
    fn part(&self) -> Result<Part> {
        let folder = self.manifest_path.parent().unwrap_or(&self.manifest_path);
        let mut texts = BTreeSet::new();
        if let Some(file) = &self.license_file {
            texts.insert(text_of(&folder.join(file))?);
        }
        collect(folder, false, &mut texts)?;
        let title = format!("{} {}", self.name, self.version);
        if texts.is_empty() {
            let licence = self.license.as_deref().with_context(|| format!("{title} names no licence"))?;
            texts = standard(licence, &self.authors).with_context(|| title.clone())?;
        }
        Ok(Part { title, licence: self.license.clone().unwrap_or_else(|| "as its text says".into()), texts })
    }
}

/// Adds the texts of a folder and of those below it, where code of third parties may be; `all`: whatever the files are called.
fn collect(folder: &Path, all: bool, texts: &mut BTreeSet<String>) -> Result<()> {
    for path in workspace::sorted(folder)? {
        let is_licence = all || is_licence(&path);
        if path.is_symlink() {
            continue;
        } else if path.is_dir() {
            collect(&path, is_licence, texts)?;
        } else if is_licence {
            texts.insert(text_of(&path)?);
        }
    }
    Ok(())
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    NAMES.iter().any(|start| name.starts_with(start)) && !SOURCES.contains(&ending)
}

fn text_of(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n").trim().to_owned())
}

/// The texts that SPDX has for an expression, each with the package's authors.
fn standard(licence: &str, authors: &[String]) -> Result<BTreeSet<String>> {
    let expression = Expression::parse_mode(licence, ParseMode::LAX);
    let expression = expression.map_err(|error| anyhow!("`{licence}` is no expression of SPDX: {error}"))?;
    let by = if authors.is_empty() { String::new() } else { format!("It is by {}. ", authors.join(", ")) };
    let text = |requirement: &spdx::expression::ExpressionReq| {
        let name = requirement.req.license.to_string();
        let text = requirement.req.license.id().map(|id| id.text()).unwrap_or_default().trim();
        ensure!(!text.is_empty(), "`{name}` has no standard text");
        Ok(format!("The package brings no text. {by}The standard one of {name}:\n\n{text}"))
    };
    expression.requirements().map(text).collect()
}

/// The parts in the order of names, each text once with all packages that it belongs to.
fn page(target: &str, mut parts: Vec<Part>) -> String {
    parts.sort_by(|one, other| one.title.cmp(&other.title));
    let mut page = format!(
        "Third-party licences\n\n\
         What is linked into the programs of Roundtrip for {target} in addition to their own code and Rust's library, and under \
         which licences. {} packages; the texts follow.\n\n",
        parts.len()
    );
    page.extend(parts.iter().map(|part| format!("{}: {}\n", part.title, part.licence)));
    // By the words of a text: other line breaks do not make another licence.
    let mut texts: BTreeMap<String, (BTreeSet<&str>, &str)> = BTreeMap::new();
    for Part { title, texts: own, .. } in &parts {
        for text in own {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            texts.entry(words).or_insert((BTreeSet::new(), text)).0.insert(title);
        }
    }
    let texts: BTreeSet<_> = texts.into_values().collect();
    page.extend(texts.into_iter().map(|(titles, text)| {
        let titles = Vec::from_iter(titles).join(", ");
        format!("\n{}\nOf {titles}:\n\n{}\n", "-".repeat(80), text.trim())
    }));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_there_once_with_all_packages_that_it_belongs_to() {
        let part = |name: &str, texts: &[&str]| Part {
            title: format!("{name} 1.0.0"),
            licence: "MIT".to_owned(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        };
        let parts = [
            part("b", &["Do as\nyou like.", "Do as you\nlike.", "Notice."]),
            part("a", &["Do as you like."]),
        ];
        let page = page("t", parts.into());
        let texts = page.replace('\n', " ");
        assert_eq!(texts.matches("Do as you like.").count(), 1, "{page}");
        assert!(texts.contains("Of a 1.0.0, b 1.0.0:  Do as"), "{page}");
        assert!(page.contains("Of b 1.0.0:\n\nNotice."), "{page}");
        assert!(page.contains("2 packages") && page.contains("\na 1.0.0: MIT\nb 1.0.0: MIT\n"), "{page}");
    }

    #[test]
    fn the_programs_of_a_release_have_the_packages_that_are_linked_into_them() {
        let refused = text(SERVER, "x86_64-pc-windows-msvc").unwrap_err().to_string();
        assert_eq!(refused, "roundtrip-server is not made for x86_64-pc-windows-msvc");
        let text = text(AGENT, &host().unwrap()).unwrap();
        for part in ["\nclap 4", "\nserde 1", "\nsqlx-postgres 0"] {
            assert!(text.contains(part), "{part} is missing");
        }
        for part in ["\nroundtrip-", "\nserde_derive 1", "\nproptest 1"] {
            assert!(!text.contains(part), "{part} is ours, or only used to build");
        }
    }

    fn read(files: &[(&str, &str)], license: Option<&str>, declared: Option<&str>) -> Result<Part> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let package = Package {
            name: "tool".into(),
            version: "1.0.0".into(),
            license: license.map(str::to_owned),
            license_file: declared.map(PathBuf::from),
            authors: vec!["Ada <ada@example.org>".into()],
            manifest_path: folder.path().join("Cargo.toml"),
            source: None,
        };
        package.part()
    }

    #[test]
    fn texts_are_those_that_come_with_a_package_and_with_code_that_it_carries() {
        let files = [
            ("LICENSE-MIT", "MIT\r\nof tool\n"),
            ("NOTICE.txt", "Notice"),
            ("LICENSES/Zlib.txt", "Zlib"),
            ("vendored/lib/COPYING", "BSD"),
            ("src/license.rs", "fn license() {}"),
            ("README.md", "Read me"),
        ];
        let part = read(&files, Some("MIT AND Zlib"), None).unwrap();
        assert_eq!(Vec::from_iter(part.texts), ["BSD", "MIT\nof tool", "Notice", "Zlib"]);
        assert_eq!((part.title.as_str(), part.licence.as_str()), ("tool 1.0.0", "MIT AND Zlib"));
        // A file that it declares counts whatever it is called.
        let part = read(&[("terms.txt", "Terms")], None, Some("terms.txt")).unwrap();
        assert_eq!(
            (Vec::from_iter(part.texts), part.licence.as_str()),
            (vec!["Terms".to_owned()], "as its text says")
        );
    }

    #[test]
    fn without_a_text_a_package_has_the_standard_ones_and_its_authors() {
        let texts = Vec::from_iter(read(&[("src/lib.rs", "")], Some("MIT/Apache-2.0"), None).unwrap().texts);
        assert_eq!(texts.len(), 2);
        assert!(
            texts[0].contains("by Ada <ada@example.org>") && texts[0].contains("Apache License"),
            "{texts:?}"
        );
        assert!(texts[1].contains("of MIT:"), "{texts:?}");
    }

    #[test]
    fn what_has_no_licence_is_refused_by_name() {
        let refused = |license| format!("{:#}", read(&[], license, None).unwrap_err());
        assert_eq!(refused(None), "tool 1.0.0 names no licence");
        assert_eq!(refused(Some("LicenseRef-mine")), "tool 1.0.0: `LicenseRef-mine` has no standard text");
        check_web("# Licenses\n\n## react - 19.0.0 (MIT)\n\nMIT License\n").unwrap();
        let bare = "# Licenses\n\n## react - 19.0.0 (MIT)\n\n## clsx - 2.1.1 (MIT)\n\nMIT License\n";
        let refused = check_web(bare).unwrap_err().to_string();
        assert!(refused.starts_with("react - 19.0.0 (MIT) in the web interface"), "{refused}");
        assert!(check_web("# Licenses\n").is_err());
    }
}
