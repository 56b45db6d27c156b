//! The check of a commit. It fails only if the project is set to fail on regressions.

use super::body::{headline, summary};
use super::{PullRequestReport, State, text};
use serde_json::{Value, json};

const TITLE_LENGTH_MAX: usize = 200;

/// The name of the check. Branch protection rules refer to it, so it never changes.
pub fn name(report: &PullRequestReport) -> String {
    format!("Roundtrip ({})", report.project)
}

/// The check, without its commit.
pub fn check(report: &PullRequestReport) -> Value {
    let title: String = headline(report).chars().take(TITLE_LENGTH_MAX).collect();
    let output = json!({"title": title, "summary": summary(report)});
    // A commit without results has no page.
    let page = if report.rows.is_empty() { &report.comparison_url } else { &report.commit_url };
    let mut check = json!({"name": name(report), "details_url": page, "output": output});
    match conclusion(report) {
        Some(conclusion) => {
            check["status"] = json!("completed");
            check["conclusion"] = json!(conclusion);
        }
        None => check["status"] = json!("in_progress"),
    }
    check
}

/// None until all machines have finished.
fn conclusion(report: &PullRequestReport) -> Option<&'static str> {
    let is_slower = matches!(report.state_of_rows(), State::Regressed | State::Mixed);
    let fails = is_slower && report.fails_on_regression && report.acknowledgement.is_none();
    match report.state() {
        State::Waiting => None,
        // Results from a fork never fail the check.
        _ if fails && !report.is_quarantined => Some("failure"),
        State::Incomplete | State::Identical | State::Inconclusive | State::NotComparable => Some("neutral"),
        State::Regressed | State::Mixed | State::Improved | State::NoChange => Some("success"),
    }
}

/// The title of a check that waits for machines.
pub(super) fn progress(report: &PullRequestReport) -> String {
    let waiting = report.legs.iter().filter(|leg| leg.state == super::LegState::Waiting).count();
    let all = text::counted(report.legs.len(), "machine", "machines");
    format!("Waiting for {} of {all}", text::count(waiting))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{leg, report};
    use super::super::{Acknowledgement, LegState, Verdict};
    use super::*;

    #[test]
    fn a_check_links_to_the_commit_once_it_has_results() {
        let report = report(&[Verdict::NoChange]);
        assert_eq!(check(&report)["details_url"], report.commit_url);
        let waiting = PullRequestReport { rows: Vec::new(), ..report };
        assert_eq!(check(&waiting)["details_url"], waiting.comparison_url);
    }

    #[test]
    fn a_check_fails_only_if_the_project_is_set_to_and_the_change_is_not_acknowledged() {
        let mut slower = report(&[Verdict::Regressed, Verdict::NoChange]);
        assert_eq!(conclusion(&slower), Some("success"));
        slower.fails_on_regression = true;
        assert_eq!(conclusion(&slower), Some("failure"));
        let forked = PullRequestReport { is_quarantined: true, ..slower.clone() };
        assert_eq!(conclusion(&forked), Some("success"));
        let mut missing = slower.clone();
        missing.legs.push(leg("lab-2", LegState::Failed));
        assert_eq!(conclusion(&missing), Some("failure"));
        slower.acknowledgement = Some(Acknowledgement { by: "ada".into(), reason: "meant".into() });
        assert_eq!(conclusion(&slower), Some("success"));
    }

    #[test]
    fn a_check_without_a_measurement_is_neutral() {
        let mut identical = report(&[]);
        identical.fails_on_regression = true;
        identical.legs = vec![leg("lab-1", LegState::Identical)];
        assert_eq!(conclusion(&identical), Some("neutral"));
        let title = "Not measured: base and head run identical programs";
        assert_eq!(check(&identical)["output"]["title"], title);
    }

    #[test]
    fn a_check_is_neutral_when_inconclusive_and_open_while_it_waits() {
        assert_eq!(conclusion(&report(&[Verdict::Inconclusive])), Some("neutral"));
        assert_eq!(conclusion(&report(&[Verdict::NotComparable])), Some("neutral"));
        assert_eq!(conclusion(&report(&[Verdict::NoChange])), Some("success"));
        let mut waiting = report(&[Verdict::Regressed]);
        waiting.legs.push(leg("lab-2", LegState::Waiting));
        assert_eq!(conclusion(&waiting), None);
        assert_eq!(check(&waiting)["status"], "in_progress");
        assert_eq!(check(&waiting)["output"]["title"], "Waiting for 1 of 2 machines");
    }
}
