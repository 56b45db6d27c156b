//! A fake issuer of job tokens, for tests of several programs. Prints its address, and the address and secret to request
//! tokens with. Then reads the event of the next job, one a line, until standard input closes.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails like a test")]

#[path = "../tests/fakes/issuer.rs"]
#[expect(dead_code, reason = "tests of the server need more of it")]
mod issuer;

use issuer::FakeIssuer;

fn main() {
    let issuer = FakeIssuer::start();
    // Creates the keys before a test waits for them.
    issuer.public_key();
    println!("{} {} {}", issuer.url(), issuer.request_url(), issuer::REQUEST_TOKEN);
    for event in std::io::stdin().lines() {
        let event = event.unwrap();
        let mut job = issuer::job();
        job["event_name"] = event.as_str().into();
        issuer.set_job(job);
        println!("{event}");
    }
}
