//! Attacks of a repository's commits on a lab machine: on other projects, on the machine, and on what comes after them. Most
//! need root, because changing the user does.

use crate::Process;
use crate::confine::JobUser;
use crate::lab::{Lab, State, names};
use crate::lab_confined::{change, lab};
use crate::run::commit_all;
use roundtrip_wire::lab::JobOutcome;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn build_reads_no_state_of_the_agent() {
    let files = ["endings.json", "canaries.json", "enrolment.json", "agent.key", "spool/acknowledged.json"];
    let folders = ["", "builds", "builds/another", "repositories", "repositories/another.git", "spool"];
    let script = format!(
        "cd ../../../..\nfor file in {}; do cat $file; done\nfor folder in {}; do ls ./$folder; done\ntrue\n",
        files.join(" "),
        folders.join(" ").trim_start(),
    );
    let Some(lab) = lab(&script) else { return };
    let finish = lab.finish_after_another_project();
    let refused = files.len() + folders.len() - 1;
    assert_eq!(finish.output.matches("ermission denied").count(), refused, "{finish:?}");
    let state = lab.folder.path().join("state");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in [&state, &state.join("spool")] {
        for name in names(folder) {
            let (path, expected) = (folder.join(&name), if name == "builds" { 0o711 } else { 0o600 });
            let expected = if path.is_dir() { expected | 0o100 } else { expected };
            assert_eq!(mode(&path), expected, "{path:?}");
        }
    }
}

#[test]
fn build_changes_no_build_of_another_commit() {
    let Some(lab) = lab("touch ../../$(cat previous)/tree/planted; ls ../..; true\n") else { return };
    let _agent = lab.agent();
    for count in 1..=2 {
        lab.give(lab.job(2 + count, 1));
        let finish = lab.finished(usize::try_from(count).unwrap());
        assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
        if count == 2 {
            assert_eq!(finish.output.matches("ermission denied").count(), 2, "{finish:?}");
        }
        let previous = lab.head();
        change(lab.source.path(), "previous", &previous);
    }
}

#[test]
fn local_repositories_need_the_permission_of_the_machine() {
    let lab = Lab::new("true", 1);
    // The fence tells them apart: an agent that is stopped early reports a completion twice.
    let finished = |fence: i64, project: &str, url: &str| {
        let mut job = lab.job(fence, fence);
        job["project"] = project.into();
        job["repository_url"] = url.into();
        lab.give(job);
        let of_job = |state: &State| state.finished.iter().find(|finish| finish.fence == fence).cloned();
        lab.server.until("the end of a job", of_job)
    };
    let failure = |fence: i64, project: &str, url: &str| {
        let finish = finished(fence, project, url);
        assert_eq!(finish.outcome, JobOutcome::Failed, "{url}: {finish:?}");
        finish.reason.unwrap()
    };
    let source = lab.source.path().to_str().unwrap();
    let local = format!("file://{source}");
    let agent = Process(lab.remote_command(&["--trust-repositories"]).spawn().unwrap());
    let reason = failure(3, "libfoo", &local);
    assert!(reason.contains("--allow-local-repositories"), "{reason}");
    for (fence, url) in [(4, source.to_owned()), (5, format!("FILE://{source}"))] {
        failure(fence, "libfoo", &url);
    }
    drop(agent);

    let _agent = lab.agent();
    let mirror = lab.folder.path().join("state/repositories/libfoo.git");
    let finish = finished(6, "libfoo", &local);
    assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
    let link = lab.folder.path().join("link");
    symlink(&mirror, &link).unwrap();
    let through = lab.source.path().join("..").join(mirror.strip_prefix("/tmp").unwrap_or(&mirror));
    for (fence, path) in [(7, &mirror), (8, &link), (9, &through)] {
        let reason = failure(fence, "thief", &format!("file://{}", path.display()));
        let expected = ["outside of the agent's folder", "cannot find the repository"];
        assert!(expected.iter().any(|expected| reason.contains(expected)), "{reason}");
    }
    failure(10, "thief", &mirror.to_string_lossy());
}

