//! The requests of an agent that enrols and claims jobs.

use base64::{Engine, prelude::BASE64_STANDARD};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

pub(crate) fn new_key() -> Ed25519KeyPair {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap()
}

/// A request to enrol an agent on a machine with a code.
pub(crate) fn enrolment(code: &str, machine: &str, key: &Ed25519KeyPair) -> Value {
    json!({
        "code": code,
        "machine": {"slug": machine, "os": "linux", "arch": "x86-64"},
        "public_key": BASE64_STANDARD.encode(key.public_key().as_ref()),
    })
}

/// A claim that waits up to this time for a job.
pub(crate) fn claim(wait_seconds: u32) -> Value {
    json!({
        "protocol_min": 1, "protocol_max": 1, "version": "0.1.0", "health": {}, "spooled_count": 0,
        "wait_seconds": wait_seconds,
    })
}
