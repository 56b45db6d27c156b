//! Agents whose server is away for days, in simulated time: the real queue with a clock that is set, and reports that are
//! empty files.

use super::*;
use std::cell::{Cell, RefCell};
use std::fs;
use tempfile::TempDir;

const AGENTS: usize = 4;
const EVERY: Duration = Duration::from_secs(600);
/// How long a run is measured, and nothing is sent: the preset `quick` takes less.
const MEASURING: Duration = Duration::from_secs(60);
/// What an upload takes at most: `cargo xtask bench agents` has measured 427 ms with four agents and the server on two busy
/// processors.
const UPLOAD: Duration = Duration::from_millis(500);
/// As often as an agent looks whether there is something to measure.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const BACK_AFTER: Duration = Duration::from_secs(72 * 3_600);
const ARRIVED_AFTER_MAX: Duration = Duration::from_secs(600);

#[derive(Clone, Copy)]
enum Away {
    /// Its machine refuses the connection.
    Refuses,
    /// Nothing answers, until the attempt is given up.
    IsSilent,
}

/// When an agent was first heard after the server's return, and when each of its reports had arrived.
struct Heard {
    first: Duration,
    arrived: Vec<(RunId, Duration)>,
}

/// An agent that measures `runs` from the beginning on, whose server comes back after so long.
fn simulate(folder: &TempDir, runs: u32, back_after: Duration, away: Away) -> Heard {
    let log = Log::open(Some(&folder.path().join("log"))).unwrap();
    let begin = Instant::now();
    let (now, back) = (Cell::new(begin), begin + back_after);
    let heard = RefCell::new(Heard { first: Duration::MAX, arrived: Vec::new() });
    let send = |id| {
        let silent = if matches!(away, Away::IsSilent) { upload::TIMEOUT } else { Duration::ZERO };
        if now.get() + silent < back {
            now.set(now.get() + silent);
            return ControlFlow::Continue(Err(Refusal::Temporary("away".into(), None)));
        }
        let mut heard = heard.borrow_mut();
        // One that is under way when the server comes back is heard then.
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
        // As an agent does: what waits is sent, what is due is measured, or it waits.
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
fn all_of_three_days_arrives_in_order_within_ten_minutes_of_the_servers_return() {
    let runs = u32::try_from(BACK_AFTER.as_secs() / EVERY.as_secs()).unwrap();
    for away in [Away::Refuses, Away::IsSilent] {
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
fn agents_that_lost_their_server_at_once_come_back_to_it_one_by_one() {
    const ROUNDS: usize = 250;
    const WINDOW_SECONDS: u64 = 30;
    let back_after = Duration::from_secs(2 * 3_600);
    let (mut windows, mut in_step) = ([0_usize; 10], 0);
    for _ in 0..ROUNDS {
        let mut firsts: Vec<u64> = (0..AGENTS)
            .map(|_| simulate(&tempfile::tempdir().unwrap(), 1, back_after, Away::Refuses).first.as_secs())
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
    // Of pauses between one and two times the slow pace, two thirds end within the first of these times, evenly.
    assert!(windows[..4].iter().all(|&count| (all / 12..all / 4).contains(&count)), "{windows:?}");
    assert!(in_step < all / 40, "of {all}, {in_step} came in the same second");
}

#[test]
fn pauses_grow_to_the_slow_pace_and_go_on_for_ever() {
    let pauses: Vec<Duration> = pauses().take(40).collect();
    assert!(pauses[0] < PAUSE_MIN * 3);
    assert!(pauses[5] > PAUSE_MIN * 20);
    assert!(pauses[20..].iter().all(|pause| (PAUSE_MAX..=PAUSE_MAX * 2).contains(pause)), "{pauses:?}");
    assert!(pauses[20..].iter().any(|pause| *pause != pauses[20]), "without jitter: {pauses:?}");
}

#[test]
fn an_upload_that_crashed_is_tried_again_and_a_refused_one_stays_refused() {
    assert!(matches!(finished(None), Err(Refusal::Temporary(..))));
    assert!(matches!(finished(Some(Err(Refusal::Final("no".into())))), Err(Refusal::Final(_))));
}
