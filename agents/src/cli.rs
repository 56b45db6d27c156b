//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

use crate::comparison::{ComparisonFormat, FailOn};
use crate::node::NamedNode;
use crate::platform::{Limits, System};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use roundtrip_bench::probe::Probe;
use roundtrip_import::sizes::SizeFormat;
use roundtrip_manual::Manual;
use roundtrip_wire::{CommitSha, Slug};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how long messages between processes take, and track it commit by commit.
#[derive(Debug, Parser)]
#[command(name = "roundtrip", version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a preset of the transport suite on this machine.
    #[command(after_help = "Examples:\n  \
        roundtrip run\n  \
        roundtrip run --format json > report.json\n  \
        roundtrip run --upload http://127.0.0.1:7979 --token-file agent.token\n  \
        roundtrip run --preset node-framing --node lts=/opt/node-22/bin/node --node next=./out/Release/node\n\n\
        Exit codes: 0 done, 1 failure, 2 usage, 5 the server refuses the token, 6 measured and kept but not \
        uploaded, 8 cannot write, 9 not to be measured here, or not what a pull request's job has to measure.")]
    Run(RunArguments),
    /// Measure two sides in turn until every case is decided: regressed, improved or no change.
    #[command(
        after_help = "Fresh processes for every repetition, in pairs, in a random order with a stored seed. At most \
        60 pairs a case.\n\n\
        Examples:\n  \
        roundtrip ab --base ./old/bench --head ./new/bench\n  \
        roundtrip ab --base './bench --queue 1' --head './bench --queue 2' --preset ipc.toml\n  \
        roundtrip ab --of node --base /opt/node-22/bin/node --head ./out/Release/node --format node\n\n\
        Exit codes: 0 compared, 1 failure, 2 usage, 3 regressed, 4 too noisy to say (3 and 4 with --fail-on), 5 the \
        server refuses the token, 6 measured and kept but not uploaded, 8 cannot write, 9 nothing can be compared."
    )]
    Ab(AbArguments),
    /// Compare two reports case by case; what is not comparable is refused with what differs.
    #[command(
        after_help = "Reports are measured one after the other, so a machine that changed in between looks like a \
        commit: to compare two programs, measure them with `roundtrip ab`.\n\n\
        Examples:\n  \
        roundtrip run --output base.json; git switch head; roundtrip run --output head.json\n  \
        roundtrip compare base.json head.json --fail-on regressed\n\n\
        Exit codes: 0 something was compared, 2 usage, 3 regressed, 4 too noisy to say (3 and 4 with --fail-on), 9 \
        nothing can be compared."
    )]
    Compare(CompareArguments),
    /// Say which transport is best for messages of given sizes, by what was measured.
    #[command(
        after_help = "Of each machine that has measured the project, as a server has stored it. Measure with \
        `roundtrip run --preset sizes --upload URL`.\n\n\
        Examples:\n  \
        roundtrip advise --profile chromium\n  \
        roundtrip advise --sizes 12-15:4387,16-63:9000,4096:12 --by p99 --rate 20000\n\n\
        Exit codes: 0 advised, 1 failure, 2 usage, 5 the server refuses the token, 9 nothing was measured to advise by."
    )]
    Advise(AdviseArguments),
    /// Upload a report that `roundtrip run` wrote or kept.
    Upload(UploadArguments),
    /// In a job of GitHub Actions: get a token for uploads for the job's own, so that no secret lies in the repository.
    #[command(
        after_help = "The server must trust the job's repository: `roundtrip-server trust create`. The token is valid for 15 \
        minutes, and each call gets another one.\n\n\
        Example:\n  \
        roundtrip exchange --upload https://roundtrip.example.org --output \"$RUNNER_TEMP/roundtrip.token\"\n\n\
        Exit codes: 0 done, 1 failure, 2 usage, 5 the job may not prove who it is, or is not trusted, 8 cannot write."
    )]
    Exchange(ExchangeArguments),
    /// Measure what a lab's queue asks for, or the commits of a checkout, and upload every report.
    #[command(
        after_help = "It works until it is told to stop. Reports wait on the disk until the server has them; no two \
        agents share a folder. A machine takes jobs that was enrolled with `roundtrip enrol`.\n\n\
        Examples:\n  \
        sudo roundtrip agent\n  \
        roundtrip agent --repository ~/src/lib --upload https://roundtrip.example.org --token-file agent.token\n  \
        roundtrip agent --repository . --upload http://127.0.0.1:7979 --token-file agent.token --every 10m\n\n\
        Exit codes: 0 told to stop, 1 failure, 2 usage, 5 no token, 8 cannot write."
    )]
    Agent(AgentArguments),
    /// Let this machine into a lab, with a code that somebody made for it.
    #[command(
        after_help = "Codes are made under Machines in the web interface, are good once and for ten minutes.\n\n\
        Examples:\n  \
        sudo roundtrip enrol --server https://roundtrip.example.org\n  \
        roundtrip enrol --server http://127.0.0.1:7979 --machine lab-1 --code-file code\n\n\
        Exit codes: 0 let in, 1 failure, 2 usage, 5 the code is not valid, 8 cannot write."
    )]
    Enrol(EnrolArguments),
    /// Give up all rights and become a program of a repository; started by `agent`.
    #[command(hide = true)]
    Confine(ConfineArguments),
    /// Let this machine keep an agent running: as a service of systemd, launchd, rc.d or Windows.
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Measure a round trip between every two processors of this machine.
    #[command(after_help = "Examples:\n  \
        roundtrip matrix\n  \
        roundtrip matrix --transport pipe --message-bytes 1024 --format json")]
    Matrix(MatrixArguments),
    /// Measure what a probe does to the figures: the study's sweep, raw and probed, compared size by size.
    #[command(after_help = "Examples:\n  \
        roundtrip probe-effect\n  \
        roundtrip probe-effect --probe sched --transport socketpair --format json")]
    ProbeEffect(ProbeEffectArguments),
    /// Count the sizes of the messages that a running process sends over pipes and sockets (Linux).
    #[command(
        after_help = "It prints a size profile, and what recording cost the process. Nothing of a message is kept but its \
        size.\n\n\
        Examples:\n  \
        sudo roundtrip record --pid 1234\n  \
        sudo roundtrip record --pid 1234 --seconds 60 --output sizes.csv\n  \
        roundtrip record --node sizes.cjs; ROUNDTRIP_SIZES=sizes.csv node --require ./sizes.cjs program.js\n\n\
        Exit codes: 0 something was counted, 1 nothing was, or it may not be recorded, 2 usage, 8 cannot write."
    )]
    Record(RecordArguments),
    /// A process that is recorded, to measure what that costs; started by `record`.
    #[command(hide = true)]
    RecordProbe,
    /// Say what makes this machine noisy, and how to mend it; or how it and a server get on.
    #[command(
        after_help = "It watches the machine for a second and changes nothing. The exit code is 0 whatever is found.\n\n\
        Examples:\n  \
        roundtrip doctor\n  \
        roundtrip doctor --server https://ipc.example.org --token-file agent.token\n  \
        roundtrip doctor --format json | jq '.findings[] | select(.state == \"noisy\") | .slug'"
    )]
    Doctor(DoctorArguments),
    /// Name every transport, scenario and preset, and what runs on this machine.
    #[command(after_help = "Examples:\n  \
        roundtrip list\n  \
        roundtrip list --format json | jq '.transports[] | select(.unsupported != null)'")]
    List(ListingArguments),
    /// Take in what another benchmark tool has measured.
    #[command(after_help = "Examples:\n  \
        roundtrip import results.json\n  \
        go test -bench . -count 10 | roundtrip import - --format go\n  \
        roundtrip import results.json --upload http://127.0.0.1:7979 --token-file agent.token\n\n\
        The results are filed under the commit that is checked out, and the file is kept with them.")]
    Import(ImportArguments),
    /// Find where the values of a CSV file change their level.
    #[command(
        after_help = "The file has a header with the columns `series`, `index` and `value`; others are ignored. `index` \
        counts commits, `value` is what was measured of one. Changes below 1 % are not told, nor, in \
        a noisy series, those below up to 3 %.\n\n\
        Examples:\n  \
        roundtrip detect times.csv\n  \
        roundtrip detect rates.csv --direction higher\n  \
        zcat times.csv.gz | roundtrip detect - --format json\n\n\
        Exit codes: 0 searched, whatever was found, 1 failure, 2 usage or a file that is not as above, 8 cannot write."
    )]
    Detect(DetectArguments),
    /// Read how many messages of which size somebody has counted: a size profile of their own.
    #[command(
        after_help = "The file is CSV of buckets or of sizes, a histogram of Chromium, or one of HdrHistogram.\n\n\
        Examples:\n  \
        roundtrip sizes sizes.csv\n  \
        jq '.histograms[] | select(.name == \"IPC.MessageSize\")' all.json | roundtrip sizes -\n  \
        roundtrip sizes sizes.hlog --from hdr --format text\n\n\
        Exit codes: 0 read, 1 failure, 2 usage or a file that is not of its format, 8 cannot write."
    )]
    Sizes(SizesArguments),
    /// Print the JSON schema of roundtrip.toml, for editors that check TOML.
    #[command(after_help = "Example:\n  \
        roundtrip schema > roundtrip.schema.json    # then, in roundtrip.toml: #:schema ./roundtrip.schema.json")]
    Schema,
    /// Print what the suite can measure on every system, as Markdown.
    #[command(hide = true)]
    Transports,
    #[command(flatten)]
    Manual(Manual),
    /// One end of a measured channel; started by `run`.
    #[command(hide = true)]
    Peer {
        /// Which end of a program that comes with the suite; none: an end of a transport.
        arguments: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What to measure: a preset, as `roundtrip list` names them, or a definition of your own, FILE.toml [default: from
    /// roundtrip.toml, else quick].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// Measure Node's transports with this `node` instead of the one in PATH. Given several times, each has series of
    /// its own, by its name [default name: its version].
    #[arg(long, value_name = "[NAME=]PATH")]
    pub(crate) node: Vec<NamedNode>,
    /// What watches the ends meanwhile. It takes part in the figures, so these are not compared with unwatched ones.
    #[arg(long, value_enum, default_value_t = Watch::None)]
    pub(crate) probe: Watch,
    /// What to print: a table for people, or the whole report.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Append a summary in Markdown to this file, as a job has one for its page: `GITHUB_STEP_SUMMARY`.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Its format; `auto` is the one that its content shows.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = or_auto(roundtrip_import::Format::all(), |format| format.slug()))]
    pub(crate) format: OrAuto<roundtrip_import::Format>,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

/// A format of files that other tools wrote, or none: the one that the file shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrAuto<F>(pub(crate) Option<F>);

impl<F> Default for OrAuto<F> {
    fn default() -> Self {
        Self(None)
    }
}

/// What stands for none.
pub(crate) const AUTO: &str = "auto";

fn or_auto<F: Copy + Send + Sync + 'static>(
    all: &'static [F],
    slug: fn(F) -> &'static str,
) -> impl TypedValueParser<Value = OrAuto<F>> {
    let slugs = all.iter().map(move |format| slug(*format));
    PossibleValuesParser::new([AUTO].into_iter().chain(slugs))
        .map(move |name| OrAuto(all.iter().copied().find(|format| slug(*format) == name)))
}

/// Where a report goes, and what it is of.
#[derive(Debug, Args)]
pub(crate) struct DeliveryArguments {
    /// Also write the report to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Upload the report to this server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// The pull request that the checked-out commit is of [default: in GitHub Actions, the job's].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) pull_request: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install the service and start it. Needs the rights of the system.
    #[command(after_help = "Without --repository it is the agent of a machine that was enrolled.\n\n\
        Examples:\n  \
        sudo roundtrip service install\n  \
        sudo roundtrip service install --repository /srv/lib --upload https://roundtrip.example.org --token-file \
        /etc/roundtrip/agent.token\n  \
        roundtrip service install --repository . --upload http://127.0.0.1:7979 --token-file agent.token --print\n\n\
        Exit codes: 0 installed and started, 1 failure, 2 usage, 5 no token, 8 cannot write.")]
    Install(Box<InstallArguments>),
    /// Stop the service and remove it. Reports that wait stay where they are.
    #[command(after_help = "Exit codes: 0 removed, 1 failure, or it is not installed.")]
    Uninstall,
    /// Say whether the service is installed and runs.
    #[command(after_help = "Examples:\n  \
        roundtrip service status\n  \
        roundtrip service status --format json | jq -e '.state == \"running\"'\n\n\
        The exit code is 0 whatever it says.")]
    Status(ListingArguments),
}

#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    #[command(flatten)]
    pub(crate) work: WorkArguments,
    #[command(flatten)]
    pub(crate) lab: LabArguments,
    /// Only print what would be done: every file and every command.
    #[arg(long)]
    pub(crate) print: bool,
    /// Print it for this system [default: the one this runs on].
    #[arg(long, value_enum, requires = "print")]
    pub(crate) system: Option<System>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The report to compare with.
    pub(crate) base: PathBuf,
    /// The report that is compared.
    pub(crate) head: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Human)]
    pub(crate) format: ComparisonFormat,
    /// Which verdicts are failures; without it none is.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
}

