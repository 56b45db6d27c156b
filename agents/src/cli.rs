//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

pub(crate) mod remote;

use crate::comparison::{ComparisonFormat, FailOn};
use crate::format::{self, parse_time};
use crate::node::NamedNode;
use crate::platform::{Folders, Limits, System};
use crate::repository::CommitRange;
use chrono::{DateTime, Utc};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use remote::{JobCommand, ProjectCommand};
use roundtrip_bench::probe::Probe;
use roundtrip_bench::scenario;
use roundtrip_import::sizes::SizeFormat;
use roundtrip_manual::Manual;
use roundtrip_wire::import::TimeUnit;
use roundtrip_wire::{CommitSha, Slug};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Benchmark inter-process communication and track it by commit.
#[derive(Debug, Parser)]
#[command(
    name = "roundtrip",
    version,
    propagate_version = true,
    after_help = "Exit codes: 0 success, 1 failure, 2 usage, 3 regressed or 4 inconclusive (with --fail-on), 4 no commit found (bisect), 5 token rejected, 6 measured \
        but not uploaded, 7 not everything imported (with --strict), 8 cannot write, 9 not comparable, or measuring not allowed, 130 stopped by a signal."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Show no progress.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print git commands and requests to servers.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Print a line after each repetition; for `roundtrip mcp`, which reports them to its client.
    #[arg(long, global = true, hide = true)]
    pub(crate) progress_lines: bool,
}

/// The verbs in the help of `roundtrip`, by purpose. Others follow in a last group.
const VERBS: [(&str, &[&str]); 4] = [
    ("Measure", &["init", "run", "show", "list", "libraries", "doctor", "matrix", "probe-effect", "profile"]),
    ("Compare", &["ab", "compare", "explain", "bisect", "detect", "comment"]),
    ("Analyse", &["advise", "export", "import", "site", "sizes", "record"]),
    ("Server and lab", &["upload", "exchange", "project", "job", "mcp", "agent", "enrol", "service"]),
];

impl Cli {
    /// Reads the arguments of this process, with a help by purpose.
    pub(crate) fn of_process() -> Self {
        let matches = Self::with_grouped_help().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    fn with_grouped_help() -> clap::Command {
        // Not built here: clap builds only what it needs, and every peer process starts with this.
        let command = Self::command();
        let template = format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
            grouped_verbs(&command)
        );
        command.help_template(template)
    }
}

