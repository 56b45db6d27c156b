//! Required behaviour of every mechanism on this system.

use super::*;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Longer than any wake-up takes: only a failing test waits for all of it.
const LONG: Duration = Duration::from_secs(60);
const TURNS: u32 = 2_000;

fn here() -> impl Iterator<Item = &'static dyn Mechanism> {
    HERE.iter().copied().filter(|mechanism| mechanism.support().is_ok())
}

/// Runs threads to their ends. One that sleeps forever fails the test.
fn in_time(mechanism: &dyn Mechanism, threads: impl IntoIterator<Item = impl FnOnce() + Send + 'static>) {
    let (sender, receiver) = mpsc::channel();
    let mut running = 0;
    for run in threads {
        let sender = sender.clone();
        thread::spawn(move || {
            run();
            sender.send(()).unwrap();
        });
        running += 1;
    }
    drop(sender);
    for _ in 0..running {
        receiver.recv_timeout(LONG).unwrap_or_else(|_| panic!("{}: a wake-up was lost", mechanism.slug()));
    }
}

/// Creates the mechanism's objects for these spots; returns them, if there are any.
fn create(mechanism: &dyn Mechanism, spots: &[&Spot]) -> Option<Objects> {
    mechanism.creator().map(|create| create(spots).unwrap())
}

/// Two players take turns, and each sleeps until its turn.
struct Game {
    mechanism: &'static dyn Mechanism,
    turn: AtomicU32,
    spots: [Spot; 2],
}

impl Game {
    fn play(&self, me: u8) {
        let (own, other) = (&self.spots[usize::from(me)], &self.spots[usize::from(1 - me)]);
        self.mechanism.prepare(own).unwrap();
        for turn in (u32::from(me)..TURNS).step_by(2) {
            own.word.store(ASLEEP, SeqCst);
            while self.turn.load(SeqCst) < turn {
                self.mechanism.sleep(own);
                own.word.store(ASLEEP, SeqCst);
            }
            own.word.store(AWAKE, SeqCst);
            self.turn.store(turn + 1, SeqCst);
            if other.word.swap(AWAKE, SeqCst) == ASLEEP {
                self.mechanism.wake(other);
            }
        }
    }
}

#[test]
fn two_threads_wake_each_other() {
    for mechanism in here() {
        let game = Arc::new(Game { mechanism, turn: AtomicU32::new(0), spots: Default::default() });
        let _objects = create(mechanism, &game.spots.each_ref());
        let players = [0, 1].map(|me| (me, Arc::clone(&game)));
        in_time(mechanism, players.map(|(me, game)| move || game.play(me)));
        assert_eq!(game.turn.load(SeqCst), TURNS);
    }
}

#[test]
fn wake_up_before_the_sleep_is_not_lost() {
    for mechanism in here() {
        let one = move || {
            let spot = Spot::default();
            let _objects = create(mechanism, &[&spot]);
            mechanism.prepare(&spot).unwrap();
            spot.word.store(ASLEEP, SeqCst);
            spot.word.store(AWAKE, SeqCst);
            mechanism.wake(&spot);
            // A spot may be prepared again, and keeps its data.
            mechanism.prepare(&spot).unwrap();
            mechanism.sleep(&spot);
        };
        in_time(mechanism, [one]);
    }
}

/// Stored wake-ups would end as many sleeps: then the sleeper counts up while it is watched.
#[test]
fn unneeded_wake_ups_do_not_accumulate() {
    for mechanism in here().filter(|mechanism| mechanism.unconditional_wake().is_ok()) {
        let watched = Arc::new((Spot::default(), AtomicU32::new(0)));
        let (spot, returns) = &*watched;
        mechanism.prepare(spot).unwrap();
        for _ in 0..TURNS {
            mechanism.wake(spot);
        }
        spot.word.store(ASLEEP, SeqCst);
        let sleeper = Arc::clone(&watched);
        let (sender, receiver) = mpsc::channel();
        let sleeping = thread::spawn(move || {
            sender.send(()).unwrap();
            while sleeper.0.word.load(SeqCst) == ASLEEP {
                mechanism.sleep(&sleeper.0);
                sleeper.1.fetch_add(1, SeqCst);
            }
        });
        receiver.recv().unwrap();
        // Often enough to use up all stored wake-ups.
        (0..TURNS).for_each(|_| thread::yield_now());
        assert!(returns.load(SeqCst) <= 10, "{}: it did not sleep", mechanism.slug());
        spot.word.store(AWAKE, SeqCst);
        while !sleeping.is_finished() {
            mechanism.wake(spot);
            thread::yield_now();
        }
    }
}

#[test]
fn finds_mechanisms_or_names_their_systems() {
    assert!(HERE.is_sorted_by_key(|mechanism| mechanism.slug()));
    for (slug, home) in SYSTEMS {
        match find(slug) {
            Ok(mechanism) => assert_eq!(mechanism.slug(), slug),
            Err(reason) => assert!(reason.to_string().ends_with(home), "{reason}"),
        }
    }
    for mechanism in HERE {
        assert!(SYSTEMS.iter().any(|(slug, _)| *slug == mechanism.slug()), "{}", mechanism.slug());
    }
}