#[derive(Debug, Args)]
pub(crate) struct DetectArguments {
    /// The CSV file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which values are better: it decides what has regressed and what has improved.
    #[arg(long, value_enum, default_value_t = Direction::Lower)]
    pub(crate) direction: Direction,
    /// What to print: tables for people, or JSON.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// Which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    /// Lower ones, as of times.
    Lower,
    /// Higher ones, as of rates.
    Higher,
}

#[derive(Debug, Args)]
pub(crate) struct AbArguments {
    /// What to compare with: a command, a `node`, a revision or a report.
    #[arg(long, value_name = "CMD|PATH|REV")]
    pub(crate) base: String,
    /// What is compared.
    #[arg(long, value_name = "CMD|PATH|REV")]
    pub(crate) head: String,
    /// What the two are.
    #[arg(long, value_enum, default_value_t = Sides::Command)]
    pub(crate) of: Sides,
    /// What to measure: a preset, or a definition of your own, FILE.toml [default: round trips of 64 B to 64 KiB; for
    /// `node` node-framing; for revisions the first definition that roundtrip.toml names].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// The repository of the revisions [default: the one we are in].
    #[arg(long, value_name = "PATH")]
    pub(crate) repository: Option<PathBuf>,
    /// The order of the repetitions follows from it [default: drawn, and told].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Human)]
    pub(crate) format: ComparisonFormat,
    /// Which verdicts are failures; without it none is.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Append a summary in Markdown to this file, as a job has one for its page: `GITHUB_STEP_SUMMARY`.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

/// What the two sides of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sides {
    /// Two commands of a program that brings its own transport.
    Command,
    /// Two `node`s.
    Node,
    /// Two commits, branches or tags of a repository, each checked out and built as its roundtrip.toml says.
    Revision,
    /// Two reports of before, as `roundtrip compare` compares them.
    Report,
}

