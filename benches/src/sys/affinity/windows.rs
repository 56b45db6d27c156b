//! Windows: group affinities of threads and `GetLogicalProcessorInformationEx` (`processtopologyapi.h`,
//! `sysinfoapi.h`).
//!
//! A machine with more than 64 processors has groups of at most 64 each. The suite numbers processors by adding 64 for
//! each earlier group. It pins within a thread's primary group. Threads that are not pinned may run in any group since
//! Windows 11 and Server 2022.

use super::Thread;
use super::topology::{GROUP, Processors, Topology, kind, layout};
use crate::sys::{Unsupported, process};
use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::windows::io::AsRawHandle;
use std::ptr;
use std::sync::LazyLock;
use windows_sys::Win32::System::Kernel::PROCESSOR_NUMBER;
use windows_sys::Win32::System::SystemInformation::{
    CACHE_RELATIONSHIP, CacheData, CacheInstruction, GROUP_AFFINITY, GetLogicalProcessorInformationEx,
    NUMA_NODE_RELATIONSHIP, PROCESSOR_RELATIONSHIP, RelationAll, RelationCache, RelationNumaNode,
    RelationProcessorCore, RelationProcessorPackage, SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcessorNumberEx, GetCurrentThread, GetThreadGroupAffinity, PROCESS_SET_INFORMATION,
    SetProcessAffinityMask, SetThreadGroupAffinity,
};

pub(super) fn allowed() -> Result<Vec<u32>, Unsupported> {
    let own =
        own().map_err(|error| Unsupported::because(format!("GetThreadGroupAffinity failed: {error}")))?;
    Ok(Processors::from_mask(own.Group, own.Mask as u64).list())
}

#[expect(unsafe_code, reason = "SetThreadGroupAffinity")]
pub(super) fn pin(cpu: u32) -> Result<(), Unsupported> {
    let refused =
        |error: &dyn std::fmt::Display| Unsupported::because(format!("pinning to cpu {cpu} failed: {error}"));
    let group = u16::try_from(cpu / GROUP).map_err(|error| refused(&error))?;
    let affinity = GROUP_AFFINITY { Mask: 1 << (cpu % GROUP), Group: group, Reserved: [0; 3] };
    // SAFETY: the structure is alive for the call, and the previous affinity is not requested.
    if unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut()) } == 0 {
        return Err(refused(&io::Error::last_os_error()));
    }
    Ok(())
}

/// Within the process's group of processors.
#[expect(unsafe_code, reason = "SetProcessAffinityMask")]
pub(super) fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    let refused = |error: &dyn std::fmt::Display| {
        Unsupported::because(format!("pinning process {pid} to cpu {cpu} failed: {error}"))
    };
    let process = process::open(pid, PROCESS_SET_INFORMATION).map_err(|error| refused(&error))?;
    // SAFETY: the handle is open and has the required right.
    if unsafe { SetProcessAffinityMask(process.as_raw_handle(), 1 << (cpu % GROUP)) } == 0 {
        return Err(refused(&io::Error::last_os_error()));
    }
    Ok(())
}

/// Not available for threads of other processes.
pub(super) fn threads(_pid: u32) -> Vec<Thread> {
    Vec::new()
}

#[inline]
#[expect(unsafe_code, reason = "GetCurrentProcessorNumberEx")]
pub(super) fn current() -> Option<u32> {
    let mut number = PROCESSOR_NUMBER::default();
    // SAFETY: the call writes the structure, and cannot fail.
    unsafe { GetCurrentProcessorNumberEx(&raw mut number) };
    Some(u32::from(number.Group) * GROUP + u32::from(number.Number))
}

pub(super) fn core_of(cpu: u32) -> Option<(u32, u32)> {
    topology()?.core_of(cpu)
}

/// The topology of this machine, read once.
pub(in crate::sys) fn topology() -> Option<&'static Topology> {
    static TOPOLOGY: LazyLock<Option<Topology>> =
        LazyLock::new(|| records().map(|records| Topology::parse(&records)));
    TOPOLOGY.as_ref()
}

/// The processors on which the calling thread may run, in its group.
#[expect(unsafe_code, reason = "GetThreadGroupAffinity")]
fn own() -> io::Result<GROUP_AFFINITY> {
    let mut affinity = MaybeUninit::uninit();
    // SAFETY: the call writes the structure.
    if unsafe { GetThreadGroupAffinity(GetCurrentThread(), affinity.as_mut_ptr()) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has filled it.
    Ok(unsafe { affinity.assume_init() })
}

#[expect(unsafe_code, reason = "GetLogicalProcessorInformationEx")]
fn records() -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: with a length of zero, the call only returns the required length.
    unsafe { GetLogicalProcessorInformationEx(RelationAll, ptr::null_mut(), &raw mut length) };
    // A vector of words, because the system may require alignment.
    let mut words = vec![0_u64; (length as usize).div_ceil(size_of::<u64>())];
    // SAFETY: the buffer has at least the given length.
    let done =
        unsafe { GetLogicalProcessorInformationEx(RelationAll, words.as_mut_ptr().cast(), &raw mut length) };
    if done == 0 {
        return None;
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.truncate(length as usize);
    Some(bytes)
}

/// The offset of the union in a record.
const BODY: usize = offset_of!(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX, Anonymous);

// The offsets used for reading records are those of winnt.h.
const _: () = {
    assert!(layout::KIND == offset_of!(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX, Relationship));
    assert!(layout::LENGTH == offset_of!(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX, Size));
    assert!(layout::EFFICIENCY_CLASS == BODY + offset_of!(PROCESSOR_RELATIONSHIP, EfficiencyClass));
    assert!(layout::GROUPS == BODY + offset_of!(PROCESSOR_RELATIONSHIP, GroupCount));
    assert!(layout::MASKS == BODY + offset_of!(PROCESSOR_RELATIONSHIP, GroupMask));
    assert!(layout::NODE == BODY + offset_of!(NUMA_NODE_RELATIONSHIP, NodeNumber));
    assert!(layout::GROUPS == BODY + offset_of!(NUMA_NODE_RELATIONSHIP, GroupCount));
    assert!(layout::CACHE_LEVEL == BODY + offset_of!(CACHE_RELATIONSHIP, Level));
    assert!(layout::CACHE_BYTES == BODY + offset_of!(CACHE_RELATIONSHIP, CacheSize));
    assert!(layout::CACHE_KIND == BODY + offset_of!(CACHE_RELATIONSHIP, Type));
    assert!(layout::CACHE_GROUPS == BODY + offset_of!(CACHE_RELATIONSHIP, GroupCount));
    assert!(layout::CACHE_MASKS == BODY + offset_of!(CACHE_RELATIONSHIP, Anonymous));
    assert!(layout::MASK_BYTES == size_of::<GROUP_AFFINITY>());
    assert!(layout::MASK_GROUP == offset_of!(GROUP_AFFINITY, Group));
    assert!(kind::CORE == RelationProcessorCore.cast_unsigned());
    assert!(kind::NUMA_NODE == RelationNumaNode.cast_unsigned());
    assert!(kind::CACHE == RelationCache.cast_unsigned());
    assert!(kind::PACKAGE == RelationProcessorPackage.cast_unsigned());
    assert!(kind::DATA == CacheData.cast_unsigned());
    assert!(kind::INSTRUCTION == CacheInstruction.cast_unsigned());
};