#[test]
fn requested_preset_shows_nothing_of_a_file() {
    let lab = Lab::new("true", 1);
    fs::write(lab.source.path().join("secret.toml"), "password = 'hunter2'\n").unwrap();
    commit_all(lab.source.path(), "a secret");
    let mut job = lab.job(3, 1);
    job["preset"] = json!("secret.toml");
    lab.give(job);
    let _agent = lab.agent();
    let reason = lab.finished(1).reason.unwrap();
    assert!(reason.contains("secret.toml of commit") && !reason.contains("password"), "{reason}");
}

#[test]
fn git_of_the_agent_runs_no_filters_and_hooks() {
    let lab = Lab::new("true", 1);
    fs::write(lab.source.path().join(".gitattributes"), "* filter=x\n").unwrap();
    commit_all(lab.source.path(), "a filter");
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    fs::create_dir_all(path("template/hooks")).unwrap();
    let hook = path("template/hooks/post-checkout");
    fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", path("hook-ran").display())).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        "[filter \"x\"]\nsmudge = touch {} && cat\n[init]\ntemplateDir = {}\n",
        path("filter-ran").display(),
        path("template").display()
    );
    fs::write(path(".gitconfig"), settings).unwrap();
    lab.give(lab.job(3, 1));
    let _agent = Process(lab.command(&["--trust-repositories"]).env("HOME", home.path()).spawn().unwrap());
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
    assert!(!path("filter-ran").exists() && !path("hook-ran").exists());
}

/// Makes six thousand folders in each other in the current one, and runs this in the last.
fn deep(then: &str) -> String {
    format!("perl -e 'for (1..6000) {{ mkdir \"d\"; chdir \"d\" or die }} {then}'\n")
}

#[test]
fn disk_limit_counts_all_files_of_a_job() {
    let Some(lab) = lab("true\n") else { return };
    let _agent = lab.agent_with(&["--job-user", &lab.user, "--disk-mib-max", "24"]);
    let half = |file: &str| format!("head -c 15000000 /dev/zero > {file}\n");
    let in_the_last = deep("for (1..2) { open my $file, \">\", $_; print $file \"x\" x 15000000 }");
    let scripts = [half("a") + &half("$HOME/b"), half("a") + &half("$TMPDIR/b"), in_the_last];
    for (index, script) in scripts.iter().enumerate() {
        change(lab.source.path(), "build.sh", script);
        lab.give(lab.job(3 + index as i64, 1));
        let finish = lab.finished(index + 1);
        let reason = finish.reason.as_deref().unwrap_or_default();
        assert!(reason.contains("the limit is 24 MiB"), "{script}: {finish:?}");
    }
}

#[test]
fn deep_trees_are_deleted() {
    let script =
        deep("") + "cd $HOME\n" + &deep("") + "mkdir locked && touch locked/file && chmod 0 locked\nexit 3\n";
    let Some(lab) = lab(&script) else { return };
    let _agent = lab.agent();
    // The second job deletes what the first has left.
    for count in [1, 2] {
        lab.give(lab.job(2 + count as i64, 1));
        let finish = lab.finished(count);
        assert!(
            finish.reason.as_deref().is_some_and(|reason| reason.ends_with("exit status: 3")),
            "{finish:?}"
        );
        let place = lab.folder.path().join("state/builds/libfoo").join(lab.head());
        assert_eq!(names(&place), ["tree"], "its home is left");
    }
}

#[test]
fn nothing_outside_of_its_folders_reaches_the_next_job() {
    let left = format!("left-{}", std::process::id());
    let paths = ["/tmp", "/var/tmp", "/dev/shm"].map(|folder| format!("{folder}/{left}")).join(" ");
    let queue = r#"perl -e 'print defined msgget(4242, 0) ? "found a queue\n" : "no queue\n"'"#;
    let new_queue = r#"perl -e 'defined msgget(4242, 01666) or die "cannot make a queue"'"#;
    let script = format!("set -e\nls {paths} || true\n{queue}\ntouch {paths}\nls {paths}\n{new_queue}\n");
    let Some(lab) = lab(&script) else { return };
    let _agent = lab.agent();
    for (count, project) in [(1, "another"), (2, "libfoo")] {
        let mut job = lab.job(2 + count as i64, 1);
        job["project"] = project.into();
        lab.give(job);
        let finish = lab.finished(count);
        assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
        assert_eq!(finish.output.matches("No such file").count(), 3, "{finish:?}");
        assert!(finish.output.contains("no queue"), "{finish:?}");
    }
    for path in paths.split(' ') {
        assert!(!Path::new(path).exists(), "{path}");
    }
}

