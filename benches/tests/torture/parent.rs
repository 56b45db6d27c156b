//! The parent: starts members, kills them, and checks that the others make progress.

use crate::member::{RING_OFFSET, progress, ring};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::ring::geometry::Geometry;
use roundtrip_bench::sys::death;
use roundtrip_bench::sys::handle::{self, Handle};
use roundtrip_bench::sys::shared_memory::{self, Mapping};
use roundtrip_bench::sys::wake;
use std::fmt;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time without progress after which members count as stuck: far more than the watchdog's interval.
const STUCK_AFTER: Duration = Duration::from_secs(20);

/// The longest life; most are shorter.
const LIFE_MAX: Duration = Duration::from_millis(4);

/// The percentage of kills after which a dead member is not replaced until the others have made progress.
const UNREPLACED_PERCENT: u32 = 3;

pub(crate) struct Setting {
    pub(crate) many_senders: bool,
    pub(crate) mechanism: &'static str,
    pub(crate) waiting: Waiting,
    /// Of the longest message.
    pub(crate) message_bytes: usize,
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let senders = if self.many_senders { "many senders" } else { "one sender" };
        write!(
            formatter,
            "survivors_continue_after_kills: {senders}, {}, {}, {} B",
            self.mechanism,
            self.waiting.slug(),
            self.message_bytes
        )
    }
}

struct Members<'a> {
    setting: &'a Setting,
    memory: Handle,
    page: Mapping,
    /// By place: senders first.
    children: Vec<Child>,
    senders: usize,
    lives: u64,
}

/// Kills this many members; returns a summary.
pub(crate) fn torture(setting: &Setting, kills: u32) -> Result<String, String> {
    let started = Instant::now();
    let failed = |error: std::io::Error| error.to_string();
    let ring_bytes = Geometry::for_messages(setting.message_bytes).bytes();
    let memory = shared_memory::create(RING_OFFSET + ring_bytes).map_err(failed)?;
    let page = Mapping::part(&memory, 0, RING_OFFSET).map_err(failed)?;
    let mechanism = wake::find(setting.mechanism).map_err(|error| error.to_string())?;
    // Removed after all members have ended.
    let _objects = match mechanism.creator() {
        Some(create) => {
            let (many_senders, waiting) = (setting.many_senders, setting.waiting);
            let ring = ring(&memory, many_senders, mechanism, waiting, setting.message_bytes)?;
            Some(create(&ring.spots().collect::<Vec<_>>()).map_err(failed)?)
        }
        None => None,
    };
    let senders = if setting.many_senders { 3 } else { 1 };
    let mut members = Members { setting, memory, page, children: Vec::new(), senders, lives: 0 };
    for place in 0..senders + 2 {
        let member = members.start(place)?;
        members.children.push(member);
    }
    let result = members.kill_and_watch(kills);
    let messages: u64 = (senders..senders + 2).map(|place| members.progress_of(place)).sum();
    for member in &mut members.children {
        let _ = member.kill();
        let _ = member.wait();
    }
    let seconds = started.elapsed().as_secs_f32();
    result.map(|()| format!("{kills} kills, {messages} messages received and compared, {seconds:.1} s"))
}

impl Members<'_> {
    fn start(&mut self, place: usize) -> Result<Child, String> {
        self.lives += 1;
        let Setting { many_senders, mechanism, waiting, message_bytes } = self.setting;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = PeerCommand::new(program, None).command();
        command
            .args(["member", if place < self.senders { "sender" } else { "receiver" }])
            .args([place.to_string(), self.lives.to_string()])
            .args([&many_senders.to_string(), *mechanism, waiting.slug(), &message_bytes.to_string()])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped());
        death::prepare(&mut command);
        handle::prepare(&mut command, [&self.memory]);
        self.spawn(command).map_err(|error| error.to_string())
    }

    fn spawn(&self, mut command: Command) -> std::io::Result<Child> {
        let mut child = command.spawn()?;
        death::bind(&child)?;
        let ticket = serde_json::to_string(&handle::pass(&child, &self.memory)?)?;
        if let Some(mut stdin) = child.stdin.take() {
            writeln!(stdin, "{ticket}")?;
        }
        Ok(child)
    }

    fn kill_and_watch(&mut self, kills: u32) -> Result<(), String> {
        let mut random = StdRng::seed_from_u64(u64::from(kills));
        for _ in 0..kills {
            // A random delay, so that kills happen at any moment.
            std::thread::sleep(random.random_range(Duration::ZERO..LIFE_MAX));
            let place = random.random_range(0..self.children.len());
            self.kill(place)?;
            // All others must make progress before a replacement takes the dead member's seat and clears it.
            if random.random_range(0..100) < UNREPLACED_PERCENT && self.others_can_progress(place) {
                self.watch(place)?;
            }
            self.children[place] = self.start(place)?;
        }
        self.watch(usize::MAX)
    }

    fn others_can_progress(&self, place: usize) -> bool {
        self.setting.many_senders || place >= self.senders
    }

    fn kill(&mut self, place: usize) -> Result<(), String> {
        let member = &mut self.children[place];
        let _ = member.kill();
        let status = member.wait().map_err(|error| error.to_string())?;
        // Windows gives a killed process an exit code.
        if status.code().is_none_or(|code| cfg!(windows) && code == 1) {
            return Ok(());
        }
        // It had ended before the kill: only a detected error causes that.
        let mut words = String::new();
        let _ = member.stderr.take().map(|mut stderr| stderr.read_to_string(&mut words));
        Err(format!("{status}: {words}"))
    }

    fn watch(&mut self, dead: usize) -> Result<(), String> {
        let places: Vec<usize> = (0..self.children.len()).filter(|&place| place != dead).collect();
        let before: Vec<u64> = places.iter().map(|&place| self.progress_of(place)).collect();
        let until = Instant::now() + STUCK_AFTER;
        while places.iter().zip(&before).any(|(&place, &before)| self.progress_of(place) == before) {
            if Instant::now() > until {
                let now: Vec<u64> = places.iter().map(|&place| self.progress_of(place)).collect();
                return Err(format!("stuck: members {places:?} were at {before:?} and are at {now:?}"));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    fn progress_of(&self, place: usize) -> u64 {
        progress(&self.page, place).load(Ordering::Relaxed)
    }
}
