//! A program that implements the protocol without moving a byte, and misbehaves at one point.

use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::program::header;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use std::{env, process};

/// Names the file that limits a daemon's life.
pub(crate) const WANTED: &str = "ROUNDTRIP_TEST_DAEMON_WANTED";

/// The simulated time of each message.
const MESSAGE: Duration = Duration::from_micros(100);

/// The command for this program; the behaviour is still to be added.
pub(crate) fn this_program() -> io::Result<PeerCommand> {
    Ok(PeerCommand::new(env::current_exe()?, Some("behave")))
}

pub(crate) fn main(behaviour: &str) -> ExitCode {
    match behaviour {
        "wait-for-stdin" => {
            wait_for_end();
            return ExitCode::SUCCESS;
        }
        "start-threads" => {
            start_threads();
            return ExitCode::SUCCESS;
        }
        // Holds standard output and error open until the test removes the file, or for a minute.
        "outlive" => {
            let wanted = env::var_os(WANTED).unwrap();
            let until = Instant::now() + Duration::from_secs(60);
            while Path::new(&wanted).exists() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            // The file remains only if nothing waited for this process.
            let _ = std::fs::remove_file(wanted);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    match run(behaviour) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{behaviour}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(behaviour: &str) -> io::Result<ExitCode> {
    let mut lines = io::stdin().lock().lines();
    let asked: Value = serde_json::from_str(&lines.next().unwrap()?)?;
    match behaviour {
        "hang-immediately" => hang(),
        "exit-immediately" => return Ok(ExitCode::from(3)),
        "print-error-and-exit" => {
            eprintln!("no licence for this machine");
            return Ok(ExitCode::from(4));
        }
        "crash" => process::abort(),
        "leave-a-daemon" => {
            leave_a_daemon()?;
            eprintln!("the daemon has it now");
            return Ok(ExitCode::from(5));
        }
        "print-garbage" => say("Listening on port 4711")?,
        "print-half-a-line" => say_raw(b"{\"connected\":{\"initiator")?,
        "print-bytes" => say_raw(b"\xff\xfe\x00\x01\n")?,
        "print-endlessly" => loop {
            say_raw(&[b'a'; 4096])?;
        },
        "report-unsupported" => say("{\"unsupported\":\"unknown scenario\"}")?,
        "fail-in-the-second-repetition" if asked["case"]["seed"] == 1 => {
            say("{\"failed\":\"connect: connection refused\"}")?;
        }
        "fail" => say("{\"failed\":\"connect: connection refused\"}")?,
        "send-done-first" => {
            say("{\"done\":{\"attempted\":1,\"accepted\":1,\"delivered\":1,\"responder_sum\":0}}")?;
        }
        _ => {}
    }
    let mut responder = responder()?;
    let pids = match behaviour {
        "report-process-1" => [process::id(), 1],
        "report-one-process" => [process::id(); 2],
        _ => [process::id(), responder.id()],
    };
    say(&json!({"connected": {"initiator_pid": pids[0], "responder_pid": pids[1]}}).to_string())?;
    let mut part = 0;
    while lines.next().transpose()?.is_some() {
        match behaviour {
            "hang-when-measuring" => hang(),
            "hang-in-the-third-part" if part == 2 => hang(),
            "exit-when-measuring" => {
                // The responder keeps standard output open.
                return Ok(ExitCode::from(3));
            }
            "kill-the-responder" => {
                responder.kill()?;
                responder.wait()?;
                say("{\"failed\":\"the responder is gone\"}")?;
            }
            "print-garbage-when-measuring" => say("50 % done")?,
            "use-harness-timing" => say("{\"started\":{}}")?,
            _ => {}
        }
        let done = done(behaviour, part, &asked["case"]);
        say(&json!({ "done": done }).to_string())?;
        match behaviour {
            "stay-when-done" => hang(),
            "chatter-when-done" => loop {
                say("bye")?;
            },
            _ => {}
        }
        part += 1;
    }
    Ok(ExitCode::SUCCESS)
}

/// An answer with one wrong value.
fn done(behaviour: &str, part: u64, case: &Value) -> Value {
    let number = |name: &str| case[name].as_u64().unwrap();
    let (samples, batch) = (number("samples"), number("batch") * number("messages_per_operation"));
    let messages = samples * batch;
    let first =
        if behaviour == "restart-numbers-in-each-part" { 0 } else { u32::try_from(part * messages).unwrap() };
    let seed = u32::try_from(number("seed")).unwrap().wrapping_add(first);
    let message = if behaviour == "slow-down" { MESSAGE * 11 / 10 } else { MESSAGE };
    let began = Instant::now();
    let mut samples_ns = Vec::new();
    for _ in 0..samples {
        let sample = Instant::now();
        while sample.elapsed() < message {
            std::hint::spin_loop();
        }
        samples_ns.push(u64::try_from(sample.elapsed().as_nanos()).unwrap());
    }
    let sum = header::sum(seed, messages);
    let mut done = json!({
        "samples_ns": samples_ns,
        "elapsed_ns": u64::try_from(began.elapsed().as_nanos()).unwrap(),
        "attempted": messages,
        "accepted": messages,
        "delivered": messages,
        "responder_sum": sum,
        "initiator_sum": sum,
    });
    match behaviour {
        "count-more-than-asked" => done["attempted"] = json!(messages + 1),
        "count-attempts-as-deliveries" => done["responder_sum"] = json!(header::sum(seed, 1)),
        "lose-one" => done["delivered"] = json!(messages - 1),
        "omit-a-sample" => _ = done["samples_ns"].as_array_mut().unwrap().pop(),
        "report-years" => done["samples_ns"] = json!(vec![u64::MAX; samples_ns.len()]),
        "misspell" => done["delivred"] = json!(messages),
        "use-harness-timing" => {
            let members = done.as_object_mut().unwrap();
            members.remove("samples_ns");
            members.remove("elapsed_ns");
        }
        _ => {}
    }
    done
}

/// Reports when it begins, and when [`CHAINS`] threads have each started others one after another: at any time, several
/// are being started. All live until standard input ends.
fn start_threads() {
    fn next(left: u32, done: Arc<Barrier>) {
        let start = move || {
            if left == 0 {
                done.wait();
            } else {
                next(left - 1, done);
            }
            hang();
        };
        std::thread::Builder::new().stack_size(64 << 10).spawn(start).unwrap();
    }
    let done = Arc::new(Barrier::new(CHAINS + 1));
    for _ in 0..CHAINS {
        next(40, Arc::clone(&done));
    }
    say("begun").unwrap();
    done.wait();
    say("done").unwrap();
    wait_for_end();
}

const CHAINS: usize = 8;

/// Another process of this program, which ends with its standard input.
fn responder() -> io::Result<Child> {
    this_program()?.command().arg("wait-for-stdin").stdin(Stdio::piped()).spawn()
}

/// A process outside this program's group.
#[cfg(unix)]
fn leave_a_daemon() -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    this_program()?.command().arg("outlive").process_group(0).spawn().map(|_| ())
}

#[cfg(not(unix))]
fn leave_a_daemon() -> io::Result<()> {
    Ok(())
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

fn wait_for_end() {
    let _ = io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink());
}

fn say(line: &str) -> io::Result<()> {
    say_raw(format!("{line}\n").as_bytes())
}

fn say_raw(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
