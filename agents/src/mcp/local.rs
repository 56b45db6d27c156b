//! The tools that measure on this machine: each runs the command of its name in a process of its own.

use crate::failure::Failure;
use crate::format::size_text;
use crate::repository::Git;
use crate::settings::Settings;
use crate::table::{merged, p50s_ns};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use roundtrip_mcp::{Effect, Refused, Tool};
use roundtrip_stats::comparison::CONFIDENCE_PPM;
use roundtrip_stats::interval;
use roundtrip_wire::{CaseResult, RunReport};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunInput {
    /// Folder to run in: of a repository, or any. The current folder by default.
    folder: Option<PathBuf>,
    /// Preset, or path of a definition (FILE.toml). From roundtrip.toml by default, else `quick`, which takes minutes.
    preset: Option<String>,
    /// Only these transports and programs: `pipe`, `unix-stream`. All by default.
    #[serde(default)]
    transports: Vec<String>,
    /// Only these message sizes, in bytes.
    #[serde(default)]
    message_bytes: Vec<u64>,
    /// Only these placements: same-cpu, cross-cpu, free.
    #[serde(default)]
    placements: Vec<String>,
    /// Only these modes: 2proc, 2thread.
    #[serde(default)]
    modes: Vec<String>,
    /// Only these scenarios, such as roundtrip or stream.
    #[serde(default)]
    scenarios: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct RunOutput {
    /// This machine. Results of different machines are not comparable.
    machine: String,
    /// One entry for each case. Compare builds with `ab`, not by two runs.
    results: Vec<Figures>,
}

/// The result of one case.
#[derive(Serialize, JsonSchema)]
struct Figures {
    /// Transport or program.
    transport: String,
    /// The case: scenario, `message_bytes`, mode, placement and so on.
    case: Value,
    /// Median of all operations, in nanoseconds; null if no repetition finished.
    p50_ns: Option<u64>,
    /// The 95 % interval of the median over the repetitions, in nanoseconds; null with fewer than six.
    interval_ns: Option<[u64; 2]>,
    /// 99 % of the operations took at most this, in nanoseconds.
    p99_ns: Option<u64>,
    /// Finished repetitions.
    repetitions: usize,
    /// Whether messages were lost, so that the result is not comparable.
    lossy: bool,
    /// More threads than CPUs took part, so times include waiting for a CPU.
    oversubscribed: bool,
    /// Why it was not measured, or why repetitions failed.
    problems: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AbInput {
    /// Baseline: a command, the path of a `node`, or a revision.
    base: String,
    /// The side to compare with it.
    head: String,
    /// Kind of the two sides.
    #[serde(default)]
    of: Sides,
    /// Preset, or path of a definition (FILE.toml). Round trips of 64 B to 64 KiB by default; for revisions from roundtrip.toml.
    preset: Option<String>,
    /// Time limit of the measurement, such as `60s`; undecided cases are then inconclusive.
    budget: Option<String>,
    /// Folder to run in, such as the repository of the revisions. The current folder by default.
    folder: Option<PathBuf>,
}

/// What the two sides are.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
enum Sides {
    /// Commands that start a program with its own transport.
    #[default]
    Command,
    /// Paths of `node` executables.
    Node,
    /// Commits, branches or tags, built as roundtrip.toml says.
    Revision,
}

#[derive(Serialize, JsonSchema)]
struct AbOutput {
    #[serde(flatten)]
    compared: Compared,
    /// The probability that any change is reported if nothing changed.
    false_positive_rate: f64,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Compared {
    /// One entry for each case.
    cases: Vec<Case>,
    /// The smallest slowdown that would have been found with a probability of 0.9 in each unchanged case, as a share; null
    /// without unchanged cases.
    detectable: Option<f64>,
}

/// The verdict on one case.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Case {
    /// The case.
    case: String,
    /// The measured quantity with its unit and direction; null for times.
    measure: Option<Value>,
    /// The number of operations that a value covers; null: one. Divide values by it.
    operations: Option<u64>,
    /// regressed, improved, no change, inconclusive or not comparable.
    verdict: String,
    /// The change of the p50 from base to head, as a share: 0.05 is 5 % larger, which is slower for times.
    change: Option<f64>,
    /// Its 95 % interval.
    change_interval: Option<[f64; 2]>,
    /// The p-value, adjusted for all cases.
    p_adjusted: Option<f64>,
    /// The base's p50.
    base: Option<Side>,
    /// The head's p50.
    head: Option<Side>,
    /// Why it is inconclusive.
    undecided: Option<String>,
    /// Why it is not comparable.
    reasons: Vec<String>,
    /// Whether both sides run the same program, so that it was not measured.
    identical: bool,
}

/// A side of a case.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Side {
    /// The median over its repetitions, in nanoseconds.
    p50_ns: u64,
    /// Its 95 % interval, in nanoseconds; null with fewer than six repetitions.
    interval_ns: Option<[u64; 2]>,
    /// Its repetitions.
    repetitions: usize,
}

pub(super) fn run() -> Tool {
    Tool::new(
        "run",
        Effect::Runs,
        "Measure IPC transports on this machine: latency (ns) with 95 % intervals. Takes seconds for one case, minutes for a \
         preset, in which the machine should be idle. Runs the build commands of the repository's roundtrip.toml if the preset \
         needs them. Uploads nothing.",
        |input: RunInput, context| async move {
            let listed = |name: &str, values: &[String]| {
                values.iter().map(|value| format!("--{name}={value}")).collect()
            };
            let sizes: Vec<String> = input.message_bytes.iter().map(|bytes| size_text(*bytes)).collect();
            let options: [Vec<String>; 5] = [
                listed("preset", input.preset.as_slice()),
                listed("size", &sizes),
                listed("placement", &input.placements),
                listed("mode", &input.modes),
                listed("scenario", &input.scenarios),
            ];
            // Transports follow `--`, so that none of them is an option.
            let transports = ["--".to_owned()].into_iter().chain(input.transports);
            let arguments = options.into_iter().flatten().chain(transports).collect();
            let reports: Vec<RunReport> = started("run", arguments, input.folder, &context).await?;
            let machine = reports.first().map(|report| report.machine.slug.to_string()).unwrap_or_default();
            let results = reports.iter().flat_map(|report| &report.results);
            Ok(RunOutput { machine, results: results.map(figures).collect::<Result<_, _>>()? })
        },
    )
}

fn figures(result: &CaseResult) -> Result<Figures, Refused> {
    let all = merged(&result.repetitions).map_err(refused)?;
    let quantile = |q_ppm| all.as_ref().map(|all| all.quantile_ns(q_ppm));
    let interval = interval::median(&p50s_ns(result).map_err(refused)?, CONFIDENCE_PPM);
    let failures = result.failures.iter().map(|failure| failure.reason.clone());
    Ok(Figures {
        transport: result.transport.slug.to_string(),
        case: serde_json::to_value(&result.case).map_err(Refused::unexpected)?,
        p50_ns: quantile(500_000),
        interval_ns: interval.map(|interval| [interval.low, interval.high]),
        p99_ns: quantile(990_000),
        repetitions: result.repetitions.len(),
        lossy: result.is_lossy(),
        oversubscribed: result.oversubscribed,
        problems: result.unsupported.iter().cloned().chain(failures).collect(),
    })
}

pub(super) fn ab() -> Tool {
    Tool::new(
        "ab",
        Effect::Runs,
        "Compare two builds on this machine by alternating their repetitions until each case is decided: verdicts on the p50 \
         with 95 % intervals (shares), and the false-positive rate. Runs the given commands, or builds the given revisions. \
         Takes about a minute for each case; `budget` limits it.",
        |input: AbInput, context| async move {
            let of: &str = input.of.into();
            let given = [("preset", input.preset), ("budget", input.budget)];
            let mut arguments = vec![
                format!("--base={}", input.base),
                format!("--head={}", input.head),
                format!("--of={of}"),
            ];
            arguments
                .extend(given.into_iter().filter_map(|(name, value)| Some(format!("--{name}={}", value?))));
            let folder = input.folder.unwrap_or_else(|| PathBuf::from("."));
            let root = Git::named(&folder).root().unwrap_or_else(|_| folder.clone());
            let rule = Settings::read(&root).map_err(refused)?.rule();
            let mut answers: Vec<Compared> = started("ab", arguments, Some(folder), &context).await?;
            let compared =
                answers.pop().ok_or_else(|| Refused::unexpected("`roundtrip ab` printed nothing"))?;
            Ok(AbOutput { compared, false_positive_rate: rule.false_share })
        },
    )
}

fn refused(failure: Failure) -> Refused {
    Refused::new("failed", failure.to_string())
}

/// The JSON that a command prints. Its other output is reported as progress; it ends if the request is cancelled.
async fn started<T: DeserializeOwned>(
    command: &str,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<T>, Refused> {
    let failed =
        |error: std::io::Error| Refused::new("failed", format!("cannot run `roundtrip {command}`: {error}"));
    let mut child = Command::new(std::env::current_exe().map_err(failed)?);
    child.args([command, "--format=json", "--progress-lines"]).args(arguments);
    child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(folder) = folder {
        child.current_dir(folder);
    }
    let mut child = child.spawn().map_err(failed)?;
    let (Some(mut stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Refused::unexpected("no output of a child process"));
    };
    let mut printed = Vec::new();
    let read =
        async { tokio::join!(stdout.read_to_end(&mut printed), report(BufReader::new(stderr), context)) };
    let (_, messages) = tokio::select! {
        output = read => output,
        () = context.ct.cancelled() => return Err(Refused::new("cancelled", "the request was cancelled")),
    };
    child.wait().await.map_err(failed)?;
    // With failed cases, a command also prints its answer.
    if printed.is_empty() {
        // The lines before the error were reported as progress.
        let error = messages.iter().rposition(|line| line.starts_with("error: ")).unwrap_or_default();
        let messages = messages[error..].join("\n");
        return Err(Refused::new("failed", messages.strip_prefix("error: ").unwrap_or(&messages)));
    }
    serde_json::Deserializer::from_slice(&printed)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(Refused::unexpected)
}

/// Reports each line as progress, and returns them.
async fn report(
    stderr: impl tokio::io::AsyncBufRead + Unpin,
    context: &RequestContext<RoleServer>,
) -> Vec<String> {
    let (mut lines, mut messages) = (stderr.lines(), Vec::new());
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, (messages.len() + 1) as f64);
            // The client may not listen any more.
            let _ = context.peer.notify_progress(progress.with_message(line.clone())).await;
        }
        messages.push(line);
    }
    messages
}
