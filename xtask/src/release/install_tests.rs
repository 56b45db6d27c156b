//! `install.sh`, run against releases that a server on this machine has.

use super::archive;
use crate::workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;
use tempfile::TempDir;

/// What the installer needs besides who fetches: it finds nothing else.
const NEEDED: &[&str] =
    &["awk", "cat", "chmod", "cp", "gzip", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "tar"];
const ARCHIVE: &str = "roundtrip-1.0.0-x86_64-unknown-linux-musl.tar.gz";

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A machine with a few programs, and a server with the release 1.0.0.
struct World {
    folder: TempDir,
    files: Files,
    url: String,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tools = folder.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        for name in NEEDED {
            symlink(which::which(name).unwrap(), tools.join(name)).unwrap();
        }
        let files = Files::default();
        let url = serve(Arc::clone(&files));
        let world = Self { folder, files, url };
        world.tool("uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo Linux || echo x86_64\n");
        world.offer("roundtrip", "#!/bin/sh\necho roundtrip 1.0.0\n");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, name: &str, script: &str) {
        executable(&self.path("tools").join(name), script);
    }

    /// Puts a program into the release, and nothing else.
    fn offer(&self, name: &str, script: &str) {
        let program = self.path(name);
        executable(&program, script);
        let packed = archive::write(
            &program,
            "1.0.0",
            "x86_64-unknown-linux-musl",
            self.folder.path(),
            &BTreeMap::new(),
        );
        let path = packed.unwrap();
        let archive = path.file_name().unwrap().to_str().unwrap();
        let mut files = self.files.lock().unwrap();
        files.insert(archive.to_owned(), std::fs::read(&path).unwrap());
        let sums = std::fs::read(archive::checksum_path(&path)).unwrap();
        files.entry("SHA256SUMS".into()).or_default().extend(sums);
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.files.lock().unwrap().get_mut(name).unwrap());
    }

    /// Fetches with a program of this machine.
    fn with(&self, name: &str) -> &Self {
        let found = which::which(name).unwrap_or_else(|_| panic!("{name} is needed by this test"));
        symlink(found, self.path("tools").join(name)).unwrap();
        self
    }

    fn run_in(&self, bin: &Path, arguments: &[&str]) -> Output {
        Command::new(self.path("tools/sh"))
            .arg(workspace::root().join("install.sh"))
            .args(arguments)
            .env_clear()
            .env("PATH", self.path("tools"))
            .env("TMPDIR", self.folder.path())
            .env("ROUNDTRIP_RELEASES", &self.url)
            .env("ROUNDTRIP_BIN", bin)
            .env("ROUNDTRIP_KEY", "a-key")
            .output()
            .unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_in(&self.path("bin"), arguments)
    }

    /// Fails with this sentence, and leaves the program of before as it was and nothing beside it.
    fn refuses(&self, says: &str) {
        std::fs::create_dir_all(self.path("bin")).unwrap();
        std::fs::write(self.path("bin/roundtrip"), "the one of before").unwrap();
        let told = errors(&self.run(&[]));
        assert!(told.contains(says), "expected {says:?} in {told}");
        assert_eq!(std::fs::read_to_string(self.path("bin/roundtrip")).unwrap(), "the one of before");
        assert_eq!(self.path("bin").read_dir().unwrap().count(), 1);
    }
}

fn executable(path: &Path, script: &str) {
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a run that has to fail wrote.
fn errors(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a run that succeeds wrote to standard error.
fn succeeds_and_says(output: &Output) -> String {
    succeeds(output);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Answers with files of the newest release and of 1.0.0 alike, until the test's process ends.
fn serve(files: Files) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, &files)));
    url
}

fn answer(mut stream: TcpStream, files: &Files) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let name = ["/latest/download/", "/download/v1.0.0/"].iter().find_map(|begin| path.strip_prefix(begin));
    let body = name.and_then(|name| files.lock().unwrap().get(name).cloned());
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

#[test]
fn a_release_is_installed_run_and_removed() {
    let world = World::new();
    world.with("curl");
    let told = succeeds(&world.run(&[]));
    assert!(told.starts_with("installed roundtrip 1.0.0 in "), "{told}");
    let output = Command::new(world.path("bin/roundtrip")).output().unwrap();
    assert_eq!(succeeds(&output), "roundtrip 1.0.0\n");
    assert_eq!(world.path("bin").read_dir().unwrap().count(), 1, "a draft is left");
    succeeds(&world.run(&["--uninstall"]));
    assert!(!world.path("bin/roundtrip").exists());
    let told = errors(&world.run(&["--uninstall"]));
    assert!(told.contains("is not there"), "{told}");
}

