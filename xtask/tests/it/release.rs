//! Tests the release scripts in `.github/release`.

use crate::{executable, root};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A program that prints this version, a manual page and completions. `OWN` makes it differ by target.
const PROGRAM: &str = r#"#!/bin/sh
# OWN
case $1 in
--version) echo "NAME VERSION" ;;
man) mkdir -p "$2" && echo page > "$2/NAME.1" ;;
completions) echo "for $2" ;;
esac
"#;
const TARGETS: [&str; 5] = [
    "aarch64-unknown-linux-musl",
    "universal-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-freebsd",
    "x86_64-unknown-linux-musl",
];

fn script(name: &str) -> Command {
    Command::new(root().join(".github/release").join(name))
}

fn fails(mut command: Command, expected: &str) {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.starts_with("error: ") && error.contains(expected), "expected {expected:?} in {error}");
}

fn succeeds(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Packs a program into `folder`, from a new file each time. Returns the archive.
fn pack(file: &str, target: &str, folder: &Path) -> PathBuf {
    let name = file.trim_end_matches(".exe");
    let build = tempfile::tempdir().unwrap();
    let text = PROGRAM.replace("NAME", name).replace("VERSION", VERSION).replace("OWN", target);
    executable(&build.path().join(file), &text);
    let licences = build.path().join("licences");
    fs::create_dir(&licences).unwrap();
    fs::write(licences.join("THIRD-PARTY-LICENSES.html"), "of others").unwrap();
    let mut command = script("pack.sh");
    command.arg(target).arg(folder).arg(build.path().join(file)).arg(licences);
    succeeds(command);
    folder.join(format!("{name}-{VERSION}-{target}.tar.gz"))
}

/// A file in an archive; `None` if there is none with that name.
fn within(archive: &Path, name: &str) -> Option<String> {
    let stem = archive.file_name().unwrap().to_str().unwrap().trim_end_matches(".tar.gz");
    let output =
        Command::new("tar").arg("-xzOf").arg(archive).arg(format!("{stem}/{name}")).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn creates_reproducible_archives() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let archives = [&one, &two].map(|folder| pack("roundtrip", TARGETS[0], folder.path()));
    let [first, second] = archives.map(|archive| fs::read(archive).unwrap());
    assert!(first == second, "the archives differ");
}

#[test]
fn packs_the_program_with_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let agent = pack("roundtrip.exe", "x86_64-pc-windows-msvc", folder.path());
    assert!(within(&agent, "roundtrip.exe").unwrap().contains("x86_64-pc-windows-msvc"));
    assert!(within(&agent, "LICENSE-MIT").unwrap().starts_with("MIT License"));
    assert_eq!(within(&agent, "man/man1/roundtrip.1").unwrap(), "page\n");
    assert_eq!(within(&agent, "completions/roundtrip.zsh").unwrap(), "for zsh\n");
    assert_eq!(within(&agent, "THIRD-PARTY-LICENSES.html").unwrap(), "of others");
    assert_eq!(within(&agent, "systemd/roundtrip-server.service"), None, "it belongs to the server");
    let server = pack("roundtrip-server", TARGETS[0], folder.path());
    for file in ["grafana/roundtrip.json", "prometheus/rules.yml", "systemd/roundtrip-server.service"] {
        assert!(within(&server, file).is_some_and(|text| !text.is_empty()), "{file}");
    }
}

#[test]
fn rejects_a_program_of_another_version() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("roundtrip");
    executable(&program, "#!/bin/sh\necho roundtrip 99.0.0\n");
    let mut command = script("pack.sh");
    command.args([Path::new("t"), &folder.path().join("packed"), &program]);
    fails(command, &format!("prints `roundtrip 99.0.0`: expected `roundtrip {VERSION}`"));
    assert!(!folder.path().join("packed").exists());
}

/// A folder with every archive of a release.
fn packed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for target in TARGETS {
        if target.contains("windows") {
            pack("roundtrip.exe", target, folder.path());
        } else {
            pack("roundtrip", target, folder.path());
            pack("roundtrip-server", target, folder.path());
        }
    }
    folder
}

fn finish(folder: &TempDir) -> Command {
    let mut command = script("finish.sh");
    command.arg(folder.path());
    command
}

