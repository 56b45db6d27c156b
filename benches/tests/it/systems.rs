//! What is declared of systems is true of the one that this runs on.

use roundtrip_bench::sys::rights;
use roundtrip_bench::system::{Home, System};
use roundtrip_bench::transport::{self, ChannelSpec};

/// A small message, which whatever works at all can carry.
const BYTES: usize = 64;

fn here() -> System {
    System::here().unwrap()
}

fn is_emulated() -> bool {
    std::env::var_os("ROUNDTRIP_PEER_RUNNER").is_some()
}

#[test]
fn this_system_has_the_transports_that_are_declared_for_it_and_no_others() {
    for transport in transport::ALL {
        let slug = transport.info().slug;
        let channel =
            ChannelSpec { message_bytes: BYTES, manner: transport.manner(), ..ChannelSpec::default() };
        let found = transport.support(&channel);
        match transport.systems().iter().find(|home| home.system == here()) {
            None => assert!(found.is_err(), "{slug} works here, and is not declared for {:?}", here()),
            Some(Home { condition: Some(condition), .. }) if found.is_err() => {
                println!("{slug} does not apply to this machine, which may not be {condition}: {found:?}");
            }
            Some(_) if is_emulated() => {}
            Some(_) => assert_eq!(found, Ok(()), "{slug} is declared for {:?}", here()),
        }
    }
}

#[test]
fn a_system_is_declared_once_and_in_order() {
    for transport in transport::ALL {
        let names: Vec<&str> = transport.systems().iter().map(|home| home.system.name()).collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{}: {names:?}", transport.info().slug);
    }
}

#[test]
fn a_unix_socket_passes_descriptors_where_the_system_does() {
    let socket = transport::find("unix-stream").unwrap();
    assert_eq!(socket.passes_handles(here()), rights::support().is_ok());
}
