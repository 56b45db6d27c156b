//! [`Handle`]: what a process holds of the system, such as one end of a pipe, and how a child comes by it.
//!
//! In the parent: [`prepare`], start the child, [`pass`]; the tickets travel to the child, which calls [`adopt`].

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

#[cfg(windows)]
pub(in crate::sys) use imp::duplicate;
pub use imp::{Handle, Ticket, adopt, pass, prepare};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_travels_as_text() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let ticket = imp::ticket_of_own(reader.into()).unwrap();
        let text = serde_json::to_string(&ticket).unwrap();
        assert_eq!(serde_json::from_str::<Ticket>(&text).unwrap(), ticket);
        let handle = adopt(ticket).unwrap();
        assert!(handle.try_clone().is_ok());
    }
}
