//! What to explain about a regression, from its page on a server.

use super::Question;
use crate::remote::{Server, parsed};
use crate::table;
use roundtrip_wire::{CaseResult, CommitSha};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// A page: `https://roundtrip.example.org/libfoo/regressions/12`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RegressionPage<'a> {
    server: &'a str,
    project: &'a str,
    regression_id: u64,
}

#[derive(Deserialize)]
struct Answer {
    regression: Regression,
    change_points: Vec<Change>,
}

#[derive(Deserialize)]
struct Regression {
    after_commit: Commit,
    until_commit: Commit,
    culprit_commit: Option<Commit>,
}

#[derive(Deserialize)]
struct Commit {
    sha: CommitSha,
}

#[derive(Deserialize)]
struct Change {
    series_id: i64,
    before_level: f64,
    after_level: f64,
}

impl<'a> RegressionPage<'a> {
    pub(super) fn parse(address: &'a str) -> Option<Self> {
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        let (before, after) = address.rsplit_once("/regressions/").filter(|_| is_web)?;
        let (server, project) = before.rsplit_once('/')?;
        let number = after.split(['/', '?', '#']).next()?;
        Some(Self { server, project, regression_id: number.parse().ok()? })
    }

    /// Its commits, or its culprit and the commit before it, in the case with the largest change.
    pub(super) fn question(&self, token_file: Option<&Path>) -> crate::Result<Question> {
        let server = Server::at(self.server, token_file)?;
        let Self { project, regression_id, .. } = self;
        let answer = server.get(&format!("projects/{project}/regressions/{regression_id}"))?;
        let answer: Answer = parsed(self.server, &answer)?;
        let Regression { after_commit, until_commit, culprit_commit } = answer.regression;
        let (base, head) = match culprit_commit {
            Some(Commit { sha }) => (format!("{sha}^"), sha.to_string()),
            None => (after_commit.sha.to_string(), until_commit.sha.to_string()),
        };
        let size = |change: &Change| (change.after_level / change.before_level).ln().abs();
        let largest = answer.change_points.iter().max_by(|one, other| size(one).total_cmp(&size(other)));
        let case = |change: &Change| self.case(&server.get(&format!("series/{}", change.series_id))?);
        Ok(Question { base, head, case: largest.map(case).transpose()? })
    }

    /// The name of a series' case, as `roundtrip ab` prints it.
    fn case(&self, series: &Value) -> crate::Result<String> {
        let result = json!({
            "transport": series["transport"],
            "case": series["case"],
            "methodology": series["methodology"],
            "repetitions": [],
        });
        Ok(table::describe(&parsed::<CaseResult>(self.server, &result)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_server_project_and_number() {
        let page = |server, project, regression_id| Some(RegressionPage { server, project, regression_id });
        let at = RegressionPage::parse;
        let server = "https://roundtrip.example.org";
        assert_eq!(at("https://roundtrip.example.org/libfoo/regressions/12"), page(server, "libfoo", 12));
        assert_eq!(
            at("https://roundtrip.example.org/libfoo/regressions/12/profile?view=head"),
            page(server, "libfoo", 12)
        );
        assert_eq!(at("http://host/ipc/libfoo/regressions/3#why"), page("http://host/ipc", "libfoo", 3));
        assert_eq!(at("HEAD~1"), None);
        assert_eq!(at("https://roundtrip.example.org/libfoo/regressions/last"), None);
    }
}
