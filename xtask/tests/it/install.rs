//! Tests `install.sh` with releases on a local server.

use crate::{executable, root};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// The programs that the installer needs in addition to a downloader. It finds no others.
const NEEDED: &str = "awk cat chmod cp date gzip mkdir mktemp mv rm sh sha256sum tar";
const ARCHIVE: &str = "roundtrip-1.0.0-x86_64-unknown-linux-musl.tar.gz";
const SUMS: &str = "SHA256SUMS";
const SIGNATURE: &str = "SHA256SUMS.minisig";
/// Prints the statement of a signature.
const MINISIGN: &str =
    "#!/bin/sh\n[ \"$1 $3 $4\" = '-VQm -P a-key' ] && read -r verdict statement < \"$2.minisig\" &&
    [ \"$verdict\" = good ] && echo \"$statement\"\n";
const VALID: &str = "roundtrip 1.0.0 expires 2999-12-31";

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A machine with a few programs, and a server with a release whose programs report version 1.0.0.
struct Fixture {
    folder: TempDir,
    files: Files,
    url: String,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (files, listener) = (Files::default(), TcpListener::bind("127.0.0.1:0").unwrap());
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = Arc::clone(&files);
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, &served)));
        let fixture = Self { folder, files, url };
        fs::create_dir(fixture.path("tools")).unwrap();
        for name in NEEDED.split(' ') {
            fixture.with(name);
        }
        fixture.tool("uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo Linux || echo x86_64\n");
        fixture.offer("roundtrip", "#!/bin/sh\necho roundtrip 1.0.0\n");
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a program to the machine.
    fn tool(&self, name: &str, script: &str) {
        executable(&self.path("tools").join(name), script);
    }

    /// Copies a program of this machine.
    fn with(&self, name: &str) -> &Self {
        let found = which::which(name).unwrap_or_else(|_| panic!("{name} is needed by this test"));
        symlink(found, self.path("tools").join(name)).unwrap();
        self
    }

    /// Adds only a program to the release.
    fn offer(&self, name: &str, script: &str) {
        self.offer_for("x86_64-unknown-linux-musl", name, script);
    }

    fn offer_for(&self, target: &str, file: &str, script: &str) {
        let stem = format!("{}-1.0.0-{target}", file.trim_end_matches(".exe"));
        fs::create_dir_all(self.path(&stem)).unwrap();
        executable(&self.path(&stem).join(file), script);
        let tar = Command::new("tar").args(["-cz", &stem]).current_dir(self.folder.path()).output().unwrap();
        let sum = format!("{}  {stem}.tar.gz\n", hex::encode(Sha256::digest(&tar.stdout)));
        let mut files = self.files.lock().unwrap();
        files.insert(format!("{stem}.tar.gz"), tar.stdout);
        files.entry(SUMS.into()).or_default().extend(sum.into_bytes());
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.files.lock().unwrap().entry(name.into()).or_default());
    }

    /// Signs the release with this statement, for a `minisign` that accepts what begins with `good`.
    fn sign(&self, statement: &str) {
        self.tool("minisign", MINISIGN);
        self.change(SIGNATURE, |signature| *signature = format!("good {statement}\n").into_bytes());
    }

    fn command(&self, bin: &str) -> Command {
        let mut command = Command::new(self.path("tools/sh"));
        command
            .arg(root().join("install.sh"))
            .env_clear()
            .env("PATH", self.path("tools"))
            .env("TMPDIR", self.folder.path())
            .env("ROUNDTRIP_RELEASES", &self.url)
            .env("ROUNDTRIP_BIN", self.path(bin))
            .env("ROUNDTRIP_KEY", "a-key");
        command
    }

    fn run_in(&self, bin: &str, arguments: &[&str]) -> Output {
        self.command(bin).args(arguments).output().unwrap()
    }

    /// Installs this version by name.
    fn run_version(&self, version: &str) -> Output {
        self.command("bin").env("ROUNDTRIP_VERSION", version).output().unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_in("bin", arguments)
    }

    /// Asserts that it fails with this message, and changes no installed files.
    fn refuses(&self, expected: &str) {
        fs::create_dir_all(self.path("bin")).unwrap();
        fs::write(self.path("bin/roundtrip"), "the installed one").unwrap();
        fails(&self.run(&[]), expected);
        assert_eq!(fs::read_to_string(self.path("bin/roundtrip")).unwrap(), "the installed one");
        assert_eq!(self.path("bin").read_dir().unwrap().count(), 1);
    }
}