fn grouped_verbs(command: &clap::Command) -> String {
    let visible: Vec<&clap::Command> = command.get_subcommands().filter(|verb| !verb.is_hide_set()).collect();
    let is_grouped = |name: &str| VERBS.iter().any(|(_, names)| names.contains(&name));
    let others = visible.iter().map(|verb| verb.get_name()).filter(|name| !is_grouped(name));
    let others: Vec<&str> = others.collect();
    let groups = VERBS.into_iter().chain([("Other", &others[..])]);
    let line = |name: &&str| {
        let verb = visible.iter().find(|verb| verb.get_name() == *name)?;
        Some(format!("  {name:<12} {}\n", verb.get_about()?))
    };
    groups
        .map(|(title, names)| format!("{title}:\n{}\n", names.iter().filter_map(line).collect::<String>()))
        .collect()
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prepare a repository for measurements.
    #[command(
        after_help = "Writes settings, a definition, an example program in the repository's language and a GitHub workflow, then \
        measures one case. Existing files are kept.\n\n\
        Examples:\n  \
        roundtrip init\n  \
        roundtrip init --language c --workflow no"
    )]
    Init(InitArguments),
    /// Run a preset on this machine.
    #[command(
        after_help = "Needs a Git commit only to upload. Exit codes: 1 if a case failed; 2 before measuring if a program of the \
        definition is missing.\n\n\
        Examples:\n  \
        roundtrip run\n  \
        roundtrip run pipe unix-stream --size 64,1KiB --placement same-cpu\n  \
        roundtrip run --preset sizes --upload http://127.0.0.1:7979 --token-file agent.token"
    )]
    Run(RunArguments),
    /// Compare two builds, alternating runs until conclusive.
    #[command(
        after_help = "Runs each repetition in new processes, in pairs, in a random order. At most 60 pairs per case.\n\n\
        Examples:\n  \
        roundtrip ab --base ./old/bench --head ./new/bench\n  \
        roundtrip ab --of node --base /opt/node-22/bin/node --head ./out/Release/node --format node"
    )]
    Ab(AbArguments),
    /// Explain why cases changed between two builds.
    #[command(
        after_help = "Measures pairs like `roundtrip ab`, then observes both sides of each changed case: system calls, settings of \
        sockets and pipes, CPU time. At most 30 s per case.\n\n\
        Examples:\n  \
        roundtrip explain main HEAD\n  \
        roundtrip explain https://roundtrip.example.org/libfoo/regressions/12\n  \
        roundtrip explain --of command ./old/bench ./new/bench '64 KiB' --format json"
    )]
    Explain(ExplainArguments),
    /// Find the commit that made a case slower.
    #[command(
        after_help = "Builds commits in temporary folders as roundtrip.toml says, and measures them in pairs with --good. Searches first \
        parents only: a merge counts as one commit. Skips commits that do not build. Exit code 4: no commit found.\n\n\
        Examples:\n  \
        roundtrip bisect\n  \
        roundtrip bisect --good v1.4 --bad main\n  \
        roundtrip bisect --good HEAD~200 'courier 64 B' --format json"
    )]
    Bisect(BisectArguments),
    /// Compare two reports case by case.
    #[command(
        after_help = "A change counts only beyond the movement of canaries and controls between the two runs. If they \
        moved by more than 10 %, the machine changed: use `roundtrip ab`.\n\n\
        Examples:\n  \
        roundtrip run --output base.json; git switch head; roundtrip run --output head.json\n  \
        roundtrip compare base.json head.json --fail-on regressed"
    )]
    Compare(CompareArguments),
    /// Post a summary as a comment on a pull or merge request.
    #[command(
        after_help = "Updates the comment that the same user posted before. In GitLab CI and in GitHub, Gitea or Forgejo Actions, finds \
        the request by itself; elsewhere, pass --url. Token: ROUNDTRIP_COMMENT_TOKEN, or GITHUB_TOKEN in Actions.\n\n\
        Examples:\n  \
        roundtrip ab --base ./old/bench --head ./new/bench --summary summary.md\n  \
        roundtrip comment summary.md\n  \
        roundtrip comment summary.md --url https://codeberg.org/octo/lib/pulls/12"
    )]
    Comment(CommentArguments),
    /// Rank transports for your message sizes.
    #[command(
        after_help = "Uses the results on a server, separately for each machine of the project, or those of a report. Measure with \
        `roundtrip run --preset sizes` or `libraries` first, with `--upload URL` or `--output FILE`.\n\n\
        Examples:\n  \
        roundtrip advise --profile chromium\n  \
        roundtrip advise --sizes 12-15:4387,16-63:9000,4096:12 --by p99 --rate 20000\n  \
        roundtrip advise --report report.json --sizes 64:1 --language rust --need to-many"
    )]
    Advise(AdviseArguments),
    /// Export points to a Parquet file, for notebooks.
    #[command(
        after_help = "Writes a row for each result of each matching series, with all percentiles. Without words, of all series. \
        The search syntax is that of Explore; quote `<` and `>` for the shell. Existing files are replaced.\n\n\
        Examples:\n  \
        roundtrip export --output points.parquet\n  \
        roundtrip export transport:pipe,fifo 'size:>=64k' --project libfoo --output points.parquet\n  \
        roundtrip export --report base.json head.json --output points.parquet"
    )]
    Export(ExportArguments),
    /// Print a stored report, like `run`.
    #[command(after_help = "Example:\n  \
        roundtrip run --output report.json; roundtrip show report.json")]
    Show(ShowArguments),
    /// Turn reports into a site of static pages for any web host.
    #[command(after_help = "Starts `roundtrip-server site` with these arguments: see its help.\n\n\
        Examples:\n  \
        roundtrip site reports/ --output site\n  \
        roundtrip site --revision origin/benchmarks --output site")]
    Site(SiteArguments),
    /// Upload a report, or all reports that are kept on this machine.
    #[command(after_help = "Without a file, uploads every report of this user whose upload failed.\n\n\
        Examples:\n  \
        roundtrip upload --server https://roundtrip.example.org --token-file agent.token\n  \
        roundtrip upload report.json --server https://roundtrip.example.org --token-file agent.token")]
    Upload(UploadArguments),
    /// Get an upload token for a GitHub Actions job.
    #[command(
        after_help = "Needs no stored secret. The server must trust the job's repository: `roundtrip-server trust create`. \
        Each call issues a new token, valid for 15 minutes.\n\n\
        Example:\n  \
        roundtrip exchange --server https://roundtrip.example.org --output \"$RUNNER_TEMP/roundtrip.token\""
    )]
    Exchange(ExchangeArguments),
    /// Create, list or show projects on a server.
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Queue, list or show jobs of a lab.
    #[command(subcommand)]
    Job(JobCommand),
    /// Offer tools to a coding agent, by the Model Context Protocol.
    #[command(
        after_help = "Reads and writes messages on standard input and output. Start it from the settings of your agent.\n\n\
        Examples:\n  \
        claude mcp add roundtrip -- roundtrip mcp --server https://roundtrip.example.org\n  \
        roundtrip mcp --server https://roundtrip.example.org --token-file my.token"
    )]
    Mcp(McpArguments),
    /// Run a lab's jobs, or measure each new commit of a checkout.
    #[command(
        after_help = "Runs until stopped. Keeps each report on disk until the server has accepted it. To take jobs, \
        enrol the machine first: `roundtrip enrol`.\n\n\
        Examples:\n  \
        sudo roundtrip agent\n  \
        roundtrip agent --repository . --upload http://127.0.0.1:7979 --token-file agent.token --every 10m\n  \
        roundtrip agent --repository . --upload http://127.0.0.1:7979 --token-file agent.token --since v1.4 --step 10"
    )]
    Agent(AgentArguments),
    /// Enrol this machine in a lab.
    #[command(
        after_help = "Create an enrolment code under Machines in the web interface. It is valid once, for 10 minutes.\n\n\
        Examples:\n  \
        sudo roundtrip enrol --server https://roundtrip.example.org\n  \
        roundtrip enrol --server http://127.0.0.1:7979 --machine lab-1 --code-file code"
    )]
    Enrol(EnrolArguments),
    /// Drop all privileges and run a repository's command; started by `agent`.
    #[command(hide = true)]
    Confine(ConfineArguments),
    /// Install, remove or inspect the agent service.
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Measure the round trip between each pair of CPUs.
    #[command(after_help = "Examples:\n  \
        roundtrip matrix\n  \
        roundtrip matrix --transport pipe --message-bytes 1024 --format json")]
    Matrix(MatrixArguments),
    /// Measure how much a probe changes the results.
    #[command(
        after_help = "Runs the sweep of the FreeBSD study with and without the probe, and compares each buffer size.\n\n\
        Examples:\n  \
        roundtrip probe-effect\n  \
        roundtrip probe-effect --probe sched --transport socketpair --format json"
    )]
    ProbeEffect(ProbeEffectArguments),
    /// Show which functions use the time of a message (Linux).
    #[command(
        after_help = "Samples the call stacks of both ends, on CPU and waiting. Formats of --output: .folded for flame graphs, \
        .pb.gz for pprof, .json for profiler.firefox.com.\n\n\
        Examples:\n  \
        roundtrip profile pipe --size 64 --placement same-cpu\n  \
        roundtrip profile unix-stream --output stacks.folded"
    )]
    Profile(ProfileArguments),
    /// Record the message sizes of a running process (Linux).
    #[command(
        after_help = "Prints a size profile and the overhead of recording. Stores the sizes only, never the contents.\n\n\
        Examples:\n  \
        sudo roundtrip record --pid 1234 --seconds 60 --output sizes.csv\n  \
        roundtrip record --node sizes.cjs; ROUNDTRIP_SIZES=sizes.csv node --require ./sizes.cjs program.js"
    )]
    Record(RecordArguments),
    /// Make system calls to measure the overhead of recording; started by `record`.
    #[command(hide = true)]
    RecordProbe,
    /// Find sources of noise on this machine and how to fix them.
    #[command(
        after_help = "Observes the machine for one second and changes nothing. With --server, tests the connection \
        instead. Exit codes: without --server always 0; with --server 0 if the connection is OK, 1 if not.\n\n\
        Examples:\n  \
        roundtrip doctor\n  \
        roundtrip doctor --server https://ipc.example.org --token-file agent.token"
    )]
    Doctor(DoctorArguments),
    /// List the transports of this system, scenarios and presets.
    #[command(after_help = "JSON always has the transports of all systems.\n\n\
        Examples:\n  \
        roundtrip list\n  \
        roundtrip list --format json | jq '.transports[] | select(.unsupported != null)'")]
    List(ListArguments),
    /// List or build programs that use other IPC libraries.
    #[command(
        after_help = "The preset libraries measures all built programs, and the transports of this system.\n\n\
        Examples:\n  \
        roundtrip libraries build\n  \
        roundtrip libraries build iceoryx2 zmq\n  \
        roundtrip run --preset libraries --output report.json\n  \
        roundtrip libraries page report.json > which-ipc.md"
    )]
    Libraries(LibrariesArguments),
    /// Import the results of another benchmark tool.
    #[command(
        after_help = "Files of one commit, machine and tool join as one run: their repetitions add up. Stores the files with the \
        run. A repeated import changes nothing.\n\n\
        Examples:\n  \
        roundtrip import results.json --upload http://127.0.0.1:7979 --token-file agent.token\n  \
        roundtrip import run-*.json --commit v1.4 --date 2026-03-01 --machine lab-1 --output report.json\n  \
        roundtrip import --history artifacts/ --upload http://127.0.0.1:7979 --token-file agent.token\n  \
        go test -bench . -count 10 | roundtrip import - --from go"
    )]
    Import(ImportArguments),
    /// Find change points in a CSV file.
    #[command(
        after_help = "The header must have the columns `series`, `index` (the commit's number) and `value`; others are \
        ignored. Changes below 1 % are not reported; in noisy series, the limit is up to 3 %.\n\n\
        Examples:\n  \
        roundtrip detect times.csv\n  \
        zcat rates.csv.gz | roundtrip detect - --direction higher --format json"
    )]
    Detect(DetectArguments),
    /// Read a message-size histogram.
    #[command(
        after_help = "Accepts CSV with buckets or sizes, Chromium histograms and HdrHistogram logs.\n\n\
        Examples:\n  \
        jq '.histograms[] | select(.name == \"IPC.MessageSize\")' all.json | roundtrip sizes -\n  \
        roundtrip sizes sizes.hlog --from hdr --format text"
    )]
    Sizes(SizesArguments),
    /// Print the JSON schema of roundtrip.toml.
    #[command(after_help = "Example:\n  \
        roundtrip schema > roundtrip.schema.json\n\n\
        For checks in your editor, start roundtrip.toml with: #:schema ./roundtrip.schema.json")]
    Schema,
    /// Print transports, scenarios and presets of all systems as Markdown.
    #[command(hide = true)]
    Transports,
    #[command(flatten)]
    Manual(Manual),
    /// Run one end of a measured channel; started by `run`.
    #[command(hide = true)]
    Peer {
        /// The end of a built-in program; if empty, an end of a transport.
        arguments: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Language of the example program; none: no program [default: from the repository].
    #[arg(long, value_enum)]
    pub(crate) language: Option<Language>,
    /// Write a GitHub workflow that compares pull requests [default: no for other hosts].
    #[arg(long, value_enum)]
    pub(crate) workflow: Option<YesOrNo>,
    /// Use the defaults without asking, as without a terminal.
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
}

