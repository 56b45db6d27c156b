//! One job, from its commit to reports in the spool.

use super::checkout::{Built, Checkout, Checkouts};
use super::heartbeat::{Heartbeat, Interrupted};
use super::runner::{DiskWatch, Output};
use crate::delivery::Subject;
use crate::explain;
use crate::failure::Failure;
use crate::format::counted;
use crate::import;
use crate::programs::identical::{Build, identical};
use crate::programs::{self, CommitTree};
use crate::settings::Preset;
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::harness::ab::{self, Comparison, Pair, try_once};
use roundtrip_bench::harness::{self, Event, Outcome, PeerCommand};
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{CaseResult, CommitSha, MeasuredProgram, ProgramOrigin, RunId, RunReport, Slug};
use std::ops::ControlFlow;
use std::path::Path;

/// The default preset.
const PRESET: &str = "quick";

pub(crate) struct JobRunner {
    pub(crate) checkouts: Checkouts,
    pub(crate) peer: PeerCommand,
    pub(crate) machine: Slug,
}

/// The result of a job.
#[derive(Debug)]
pub(crate) struct Worked {
    pub(crate) reports: Vec<RunReport>,
    /// The number of cases with identical programs at base and head, which were not measured.
    pub(crate) identical: usize,
}

#[derive(Debug)]
pub(crate) enum NoReports {
    /// It cannot be measured, for this reason.
    Failed(String),
    Interrupted(Interrupted),
}

impl From<Interrupted> for NoReports {
    fn from(by: Interrupted) -> Self {
        Self::Interrupted(by)
    }
}

impl NoReports {
    /// Adds the subject of the failure.
    pub(crate) fn with_subject(self, what: &str) -> Self {
        match self {
            Self::Failed(reason) => Self::Failed(format!("{what} {reason}")),
            interrupted @ Self::Interrupted(_) => interrupted,
        }
    }
}

/// The value, unless the work was interrupted.
pub(crate) fn completed<T>(work: ControlFlow<impl Into<NoReports>, T>) -> Result<T, NoReports> {
    match work {
        ControlFlow::Continue(value) => Ok(value),
        ControlFlow::Break(by) => Err(by.into()),
    }
}

/// Breaks between two repetitions if the job was interrupted, or has written too much.
fn between(heartbeat: &mut Heartbeat<'_>, disk: &mut DiskWatch) -> ControlFlow<NoReports> {
    heartbeat.check().map_break(NoReports::Interrupted)?;
    disk.check().map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

impl From<Failure> for NoReports {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.to_string())
    }
}

impl JobRunner {
    /// Fetches, builds and measures. The reports are complete, or there are none. Cases with identical programs at base and head
    /// are not measured.
    pub(crate) fn work(
        &self,
        job: &Assignment,
        output: &mut Output,
        heartbeat: &mut Heartbeat<'_>,
    ) -> Result<Worked, NoReports> {
        let commits: Vec<&CommitSha> = std::iter::once(&job.commit_sha).chain(&job.base_sha).collect();
        let checkout = self.checkouts.open(&job.project, &job.repository_url, &commits)?;
        // Commits on the base branch after the pull request left it are not part of its change.
        let base = match &job.base_sha {
            Some(base) if job.pull_request.is_some() => {
                Some(checkout.mirror.merge_base(base, &job.commit_sha)?)
            }
            base => base.clone(),
        };
        let mut build = |commit: &CommitSha| checkout.built(commit, output, &mut || heartbeat.check());
        let head = build(&job.commit_sha)?;
        head.settings.check_machine(&self.machine)?;
        let base = base.as_ref().map(&mut build).transpose()?;
        let home = self.checkouts.runner.home(&self.checkouts.folder)?;
        let mut plans = plans(job, &checkout, &head)?;
        if let Some(case) = &job.case_sha256 {
            retain_case(&mut plans, case)?;
        }
        let measured = self.measure(job, &plans, &head, base.as_ref(), home.path(), heartbeat);
        self.checkouts.runner.confinement.sweep();
        let mut worked = measured?;
        let results = worked.reports.iter_mut().flat_map(|report| &mut report.results);
        for explanation in results.filter_map(|result| result.explanation.as_mut()) {
            match checkout.mirror.suspects(explanation, &job.commit_sha) {
                Ok(suspects) => explanation.suspects = suspects,
                Err(failure) => output.write(&format!("Commits not searched for the cause: {failure}")),
            }
        }
        // A requested preset or case is measured alone.
        if job.preset.is_none() && job.case_sha256.is_none() {
            for built in base.iter().chain([&head]) {
                worked.reports.extend(self.import(job, built, output, heartbeat)?);
            }
        }
        if worked.identical > 0 {
            let cases = counted(worked.identical, "case");
            output.write(&format!("Not measured: base and head run identical programs in {cases}."));
        }
        Ok(worked)
    }

