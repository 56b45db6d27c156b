//! macOS: `mach_msg`, the bootstrap server and `kevent64`; only calls.
//!
//! A kqueue can watch ports since macOS 10.12; before, only sets of them. `fileport_makeport` and `fileport_makefd`
//! (`sys/fileport.h`, a header that is not in the SDK) are in the system library and declared here.

use super::{Code, Kernel, Name, Trailer, abi};
use crate::sys::Unsupported;
use crate::sys::handle::{Handle, owned};
use mach2::bootstrap::{bootstrap_check_in, bootstrap_look_up, bootstrap_port};
use mach2::mach_port::{
    mach_port_allocate, mach_port_deallocate, mach_port_mod_refs, mach_port_request_notification,
    mach_port_set_attributes,
};
use mach2::message::{self as m, mach_msg, mach_msg_option_t, mach_msg_size_t};
use mach2::ndr;
use mach2::notify::MACH_NOTIFY_NO_SENDERS;
use mach2::port::{
    MACH_PORT_DEAD, MACH_PORT_LIMITS_INFO, MACH_PORT_LIMITS_INFO_COUNT, MACH_PORT_NULL,
    MACH_PORT_RIGHT_RECEIVE, mach_port_limits_t, mach_port_name_t,
};
use mach2::traps::mach_task_self;
use mach2::vm::mach_vm_deallocate;
use mach2::vm_page_size::vm_page_size;
use std::ffi::{CStr, c_int};
use std::io::{self, PipeReader};
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

pub(crate) fn system() -> Result<System, Unsupported> {
    Ok(System)
}

#[derive(Clone, Copy, Debug)]
pub struct System;

/// A kqueue, and the buffer for its port's messages.
#[derive(Debug)]
pub struct Queue {
    kqueue: OwnedFd,
    buffer: Option<[u64; 2]>,
}

#[expect(unsafe_code, reason = "in the system library, and in no crate")]
unsafe extern "C" {
    fn fileport_makeport(file: c_int, port: *mut mach_port_name_t) -> c_int;
    fn fileport_makefd(port: mach_port_name_t) -> c_int;
}