/// The language of an example program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    C,
    #[value(alias = "c++")]
    Cpp,
    Rust,
    Go,
    Python,
    Node,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesOrNo {
    #[value(alias = "y")]
    Yes,
    #[value(alias = "n")]
    No,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    /// Preset or definition (FILE.toml) [default: from roundtrip.toml, else quick].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// `node` to measure instead of the one in PATH; can be repeated [default NAME: its version].
    #[arg(long, value_name = "[NAME=]PATH")]
    pub(crate) node: Vec<NamedNode>,
    /// Observe the processes; probed results are not compared with others.
    #[arg(long, value_enum, default_value_t = Watch::None)]
    pub(crate) probe: Watch,
    /// Also print where the time of a message goes.
    #[arg(long)]
    pub(crate) budget: bool,
    /// Output format; json is the whole report.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Append a Markdown summary to this file, such as `$GITHUB_STEP_SUMMARY`.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    /// Preset or definition (FILE.toml) [default: quick].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// Write all stacks to this file instead of printing functions.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Cases to select from the presets; all without an argument.
#[derive(Debug, PartialEq, Eq, Default, Args)]
pub(crate) struct SelectionArguments {
    /// Measure only these transports and programs; see `roundtrip list`.
    #[arg(value_name = "TRANSPORT")]
    pub(crate) transports: Vec<String>,
    /// Measure only these message sizes: 64, 1KiB, 4MiB.
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = format::parse_size)]
    pub(crate) size: Vec<u64>,
    /// Measure only these placements.
    #[arg(long, value_name = "PLACEMENT", value_delimiter = ',', value_parser = ["same-cpu", "cross-cpu", "free"])]
    pub(crate) placement: Vec<String>,
    /// Measure only between processes or threads.
    #[arg(long, value_name = "MODE", value_delimiter = ',', value_parser = ["2proc", "2thread"])]
    pub(crate) mode: Vec<String>,
    /// Measure only these scenarios; see `roundtrip list`.
    #[arg(long, value_name = "SCENARIO", value_delimiter = ',', value_parser = PossibleValuesParser::new(scenario::ALL.iter().map(|scenario| scenario.slug())))]
    pub(crate) scenario: Vec<String>,
}