/// The standard output of a confined script.
fn output(user: u32, options: &[&str], script: &str) -> Option<String> {
    let (user, folder) = (JobUser(user), tempfile::tempdir().unwrap());
    let output = user.command(folder.path(), options, script)?.output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn writes_only_to_its_own_folders() {
    let (user, folder) = (JobUser(64_001), tempfile::tempdir().unwrap());
    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let script = "for folder in open /run/lock /var/lock /tmp /var/tmp /dev/shm $HOME; do\n\
                  touch $folder/made && test $folder != $HOME && echo $folder; done; rm $HOME/made && echo home";
    let Some(mut command) = user.command(folder.path(), &[], script) else { return };
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "/tmp\n/var/tmp\n/dev/shm\nhome\n", "{output:?}");
    assert!(names(&open).is_empty() && !Path::new("/tmp/made").exists());
}

#[test]
fn processes_are_limited() {
    let script = "perl -e 'for (1..100) { my $child = fork; last unless defined $child; \
                  if (!$child) { sleep 60; exit } push @children, $child } print scalar @children; kill 9, @children'";
    let Some(printed) = output(64_002, &["--processes", "40"], script) else { return };
    let started: usize = printed.parse().unwrap();
    assert!((1..40).contains(&started), "{started}");
}

#[test]
fn memory_of_all_processes_is_limited() {
    let groups = ["/sys/fs/cgroup/memory/attack", "/sys/fs/cgroup/attack"];
    let made = groups.iter().map(fs::create_dir).any(|made| made.is_ok());
    groups.iter().for_each(|group| drop(fs::remove_dir(group)));
    if !made {
        println!("not run, because no control group can be created here");
        return;
    }
    // Each of four children takes at least 40 MB, and keeps it until all have tried.
    let script = r#"perl -e '
        pipe(my $waiting, my $gate);
        for (1..4) {
            pipe(my $from, my $to);
            my $child = fork;
            if (!$child) {
                close $gate;
                my $bytes = 40_000_000;
                my $taken = "x" x $bytes;
                syswrite $to, "k";
                sysread $waiting, my $end, 1;
                exit 0;
            }
            push @children, $child;
            close $to;
            sysread $from, my $taken, 1;
        }
        close $gate;
        print scalar grep { waitpid($_, 0); $? == 0 } @children;'"#;
    let Some(printed) = output(64_003, &["--memory-bytes", "125829120"], script) else { return };
    let ended: usize = printed.parse().unwrap();
    assert!((1..4).contains(&ended), "{ended}");
}

#[test]
fn link_local_addresses_are_unreachable() {
    let script = r#"perl -MSocket=:all -e '
        for (["169.254.169.254", AF_INET], ["fe80::1", AF_INET6], ["10.1.2.3", AF_INET]) {
            my ($text, $family) = @$_;
            socket(my $socket, $family, SOCK_DGRAM, 0) or die;
            my $address = inet_pton($family, $text);
            my $to = $family == AF_INET ? pack_sockaddr_in(80, $address) : pack_sockaddr_in6(80, $address, 1, 0);
            print "$text ", connect($socket, $to) ? "reached" : "unreachable", "\n";
        }'"#;
    let (user, folder) = (JobUser(64_004), tempfile::tempdir().unwrap());
    let Some(confined) = user.command(folder.path(), &["--network"], script) else { return };
    // A network of its own, in which all these addresses have a route.
    let network = "ip link set lo up && ip route add 169.254.0.0/16 dev lo && ip route add 10.0.0.0/8 dev lo && \
                   ip -6 route add fe80::/64 dev lo && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--net", "sh", "-c", network, "sh"]).arg(confined.get_program()).args(confined.get_args());
    let output = command.current_dir(folder.path()).stderr(Stdio::inherit()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed, "169.254.169.254 unreachable\nfe80::1 unreachable\n10.1.2.3 reached\n");
}
