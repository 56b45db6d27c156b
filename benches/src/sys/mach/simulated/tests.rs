//! The simulated kernel rejects the same calls as the real one, and counts correctly.

use super::*;
use std::ptr;

fn put(message: &mut [u8], at: usize, word: u32) {
    message[at..at + 4].copy_from_slice(&word.to_ne_bytes());
}

fn get(message: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(message[at..at + 4].try_into().unwrap())
}

/// A header with these bits, for this destination.
fn plain(bits: u32, to: Name, bytes: usize) -> Vec<u8> {
    let mut message = vec![0; bytes];
    put(&mut message, 0, bits);
    put(&mut message, 8, to.0);
    message
}

/// One descriptor of memory.
fn with_memory(to: Name, memory: &[u8], copy: u8) -> Vec<u8> {
    let mut message = plain(abi::COMPLEX | u32::from(abi::MAKE_SEND), to, 44);
    put(&mut message, 24, 1);
    message[28..36].copy_from_slice(&(memory.as_ptr().expose_provenance() as u64).to_ne_bytes());
    message[37] = copy;
    message[39] = abi::MEMORY;
    put(&mut message, 40, u32::try_from(memory.len()).unwrap());
    message
}

#[expect(unsafe_code, reason = "a message may describe memory")]
fn send(kernel: &Simulated, message: &mut [u8]) -> Code {
    // SAFETY: the memory is borrowed by the caller.
    unsafe { kernel.send(message, Duration::ZERO) }
}

const MAKE: u32 = abi::MAKE_SEND as u32;

fn port() -> (Simulated, Name) {
    let kernel = Simulated::new(501);
    let name = kernel.allocate_port().unwrap();
    (kernel, name)
}

#[test]
fn rejects_invalid_messages() {
    let (kernel, name) = port();
    let once = u32::from(abi::MOVE_SEND_ONCE);
    let cases = [
        (plain(MAKE, name, 20), Code::SEND_MSG_TOO_SMALL),
        (plain(MAKE, name, 26), Code::SEND_MSG_TOO_SMALL),
        (plain(MAKE, name, abi::MESSAGE_BYTES_MAX + 4), Code::SEND_TOO_LARGE),
        // No disposition, an invalid one, one without the right, one for an unknown name.
        (plain(0, name, 24), Code::SEND_INVALID_HEADER),
        (plain(22, name, 24), Code::SEND_INVALID_HEADER),
        (plain(u32::from(abi::MOVE_RECEIVE), name, 24), Code::SEND_INVALID_HEADER),
        (plain(u32::from(abi::COPY_SEND), name, 24), Code::SEND_INVALID_DEST),
        (plain(once, name, 24), Code::SEND_INVALID_DEST),
        (plain(MAKE, Name(0x777), 24), Code::SEND_INVALID_DEST),
        // Complex, but too short for the count, or for the descriptors.
        (plain(abi::COMPLEX | MAKE, name, 24), Code::SEND_MSG_TOO_SMALL),
        (with_memory(name, &[1], abi::VIRTUAL_COPY)[..40].to_vec(), Code::SEND_MSG_TOO_SMALL),
        (with_memory(name, &[1], 2), Code::SEND_INVALID_TYPE),
        (
            with_memory(name, &vec![1; abi::PHYSICAL_BYTES_MAX + 1], abi::PHYSICAL_COPY),
            Code::NO_KERNEL_MEMORY,
        ),
    ];
    for (number, (mut message, code)) in cases.into_iter().enumerate() {
        assert_eq!(send(&kernel, &mut message), code, "{number}");
    }
    // A descriptor for a missing right.
    let mut message = plain(abi::COMPLEX | MAKE, name, 40);
    put(&mut message, 24, 1);
    put(&mut message, 28, 0x999);
    message[38] = abi::COPY_SEND;
    assert_eq!(send(&kernel, &mut message), Code::SEND_INVALID_RIGHT);
    // A local name without a disposition.
    let mut message = plain(MAKE, name, 24);
    put(&mut message, 12, name.0);
    assert_eq!(send(&kernel, &mut message), Code::SEND_INVALID_HEADER);
    assert_eq!(kernel.waiting(name), 0);
    kernel.destroy_receive(name).unwrap();
    kernel.assert_clean();
}

