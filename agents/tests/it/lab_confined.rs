//! An agent that confines repositories: results of unprivileged builds are measured, and their files never
//! trusted. Only on Linux as root, because changing the user needs it.

use crate::confine::JobUser;
use crate::lab::Lab;
use crate::run::{commit_all, git};
use crate::{Process, definition_of_programs, has_programs, refused, run_command};
use roundtrip_wire::CommitSha;
use roundtrip_wire::lab::{Finish, JobOutcome};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One agent at a time, because each ends all processes of its user.
static TURN: Mutex<()> = Mutex::new(());

/// A machine that builds repositories as an unprivileged user.
pub(crate) struct Confined {
    lab: Lab,
    pub(crate) user: String,
    _released: JobUser,
    _turn: MutexGuard<'static, ()>,
}

/// Its commits are built with this script.
pub(crate) fn lab(script: &str) -> Option<Confined> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if !rustix::process::geteuid().is_root() {
        println!("not run, because only root can become another user");
        return None;
    }
    let Some((user, user_id)) = idle_user() else {
        println!("not run, because each user without rights runs something");
        return None;
    };
    let lab = Lab::new("sh build.sh", 1);
    change(lab.source.path(), "build.sh", script);
    fs::set_permissions(lab.folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    Some(Confined { lab, user, _released: JobUser(user_id), _turn: turn })
}

impl Confined {
    pub(crate) fn agent(&self) -> Process {
        self.lab.agent_with(&["--job-user", &self.user])
    }

    /// Runs a job of another project, and then one of `libfoo`, whose end it returns.
    pub(crate) fn finish_after_another_project(&self) -> Finish {
        let mut another = self.job(3, 1);
        another["project"] = "another".into();
        self.give(another);
        let _agent = self.agent();
        assert_eq!(self.finished(1).outcome, JobOutcome::Done);
        self.give(self.job(4, 1));
        self.finished(2)
    }
}

impl Deref for Confined {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

/// A user without a login and without processes, because the agent kills all of them.
fn idle_user() -> Option<(String, u32)> {
    let running: BTreeSet<u32> =
        fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.metadata().ok()?.uid())).collect();
    let users = fs::read_to_string("/etc/passwd").unwrap();
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        // The tests of confinement use `nobody`.
        let is_idle = line.ends_with("nologin") && name != "nobody" && !running.contains(&number);
        is_idle.then(|| (name.to_owned(), number))
    })
}

/// Commits a file, if it differs.
pub(crate) fn change(source: &Path, name: &str, text: &str) {
    if fs::read_to_string(source.join(name)).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(source.join(name), text).unwrap();
    commit_all(source, name);
}

#[test]
fn trusts_no_files_of_a_build() {
    // A git started by root in this work tree, or an agent reading there, could run or follow each of these.
    let Some(lab) = lab("id -un\n\
        git config filter.x.clean 'touch PROOF' && echo '* filter=x' > .gitattributes && touch one.toml\n\
        git config core.fsmonitor 'touch PROOF' && git config core.hooksPath . \n\
        echo 0000000000000000000000000000000000000000 > .git/HEAD\n\
        rm roundtrip.toml && ln -s /etc/shadow roundtrip.toml\n\
        rm one.toml && ln -s /etc/shadow one.toml\n")
    else {
        return;
    };
    let proof = lab.folder.path().join("proof");
    let script = fs::read_to_string(lab.source.path().join("build.sh")).unwrap();
    change(lab.source.path(), "build.sh", &script.replace("PROOF", &proof.to_string_lossy()));
    let _agent = lab.agent();
    for (count, expected) in [(1, lab.user.as_str()), (2, "is already built")] {
        lab.give(lab.job(3 + count as i64, 1));
        let finish = lab.finished(count);
        assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
        assert!(finish.output.contains(expected), "{finish:?}");
    }
    assert!(!proof.exists(), "root has run what the build left");
    lab.server.change(|state| {
        assert_eq!(state.runs.len(), 2);
        for run in &state.runs {
            assert_eq!(run.commit.sha, CommitSha::parse(&lab.head()).unwrap());
            assert_eq!(run.commit.subject, "build.sh");
            assert!(!run.history.is_empty() && !run.work_tree_modified);
        }
    });
}

#[test]
fn work_tree_is_read_only_while_measuring() {
    if !has_programs() {
        return;
    }
    let Some(lab) = lab("touch built-here\n") else { return };
    let answer = r#"{\"unsupported\":\"$(id -un), tree $tree, home $home\"}"#;
    let script = format!(
        "touch made built-here 2> errors || tree=read-only\ntouch $TMPDIR/made && home=writable\necho \"{answer}\"\n"
    );
    change(lab.source.path(), "program.sh", &script);
    change(lab.source.path(), "one.toml", &definition_of_programs(&["mine"], "['sh', 'program.sh']"));
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
    lab.server.change(|state| {
        let reason = state.runs[0].results[0].unsupported.as_ref().unwrap();
        let expected = format!("{}, tree read-only, home writable", lab.user);
        assert!(reason.contains(&expected), "{reason}");
    });
}

#[test]
fn projects_cannot_read_each_other() {
    let Some(lab) =
        lab("ls ../../../another ../../../../repositories/another.git; cat ../../../../agent.key; true\n")
    else {
        return;
    };
    let finish = lab.finish_after_another_project();
    assert_eq!(finish.output.matches("ermission denied").count(), 3, "{finish:?}");
}

#[test]
fn job_user_fetches_submodules() {
    let Some(lab) = lab("cat part/name; ls -ld part | cut -d' ' -f3\n") else { return };
    // Not in a temporary folder: a job has its own.
    let part = tempfile::tempdir_in("/var/lib").unwrap();
    fs::set_permissions(part.path(), fs::Permissions::from_mode(0o755)).unwrap();
    git(part.path(), &["init", "-q"]);
    change(part.path(), "name", "of the part\n");
    let url = format!("file://{}", part.path().display());
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "part"];
    git(lab.source.path(), &add);
    commit_all(lab.source.path(), "a part");
    // git serves only repositories of the requesting user.
    let given = Command::new("chown").args(["-R", &lab.user]).arg(part.path()).status().unwrap();
    assert!(given.success());
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
    let expected = format!("of the part\n{}\n", lab.user);
    assert!(finish.output.contains(&expected), "{finish:?}");
}

#[test]
fn agents_cannot_share_a_user() {
    let Some(lab) = lab("true\n") else { return };
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    lab.finished(1);
    let another = Lab::new("true", 1);
    let output = run_command(another.folder.path(), &["agent", "--state", "state", "--job-user", &lab.user]);
    refused(&output, 9, &["another agent uses the job user"]);
}

#[test]
fn benchmarks_cannot_link_out_of_their_work_tree() {
    let Some(lab) = lab("true\n") else { return };
    let _agent = lab.agent();
    let go = "echo 'BenchmarkPipe/64-2 1000 1234.5 ns/op' > results.txt";
    for (count, script) in [(1, go), (2, "ln -sf /etc/shadow results.txt"), (3, "mkfifo results.txt")] {
        change(lab.source.path(), "bench.sh", script);
        let settings = "build = ['sh build.sh']\n[[command]]\nrun = 'sh bench.sh'\nfile = 'results.txt'\n";
        change(lab.source.path(), "roundtrip.toml", settings);
        lab.give(lab.job(3 + count as i64, 1));
        let finish = lab.finished(count);
        if count == 1 {
            assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
            continue;
        }
        let reason = finish.reason.as_deref().unwrap_or_default();
        assert!(reason.contains("results.txt is not a file in the repository"), "{finish:?}");
    }
}
