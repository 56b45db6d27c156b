//! One repetition with a probe, for tools that look for the reason of a result.

use super::case_recorder::CaseRecorder;
use super::measured::NotMeasured;
use super::{PeerCommand, repetition, support};
use crate::definition::PlannedCase;
use crate::sys::Unsupported;
use crate::sys::descriptors::Settings;
use crate::sys::profiling::Profile;
use crate::sys::tracing::Observed;
use roundtrip_wire::CaseResult;
use std::time::{Duration, Instant};

/// The calls and settings of a program.
#[derive(Debug, Default)]
pub struct Inside {
    /// With [`Probe::Syscalls`](crate::probe::Probe::Syscalls): the calls of its threads.
    pub threads: Vec<Observed>,
    /// The settings of each process of an end, when the last message had arrived.
    pub settings: Vec<Settings>,
    /// Why settings are missing.
    pub notes: Vec<String>,
}

/// The results of [`probed`].
#[derive(Debug)]
pub struct Probed {
    /// The case with one repetition, as in a report.
    pub result: CaseResult,
    /// The processes of the ends, in the order of the ends; in `2thread`, one.
    pub pids: Vec<u32>,
    /// With [`Probe::Profile`](crate::probe::Probe::Profile).
    pub profile: Option<Profile>,
    /// If it is a program.
    pub inside: Inside,
}

impl Probed {
    /// The delivered messages of this case, and those of its warm-up, which a probe sees too.
    pub fn messages(&self, case: &PlannedCase) -> f64 {
        let delivered: u64 = self.result.repetitions.iter().map(|repetition| repetition.delivered).sum();
        delivered as f64 / case.work.recorded_share()
    }
}

/// Runs one repetition of a case with its probe. It is reported, even if the case discards repetitions.
///
/// # Errors
/// The reason why it failed or is not supported. No process is left in any case.
pub fn probed(case: &PlannedCase, peer: &PeerCommand, deadline: Duration) -> Result<Probed, String> {
    support(case).map_err(|Unsupported(reason)| reason)?;
    let mut case = case.clone();
    case.repetitions.discarded = 0;
    let mut recorder = CaseRecorder::new(&case);
    let (began, mut pids) = (Instant::now(), Vec::new());
    let measured = repetition(&recorder.next(), peer, deadline, &mut |started| pids = started.to_vec());
    let mut measured = measured.map_err(|error| match error {
        NotMeasured::Failed(reason) | NotMeasured::Unsupported(Unsupported(reason)) => reason,
    })?;
    let (profile, inside) = (measured.profile.take(), std::mem::take(&mut measured.inside));
    recorder.add(Ok(measured), began.elapsed());
    Ok(Probed { result: recorder.into_result(), pids, profile, inside })
}