#[test]
fn message_without_complex_bit_is_bytes() {
    let (kernel, name) = port();
    let mut message = with_memory(name, &[1; 5], abi::VIRTUAL_COPY);
    message[3] = 0;
    assert_eq!(send(&kernel, &mut message), Code::SUCCESS);
    let mut buffer = [0; 52];
    assert_eq!(kernel.receive(name, &mut buffer, Trailer::Least, None), Code::SUCCESS);
    assert_eq!(buffer[24..44], message[24..44]);
    kernel.destroy_receive(name).unwrap();
    kernel.assert_clean();
}

#[test]
fn oversized_message_stays_and_reports_its_size() {
    let (kernel, name) = port();
    assert_eq!(send(&kernel, &mut plain(MAKE, name, 100)), Code::SUCCESS);
    for (bytes, trailer) in [(107, Trailer::Least), (151, Trailer::Audit), (24, Trailer::Least)] {
        let mut buffer = vec![0; bytes];
        assert_eq!(kernel.receive(name, &mut buffer, trailer, None), Code::RECEIVE_TOO_LARGE);
        assert_eq!((get(&buffer, 4), kernel.waiting(name)), (100, 1));
    }
    let mut buffer = [0; 152];
    assert_eq!(kernel.receive(name, &mut buffer, Trailer::Audit, None), Code::SUCCESS);
    assert_eq!((get(&buffer, 4), get(&buffer, 100), get(&buffer, 104), get(&buffer, 124)), (100, 0, 52, 501));
    let none = kernel.receive(name, &mut buffer, Trailer::Least, Some(Duration::ZERO));
    assert_eq!(none, Code::RECEIVE_TIMED_OUT);
    kernel.destroy_receive(name).unwrap();
    assert_eq!(kernel.receive(name, &mut buffer, Trailer::Least, None), Code::RECEIVE_INVALID_NAME);
    kernel.assert_clean();
}

#[test]
fn timed_out_send_is_returned() {
    let (kernel, name) = port();
    kernel.limit_queue(name, 0).unwrap();
    let memory = vec![3; 100];
    for copy in [abi::VIRTUAL_COPY, abi::PHYSICAL_COPY] {
        let mut message = with_memory(name, &memory, copy);
        assert_eq!(send(&kernel, &mut message), Code::SEND_TIMED_OUT);
        // A right was created, and is here now.
        assert_eq!(get(&message, 0), abi::COMPLEX | u32::from(abi::MOVE_SEND));
        assert_eq!(get(&message, 8), name.0);
        let address = u64::from_ne_bytes(message[28..36].try_into().unwrap());
        assert_ne!(address, memory.as_ptr().addr() as u64);
        assert_eq!((message[36], message[37]), (copy, copy), "only a virtual copy is to be deallocated");
        #[expect(unsafe_code, reason = "memory by its address")]
        // SAFETY: the kernel has mapped it.
        unsafe {
            let address: *const u8 = ptr::with_exposed_provenance(usize::try_from(address).unwrap());
            assert_eq!(std::slice::from_raw_parts(address, 100), memory);
            kernel.unmap(address.addr() as u64, 100).unwrap();
        }
        kernel.release_send(name).unwrap();
    }
    // A send-once right need not wait.
    assert_eq!(send(&kernel, &mut plain(u32::from(abi::MAKE_SEND_ONCE), name, 24)), Code::SUCCESS);
    kernel.destroy_receive(name).unwrap();
    kernel.assert_clean();
}

