//! Limits: the share of the processors that a job object leaves to this process (`jobapi2.h`).

use crate::sys::fingerprint::facts::Facts;
use std::ptr;
use windows_sys::Win32::System::JobObjects::{
    IsProcessInJob, JOB_OBJECT_CPU_RATE_CONTROL_ENABLE, JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP,
    JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED,
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, JobObjectCpuRateControlInformation, QueryInformationJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

pub(super) fn read(facts: &mut Facts) {
    facts.put("limit.job_cpu", job_cpu());
}

/// Of the innermost job: those around it are not shown.
#[expect(unsafe_code, reason = "calls of the system")]
fn job_cpu() -> Option<String> {
    let mut inside = 0;
    // SAFETY: the handle stands for this process, no job is named, which asks for any, and the call writes one number.
    if unsafe { IsProcessInJob(GetCurrentProcess(), ptr::null_mut(), &raw mut inside) } == 0 {
        return None;
    }
    if inside == 0 {
        return Some("none".into());
    }
    let mut rate = JOBOBJECT_CPU_RATE_CONTROL_INFORMATION::default();
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of_val(&rate) as u32;
    // SAFETY: no job is named, which asks for that of this process; the structure is of the class and as long as is said.
    let done = unsafe {
        QueryInformationJobObject(
            ptr::null_mut(),
            JobObjectCpuRateControlInformation,
            (&raw mut rate).cast(),
            bytes,
            ptr::null_mut(),
        )
    };
    // SAFETY: all members of the union are numbers, and it is filled.
    (done != 0).then(|| told(rate.ControlFlags, unsafe { rate.Anonymous.CpuRate }))
}

/// Rates are in hundredths of a percent of all processors.
fn told(flags: u32, rate: u32) -> String {
    let has = |flag: u32| flags & flag != 0;
    let percent = |rate: u32| format!("at most {}.{:02} %", rate / 100, rate % 100);
    match flags {
        _ if !has(JOB_OBJECT_CPU_RATE_CONTROL_ENABLE) => "none".into(),
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED) => format!("weight {rate} of 9"),
        // The lower half is what is guaranteed.
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE) => percent(rate >> 16),
        _ if has(JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP) => percent(rate),
        // Others may leave it more.
        _ => format!("{} when others want it", percent(rate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_told_in_percent_of_all_processors() {
        let enabled = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE;
        assert_eq!(told(0, 2_000), "none");
        assert_eq!(told(enabled | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP, 2_050), "at most 20.50 %");
        assert_eq!(told(enabled, 500), "at most 5.00 % when others want it");
        assert_eq!(told(enabled | JOB_OBJECT_CPU_RATE_CONTROL_WEIGHT_BASED, 5), "weight 5 of 9");
        let min_and_max = 1_000 | 3_000 << 16;
        assert_eq!(told(enabled | JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, min_and_max), "at most 30.00 %");
    }

    #[test]
    fn this_process_has_a_limit_or_none() {
        assert!(job_cpu().is_none_or(|told| !told.is_empty()));
    }
}
