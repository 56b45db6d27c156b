//! The memory layout of FreeBSD's `kern.cp_times` and `kern.clockrate`.

/// Counters per processor: user, nice, system, interrupt, idle (`CPUSTATES`, `sys/resource.h`).
pub(super) const STATES: usize = 5;
/// Index of the interrupt counter (`CP_INTR`).
pub(super) const INTERRUPT: usize = 3;

/// Ticks in which the given processors, or all, served interrupts. The data has [`STATES`] numbers of the size of a
/// `long` for each processor number, including absent ones.
pub(super) fn interrupt_ticks(bytes: &[u8], cpus: Option<&[u32]>) -> Option<u64> {
    let (numbers, []) = bytes.as_chunks::<{ size_of::<usize>() }>() else { return None };
    let (processors, []) = numbers.as_chunks::<STATES>() else { return None };
    let ticks = |of: &[[u8; size_of::<usize>()]; STATES]| usize::from_ne_bytes(of[INTERRUPT]) as u64;
    match cpus {
        None => Some(processors.iter().map(ticks).sum()),
        Some(cpus) => cpus.iter().map(|&cpu| processors.get(cpu as usize).map(ticks)).sum(),
    }
}

/// Frequency of the statistics clock: `stathz`, the fourth of the five numbers in `struct clockinfo` (`sys/time.h`).
pub(super) fn ticks_per_second(clockinfo: &[u8]) -> Option<u64> {
    let (numbers, []) = clockinfo.as_chunks::<{ size_of::<i32>() }>() else { return None };
    let [_hz, _tick, _spare, stathz, _profhz] = *numbers else { return None };
    u64::try_from(i32::from_ne_bytes(stathz)).ok().filter(|&hz| hz > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[usize]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    #[test]
    fn sums_ticks_of_given_processors() {
        let three = bytes(&[900, 1, 50, 7, 4_000, 0, 0, 0, 0, 0, 800, 2, 60, 11, 5_000]);
        assert_eq!(interrupt_ticks(&three, None), Some(18));
        assert_eq!(interrupt_ticks(&three, Some(&[2])), Some(11));
        assert_eq!(interrupt_ticks(&three, Some(&[0, 1])), Some(7));
        assert_eq!(interrupt_ticks(&three, Some(&[3])), None);
    }

    #[test]
    fn rejects_another_number_of_states() {
        assert_eq!(interrupt_ticks(&bytes(&[1, 2, 3, 4, 5, 6]), None), None);
        assert_eq!(interrupt_ticks(&[0; 3], None), None);
    }

    #[test]
    fn reads_the_statistics_clock_rate() {
        let clockinfo = |stathz: i32| [1_000, 1_000, 0, stathz, 8_126].map(i32::to_ne_bytes).concat();
        assert_eq!(ticks_per_second(&clockinfo(127)), Some(127));
        assert_eq!(ticks_per_second(&clockinfo(0)), None);
        assert_eq!(ticks_per_second(&[0; 16]), None);
    }
}
