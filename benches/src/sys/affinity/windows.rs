//! Windows: group affinities of threads and `GetLogicalProcessorInformationEx` (`processtopologyapi.h`,
//! `sysinfoapi.h`).
//!
//! A machine of more than 64 processors has groups of at most 64 each; processors are called by their number plus 64 for
//! each group before theirs. The suite pins within the group that the system calls a thread's primary one. Threads that
//! are not pinned may run in any group since Windows 11 and Server 2022.

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
    Ok(Processors::of(own.Group, own.Mask as u64).list())
}

#[expect(unsafe_code, reason = "SetThreadGroupAffinity")]
pub(super) fn pin(cpu: u32) -> Result<(), Unsupported> {
    let refused =
        |error: &dyn std::fmt::Display| Unsupported::because(format!("pinning to cpu {cpu} failed: {error}"));
    let group = u16::try_from(cpu / GROUP).map_err(|error| refused(&error))?;
    let affinity = GROUP_AFFINITY { Mask: 1 << (cpu % GROUP), Group: group, Reserved: [0; 3] };
    // SAFETY: the structure is alive for the call, and the affinity before is not asked for.
    if unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut()) } == 0 {
        return Err(refused(&io::Error::last_os_error()));
    }
    Ok(())
}

/// Within the group of processors that the process is in.
#[expect(unsafe_code, reason = "SetProcessAffinityMask")]
pub(super) fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    let refused = |error: &dyn std::fmt::Display| {
        Unsupported::because(format!("pinning process {pid} to cpu {cpu} failed: {error}"))
    };
    let process = process::open(pid, PROCESS_SET_INFORMATION).map_err(|error| refused(&error))?;
    // SAFETY: the handle is open and has the right that the call wants.
    if unsafe { SetProcessAffinityMask(process.as_raw_handle(), 1 << (cpu % GROUP)) } == 0 {
        return Err(refused(&io::Error::last_os_error()));
    }
    Ok(())
}

/// Of the threads of others it is not told.
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

/// What is known of the processors of this machine, which is asked once.
pub(in crate::sys) fn topology() -> Option<&'static Topology> {
    static TOPOLOGY: LazyLock<Option<Topology>> =
        LazyLock::new(|| records().map(|records| Topology::parse(&records)));
    TOPOLOGY.as_ref()
}

/// Those on which the calling thread may run, in its own group.
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
    // SAFETY: there is no room yet, which only makes the call tell how much is wanted.
    unsafe { GetLogicalProcessorInformationEx(RelationAll, ptr::null_mut(), &raw mut length) };
    // Of words, because the system may insist on where a structure of numbers begins.
    let mut words = vec![0_u64; (length as usize).div_ceil(size_of::<u64>())];
    // SAFETY: the room is at least as long as is said.
    let done =
        unsafe { GetLogicalProcessorInformationEx(RelationAll, words.as_mut_ptr().cast(), &raw mut length) };
    if done == 0 {
        return None;
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.truncate(length as usize);
    Some(bytes)
}

/// Where the union of a record begins.
const BODY: usize = offset_of!(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX, Anonymous);

// The offsets by which the records are read are those of winnt.h.
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