impl SelectionArguments {
    pub(crate) fn are_given(&self) -> bool {
        *self != Self::default()
    }
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// Server for the tools that read results.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    /// Token file. To read public projects, leave it out.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Result files, or Criterion's folder; `-` is standard input.
    #[arg(value_name = "FILE", required_unless_present = "history")]
    pub(crate) files: Vec<PathBuf>,
    /// Tool that wrote the files; `auto` detects it.
    #[arg(long, value_name = "TOOL", default_value = "auto", value_parser = or_auto(roundtrip_import::Format::all(), |format| format.slug()))]
    from: OrAuto<roundtrip_import::Format>,
    /// The former name of `--from`.
    #[arg(long, value_name = "TOOL", hide = true, conflicts_with = "from", value_parser = or_auto(roundtrip_import::Format::all(), |format| format.slug()))]
    format: Option<OrAuto<roundtrip_import::Format>>,
    /// Commit of the results [default: as in the file, else checked out].
    #[arg(long, value_name = "REV")]
    pub(crate) commit: Option<String>,
    /// Date or time (RFC 3339) of the measurement [default: as in the file].
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) date: Option<DateTime<Utc>>,
    /// Import all files below this folder, by the commit in the file or its path. `--output` is then a folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "commit", "date"])]
    pub(crate) history: Option<PathBuf>,
    /// Unit of times, for formats that do not state it: ns, us, ms or s.
    #[arg(long, value_name = "UNIT", value_parser = PossibleValuesParser::new(TimeUnit::ALL.map(TimeUnit::as_str)).try_map(|unit| unit.parse::<TimeUnit>()))]
    pub(crate) unit: Option<TimeUnit>,
    /// Exit code 7 if a file, or anything in a file, is not imported.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

impl ImportArguments {
    /// The tool that wrote the file. Prints a notice if the option has its former name.
    pub(crate) fn from(&self) -> OrAuto<roundtrip_import::Format> {
        let Some(former) = self.format else { return self.from };
        eprintln!("note: use --from instead of --format");
        former
    }
}

/// A file format, or `None` to detect it from the content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrAuto<F>(pub(crate) Option<F>);

impl<F> Default for OrAuto<F> {
    fn default() -> Self {
        Self(None)
    }
}

/// The argument that selects detection.
pub(crate) const AUTO: &str = "auto";

fn or_auto<F: Copy + Send + Sync + 'static>(
    all: &'static [F],
    slug: fn(F) -> &'static str,
) -> impl TypedValueParser<Value = OrAuto<F>> {
    let slugs = all.iter().map(move |format| slug(*format));
    PossibleValuesParser::new([AUTO].into_iter().chain(slugs))
        .map(move |name| OrAuto(all.iter().copied().find(|format| slug(*format) == name)))
}

