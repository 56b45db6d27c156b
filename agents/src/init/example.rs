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
    /// In the repository's root.
    pub(super) build_files: &'static [&'static str],
    /// The command that compiles or runs it.
    pub(super) tool: &'static str,
    pub(super) install: &'static str,
    /// Names and texts. The first has the parts to replace.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Run in the repository's root.
    pub(super) build: Option<&'static str>,
    /// What the build creates in the folder.
    pub(super) built: Option<&'static str>,
    /// Run in the folder.
    pub(super) command: &'static [&'static str],
    pub(super) family: &'static str,
    pub(super) semantics: &'static str,
}

impl Example {
    pub(super) fn find(language: Language) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.language == language)
    }
}

/// The file of a Go module, for a repository without one.
pub(super) const GO_MODULE_TEXT: &str = include_str!("../../../benches/external/go/go.mod");

pub(super) const EXAMPLES: [Example; 5] = [
    Example {
        language: Language::C,
        name: "C or C++",
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp"],
        build_files: &["CMakeLists.txt", "meson.build", "Makefile"],
        tool: "cc",
        install: "Install a C compiler, such as gcc or clang",
        files: &[
            ("ipc.c", include_str!("../../../benches/external/c/unix_socket.c")),
            (HEADER, include_str!("../../../benches/external/c/roundtrip.h")),
        ],
        build: Some(
            "cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o benchmarks/roundtrip/ipc benchmarks/roundtrip/ipc.c",
        ),
        built: Some("ipc"),
        command: &["./ipc"],
        family: "socket",
        semantics: "Two processes over a pair of Unix sockets.",
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
        built: Some("target"),
        command: &["./target/release/ipc"],
        family: "pipe",
        semantics: "Two processes over two pipes.",
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
    },
];