#[derive(Debug, Args)]
pub(crate) struct MatrixArguments {
    /// The mechanism; `roundtrip list` names them all.
    #[arg(long, value_name = "NAME", default_value = sleeping_ring(), value_parser = PossibleValuesParser::new(transports()))]
    pub(crate) transport: String,
    /// Bytes of a message.
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    pub(crate) message_bytes: usize,
    /// What to print: a table for people, or JSON.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeEffectArguments {
    /// The probe whose effect is measured.
    #[arg(long, value_enum, default_value_t = Watch::Syscalls)]
    pub(crate) probe: Watch,
    /// The mechanism; `roundtrip list` names them all.
    #[arg(long, value_name = "NAME", default_value = "pipe", value_parser = PossibleValuesParser::new(transports()))]
    pub(crate) transport: String,
    /// What to print: a table for people, or JSON.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct UploadArguments {
    /// The report.
    pub(crate) file: PathBuf,
    /// The server to upload it to.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) upload: String,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
    /// Do not vouch for it: it is kept apart from the trend, whatever it says of itself. For what strangers have measured.
    #[arg(long)]
    pub(crate) quarantined: bool,
    /// Refuse a report that is not of this pull request.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) pull_request: Option<u64>,
    /// Refuse a report that is not of this commit.
    #[arg(long, value_name = "SHA", value_parser = commit)]
    pub(crate) commit: Option<CommitSha>,
}