#[test]
fn the_server_is_installed_where_it_was_asked_for() {
    let world = World::new();
    world.offer("roundtrip-server", "#!/bin/sh\necho roundtrip-server 1.0.0\n");
    let told = succeeds(&world.with("curl").run(&["--server"]));
    assert!(told.starts_with("installed roundtrip-server 1.0.0 in "), "{told}");
    assert!(!world.path("bin/roundtrip").exists());
}

#[test]
fn a_damaged_archive_installs_nothing() {
    let world = World::new();
    world.change(ARCHIVE, |bytes| bytes.truncate(bytes.len() / 2));
    world.with("curl").refuses("is not what SHA256SUMS says");
}

#[test]
fn a_wrong_checksum_installs_nothing() {
    let world = World::new();
    world.change("SHA256SUMS", |sums| sums[..64].fill(b'0'));
    world.with("curl").refuses(&format!("expected {}; nothing is installed", "0".repeat(64)));
}

#[test]
fn an_archive_without_the_program_installs_nothing() {
    let world = World::new();
    world.offer("roundtrip-server", "#!/bin/sh\n");
    let server = ARCHIVE.replace("roundtrip-1", "roundtrip-server-1");
    let mut files = world.files.lock().unwrap();
    let bytes = files[&server].clone();
    let sums = String::from_utf8(files["SHA256SUMS"].clone()).unwrap();
    let digest = sums.lines().find(|line| line.ends_with(&server)).unwrap()[..64].to_owned();
    files.insert(ARCHIVE.into(), bytes);
    files.insert("SHA256SUMS".into(), format!("{digest}  {ARCHIVE}\n").into_bytes());
    drop(files);
    world.with("curl").refuses("is damaged, or holds no roundtrip-1.0.0-x86_64-unknown-linux-musl/roundtrip");
}

#[test]
fn a_program_that_does_not_run_here_is_not_installed() {
    let world = World::new();
    world.files.lock().unwrap().clear();
    world.offer("roundtrip", "#!/bin/sh\necho no such library >&2\nexit 127\n");
    world.with("curl").refuses("roundtrip does not run on this machine: no such library");
}

#[test]
fn a_signature_is_checked_where_minisign_is_and_a_wrong_one_installs_nothing() {
    let world = World::new();
    let told = succeeds_and_says(&world.with("curl").run(&[]));
    assert!(told.contains("the signature is not checked: minisign is not here"), "{told}");
    world.tool("minisign", "#!/bin/sh\n[ \"$1 $3 $4\" = '-Vqm -P a-key' ] && grep -q good \"$2.minisig\"\n");
    world.refuses("SHA256SUMS.minisig cannot be had");
    world.files.lock().unwrap().insert("SHA256SUMS.minisig".into(), b"forged".to_vec());
    world.with("grep").refuses("SHA256SUMS is not signed by the key a-key: nothing is installed");
    world.files.lock().unwrap().insert("SHA256SUMS.minisig".into(), b"good".to_vec());
    assert_eq!(succeeds_and_says(&world.run(&[])).lines().count(), 1, "only that the folder is not in PATH");
}

#[test]
fn a_release_that_does_not_exist_is_told() {
    let world = World::new();
    world.files.lock().unwrap().clear();
    world.with("curl").refuses("/latest/download/SHA256SUMS cannot be had: is there such a release");
}

#[test]
fn an_unknown_system_is_told() {
    let world = World::new();
    world.tool("uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo Plan9 || echo mips\n");
    world.with("curl").refuses("no release is made for Plan9 on mips");
}

#[test]
fn without_a_program_that_fetches_it_says_which_are_known() {
    World::new().refuses("neither curl nor wget nor fetch is here");
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_anything_is_fetched() {
    let world = World::new();
    // Root may write anywhere, but into no file as if it were a folder.
    let bin = world.path("roundtrip/bin");
    let told = errors(&world.with("curl").run_in(&bin, &[]));
    assert!(told.contains("cannot be written to: run this as a user who may"), "{told}");
}

#[test]
fn a_word_that_is_not_understood_does_nothing() {
    let world = World::new();
    let told = errors(&world.run(&["--unistall"]));
    assert!(told.contains("--unistall is not understood"), "{told}");
}
