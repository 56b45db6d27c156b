//! Stands in for GitHub where a job asks for its token, for tests of several programs together. Prints where a job asks, and
//! works until its standard input closes. What the token says of the job can be given as JSON.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails like a test")]

#[path = "../tests/fakes/issuer.rs"]
#[expect(dead_code, reason = "tests of the server need more of it")]
mod issuer;

use issuer::FakeIssuer;

fn main() {
    let issuer = FakeIssuer::start();
    if let Some(job) = std::env::args().nth(1) {
        issuer.set_job(serde_json::from_str(&job).unwrap());
    }
    // The keys are drawn before anybody waits for them.
    issuer.public_key();
    println!("{} {} {}", issuer.url(), issuer.request_url(), issuer::REQUEST_TOKEN);
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}