fn commit(text: &str) -> Result<CommitSha, String> {
    CommitSha::parse(text).map_err(|error| error.to_string())
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeArguments {
    /// The server that gives the token.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: String,
    /// Write the token to this file, which only you can read.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The project to upload to [default: the one that trusts the job].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// What the server calls itself, as its --oidc-audience says [default: its address].
    #[arg(long, value_name = "URL")]
    pub(crate) audience: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    /// File with the token for uploads; `-` reads it from standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// What may watch the ends while they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Watch {
    /// Nothing.
    None,
    /// System calls, their results and their number (slow: every call stops its process twice).
    Syscalls,
    /// Hardware counters: instructions, cycles, cache misses.
    Counters,
    /// Context switches, migrations, page faults.
    Sched,
}

impl Watch {
    /// As the suite knows it.
    pub(crate) fn probe(self) -> Option<Probe> {
        match self {
            Self::None => None,
            Self::Syscalls => Some(Probe::Syscalls),
            Self::Counters => Some(Probe::Counters),
            Self::Sched => Some(Probe::Sched),
        }
    }
}

/// The ring whose members sleep as this system is best at.
fn sleeping_ring() -> &'static str {
    match std::env::consts::OS {
        "freebsd" => "ring-umtx",
        "macos" => "ring-ulock",
        "windows" => "ring-win-event",
        _ => "ring-futex",
    }
}

