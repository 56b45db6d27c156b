//! Estimates when queued jobs start, by simulating the machines with the durations of earlier jobs. Pure.

use chrono::{DateTime, Utc};
use roundtrip_storage::agent::Taker;
use roundtrip_storage::job::{Open, Pace};
use std::collections::HashMap;

/// Estimates the seconds until each waiting job starts, by id. Absent if no machine takes it, or if the duration of
/// earlier jobs is unknown.
pub fn starts(
    open: &[Open],
    agents: &[Taker],
    projects: &HashMap<String, i64>,
    paces: &[Pace],
    now: DateTime<Utc>,
) -> HashMap<i64, f64> {
    let pace: HashMap<(i64, i64), f64> =
        paces.iter().map(|pace| ((pace.project_id, pace.machine_id), pace.seconds)).collect();
    let mut agents: Vec<Busy<'_>> = agents
        .iter()
        .filter(|agent| agent.is_enabled)
        .map(|agent| {
            let project_id = agent.project.as_ref().map(|project| projects.get(project).copied());
            Busy { agent, project_id, free_in: Some(0.0) }
        })
        .collect();
    for job in open.iter().filter(|job| job.is_running) {
        let Some(agent) = agents.iter_mut().find(|agent| Some(agent.agent.machine_id) == job.machine_id)
        else {
            continue;
        };
        let elapsed = job.started_at.map_or(0.0, |at| (now - at).as_seconds_f64());
        let whole = pace.get(&(job.project_id, agent.agent.machine_id));
        agent.free_in = whole.map(|whole| (whole - elapsed).max(0.0));
    }
    let mut starts = HashMap::new();
    for job in open.iter().filter(|job| !job.is_running) {
        let takers = agents.iter_mut().filter(|agent| agent.takes(job));
        // An agent with an unknown time is used last.
        let key = |agent: &&mut Busy<'_>| agent.free_in.unwrap_or(f64::INFINITY);
        let Some(first) = takers.min_by(|one, other| key(one).total_cmp(&key(other))) else { continue };
        let Some(free_in) = first.free_in else { continue };
        starts.insert(job.job_id, free_in);
        first.free_in = pace.get(&(job.project_id, first.agent.machine_id)).map(|whole| free_in + whole);
    }
    starts
}

/// An agent, and the seconds until it is free, if known.
struct Busy<'a> {
    agent: &'a Taker,
    /// The only project that it works for: `Some(None)` if that does not exist.
    project_id: Option<Option<i64>>,
    free_in: Option<f64>,
}

impl Busy<'_> {
    fn takes(&self, job: &Open) -> bool {
        let is_for = match job.machine_id {
            Some(machine_id) => machine_id == self.agent.machine_id,
            None => job.labels.iter().all(|label| self.agent.labels.contains(label)),
        };
        is_for && self.project_id.is_none_or(|project_id| project_id == Some(job.project_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn agent(machine_id: i64, labels: &[&str]) -> Taker {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Taker { machine_id, project: None, labels, is_enabled: true }
    }

    fn job(job_id: i64, machine_id: Option<i64>) -> Open {
        Open { job_id, project_id: 1, machine_id, labels: Vec::new(), is_running: false, started_at: None }
    }

    fn pace(machine_id: i64, seconds: f64) -> Pace {
        Pace { project_id: 1, machine_id, seconds }
    }

    fn starts_of(open: &[Open], agents: &[Taker], paces: &[Pace]) -> Vec<(i64, f64)> {
        let mut starts: Vec<_> =
            starts(open, agents, &HashMap::new(), paces, Utc::now()).into_iter().collect();
        starts.sort_by_key(|(job_id, _)| *job_id);
        starts
    }

    #[test]
    fn jobs_wait_for_earlier_and_running_jobs() {
        let now = Utc::now();
        let running =
            Open { is_running: true, started_at: Some(now - TimeDelta::seconds(40)), ..job(1, Some(7)) };
        let starts = starts(
            &[running, job(2, Some(7)), job(3, Some(7)), job(4, Some(8))],
            &[agent(7, &[]), agent(8, &[])],
            &HashMap::new(),
            &[pace(7, 100.0), pace(8, 10.0)],
            now,
        );
        assert_eq!(starts, HashMap::from([(2, 60.0), (3, 160.0), (4, 0.0)]));
    }

    #[test]
    fn the_first_free_machine_with_the_labels_takes_a_job() {
        let labelled = |job_id| Open { labels: vec!["big".into()], ..job(job_id, None) };
        let agents = [agent(7, &["big"]), agent(8, &[]), agent(9, &["big", "new"])];
        let paces = [pace(7, 30.0), pace(8, 1.0), pace(9, 20.0)];
        let open = [labelled(1), labelled(2), labelled(3), labelled(4)];
        assert_eq!(starts_of(&open, &agents, &paces), [(1, 0.0), (2, 0.0), (3, 20.0), (4, 30.0)]);
    }

    #[test]
    fn unknown_or_unassignable_jobs_have_no_estimate() {
        let off = Taker { is_enabled: false, ..agent(7, &[]) };
        assert_eq!(starts_of(&[job(1, Some(7))], &[off], &[pace(7, 1.0)]), []);
        assert_eq!(starts_of(&[job(1, Some(7)), job(2, Some(7))], &[agent(7, &[])], &[]), [(1, 0.0)]);
        let other = Taker { project: Some("another".into()), ..agent(7, &[]) };
        assert_eq!(starts_of(&[job(1, Some(7))], &[other], &[pace(7, 1.0)]), []);
    }
}
