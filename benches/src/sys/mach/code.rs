//! [`Code`]: the result of a kernel call.

use std::fmt;
use std::io;

/// A `kern_return_t` or, for calls that send and receive, a `mach_msg_return_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

/// Set in every code from the calls that send and receive, and in no other.
const OF_MESSAGES: i32 = 0x1000_0000;

/// Declares the codes that this program knows, with the headers' names, which are checked where the headers are
/// compiled.
macro_rules! codes {
    ($($name:ident = $value:literal, $module:ident::$header:ident;)*) => {
        impl Code {
            $(#[doc = concat!("`", stringify!($header), "`.")] pub(crate) const $name: Self = Self($value);)*
        }

        /// Their names in the headers.
        const NAMES: &[(Code, &str)] = &[$((Code::$name, stringify!($header))),*];

        #[cfg(target_os = "macos")]
        const _: () = {
            $(assert!(Code::$name.0 == mach2::$module::$header);)*
        };
    };
}

codes! {
    SUCCESS = 0, kern_return::KERN_SUCCESS;
    INVALID_ARGUMENT = 4, kern_return::KERN_INVALID_ARGUMENT;
    INVALID_NAME = 15, kern_return::KERN_INVALID_NAME;
    INVALID_RIGHT = 17, kern_return::KERN_INVALID_RIGHT;
    INVALID_VALUE = 18, kern_return::KERN_INVALID_VALUE;
    NOT_PRIVILEGED = 1_100, bootstrap::BOOTSTRAP_NOT_PRIVILEGED;
    NAME_IN_USE = 1_101, bootstrap::BOOTSTRAP_NAME_IN_USE;
    UNKNOWN_SERVICE = 1_102, bootstrap::BOOTSTRAP_UNKNOWN_SERVICE;
    SERVICE_ACTIVE = 1_103, bootstrap::BOOTSTRAP_SERVICE_ACTIVE;
    NO_KERNEL_MEMORY = 0x0400, message::MACH_MSG_VM_KERNEL;
    SEND_INVALID_DEST = 0x1000_0003, message::MACH_SEND_INVALID_DEST;
    SEND_TIMED_OUT = 0x1000_0004, message::MACH_SEND_TIMED_OUT;
    SEND_INTERRUPTED = 0x1000_0007, message::MACH_SEND_INTERRUPTED;
    SEND_MSG_TOO_SMALL = 0x1000_0008, message::MACH_SEND_MSG_TOO_SMALL;
    SEND_INVALID_RIGHT = 0x1000_000a, message::MACH_SEND_INVALID_RIGHT;
    SEND_TOO_LARGE = 0x1000_000e, message::MACH_SEND_TOO_LARGE;
    SEND_INVALID_TYPE = 0x1000_000f, message::MACH_SEND_INVALID_TYPE;
    SEND_INVALID_HEADER = 0x1000_0010, message::MACH_SEND_INVALID_HEADER;
    RECEIVE_INVALID_NAME = 0x1000_4002, message::MACH_RCV_INVALID_NAME;
    RECEIVE_TIMED_OUT = 0x1000_4003, message::MACH_RCV_TIMED_OUT;
    RECEIVE_TOO_LARGE = 0x1000_4004, message::MACH_RCV_TOO_LARGE;
    RECEIVE_INTERRUPTED = 0x1000_4005, message::MACH_RCV_INTERRUPTED;
    RECEIVE_PORT_CHANGED = 0x1000_4006, message::MACH_RCV_PORT_CHANGED;
    RECEIVE_PORT_DIED = 0x1000_4009, message::MACH_RCV_PORT_DIED;
    RECEIVE_BODY_ERROR = 0x1000_400c, message::MACH_RCV_BODY_ERROR;
}

impl Code {
    /// `MACH_MSG_MASK` (`mach/message.h`): bits in a message code for additional errors.
    pub(super) const MORE: i32 = 0x3e00;

    /// Without the additional errors.
    #[inline]
    pub(crate) fn base(self) -> Self {
        if self.0 & OF_MESSAGES == 0 { self } else { Self(self.0 & !Self::MORE) }
    }

    #[allow(dead_code, reason = "only macOS answers in codes")]
    pub(crate) fn ok(self) -> Result<(), Self> {
        if self == Self::SUCCESS { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(code, _)| *code == self.base()).map(|(_, name)| *name);
        write!(formatter, "Mach error {} ({:#x})", name.unwrap_or("with unknown code"), self.0)
    }
}

impl std::error::Error for Code {}

impl From<Code> for io::Error {
    fn from(code: Code) -> Self {
        Self::other(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ignores_additional_errors() {
        let more = Code(Code::SEND_TIMED_OUT.0 | 0x2400);
        assert_eq!(more.base(), Code::SEND_TIMED_OUT);
        assert_eq!(more.to_string(), "Mach error MACH_SEND_TIMED_OUT (0x10002404)");
        // Alone, the same bits are the code.
        assert_eq!(Code::NO_KERNEL_MEMORY.base(), Code::NO_KERNEL_MEMORY);
        assert_eq!(Code(99).to_string(), "Mach error with unknown code (0x63)");
        assert!(Code::SUCCESS.ok().is_ok() && more.ok() == Err(more));
    }
}