/// For calls with a size or a time of 32 bits. Larger numbers become the largest, which is a size that the kernel
/// rejects, or a time that no one waits for.
fn clamp(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

#[expect(unsafe_code, reason = "calls of the kernel")]
impl Kernel for System {
    type Queue = Queue;

    fn page_bytes(&self) -> usize {
        // SAFETY: set before the program begins, then constant.
        unsafe { vm_page_size }
    }

    fn user(&self) -> u32 {
        // SAFETY: the call takes no argument and cannot fail.
        unsafe { libc::geteuid() }
    }

    fn allocate_port(&self) -> Result<Name, Code> {
        let mut name = MACH_PORT_NULL;
        // SAFETY: the call writes one name; the task is this process, here and below.
        let code = unsafe { mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &raw mut name) };
        Code(code).ok().map(|()| Name(name))
    }

    fn limit_queue(&self, port: Name, messages: u32) -> Result<(), Code> {
        let mut limits = mach_port_limits_t { mpl_qlimit: messages };
        // SAFETY: the limits are alive and have the given length.
        let code = unsafe {
            mach_port_set_attributes(
                mach_task_self(),
                port.0,
                MACH_PORT_LIMITS_INFO,
                (&raw mut limits).cast(),
                MACH_PORT_LIMITS_INFO_COUNT,
            )
        };
        Code(code).ok()
    }

    fn notify_when_no_senders(&self, port: Name) -> Result<(), Code> {
        let mut previous = MACH_PORT_NULL;
        // SAFETY: the call takes names, creates the send-once right itself, and writes one name: that of an earlier
        // right, which does not exist.
        let code = unsafe {
            mach_port_request_notification(
                mach_task_self(),
                port.0,
                MACH_NOTIFY_NO_SENDERS,
                1,
                port.0,
                m::MACH_MSG_TYPE_MAKE_SEND_ONCE,
                &raw mut previous,
            )
        };
        Code(code).ok()
    }

    fn destroy_receive(&self, port: Name) -> Result<(), Code> {
        // SAFETY: takes a name; a name for something else is an error.
        Code(unsafe { mach_port_mod_refs(mach_task_self(), port.0, MACH_PORT_RIGHT_RECEIVE, -1) }).ok()
    }

    fn release_send(&self, right: Name) -> Result<(), Code> {
        // SAFETY: takes a name; a name for something else is an error.
        Code(unsafe { mach_port_deallocate(mach_task_self(), right.0) }).ok()
    }

    fn check_in(&self, service: &CStr) -> Result<Name, Code> {
        let mut name = MACH_PORT_NULL;
        // SAFETY: the call reads up to the zero and writes one name; the bootstrap port is set before the program begins.
        let code = unsafe { bootstrap_check_in(bootstrap_port, service.as_ptr(), &raw mut name) };
        Code(code).ok().map(|()| Name(name))
    }

    fn look_up(&self, service: &CStr) -> Result<Name, Code> {
        let mut name = MACH_PORT_NULL;
        // SAFETY: as above.
        let code = unsafe { bootstrap_look_up(bootstrap_port, service.as_ptr(), &raw mut name) };
        Code(code).ok().map(|()| Name(name))
    }

    #[inline]
    unsafe fn send(&self, message: &mut [u8], timeout: Duration) -> Code {
        // SAFETY: the message has the given length; its pointers are valid by the caller's guarantee.
        Code(unsafe {
            mach_msg(
                message.as_mut_ptr().cast(),
                m::MACH_SEND_MSG | m::MACH_SEND_TIMEOUT,
                clamp(message.len()),
                0,
                MACH_PORT_NULL,
                clamp(timeout.as_millis()),
                MACH_PORT_NULL,
            )
        })
    }

    #[inline]
    fn receive(&self, port: Name, buffer: &mut [u8], trailer: Trailer, timeout: Option<Duration>) -> Code {
        let timed = if timeout.is_some() { m::MACH_RCV_TIMEOUT } else { 0 };
        // SAFETY: the buffer has the given length.
        Code(unsafe {
            mach_msg(
                buffer.as_mut_ptr().cast(),
                m::MACH_RCV_MSG | m::MACH_RCV_LARGE | elements(trailer) | timed,
                0,
                clamp(buffer.len()),
                port.0,
                clamp(timeout.unwrap_or_default().as_millis()),
                MACH_PORT_NULL,
            )
        })
    }

    unsafe fn unmap(&self, address: u64, bytes: usize) -> Result<(), Code> {
        // SAFETY: by the caller's guarantee, nothing uses the memory any more.
        Code(unsafe { mach_vm_deallocate(mach_task_self(), address, bytes as u64) }).ok()
    }

    fn queue(&self) -> io::Result<Queue> {
        // SAFETY: the call takes no argument.
        Ok(Queue { kqueue: owned(unsafe { libc::kqueue() })?, buffer: None })
    }

    fn watch_port(&self, queue: &mut Queue, port: Name) -> io::Result<()> {
        kevent(queue, Some(change(port.0.into(), libc::EVFILT_MACHPORT)), None)
    }

    fn watch_pipe(&self, queue: &mut Queue, pipe: &PipeReader) -> io::Result<()> {
        let pipe = u64::try_from(pipe.as_raw_fd()).map_err(io::Error::other)?;
        kevent(queue, Some(change(pipe, libc::EVFILT_READ)), None)
    }

    #[inline]
    fn wait(&self, queue: &mut Queue) -> io::Result<()> {
        kevent(queue, None, Some(&mut change(0, 0)))
    }

    #[inline]
    fn receive_by_event(&self, queue: &mut Queue, port: Name, buffer: &mut [u8]) -> io::Result<Code> {
        let place = [buffer.as_mut_ptr().addr() as u64, buffer.len() as u64];
        // The kernel keeps the address, and writes there only inside this call.
        let moved = (queue.buffer != Some(place)).then(|| libc::kevent64_s {
            fflags: (m::MACH_RCV_MSG | m::MACH_RCV_LARGE | elements(Trailer::Least)).cast_unsigned(),
            ext: place,
            ..change(port.0.into(), libc::EVFILT_MACHPORT)
        });
        let mut event = change(0, 0);
        kevent(queue, moved, Some(&mut event))?;
        queue.buffer = Some(place);
        let is_gone = event.flags & libc::EV_EOF != 0;
        Ok(if is_gone { Code::RECEIVE_PORT_DIED } else { Code(event.fflags.cast_signed()) })
    }

    fn file_to_right(&self, file: &Handle) -> io::Result<Name> {
        let mut name = MACH_PORT_NULL;
        // SAFETY: the descriptor is open; the call writes one name.
        if unsafe { fileport_makeport(file.as_raw_fd(), &raw mut name) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Name(name))
    }

    fn right_to_file(&self, right: Name) -> io::Result<Handle> {
        // SAFETY: takes a name; a name for something else is an error.
        let file = owned(unsafe { fileport_makefd(right.0) })?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(file)
    }
}

/// `MACH_RCV_TRAILER_TYPE` and `MACH_RCV_TRAILER_ELEMENTS`, which are macros.
fn elements(trailer: Trailer) -> mach_msg_option_t {
    let (format, elements) = match trailer {
        Trailer::Least => (m::MACH_MSG_TRAILER_FORMAT_0, m::MACH_RCV_TRAILER_NULL),
        Trailer::Audit => (m::MACH_MSG_TRAILER_FORMAT_0, m::MACH_RCV_TRAILER_AUDIT),
    };
    (((format & 0xf) << 28) | ((elements & 0xf) << 24)).cast_signed()
}

/// Registers an event source until the queue is closed.
fn change(ident: u64, filter: i16) -> libc::kevent64_s {
    libc::kevent64_s { ident, filter, flags: libc::EV_ADD, fflags: 0, data: 0, udata: 0, ext: [0; 2] }
}