    fn measure(
        &self,
        job: &Assignment,
        plans: &[Plan],
        head: &Built,
        base: Option<&Built>,
        home: &Path,
        heartbeat: &mut Heartbeat<'_>,
    ) -> Result<Worked, NoReports> {
        let (mut reports, mut identical) = (Vec::new(), 0);
        // The same commit on both sides is measured to find its error.
        let base_of_change = base.filter(|base| base.root != head.root);
        let mut builds = base_of_change.map(|base| [base, head].map(|built| Build::new(&built.root)));
        let _shown = base.into_iter().chain([head]).map(Built::show).collect::<crate::Result<Vec<_>>>()?;
        let mut disk = self.checkouts.runner.disk(vec![home.to_owned()]);
        for plan in plans {
            let (confined, programs) = (self.confined(plan, home)?, programs_of(&plan.cases, head));
            let mut pairs = match base {
                Some(base) => pairs(&confined, head, base)?,
                None => Vec::new(),
            };
            if let (Some(base), Some(builds)) = (base, &mut builds) {
                let declared = self::pairs(plan, head, base)?;
                let is_identical = self.identical(builds, &declared, &pairs, plan, heartbeat)?;
                let count = is_identical.iter().filter(|is_identical| **is_identical).count();
                let mut is_identical = is_identical.into_iter();
                pairs.retain(|_| is_identical.next() != Some(true));
                identical += count;
                if count > 0 && pairs.is_empty() {
                    continue;
                }
            }
            // Skip built-in transports: they are the same on both sides.
            if let Some(base) = base.filter(|_| !pairs.is_empty()) {
                let on_base: Vec<_> =
                    self::pairs(plan, head, base)?.into_iter().map(|pair| pair.base).collect();
                let programs = [programs_of(&on_base, base), programs];
                let measured = self.compare(&confined, pairs, [base, head], heartbeat, &mut disk)?;
                let sides = [base, head].into_iter().zip(programs).zip(measured);
                reports
                    .extend(sides.map(|((built, programs), outcome)| {
                        self.report(job, built, plan, programs, outcome)
                    }));
                continue;
            }
            let outcome =
                harness::run_until(&confined, &self.peer, rand::random(), &mut |event| match event {
                    Event::Measuring(_) => ControlFlow::Continue(()),
                    Event::Repetition { .. } => between(heartbeat, &mut disk),
                });
            reports.push(self.report(job, head, plan, programs, completed(outcome)?));
        }
        Ok(Worked { reports, identical })
    }

    /// Which of these cases run identical programs.
    fn identical(
        &self,
        builds: &mut [Build; 2],
        declared: &[Pair],
        confined: &[Pair],
        plan: &Plan,
        heartbeat: &mut Heartbeat<'_>,
    ) -> Result<Vec<bool>, NoReports> {
        let mut interrupted = ControlFlow::Continue(());
        let found = identical(builds.each_mut(), declared, &mut |place, side| {
            interrupted = heartbeat.check();
            let Pair { base, head } = &confined[place];
            interrupted.is_continue() && try_once([base, head][side], plan.deadline, &self.peer)
        });
        completed(interrupted)?;
        Ok(found)
    }