fn fails(output: &Output, expected: &str) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(expected), "expected {expected:?} in {text}");
}

/// Standard output and standard error of a successful run.
fn succeeds(output: &Output) -> (String, String) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{stderr}");
    (stdout, stderr)
}

/// Serves the same files for the newest release, and for 1.0.0 and 2.0.0.
fn answer(mut stream: TcpStream, files: &Files) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let folders = ["/latest/download/", "/download/v1.0.0/", "/download/v2.0.0/"];
    let name = folders.iter().find_map(|begin| path.strip_prefix(begin));
    let body = name.and_then(|name| files.lock().unwrap().get(name).cloned());
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

#[test]
fn installs_runs_and_removes_a_release() {
    let fixture = Fixture::new();
    let (printed, _) = succeeds(&fixture.with("curl").run(&[]));
    assert!(printed.starts_with("installed roundtrip 1.0.0 in "), "{printed}");
    let output = Command::new(fixture.path("bin/roundtrip")).output().unwrap();
    assert_eq!(succeeds(&output).0, "roundtrip 1.0.0\n");
    assert_eq!(fixture.path("bin").read_dir().unwrap().count(), 1, "a temporary file is left");
    succeeds(&fixture.run(&["--uninstall"]));
    assert!(!fixture.path("bin/roundtrip").exists());
    fails(&fixture.run(&["--uninstall"]), "does not exist");
}

#[test]
fn installs_the_server_in_the_requested_folder() {
    let fixture = Fixture::new();
    fixture.offer("roundtrip-server", "#!/bin/sh\necho roundtrip-server 1.0.0\n");
    let (printed, _) = succeeds(&fixture.with("curl").run(&["--server"]));
    assert!(printed.starts_with("installed roundtrip-server 1.0.0 in "), "{printed}");
    assert!(!fixture.path("bin/roundtrip").exists());
}

#[test]
fn installs_nothing_from_a_bad_release() {
    let refuses = |expected: &str, change: fn(&Fixture)| {
        let fixture = Fixture::new();
        change(fixture.with("curl"));
        fixture.refuses(expected);
    };
    refuses("does not match SHA256SUMS", |fixture| {
        fixture.change(ARCHIVE, |bytes| bytes.truncate(bytes.len() / 2));
    });
    refuses(&format!("expected {}; nothing was installed", "0".repeat(64)), |fixture| {
        fixture.change(SUMS, |sums| sums[..64].fill(b'0'));
    });
    refuses(&format!("is damaged or has no {}/roundtrip", ARCHIVE.trim_end_matches(".tar.gz")), |fixture| {
        // The archive of the server under the agent's name.
        fixture.files.lock().unwrap().clear();
        fixture.offer("roundtrip-server", "#!/bin/sh\n");
        let server = ARCHIVE.replace("roundtrip-", "roundtrip-server-");
        let bytes = fixture.files.lock().unwrap().remove(&server).unwrap();
        fixture.change(ARCHIVE, |archive| *archive = bytes);
        fixture.change(SUMS, |sums| {
            *sums = String::from_utf8_lossy(sums).replace(&server, ARCHIVE).into_bytes();
        });
    });
    refuses("roundtrip does not run on this machine: no such library", |fixture| {
        fixture.files.lock().unwrap().clear();
        fixture.offer("roundtrip", "#!/bin/sh\necho no such library >&2\nexit 127\n");
    });
    refuses("/latest/download/SHA256SUMS: check that the release exists", |fixture| {
        fixture.files.lock().unwrap().clear();
    });
    refuses("no release for Plan9 on mips", |fixture| {
        fixture.tool("uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo Plan9 || echo mips\n");
    });
}

#[test]
fn rejects_a_wrong_signature() {
    let fixture = Fixture::new();
    let (_, notes) = succeeds(&fixture.with("curl").run(&[]));
    assert!(
        notes.contains("signature not verified, only the checksum: minisign is not installed"),
        "{notes}"
    );
    fixture.tool("minisign", MINISIGN);
    fixture.refuses("SHA256SUMS.minisig: check that the release exists");
    fixture.change(SIGNATURE, |signature| *signature = format!("forged {VALID}\n").into_bytes());
    fixture.refuses("SHA256SUMS is not signed by the key a-key: nothing was installed");
    fixture.sign(VALID);
    let (_, notes) = succeeds(&fixture.run(&[]));
    assert_eq!(notes.lines().count(), 1, "only that the folder is not in PATH");
}

