//! Parses the result of `GetLogicalProcessorInformationEx` on Windows (`sysinfoapi.h`, structures in `winnt.h`): which
//! processors share a core, a package, a cache. Each record has a kind and a length; unknown kinds are skipped.

/// The most processors in a group: a mask has 64 bits. The suite calls processor 3 of group 1 number 67.
pub(super) const GROUP: u32 = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Topology {
    pub(crate) packages: Vec<Processors>,
    pub(crate) cores: Vec<Core>,
    pub(crate) caches: Vec<Cache>,
    pub(crate) numa_nodes: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) processors: Processors,
    /// Higher is faster; 0 for all if all cores are of one kind.
    pub(crate) efficiency_class: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    /// `L1d`, `L1i`, `L2`, `L3`.
    pub(crate) name: String,
    pub(crate) bytes: u32,
    pub(crate) processors: Processors,
}

/// Processors, as groups and masks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processors(Vec<(u16, u64)>);

/// Offsets in a record: `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` as compiled for 64 bits.
pub(super) mod layout {
    /// `Relationship`, 32 bits.
    pub(crate) const KIND: usize = 0;
    /// `Size`, 32 bits: length of this record.
    pub(crate) const LENGTH: usize = 4;
    /// `Processor.EfficiencyClass`, 8 bits.
    pub(crate) const EFFICIENCY_CLASS: usize = 9;
    /// `Processor.GroupCount` and `NumaNode.GroupCount`, 16 bits.
    pub(crate) const GROUPS: usize = 30;
    /// `Processor.GroupMask`: `GROUP_AFFINITY`s.
    pub(crate) const MASKS: usize = 32;
    /// `NumaNode.NodeNumber`, 32 bits.
    pub(crate) const NODE: usize = 8;
    /// `Cache.Level`, 8 bits.
    pub(crate) const CACHE_LEVEL: usize = 8;
    /// `Cache.CacheSize`, 32 bits.
    pub(crate) const CACHE_BYTES: usize = 12;
    /// `Cache.Type`, 32 bits.
    pub(crate) const CACHE_KIND: usize = 16;
    /// `Cache.GroupCount`, 16 bits.
    pub(crate) const CACHE_GROUPS: usize = 38;
    /// `Cache.GroupMasks`.
    pub(crate) const CACHE_MASKS: usize = 40;
    /// Size of a `GROUP_AFFINITY`: a mask of 64 bits, a number of 16, and padding.
    pub(crate) const MASK_BYTES: usize = 16;
    /// `GROUP_AFFINITY.Group`.
    pub(crate) const MASK_GROUP: usize = 8;
}

/// `LOGICAL_PROCESSOR_RELATIONSHIP` and `PROCESSOR_CACHE_TYPE` (`winnt.h`).
pub(super) mod kind {
    pub(crate) const CORE: u32 = 0;
    pub(crate) const NUMA_NODE: u32 = 1;
    pub(crate) const CACHE: u32 = 2;
    pub(crate) const PACKAGE: u32 = 3;
    pub(crate) const DATA: u32 = 2;
    pub(crate) const INSTRUCTION: u32 = 1;
}

impl Topology {
    /// Parses the records as written by the call. An incomplete record ends the list.
    pub(crate) fn parse(mut bytes: &[u8]) -> Self {
        let mut topology = Self::default();
        while let Some(record) = Record::first(bytes) {
            topology.add(&record);
            bytes = &bytes[record.0.len()..];
        }
        topology
    }

    pub(crate) fn core_of(&self, cpu: u32) -> Option<(u32, u32)> {
        let package = self.packages.iter().position(|package| package.contains(cpu))?;
        let core = self.cores.iter().position(|core| core.processors.contains(cpu))?;
        Some((u32::try_from(package).ok()?, u32::try_from(core).ok()?))
    }

    /// `None` if a record lacks the fields of its kind.
    fn add(&mut self, record: &Record<'_>) -> Option<()> {
        use layout::{CACHE_GROUPS, CACHE_MASKS, GROUPS, MASKS};
        match record.number(layout::KIND)? {
            kind::CORE => self.cores.push(Core {
                processors: record.processors(GROUPS, MASKS)?,
                efficiency_class: *record.0.get(layout::EFFICIENCY_CLASS)?,
            }),
            kind::PACKAGE => self.packages.push(record.processors(GROUPS, MASKS)?),
            kind::NUMA_NODE => self.numa_nodes.push(record.number(layout::NODE)?),
            kind::CACHE => {
                let letter = match record.number(layout::CACHE_KIND)? {
                    kind::DATA => "d",
                    kind::INSTRUCTION => "i",
                    _ => "",
                };
                self.caches.push(Cache {
                    name: format!("L{}{letter}", record.0.get(layout::CACHE_LEVEL)?),
                    bytes: record.number(layout::CACHE_BYTES)?,
                    processors: record.processors(CACHE_GROUPS, CACHE_MASKS)?,
                });
            }
            _ => {}
        }
        Some(())
    }
}

impl Processors {
    pub(crate) fn from_mask(group: u16, mask: u64) -> Self {
        Self(vec![(group, mask)])
    }

    pub(crate) fn contains(&self, cpu: u32) -> bool {
        self.0.iter().any(|&(group, mask)| u32::from(group) == cpu / GROUP && mask >> (cpu % GROUP) & 1 == 1)
    }

    /// In ascending order, if the groups are.
    pub(crate) fn list(&self) -> Vec<u32> {
        let of_group = |&(group, mask): &(u16, u64)| {
            let bits = (0..GROUP).filter(move |bit| mask >> bit & 1 == 1);
            bits.map(move |bit| u32::from(group) * GROUP + bit)
        };
        self.0.iter().flat_map(of_group).collect()
    }
}

struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    /// `None` at the end, and for an impossible length.
    fn first(bytes: &'a [u8]) -> Option<Self> {
        let length = usize::try_from(Self(bytes).number(layout::LENGTH)?).ok()?;
        (length >= layout::LENGTH + size_of::<u32>()).then(|| bytes.get(..length).map(Self))?
    }

    fn field<const BYTES: usize>(&self, at: usize) -> Option<[u8; BYTES]> {
        self.0.get(at..at + BYTES)?.try_into().ok()
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.field(at).map(u32::from_le_bytes)
    }

    fn processors(&self, groups: usize, masks: usize) -> Option<Processors> {
        // Before Windows 10 20H2, caches and nodes had a zero instead of a count.
        let groups = usize::from(u16::from_le_bytes(self.field(groups)?)).max(1);
        let mask = |index: usize| {
            let at = masks + index * layout::MASK_BYTES;
            let group = u16::from_le_bytes(self.field(at + layout::MASK_GROUP)?);
            Some((group, u64::from_le_bytes(self.field(at)?)))
        };
        (0..groups).map(mask).collect::<Option<_>>().map(Processors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of this kind with these masks: the first at `masks`, preceded by their count if `counted`.
    fn record(kind: u32, masks: usize, counted: bool, affinities: &[(u16, u64)]) -> Vec<u8> {
        let mut record = vec![0; masks + affinities.len() * layout::MASK_BYTES];
        let length = u32::try_from(record.len()).unwrap();
        record[..4].copy_from_slice(&kind.to_le_bytes());
        record[4..8].copy_from_slice(&length.to_le_bytes());
        if counted {
            let count = u16::try_from(affinities.len()).unwrap();
            record[masks - 2..masks].copy_from_slice(&count.to_le_bytes());
        }
        for (index, (group, mask)) in affinities.iter().enumerate() {
            let at = masks + index * layout::MASK_BYTES;
            record[at..at + 8].copy_from_slice(&mask.to_le_bytes());
            record[at + 8..at + 10].copy_from_slice(&group.to_le_bytes());
        }
        record
    }

    fn core(efficiency_class: u8, mask: u64) -> Vec<u8> {
        let mut record = record(kind::CORE, layout::MASKS, true, &[(0, mask)]);
        record[layout::EFFICIENCY_CLASS] = efficiency_class;
        record
    }

    fn cache(level: u8, kind: u32, bytes: u32, mask: u64) -> Vec<u8> {
        let mut record = record(kind::CACHE, layout::CACHE_MASKS, false, &[(0, mask)]);
        record[layout::CACHE_LEVEL] = level;
        record[layout::CACHE_BYTES..][..4].copy_from_slice(&bytes.to_le_bytes());
        record[layout::CACHE_KIND..][..4].copy_from_slice(&kind.to_le_bytes());
        record
    }

    #[test]
    fn parses_cores_packages_caches_and_nodes() {
        let mut node = record(kind::NUMA_NODE, layout::MASKS, false, &[(0, 0b111)]);
        node[layout::NODE] = 5;
        // An unknown kind, longer than any known one.
        let unknown = record(7, 200, true, &[(0, 1)]);
        let package = record(kind::PACKAGE, layout::MASKS, true, &[(0, 0b111), (1, 0b1)]);
        let bytes = [
            core(1, 0b011),
            core(0, 0b100),
            unknown,
            cache(1, kind::DATA, 49_152, 0b011),
            cache(1, kind::INSTRUCTION, 32_768, 0b011),
            cache(3, 0, 1 << 25, 0b111),
            node,
            package,
        ];
        let topology = Topology::parse(&bytes.concat());
        let classes: Vec<u8> = topology.cores.iter().map(|core| core.efficiency_class).collect();
        assert_eq!(classes, [1, 0]);
        assert_eq!(topology.numa_nodes, [5]);
        let caches: Vec<(&str, u32, Vec<u32>)> = topology
            .caches
            .iter()
            .map(|cache| (cache.name.as_str(), cache.bytes, cache.processors.list()))
            .collect();
        let expected =
            [("L1d", 49_152, vec![0, 1]), ("L1i", 32_768, vec![0, 1]), ("L3", 1 << 25, vec![0, 1, 2])];
        assert_eq!(caches, expected);
        assert_eq!(topology.packages[0].list(), [0, 1, 2, 64]);
    }

    #[test]
    fn finds_processor_by_group_and_bit() {
        let bytes = [
            record(kind::CORE, layout::MASKS, true, &[(0, 1)]),
            record(kind::CORE, layout::MASKS, true, &[(1, 1 << 63)]),
            record(kind::PACKAGE, layout::MASKS, true, &[(0, 1)]),
            record(kind::PACKAGE, layout::MASKS, true, &[(1, 1 << 63)]),
        ];
        let topology = Topology::parse(&bytes.concat());
        assert_eq!(topology.core_of(0), Some((0, 0)));
        assert_eq!(topology.core_of(127), Some((1, 1)));
        assert_eq!((topology.core_of(1), topology.core_of(64)), (None, None));
        assert_eq!(Processors::from_mask(1, 0b101).list(), [64, 66]);
    }

    #[test]
    fn truncated_record_ends_the_list() {
        let whole = [core(0, 1), core(0, 2)].concat();
        assert_eq!(Topology::parse(&whole[..whole.len() - 1]).cores.len(), 1);
        let mut endless = whole;
        endless[layout::LENGTH..][..4].fill(0);
        assert_eq!(Topology::parse(&endless), Topology::default());
        // A count of masks beyond the record.
        let mut short = core(0, 1);
        short[layout::GROUPS] = 9;
        assert_eq!(Topology::parse(&short), Topology::default());
    }
}