fn transports() -> impl Iterator<Item = String> {
    roundtrip_bench::transport::ALL.iter().map(|transport| transport.info().slug.to_string())
}

// Arguments of agents: what they measure, where they keep it, and as whom.

/// What an agent measures, how often, and for whom.
#[derive(Debug, Args)]
pub(crate) struct WorkArguments {
    /// Measure the commits of this checkout as they are checked out, instead of what the lab's queue asks for.
    #[arg(long, value_name = "PATH", requires_all = ["upload", "token_file"])]
    pub(crate) repository: Option<PathBuf>,
    /// Of a checkout: upload the reports to this server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    /// Of a checkout: file with the token for uploads.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Of a checkout: what to measure, a preset, as `roundtrip list` names them, or a definition of your own, FILE.toml.
    #[arg(long, value_name = "NAME|FILE", default_value = "quick")]
    pub(crate) preset: String,
    /// Of a checkout: measure at least this often, even if no new commit comes: 90s, 30m, 12h, 1d.
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = humantime::parse_duration)]
    pub(crate) every: Duration,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
}

/// A checkout that is measured, and where its reports go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) repository: &'a Path,
    pub(crate) upload: &'a str,
    pub(crate) token_file: &'a Path,
}

impl WorkArguments {
    /// The checkout, if there is one: otherwise jobs are taken from a queue.
    pub(crate) fn watched(&self) -> Option<Watched<'_>> {
        Some(Watched {
            repository: self.repository.as_deref()?,
            upload: self.upload.as_deref()?,
            token_file: self.token_file.as_deref()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    #[command(flatten)]
    pub(crate) work: WorkArguments,
    #[command(flatten)]
    pub(crate) lab: LabArguments,
    /// Of a checkout: keep reports in this folder until the server has them [default: where `roundtrip run` keeps them].
    #[arg(long, value_name = "FOLDER", requires = "repository")]
    pub(crate) spool: Option<PathBuf>,
    /// Append the log to this file, each line with its time [default: standard error, without].
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Only say whether it could take jobs like this: the exit code is 0 if it could.
    #[arg(long, conflicts_with = "repository")]
    pub(crate) check: bool,
}

/// What an agent does that was enrolled.
#[derive(Debug, Args)]
pub(crate) struct LabArguments {
    /// The folder that `roundtrip enrol` wrote, which holds all that is the agent's own.
    #[arg(long, value_name = "FOLDER", conflicts_with = "repository")]
    pub(crate) state: Option<PathBuf>,
    /// Who runs what repositories build and measure, by name or number [default: roundtrip-job].
    #[arg(long, value_name = "USER", conflicts_with = "repository")]
    pub(crate) job_user: Option<String>,
    /// Run what repositories build and measure as this agent itself, with its network and its secrets.
    #[arg(long, conflicts_with_all = ["repository", "job_user"])]
    pub(crate) trust_repositories: bool,
    /// How long each command of a repository may take: one that builds, or a benchmark of its own.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = humantime::parse_duration)]
    pub(crate) command_timeout: Duration,
    /// How much memory one process of a repository may use, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = mebibytes())]
    pub(crate) memory_mib_max: u64,
    /// How much a work tree may hold once it is built, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 10240, value_parser = mebibytes())]
    pub(crate) disk_mib_max: u64,
}

/// More than nothing, and less than what its bytes can be counted of.
fn mebibytes() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..1 << 40)
}