#[test]
fn finished_release_has_manifest_checksums_and_formula() {
    let folder = packed();
    fs::write(folder.path().join("roundtrip-agent.cdx.json"), "{}").unwrap();
    succeeds(finish(&folder));
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let read = |name: &str| String::from_utf8(bytes(name)).unwrap();
    let sum = |name: &str| hex::encode(Sha256::digest(bytes(name)));
    let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
    assert_eq!(manifest["version"], VERSION);
    let programs = manifest["programs"].as_object().unwrap();
    assert_eq!(programs.len(), 5);
    for about in programs.values() {
        let file = about["file"].as_str().unwrap();
        assert_eq!(about["length_bytes"], bytes(file).len());
        assert_eq!(about["sha256"], sum(file));
    }
    let mac = programs["aarch64-apple-darwin"]["file"].as_str().unwrap();
    assert!(read(mac).contains("universal-apple-darwin"), "its own target's program");
    let sums = read("SHA256SUMS");
    // Nine archives, four programs, the manifest, the formula, and an added file.
    assert_eq!(sums.lines().count(), 9 + 4 + 3, "{sums}");
    for name in ["manifest.json", "roundtrip.rb", "roundtrip-agent.cdx.json"] {
        assert!(sums.contains(&format!("{}  {name}\n", sum(name))), "{name}: {sums}");
    }
    let formula = read("roundtrip.rb");
    let archive = sum(&format!("roundtrip-{VERSION}-universal-apple-darwin.tar.gz"));
    assert!(formula.contains(&archive) && formula.contains(&format!("\"{VERSION}\"")), "{formula}");
    assert!(!formula.contains("{{"), "{formula}");
}

#[test]
fn rejects_changed_or_missing_archives() {
    let folder = packed();
    let name = format!("roundtrip-{VERSION}-x86_64-unknown-freebsd.tar.gz");
    fs::write(folder.path().join(&name), "another").unwrap();
    fails(finish(&folder), &format!("{name} does not match its checksum"));
    fs::remove_file(folder.path().join(&name)).unwrap();
    fails(finish(&folder), &format!("has no {name}"));
    assert!(!folder.path().join("SHA256SUMS").exists());
}

/// Signs with the key in the file after `-s`, and verifies signatures with that key: prints their statement.
const MINISIGN: &str = r#"#!/bin/sh
case "$*" in
"-S -H -t "*)
    read -r password && [ "$password" = a-password ] || exit 1
    for file in "$8" "$9"; do echo "$(cat "$6") $4" > "$file.minisig"; done
    ;;
"-VQm "*) [ -f "$2.minisig" ] && read -r key statement < "$2.minisig" && [ "$key" = "$4" ] && echo "$statement" ;;
*) exit 2 ;;
esac
"#;

/// A folder with a release, and a program `minisign`.
fn unsigned() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    executable(&folder.path().join("minisign"), MINISIGN);
    for name in SIGNED {
        fs::write(folder.path().join(name), "").unwrap();
    }
    folder
}

const SIGNED: [&str; 2] = ["SHA256SUMS", "manifest.json"];

/// Signs in a repository whose installer trusts the key `RWQf6LRC`.
fn sign(folder: &TempDir, key: &str, options: &[&str]) -> Command {
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = script("sign.sh");
    command.arg(folder.path()).arg("1.2.0").args(options);
    command.env("PATH", path).env("KEY", key).env("PASSWORD", "a-password");
    command
}

/// The signature of each file.
fn signatures(folder: &TempDir) -> [String; 2] {
    SIGNED.map(|name| fs::read_to_string(folder.path().join(format!("{name}.minisig"))).unwrap())
}

#[test]
fn signatures_state_version_and_expiry() {
    let (repository, folder) = (Repository::new(), unsigned());
    succeeds(repository.run(sign(&folder, "RWQf6LRC", &[])));
    let mut date = Command::new("date");
    date.args(["-u", "-d", "60 days", "+%Y-%m-%d"]);
    let later = String::from_utf8(succeeds(date).stdout).unwrap();
    for signature in signatures(&folder) {
        let day = signature.strip_prefix("RWQf6LRC roundtrip 1.2.0 expires ").unwrap();
        assert!(day.len() == later.len() && day > later.as_str(), "{day} is too early");
    }
    fails(repository.run(sign(&folder, "RWQother", &[])), "SHA256SUMS is not signed for 1.2.0");
}

