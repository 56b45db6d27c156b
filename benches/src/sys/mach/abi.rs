//! Numbers and places of `mach/message.h`, for processes of 64 bits: structures there are packed to 4 bytes. The file of
//! macOS checks them against its headers.

use std::ops::Range;

/// `mach_msg_header_t`.
pub(crate) const HEADER_BYTES: usize = 24;
/// `msgh_bits`: dispositions and [`COMPLEX`].
pub(crate) const BITS: Range<usize> = 0..4;
/// `msgh_size`: of the message without its trailer.
pub(crate) const SIZE: Range<usize> = 4..8;
/// `msgh_remote_port`: sent, who is to have it; received, whom to answer.
pub(crate) const REMOTE: Range<usize> = 8..12;
/// `msgh_local_port`: sent, whom to answer; received, through which port it came.
pub(crate) const LOCAL: Range<usize> = 12..16;
/// `msgh_voucher_port`.
pub(crate) const VOUCHER: Range<usize> = 16..20;
/// `msgh_id`: what the message means, which only its ends know.
pub(crate) const ID: Range<usize> = 20..24;

/// `msgh_descriptor_count`, in a complex message.
pub(crate) const COUNT: Range<usize> = 24..28;
/// Where the first descriptor begins (`mach_msg_base_t`).
pub(crate) const DESCRIPTORS: usize = 28;

/// `mach_msg_port_descriptor_t`.
pub(crate) const RIGHT_BYTES: usize = 12;
/// `mach_msg_ool_descriptor64_t` and `mach_msg_ool_ports_descriptor64_t`.
pub(crate) const MEMORY_BYTES: usize = 16;
/// `mach_msg_guarded_port_descriptor64_t`.
pub(crate) const GUARDED_RIGHT_BYTES: usize = 16;
/// Where a descriptor says what it is.
pub(crate) const TYPE: usize = 11;
/// Of a right: its name.
pub(crate) const RIGHT_NAME: Range<usize> = 0..4;
/// Of a guarded right: its name.
pub(crate) const GUARDED_RIGHT_NAME: Range<usize> = 12..16;
/// Of a right, and of rights out of line: what is done with them.
pub(crate) const DISPOSITION: usize = 10;
/// Of memory: where it begins.
pub(crate) const ADDRESS: Range<usize> = 0..8;
/// Of memory: whether the sender loses it.
#[allow(dead_code, reason = "it matters to the simulated kernel alone")]
pub(crate) const DEALLOCATE: usize = 8;
/// Of memory: how it is copied.
pub(crate) const COPY: usize = 9;
/// Of memory: how many bytes; of rights out of line: how many rights.
pub(crate) const LENGTH: Range<usize> = 12..16;

/// Declares numbers with the names of the headers, which are checked where those are compiled.
macro_rules! numbers {
    ($($name:ident: $type:ty = $value:literal, $module:ident::$header:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($header), "`.")]
            #[allow(dead_code, reason = "some matter to the simulated kernel alone")]
            pub(crate) const $name: $type = $value;
        )*

        #[cfg(target_os = "macos")]
        const _: () = {
            $(assert!($name as i64 == mach2::$module::$header as i64);)*
        };
    };
}

// In a received message, `MOVE_` says which right came. Of the bits, a process may set `USER_BITS`; the service's name
// counts the zero at its end.
numbers! {
    COMPLEX: u32 = 0x8000_0000, message::MACH_MSGH_BITS_COMPLEX;
    REMOTE_MASK: u32 = 0x1f, message::MACH_MSGH_BITS_REMOTE_MASK;
    USER_BITS: u32 = 0x801f_1f1f, message::MACH_MSGH_BITS_USER;
    MOVE_RECEIVE: u8 = 16, message::MACH_MSG_TYPE_MOVE_RECEIVE;
    MOVE_SEND: u8 = 17, message::MACH_MSG_TYPE_MOVE_SEND;
    MOVE_SEND_ONCE: u8 = 18, message::MACH_MSG_TYPE_MOVE_SEND_ONCE;
    COPY_SEND: u8 = 19, message::MACH_MSG_TYPE_COPY_SEND;
    MAKE_SEND: u8 = 20, message::MACH_MSG_TYPE_MAKE_SEND;
    MAKE_SEND_ONCE: u8 = 21, message::MACH_MSG_TYPE_MAKE_SEND_ONCE;
    RIGHT: u8 = 0, message::MACH_MSG_PORT_DESCRIPTOR;
    MEMORY: u8 = 1, message::MACH_MSG_OOL_DESCRIPTOR;
    RIGHTS: u8 = 2, message::MACH_MSG_OOL_PORTS_DESCRIPTOR;
    VOLATILE_MEMORY: u8 = 3, message::MACH_MSG_OOL_VOLATILE_DESCRIPTOR;
    GUARDED_RIGHT: u8 = 4, message::MACH_MSG_GUARDED_PORT_DESCRIPTOR;
    PHYSICAL_COPY: u8 = 0, message::MACH_MSG_PHYSICAL_COPY;
    VIRTUAL_COPY: u8 = 1, message::MACH_MSG_VIRTUAL_COPY;
    NO_SENDERS: i32 = 0o106, notify::MACH_NOTIFY_NO_SENDERS;
    QUEUE_LIMIT_DEFAULT: u32 = 5, port::MACH_PORT_QLIMIT_DEFAULT;
    QUEUE_LIMIT_MAX: u32 = 1_024, port::MACH_PORT_QLIMIT_MAX;
    SERVICE_NAME_BYTES_MAX: usize = 128, bootstrap::BOOTSTRAP_MAX_NAME_LEN;
}

/// How far the disposition of [`LOCAL`] is moved up.
pub(crate) const LOCAL_SHIFT: u32 = 8;
/// `mach_msg_trailer_t`: a received message has at least this behind it.
pub(crate) const TRAILER_BYTES_LEAST: usize = 8;
/// `mach_msg_audit_trailer_t`.
pub(crate) const TRAILER_BYTES_AUDIT: usize = 52;
/// `mach_msg_max_trailer_t`, the longest: with a context, a filter and labels.
pub(crate) const TRAILER_BYTES_MOST: usize = 68;
/// `msgh_trailer_type`: `MACH_MSG_TRAILER_FORMAT_0`, the only one.
pub(crate) const TRAILER_TYPE: Range<usize> = 0..4;
/// `msgh_trailer_size`.
pub(crate) const TRAILER_SIZE: Range<usize> = 4..8;
/// The sender's effective user: the second word of the audit token, which `audit_token_to_euid` (`bsm/libbsm.h`)
/// returns.
pub(crate) const TRAILER_USER: Range<usize> = 24..28;

/// `mach_no_senders_notification_t` without its trailer.
pub(crate) const NO_SENDERS_BYTES: usize = 36;

/// The longest message that the kernel takes, without its trailer: three quarters of the 64 MiB that a message in the
/// kernel may have, less the longest trailer (XNU's `osfmk/ipc`: `IPC_KMSG_MAX_SPACE`, `ipc_kmsg_max_body_space`).
pub(crate) const MESSAGE_BYTES_MAX: usize = (64 << 20) / 4 * 3 - TRAILER_BYTES_MOST;
/// The most that one message may have of memory that the kernel copies physically: seven eighths of the 8 MiB that it
/// maps for that (XNU's `osfmk/ipc/ipc_init.c`: `ipc_kmsg_max_vm_space`).
pub(crate) const PHYSICAL_BYTES_MAX: usize = (8 << 20) / 8 * 7;