/// Destination and metadata of a report.
#[derive(Debug, Args)]
pub(crate) struct DeliveryArguments {
    /// Write the report to this file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Upload to this server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
    /// Machine name in charts [default: host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// Project [default: from roundtrip.toml or the repository].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// Pull request of the checked-out commit [default: from GitHub Actions].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) pull_request: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install and start the service; needs root or Administrator.
    #[command(after_help = "Without --repository, the agent takes jobs; enrol the machine \
        first.\n\nExamples:\n  \
        sudo roundtrip service install\n  \
        roundtrip service install --repository . --upload http://127.0.0.1:7979 --token-file agent.token --print")]
    Install(Box<InstallArguments>),
    /// Stop and remove the service; pending reports stay on disk.
    #[command(after_help = "Example:\n  sudo roundtrip service uninstall")]
    Uninstall,
    /// Show whether the service is installed and running.
    #[command(after_help = "Examples:\n  \
        roundtrip service status\n  \
        roundtrip service status --format json | jq .process_id\n\n\
        Exit codes: 0 if it is running, 1 if it is stopped or not installed.")]
    Status(StatusArguments),
}

#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    #[command(flatten)]
    pub(crate) work: WorkArguments,
    #[command(flatten)]
    pub(crate) lab: LabArguments,
    /// Dry run: print every file and command.
    #[arg(short = 'n', long)]
    pub(crate) print: bool,
    /// System to print for [default: this one].
    #[arg(long, value_enum, requires = "print")]
    pub(crate) system: Option<System>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Baseline report.
    pub(crate) base: PathBuf,
    /// Report to compare with the baseline.
    pub(crate) head: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Human)]
    pub(crate) format: ComparisonFormat,
    /// Verdicts that fail the command [default: none].
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
}

#[derive(Debug, Args)]
pub(crate) struct CommentArguments {
    /// Markdown from `roundtrip ab --summary`; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) summary: PathBuf,
    /// Page of the pull or merge request [default: from the CI job].
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DetectArguments {
    /// CSV file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which values are better.
    #[arg(long, value_enum, default_value_t = Direction::Lower)]
    pub(crate) direction: Direction,
    /// Smallest change that matters [default: two standard deviations of the series' noise, from 1 % to 3 %].
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) least: Option<f64>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// Reads a percentage as a share.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    let share = number.filter(|percent| (0.0..100.0).contains(percent)).map(|percent: f64| percent / 100.0);
    share.ok_or_else(|| "expected a percentage from 0 to less than 100, for example `2%`".into())
}

/// Which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    /// Lower, for times.
    Lower,
    /// Higher, for rates.
    Higher,
}

#[derive(Debug, Args)]
pub(crate) struct AbArguments {
    /// Baseline: a command, a `node`, a revision or a report.
    #[arg(long, value_name = "CMD|PATH|REV")]
    pub(crate) base: String,
    /// The side to compare with the baseline.
    #[arg(long, value_name = "CMD|PATH|REV")]
    pub(crate) head: String,
    /// Kind of the two sides.
    #[arg(long, value_enum, default_value_t = Sides::Command)]
    pub(crate) of: Sides,
    /// Preset or definition (FILE.toml) [default: round trips of 64 B to 64 KiB; node: node-framing;
    /// revision: first definition in roundtrip.toml].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// Repository of the revisions [default: the current one].
    #[arg(long, value_name = "PATH")]
    pub(crate) repository: Option<PathBuf>,
    /// Time limit of the measurement, such as 60s, without builds. Undecided cases are then inconclusive
    /// [default: `budget` in roundtrip.toml, else none].
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Seed for the order of the repetitions [default: random, printed].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Human)]
    pub(crate) format: ComparisonFormat,
    /// Verdicts that fail the command [default: none].
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Append a Markdown summary to this file, such as `$GITHUB_STEP_SUMMARY`.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Baseline: a revision, a command, a `node` or a report. Or the address of a regression's page, without HEAD and CASE.
    pub(crate) base: String,
    /// The side to explain.
    pub(crate) head: Option<String>,
    /// Case to explain: part of its name, as `roundtrip ab` prints it [default: all].
    pub(crate) case: Option<String>,
    /// Kind of the two sides. Reports are compared without measuring, and have no system calls.
    #[arg(long, value_enum, default_value_t = Sides::Revision)]
    pub(crate) of: Sides,
    /// Preset or definition (FILE.toml) [default: as `roundtrip ab`].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// Repository of the revisions [default: the current one].
    #[arg(long, value_name = "PATH")]
    pub(crate) repository: Option<PathBuf>,
    /// Seed for the order of the repetitions [default: random, printed].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// With the address of a regression: read token file for a private project; `-` is standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
}

#[derive(Debug, Args)]
pub(crate) struct BisectArguments {
    /// Case to search for: part of its name, as `roundtrip ab` prints it [default: the case with the largest slowdown].
    pub(crate) case: Option<String>,
    /// Commit before the slowdown [default: merge base with the default branch; on that branch, 50 commits before].
    #[arg(long, value_name = "REV")]
    pub(crate) good: Option<String>,
    /// Commit with the slowdown.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub(crate) bad: String,
    /// Probability at which a commit is confirmed and reported.
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = percentage)]
    pub(crate) confidence: f64,
    /// Definition (FILE.toml) [default: first definition in roundtrip.toml].
    #[arg(long, value_name = "FILE")]
    pub(crate) preset: Option<String>,
    /// Repository of the commits [default: the current one].
    #[arg(long, value_name = "PATH")]
    pub(crate) repository: Option<PathBuf>,
    /// Seed for the order of the repetitions [default: random, printed].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
}

