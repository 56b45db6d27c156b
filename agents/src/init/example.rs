//! The example programs that `init` copies, one for each language.

use crate::cli::Language;

/// The folder of the program and its definition. Build tools look for nothing here: cargo builds the files in `benches`, and
/// setuptools takes a new folder for a package unless it has one of a few names.
pub(super) const FOLDER: &str = "benchmarks/roundtrip";

/// Our header for programs in C.
pub(super) const HEADER: &str = "roundtrip.h";

pub(super) const GO_MODULE: &str = "go.mod";

/// A program to start from, and how repositories in its language look.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) language: Language,
    pub(super) name: &'static str,
    /// Of source files.
    pub(super) extensions: &'static [&'static str],
    /// In the repository's root; `*` stands for any name.
    pub(super) build_files: &'static [&'static str],
    /// The command that compiles or runs it.
    pub(super) tool: &'static str,
    pub(super) install: &'static str,
    /// Names and texts. The first has the parts to replace.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Run in the repository's root.
    pub(super) build: Option<&'static str>,
    /// What the build creates in the folder: lines of its `.gitignore`, without the first slash.
    pub(super) built: Option<&'static str>,
    /// Run in the folder.
    pub(super) command: &'static [&'static str],
    pub(super) family: &'static str,
    pub(super) semantics: &'static str,
    /// How the program finds the library of its commit.
    pub(super) library: &'static str,
}

impl Example {
    pub(super) fn find(language: Language) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.language == language)
    }
}

/// A language without an example.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherLanguage {
    pub(super) name: &'static str,
    pub(super) extensions: &'static [&'static str],
    pub(super) build_files: &'static [&'static str],
}

/// Languages without an example, which can follow the protocol.
pub(super) const OTHERS: [OtherLanguage; 9] = [
    other("Java", &["java"], &["pom.xml", "build.gradle", "build.gradle.kts"]),
    other("Kotlin", &["kt", "kts"], &["pom.xml", "build.gradle", "build.gradle.kts"]),
    other("Scala", &["scala"], &["build.sbt", "build.sc"]),
    other("C#", &["cs"], &["*.sln", "*.slnx", "*.csproj"]),
    other("Swift", &["swift"], &["Package.swift"]),
    other("Ruby", &["rb"], &["Gemfile", "*.gemspec"]),
    other("Zig", &["zig"], &["build.zig"]),
    other("Elixir or Erlang", &["ex", "exs", "erl"], &["mix.exs", "rebar.config"]),
    other("Haskell", &["hs"], &["stack.yaml", "*.cabal"]),
];

const fn other(
    name: &'static str,
    extensions: &'static [&'static str],
    build_files: &'static [&'static str],
) -> OtherLanguage {
    OtherLanguage { name, extensions, build_files }
}

/// The file of a Go module, for a repository without one.
pub(super) const GO_MODULE_TEXT: &str = include_str!("../../../benches/external/go/go.mod");

/// The example in C is also valid C++.
const C_TEXT: &str = include_str!("../../../benches/external/c/unix_socket.c");
const HEADER_TEXT: &str = include_str!("../../../benches/external/c/roundtrip.h");
const C_BUILD_FILES: &[&str] = &["CMakeLists.txt", "meson.build", "Makefile", "configure.ac"];

/// Of languages with the same number of source files, the last one is a repository's language.
pub(super) const EXAMPLES: [Example; 6] = [
    Example {
        language: Language::Cpp,
        name: "C++",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "h"],
        build_files: C_BUILD_FILES,
        tool: "c++",
        install: "Install a C++ compiler, such as g++ or clang++",
        files: &[("ipc.cpp", C_TEXT), (HEADER, HEADER_TEXT)],
        build: Some("c++ -O2 -std=c++17 -o benchmarks/roundtrip/ipc benchmarks/roundtrip/ipc.cpp"),
        built: Some("ipc"),
        command: &["./ipc"],
        family: "socket",
        semantics: "Two processes over a pair of Unix sockets.",
        library: "add its include path and library to the compiler's arguments in `build`, after the commands that build it",
    },
    Example {
        language: Language::C,
        name: "C",
        extensions: &["c", "h"],
        build_files: C_BUILD_FILES,
        tool: "cc",
        install: "Install a C compiler, such as gcc or clang",
        files: &[("ipc.c", C_TEXT), (HEADER, HEADER_TEXT)],
        build: Some(
            "cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o benchmarks/roundtrip/ipc benchmarks/roundtrip/ipc.c",
        ),
        built: Some("ipc"),
        command: &["./ipc"],
        family: "socket",
        semantics: "Two processes over a pair of Unix sockets.",
        library: "add its include path and library to the compiler's arguments in `build`, after the commands that build it",
    },
    Example {
        language: Language::Rust,
        name: "Rust",
        extensions: &["rs"],
        build_files: &["Cargo.toml"],
        tool: "cargo",
        install: "Install Rust",
        files: &[
            ("main.rs", include_str!("../../../benches/external/rust/main.rs")),
            ("Cargo.toml", include_str!("../../../benches/external/rust/Cargo.toml")),
        ],
        build: Some(
            "cargo build --release --manifest-path benchmarks/roundtrip/Cargo.toml \
             --target-dir benchmarks/roundtrip/target",
        ),
        // The lock file belongs to the program, also if the repository ignores its own.
        built: Some("target\n!/Cargo.lock"),
        command: &["./target/release/ipc"],
        family: "pipe",
        semantics: "Two processes over two pipes.",
        library: "add it to benchmarks/roundtrip/Cargo.toml by its path",
    },
    Example {
        language: Language::Go,
        name: "Go",
        extensions: &["go"],
        build_files: &[GO_MODULE],
        tool: "go",
        install: "Install Go 1.20 or newer",
        files: &[("main.go", include_str!("../../../benches/external/go/main.go"))],
        // Without paths and commits, the same sources always build the same program.
        build: Some("go build -C benchmarks/roundtrip -trimpath -buildvcs=false -o ipc ."),
        built: Some("ipc"),
        command: &["./ipc"],
        family: "pipe",
        semantics: "Two processes over two pipes.",
        library: "import it: the program is in your module",
    },
    Example {
        language: Language::Python,
        name: "Python",
        extensions: &["py", "pyx"],
        build_files: &["pyproject.toml", "setup.py"],
        tool: "python3",
        install: "Install Python 3",
        files: &[("ipc.py", include_str!("../../../benches/external/python/pipe.py"))],
        build: None,
        built: None,
        command: &["python3", "ipc.py"],
        family: "socket",
        semantics: "Two processes over multiprocessing.Pipe.",
        library: "import it from the checkout, not from installed packages, as ipc.py shows",
    },
    Example {
        language: Language::Node,
        name: "JavaScript",
        extensions: &["js", "cjs", "mjs", "ts"],
        build_files: &["package.json"],
        tool: "node",
        install: "Install Node.js",
        // With this extension, `require` works in every package.
        files: &[("ipc.cjs", include_str!("../../../benches/external/node/unix_socket.js"))],
        build: None,
        built: None,
        command: &["node", "ipc.cjs"],
        family: "socket",
        semantics: "Two processes over a Unix socket with node:net.",
        library: "require it by its path, such as require('../..'), and add `npm ci` or `npm install` to `build`",
    },
];