#[test]
fn double_release_is_a_violation() {
    let (kernel, name) = port();
    assert_eq!(kernel.release_send(name), Err(Code::INVALID_RIGHT));
    kernel.destroy_receive(name).unwrap();
    assert_eq!(kernel.destroy_receive(name), Err(Code::INVALID_NAME));
    #[expect(unsafe_code, reason = "memory by its address")]
    // SAFETY: there is no mapping.
    let nothing = unsafe { kernel.unmap(0x4000, 5) };
    assert_eq!(nothing, Err(Code::INVALID_ARGUMENT));
    assert_eq!(kernel.state().violations.len(), 3);
}

#[test]
fn port_names_differ_between_processes() {
    let (kernel, name) = port();
    let other = kernel.process(502);
    let service = c"a.name";
    let port = kernel.check_in(service).unwrap();
    assert_eq!(kernel.check_in(service), Err(Code::NAME_IN_USE));
    assert_eq!(kernel.look_up(service), Ok(port));
    let there = other.look_up(service).unwrap();
    // Sends a right to the first port from one process to the other, where it gets a different name.
    let mut message = plain(abi::COMPLEX | u32::from(abi::COPY_SEND), port, 40);
    put(&mut message, 24, 1);
    put(&mut message, 28, name.0);
    message[38] = abi::MAKE_SEND;
    assert_eq!(send(&kernel, &mut message), Code::SUCCESS);
    let mut buffer = [0; 48];
    assert_eq!(kernel.receive(port, &mut buffer, Trailer::Least, None), Code::SUCCESS);
    assert_eq!((get(&buffer, 28), buffer[38]), (name.0, abi::MOVE_SEND));
    kernel.release_send(name).unwrap();
    kernel.release_send(port).unwrap();
    kernel.destroy_receive(name).unwrap();
    // If a port dies, its name becomes dead there. It is released like a right, but is no longer a destination.
    kernel.destroy_receive(port).unwrap();
    let mut message = plain(u32::from(abi::COPY_SEND), there, 24);
    assert_eq!(send(&other, &mut message), Code::SEND_INVALID_DEST);
    assert_eq!(other.look_up(service), Err(Code::UNKNOWN_SERVICE));
    other.release_send(there).unwrap();
    kernel.assert_clean();
}

#[test]
fn no_senders_notification_comes_last() {
    let (kernel, name) = port();
    // No process could send yet, so there is no notification.
    kernel.notify_when_no_senders(name).unwrap();
    assert_eq!(kernel.waiting(name), 0);
    assert_eq!(send(&kernel, &mut plain(MAKE, name, 28)), Code::SUCCESS);
    assert_eq!(kernel.waiting(name), 1);
    let mut buffer = [0; 100];
    assert_eq!(kernel.receive(name, &mut buffer, Trailer::Audit, None), Code::SUCCESS);
    assert_eq!((get(&buffer, 4), get(&buffer, 0)), (28, u32::from(abi::MOVE_SEND) << 8));
    assert_eq!(kernel.receive(name, &mut buffer, Trailer::Audit, None), Code::SUCCESS);
    assert_eq!((get(&buffer, 4), get(&buffer, 20)), (36, 70));
    assert_eq!((get(&buffer, 0), get(&buffer, 32)), (u32::from(abi::MOVE_SEND_ONCE) << 8, 1));
    assert_eq!(get(&buffer, 36 + 24), 0, "the kernel is not a process");
    kernel.destroy_receive(name).unwrap();
    kernel.assert_clean();
}

#[test]
fn dead_process_leaves_nothing() {
    let (kernel, name) = port();
    let other = kernel.process(502);
    let before = kernel.object_counts();
    other.check_in(c"its.name").unwrap();
    let right = kernel.look_up(c"its.name").unwrap();
    other.die();
    assert_eq!(kernel.processes(), 1);
    kernel.release_send(right).unwrap();
    assert_eq!(kernel.object_counts(), before);
    kernel.destroy_receive(name).unwrap();
    kernel.assert_clean();
}
