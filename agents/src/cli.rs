//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

mod advise;
mod doctor;
mod lab;
mod record;

pub(crate) use advise::{AdviseArguments, SizesArguments, SizesFormat};
pub(crate) use doctor::{DoctorArguments, ListingArguments};
pub(crate) use lab::{
    AgentArguments, ConfineArguments, EnrolArguments, LabArguments, Watched, WorkArguments,
};
pub(crate) use record::{By, Counted, RecordArguments};

use crate::comparison::{ComparisonFormat, FailOn};
use crate::format_name::FormatName;
use crate::node::NamedNode;
use crate::platform::System;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use roundtrip_bench::probe::Probe;
use roundtrip_manual::Manual;
use roundtrip_wire::{CommitSha, Slug};
use std::path::PathBuf;

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
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = formats())]
    pub(crate) format: FormatName,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

fn formats() -> impl TypedValueParser<Value = FormatName> {
    PossibleValuesParser::new(FormatName::names()).try_map(|name| name.parse::<FormatName>())
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
