//! Declarations about systems match the one that runs this.

use roundtrip_bench::sys::rights;
use roundtrip_bench::system::{SupportedSystem, System};
use roundtrip_bench::transport::{self, ChannelSpec};

/// A small message, which every available transport can carry.
const BYTES: usize = 64;

fn here() -> System {
    System::here().unwrap()
}

fn is_emulated() -> bool {
    std::env::var_os("ROUNDTRIP_PEER_RUNNER").is_some()
}

#[test]
fn declared_transports_match_this_system() {
    for transport in transport::ALL {
        let slug = transport.info().slug;
        let channel =
            ChannelSpec { message_bytes: BYTES, manner: transport.manner(), ..ChannelSpec::default() };
        let found = transport.support(&channel);
        match transport.systems().iter().find(|home| home.system == here()) {
            None => assert!(found.is_err(), "{slug} works here, and is not declared for {:?}", here()),
            Some(SupportedSystem { condition: Some(condition), .. }) if found.is_err() => {
                println!("{slug} does not apply to this machine, which may not be {condition}: {found:?}");
            }
            Some(_) if is_emulated() => {}
            Some(_) => assert_eq!(found, Ok(()), "{slug} is declared for {:?}", here()),
        }
    }
}

#[test]
fn systems_are_declared_once_and_in_order() {
    for transport in transport::ALL {
        let names: Vec<&str> = transport.systems().iter().map(|home| home.system.name()).collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{}: {names:?}", transport.info().slug);
    }
}

#[test]
fn unix_sockets_pass_descriptors_if_supported() {
    let socket = transport::find("unix-stream").unwrap();
    assert_eq!(socket.passes_handles(here()), rights::support().is_ok());
}