/// What the two sides of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sides {
    /// Commands that start a program with its own transport.
    Command,
    /// Paths of `node` executables.
    Node,
    /// Commits, branches or tags, built as roundtrip.toml says.
    Revision,
    /// Existing reports, as in `roundtrip compare`.
    Report,
}

#[derive(Debug, Args)]
pub(crate) struct MatrixArguments {
    /// Transport to measure; see `roundtrip list`.
    #[arg(long, value_name = "NAME", default_value = sleeping_ring(), value_parser = PossibleValuesParser::new(transports()), hide_possible_values = true)]
    pub(crate) transport: String,
    /// Message size in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    pub(crate) message_bytes: usize,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeEffectArguments {
    /// Probe to measure.
    #[arg(long, value_enum, default_value_t = Watch::Syscalls)]
    pub(crate) probe: Watch,
    /// Transport to measure; see `roundtrip list`.
    #[arg(long, value_name = "NAME", default_value = "pipe", value_parser = PossibleValuesParser::new(transports()), hide_possible_values = true)]
    pub(crate) transport: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Report to print.
    pub(crate) report: PathBuf,
    /// Also print where the time of a message goes.
    #[arg(long)]
    pub(crate) budget: bool,
    /// Output format; json is the whole report.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// The former name of `--server`.
#[derive(Debug, Args)]
pub(crate) struct FormerServerArgument {
    #[arg(long, value_name = "URL", hide = true)]
    upload: Option<String>,
}

impl FormerServerArgument {
    /// The server. Prints a notice if it has the former name.
    pub(crate) fn or<'a>(&'a self, server: &'a str) -> &'a str {
        let Some(former) = &self.upload else { return server };
        eprintln!("note: use --server instead of --upload");
        former
    }
}

#[derive(Debug, Args)]
pub(crate) struct SiteArguments {
    /// Folder of reports and options.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct UploadArguments {
    /// Report to upload [default: every report that is kept on this machine].
    pub(crate) file: Option<PathBuf>,
    /// Server to upload to.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    #[command(flatten)]
    pub(crate) former: FormerServerArgument,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
    /// Store the report outside the trend; for results you do not trust.
    #[arg(long)]
    pub(crate) quarantined: bool,
    /// Reject the report unless it is for this pull request.
    #[arg(long, value_name = "NUMBER", requires = "file")]
    pub(crate) pull_request: Option<u64>,
    /// Reject the report unless it is for this commit.
    #[arg(long, value_name = "SHA", value_parser = commit, requires = "file")]
    pub(crate) commit: Option<CommitSha>,
}

fn date(text: &str) -> Result<DateTime<Utc>, String> {
    parse_time(text)
        .ok_or_else(|| "expected a date or time, such as 2026-11-30 or 2026-11-30T08:00:00Z".into())
}

fn commit(text: &str) -> Result<CommitSha, String> {
    CommitSha::parse(text).map_err(|error| error.to_string())
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeArguments {
    /// Server that issues the token.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", required_unless_present = "upload")]
    server: Option<String>,
    #[command(flatten)]
    former: FormerServerArgument,
    /// Write the token to this file, readable only by you.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Project to upload to [default: the project that trusts the job].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// The server's --oidc-audience [default: its URL].
    #[arg(long, value_name = "URL")]
    pub(crate) audience: Option<String>,
}

impl ExchangeArguments {
    /// The server, which the arguments always have.
    pub(crate) fn server(&self) -> &str {
        self.former.or(self.server.as_deref().unwrap_or_default())
    }
}

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    /// Upload token file; `-` is standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

/// A probe that observes the processes during measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Watch {
    /// No probe.
    None,
    /// Number and results of system calls (slow: each call stops its process twice).
    Syscalls,
    /// Hardware counters: instructions, cycles, cache misses.
    Counters,
    /// Context switches, migrations, page faults.
    Sched,
}

impl Watch {
    /// The benchmark suite's type for it.
    pub(crate) fn probe(self) -> Option<Probe> {
        match self {
            Self::None => None,
            Self::Syscalls => Some(Probe::Syscalls),
            Self::Counters => Some(Probe::Counters),
            Self::Sched => Some(Probe::Sched),
        }
    }
}

/// The shared-memory ring with this system's usual way to sleep.
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

// Arguments of `roundtrip agent`, `enrol` and `service install`.

/// What an agent measures, and how often.
#[derive(Debug, Args)]
pub(crate) struct WorkArguments {
    /// Measure each new commit of this checkout instead of taking jobs.
    #[arg(long, value_name = "PATH", requires_all = ["upload", "token_file"])]
    pub(crate) repository: Option<PathBuf>,
    /// With --repository: server to upload to.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    /// With --repository: upload token file.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// With --repository: preset or definition (FILE.toml) [default: from each commit's roundtrip.toml, else quick].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// With --repository: also measure at this interval (90s, 30m, 12h, 1d).
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = humantime::parse_duration)]
    pub(crate) every: Duration,
    /// Machine name in charts [default: host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// Project [default: from roundtrip.toml or the repository].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
}

