//! Formats of lines: tables, logs and what was printed.

use super::Refused;

pub(super) const CASES: &[Refused] = &[
    ("go", "", "go: expected at least one benchmark with a time"),
    ("go", "hello\n", "go: expected at least one benchmark with a time"),
    ("go", "BenchmarkX-2 10 -5 ns/op", "go: line 1: expected a time of 0 or more, found -5.0"),
    ("go", "BenchmarkX-2 10 NaN ns/op", "go: line 1: expected a time of 0 or more, found NaN"),
    ("go", "BenchmarkX-2 10 inf ns/op", "go: line 1: expected a time of 0 or more, found inf"),
    ("go", "BenchmarkX-2 10 1e30 ns/op", "go: line 1: expected a time of at most 10^15 ns, found 1e30"),
    (
        "go",
        "BenchmarkX-2 10 5 furlongs/op",
        "go: expected at least one benchmark with a time; BenchmarkX-2: a line without ns/op is left out; left out, only times of operations are taken: furlongs/op",
    ),
    (
        "go",
        "BenchmarkX-2 10 five ns/op",
        "go: expected at least one benchmark with a time; line 1: begins as results do, but is none; left out",
    ),
    (
        "go",
        "BenchmarkX-2 10 5",
        "go: expected at least one benchmark with a time; line 1: begins as results do, but is none; left out",
    ),
    ("hdr-log", "", "hdr-log: expected at least one benchmark with a time"),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAAAA",
        "hdr-log: line 2: expected a histogram, found 6 bytes",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,?",
        "hdr-log: line 2: expected a histogram in base64, found another text: Invalid symbol 63, offset 0.",
    ),
    (
        "hdr-log",
        "0.1,1.0,HISTFAAA",
        "hdr-log: line 1: expected an interval: its start, length, largest value, histogram",
    ),
    (
        "hdr-log",
        "x,1.0,0.001,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 1: expected a number as start, found `x`",
    ),
    (
        "hdr-log",
        "0.1,1.0,inf,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 1: expected a number as largest value, found `inf`",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAQAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
        "hdr-log: line 2: expected HdrHistogram V2, found an older encoding: write the log with version 2 of the library",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,AAAABwAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
        "hdr-log: line 2: expected HdrHistogram V2, found the cookie 0x00000007",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACR4nJNpmSzMwMDAxAABnFCakYGB2c1gxwIG+w8QASYmAFe9BFc=",
        "hdr-log: line 2, byte 12: expected 0 to 5 significant digits, found 9",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDABMSsQMzMAAGMQKabwY4FDPYfIAJMTABXtgRW",
        "hdr-log: line 2, byte 8: expected counts that are not shifted, found an offset of 5",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACB4nJNpmSzcwAAHzFCaEch0M9ixgMH+A0SAiQkAadUEzw==",
        "hdr-log: line 2, byte 4: expected 2147483648 bytes of counts, found 2",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAIZ4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 2: expected 134 bytes of a histogram, found 35",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACJ4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A0SgCQBTKATO",
        "hdr-log: line 2, byte 40: expected a whole count, found its beginning",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAxQABzAIMMMDsZrBjAYP9BwjvPwwwAQCypg1d",
        "hdr-log: line 2, byte 49: expected values of at most 64 bits, found a count beyond them",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACZ4nJNpmSzMwMDAyQABzFCaEch0M9ixgMH+A0Tg338IqAcAoqAMyg==",
        "hdr-log: line 2: expected counts of at most 2^53 values together",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAwgABzAwMjDCmm8GOBQz2HyC85gNMTABkUAWW",
        "hdr-log: line 2, byte 43: expected values of at most 64 bits, found a count beyond them",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAB14nJNpmSzMgADMUJoRyHQz2LGAwf4DRAAATjkESw==",
        "hdr-log: expected at least one benchmark with a time; untagged: a repetition without values is left out",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAAZhYmNkZWY=",
        "hdr-log: line 2: expected a deflated histogram: corrupt deflate stream",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAACAd4nO3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC+BgHgAAE=",
        "hdr-log: line 2: expected a histogram of at most 1048576 bytes, found more",
    ),
    ("node", "", "node: line 1: expected the columns binary, filename, configuration, rate, time"),
    (
        "node",
        "binary,filename\n",
        "node: line 1: expected the columns binary, filename, configuration, rate, time",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n",
        "node: expected at least one benchmark with a time",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", -5, 1",
        "node: line 2, rate: expected a rate above 0, found -5.0",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", NaN, 1",
        "node: line 2, rate: expected a rate above 0, found NaN",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 0, 1",
        "node: line 2, rate: expected a rate above 0, found 0.0",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", fast, 1",
        "node: line 2, rate: expected a number, found `fast`",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 1e-300, 1",
        "node: line 2, rate: expected a rate of a time of at most 10^15 ns, found 1e-300",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"n=1",
        "node: line 2, column 16: expected a closing `\"`",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", 5",
        "node: line 2: expected 5 fields, found 3",
    ),
];