#[test]
fn attack_release_under_another_version_is_not_installed() {
    let fixture = Fixture::new();
    // An old release with its signature, at the address of a new one.
    fixture.with("curl").sign(VALID);
    fails(&fixture.run_version("2.0.0"), "/download/v2.0.0 has version 1.0.0: expected 2.0.0");
    // The same without its signature, and with its archive renamed.
    fs::remove_file(fixture.path("tools/minisign")).unwrap();
    fails(&fixture.run_version("2.0.0"), "lists no roundtrip 2.0.0 for x86_64-unknown-linux-musl");
    fixture.change(SUMS, |sums| *sums = String::from_utf8_lossy(sums).replace("1.0.0", "2.0.0").into());
    let archive = fixture.files.lock().unwrap()[ARCHIVE].clone();
    fixture.change(&ARCHIVE.replace("1.0.0", "2.0.0"), |bytes| *bytes = archive);
    fails(
        &fixture.run_version("2.0.0"),
        "is damaged or has no roundtrip-2.0.0-x86_64-unknown-linux-musl/roundtrip",
    );
    let fixture = Fixture::new();
    fixture.offer("roundtrip", "#!/bin/sh\necho roundtrip 0.9.0\n");
    fixture.change(SUMS, |sums| drop(sums.drain(..sums.len() / 2)));
    fixture.with("curl").refuses("contains `roundtrip 0.9.0`: expected `roundtrip 1.0.0`");
}

#[test]
fn attack_statement_for_another_project_is_rejected() {
    let fixture = Fixture::new();
    fixture.with("curl");
    for statement in
        ["another 1.0.0 expires 2999-12-31", "roundtrip 1.0.0", "timestamp:1800000000 file:SHA256SUMS hashed"]
    {
        fixture.sign(statement);
        fixture.refuses(&format!("the signature states `{statement}`: expected `roundtrip VERSION expires"));
    }
}

#[test]
fn attack_expired_release_is_not_the_newest() {
    let fixture = Fixture::new();
    for statement in ["roundtrip 1.0.0 expires 2020-02-29", "roundtrip 1.0.0 expires never"] {
        fixture.sign(statement);
        let day = statement.rsplit(' ').next().unwrap();
        fixture.with("curl").refuses(&format!("the signature of version 1.0.0 expired on {day}"));
        fs::remove_file(fixture.path("tools/curl")).unwrap();
    }
    succeeds(&fixture.with("curl").run_version("1.0.0"));
}

#[test]
fn attack_downgrade_needs_a_named_version() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("bin")).unwrap();
    fixture.with("curl").sign(VALID);
    for newer in ["1.0.1", "1.10.0", "10.0.0"] {
        executable(&fixture.path("bin/roundtrip"), &format!("#!/bin/sh\necho roundtrip {newer}\n"));
        fails(&fixture.run(&[]), &format!("bin/roundtrip is version {newer}, and "));
    }
    succeeds(&fixture.run_version("1.0.0"));
    executable(&fixture.path("bin/roundtrip"), "#!/bin/sh\necho roundtrip 0.9.12\n");
    succeeds(&fixture.run(&[]));
}

#[test]
fn installs_the_program_for_windows() {
    let fixture = Fixture::new();
    fixture.tool("uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo MINGW64_NT-10.0-26100 || echo x86_64\n");
    fixture.offer_for("x86_64-pc-windows-msvc", "roundtrip.exe", "#!/bin/sh\necho roundtrip 1.0.0\n");
    succeeds(&fixture.with("curl").run(&[]));
    assert!(fixture.path("bin/roundtrip.exe").exists());
}

#[test]
fn rejects_unsupported_systems_and_arguments() {
    let fixture = Fixture::new();
    fixture.refuses("cannot download: install curl, wget or fetch");
    // Root may write anywhere, but into no file as if it were a folder.
    fails(
        &fixture.with("curl").run_in("tools/sh/bin", &[]),
        "tools/sh/bin: run this as a user with permission",
    );
    fails(&fixture.run(&["--unistall"]), "unknown argument --unistall");
    fails(&fixture.run_version("../1"), "invalid ROUNDTRIP_VERSION=../1");
}
