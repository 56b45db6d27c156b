//! What every mechanism of this system must do.

use super::*;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Longer than any wake-up takes: only a test that fails waits for all of it.
const LONG: Duration = Duration::from_secs(60);
const TURNS: u32 = 2_000;

fn here() -> impl Iterator<Item = &'static dyn Mechanism> {
    HERE.iter().copied().filter(|mechanism| mechanism.support().is_ok())
}

/// Runs threads to their ends. One that sleeps for ever fails the test.
fn in_time(mechanism: &dyn Mechanism, threads: impl IntoIterator<Item = impl FnOnce() + Send + 'static>) {
    let (tell, told) = mpsc::channel();
    let mut running = 0;
    for run in threads {
        let tell = tell.clone();
        thread::spawn(move || {
            run();
            tell.send(()).unwrap();
        });
        running += 1;
    }
    drop(tell);
    for _ in 0..running {
        told.recv_timeout(LONG).unwrap_or_else(|_| panic!("{}: a wake-up was lost", mechanism.slug()));
    }
}

/// Two players take turns, and each sleeps until it is its turn.
struct Game {
    mechanism: &'static dyn Mechanism,
    turn: AtomicU32,
    spots: [Spot; 2],
}

impl Game {
    fn play(&self, me: u8) {
        let (own, other) = (&self.spots[usize::from(me)], &self.spots[usize::from(1 - me)]);
        self.mechanism.settle(own).unwrap();
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
        let players = [0, 1].map(|me| (me, Arc::clone(&game)));
        in_time(mechanism, players.map(|(me, game)| move || game.play(me)));
        assert_eq!(game.turn.load(SeqCst), TURNS);
    }
}

#[test]
fn a_wake_up_before_the_sleep_is_not_lost() {
    for mechanism in here() {
        let one = move || {
            let spot = Spot::default();
            mechanism.settle(&spot).unwrap();
            spot.word.store(ASLEEP, SeqCst);
            spot.word.store(AWAKE, SeqCst);
            mechanism.wake(&spot);
            // A spot may be settled again, and keeps what it knows.
            mechanism.settle(&spot).unwrap();
            mechanism.sleep(&spot);
        };
        in_time(mechanism, [one]);
    }
}

/// Wake-ups that were kept would end as many sleeps: then the sleeper counts up while it is watched.
#[test]
fn wake_ups_that_nobody_asked_for_do_not_keep_anybody_awake() {
    for mechanism in here().filter(|mechanism| mechanism.unasked().is_ok()) {
        let watched = Arc::new((Spot::default(), AtomicU32::new(0)));
        let (spot, returns) = &*watched;
        mechanism.settle(spot).unwrap();
        for _ in 0..TURNS {
            mechanism.wake(spot);
        }
        spot.word.store(ASLEEP, SeqCst);
        let sleeper = Arc::clone(&watched);
        let (tell, told) = mpsc::channel();
        let sleeping = thread::spawn(move || {
            tell.send(()).unwrap();
            while sleeper.0.word.load(SeqCst) == ASLEEP {
                mechanism.sleep(&sleeper.0);
                sleeper.1.fetch_add(1, SeqCst);
            }
        });
        told.recv().unwrap();
        // As often as it takes to use up all that could have been kept.
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
fn every_mechanism_is_found_by_its_name_or_says_where_it_is() {
    assert!(HERE.is_sorted_by_key(|mechanism| mechanism.slug()));
    for (slug, home) in HOMES {
        match find(slug) {
            Ok(mechanism) => assert_eq!(mechanism.slug(), slug),
            Err(reason) => assert!(reason.to_string().ends_with(home), "{reason}"),
        }
    }
    for mechanism in HERE {
        assert!(HOMES.iter().any(|(slug, _)| *slug == mechanism.slug()), "{}", mechanism.slug());
    }
}
