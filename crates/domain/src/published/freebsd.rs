//! The study of pipes and sockets in FreeBSD, which prints drawings and no table: what it says in words can be checked.
//! `docs/explanation/ipc-static.md` does so.

use super::Source;

pub(super) const SOURCE: Source = Source {
    slug: "freebsd-pipes-and-sockets",
    question: "Pipes or sockets on your machine?",
    preset: "ipc-static",
    title: "Pipes and sockets in FreeBSD, over the size of their buffers",
    source: "A laboratory report on interprocess communication in FreeBSD 11, made with Robert N. M. Watson's ipc-static",
    summary: "Pipes are ahead of socket pairs, and both get faster with larger buffers up to 32 to 64 KiB, where the processor's \
              second-level cache is exhausted.",
    methodology: &[
        ("Quantity", "Effective bandwidth: 16 MiB over the time to move them"),
        ("Direction", "One way, between two threads in what is shown; two processes are possible"),
        (
            "Transports",
            "pipe; socketpair; socketpair whose kernel buffers are asked to be as large as the buffer (-s)",
        ),
        ("Statistic", "Median and quartiles"),
        ("Repetitions", "At least 30, of which the first is discarded"),
        ("Test", "Paired Wilcoxon signed-rank test at 5 %, on lines divided by their mean"),
        (
            "Machine",
            "BeagleBone Black: ARM Cortex-A8, one core of 1 GHz, 256 KiB of second-level cache, 512 MB of memory",
        ),
        ("System", "FreeBSD 11.0, kern.ipc.maxsockbuf raised to 32 MiB"),
    ],
    not_comparable_because: &[
        "Its figures are drawings: there is no number a size, only what is said in words.",
        "The board has one core and 256 KiB of cache: where larger buffers stop helping is a matter of the machine.",
        "FreeBSD limits a socket that is not set to 8 KiB, Linux to 208 KiB, so the two do not make the same calls.",
    ],
    table: None,
    statements: &[
        "Bandwidth grows with the buffer up to 32 to 64 KiB for every transport, and collapses beyond.",
        "The greatest bandwidth of a pipe is with a buffer of 64 KiB.",
        "Pipes are ahead of socket pairs by 63 %, averaged over all configurations.",
        "Of 16 MiB through a socket pair that is not set, every buffer larger than 8 KiB makes 2,048 reads of 8 KiB.",
        "Of 16 MiB through a pipe, every buffer larger than 64 KiB makes 256 reads of 64 KiB.",
        "With -s, reads of a socket pair are not limited to 8 KiB.",
        "Instruments change the bandwidth and keep the shape of the line: once each line is divided by its mean, three sizes \
         differ, all of them small.",
    ],
};