    /// Alternates both sides, and returns the outcome of each.
    fn compare(
        &self,
        plan: &Plan,
        pairs: Vec<Pair>,
        [base, head]: [&Built; 2],
        heartbeat: &mut Heartbeat<'_>,
        disk: &mut DiskWatch,
    ) -> Result<[Outcome; 2], NoReports> {
        let (rule, budget) = (head.settings.rule(), head.settings.budget(None));
        let comparison = Comparison { pairs, deadline: plan.deadline, rule, budget };
        let outcome =
            ab::run_until(&comparison, &self.peer, rand::random(), &mut |_| between(heartbeat, disk));
        let Outcome { environment, canaries, order_seed, started_at, finished_at, mut results } =
            completed(outcome)?;
        // The builds of both commits are here now.
        let mut interrupted = ControlFlow::Continue(());
        let explained = explain::add_to_regressed(
            &mut results,
            &comparison,
            &base.repository.commit.sha,
            head.settings.function_names,
            &self.peer,
            &mut || {
                interrupted = between(heartbeat, disk);
                if interrupted.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        completed(interrupted)?;
        explained?;
        let (mut of_base, mut of_head): (Vec<CaseResult>, Vec<CaseResult>) =
            results.into_iter().map(|compared| (compared.base, compared.head)).unzip();
        of_base.retain(|result| !result.is_empty());
        of_head.retain(|result| !result.is_empty());
        if of_base.is_empty() && of_head.is_empty() {
            return Err(NoReports::Failed(
                "the time budget ended before the first pair: set a longer `budget` in roundtrip.toml".into(),
            ));
        }
        let side = |results| Outcome {
            environment: environment.clone(),
            canaries: canaries.clone(),
            order_seed,
            started_at,
            finished_at,
            results,
        };
        Ok([side(of_base), side(of_head)])
    }

    fn import(
        &self,
        job: &Assignment,
        built: &Built,
        output: &mut Output,
        heartbeat: &mut Heartbeat<'_>,
    ) -> Result<Vec<RunReport>, NoReports> {
        let mut reports = Vec::new();
        for imported in &built.settings.command {
            completed(heartbeat.check())?;
            // The command may measure at any time, so no heartbeat is sent until it has ended.
            let (name, bytes) =
                self.checkouts.results(built, imported, output, &mut || heartbeat.listen())?;
            let (report, _) = import::report(self.subject(job, built), &name, &bytes, imported.format)?;
            reports.push(of_job(job, report));
        }
        Ok(reports)
    }

    fn report(
        &self,
        job: &Assignment,
        built: &Built,
        plan: &Plan,
        programs: Vec<MeasuredProgram>,
        outcome: Outcome,
    ) -> RunReport {
        of_job(job, self.subject(job, built).report(RunId::draw(), &plan.preset, programs, outcome))
    }

    fn subject(&self, job: &Assignment, built: &Built) -> Subject {
        Subject {
            repository: built.repository.clone(),
            project: job.project.clone(),
            machine: Some(self.machine.clone()),
            pull_request: job.pull_request,
        }
    }

    /// The plan, with the repository's programs run as the job user.
    fn confined(&self, plan: &Plan, home: &Path) -> crate::Result<Plan> {
        let words = self.checkouts.runner.confinement.words(false, home, None)?;
        let cases = plan.cases.iter().map(|case| match case.declared() {
            Some((command, folder)) => case.started_by([&words, command].concat(), folder.to_owned()),
            None => case.clone(),
        });
        Ok(Plan { cases: cases.collect(), ..plan.clone() })
    }
}

/// The programs of a built commit. A build may link to files that only the agent can read: their digests stay here.
fn programs_of(cases: &[PlannedCase], built: &Built) -> Vec<MeasuredProgram> {
    let mut programs = programs::measured(cases, Some(CommitTree { root: &built.root, unbuilt: None }));
    for program in programs.iter_mut().filter(|program| program.origin == ProgramOrigin::Found) {
        program.files.clear();
        program.code.clear();
    }
    programs
}

/// The presets of the job, else those in the commit's settings.
fn plans(job: &Assignment, checkout: &Checkout<'_>, head: &Built) -> crate::Result<Vec<Plan>> {
    let named = match &job.preset {
        Some(preset) => vec![preset.as_str()],
        None => head.settings.presets.iter().map(Preset::as_str).collect(),
    };
    let has_others = job.preset.is_none() && !head.settings.command.is_empty();
    let named = if named.is_empty() && !has_others { vec![PRESET] } else { named };
    let is_requested = job.preset.is_some();
    named.into_iter().map(|preset| checkout.plan(head, preset, is_requested)).collect()
}

/// Keeps the case with this digest only.
fn retain_case(plans: &mut Vec<Plan>, sha256: &str) -> Result<(), NoReports> {
    for plan in &mut *plans {
        plan.cases.retain(|case| {
            let CaseResult { transport, case, .. } = ab::unmeasured(case);
            hex::encode(case.digest(&transport.slug)) == sha256
        });
    }
    plans.retain(|plan| !plan.cases.is_empty());
    if plans.is_empty() {
        return Err(NoReports::Failed("this commit does not have the case of the job in its presets".into()));
    }
    Ok(())
}

fn of_job(job: &Assignment, report: RunReport) -> RunReport {
    RunReport { branch: job.branch.clone(), default_branch: None, job: Some(job.lease()), ..report }
}

/// The cases whose programs come from the commits, on both sides.
fn pairs(plan: &Plan, head: &Built, base: &Built) -> crate::Result<Vec<Pair>> {
    let cases = plan.cases.iter().filter_map(|case| Some((case, case.declared()?)));
    let pairs = cases.map(|(case, (command, folder))| {
        let within = folder.strip_prefix(&head.root).map_err(|_| {
            Failure::Usage(format!("the definition in {} is outside the repository", folder.display()))
        })?;
        Ok(Pair { base: case.started_by(command.to_vec(), base.root.join(within)), head: case.clone() })
    });
    pairs.collect()
}