#[derive(Debug, Args)]
pub(crate) struct EnrolArguments {
    /// The server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) server: String,
    /// File with the code; `-` is standard input [default: it is asked for].
    #[arg(long, value_name = "FILE")]
    pub(crate) code_file: Option<PathBuf>,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// Keep all that is the agent's own in this folder [default: beside the reports of `roundtrip run`].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,
    /// Let the agent update itself, by programs that are signed with this public key of minisign [default: never].
    #[arg(long, value_name = "FILE")]
    pub(crate) update_key: Option<PathBuf>,
}

/// What becomes somebody else's program.
#[derive(Debug, Args)]
pub(crate) struct ConfineArguments {
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Leave it the network.
    #[arg(long)]
    pub(crate) network: bool,
    /// Where it may write.
    #[arg(long)]
    pub(crate) home: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

// Arguments of `roundtrip record`: whose messages are counted, how, and for how long.

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The process whose calls are recorded, with all of its threads.
    #[arg(long, value_name = "PID", required_unless_present = "node")]
    pub(crate) pid: Option<u32>,
    /// For how long; Ctrl-C ends it earlier, with what was recorded so far.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// What records [default: the first of them that can].
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,
    /// Which calls are counted. Every message is sent once, but a stream may be received in other pieces.
    #[arg(long, value_enum, default_value_t = Counted::Sends)]
    pub(crate) count: Counted,
    /// Record the processes too that it starts meanwhile.
    #[arg(long)]
    pub(crate) children: bool,
    /// Also write the profile to this file: CSV, `from_bytes,to_bytes,count`.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to print: text for people, or JSON.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Only write the module with which a program of Node counts its own messages: `node --require FILE`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pid", "by", "children", "output"])]
    pub(crate) node: Option<PathBuf>,
}

/// What records a process, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The kernel's tracepoints of system calls, by perf(1).
    Perf,
    /// strace(1), which stops the process at every call.
    Strace,
}

/// Which calls are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// write, writev, sendto, sendmsg.
    Sends,
    /// read, readv, recvfrom, recvmsg.
    Receives,
}

// Arguments of `roundtrip advise` and of `roundtrip sizes`.

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A size profile of the suite; the beginning of its name is enough.
    #[arg(long, value_name = "NAME", conflicts_with = "sizes", required_unless_present = "sizes")]
    pub(crate) profile: Option<String>,
    /// Sizes, and how many messages have them: 12-15:4387,64:3
    #[arg(long, value_name = "SIZES")]
    pub(crate) sizes: Option<String>,
    /// The server that knows what was measured.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    /// File with a token, where strangers may not read; `-` reads it from standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// On this machine alone.
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<Slug>,
    /// With the ends here alone: same-cpu, cross-cpu or free.
    #[arg(long, value_name = "PLACEMENT")]
    pub(crate) placement: Option<Slug>,
    /// With the ends so alone: 2proc or 2thread.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Slug>,
    /// What transports are ranked by.
    #[arg(long, value_enum)]
    pub(crate) by: Option<Figure>,
    /// So many messages a second: tells processors and wake-ups a second.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<f64>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// What transports are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// The expected time of a message.
    Mean,
    /// Half of the messages take no longer.
    P50,
    /// 98 % of them take no longer.
    P98,
    /// 99 % of them take no longer.
    P99,
}

#[derive(Debug, Args)]
pub(crate) struct SizesArguments {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Its format; `auto` is the one that its content shows.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = or_auto(SizeFormat::all(), |format| format.slug()))]
    pub(crate) from: OrAuto<SizeFormat>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = SizesFormat::Human)]
    pub(crate) format: SizesFormat,
}

/// What to print of message sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizesFormat {
    /// A table for people.
    Human,
    /// For programs.
    Json,
    /// One line, such as 12-15:4387,64:3.
    Text,
}

// Arguments of `doctor`, and of `list`.

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// What to print: text for people, or JSON for programs.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Examine this server in place of the machine: whether it is ready, and what a token is good for there.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ListingArguments {
    /// What to print: text for people, or JSON for programs.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}