/// A measured checkout, and where its reports go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) repository: &'a Path,
    pub(crate) upload: &'a str,
    pub(crate) token_file: &'a Path,
}

impl WorkArguments {
    /// The checkout; `None` if the agent takes jobs from the queue.
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
    /// With --repository: also measure the first-parent commits after this one.
    #[arg(long, value_name = "REV", requires = "repository", group = "range")]
    pub(crate) since: Option<String>,
    /// With --repository: also measure the first-parent commits of this range.
    #[arg(long, value_name = "A..B", requires = "repository", conflicts_with = "since", group = "range")]
    pub(crate) commits: Option<CommitRange>,
    /// With --since or --commits: measure every N-th commit, then bisect where they differ.
    #[arg(long, value_name = "N", default_value = "1", requires = "range")]
    pub(crate) step: NonZeroUsize,
    /// With --repository: folder for pending reports [default: as `roundtrip run`].
    #[arg(long, value_name = "FOLDER", requires = "repository")]
    pub(crate) spool: Option<PathBuf>,
    /// Append the log to this file [default: standard error].
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Check whether the agent can take jobs, and exit.
    #[arg(long, conflicts_with = "repository")]
    pub(crate) check: bool,
}

/// Arguments of an enrolled agent.
#[derive(Debug, Args)]
pub(crate) struct LabArguments {
    /// State folder written by `roundtrip enrol`.
    #[arg(long, value_name = "FOLDER", conflicts_with = "repository")]
    pub(crate) state: Option<PathBuf>,
    /// User that runs the repositories' commands [default: roundtrip-job].
    #[arg(long, value_name = "USER", conflicts_with = "repository")]
    pub(crate) job_user: Option<String>,
    /// Run the repositories' commands as the agent's user, with network and secrets.
    #[arg(long, conflicts_with_all = ["repository", "job_user"])]
    pub(crate) trust_repositories: bool,
    /// Allow repositories on this machine (file://) that the agent's user owns.
    #[arg(long, conflicts_with = "repository")]
    pub(crate) allow_local_repositories: bool,
    #[command(flatten)]
    pub(crate) commands: CommandArguments,
    /// Memory limit for a job and for each of its processes, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = mebibytes())]
    pub(crate) memory_mib_max: u64,
    /// Size limit of a work tree with its home folder, and of each file, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 10240, value_parser = mebibytes())]
    pub(crate) disk_mib_max: u64,
}

/// Limits of the commands in roundtrip.toml.
#[derive(Debug, Args)]
pub(crate) struct CommandArguments {
    /// Timeout of each command of a repository.
    #[arg(id = "command_timeout", long = "command-timeout", value_name = "DURATION", default_value = "30m", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Duration,
}

/// Above zero, and small enough that its bytes fit a `u64`.
fn mebibytes() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..1 << 40)
}

#[derive(Debug, Args)]
pub(crate) struct EnrolArguments {
    /// Server of the lab.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) server: String,
    /// File with the code; `-` is standard input [default: ask for it].
    #[arg(long, value_name = "FILE")]
    pub(crate) code_file: Option<PathBuf>,
    /// Machine name in charts [default: host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// State folder of the agent [default: next to the reports of `roundtrip run`].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,
    /// Allow self-updates signed with this minisign public key [default: no updates].
    #[arg(long, value_name = "FILE")]
    pub(crate) update_key: Option<PathBuf>,
}

/// Arguments of the process that turns into a repository's command.
#[derive(Debug, Args)]
pub(crate) struct ConfineArguments {
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Keep network access.
    #[arg(long)]
    pub(crate) network: bool,
    #[command(flatten)]
    pub(crate) folders: Folders,
    /// Program and arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

// Arguments of `roundtrip record`.

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// Process to record, with all its threads.
    #[arg(long, value_name = "PID", required_unless_present = "node")]
    pub(crate) pid: Option<u32>,
    /// Duration; Ctrl-C stops earlier and keeps the data.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// Recorder [default: the first that works].
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,
    /// Calls to count.
    #[arg(long, value_enum, default_value_t = Counted::Sends)]
    pub(crate) count: Counted,
    /// Also record processes that it starts.
    #[arg(long)]
    pub(crate) children: bool,
    /// Also write the profile to this CSV file (`from_bytes,to_bytes,count`).
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Write a Node module that counts messages (`node --require FILE`), and exit.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pid", "by", "children", "output"])]
    pub(crate) node: Option<PathBuf>,
}

/// A recorder; the one with the least overhead is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// perf(1): kernel tracepoints of system calls.
    Perf,
    /// strace(1): stops the process at each call.
    Strace,
}

/// The system calls to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// write, writev, sendto, sendmsg.
    Sends,
    /// read, readv, recvfrom, recvmsg.
    Receives,
}

