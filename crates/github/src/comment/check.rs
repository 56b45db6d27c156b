//! The check of a commit: quiet, and red only where the project wants it so.

use super::body::{headline, summary};
use super::{PullRequestReport, State, text};
use serde_json::{Value, json};

const TITLE_LENGTH_MAX: usize = 200;

/// What the check is called. Branch protection goes by it, so that it never changes.
pub fn name(report: &PullRequestReport) -> String {
    format!("Roundtrip ({})", report.project)
}

/// All of the check but its commit.
pub fn check(report: &PullRequestReport) -> Value {
    let title: String = headline(report).chars().take(TITLE_LENGTH_MAX).collect();
    let output = json!({"title": title, "summary": summary(report)});
    let mut check = json!({"name": name(report), "details_url": report.comparison_url, "output": output});
    match conclusion(report) {
        Some(conclusion) => {
            check["status"] = json!("completed");
            check["conclusion"] = json!(conclusion);
        }
        None => check["status"] = json!("in_progress"),
    }
    check
}

/// None before all machines have measured.
fn conclusion(report: &PullRequestReport) -> Option<&'static str> {
    let is_slower = matches!(report.state_of_rows(), State::Regressed | State::Mixed);
    let fails = is_slower && report.fails_on_regression && report.acknowledgement.is_none();
    match report.state() {
        State::Waiting => None,
        // What a fork measured decides nothing.
        _ if fails && !report.is_quarantined => Some("failure"),
        State::Incomplete | State::Inconclusive | State::NotComparable => Some("neutral"),
        State::Regressed | State::Mixed | State::Improved | State::NoChange => Some("success"),
    }
}

/// How many machines are there, for the title of a check that is not complete.
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
    fn a_check_fails_only_where_the_project_wants_it_and_nobody_said_that_it_is_meant() {
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
    fn a_check_is_neutral_where_it_cannot_tell_and_open_while_it_waits() {
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
