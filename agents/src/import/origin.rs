//! Where the results of a file belong: their commit, machine and date. Arguments come first, then facts in the file.

use crate::cli::ImportArguments;
use crate::delivery::{Delivery, Subject};
use crate::failure::Failure;
use crate::format::parse_time;
use crate::repository::{Git, Repository};
use crate::revision;
use crate::settings::Settings;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use roundtrip_bench::environment;
use roundtrip_import::Format;
use roundtrip_wire::{Commit, CommitSha, Slug};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The origin of one file.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The commit that an argument, the file or its path names.
    pub(super) commit: Option<CommitSha>,
    /// `None`: this machine.
    machine: Option<Slug>,
    /// When the results were measured, by an argument or the file.
    pub(super) date: Option<DateTime<Utc>>,
    /// The same, only by the file.
    date_in_file: Option<DateTime<Utc>>,
    /// Whether the file says that the work tree had changes.
    is_modified: bool,
}

/// Files with the same place are one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Absent outside of a repository.
    pub(super) commit: CommitSha,
    machine: Option<Slug>,
    /// The tool's format.
    pub(super) format: &'static str,
}

/// Finds the origins of files.
pub(super) struct Origins<'a> {
    arguments: &'a ImportArguments,
    delivery: &'a Delivery<'a>,
    settings: &'a Settings,
    git: Git,
    /// The commit of `--commit`.
    commit: Option<CommitSha>,
    /// The notes printed so far. Many files have the same.
    printed: HashSet<String>,
}

impl<'a> Origins<'a> {
    pub(super) fn new(
        arguments: &'a ImportArguments,
        delivery: &'a Delivery<'a>,
        settings: &'a Settings,
    ) -> crate::Result<Self> {
        let (git, repository) = (Git::here(), &delivery.subject.repository);
        let needs_commits = arguments.commit.is_some() || arguments.history.is_some();
        if needs_commits && repository.commit.is_absent() {
            return Err(Failure::Usage(
                "--commit and --history need a Git repository with a commit. Run this in the repository that was \
                 measured."
                    .into(),
            ));
        }
        let named = arguments.commit.as_deref();
        let commit = named.map(|name| revision::resolve(&git, &repository.root, name)).transpose()?;
        Ok(Self { arguments, delivery, settings, git, commit, printed: HashSet::new() })
    }

    /// The origin of a file with these facts. The commit can also be in `path`.
    pub(super) fn of(
        &mut self,
        file: &str,
        facts: &BTreeMap<String, String>,
        path: Option<&Path>,
    ) -> crate::Result<Origin> {
        let fact = |key: &str| facts.get(key).map(String::as_str);
        let commit = self.commit(file, fact("commit"), path)?;
        let machine = self.machine(file, fact("host"))?;
        let date_in_file = self.date_in_file(file, fact("date"));
        let date = self.arguments.date.or(date_in_file);
        if let Some(date) = date.filter(|date| *date > Utc::now() + TimeDelta::days(1)) {
            return Err(Failure::Usage(format!(
                "{file}: measured in the future, on {date}. Import it alone with --date."
            )));
        }
        let is_modified = fact("work_tree_modified").is_some();
        Ok(Origin { commit, machine, date, date_in_file, is_modified })
    }