/// Registers changes, waits for an event if there is space for one, or both.
#[inline]
#[expect(unsafe_code, reason = "kevent64")]
fn kevent(
    queue: &Queue,
    change: Option<libc::kevent64_s>,
    event: Option<&mut libc::kevent64_s>,
) -> io::Result<()> {
    let changes = c_int::from(change.is_some());
    let change_pointer = change.as_ref().map_or(ptr::null(), ptr::from_ref);
    let events = c_int::from(event.is_some());
    let place = event.map_or(ptr::null_mut(), ptr::from_mut);
    loop {
        // SAFETY: the numbers of changes and events match; without a time it waits indefinitely. The buffer for a
        // port's messages is alive in the caller.
        let count = unsafe {
            libc::kevent64(
                queue.kqueue.as_raw_fd(),
                change_pointer,
                changes,
                place,
                events,
                libc::KEVENT_FLAG_NONE,
                ptr::null(),
            )
        };
        if count >= 0 {
            // SAFETY: the pointer is null or the caller's; one event was written there, or it is unchanged.
            let failed = unsafe { place.as_ref() }.filter(|event| event.flags & libc::EV_ERROR != 0);
            return failed.map_or(Ok(()), |event| {
                Err(io::Error::from_raw_os_error(i32::try_from(event.data).unwrap_or_default()))
            });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

// The structures in the headers match the links' offsets. Message structures are packed to 4 bytes there, and the
// crate's are not: only the size of the one with a 64-bit context would differ, which is never requested.
const _: () = {
    assert!(size_of::<m::mach_msg_header_t>() == abi::HEADER_BYTES);
    assert!(offset_of!(m::mach_msg_header_t, msgh_bits) == abi::BITS.start);
    assert!(offset_of!(m::mach_msg_header_t, msgh_size) == abi::SIZE.start);
    assert!(offset_of!(m::mach_msg_header_t, msgh_remote_port) == abi::REMOTE.start);
    assert!(offset_of!(m::mach_msg_header_t, msgh_local_port) == abi::LOCAL.start);
    assert!(offset_of!(m::mach_msg_header_t, msgh_voucher_port) == abi::VOUCHER.start);
    assert!(offset_of!(m::mach_msg_header_t, msgh_id) == abi::ID.start);
    assert!(offset_of!(m::mach_msg_base_t, body) == abi::COUNT.start);
    assert!(size_of::<m::mach_msg_base_t>() == abi::DESCRIPTORS);

    assert!(size_of::<m::mach_msg_port_descriptor_t>() == abi::RIGHT_BYTES);
    assert!(offset_of!(m::mach_msg_port_descriptor_t, name) == abi::RIGHT_NAME.start);
    assert!(offset_of!(m::mach_msg_port_descriptor_t, disposition) == abi::DISPOSITION);
    assert!(offset_of!(m::mach_msg_port_descriptor_t, type_) == abi::TYPE);
    assert!(size_of::<m::mach_msg_ool_descriptor_t>() == abi::MEMORY_BYTES);
    assert!(offset_of!(m::mach_msg_ool_descriptor_t, address) == abi::ADDRESS.start);
    assert!(offset_of!(m::mach_msg_ool_descriptor_t, deallocate) == abi::DEALLOCATE);
    assert!(offset_of!(m::mach_msg_ool_descriptor_t, copy) == abi::COPY);
    assert!(offset_of!(m::mach_msg_ool_descriptor_t, type_) == abi::TYPE);
    assert!(offset_of!(m::mach_msg_ool_descriptor_t, size) == abi::LENGTH.start);
    assert!(size_of::<m::mach_msg_ool_ports_descriptor_t>() == abi::MEMORY_BYTES);
    assert!(offset_of!(m::mach_msg_ool_ports_descriptor_t, disposition) == abi::DISPOSITION);
    assert!(offset_of!(m::mach_msg_ool_ports_descriptor_t, count) == abi::LENGTH.start);

    assert!(size_of::<m::mach_msg_trailer_t>() == abi::TRAILER_BYTES_LEAST);
    assert!(size_of::<m::mach_msg_audit_trailer_t>() == abi::TRAILER_BYTES_AUDIT);
    assert!(offset_of!(m::mach_msg_audit_trailer_t, msgh_trailer_type) == abi::TRAILER_TYPE.start);
    assert!(offset_of!(m::mach_msg_audit_trailer_t, msgh_trailer_size) == abi::TRAILER_SIZE.start);
    assert!(offset_of!(m::mach_msg_audit_trailer_t, msgh_audit) + 4 == abi::TRAILER_USER.start);

    let notification = size_of::<m::mach_msg_header_t>() + size_of::<ndr::NDR_record_t>();
    assert!(notification + size_of::<mach_msg_size_t>() == abi::NO_SENDERS_BYTES);
    assert!(m::MACH_MSGH_BITS_LOCAL_MASK == abi::REMOTE_MASK << abi::LOCAL_SHIFT);
    assert!(MACH_PORT_NULL == Name::NULL.0 && MACH_PORT_DEAD == Name::DEAD.0);
    assert!(Code::SUCCESS.0 == m::MACH_MSG_SUCCESS && Code::MORE == m::MACH_MSG_MASK);
};
