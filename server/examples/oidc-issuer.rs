//! Stands in for GitHub where a job asks for its token, for tests of several programs together. Prints who it is, where a job
//! asks, and with what; then takes the events of the jobs that it signs for, a line each, until its standard input closes.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails like a test")]

#[path = "../tests/fakes/issuer.rs"]
#[expect(dead_code, reason = "tests of the server need more of it")]
mod issuer;

use issuer::FakeIssuer;

fn main() {
    let issuer = FakeIssuer::start();
    // The keys are drawn before anybody waits for them.
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
