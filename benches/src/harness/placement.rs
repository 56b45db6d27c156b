//! The processors of the ends of a case.

use crate::definition::Placement;
use crate::sys::affinity;
use std::collections::BTreeSet;

pub(super) fn processors(placement: Placement, ends: usize) -> Result<Vec<Option<u32>>, String> {
    let allowed = || affinity::allowed().map_err(|error| error.to_string());
    Ok(match placement {
        Placement::Free => vec![None; ends],
        Placement::SameCpu => vec![allowed()?.last().copied(); ends],
        Placement::Cpus(initiator, responder) => vec![Some(initiator), Some(responder)],
        Placement::CrossCpu => {
            let pair = affinity::pair().map_err(|error| error.to_string())?;
            let first = [pair.first, pair.second];
            let others = allowed()?.into_iter().filter(|cpu| !first.contains(cpu));
            let turns: Vec<u32> = first.into_iter().chain(others).collect();
            turns.into_iter().map(Some).cycle().take(ends).collect()
        }
    })
}

pub(super) fn used(cpus: &[Option<u32>]) -> Option<Vec<u32>> {
    cpus.iter().copied().collect::<Option<BTreeSet<u32>>>().map(Vec::from_iter)
}
