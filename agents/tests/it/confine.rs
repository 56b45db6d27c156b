//! `roundtrip confine`: runs commands of repositories without the agent's permissions. Only on Linux as root,
//! because changing the user needs it.

use crate::roundtrip;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

/// An unprivileged user that exists on every Linux.
const NOBODY: u32 = 65_534;

/// Runs this script in a confined shell, with these options.
fn confined(folder: &Path, options: &[&str], script: &str) -> Option<Output> {
    let user = JobUser(NOBODY);
    user.command(folder, options, script).map(|mut command| command.output().unwrap())
}

/// A user of jobs. Dropping it removes what confinement has set up for it.
pub(crate) struct JobUser(pub(crate) u32);

impl JobUser {
    /// A confined shell that runs this script. The folder is the agent's, and has a home.
    pub(crate) fn command(&self, folder: &Path, options: &[&str], script: &str) -> Option<Command> {
        if !rustix::process::geteuid().is_root() {
            println!("not run, because only root can become another user");
            return None;
        }
        let home = folder.join("home");
        fs::create_dir_all(&home).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o711)).unwrap();
        chown(&home, Some(self.0), Some(self.0)).unwrap();
        let mut command = roundtrip(folder);
        command.args(["confine", "--user-id", &self.0.to_string(), "--group-id", &self.0.to_string()]);
        command.arg("--state").arg(folder).arg("--home").arg(&home);
        for limit in [["--memory-bytes", "536870912"], ["--file-bytes", "1048576"], ["--processes", "4096"]] {
            if !options.contains(&limit[0]) {
                command.args(limit);
            }
        }
        command.args(options).args(["--", "/bin/sh", "-c", script]);
        command.env("ROUNDTRIP_TOKEN_FILE", "/etc/shadow").env("SECRET", "one");
        Some(command)
    }
}

impl Drop for JobUser {
    fn drop(&mut self) {
        // As an agent does when it stops.
        let users = format!("{0}-{0}", self.0);
        for (family, to) in [("-4", "169.254.0.0/16"), ("-6", "fe80::/10")] {
            let rule = [family, "rule", "del", "pref", "100", "uidrange", &users, "to", to];
            let _ = Command::new("ip").args(rule).output();
        }
        for folder in ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"] {
            let _ = fs::remove_dir(format!("{folder}/roundtrip-job-{}", self.0));
        }
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn runs_as_an_unprivileged_user() {
    let folder = tempfile::tempdir().unwrap();
    let script = "id -u; id -G; grep NoNewPrivs /proc/self/status; ulimit -c";
    let Some(output) = confined(folder.path(), &[], script) else { return };
    assert_eq!(printed(&output), "65534\n65534\nNoNewPrivs:\t1\n0");
}

#[test]
fn reads_no_files_or_environment_of_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let secret = folder.path().join("agent.token");
    fs::write(&secret, "rta_secret").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let script = format!("cat {0}; echo x > {0}; env | grep -c -e SECRET -e TOKEN", secret.display());
    let Some(output) = confined(folder.path(), &[], &script) else { return };
    assert_eq!(printed(&output), "0");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(complaints.matches("ermission denied").count(), 1, "{complaints}");
    assert_eq!(complaints.matches("ead-only file system").count(), 1, "{complaints}");
    assert_eq!(fs::read_to_string(secret).unwrap(), "rta_secret");
}

#[test]
fn has_network_only_for_builds() {
    let folder = tempfile::tempdir().unwrap();
    let interfaces = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort";
    let Some(without) = confined(folder.path(), &[], interfaces) else { return };
    assert_eq!(printed(&without), "lo");
    // The loopback is up: programs talk over it among themselves.
    let up = "cat /sys/class/net/lo/flags 2>/dev/null; grep -c 127.0.0.1 /proc/net/fib_trie";
    let Some(up) = confined(folder.path(), &[], up) else { return };
    assert!(printed(&up).ends_with(|digit: char| digit.is_ascii_digit() && digit != '0'), "{up:?}");
    let ours = Command::new("sh").args(["-c", interfaces]).output().unwrap();
    let Some(with) = confined(folder.path(), &["--network"], interfaces) else { return };
    assert_eq!(printed(&with), printed(&ours));
}

#[test]
fn limits_memory_and_file_size() {
    let folder = tempfile::tempdir().unwrap();
    let big = "head -c 200000000 /dev/zero | tail -n 1 | wc -c";
    let options = ["--memory-bytes", "67108864", "--file-bytes", "1048576"];
    let Some(output) = confined(folder.path(), &options, big) else { return };
    assert_ne!(printed(&output), "200000000", "{output:?}");
    let script = "head -c 2000000 /dev/zero > $HOME/file; stat -c %s $HOME/file";
    let Some(output) = confined(folder.path(), &[], script) else { return };
    assert_eq!(printed(&output), "1048576");
}
