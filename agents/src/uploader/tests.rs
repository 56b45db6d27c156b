//! Agents whose server is away for days, in simulated time: the real queue with a simulated clock, and empty
//! files as reports.

use super::*;
use std::cell::{Cell, RefCell};
use std::fs;
use tempfile::TempDir;

const AGENTS: usize = 4;
const EVERY: Duration = Duration::from_secs(600);
/// The duration of a run, during which nothing is sent. The preset `quick` takes less.
const MEASURING: Duration = Duration::from_secs(60);
/// The longest upload: `cargo xtask bench agents` has measured 427 ms with four agents and the server on two
/// busy processors.
const UPLOAD: Duration = Duration::from_millis(500);
/// The interval at which an agent checks whether a measurement is due.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const BACK_AFTER: Duration = Duration::from_secs(72 * 3_600);
const ARRIVED_AFTER_MAX: Duration = Duration::from_secs(600);

#[derive(Clone, Copy)]
enum Outage {
    /// The server's machine refuses the connection.
    Refuses,
    /// No answer until the timeout.
    IsSilent,
}

/// When the server first heard from an agent after its return, and when each report arrived.
struct Heard {
    first: Duration,
    arrived: Vec<(RunId, Duration)>,
}

/// Simulates an agent with `runs` measurements from the start, whose server returns after `back_after`.
fn simulate(folder: &TempDir, runs: u32, back_after: Duration, away: Outage) -> Heard {
    let log = Log::open(Some(&folder.path().join("log"))).unwrap();
    let begin = Instant::now();
    let (now, back) = (Cell::new(begin), begin + back_after);
    let heard = RefCell::new(Heard { first: Duration::MAX, arrived: Vec::new() });
    let send = |id| {
        let silent = if matches!(away, Outage::IsSilent) { upload::TIMEOUT } else { Duration::ZERO };
        if now.get() + silent < back {
            now.set(now.get() + silent);
            return ControlFlow::Continue(Err(Refusal::Temporary("away".into(), None)));
        }
        let mut heard = heard.borrow_mut();
        // An upload in progress when the server returns reaches it.
        now.set(now.get().max(back));
        heard.first = heard.first.min(now.get() - back);
        now.set(now.get() + UPLOAD);
        spool::remove(&spool::path(folder.path(), id)).unwrap();
        heard.arrived.push((id, now.get() - back));
        ControlFlow::Continue(Ok(None))
    };
    let mut queue = Queue::new(folder.path().to_owned());
    let mut measured = 0;
    while heard.borrow().arrived.len() < runs as usize {
        // Like an agent: sends pending reports, measures if due, or waits.
        let _ = queue.deliver(|| now.get(), send, &log);
        if measured < runs && now.get() >= begin + EVERY * measured {
            now.set(now.get() + MEASURING);
            measured += 1;
            fs::write(spool::path(folder.path(), RunId::draw()), "").unwrap();
        } else {
            let look = now.get() + LOOK_INTERVAL;
            now.set(queue.next(now.get()).map_or(look, |then| then.min(look)));
        }
    }
    assert_eq!(spool::waiting(folder.path()).unwrap(), []);
    heard.into_inner()
}

#[test]
fn uploads_three_days_of_reports_within_ten_minutes() {
    let runs = u32::try_from(BACK_AFTER.as_secs() / EVERY.as_secs()).unwrap();
    for away in [Outage::Refuses, Outage::IsSilent] {
        let agents: Vec<Heard> =
            (0..AGENTS).map(|_| simulate(&tempfile::tempdir().unwrap(), runs, BACK_AFTER, away)).collect();
        let arrived: usize = agents.iter().map(|agent| agent.arrived.len()).sum();
        let last = agents.iter().flat_map(|agent| &agent.arrived).map(|(_, at)| *at).max().unwrap();
        println!("{arrived} runs, the last {} s after the server's return", last.as_secs());
        assert_eq!(arrived, 1_728);
        assert!(last <= ARRIVED_AFTER_MAX, "{last:?}");
        for agent in agents {
            assert!(
                agent.arrived.is_sorted_by(|one, next| one.0 < next.0),
                "in the order of the runs, each once"
            );
        }
    }
}

#[test]
fn spreads_retries_of_many_agents() {
    const ROUNDS: usize = 250;
    const WINDOW_SECONDS: u64 = 30;
    let back_after = Duration::from_secs(2 * 3_600);
    let (mut windows, mut in_step) = ([0_usize; 10], 0);
    for _ in 0..ROUNDS {
        let mut firsts: Vec<u64> = (0..AGENTS)
            .map(|_| simulate(&tempfile::tempdir().unwrap(), 1, back_after, Outage::Refuses).first.as_secs())
            .collect();
        firsts.iter().for_each(|first| windows[usize::try_from(first / WINDOW_SECONDS).unwrap()] += 1);
        firsts.sort_unstable();
        in_step += firsts.windows(2).filter(|pair| pair[0] == pair[1]).count();
    }
    println!(
        "agents heard in each half minute after the return: {windows:?}; in the same second as another one: {in_step}"
    );
    let all = ROUNDS * AGENTS;
    assert_eq!(windows[8..], [0, 0], "later than twice the slow pace");
    // The delays are between one and two times the longest one. Two thirds of them end within the first of
    // these windows, evenly.
    assert!(windows[..4].iter().all(|&count| (all / 12..all / 4).contains(&count)), "{windows:?}");
    assert!(in_step < all / 40, "of {all}, {in_step} came in the same second");
}

#[test]
fn delays_grow_to_the_maximum() {
    let pauses: Vec<Duration> = pauses().take(40).collect();
    assert!(pauses[0] < PAUSE_MIN * 3);
    assert!(pauses[5] > PAUSE_MIN * 20);
    assert!(pauses[20..].iter().all(|pause| (PAUSE_MAX..=PAUSE_MAX * 2).contains(pause)), "{pauses:?}");
    assert!(pauses[20..].iter().any(|pause| *pause != pauses[20]), "without jitter: {pauses:?}");
}

#[test]
fn retries_crashed_uploads_but_not_refused_ones() {
    assert!(matches!(finished(None), Err(Refusal::Temporary(..))));
    assert!(matches!(finished(Some(Err(Refusal::Final("no".into())))), Err(Refusal::Final(_))));
}