    fn commit(
        &mut self,
        file: &str,
        stated: Option<&str>,
        path: Option<&Path>,
    ) -> crate::Result<Option<CommitSha>> {
        let repository = &self.delivery.subject.repository;
        // Printed or written to a file only.
        if repository.commit.is_absent() {
            return Ok(None);
        }
        let in_file = stated.filter(|text| is_commit_name(text));
        if let Some(stated) = stated.filter(|_| in_file.is_none()) {
            self.note(file, format!("commit: ignored `{stated}`, which is not the id of a commit"));
        }
        if let Some(commit) = self.commit.clone() {
            let differs = |stated: &&str| !commit.as_str().starts_with(&stated.to_ascii_lowercase());
            if let Some(stated) = in_file.filter(differs) {
                self.note(file, format!("commit: the file says {stated}, using {commit} from --commit"));
            }
            return Ok(Some(commit));
        }
        let Some(stated) = in_file else {
            return Ok(path.and_then(|path| self.commit_in_path(path)));
        };
        let found = self.resolve(stated).ok_or_else(|| {
            let place = repository.root.display();
            let hint = if self.git.is_shallow().unwrap_or_default() { revision::SHALLOW } else { "" };
            Failure::Usage(format!(
                "{file}: its commit {stated} is not in {place}. Fetch it with git, or import the file alone with --commit.{hint}"
            ))
        })?;
        Ok(Some(found))
    }

    /// The commit that a part of a path names, such as `results/1a2b3c4/go.txt` or `bench-1a2b3c4.json`. The last one wins.
    fn commit_in_path(&self, path: &Path) -> Option<CommitSha> {
        commit_names(&path.to_string_lossy()).rev().find_map(|name| self.resolve(name))
    }

    fn resolve(&self, name: &str) -> Option<CommitSha> {
        let revision = format!("{name}^{{commit}}");
        let found =
            self.git.commit(&["rev-parse", "--verify", "--quiet", "--end-of-options", &revision]).ok()?;
        // A tag or branch can look like an id.
        found.as_str().starts_with(&name.to_ascii_lowercase()).then_some(found)
    }

    fn machine(&mut self, file: &str, host: Option<&str>) -> crate::Result<Option<Slug>> {
        let own = environment::machine(None).slug;
        let host = host.map(Slug::from_name);
        let machine = match (self.delivery.subject.machine.clone(), host) {
            (Some(named), host) => {
                if let Some(host) = host.filter(|host| *host != named) {
                    self.note(file, format!("machine: the file says {host}, using {named} from --machine"));
                }
                Some(named)
            }
            (None, Some(host)) if host != own => {
                self.note(
                    file,
                    format!("machine: using {host} from the file. Pass --machine for another name."),
                );
                Some(host)
            }
            (None, _) => None,
        };
        if self.delivery.is_uploaded() {
            let checked = self.settings.check_machine(machine.as_ref().unwrap_or(&own));
            checked.map_err(|failure| Failure::Refused(format!("{file}: {failure}")))?;
        }
        Ok(machine)
    }

    fn date_in_file(&mut self, file: &str, stated: Option<&str>) -> Option<DateTime<Utc>> {
        let stated = stated?;
        let Some(in_file) = parse_time(stated) else {
            self.note(
                file,
                format!("date: ignored `{stated}`, expected a time such as 2026-11-30T08:00:00Z"),
            );
            return None;
        };
        if let Some(named) = self.arguments.date {
            // The argument can be a day.
            let is_that_day = named.time() == NaiveTime::MIN && named.date_naive() == in_file.date_naive();
            if named != in_file && !is_that_day {
                self.note(file, format!("date: the file says {in_file}, using {named} from --date"));
            }
        }
        Some(in_file)
    }

    fn note(&mut self, file: &str, text: String) {
        if !self.printed.contains(&text) {
            eprintln!("{file}: {text}");
            self.printed.insert(text);
        }
    }

    pub(super) fn place(&self, origin: &Origin, format: Format) -> Place {
        let checked_out = &self.delivery.subject.repository.commit.sha;
        Place {
            commit: origin.commit.as_ref().unwrap_or(checked_out).clone(),
            machine: origin.machine.clone(),
            format: format.slug(),
        }
    }

    /// The position of a commit in the first-parent history.
    pub(super) fn ordinal(&self, commit: &CommitSha) -> crate::Result<u64> {
        self.git.ordinal(commit.as_str())
    }