// Arguments of `roundtrip advise` and `roundtrip sizes`.

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// Built-in size profile; a prefix of its name is enough.
    #[arg(long, value_name = "NAME", conflicts_with = "sizes", required_unless_present = "sizes")]
    pub(crate) profile: Option<String>,
    /// Sizes and counts: 12-15:4387,64:3
    #[arg(long, value_name = "SIZES")]
    pub(crate) sizes: Option<String>,
    /// Rank the results in this file, from `roundtrip run --output`, instead of those on a server.
    #[arg(long, value_name = "FILE", conflicts_with = "machine")]
    pub(crate) report: Option<PathBuf>,
    /// Only receivers that wait in this way.
    #[arg(long, value_enum, requires = "report")]
    pub(crate) waits: Option<Waits>,
    /// Only libraries for this language, and mechanisms of the system.
    #[arg(long, value_name = "LANGUAGE", requires = "report")]
    pub(crate) language: Option<String>,
    /// Only transports and libraries with these properties.
    #[arg(long = "need", value_enum, value_name = "NEED", value_delimiter = ',', requires = "report")]
    pub(crate) needs: Vec<Need>,
    #[command(flatten)]
    pub(crate) results: ResultsArguments,
    /// Only this machine.
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<Slug>,
    /// Only this placement: same-cpu, cross-cpu or free.
    #[arg(long, value_name = "PLACEMENT")]
    pub(crate) placement: Option<Slug>,
    /// Only this mode: 2proc or 2thread.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Slug>,
    /// Statistic to rank by [default: p50].
    #[arg(long, value_enum)]
    pub(crate) by: Option<Figure>,
    /// Messages per second; adds processor use and wake-ups per second.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<f64>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// Statistic to rank by [default: p50].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// Mean time per message.
    Mean,
    /// Median.
    P50,
    /// 98th percentile.
    P98,
    /// 99th percentile.
    P99,
}

impl From<Figure> for roundtrip_advisor::Figure {
    fn from(figure: Figure) -> Self {
        match figure {
            Figure::Mean => Self::Mean,
            Figure::P50 => Self::P50,
            Figure::P98 => Self::P98,
            Figure::P99 => Self::P99,
        }
    }
}

/// How a receiver waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Waits {
    /// It sleeps until the kernel wakes it.
    Blocks,
    /// It polls memory or the kernel, which keeps a CPU busy.
    Spins,
}

/// A property of a transport or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Need {
    /// A message can have several receivers.
    ToMany,
    /// A waiting receiver gets an error if the other process dies.
    NoticesExit,
    /// Part of the system or of a language's standard library.
    NoDependencies,
}

#[derive(Debug, Args)]
pub(crate) struct SizesArguments {
    /// Input file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Format of the file; `auto` detects it.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = or_auto(SizeFormat::all(), |format| format.slug()))]
    pub(crate) from: OrAuto<SizeFormat>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = SizesFormat::Human)]
    pub(crate) format: SizesFormat,
}

/// Output formats of `roundtrip sizes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizesFormat {
    Human,
    Json,
    /// One line, such as 12-15:4387,64:3.
    Text,
}

// Arguments of `roundtrip export` and `roundtrip advise`.

#[derive(Debug, Args)]
pub(crate) struct ResultsArguments {
    /// Server with the results.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    /// File with a read token for a private server; `-` is standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Project [default: from roundtrip.toml or the repository].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Search terms that series must match, such as transport:pipe [default: all series].
    #[arg(value_name = "TERM")]
    pub(crate) words: Vec<String>,
    /// Parquet file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Export the results in these files, from `roundtrip run --output`, instead of those on a server.
    #[arg(long = "report", value_name = "FILE", num_args = 1.., conflicts_with_all = ["words", "lines"])]
    pub(crate) reports: Vec<PathBuf>,
    /// Runs to export.
    #[arg(long, value_enum, default_value_t = Lines::Main)]
    pub(crate) lines: Lines,
    #[command(flatten)]
    pub(crate) results: ResultsArguments,
}

/// The runs of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lines {
    /// Runs of the trend, and all imported results without samples.
    Main,
    /// Also runs of other branches, pull requests and modified work trees.
    All,
}

impl Lines {
    /// Its name in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::All => "all",
        }
    }
}

// Arguments of `roundtrip doctor` and `roundtrip list`.

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Test the connection to this server, and what the token permits.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Also list the transports of other systems.
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct LibrariesArguments {
    #[command(subcommand)]
    pub(crate) command: Option<LibraryCommand>,
    /// Output format of the list.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LibraryCommand {
    /// Build the programs. Downloads the libraries with cargo, go and Maven.
    Build {
        /// Only these libraries.
        #[arg(value_name = "LIBRARY")]
        names: Vec<Slug>,
    },
    /// Print the page "Which IPC should I use?" from a report, as Markdown.
    Page {
        /// A report of `roundtrip run --preset libraries --output FILE`.
        #[arg(value_name = "FILE")]
        report: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_each_verb_once() {
        let help = Cli::with_grouped_help().render_help().to_string();
        let command = Cli::command();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let start = format!("\n  {} ", verb.get_name());
            assert_eq!(help.matches(&start).count(), 1, "{start}: {help}");
        }
        assert!(!help.contains("\n  peer "), "{help}");
        for (title, names) in VERBS {
            let start = format!("\n{title}:\n  {} ", names[0]);
            assert!(help.contains(&start), "{start}: {help}");
        }
        let long: Vec<&str> = help.lines().filter(|line| line.starts_with("  ") && line.len() > 80).collect();
        assert_eq!(long, Vec::<&str>::new());
    }
}
