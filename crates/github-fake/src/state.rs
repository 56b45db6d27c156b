//! The state of a fake: settings, objects, planned faults and recorded requests.

use crate::Fault;
use crate::fault::Plan;
use crate::world::World;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

pub(crate) const APP_LOGIN: &str = "roundtrip[bot]";
const APP_ID: u64 = 123_456;
const WEBHOOK_SECRET: &str = "It's a Secret to Everybody"; // GitHub's example. prose: allow
/// Requests per hour.
const PRIMARY_LIMIT: i64 = 5_000;

/// Settings of a fake.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:7980")]
    pub address: SocketAddr,
    /// Path of the API: empty as on github.com, `/api/v3` as on GitHub Enterprise.
    #[arg(long, default_value = "/api/v3")]
    pub prefix: String,
    /// ID of the App.
    #[arg(long, default_value_t = APP_ID)]
    pub app_id: u64,
    /// Secret that signs events.
    #[arg(long, default_value = WEBHOOK_SECRET)]
    pub webhook_secret: String,
    /// URL to send events to.
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    /// Directory with bare repositories, as OWNER/NAME.git.
    #[arg(long, value_name = "DIR")]
    pub git_dir: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            prefix: String::new(),
            app_id: APP_ID,
            webhook_secret: WEBHOOK_SECRET.to_owned(),
            git_dir: None,
            webhook_url: None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) address: SocketAddr,
    pub(crate) world: Mutex<World>,
    pub(crate) plans: Mutex<Vec<Plan>>,
    pub(crate) record: Mutex<Vec<Recorded>>,
    pub(crate) retry_at: Mutex<Option<DateTime<Utc>>>,
    pub(crate) bearers: Mutex<BTreeSet<String>>,
    pub(crate) clock_offset: Mutex<TimeDelta>,
}

impl Shared {
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        Utc::now() + *self.clock_offset.lock().unwrap()
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn retry_at(&self) -> Option<DateTime<Utc>> {
        *self.retry_at.lock().unwrap()
    }

    pub(crate) fn record_bearer(&self, bearer: &str) {
        self.bearers.lock().unwrap().insert(bearer.to_owned());
    }

    pub(crate) fn take_fault(&self, method: &str, path: &str) -> Option<Fault> {
        let mut plans = self.plans.lock().unwrap();
        let plan = plans.iter_mut().find(|plan| plan.matches(method, path))?;
        plan.times -= 1;
        Some(plan.fault)
    }

    pub(crate) fn writes_since(&self, since: DateTime<Utc>) -> usize {
        let is_in = |one: &&Recorded| one.write && one.at > since;
        self.record.lock().unwrap().iter().rev().filter(is_in).count()
    }

    pub(crate) fn add_limit_headers(&self, response: &mut Response, now: DateTime<Utc>) {
        let used = i64::try_from(self.record.lock().unwrap().len()).unwrap_or(i64::MAX);
        let reset = now.timestamp() + 3_600;
        let headers: &mut HeaderMap = response.headers_mut();
        headers.insert("x-ratelimit-limit", PRIMARY_LIMIT.into());
        headers.entry("x-ratelimit-remaining").or_insert((PRIMARY_LIMIT - used).max(1).into());
        headers.entry("x-ratelimit-reset").or_insert(reset.into());
        headers.insert("x-ratelimit-used", used.into());
        headers.insert("x-github-request-id", uuid::Uuid::new_v4().to_string().parse().unwrap());
    }

    pub(crate) fn record(&self, recorded: Recorded, headers: &HeaderMap) {
        if let Some(until) = recorded.retry_at(headers) {
            *self.retry_at.lock().unwrap() = Some(until);
        }
        self.record.lock().unwrap().push(recorded);
    }

    /// The path without the prefix, with the query.
    pub(crate) fn without_prefix(&self, uri: &Uri) -> String {
        let text = uri.to_string();
        text.strip_prefix(&self.settings.prefix).map_or(text.clone(), str::to_owned)
    }
}

/// A recorded request with its result.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Time of the request, by the fake's clock.
    pub at: DateTime<Utc>,
    /// Its method.
    pub method: String,
    /// Its path without the prefix of the API, with the query.
    pub path: String,
    /// Its body.
    pub body: Value,
    /// The response status, even if the connection was cut.
    pub status: u16,
    /// Whether it came before the end of a rate limit's waiting time.
    pub impatient: bool,
    /// Whether it counts as a write for the rate limit.
    pub write: bool,
}

impl Recorded {
    /// The time until which the client must wait after this response, if any.
    pub(crate) fn retry_at(&self, response_headers: &HeaderMap) -> Option<DateTime<Utc>> {
        let number = |name: &str| response_headers.get(name)?.to_str().ok()?.parse::<i64>().ok();
        if self.status != 403 && self.status != 429 {
            return None;
        }
        if let Some(seconds) = number("retry-after") {
            return Some(self.at + TimeDelta::seconds(seconds));
        }
        let reset = number("x-ratelimit-reset").filter(|_| number("x-ratelimit-remaining") == Some(0))?;
        DateTime::from_timestamp(reset, 0)
    }
}