    /// The metadata of a run: its commit with history, branch and pull request.
    pub(super) fn subject(&self, place: &Place, of_files: &[Origin]) -> crate::Result<Subject> {
        let Self { git, delivery, .. } = self;
        let checked_out = &delivery.subject.repository;
        let is_named = are_named(of_files);
        let subject = if place.commit == checked_out.commit.sha {
            let repository = checked_out.clone();
            // The work tree may have changed since.
            let is_modified = repository.work_tree_modified && !is_named;
            delivery.subject_at(Repository { work_tree_modified: is_modified, ..repository })?
        } else {
            let branches = [checked_out.default_branch.as_deref(), checked_out.branch.as_deref()];
            let branches: Vec<&str> = branches.into_iter().flatten().collect();
            // A run without a branch counts for the main line, so a commit of no branch has its id as branch.
            let branch = git.branch_with(&place.commit, &branches).or_else(|| {
                let is_on_head = git.is_on("HEAD", &place.commit);
                if is_on_head { checked_out.branch.clone() } else { Some(place.commit.short().to_owned()) }
            });
            let repository = Repository { branch, ..checked_out.clone().at(git, &place.commit)? };
            // In a CI job, the commit need not be the job's.
            let of_job = delivery.subject_at(repository.clone());
            of_job.unwrap_or_else(|_| Subject { repository, ..delivery.subject.clone() })
        };
        let mut subject = Subject { machine: place.machine.clone(), ..subject };
        subject.repository.work_tree_modified |= of_files.iter().any(|origin| origin.is_modified);
        Ok(subject)
    }
}

fn are_named(of_files: &[Origin]) -> bool {
    of_files.iter().all(|origin| origin.commit.is_some())
}

/// When the files of a run were measured, as the first and the last time; and the time that sorts its id, which is the same
/// when the files are imported again.
pub(super) fn times(of_files: &[Origin], commit: &Commit) -> ([DateTime<Utc>; 2], DateTime<Utc>) {
    let default = if are_named(of_files) { commit.committed_at } else { Utc::now() };
    let dates = || of_files.iter().filter_map(|origin| origin.date);
    let measured = [dates().min().unwrap_or(default), dates().max().unwrap_or(default)];
    let in_files = of_files.iter().filter_map(|origin| origin.date_in_file).min();
    (measured, in_files.unwrap_or(commit.committed_at))
}

/// The parts of a path that can be the ids of commits.
pub(super) fn commit_names(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(|character: char| !character.is_ascii_alphanumeric()).filter(|part| is_commit_name(part))
}

/// Whether a text can be an abbreviated or full commit id.
fn is_commit_name(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(commit: Option<&CommitSha>, date: Option<&str>, in_file: Option<&str>) -> Origin {
        let time = |text: Option<&str>| text.and_then(parse_time);
        let (date, date_in_file) = (time(date), time(in_file));
        Origin { commit: commit.cloned(), machine: None, date, date_in_file, is_modified: false }
    }

    #[test]
    fn ids_do_not_depend_on_the_time_of_the_import() {
        let committed = parse_time("2026-03-01").unwrap();
        let commit = Commit { committed_at: committed, ..Commit::absent(Utc::now()) };
        let sha = Some(&commit.sha);
        let unknown = origin(sha, None, None);
        assert_eq!(times(std::slice::from_ref(&unknown), &commit), ([committed; 2], committed));
        let (first, last) = (parse_time("2026-03-02").unwrap(), parse_time("2026-03-03").unwrap());
        let named = [origin(sha, Some("2026-03-02"), None), origin(sha, Some("2026-03-03"), None), unknown];
        assert_eq!(times(&named, &commit), ([first, last], committed));
        let stated = origin(sha, Some("2026-03-03"), Some("2026-03-02"));
        assert_eq!(times(&[stated], &commit), ([last; 2], first));
        let ([measured, _], sorted_at) = times(&[origin(None, None, None)], &commit);
        assert!(measured > last && sorted_at == committed);
    }
}