#[test]
fn attack_renewal_signs_only_what_was_signed_for_the_version() {
    let (repository, folder) = (Repository::new(), unsigned());
    let renew = || repository.run(sign(&folder, "RWQf6LRC", &["--renew"]));
    fails(renew(), "SHA256SUMS is not signed for 1.2.0");
    for signature in
        ["RWQother roundtrip 1.2.0 expires 2027-01-31\n", "RWQf6LRC roundtrip 1.1.0 expires 2027-01-31\n"]
    {
        fs::write(folder.path().join("SHA256SUMS.minisig"), "RWQf6LRC roundtrip 1.2.0 expires 2027-01-31\n")
            .unwrap();
        fs::write(folder.path().join("manifest.json.minisig"), signature).unwrap();
        let before = signatures(&folder);
        fails(renew(), "manifest.json is not signed for 1.2.0");
        assert_eq!(signatures(&folder), before);
    }
    // It renews expired signatures as well.
    fs::write(folder.path().join("manifest.json.minisig"), "RWQf6LRC roundtrip 1.2.0 expires 2020-01-31\n")
        .unwrap();
    succeeds(renew());
    assert!(!signatures(&folder)[1].contains("2020-01-31"));
}

/// A repository with version 1.2.0.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet"]);
        fs::create_dir(repository.0.path().join("migrations")).unwrap();
        repository.write("Cargo.toml", "[workspace.package]\nversion = \"1.2.0\"\n");
        repository.write("install.sh", "set -eu\nrelease_key=\"RWQf6LRC\"\n");
        repository.write("CHANGELOG.md", CHANGELOG);
        repository.commit();
        repository
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(&self.0)
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments);
        succeeds(git);
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "A change"]);
    }

    /// The command, in the root of the repository.
    fn run(&self, mut command: Command) -> Command {
        command.current_dir(&self.0);
        command
    }

    fn check(&self, tag: &str) -> Command {
        let mut command = script("check.sh");
        command.arg(tag);
        self.run(command)
    }

    fn notes(&self) -> String {
        String::from_utf8(succeeds(self.check("v1.2.0")).stdout).unwrap()
    }

    fn refuses(&self, file: &str, text: &str, expected: &str) {
        self.write(file, text);
        fails(self.check("v1.2.0"), expected);
    }
}

const CHANGELOG: &str = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.0 - 2027-01-31\n\n### Added\n\n- A `\\n`.\n\n\
    ### Upgrading\n\nNothing to do.\n\n## 1.1.0 - 2026-12-24\n\n- Old.\n";

#[test]
fn finds_the_notes_of_a_tag() {
    assert_eq!(Repository::new().notes(), "### Added\n\n- A `\\n`.\n\n### Upgrading\n\nNothing to do.\n");
}

#[test]
fn rejects_a_tag_of_another_version() {
    for tag in ["v1.1.0", "1.2.0", "v1.2.0-rc1"] {
        fails(Repository::new().check(tag), &format!("the tag is {tag}: expected v1.2.0"));
    }
}

#[test]
fn rejects_missing_notes_or_upgrade_instructions() {
    let refuses = |text: &str, expected: &str| Repository::new().refuses("CHANGELOG.md", text, expected);
    for text in [
        "## 1.2.0\n\n- A.\n",
        "## 1.2.0 - soon\n\n- A.\n",
        "## 1.2.01 - 2027-01-31\n\n- A.\n",
        "- A.\n",
        "## 1.2.0 - 2027-01-31\n\n## 1.1.0 - 2026-12-24\n\n- A.\n",
    ] {
        refuses(text, "has no notes for 1.2.0");
    }
    for notes in ["- A.\n", "### Upgrading\n", "### Upgrading\n\n### Added\n\n- A.\n"] {
        refuses(&format!("## 1.2.0 - 2027-01-31\n\n{notes}"), "no text below `### Upgrading`");
    }
}

#[test]
fn new_migrations_need_instructions_about_tables() {
    let repository = Repository::new();
    repository.write("migrations/1_one.sql", "select 1;\n");
    repository.commit();
    repository.notes();
    repository.git(&["tag", "v1.1.0"]);
    repository.notes();
    repository.write("migrations/2_two.sql", "select 2;\n");
    repository.commit();
    fails(repository.check("v1.2.0"), "these migrations change: migrations/2_two.sql.");
    repository.write("CHANGELOG.md", &CHANGELOG.replace("Nothing to do.", "The tables take seconds."));
    repository.notes();
    // When a tag is checked again, it must not count as the previous release.
    repository.git(&["tag", "v1.2.0"]);
    repository.write("CHANGELOG.md", CHANGELOG);
    fails(repository.check("v1.2.0"), "migrations/2_two.sql");
}

#[test]
fn rejects_an_installer_without_a_key() {
    for text in ["release_key=\"\"\n", "release_key=\"RWQf\n", "set -eu\n"] {
        Repository::new().refuses("install.sh", text, "install.sh has no release key");
    }
}
