//! Numbers and offsets from `mach/message.h`, for 64-bit processes: structures there are packed to 4 bytes. `macos`
//! checks them against its headers.

use std::ops::Range;

/// `mach_msg_header_t`.
pub(crate) const HEADER_BYTES: usize = 24;
/// `msgh_bits`: dispositions and [`COMPLEX`].
pub(crate) const BITS: Range<usize> = 0..4;
/// `msgh_size`: size of the message without its trailer.
pub(crate) const SIZE: Range<usize> = 4..8;
/// `msgh_remote_port`: when sent, the destination; when received, the port to answer.
pub(crate) const REMOTE: Range<usize> = 8..12;
/// `msgh_local_port`: when sent, the port to answer; when received, the port through which it came.
pub(crate) const LOCAL: Range<usize> = 12..16;
/// `msgh_voucher_port`.
pub(crate) const VOUCHER: Range<usize> = 16..20;
/// `msgh_id`: the message's meaning, known only to its ends.
pub(crate) const ID: Range<usize> = 20..24;

/// `msgh_descriptor_count`, in a complex message.
pub(crate) const COUNT: Range<usize> = 24..28;
/// Offset of the first descriptor (`mach_msg_base_t`).
pub(crate) const DESCRIPTORS: usize = 28;

/// `mach_msg_port_descriptor_t`.
pub(crate) const RIGHT_BYTES: usize = 12;
/// `mach_msg_ool_descriptor64_t` and `mach_msg_ool_ports_descriptor64_t`.
pub(crate) const MEMORY_BYTES: usize = 16;
/// `mach_msg_guarded_port_descriptor64_t`.
pub(crate) const GUARDED_RIGHT_BYTES: usize = 16;
/// Offset of a descriptor's type.
pub(crate) const TYPE: usize = 11;
/// The name, for a right.
pub(crate) const RIGHT_NAME: Range<usize> = 0..4;
/// The name, for a guarded right.
pub(crate) const GUARDED_RIGHT_NAME: Range<usize> = 12..16;
/// The disposition, for a right and for rights out of line.
pub(crate) const DISPOSITION: usize = 10;
/// The address, for memory.
pub(crate) const ADDRESS: Range<usize> = 0..8;
/// Whether the sender loses it, for memory.
#[allow(dead_code, reason = "it matters to the simulated kernel alone")]
pub(crate) const DEALLOCATE: usize = 8;
/// The copy mode, for memory.
pub(crate) const COPY: usize = 9;
/// The number of bytes, for memory; the number of rights, for rights out of line.
pub(crate) const LENGTH: Range<usize> = 12..16;

/// Declares numbers with the headers' names, which are checked where the headers are compiled.
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

// In a received message, `MOVE_` is the kind of the received right. A process may set only `USER_BITS` of the bits; the
// length of the service's name includes the zero at its end.
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

/// Left shift of the disposition of [`LOCAL`].
pub(crate) const LOCAL_SHIFT: u32 = 8;
/// `mach_msg_trailer_t`: the shortest trailer of a received message.
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

/// The longest message that the kernel accepts, without its trailer: three quarters of the 64 MiB limit for a message
/// in the kernel, less the longest trailer (XNU's `osfmk/ipc`: `IPC_KMSG_MAX_SPACE`, `ipc_kmsg_max_body_space`).
pub(crate) const MESSAGE_BYTES_MAX: usize = (64 << 20) / 4 * 3 - TRAILER_BYTES_MOST;
/// The most physically copied memory in one message: seven eighths of the 8 MiB that the kernel maps for that (XNU's
/// `osfmk/ipc/ipc_init.c`: `ipc_kmsg_max_vm_space`).
pub(crate) const PHYSICAL_BYTES_MAX: usize = (8 << 20) / 8 * 7;
