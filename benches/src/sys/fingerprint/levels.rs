//! FreeBSD's lists of processor settings: frequencies and idle states.

/// `800 to 2400`, from pairs of megahertz and milliwatts (`dev.cpu.N.freq_levels`, cpufreq(4)): `2400/-1 1600/-1
/// 800/-1`.
pub(super) fn frequency_limits_mhz(levels: &str) -> Option<String> {
    let frequencies = levels.split_whitespace().map(|level| level.split('/').next()?.parse::<u64>().ok());
    let frequencies: Vec<u64> = frequencies.collect::<Option<_>>()?;
    Some(format!("{} to {}", frequencies.iter().min()?, frequencies.iter().max()?))
}

/// The deepest allowed idle state and its exit latency in microseconds. `supported` lists name, kind and latency
/// (`dev.cpu.N.cx_supported`, acpi(4)): `C1/1/1 C2/2/133`. `lowest` is the deepest state that may be entered
/// (`dev.cpu.N.cx_lowest`), which need not exist: `C8`.
pub(super) fn deepest_idle(supported: &str, lowest: &str) -> Option<(String, u64)> {
    let number = |name: &str| name.strip_prefix('C')?.parse::<u32>().ok();
    let limit = number(lowest)?;
    let states = supported.split_whitespace().map(|state| {
        let mut parts = state.split('/');
        let name = parts.next()?;
        Some((number(name)?, name, parts.nth(1)?.parse::<u64>().ok()?))
    });
    let states: Vec<(u32, &str, u64)> = states.collect::<Option<_>>()?;
    let allowed = states.into_iter().filter(|&(number, ..)| number <= limit);
    allowed.max_by_key(|&(number, ..)| number).map(|(_, name, exit_us)| (name.to_owned(), exit_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequency_limits_are_the_extreme_levels() {
        assert_eq!(frequency_limits_mhz("2400/35000 1600/-1 800/6528").as_deref(), Some("800 to 2400"));
        assert_eq!(frequency_limits_mhz("2400/35000 fast/1"), None);
        assert_eq!(frequency_limits_mhz(""), None);
    }

    #[test]
    fn deepest_idle_state_is_the_last_allowed() {
        let supported = "C1/1/1 C2/2/133 C3/3/890";
        assert_eq!(deepest_idle(supported, "C2"), Some(("C2".into(), 133)));
        assert_eq!(deepest_idle(supported, "C8"), Some(("C3".into(), 890)));
        assert_eq!(deepest_idle(supported, "deep"), None);
        assert_eq!(deepest_idle("C1/1", "C8"), None);
    }
}
